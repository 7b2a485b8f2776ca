//! Problems that were solved before in this process. `zpu-select-plan` compiles the winner on a copy before the passes
//! compile it on the function, and many loops of a module are alike.

/// The most operations of all kept scheduling problems together: some thousand loops of a usual size, and some dozen
/// megabytes.
const MOST_SCHEDULED: usize = 1 << 16;

/// The most operations of all kept synchronisation problems together: some dozen functions of a usual size. A large
/// function is compiled in a few ways only, see `zpu-select-plan`.
const MOST_SYNCHRONISED: usize = 1 << 15;

/// Plans of loops and of straight-line code.
pub(crate) static SOLVED: zpu_sched::Memo = zpu_sched::Memo::new(MOST_SCHEDULED);

/// Waits of functions.
pub(crate) static PLACED: zpu_sync::place::Memo = zpu_sync::place::Memo::new(MOST_SYNCHRONISED);
