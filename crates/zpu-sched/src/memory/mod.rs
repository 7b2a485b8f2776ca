//! Memory planning: an address for every buffer, so that buffers which are never alive together may share bytes.
//!
//! A [`Problem`] has memories and buffers with lives, on a line or, in a loop, on a circle. [`plan`](plan()) gives each
//! buffer its address, or one for each slot of a ring, in as few bytes as it finds; [`Plan::spaces`] says how close to
//! a lower bound that is. [`verify`](verify()) checks a plan and shares no code with what makes one.
//! [`explain`](explain()) says why buffers do not fit into a memory.
//!
//! Invariant: the same problem and effort give the same addresses; the order of the list of buffers breaks ties only
//! between equal ones.
//!
//! ```
//! use zpu_sched::memory::{Buffer, Effort, Problem, Space, plan};
//!
//! let mut problem = Problem::linear("two loads in turn");
//! let sram = problem.add_space(Space::new("sram"));
//! let a = problem.add_buffer(Buffer::new("a", sram, 4096, 0, 10));
//! let b = problem.add_buffer(Buffer::new("b", sram, 4096, 10, 10));
//! let plan = plan(&problem, &Effort::default()).unwrap();
//! assert_eq!(plan.offset(a), plan.offset(b));
//! assert!(plan.spaces[0].proven);
//! ```

mod bound;
mod check;
mod exact;
mod explain;
mod form;
mod greedy;
mod packing;
mod pins;
mod plan;
mod problem;
mod rings;
mod search;
pub mod text;
mod verify;

pub use check::{MAX_BUFFERS, MAX_BYTES, MAX_UNROLL, MemoryError, check};
pub use explain::{Cause, Explanation, explain};
pub use plan::{Effort, Plan, PlanError, SpacePlan, plan};
pub use problem::{Buffer, BufferId, Life, Problem, Space, SpaceId};
pub use verify::{Violation, verify, verify_addresses};
