//! What the control stream pays and waits for, as formulas. Nothing else on the machine waits.

/// When a command enters its queue that is issued from `begin` on: after the cycles of the issue, or when a place is
/// free after that.
#[inline]
pub fn entry(begin: u64, issue_cycles: u64, place_free: u64) -> u64 {
    (begin + issue_cycles).max(place_free)
}

/// When a wait ends that begins at `begin`. Its cycles pass while the command runs that is `complete` at some cycle.
#[inline]
pub fn wait_end(begin: u64, wait_cycles: u64, complete: u64) -> u64 {
    (begin + wait_cycles).max(complete)
}
