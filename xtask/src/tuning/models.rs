//! `cargo xtask bench --of=tuning-models`: graphs of several loop nests without a pipeline, pipelined, and tuned.
//!
//! The graphs are those of `test/kernels/dataflow`: whole models in small, with tensors between nests. Tuning chooses
//! the depth, and whether nests that pass a tensor on become one pipeline.

use anyhow::{Context, Result, ensure};

use super::product::{Search, Trial, in_order, least, mean};
use crate::dataflow::{GRAPHS, source};
use crate::run::Built;
use crate::setup;
use crate::table::{grouped, layout};

/// Devices, and the name of their off-chip memory.
const DEVICES: [(&str, &str); 2] = [("sunmmio-a4e", "dram"), ("trainium2-core", "hbm")];

const SPACE: &str = "[pipeline]\n\
                     insert-buffers = [false, true]\n\
                     num-stages = [0, 2, 3, 4, 8, \"auto\"]\n";

/// Trials of a search, of twelve configurations.
const TRIALS: usize = 4;

/// Prints the table, of the graphs whose `NAME on DEVICE` contains `only`.
pub(crate) fn models(only: &str) -> Result<()> {
    let built = Built::release(&setup::set_up()?)?;
    let (mut rows, mut all) = (Vec::new(), Vec::new());
    for (device, off_chip) in DEVICES {
        for graph in GRAPHS {
            let label = format!("{graph} on {device}");
            if label.contains(only) {
                eprintln!("{label}");
                let found = Found::of(&built, graph, device, off_chip)?;
                rows.push(found.row(label));
                all.push(found);
            }
        }
    }
    ensure!(
        !rows.is_empty(),
        "no program is named `{only}`; give a part of NAME on DEVICE"
    );
    let mean_of = |gain: fn(&Found) -> f64| format!("{:.2}x", mean(&all.iter().map(gain).collect::<Vec<f64>>()));
    let means = [mean_of(Found::over_serial), mean_of(Found::over_pipelined)];
    let blanks = vec![String::new(); 6];
    rows.push([vec!["geometric mean".to_owned()], blanks, means.to_vec()].concat());
    let header = [
        "graph",
        "no pipeline",
        "pipelined",
        "tuned, 4 trials",
        "all trials",
        "insert-buffers",
        "num-stages",
        "gain of tuned",
        "over pipelined",
    ];
    print!("{}", layout(&header, &rows));
    Ok(())
}

/// The cycles of a graph.
struct Found {
    serial: f64,
    /// With the options that users get.
    pipelined: f64,
    /// The best of the first [`TRIALS`] in the order of the model.
    few: f64,
    best: f64,
    /// The options of the best.
    buffers: String,
    stages: String,
}

impl Found {
    fn of(built: &Built, graph: &str, device: &'static str, off_chip: &str) -> Result<Self> {
        let kernel = source(built, graph, device, off_chip)?;
        let search = Search {
            built,
            kernel: &kernel,
            script: None,
            name: format!("{graph}-model"),
            device,
        };
        let trials = in_order(search.trials(SPACE, &["--strategy=exhaustive"])?);
        let apart = |stages: &str| {
            let is_apart = |trial: &&Trial| trial.tiles.contains("false") && trial.stages == stages;
            let found = trials.iter().find(is_apart).map(|trial| trial.cycles);
            found.with_context(|| format!("no trial of {graph} with {stages} stages"))
        };
        let best = trials.iter().min_by(|one, other| one.cycles.total_cmp(&other.cycles));
        let best = best.context("a search has a trial")?;
        Ok(Self {
            serial: apart("0")?,
            pipelined: apart("\"auto\"")?,
            few: least(trials.iter().take(TRIALS)),
            best: best.cycles,
            buffers: best.tiles.contains("true").to_string(),
            stages: best.stages.trim_matches('"').to_owned(),
        })
    }

    fn over_serial(&self) -> f64 {
        self.serial / self.few
    }

    fn over_pipelined(&self) -> f64 {
        self.pipelined / self.few
    }

    fn row(&self, label: String) -> Vec<String> {
        let mut row = vec![label];
        row.extend([self.serial, self.pipelined, self.few, self.best].map(|cycles| grouped(cycles as u64)));
        row.extend([self.buffers.clone(), self.stages.clone()]);
        row.extend([self.over_serial(), self.over_pipelined()].map(|gain| format!("{gain:.2}x")));
        row
    }
}
