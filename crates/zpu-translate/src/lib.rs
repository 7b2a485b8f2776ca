//! Translation from MLIR to the simulator: a function of a module, with all functions that it calls, becomes a
//! [`zpu_sim::Program`].
//!
//! It takes a front end's program (`scf`, `memref`, `linalg`, `arith`, `math`, `affine`, `func`) as well as one with
//! our commands, at any step of the lowering. Each operation keeps its source position and its meaning; nothing is
//! optimised here. Invariant: an operation that is not understood is an error at its place, never left out.

#![forbid(unsafe_code)]

mod affine;
mod command;
mod control;
mod emitter;
mod memref;
mod module;
mod scalar;
mod structured;
mod types;
mod views;

use zpu_ir::Op;
use zpu_sim::Location;

pub use module::{Entry, entries, translate};

/// The reason why a program cannot be run: an operation at a place that has no meaning in the simulator.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: error: {message}")]
pub struct Error {
    /// The place.
    pub location: Location,
    /// The text.
    pub message: String,
}

type Result<T> = std::result::Result<T, Error>;

/// The error at an operation.
fn error(op: Op<'_>, message: impl Into<String>) -> Error {
    Error {
        location: module::location(op.loc()),
        message: message.into(),
    }
}

/// The error for an operation, or a form of one, without a meaning here.
fn unknown(op: Op<'_>) -> Error {
    error(op, format!("zpu-sim cannot interpret {}", op.name()))
}

/// The error of an operation that has no meaning for a reason.
fn unsupported(op: Op<'_>, why: impl std::fmt::Display) -> Error {
    error(op, format!("zpu-sim cannot interpret {} {why}", op.name()))
}

/// The attribute of an operation, read by `read`; the error names what is missing.
fn attribute<'c, T>(op: Op<'c>, name: &str, read: impl Fn(zpu_ir::Attribute<'c>) -> Option<T>) -> Result<T> {
    op.attr(name)
        .and_then(read)
        .ok_or_else(|| unsupported(op, format!("without its attribute `{name}`")))
}
