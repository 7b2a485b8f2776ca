//! `cargo xtask bench --of=checks`: what looking for races costs, while a program runs and before.
//!
//! Invariant: a program is run with a check and without it, on the same inputs, and the processor times of whole
//! processes are compared; the proven loops are those that the passes before have pipelined.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::bench::milliseconds;
use crate::measure::processor_time;
use crate::run::{Built, number, output, root};
use crate::scale;
use crate::setup;
use crate::table::{grouped, layout};

/// Floats in a row, and how often the loop over all rows is run.
const RINGS: [(usize, usize); 3] = [(4, 64), (64, 64), (1024, 4)];

/// Prints two tables; each figure is that of the fastest of `runs` runs.
pub(crate) fn checks(runs: u32) -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::release(&llvm)?;
    let device = root().join("test/passes/Inputs/toy.mlir");
    let device = fs::read_to_string(&device).with_context(|| format!("{}", device.display()))?;
    let mut rows = Vec::new();
    for (floats, turns) in RINGS {
        let file = built.file("bench", &format!("ring-of-{floats}.mlir"))?;
        fs::write(&file, format!("{device}{}", ring(floats, turns))).with_context(|| format!("{}", file.display()))?;
        rows.push(dynamic(&built, floats, &file, runs)?);
    }
    let header = [
        "floats in a row",
        "commands",
        "unchecked ms",
        "races ms",
        "more %",
        "all ms",
        "more %",
    ];
    println!("\n{}", layout(&header, &rows));
    let mut rows = Vec::new();
    for commands in [10, 100, 1_000] {
        rows.push(proof(&built, &device, commands, runs)?);
    }
    print!(
        "{}",
        layout(&["commands in the loop", "read ms", "read and proven ms"], &rows)
    );
    Ok(())
}

/// A program simulated without checks, looking for races, and with everything.
fn dynamic(built: &Built, floats: usize, file: &Path, runs: u32) -> Result<Vec<String>> {
    let mut commands = 0;
    let mut seconds = [f64::INFINITY; 3];
    // The runs alternate, so that a slow minute of the machine is one for all three.
    for _ in 0..runs {
        for (best, check) in seconds
            .iter_mut()
            .zip(["none", "race,deadlock", "race,deadlock,capacity,init"])
        {
            let mut tool = built.tool("zpu-sim");
            tool.arg(file)
                .args(["--init=random:1", "--check", check, "--json", "-"]);
            let before = processor_time();
            let process = output(&mut tool, &[0])?;
            *best = best.min(processor_time() - before);
            let report: Value = serde_json::from_slice(&process.stdout).context("zpu-sim wrote no JSON")?;
            commands = number(&report, "/commands")?;
        }
    }
    let [none, races, all] = seconds;
    let more = |with: f64| format!("{:.1}", 100.0 * (with / none - 1.0));
    Ok(vec![
        grouped(floats as u64),
        grouped(commands),
        milliseconds(none),
        milliseconds(races),
        more(races),
        milliseconds(all),
        more(all),
    ])
}

/// The proof of a loop of so many commands.
fn proof(built: &Built, device: &str, commands: usize, runs: u32) -> Result<Vec<String>> {
    let before = built.file("bench", &format!("unproven-loop-of-{commands}.mlir"))?;
    let after = built.file("bench", &format!("loop-of-{commands}-with-waits.mlir"))?;
    fs::write(&before, format!("{device}{}", scale::text(commands)))
        .with_context(|| format!("{}", before.display()))?;
    let passes = [
        "--zpu-multi-version-buffer",
        "--zpu-inject-software-pipeline",
        "--zpu-inject-dma-barrier",
    ];
    output(
        built.tool("zpu-opt").arg(&before).args(passes).arg("-o").arg(&after),
        &[0],
    )?;
    let mut seconds = [f64::INFINITY; 2];
    for _ in 0..runs {
        for (best, pass) in seconds.iter_mut().zip([None, Some("--zpu-verify-sync")]) {
            let mut tool = built.tool("zpu-opt");
            tool.arg(&after).args(pass).args(["-o", "/dev/null"]);
            let before = processor_time();
            output(&mut tool, &[0])?;
            *best = best.min(processor_time() - before);
        }
    }
    let mut row = vec![grouped(commands as u64)];
    row.extend(seconds.map(milliseconds));
    Ok(row)
}

/// A loop over rows of so many floats: a load into a ring of three slots, a computation, a store from another ring,
/// with all waits that it needs. The smaller the rows, the more of the time goes into everything but the numbers.
fn ring(floats: usize, rounds: usize) -> String {
    let outside = format!("memref<4096x{floats}xf32, #zpu.space<dram>>");
    let ring = format!("memref<3x{floats}xf32, #zpu.space<rsram>>");
    let far = format!("memref<{floats}xf32, strided<[1], offset: ?>, #zpu.space<dram>>");
    let near = format!("memref<{floats}xf32, strided<[1], offset: ?>, #zpu.space<rsram>>");
    let (load, work, store) = ("!zpu.token<@odma0>", "!zpu.token<@vector>", "!zpu.token<@odma1>");
    let mut text = format!(
        "func.func @f(%x: {outside} {{llvm.noalias}}, %y: {outside} {{llvm.noalias}}) {{\n  \
         %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c3 = arith.constant 3 : index\n  \
         %n = arith.constant 4096 : index\n  %rounds = arith.constant {rounds} : index\n  \
         %a = memref.alloc() : {ring}\n  %b = memref.alloc() : {ring}\n  \
         scf.for %round = %c0 to %rounds step %c1 {{\n  \
         %w = zpu.null_token : {work}\n  %s = zpu.null_token : {store}\n"
    );
    let _ = write!(
        text,
        "  %last:4 = scf.for %i = %c0 to %n step %c1 iter_args(%w1 = %w, %w2 = %w, %s1 = %s, %s2 = %s) \
         -> ({work}, {work}, {store}, {store}) {{\n    \
         %slot = arith.remui %i, %c3 : index\n    \
         %from = memref.subview %x[%i, 0] [1, {floats}] [1, 1] : {outside} to {far}\n    \
         %to = memref.subview %y[%i, 0] [1, {floats}] [1, 1] : {outside} to {far}\n    \
         %in = memref.subview %a[%slot, 0] [1, {floats}] [1, 1] : {ring} to {near}\n    \
         %out = memref.subview %b[%slot, 0] [1, {floats}] [1, 1] : {ring} to {near}\n    \
         zpu.compute_wait %w2 : {work}\n    \
         %l = zpu.dma_start %from to %in on @odma0 : {far} to {near}\n    \
         zpu.dma_wait %l : {load}\n    zpu.dma_wait %s2 : {store}\n    \
         %v = zpu.compute_start on @vector {{ linalg.exp ins(%in : {near}) outs(%out : {near}) }}\n    \
         zpu.compute_wait %v : {work}\n    \
         %t = zpu.dma_start %out to %to on @odma1 : {near} to {far}\n    \
         scf.yield %v, %w1, %t, %s1 : {work}, {work}, {store}, {store}\n  }}\n  zpu.barrier\n  }}\n  return\n}}\n"
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_rows_of_the_length_that_is_asked_for() {
        let text = ring(4, 1);
        assert_eq!(text.matches("[1, 4]").count(), 4);
        assert_eq!(text.matches("_start").count(), 3);
    }
}
