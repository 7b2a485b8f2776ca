//! A plan made ready to run: its commands in order, what each waits for, and what must be remembered of each.

use std::collections::BTreeSet;
use std::rc::Rc;

use zpu_timing::{FlowId, Links};

use super::repeats::Repeats;
use super::run::Run;
use super::sharing::Sharing;
use super::waits::{is_engine, needs_wait};
use super::{Rate, StreamCosts};
use crate::graph::{Arc, Graph};
use crate::order::sequence;
use crate::{Plan, Problem, Resource};

/// Queues that hold more commands are taken to be endless.
const LONGEST_QUEUE: usize = 64;

/// A plan made ready to run.
pub(crate) struct Machine {
    pub(super) commands: Vec<Command>,
    /// The track of each operation.
    pub(super) tracks: Vec<Track>,
    /// Operations that others wait for.
    pub(super) awaited: Vec<usize>,
    /// The number of conditions; a condition counts once in each stage.
    pub(super) conditions: usize,
    /// By resource: the number of commands back up to which instances are still needed.
    pub(super) observed: Vec<u64>,
    /// Engines that the plan uses.
    pub(super) engines: Vec<usize>,
    /// By resource: its place among the names.
    pub(super) ranks: Vec<usize>,
    /// By resource: cycles of work an iteration, if the stream never waits for its commands.
    pub(super) unobserved: Vec<Option<u64>>,
    /// By resource: the number of commands that its queue holds, where that can matter.
    pub(super) queues: Vec<Option<usize>>,
    /// The links that transfers share.
    pub(super) links: Rc<Links>,
    /// By resource: its place among the engines with transfers on those links.
    pub(super) linked: Vec<Option<usize>>,
    /// The least cycles of an iteration, by work that is not simulated in detail.
    least: u64,
    pub(super) last_stage: u64,
    pub(super) costs: StreamCosts,
}

pub(super) struct Command {
    pub(super) op: usize,
    pub(super) stage: u64,
    pub(super) latency: u64,
    /// Cycles that the stream is held; from completion of the queue if blocking, else from issue.
    pub(super) control: u64,
    pub(super) blocking: bool,
    /// Resource, offset, cycles.
    pub(super) engines: Vec<(usize, u64, u64)>,
    /// Its link use, if its engine has transfers on shared links.
    pub(super) linked: Option<Linked>,
    pub(super) waits: Vec<Wait>,
    /// Its place among the stages' conditions.
    pub(super) condition: Option<usize>,
}

/// A command as such an engine sees it.
pub(super) struct Linked {
    /// The engine's place among those.
    pub(super) engine: usize,
    /// Cycles on the engine before its bytes move, which sharing does not slow down.
    pub(super) alone: u64,
    /// Cycles after them on links.
    pub(super) shared: u64,
    /// Its demand on the links; none if it moves no bytes on them.
    pub(super) flow: Option<FlowId>,
}

pub(super) struct Wait {
    pub(super) from: usize,
    pub(super) distance: u64,
    pub(super) latency: u64,
    /// True if the wait takes place exactly if the command that it waits for does: in the same iteration and stage,
    /// under the same condition.
    pub(super) together: bool,
}

/// Past instances of an operation that are still needed.
pub(super) struct Track {
    pub(super) stage: u64,
    /// Instances that are looked back at.
    pub(super) depth: u64,
    /// The place of its first instance among those of all operations.
    pub(super) base: usize,
    /// The number of instances that are kept, a power of two, less 1.
    mask: u64,
    /// Longest latency after which one still matters.
    pub(super) reach: u64,
    /// Cycles from its start until its engine is free again, on an engine with transfers on shared links.
    pub(super) span: u64,
    pub(super) latency: u64,
    pub(super) engine: Option<usize>,
    pub(super) conditional: bool,
}

impl Track {
    /// The place of an iteration's instance.
    pub(super) fn place(&self, iteration: u64) -> usize {
        self.base + (iteration & self.mask) as usize
    }
}

impl Machine {
    pub(crate) fn new(problem: &Problem, plan: &Plan, costs: StreamCosts) -> Machine {
        let versions: Vec<Option<u32>> = plan.versions.iter().map(|&v| Some(v)).collect();
        let graph = Graph::new(problem, &versions);
        let control = problem.control();
        let chosen = |op: usize| &problem.operations[op].alternatives[plan.chosen[op] as usize];
        let is_engine = |used: &&crate::Use| is_engine(problem, used);
        let condition = |op: usize| problem.operations[op].condition;
        let mut tracks: Vec<Track> = (0..plan.stage.len())
            .map(|op| Track {
                stage: plan.stage[op].into(),
                depth: 1,
                base: 0,
                mask: 0,
                reach: 0,
                span: 0,
                latency: chosen(op).latency,
                engine: chosen(op).uses.iter().find(is_engine).map(|u| u.resource.index()),
                conditional: problem.operations[op].condition.is_some(),
            })
            .collect();
        let conditions: BTreeSet<(u32, u32)> = (0..plan.stage.len())
            .filter_map(|op| Some((problem.operations[op].condition?, plan.stage[op])))
            .collect();
        let mut waits: Vec<Vec<Wait>> = tracks.iter().map(|_| vec![]).collect();
        for arc in graph
            .arcs
            .iter()
            .filter(|arc| needs_wait(problem, (chosen(arc.from), chosen(arc.to)), arc.latency, costs))
        {
            let latency = arc.latency.map_or(chosen(arc.from).latency, |latency| latency as u64);
            let distance = arc.distance as u64;
            let gap = u64::from(plan.stage[arc.to]) + distance - u64::from(plan.stage[arc.from]);
            let track = &mut tracks[arc.from];
            track.depth = track.depth.max(gap + 1);
            track.reach = track.reach.max(latency);
            waits[arc.to].push(Wait {
                from: arc.from,
                distance,
                latency,
                together: gap == 0
                    && distance == 0
                    && condition(arc.from).is_some()
                    && condition(arc.from) == condition(arc.to),
            });
        }
        let awaited = waits
            .iter()
            .flatten()
            .map(|wait| wait.from)
            .collect::<BTreeSet<usize>>();
        let mut base = 0;
        for track in &mut tracks {
            let kept = track.depth.next_power_of_two();
            (track.base, track.mask) = (base, kept - 1);
            base += kept as usize;
        }
        let blocking = problem.blocking();
        let blocks = |op: usize| blocking[op][plan.chosen[op] as usize] > 0;
        let sharing = Sharing::of(problem, plan);
        let place = |resource: usize| sharing.engines.get(&resource).copied();
        let linked: Vec<Option<usize>> = (0..problem.resources.len()).map(place).collect();
        let mut unobserved = unobserved(problem, plan, &graph, costs, &blocks);
        // Such engines are simulated in detail, so the state holds their lag.
        let mut least = shared_work(problem, plan, &sharing.resources);
        for &resource in sharing.engines.keys() {
            least = least.max(unobserved[resource].take().unwrap_or(0));
        }
        let queues = problem.resources.iter().map(queue).collect();
        let commands = sequence(&plan.order).into_iter().map(|op| {
            let alternative = chosen(op);
            let held = alternative
                .uses
                .iter()
                .filter(|u| Some(u.resource) == control && u.cycles > 0);
            let held = held.map(crate::Use::end).max().unwrap_or(0);
            let engines = alternative.uses.iter().filter(is_engine);
            let engines: Vec<_> = engines.map(|u| (u.resource.index(), u.offset, u.cycles)).collect();
            let on_link = engines.first().and_then(|&(resource, offset, cycles)| {
                tracks[op].span = offset + cycles;
                let transfer = sharing.transfers[op];
                let (begin, shared) = transfer.map_or((offset + cycles, 0), |(begin, shared, _)| (begin, shared));
                Some(Linked {
                    engine: linked[resource]?,
                    alone: begin.saturating_sub(offset).min(cycles),
                    shared: shared.min(cycles),
                    flow: transfer.map(|(_, _, flow)| flow),
                })
            });
            Command {
                op,
                stage: plan.stage[op].into(),
                latency: alternative.latency,
                control: held,
                blocking: blocks(op),
                engines,
                linked: on_link,
                waits: std::mem::take(&mut waits[op]),
                condition: problem.operations[op].condition.and_then(|condition| {
                    conditions
                        .iter()
                        .position(|known| *known == (condition, plan.stage[op]))
                }),
            }
        });
        let commands: Vec<Command> = commands.collect();
        let observed = observed(&tracks, &awaited, problem.resources.len());
        let taken = commands.iter().flat_map(|command| &command.engines);
        let engines = taken.map(|&(engine, ..)| engine).collect::<BTreeSet<usize>>();
        Machine {
            commands,
            awaited: awaited.into_iter().collect(),
            observed,
            conditions: conditions.len(),
            engines: engines.into_iter().collect(),
            ranks: ranks(problem),
            unobserved,
            queues,
            least,
            links: Rc::new(sharing.links),
            linked,
            last_stage: plan.stage.iter().max().copied().unwrap_or(0).into(),
            tracks,
            costs,
        }
    }

    /// The steady rate, and the cycles of `trip` iterations.
    pub(crate) fn measure(&self, trip: u64) -> (Rate, u64) {
        let (seen, cycles) = self.run(Some(trip));
        (seen.unwrap_or_else(|| self.steady()), cycles)
    }

    /// The steady rate.
    pub(crate) fn steady(&self) -> Rate {
        self.run(None).0.unwrap_or_default()
    }

    /// Cycles of `trip` iterations.
    pub(crate) fn cycles(&self, trip: u64) -> u64 {
        self.run(Some(trip)).1
    }

    /// The start of each operation after the first start of its iteration, in the steady state.
    pub(crate) fn starts(&self) -> Vec<u64> {
        let mut starts = vec![0; self.commands.len()];
        if starts.is_empty() {
            return starts;
        }
        let mut run = Run::new(self, u64::MAX / 2);
        let mut repeats = Repeats::default();
        while run.kernel < self.last_stage || (repeats.looks() < self.limit() && repeats.look(&run).is_none()) {
            run.step(None);
        }
        let watched = run.kernel;
        while run.kernel <= watched + self.last_stage {
            run.step(Some((watched, &mut starts)));
        }
        let first = starts.iter().min().copied().unwrap_or(0);
        starts.iter_mut().for_each(|start| *start -= first);
        starts
    }

    /// The rate if the run is long enough to see it, and the cycles of `trip` iterations; without a number of them,
    /// only the rate.
    fn run(&self, trip: Option<u64>) -> (Option<Rate>, u64) {
        if self.commands.is_empty() {
            let cycles = self.costs.back_edge;
            let rate = Rate {
                cycles,
                ..Rate::default()
            };
            return (Some(rate), trip.unwrap_or(0).saturating_mul(cycles));
        }
        if trip == Some(0) {
            return (None, 0);
        }
        let mut run = Run::new(self, trip.unwrap_or(u64::MAX / 2));
        let mut repeats = Repeats::default();
        let (mut rate, mut skipped) = (None, 0);
        // By look: the stream's clock, and when everything is complete.
        let mut past: Vec<(u64, u64)> = vec![];
        while run.kernel < run.trip + self.last_stage {
            if rate.is_none() && run.kernel >= self.last_stage && run.kernel < run.trip {
                past.push((run.now, run.end.max(run.now)));
                let period = if let Some(period) = repeats.look(&run) {
                    rate = Some(self.exact_rate(period));
                    Some(period)
                } else if repeats.looks() == self.limit() {
                    // A rate that is not exact; the alternative is to run for as long as the loop does.
                    let (half, last) = (past[past.len() / 2], past[past.len() - 1]);
                    let iterations = (past.len() - 1 - past.len() / 2) as u64;
                    rate = Some(Rate {
                        cycles: (last.1 - half.1).max(self.least * iterations),
                        iterations,
                        exact: false,
                    });
                    Some((iterations, last.0 - half.0))
                } else {
                    None
                };
                match (period, trip) {
                    (Some(_), None) => return (rate, 0),
                    (Some(period), Some(_)) => skipped = run.skip(period),
                    (None, _) => {}
                }
            }
            run.step(None);
        }
        run.finish();
        let end = run.end.max(run.now).saturating_add(skipped);
        let least = trip.map_or(0, |trip| self.least.saturating_mul(trip));
        (rate, end.max(least))
    }

    fn exact_rate(&self, (iterations, cycles): (u64, u64)) -> Rate {
        let work = self.unobserved.iter().flatten().map(|work| work * iterations);
        Rate {
            cycles: work.fold(cycles.max(self.least * iterations), u64::max),
            iterations,
            exact: true,
        }
    }

    /// Kernel iterations after which the search for a repeated state ends.
    fn limit(&self) -> usize {
        (1_000_000 / self.commands.len()).clamp(16, 256)
    }
}

/// Per engine, its work an iteration if none of its commands blocks or is waited for; commands that take several
/// engines tie them together.
fn unobserved(
    problem: &Problem,
    plan: &Plan,
    graph: &Graph,
    costs: StreamCosts,
    blocks: &dyn Fn(usize) -> bool,
) -> Vec<Option<u64>> {
    let chosen = |op: usize| &problem.operations[op].alternatives[plan.chosen[op] as usize];
    let uses = |op: usize| &chosen(op).uses;
    // A queue that fills up holds the stream.
    let mut observed: Vec<bool> = problem.resources.iter().map(|r| queue(r).is_some()).collect();
    let mut work = vec![0u64; problem.resources.len()];
    for op in 0..plan.stage.len() {
        let engines = uses(op).iter().filter(|used| is_engine(problem, used));
        let several = engines.clone().count() > 1;
        let mut leaving = graph.leaving[op].iter().map(|&arc| &graph.arcs[arc as usize]);
        let needed = |arc: &Arc| needs_wait(problem, (chosen(arc.from), chosen(arc.to)), arc.latency, costs);
        let waited_for = leaving.any(needed);
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

/// The number of commands that the resource's queue holds, if it is small enough to matter.
fn queue(resource: &Resource) -> Option<usize> {
    let depth = resource.queue?.max(1) as usize;
    (depth <= LONGEST_QUEUE).then_some(depth)
}

/// Cycles an iteration that the resources of larger capacity need for their work, the largest of them.
fn shared_work(problem: &Problem, plan: &Plan, but: &[usize]) -> u64 {
    let control = problem.control().map(crate::ResourceId::index);
    let mut work = vec![0u64; problem.resources.len()];
    for (operation, &chosen) in problem.operations.iter().zip(&plan.chosen) {
        for used in &operation.alternatives[chosen as usize].uses {
            let sum = &mut work[used.resource.index()];
            *sum = sum.saturating_add(used.cycles.saturating_mul(used.amount.into()));
        }
    }
    let each = problem.resources.iter().zip(work).enumerate();
    let counts =
        |index: usize, r: &Resource| (r.capacity > 1 || r.shared) && control != Some(index) && !but.contains(&index);
    let cycles = each
        .filter(|(index, (r, _))| counts(*index, r))
        .map(|(_, (r, work))| work.div_ceil(r.capacity.into()));
    cycles.max().unwrap_or(0)
}

/// By resource: the number of commands back to the oldest kernel iteration whose instances are needed.
fn observed(tracks: &[Track], awaited: &BTreeSet<usize>, resources: usize) -> Vec<u64> {
    let (mut each, mut furthest) = (vec![0u64; resources], vec![0u64; resources]);
    for (op, track) in tracks.iter().enumerate() {
        if let Some(engine) = track.engine {
            each[engine] += 1;
            if awaited.contains(&op) {
                furthest[engine] = furthest[engine].max(track.depth);
            }
        }
    }
    each.into_iter()
        .zip(furthest)
        .map(|(each, back)| each.saturating_mul(back))
        .collect()
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
