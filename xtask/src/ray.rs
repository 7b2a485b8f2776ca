//! `cargo xtask ray`: the driver of `zpu-tune` for several machines, tested with a Ray of this machine.
//!
//! Ray is a large package of Python, so this is no part of `cargo xtask test`; it goes into `target/ray`.

use std::process::Command;

use anyhow::Result;

use crate::run::{Built, root, succeed};
use crate::setup;

/// Installs Ray and runs the driver's tests.
pub(crate) fn ray() -> Result<()> {
    let built = Built::release(&setup::set_up()?)?;
    let environment = built.file("ray", "environment")?;
    let python = environment.join("bin").join("python");
    if !python.exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    }
    let folder = root().join("tools").join("ray");
    succeed(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--requirement"])
            .arg(folder.join("requirements.txt")),
    )?;
    succeed(
        Command::new(&python)
            .arg("-B")
            .arg(folder.join("test_zpu_tune_ray.py"))
            .arg("--verbose")
            .env("ZPU_TUNE", built.tool("zpu-tune").get_program()),
    )
}
