//! How the pipeline is run: machine, scheduler, options.

use std::fmt;

use zpu_ir::{Context, pipeline};

use crate::random::Random;

/// Schedulers with which programs are tried, the simplest last.
pub const SCHEDULERS: [&str; 6] = ["exact", "auto", "modulo", "greedy", "list", "serial"];

/// Those that overlap what they can, the more often named the more often drawn.
const GOOD: [&str; 7] = ["modulo", "modulo", "modulo", "greedy", "greedy", "greedy", "auto"];

/// So many of a hundred settings have `exact`, which takes long.
const EXACT: u32 = 1;

/// In so many of a hundred second settings something is changed by hand between two passes.
const BY_HAND: u32 = 15;

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
    /// Seed of what is changed by hand between two passes; 0: nothing.
    pub hand: u64,
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

/// Options of single passes with the percentage of settings that have them, each on its own.
const OTHERS: [(u32, &str, &str, &str); 11] = [
    (20, "zpu-inject-software-pipeline", "form", "peeled"),
    (25, "zpu-inject-software-pipeline", "form", "predicated"),
    (25, "zpu-inject-software-pipeline", "form", "auto"),
    (20, "zpu-pipeline-planning", "choose-engines", "false"),
    (8, "zpu-pipeline-planning", "max-versions", "2"),
    (8, "zpu-pipeline-planning", "iterations", "4"),
    (10, "zpu-multi-version-buffer", "num-stages", "auto"),
    (8, "zpu-inject-software-pipeline", "join-runs", "false"),
    (4, "zpu-inject-dma-barrier", "mode", "full"),
    (8, "zpu-inject-dma-barrier", "ids", "-1"),
    (8, "zpu-inject-dma-barrier", "ids", "4"),
];

/// Machines, the more often named the more often drawn.
const DEVICES: [&str; 20] = [
    "toy",
    "toy",
    "toy",
    "toy",
    "toy",
    "toy",
    "toy",
    "toy",
    "toy",
    "toy",
    "toy",
    "sunmmio-a4e",
    "sunmmio-a4e",
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
        first.scheduler = random.pick(&GOOD).to_owned();
        first.stages = random.pick(&[2, 2, 3, 3, 4]);
        let mut second = Self::draw(&mut random);
        if Random::new(seed, 6).chance(BY_HAND) {
            second.hand = seed + 1;
        }
        [first, second]
    }

    /// The setting with which a seed's program is compiled to compare proof and simulator: one of those that overlap what they
    /// can; tokens are numbered in a part of them.
    pub fn for_agreement(seed: u64) -> Self {
        let [mut setting, _] = Self::of_seed(seed);
        if Random::new(seed, 4).chance(25) {
            setting.others.retain(|other| other.pass != "zpu-inject-dma-barrier");
            setting.others.push(Other {
                pass: "zpu-inject-dma-barrier".to_owned(),
                name: "ids".to_owned(),
                value: "-1".to_owned(),
            });
        }
        setting
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
        let drawn = OTHERS.iter().filter(|(percent, ..)| random.chance(*percent));
        let others = drawn.map(|(_, pass, name, value)| Other {
            pass: (*pass).to_owned(),
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        });
        let others = others.collect();
        // Among sixteen queues the search for an optimum takes minutes.
        let scheduler = if random.chance(EXACT) && device != "trainium2-core" {
            "exact"
        } else {
            random.pick(&SCHEDULERS[1..])
        };
        Self {
            device: device.to_owned(),
            sets,
            scheduler: scheduler.to_owned(),
            stages: random.pick(&[1, 2, 3, 4]),
            others,
            hand: 0,
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

    /// The passes in order, each as a pipeline of its own.
    ///
    /// # Errors
    ///
    /// When a device or an option is unknown.
    pub fn steps(&self, context: &Context) -> Result<Vec<String>, String> {
        let options = format!("builtin.module(zpu-pipeline{{{}}})", self.pipeline_options());
        let steps = pipeline::steps(context, &options)?;
        let with_others = |step| self.others.iter().fold(step, |step, other| other.put_into(step));
        Ok(steps.into_iter().map(with_others).collect())
    }

    /// The option with which `zpu-opt` does the same.
    ///
    /// # Errors
    ///
    /// As of [`Self::steps`].
    pub fn optimizer_option(&self, context: &Context) -> Result<String, String> {
        if self.others.is_empty() {
            return Ok(format!("--zpu-pipeline=\"{}\"", self.pipeline_options()));
        }
        let steps = self.steps(context)?;
        let inner = |step: &String| Some(step.strip_prefix("builtin.module(")?.strip_suffix(')')?.to_owned());
        let inner: Vec<String> = steps.iter().filter_map(inner).collect();
        Ok(format!("--pass-pipeline='builtin.module({})'", inner.join(",")))
    }

    /// The value of the option `--zpu-pipeline`; the options of single passes are not among its own.
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
    /// The step with the option, if it is a step of the pass.
    fn put_into(&self, step: String) -> String {
        let Some(begin) = step.find(&self.pass).map(|at| at + self.pass.len()) else {
            return step;
        };
        let (head, tail) = step.split_at(begin);
        let assignment = format!("{}={}", self.name, self.value);
        // Options come as `{a=1 b=2}`; without any there are no braces.
        let Some(inner) = tail.strip_prefix('{') else {
            return if tail.starts_with(')') {
                format!("{head}{{{assignment}}}{tail}")
            } else {
                step
            };
        };
        let (options, rest) = inner.split_once('}').unwrap_or((inner, ""));
        let is_same = |option: &&str| option.split_once('=').is_some_and(|(name, _)| name == self.name);
        let kept = options.split_whitespace().filter(|option| !is_same(option));
        let all: Vec<&str> = kept.chain([assignment.as_str()]).collect();
        format!("{head}{{{}}}{rest}", all.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::Other;

    #[test]
    fn an_option_goes_into_its_pass() {
        let other = Other {
            pass: "zpu-a".to_owned(),
            name: "form".to_owned(),
            value: "x".to_owned(),
        };
        let put = |step: &str| other.put_into(step.to_owned());
        assert_eq!(
            put("builtin.module(func.func(zpu-a))"),
            "builtin.module(func.func(zpu-a{form=x}))"
        );
        assert_eq!(put("func.func(zpu-a{form=y b=2})"), "func.func(zpu-a{b=2 form=x})");
        assert_eq!(put("func.func(zpu-ab{b=2})"), "func.func(zpu-ab{b=2})");
        assert_eq!(put("func.func(cse)"), "func.func(cse)");
    }
}
