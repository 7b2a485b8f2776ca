//! Waits that are kept for equal problems: a compiler may try a function in several ways before it writes one of them.
//!
//! Invariant: an answer is what [`place_with`] would give.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::{Form, Limit, Proof, place_with};
use crate::problem::Problem;

/// The latest forms.
#[derive(Debug)]
pub struct Memo {
    /// Operations of all problems together.
    most: usize,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    /// The oldest first.
    all: VecDeque<Placed>,
    operations: usize,
}

/// A problem as it was asked, under no name, and its form.
#[derive(Debug)]
struct Placed {
    problem: Problem,
    limit: Option<Limit>,
    proof: Proof,
    form: Form,
}

impl Placed {
    /// True if `problem` differs in its name at the most, which no form depends on.
    fn is_of(&self, problem: &Problem, limit: Option<Limit>, proof: Proof) -> bool {
        // Sizes tell most problems apart without a look at their contents.
        let sizes = |problem: &Problem| (problem.operations.len(), problem.values.len(), problem.blocks.len());
        self.limit == limit && self.proof == proof && sizes(&self.problem) == sizes(problem) && self.problem == *problem
    }
}

impl Memo {
    /// Keeps the latest forms of problems that have up to `most` operations together.
    pub const fn new(most: usize) -> Self {
        Self {
            most,
            known: Mutex::new(Known {
                all: VecDeque::new(),
                operations: 0,
            }),
        }
    }

    /// Places like [`place_with`], or takes the kept form of an equal problem.
    pub fn place(&self, problem: &mut Problem, limit: Option<Limit>, proof: Proof) -> Form {
        // A seeded bug changes what is placed, and a process may make several.
        if cfg!(feature = "seeded-bugs") {
            return place_with(problem, limit, proof);
        }
        let name = std::mem::take(&mut problem.name);
        let form = self.find(problem, limit, proof).unwrap_or_else(|| {
            let asked = problem.clone();
            let form = place_with(problem, limit, proof);
            self.keep(asked, (limit, proof), form.clone());
            form
        });
        for command in &form.kept_synchronous {
            problem.operations[command.at()].stays_synchronous = true;
        }
        problem.name = name;
        form
    }

    fn find(&self, problem: &Problem, limit: Option<Limit>, proof: Proof) -> Option<Form> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut same = known.all.iter().filter(|placed| placed.is_of(problem, limit, proof));
        same.next().map(|placed| placed.form.clone())
    }

    fn keep(&self, problem: Problem, (limit, proof): (Option<Limit>, Proof), form: Form) {
        if problem.operations.len() > self.most {
            return;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.operations += problem.operations.len();
        known.all.push_back(Placed {
            problem,
            limit,
            proof,
            form,
        });
        while known.operations > self.most
            && let Some(oldest) = known.all.pop_front()
        {
            known.operations -= oldest.problem.operations.len();
        }
    }
}
