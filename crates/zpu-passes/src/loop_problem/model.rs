//! A loop body as a scheduling problem.
//!
//! - One operation for each unit, in program order, with its demand on the machine (see [`crate::machine`]).
//! - One dependence for each ordered pair of units whose accesses conflict, at the smallest distance in iterations, and
//!   one for each use of a value. Its latency is that of the earlier unit; between two commands of one engine, the
//!   cycles that the engine is occupied.
//! - One buffer of the problem for each privatizable one. Dependences through a privatizable buffer from one iteration
//!   to another are left out: the ring stands for them.

use zpu_device::Device;
use zpu_ir::ops::{Dma, ZpuOp};
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value, annotation, attr};
use zpu_sched::{
    Buffer, BufferId, MAX_DISTANCE, OpId, Options, Outcome, Plan, PlanViolation, Problem, Rate, SpaceId, StreamCosts,
    estimate, sequential, steady_rate, verify_plan,
};

use super::{Limits, Pace, memory};
use crate::annotations::MOST_CYCLES;
use crate::machine::{self, Demand, condition_of, queued};
use zpu_analysis::body::{Body, Decline, Unit, command_of, sync_engine};
use zpu_analysis::dependence::dependences_with;
use zpu_analysis::footprint::footprint;
use zpu_analysis::privatizable::{PrivatizableBuffer, has_computed_size, privatizable_buffers, view_at_zero};

/// The problem, with the buffers and engines that its parts stand for.
pub(crate) struct Model<'c> {
    /// The problem.
    pub(crate) problem: Problem,
    /// The options of the schedulers.
    pub(crate) options: Options,
    /// Every privatizable buffer.
    pub(crate) rings: Vec<Ring<'c>>,
    /// The engine of each alternative of each unit; none for the control stream.
    engines: Vec<Vec<Option<String>>>,
    /// Memories without room for all buffers in the most versions.
    pub(crate) pressed: Vec<Pressed>,
    /// Allocations that keep one version because their size has no bound.
    pub(crate) unbounded: Vec<Op<'c>>,
}

/// A privatizable buffer as a buffer of the problem.
pub(crate) struct Ring<'c> {
    /// The allocation.
    pub(crate) allocation: Op<'c>,
    /// The buffer; none if no unit writes it.
    pub(crate) buffer: Option<BufferId>,
    /// The number of versions that the allocation's annotation fixes.
    pub(crate) fixed: Option<u32>,
    /// Memory and bytes of one version, if the size has a bound.
    pub(crate) footprint: Option<(&'c str, u64)>,
}

pub(crate) struct Pressed {
    pub(crate) space: String,
    pub(crate) wanted: u64,
    pub(crate) free: u64,
}

impl<'c> Model<'c> {
    /// Makes the problem of a loop body whose largest stage is `stages`.
    pub(crate) fn of(body: &Body<'c>, device: &Device, limits: &Limits, stages: u32) -> Result<Self, Decline<'c>> {
        let mut problem = Problem::cyclic("loop");
        let demands = machine::demands(&mut problem, body, device, limits.choose_engines)?;
        check_cycles(body, &demands)?;
        let versions = limits.max_versions.unwrap_or(stages);
        let mut model = Self::build(problem, body, device, &demands, versions)?;
        machine::limit_queues(&mut model.problem, device, &demands);
        model.limit_unbounded(device);
        model.limit_memory(body, device)?;
        let is_load = |unit: &Unit<'c>| {
            let transfer = command_of(unit.op).and_then(|command| Dma::of(command.op));
            let from = transfer.and_then(|dma| MemRef::of(dma.source().ty()));
            from.is_some_and(|memref| memref.space().is_some_and(|space| device.is_off_chip(space)))
        };
        let units = (0u32..).zip(&body.units);
        let most = model.problem.buffers.iter().filter_map(|buffer| buffer.max_versions);
        model.options = Options {
            num_stages: stages,
            max_versions: Some(most.fold(versions, u32::max)),
            iterations: limits.iterations,
            time_limit: limits.time_limit,
            loads: units.filter(|(_, unit)| is_load(unit)).map(|(i, _)| OpId(i)).collect(),
            trip: body
                .for_
                .constant_trip_count()
                .and_then(|trip| u64::try_from(trip).ok()),
            stream: StreamCosts {
                wait: device.control.wait_cycles,
                back_edge: device.control.loop_cycles,
                trust_queues: true,
            },
            ..Options::default()
        };
        Ok(model)
    }

    /// Makes the problem without times and limits, to check a plan that is given.
    pub(crate) fn without_costs(body: &Body<'c>, device: &Device) -> Result<Self, Decline<'c>> {
        let demands = vec![Demand::free(); body.units.len()];
        let mut model = Self::build(Problem::cyclic("loop"), body, device, &demands, MAX_DISTANCE)?;
        model.problem.spaces.clear();
        Ok(model)
    }

    fn build(
        mut problem: Problem,
        body: &Body<'c>,
        device: &Device,
        demands: &[Demand],
        versions: u32,
    ) -> Result<Self, Decline<'c>> {
        let mut conditions = Vec::new();
        for (i, (unit, demand)) in body.units.iter().zip(demands).enumerate() {
            let id = problem.add_choice(
                format!(
                    "{i} {}",
                    name_of(command_of(unit.op).map_or(unit.op, |command| command.op))
                ),
                demand.alternatives(),
            );
            problem.operations[id.index()].condition = condition_of(unit.op, &mut conditions);
        }
        let privatizable = renamed(body)?;
        add_dependences(&mut problem, body, &privatizable, demands, versions);
        let mut rings = Vec::new();
        for candidate in privatizable {
            let Some(allocation) = candidate.root.defining_op() else {
                continue;
            };
            let fixed = fixed_versions(allocation);
            rings.push(Ring {
                allocation,
                fixed,
                footprint: footprint(candidate.root, device),
                buffer: add_buffer(&mut problem, &candidate, fixed, versions),
            });
        }
        Ok(Self {
            problem,
            options: Options::default(),
            rings,
            engines: demands.iter().map(Demand::engines).collect(),
            pressed: Vec::new(),
            unbounded: Vec::new(),
        })
    }

    /// Limits buffers of unbounded size in the device's memories to one version, unless their allocations ask for more:
    /// it is not known whether further versions fit.
    fn limit_unbounded(&mut self, device: &Device) {
        for ring in self
            .rings
            .iter()
            .filter(|ring| ring.footprint.is_none() && ring.fixed.is_none())
        {
            let memref = MemRef::of(ring.allocation.result(0).ty());
            let space = memref
                .filter(|memref| !memref.has_static_shape())
                .and_then(|memref| memref.space());
            if let (Some(id), Some(_)) = (ring.buffer, space.and_then(|space| device.memory(space))) {
                let buffer = &mut self.problem.buffers[id.index()];
                self.unbounded
                    .extend((buffer.max_versions != Some(1)).then_some(ring.allocation));
                buffer.max_versions = Some(1);
            }
        }
    }

    /// Adds the memories to the problem, each with the bytes that are left in it; one version of each buffer always
    /// fits. Declines if the versions that allocations ask for do not fit, or one version of buffers whose sizes have
    /// bounds only.
    fn limit_memory(&mut self, body: &Body<'c>, device: &Device) -> Result<(), Decline<'c>> {
        let function = body.for_.op.function().unwrap_or(body.for_.op);
        let roots: Vec<Value<'c>> = self.rings.iter().map(|ring| ring.allocation.result(0)).collect();
        for memory in &device.memories {
            let here = |ring: &&Ring<'c>| ring.footprint.is_some_and(|(space, _)| space == memory.name);
            let most = |ring: &Ring<'c>| {
                let versions = ring.buffer.and_then(|id| self.problem.buffers[id.index()].max_versions);
                u64::from(versions.unwrap_or(1))
            };
            let sum = |versions: &dyn Fn(&Ring<'c>) -> u64| {
                let each = self.rings.iter().filter(here);
                let bytes = each.map(|ring| {
                    ring.footprint
                        .map_or(0, |(_, bytes)| bytes.saturating_mul(versions(ring)))
                });
                bytes.fold(0, u64::saturating_add)
            };
            let (wanted, least) = (sum(&most), sum(&|ring| u64::from(ring.fixed.unwrap_or(1))));
            if !self.rings.iter().any(|ring| here(&ring)) {
                continue;
            }
            let taken = memory::taken(function, body.for_, &memory.name, &roots, device);
            let free = memory.bytes.saturating_sub(taken);
            let asked = self.rings.iter().filter(here).max_by_key(|ring| ring.fixed);
            if let Some((ring, versions)) = asked.and_then(|ring| Some((ring, ring.fixed.filter(|v| *v > 1)?)))
                && least > free
            {
                let message = format!(
                    "zpu.versions = {versions}, with one version of each buffer that does not say its own, takes \
                     {least} bytes of {}, \
                     {free} are free; ask for fewer",
                    memory.name
                );
                return Err(Decline::new("no-room", ring.allocation, message));
            }
            // Outside the loop it takes the bytes of its bound, and in the loop only those that it needs.
            let computed = self
                .rings
                .iter()
                .filter(here)
                .find(|ring| has_computed_size(body.for_.op, ring.allocation));
            if let Some(ring) = computed.filter(|_| least > free) {
                let (bytes, space) = (ring.footprint.map_or(0, |(_, bytes)| bytes), &memory.name);
                let message = format!(
                    "the buffer has sizes that are computed in the loop; with their bounds it takes {bytes} bytes of \
                     {space}, one version of each buffer takes {least}, and {free} are free"
                );
                return Err(Decline::new("variant-size", ring.allocation, message));
            }
            if wanted > free {
                let space = memory.name.clone();
                self.pressed.push(Pressed { space, wanted, free });
            }
            let space = self.problem.add_space(memory.name.clone(), free.max(least));
            self.place(&memory.name, space);
        }
        Ok(())
    }

    fn place(&mut self, name: &str, space: SpaceId) {
        for ring in &self.rings {
            if let (Some(id), Some((of, bytes))) = (ring.buffer, ring.footprint)
                && of == name
            {
                let buffer = &mut self.problem.buffers[id.index()];
                (buffer.bytes, buffer.space) = (bytes, Some(space));
            }
        }
    }

    /// Gives buffers the versions that their allocations ask for, and measures the plan again.
    pub(crate) fn fix_versions(&self, outcome: &mut Outcome) -> Result<(), PlanViolation> {
        let plan = &mut outcome.plan;
        for ring in &self.rings {
            if let (Some(id), Some(fixed)) = (ring.buffer, ring.fixed) {
                plan.versions[id.index()] = fixed;
            }
        }
        verify_plan(&self.problem, plan)?;
        outcome.rate = steady_rate(&self.problem, plan, self.options.stream)?;
        plan.ii = outcome.rate.interval().max(1);
        if let Some(trip) = self.options.trip {
            outcome.cycles = Some(estimate(&self.problem, plan, trip, self.options.stream)?);
        }
        Ok(())
    }

    /// The pace of the loop as it was written: each command is complete before the next one is issued, without a wait.
    pub(crate) fn sequential(&self) -> Pace {
        let cycles = |trip| sequential(&self.problem, trip, self.options.stream);
        Pace {
            rate: Rate {
                cycles: cycles(1),
                iterations: 1,
                exact: true,
            },
            cycles: self.options.trip.map(cycles),
        }
    }

    /// The command of a unit and the engine that the plan gives it, if that is not the engine that it names.
    pub(crate) fn moved(&self, unit: &Unit<'c>, index: usize, plan: &Plan) -> Option<(Op<'c>, &str)> {
        let command = command_of(unit.op)?.op;
        let planned = self.engines[index].get(plan.chosen[index] as usize)?.as_deref()?;
        (sync_engine(command) != Some(planned)).then_some((command, planned))
    }
}

/// Checks that the costs of an iteration together are at most [`MOST_CYCLES`].
fn check_cycles<'c>(body: &Body<'c>, demands: &[Demand]) -> Result<(), Decline<'c>> {
    let total = demands.iter().map(Demand::cycles).fold(0, u64::saturating_add);
    let each = body.units.iter().zip(demands.iter().map(Demand::cycles));
    match each.max_by_key(|(_, cycles)| *cycles) {
        Some((unit, cycles)) if total > MOST_CYCLES => {
            let command = command_of(unit.op).map_or(unit.op, |command| command.op);
            let message = format!(
                "the operations of an iteration take {total} cycles, '{}' alone {cycles}; at most {MOST_CYCLES} can be \
                 planned",
                name_of(command)
            );
            Err(Decline::new("too-many-cycles", unit.op, message))
        }
        _ => Ok(()),
    }
}

/// The body's privatizable buffers. Declines if an allocation in the body is none: it cannot be moved out of the loop,
/// so iterations cannot overlap.
fn renamed<'c>(body: &Body<'c>) -> Result<Vec<PrivatizableBuffer<'c>>, Decline<'c>> {
    let mut found = Vec::new();
    for (root, candidate) in privatizable_buffers(body) {
        match candidate {
            Ok(candidate) => found.push(candidate),
            Err(decline) if root.is_defined_inside(body.for_.op) => return Err(decline),
            Err(_) => {}
        }
    }
    let unused = |op: &&Op<'c>| found.iter().all(|candidate| candidate.root != op.result(0));
    match body.allocations.iter().find(unused) {
        Some(op) => {
            let message = "no operation accesses the buffer that is allocated here; run canonicalize first";
            Err(Decline::new("unused-allocation", *op, message))
        }
        None => Ok(found),
    }
}

fn add_dependences<'c>(
    problem: &mut Problem,
    body: &Body<'c>,
    privatizable: &[PrivatizableBuffer<'c>],
    demands: &[Demand],
    versions: u32,
) {
    let is_ring = |root: Value<'c>| privatizable.iter().any(|candidate| candidate.root == root);
    let furthest = versions.saturating_add(1).min(MAX_DISTANCE);
    let found = dependences_with(body, furthest, &|earlier, later, distance| {
        let same = earlier.region.root == later.region.root;
        (distance > 0 && same && is_ring(earlier.region.root.value())).then_some(u32::MAX)
    });
    for dependence in found {
        let queued = queued(&demands[dependence.from], &demands[dependence.to]);
        problem.dependences.push(zpu_sched::Dependence {
            from: OpId(dependence.from as u32),
            to: OpId(dependence.to as u32),
            latency: queued.and_then(|cycles| i64::try_from(cycles).ok()),
            distance: dependence.distance,
        });
    }
}

/// The name of an operation for people: a transfer with its memories, a computation with its first operation.
fn name_of(op: Op<'_>) -> String {
    let space = |value: Value<'_>| MemRef::of(value.ty()).and_then(|memref| memref.space().map(str::to_owned));
    match ZpuOp::of(op) {
        Some(ZpuOp::Dma(dma)) => match (space(dma.source()), space(dma.dest())) {
            (Some(from), Some(to)) => format!("dma {from}->{to}"),
            _ => "dma".to_owned(),
        },
        Some(ZpuOp::Compute(compute)) => {
            let structured = |inner: &Op<'_>| inner.indexing_maps().is_some();
            let first = compute.body().ops().find(structured);
            first.map_or("compute".to_owned(), |first| first.name().to_owned())
        }
        _ => op.name().to_owned(),
    }
}

/// The number in `zpu.versions`, if the allocation has it.
fn fixed_versions(allocation: Op<'_>) -> Option<u32> {
    let versions = allocation.attr(annotation::VERSIONS).and_then(attr::as_int)?;
    u32::try_from(versions)
        .ok()
        .filter(|versions| (1..=MAX_DISTANCE).contains(versions))
}

/// Adds a privatizable buffer to the problem, with at most `versions` versions unless its allocation fixes their
/// number.
fn add_buffer(
    problem: &mut Problem,
    candidate: &PrivatizableBuffer<'_>,
    fixed: Option<u32>,
    versions: u32,
) -> Option<BufferId> {
    if candidate.writers.is_empty() {
        return None;
    }
    let ids = |units: &[usize]| units.iter().map(|unit| OpId(*unit as u32)).collect();
    let limit = match fixed {
        Some(versions) => versions,
        None if view_at_zero(candidate.root).is_some() => 1,
        None => versions.clamp(1, MAX_DISTANCE),
    };
    let space = MemRef::of(candidate.root.ty()).and_then(|memref| memref.space().map(str::to_owned));
    let name = format!("buffer {} {}", problem.buffers.len(), space.unwrap_or_default());
    let name = name.trim_end().to_owned();
    let buffer = Buffer::new(name, ids(&candidate.writers), ids(&candidate.readers));
    Some(problem.add_buffer(buffer.with_max_versions(limit)))
}
