//! Configurations before any of them is tried: whether the script applies, what the model predicts, and a bound.
//!
//! The script is applied once for each choice of its parameters, and the model's nest is read from the program before
//! it is pipelined. So a candidate costs some milliseconds, where a trial compiles and simulates.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hasher as _;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use siphasher::sip128::{Hasher128 as _, SipHasher13};
use zpu_device::Device;
use zpu_driver::{Session, device_of, entry_of, nest, pipeline_of};
use zpu_ir::Op;
use zpu_model::{Bound, Depth, Nest, lower_bound, predict_best};

use crate::problem::Problem;
use crate::script::transformed;
use crate::space::{Part, Setting};
use crate::worker::with_session;

/// A configuration with what is known of it without a trial.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The configuration, as a number (see [`crate::Space`]).
    pub configuration: usize,
    /// What is known; or the reason why it cannot be tried, such as a script that does not apply.
    pub state: Result<Ready, String>,
}

/// A configuration that can be tried.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The depth that its pipeline asks for.
    pub depth: Depth,
    /// The kernel as the script made it.
    pub program: Arc<str>,
    /// The function.
    pub entry: String,
    /// The model's prediction in cycles, or the reason why there is none.
    pub predicted: Result<u64, String>,
    /// The resource that is taken for the longest time, by the model; empty without a prediction.
    pub busiest: String,
    /// Cycles that it is taken.
    pub busy: u64,
    /// Cycles that no schedule undercuts; 0 where the model has none.
    pub bound: u64,
    /// The resource that the bound is of.
    pub limited_by: String,
    /// A hash of all that a trial's result depends on: program, device, options, and the tool itself.
    pub key: String,
}

impl Candidate {
    /// What is known, if it can be tried.
    pub fn ready(&self) -> Option<&Ready> {
        self.state.as_ref().ok()
    }

    /// The prediction, if there is one.
    pub fn predicted(&self) -> Option<u64> {
        self.ready().and_then(|ready| ready.predicted.as_ref().ok()).copied()
    }

    /// The largest number of stages that its pipeline may have; 0 if it cannot be tried.
    pub fn most_stages(&self) -> u32 {
        self.ready().map_or(0, |ready| match ready.depth {
            Depth::Stages(stages) => stages,
            Depth::Auto => u32::MAX,
        })
    }

    /// The bound; 0 if there is none.
    pub fn bound(&self) -> u64 {
        self.ready().map_or(0, |ready| ready.bound)
    }
}

/// All candidates of a shard, in the order of their configurations. `progress` is called after each group of
/// configurations that have their script's parameters in common, with the number of them.
pub fn candidates(
    problem: &Problem,
    configurations: impl Iterator<Item = usize>,
    progress: &(impl Fn(usize) + Sync),
) -> Vec<Candidate> {
    // What is the same up to the first plan is done once.
    let mut groups: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for configuration in configurations {
        groups
            .entry(problem.front_key(configuration))
            .or_default()
            .push(configuration);
    }
    let groups: Vec<Vec<usize>> = groups.into_values().collect();
    let all = groups.par_iter().map(|group| {
        let candidates = with_session(|session| of_group(session, problem, group));
        progress(group.len());
        candidates
    });
    let mut all: Vec<Candidate> = all.flatten().collect();
    all.sort_by_key(|candidate| candidate.configuration);
    all
}

/// The candidates without those that become the same program as one before them, such as two orders of loops of which
/// one has a single iteration: one trial is for all of them. Those that cannot be tried stay.
pub fn distinct(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut seen: HashSet<String> = HashSet::new();
    let is_new = |candidate: &Candidate| candidate.ready().is_none_or(|ready| seen.insert(ready.key.clone()));
    candidates.into_iter().filter(is_new).collect()
}

/// What the configurations of a group share.
struct Front {
    program: Arc<str>,
    /// The program before it is planned, by which equal ones are known: loops of one iteration are gone there.
    unplanned: String,
    entry: String,
    device: Device,
    nest: Result<(Nest, Bound), String>,
}

fn of_group(session: &Session, problem: &Problem, group: &[usize]) -> Vec<Candidate> {
    let front = group.first().map(|first| front(session, problem, *first));
    let each = group.iter().map(|configuration| Candidate {
        configuration: *configuration,
        state: match &front {
            Some(Ok(front)) => Ok(ready(problem, front, *configuration)),
            Some(Err(message)) => Err(message.clone()),
            None => Err("there is no configuration".to_owned()),
        },
    });
    each.collect()
}

fn front(session: &Session, problem: &Problem, configuration: usize) -> Result<Front, String> {
    let knobs = problem.space.of_part(Part::Knob, configuration);
    let mut module = transformed(session, &problem.kernel, problem.script.as_ref(), &knobs)
        .map_err(|error| format!("the script does not apply: {}", error.to_string().trim_end()))?;
    let program: Arc<str> = Op::of_module(&module).verified_text().into();
    let entry = entry_of(&module, problem.space.entry.as_deref()).map_err(|error| error.to_string())?;
    let in_words = |error: zpu_driver::Error| error.to_string().trim_end().to_owned();
    let pipeline = problem.pipeline(configuration);
    let (before, _) = session.steps_before_planning(&pipeline).map_err(in_words)?;
    session.compile(&mut module, &pipeline_of(&before)).map_err(in_words)?;
    let unplanned = constants_first(&Op::of_module(&module).verified_text());
    let device = device_of(&module).map_err(in_words)?;
    let nest = match nest(&module, &device, &entry) {
        Ok(nest) => {
            let bound = lower_bound(&nest, &device);
            Ok((nest, bound))
        }
        Err(zpu_driver::Error::Nest(problem @ zpu_driver::NestProblem::Capacity { .. })) => {
            return Err(problem.to_string());
        }
        Err(error) => Err(in_words(error)),
    };
    Ok(Front {
        program,
        unplanned,
        entry,
        device,
        nest,
    })
}

/// A program with its constants in alphabetical order before everything else: which loop was tiled first leaves them in
/// one order or another, and nothing depends on it.
fn constants_first(text: &str) -> String {
    let (mut constants, others): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.contains(" = arith.constant "));
    constants.sort_unstable();
    constants.into_iter().chain(others).collect::<Vec<_>>().join("\n")
}

fn ready(problem: &Problem, front: &Front, configuration: usize) -> Ready {
    let pipeline = problem.space.of_part(Part::Pipeline, configuration);
    let stages = pipeline.iter().find(|(name, _)| *name == "num-stages");
    let depth = match stages {
        Some((_, Setting::Int(stages))) => Depth::Stages(u32::try_from(*stages).unwrap_or(0)),
        Some((_, Setting::Text(stages))) => stages.parse().map_or(Depth::Auto, Depth::Stages),
        _ => Depth::Auto,
    };
    let (predicted, bound) = match &front.nest {
        Ok((nest, bound)) => {
            let predicted = predict_best(nest, &front.device, depth);
            (predicted.map_err(|error| error.to_string()), Some(bound.clone()))
        }
        Err(message) => (Err(message.clone()), None),
    };
    let (busiest, busy) = match &predicted {
        Ok(prediction) => (prediction.busiest.clone(), prediction.busy),
        Err(_) => (String::new(), 0),
    };
    let (bound, limited_by) = bound.map_or((0, String::new()), |bound| (bound.cycles, bound.limited_by));
    Ready {
        depth,
        program: front.program.clone(),
        entry: front.entry.clone(),
        predicted: predicted.map(|prediction| prediction.cycles.max(bound)),
        busiest,
        busy,
        bound,
        limited_by,
        key: key(problem, front, configuration),
    }
}

fn key(problem: &Problem, front: &Front, configuration: usize) -> String {
    let mut hasher = SipHasher13::new();
    let device = serde_json::to_string(&front.device).unwrap_or_default();
    // Not the whole pipeline: the device's file may lie elsewhere on another machine.
    let options = problem.options(configuration);
    for part in [&front.unplanned, &front.entry, &device, &options, tool()] {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xFF);
    }
    format!("{:032x}", hasher.finish128().as_u128())
}

/// A hash of the running program: results of another compiler or simulator are not ours.
fn tool() -> &'static str {
    static TOOL: OnceLock<String> = OnceLock::new();
    TOOL.get_or_init(|| {
        let bytes = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
        let mut hasher = SipHasher13::new();
        hasher.write(&bytes);
        format!("{:032x}", hasher.finish128().as_u128())
    })
}
