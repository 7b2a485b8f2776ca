//! Programs for `cargo xtask bench --of=scale` in ordinary MLIR, and the time of the whole pipeline for them.
//!
//! Invariant: in each of them one thing grows, and a pass that doubles or squares with it stands out.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result};

use crate::bench::{fastest, mebibytes, milliseconds, pass_times};
use crate::measure::measure;
use crate::run::Built;
use crate::table::layout;

/// One device with engines that are soon done, and one with many that take long to start: there all loops of a nest
/// have loads that go ahead.
const DEVICES: [&str; 2] = ["toy", "trainium2-core"];

/// The whole chain, with a search and as many stages as the other tables have.
fn option(device: &str) -> String {
    format!("--zpu-pipeline=device={device} num-stages=3 scheduler=auto")
}

/// The beginning of every function.
const CONSTANTS: &str = "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n";

/// A program with a name for the table.
struct Program {
    name: String,
    text: String,
}

/// Prints the time of the whole pipeline for each program; the figure is that of the fastest of `runs` runs.
pub(crate) fn pipeline(built: &Built, runs: u32) -> Result<()> {
    let mut rows = Vec::new();
    let programs = programs();
    let all = DEVICES
        .into_iter()
        .flat_map(|device| programs.iter().map(move |program| (device, program)));
    for (device, Program { name, text }) in all {
        let file = built.file("bench", &format!("{}.mlir", name.replace(' ', "-")))?;
        fs::write(&file, text).with_context(|| format!("{}", file.display()))?;
        let process = fastest(runs, || {
            measure(
                built
                    .tool("zpu-opt")
                    .arg(&file)
                    .args([&option(device), "--mlir-timing", "--mlir-timing-display=list"])
                    .args([
                        "--mlir-output-format=json",
                        "--mlir-disable-threading",
                        "-o",
                        "/dev/null",
                    ]),
            )
        })?;
        let times = pass_times(&String::from_utf8_lossy(&process.output.stderr))?;
        let all: f64 = times.iter().map(|(_, seconds)| seconds).sum();
        let slowest = times.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b));
        let (slowest, seconds) = slowest.context("the timing report has no passes")?;
        rows.push(vec![
            name.clone(),
            device.to_owned(),
            milliseconds(all),
            format!("{slowest}, {}", milliseconds(seconds)),
            mebibytes(process.peak_bytes),
        ]);
    }
    print!(
        "\n{}",
        layout(
            &["program", "device", "pipeline ms", "slowest pass, ms", "zpu-opt MiB"],
            &rows
        )
    );
    Ok(())
}

fn programs() -> Vec<Program> {
    let named = |name: String, text: String| Program { name, text };
    let nests = [2, 4, 6, 8].map(|depth| named(format!("nest of depth {depth}"), nest(depth)));
    let siblings = [50, 200].map(|loops| named(format!("{loops} loops one after the other"), siblings(loops)));
    let single = [1_000, 10_000].map(|operations| named(format!("loop of {operations}"), loop_of(operations)));
    let shared = [16, 61].map(|additions| named(format!("{additions} shared additions"), shared_index(additions)));
    let triangles = [100, 1_000].map(|rows| named(format!("triangle of {rows}"), triangle(rows)));
    let all = nests.into_iter().chain(triangles).chain(siblings);
    all.chain(single).chain(shared).collect()
}

/// A row is loaded, worked on in place and stored.
fn group(text: &mut String, (number, row): (usize, &str), (from, to): (&str, &str), rows: usize) {
    let (far, tile) = ("memref<1x16xf32, strided<[16, 1], offset: ?>>", "memref<1x16xf32>");
    let _ = writeln!(
        text,
        "  %b{number} = memref.alloc() : {tile}\n  \
         %s{number} = memref.subview {from}[{row}, 0][1, 16][1, 1] : memref<{rows}x16xf32> to {far}\n  \
         %t{number} = memref.subview {to}[{row}, 0][1, 16][1, 1] : memref<{rows}x16xf32> to {far}\n  \
         memref.copy %s{number}, %b{number} : {far} to {tile}\n  \
         linalg.exp ins(%b{number} : {tile}) outs(%b{number} : {tile})\n  \
         memref.copy %b{number}, %t{number} : {tile} to {far}"
    );
}

/// Loops in loops, each with a row of its own.
fn nest(depth: usize) -> String {
    let argument =
        |i: usize| format!("%x{i}: memref<64x16xf32> {{llvm.noalias}}, %y{i}: memref<64x16xf32> {{llvm.noalias}}, ");
    let arguments: String = (0..depth).map(argument).collect();
    let mut text = format!("func.func @f({arguments}%n: index) {{\n{CONSTANTS}");
    for i in 0..depth {
        let _ = writeln!(text, "  scf.for %i{i} = %c0 to %n step %c1 {{");
        group(
            &mut text,
            (i, &format!("%i{i}")),
            (&format!("%x{i}"), &format!("%y{i}")),
            64,
        );
    }
    text.push_str(&"  }\n".repeat(depth));
    text.push_str("  return\n}\n");
    text
}

/// A loop in a loop of so many iterations, in each of which it has one more.
fn triangle(rows: usize) -> String {
    let mut text = format!(
        "func.func @f(%x: memref<{rows}x16xf32> {{llvm.noalias}}, %y: memref<{rows}x16xf32> {{llvm.noalias}}) \
         {{\n{CONSTANTS}  %n = arith.constant {rows} : index\n  scf.for %i = %c0 to %n step %c1 {{\n  \
         scf.for %j = %c0 to %i step %c1 {{\n"
    );
    group(&mut text, (0, "%j"), ("%x", "%y"), rows);
    text.push_str("  }\n  }\n  return\n}\n");
    text
}

/// Loops one after the other over the same two arguments.
fn siblings(loops: usize) -> String {
    let mut text = format!(
        "func.func @f(%x: memref<64x16xf32> {{llvm.noalias}}, %y: memref<64x16xf32> {{llvm.noalias}}, %n: index) \
         {{\n{CONSTANTS}"
    );
    for i in 0..loops {
        let _ = writeln!(text, "  scf.for %i{i} = %c0 to %n step %c1 {{");
        group(&mut text, (i, &format!("%i{i}")), ("%x", "%y"), 64);
        text.push_str("  }\n");
    }
    text.push_str("  return\n}\n");
    text
}

/// A loop of so many operations.
fn loop_of(operations: usize) -> String {
    /// Groups that share a pair of arguments.
    const SHARED: usize = 8;
    let (groups, rows) = (operations.div_ceil(3), SHARED * 64);
    let argument = |i: usize| {
        format!("%x{i}: memref<{rows}x16xf32> {{llvm.noalias}}, %y{i}: memref<{rows}x16xf32> {{llvm.noalias}}, ")
    };
    let arguments: String = (0..groups.div_ceil(SHARED)).map(argument).collect();
    let mut text = format!("func.func @f({arguments}%n: index) {{\n{CONSTANTS}  scf.for %k = %c0 to %n step %c1 {{\n");
    for i in 0..groups {
        let first = i % SHARED * 64;
        let _ = writeln!(text, "  %o{i} = affine.apply affine_map<(d0) -> (d0 + {first})>(%k)");
        let (from, to) = (format!("%x{}", i / SHARED), format!("%y{}", i / SHARED));
        group(&mut text, (i, &format!("%o{i}")), (&from, &to), rows);
        let _ = writeln!(text, "  memref.dealloc %b{i} : memref<1x16xf32>");
    }
    text.push_str("  }\n  return\n}\n");
    text
}

/// A loop whose rows are found by a chain of additions of a number to itself, so that there are twice as many ways
/// through it with each of them.
fn shared_index(additions: usize) -> String {
    let mut text = format!(
        "func.func @f(%x: memref<64x16xf32>, %y: memref<64x16xf32>, %n: index) {{\n{CONSTANTS}  \
         scf.for %a0 = %c0 to %n step %c1 {{\n"
    );
    for i in 0..additions {
        let _ = writeln!(text, "  %a{} = arith.addi %a{i}, %a{i} : index", i + 1);
    }
    group(&mut text, (0, &format!("%a{additions}")), ("%x", "%y"), 64);
    text.push_str("  }\n  return\n}\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_the_size_that_is_asked_for() {
        assert_eq!(nest(3).matches("scf.for").count(), 3);
        assert!(triangle(70).contains("%n = arith.constant 70"));
        assert_eq!(siblings(5).matches("linalg.exp").count(), 5);
        assert_eq!(loop_of(30).matches("memref.copy").count(), 20);
        assert_eq!(shared_index(7).matches("arith.addi").count(), 7);
    }
}
