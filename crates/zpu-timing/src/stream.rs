//! Costs and waits of the control stream, as formulas. Nothing else on the machine waits.

/// The cycle at which a command that is issued from `begin` on enters its queue: after the cycles of the issue, or when
/// a place is free after that.
#[inline]
pub fn entry(begin: u64, issue_cycles: u64, place_free: u64) -> u64 {
    (begin + issue_cycles).max(place_free)
}

/// The cycle at which a wait that begins at `begin` ends. Its own cycles pass while the command, `complete` at that
/// cycle, still runs.
#[inline]
pub fn wait_end(begin: u64, wait_cycles: u64, complete: u64) -> u64 {
    (begin + wait_cycles).max(complete)
}
