//! `cargo xtask bench --of=fragments`: schedules of fragments over several meshes.
//!
//! Invariant: the figures are those of `crates/zpu-sched/examples/fragments.rs`; all but seconds are the same on every
//! machine.

use anyhow::Result;

use crate::run::{cargo, succeed};
use crate::setup;

/// Prints the tables of the example.
pub(crate) fn fragments() -> Result<()> {
    let llvm = setup::set_up()?;
    succeed(cargo(&llvm).args(["run", "--release", "--package", "zpu-sched", "--example", "fragments"]))
}
