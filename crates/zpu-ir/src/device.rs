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

/// The `zpu.device` that `op` is compiled for: that of the mesh of its fragment, or of the nearest module around it
/// (`op` itself included) which has one.
pub fn find(op: Op<'_>) -> Option<Op<'_>> {
    if let Some(fragment) = op.parents().find_map(ops::Fragment::of) {
        return fragment.device().map(|device| device.op);
    }
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
    read_op(ops::Device { op: require(op)? })
}

/// The device that `op` is compiled for; the errors of [`read`] are emitted as diagnostics.
pub fn of(op: Op<'_>) -> Result<Device, Failed> {
    read(op).map_err(|unreadable| {
        unreadable.emit();
        Failed
    })
}

/// The device that a `zpu.device` operation describes.
pub fn read_op<'c>(device: ops::Device<'c>) -> Result<Device, Unreadable<'c>> {
    let members: Vec<Op<'c>> = device.body().ops().collect();
    let all = || members.iter().copied();
    let missing = |name: &str| Unreadable::new(device.op, format!("the device has no {name}"));
    let control = all()
        .find_map(ops::Control::of)
        .ok_or_else(|| missing(ops::Control::NAME))?;
    let sync = all().find_map(ops::Sync::of).ok_or_else(|| missing(ops::Sync::NAME))?;
    let routes: Vec<ops::Route<'c>> = all().filter_map(ops::Route::of).collect();
    let read = Device {
        name: device.sym_name().to_owned(),
        clock_ghz: device.clock_ghz(),
        off_chip: device.off_chip().to_owned(),
        default_space: device.default_space().to_owned(),
        control: read_control(control),
        memories: all().filter_map(ops::Memory::of).map(read_memory).collect(),
        links: all().filter_map(ops::Link::of).map(read_link).collect(),
        engines: all()
            .filter_map(ops::Engine::of)
            .map(|engine| read_engine(engine, &routes))
            .collect::<Result<_, _>>()?,
        sync: read_sync(sync),
    };
    let at = |problem: Problem| (owner(device.op, &members, &problem.path), problem.to_string());
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
    let made = ops::Device::create(&mut builder, &attrs);
    let mut builder = Builder::at_end(made.body(), module);
    let count = |value: u64| attr::int(context, i64::try_from(value).unwrap_or(i64::MAX));
    let control = &device.control;
    ops::Control::create(
        &mut builder,
        &[
            (ops::Control::START_CYCLES, count(control.start_cycles)),
            (ops::Control::WAIT_CYCLES, count(control.wait_cycles)),
            (ops::Control::LOOP_CYCLES, count(control.loop_cycles)),
            (ops::Control::BARRIER_CYCLES, count(control.barrier_cycles)),
            (ops::Control::SCALAR_CYCLES, count(control.scalar_cycles)),
        ],
    );
    for memory in &device.memories {
        let mut attrs = vec![
            (ops::Memory::SYM_NAME, attr::string(context, &memory.name)),
            (ops::Memory::BYTES, count(memory.bytes)),
            (ops::Memory::ALIGN, count(memory.align)),
        ];
        if memory.banks != 1 {
            attrs.push((ops::Memory::BANKS, count(memory.banks)));
        }
        ops::Memory::create(&mut builder, &attrs);
    }
    for link in &device.links {
        let attrs = [
            (ops::Link::SYM_NAME, attr::string(context, &link.name)),
            (ops::Link::BYTES_PER_CYCLE, attr::float(context, link.bytes_per_cycle)),
        ];
        ops::Link::create(&mut builder, &attrs);
    }
    for engine in &device.engines {
        ops::Engine::create(&mut builder, &engine_attrs(context, engine));
        for route in engine.dma().map_or(&[][..], |dma| &dma.routes) {
            let mut attrs = vec![
                (ops::Route::ENGINE, symbol(&engine.name)),
                (ops::Route::FROM, symbol(&route.from)),
                (ops::Route::TO, symbol(&route.to)),
            ];
            if !route.links.is_empty() {
                attrs.push((ops::Route::LINKS, symbols(context, &route.links)));
            }
            ops::Route::create(&mut builder, &attrs);
        }
    }
    let never = position(&NEVER_ISSUED, device.sync.wait_on_never_issued);
    ops::Sync::create(
        &mut builder,
        &[
            (ops::Sync::IDS, count(device.sync.ids)),
            (ops::Sync::BARRIERS, count(device.sync.barriers)),
            (ops::Sync::NEVER_ISSUED, case(context, never)),
        ],
    );
    made.op
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
    if engine.separate_banks {
        attrs.push((ops::Engine::SEPARATE_BANKS, attr::unit(context)));
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

fn read_control(control: ops::Control<'_>) -> Control {
    Control {
        start_cycles: control.start_cycles().unsigned_abs(),
        wait_cycles: control.wait_cycles().unsigned_abs(),
        loop_cycles: control.loop_cycles().unsigned_abs(),
        barrier_cycles: control.barrier_cycles().unsigned_abs(),
        scalar_cycles: control.scalar_cycles().unsigned_abs(),
    }
}

fn read_memory(memory: ops::Memory<'_>) -> Memory {
    Memory {
        name: memory.sym_name().to_owned(),
        bytes: memory.bytes().unsigned_abs(),
        align: memory.align().unsigned_abs(),
        banks: memory.banks().map_or(1, i64::unsigned_abs),
    }
}

fn read_link(link: ops::Link<'_>) -> Link {
    Link {
        name: link.sym_name().to_owned(),
        bytes_per_cycle: link.bytes_per_cycle(),
    }
}

fn read_sync(sync: ops::Sync<'_>) -> Sync {
    Sync {
        ids: sync.ids().unsigned_abs(),
        barriers: sync.barriers().unsigned_abs(),
        wait_on_never_issued: NEVER_ISSUED[sync.never_issued() as usize],
    }
}

fn read_route(route: ops::Route<'_>) -> Route {
    Route {
        from: route.from().to_owned(),
        to: route.to().to_owned(),
        links: route.links().map(names).unwrap_or_default(),
    }
}

fn read_engine<'c>(engine: ops::Engine<'c>, routes: &[ops::Route<'c>]) -> Result<Engine, Unreadable<'c>> {
    let name = engine.sym_name();
    let kind = KINDS[engine.kind() as usize];
    let entries = engine.operands().unwrap_or_default();
    let rule = |role: &str| {
        let spaces = entries.iter().find(|(entry, _)| *entry == role);
        let spaces = spaces.and_then(|(_, spaces)| attr::as_array(*spaces));
        spaces.map(names).unwrap_or_default()
    };
    let mut cost = read_cost(engine, kind)?;
    if let EngineCost::Dma(dma) = &mut cost {
        let own = routes.iter().filter(|route| route.engine() == name);
        dma.routes = own.copied().map(read_route).collect();
    }
    Ok(Engine {
        name: name.to_owned(),
        group: engine.group().unwrap_or(name).to_owned(),
        kind,
        blocking: engine.blocking(),
        separate_banks: engine.separate_banks(),
        queue_depth: engine.queue_depth().unsigned_abs(),
        when_full: WHEN_FULL[engine.when_full() as usize],
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
fn read_cost<'c>(engine: ops::Engine<'c>, kind: EngineKind) -> Result<EngineCost, Unreadable<'c>> {
    // Each entry is tried by itself only if they do not fit together, so that the message can name the one that does
    // not: every pass reads the device, and most devices fit.
    read_entries(engine, kind, false).or_else(|_| read_entries(engine, kind, true))
}

/// The cost, with each entry tried by itself as well or not.
fn read_entries<'c>(engine: ops::Engine<'c>, kind: EngineKind, one_by_one: bool) -> Result<EngineCost, Unreadable<'c>> {
    let mut cost = cost_to_json(&neutral(kind));
    let known: Vec<String> = cost.keys().filter(|key| *key != "routes").cloned().collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let unreadable = |message: String| Unreadable::new(engine.op, message);
    for (key, value) in engine.cost().unwrap_or_default() {
        if !known.contains(&key) {
            let message = format!(
                "unknown cost entry '{key}' of a {kind} engine{}",
                zpu_device::hint(key, &known)
            );
            return Err(unreadable(message));
        }
        let json = to_json(value).ok_or_else(|| {
            unreadable(format!(
                "cost entry '{key}' is {value}, but must be a number, an array or a dictionary of numbers"
            ))
        })?;
        cost.insert(key.to_owned(), json);
        if let Some(Err(error)) = one_by_one.then(|| cost_from_json(kind, &cost)) {
            return Err(unreadable(format!("cost entry '{key}' does not fit: {error}")));
        }
    }
    cost_from_json(kind, &cost).map_err(|error| unreadable(format!("cost does not fit: {error}")))
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
            dims: 0,
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
            _ => is(ops::Engine::GROUP) || is(ops::Engine::SYM_NAME),
        }
    };
    let of_kind = |member: &&Op<'c>| ops::mnemonic(**member) == Some(kind);
    members.iter().filter(of_kind).find(named).copied().unwrap_or(device)
}

fn names(elements: Vec<Attribute<'_>>) -> Vec<String> {
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
