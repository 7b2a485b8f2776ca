//! How far out of a nest loops are rewritten.

/// Loops around an innermost one, and around each other, that are rewritten without being asked for: each then holds
/// the loops in it twice. Farther out, an iteration begins too seldom for its first commands to matter.
pub(crate) const MOST_AROUND: usize = 3;
