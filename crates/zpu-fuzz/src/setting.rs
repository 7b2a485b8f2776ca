//! How the pipeline is run: machine, scheduler, options.

use std::fmt;

use crate::random::Random;

/// Schedulers with which programs are tried.
pub const SCHEDULERS: [&str; 4] = ["modulo", "greedy", "list", "serial"];

/// One choice of the options of `--zpu-pipeline`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// A built-in device.
    pub device: String,
    /// Changes to its file.
    pub sets: Vec<String>,
    /// The planner's scheduler.
    pub scheduler: String,
    /// Most versions of a buffer.
    pub stages: u32,
}

/// Machines, the more often named the more often drawn.
const DEVICES: [&str; 12] = [
    "toy",
    "toy",
    "toy",
    "toy",
    "toy",
    "sunmmio-a4e",
    "sunmmio-a4e",
    "sunmmio-a4e",
    "planning-2dma",
    "planning-2dma",
    "planning-1dma",
    "trainium2-core",
];

/// Small changes of the toy machine.
const TOY: [&str; 9] = [
    "engine.odma.count=1",
    "engine.odma.count=3",
    "engine.odma.gap_cycles=100",
    "engine.tensor.fill_cycles=60",
    "engine.vector.min_cycles=40",
    "engine.odma.queue_depth=1",
    "engine.vector.async=false",
    "control.start_cycles=4",
    "sync.tokens=64",
];

/// Small changes of the larger machine.
const LARGE: [&str; 5] = [
    "engine.tile.async=true",
    "engine.odma.count=1",
    "engine.odma.queue_depth=1",
    "control.wait_cycles=0",
    "engine.odma.start_latency_cycles=20",
];

impl Setting {
    /// The settings that a seed's program is tried with: one that overlaps what can be overlapped, and one of all that there
    /// are.
    pub fn of_seed(seed: u64) -> [Self; 2] {
        let mut random = Random::new(seed, 2);
        let mut first = Self::draw(&mut random);
        first.scheduler = random.pick(&SCHEDULERS[..2]).to_owned();
        first.stages = random.pick(&[2, 2, 3, 3, 4]);
        [first, Self::draw(&mut random)]
    }

    fn draw(random: &mut Random) -> Self {
        let device = random.pick(&DEVICES);
        let changes: &[&str] = match device {
            "toy" => &TOY,
            "sunmmio-a4e" => &LARGE,
            _ => &[],
        };
        let mut sets = Vec::new();
        if !changes.is_empty() && random.chance(40) {
            sets.push(random.pick(changes).to_owned());
        }
        Self {
            device: device.to_owned(),
            sets,
            scheduler: random.pick(&SCHEDULERS).to_owned(),
            stages: random.pick(&[1, 2, 3, 4]),
        }
    }

    /// The same on the machine that is easiest to follow, if it is another one.
    pub(crate) fn on_toy(&self) -> Option<Self> {
        (self.device != "toy").then(|| Self {
            device: "toy".to_owned(),
            sets: Vec::new(),
            ..self.clone()
        })
    }

    /// One version less, if there can be.
    pub(crate) fn with_fewer_stages(&self) -> Option<Self> {
        (self.stages > 1).then(|| Self {
            stages: self.stages - 1,
            ..self.clone()
        })
    }

    /// The value of the option `--zpu-pipeline`.
    pub fn pipeline_options(&self) -> String {
        let mut options = format!("device={}", self.device);
        if !self.sets.is_empty() {
            options += &format!(" set={}", self.sets.join(","));
        }
        options + &format!(" scheduler={} num-stages={}", self.scheduler, self.stages)
    }

    /// The options with which `zpu-sim` has the same machine.
    pub fn simulator_options(&self) -> String {
        let sets = self.sets.iter().map(|set| format!(" --set {set}"));
        format!("--device {}{}", self.device, sets.collect::<String>())
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pipeline_options())
    }
}
