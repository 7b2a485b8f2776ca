//! `cargo xtask bench --of=memory`: the bytes that buffers need with addresses and without.
//!
//! Each kernel is compiled for each device without addresses and with them (`plan-memory`), and simulated: the bytes
//! that are allocated without, those of the rings of the program with addresses side by side, and those planned. Then
//! each memory of the device gets no more bytes than the addresses took, and both are compiled once more: that shows
//! what sharing is worth where a memory is short.
//!
//! Invariant: cycles are the simulator's, bytes those of the remarks; all bytes of the results are compared with those
//! of the source, and with enough memory no program is slower with addresses.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::device_run::{Target, refusal};
use crate::device_sources::{Source, beside, sources};
use crate::run::{Built, number, output};
use crate::setup;
use crate::table::{grouped, layout};

const TARGETS: [Target; 4] = [
    Target {
        device: "planning-1dma",
        off_chip: "dram",
    },
    Target {
        device: "planning-2dma",
        off_chip: "dram",
    },
    Target {
        device: "sunmmio-a4e",
        off_chip: "dram",
    },
    Target {
        device: "trainium2-core",
        off_chip: "hbm",
    },
];

const SPACES: [&str; 11] = [
    "kernel",
    "memory",
    "versions",
    "ranges",
    "without",
    "as rings",
    "planned",
    "bound",
    "interval",
    "with addresses",
    "cycles",
];

const SHORT: [&str; 4] = ["kernel", "bytes", "cycles without", "with addresses"];

/// The exit code of the simulator where buffers do not fit.
const DOES_NOT_FIT: i32 = 5;

/// Prints two tables; `only` is a part of the names of kernels and devices.
pub(crate) fn memory(only: &str) -> Result<()> {
    let llvm = setup::set_up()?;
    let built = Built::release(&llvm)?;
    let (mut spaces, mut short, mut slower) = (Vec::new(), Vec::new(), Vec::new());
    for target in TARGETS {
        for source in sources() {
            let name = format!("{} on {}", source.name, target.device);
            if !name.contains(only) {
                continue;
            }
            eprintln!("{name}");
            let path = source.write(&built, target.device, target.off_chip)?;
            let program = Program {
                built: &built,
                source: &source,
                path: &path,
                target,
            };
            let (Some(without), Some(with)) = (program.run("", false)?, program.run("", true)?) else {
                continue;
            };
            if with.cycles > without.cycles {
                slower.push(format!("{name}: {} and {}", without.cycles, with.cycles));
            }
            spaces.extend(with.spaces.iter().map(|space| space.row(&name, &without, &with)));
            let shared: Vec<&Space> = with.spaces.iter().filter(|space| space.planned < space.rings).collect();
            if shared.is_empty() {
                continue;
            }
            let sizes = shared
                .iter()
                .map(|space| format!("memory.{}.bytes={}", space.name, space.planned));
            let sizes = sizes.collect::<Vec<_>>().join(",");
            let cycles = |run: Option<Run>| run.map_or("does not fit".to_owned(), |run| grouped(run.cycles));
            short.push(vec![
                name,
                shared
                    .iter()
                    .map(|space| format!("{} {}", space.name, grouped(space.planned)))
                    .collect::<Vec<_>>()
                    .join(", "),
                cycles(program.run(&sizes, false)?),
                cycles(program.run(&sizes, true)?),
            ]);
        }
    }
    println!("{}", layout(&SPACES, &spaces));
    print!("{}", layout(&SHORT, &short));
    ensure!(slower.is_empty(), "slower with addresses: {}", slower.join(", "));
    Ok(())
}

/// A kernel for a device.
struct Program<'a> {
    built: &'a Built,
    source: &'a Source,
    path: &'a Path,
    target: Target,
}

/// A compiled program, in numbers.
struct Run {
    cycles: u64,
    /// Intervals of its pipelined loops.
    intervals: Vec<String>,
    spaces: Vec<Space>,
    /// The most bytes that are allocated at once, by memory.
    peaks: Vec<(String, u64)>,
}

/// A memory in the plan of a program.
struct Space {
    name: String,
    versions: u64,
    ranges: u64,
    rings: u64,
    planned: u64,
    bound: u64,
}

impl Program<'_> {
    /// Compiles it with other sizes of memories, with addresses or without, and runs it; none if the device does not
    /// take it.
    fn run(&self, sizes: &str, plan_memory: bool) -> Result<Option<Run>> {
        let compiled = beside(self.path, "compiled.mlir");
        let device = self.target.device;
        let set = if sizes.is_empty() {
            String::new()
        } else {
            format!("set={sizes}")
        };
        let remarks = beside(self.path, "remarks.yaml");
        let mut command = self.built.tool("zpu-opt");
        command
            .arg(self.path)
            .arg(format!(
                "--zpu-pipeline=device={device} {set} plan-memory={plan_memory}"
            ))
            .args([
                "--remarks-filter=zpu-plan-memory|zpu-pipeline-planning",
                "--remark-format=yaml",
            ])
            .arg(format!("--remarks-output-file={}", remarks.display()))
            .arg("-o")
            .arg(&compiled);
        if refusal(&mut command)?.is_some() {
            return Ok(None);
        }
        let mut options = vec!["--device".to_owned(), device.to_owned()];
        options.extend(
            sizes
                .split(',')
                .filter(|set| !set.is_empty())
                .flat_map(|set| ["--set".to_owned(), set.to_owned()]),
        );
        options.extend(self.source.simulation.iter().cloned());
        // A source has no memory spaces, so the check of capacities is for the program alone. Exit code 6, for other
        // values, is none that is allowed.
        let mut comparison = self.built.tool("zpu-sim");
        comparison
            .arg("compare")
            .args([self.path, &compiled])
            .arg("--check=race,deadlock,init")
            .args(&options);
        output(&mut comparison, &[0])?;
        let mut simulation = self.built.tool("zpu-sim");
        let simulated = output(
            simulation.arg(&compiled).args(&options).args(["--json", "-"]),
            &[0, DOES_NOT_FIT],
        )?;
        if simulated.status.code() == Some(DOES_NOT_FIT) {
            return Ok(None);
        }
        let simulated: Value = serde_json::from_slice(&simulated.stdout).context("zpu-sim wrote no JSON")?;
        let remarks =
            std::fs::read_to_string(&remarks).with_context(|| format!("cannot read {}", remarks.display()))?;
        let planned = || entries(&remarks).filter(|entry| entry.contains(" planned\n"));
        let field = |entry: &str, key: &str| -> Option<String> {
            let line = entry
                .lines()
                .find_map(|line| line.trim_start().strip_prefix(&format!("- {key}:")))?;
            Some(line.trim().trim_matches(['\'', '"']).to_owned())
        };
        let count = |entry: &str, key: &str| field(entry, key).and_then(|value| value.parse().ok()).unwrap_or(0);
        Ok(Some(Run {
            cycles: number(&simulated, "/cycles")?,
            intervals: planned().filter_map(|entry| field(entry, "II")).collect(),
            peaks: peaks(&simulated),
            spaces: planned()
                .filter_map(|entry| {
                    Some(Space {
                        name: field(entry, "Space")?,
                        versions: count(entry, "Versions"),
                        ranges: count(entry, "Ranges"),
                        rings: count(entry, "Rings"),
                        planned: count(entry, "Planned"),
                        bound: count(entry, "Bound"),
                    })
                })
                .collect(),
        }))
    }
}

/// The most bytes of each memory that a run had allocated at once.
fn peaks(simulated: &Value) -> Vec<(String, u64)> {
    let all = simulated["memories"].as_array().into_iter().flatten();
    all.filter_map(|memory| Some((memory["name"].as_str()?.to_owned(), memory["peak"].as_u64()?)))
        .collect()
}

/// The remarks of a file.
fn entries(remarks: &str) -> impl Iterator<Item = &str> {
    remarks.split("\n---").filter(|entry| !entry.trim().is_empty())
}

impl Space {
    fn row(&self, name: &str, without: &Run, with: &Run) -> Vec<String> {
        let intervals = |run: &Run| run.intervals.join(" ");
        let peak = without.peaks.iter().find(|(memory, _)| *memory == self.name);
        let peak = peak.map_or(0, |(_, bytes)| *bytes);
        let mut row = vec![name.to_owned(), self.name.clone()];
        row.extend([self.versions, self.ranges, peak, self.rings, self.planned, self.bound].map(grouped));
        row.extend([intervals(without), intervals(with), grouped(with.cycles)]);
        row
    }
}
