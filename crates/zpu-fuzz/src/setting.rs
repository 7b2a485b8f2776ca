//! Settings of the pipeline: machine, scheduler, options.

use std::fmt;

use zpu_driver::{Error, Session, Step, pipeline_of};

use crate::random::Random;

/// In so many of a hundred programs the search for an optimum, which takes seconds for some, goes on to its end.
const WHOLE_SEARCH: u32 = 2;

/// In the others it ends after that time, in which it ends by itself for most.
const SEARCH_SECONDS: &str = "0.05";

/// Settings that each program is tried with: one for each scheduler.
pub(crate) const SETTINGS: usize = 6;

/// Schedulers with which programs are tried, the simplest last.
pub const SCHEDULERS: [&str; SETTINGS] = ["exact", "auto", "modulo", "greedy", "list", "serial"];

/// Schedulers with which plans are compared as they run.
const COMPARED: [&str; 2] = ["auto", "list"];

/// In so many of a hundred programs something is changed by hand between two passes, under one of the settings.
const BY_HAND: u32 = 15;

/// The percentage of settings on a machine with changes that get one of them.
const CHANGED: u32 = 40;

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
    /// Options of single passes.
    pub others: Vec<Other>,
    /// Seed of the edits by hand between two passes; 0: none.
    pub hand: u64,
    /// True if plans are compared as they run, which takes several times as long.
    pub compares: bool,
    /// True if loops that pass tensors on become one.
    pub inserts_buffers: bool,
    /// True if buffers get addresses.
    pub plans_memory: bool,
}

/// An option of one pass that the pipeline as a whole does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The pass.
    pub pass: String,
    /// The option's name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// Machines that a program's settings have.
const DEVICES: [&str; SETTINGS] = ["toy", "toy", "toy", "sunmmio-a4e", PLANNING, LARGE_MACHINE];

/// Stands for one of the machines with which plans are compared.
const PLANNING: &str = "planning-1dma or planning-2dma";

/// Stands for one of the machines that can do less of what programs want.
const LARGE_MACHINE: &str = "trainium2-core or ascend-910b";

/// Most versions of a buffer.
const STAGES: [u32; SETTINGS] = [1, 2, 2, 3, 3, 4];

/// The choice, for each setting, to make one loop of loops that pass tensors on.
const INSERTS_BUFFERS: [bool; SETTINGS] = [true, true, true, true, false, false];

/// The choice, for each setting, to give buffers addresses.
const PLANS_MEMORY: [bool; SETTINGS] = [true, true, true, false, false, false];

/// The choice, for each setting with addresses, how much buffers share.
const REUSE: [&str; SETTINGS] = ["", "", "", "", "1", "1"];

/// Values of the options of single passes, as many as there are settings. An empty one leaves the pipeline's own.
const OPTIONS: [(&str, &str, [&str; SETTINGS]); 19] = [
    (
        "zpu-inject-software-pipeline",
        "form",
        ["", "", "peeled", "predicated", "predicated", "auto"],
    ),
    (
        "zpu-inject-software-pipeline",
        "join-runs",
        ["", "", "", "", "", "false"],
    ),
    (
        "zpu-pipeline-planning",
        "choose-engines",
        ["", "", "", "", "false", "false"],
    ),
    ("zpu-rotate-buffers", "most", ["", "", "", "1", "2", "4"]),
    ("zpu-join-rings", "slots", ["", "", "", "2", "2", "3"]),
    ("zpu-unroll-and-jam", "factor", ["", "", "", "2", "3", "4"]),
    ("zpu-unroll-loops", "factor", ["", "", "", "2", "3", "8"]),
    ("zpu-unroll-loops", "write-out", ["", "", "", "", "", "true"]),
    ("zpu-split-transfers", "max-pieces", ["", "", "", "", "3", "16"]),
    ("zpu-retarget-copies", "all", ["", "", "", "", "", "true"]),
    ("zpu-balance-engines", "all", ["", "", "", "", "", "true"]),
    ("zpu-gather-transfers", "all", ["", "", "", "true", "", "true"]),
    ("zpu-pipeline-planning", "max-versions", ["", "", "", "", "2", "3"]),
    ("zpu-pipeline-planning", "iterations", ["", "", "", "", "1", "4"]),
    ("zpu-pipeline-planning", "time-limit", ["", "", "", "", "", "0"]),
    ("zpu-multi-version-buffer", "versions", ["", "", "", "", "auto", "2"]),
    (
        "zpu-schedule-dma-compute-overlap",
        "scheduler",
        ["", "serial", "list", "greedy", "modulo", "exact"],
    ),
    ("zpu-inject-dma-barrier", "mode", ["", "", "", "", "", "full"]),
    ("zpu-inject-dma-barrier", "ids", ["", "", "", "", "-1", "4"]),
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
    /// The settings that a seed's program is tried with, one for each of [`SCHEDULERS`]. Whatever else there is to
    /// choose is dealt out to them, so that each value of each option occurs with each program.
    pub fn of_seed(seed: u64) -> [Self; SETTINGS] {
        let mut random = Random::new(seed, 2);
        let mut devices = random.deal(DEVICES).map(|device| match device {
            PLANNING => random.pick(&["planning-1dma", "planning-2dma"]),
            LARGE_MACHINE => random.pick(&["trainium2-core", "trainium2-core", "ascend-910b"]),
            device => device,
        });
        // Among sixteen queues the search for an optimum takes minutes.
        if devices[0] == "trainium2-core" {
            devices.swap(0, 1);
        }
        let stages = random.deal(STAGES);
        let options = OPTIONS.map(|(pass, name, values)| (pass, name, random.deal(values)));
        let inserts_buffers = random.deal(INSERTS_BUFFERS);
        let mut settings: [Self; SETTINGS] = std::array::from_fn(|i| {
            let changes: &[&str] = match devices[i] {
                "toy" => &TOY,
                "sunmmio-a4e" => &LARGE,
                _ => &[],
            };
            let is_changed = !changes.is_empty() && random.chance(CHANGED);
            let given = options.iter().filter(|(.., values)| !values[i].is_empty());
            Self {
                device: devices[i].to_owned(),
                sets: is_changed
                    .then(|| random.pick(changes).to_owned())
                    .into_iter()
                    .collect(),
                scheduler: SCHEDULERS[i].to_owned(),
                stages: stages[i],
                others: given
                    .map(|(pass, name, values)| Other::new(pass, name, values[i]))
                    .collect(),
                hand: 0,
                compares: COMPARED.contains(&SCHEDULERS[i]),
                inserts_buffers: inserts_buffers[i],
                plans_memory: false,
            }
        });
        // The best so far is a plan like another; and an order of all commands of a run is not found soon.
        let is_limited = !random.chance(WHOLE_SEARCH);
        let writes_out = Other::new("zpu-unroll-loops", "write-out", "true");
        for setting in &mut settings {
            if is_limited || setting.others.contains(&writes_out) {
                setting.limit_searches();
            }
        }
        if random.chance(BY_HAND) {
            settings[random.index(SETTINGS)].hand = seed + 1;
        }
        let (plans_memory, reuse) = (random.deal(PLANS_MEMORY), random.deal(REUSE));
        for ((setting, plans), reuse) in settings.iter_mut().zip(plans_memory).zip(reuse) {
            setting.plans_memory = plans;
            if plans && !reuse.is_empty() {
                setting.others.push(Other::new("zpu-plan-memory", "reuse", reuse));
            }
        }
        settings
    }

    /// The setting with which a seed's program is compiled to compare proof and simulator: one that overlaps as much as
    /// it can; a part of them uses barrier ids.
    pub fn for_agreement(seed: u64) -> Self {
        let mut random = Random::new(seed, 4);
        let settings = Self::of_seed(seed);
        // Settings that overlap as much as they can, without the long search.
        let mut setting = settings[random.range(1, 3) as usize].clone();
        setting.stages = setting.stages.max(2);
        setting.hand = 0;
        if random.chance(25) {
            setting.others.retain(|other| other.pass != "zpu-inject-dma-barrier");
            setting.others.push(Other::new("zpu-inject-dma-barrier", "ids", "-1"));
        }
        setting
    }

    /// The setting with which a seed's program goes through memory planning: one that gives buffers versions, and is
    /// found soon.
    pub fn for_memory(seed: u64) -> Self {
        let mut random = Random::new(seed, 5);
        // All but the long search.
        let mut setting = Self::of_seed(seed)[1 + random.index(SETTINGS - 1)].clone();
        setting.stages = random.pick(&[2, 3, 4]);
        setting.hand = 0;
        setting.compares = false;
        setting.plans_memory = true;
        setting.others.retain(|other| other.pass != "zpu-plan-memory");
        if random.chance(50) {
            setting.others.push(Other::new("zpu-plan-memory", "reuse", "1"));
        }
        setting
    }

    /// Gives the searches for an optimum a time limit, where they have none.
    fn limit_searches(&mut self) {
        for pass in ["zpu-select-plan", "zpu-pipeline-planning"] {
            let is_limited = |other: &Other| other.pass == pass && other.name == "time-limit";
            if self.scheduler == "exact" && !self.others.iter().any(is_limited) {
                self.others.push(Other::new(pass, "time-limit", SEARCH_SECONDS));
            }
        }
        let overlap = "zpu-schedule-dma-compute-overlap";
        if self.others.contains(&Other::new(overlap, "scheduler", "exact")) {
            self.others.push(Other::new(overlap, "time-limit", SEARCH_SECONDS));
        }
    }

    /// True if it says how often commands are copied or split, or which buffers take turns, whether that pays or not.
    pub(crate) fn forces_changes(&self) -> bool {
        let forced = [
            "zpu-join-rings",
            "zpu-unroll-and-jam",
            "zpu-unroll-loops",
            "zpu-split-transfers",
            "zpu-retarget-copies",
            "zpu-balance-engines",
            "zpu-gather-transfers",
        ];
        self.others.iter().any(|other| forced.contains(&other.pass.as_str()))
    }

    /// The setting on the simplest machine, if it is another one.
    pub(crate) fn on_toy(&self) -> Option<Self> {
        (self.device != "toy").then(|| Self {
            device: "toy".to_owned(),
            sets: Vec::new(),
            ..self.clone()
        })
    }

    /// The setting with one stage less, if possible.
    pub(crate) fn with_fewer_stages(&self) -> Option<Self> {
        (self.stages > 1).then(|| Self {
            stages: self.stages - 1,
            ..self.clone()
        })
    }

    /// The passes in order.
    ///
    /// # Errors
    ///
    /// [`Error::Pipeline`] when a device or an option is unknown.
    pub fn steps(&self, session: &Session) -> Result<Vec<Step>, Error> {
        let steps = session.steps(&format!("builtin.module(zpu-pipeline{{{}}})", self.pipeline_options()))?;
        let with_others = |step: Step| {
            let others = self.others.iter().filter(|other| other.pass == step.pass());
            others.fold(step.clone(), |step, other| step.with_option(&other.name, &other.value))
        };
        Ok(steps.into_iter().map(with_others).collect())
    }

    /// The option with which `zpu-opt` does the same.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::steps`].
    pub fn optimizer_option(&self, session: &Session) -> Result<String, Error> {
        if self.others.is_empty() {
            return Ok(format!("--zpu-pipeline=\"{}\"", self.pipeline_options()));
        }
        Ok(format!("--pass-pipeline='{}'", pipeline_of(&self.steps(session)?)))
    }

    /// The value of the option `--zpu-pipeline`. Options of single passes are not among its own, but for those of the
    /// waits: plans are compared with the waits that are placed in the end.
    pub fn pipeline_options(&self) -> String {
        let mut options = format!("device={}", self.device);
        if !self.sets.is_empty() {
            options += &format!(" set={}", self.sets.join(","));
        }
        let Self {
            scheduler,
            stages,
            compares,
            inserts_buffers,
            plans_memory,
            ..
        } = self;
        for waits in self
            .others
            .iter()
            .filter(|other| other.pass == "zpu-inject-dma-barrier")
        {
            options += &format!(" {}={}", waits.name, waits.value);
        }
        options
            + &format!(
                " scheduler={scheduler} num-stages={stages} compare-plans={compares} insert-buffers={inserts_buffers} \
                 plan-memory={plans_memory}"
            )
    }

    /// The options with which `zpu-sim` has the same machine.
    pub fn simulator_options(&self) -> String {
        let sets = self.sets.iter().map(|set| format!(" --set {set}"));
        format!("--device {}{}", self.device, sets.collect::<String>())
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pipeline_options())?;
        let mut others = self.others.iter();
        others.try_for_each(|other| write!(f, ", {}{{{}={}}}", other.pass, other.name, other.value))?;
        if self.hand != 0 {
            write!(f, ", changed by hand")?;
        }
        Ok(())
    }
}

impl Other {
    fn new(pass: &str, name: &str, value: &str) -> Self {
        Self {
            pass: pass.to_owned(),
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{OPTIONS, SCHEDULERS, Setting};

    #[test]
    fn each_program_meets_every_scheduler_and_option() {
        for seed in 0..200 {
            let settings = Setting::of_seed(seed);
            let schedulers: Vec<&str> = settings.iter().map(|setting| setting.scheduler.as_str()).collect();
            assert_eq!(schedulers, SCHEDULERS);
            for (pass, name, values) in OPTIONS {
                let given = |setting: &Setting| {
                    let mut others = setting.others.iter();
                    let other = others.find(|other| other.pass == pass && other.name == name);
                    other.map_or(String::new(), |other| other.value.clone())
                };
                let given: BTreeSet<String> = settings.iter().map(given).collect();
                assert!(
                    given.is_superset(&values.map(str::to_owned).into()),
                    "seed {seed}, {pass} {name}"
                );
            }
        }
    }
}
