//! The process that runs programs: one line on standard output before each program, and one with what came out.
//!
//! It may die at any time, since MLIR aborts on failed assertions: the last line names the seed.

use std::collections::BTreeMap;
use std::io::{BufWriter, Read as _, Write as _};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use zpu_fuzz::{Failure, Kind, Other, Program, Runner, Session, Setting, check, generate};

/// Programs for which one session is used.
const PROGRAMS_PER_SESSION: usize = 200;

/// The property that is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Passes that break programs.
    Passes,
    /// Programs on which proof and simulator disagree.
    Agreement,
    /// Programs that are wrong with addresses, or whose memory is planned otherwise if it is small.
    Memory,
}

impl Mode {
    pub(crate) fn new(agreement: bool, memory: bool) -> Self {
        match (agreement, memory) {
            (true, _) => Self::Agreement,
            (_, true) => Self::Memory,
            _ => Self::Passes,
        }
    }

    /// The option of the command line that stands for it.
    pub(crate) fn option(self) -> Option<&'static str> {
        match self {
            Self::Passes => None,
            Self::Agreement => Some("--agreement"),
            Self::Memory => Some("--memory"),
        }
    }

    /// The setting of a seed, by its position.
    pub(crate) fn setting(self, seed: u64, at: usize) -> Setting {
        match self {
            Self::Passes => Setting::of_seed(seed)[at].clone(),
            Self::Agreement => Setting::for_agreement(seed),
            Self::Memory => Setting::for_memory(seed),
        }
    }
}

/// A message of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// Begins with the program of a seed under a setting, by its position.
    Begin(u64, usize),
    /// Is done with the program.
    Done(Done),
}

/// The result of one program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Done {
    pub(crate) seed: u64,
    /// Names of its shapes.
    pub(crate) shapes: Vec<String>,
    /// The runs, one for each setting.
    pub(crate) runs: Vec<Run>,
    /// The verdicts of proof and simulator on compiled and spoilt programs.
    pub(crate) opinions: Vec<Said>,
    /// The outcomes of memory planning.
    pub(crate) memory: Vec<String>,
    pub(crate) failures: Vec<Failed>,
}

/// A program under one setting.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) scheduler: String,
    /// A loop was rewritten with two stages or more.
    pub(crate) pipelined: bool,
    /// The machine cannot run it.
    pub(crate) refused: bool,
    /// It takes fewer cycles than the synchronous form.
    pub(crate) faster: bool,
    /// It takes as many cycles without values, and needs none.
    pub(crate) timed: bool,
    /// The model has a bound for it.
    pub(crate) bounded: bool,
}

/// One failure of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Failed {
    /// Position of the setting.
    pub(crate) setting: usize,
    pub(crate) kind: String,
    pub(crate) pass: String,
    pub(crate) message: String,
    /// The module that fails, if it is not the program itself.
    pub(crate) text: Option<String>,
}

/// The verdicts of proof and simulator on one program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Said {
    /// The mutation of the program.
    pub(crate) mutation: String,
    /// 0 proven, 1 unknown, 2 refuted.
    pub(crate) proof: usize,
    pub(crate) goes_wrong: bool,
}

/// Runs the programs of `count` seeds from `first` on.
pub(crate) fn work(first: u64, count: u64, mode: Mode, bug: Option<&str>) -> Result<()> {
    plant(bug)?;
    let mut out = BufWriter::new(std::io::stdout());
    let mut say = |message: &Message| -> Result<()> {
        serde_json::to_writer(&mut out, message)?;
        out.write_all(b"\n")?;
        // Before a program that may take the process down, everything has to be out.
        Ok(out.flush()?)
    };
    let mut left = first..first + count;
    while !left.is_empty() {
        let session = Session::new();
        let mut runner = Runner::new(&session);
        for seed in left.by_ref().take(PROGRAMS_PER_SESSION) {
            match mode {
                Mode::Passes => run(&mut runner, seed, &mut say)?,
                Mode::Agreement => agree(&mut runner, seed, &mut say)?,
                Mode::Memory => plan(&mut runner, seed, &mut say)?,
            }
        }
    }
    Ok(())
}

/// Runs the program of a seed under its settings.
fn run(runner: &mut Runner<'_>, seed: u64, say: &mut impl FnMut(&Message) -> Result<()>) -> Result<()> {
    let program = generate(seed);
    let mut done = Done {
        seed,
        shapes: program.shapes.iter().map(ToString::to_string).collect(),
        ..Done::default()
    };
    for (i, setting) in Setting::of_seed(seed).iter().enumerate() {
        say(&Message::Begin(seed, i))?;
        let mut run = Run {
            scheduler: setting.scheduler.clone(),
            ..Run::default()
        };
        match runner.check(&program, setting) {
            Ok(verdict) => {
                run.refused = verdict.refused;
                run.pipelined = verdict.pipelined > 0;
                run.timed = verdict.timed;
                run.bounded = verdict.bounded;
                run.faster = verdict.cycles.is_some_and(|(before, after)| after < before);
                if verdict.by_hand {
                    done.shapes.push("changed-by-hand".to_owned());
                }
            }
            Err(failure) => done.failures.push(Failed::new(i, failure, None)),
        }
        done.runs.push(run);
    }
    // One of the machines, which follows from the seed.
    let settings = Setting::of_seed(seed);
    let chosen = seed as usize % settings.len();
    if let Err(failure) = runner.in_order(&program, &settings[chosen]) {
        done.failures.push(Failed::new(chosen, failure, None));
    }
    say(&Message::Done(done))
}

impl Failed {
    fn new(setting: usize, failure: Failure, text: Option<String>) -> Self {
        let Failure { kind, pass, message } = failure;
        Self {
            setting,
            kind: kind.to_string(),
            pass,
            message,
            text,
        }
    }
}

/// Compares proof and simulator on the program of a seed, compiled and spoilt.
fn agree(runner: &mut Runner<'_>, seed: u64, say: &mut impl FnMut(&Message) -> Result<()>) -> Result<()> {
    let program = generate(seed);
    let mut done = Done {
        seed,
        shapes: program.shapes.iter().map(ToString::to_string).collect(),
        ..Done::default()
    };
    let setting = Setting::for_agreement(seed);
    let mut run = Run {
        scheduler: setting.scheduler.clone(),
        ..Run::default()
    };
    say(&Message::Begin(seed, 0))?;
    match runner.agree(&program, &setting, seed) {
        Ok(opinions) => {
            run.refused = opinions.is_empty();
            for opinion in opinions {
                done.opinions.push(Said {
                    mutation: opinion.mutation,
                    proof: opinion.proof as usize,
                    goes_wrong: opinion.goes_wrong,
                });
                let disagreement = opinion.disagreement.into_iter();
                let failed = disagreement.map(|(failure, text)| Failed::new(0, failure, Some(text)));
                done.failures.extend(failed);
            }
        }
        Err(failure) => done.failures.push(Failed::new(0, failure, None)),
    }
    done.runs.push(run);
    say(&Message::Done(done))
}

/// Runs the program of a seed through memory planning.
fn plan(runner: &mut Runner<'_>, seed: u64, say: &mut impl FnMut(&Message) -> Result<()>) -> Result<()> {
    let program = generate(seed);
    let mut done = Done {
        seed,
        shapes: program.shapes.iter().map(ToString::to_string).collect(),
        ..Done::default()
    };
    let setting = Setting::for_memory(seed);
    let mut run = Run {
        scheduler: setting.scheduler.clone(),
        ..Run::default()
    };
    say(&Message::Begin(seed, 0))?;
    match runner.check_memory(&program, &setting) {
        Ok(verdict) => {
            run.refused = verdict.refused;
            let outcomes = [
                (verdict.refused, "refused by the machine"),
                (verdict.planned, "with addresses"),
                (verdict.shares, "with shared bytes"),
                (verdict.exact_lives, "as many bytes alive as printed"),
                (verdict.tight, "planned again with just enough memory"),
                (verdict.too_small, "refused with less"),
                (verdict.other_plan, "planned otherwise with less"),
            ];
            let outcomes = outcomes.into_iter().filter(|(is_so, _)| *is_so);
            done.memory.extend(outcomes.map(|(_, name)| name.to_owned()));
        }
        Err(failure) => done.failures.push(Failed::new(0, failure, None)),
    }
    done.runs.push(run);
    say(&Message::Done(done))
}

/// Runs the programs of `count` seeds from `first` on in this process, and prints the time of each pass.
pub(crate) fn times(first: u64, count: u64) -> Result<()> {
    let mut sums: BTreeMap<String, Duration> = BTreeMap::new();
    let mut left = first..first + count;
    while !left.is_empty() {
        let session = Session::new();
        let mut runner = Runner::new(&session);
        for seed in left.by_ref().take(PROGRAMS_PER_SESSION) {
            run(&mut runner, seed, &mut |_| Ok(()))?;
        }
        for (what, time) in runner.times() {
            *sums.entry(what.clone()).or_default() += *time;
        }
    }
    let all: Duration = sums.values().sum();
    println!("{:<40}{:>12}{:>9}", "step", "ms/program", "share");
    let mut rows: Vec<(&String, &Duration)> = sums.iter().collect();
    rows.sort_by_key(|(_, time)| std::cmp::Reverse(**time));
    for (what, time) in rows {
        println!(
            "{what:<40}{:>12.2}{:>7.1} %",
            1e3 * time.as_secs_f64() / count.max(1) as f64,
            100.0 * time.as_secs_f64() / all.as_secs_f64().max(1e-9)
        );
    }
    println!("{:<40}{:>12.2}", "all", 1e3 * all.as_secs_f64() / count.max(1) as f64);
    Ok(())
}

/// Switches a deliberate bug on.
fn plant(bug: Option<&str>) -> Result<()> {
    let Some(bug) = bug else { return Ok(()) };
    ensure!(
        zpu_fuzz::plant(bug),
        "this build has no deliberate bug `{bug}`; it has: {}",
        zpu_fuzz::bugs().join(", ")
    );
    Ok(())
}

/// A program as another process gets it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Input {
    text: String,
    entry: String,
    scalars: Vec<(usize, i64)>,
    sizes: Vec<(usize, Vec<i64>)>,
    contents: u64,
    device: String,
    sets: Vec<String>,
    scheduler: String,
    stages: u32,
    /// Pass, name and value.
    others: Vec<(String, String, String)>,
    hand: u64,
    compares: bool,
    inserts_buffers: bool,
    plans_memory: bool,
}

impl Input {
    pub(crate) fn new(program: &Program, setting: &Setting) -> Self {
        Self {
            text: program.text.clone(),
            entry: program.entry.clone(),
            scalars: program
                .scalars
                .iter()
                .map(|(position, value)| (*position, *value))
                .collect(),
            sizes: program
                .sizes
                .iter()
                .map(|(position, sizes)| (*position, sizes.clone()))
                .collect(),
            contents: program.contents,
            device: setting.device.clone(),
            sets: setting.sets.clone(),
            scheduler: setting.scheduler.clone(),
            stages: setting.stages,
            others: setting
                .others
                .iter()
                .map(|other| (other.pass.clone(), other.name.clone(), other.value.clone()))
                .collect(),
            hand: setting.hand,
            compares: setting.compares,
            inserts_buffers: setting.inserts_buffers,
            plans_memory: setting.plans_memory,
        }
    }

    fn parts(self) -> (Program, Setting) {
        let program = Program {
            text: self.text,
            entry: self.entry,
            scalars: self.scalars.into_iter().collect(),
            sizes: self.sizes.into_iter().collect(),
            contents: self.contents,
            shapes: Default::default(),
        };
        let setting = Setting {
            device: self.device,
            sets: self.sets,
            scheduler: self.scheduler,
            stages: self.stages,
            others: self
                .others
                .into_iter()
                .map(|(pass, name, value)| Other { pass, name, value })
                .collect(),
            hand: self.hand,
            compares: self.compares,
            inserts_buffers: self.inserts_buffers,
            plans_memory: self.plans_memory,
        };
        (program, setting)
    }
}

/// Judges the program on standard input; prints a failure's kind and pass.
pub(crate) fn judge_input(mode: Mode, bug: Option<&str>) -> Result<()> {
    plant(bug)?;
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let input: Input = serde_json::from_str(&text).context("standard input")?;
    let (program, setting) = input.parts();
    let session = Session::new();
    let failure = match mode {
        Mode::Passes => check(&session, &program, &setting).err(),
        Mode::Agreement => Runner::new(&session).disagreement(&program, &setting),
        Mode::Memory => Runner::new(&session).check_memory(&program, &setting).err(),
    };
    if let Some(Failure { kind, pass, .. }) = failure {
        println!("{kind} {pass}");
    }
    Ok(())
}

/// The kind of that name. Another process may be of another version, and then nobody knows what went wrong there.
pub(crate) fn kind_named(name: &str) -> Kind {
    name.parse().unwrap_or(Kind::Crash)
}
