//! Whole runs: what a program did, as an acyclic problem with one control stream, list-scheduled and verified.
//!
//! This judges plans from outside: the simulator writes the dataflow of a run, and the best schedule that is found for
//! it here says how far the compiled program is from what can be done. Problem, bound, schedule, verify: the verifier
//! shares with the scheduler the form of a schedule and the clock of `zpu_timing`, and nothing else.

mod bound;
mod json;
mod list;
mod machine;
mod problem;
mod solve;
mod straight_line;
mod verify;

pub use bound::{RunBound, run_bound};
pub use json::{RUN_SCHEMA, RunReadError, is_run, read_run, write_run};
pub use list::{Rule, list_schedule};
pub use problem::{ControlCosts, RunEngine, RunError, RunLink, RunOperation, RunProblem, RunSpace, RunStorage, RunWay};
pub use solve::{MOST_FOR_SEARCH, RunSolution, solve_run};
pub use straight_line::listed_plans;
pub use verify::{RunCheck, RunViolation, verify_run};

/// An action of the control stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// It issues an operation, on the engine of that one of its alternatives.
    Issue {
        /// The operation.
        operation: u32,
        /// The alternative.
        way: u32,
    },
    /// It waits until an operation is complete, and so all before it on its engine.
    Wait {
        /// The operation.
        operation: u32,
    },
    /// It waits until all operations that were issued are complete.
    Barrier,
}

/// A program for a whole run: what its control stream does, one after the other. It ends when all operations are known
/// to be complete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunSchedule {
    /// The actions.
    pub actions: Vec<Action>,
}
