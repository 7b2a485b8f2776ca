//! `cargo xtask bench --of=order`: whether a stronger scheduler, or more stages, ever give a slower program.
//!
//! Each kernel is compiled for each device as it is written, with each scheduler, and with more and more stages, and
//! simulated. Wanted is exact <= auto <= greedy <= list <= serial <= as written, and more stages never slower. Kernels
//! whose loops have no constant length are run with 0 to 8 iterations and with 1,000; there, one wait for each engine
//! is no difference.
//!
//! Invariant: every figure is in cycles of the simulator.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::kernels::TILE_MATMUL;
use crate::run::{Built, number, output, root};
use crate::setup;
use crate::table::{grouped, layout};

const DEVICES: [&str; 6] = [
    "toy",
    "planning-1dma",
    "planning-2dma",
    "sunmmio-a4e",
    "trainium2-core",
    "ascend-910b",
];

/// The compared variants: the first one is the program as it is written.
const COLUMNS: [(&str, &str); 12] = [
    ("written", ""),
    ("serial", "scheduler=serial num-stages=2"),
    ("list", "scheduler=list num-stages=2"),
    ("greedy", "scheduler=greedy num-stages=2"),
    ("auto", "scheduler=auto num-stages=2"),
    ("exact", "scheduler=exact num-stages=2 time-limit=1"),
    ("auto 1", "scheduler=auto num-stages=1"),
    ("auto 3", "scheduler=auto num-stages=3"),
    ("auto 4", "scheduler=auto num-stages=4"),
    ("auto 8", "scheduler=auto num-stages=8"),
    ("auto 16", "scheduler=auto num-stages=16"),
    ("any depth", "scheduler=auto num-stages=auto"),
];

/// Columns of which the second must not be slower than the first. A variant without a number of stages has two.
const ORDER: [(usize, usize); 11] = [
    (0, 1),
    (1, 2),
    (2, 3),
    (3, 4),
    (4, 5),
    (6, 4),
    (4, 7),
    (7, 8),
    (8, 9),
    (9, 10),
    (10, 11),
];

/// The pipeline of a program as it is written.
const WRITTEN: &str =
    "func.func(canonicalize,cse),zpu-infer-memory-spaces,func.func(zpu-legalize-data-path,zpu-convert-to-dma)";

/// Iterations of loops whose length is an argument; the longest last.
const LENGTHS: [u64; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 1000];

/// A kernel with its arguments, by number of iterations if that is not constant.
struct Case {
    name: &'static str,
    source: String,
    prepare: &'static [&'static str],
    arguments: Option<fn(u64) -> Vec<String>>,
}

fn cases() -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    let reference = fs::read_to_string(root().join("test/kernels/graphs/reference.txt"))?;
    let mut graphs: Vec<&str> = reference
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    graphs.sort_unstable();
    graphs.dedup();
    for graph in graphs {
        cases.push(Case {
            name: graph.to_owned().leak(),
            source: format!("test/kernels/graphs/{graph}.mlir"),
            prepare: &[],
            arguments: None,
        });
    }
    let mut case = |name, source: &str, prepare, arguments| {
        cases.push(Case {
            name,
            source: source.to_owned(),
            prepare,
            arguments,
        });
    };
    case("attention", "examples/attention.mlir", &[], None);
    case("matmul", "examples/matmul.mlir", TILE_MATMUL, None);
    case(
        "vector_add",
        "test/kernels/vector-add-f32.mlir",
        &[],
        Some(|trips| (0..3).map(|i| format!("{i}=zero:{}", trips * 256)).collect()),
    );
    case(
        "rms_norm",
        "test/kernels/rms-norm-f32.mlir",
        &[],
        Some(|trips| [0, 2].map(|i| format!("{i}=zero:{}x256", trips * 8)).to_vec()),
    );
    case(
        "attention_rows",
        "test/kernels/attention-f32.mlir",
        &[],
        Some(|trips| [1, 2].map(|i| format!("{i}=zero:{}x64", trips * 32)).to_vec()),
    );
    case(
        "attention_blocks",
        "test/kernels/attention-blocks-f32.mlir",
        &[],
        Some(|trips| {
            let rows = |i, trips| format!("{i}=zero:{}x32", trips * 16);
            vec![rows(0, 2), rows(1, trips), rows(2, trips), rows(3, 2)]
        }),
    );
    Ok(cases)
}

/// Prints the cycles of each kernel on each device, and the variants that are out of order; fails if there are any.
pub(crate) fn order() -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::release(&llvm)?;
    let (mut rows, mut wrong, mut compared) = (Vec::new(), Vec::new(), 0);
    for case in cases()? {
        for device in DEVICES {
            let Some(cycles) = measured(&built, &case, device)? else {
                continue;
            };
            eprintln!("{} on {device}", case.name);
            let slack = if case.arguments.is_some() {
                slack(&built, device)?
            } else {
                0
            };
            for (slower, faster) in ORDER {
                for (length, (before, after)) in cycles[slower].iter().zip(&cycles[faster]).enumerate() {
                    compared += 1;
                    if *after > before + slack {
                        let (slower, faster) = (COLUMNS[slower].0, COLUMNS[faster].0);
                        let length = case
                            .arguments
                            .map_or(String::new(), |_| format!(", {} iterations", LENGTHS[length]));
                        wrong.push(format!(
                            "{} on {device}{length}: {faster} {after}, {slower} {before}",
                            case.name
                        ));
                    }
                }
            }
            let mut row = vec![format!("{} on {device}", case.name)];
            row.extend(
                cycles
                    .iter()
                    .map(|each| each.last().map_or("-".to_owned(), |cycles| grouped(*cycles))),
            );
            rows.push(row);
        }
    }
    let mut header = vec!["kernel"];
    header.extend(COLUMNS.map(|(name, _)| name));
    print!("{}", layout(&header, &rows));
    println!("{compared} pairs compared, {} out of order", wrong.len());
    wrong.iter().for_each(|line| println!("{line}"));
    ensure!(wrong.is_empty(), "a stronger choice gives a slower program");
    Ok(())
}

/// Cycles by column and length; `None` if the device cannot run the kernel.
fn measured(built: &Built, case: &Case, device: &str) -> Result<Option<Vec<Vec<u64>>>> {
    let before = built.file("bench", &format!("{}.order.mlir", case.name))?;
    let mut prepare = built.tool("zpu-opt");
    prepare.arg(&case.source).args(case.prepare).arg("-o").arg(&before);
    output(&mut prepare, &[0])?;
    let mut all = Vec::new();
    for (name, options) in COLUMNS {
        let after = built.file("bench", &format!("{}.{device}.order.mlir", case.name))?;
        let mut compile = built.tool("zpu-opt");
        compile.arg(&before).arg("-o").arg(&after);
        if name == "written" {
            compile.arg(format!(
                "--pass-pipeline=builtin.module(zpu-attach-device{{device={device}}},{WRITTEN})"
            ));
        } else {
            compile.arg(format!("--zpu-pipeline=device={device} {options}"));
        }
        if !compile.output().context("zpu-opt")?.status.success() {
            return Ok(None);
        }
        let Some(cycles) = simulated(built, case, &after)? else {
            return Ok(None);
        };
        all.push(cycles);
    }
    Ok(Some(all))
}

/// Cycles by length; `None` if the device cannot run the program.
fn simulated(built: &Built, case: &Case, program: &Path) -> Result<Option<Vec<u64>>> {
    let lengths = case.arguments.map_or(1, |_| LENGTHS.len());
    let mut cycles = Vec::new();
    for length in &LENGTHS[..lengths] {
        let mut simulate = built.tool("zpu-sim");
        simulate
            .arg(program)
            .args(["--init", "random:1", "--check", "none", "--json", "-"]);
        if case.name == "blocksparse_gemm" {
            // No block is left out.
            simulate.args(["--arg", "2=1"]);
        }
        for argument in case.arguments.map(|arguments| arguments(*length)).unwrap_or_default() {
            simulate.args(["--arg", &argument]);
        }
        let report = simulate.output().context("zpu-sim")?;
        if !report.status.success() {
            return Ok(None);
        }
        let report: Value = serde_json::from_slice(&report.stdout).context("zpu-sim wrote no JSON")?;
        cycles.push(number(&report, "/cycles")?);
    }
    Ok(Some(cycles))
}

/// One wait for each engine of a device.
fn slack(built: &Built, device: &str) -> Result<u64> {
    let empty: PathBuf = built.file("bench", "empty.mlir")?;
    fs::write(&empty, "")?;
    let attached = output(
        built
            .tool("zpu-opt")
            .arg(&empty)
            .arg(format!("--zpu-attach-device=device={device}")),
        &[0],
    )?;
    let text = String::from_utf8_lossy(&attached.stdout).into_owned();
    let wait = text
        .split("zpu.control")
        .nth(1)
        .and_then(|rest| rest.split(" wait ").nth(1));
    let wait: u64 = wait
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .context("the device names no cycles of a wait")?;
    Ok(wait * text.matches("zpu.engine").count() as u64)
}
