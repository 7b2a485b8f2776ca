//! Scheduling problems, schedulers, bounds and checkers: numbers and dense ids, no IR, no device, no input or output.
//!
//! The way through this crate is always the same: build a [`Problem`], [`check`] it, let a scheduler [`solve`] it, and
//! [`verify`] or [`verify_plan`] what comes out. The verifiers share no code with any scheduler. Everything is a pure
//! function of its arguments: the same problem and options give the same plan.
//!
//! A loop has two kinds of solution. A [`Schedule`] gives each operation a start time under an initiation interval. A
//! [`Plan`] gives each a *stage* and a place in the *order* of the kernel, which is a legal sequential program once
//! buffers are renamed; [`estimate`] says how long the machine takes for it. [`plan_from_schedule`] goes from one to
//! the other and never makes the period longer.
//!
//! ```
//! use zpu_sched::{Buffer, Options, Problem, Scheduler, Use, solve};
//!
//! let mut problem = Problem::cyclic("toy");
//! let dma = problem.add_resource("dma", 1);
//! let tensor = problem.add_resource("tensor", 1);
//! let load = problem.add_operation("load", 108, vec![Use::whole(dma, 108)]);
//! let mma = problem.add_operation("mma", 226, vec![Use::whole(tensor, 226)]);
//! problem.add_dependence(load, mma, 0);
//! problem.add_buffer(Buffer::new("A", vec![load], vec![mma]).with_max_versions(2));
//!
//! let options = Options { num_stages: 2, ..Options::default() };
//! let outcome = solve(&problem, Scheduler::Greedy, &options).unwrap();
//! assert_eq!(outcome.rate.cycles_per_iteration(), 226.0);
//! assert_eq!(outcome.plan.versions, [2]);
//! ```

#![forbid(unsafe_code)]

mod assign;
mod bounds;
mod budget;
mod candidate;
mod check;
mod estimate;
mod exact;
pub mod fragment;
mod graph;
mod greedy;
mod improve;
mod incumbent;
mod iterative;
mod json;
mod list;
mod memo;
pub mod memory;
mod modulo;
mod order;
mod pareto;
mod plan;
mod possible;
mod problem;
mod replay;
mod reservation;
pub mod run;
mod schedule;
mod serial;
mod solve;
mod spare;
mod steps;
mod timed;
mod verify;
mod verify_plan;
mod window;
mod work;

pub use bounds::{Bounds, lower_bound};
pub use check::{MAX_DISTANCE, MAX_OPERATIONS, MAX_TOTAL_CYCLES, ProblemError, check};
pub use estimate::{Rate, StreamCosts, estimate, sequential, steady_rate};
pub use json::{Goal, Instance, InstanceError, SCHEMA, read_instance, write_instance};
pub use memo::Memo;
pub use pareto::{Curve, Point, pareto, pareto_of_plans};
pub use plan::{Plan, PlanError, minimal_versions, plan_from_schedule};
pub use possible::{ImpossibleAlternative, impossible_alternatives};
pub use problem::{
    Alternative, Buffer, BufferId, CONTROL, Dependence, Kind, OpId, Operation, Problem, Resource, ResourceId, Space,
    SpaceId, Use,
};
pub use schedule::Schedule;
pub use solve::{MAX_ITERATIONS, MAX_STAGES, Note, Options, Outcome, Scheduler, SolveError, UnknownScheduler, solve};
pub use timed::{Measure, TimedSolution, TimedSolutionError, timed_solution};
pub use verify::{Violation, verify};
pub use verify_plan::{PlanViolation, verify_plan};
