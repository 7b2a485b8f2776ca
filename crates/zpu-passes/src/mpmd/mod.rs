//! Shared by the passes `zpu-mpmd-*`: an order of `zpu_sched::fragment` back to the function that was read, fragments
//! that become one, and what the core says of fragments.

mod merge;
mod order;
mod tell;

pub(crate) use merge::{Keep, merge};
pub(crate) use order::{Control, deallocate_last, reorder};
pub(crate) use tell::{analysis, at_least, measured, refuse, remark};
