//! Pipelines over several devices: which fragment of a program runs when on its mesh.
//!
//! A [`Program`] has meshes, fragments and transfers between meshes. [`schedule`] orders the fragments of each mesh by
//! a built-in schedule, a table, rules, or the best that can be found ([`Request`]); its [`Answer`] has the order, the
//! control dependences that enforce it, times, held bytes, a proven bound, and remarks as data. [`rematerialise`] says
//! which forward fragments to compute again. [`verify`](verify()) checks a schedule and shares no code with what makes
//! one.
//!
//! The order of a mesh is always total. Where a schedule's predicate leaves it open it is completed by a rule, so that
//! it depends on neither the incoming order of fragments nor on hashing. What is no scheduling unit, and everything
//! under [`Builtin::None`] and under rules, keeps its place as far as data allow.
//!
//! ```
//! use zpu_sched::fragment::{Builtin, Request, schedule, uniform::Pipeline};
//!
//! let program = Pipeline::new(5, 10).program();
//! let answer = schedule(&program, &Request::Builtin(Builtin::OneForwardOneBackward)).unwrap();
//! assert_eq!(answer.timing.makespan, (10 + 5 - 1) * 3);
//! assert_eq!(answer.timing.meshes[0].peak, 5);
//! ```

mod auto;
mod block;
mod bound;
mod error;
mod exact;
mod forced;
mod graph;
mod greedy;
mod interleaved;
mod keys;
mod name;
mod parties;
mod predicate;
mod problem;
mod remark;
mod remat;
mod repair;
mod replay;
mod rules;
mod schedule;
mod slots;
mod symmetry;
mod table;
pub mod text;
pub mod uniform;
mod unit;
mod verify;
mod vshape;
mod zero_bubble;

pub use auto::AutoOptions;
pub use bound::{bound, bound_under};
pub use error::{FragmentError, Party};
pub use name::{Builtin, UnknownBuiltin};
pub use predicate::{Grid, must_happen_before};
pub use problem::{Fragment, MAX_NODES, MeshId, Node, NodeId, NodeKind, Origin, Program, Recompute, Split};
pub use remark::{Reason, Remark};
pub use remat::{Recomputed, RematOptions, Rematerialised, rematerialise};
pub use replay::{MeshTiming, Timing, replay};
pub use rules::{FragmentInfo, MergeRule, Rule, parse_merge_rules, parse_rules};
pub use schedule::{Answer, Direction, Queue, Request, Schedule, keep, schedule};
pub use table::Table;
pub use unit::{Piece, Unit};
pub use verify::{Claims, Violation, verify};
