//! The reason why the buffers of a space do not fit.
//!
//! Invariant: a subset that is called irreducible does not fit, and without any one of its buffers it does.

use super::exact::{self, Answer};
use super::form::{Form, Shape};
use super::packing::Packing;
use super::plan::{Effort, load_of, solve};
use super::problem::{BufferId, Problem, SpaceId};
use crate::budget::Budget;

/// Nodes of the exact search for each subset that is looked at.
const NODES: u64 = 20_000;
/// Most buffers of which a subset is searched for, if the load alone does not tell.
const MOST_BUFFERS: usize = 512;

/// Why buffers do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// More bytes are alive at one time than there are.
    Load,
    /// The bytes alive would fit at all times, but not at one address each: alignment, pinned buffers, banks, rings or
    /// lives that interlock leave gaps.
    Fragmentation,
    /// They fit, or nothing was found and nothing proven.
    Unknown,
}

/// The items of a space that do not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The space.
    pub space: SpaceId,
    /// The bytes that there should be enough of.
    pub capacity: u64,
    /// The most bytes alive at one time.
    pub load: u64,
    /// The first such time, within the period if there is one.
    pub at: u64,
    /// The buffers alive then, with the bytes of all their instances that are, the largest first.
    pub alive: Vec<(BufferId, u64)>,
    /// The kind of reason.
    pub cause: Cause,
    /// Buffers that alone do not fit; none if the cause is not known.
    pub subset: Vec<BufferId>,
    /// True if each buffer of the subset is shown to be needed.
    pub irreducible: bool,
}

/// Says why the buffers of a space do not fit into a number of bytes, in the form with the fewest rings. The problem is
/// one that [`check`](super::check()) accepts.
pub fn explain(problem: &Problem, space: SpaceId, capacity: u64) -> Explanation {
    let buffers: Vec<BufferId> = problem.buffers_of(space).collect();
    let load = load_of(problem, &buffers);
    let mut alive: Vec<(BufferId, u64)> = buffers.iter().map(|&id| (id, bytes_at(problem, id, load.at))).collect();
    alive.retain(|&(_, bytes)| bytes > 0);
    alive.sort_by_key(|&(id, bytes)| (std::cmp::Reverse(bytes), id));
    let mut explanation = Explanation {
        space,
        capacity,
        load: load.bytes,
        at: load.at,
        alive,
        cause: Cause::Unknown,
        subset: vec![],
        irreducible: false,
    };
    if load.bytes > capacity {
        // The smallest go first, so that few large ones remain.
        let mut sum = load.bytes;
        let mut subset = explanation.alive.clone();
        for place in (0..subset.len()).rev() {
            if sum - subset[place].1 > capacity {
                sum -= subset[place].1;
                subset.remove(place);
            }
        }
        explanation.cause = Cause::Load;
        explanation.subset = subset.into_iter().map(|(id, _)| id).collect();
        explanation.irreducible = explanation.subset.len() == 1 || fits_without_any(problem, space, &explanation);
        return explanation;
    }
    if buffers.len() <= MOST_BUFFERS && fit(problem, space, &buffers, capacity) == Some(false) {
        let (subset, irreducible) = filtered(problem, space, buffers, capacity);
        explanation.cause = Cause::Fragmentation;
        explanation.subset = subset;
        explanation.irreducible = irreducible;
    }
    explanation
}

/// Deletes each buffer without which the others still do not fit. False if of some it is not known.
fn filtered(problem: &Problem, space: SpaceId, mut subset: Vec<BufferId>, capacity: u64) -> (Vec<BufferId>, bool) {
    let mut irreducible = true;
    // The smallest first: few large buffers say more than many small ones.
    let mut order = subset.clone();
    order.sort_by_key(|&id| (problem.buffers[id.index()].bytes, id));
    for id in order {
        let rest: Vec<BufferId> = subset.iter().copied().filter(|&other| other != id).collect();
        match fit(problem, space, &rest, capacity) {
            Some(false) => subset = rest,
            Some(true) => {}
            None => irreducible = false,
        }
    }
    (subset, irreducible)
}

/// True if the subset fits without any one of its buffers; the load then is small enough, but there may be gaps.
fn fits_without_any(problem: &Problem, space: SpaceId, explanation: &Explanation) -> bool {
    explanation.subset.iter().all(|id| {
        let mut rest: Vec<BufferId> = explanation.subset.iter().copied().filter(|other| other != id).collect();
        rest.sort_unstable();
        fit(problem, space, &rest, explanation.capacity) == Some(true)
    })
}

/// True if some buffers of a space fit; `None` if that is not known.
fn fit(problem: &Problem, space: SpaceId, buffers: &[BufferId], capacity: u64) -> Option<bool> {
    let form = Form::least(problem, buffers, 1);
    let effort = Effort {
        nodes: 0,
        ..Effort::default()
    };
    let mut inner = |slot: &Packing| solve(slot, None, &Effort::default()).start.offsets;
    let shape = Shape::new(problem, space, buffers, &form, &mut inner);
    let solved = solve(&shape.packing, Some(capacity), &effort);
    if solved.start.height <= capacity {
        return Some(true);
    }
    if solved.bound > capacity {
        return Some(false);
    }
    let mut budget = Budget {
        steps: NODES,
        deadline: None,
    };
    match exact::within(&shape.packing, capacity, &mut budget) {
        Answer::Plan(_) => Some(true),
        Answer::Impossible => Some(false),
        Answer::Unknown => None,
    }
}

/// Bytes of a buffer's instances that are alive at a time.
fn bytes_at(problem: &Problem, id: BufferId, time: u64) -> u64 {
    let buffer = &problem.buffers[id.index()];
    let period = problem.period;
    let alive = buffer.lives.iter().map(|life| match period {
        0 => u64::from(life.from <= time && time - life.from < life.length),
        _ => {
            let after = (time % period + period - life.from % period) % period;
            life.length / period + u64::from(after < life.length % period)
        }
    });
    buffer.bytes * alive.sum::<u64>()
}
