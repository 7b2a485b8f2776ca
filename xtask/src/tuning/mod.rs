//! `cargo xtask bench --of=tuning`: the model's order of configurations beside a search through all of them.
//!
//! Each shape of a matrix product is tuned exhaustively once, without values; a journal in `target/bench/tuning` keeps
//! the trials, so that a run which was ended goes on where it was. All figures come from that one list of trials.
//!
//! The shapes are those of single operators in the evaluation of ALCOP (Huang et al., MLSys 2023), with f16 operands
//! and f32 sums.

pub(crate) mod joint;
pub(crate) mod levels;
pub(crate) mod models;
mod product;
pub(crate) mod proof;

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::run::Built;
use crate::setup;
use crate::table::{grouped, layout};
use product::{DEVICES, Product, SHAPES, Trial, least, mean, name_of, worst};

/// Trials that a search by the model gets.
const FEW: usize = 10;

/// Prints the tables, of the shapes whose `NAME on DEVICE` contains `only`.
pub(crate) fn tuning(only: &str) -> Result<()> {
    let built = Built::release(&setup::set_up()?)?;
    let (mut quality, mut gains) = (Vec::new(), Vec::new());
    let mut ratios = Vec::new();
    for device in DEVICES {
        for shape in SHAPES {
            let name = name_of(shape);
            if !format!("{name} on {device}").contains(only) {
                continue;
            }
            eprintln!("{name} on {device}");
            let product = Product::new(&built, &name, shape, device)?;
            let trials = product.exhaustive()?;
            let found = Found {
                model: least(trials.iter().take(FEW)),
                first: least(trials.iter().take(1)),
                assisted: least(
                    product
                        .trials(&["--strategy=assisted", &format!("--trials={FEW}")])?
                        .iter(),
                ),
                random: expected_best(&trials, FEW),
            };
            let label = format!("{name} on {device}");
            quality.push([vec![label.clone()], of_model(&trials, &found)].concat());
            gains.push([vec![label], of_depth(&trials)].concat());
            ratios.push(found.ratios(least(trials.iter())));
        }
    }
    let with_sweep = format!("bandwidth of {} on {}", name_of(SWEEP), SWEEP_DEVICE).contains(only);
    ensure!(
        with_sweep || !quality.is_empty(),
        "no program is named `{only}`; give a part of NAME on DEVICE"
    );
    if !quality.is_empty() {
        print_quality(quality, &ratios);
        print_gains(&gains);
    }
    if with_sweep { sweep(&built) } else { Ok(()) }
}

/// How good the order of the model is, with the means of the [`Found::ratios`].
fn print_quality(mut quality: Vec<Vec<String>>, ratios: &[[f64; 4]]) {
    for (name, of) in [("geometric mean", mean as fn(&[f64]) -> f64), ("worst", worst)] {
        let each = (0..4).map(|at| of(&ratios.iter().map(|row| row[at]).collect::<Vec<f64>>()));
        let each = each.map(|ratio| format!("{ratio:.4}"));
        let row = [name, "", ""].map(str::to_owned).into_iter().chain(each);
        quality.push(row.chain((0..6).map(|_| String::new())).collect());
    }
    let header = [
        "product",
        "trials",
        "best",
        "best of 10",
        "top-1",
        "assisted",
        "random",
        "rank of the best",
        "within 1 %",
        "median error",
        "worst",
        "tau",
        "trials until proven",
    ];
    print!("{}", layout(&header, &quality));
}

/// The gain of pipelining.
fn print_gains(gains: &[Vec<String>]) {
    let header = [
        "product",
        "no pipeline",
        "2 stages",
        "auto",
        "gain of the best",
        "gain at equal tiles",
        "most",
    ];
    print!("\n{}", layout(&header, gains));
}

/// The best that a search finds with few trials, in cycles.
struct Found {
    model: f64,
    /// With one trial.
    first: f64,
    assisted: f64,
    /// On average.
    random: f64,
}

impl Found {
    /// The best of all over each of these.
    fn ratios(&self, best: f64) -> [f64; 4] {
        [self.model, self.first, self.assisted, self.random].map(|found| best / found)
    }
}

/// The average of the best of `few` different trials that are drawn at random.
fn expected_best(trials: &[Trial], few: usize) -> f64 {
    let mut cycles: Vec<f64> = trials.iter().map(|trial| trial.cycles).collect();
    cycles.sort_by(f64::total_cmp);
    let count = cycles.len() as f64;
    // The chance that none of those drawn is among the best so many.
    let mut none_before = 1.0;
    let mut sum = 0.0;
    for (at, cycles) in cycles.iter().enumerate() {
        let left = count - at as f64;
        let none_now = none_before * ((left - few as f64).max(0.0) / left);
        sum += cycles * (none_before - none_now);
        none_before = none_now;
    }
    sum
}

/// The product of the sweep, its device and tiles, and the rates of the link to memory, which has 384 bytes a cycle.
const SWEEP: product::Shape = &[1024, 768, 768];
const SWEEP_DEVICE: &str = "sunmmio-a4e";
const SWEEP_SPACE: &str = r#"
[knobs]
tile_m = [256]
tile_n = [256]
tile_k = [64]
loop_order = [0]
stages = [1]
[pipeline]
num-stages = [0, 2, "auto"]
[set]
"link.dram_port.bytes_per_cycle" = [32, 64, 96, 128, 192, 256, 384, 512, 1024]
"#;

/// The gain of pipelining over the bandwidth to memory, at equal tiles: where the product waits for loads alone, or for
/// none, there is less to gain.
fn sweep(built: &Built) -> Result<()> {
    let name = name_of(SWEEP);
    let product = Product::new(built, &name, SWEEP, SWEEP_DEVICE)?;
    let trials = product.trials_in(SWEEP_SPACE, "-sweep", &["--strategy=exhaustive"])?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for serial in trials.iter().filter(|trial| trial.stages == "0") {
        let own = || trials.iter().filter(|trial| trial.tiles == serial.tiles);
        let best = own().min_by(|one, other| one.cycles.total_cmp(&other.cycles));
        let tiles: Value = serde_json::from_str(&serial.tiles).unwrap_or_default();
        let rate = tiles.get("link.dram_port.bytes_per_cycle").map(Value::to_string);
        let (cycles, predicted) = best.map_or((0.0, 0.0), |best| (best.cycles, best.predicted));
        rows.push(vec![
            rate.unwrap_or_default(),
            grouped(serial.cycles as u64),
            grouped(cycles as u64),
            format!("{:.2}x", serial.cycles / cycles),
            format!("{:+.1} %", (predicted / cycles - 1.0) * 100.0),
            format!("{:.1} %", serial.bound / cycles * 100.0),
        ]);
    }
    let header = [
        "bytes a cycle",
        "no pipeline",
        "best depth",
        "gain",
        "error of the model",
        "of the bound",
    ];
    println!("\n{name} on {SWEEP_DEVICE}, tiles 256x256x64");
    print!("{}", layout(&header, &rows));
    Ok(())
}

/// How good the order of the model is.
fn of_model(trials: &[Trial], found: &Found) -> Vec<String> {
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
    vec![
        trials.len().to_string(),
        grouped(best as u64),
        format!("{:.4}", best / found.model),
        format!("{:.4}", best / found.first),
        format!("{:.4}", best / found.assisted),
        format!("{:.4}", best / found.random),
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
    row.push(format!("{:.2}x", with("0") / least(trials.iter())));
    row.push(format!("{:.2}x", mean(&ratios)));
    row.push(format!("{:.2}x", ratios.into_iter().fold(0.0, f64::max)));
    row
}
