//! How long a plan takes: the reference machine, run command by command.
//!
//! The control stream goes through the kernel iterations in the plan's order. Before it issues an operation it waits
//! until the dependences of that operation are met, those of the rings included. An engine (a resource of capacity 1)
//! starts commands in the order of their issue, each when it is free; with [`StreamCosts::trust_queues`], a command therefore
//! needs no wait for an earlier one of its own engine. The operation's use of the control stream is the
//! cost of issuing; a blocking operation (see [`Problem::control`]) holds the stream until it is complete. An engine with a queue holds the stream as long as its queue is full. Resources of larger
//! capacity (links that engines share) are modelled by their work alone: no run is shorter than that, but how transfers
//! stretch each other is not looked at.
//!
//! The machine is a max-plus system: it repeats as soon as its state, relative to the stream's clock, repeats. So the
//! steady rate is exact, and a long run costs no more than a short one. Only an engine that nobody ever waits for can
//! fall behind the stream without end; it then works without a pause, and its own work is the rate.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::graph::{Arc, Graph};
use crate::order::sequence;
use crate::{Plan, PlanViolation, Problem, verify_plan};

/// Queues that hold more commands are taken to be endless.
const LONGEST_QUEUE: usize = 64;

/// What the control stream pays besides issuing, in cycles. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamCosts {
    /// Each wait, before it looks whether the command is complete; operations that wait for several commands of one engine wait for the last one only, and not at all if
    /// an earlier wait covers it.
    pub wait: u64,
    /// The back edge of the loop.
    pub back_edge: u64,
    /// Whether a dependence between two commands of one engine is left to the engine's queue, where the first one's result is
    /// there once the engine is free; otherwise the stream waits for it like for any other.
    pub trust_queues: bool,
}

/// `cycles` in `iterations` iterations of the steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// Cycles.
    pub cycles: u64,
    /// Iterations, at least 1.
    pub iterations: u64,
    /// Whether the state was seen to repeat; otherwise the rate is an average over a long run.
    pub exact: bool,
}

impl Rate {
    /// The quotient.
    pub fn cycles_per_iteration(&self) -> f64 {
        self.cycles as f64 / self.iterations as f64
    }

    /// The quotient, rounded up.
    pub fn interval(&self) -> u64 {
        self.cycles.div_ceil(self.iterations)
    }
}

/// Cycles of `trip` iterations of `plan`, from the first issue until everything is complete.
pub fn estimate(problem: &Problem, plan: &Plan, trip: u64, costs: StreamCosts) -> Result<u64, PlanViolation> {
    verify_plan(problem, plan)?;
    Ok(Machine::new(problem, plan, costs).cycles(trip))
}

/// The rate of `plan` in the steady state.
pub fn steady_rate(problem: &Problem, plan: &Plan, costs: StreamCosts) -> Result<Rate, PlanViolation> {
    verify_plan(problem, plan)?;
    Ok(Machine::new(problem, plan, costs).steady().0)
}

/// Cycles of `trip` iterations in source order, each operation complete before the next is issued, each in its fastest
/// alternative: what the program takes before anything is overlapped.
pub fn sequential(problem: &Problem, trip: u64, costs: StreamCosts) -> u64 {
    let control = problem.control();
    let fastest = |operation: &crate::Operation| {
        let cycles = operation.alternatives.iter().map(|alternative| {
            let uses = alternative.uses.iter().filter(|u| Some(u.resource) == control);
            uses.map(crate::Use::end).fold(alternative.latency, u64::max)
        });
        cycles.min().unwrap_or(0)
    };
    let body: u64 = problem.operations.iter().map(fastest).sum();
    body.saturating_add(costs.back_edge).saturating_mul(trip)
}

/// A plan made ready to run.
pub(crate) struct Machine {
    commands: Vec<Command>,
    /// By operation.
    tracks: Vec<Track>,
    /// By resource: its place among the names.
    ranks: Vec<usize>,
    /// By resource: cycles of work an iteration, if nobody ever waits for its commands.
    unobserved: Vec<Option<u64>>,
    /// By resource: how many commands its queue holds, where that can matter.
    queues: Vec<Option<usize>>,
    /// Cycles of an iteration by the work of the resources of larger capacity.
    shared: u64,
    last_stage: u64,
    costs: StreamCosts,
}

struct Command {
    op: usize,
    stage: u64,
    latency: u64,
    /// Cycles that the stream is held; from completion of the queue if blocking, else from issue.
    control: u64,
    blocking: bool,
    /// Resource, offset, cycles.
    engines: Vec<(usize, u64, u64)>,
    waits: Vec<Wait>,
}

struct Wait {
    from: usize,
    distance: u64,
    latency: u64,
}

/// What must be remembered of an operation's past instances.
struct Track {
    stage: u64,
    /// Instances.
    depth: usize,
    /// Longest latency after which one still matters.
    reach: u64,
    engine: Option<usize>,
}

impl Machine {
    pub(crate) fn new(problem: &Problem, plan: &Plan, costs: StreamCosts) -> Machine {
        let versions: Vec<Option<u32>> = plan.versions.iter().map(|&v| Some(v)).collect();
        let graph = Graph::new(problem, &versions);
        let control = problem.control();
        let chosen = |op: usize| &problem.operations[op].alternatives[plan.chosen[op] as usize];
        let is_engine = |used: &&crate::Use| is_engine(problem, used);
        let mut tracks: Vec<Track> = (0..plan.stage.len())
            .map(|op| Track {
                stage: plan.stage[op].into(),
                depth: 1,
                reach: 0,
                engine: chosen(op).uses.iter().find(is_engine).map(|u| u.resource.index()),
            })
            .collect();
        let mut waits: Vec<Vec<Wait>> = tracks.iter().map(|_| vec![]).collect();
        for arc in graph.arcs.iter().filter(|arc| needs_wait(problem, plan, arc, costs)) {
            let latency = arc.latency.map_or(chosen(arc.from).latency, |latency| latency as u64);
            let distance = arc.distance as u64;
            let gap = u64::from(plan.stage[arc.to]) + distance - u64::from(plan.stage[arc.from]);
            let track = &mut tracks[arc.from];
            track.depth = track.depth.max(gap as usize + 1);
            track.reach = track.reach.max(latency);
            waits[arc.to].push(Wait {
                from: arc.from,
                distance,
                latency,
            });
        }
        let blocking = problem.blocking();
        let blocks = |op: usize| blocking[op][plan.chosen[op] as usize] > 0;
        let unobserved = unobserved(problem, plan, &graph, costs, &blocks);
        let shared = shared_work(problem, plan);
        let queues = problem.resources.iter().map(queue).collect();
        let commands = sequence(&plan.order).into_iter().map(|op| {
            let alternative = chosen(op);
            let held = alternative
                .uses
                .iter()
                .filter(|u| Some(u.resource) == control && u.cycles > 0);
            let held = held.map(crate::Use::end).max().unwrap_or(0);
            let engines = alternative.uses.iter().filter(is_engine);
            Command {
                op,
                stage: plan.stage[op].into(),
                latency: alternative.latency,
                control: held,
                blocking: blocks(op),
                engines: engines.map(|u| (u.resource.index(), u.offset, u.cycles)).collect(),
                waits: std::mem::take(&mut waits[op]),
            }
        });
        Machine {
            commands: commands.collect(),
            ranks: ranks(problem),
            unobserved,
            queues,
            shared,
            last_stage: plan.stage.iter().max().copied().unwrap_or(0).into(),
            tracks,
            costs,
        }
    }

    /// Cycles of `trip` iterations.
    pub(crate) fn cycles(&self, trip: u64) -> u64 {
        if trip == 0 || self.commands.is_empty() {
            return 0;
        }
        let mut run = Run::new(self, trip);
        let mut repeats = Repeats::default();
        let (mut skipped, mut clock) = (0, vec![]);
        let patience = self.patience();
        while run.kernel < run.trip + self.last_stage {
            if run.kernel >= self.last_stage && run.kernel < run.trip && skipped == 0 && repeats.looks < patience {
                clock.push(run.now);
                if let Some(period) = repeats.look(&run) {
                    skipped = run.skip(period);
                } else if repeats.looks == patience {
                    // A rate that is not exact; the alternative is to run for as long as the loop does.
                    let half = clock.len() / 2;
                    skipped = run.skip(((clock.len() - 1 - half) as u64, run.now - clock[half]));
                }
            }
            run.step(None);
        }
        let end = run.end.max(run.now).saturating_add(skipped);
        end.max(self.shared.saturating_mul(trip))
    }

    /// The steady rate, and the start of each operation after the first start of its iteration.
    pub(crate) fn steady(&self) -> (Rate, Vec<u64>) {
        if self.commands.is_empty() {
            return (
                Rate {
                    cycles: 0,
                    iterations: 1,
                    exact: true,
                },
                vec![],
            );
        }
        let mut run = Run::new(self, u64::MAX / 2);
        let mut repeats = Repeats::default();
        let mut ends = vec![];
        let rate = loop {
            if run.kernel >= self.last_stage {
                ends.push(run.end.max(run.now));
                if let Some((iterations, cycles)) = repeats.look(&run) {
                    let work = self.unobserved.iter().flatten().map(|work| work * iterations);
                    break Rate {
                        cycles: work.fold(cycles.max(self.shared * iterations), u64::max),
                        iterations,
                        exact: true,
                    };
                }
                if ends.len() > self.patience() {
                    let (half, last) = (ends.len() / 2, ends.len() - 1);
                    let cycles = ends[last] - ends[half];
                    break Rate {
                        cycles: cycles.max(self.shared * (last - half) as u64),
                        iterations: (last - half) as u64,
                        exact: false,
                    };
                }
            }
            run.step(None);
        };
        let mut starts = vec![0; self.commands.len()];
        let watched = run.kernel;
        while run.kernel <= watched + self.last_stage {
            run.step(Some((watched, &mut starts)));
        }
        let first = starts.iter().min().copied().unwrap_or(0);
        starts.iter_mut().for_each(|start| *start -= first);
        (rate, starts)
    }

    /// Kernel iterations after which the search for a repeated state ends.
    fn patience(&self) -> usize {
        (1_000_000 / self.commands.len()).clamp(16, 256)
    }
}

/// Whether the use is that of an engine; one of no cycles takes no time of it, but has its place in the queue.
fn is_engine(problem: &Problem, used: &crate::Use) -> bool {
    let is_control = problem.control().is_some_and(|control| control == used.resource);
    !is_control && problem.resources[used.resource.index()].capacity == 1
}

/// Whether the stream has to see that the dependence is met: not when both commands are in the trusted queue of one engine,
/// which is busy with the first until its result is there.
fn needs_wait(problem: &Problem, plan: &Plan, arc: &Arc, costs: StreamCosts) -> bool {
    let engine = |op: usize| {
        let alternative = &problem.operations[op].alternatives[plan.chosen[op] as usize];
        let mut engines = alternative.uses.iter().filter(|used| is_engine(problem, used));
        engines.next().filter(|_| engines.next().is_none())
    };
    let latency = match arc.latency {
        Some(latency) => u64::try_from(latency).ok(),
        None => Some(problem.operations[arc.from].alternatives[plan.chosen[arc.from] as usize].latency),
    };
    // A negative latency is a deadline, which nobody waits for.
    let Some(latency) = latency else { return false };
    if !costs.trust_queues {
        return true;
    }
    match (engine(arc.from), engine(arc.to)) {
        (Some(from), Some(to)) => from.resource != to.resource || latency > from.end(),
        _ => true,
    }
}

/// Per engine, its work an iteration if none of its commands blocks or is waited for; commands that take several engines
/// tie them together.
fn unobserved(
    problem: &Problem,
    plan: &Plan,
    graph: &Graph,
    costs: StreamCosts,
    blocks: &dyn Fn(usize) -> bool,
) -> Vec<Option<u64>> {
    let uses = |op: usize| &problem.operations[op].alternatives[plan.chosen[op] as usize].uses;
    // A queue that fills up holds the stream.
    let mut observed: Vec<bool> = problem.resources.iter().map(|r| queue(r).is_some()).collect();
    let mut work = vec![0u64; problem.resources.len()];
    for op in 0..plan.stage.len() {
        let engines = uses(op).iter().filter(|used| is_engine(problem, used));
        let several = engines.clone().count() > 1;
        let mut leaving = graph.leaving[op].iter().map(|&arc| &graph.arcs[arc as usize]);
        let waited_for = leaving.any(|arc| needs_wait(problem, plan, arc, costs));
        for used in engines {
            work[used.resource.index()] += used.cycles;
            observed[used.resource.index()] |= several || waited_for || blocks(op);
        }
    }
    work.into_iter()
        .zip(observed)
        .map(|(work, observed)| (!observed).then_some(work))
        .collect()
}

/// How many commands the resource's queue holds, if that is few enough to matter.
fn queue(resource: &crate::Resource) -> Option<usize> {
    let depth = resource.queue?.max(1) as usize;
    (depth <= LONGEST_QUEUE).then_some(depth)
}

/// Cycles an iteration that the resources of larger capacity need for their work, the largest of them.
fn shared_work(problem: &Problem, plan: &Plan) -> u64 {
    let control = problem.control();
    let mut work = vec![0u64; problem.resources.len()];
    for (operation, &chosen) in problem.operations.iter().zip(&plan.chosen) {
        for used in &operation.alternatives[chosen as usize].uses {
            let sum = &mut work[used.resource.index()];
            *sum = sum.saturating_add(used.cycles.saturating_mul(used.amount.into()));
        }
    }
    let each = problem.resources.iter().zip(work).enumerate();
    let shared =
        each.filter(|(index, (r, _))| r.capacity > 1 && control.is_none_or(|control| control.index() != *index));
    let cycles = shared.map(|(_, (r, work))| work.div_ceil(r.capacity.into()));
    cycles.max().unwrap_or(0)
}

/// The place of each resource among their names.
fn ranks(problem: &Problem) -> Vec<usize> {
    let mut named: Vec<usize> = (0..problem.resources.len()).collect();
    named.sort_by_key(|&resource| &problem.resources[resource].name);
    let mut ranks = vec![0; named.len()];
    for (rank, resource) in named.into_iter().enumerate() {
        ranks[resource] = rank;
    }
    ranks
}

/// Finds when the machine repeats.
#[derive(Default)]
struct Repeats {
    /// Never walked through, so its order does not matter; states share long beginnings, which an ordered map would compare.
    seen: FxHashMap<Vec<u64>, (u64, u64, Vec<u64>)>,
    looks: usize,
}

impl Repeats {
    /// The period in iterations and in cycles of the stream, if the machine does from now on what it did before.
    fn look(&mut self, run: &Run<'_>) -> Option<(u64, u64)> {
        self.looks += 1;
        let now = (run.kernel, run.now, run.free.clone());
        let (kernel, clock, free) = self.seen.insert(run.state(), now)?;
        let (iterations, cycles) = (run.kernel - kernel, run.now - clock);
        // An engine nobody waits for may be further behind than before if it never paused: it never will.
        let settled = run.machine.unobserved.iter().enumerate().all(|(engine, work)| {
            let Some(work) = work else { return true };
            let lag = |free: u64, clock: u64| free.saturating_sub(clock);
            let never_paused = run.free[engine] - free[engine] == work * iterations;
            let (before, after) = (lag(free[engine], clock), lag(run.free[engine], run.now));
            before == after || (never_paused && after > before)
        });
        settled.then_some((iterations, cycles))
    }
}

struct Run<'a> {
    machine: &'a Machine,
    /// Iterations that remain to be simulated; shortened when a period is skipped.
    trip: u64,
    kernel: u64,
    now: u64,
    end: u64,
    free: Vec<u64>,
    /// By operation, by iteration modulo the depth: start, and number on its engine.
    past: Vec<Vec<(u64, u64)>>,
    issued: Vec<u64>,
    /// By engine, up to which command the stream knows of completion.
    known: Vec<u64>,
    /// By engine with a queue: when each of the last commands that fill it is complete, the oldest first.
    places: Vec<VecDeque<u64>>,
}

impl<'a> Run<'a> {
    fn new(machine: &'a Machine, trip: u64) -> Run<'a> {
        Run {
            machine,
            trip,
            kernel: 0,
            now: 0,
            end: 0,
            free: vec![0; machine.unobserved.len()],
            past: machine.tracks.iter().map(|track| vec![(0, 0); track.depth]).collect(),
            issued: vec![0; machine.unobserved.len()],
            known: vec![0; machine.unobserved.len()],
            places: machine
                .queues
                .iter()
                .map(|depth| vec![0; depth.unwrap_or(0)].into())
                .collect(),
        }
    }

    /// Runs one kernel iteration; notes the starts of the watched source iteration.
    fn step(&mut self, mut watched: Option<(u64, &mut Vec<u64>)>) {
        let machine = self.machine;
        for command in &machine.commands {
            let Some(iteration) = self.kernel.checked_sub(command.stage).filter(|&i| i < self.trip) else {
                continue;
            };
            let issue = self.now.max(self.ready(command, iteration));
            // The stream has paid for the issue when it finds the queue full.
            let places = command.engines.iter().filter_map(|&(r, _, _)| self.places[r].front());
            let room = places
                .map(|place| place.saturating_sub(command.control))
                .max()
                .unwrap_or(0);
            let issue = if command.blocking { issue } else { issue.max(room) };
            let engines = command.engines.iter();
            let start = engines
                .map(|&(r, offset, _)| self.free[r].saturating_sub(offset))
                .fold(issue, u64::max);
            for &(resource, offset, cycles) in &command.engines {
                self.free[resource] = start + offset + cycles;
                self.end = self.end.max(self.free[resource]);
                if self.places[resource].pop_front().is_some() {
                    self.places[resource].push_back(self.free[resource]);
                }
            }
            self.end = self.end.max(start + command.latency);
            self.now = if command.blocking { start } else { issue } + command.control;
            let mut number = 0;
            if let Some(engine) = machine.tracks[command.op].engine {
                self.issued[engine] += 1;
                number = self.issued[engine];
                if command.blocking {
                    self.known[engine] = number;
                }
            }
            let depth = machine.tracks[command.op].depth as u64;
            self.past[command.op][(iteration % depth) as usize] = (start, number);
            if let Some((watch, starts)) = &mut watched
                && *watch == iteration
            {
                starts[command.op] = start;
            }
        }
        self.now += machine.costs.back_edge;
        self.kernel += 1;
    }

    /// Leaves out as many whole periods as the run still has, and says how many cycles that is.
    fn skip(&mut self, (iterations, cycles): (u64, u64)) -> u64 {
        let times = (self.trip - self.kernel) / iterations;
        self.trip -= times * iterations;
        for (free, work) in self.free.iter_mut().zip(&self.machine.unobserved) {
            // The clock stays where it is, so what falls behind it moves away from it.
            if let Some(behind) = work.and_then(|work| (work * iterations).checked_sub(cycles))
                && *free > self.now
            {
                *free = free.saturating_add(behind.saturating_mul(times));
                self.end = self.end.max(*free);
            }
        }
        cycles.saturating_mul(times)
    }

    /// The cycle at which the command's dependences are met, its waits paid for: one for each engine with commands that the
    /// stream does not know to be complete, in the order of the engines' names. A wait's own cycles pass while the command runs.
    fn ready(&mut self, command: &Command, iteration: u64) -> u64 {
        let wait_cycles = self.machine.costs.wait;
        let mut ready = 0;
        // By engine: when the last command that is waited for is complete.
        let mut open: Vec<(usize, u64)> = vec![];
        for wait in &command.waits {
            let Some(source) = iteration.checked_sub(wait.distance) else {
                continue;
            };
            let depth = self.machine.tracks[wait.from].depth as u64;
            let (start, number) = self.past[wait.from][(source % depth) as usize];
            let complete = start + wait.latency;
            match self.machine.tracks[wait.from].engine.filter(|_| wait_cycles > 0) {
                None => ready = ready.max(complete),
                Some(engine) => match open.iter_mut().find(|(other, _)| *other == engine) {
                    Some((_, last)) => *last = (*last).max(complete),
                    None if number > self.known[engine] => open.push((engine, complete)),
                    None => {}
                },
            }
            if let Some(engine) = self.machine.tracks[wait.from].engine.filter(|_| wait_cycles > 0) {
                self.known[engine] = self.known[engine].max(number);
            }
        }
        open.sort_by_key(|&(engine, _)| self.machine.ranks[engine]);
        let waited = |now: u64, (_, complete): (usize, u64)| complete.max(now + wait_cycles);
        open.into_iter().fold(ready.max(self.now), waited)
    }

    /// All that the future depends on, relative to the stream's clock. What lies in the past has no effect and is 0.
    fn state(&self) -> Vec<u64> {
        let observed = self
            .free
            .iter()
            .zip(&self.machine.unobserved)
            .filter(|(_, work)| work.is_none());
        let mut state: Vec<u64> = observed.map(|(free, _)| free.saturating_sub(self.now)).collect();
        let places = self.places.iter().flatten();
        state.extend(places.map(|place| place.saturating_sub(self.now)));
        let counts_waits = self.machine.costs.wait > 0;
        for (track, past) in self.machine.tracks.iter().zip(&self.past) {
            // The latest instance before this kernel iteration, and those before it.
            for back in 0..track.depth as u64 {
                let Some(iteration) = self.kernel.checked_sub(1 + track.stage + back) else {
                    break;
                };
                let (start, number) = past[(iteration % track.depth as u64) as usize];
                state.push((start + track.reach).saturating_sub(self.now));
                if let Some(engine) = track.engine.filter(|_| counts_waits) {
                    state.push(number.saturating_sub(self.known[engine]));
                }
            }
        }
        state
    }
}
