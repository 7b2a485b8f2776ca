//! `cargo xtask bench --of=tuning-proofs`: searches in the order of the model that end when the best is proven.
//!
//! The bounds tell that no configuration which was not tried is better, so the ratios are those of a search through
//! all of them, for a small part of its trials.

use anyhow::{Result, ensure};

use super::FEW;
use super::product::{DEVICES, MORE_SHAPES, Product, SHAPES, STAGES, Trial, least, mean, name_of, worst};
use crate::run::Built;
use crate::setup;
use crate::table::{grouped, layout};

/// Prints the table, of the shapes whose `NAME on DEVICE` contains `only`.
pub(crate) fn proofs(only: &str) -> Result<()> {
    let built = Built::release(&setup::set_up()?)?;
    let mut rows = Vec::new();
    for device in DEVICES {
        let mut of_device = Vec::new();
        for shape in SHAPES.into_iter().chain(MORE_SHAPES) {
            let name = name_of(shape);
            if !format!("{name} on {device}").contains(only) {
                continue;
            }
            eprintln!("{name} on {device}");
            let found = Found::of(&Product::new(&built, &name, shape, device)?)?;
            rows.push(found.row(&format!("{name} on {device}")));
            of_device.push(found);
        }
        if !of_device.is_empty() {
            rows.push(summary(&format!("geometric mean on {device}"), &of_device, mean));
            rows.push(summary(&format!("worst on {device}"), &of_device, worst));
        }
    }
    ensure!(
        !rows.is_empty(),
        "no program is named `{only}`; give a part of NAME on DEVICE"
    );
    let header = [
        "product",
        "best",
        "best of 10",
        "top-1",
        "found by trial",
        "proven after",
        "no pipeline",
        "gain",
        "2 stages",
        "gain",
    ];
    print!("{}", layout(&header, &rows));
    Ok(())
}

/// The results of the searches for a product, in cycles.
struct Found {
    best: f64,
    /// The best of [`FEW`] trials, and the first one.
    few: f64,
    first: f64,
    /// The trial that found the best, and how many there were.
    at: usize,
    trials: usize,
    /// The best without a pipeline, and with two stages.
    serial: f64,
    two: f64,
}

impl Found {
    fn of(product: &Product<'_>) -> Result<Self> {
        let trials = product.with_stages(STAGES, "-proof", "model")?;
        let best = least(trials.iter());
        let is_best = |trial: &Trial| trial.cycles <= best;
        Ok(Self {
            best,
            few: least(trials.iter().take(FEW)),
            first: least(trials.iter().take(1)),
            at: trials.iter().position(is_best).map_or(0, |at| at + 1),
            trials: trials.len(),
            // Nothing is overlapped, so that bounds exclude little; but these are compiled in no time.
            serial: least(product.with_stages("0", "-serial", "exhaustive")?.iter()),
            two: least(product.with_stages("2", "-two", "model")?.iter()),
        })
    }

    /// The best of all over the best of a few trials, and over the first one; what it gains over no pipeline, and over
    /// two stages.
    fn ratios(&self) -> [f64; 4] {
        [
            self.best / self.few,
            self.best / self.first,
            self.serial / self.best,
            self.two / self.best,
        ]
    }

    fn row(&self, label: &str) -> Vec<String> {
        let [few, first, over_serial, over_two] = self.ratios();
        vec![
            label.to_owned(),
            grouped(self.best as u64),
            format!("{few:.4}"),
            format!("{first:.4}"),
            self.at.to_string(),
            self.trials.to_string(),
            grouped(self.serial as u64),
            format!("{over_serial:.2}x"),
            grouped(self.two as u64),
            format!("{over_two:.2}x"),
        ]
    }
}

/// One figure for all products.
fn summary(label: &str, found: &[Found], of: fn(&[f64]) -> f64) -> Vec<String> {
    let each: Vec<f64> = (0..4)
        .map(|at| of(&found.iter().map(|found| found.ratios()[at]).collect::<Vec<f64>>()))
        .collect();
    let blank = String::new;
    vec![
        label.to_owned(),
        blank(),
        format!("{:.4}", each[0]),
        format!("{:.4}", each[1]),
        blank(),
        blank(),
        blank(),
        format!("{:.2}x", each[2]),
        blank(),
        format!("{:.2}x", each[3]),
    ]
}
