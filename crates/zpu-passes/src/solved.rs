//! Scheduling problems that were solved before in this process. `zpu-select-plan` makes each plan on a copy before the
//! winner is made on the function, and many loops of a module are alike.

use zpu_sched::Memo;

/// The most operations of all kept problems together: some thousand loops of a usual size, and some dozen megabytes.
const MOST_OPERATIONS: usize = 1 << 16;

pub(crate) static SOLVED: Memo = Memo::new(MOST_OPERATIONS);
