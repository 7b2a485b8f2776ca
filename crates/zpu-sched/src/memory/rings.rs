//! The choice of rings: buffers of a loop that need no ring may still lie in the idle time of the slots of others.
//!
//! Invariant: what is chosen is never larger, by greedy planning, than the form in which only those are rings that must
//! be.

use super::check::least_slots;
use super::form::{Form, Shape, stands_alone};
use super::greedy;
use super::packing::Packing;
use super::problem::{BufferId, Problem, SpaceId};

/// Most buffers for which the choice is searched.
const MOST_BUFFERS: usize = 64;
/// Comparisons of items for one look at a form.
const COMPARISONS: u64 = 1;

/// The form of a space: that with the fewest rings, from which buffers, those of one group together, move to the blocks
/// of rings while that saves bytes.
pub(super) fn choose(problem: &Problem, space: SpaceId, buffers: &[BufferId], unroll: u64) -> Form {
    let mut form = Form::least(problem, buffers, unroll);
    if problem.period == 0 || buffers.len() > MOST_BUFFERS || form.slots.iter().all(|&slots| slots == 1) {
        return form;
    }
    let height = |form: &Form| {
        let mut inner = |slot: &Packing| greedy::best(slot, None, 0, COMPARISONS).offsets;
        let shape = Shape::new(problem, space, buffers, form, &mut inner);
        greedy::best(&shape.packing, None, 0, COMPARISONS).height
    };
    let mut best = height(&form);
    let mut sizes: Vec<u64> = form.slots.iter().copied().filter(|&slots| slots > 1).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut order: Vec<usize> = (0..buffers.len())
        .filter(|&place| may_move(problem, buffers[place]))
        .collect();
    order.sort_by_key(|&place| (std::cmp::Reverse(problem.buffers[buffers[place].index()].bytes), place));
    loop {
        let before = best;
        for &place in &order {
            for &slots in &sizes {
                if slots <= form.slots[place] {
                    continue;
                }
                // Where the code is unrolled, a buffer without a ring may need more slots than this ring has.
                let moved = group(problem, buffers, place);
                let least = |member: &usize| least_slots(problem, &problem.buffers[buffers[*member].index()]);
                if moved.iter().any(|member| least(member) > slots) {
                    continue;
                }
                let mut trial = form.clone();
                for member in moved {
                    trial.slots[member] = trial.slots[member].max(slots);
                }
                let found = height(&trial);
                if found < best {
                    best = found;
                    form = trial;
                }
            }
        }
        if best == before {
            return form;
        }
    }
}

/// True if a buffer may be a ring of more slots than it needs.
fn may_move(problem: &Problem, id: BufferId) -> bool {
    problem.buffers[id.index()].versions.is_none() && !stands_alone(problem, id)
}

/// The buffers that are consumed together with one, itself included.
fn group(problem: &Problem, buffers: &[BufferId], place: usize) -> Vec<usize> {
    let name = |place: usize| problem.buffers[buffers[place].index()].group.as_ref();
    let is_member = |other: &usize| *other == place || (name(place).is_some() && name(*other) == name(place));
    (0..buffers.len())
        .filter(is_member)
        .filter(|&other| may_move(problem, buffers[other]))
        .collect()
}
