//! Two programs on equal inputs, of which at least one is a program over several devices: two schedules of one program,
//! say, or a schedule and the same work on one device.

use anyhow::Result;
use serde::Serialize;
use serde_json::Value;
use zpu_driver::fragments::{FragmentOutcome, FragmentProgram};
use zpu_driver::{Executable, Session, of_outputs};
use zpu_sim::{Argument, Finding, Options, Output, SCHEMA};

use crate::command_line::{Compare, Settings};
use crate::failure::{self, usage};
use crate::process::Code;
use crate::program::{Run, Runnable, Source};
use crate::{arguments, files, fragments, options};

/// The document of `compare --json`.
#[derive(Debug, Serialize)]
struct Comparison {
    schema: u32,
    /// All bytes of all arguments, and all results, are equal; null if a result is not known.
    equal: Option<bool>,
    /// The first difference in words; null if there is none.
    first_difference: Option<String>,
    /// Cycles of a over cycles of b.
    speedup: f64,
    a: Value,
    b: Value,
}

/// One of the two programs, ready to run.
enum Side<'s> {
    /// On one device.
    Plain(Runnable),
    /// On several.
    Fragments(&'s Source<'s>, Box<FragmentProgram>),
}

impl<'s> Side<'s> {
    fn of(session: &Session, source: &'s Source<'_>, what: &Compare) -> Result<Self> {
        let entry = source.entry(&what.settings)?;
        if !FragmentProgram::is_one(source.module(), &entry) {
            return source.program(&what.settings).map(Side::Plain);
        }
        let program = FragmentProgram::new(session, source.module(), &entry, what.compile.as_deref());
        let program = program.map_err(|error| fragments::said(source, &error))?;
        Ok(Side::Fragments(source, Box::new(program)))
    }

    /// A program with the same parameters.
    fn signature(&self) -> Runnable {
        let of = |name: &str, executable: &Executable| Runnable {
            name: name.to_owned(),
            executable: executable.clone(),
        };
        match self {
            Side::Plain(program) => of(&program.name, &program.executable),
            Side::Fragments(source, program) => of(source.name(), program.signature()),
        }
    }

    fn run(&self, arguments: Vec<Argument>, options: &Options) -> Result<Done> {
        match self {
            Side::Plain(program) => program.run(arguments, options).map(|run| Done::Plain(Box::new(run))),
            Side::Fragments(source, program) => {
                let outcome = program.simulate(arguments, options);
                let outcome = outcome.map_err(|error| fragments::said(source, &error))?;
                Ok(Done::Fragments(source.name().to_owned(), Box::new(outcome)))
            }
        }
    }
}

/// One of the two programs with its outcome.
enum Done {
    Plain(Box<Run>),
    Fragments(String, Box<FragmentOutcome>),
}

impl Done {
    fn cycles(&self) -> u64 {
        match self {
            Done::Plain(run) => run.outcome.report.cycles,
            Done::Fragments(_, outcome) => outcome.report.cycles,
        }
    }

    fn arguments(&self) -> &[Output] {
        match self {
            Done::Plain(run) => &run.outcome.arguments,
            Done::Fragments(_, outcome) => &outcome.arguments,
        }
    }

    /// The results, if all of them are known.
    fn results(&self) -> Option<Vec<Output>> {
        match self {
            Done::Plain(run) => Some(run.outcome.results.clone()),
            Done::Fragments(_, outcome) => outcome.results.iter().cloned().collect(),
        }
    }

    fn findings(&self) -> Vec<&Finding> {
        match self {
            Done::Plain(run) => run.outcome.report.findings.iter().collect(),
            Done::Fragments(_, outcome) => outcome.report.findings.iter().map(|(_, finding)| finding).collect(),
        }
    }

    fn print_findings(&self) {
        match self {
            Done::Plain(run) => run.print_findings(),
            Done::Fragments(_, outcome) => fragments::print_findings(outcome),
        }
    }

    fn write_files(&self, settings: &Settings) -> Result<()> {
        match self {
            Done::Plain(run) => run.write_files(settings),
            Done::Fragments(_, outcome) => fragments::write_files(settings, outcome),
        }
    }

    fn to_json(&self) -> Result<Value> {
        Ok(match self {
            Done::Plain(run) => serde_json::to_value(run.to_json())?,
            Done::Fragments(_, outcome) => serde_json::to_value(&outcome.report)?,
        })
    }

    fn line(&self, name: &str) -> String {
        match self {
            Done::Plain(run) => {
                let report = &run.outcome.report;
                let (entry, device, bound) = (&report.entry, &report.device, report.bound.cycles);
                let (file, cycles) = (&run.file, report.cycles);
                format!("{name}: {entry} of {file} on {device}: {cycles} cycles, lower bound {bound}\n")
            }
            Done::Fragments(file, outcome) => {
                let report = &outcome.report;
                let (entry, meshes, bound) = (&report.entry, report.meshes.len(), report.lower_bound);
                let cycles = report.cycles;
                format!("{name}: {entry} of {file} on {meshes} meshes: {cycles} cycles, lower bound {bound}\n")
            }
        }
    }
}

/// Runs both, says whether they leave equal bytes, and the ratio of their cycles.
pub(crate) fn compare(session: &Session, sources: [&Source<'_>; 2], what: &Compare) -> Result<Code> {
    let settings = &what.settings;
    let [a, b] = sources;
    let (a, b) = (Side::of(session, a, what)?, Side::of(session, b, what)?);
    if let (Some(_), Side::Fragments(..), Side::Fragments(..)) = (&settings.device, &a, &b) {
        return Err(usage(
            "both programs hold fragments, and each mesh of zpu.topology names its own device; leave --device out",
        ));
    }
    let arguments = arguments::make(settings, &[&a.signature(), &b.signature()])?;
    let a = a.run(arguments.clone(), &options(settings))?;
    let b = b.run(arguments, &options(settings))?;
    b.write_files(settings)?;
    let differences = a.results().zip(b.results()).map(|(left, right)| {
        let all = |done: &Done, results| [done.arguments(), results].concat();
        let lengths = (left.len() != right.len()).then(|| {
            let (left, right) = (left.len(), right.len());
            format!("the number of results: {left} in a, {right} in b")
        });
        let different = of_outputs(&all(&a, &left), &all(&b, &right), a.arguments().len());
        different.first().map(|first| first.describe("a", "b")).or(lengths)
    });
    let comparison = Comparison {
        schema: SCHEMA,
        equal: differences.as_ref().map(Option::is_none),
        speedup: a.cycles() as f64 / b.cycles().max(1) as f64,
        a: a.to_json()?,
        b: b.to_json()?,
        first_difference: differences.flatten(),
    };
    if settings.json.is_some() {
        files::write_json(settings, &comparison)?;
    }
    a.print_findings();
    b.print_findings();
    if !settings.json_on_stdout() {
        let values = match (&comparison.first_difference, comparison.equal) {
            (Some(difference), _) => format!("different, first in {difference}"),
            (None, Some(_)) => "equal".to_owned(),
            (None, None) => "not known, since a fragment has no body".to_owned(),
        };
        let speedup = comparison.speedup;
        let text = format!(
            "{}{}speed-up: {speedup:.3}\nvalues: {values}\n",
            a.line("a"),
            b.line("b")
        );
        files::print(&text)?;
    }
    let found = [&a, &b].map(|done| failure::of_findings(done.findings()));
    Ok(match found.into_iter().find(|code| *code != Code::FINE) {
        Some(code) => code,
        None if comparison.equal == Some(false) => Code::DIFFERENT,
        None => Code::FINE,
    })
}
