//! Scheduling problems that were solved before in this process: `zpu-select-plan` has each plan made on a copy before
//! the one that wins is made on the function, and many loops of a module are alike.

use zpu_sched::Memo;

/// Operations of all problems that are kept: some thousand loops of a usual size, and some dozen megabytes.
const MOST_OPERATIONS: usize = 1 << 16;

pub(crate) static SOLVED: Memo = Memo::new(MOST_OPERATIONS);
