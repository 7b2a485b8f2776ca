//! Two programs on equal inputs.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;
use zpu_driver::Session;
use zpu_driver::fragments::FragmentProgram;
use zpu_sim::SCHEMA;

use crate::command_line::Compare;
use crate::failure::{self, usage};
use crate::process::Code;
use crate::program::{Run, RunJson, Source};
use crate::{arguments, compare_fragments, files, options};

/// The document of `compare --json`.
#[derive(Debug, Serialize)]
struct Comparison<'a> {
    schema: u32,
    /// All bytes of all arguments, and all results, are equal; null if a program did not come to its end.
    equal: Option<bool>,
    /// The first difference in words; null if there is none.
    first_difference: Option<String>,
    /// Cycles of a over cycles of b; null if a program did not come to its end.
    speedup: Option<f64>,
    a: RunJson<'a>,
    b: RunJson<'a>,
    /// The first program is one that the device can carry out as it is written: its cycles are a fair base.
    base_is_legal: bool,
}

/// Runs both, says whether they leave equal bytes, and the ratio of their cycles.
pub(crate) fn compare(what: &Compare) -> Result<Code> {
    let settings = &what.settings;
    if [&what.a, &what.b].iter().all(|file| file.as_path() == Path::new("-")) {
        return Err(usage("only one of the two programs can come from standard input"));
    }
    let session = Session::new();
    let (a, b) = (Source::read(&session, &what.a)?, Source::read(&session, &what.b)?);
    for source in [&a, &b] {
        let entry = source.entry(settings)?;
        if FragmentProgram::is_one(source.module(), &entry) {
            return compare_fragments::compare(&session, [&a, &b], what);
        }
    }
    if what.compile.is_some() {
        return Err(usage(
            "neither program holds fragments; --compile is for programs over several devices, use zpu-opt \
             --zpu-pipeline",
        ));
    }
    let (a, b) = (a.program(settings)?, b.program(settings)?);
    let arguments = arguments::make(settings, &[&a, &b])?;
    let a = a.run(arguments.clone(), &options(settings))?;
    let b = b.run(arguments, &options(settings))?;
    b.write_files(settings)?;
    let compared = zpu_driver::Comparison::of(&a.outcome, &b.outcome);
    let is_whole = compared.before.completed && compared.after.completed;
    let first = compared.differences.first().filter(|_| is_whole);
    let comparison = Comparison {
        schema: SCHEMA,
        equal: is_whole.then(|| compared.is_equal()),
        first_difference: first.map(|first| first.describe("a", "b")),
        speedup: is_whole.then(|| compared.speedup()),
        a: a.to_json(),
        b: b.to_json(),
        base_is_legal: compared.before.is_legal(),
    };
    if settings.json.is_some() {
        files::write_json(settings, &comparison)?;
    }
    a.print_findings();
    b.print_findings();
    if !settings.json_on_stdout() {
        files::print(&text(&comparison, &a, &b))?;
    }
    let found = [&a, &b].map(|run| failure::of_findings(&run.outcome.report.findings));
    Ok(match found.into_iter().find(|code| *code != Code::FINE) {
        Some(code) => code,
        None if comparison.equal == Some(false) => Code::DIFFERENT,
        None => Code::FINE,
    })
}

fn text(comparison: &Comparison<'_>, a: &Run, b: &Run) -> String {
    let line = |name: &str, run: &Run| {
        let report = &run.outcome.report;
        let (entry, device, bound) = (&report.entry, &report.device, report.bound.cycles);
        let file = &run.file;
        format!(
            "{name}: {entry} of {file} on {device}: {} cycles, lower bound {bound}\n",
            report.cycles
        )
    };
    let values = match (&comparison.first_difference, comparison.equal) {
        (Some(difference), _) => format!("different, first in {difference}"),
        (None, Some(_)) => "equal".to_owned(),
        (None, None) => "not compared, since a program did not come to its end".to_owned(),
    };
    let speedup = comparison
        .speedup
        .map_or_else(|| "not known".to_owned(), |speedup| format!("{speedup:.3}"));
    let unsupported = &a.outcome.report.unsupported;
    let base = unsupported.first().map_or_else(String::new, |first| {
        let device = &a.outcome.report.device;
        let more = match unsupported.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        format!(
            "base: a is no legal program of {device}, so its cycles are no fair base: {}: {}{more}\n",
            first.location, first.message
        )
    });
    format!(
        "{}{}speed-up: {speedup}\n{base}values: {values}\n",
        line("a", a),
        line("b", b)
    )
}
