//! `cargo xtask bench --of=tuning-levels`: two levels of memory as one pipeline, and with an inner one that drains.
//!
//! Chunks of a matrix go from off-chip memory to a first memory on chip in the outer loop, tiles of them to the memory
//! of the tensor engine in the inner one. The same plan is compiled twice: with the inner loop's next run beginning
//! while this one ends (fused), and without. A third program is what `--zpu-pipeline` makes of the nest if it may
//! choose.
//!
//! Invariant: the first two programs differ in `join-runs` alone.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::product::{mean, worst};
use crate::run::{Built, number, output};
use crate::setup;
use crate::table::layout;

/// Chunks of the matrix.
const CHUNKS: usize = 16;
/// Tiles of a chunk.
const TILES: [usize; 3] = [2, 4, 8];
/// Rows of a tile.
const ROWS: [usize; 3] = [16, 64, 128];
/// Columns of a tile, and of what it is multiplied with.
const COLUMNS: [[usize; 2]; 4] = [[32, 16], [32, 128], [64, 16], [64, 128]];
/// Versions of chunks and of tiles.
const STAGES: [[usize; 2]; 4] = [[2, 2], [2, 3], [3, 2], [3, 3]];

/// A device, and its memories: off chip, for chunks, for tiles, for the right operand, and for the result.
const DEVICES: [(&str, [&str; 5]); 2] = [
    ("sunmmio-a4e", ["dram", "rsram", "asram", "wsram", "rsram"]),
    ("ascend-910b", ["gm", "l1", "l0a", "l0b", "l0c"]),
];

/// Prints the table, of the devices whose name contains `only`.
pub(crate) fn levels(only: &str) -> Result<()> {
    let built = Built::release(&setup::set_up()?)?;
    let mut rows = Vec::new();
    for (device, memories) in DEVICES.iter().filter(|(device, _)| device.contains(only)) {
        let mut all = Vec::new();
        for tiles in TILES {
            for stages in STAGES {
                let label = format!("{device}, {tiles} tiles, {} and {} versions", stages[0], stages[1]);
                eprintln!("{label}");
                let mut gains = Vec::new();
                for height in ROWS {
                    for [width, out] in COLUMNS {
                        let source = built.file("bench/tuning", &format!("levels-{device}.mlir"))?;
                        let nest = Nest {
                            tiles,
                            height,
                            width,
                            out,
                            stages,
                        };
                        fs::write(&source, nest.text(memories)).with_context(|| format!("{}", source.display()))?;
                        gains.push(Gain::of(&built, &source, device)?);
                    }
                }
                rows.push(row(label, &gains));
                all.extend(gains);
            }
        }
        rows.push(row(format!("all on {device}"), &all));
    }
    ensure!(!rows.is_empty(), "no device is named `{only}`");
    let header = ["nests", "drained / fused", "least", "most", "drained / chosen", "least"];
    print!("{}", layout(&header, &rows));
    Ok(())
}

/// Cycles with an inner pipeline that drains, over those of the same plan as one pipeline, and of the one that is
/// chosen.
#[derive(Clone, Copy)]
struct Gain {
    fused: f64,
    chosen: f64,
}

impl Gain {
    fn of(built: &Built, source: &Path, device: &str) -> Result<Self> {
        let options = format!("device={device} compare-plans=false");
        let planned = format!("--zpu-pipeline={options}");
        let passes = passes(built, source, &planned)?;
        let joined = "join-runs=true";
        ensure!(passes.contains(joined), "the pipeline has no option {joined}");
        let drained = format!("--pass-pipeline={}", passes.replace(joined, "join-runs=false"));
        let drained = cycles(built, source, &drained)?;
        Ok(Self {
            fused: drained / cycles(built, source, &planned)?,
            chosen: drained / cycles(built, source, &format!("--zpu-pipeline=device={device}"))?,
        })
    }
}

fn row(label: String, gains: &[Gain]) -> Vec<String> {
    let fused: Vec<f64> = gains.iter().map(|gain| gain.fused).collect();
    let chosen: Vec<f64> = gains.iter().map(|gain| gain.chosen).collect();
    let most = fused.iter().copied().fold(0.0, f64::max);
    let figures = [mean(&fused), worst(&fused), most, mean(&chosen), worst(&chosen)];
    [vec![label], figures.map(|ratio| format!("{ratio:.2}x")).to_vec()].concat()
}

/// The passes of a pipeline, as text for `--pass-pipeline`.
fn passes(built: &Built, source: &Path, pipeline: &str) -> Result<String> {
    let mut compiler = built.tool("zpu-opt");
    compiler
        .arg(source)
        .args([pipeline, "--dump-pass-pipeline", "-o", "/dev/null"]);
    let told = output(&mut compiler, &[0])?.stderr;
    let told = String::from_utf8(told).context("zpu-opt wrote no text")?;
    let begin = told.find("builtin.module(").context("zpu-opt printed no pipeline")?;
    let text = &told[begin..];
    let end = text.find("\n)").context("zpu-opt printed no whole pipeline")? + 2;
    Ok(text[..end].split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The cycles of what a pipeline makes of a program.
fn cycles(built: &Built, source: &Path, pipeline: &str) -> Result<f64> {
    let compiled = source.with_extension("compiled.mlir");
    let mut compiler = built.tool("zpu-opt");
    output(compiler.arg(source).arg(pipeline).arg("-o").arg(&compiled), &[0])?;
    let mut simulator = built.tool("zpu-sim");
    let run = output(simulator.arg(&compiled).args(["--values=off", "--json=-"]), &[0])?;
    let report: Value = serde_json::from_slice(&run.stdout).context("zpu-sim wrote no JSON")?;
    Ok(number(&report, "/cycles")? as f64)
}

/// Two loops: chunks of so many tiles, each `height` by `width`, times a matrix of `width` by `out`.
struct Nest {
    tiles: usize,
    height: usize,
    width: usize,
    out: usize,
    stages: [usize; 2],
}

impl Nest {
    fn text(&self, [off_chip, chunks, tiles, right, sums]: &[&str; 5]) -> String {
        let Self { height, width, out, .. } = self;
        let [outer, inner] = self.stages;
        let chunk = self.tiles * height;
        let all = CHUNKS * chunk;
        let memref = |shape: String, space: &str| format!("memref<{shape}, #zpu.space<{space}>>");
        let part = |shape: &str, space: &str| {
            format!("memref<{shape}, strided<[{width}, 1], offset: ?>, #zpu.space<{space}>>")
        };
        let chunk_shape = format!("{chunk}x{width}xf16");
        let tile_shape = format!("{height}x{width}xf16");
        let right_shape = format!("{width}x{out}xf16");
        let sum_shape = format!("{height}x{out}xf32");
        let x = memref(format!("{all}x{width}xf16"), off_chip);
        let (w, weights) = (memref(right_shape.clone(), off_chip), memref(right_shape, right));
        let (y, acc) = (memref(sum_shape.clone(), off_chip), memref(sum_shape, sums));
        let (rows, panel) = (part(&chunk_shape, off_chip), memref(chunk_shape.clone(), chunks));
        let (piece, tile) = (part(&tile_shape, chunks), memref(tile_shape.clone(), tiles));
        format!(
            "func.func @f(%x: {x} {{llvm.noalias}}, %w: {w} {{llvm.noalias}}, %y: {y} {{llvm.noalias}}) {{
  %c0 = arith.constant 0 : index
  %height = arith.constant {height} : index
  %chunk = arith.constant {chunk} : index
  %all = arith.constant {all} : index
  %zero = arith.constant 0.0 : f32
  %weights = memref.alloc() : {weights}
  memref.copy %w, %weights : {w} to {weights}
  %acc = memref.alloc() : {acc}
  linalg.fill ins(%zero : f32) outs(%acc : {acc})
  scf.for %i = %c0 to %all step %chunk {{
    %rows = memref.subview %x[%i, 0] [{chunk}, {width}] [1, 1] : {x} to {rows}
    %panel = memref.alloc() : {panel}
    memref.copy %rows, %panel : {rows} to {panel}
    scf.for %k = %c0 to %chunk step %height {{
      %piece = memref.subview %panel[%k, 0] [{height}, {width}] [1, 1] : {panel} to {piece}
      %tile = memref.alloc() : {tile}
      memref.copy %piece, %tile : {piece} to {tile}
      linalg.matmul ins(%tile, %weights : {tile}, {weights}) outs(%acc : {acc})
      memref.dealloc %tile : {tile}
    }} {{zpu.num_stages = {inner} : i64}}
    memref.dealloc %panel : {panel}
  }} {{zpu.num_stages = {outer} : i64}}
  memref.copy %acc, %y : {acc} to {y}
  return
}}
"
        )
    }
}
