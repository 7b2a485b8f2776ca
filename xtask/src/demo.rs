//! `cargo xtask demo`: two real kernels through the whole chain, with what became of each loop, simulated before and
//! after on equal inputs.
//!
//! Invariant: it fails when a kernel's values differ, so a table that ends with exit code 0 shows correct programs
//! only.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::kernels::{KERNELS, Kernel, compile, simulation, trace};
use crate::run::{Built, number, output, shown};
use crate::setup;
use crate::table::{grouped, layout};

const FOLDER: &str = "demo";
/// Exit code of `zpu-sim compare` when the programs leave different bytes; the report is written all the same.
const VALUES_DIFFER: i32 = 6;

/// Compiles, compares, prints the table and writes the timelines.
pub(crate) fn demo() -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::release(&llvm)?;
    let mut rows = Vec::new();
    let mut traces = Vec::new();
    let mut different = Vec::new();
    for kernel in KERNELS.iter().filter(|kernel| kernel.in_demo) {
        eprintln!("{}: {} on {}", kernel.name, kernel.source, kernel.device);
        let compiled = compile(&built, kernel, FOLDER)?;
        let compared = output(
            built
                .tool("zpu-sim")
                .arg("compare")
                .args([&compiled.before, &compiled.after])
                .args(simulation(kernel))
                .args(["--json", "-"]),
            &[0, VALUES_DIFFER],
        )?;
        let report = serde_json::from_slice(&compared.stdout).context("zpu-sim compare wrote no JSON")?;
        let comparison = Comparison::read(&report)?;
        different.extend(
            comparison
                .difference
                .as_ref()
                .map(|difference| format!("{}: {difference}", kernel.name)),
        );
        rows.push(comparison.row(kernel));
        let report = fs::read_to_string(&compiled.report).with_context(|| shown(&compiled.report))?;
        print!("\n{report}");
        for (program, when) in [(&compiled.before, "before"), (&compiled.after, "after")] {
            let file = built.file(FOLDER, &format!("{}.{when}.trace.json", kernel.name))?;
            trace(&built, kernel, program, &file)?;
            traces.push(shown(&file));
        }
    }
    print!("\n{}", layout(&HEADER, &rows));
    println!("\nTimelines, to open in chrome://tracing or ui.perfetto.dev:");
    traces.iter().for_each(|file| println!("  {file}"));
    println!("The programs themselves lie beside them, as *.before.mlir and *.after.mlir.");
    ensure!(different.is_empty(), "values differ: {}", different.join("; "));
    Ok(())
}

const HEADER: [&str; 8] = [
    "kernel",
    "device",
    "cycles before",
    "cycles after",
    "speed-up",
    "lower bound",
    "bound reached",
    "values equal",
];

/// The result of `zpu-sim compare`.
struct Comparison {
    before: u64,
    after: u64,
    bound: u64,
    /// The first difference in argument memory, as the tool words it; none when all bytes are equal.
    difference: Option<String>,
}

impl Comparison {
    fn read(report: &Value) -> Result<Self> {
        let equal = report["equal"]
            .as_bool()
            .context("zpu-sim compare's JSON has no truth value `equal`")?;
        let difference = match &report["first_difference"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        Ok(Comparison {
            before: number(report, "/a/cycles")?,
            after: number(report, "/b/cycles")?,
            bound: number(report, "/b/lower_bound")?,
            difference: (!equal).then_some(difference),
        })
    }

    fn row(&self, kernel: &Kernel) -> Vec<String> {
        let after = self.after.max(1) as f64;
        vec![
            kernel.entry.to_owned(),
            kernel.device.to_owned(),
            grouped(self.before),
            grouped(self.after),
            format!("{:.2}x", self.before as f64 / after),
            grouped(self.bound),
            format!("{:.1} %", 100.0 * self.bound as f64 / after),
            if self.difference.is_none() { "yes" } else { "NO" }.to_owned(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_becomes_a_row() {
        let after = json!({"cycles": 1200, "lower_bound": 1000});
        let report = json!({"equal": true, "first_difference": null, "a": {"cycles": 3000}, "b": after});
        let row = Comparison::read(&report).unwrap().row(&KERNELS[0]);
        assert_eq!(
            row,
            [
                "attention",
                "sunmmio-a4e",
                "3,000",
                "1,200",
                "2.50x",
                "1,000",
                "83.3 %",
                "yes"
            ]
        );
    }

    #[test]
    fn a_report_without_a_key_names_the_key() {
        let error = Comparison::read(&json!({"equal": true, "a": {"cycles": 1}}))
            .err()
            .unwrap();
        assert!(error.to_string().contains("/b/cycles"), "{error}");
    }
}
