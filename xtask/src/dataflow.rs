//! `cargo xtask bench --of=dataflow`: what it brings to make one pipeline of loop nests that pass tensors on.
//!
//! Each graph is compiled nest by nest and as one pipeline, on each device, and simulated. Bytes are those of the
//! tensors between the nests: as a whole off chip, twice as a whole (so that a nest can work on one while the next
//! nest reads the other), and of the buffers that stand in their place.
//!
//! Invariant: cycles and bounds are the simulator's, and all bytes of the results are compared with those of the
//! source.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::run::{Built, number, output, root};
use crate::setup;
use crate::table::{grouped, layout};

/// A device and the name of its off-chip memory, which the sources write as `dram`.
const DEVICES: [(&str, &str); 3] = [("toy", "dram"), ("sunmmio-a4e", "dram"), ("trainium2-core", "hbm")];

/// The graphs, files of `test/kernels/dataflow`.
pub(crate) const GRAPHS: [&str; 4] = [
    "attention",
    "convolution_pooling",
    "layer_norm_residual",
    "transposed_product",
];

/// Largest stages of the plans.
const STAGES: [&str; 2] = ["2", "auto"];

const HEADER: [&str; 15] = [
    "graph",
    "stages",
    "bytes whole",
    "twice",
    "planned",
    "cycles apart",
    "bound",
    "share",
    "tight bound",
    "share",
    "as one",
    "bound",
    "share",
    "tight bound",
    "share",
];

/// Prints the table; fails if a graph computes something else as one pipeline, or is slower.
pub(crate) fn dataflow() -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::release(&llvm)?;
    let mut rows = Vec::new();
    let mut slower = Vec::new();
    for graph in GRAPHS {
        for (device, off_chip) in DEVICES {
            let source = source(&built, graph, device, off_chip)?;
            for stages in STAGES {
                eprintln!("{graph} on {device}, num-stages={stages}");
                let apart = run(&built, &source, device, stages, false)?;
                let one = run(&built, &source, device, stages, true)?;
                if one.cycles > apart.cycles {
                    slower.push(format!("{graph} on {device}: {} and {}", apart.cycles, one.cycles));
                }
                let share = |bound: u64, cycles: u64| format!("{:.3}", bound as f64 / cycles.max(1) as f64);
                let mut row = vec![format!("{graph} on {device}"), stages.to_owned()];
                row.extend([one.whole, 2 * one.whole, one.planned].map(grouped));
                for run in [&apart, &one] {
                    row.push(grouped(run.cycles));
                    for bound in [run.bound, run.tight] {
                        row.extend([grouped(bound), share(bound, run.cycles)]);
                    }
                }
                rows.push(row);
            }
        }
    }
    print!("{}", layout(&HEADER, &rows));
    ensure!(slower.is_empty(), "slower as one pipeline: {}", slower.join(", "));
    Ok(())
}

/// A graph as a file, with the name of a device's off-chip memory.
pub(crate) fn source(built: &Built, graph: &str, device: &str, off_chip: &str) -> Result<PathBuf> {
    let text = fs::read_to_string(root().join(format!("test/kernels/dataflow/{graph}.mlir")))?;
    let source = built.file("bench", &format!("{graph}.{device}.mlir"))?;
    let text = text.replace("#zpu.space<dram>", &format!("#zpu.space<{off_chip}>"));
    fs::write(&source, text).with_context(|| format!("{}", source.display()))?;
    Ok(source)
}

/// One program, compiled and simulated.
struct Run {
    cycles: u64,
    bound: u64,
    tight: u64,
    /// Bytes of the tensors that went away, and of what stands in their place.
    whole: u64,
    planned: u64,
}

fn run(built: &Built, source: &Path, device: &str, stages: &str, as_one: bool) -> Result<Run> {
    let compiled = source.with_extension("compiled.mlir");
    let compilation = output(
        built
            .tool("zpu-opt")
            .arg(source)
            .arg(format!(
                "--zpu-pipeline=device={device} num-stages={stages} insert-buffers={as_one}"
            ))
            .arg("--remarks-filter=zpu-insert-buffers")
            .arg("-o")
            .arg(&compiled),
        &[0],
    )?;
    let remarks = String::from_utf8_lossy(&compilation.stderr).into_owned();
    let sum = |key: &str| -> u64 {
        let key = format!(" {key}=");
        let all = remarks.split(&key).skip(1);
        let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
        all.filter_map(|rest| digits(rest).parse::<u64>().ok()).sum()
    };
    // Exit code 6, for other values, is none that is allowed.
    output(
        built
            .tool("zpu-sim")
            .arg("compare")
            .arg(source)
            .arg(&compiled)
            .args(["--device", device, "--init", "random:1"]),
        &[0],
    )?;
    let report = output(
        built
            .tool("zpu-sim")
            .arg(&compiled)
            .args(["--init", "random:1", "--json", "-"]),
        &[0],
    )?;
    let report: Value = serde_json::from_slice(&report.stdout).context("zpu-sim wrote no JSON")?;
    Ok(Run {
        cycles: number(&report, "/cycles")?,
        bound: number(&report, "/lower_bound")?,
        tight: number(&report, "/tight_bound/cycles")?,
        whole: sum("TensorBytes"),
        planned: sum("Bytes"),
    })
}
