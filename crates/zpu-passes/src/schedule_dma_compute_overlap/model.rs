//! A run of commands as a straight-line scheduling problem.
//!
//! - One operation a unit. A command takes its engine, and the control stream for its issue and for what else its guard does; on a blocking
//!   engine, for all of its time. A transfer has an alternative for every other asynchronous DMA engine with its route.
//! - One dependence for each pair that keeps its order.
//!
//! The first alternative is always what the program says, so program order with first alternatives is the program.

use std::time::Duration;

use zpu_device::{Cost, Device, Engine};
use zpu_ir::{Op, ty};
use zpu_sched::{
    Alternative, CONTROL, Operation, Options, Plan, Problem, ResourceId, Scheduler, StreamCosts, Use, estimate,
    lower_bound, solve,
};

use super::run::{Run, Unit};
use crate::analysis::body::Decline;
use crate::analysis::command::Command;
use crate::pipeline_planning::cost;
use crate::pipeline_planning::model::condition_of;

/// The problem, and the engines that its alternatives stand for.
pub(super) struct Model<'r, 'c> {
    pub(super) run: &'r Run<'c>,
    pub(super) problem: Problem,
    pub(super) options: Options,
    /// By unit and alternative.
    engines: Vec<Vec<String>>,
}

/// An order with its cycles.
pub(super) struct Solution {
    /// Order and engines.
    pub(super) plan: Plan,
    /// From the first issue until everything is complete.
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
    /// The problem of a run; declined if the cost of a unit is not known.
    pub(super) fn of(run: &'r Run<'c>, device: &Device) -> Result<Self, Decline<'c>> {
        let mut problem = Problem::acyclic("run");
        let control = problem.add_resource(CONTROL, 1);
        let resources: Vec<(&Engine, ResourceId)> = device
            .engines
            .iter()
            .map(|engine| (engine, problem.add_resource(format!("@{}", engine.name), 1)))
            .collect();
        for (engine, resource) in &resources {
            problem.resources[resource.index()].queue = u32::try_from(engine.queue_depth).ok();
        }
        let mut engines = Vec::new();
        let mut conditions = Vec::new();
        for (i, unit) in run.units.iter().enumerate() {
            let served = alternatives(unit, device)?;
            let issue = issue_cycles(unit.op, unit.command.as_ref(), device)?;
            let names = served
                .iter()
                .map(|(engine, _)| engine.map_or("", |engine| &engine.name));
            engines.push(names.map(str::to_owned).collect());
            let ways = served.into_iter().map(|(engine, cost)| {
                let at = engine.and_then(|engine| resources.iter().find(|(known, _)| known.name == engine.name));
                way(at.copied(), cost, control, issue)
            });
            problem.operations.push(Operation {
                name: format!("{i} {}", unit.op.name()),
                alternatives: ways.collect(),
                condition: condition_of(unit.op, &mut conditions),
            });
        }
        for (from, to) in run.dependences() {
            problem.add_dependence(zpu_sched::OpId(from as u32), zpu_sched::OpId(to as u32), 0);
        }
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
            options,
            engines,
        })
    }

    /// The program as it is.
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
        let cycles =
            estimate(&self.problem, &plan, 1, self.options.stream).map_err(|e| self.unsolved(e.to_string()))?;
        Ok(Solution { plan, cycles })
    }

    /// What the schedulers find, each one's best within the time limit.
    pub(super) fn solutions(
        &self,
        schedulers: &[Scheduler],
        time_limit: Option<Duration>,
    ) -> Result<Vec<Solution>, Decline<'c>> {
        let options = Options {
            time_limit,
            ..self.options.clone()
        };
        let solved = schedulers.iter().map(|scheduler| {
            let outcome = solve(&self.problem, *scheduler, &options);
            let outcome = outcome.map_err(|error| self.unsolved(error.to_string()))?;
            Ok(Solution {
                plan: outcome.plan,
                cycles: outcome.cycles.unwrap_or(u64::MAX),
            })
        });
        solved.collect()
    }

    /// Cycles that no order can go below.
    pub(super) fn bound(&self) -> u64 {
        lower_bound(&self.problem).makespan()
    }

    /// The engine of each unit, where it is another one than the program says.
    pub(super) fn engines(&self, solution: &Solution) -> Vec<Option<String>> {
        let chosen = solution.plan.chosen.iter().zip(&self.engines);
        chosen
            .map(|(chosen, engines)| (*chosen != 0).then(|| engines[*chosen as usize].clone()))
            .collect()
    }

    /// An engine of which the new order leaves more commands incomplete than its queue holds, and more than the old one.
    pub(super) fn overfull_queue(&self, new: &Solution, old: &Solution, device: &Device) -> Option<String> {
        let (new, old) = (self.depths(new, device), self.depths(old, device));
        let mut engines = device.engines.iter().zip(new.into_iter().zip(old));
        let overfull = engines.find(|(engine, (new, old))| *new > engine.queue_depth && new > old);
        overfull.map(|(engine, _)| engine.name.clone())
    }

    /// The solution, its order changed so that no command finds its engine's queue full: what would is issued later, when the
    /// stream has waited for one of those before it. `None` if nobody ever waits for one.
    pub(super) fn within_queues(&self, solution: &Solution, device: &Device) -> Option<Solution> {
        let order = solution.order();
        let depth = |unit: usize| {
            let engine = device.engine(self.engine_of(solution, unit));
            engine
                .filter(|engine| !engine.blocking)
                .map_or(u64::MAX, |engine| engine.queue_depth)
        };
        let mut needed = vec![Vec::new(); order.len()];
        for dependence in &self.problem.dependences {
            needed[dependence.to.index()].push(dependence.from.index());
        }
        let mut position = vec![None; order.len()];
        // Issued, and not yet known to be complete; of each engine the oldest first.
        let mut open: Vec<usize> = Vec::new();
        for place in 0..order.len() as u32 {
            let on_one = |a: usize, b: usize| self.engine_of(solution, a) == self.engine_of(solution, b);
            let fits = |unit: usize| {
                let before = open.iter().filter(|other| on_one(**other, unit)).count() as u64;
                let ready = needed[unit].iter().all(|from| position[*from].is_some());
                position[unit].is_none() && ready && before < depth(unit)
            };
            let next = order.iter().copied().find(|unit| fits(*unit))?;
            let waited: Vec<usize> = needed[next]
                .iter()
                .copied()
                .filter(|from| !on_one(*from, next))
                .collect();
            open.retain(|other| {
                !waited
                    .iter()
                    .any(|from| on_one(*from, *other) && position[*other] <= position[*from])
            });
            open.push(next);
            position[next] = Some(place);
        }
        let mut plan = solution.plan.clone();
        plan.order = position.into_iter().collect::<Option<_>>()?;
        let cycles = estimate(&self.problem, &plan, 1, self.options.stream).ok()?;
        Some(Solution { plan, cycles })
    }

    /// By engine of the device, at most so many commands are issued and not complete when another one is.
    fn depths(&self, solution: &Solution, device: &Device) -> Vec<u64> {
        let order = solution.order();
        let position = |unit: usize| solution.plan.order[unit] as usize;
        // The stream has waited for a command by the time it issues one that depends on it or on a later one of its engine.
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

/// Cycles of the control stream for issuing a command, with what else its guard does.
pub(super) fn issue_cycles<'c>(op: Op<'c>, command: Option<&Command<'c>>, device: &Device) -> Result<u64, Decline<'c>> {
    let guard = match command {
        Some(command) if command.op != op => cost::guard_cycles(op, device)?,
        _ => 0,
    };
    Ok(guard.saturating_add(device.control.start_cycles))
}

/// Engines that can take a unit, its own first, with what it costs there; none for the control stream.
fn alternatives<'c, 'd>(unit: &Unit<'c>, device: &'d Device) -> Result<Vec<(Option<&'d Engine>, Cost)>, Decline<'c>> {
    let (own, cost) = named(unit.op, unit.command.as_ref(), device)?;
    let mut all = vec![(own, cost)];
    let (Some(own), Some(command)) = (own, &unit.command) else {
        return Ok(all);
    };
    // A guarded transfer stays where it is, and so does one whose engine was asked for.
    if !own.blocking && command.op == unit.op && !unit.op.has_attr("zpu.engine") {
        let others = other_channels(unit.op, own, device).into_iter();
        all.extend(others.filter_map(|engine| Some((Some(engine), cost::cost_on(unit.op, device, engine).ok()?))));
    }
    Ok(all)
}

/// The engine that a unit names, none for the control stream, with what it costs there.
pub(super) fn named<'c, 'd>(
    op: Op<'c>,
    command: Option<&Command<'c>>,
    device: &'d Device,
) -> Result<(Option<&'d Engine>, Cost), Decline<'c>> {
    let Some(command) = command else {
        let cost = Cost {
            latency: 0,
            occupancy: cost::control_cycles(op, device)?,
            shareable: 0,
        };
        return Ok((None, cost));
    };
    let name = command.engine;
    let Some(own) = device.engine(name) else {
        let message = format!("engine @{name} is not one of the device's: {}", device.engine_names());
        return Err(Decline::new("unknown-engine", op, message));
    };
    Ok((Some(own), cost::cost(command.op, device)?))
}

/// The other asynchronous engines with the route of a transfer.
fn other_channels<'d>(op: Op<'_>, own: &Engine, device: &'d Device) -> Vec<&'d Engine> {
    let space = |index: usize| ty::MemRef::of(op.operand(index).ty()).and_then(|memref| memref.space());
    let route = op.is("zpu.dma").then(|| space(0).zip(space(1))).flatten();
    let servers = route.map_or(Vec::new(), |(from, to)| device.engines_for_route(from, to));
    servers
        .into_iter()
        .filter(|engine| !engine.blocking && engine.name != own.name)
        .collect()
}

/// A way to carry a unit out on an engine, or by the control stream.
pub(super) fn way(at: Option<(&Engine, ResourceId)>, cost: Cost, control: ResourceId, issue: u64) -> Alternative {
    let Some((engine, resource)) = at else {
        return Alternative {
            latency: cost.occupancy,
            uses: vec![Use::whole(control, cost.occupancy)],
        };
    };
    let offset = issue.saturating_add(cost.latency);
    let latency = offset.saturating_add(cost.occupancy);
    let on_engine = Use {
        resource,
        amount: 1,
        cycles: cost.occupancy,
        offset,
    };
    let held = if engine.blocking { latency } else { issue };
    Alternative {
        latency,
        uses: vec![on_engine, Use::whole(control, held)],
    }
}
