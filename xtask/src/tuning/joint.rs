//! `cargo xtask bench --of=tuning-joint`: tiles and pipeline chosen together, and one after the other.
//!
//! The kernels are those of `examples/tuning` with their scripts and spaces. Tiles first means the tiles that are best
//! without a pipeline, with as many stages as pay then.

use std::fs;

use anyhow::{Context, Result, ensure};
use toml::{Table, Value};

use super::product::{DEVICES, Search, Trial, least, mean};
use crate::run::{Built, root};
use crate::setup;
use crate::table::{grouped, layout};

/// The kernels, each with the name of its script and space.
const KERNELS: [(&str, &str); 7] = [
    ("matmul", "matmul"),
    ("batch_matmul", "batch_matmul"),
    ("conv2d", "conv2d"),
    ("conv2d_stride2", "conv2d"),
    ("conv3d", "conv3d"),
    ("attention", "attention"),
    ("chunk_scan", "chunk_scan"),
];

/// Trials of the search for both at once.
const TRIALS: usize = 40;

/// Prints the table, of the kernels whose `NAME on DEVICE` contains `only`.
pub(crate) fn joint(only: &str) -> Result<()> {
    let built = Built::release(&setup::set_up()?)?;
    let (mut rows, mut gains) = (Vec::new(), Vec::new());
    for device in DEVICES {
        for (kernel, script) in KERNELS {
            let label = format!("{kernel} on {device}");
            if label.contains(only) {
                eprintln!("{label}");
                let found = Found::of(&built, kernel, script, device)?;
                gains.push(found.first / found.joint);
                rows.push(found.row(&label));
            }
        }
    }
    ensure!(
        !rows.is_empty(),
        "no program is named `{only}`; give a part of NAME on DEVICE"
    );
    let blanks = vec![String::new(); 5];
    let gain = format!("{:.2}x", mean(&gains));
    rows.push([vec!["geometric mean".to_owned()], blanks, vec![gain]].concat());
    let header = [
        "kernel",
        "together",
        "trials",
        "proven",
        "no pipeline",
        "tiles first",
        "gain of together",
    ];
    print!("{}", layout(&header, &rows));
    Ok(())
}

/// The cycles of a kernel.
struct Found {
    joint: f64,
    trials: usize,
    serial: f64,
    /// With the tiles that are best without a pipeline.
    first: f64,
}

impl Found {
    fn of(built: &Built, kernel: &str, script: &'static str, device: &'static str) -> Result<Self> {
        let folder = root().join("examples/tuning");
        let text = folder.join(format!("{script}.space.toml"));
        let space: Table = fs::read_to_string(&text)
            .with_context(|| format!("{}", text.display()))?
            .parse()
            .with_context(|| format!("{}", text.display()))?;
        let file = folder.join(format!("{kernel}.mlir"));
        let run = |kind: &str, space: Table, options: &[&str]| -> Result<Vec<Trial>> {
            let search = Search {
                built,
                kernel: &file,
                script: Some(script),
                name: format!("{kernel}-{kind}"),
                device,
            };
            search.trials(&space.to_string(), options)
        };
        let together = run(
            "together",
            space.clone(),
            &["--strategy=model", &format!("--trials={TRIALS}")],
        )?;
        let serial = run(
            "serial",
            with_stages(space.clone(), 0.into()),
            &["--strategy=exhaustive"],
        )?;
        let best = serial
            .iter()
            .min_by(|one, other| one.cycles.total_cmp(&other.cycles))
            .context("a search has a trial")?;
        let tiles = with_tiles(with_stages(space, "auto".into()), best)?;
        Ok(Self {
            joint: least(together.iter()),
            trials: together.len(),
            serial: best.cycles,
            first: least(run("tiles-first", tiles, &["--strategy=exhaustive"])?.iter()),
        })
    }

    fn row(&self, label: &str) -> Vec<String> {
        let is_proven = if self.trials < TRIALS { "yes" } else { "no" };
        vec![
            label.to_owned(),
            grouped(self.joint as u64),
            self.trials.to_string(),
            is_proven.to_owned(),
            grouped(self.serial as u64),
            grouped(self.first as u64),
            format!("{:.2}x", self.first / self.joint),
        ]
    }
}

/// The space with one value of `num-stages`, and without what names other files.
fn with_stages(mut space: Table, stages: Value) -> Table {
    let pipeline = Table::from_iter([("num-stages".to_owned(), Value::Array(vec![stages]))]);
    space.insert("pipeline".to_owned(), Value::Table(pipeline));
    space
}

/// The space with the tiles of one trial alone.
fn with_tiles(mut space: Table, trial: &Trial) -> Result<Table> {
    let tiles: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&trial.tiles)?;
    let mut knobs = Table::new();
    for (name, value) in tiles {
        let value = value.as_i64().with_context(|| format!("{name} is no number"))?;
        knobs.insert(name, Value::Array(vec![value.into()]));
    }
    space.insert("knobs".to_owned(), Value::Table(knobs));
    Ok(space)
}
