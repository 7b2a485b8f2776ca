//! The choice of a memory for each buffer.
//!
//! The rules, in this order: a space that is written stays; a buffer that unseen callers pass in or get back, or a
//! global, is off-chip; a local buffer goes to a memory that meets all demands on it; if there is none, to one that the
//! operations that write it demand; if copies cannot meet the other demands from any demanded memory, to one from which
//! copies meet all; a buffer without demands goes to the default space, unless another memory spares its copies a
//! detour.

use zpu_device::Device;
use zpu_ir::{Op, Remark, RemarkKind, Value, note, ty};

use super::PASS;
use super::buffers::{Buffer, Buffers, Escape, Space};
use super::demands::Demand;
use crate::data_path::Copy;

/// Facts about a module, collected before anything is decided.
pub(super) struct Facts<'c, 'd> {
    pub(super) device: &'d Device,
    pub(super) buffers: Buffers<'c>,
    /// Demands in program order, without those of dead fills.
    pub(super) demands: Vec<Demand<'c, 'd>>,
    /// Copies in program order.
    pub(super) copies: Vec<Copy<'c>>,
}

/// The memory of each buffer, by index; `None` for one that keeps its type without a space.
pub(super) struct Spaces(pub(super) Vec<Option<String>>);

impl Spaces {
    /// The name of the memory that a value will be in.
    pub(super) fn of<'a, 'c: 'a>(&'a self, value: Value<'c>, buffers: &Buffers<'c>) -> Option<&'a str> {
        match buffers.index_of(value) {
            Some(index) => self.0[index].as_deref(),
            None => ty::MemRef::of(value.ty())?.space(),
        }
    }
}

/// Finds a memory for every buffer that may get one; a remark reports each of the others.
pub(super) fn assign(facts: &Facts<'_, '_>) -> Spaces {
    let mut spaces = Spaces(facts.buffers.list.iter().map(|buffer| given(buffer, facts)).collect());
    let users = Users::of(facts);
    let open = |spaces: &Spaces, index: usize| spaces.0[index].is_none() && may_get(&facts.buffers.list[index]);
    for demanded in [true, false] {
        for index in 0..facts.buffers.list.len() {
            let demands = &users.demands[index];
            if open(&spaces, index) && demands.is_empty() != demanded {
                let copies = OfBuffer {
                    index,
                    copies: &users.copies[index],
                };
                let space = choose(demands, &copies, &spaces, facts);
                spaces.0[index] = Some(space);
            }
        }
    }
    spaces
}

/// True for a local buffer without a space whose uses all take any space.
fn may_get(buffer: &Buffer<'_>) -> bool {
    buffer.space == Space::Open && buffer.escape.is_none() && !buffer.is_passed
}

fn given(buffer: &Buffer<'_>, facts: &Facts<'_, '_>) -> Option<String> {
    let missed = |name: &'static str, text: String| {
        Remark::new(buffer.origin(), RemarkKind::Missed, PASS, name)
            .message(format!("{} {text}", buffer.describe()))
            .emit();
    };
    match (buffer.space, buffer.escape) {
        (Space::Named(name), _) => return Some(name.to_owned()),
        (Space::Foreign, _) => missed(
            "foreign-space",
            "has a type or memory space that is not the device's".to_owned(),
        ),
        (Space::Open, Some(Escape::Through(user))) => missed(
            "escapes",
            format!(
                "escapes through {}, so it keeps its type; {}",
                user.name(),
                remedy(user)
            ),
        ),
        (Space::Open, Some(Escape::From(source))) => missed(
            "escapes",
            format!(
                "may be memory that comes from {}, so it keeps its type; write #zpu.space on its type where it is \
                 allocated",
                source.name()
            ),
        ),
        (Space::Open, Some(Escape::Referred(symbol))) => {
            let what = match symbol.is("memref.global") {
                true => "is referred to other than by memref.get_global",
                false => "belongs to a function that is referred to other than by calls",
            };
            missed(
                "referred-to",
                format!("{what}, so it keeps its type; write #zpu.space there"),
            );
        }
        (Space::Open, None) if buffer.is_passed => return Some(facts.device.off_chip.clone()),
        (Space::Open, None) => {}
    }
    None
}

/// The advice for a use that is not followed.
fn remedy(user: Op<'_>) -> &'static str {
    match user.name() {
        "cf.br" | "cf.cond_br" | "cf.switch" => {
            "--lift-cf-to-scf makes loops and conditionals of branches between blocks"
        }
        "func.call" => "give the function a body, or write #zpu.space on its arguments and results and here",
        _ => "write #zpu.space on its type where it is allocated",
    }
}

/// The demands on each buffer, and the copies from and to it, both in program order.
struct Users<'a, 'c, 'd> {
    demands: Vec<Vec<&'a Demand<'c, 'd>>>,
    copies: Vec<Vec<&'a Copy<'c>>>,
}

impl<'a, 'c, 'd> Users<'a, 'c, 'd> {
    fn of(facts: &'a Facts<'c, 'd>) -> Self {
        let count = facts.buffers.list.len();
        let (mut demands, mut copies) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for demand in &facts.demands {
            if let Some(index) = facts.buffers.index_of(demand.value) {
                demands[index].push(demand);
            }
        }
        for copy in &facts.copies {
            let [from, to] = [copy.source, copy.dest].map(|value| facts.buffers.index_of(value));
            // A copy within one buffer constrains nothing.
            for index in [from, to].into_iter().flatten().filter(|_| from != to) {
                copies[index].push(copy);
            }
        }
        Self { demands, copies }
    }
}

/// The memory of a buffer with these demands and copies.
fn choose(demands: &[&Demand<'_, '_>], copies: &OfBuffer<'_, '_>, spaces: &Spaces, facts: &Facts<'_, '_>) -> String {
    let device = facts.device;
    let names = || device.memories.iter().map(|memory| memory.name.as_str());
    let common: Vec<&str> = names()
        .filter(|name| !demands.is_empty() || !device.is_off_chip(name))
        .filter(|name| demands.iter().all(|demand| demand.allows(name)))
        .collect();
    // The first of equals wins, so the order is: fewest detours, the default space, the device's order.
    let detour = |from: &str, to: &str| !device.moves_directly(from, to);
    let cost = |name: &&str| (copies.count(name, spaces, facts, detour), *name != device.default_space);
    if let Some(best) = common.into_iter().min_by_key(cost) {
        return best.to_owned();
    }
    let candidates = conflicting(demands, device);
    let reachable = |name: &&&str| {
        demands
            .iter()
            .all(|d| d.allows(name) || staging_space(d, name, device).is_some())
    };
    let cut_off = |from: &str, to: &str| device.data_path(from, to).is_none();
    let joined = |name: &&&str| copies.count(name, spaces, facts, cut_off) == 0;
    let mut others: Vec<&str> = names().filter(|name| !candidates.contains(name)).collect();
    let is_direct = |demand: &Demand<'_, '_>, name: &str| {
        let mut allowed = demand.allowed.iter();
        allowed.any(|target| {
            (!demand.reads || device.moves_directly(name, target))
                && (!demand.writes || device.moves_directly(target, name))
        })
    };
    let indirect = |name: &str| demands.iter().filter(|demand| !is_direct(demand, name)).count();
    others.sort_by_key(|name| (device.is_off_chip(name), indirect(name), cost(name)));
    let works = || candidates.iter().chain(&others).filter(reachable).find(joined);
    let kept = works()
        .or_else(|| candidates.iter().find(reachable))
        .or(candidates.first());
    kept.map_or_else(|| device.default_space.clone(), |name| (*name).to_owned())
}

/// The memories that some demand allows, best first: memories for the operations that write come first, then those that
/// agree with as many of the others as possible, in program order; then the rest in the device's order.
fn conflicting<'d>(demands: &[&Demand<'_, 'd>], device: &'d Device) -> Vec<&'d str> {
    let mut ordered = demands.to_vec();
    ordered.sort_by_key(|demand| !demand.writes);
    let mut kept: Vec<&str> = ordered.first().map_or(Vec::new(), |first| first.allowed.clone());
    for demand in &ordered {
        let both: Vec<&str> = kept.iter().copied().filter(|name| demand.allows(name)).collect();
        if !both.is_empty() {
            kept = both;
        }
    }
    for name in device.memories.iter().map(|memory| memory.name.as_str()) {
        if !kept.contains(&name) && demands.iter().any(|demand| demand.allows(name)) {
            kept.push(name);
        }
    }
    kept
}

/// The copies from and to one buffer.
struct OfBuffer<'a, 'c> {
    /// The buffer.
    index: usize,
    copies: &'a [&'a Copy<'c>],
}

impl OfBuffer<'_, '_> {
    /// The number of copies with another buffer in a known memory that are `bad`, from and to, if this one is in
    /// `space`.
    fn count(&self, space: &str, spaces: &Spaces, facts: &Facts<'_, '_>, bad: impl Fn(&str, &str) -> bool) -> usize {
        let is_bad = |copy: &&&Copy<'_>| {
            let is_mine = [copy.source, copy.dest].map(|value| facts.buffers.index_of(value) == Some(self.index));
            let (from, to) = match is_mine {
                [true, false] => (Some(space), spaces.of(copy.dest, &facts.buffers)),
                [false, true] => (spaces.of(copy.source, &facts.buffers), Some(space)),
                _ => return false,
            };
            from.zip(to).is_some_and(|(from, to)| bad(from, to))
        };
        self.copies.iter().filter(is_bad).count()
    }
}

/// The memory of a copy that meets the demand on a buffer in `space`: the first allowed one that a path leads to, and
/// back from if it is written.
pub(super) fn staging_space<'d>(demand: &Demand<'_, 'd>, space: &str, device: &Device) -> Option<&'d str> {
    let reaches = |from: &str, to: &str| device.data_path(from, to).is_some();
    let mut allowed = demand.allowed.iter().copied();
    allowed.find(|target| (!demand.reads || reaches(space, target)) && (!demand.writes || reaches(target, space)))
}

/// Reports that a demand cannot be met by a copy, and the other operation that demands the buffer elsewhere.
pub(super) fn report_unreachable<'c>(demand: &Demand<'c, '_>, space: &str, facts: &Facts<'c, '_>) {
    let buffer = facts.buffers.buffer_of(demand.value);
    let target = demand.allowed.first().copied().unwrap_or("");
    let (from, to) = if demand.reads { (space, target) } else { (target, space) };
    let message = format!(
        "{}, but it is in {space}, and no path of routes leads from {from} to {to}",
        demand.describe()
    );
    let other = facts.demands.iter().find(|other| {
        other.op != demand.op
            && other.allows(space)
            && facts.buffers.index_of(other.value).is_some()
            && facts.buffers.index_of(other.value) == facts.buffers.index_of(demand.value)
    });
    let mut notes = Vec::new();
    if let Some(other) = other {
        notes.push(note(other.op, other.describe()));
    }
    if let Some(buffer) = buffer {
        notes.push(note(buffer.origin(), format!("{} is in {space}", buffer.describe())));
    }
    let routes = facts.device.route_names();
    notes.push(note(
        demand.op,
        format!("the routes of @{} are {routes}", facts.device.name),
    ));
    zpu_ir::error(demand.op, &message, &notes);
}

/// Reports every copy between a buffer whose memory was chosen for a demand and a memory that no path joins with it.
/// Returns true if there is one.
pub(super) fn report_cut_off(facts: &Facts<'_, '_>, spaces: &Spaces) -> bool {
    let mut found = false;
    for copy in &facts.copies {
        let of = |value| spaces.of(value, &facts.buffers);
        let (Some(from), Some(to)) = (of(copy.source), of(copy.dest)) else {
            continue;
        };
        if facts.device.data_path(from, to).is_some() {
            continue;
        }
        let ends = [(copy.dest, to, "from", from), (copy.source, from, "to", to)];
        let cause = ends.into_iter().find_map(|(value, space, way, other)| {
            let index = facts
                .buffers
                .index_of(value)
                .filter(|i| may_get(&facts.buffers.list[*i]))?;
            let on_buffer = |demand: &&Demand<'_, '_>| facts.buffers.index_of(demand.value) == Some(index);
            let mut demands = facts.demands.iter().filter(on_buffer);
            let demand = demands.find(|demand| demand.allows(space))?;
            Some((demand, way, other))
        });
        let Some((demand, way, other)) = cause else { continue };
        let message = format!(
            "{}, but its buffer is copied {way} {other}, and no path of routes leads from {from} to {to}",
            demand.describe()
        );
        let routes = facts.device.route_names();
        let notes = [
            note(copy.op, format!("{} copies it {way} {other}", copy.op.name())),
            note(demand.op, format!("the routes of @{} are {routes}", facts.device.name)),
        ];
        zpu_ir::error(demand.op, &message, &notes);
        found = true;
    }
    found
}
