//! A program over several devices: what it is run with, and what is said of it.

use std::fmt::Write as _;

use anyhow::Result;
use zpu_driver::fragments::{FragmentOutcome, FragmentProgram, FragmentReport};
use zpu_driver::{Error, Session};
use zpu_sched::fragment::text::draw;
use zpu_sim::{Options, TraceEvent, TraceKind, chrome_trace};

use crate::command_line::{Orders, Run, Settings};
use crate::failure::{self, invalid, usage};
use crate::process::Code;
use crate::program::{Runnable, Source};
use crate::{arguments, files};

/// Runs a function with fragments.
pub(crate) fn run(session: &Session, source: &Source<'_>, entry: &str, what: &Run, options: &Options) -> Result<Code> {
    let settings = &what.settings;
    if settings.device.is_some() {
        return Err(usage(format!(
            "`{entry}` holds fragments, and each mesh of zpu.topology names its own device; leave --device out"
        )));
    }
    if what.orders != Orders::Some(1) {
        return Err(usage(format!(
            "`{entry}` holds fragments; --orders is for programs of one device"
        )));
    }
    let program = FragmentProgram::new(session, source.module(), entry, what.compile.as_deref());
    let program = program.map_err(|error| said(source, &error))?;
    let signature = Runnable {
        name: source.name().to_owned(),
        executable: program.signature().clone(),
    };
    let arguments = arguments::make(settings, &[&signature])?;
    let outcome = program
        .simulate(arguments, options)
        .map_err(|error| said(source, &error))?;
    write_files(settings, &outcome)?;
    if settings.json.is_some() {
        files::write_json(settings, &outcome.report)?;
    }
    print_findings(&outcome);
    if !settings.json_on_stdout() {
        files::print(&summary(&outcome))?;
    }
    let findings = outcome.report.findings.iter();
    Ok(failure::of_findings(findings.map(|(_, finding)| finding)))
}

/// Findings, each with the name of its fragment.
pub(crate) fn print_findings(outcome: &FragmentOutcome) {
    for (fragment, finding) in &outcome.report.findings {
        eprintln!("in fragment `{fragment}`: {finding}");
    }
}

/// An error of the program, as a whole message.
pub(crate) fn said(source: &Source<'_>, error: &Error) -> anyhow::Error {
    match error {
        Error::Pass { diagnostics, .. } | Error::Pipeline { diagnostics, .. } => invalid(diagnostics),
        error => invalid(format!("{}: error: {error}", source.name())),
    }
}

/// Writes what --out, --result and --trace ask for.
pub(crate) fn write_files(settings: &Settings, outcome: &FragmentOutcome) -> Result<()> {
    let report = &outcome.report;
    if report.completed {
        files::write_arrays(settings, &outcome.arguments)?;
        let known: Option<Vec<_>> = outcome.results.iter().cloned().collect();
        match known {
            Some(results) => files::write_results(settings, &results)?,
            None if settings.result.is_empty() => {}
            None => {
                return Err(usage(
                    "--result: a result is not known, since a fragment before it has no body",
                ));
            }
        }
    }
    if let Some(path) = &settings.trace {
        let (tracks, events) = timeline(report, outcome);
        let trace = chrome_trace(&report.entry, &tracks, &events, []);
        files::write_whole(path, &serde_json::to_vec(&trace)?)?;
    }
    Ok(())
}

/// A track for each mesh, then one for each link.
fn timeline(report: &FragmentReport, outcome: &FragmentOutcome) -> (Vec<String>, Vec<TraceEvent>) {
    let mut tracks: Vec<String> = report.meshes.iter().map(|mesh| mesh.name.clone()).collect();
    tracks.extend(report.links.iter().map(|link| format!("{}->{}", link.from, link.to)));
    let nodes = report.nodes.iter().zip(&outcome.program.nodes);
    let events = nodes.map(|(node, own)| {
        let track = match own.kind {
            zpu_sched::fragment::NodeKind::Fragment(ref fragment) => fragment.mesh.index(),
            zpu_sched::fragment::NodeKind::Transfer { from, to } => {
                let ends = (outcome.program.mesh(from), outcome.program.mesh(to));
                let place = report.links.iter().position(|link| (&*link.from, &*link.to) == ends);
                report.meshes.len() + place.unwrap_or(0)
            }
        };
        TraceEvent {
            engine: Some(track),
            kind: TraceKind::Run,
            name: node.name.clone(),
            location: report.entry.clone(),
            begin: node.begin,
            end: node.end,
            command: None,
        }
    });
    (tracks, events.collect())
}

/// The text of a run.
fn summary(outcome: &FragmentOutcome) -> String {
    let report = &outcome.report;
    let mut text = String::new();
    let stopped = if report.completed {
        ""
    } else {
        ", stopped before its end"
    };
    let _ = writeln!(
        text,
        "{} on {} meshes: {} cycles, {} fragments and transfers{stopped}",
        report.entry,
        report.meshes.len(),
        report.cycles,
        report.nodes.len(),
    );
    let header = ["mesh", "device", "fragments", "busy", "bubble", "idle", "held bytes"];
    let mut rows = vec![header.map(str::to_owned)];
    rows.extend(report.meshes.iter().map(|mesh| {
        [
            mesh.name.clone(),
            mesh.device.clone().unwrap_or_else(|| "-".to_owned()),
            mesh.fragments.to_string(),
            mesh.busy.to_string(),
            mesh.bubble.to_string(),
            mesh.idle.to_string(),
            mesh.held_bytes.to_string(),
        ]
    }));
    crate::summary::table(&mut text, &rows);
    if !report.links.is_empty() {
        let mut rows = vec![["link", "transfers", "bytes", "busy"].map(str::to_owned)];
        rows.extend(report.links.iter().map(|link| {
            [
                format!("{}->{}", link.from, link.to),
                link.transfers.to_string(),
                link.bytes.to_string(),
                link.busy.to_string(),
            ]
        }));
        crate::summary::table(&mut text, &rows);
    }
    text.push_str(&draw(&outcome.program, &outcome.schedule, &outcome.timing));
    if report.completed && report.cycles > 0 {
        let share = 100.0 * report.lower_bound as f64 / report.cycles as f64;
        let _ = writeln!(text, "lower bound: {} cycles, {share:.1} % reached", report.lower_bound);
    }
    text
}
