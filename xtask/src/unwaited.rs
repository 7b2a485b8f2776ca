//! `cargo xtask bench --of=scale`, the second table: the simulator on stores without waits, with its checks and
//! without.
//!
//! Invariant: no store touches what another one does, so that the checks have the most to remember and nothing to
//! report.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::bench::milliseconds;
use crate::measure::processor_time;
use crate::run::{Built, number, output};
use crate::table::{grouped, layout};

/// Rows of a store, each of eight floats: one run of bytes, and several that lie apart.
const ROWS: [usize; 2] = [1, 4];

/// Prints the table; each figure is that of the fastest of `runs` runs.
pub(crate) fn unwaited(built: &Built, device: &str, runs: u32) -> Result<()> {
    let mut table = Vec::new();
    for rows in ROWS {
        for stores in [1_000, 10_000, 100_000] {
            let file = built.file("bench", &format!("{stores}-unwaited-stores-of-{rows}.mlir"))?;
            fs::write(&file, format!("{device}{}", text(stores, rows)))
                .with_context(|| format!("{}", file.display()))?;
            let mut seconds = [f64::INFINITY; 2];
            // The runs alternate, so that a slow minute of the machine is one for both.
            for _ in 0..runs {
                for (best, check) in seconds.iter_mut().zip(["none", "race,deadlock,capacity,init"]) {
                    let mut tool = built.tool("zpu-sim");
                    tool.arg(&file).args(["--check", check, "--json", "-"]);
                    let before = processor_time();
                    let process = output(&mut tool, &[0])?;
                    *best = best.min(processor_time() - before);
                    let report: Value = serde_json::from_slice(&process.stdout).context("zpu-sim wrote no JSON")?;
                    ensure!(
                        number(&report, "/commands")? == stores as u64 + 1,
                        "{} has other commands",
                        file.display()
                    );
                }
            }
            let [unchecked, checked] = seconds;
            let mut row = vec![grouped(stores as u64), grouped(rows as u64)];
            row.extend(seconds.map(milliseconds));
            row.push(format!("{:.2}", checked / unchecked));
            table.push(row);
        }
    }
    let header = [
        "unwaited stores",
        "rows of each",
        "unchecked ms",
        "all checks ms",
        "ratio",
    ];
    print!("\n{}", layout(&header, &table));
    Ok(())
}

/// A program of so many stores of a tile of `rows` rows, each to its own place, with a barrier after the last one.
fn text(stores: usize, rows: usize) -> String {
    // Two columns of tiles, so that the rows of a tile lie apart.
    let outside = format!("memref<{}x{rows}x16xf32, #zpu.space<dram>>", stores.div_ceil(2));
    let far = format!("memref<{rows}x8xf32, strided<[16, 1], offset: ?>, #zpu.space<dram>>");
    let tile = format!("memref<{rows}x8xf32, #zpu.space<rsram>>");
    format!(
        "func.func @f(%y: {outside} {{llvm.noalias}}) {{\n  \
         %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %n = arith.constant {stores} : index\n  \
         %zero = arith.constant 0.0 : f32\n  %a = memref.alloc() : {tile}\n  \
         zpu.compute on @vector {{ linalg.fill ins(%zero : f32) outs(%a : {tile}) }}\n  \
         scf.for %i = %c0 to %n step %c1 {{\n    \
         %block = affine.apply affine_map<(d0) -> (d0 floordiv 2)>(%i)\n    \
         %column = affine.apply affine_map<(d0) -> ((d0 mod 2) * 8)>(%i)\n    \
         %to = memref.subview %y[%block, 0, %column] [1, {rows}, 8] [1, 1, 1] : {outside} to {far}\n    \
         %t = zpu.dma_start %a to %to on @odma0 : {tile} to {far}\n  }}\n  \
         zpu.barrier\n  return\n}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_waits_in_the_loop() {
        let text = text(100, 4);
        assert!(text.contains("memref<50x4x16xf32"));
        assert_eq!((text.matches("_start").count(), text.matches("_wait").count()), (1, 0));
    }
}
