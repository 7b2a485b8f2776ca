//! `cargo xtask bench --of=schedules`: what each scheduler makes of the reference loops, and what other planners reach.
//!
//! Invariant: every figure is in cycles of the simulator or of a plan, so it is the same on every machine and in every
//! build.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::run::{Built, number, output, root};
use crate::setup;
use crate::table::{grouped, layout};

/// The machines, as the reference has them.
const MACHINES: [(&str, &str); 2] = [
    ("planning-1dma", "one DMA engine, everything asynchronous"),
    (
        "planning-2dma",
        "two DMA engines, tensor and vector engine hold the control stream",
    ),
];

const SCHEDULERS: [&str; 6] = ["serial", "list", "greedy", "modulo", "auto", "exact"];

const HEADER: [&str; 15] = [
    "kernel", "serial", "list", "greedy", "modulo", "auto", "exact", "bound", "share", "found", "default", "greedy*",
    "II auto", "II exact", "least II",
];

/// A line of `test/kernels/graphs/reference.txt`: what others reach, in cycles.
struct Reference {
    kernel: String,
    device: String,
    default: u64,
    greedy: u64,
    found: u64,
    bound: u64,
    interval: u64,
}

impl Reference {
    fn of(line: &str) -> Result<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [kernel, device, numbers @ ..] = words.as_slice() else {
            anyhow::bail!("`{line}` is no line of the reference");
        };
        let numbers = numbers.iter().map(|number| number.parse());
        let numbers: Vec<u64> = numbers.collect::<Result<_, _>>().with_context(|| line.to_owned())?;
        let [_, default, greedy, found, bound, interval] = numbers[..] else {
            anyhow::bail!("`{line}` has {} numbers, 6 are needed", numbers.len());
        };
        Ok(Self {
            kernel: (*kernel).to_owned(),
            device: (*device).to_owned(),
            default,
            greedy,
            found,
            bound,
            interval,
        })
    }
}

/// Prints a table for each machine.
pub(crate) fn schedules() -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::debug(&llvm)?;
    let file = root().join("test/kernels/graphs/reference.txt");
    let text = fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let references = lines.map(Reference::of).collect::<Result<Vec<_>>>()?;
    for (device, title) in MACHINES {
        let of_device = references.iter().filter(|reference| reference.device == device);
        let rows = of_device
            .map(|reference| row(&built, reference))
            .collect::<Result<Vec<_>>>()?;
        println!("{device}: {title}\n{}", layout(&HEADER, &rows));
    }
    Ok(())
}

fn row(built: &Built, reference: &Reference) -> Result<Vec<String>> {
    eprintln!("{} on {}", reference.kernel, reference.device);
    let runs = SCHEDULERS.map(|scheduler| run(built, reference, scheduler));
    let runs = runs.into_iter().collect::<Result<Vec<_>>>()?;
    let interval = |run: &Run| run.interval.map_or("-".to_owned(), grouped);
    let (auto, exact) = (&runs[4], &runs[5]);
    let mut row = vec![reference.kernel.clone()];
    row.extend(runs.iter().map(|run| grouped(run.cycles)));
    row.push(grouped(reference.bound));
    row.push(format!("{:.1} %", reference.bound as f64 * 100.0 / auto.cycles as f64));
    row.extend([reference.found, reference.default, reference.greedy].map(grouped));
    row.extend([interval(auto), interval(exact), grouped(reference.interval)]);
    Ok(row)
}

/// A kernel through the pipeline and the simulator.
struct Run {
    /// Cycles of the whole function.
    cycles: u64,
    /// The plan's initiation interval; none if the loop stayed as it was.
    interval: Option<u64>,
}

fn run(built: &Built, reference: &Reference, scheduler: &str) -> Result<Run> {
    let Reference { kernel, device, .. } = reference;
    let after = built.file("bench", &format!("{kernel}.{device}.{scheduler}.mlir"))?;
    let compiled = output(
        built
            .tool("zpu-opt")
            .arg(format!("test/kernels/graphs/{kernel}.mlir"))
            .arg(format!("--zpu-pipeline=device={device} scheduler={scheduler}"))
            .args([
                "--remarks-filter=zpu-pipeline-planning",
                "--remark-format=emitRemark",
                "-o",
            ])
            .arg(&after),
        &[0],
    )?;
    let mut simulator = built.tool("zpu-sim");
    simulator.arg(&after).args(["--entry", kernel, "--device", device]);
    simulator.args(["--init", "random:1", "--json", "-"]);
    if kernel == "blocksparse_gemm" {
        // No block is left out.
        simulator.args(["--arg", "2=1"]);
    }
    let report = output(&mut simulator, &[0])?;
    let report: Value = serde_json::from_slice(&report.stdout).context("zpu-sim wrote no JSON")?;
    Ok(Run {
        cycles: number(&report, "/cycles")?,
        interval: interval(&String::from_utf8_lossy(&compiled.stderr)),
    })
}

/// The interval in the remark about a plan that was taken.
fn interval(remarks: &str) -> Option<u64> {
    let plan = remarks.lines().find(|line| line.contains(" planned | "))?;
    let (_, rest) = plan.split_once(" II=")?;
    rest.split(',').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_read_from_remarks() {
        let line = "f.mlir:1:1: remark: [Analysis] planned | Category:zpu-pipeline-planning | Function=f | \
            CriticalPath=9, II=226, MII=226";
        assert_eq!(interval(&format!("something\n{line}\n")), Some(226));
        assert_eq!(interval("remark: [Missed] no-gain | II=226"), None);
    }
}
