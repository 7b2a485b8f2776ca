//! `cargo xtask mutate`: spoils the compiled kernels in one place at a time and prints who notices.
//!
//! Invariant: it is the test `mutation` with all kernels, in release; the command fails where the test does.

use anyhow::Result;

use crate::run::{cargo, succeed};
use crate::setup;

/// Runs it; fails if a mutant that can go wrong is proven, or not seen by the simulator.
pub(crate) fn mutate() -> Result<()> {
    let llvm = setup::set_up()?;
    let mut command = cargo(&llvm);
    command
        .args(["test", "--release", "--package", "zpu-tools", "--test", "mutation"])
        .args(["--", "--nocapture"])
        .env("ZPU_MUTATION", "all");
    succeed(&mut command)
}
