//! Outcomes that are kept for equal problems: a compiler may try a function in several ways, or compile many loops that
//! are equal to a scheduler.
//!
//! Invariant: an answer is what [`crate::solve`] would give. Only with a time limit may it be better or worse, as two
//! runs may be; then the same question has the same answer as long as it is kept.

use std::collections::VecDeque;
use std::hash::{BuildHasher as _, BuildHasherDefault};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHasher;

use crate::solve::{Solved, solve_with_greedy};
use crate::{Kind, Options, Outcome, Problem, Scheduler, SolveError};

/// All that an outcome depends on.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Request {
    problem: Problem,
    scheduler: Scheduler,
    options: Options,
}

/// The latest outcomes.
#[derive(Debug)]
pub struct Memo {
    /// Operations of all problems together.
    most: usize,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    /// The oldest first, each with the hash of its question.
    all: VecDeque<(u64, Request, Outcome)>,
    operations: usize,
}

impl Memo {
    /// Keeps the latest outcomes of problems that have up to `most` operations together.
    pub const fn new(most: usize) -> Self {
        Self {
            most,
            known: Mutex::new(Known {
                all: VecDeque::new(),
                operations: 0,
            }),
        }
    }

    /// Solves like [`crate::solve`], or returns the kept outcome of an equal problem.
    ///
    /// # Errors
    ///
    /// The errors of [`crate::solve`].
    pub fn solve(&self, problem: &Problem, scheduler: Scheduler, options: &Options) -> Result<Outcome, SolveError> {
        let question = Request {
            // The name is for messages, which no outcome has.
            problem: Problem {
                name: String::new(),
                ..problem.clone()
            },
            scheduler: as_simple(scheduler, problem.kind),
            options: options.clone(),
        };
        let hash = hash_of(&question);
        if let Some(outcome) = self.find(hash, &question) {
            return Ok(outcome);
        }
        let Solved { outcome, greedy } = solve_with_greedy(problem, scheduler, options)?;
        // `exact` begins otherwise, and with a limit of time nothing is sure to be the same.
        let begins_with_it = matches!(question.scheduler, Scheduler::Modulo | Scheduler::Auto);
        let begins_alike = begins_with_it && options.time_limit.is_none();
        if let Some(greedy) = greedy.filter(|_| begins_alike) {
            let of_greedy = Request {
                problem: question.problem.clone(),
                scheduler: Scheduler::Greedy,
                options: options.clone(),
            };
            let hash = hash_of(&of_greedy);
            if self.find(hash, &of_greedy).is_none() {
                self.keep(hash, of_greedy, greedy);
            }
        }
        self.keep(hash, question, outcome.clone());
        Ok(outcome)
    }

    fn keep(&self, hash: u64, question: Request, outcome: Outcome) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.operations += question.problem.operations.len();
        known.all.push_back((hash, question, outcome));
        while known.operations > self.most
            && let Some((_, oldest, _)) = known.all.pop_front()
        {
            known.operations -= oldest.problem.operations.len();
        }
    }

    fn find(&self, hash: u64, question: &Request) -> Option<Outcome> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut same = known.all.iter().filter(|(other, ..)| *other == hash);
        same.find(|(_, other, _)| other == question)
            .map(|(.., outcome)| outcome.clone())
    }
}

fn hash_of(question: &Request) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(question)
}

/// The simplest scheduler that does the same: without iterations there is nothing to place in intervals, and no fixed
/// stages.
fn as_simple(scheduler: Scheduler, kind: Kind) -> Scheduler {
    match (scheduler, kind) {
        (Scheduler::List | Scheduler::Modulo, Kind::Acyclic) => Scheduler::Greedy,
        _ => scheduler,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Use, solve};

    fn problem(name: &str, latency: u64) -> Problem {
        let mut problem = Problem::cyclic(name);
        let dma = problem.add_resource("dma", 1);
        problem.add_operation("load", latency, vec![Use::whole(dma, latency)]);
        problem
    }

    #[test]
    fn a_kept_answer_is_that_of_its_own_question() {
        let memo = Memo::new(2);
        let options = Options::default();
        let rate = |latency| {
            let asked = problem("other names do not matter", latency);
            memo.solve(&asked, Scheduler::Modulo, &options).unwrap().rate
        };
        for latency in [7, 8, 7, 9, 7] {
            let fresh = solve(&problem("l", latency), Scheduler::Modulo, &options).unwrap().rate;
            assert_eq!(rate(latency), fresh);
        }
        let serial = memo.solve(&problem("l", 7), Scheduler::Serial, &options).unwrap();
        assert_eq!(serial, solve(&problem("l", 7), Scheduler::Serial, &options).unwrap());
        assert_eq!(memo.known.lock().unwrap().all.len(), 2);
    }

    #[test]
    fn what_a_scheduler_begins_with_is_kept_as_well() {
        let mut loads = Problem::cyclic("two loads, a product, a store");
        let engines = ["a", "b", "tensor", "store"].map(|name| loads.add_resource(name, 1));
        let cycles = [40, 30, 25, 10];
        let ops: Vec<_> = engines
            .into_iter()
            .zip(cycles)
            .map(|(engine, cycles)| {
                loads.add_operation(format!("{cycles} cycles"), cycles, vec![Use::whole(engine, cycles)])
            })
            .collect();
        for (from, to) in [(0, 2), (1, 2), (2, 3)] {
            loads.add_dependence(ops[from], ops[to], 0);
        }
        for trip in [None, Some(9)] {
            let options = Options {
                trip,
                ..Options::default()
            };
            for scheduler in [Scheduler::Modulo, Scheduler::Auto] {
                let memo = Memo::new(100);
                memo.solve(&loads, scheduler, &options).unwrap();
                let kept = memo.known.lock().unwrap().all.len();
                assert_eq!(kept, 2);
                let greedy = memo.solve(&loads, Scheduler::Greedy, &options).unwrap();
                assert_eq!(greedy, solve(&loads, Scheduler::Greedy, &options).unwrap());
                assert_eq!(memo.known.lock().unwrap().all.len(), kept);
            }
        }
    }
}
