//! Lives inside a loop as arcs of a circle: for a ring of `N` slots the `N` iterations after which its addresses
//! repeat, for any other buffer one iteration.

use zpu_ir::Op;

use super::buffer::BufferId;
use super::slots::{Slots, counter};
use super::timeline::StepId;
use super::{Buffer, Liveness};

/// The life of one slot on the circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Circle {
    /// It is not alive.
    Empty,
    /// It is alive at some steps.
    Arcs(Vec<Arc>),
    /// It is alive all the time.
    Full,
}

/// Steps one after the other, over the ends of iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    /// The first step.
    pub first: StepId,
    /// The last step.
    pub last: StepId,
    /// Ends of iterations between the two.
    pub iterations: usize,
}

impl<'c> Liveness<'c> {
    /// The life of a buffer inside a loop of the function; of a ring that the loop counts, that of each of its slots.
    pub fn circle(&self, id: BufferId, loop_: Op<'c>) -> Circle {
        let found = self.timeline.all_loops();
        let Some(found) = found.iter().find(|found| found.for_.op == loop_) else {
            return Circle::Empty;
        };
        let (first, end) = (found.steps.0.0, found.steps.1.0);
        let buffer = self.buffer(id);
        let turns = if buffer.counted_by.contains(&loop_) {
            buffer.versions as usize
        } else {
            1
        };
        let counted = |step: usize| turns > 1 && counter(buffer, self.timeline.loops(StepId(step))) == Some(loop_);
        // The slot that has number 0 in iteration 0 has number -j in iteration j.
        let is_alive = |turn: usize, slots: Slots, is_counted: bool| {
            if is_counted {
                slots.has(-i64::try_from(turn).unwrap_or(0), buffer.versions)
            } else {
                !slots.is_empty()
            }
        };
        // The beginning of an iteration stands before its steps, so that a life that fills an iteration and one that
        // goes on in the next are two things.
        let head = self.heads[found.number][id.0];
        let around: Vec<(usize, usize, bool)> = (0..turns)
            .flat_map(|turn| {
                let begin = (turn, first, is_alive(turn, head, turns > 1));
                let step = |step: usize| (turn, step, is_alive(turn, self.alive[step][id.0], counted(step)));
                std::iter::once(begin).chain((first..end).map(step)).collect::<Vec<_>>()
            })
            .collect();
        arcs(&around)
    }

    /// The loops in which a buffer is alive, outermost first, in program order.
    pub fn loops_of(&self, id: BufferId) -> Vec<Op<'c>> {
        let loops = self.timeline.all_loops();
        let has = |steps: (StepId, StepId)| (steps.0.0..steps.1.0).any(|step| !self.alive[step][id.0].is_empty());
        let alive = loops.into_iter().filter(|loop_| has(loop_.steps));
        alive.map(|loop_| loop_.for_.op).collect()
    }
}

/// The runs of steps that are alive on a circle of iterations with their steps.
fn arcs(around: &[(usize, usize, bool)]) -> Circle {
    let count = around.len();
    let alive = |at: usize| around[at % count].2;
    if (0..count).all(|at| !alive(at)) {
        return Circle::Empty;
    }
    let starts: Vec<usize> = (0..count).filter(|at| alive(*at) && !alive(*at + count - 1)).collect();
    if starts.is_empty() {
        return Circle::Full;
    }
    let turns = around[count - 1].0 + 1;
    let arc = |start: usize| {
        let last = (start..start + count)
            .take_while(|at| alive(*at))
            .last()
            .unwrap_or(start);
        let (from, to) = (around[start], around[last % count]);
        Arc {
            first: StepId(from.1),
            last: StepId(to.1),
            iterations: to.0 + if last >= count { turns } else { 0 } - from.0,
        }
    };
    Circle::Arcs(starts.into_iter().map(arc).collect())
}

impl Buffer<'_> {
    /// True if its slots are told apart.
    pub fn is_ring(&self) -> bool {
        self.versions > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circle(turns: usize, alive: &[bool]) -> Circle {
        let steps = alive.len() / turns;
        let around: Vec<_> = alive
            .iter()
            .enumerate()
            .map(|(at, alive)| (at / steps, at % steps, *alive))
            .collect();
        arcs(&around)
    }

    #[test]
    fn arcs_go_over_ends_of_iterations() {
        let arc = |first, last, iterations| Arc {
            first: StepId(first),
            last: StepId(last),
            iterations,
        };
        assert_eq!(circle(1, &[true, false, true]), Circle::Arcs(vec![arc(2, 0, 1)]));
        assert_eq!(
            circle(2, &[false, true, true, true, true, false]),
            Circle::Arcs(vec![arc(1, 1, 1)])
        );
        assert_eq!(
            circle(2, &[true, true, false, false, false, true]),
            Circle::Arcs(vec![arc(2, 1, 1)])
        );
        assert_eq!(circle(2, &[true; 4]), Circle::Full);
        assert_eq!(circle(1, &[false; 2]), Circle::Empty);
    }
}
