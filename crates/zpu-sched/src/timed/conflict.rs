//! Deadlines that conflict with each other.

use crate::budget::Budget;
use crate::exact;
use crate::graph::Graph;
use crate::{Dependence, Kind, Problem};

/// Deadlines up to which those that do not matter are left out of the answer.
const MOST_TRIED: usize = 16;
/// Steps for one deadline.
const STEPS: u64 = 2_000;

/// The operations of deadlines that cannot be met together, no schedule between `least` and `longest` meeting all. A
/// deadline without which there still is none has no part in that (a deletion filter); where the effort does not tell,
/// it is kept.
pub(super) fn competing(problem: &Problem, least: u64, longest: u64, budget: &Budget) -> Vec<String> {
    let mut left = problem.clone();
    let mut index = 0;
    while deadlines(problem).count() <= MOST_TRIED && index < left.dependences.len() {
        if !deadlines(&left).any(|deadline| *deadline == left.dependences[index]) {
            index += 1;
            continue;
        }
        let mut without = left.clone();
        without.dependences.remove(index);
        let mut steps = Budget {
            steps: STEPS,
            deadline: budget.deadline,
        };
        let found = exact::least(&without, None, least, longest, &mut steps);
        if found.best.is_none() && found.bound > longest {
            left = without;
        } else {
            index += 1;
        }
    }
    operations_of_deadlines(&left)
}

/// The names of all operations that a deadline, or a cycle without time, is about, in source order.
pub(super) fn operations_of_deadlines(problem: &Problem) -> Vec<String> {
    let mut ids: Vec<_> = deadlines(problem).flat_map(|d| [d.from, d.to]).collect();
    ids.sort_unstable();
    ids.dedup();
    let name = |id: &crate::OpId| problem.operations[id.index()].name.clone();
    ids.iter().map(name).collect()
}

/// Negative latencies, and what makes operations start together.
fn deadlines(problem: &Problem) -> impl Iterator<Item = &Dependence> {
    let leader = Graph::widest(problem).leader;
    problem.dependences.iter().filter(move |d| {
        let (from, to) = (d.from.index(), d.to.index());
        let within = d.distance == 0 || problem.kind == Kind::Acyclic;
        d.latency.is_some_and(|latency| latency < 0) || (within && from != to && leader[from] == leader[to])
    })
}
