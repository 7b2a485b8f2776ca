//! A problem with one alternative of each operation chosen: all that machines of plans with these alternatives have in
//! common. Plans of one search differ in stages, order and versions, and seldom in alternatives.

use std::collections::BTreeSet;
use std::rc::Rc;

use zpu_timing::{FlowId, Links};

use super::StreamCosts;
use super::facts::{Facts, Way};
use super::sharing::Sharing;
use crate::{Kind, OpId, Resource, ResourceId};

/// What is known before stages, order and versions are.
#[derive(Debug)]
pub(super) struct Assigned {
    pub(super) commands: Vec<Command>,
    /// The dependences and rings that the stream has to wait for, by the operation that waits.
    pub(super) waits: Vec<Vec<Awaited>>,
    /// Operations that others wait for.
    pub(super) awaited: Vec<usize>,
    /// Engines that plans use.
    pub(super) engines: Vec<usize>,
    /// By resource: its place among the names.
    pub(super) ranks: Rc<[usize]>,
    /// By resource: cycles of work an iteration, if the stream never waits for its commands.
    pub(super) unobserved: Vec<Option<u64>>,
    /// By resource: the number of commands that its queue holds, where that can matter.
    pub(super) queues: Rc<[Option<usize>]>,
    /// The links that transfers share.
    pub(super) links: Rc<Links>,
    /// By resource: its place among the engines with transfers on those links.
    pub(super) linked: Vec<Option<usize>>,
    /// The number of engines with transfers on those links.
    pub(super) linked_engines: usize,
    /// The least cycles of an iteration, by work that is not simulated in detail.
    pub(super) least: u64,
    /// The least cycles by which an iteration moves the stream's clock on.
    pub(super) stream: u64,
    /// By resource: cycles of work an iteration on an engine without transfers on shared links.
    pub(super) work: Vec<u64>,
    pub(super) costs: StreamCosts,
}

/// An operation, as engines and the stream see it.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) latency: u64,
    /// Cycles that the stream is held; from completion of the queue if blocking, else from issue.
    pub(super) control: u64,
    pub(super) blocking: bool,
    /// Resource, offset, cycles.
    pub(super) engines: Vec<(usize, u64, u64)>,
    /// The first of its engines.
    pub(super) engine: Option<usize>,
    /// Its link use, if its engine has transfers on shared links.
    pub(super) linked: Option<Linked>,
    /// Cycles from its start until its engine is free again, on an engine with transfers on shared links.
    pub(super) span: u64,
    /// Longest latency after which it still matters.
    pub(super) reach: u64,
    /// The condition under which it is carried out.
    pub(super) condition: Option<u32>,
}

/// A command as an engine with transfers on shared links sees it.
#[derive(Debug)]
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

/// A command that another one waits for.
#[derive(Debug)]
pub(super) struct Awaited {
    pub(super) from: usize,
    pub(super) distance: Distance,
    pub(super) latency: u64,
    /// True if both have the same condition.
    pub(super) alike: bool,
}

/// Iterations from a command to one that waits for it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Distance {
    Iterations(u64),
    /// The versions of that buffer.
    Ring(usize),
}

impl Assigned {
    pub(super) fn new(facts: &Facts<'_>, chosen: &[u32]) -> Assigned {
        let problem = facts.problem;
        let count = problem.operations.len();
        let resources = problem.resources.len();
        let way = |op: usize| facts.ways(OpId(op as u32))[chosen[op] as usize];
        let alternative = |op: usize| &problem.operations[op].alternatives[chosen[op] as usize];
        let waits = waits(facts, way);
        let mut reach = vec![0; count];
        let mut awaited = BTreeSet::new();
        for wait in waits.iter().flatten() {
            reach[wait.from] = wait.latency.max(reach[wait.from]);
            awaited.insert(wait.from);
        }
        let sharing = Sharing::of(facts, chosen);
        let linked: Vec<Option<usize>> = (0..resources).map(|r| sharing.engines.get(&r).copied()).collect();
        let command = |op: usize| {
            let Way {
                latency,
                engine,
                held,
                blocking,
                ..
            } = way(op);
            let uses = alternative(op).uses.iter().filter(|used| facts.is_engine(used));
            let engines: Vec<_> = uses.map(|u| (u.resource.index(), u.offset, u.cycles)).collect();
            let mut span = 0;
            let on_link = engines.first().and_then(|&(resource, offset, cycles)| {
                span = offset + cycles;
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
                latency,
                control: held,
                blocking: blocking > 0,
                engines,
                engine,
                linked: on_link,
                span,
                reach: reach[op],
                condition: problem.operations[op].condition,
            }
        };
        let commands: Vec<Command> = (0..count).map(command).collect();
        let mut unobserved = unobserved(facts, &commands, &awaited);
        // Such engines are simulated in detail, so the state holds their lag.
        let mut least = shared_work(facts, chosen, &sharing.resources);
        for &resource in sharing.engines.keys() {
            least = least.max(unobserved[resource].take().unwrap_or(0));
        }
        let mut work = vec![0u64; resources];
        for command in commands.iter().filter(|command| command.linked.is_none()) {
            for &(engine, _, cycles) in &command.engines {
                work[engine] = work[engine].saturating_add(cycles);
            }
        }
        let issue = commands.iter().map(|command| command.control);
        let stream = issue.fold(facts.costs.back_edge, u64::saturating_add);
        let taken = commands.iter().flat_map(|command| &command.engines);
        let engines: BTreeSet<usize> = taken.map(|&(engine, ..)| engine).collect();
        Assigned {
            commands,
            waits,
            awaited: awaited.into_iter().collect(),
            engines: engines.into_iter().collect(),
            ranks: Rc::clone(&facts.ranks),
            unobserved,
            queues: Rc::clone(&facts.queues),
            links: Rc::new(sharing.links),
            linked,
            linked_engines: sharing.engines.len(),
            least,
            stream,
            work,
            costs: facts.costs,
        }
    }
}

/// By operation: the dependences on it that the stream sees to, then the rings, in the order of the problem.
fn waits(facts: &Facts<'_>, way: impl Fn(usize) -> Way) -> Vec<Vec<Awaited>> {
    let problem = facts.problem;
    let cyclic = problem.kind == Kind::Cyclic;
    let mut waits: Vec<Vec<Awaited>> = problem.operations.iter().map(|_| vec![]).collect();
    let mut add = |from: OpId, to: OpId, latency: Option<i64>, distance: Distance| {
        let (first, then) = (way(from.index()), way(to.index()));
        if !facts.needs_wait((&first, &then), latency) {
            return;
        }
        let condition = |op: OpId| problem.operations[op.index()].condition;
        waits[to.index()].push(Awaited {
            from: from.index(),
            distance,
            latency: latency.map_or(first.latency, |latency| latency as u64),
            alike: condition(from).is_some() && condition(from) == condition(to),
        });
    };
    for dependence in &problem.dependences {
        let distance = if cyclic { dependence.distance.into() } else { 0 };
        let distance = Distance::Iterations(distance);
        add(dependence.from, dependence.to, dependence.latency, distance);
    }
    for (index, buffer) in problem.buffers.iter().enumerate().filter(|_| cyclic) {
        for &reader in &buffer.readers {
            for &writer in &buffer.writers {
                add(reader, writer, None, Distance::Ring(index));
            }
        }
    }
    waits
}

/// Per engine, its work an iteration if none of its commands blocks or is waited for; commands that take several
/// engines tie them together.
fn unobserved(facts: &Facts<'_>, commands: &[Command], awaited: &BTreeSet<usize>) -> Vec<Option<u64>> {
    // A queue that fills up holds the stream.
    let mut observed: Vec<bool> = facts.queues.iter().map(Option::is_some).collect();
    let mut work = vec![0u64; observed.len()];
    for (op, command) in commands.iter().enumerate() {
        let several = command.engines.len() > 1;
        for &(engine, _, cycles) in &command.engines {
            work[engine] += cycles;
            observed[engine] |= several || awaited.contains(&op) || command.blocking;
        }
    }
    work.into_iter()
        .zip(observed)
        .map(|(work, observed)| (!observed).then_some(work))
        .collect()
}

/// Cycles an iteration that the resources of larger capacity need for their work, the largest of them.
fn shared_work(facts: &Facts<'_>, chosen: &[u32], but: &[usize]) -> u64 {
    let problem = facts.problem;
    let control = facts.control.map(ResourceId::index);
    let mut work = vec![0u64; problem.resources.len()];
    for (operation, &chosen) in problem.operations.iter().zip(chosen) {
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
