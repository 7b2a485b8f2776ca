//! Errors between a text and a run.
//!
//! Invariant: the text of an error is the diagnostics as MLIR, the passes or the simulator wrote them, with their
//! places; what failed is the variant.

use zpu_sim::SimError;

use crate::arguments::ArgumentError;
use crate::executable::EntryError;
use crate::fragments::FragmentProblem;
use crate::predict::NestProblem;

/// A failure of one of this crate's functions.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The text is no module: the diagnostics, one a line, as `name:line:column: error: ...`.
    #[error("{0}")]
    Parse(String),
    /// The text is no pipeline: it names an unknown pass or option, or a wrong value.
    #[error("{diagnostics}")]
    Pipeline {
        /// The text.
        pipeline: String,
        /// The reasons, one diagnostic a line.
        diagnostics: String,
    },
    /// A pass failed, or left a module that does not verify. The module may be half transformed.
    #[error("{diagnostics}")]
    Pass {
        /// The pipeline that the pass is of.
        pipeline: String,
        /// The reasons, one diagnostic or note a line.
        diagnostics: String,
    },
    /// The module belongs to another session.
    #[error("the module was parsed in another session")]
    OtherSession,
    /// The module does not say for which machine it is.
    #[error("the module has no zpu.device")]
    NoDevice,
    /// The module's `zpu.device` is inconsistent: why, one problem a line.
    #[error("{0}")]
    Device(String),
    /// Commands of the module do not fit the device that it was to get: the diagnostics, one a line.
    #[error("{0}")]
    UnfitCommands(String),
    /// There is no function to run, or no single one.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// The simulator has no meaning for an operation.
    #[error(transparent)]
    Translate(#[from] zpu_translate::Error),
    /// A program over several devices that cannot be run.
    #[error(transparent)]
    Fragments(#[from] FragmentProblem),
    /// The performance model has no answer.
    #[error(transparent)]
    Nest(#[from] NestProblem),
    /// Arguments that cannot be made.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// A run did not begin (the arguments do not fit the entry, say), or was given up.
    #[error(transparent)]
    Simulate(#[from] SimError),
}
