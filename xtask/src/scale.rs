//! `cargo xtask bench --of=scale`: times of the dependence analysis and of the passes after the planner on loops of 10
//! to 10,000 operations; then times of the whole pipeline on the programs of [`programs`].
//!
//! Invariant: the loop's text is all that grows; each buffer keeps its one write and two reads, so a linear pass stays
//! linear.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};

use crate::bench::{fastest, mebibytes, milliseconds, pass_times};
use crate::measure::{Measured, measure};
use crate::programs;
use crate::run::{Built, root};
use crate::setup;
use crate::table::{grouped, layout};
use crate::unwaited;

/// Operations per group: a load, a computation, a store.
const GROUP: usize = 3;

/// Groups per pair of arguments, so that the accesses of an argument stay few too.
const SHARED: usize = 8;

/// The passes, by the names under which a timing report has them.
const PASSES: [(&str, &str); 3] = [
    ("MultiVersionBuffer", "versions ms"),
    ("InjectSoftwarePipeline", "injection ms"),
    ("InjectDmaBarrier", "barriers ms"),
];

/// Prints one table; each figure is that of the fastest of `runs` runs, memory the largest.
pub(crate) fn scale(runs: u32) -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::release(&llvm)?;
    let device = root().join("test/passes/Inputs/toy.mlir");
    let device = fs::read_to_string(&device).with_context(|| format!("{}", device.display()))?;
    let mut rows = Vec::new();
    for operations in [10, 100, 1_000, 10_000] {
        let file = built.file("bench", &format!("planned-loop-of-{operations}.mlir"))?;
        fs::write(&file, format!("{device}{}", text(operations))).with_context(|| format!("{}", file.display()))?;
        let run = |passes: &[&str]| {
            fastest(runs, || {
                measure(
                    built
                        .tool("zpu-opt")
                        .arg(&file)
                        .args(passes)
                        .args([
                            "--mlir-timing",
                            "--mlir-timing-display=list",
                            "--mlir-output-format=json",
                        ])
                        .args(["--mlir-disable-threading", "-o", "/dev/null"]),
                )
            })
        };
        // Alone in its process, for a memory of its own; without the remarks one by one, which cost more than what they
        // say.
        let analysis = run(&["--zpu-print-dependences=summary=true"])?;
        let process = run(&[
            "--zpu-multi-version-buffer",
            "--zpu-inject-software-pipeline",
            "--zpu-inject-dma-barrier",
        ])?;
        let mut row = vec![grouped(operations as u64)];
        row.push(milliseconds(time_of("PrintDependences", &analysis)?));
        row.push(mebibytes(analysis.peak_bytes));
        for (pass, _) in PASSES {
            row.push(milliseconds(time_of(pass, &process)?));
        }
        row.push(milliseconds(process.wall.as_secs_f64()));
        row.push(mebibytes(process.peak_bytes));
        rows.push(row);
    }
    let mut header = vec!["operations", "dependences ms", "dependences MiB"];
    header.extend(PASSES.map(|(_, title)| title));
    header.extend(["zpu-opt ms", "zpu-opt MiB"]);
    print!("{}", layout(&header, &rows));
    programs::pipeline(&built, runs)?;
    unwaited::unwaited(&built, &device, runs)
}

/// Seconds that a pass took, by its name in the timing report, which may come after the output of the passes.
fn time_of(pass: &str, process: &Measured) -> Result<f64> {
    let said = String::from_utf8_lossy(&process.output.stderr);
    let report = said.find("\n[").map_or(&*said, |at| &said[at..]);
    let times = pass_times(report)?;
    let found = times.iter().find(|(name, _)| name.contains(pass));
    let (_, seconds) = found.with_context(|| format!("the timing report has no {pass}: {times:?}"))?;
    Ok(*seconds)
}

/// A loop of so many operations with a plan of three stages: each group loads a row of its own part of an argument,
/// works on it in place and stores it; all by subviews that move with the iteration.
pub(crate) fn text(operations: usize) -> String {
    let groups = operations.div_ceil(GROUP);
    let rows = SHARED * 64;
    let outside = format!("memref<{rows}x16xf32, #zpu.space<dram>>");
    let row = "memref<1x16xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>";
    let tile = "memref<1x16xf32, #zpu.space<rsram>>";
    let arguments: String = (0..groups.div_ceil(SHARED))
        .map(|i| format!("%x{i}: {outside} {{llvm.noalias}}, %y{i}: {outside} {{llvm.noalias}}, "))
        .collect();
    let mut text = format!(
        "func.func @f({arguments}%n: index) {{\n  \
         %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
    );
    for i in 0..groups {
        let _ = writeln!(text, "  %b{i} = memref.alloc() {{zpu.versions = 3 : i64}} : {tile}");
    }
    text.push_str("  scf.for %k = %c0 to %n step %c1 {\n");
    for i in 0..groups {
        let schedule = |stage: usize| {
            let order = stage * groups + i;
            format!("zpu.schedule = #zpu.schedule<stage = {stage}, order = {order}>")
        };
        let shared = i / SHARED;
        let _ = writeln!(
            text,
            "    %o{i} = affine.apply affine_map<(d0) -> (d0 + {})>(%k)\n    \
             %s{i} = memref.subview %x{shared}[%o{i}, 0][1, 16][1, 1] : {outside} to {row}\n    \
             %t{i} = memref.subview %y{shared}[%o{i}, 0][1, 16][1, 1] : {outside} to {row}\n    \
             zpu.dma %s{i} to %b{i} on @odma0 {{{}}} : {row} to {tile}\n    \
             zpu.compute on @vector attributes {{{}}} {{\n      \
             linalg.exp ins(%b{i} : {tile}) outs(%b{i} : {tile})\n    }}\n    \
             zpu.dma %b{i} to %t{i} on @odma1 {{{}}} : {tile} to {row}",
            i % SHARED * 64,
            schedule(0),
            schedule(1),
            schedule(2)
        );
    }
    text.push_str("  }\n  return\n}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_has_the_operations_that_are_asked_for() {
        let text = text(10);
        assert_eq!(text.matches("zpu.dma").count(), 8);
        assert_eq!(text.matches("zpu.compute").count(), 4);
    }
}
