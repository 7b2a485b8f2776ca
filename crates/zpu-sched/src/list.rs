//! The `list` scheduler: the fixed stage and order assignment of TileLang's pipeline planner.
//!
//! Loads, and the operations that only feed them, are in stage 0; everything else is in stage `num_stages`, in source
//! order. A load is placed directly after the last reader of its data, so that the reader frees the version before it
//! is loaded again. If all loads end up after everything else and there are at least two stages, they move to the
//! front, and the others one stage down.
//!
//! Objective: none, so it may be worse than `serial`: a caller that asks for fixed stages gets them. Guarantee: where
//! the assignment breaks a dependence or a limit of versions or bytes, the loads involved stay with the computation; if
//! that is not enough, the plan is the serial one, and the note says so.

use crate::candidate::{Candidate, candidate};
use crate::graph::Graph;
use crate::work::Work;
use crate::{Note, OpId, PlanError, Problem};

/// The fixed assignment, repaired where it is not legal.
pub(crate) fn list(work: &Work<'_>, serial: Candidate) -> (Candidate, Option<Note>) {
    let options = work.options;
    let mut early = early_operations(work, &options.loads);
    let mut kept = vec![];
    loop {
        if !early.contains(&true) || options.num_stages == 0 {
            let asked = !options.loads.is_empty() && options.num_stages > 0;
            return (serial, asked.then_some(Note::FellBackToSerial));
        }
        let (stage, order) = assign(work, &early);
        match offenders(work, &stage, &order, &early) {
            Some(offenders) => {
                for op in offenders {
                    early[op] = false;
                    kept.push(OpId(op as u32));
                }
            }
            None => match candidate(&work.facts, options, stage, order, work.chosen.clone(), u64::MAX) {
                Ok(found) => {
                    kept.retain(|op| options.loads.contains(op));
                    return (found, (!kept.is_empty()).then_some(Note::LoadsKept(kept)));
                }
                Err(PlanError::Space { .. }) => {
                    let last = early.iter().rposition(|&e| e).unwrap_or(0);
                    early[last] = false;
                    kept.push(OpId(last as u32));
                }
                Err(_) => return (serial, Some(Note::FellBackToSerial)),
            },
        }
    }
}

/// Loads, and transitively what only computes their inputs.
fn early_operations(work: &Work<'_>, loads: &[OpId]) -> Vec<bool> {
    let touched = touched(work);
    let mut early = vec![false; work.count()];
    let mut open: Vec<usize> = loads
        .iter()
        .map(|op| op.index())
        .filter(|&op| op < work.count())
        .collect();
    while let Some(op) = open.pop() {
        if !std::mem::replace(&mut early[op], true) {
            let feeding = work.graph.entering[op].iter().map(|&arc| work.graph.arcs[arc as usize]);
            open.extend(
                feeding
                    .filter(|arc| arc.distance == 0 && feeds(work.problem, &touched, arc.from, op))
                    .map(|arc| arc.from),
            );
        }
    }
    early
}

/// The buffers that each operation writes or reads.
fn touched(work: &Work<'_>) -> Vec<Vec<usize>> {
    let mut touched = vec![vec![]; work.count()];
    for (index, buffer) in work.problem.buffers.iter().enumerate() {
        for op in buffer.writers.iter().chain(&buffer.readers) {
            touched[op.index()].push(index);
        }
    }
    touched
}

/// True if `to` needs what `from` computes; a dependence between operations that share no buffer counts as a need.
fn feeds(problem: &Problem, touched: &[Vec<usize>], from: usize, to: usize) -> bool {
    let (writer, reader) = (OpId(from as u32), OpId(to as u32));
    let mut shared = touched[from]
        .iter()
        .filter(|buffer| touched[to].contains(buffer))
        .peekable();
    shared.peek().is_none()
        || shared.any(|&index| {
            let buffer = &problem.buffers[index];
            buffer.writers.contains(&writer) && buffer.readers.contains(&reader)
        })
}

fn assign(work: &Work<'_>, early: &[bool]) -> (Vec<u32>, Vec<u32>) {
    let count = work.count();
    let last_use = last_uses(work, early);
    let mut loads_after = vec![vec![]; count];
    for load in (0..count).filter(|&load| early[load]) {
        if let Some(op) = last_use[load] {
            loads_after[op].push(load);
        }
    }
    let (mut stage, mut order, mut next) = (vec![0; count], vec![0; count], 0);
    let mut put = |op: usize, in_stage: u32| {
        (stage[op], order[op]) = (in_stage, next);
        next += 1;
    };
    for op in 0..count {
        if early[op] && last_use[op].is_some() {
            continue;
        }
        put(op, if early[op] { 0 } else { work.options.num_stages });
        for &load in &loads_after[op] {
            put(load, 0);
        }
    }
    let first_early = (0..count).filter(|&op| early[op]).map(|op| order[op]).min();
    let last_other = (0..count).filter(|&op| !early[op]).map(|op| order[op]).max();
    let trailing = early.iter().filter(|&&e| e).count() as u32;
    if first_early > last_other && last_other.is_some() && work.options.num_stages >= 2 {
        for op in 0..count {
            order[op] = (order[op] + trailing) % count as u32;
            stage[op] -= u32::from(!early[op]);
        }
    }
    (stage, order)
}

/// For each early operation, the last operation in source order that is not early and needs it, directly or through
/// other early ones.
fn last_uses(work: &Work<'_>, early: &[bool]) -> Vec<Option<usize>> {
    let mut last: Vec<Option<usize>> = vec![None; work.count()];
    for _ in 0..work.count() {
        let mut changed = false;
        for arc in work
            .graph
            .arcs
            .iter()
            .filter(|arc| arc.distance == 0 && arc.orders() && early[arc.from])
        {
            let used = if early[arc.to] { last[arc.to] } else { Some(arc.to) };
            if used > last[arc.from] {
                last[arc.from] = used;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    last
}

/// Early operations that take part in a dependence or ring which the assignment breaks; `None` if it breaks none.
fn offenders(work: &Work<'_>, stage: &[u32], order: &[u32], early: &[bool]) -> Option<Vec<usize>> {
    let graph: &Graph = &work.graph;
    let when = |op: usize, later: i64| (i64::from(stage[op]) + later, order[op]);
    let broken = graph
        .arcs
        .iter()
        .find(|a| a.orders() && when(a.from, 0) >= when(a.to, a.distance))?;
    let mut ends: Vec<usize> = [broken.from, broken.to].into_iter().filter(|&op| early[op]).collect();
    if ends.is_empty() {
        // Only the source order of the others can be at fault, and no change of stages mends that.
        ends = (0..early.len()).filter(|&op| early[op]).collect();
    }
    ends.dedup();
    Some(ends)
}
