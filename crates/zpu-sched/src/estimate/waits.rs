//! The dependences that the stream has to wait for, those that are left to queues, and the bounds of all plans that
//! follow.

use std::collections::{BTreeMap, BTreeSet};

use super::StreamCosts;
use super::facts::Facts;
use crate::graph::{Arc, Graph};
use crate::{Dependence, Kind, OpId, Problem};

/// The problem with the dependences that are left to trusted queues relaxed to what a queue keeps: the second command
/// gets to the engine when the first one is done with it, so it may be issued that much earlier. Rings in which that
/// matters become dependences, with as many versions as are allowed. Bounds of this problem are bounds of plans.
pub(crate) fn as_queues_keep_it(problem: &Problem, costs: StreamCosts) -> Problem {
    let mut kept = problem.clone();
    if !costs.trust_queues {
        return kept;
    }
    let facts = Facts::new(problem, costs);
    let latency = |from: OpId, to: OpId, latency: Option<i64>| {
        let mut shorter = false;
        let mut least = i64::MAX;
        let pairs = facts
            .ways(from)
            .iter()
            .flat_map(|a| facts.ways(to).iter().map(move |b| (a, b)));
        for (a, b) in pairs {
            let full = latency.unwrap_or(a.latency as i64);
            let queued = a.only.zip(b.only);
            let queued = queued.filter(|_| full >= 0 && !facts.needs_wait((a, b), latency));
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
    let facts = Facts::new(problem, costs);
    let ways = |op: usize| facts.ways(OpId(op as u32));
    let all = problem.op_ids().flat_map(|op| facts.ways(op));
    let blocked: BTreeSet<usize> = all
        .filter(|way| way.blocking > 0)
        .filter_map(|way| way.engine)
        .collect();
    // The engine that the stream certainly waits for, whatever is chosen.
    let awaited = |arc: &Arc| {
        let at = ways(arc.from).first()?.engine?;
        let stays = ways(arc.from).iter().all(|way| way.engine == Some(at)) && !blocked.contains(&at);
        let mut pairs = ways(arc.from)
            .iter()
            .flat_map(|from| ways(arc.to).iter().map(move |to| (from, to)));
        (stays && pairs.all(|pair| facts.needs_wait(pair, arc.latency))).then_some(at)
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
            learned.extend(ways(arc.from).iter().filter_map(|way| way.engine));
        }
    }
    let least = |(engine, conditions): (&usize, &BTreeSet<Option<u32>>)| match learned.contains(engine) {
        true => 1,
        false => conditions.len() as u64,
    };
    waiting.iter().map(least).sum()
}
