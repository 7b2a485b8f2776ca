//! Fragment programs for the passes `zpu-mpmd-*`: from a function to a problem of `zpu_sched::fragment`, and an order
//! back to the function.
//!
//! Invariant: a function that is read has, beside fragments and transfers, only operations that may stand anywhere
//! between their operands and their users, deallocations, and its terminator; so any order that respects data is a
//! correct program.

mod order;
mod read;
mod tell;

pub(crate) use order::{Control, reorder};
pub(crate) use read::Fragments;
pub(crate) use tell::{analysis, at_least, measured, refuse, remark};
