//! `cargo xtask bench --of=tuning`: the model's order of configurations beside a search through all of them.
//!
//! Each shape of a matrix product is tuned exhaustively once, without values; a journal in `target/bench/tuning` keeps
//! the trials, so that a run which was ended goes on where it was. All figures come from that one list of trials.
//!
//! The shapes are those of single operators in the evaluation of ALCOP (Huang et al., MLSys 2023), with f16 operands
//! and f32 sums.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::run::{Built, output, root};
use crate::setup;
use crate::table::{grouped, layout};

/// Rows, columns, and length of the sums.
const SHAPES: [[usize; 3]; 12] = [
    [1024, 768, 768],
    [1024, 3072, 768],
    [512, 3072, 768],
    [512, 3072, 1024],
    [1024, 1024, 1024],
    [2048, 2048, 2048],
    [12544, 256, 128],
    [3136, 512, 256],
    [3136, 512, 1024],
    [1024, 64, 2048],
    [4096, 64, 512],
    [1024, 64, 4096],
];

const DEVICES: [&str; 2] = ["sunmmio-a4e", "trainium2-core"];

/// 540 configurations, all of which fit.
const SPACE: &str = r#"
[knobs]
tile_m = [64, 96, 128, 192, 256]
tile_n = [64, 128, 256]
tile_k = [32, 64, 128]
loop_order = "all"
stages = [1]
[pipeline]
num-stages = [0, 2, "auto"]
"#;

/// Trials that a search by the model gets.
const FEW: usize = 10;

/// A configuration that was tried.
struct Trial {
    index: u64,
    cycles: f64,
    predicted: f64,
    bound: f64,
    /// Everything but the depth.
    tiles: String,
    stages: String,
}

/// Prints the tables, of the shapes whose `NAME on DEVICE` contains `only`.
pub(crate) fn tuning(only: &str) -> Result<()> {
    let built = Built::release(&setup::set_up()?)?;
    let (mut quality, mut gains) = (Vec::new(), Vec::new());
    for device in DEVICES {
        for shape in SHAPES {
            let name = shape.map(|size| size.to_string()).join("x");
            if !format!("{name} on {device}").contains(only) {
                continue;
            }
            let trials = exhaustive(&built, &name, shape, device)?;
            let label = format!("{name} on {device}");
            quality.push([vec![label.clone()], of_model(&trials)].concat());
            gains.push([vec![label], of_depth(&trials)].concat());
        }
    }
    ensure!(
        !quality.is_empty(),
        "no program is named `{only}`; give a part of NAME on DEVICE"
    );
    let header = [
        "product",
        "trials",
        "best",
        "best of 10",
        "top-1",
        "rank of the best",
        "within 1 %",
        "median error",
        "worst",
        "tau",
        "trials until proven",
    ];
    print!("{}", layout(&header, &quality));
    let header = [
        "product",
        "no pipeline",
        "2 stages",
        "auto",
        "gain of the best",
        "gain at equal tiles",
        "most",
    ];
    print!("\n{}", layout(&header, &gains));
    Ok(())
}

/// All configurations of a shape on a device, in the order of the model.
fn exhaustive(built: &Built, name: &str, [m, n, k]: [usize; 3], device: &str) -> Result<Vec<Trial>> {
    let file = |suffix: &str| built.file("bench/tuning", &format!("{name}{suffix}"));
    let (kernel, space) = (file(".mlir")?, file(".toml")?);
    let text = format!(
        "func.func @product(%a: memref<{m}x{k}xf16> {{llvm.noalias}}, %b: memref<{k}x{n}xf16> {{llvm.noalias}},\n    \
         %c: memref<{m}x{n}xf32> {{llvm.noalias}}) {{\n  \
         linalg.matmul ins(%a, %b : memref<{m}x{k}xf16>, memref<{k}x{n}xf16>) outs(%c : memref<{m}x{n}xf32>)\n  \
         return\n}}\n"
    );
    fs::write(&kernel, text).with_context(|| format!("{}", kernel.display()))?;
    fs::write(&space, SPACE).with_context(|| format!("{}", space.display()))?;
    let mut tuner = built.tool("zpu-tune");
    tuner
        .arg(&kernel)
        .arg("--space")
        .arg(&space)
        .arg("--script")
        .arg(root().join("examples/tuning/matmul.transform.mlir"))
        .arg("--journal")
        .arg(file(&format!("-{device}.jsonl"))?)
        .args(["--device", device, "--strategy=exhaustive", "--check=off", "--json=-"]);
    let lines = output(&mut tuner, &[0])?.stdout;
    let lines = String::from_utf8(lines).context("zpu-tune wrote no text")?;
    let mut trials = Vec::new();
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).context("zpu-tune wrote no JSON")?;
        let number = |key: &str| line.get(key).and_then(Value::as_f64);
        let (Some(cycles), Some(predicted), Some(bound)) = (number("cycles"), number("predicted"), number("bound"))
        else {
            continue;
        };
        let mut settings = line.get("configuration").cloned().unwrap_or_default();
        let stages = settings.as_object_mut().and_then(|all| all.remove("num-stages"));
        trials.push(Trial {
            index: line.get("index").and_then(Value::as_u64).unwrap_or(0),
            cycles,
            predicted,
            bound,
            tiles: settings.to_string(),
            stages: stages.unwrap_or_default().to_string(),
        });
    }
    ensure!(
        !trials.is_empty(),
        "{name} on {device}: no configuration gives a program"
    );
    trials.sort_by(|one, other| {
        let key = |trial: &Trial| (trial.predicted as u64, trial.bound as u64, trial.index);
        key(one).cmp(&key(other))
    });
    Ok(trials)
}

fn least<'a>(trials: impl Iterator<Item = &'a Trial>) -> f64 {
    trials.map(|trial| trial.cycles).fold(f64::INFINITY, f64::min)
}

/// How good the order of the model is.
fn of_model(trials: &[Trial]) -> Vec<String> {
    let best = least(trials.iter());
    let rank = trials
        .iter()
        .position(|trial| trial.cycles <= best)
        .map_or(0, |at| at + 1);
    let close = trials.iter().filter(|trial| trial.cycles <= best * 1.01).count();
    let mut errors: Vec<f64> = trials
        .iter()
        .map(|trial| trial.predicted / trial.cycles - 1.0)
        .collect();
    errors.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    let percent = |error: Option<&f64>| error.map_or_else(String::new, |error| format!("{:+.1} %", error * 100.0));
    let top = trials.first().map_or(best, |trial| trial.cycles);
    vec![
        trials.len().to_string(),
        grouped(best as u64),
        format!("{:.4}", best / least(trials.iter().take(FEW))),
        format!("{:.3}", best / top),
        rank.to_string(),
        close.to_string(),
        percent(errors.get(errors.len() / 2)),
        percent(errors.last()),
        format!("{:.3}", tau(trials)),
        until_proven(trials).to_string(),
    ]
}

/// Kendall's rank correlation of predictions and cycles (tau-a; ties count for neither side).
fn tau(trials: &[Trial]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (at, one) in trials.iter().enumerate() {
        for other in &trials[at + 1..] {
            let sign = (one.predicted - other.predicted) * (one.cycles - other.cycles);
            sum += if sign > 0.0 {
                1.0
            } else if sign < 0.0 {
                -1.0
            } else {
                0.0
            };
            pairs += 1.0;
        }
    }
    sum / f64::max(pairs, 1.0)
}

/// Trials in the order of the model until no bound that is left is less than the best.
fn until_proven(trials: &[Trial]) -> usize {
    let (mut best, mut count) = (f64::INFINITY, 0);
    for trial in trials.iter().filter(|trial| trial.bound < f64::INFINITY) {
        if trial.bound < best {
            best = best.min(trial.cycles);
            count += 1;
        }
    }
    count
}

/// The best with each depth; and what the best depth gains over no pipeline, at the best tiles of each and at equal
/// ones.
fn of_depth(trials: &[Trial]) -> Vec<String> {
    let with = |stages: &str| least(trials.iter().filter(|trial| trial.stages == stages));
    let depths = ["0", "2", "\"auto\""];
    let mut row: Vec<String> = depths.iter().map(|stages| grouped(with(stages) as u64)).collect();
    let serial = trials.iter().filter(|trial| trial.stages == "0");
    let ratios: Vec<f64> = serial
        .map(|one| one.cycles / least(trials.iter().filter(|trial| trial.tiles == one.tiles)))
        .collect();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    row.push(format!("{:.2}x", with("0") / least(trials.iter())));
    row.push(format!("{mean:.2}x"));
    row.push(format!("{:.2}x", ratios.into_iter().fold(0.0, f64::max)));
    row
}
