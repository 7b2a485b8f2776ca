//! Remarks as data: what was skipped, completed or changed, and for which fragments.

use super::error::Party;

/// The kind of a remark. Its name is stable, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The predicate leaves the order of a pair open; a total order completed it. The first pair of a mesh.
    OrderCompleted,
    /// H2 has fewer microbatches than it runs ahead.
    Clamped,
    /// The order would contradict data, which have their way.
    AgainstData,
    /// A rule names a fragment that does not exist.
    MissingFragment,
    /// A rule names fragments of two meshes.
    DifferentMeshes,
    /// A rule names one fragment twice in a row.
    SameFragment,
    /// A rule has fewer than two fragments.
    ShortRule,
    /// The schedule that `auto` took.
    Chosen,
    /// A built-in schedule that `auto` could not try.
    NotApplicable,
    /// The program is too large to find out which orders are forced.
    ForcedUnknown,
    /// Forward fragments are computed again to meet a budget.
    Recomputed,
    /// A user's fragment without a call counter, which no schedule moves.
    NotAUnit,
}

impl Reason {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Reason::OrderCompleted => "order-completed",
            Reason::Clamped => "clamped",
            Reason::AgainstData => "against-data",
            Reason::MissingFragment => "missing-fragment",
            Reason::DifferentMeshes => "different-meshes",
            Reason::SameFragment => "same-fragment",
            Reason::ShortRule => "short-rule",
            Reason::Chosen => "chosen",
            Reason::NotApplicable => "not-applicable",
            Reason::ForcedUnknown => "forced-unknown",
            Reason::Recomputed => "recomputed",
            Reason::NotAUnit => "no-scheduling-unit",
        }
    }
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Its kind.
    pub reason: Reason,
    /// Fragments that it is about.
    pub parties: Vec<Party>,
    /// The rest of the text: numbers, names that no fragment has, paths.
    pub text: String,
}

impl Remark {
    /// A remark with a text.
    pub(crate) fn new(reason: Reason, parties: Vec<Party>, text: impl Into<String>) -> Remark {
        Remark {
            reason,
            parties,
            text: text.into(),
        }
    }
}
