//! The machine in the IR: a `zpu.device` operation as a [`Device`], and back.
//!
//! [`build`] and [`read`] are inverse to each other, bit for bit: cost models travel as the `cost` dictionary of their
//! engine, whole numbers as i64 attributes and all others as f64. A cost entry that is not written has its neutral
//! value, so an engine without costs takes no time; an entry that means nothing is an error that names the nearest
//! known one.

use std::fmt;

use serde_json::{Map, Number, Value as Json};
use zpu_device::{
    Control, Device, DmaCost, Engine, EngineCost, EngineKind, Link, Memory, NeverIssued, Operands, Problem, Route,
    Sync, TensorCost, VectorCost, WhenFull, builtin_names,
};

use crate::context::with_messages;
use crate::{Attribute, Block, Builder, Context, ContextRef, Failed, Module, Op, attr, diagnostic, edit, ops, ty};

/// In the order of `Zpu_EngineKind`.
const KINDS: [EngineKind; 3] = [EngineKind::Dma, EngineKind::Tensor, EngineKind::Vector];
/// In the order of `Zpu_WhenFull`.
const WHEN_FULL: [WhenFull; 3] = [WhenFull::Stall, WhenFull::Error, WhenFull::Drop];
/// In the order of `Zpu_NeverIssued`.
const NEVER_ISSUED: [NeverIssued; 3] = [NeverIssued::Return, NeverIssued::Hang, NeverIssued::Error];

/// The reason why the IR has no readable device.
#[derive(Clone, Debug, thiserror::Error)]
pub struct Unreadable<'c> {
    /// Each problem with the operation that it is at; never empty.
    pub problems: Vec<(Op<'c>, String)>,
}

impl<'c> Unreadable<'c> {
    fn new(at: Op<'c>, message: impl Into<String>) -> Self {
        Self {
            problems: vec![(at, message.into())],
        }
    }

    /// Emits each problem as an error at its operation.
    pub fn emit(&self) {
        for (op, message) in &self.problems {
            diagnostic::error(*op, message, &[]);
        }
    }
}

impl fmt::Display for Unreadable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (_, message)) in self.problems.iter().enumerate() {
            let separator = if i == 0 { "" } else { "\n" };
            write!(f, "{separator}{message}")?;
        }
        Ok(())
    }
}

/// The `zpu.device` that `op` is compiled for: that of the nearest module around it (`op` itself included) which has
/// one.
pub fn find(op: Op<'_>) -> Option<Op<'_>> {
    std::iter::once(op)
        .chain(op.parents())
        .filter(|parent| parent.is("builtin.module"))
        .find_map(|module| module.body()?.ops().find(|member| member.is(ops::Device::NAME)))
}

/// The `zpu.device` that `op` is compiled for; the error says how to get one.
pub fn require(op: Op<'_>) -> Result<Op<'_>, Unreadable<'_>> {
    find(op).ok_or_else(|| {
        let names: Vec<&str> = builtin_names().collect();
        let message = format!(
            "no zpu.device in the module; run zpu-attach-device{{device=NAME}} before, with a device file or one of \
             the built-in devices: {}",
            names.join(", ")
        );
        Unreadable::new(op, message)
    })
}

/// The device that `op` is compiled for. Each error names what is missing or inconsistent, and its operation.
pub fn read<'c>(op: Op<'c>) -> Result<Device, Unreadable<'c>> {
    read_op(require(op)?)
}

/// The device that `op` is compiled for; the errors of [`read`] are emitted as diagnostics.
pub fn of(op: Op<'_>) -> Result<Device, Failed> {
    read(op).map_err(|unreadable| {
        unreadable.emit();
        Failed
    })
}

/// The device that a `zpu.device` operation describes.
pub fn read_op<'c>(device: Op<'c>) -> Result<Device, Unreadable<'c>> {
    let members: Vec<Op<'c>> = device.body().map(|body| body.ops().collect()).unwrap_or_default();
    let of_kind = |name: &'static str| members.iter().copied().filter(move |member| member.is(name));
    let only = |name: &'static str| {
        of_kind(name)
            .next()
            .ok_or_else(|| Unreadable::new(device, format!("the device has no {name}")))
    };
    let routes: Vec<(&str, Route)> = of_kind(ops::Route::NAME).map(read_route).collect::<Result<_, _>>()?;
    let read = Device {
        name: text(device, ops::Device::SYM_NAME)?.to_owned(),
        clock_ghz: float(device, ops::Device::CLOCK_GHZ)?,
        off_chip: symbol(device, ops::Device::OFF_CHIP)?.to_owned(),
        default_space: symbol(device, ops::Device::DEFAULT_SPACE)?.to_owned(),
        control: read_control(only(ops::Control::NAME)?)?,
        memories: of_kind(ops::Memory::NAME).map(read_memory).collect::<Result<_, _>>()?,
        links: of_kind(ops::Link::NAME).map(read_link).collect::<Result<_, _>>()?,
        engines: of_kind(ops::Engine::NAME)
            .map(|engine| read_engine(engine, &routes))
            .collect::<Result<_, _>>()?,
        sync: read_sync(only(ops::Sync::NAME)?)?,
    };
    let at = |problem: Problem| (owner(device, &members, &problem.path), problem.to_string());
    match read.check() {
        Ok(()) => Ok(read),
        Err(problems) => Err(Unreadable {
            problems: problems.into_iter().map(at).collect(),
        }),
    }
}

/// Puts a device into a module that has none and checks every command against it: engines, routes, memories, operand
/// rules, barrier ids. Each command that does not fit is an error at its place, and the module is left as it was.
pub fn attach<'c>(module: Op<'c>, body: Block<'c>, device: &Device) -> Result<Op<'c>, Failed> {
    let commands = commands(module);
    let attached = build(module, body, device);
    // All commands are checked, also after the first that does not fit.
    let misfits = commands.into_iter().filter(|op| !op.verify()).count();
    if misfits > 0 {
        edit::erase(attached);
        return Err(Failed);
    }
    Ok(attached)
}

/// Attaches a device like [`attach`], in place of the module's device, if it has one; the old one is gone even if
/// commands do not fit. A module without commands stays as it is.
///
/// # Errors
///
/// The errors of the commands, one diagnostic or note per line.
pub fn replace(context: &Context, module: &Module<'_>, device: &Device) -> Result<(), String> {
    let module = Op::of_module(module);
    let Some(body) = module.body().filter(|_| !commands(module).is_empty()) else {
        return Ok(());
    };
    let present: Vec<Op<'_>> = body.ops().filter(|op| op.is(ops::Device::NAME)).collect();
    present.into_iter().for_each(edit::erase);
    let (attached, messages) = with_messages(context, || attach(module, body, device));
    attached.map(drop).map_err(|Failed| messages)
}

/// The operations of our dialect that are no part of a device, in program order.
fn commands(module: Op<'_>) -> Vec<Op<'_>> {
    let is_of_device =
        |op: &Op<'_>| op.is(ops::Device::NAME) || op.parents().any(|parent| parent.is(ops::Device::NAME));
    let ours = module.walk().into_iter().filter(|op| ops::is_ours(*op));
    ours.filter(|op| !is_of_device(op)).collect()
}

/// Makes the `zpu.device` operation at the front of a module's body, with the module's location.
pub fn build<'c>(module: Op<'c>, body: Block<'c>, device: &Device) -> Op<'c> {
    let context = module.context();
    let mut builder = match body.ops().next() {
        Some(first) => Builder::before(first).like(module),
        None => Builder::at_end(body, module),
    };
    let symbol = |name: &str| attr::symbol(context, name);
    let attrs = [
        (ops::Device::SYM_NAME, attr::string(context, &device.name)),
        (ops::Device::CLOCK_GHZ, attr::float(context, device.clock_ghz)),
        (ops::Device::OFF_CHIP, symbol(&device.off_chip)),
        (ops::Device::DEFAULT_SPACE, symbol(&device.default_space)),
    ];
    let op = builder.op_with_regions(ops::Device::NAME, &[], &[], &attrs, &[&[]]);
    let inside = op.body().expect("a device has a body");
    let mut builder = Builder::at_end(inside, module);
    let mut member = |name: &str, attrs: &[(&str, Attribute<'c>)]| {
        builder.op(name, &[], &[], attrs);
    };
    let count = |value: u64| attr::int(context, i64::try_from(value).unwrap_or(i64::MAX));
    let control = &device.control;
    member(
        ops::Control::NAME,
        &[
            (ops::Control::START_CYCLES, count(control.start_cycles)),
            (ops::Control::WAIT_CYCLES, count(control.wait_cycles)),
            (ops::Control::LOOP_CYCLES, count(control.loop_cycles)),
            (ops::Control::BARRIER_CYCLES, count(control.barrier_cycles)),
            (ops::Control::SCALAR_CYCLES, count(control.scalar_cycles)),
        ],
    );
    for memory in &device.memories {
        let name = attr::string(context, &memory.name);
        let (bytes, align) = (count(memory.bytes), count(memory.align));
        member(
            ops::Memory::NAME,
            &[
                (ops::Memory::SYM_NAME, name),
                (ops::Memory::BYTES, bytes),
                (ops::Memory::ALIGN, align),
            ],
        );
    }
    for link in &device.links {
        let rate = attr::float(context, link.bytes_per_cycle);
        let name = attr::string(context, &link.name);
        member(
            ops::Link::NAME,
            &[(ops::Link::SYM_NAME, name), (ops::Link::BYTES_PER_CYCLE, rate)],
        );
    }
    for engine in &device.engines {
        member(ops::Engine::NAME, &engine_attrs(context, engine));
        for route in engine.dma().map_or(&[][..], |dma| &dma.routes) {
            let mut attrs = vec![
                (ops::Route::ENGINE, symbol(&engine.name)),
                (ops::Route::FROM, symbol(&route.from)),
                (ops::Route::TO, symbol(&route.to)),
            ];
            if !route.links.is_empty() {
                attrs.push((ops::Route::LINKS, symbols(context, &route.links)));
            }
            member(ops::Route::NAME, &attrs);
        }
    }
    let never = position(&NEVER_ISSUED, device.sync.wait_on_never_issued);
    member(
        ops::Sync::NAME,
        &[
            (ops::Sync::IDS, count(device.sync.ids)),
            (ops::Sync::BARRIERS, count(device.sync.barriers)),
            (ops::Sync::NEVER_ISSUED, case(context, never)),
        ],
    );
    op
}

fn engine_attrs<'c>(context: ContextRef<'c>, engine: &Engine) -> Vec<(&'static str, Attribute<'c>)> {
    let depth = i64::try_from(engine.queue_depth).unwrap_or(i64::MAX);
    let mut attrs = vec![
        (ops::Engine::SYM_NAME, attr::string(context, &engine.name)),
        (ops::Engine::KIND, case(context, position(&KINDS, engine.kind))),
        (ops::Engine::QUEUE_DEPTH, attr::int(context, depth)),
        (
            ops::Engine::WHEN_FULL,
            case(context, position(&WHEN_FULL, engine.when_full)),
        ),
    ];
    if engine.blocking {
        attrs.push((ops::Engine::BLOCKING, attr::unit(context)));
    }
    if engine.group != engine.name {
        attrs.push((ops::Engine::GROUP, attr::string(context, &engine.group)));
    }
    let rules = [
        ("a", &engine.operands.a),
        ("b", &engine.operands.b),
        ("c", &engine.operands.c),
        ("all", &engine.operands.all),
    ];
    let rules: Vec<_> = rules
        .into_iter()
        .filter(|(_, spaces)| !spaces.is_empty())
        .map(|(role, spaces)| (role, symbols(context, spaces)))
        .collect();
    if !rules.is_empty() {
        attrs.push((ops::Engine::OPERANDS, attr::dictionary(context, &rules)));
    }
    let mut cost = cost_to_json(&engine.cost);
    cost.remove("routes");
    // Costs of operations that an engine cannot do are not written.
    cost.retain(|_, value| !value.is_null());
    attrs.push((ops::Engine::COST, from_json(context, &Json::Object(cost))));
    attrs
}

fn read_control<'c>(op: Op<'c>) -> Result<Control, Unreadable<'c>> {
    Ok(Control {
        start_cycles: count(op, ops::Control::START_CYCLES)?,
        wait_cycles: count(op, ops::Control::WAIT_CYCLES)?,
        loop_cycles: count(op, ops::Control::LOOP_CYCLES)?,
        barrier_cycles: count(op, ops::Control::BARRIER_CYCLES)?,
        scalar_cycles: count(op, ops::Control::SCALAR_CYCLES)?,
    })
}

fn read_memory<'c>(op: Op<'c>) -> Result<Memory, Unreadable<'c>> {
    Ok(Memory {
        name: text(op, ops::Memory::SYM_NAME)?.to_owned(),
        bytes: count(op, ops::Memory::BYTES)?,
        align: count(op, ops::Memory::ALIGN)?,
    })
}

fn read_link<'c>(op: Op<'c>) -> Result<Link, Unreadable<'c>> {
    Ok(Link {
        name: text(op, ops::Link::SYM_NAME)?.to_owned(),
        bytes_per_cycle: float(op, ops::Link::BYTES_PER_CYCLE)?,
    })
}

fn read_sync<'c>(op: Op<'c>) -> Result<Sync, Unreadable<'c>> {
    Ok(Sync {
        ids: count(op, ops::Sync::IDS)?,
        barriers: count(op, ops::Sync::BARRIERS)?,
        wait_on_never_issued: one_of(op, ops::Sync::NEVER_ISSUED, &NEVER_ISSUED)?,
    })
}

/// A route with the name of its engine.
fn read_route<'c>(op: Op<'c>) -> Result<(&'c str, Route), Unreadable<'c>> {
    let route = Route {
        from: symbol(op, ops::Route::FROM)?.to_owned(),
        to: symbol(op, ops::Route::TO)?.to_owned(),
        links: op.attr(ops::Route::LINKS).map(names).unwrap_or_default(),
    };
    Ok((symbol(op, ops::Route::ENGINE)?, route))
}

fn read_engine<'c>(op: Op<'c>, routes: &[(&str, Route)]) -> Result<Engine, Unreadable<'c>> {
    let name = text(op, ops::Engine::SYM_NAME)?;
    let kind = one_of(op, ops::Engine::KIND, &KINDS)?;
    let entries = op
        .attr(ops::Engine::OPERANDS)
        .and_then(attr::as_dictionary)
        .unwrap_or_default();
    let rule = |role: &str| {
        let spaces = entries.iter().find(|(entry, _)| *entry == role);
        spaces.map(|(_, spaces)| names(*spaces)).unwrap_or_default()
    };
    let own = |(engine, route): &(&str, Route)| (*engine == name).then(|| route.clone());
    let mut cost = read_cost(op, kind)?;
    if let EngineCost::Dma(dma) = &mut cost {
        dma.routes = routes.iter().filter_map(own).collect();
    }
    Ok(Engine {
        name: name.to_owned(),
        group: op
            .attr(ops::Engine::GROUP)
            .and_then(attr::as_str)
            .unwrap_or(name)
            .to_owned(),
        kind,
        blocking: op.has_attr(ops::Engine::BLOCKING),
        queue_depth: count(op, ops::Engine::QUEUE_DEPTH)?,
        when_full: one_of(op, ops::Engine::WHEN_FULL, &WHEN_FULL)?,
        operands: Operands {
            a: rule("a"),
            b: rule("b"),
            c: rule("c"),
            all: rule("all"),
        },
        cost,
    })
}

/// The cost of an engine: the neutral one of its kind with the entries of the `cost` dictionary, without the routes.
fn read_cost<'c>(op: Op<'c>, kind: EngineKind) -> Result<EngineCost, Unreadable<'c>> {
    let mut cost = cost_to_json(&neutral(kind));
    let known: Vec<String> = cost.keys().filter(|key| *key != "routes").cloned().collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for (key, value) in op
        .attr(ops::Engine::COST)
        .and_then(attr::as_dictionary)
        .unwrap_or_default()
    {
        if !known.contains(&key) {
            let message = format!(
                "unknown cost entry '{key}' of a {kind} engine{}",
                zpu_device::hint(key, &known)
            );
            return Err(Unreadable::new(op, message));
        }
        let json = to_json(value).ok_or_else(|| {
            Unreadable::new(
                op,
                format!("cost entry '{key}' is {value}, but must be a number, an array or a dictionary of numbers"),
            )
        })?;
        cost.insert(key.to_owned(), json);
        // Each entry by itself, so that the message can name the one that does not fit.
        if let Err(error) = cost_from_json(kind, &cost) {
            return Err(Unreadable::new(op, format!("cost entry '{key}' does not fit: {error}")));
        }
    }
    cost_from_json(kind, &cost).map_err(|error| Unreadable::new(op, format!("cost does not fit: {error}")))
}

/// A cost with which commands take no time.
fn neutral(kind: EngineKind) -> EngineCost {
    match kind {
        EngineKind::Dma => EngineCost::Dma(DmaCost {
            routes: Vec::new(),
            bytes_per_cycle: 0.0,
            start_latency: 0,
            gap: 0,
            per_row: 0,
            burst_bytes: 1,
        }),
        EngineKind::Tensor => EngineCost::Tensor(TensorCost {
            tile: [1; 3],
            cycles_per_tile: 0.0,
            min_k_tiles: 0,
            fill: 0,
            acc16: 0,
            acc32: 0,
            min: 0,
            zero_init: None,
            rate: Default::default(),
        }),
        EngineKind::Vector => EngineCost::Vector(VectorCost {
            start: 0,
            min: 0,
            per_cycle: 0.0,
            width_bits: 0,
            weights: Default::default(),
        }),
    }
}

fn cost_to_json(cost: &EngineCost) -> Map<String, Json> {
    let json = match cost {
        EngineCost::Dma(cost) => serde_json::to_value(cost),
        EngineCost::Tensor(cost) => serde_json::to_value(cost),
        EngineCost::Vector(cost) => serde_json::to_value(cost),
    };
    match json {
        Ok(Json::Object(entries)) => entries,
        // Structs of numbers, names and lists are JSON objects.
        _ => Map::new(),
    }
}

fn cost_from_json(kind: EngineKind, entries: &Map<String, Json>) -> Result<EngineCost, serde_json::Error> {
    let json = Json::Object(entries.clone());
    Ok(match kind {
        EngineKind::Dma => EngineCost::Dma(serde_json::from_value(json)?),
        EngineKind::Tensor => EngineCost::Tensor(serde_json::from_value(json)?),
        EngineKind::Vector => EngineCost::Vector(serde_json::from_value(json)?),
    })
}

fn from_json<'c>(context: ContextRef<'c>, json: &Json) -> Attribute<'c> {
    match json {
        Json::Number(number) => match number.as_i64() {
            Some(value) => attr::int(context, value),
            None => attr::float(context, number.as_f64().unwrap_or(0.0)),
        },
        Json::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(|element| from_json(context, element)).collect();
            attr::array(context, &elements)
        }
        Json::Object(entries) => {
            let entries: Vec<_> = entries
                .iter()
                .map(|(key, value)| (key.as_str(), from_json(context, value)))
                .collect();
            attr::dictionary(context, &entries)
        }
        Json::String(text) => attr::string(context, text),
        Json::Bool(value) => attr::int(context, i64::from(*value)),
        Json::Null => attr::unit(context),
    }
}

fn to_json(attribute: Attribute<'_>) -> Option<Json> {
    if let Some(value) = attr::as_int(attribute) {
        Some(Json::from(value))
    } else if let Some(value) = attr::as_f64(attribute) {
        Number::from_f64(value).map(Json::Number)
    } else if let Some(elements) = attr::as_array(attribute) {
        elements
            .into_iter()
            .map(to_json)
            .collect::<Option<_>>()
            .map(Json::Array)
    } else {
        let entries = attr::as_dictionary(attribute)?.into_iter();
        let entries: Option<Map<_, _>> = entries
            .map(|(key, value)| Some((key.to_owned(), to_json(value)?)))
            .collect();
        entries.map(Json::Object)
    }
}

/// The operation that a problem of [`Device::check`] is at; its path starts with the kind of thing and the thing's
/// name.
fn owner<'c>(device: Op<'c>, members: &[Op<'c>], path: &str) -> Op<'c> {
    let mut path = path.split('.');
    let (kind, name) = (path.next().unwrap_or_default(), path.next().unwrap_or_default());
    let named = |member: &&Op<'c>| {
        let is = |key: &str| member.attr(key).and_then(attr::as_str) == Some(name);
        match kind {
            "control" | "sync" => true,
            _ => is(ops::Engine::GROUP) || is("sym_name"),
        }
    };
    let of_kind = |member: &&Op<'c>| ops::mnemonic(**member) == Some(kind);
    members.iter().filter(of_kind).find(named).copied().unwrap_or(device)
}

fn names(array: Attribute<'_>) -> Vec<String> {
    let elements = attr::as_array(array).unwrap_or_default();
    elements
        .into_iter()
        .filter_map(attr::as_symbol)
        .map(str::to_owned)
        .collect()
}

fn symbols<'c>(context: ContextRef<'c>, names: &[String]) -> Attribute<'c> {
    let names: Vec<_> = names.iter().map(|name| attr::symbol(context, name)).collect();
    attr::array(context, &names)
}

fn position<T: Copy + PartialEq>(cases: &[T], case: T) -> usize {
    cases.iter().position(|other| *other == case).unwrap_or(0)
}

/// A case of an enum attribute.
fn case(context: ContextRef<'_>, index: usize) -> Attribute<'_> {
    attr::int_of(ty::integer(context, 32), index as i64)
}

fn missing<'c>(op: Op<'c>, key: &str) -> Unreadable<'c> {
    let message = match op.attr(key) {
        Some(value) => format!("'{key}' is {value}, which does not fit"),
        None => format!("has no '{key}'"),
    };
    Unreadable::new(op, message)
}

fn text<'c>(op: Op<'c>, key: &str) -> Result<&'c str, Unreadable<'c>> {
    op.attr(key).and_then(attr::as_str).ok_or_else(|| missing(op, key))
}

fn symbol<'c>(op: Op<'c>, key: &str) -> Result<&'c str, Unreadable<'c>> {
    op.attr(key).and_then(attr::as_symbol).ok_or_else(|| missing(op, key))
}

fn float<'c>(op: Op<'c>, key: &str) -> Result<f64, Unreadable<'c>> {
    op.attr(key).and_then(attr::as_f64).ok_or_else(|| missing(op, key))
}

fn count<'c>(op: Op<'c>, key: &str) -> Result<u64, Unreadable<'c>> {
    let value = op.attr(key).and_then(attr::as_int);
    value
        .and_then(|value| u64::try_from(value).ok())
        .ok_or_else(|| missing(op, key))
}

fn one_of<'c, T: Copy>(op: Op<'c>, key: &str, cases: &[T]) -> Result<T, Unreadable<'c>> {
    let index = op
        .attr(key)
        .and_then(attr::as_int)
        .and_then(|index| usize::try_from(index).ok());
    index
        .and_then(|index| cases.get(index).copied())
        .ok_or_else(|| missing(op, key))
}
