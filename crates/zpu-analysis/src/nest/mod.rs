//! A function with synchronous commands as a nest of the performance model (see `zpu_model::Nest`).
//!
//! It is read before it is pipelined, when each copy and computation is one command in program order. Everything that
//! decides how often a command is done and how large it is has to be a number: a function whose loops or sizes depend
//! on memory or on arguments has no nest, and the reason names the operation.

mod index;
mod view;

use std::collections::HashMap;

use zpu_device::{Device, EngineKind, Role, Work};
use zpu_ir::ops::{Compute, DmaTransfer};
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::work::{self, Shape};
use zpu_ir::{Block, Op, Value, annotation, attr, ty};
use zpu_model::{Buffer, BufferId, Command, CommandId, Expr, Nest, Step, Storage, ValueId, Way};

use crate::access::accesses;
use crate::command::sync_engine;
use crate::engine_choice::computations;
use crate::footprint::footprint;
use crate::root::root_of_base;
use view::View;

/// The reason why a function has no nest.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct NoNest<'c> {
    /// The operation that it is about.
    pub at: Op<'c>,
    /// The reason; a sentence without a full stop.
    pub message: String,
}

/// The nest of a function on a device, with prices.
///
/// # Errors
///
/// [`NoNest`], where control flow, sizes or costs are not known.
pub fn nest_of<'c>(function: Op<'c>, device: &Device) -> Result<Nest, NoNest<'c>> {
    let engines = computations(function, device);
    let engines = engines
        .into_iter()
        .map(|(command, _, engines)| (command.to_raw().ptr as usize, positions(device, &engines)))
        .collect();
    let mut reader = Reader {
        device,
        nest: Nest {
            name: function.function_name().to_owned(),
            // What somebody wrote is done already.
            side_by_side: !function.has_attr(annotation::UNROLL_AND_JAM),
            ..Nest::default()
        },
        numbers: HashMap::new(),
        views: HashMap::new(),
        depth: 0,
        stages: Vec::new(),
        commands: Vec::new(),
        engines,
    };
    let Some(body) = function.body() else {
        return Err(NoNest {
            at: function,
            message: "the function has no body".to_owned(),
        });
    };
    for (at, argument) in body.args().into_iter().enumerate() {
        if let Some(memref) = MemRef::of(argument.ty()) {
            reader.nest.externals = reader.nest.externals.max(at + 1);
            let root = root_of_base(argument);
            let earlier = body.args().into_iter().enumerate().take(at);
            let overlapping =
                earlier.filter(|(_, other)| ty::is_memref(other.ty()) && root_of_base(*other).may_alias(root));
            reader
                .nest
                .overlapping
                .extend(overlapping.map(|(other, _)| (other, at)));
            if let Some(view) = View::of_type(&memref, Storage::External(at)) {
                reader.views.insert(argument, view);
            }
        }
    }
    let steps = reader.block(body)?;
    reader.nest.body = steps;
    reader.priced(function)
}

/// Positions of engines among those of the device.
fn positions(device: &Device, engines: &[&zpu_device::Engine]) -> Vec<usize> {
    let all = device.engines.iter().enumerate();
    let chosen = all.filter(|(_, engine)| engines.iter().any(|one| one.name == engine.name));
    chosen.map(|(at, _)| at).collect()
}

/// A command while the nest is read: the operation, and the buffers whose sizes its cost depends on.
struct Priced<'c> {
    op: Op<'c>,
    /// Each buffer with sizes and strides; an expression that is no constant is one of [`Command::sizes`].
    shapes: Vec<(Value<'c>, Vec<Expr>, Vec<Expr>)>,
}

struct Reader<'c, 'd> {
    device: &'d Device,
    nest: Nest,
    numbers: HashMap<Value<'c>, Expr>,
    views: HashMap<Value<'c>, View>,
    depth: usize,
    /// Wished depths of the loops around, innermost last.
    stages: Vec<Option<u32>>,
    commands: Vec<Priced<'c>>,
    /// The engines of each computation.
    engines: HashMap<usize, Vec<usize>>,
}

impl<'c> Reader<'c, '_> {
    fn block(&mut self, block: Block<'c>) -> Result<Vec<Step>, NoNest<'c>> {
        let mut steps = Vec::new();
        for op in block.ops() {
            self.op(op, &mut steps)?;
        }
        Ok(steps)
    }

    fn op(&mut self, op: Op<'c>, steps: &mut Vec<Step>) -> Result<(), NoNest<'c>> {
        if sync_engine(op).is_some() {
            steps.push(Step::Command(self.command(op)?));
            return Ok(());
        }
        match op.name() {
            "scf.for" => steps.push(self.for_(op)?),
            "scf.if" if op.num_results() == 0 => {
                let branches: Vec<Vec<Step>> = op
                    .regions()
                    .into_iter()
                    .map(|region| region.first_block().map_or(Ok(Vec::new()), |block| self.block(block)))
                    .collect::<Result<_, _>>()?;
                let mut branches = branches.into_iter();
                let (then, otherwise) = (branches.next().unwrap_or_default(), branches.next().unwrap_or_default());
                if !(then.is_empty() && otherwise.is_empty()) {
                    steps.push(Step::Branch {
                        condition: self.number(op, op.operand(0))?,
                        then,
                        otherwise,
                    });
                }
            }
            "memref.alloc" | "memref.alloca" => steps.push(self.allocate(op)?),
            "memref.load" => steps.push(Step::Access),
            "memref.store" => {
                self.note_stored(op.operand(1));
                steps.push(Step::Access);
            }
            "memref.dealloc" | "scf.yield" | "func.return" => {}
            _ if op.num_results() == 1 && ty::is_memref(op.result(0).ty()) => {
                if let Some(view) = self.viewed(op) {
                    self.views.insert(op.result(0), view);
                }
            }
            _ if op.is_memory_effect_free() => self.arithmetic(op, steps),
            name => {
                return Err(NoNest {
                    at: op,
                    message: format!("{name} is no command on an engine, so that its cycles are not modelled"),
                });
            }
        }
        Ok(())
    }

    fn for_(&mut self, op: Op<'c>) -> Result<Step, NoNest<'c>> {
        let for_ = For::of(op)
            .filter(|for_| for_.iter_args().is_empty())
            .ok_or_else(|| NoNest {
                at: op,
                message: "the loop passes values from one iteration to the next, which the model does not follow"
                    .to_owned(),
            })?;
        let (lower, upper) = (self.number(op, for_.lower())?, self.number(op, for_.upper())?);
        let step = self.number(op, for_.step())?;
        let value = self.value();
        self.numbers.insert(for_.iv(), Expr::Value(value));
        let stages = op.attr(annotation::NUM_STAGES).and_then(attr::as_int);
        self.stages.push(stages.and_then(|stages| u32::try_from(stages).ok()));
        self.depth += 1;
        let body = op.body().map_or(Ok(Vec::new()), |body| self.block(body));
        self.depth -= 1;
        self.stages.pop();
        Ok(Step::Loop {
            value,
            lower,
            upper,
            step,
            body: body?,
        })
    }

    /// Takes down that the control stream writes a memref.
    fn note_stored(&mut self, memref: Value<'c>) {
        let storage = self.views.get(&memref).map(View::storage);
        for (at, buffer) in self.nest.buffers.iter_mut().enumerate() {
            // One that is not followed may be any.
            buffer.stored |= storage.is_none_or(|storage| storage == Storage::Buffer(BufferId(at)));
        }
    }

    fn allocate(&mut self, op: Op<'c>) -> Result<Step, NoNest<'c>> {
        let root = op.result(0);
        let unknown = || NoNest {
            at: op,
            message: "the bytes of the allocation are not known, or it is in no memory of the device".to_owned(),
        };
        let (space, bytes) = footprint(root, self.device).ok_or_else(unknown)?;
        let memory = self.device.memories.iter().position(|memory| memory.name == space);
        let id = BufferId(self.nest.buffers.len());
        let versions = op.attr(annotation::VERSIONS).and_then(attr::as_int);
        self.nest.buffers.push(Buffer {
            memory: memory.ok_or_else(unknown)?,
            bytes,
            depth: self.depth,
            versions: versions.and_then(|versions| u32::try_from(versions).ok()),
            stages: self.stages.last().copied().flatten(),
            stored: false,
        });
        let memref = MemRef::of(root.ty()).ok_or_else(unknown)?;
        let mut dynamic = op.operands().into_iter();
        let sizes = memref.shape.iter().map(|size| match size {
            Some(size) => Some(Expr::Constant(*size)),
            None => self.number(op, dynamic.next()?).ok(),
        });
        if let Some(sizes) = sizes.collect() {
            self.views
                .insert(root, View::row_major(&memref, sizes, Storage::Buffer(id)));
        }
        Ok(Step::Allocate(id))
    }

    fn command(&mut self, op: Op<'c>) -> Result<CommandId, NoNest<'c>> {
        let id = CommandId(self.nest.commands.len());
        let unknown_effects = || NoNest {
            at: op,
            message: "the memory that the command reads and writes is not known".to_owned(),
        };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for access in accesses(op).ok_or_else(unknown_effects)? {
            let value = access.whole_of.ok_or_else(unknown_effects)?;
            let operand = self.view(op, value)?.operand();
            if access.write { &mut writes } else { &mut reads }.push(operand);
        }
        let mut shapes: Vec<(Value<'c>, Vec<Expr>, Vec<Expr>)> = Vec::new();
        for value in memrefs(op) {
            if shapes.iter().all(|(known, ..)| *known != value) {
                let view = self.view(op, value)?;
                shapes.push((value, view.sizes.clone(), view.strides.clone()));
            }
        }
        let all = shapes
            .iter()
            .flat_map(|(_, sizes, strides)| sizes.iter().chain(strides));
        self.nest.commands.push(Command {
            name: op.name().to_owned(),
            sizes: all.filter(|expr| !matches!(expr, Expr::Constant(_))).cloned().collect(),
            flexible: may_move(op, self.device) || may_fold(op),
            prices: Default::default(),
            reads,
            writes,
        });
        self.commands.push(Priced { op, shapes });
        Ok(id)
    }

    fn view(&self, op: Op<'c>, value: Value<'c>) -> Result<&View, NoNest<'c>> {
        self.views.get(&value).ok_or_else(|| NoNest {
            at: value.defining_op().unwrap_or(op),
            message: format!(
                "the sizes of a buffer of {} are not known, or it is a view that the model does not follow: {}",
                op.name(),
                value.defining_op().map_or("an argument", Op::name)
            ),
        })
    }

    fn value(&mut self) -> ValueId {
        self.nest.values += 1;
        ValueId(self.nest.values - 1)
    }

    /// Fills the prices in.
    fn priced(self, function: Op<'c>) -> Result<Nest, NoNest<'c>> {
        let Self {
            device,
            mut nest,
            commands,
            engines,
            ..
        } = self;
        let mut unknown = None;
        let done = nest.price(|id, sizes| {
            let command = &commands[id.0];
            let shapes = concrete(command, sizes);
            let shape_of = |value: Value<'c>| {
                let known = shapes.iter().find(|(known, _)| *known == value);
                known
                    .map(|(_, shape)| shape.clone())
                    .map_or_else(|| Shape::of(value), Ok)
            };
            let candidates = match engines.get(&(command.op.to_raw().ptr as usize)) {
                Some(engines) => engines.clone(),
                None => transfer_engines(command.op, device),
            };
            let by_vector = vector_ways(command.op, device, &shape_of);
            let ways = candidates.into_iter().map(|at| {
                let engine = &device.engines[at];
                let cost = work::cost_on(command.op, device, engine, &shape_of).map_err(|unknown| unknown.message)?;
                let (rate, links) = crossed(command.op, device, engine);
                Ok(Way {
                    engine: at,
                    latency: cost.latency,
                    occupancy: cost.occupancy,
                    bytes: cost.shareable as f64 * rate,
                    links,
                })
            });
            match ways.collect::<Result<Vec<Way>, String>>() {
                Ok(ways) => [ways, by_vector].concat(),
                Err(message) => {
                    unknown.get_or_insert((command.op, message));
                    Vec::new()
                }
            }
        });
        match (done, unknown) {
            (_, Some((at, message))) => Err(NoNest {
                at,
                message: format!("the cycles of {} are not known: {message}", at.name()),
            }),
            (Err(error), None) => Err(NoNest {
                at: function,
                message: error.to_string(),
            }),
            (Ok(()), None) => Ok(nest),
        }
    }
}

/// The memrefs that the cost of a command depends on.
fn memrefs(op: Op<'_>) -> Vec<Value<'_>> {
    let inner = op
        .body()
        .filter(|_| op.is(Compute::NAME))
        .map(|body| body.ops().collect());
    let ops: Vec<Op<'_>> = inner.unwrap_or_else(|| vec![op]);
    let operands = ops.into_iter().flat_map(Op::operands);
    operands.filter(|value| ty::is_memref(value.ty())).collect()
}

/// The shapes of a command's buffers, with numbers in place of expressions.
fn concrete<'c>(command: &Priced<'c>, sizes: &[i64]) -> Vec<(Value<'c>, Shape)> {
    let mut sizes = sizes.iter();
    let mut number = |expr: &Expr| match expr {
        Expr::Constant(number) => *number,
        _ => sizes.next().copied().unwrap_or(0),
    };
    let shapes = command.shapes.iter().map(|(value, sizes, strides)| {
        let sizes = sizes.iter().map(&mut number).collect();
        let strides = strides.iter().map(|stride| Some(number(stride))).collect();
        (*value, Shape { sizes, strides })
    });
    shapes.collect()
}

/// The DMA engines with the route of a transfer; the one that the user names, if there is one.
fn transfer_engines(op: Op<'_>, device: &Device) -> Vec<usize> {
    let own = sync_engine(op);
    let is_fixed = op.has_attr(annotation::ENGINE);
    let engines = device.engines.iter().enumerate();
    let fitting = engines.filter(|(_, engine)| {
        let is_own = own == Some(engine.name.as_str());
        is_own || !is_fixed && engine.kind == EngineKind::Dma && route_of(op, engine).is_some()
    });
    fitting.map(|(at, _)| at).collect()
}

fn spaces<'c>(op: Op<'c>) -> Option<(&'c str, &'c str)> {
    let transfer = DmaTransfer::of(op)?;
    let space = |value: Value<'c>| MemRef::of(value.ty())?.space();
    Some((space(transfer.source)?, space(transfer.dest)?))
}

fn route_of<'d>(
    op: Op<'_>,
    engine: &'d zpu_device::Engine,
) -> Option<(&'d zpu_device::DmaCost, &'d zpu_device::Route)> {
    let zpu_device::EngineCost::Dma(dma) = &engine.cost else {
        return None;
    };
    let (from, to) = spaces(op)?;
    Some((dma, dma.route(from, to)?))
}

/// Bytes a cycle of a lone transfer, and the positions of the links that it crosses.
fn crossed(op: Op<'_>, device: &Device, engine: &zpu_device::Engine) -> (f64, Vec<usize>) {
    let Some((dma, route)) = route_of(op, engine) else {
        return (0.0, Vec::new());
    };
    let links = device.links.iter().enumerate();
    let crossed = links
        .filter(|(_, link)| route.links.contains(&link.name))
        .map(|(at, _)| at);
    (device.route_rate(dma, route), crossed.collect())
}

/// True for a computation with a number from outside that is no constant, such as an induction variable in a mask.
/// Where iterations are written out it is one, and work that hangs on it may be gone.
fn may_fold(op: Op<'_>) -> bool {
    let is_open = |value: &Value<'_>| {
        let is_constant = value.defining_op().is_some_and(|by| by.is("arith.constant"));
        !ty::is_memref(value.ty()) && !value.is_defined_inside(op) && !is_constant
    };
    op.is(Compute::NAME) && op.walk().into_iter().any(|inner| inner.operands().iter().any(is_open))
}

/// True if a transfer within the chip may be put on a vector engine by a later pass.
fn may_move(op: Op<'_>, device: &Device) -> bool {
    !vector_engines(op, device).is_empty()
}

/// Positions of the vector engines that work on both memories of a transfer. An engine that the user names stays.
fn vector_engines(op: Op<'_>, device: &Device) -> Vec<usize> {
    let spaces = spaces(op).filter(|_| !op.has_attr(annotation::ENGINE) && !op.has_attr(annotation::CYCLES));
    let Some((from, to)) = spaces else { return Vec::new() };
    let engines = device.engines.iter().enumerate();
    let fitting = engines.filter(|(_, engine)| {
        let takes = |space: &str| !device.is_off_chip(space) && engine.operands.allows(Role::All, space);
        engine.kind == EngineKind::Vector && takes(from) && takes(to)
    });
    fitting.map(|(at, _)| at).collect()
}

/// A transfer within the chip as vector engines do it (see `zpu-retarget-copies`).
fn vector_ways<'c>(op: Op<'c>, device: &Device, shape_of: &impl Fn(Value<'c>) -> Result<Shape, String>) -> Vec<Way> {
    let dest = DmaTransfer::of(op).map(|transfer| transfer.dest);
    let element = dest.and_then(|dest| ty::scalar(MemRef::of(dest.ty())?.element));
    let (Some(dest), Some(element)) = (dest, element) else {
        return Vec::new();
    };
    let Ok(shape) = shape_of(dest) else { return Vec::new() };
    let work = Work::Vector {
        elements: shape.elements(),
        element,
        loads: 1,
        stores: 1,
        ops: Default::default(),
    };
    let each = vector_engines(op, device).into_iter().filter_map(|at| {
        let cost = device.cost(&device.engines[at], &work).ok()?;
        Some(Way {
            engine: at,
            latency: cost.latency,
            occupancy: cost.occupancy,
            bytes: 0.0,
            links: Vec::new(),
        })
    });
    each.collect()
}
