//! `cargo xtask test`: the whole suite, cheapest check first.
//!
//! Invariant: the steps share one target folder and one set of flags, so that nothing is built twice: clippy and
//! rustdoc use the same checked dependencies, and all build scripts run once.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::run::{cargo, line, succeed};
use crate::setup::{self, Llvm};

/// Runs every step; stops at the first that fails.
pub(crate) fn test() -> Result<()> {
    let llvm = setup::set_up()?;
    step("formatting", || {
        succeed(cargo(&llvm).args(["fmt", "--all", "--check"])).context("run `cargo fmt --all`")
    })?;
    step("clippy", || {
        succeed(cargo(&llvm).args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    })?;
    step("rustdoc", || {
        succeed(
            cargo(&llvm)
                .args(["doc", "--workspace", "--no-deps"])
                .env("RUSTDOCFLAGS", "-D warnings"),
        )
    })?;
    let counts = step("tests: unit, integration with lit, doc", || tests(&llvm))?;
    println!("{} passed, {} failed", counts.passed, counts.failed);
    Ok(())
}

fn step<T>(name: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("== {name}");
    let start = Instant::now();
    let result = run().with_context(|| format!("step `{name}` failed"))?;
    eprintln!("== {name}: passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(result)
}

/// The counts that the test binaries reported.
#[derive(Default, Debug, PartialEq)]
struct Counts {
    passed: u64,
    failed: u64,
}

impl Counts {
    /// Adds a line of the form `test result: ok. 3 passed; 0 failed; 0 ignored; ...`; other lines add nothing.
    fn add(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result:") else {
            return;
        };
        let count = |what: &str| {
            result
                .split([';', '.'])
                .filter_map(|part| part.trim().strip_suffix(what)?.trim().parse::<u64>().ok())
                .sum::<u64>()
        };
        self.passed += count("passed");
        self.failed += count("failed");
    }
}

/// `cargo test` over everything, its output shown as it comes, and the sum of all its results: cargo itself gives one
/// line per binary, and the last one is often about no test at all.
fn tests(llvm: &Llvm) -> Result<Counts> {
    let mut command = cargo(llvm);
    command
        .args(["test", "--workspace", "--no-fail-fast"])
        .stdout(Stdio::piped());
    let mut child = command.spawn().with_context(|| line(&command))?;
    let mut counts = Counts::default();
    let mut stdout = std::io::stdout();
    for text in BufReader::new(child.stdout.take().context("no standard output")?).split(b'\n') {
        let text = text?;
        stdout.write_all(&text)?;
        stdout.write_all(b"\n")?;
        counts.add(&String::from_utf8_lossy(&text));
    }
    let status = child.wait()?;
    ensure!(
        status.success(),
        "{} passed, {} failed ({}: {status})",
        counts.passed,
        counts.failed,
        line(&command)
    );
    ensure!(counts.passed > 0, "{}: no test ran", line(&command));
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_binaries_add_up() {
        let mut counts = Counts::default();
        counts.add("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s");
        counts.add("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.50s");
        counts.add("test tests::passed ... ok");
        assert_eq!(counts, Counts { passed: 15, failed: 2 });
    }
}
