//! Messages at the operations of a function.

use crate::problem::OpId;
use crate::problem::view::Op;

/// A message at another operation that belongs to a first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The operation.
    pub at: OpId,
    /// The text.
    pub text: String,
}

/// A message at an operation, with its notes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The operation.
    pub at: OpId,
    /// The text.
    pub text: String,
    /// The other parties.
    pub notes: Vec<Note>,
}

/// A note at an operation.
pub(crate) fn note(at: Op<'_>, text: impl Into<String>) -> Note {
    Note {
        at: at.id,
        text: text.into(),
    }
}
