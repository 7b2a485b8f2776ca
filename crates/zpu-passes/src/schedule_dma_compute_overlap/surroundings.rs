//! A run between the loops beside it: whether an order is better there.
//!
//! A prologue leaves engines at work for the loop behind it, and an epilogue finds them at work. So an order is measured with the
//! last iterations of the loop in front of the run and the first ones of the loop behind it, in their program order. Which of
//! their commands depend on each other is found out for those very iterations.

use zpu_device::{Device, Engine};
use zpu_ir::scf::For;
use zpu_sched::{Alternative, CONTROL, OpId, Plan, Problem, ResourceId, StreamCosts, Use, estimate};

use super::model::{self, Model, Solution};
use crate::analysis::access::Access;
use crate::analysis::body::{Body, Decline};
use crate::analysis::command::{command_of, holds_commands};
use crate::analysis::linear::Linear;

/// Iterations of a loop: enough for what is in flight to come to its steady state.
const ITERATIONS: i64 = 4;

/// Most units of a loop that are looked at.
const MOST_UNITS: usize = 160;

/// The run with iterations in front of it and behind it, as a straight line.
pub(super) struct Surroundings {
    problem: Problem,
    stream: StreamCosts,
    /// Operations in front of the run.
    before: usize,
    /// Operations of the run.
    units: usize,
}

/// A command or an access of the control stream in one iteration of a loop, or one of the run.
struct Part<'c> {
    accesses: Vec<Access<'c>>,
    /// Parts whose values it needs.
    needs: Vec<usize>,
    ways: Vec<Alternative>,
}

impl Surroundings {
    /// The surroundings of a run; none if no loop with commands stands beside it, or one that is not understood.
    pub(super) fn of<'c>(model: &Model<'_, 'c>, device: &Device) -> Result<Option<Self>, Decline<'c>> {
        let run = model.run;
        let loop_at = |op| For::of(op).filter(|for_| holds_commands(for_.op) && for_.is_innermost());
        let body_at = |op| loop_at(op).and_then(|for_| Body::of(for_).ok());
        let (front, behind) = (run.begin.and_then(body_at), body_at(run.end));
        if front.is_none() && behind.is_none() {
            return Ok(None);
        }
        let machine = Machine::of(model, device);
        let mut parts = Vec::new();
        if let Some(body) = &front {
            let trips = body.for_.constant_trip_count().unwrap_or(ITERATIONS);
            machine.add_iterations(&mut parts, body, (trips - fitting(body)).max(0)..trips)?;
        }
        let before = parts.len();
        for (unit, operation) in run.units.iter().zip(&model.problem.operations) {
            parts.push(Part {
                accesses: unit.accesses.clone(),
                needs: Vec::new(),
                ways: operation.alternatives.clone(),
            });
        }
        if let Some(body) = &behind {
            let trips = body.for_.constant_trip_count().unwrap_or(ITERATIONS);
            machine.add_iterations(&mut parts, body, 0..trips.min(fitting(body)))?;
        }
        let in_run = before..before + run.units.len();
        let mut problem = Problem {
            operations: Vec::new(),
            dependences: Vec::new(),
            ..model.problem.clone()
        };
        for (from, to) in run.dependences() {
            problem.add_dependence(id(before + from), id(before + to), 0);
        }
        for (later, part) in parts.iter().enumerate() {
            for (earlier, other) in parts[..later].iter().enumerate() {
                let both_in_run = in_run.contains(&later) && in_run.contains(&earlier);
                if !both_in_run && (part.needs.contains(&earlier) || conflict(&other.accesses, &part.accesses)) {
                    problem.add_dependence(id(earlier), id(later), 0);
                }
            }
        }
        for (index, part) in parts.into_iter().enumerate() {
            problem.add_choice(index.to_string(), part.ways);
        }
        Ok(Some(Self {
            problem,
            stream: model.options.stream,
            before,
            units: run.units.len(),
        }))
    }

    /// Cycles until all is complete, with the run in that order.
    pub(super) fn cycles(&self, solution: &Solution) -> u64 {
        let all = self.problem.operations.len();
        let mut plan = Plan {
            ii: 1,
            stage: vec![0; all],
            order: (0..all as u32).collect(),
            cycle: vec![0; all],
            versions: Vec::new(),
            chosen: vec![0; all],
        };
        let inside = self.before..self.before + self.units;
        for (at, unit) in inside.clone().zip(0..) {
            plan.order[at] = solution.plan.order[unit] + self.before as u32;
        }
        plan.chosen[inside].copy_from_slice(&solution.plan.chosen);
        estimate(&self.problem, &plan, 1, self.stream).unwrap_or(u64::MAX)
    }
}

fn id(index: usize) -> OpId {
    OpId(index as u32)
}

fn conflict(earlier: &[Access<'_>], later: &[Access<'_>]) -> bool {
    earlier.iter().any(|a| later.iter().any(|b| a.conflicts(b)))
}

/// Iterations that are looked at.
fn fitting(body: &Body<'_>) -> i64 {
    let most = (MOST_UNITS / body.units.len().max(1)).max(1);
    ITERATIONS.min(most as i64)
}

/// The engines as resources.
struct Machine<'d> {
    device: &'d Device,
    engines: Vec<(&'d Engine, ResourceId)>,
    control: ResourceId,
}

impl<'d> Machine<'d> {
    fn of(model: &Model<'_, '_>, device: &'d Device) -> Self {
        let resources = &model.problem.resources;
        let resource = |name: &str| {
            resources
                .iter()
                .position(|r| r.name == name)
                .map(|at| ResourceId(at as u32))
        };
        let engine = |engine: &'d Engine| Some((engine, resource(&format!("@{}", engine.name))?));
        Self {
            device,
            engines: device.engines.iter().filter_map(engine).collect(),
            control: resource(CONTROL).unwrap_or(ResourceId(0)),
        }
    }

    /// Appends the units of some iterations of a loop, the back edge behind each.
    fn add_iterations<'c>(
        &self,
        parts: &mut Vec<Part<'c>>,
        body: &Body<'c>,
        iterations: std::ops::Range<i64>,
    ) -> Result<(), Decline<'c>> {
        let mut ways = Vec::new();
        for unit in &body.units {
            let command = command_of(unit.op);
            let (engine, cost) = model::named(unit.op, command.as_ref(), self.device)?;
            let issue = model::issue_cycles(unit.op, command.as_ref(), self.device)?;
            let at = engine.and_then(|own| self.engines.iter().find(|(known, _)| known.name == own.name));
            ways.push(model::way(at.copied(), cost, self.control, issue));
        }
        for iteration in iterations {
            let first = parts.len();
            let place = Linear::constant(iteration);
            for (unit, way) in body.units.iter().zip(&ways) {
                let at = |access: &Access<'c>| access.at(body.for_.op, &place, iteration + 1);
                parts.push(Part {
                    accesses: unit.accesses.iter().map(at).collect(),
                    needs: unit.needs.units.iter().map(|unit| first + unit).collect(),
                    ways: vec![way.clone()],
                });
            }
            let cycles = self.device.control.loop_cycles;
            parts.push(Part {
                accesses: Vec::new(),
                needs: Vec::new(),
                ways: vec![Alternative {
                    latency: cycles,
                    uses: vec![Use::whole(self.control, cycles)],
                }],
            });
        }
        Ok(())
    }
}
