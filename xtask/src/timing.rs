//! `cargo xtask bench --of=timing`: the simulator with values and without, on loops of more and more iterations.
//!
//! Invariant: the two runs report the same cycles and commands.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::bench::{mebibytes, milliseconds};
use crate::measure::measure;
use crate::run::{Built, number, output};
use crate::setup;
use crate::table::{grouped, layout};

/// Elements of a row that an iteration adds: hardly any work for a command, and some.
const WIDTHS: [usize; 2] = [16, 256];

/// Iterations, of four commands each.
const TRIPS: [usize; 2] = [25_000, 250_000];

/// Prints the table; each figure is that of the fastest of `runs` runs, memory the largest.
pub(crate) fn timing(runs: u32) -> Result<()> {
    let built = Built::release(&setup::set_up()?)?;
    let mut table = Vec::new();
    for width in WIDTHS {
        for trips in TRIPS {
            let source = built.file("bench", &format!("{trips}-sums-of-{width}.mlir"))?;
            fs::write(&source, text(trips, width)).with_context(|| format!("{}", source.display()))?;
            let compiled = built.file("bench", &format!("{trips}-sums-of-{width}-compiled.mlir"))?;
            let mut compiler = built.tool("zpu-opt");
            compiler
                .arg(&source)
                .arg("--zpu-pipeline=device=sunmmio-a4e num-stages=3")
                .arg("-o")
                .arg(&compiled);
            output(&mut compiler, &[0])?;
            let (mut seconds, mut peak, mut counts) = ([f64::INFINITY; 2], [0; 2], Vec::new());
            // The runs alternate, so that a slow minute of the machine is one for both.
            for _ in 0..runs {
                for (at, values) in ["on", "off"].into_iter().enumerate() {
                    let mut tool = built.tool("zpu-sim");
                    tool.arg(&compiled).args(["--values", values, "--json", "-"]);
                    let run = measure(&mut tool)?;
                    let report: Value = serde_json::from_slice(&run.output.stdout).context("zpu-sim wrote no JSON")?;
                    counts.push((number(&report, "/cycles")?, number(&report, "/commands")?));
                    seconds[at] = seconds[at].min(run.wall.as_secs_f64());
                    peak[at] = run.peak_bytes.max(peak[at]);
                }
            }
            ensure!(
                counts.iter().all(|count| *count == counts[0]),
                "runs of {} differ: {counts:?}",
                compiled.display()
            );
            let commands = counts[0].1;
            let mut row = vec![grouped(commands), grouped(width as u64)];
            row.extend(seconds.map(milliseconds));
            row.push(format!("{:.1}", seconds[0] / seconds[1]));
            row.push(format!("{:.2}", commands as f64 / seconds[1] / 1e6));
            row.extend(peak.map(mebibytes));
            table.push(row);
        }
    }
    let header = [
        "commands",
        "elements of each",
        "with values ms",
        "without ms",
        "ratio",
        "million a second without",
        "with values MiB",
        "without MiB",
    ];
    print!("{}", layout(&header, &table));
    Ok(())
}

/// Sums of so many pairs of rows.
fn text(trips: usize, width: usize) -> String {
    let (whole, tile) = (format!("memref<{trips}x{width}xf32>"), format!("memref<{width}xf32>"));
    let row = format!("memref<{width}xf32, strided<[1], offset: ?>>");
    let part = |name: &str| {
        format!("    %{name}_row = memref.subview %{name}[%i, 0] [1, {width}] [1, 1] : {whole} to {row}\n")
    };
    let load = |name: &str| {
        format!(
            "    %{name}_tile = memref.alloc() : {tile}\n\
             {}    memref.copy %{name}_row, %{name}_tile : {row} to {tile}\n",
            part(name)
        )
    };
    format!(
        "func.func @sums(%a: {whole} {{llvm.noalias}}, %b: {whole} {{llvm.noalias}}, \
         %c: {whole} {{llvm.noalias}}) {{\n  \
         %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %n = arith.constant {trips} : index\n  \
         scf.for %i = %c0 to %n step %c1 {{\n\
         {}{}    %sum = memref.alloc() : {tile}\n    \
         linalg.add ins(%a_tile, %b_tile : {tile}, {tile}) outs(%sum : {tile})\n\
         {}    memref.copy %sum, %c_row : {tile} to {row}\n  }}\n  return\n}}\n",
        load("a"),
        load("b"),
        part("c"),
    )
}
