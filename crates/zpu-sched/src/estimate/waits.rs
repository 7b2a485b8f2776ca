//! The dependences that the stream has to wait for, those that are left to queues, and the bounds of all plans that
//! follow.

use std::collections::{BTreeMap, BTreeSet};

use super::StreamCosts;
use crate::graph::{Arc, Graph};
use crate::{Alternative, Dependence, Kind, OpId, Problem, Use};

/// True if the use is that of an engine; one of no cycles takes no time of it, but has its place in the queue.
pub(super) fn is_engine(problem: &Problem, used: &crate::Use) -> bool {
    let is_control = problem.control().is_some_and(|control| control == used.resource);
    let resource = &problem.resources[used.resource.index()];
    !is_control && resource.capacity == 1 && !resource.shared
}

/// The only engine of a way to carry out an operation.
fn only_engine(problem: &Problem, alternative: &Alternative) -> Option<Use> {
    let mut engines = alternative.uses.iter().filter(|used| is_engine(problem, used));
    engines.next().copied().filter(|_| engines.next().is_none())
}

/// True if the stream has to see that a dependence between commands that are carried out in these ways is met: not when
/// both are in the trusted queue of one engine, which is busy with the first until its result is there.
pub(super) fn needs_wait(
    problem: &Problem,
    (from, to): (&Alternative, &Alternative),
    latency: Option<i64>,
    costs: StreamCosts,
) -> bool {
    // A negative latency is a deadline, which needs no wait.
    let Ok(latency) = latency.map_or(Ok(from.latency), u64::try_from) else {
        return false;
    };
    if !costs.trust_queues {
        return true;
    }
    match (only_engine(problem, from), only_engine(problem, to)) {
        (Some(from), Some(to)) => from.resource != to.resource || latency > from.end(),
        _ => true,
    }
}

/// The problem with the dependences that are left to trusted queues relaxed to what a queue keeps: the second command
/// gets to the engine when the first one is done with it, so it may be issued that much earlier. Rings in which that
/// matters become dependences, with as many versions as are allowed. Bounds of this problem are bounds of plans.
pub(crate) fn as_queues_keep_it(problem: &Problem, costs: StreamCosts) -> Problem {
    let mut kept = problem.clone();
    if !costs.trust_queues {
        return kept;
    }
    let ways = |op: OpId| &problem.operations[op.index()].alternatives;
    let latency = |from: OpId, to: OpId, latency: Option<i64>| {
        let mut shorter = false;
        let mut least = i64::MAX;
        for (a, b) in ways(from).iter().flat_map(|a| ways(to).iter().map(move |b| (a, b))) {
            let full = latency.unwrap_or(a.latency as i64);
            let queued = only_engine(problem, a).zip(only_engine(problem, b));
            let queued = queued.filter(|_| full >= 0 && !needs_wait(problem, (a, b), latency, costs));
            let queued = queued.map(|(a, b)| a.end() as i64 - b.offset as i64);
            shorter |= queued.is_some_and(|queued| queued < full);
            least = least.min(queued.map_or(full, |queued| queued.min(full)));
        }
        shorter.then_some(least)
    };
    for dependence in &mut kept.dependences {
        if let Some(shorter) = latency(dependence.from, dependence.to, dependence.latency) {
            dependence.latency = Some(shorter);
        }
    }
    let cyclic = problem.kind == Kind::Cyclic;
    for buffer in problem.buffers.iter().filter(|_| cyclic) {
        let pairs = || {
            buffer
                .readers
                .iter()
                .flat_map(|r| buffer.writers.iter().map(move |w| (*r, *w)))
        };
        let Some(distance) = buffer.max_versions else { continue };
        if pairs().all(|(reader, writer)| latency(reader, writer, None).is_none()) {
            continue;
        }
        kept.buffers.retain(|other| other.name != buffer.name);
        kept.dependences.extend(pairs().map(|(from, to)| Dependence {
            from,
            to,
            latency: latency(from, to, None),
            distance,
        }));
    }
    kept
}

/// Waits of an iteration that no plan of the loop does without.
///
/// The least number of waits of an iteration. The stream knows of completions on an engine without blocking commands
/// only by waits. In the steady state each iteration has the same ones, and new commands to know of: so there is one
/// wait for each engine that is waited for at all, and where only conditional commands wait for an engine, one for each
/// of their conditions.
pub(crate) fn least_waits(problem: &Problem, costs: StreamCosts) -> u64 {
    let blocking = problem.blocking();
    let engine = |alternative: &Alternative| {
        let mut engines = alternative.uses.iter().filter(|used| is_engine(problem, used));
        engines.next().map(|used| used.resource.index())
    };
    let mut blocked = BTreeSet::new();
    for (operation, blocking) in problem.operations.iter().zip(&blocking) {
        let held = operation
            .alternatives
            .iter()
            .zip(blocking)
            .filter(|(_, held)| **held > 0);
        blocked.extend(held.filter_map(|(alternative, _)| engine(alternative)));
    }
    let ways = |op: usize| &problem.operations[op].alternatives;
    // The engine that the stream certainly waits for, whatever is chosen.
    let awaited = |arc: &Arc| {
        let at = engine(ways(arc.from).first()?)?;
        let stays = ways(arc.from).iter().all(|way| engine(way) == Some(at)) && !blocked.contains(&at);
        let mut pairs = ways(arc.from)
            .iter()
            .flat_map(|from| ways(arc.to).iter().map(move |to| (from, to)));
        (stays && pairs.all(|pair| needs_wait(problem, pair, arc.latency, costs))).then_some(at)
    };
    let mut waiting: BTreeMap<usize, BTreeSet<Option<u32>>> = BTreeMap::new();
    // Engines of which the stream may learn by a wait that certainly takes place, enough for all.
    let mut learned = BTreeSet::new();
    for arc in &Graph::widest(problem).arcs {
        if let Some(engine) = awaited(arc) {
            waiting
                .entry(engine)
                .or_default()
                .insert(problem.operations[arc.to].condition);
        }
        if problem.operations[arc.to].condition.is_none() {
            learned.extend(ways(arc.from).iter().filter_map(engine));
        }
    }
    let least = |(engine, conditions): (&usize, &BTreeSet<Option<u32>>)| match learned.contains(engine) {
        true => 1,
        false => conditions.len() as u64,
    };
    waiting.iter().map(least).sum()
}
