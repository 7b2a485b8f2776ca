//! Tuning: tile sizes, depth and options of a kernel are chosen together, by a model, with few trials and a proof.
//!
//! ```text
//! Space ─▶ Problem ─▶ candidates (script applied, predicted, bounded) ─▶ search ─▶ Outcome with a Certificate
//!                                                                          └─▶ Journal, a line a trial
//! ```
//!
//! A trial compiles a configuration and simulates it without values. The bound of a configuration is the model's, and
//! holds whatever the compiler does; so a search may end when no configuration that is left can be better, and say that
//! its answer is the best of the space.

#![forbid(unsafe_code)]

mod candidate;
mod certificate;
mod features;
mod journal;
mod problem;
mod script;
mod search;
mod space;
mod strategy;
mod trial;
mod winner;
mod worker;

pub use candidate::{Candidate, Ready, candidates, distinct};
pub use certificate::Certificate;
pub use journal::Journal;
pub use problem::{Problem, ProblemError};
pub use script::{ScriptError, Source, chosen};
pub use search::{Outcome, Plan, search};
pub use space::{Axis, MOST_CONFIGURATIONS, Part, Setting, Space, SpaceError};
pub use strategy::Strategy;
pub use trial::{Trial, attempt};
pub use winner::{Winner, winner};
