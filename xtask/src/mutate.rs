//! `cargo xtask mutate`: shows that no check reports the compiled kernels, then spoils them in one place at a time and
//! prints which checks report them.
//!
//! Invariant: it is the tests `clean`, `mutation` and `memory_mutation` with all kernels, in release; the command fails
//! where a test does.

use anyhow::Result;

use crate::run::{cargo, succeed};
use crate::setup;

/// Runs it; fails if a kernel is flagged as it was compiled, or if a mutant that can go wrong is proven, or not seen by
/// the simulator.
pub(crate) fn mutate() -> Result<()> {
    let llvm = setup::set_up()?;
    let mut command = cargo(&llvm);
    command
        .args(["test", "--release", "--package", "zpu-tools"])
        .args([
            "--test",
            "clean",
            "--test",
            "mutation",
            "--test",
            "memory_mutation",
            "--",
            "--nocapture",
        ])
        .env("ZPU_CLEAN", "all")
        .env("ZPU_MUTATION", "all");
    succeed(&mut command)
}
