//! `cargo xtask bench`: what compiling and simulating each kernel costs.
//!
//! Invariant: every figure is of the release build, and of whole processes, so start-up and parsing are in it.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::kernels::{Compiled, KERNELS, Kernel, compile, pipeline_flag, simulation};
use crate::measure::{Measured, measure};
use crate::run::{Built, number};
use crate::setup;
use crate::table::{grouped, layout};

/// Prints two tables; each figure is that of the fastest of `runs` runs, memory the largest.
pub(crate) fn bench(runs: u32) -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::release(&llvm)?;
    let mut passes = Vec::new();
    let mut totals = Vec::new();
    for kernel in KERNELS {
        eprintln!("{}: {}", kernel.name, kernel.source);
        let compiled = compile(&built, kernel, "bench")?;
        let compilation = compilation(&built, kernel, &compiled, runs)?;
        let simulation = simulated(&built, kernel, &compiled, runs)?;
        totals.push(vec![
            kernel.name.to_owned(),
            milliseconds(compilation.pipeline),
            milliseconds(compilation.process.wall.as_secs_f64()),
            mebibytes(compilation.process.peak_bytes),
            grouped(simulation.commands),
            milliseconds(simulation.process.wall.as_secs_f64()),
            grouped((simulation.commands as f64 / simulation.seconds.max(1e-9)) as u64),
            mebibytes(simulation.process.peak_bytes),
        ]);
        passes.extend(
            compilation
                .passes
                .into_iter()
                .map(|(name, time)| vec![kernel.name.to_owned(), name, milliseconds(time)]),
        );
    }
    println!("\n{}", layout(&["kernel", "pass", "ms"], &passes));
    print!("{}", layout(&TOTALS, &totals));
    Ok(())
}

const TOTALS: [&str; 8] = [
    "kernel",
    "pipeline ms",
    "zpu-opt ms",
    "zpu-opt MiB",
    "commands",
    "zpu-sim ms",
    "commands/s",
    "zpu-sim MiB",
];

/// One kernel through the pipeline.
struct Compilation {
    /// Wall time of each pass in seconds, in the order in which they took longest, as zpu-opt reports them.
    passes: Vec<(String, f64)>,
    /// Sum over the passes, in seconds.
    pipeline: f64,
    process: Measured,
}

fn compilation(built: &Built, kernel: &Kernel, compiled: &Compiled, runs: u32) -> Result<Compilation> {
    let process = fastest(runs, || {
        measure(
            built
                .tool("zpu-opt")
                .arg(&compiled.before)
                .arg(pipeline_flag(kernel))
                .args([
                    "--mlir-timing",
                    "--mlir-timing-display=list",
                    "--mlir-output-format=json",
                ])
                .args(["--mlir-disable-threading", "-o", "/dev/null"]),
        )
    })?;
    let report = String::from_utf8_lossy(&process.output.stderr);
    let passes = pass_times(&report)?;
    Ok(Compilation {
        pipeline: passes.iter().map(|(_, time)| time).sum(),
        passes,
        process,
    })
}

/// The entries of a timing report that are passes: not the totals, not analyses, not the collections that nest passes.
pub(crate) fn pass_times(report: &str) -> Result<Vec<(String, f64)>> {
    let start = report.find('[').context("zpu-opt wrote no timing report")?;
    let entries: Value = serde_json::Deserializer::from_str(&report[start..])
        .into_iter()
        .next()
        .context("zpu-opt's timing report is empty")?
        .context("zpu-opt's timing report is no JSON")?;
    let entries = entries.as_array().context("zpu-opt's timing report is no list")?;
    Ok(entries.iter().filter_map(pass_time).collect())
}

fn pass_time(entry: &Value) -> Option<(String, f64)> {
    let name = entry["name"].as_str()?;
    let other = ["root", "Parser", "Output", "Rest", "Total"].contains(&name) || name.starts_with("(A)");
    let nest = name.ends_with("' Pipeline") || name.starts_with("Pipeline Collection");
    let seconds = entry.pointer("/wall/duration")?.as_f64()?;
    (!other && !nest).then(|| (name.to_owned(), seconds))
}

/// One kernel through the simulator.
struct Simulated {
    /// Commands that the control stream issued.
    commands: u64,
    /// Seconds of the simulation itself, without start and parsing.
    seconds: f64,
    process: Measured,
}

fn simulated(built: &Built, kernel: &Kernel, compiled: &Compiled, runs: u32) -> Result<Simulated> {
    let process = fastest(runs, || {
        measure(
            built
                .tool("zpu-sim")
                .arg(&compiled.after)
                .args(simulation(kernel))
                .args(["--json", "-"]),
        )
    })?;
    let report: Value = serde_json::from_slice(&process.output.stdout).context("zpu-sim wrote no JSON")?;
    Ok(Simulated {
        commands: number(&report, "/commands")?,
        seconds: report["seconds"].as_f64().context("zpu-sim's report has no seconds")?,
        process,
    })
}

/// The fastest run, with the largest peak of all.
pub(crate) fn fastest(runs: u32, run: impl Fn() -> Result<Measured>) -> Result<Measured> {
    let mut best = run()?;
    for _ in 1..runs {
        let next = run()?;
        let peak_bytes = best.peak_bytes.max(next.peak_bytes);
        best = if next.wall < best.wall { next } else { best };
        best.peak_bytes = peak_bytes;
    }
    Ok(best)
}

pub(crate) fn milliseconds(seconds: f64) -> String {
    format!("{:.1}", Duration::from_secs_f64(seconds.max(0.0)).as_secs_f64() * 1e3)
}

pub(crate) fn mebibytes(bytes: u64) -> String {
    format!("{:.0}", bytes as f64 / (1 << 20) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_passes_are_read_from_a_timing_report() {
        let report = r#"remark: something
[
{"wall": {"duration": 0.0024}, "name": "root"},
{"wall": {"duration": 0.0009}, "name": "Parser"},
{"wall": {"duration": 0.0006}, "name": "Pipeline Collection : ['func.func']"},
{"wall": {"duration": 0.0003}, "name": "'func.func' Pipeline"},
{"wall": {"duration": 0.0002}, "name": "Canonicalizer"},
{"wall": {"duration": 0.0005}, "name": "InjectSoftwarePipeline"},
{"wall": {"duration": 0.0001}, "name": "(A) DominanceInfo"},
{"wall": {"duration": 0.0024}, "name": "Total"}
]
"#;
        let expected = [("Canonicalizer", 0.0002), ("InjectSoftwarePipeline", 0.0005)];
        assert_eq!(
            pass_times(report).unwrap(),
            expected.map(|(name, time)| (name.to_owned(), time))
        );
    }
}
