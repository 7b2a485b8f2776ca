//! A run of commands as a straight-line scheduling problem.
//!
//! - One operation for each unit. A command takes its engine, and the control stream for its issue and for the accesses
//!   under its guard; on a blocking engine, for all of its time. A transfer has an alternative for every other
//!   asynchronous DMA engine with its route.
//! - One dependence for each pair that keeps its order.
//!
//! The first alternative is always the one that the program names, so program order with first alternatives is the
//! program.

use std::collections::VecDeque;
use std::time::Duration;

use zpu_device::{Device, Engine, WhenFull};
use zpu_ir::ops::Dma;
use zpu_ir::{Op, Value, ty, work};
use zpu_sched::run::listed_plans;
use zpu_sched::{
    Alternative, OpId, Operation, Options, Plan, PlanViolation, Problem, Scheduler, StreamCosts, estimate, lower_bound,
    sequential,
};

use super::run::{Run, Unit};
use crate::annotations;
use crate::machine::{Demand, Machine, condition_of};
use crate::solved::SOLVED;
use zpu_analysis::body::Decline;
use zpu_analysis::command::Command;
use zpu_analysis::cost::Costs;

/// The name of the operations after a run.
const END: &str = "end";

/// The problem, and the engines that its alternatives stand for.
pub(super) struct Model<'r, 'c> {
    pub(super) run: &'r Run<'c>,
    pub(super) problem: Problem,
    /// The problem with the waits after the run, if the function ends there.
    closed: Option<Problem>,
    pub(super) machine: Machine<'r>,
    pub(super) options: Options,
    /// Engines by unit and alternative.
    engines: Vec<Vec<String>>,
}

/// An order with its cycles.
pub(super) struct Solution {
    /// Order and engines.
    pub(super) plan: Plan,
    /// Cycles from the first issue until everything is complete.
    pub(super) cycles: u64,
}

impl Solution {
    /// Units in the order of issue.
    pub(super) fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.plan.order.len()).collect();
        order.sort_unstable_by_key(|unit| self.plan.order[*unit]);
        order
    }
}

impl<'r, 'c> Model<'r, 'c> {
    /// Makes the problem of a run; declines if the cost of a unit is not known.
    pub(super) fn of(run: &'r Run<'c>, device: &'r Device) -> Result<Self, Decline<'c>> {
        let mut problem = Problem::acyclic("run");
        let mut machine = Machine::of(&mut problem, device, device.engines.iter());
        let served = run.units.iter().map(|unit| servers(unit, device));
        let served: Vec<Vec<&Engine>> = served.collect::<Result<_, _>>()?;
        let command = |unit: &Unit<'c>| unit.command.as_ref().map_or(unit.op, |command| command.op);
        machine.add_crowded_links(&mut problem, run.units.iter().map(command).zip(&served));
        let mut engines = Vec::new();
        let mut conditions = Vec::new();
        for (i, (unit, servers)) in run.units.iter().zip(&served).enumerate() {
            let (alternatives, names) = demand(&machine, (unit.op, unit.command.as_ref()), servers)?;
            engines.push(names);
            problem.operations.push(Operation {
                name: format!("{i} {}", unit.op.name()),
                alternatives,
                condition: condition_of(unit.op, &mut conditions),
            });
        }
        for (from, to) in run.dependences() {
            problem.add_dependence(OpId(from as u32), OpId(to as u32), 0);
        }
        let closed = closed(run, &problem);
        let stream = StreamCosts {
            wait: device.control.wait_cycles,
            back_edge: 0,
            trust_queues: true,
        };
        let options = Options {
            num_stages: 1,
            trip: Some(1),
            stream,
            ..Options::default()
        };
        Ok(Self {
            run,
            problem,
            closed,
            machine,
            options,
            engines,
        })
    }

    /// The solution that is the program as it was written.
    pub(super) fn program_order(&self) -> Result<Solution, Decline<'c>> {
        let units = self.run.units.len();
        let plan = Plan {
            ii: 1,
            stage: vec![0; units],
            order: (0..units as u32).collect(),
            cycle: vec![0; units],
            versions: Vec::new(),
            chosen: vec![0; units],
        };
        let cycles = self.cycles(&plan).map_err(|e| self.unsolved(e.to_string()))?;
        Ok(Solution { plan, cycles })
    }

    /// Cycles of the run; up to the end of the function, if only deallocations come in between.
    fn cycles(&self, plan: &Plan) -> Result<u64, PlanViolation> {
        let Some(closed) = &self.closed else {
            return estimate(&self.problem, plan, 1, self.options.stream);
        };
        let all = closed.operations.len();
        let mut plan = plan.clone();
        plan.order.extend(plan.order.len() as u32..all as u32);
        for of_each in [&mut plan.stage, &mut plan.chosen] {
            of_each.resize(all, 0);
        }
        plan.cycle.resize(all, 0);
        estimate(closed, &plan, 1, self.options.stream)
    }

    /// The solutions of the schedulers, each one's best within the time limit, and those of list schedules, if they are
    /// asked for.
    pub(super) fn solutions(
        &self,
        schedulers: &[Scheduler],
        time_limit: Option<Duration>,
        lists: bool,
    ) -> Result<Vec<Solution>, Decline<'c>> {
        let options = Options {
            time_limit,
            ..self.options.clone()
        };
        let mut plans = Vec::new();
        for scheduler in schedulers {
            let outcome = SOLVED.solve(&self.problem, *scheduler, &options);
            plans.push(outcome.map_err(|error| self.unsolved(error.to_string()))?.plan);
        }
        if lists {
            plans.extend(listed_plans(&self.problem, options.stream));
        }
        let solved = plans.into_iter().map(|plan| {
            let cycles = self.cycles(&plan).map_err(|error| self.unsolved(error.to_string()))?;
            Ok(Solution { plan, cycles })
        });
        solved.collect()
    }

    /// Cycles of the run if each command is complete before the next one is issued, without a wait.
    pub(super) fn sequential(&self) -> u64 {
        sequential(&self.problem, 1, self.options.stream)
    }

    /// Cycles that no order can go below.
    pub(super) fn bound(&self) -> u64 {
        lower_bound(&self.problem).makespan()
    }

    /// The engine of each unit that moves to another engine than the one that it names.
    pub(super) fn engines(&self, solution: &Solution) -> Vec<Option<String>> {
        let chosen = solution.plan.chosen.iter().zip(&self.engines);
        chosen
            .map(|(chosen, engines)| (*chosen != 0).then(|| engines[*chosen as usize].clone()))
            .collect()
    }

    /// An engine of which the new order leaves more commands incomplete than its queue holds, and more than the old
    /// one, where that is an error or loses commands. Where it stalls the stream, the cycles of the order say so.
    pub(super) fn overfull_queue(&self, new: &Solution, old: &Solution, device: &Device) -> Option<String> {
        let (new, old) = (self.depths(new, device), self.depths(old, device));
        let mut engines = device.engines.iter().zip(new.into_iter().zip(old));
        let overfull = engines
            .find(|(engine, (new, old))| engine.when_full != WhenFull::Stall && *new > engine.queue_depth && new > old);
        overfull.map(|(engine, _)| engine.name.clone())
    }

    /// The solution with its order changed so that no command finds its engine's queue full: such a command is issued
    /// later, when the stream has waited for an earlier one of the queue. `None` if the stream never waits for one, or
    /// the order is the same.
    pub(super) fn within_queues(&self, solution: &Solution, device: &Device) -> Option<Solution> {
        let order = solution.order();
        // The place of each unit's engine among those of the device; the stream has the one after them.
        let stream = device.engines.len();
        let place_of = |unit: usize| {
            let name = self.engine_of(solution, unit);
            device
                .engines
                .iter()
                .position(|engine| engine.name == name)
                .unwrap_or(stream)
        };
        let engines: Vec<usize> = (0..order.len()).map(place_of).collect();
        let depths = device.engines.iter().map(|engine| match engine.blocking {
            true => u64::MAX,
            false => engine.queue_depth,
        });
        let depths: Vec<u64> = depths.chain([u64::MAX]).collect();
        let mut needed = vec![Vec::new(); order.len()];
        for dependence in &self.problem.dependences {
            needed[dependence.to.index()].push(dependence.from.index());
        }
        let mut position = vec![None; order.len()];
        // By engine: issued, and not yet known to be complete, the oldest first.
        let mut open: Vec<VecDeque<usize>> = vec![VecDeque::new(); depths.len()];
        let mut left = order.clone();
        for place in 0..order.len() as u32 {
            let fits = |unit: usize| {
                let engine = engines[unit];
                let ready = needed[unit].iter().all(|from| position[*from].is_some());
                ready && (open[engine].len() as u64) < depths[engine]
            };
            let next = left.iter().position(|unit| fits(*unit))?;
            let next = left.remove(next);
            for from in needed[next].iter().filter(|from| engines[**from] != engines[next]) {
                let queue = &mut open[engines[*from]];
                while queue.front().is_some_and(|first| position[*first] <= position[*from]) {
                    queue.pop_front();
                }
            }
            open[engines[next]].push_back(next);
            position[next] = Some(place);
        }
        let mut plan = solution.plan.clone();
        plan.order = position.into_iter().collect::<Option<_>>()?;
        if plan.order == solution.plan.order {
            return None;
        }
        let cycles = self.cycles(&plan).ok()?;
        Some(Solution { plan, cycles })
    }

    /// For each engine of the device, a bound of the commands that are issued and not complete when another one is
    /// issued.
    fn depths(&self, solution: &Solution, device: &Device) -> Vec<u64> {
        let order = solution.order();
        let position = |unit: usize| solution.plan.order[unit] as usize;
        // The stream has waited for a command by the time it issues one that depends on it or on a later one of its
        // engine.
        let waits = self.problem.dependences.iter();
        let mut first_reader = vec![usize::MAX; order.len()];
        for dependence in waits {
            let (from, to) = (dependence.from.index(), dependence.to.index());
            if self.engine_of(solution, from) != self.engine_of(solution, to) {
                first_reader[from] = first_reader[from].min(position(to));
            }
        }
        let depth_of = |engine: &Engine| {
            let own: Vec<usize> = order
                .iter()
                .copied()
                .filter(|unit| self.engine_of(solution, *unit) == engine.name)
                .collect();
            let mut deepest = 0;
            for (i, unit) in own.iter().enumerate() {
                let complete = (0..i).rev().find(|j| first_reader[own[*j]] <= position(*unit));
                deepest = deepest.max(i - complete.map_or(0, |j| j + 1) + 1);
            }
            deepest as u64
        };
        device.engines.iter().map(depth_of).collect()
    }

    fn engine_of(&self, solution: &Solution, unit: usize) -> &str {
        &self.engines[unit][solution.plan.chosen[unit] as usize]
    }

    fn unsolved(&self, message: String) -> Decline<'c> {
        Decline::new("no-order", self.run.units[0].op, message)
    }
}

/// The problem with the operations between the run and the end of the function, each issued in its place and waiting
/// for the commands that touch its memory.
fn closed(run: &Run<'_>, problem: &Problem) -> Option<Problem> {
    let tail = run.tail.as_ref()?;
    let mut closed = problem.clone();
    for end in tail {
        let id = closed.add_choice(
            format!("{} {END}", closed.operations.len()),
            Demand::free().alternatives(),
        );
        let touched = run
            .units
            .iter()
            .enumerate()
            .filter(|(_, unit)| end.waits_for(&unit.accesses));
        for (unit, _) in touched {
            closed.add_dependence(OpId(unit as u32), id, 0);
        }
    }
    Some(closed)
}

/// The demand of a unit on the machine, and the names of the engines of its alternatives; none for the control stream.
pub(super) fn demand<'c>(
    machine: &Machine<'_>,
    (op, command): (Op<'c>, Option<&Command<'c>>),
    servers: &[&Engine],
) -> Result<(Vec<Alternative>, Vec<String>), Decline<'c>> {
    let demand = machine.demand(op, command.map_or(op, |command| command.op), servers)?;
    let names = demand.engines().into_iter().map(Option::unwrap_or_default);
    Ok((demand.alternatives(), names.collect()))
}

/// Engines that can take a unit, its own first; none for the control stream.
fn servers<'c, 'd>(unit: &Unit<'c>, device: &'d Device) -> Result<Vec<&'d Engine>, Decline<'c>> {
    let Some(command) = &unit.command else {
        return Ok(Vec::new());
    };
    let own = named(unit.op, command, device)?;
    let mut all = vec![own];
    // A guarded transfer keeps its engine, and so does one with `zpu.engine` or one of few engines.
    if !own.blocking && command.op == unit.op && !annotations::keeps_engine(unit.op) {
        let others = other_channels(unit.op, own, device).into_iter();
        let costs = Costs::of(unit.op);
        all.extend(others.filter(|engine| costs.on(device, engine).is_ok()));
    }
    Ok(all)
}

/// The engine that a command names.
pub(super) fn named<'c, 'd>(op: Op<'c>, command: &Command<'c>, device: &'d Device) -> Result<&'d Engine, Decline<'c>> {
    device.engine(command.engine).ok_or_else(|| {
        let message = format!(
            "engine @{} is not one of the device's: {}",
            command.engine,
            device.engine_names()
        );
        Decline::new("unknown-engine", op, message)
    })
}

/// The other asynchronous engines with the route of a transfer.
fn other_channels<'c, 'd>(op: Op<'c>, own: &Engine, device: &'d Device) -> Vec<&'d Engine> {
    let space = |value: Value<'c>| ty::MemRef::of(value.ty()).and_then(|memref| memref.space());
    let route = Dma::of(op).and_then(|dma| space(dma.source()).zip(space(dma.dest())));
    let servers = route.map_or(Vec::new(), |(from, to)| {
        device.engines_for_transfer(from, to, work::dims_of(op))
    });
    servers
        .into_iter()
        .filter(|engine| !engine.blocking && engine.name != own.name)
        .collect()
}
