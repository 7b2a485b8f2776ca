//! Parse, compile, translate, simulate and compare, as functions: one way from a text to bytes and cycles for every
//! caller, be it a command line, the fuzzer or a test.
//!
//! ```text
//! Session::parse ─▶ Module ─▶ Session::compile ─▶ translate ─▶ Executable ─▶ simulate ─▶ Outcome
//!                                                                       └──▶ compare ──▶ Comparison
//! ```
//!
//! Invariants: nothing is printed, and no file is opened but the one whose path a caller hands over; every failure is
//! an [`Error`] that has the diagnostics in it; what is returned is plain data or a module of the session, and no order
//! depends on threads. One exception is not ours: MLIR writes the reason why the value of an option is wrong to
//! standard error by itself, and the diagnostics only name the options.

#![forbid(unsafe_code)]

mod arguments;
mod compare;
mod difference;
pub mod elements;
mod error;
mod executable;
pub mod fragments;
mod predict;
mod session;
mod step;
pub mod whole_run;

pub use arguments::{ArgumentError, Fill, Misfit, Parameter, UnknownFill, arity, parameter, parameters};
pub use compare::{Comparison, Side, compare};
pub use difference::{Difference, Discrepancy, Mismatch, Position, differences, mismatch, of_outputs};
pub use error::Error;
pub use executable::{EntryError, Executable, device_of, entry_of, translate};
pub use predict::{NestProblem, nest};
pub use session::Session;
pub use step::{Step, pipeline_of};
