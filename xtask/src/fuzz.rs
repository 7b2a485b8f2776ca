//! `cargo xtask fuzz`: builds `zpu-fuzz` in release and runs it.
//!
//! Invariant: the deliberate bugs of `--self-check` are only in a build of their own, in a target folder of their own.

use anyhow::Result;
use clap::Args;

use crate::run::{Built, cargo, root, succeed};
use crate::setup;

/// The programs to run and the time for them.
#[derive(Args)]
pub(crate) struct Options {
    /// Stop after so many seconds; with --self-check, look so long for each bug.
    #[arg(long)]
    seconds: Option<u64>,
    /// Stop after so many programs.
    #[arg(long)]
    programs: Option<u64>,
    /// Seed of the first program; the others follow it.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Processes at once; by default as many as there are processors.
    #[arg(long)]
    jobs: Option<u64>,
    /// Look for programs on which the proof of `zpu-verify-sync` and the simulator disagree.
    #[arg(long)]
    agreement: bool,
    /// Take programs through memory planning, with just the bytes that they need, and with less.
    #[arg(long, conflicts_with = "agreement")]
    memory: bool,
    /// Check the fuzzer itself: put deliberate bugs into the passes, one at a time, and see whether it finds them.
    #[arg(long, conflicts_with_all = ["programs", "agreement", "memory"])]
    self_check: bool,
}

/// Runs it; fails if a program fails, or a deliberate bug is not found.
pub(crate) fn fuzz(options: &Options) -> Result<()> {
    let llvm = setup::set_up()?;
    let numbers = [
        ("--seconds", options.seconds),
        ("--programs", options.programs),
        ("--seed", Some(options.seed)),
        ("--jobs", options.jobs),
    ];
    let arguments: Vec<String> = numbers
        .into_iter()
        .filter_map(|(name, value)| Some([name.to_owned(), value?.to_string()]))
        .flatten()
        .collect();
    if options.self_check {
        let mut command = cargo(&llvm);
        command
            .args(["run", "--release", "--package", "zpu-tools", "--bin", "zpu-fuzz"])
            .args(["--features", "seeded-bugs", "--target-dir"])
            .arg(root().join("target/seeded-bugs"))
            .args(["--", "self-check"]);
        return succeed(command.args(arguments));
    }
    let built = Built::release(&llvm)?;
    let mode = match (options.agreement, options.memory) {
        (true, _) => Some("--agreement"),
        (_, true) => Some("--memory"),
        _ => None,
    };
    succeed(built.tool("zpu-fuzz").args(arguments).args(mode))
}
