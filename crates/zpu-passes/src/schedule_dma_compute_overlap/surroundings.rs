//! A run between the loops before and after it, to measure an order there.
//!
//! A prologue leaves engines at work for the loop after it, and an epilogue finds them at work. So an order is measured
//! with the last iterations of the loop before the run and the first ones of the loop after it, in their program order.
//! Dependences are found for those very iterations.

use zpu_device::{Device, Engine};
use zpu_ir::scf::For;
use zpu_sched::{Alternative, OpId, Plan, Problem, StreamCosts, Use, estimate};

use super::model::{self, Model, Solution};
use super::run::Ending;
use crate::machine::Demand;
use zpu_analysis::access::Access;
use zpu_analysis::body::{Body, Decline};
use zpu_analysis::command::{command_of, holds_commands};
use zpu_analysis::dependence::straight_line_conflicts;
use zpu_analysis::linear::Linear;

/// Iterations of a loop that are measured: enough for the outstanding commands to reach their steady state.
const ITERATIONS: i64 = 12;

/// The most units of a loop that are measured, so that the time for a run is bounded.
const MOST_UNITS: usize = 160;

/// The run with iterations before and after it, as straight-line code.
pub(super) struct Surroundings {
    problem: Problem,
    stream: StreamCosts,
    /// Number of operations before the run.
    before: usize,
    /// Number of operations of the run.
    units: usize,
}

/// A command or an access of the control stream in one iteration of a loop, or one of the run.
struct Part<'c> {
    /// Its accesses; none for the end of the function, which waits for everything.
    accesses: Option<Vec<Access<'c>>>,
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
        let mut parts = Vec::new();
        if let Some(body) = &front {
            let trips = body.for_.constant_trip_count().unwrap_or(ITERATIONS);
            add_iterations((model, device), &mut parts, body, (trips - fitting(body)).max(0)..trips)?;
        }
        let before = parts.len();
        for (unit, operation) in run.units.iter().zip(&model.problem.operations) {
            parts.push(Part {
                accesses: Some(unit.accesses.clone()),
                needs: Vec::new(),
                ways: operation.alternatives.clone(),
            });
        }
        if let Some(body) = &behind {
            let trips = body.for_.constant_trip_count().unwrap_or(ITERATIONS);
            add_iterations((model, device), &mut parts, body, 0..trips.min(fitting(body)))?;
        }
        for ending in run.tail.iter().flatten() {
            parts.push(Part {
                accesses: match ending {
                    Ending::Frees(accesses) => Some(accesses.clone()),
                    Ending::Returns => None,
                },
                needs: Vec::new(),
                ways: Demand::free().alternatives(),
            });
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
        let accesses: Vec<Option<&[Access<'c>]>> = parts.iter().map(|part| part.accesses.as_deref()).collect();
        let mut ordered = straight_line_conflicts(&accesses);
        for (later, part) in parts.iter().enumerate() {
            ordered.extend(part.needs.iter().map(|earlier| (later, *earlier)));
        }
        for (later, earlier) in ordered {
            if !(in_run.contains(&later) && in_run.contains(&earlier)) {
                problem.add_dependence(id(earlier), id(later), 0);
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

/// The number of iterations that are measured.
fn fitting(body: &Body<'_>) -> i64 {
    let most = (MOST_UNITS / body.units.len().max(1)).max(1);
    ITERATIONS.min(most as i64)
}

/// Appends the units of some iterations of a loop, with the back edge after each iteration.
fn add_iterations<'c>(
    (model, device): (&Model<'_, 'c>, &Device),
    parts: &mut Vec<Part<'c>>,
    body: &Body<'c>,
    iterations: std::ops::Range<i64>,
) -> Result<(), Decline<'c>> {
    let mut ways = Vec::new();
    for unit in &body.units {
        let command = command_of(unit.op);
        let named = command.as_ref().map(|command| model::named(unit.op, command, device));
        let servers: Vec<&Engine> = named.into_iter().collect::<Result<_, _>>()?;
        let (demand, _) = model::demand(&model.machine, (unit.op, command.as_ref()), &servers)?;
        ways.push(demand);
    }
    for iteration in iterations {
        let first = parts.len();
        let place = Linear::constant(iteration);
        for (unit, ways) in body.units.iter().zip(&ways) {
            let at = |access: &Access<'c>| access.at(body.for_.op, &place, iteration + 1);
            parts.push(Part {
                accesses: Some(unit.accesses.iter().map(at).collect()),
                needs: unit.needs.units.iter().map(|unit| first + unit).collect(),
                ways: ways.clone(),
            });
        }
        let cycles = device.control.loop_cycles;
        parts.push(Part {
            accesses: Some(Vec::new()),
            needs: Vec::new(),
            ways: vec![Alternative {
                latency: cycles,
                uses: vec![Use::whole(model.machine.control(), cycles)],
            }],
        });
    }
    Ok(())
}
