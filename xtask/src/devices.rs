//! `cargo xtask bench --of=devices`: kernels on the devices of the repository, with the comparison of plans and
//! without, and how far they are from the best schedule of their commands that is found.
//!
//! Without it, each transfer of a loop has one engine for all iterations. Shares are of the bound of that program, so
//! that a bound that grows does not pass for a better program; the tight bound of the compiled program stands beside
//! it.
//!
//! Invariant: cycles and bounds are the simulator's, and all bytes of the results are compared with those of the
//! source.

use anyhow::{Result, ensure};

use crate::device_run::{Outcome, Run, Target, run};
use crate::device_sources::sources;
use crate::run::Built;
use crate::setup;
use crate::table::{grouped, layout};

/// The devices, with the name of the off-chip memory, which sources write as `dram` where they write it.
const DEVICES: [Target; 3] = [
    Target {
        device: "sunmmio-a4e",
        off_chip: "dram",
    },
    Target {
        device: "trainium2-core",
        off_chip: "hbm",
    },
    Target {
        device: "ascend-910b",
        off_chip: "gm",
    },
];

/// Options of the program that others are measured against: the planner alone, with one engine for each transfer.
const WITHOUT: &str = "num-stages=4 compare-plans=false";
/// Options of the program: those that users get.
const NOW: &str = "";

const PROGRAMS: [&str; 15] = [
    "kernel",
    "without",
    "cycles",
    "speed-up",
    "bound without",
    "share",
    "tight bound",
    "share",
    "dma engines",
    "compulsory",
    "moved",
    "stages",
    "versions",
    "on chip",
    "compile s",
];

const SCHEDULES: [&str; 11] = [
    "kernel",
    "commands",
    "cycles",
    "best found",
    "ratio",
    "of plain commands",
    "ratio",
    "lost most by",
    "cycles",
    "then by",
    "cycles",
];

/// Prints the tables and the geometric means of programs whose `NAME on DEVICE` contains `only`; fails if a program
/// computes something else, or is slower.
pub(crate) fn devices(only: &str) -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::release(&llvm)?;
    let sources = sources();
    let (mut programs, mut schedules) = (Vec::new(), Vec::new());
    let (mut declined, mut slower) = (Vec::new(), Vec::new());
    for target in DEVICES {
        let mut shares = Shares::default();
        for source in &sources {
            let name = format!("{} on {}", source.name, target.device);
            if !name.contains(only) {
                continue;
            }
            eprintln!("{name}");
            let file = source.write(&built, target.device, target.off_chip)?;
            let compiled = |options: &str| run(&built, &file, target, &source.simulation, options);
            let (alone, now) = match (compiled(WITHOUT)?, compiled(NOW)?) {
                (Outcome::Runs(alone), Outcome::Runs(now)) => (alone, now),
                (Outcome::Declined(reason), _) | (_, Outcome::Declined(reason)) => {
                    declined.push(format!("{name}: {reason}"));
                    continue;
                }
            };
            // With loops of unknown length, plans are compared for other lengths than this one.
            if now.cycles * 100 > alone.cycles * 101 {
                slower.push(format!("{name}: {} and {}", alone.cycles, now.cycles));
            }
            shares.add(&alone, &now);
            programs.push(program(&name, &alone, &now));
            schedules.push(schedule(&name, &alone, &now));
        }
        if shares.count > 0 {
            let [before, share, tight, ratio, plain] = shares.means();
            let mean = format!("geometric mean on {}", target.device);
            programs.push(sparse(&mean, &[(3, before), (5, share), (7, tight)], PROGRAMS.len()));
            schedules.push(sparse(&mean, &[(4, ratio), (6, plain)], SCHEDULES.len()));
        }
    }
    ensure!(
        !programs.is_empty() || !declined.is_empty(),
        "no program is named `{only}`; give a part of NAME on DEVICE"
    );
    println!("{}", layout(&PROGRAMS, &programs));
    println!("{}", layout(&SCHEDULES, &schedules));
    declined.iter().for_each(|line| println!("declined: {line}"));
    ensure!(slower.is_empty(), "slower: {}", slower.join(", "));
    Ok(())
}

/// Sums of logarithms, for geometric means.
#[derive(Default)]
struct Shares {
    count: usize,
    /// Of the speed-up, both shares, and both ratios.
    sums: [f64; 5],
    /// Terms of each.
    terms: [usize; 5],
}

impl Shares {
    fn add(&mut self, alone: &Run, now: &Run) {
        let cycles = now.cycles.max(1) as f64;
        let over = |run: &Run| run.best.map(|best| cycles / best.max(1) as f64);
        let values = [
            Some(alone.cycles as f64 / cycles),
            Some(alone.bound as f64 / cycles),
            Some(now.tight as f64 / cycles),
            over(now),
            over(alone),
        ];
        self.count += 1;
        for (i, value) in values.into_iter().enumerate() {
            if let Some(value) = value {
                self.sums[i] += value.ln();
                self.terms[i] += 1;
            }
        }
    }

    fn means(&self) -> [f64; 5] {
        std::array::from_fn(|i| (self.sums[i] / self.terms[i].max(1) as f64).exp())
    }
}

/// A row of so many cells of which a few are filled.
fn sparse(name: &str, cells: &[(usize, f64)], columns: usize) -> Vec<String> {
    let mut row = vec![String::new(); columns];
    row[0] = name.to_owned();
    for (column, value) in cells {
        row[*column] = format!("{value:.3}");
    }
    row
}

fn program(name: &str, alone: &Run, now: &Run) -> Vec<String> {
    let share = |bound: u64| format!("{:.3}", bound as f64 / now.cycles.max(1) as f64);
    let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    vec![
        name.to_owned(),
        grouped(alone.cycles),
        grouped(now.cycles),
        format!("{:.2}", alone.cycles as f64 / now.cycles.max(1) as f64),
        grouped(alone.bound),
        share(alone.bound),
        grouped(now.tight),
        share(now.tight),
        format!("{} -> {}", alone.engines, now.engines),
        grouped(now.compulsory),
        grouped(now.moved),
        number(now.depth),
        number(now.versions),
        grouped(now.on_chip),
        format!("{:.2} -> {:.2}", alone.seconds, now.seconds),
    ]
}

fn schedule(name: &str, alone: &Run, now: &Run) -> Vec<String> {
    let best = |run: &Run| match run.best {
        Some(best) => [grouped(best), format!("{:.3}", now.cycles as f64 / best.max(1) as f64)],
        None => ["too long".to_owned(), "-".to_owned()],
    };
    let [own, ratio] = best(now);
    let [plain, plain_ratio] = best(alone);
    let mut causes = now.distance.clone();
    causes.sort_by_key(|(_, cycles)| std::cmp::Reverse(*cycles));
    let mut row = vec![
        name.to_owned(),
        grouped(now.commands),
        grouped(now.cycles),
        own,
        ratio,
        plain,
        plain_ratio,
    ];
    let causes = causes.into_iter().chain(std::iter::repeat((String::new(), 0))).take(2);
    row.extend(causes.flat_map(|(cause, cycles)| match cycles {
        0 => ["-".to_owned(), String::new()],
        _ => [cause, grouped(cycles)],
    }));
    row
}
