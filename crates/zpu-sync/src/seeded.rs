//! Deliberate bugs, to see whether the fuzzer finds them.
//!
//! Invariant: without the feature `seeded-bugs`, [`is_planted`] is a constant, and nothing of this is in a binary.

/// A mistake that somebody could make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "the variants are described by their names in `ALL`, which is what people see"
)]
#[cfg_attr(
    not(feature = "seeded-bugs"),
    allow(dead_code, reason = "hooks compare with all of them")
)]
pub enum Bug {
    DroppedWait,
    LostInitialToken,
    OlderToken,
    LostBranchToken,
    SmallerRing,
    WrongSlotBehindLoop,
    LostGuard,
    ShortPrologue,
    ShortEpilogue,
    WrongIteration,
    UnboundedTurns,
    IgnoredAlias,
    IgnoredWriteAfterRead,
    LongerDistance,
    CertainBranch,
}

/// True if that mistake is to be made: `if seeded!(SmallerRing) { .. }`.
#[macro_export]
macro_rules! seeded {
    ($bug:ident) => {
        $crate::seeded::is_planted($crate::seeded::Bug::$bug)
    };
}
#[cfg(not(feature = "seeded-bugs"))]
/// True if a bug is to be made: never in this build.
pub const fn is_planted(_: Bug) -> bool {
    false
}

#[cfg(feature = "seeded-bugs")]
pub use planted::{bugs, is_planted, plant};

#[cfg(feature = "seeded-bugs")]
mod planted {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Bug;

    /// Every bug under its name.
    const ALL: &[(&str, Bug)] = &[
        ("dropped-wait", Bug::DroppedWait),
        ("lost-initial-token", Bug::LostInitialToken),
        ("older-token", Bug::OlderToken),
        ("lost-branch-token", Bug::LostBranchToken),
        ("smaller-ring", Bug::SmallerRing),
        ("wrong-slot-behind-loop", Bug::WrongSlotBehindLoop),
        ("lost-guard", Bug::LostGuard),
        ("short-prologue", Bug::ShortPrologue),
        ("short-epilogue", Bug::ShortEpilogue),
        ("wrong-iteration", Bug::WrongIteration),
        ("unbounded-turns", Bug::UnboundedTurns),
        ("ignored-alias", Bug::IgnoredAlias),
        ("ignored-write-after-read", Bug::IgnoredWriteAfterRead),
        ("longer-distance", Bug::LongerDistance),
        ("certain-branch", Bug::CertainBranch),
    ];

    /// Position of the planted bug among `ALL`, from 1 on; 0: none.
    static PLANTED: AtomicUsize = AtomicUsize::new(0);

    /// True if a bug is to be made.
    pub fn is_planted(bug: Bug) -> bool {
        let at = PLANTED.load(Ordering::Relaxed);
        ALL.get(at.wrapping_sub(1)).is_some_and(|(_, planted)| *planted == bug)
    }

    /// The names of all bugs.
    pub fn bugs() -> Vec<&'static str> {
        ALL.iter().map(|(name, _)| *name).collect()
    }

    /// Plants the bug of that name, and no other, in this process; `false` if there is none.
    pub fn plant(name: &str) -> bool {
        let at = ALL.iter().position(|(known, _)| *known == name);
        PLANTED.store(at.map_or(0, |at| at + 1), Ordering::Relaxed);
        at.is_some()
    }
}
