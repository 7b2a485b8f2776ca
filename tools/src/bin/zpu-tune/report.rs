//! The result as a table, as JSON, and in words.

use std::fmt::Write as _;

use serde_json::json;
use zpu_tune::{Candidate, Certificate, Outcome, Problem, Trial};

use crate::command_line::CommandLine;

/// The best prediction first, what cannot be tried last.
fn ranked(all: &[Candidate]) -> Vec<&Candidate> {
    let mut order: Vec<&Candidate> = all.iter().collect();
    order.sort_by_key(|candidate| {
        let predicted = candidate.predicted().unwrap_or(u64::MAX);
        (candidate.ready().is_none(), predicted, candidate.configuration)
    });
    order
}

/// All candidates with the model's numbers as JSON, one a line, best prediction first.
pub(crate) fn list_as_json(problem: &Problem, all: &[Candidate]) -> String {
    let lines = ranked(all).into_iter().map(|candidate| {
        let (index, configuration) = (candidate.configuration, problem.space.describe(candidate.configuration));
        let line = match &candidate.state {
            Ok(ready) => json!({
                "index": index,
                "configuration": configuration,
                "predicted": candidate.predicted(),
                "bound": ready.bound,
                "bound_by": ready.limited_by,
                "reason": ready.predicted.as_ref().err(),
            }),
            Err(reason) => json!({ "index": index, "configuration": configuration, "reason": reason }),
        };
        format!("{line}\n")
    });
    lines.collect()
}

/// All candidates with the model's numbers, best prediction first.
pub(crate) fn list(problem: &Problem, all: &[Candidate]) -> String {
    let rows = ranked(all).into_iter().map(|candidate| {
        let (predicted, bound, note) = match &candidate.state {
            Ok(ready) => {
                let (predicted, note) = match &ready.predicted {
                    Ok(cycles) => (grouped(*cycles), ready.limited_by.clone()),
                    Err(reason) => ("-".to_owned(), reason.clone()),
                };
                (predicted, grouped(ready.bound), note)
            }
            Err(reason) => ("-".to_owned(), "-".to_owned(), first_line(reason)),
        };
        [problem.space.describe(candidate.configuration), predicted, bound, note]
    });
    aligned(
        ["configuration", "predicted", "bound", "bound by, or why there is none"],
        rows.collect(),
    )
}

/// The best trials, and what is proven.
pub(crate) fn table(
    problem: &Problem,
    (all, repeated): (&[Candidate], usize),
    outcome: &Outcome,
    what: &CommandLine,
) -> String {
    let mut trials: Vec<&Trial> = outcome.trials.iter().collect();
    trials.sort_by_key(|trial| (trial.cycles.unwrap_or(u64::MAX), trial.index));
    let rows = trials.into_iter().take(what.rows).map(|trial| {
        [
            problem.space.describe(trial.index),
            trial
                .cycles
                .map_or_else(|| first_line(trial.failure.as_deref().unwrap_or("-")), grouped),
            trial.predicted.map_or_else(|| "-".to_owned(), grouped),
            error(trial).map_or_else(|| "-".to_owned(), |error| format!("{:+.1} %", error * 100.0)),
            grouped(trial.bound),
        ]
    });
    let mut text = aligned(
        ["configuration", "cycles", "predicted", "error", "bound"],
        rows.collect(),
    );
    let impossible = all.iter().filter(|candidate| candidate.ready().is_none()).count();
    let same = if repeated > 0 {
        format!(", {repeated} the same program as another one")
    } else {
        String::new()
    };
    let failed = match failed(outcome) {
        0 => String::new(),
        count => format!(", {count} of them failed"),
    };
    let _ = writeln!(
        text,
        "\n{} configurations, {impossible} of them impossible{same}; {} trials, {} of them from the journal{failed}",
        all.len() + repeated,
        outcome.trials.len(),
        outcome.known
    );
    if let Some(best) = outcome.best() {
        let cycles = best.cycles.unwrap_or(0);
        let _ = writeln!(
            text,
            "best: {}, {} cycles",
            problem.space.describe(best.index),
            grouped(cycles)
        );
        let proof = match outcome.refuted() {
            Some(trial) => format!(
                "not proven: {} took {} cycles, less than the model's bound of {}; this is an error in the model",
                problem.space.describe(trial.index),
                grouped(trial.cycles.unwrap_or(0)),
                grouped(trial.bound)
            ),
            None => {
                let whole = if what.shard.is_some() { "shard" } else { "space" };
                certificate(outcome.certificate, cycles, whole)
            }
        };
        let _ = writeln!(text, "{proof}");
    }
    text
}

/// The number of trials that gave no cycles.
fn failed(outcome: &Outcome) -> usize {
    outcome.trials.iter().filter(|trial| trial.failure.is_some()).count()
}

fn certificate(certificate: Certificate, cycles: u64, whole: &str) -> String {
    match (certificate, certificate.gap(cycles)) {
        (Certificate::Proven, _) => {
            format!("proven: no other configuration of this {whole} is better in this simulator")
        }
        (Certificate::Open { bound, count }, Some(gap)) => format!(
            "not proven: {count} configurations that were not tried may take as few as {} cycles ({:.1} % less)",
            grouped(bound),
            (1.0 - 1.0 / gap) * 100.0
        ),
        (Certificate::Open { count, .. }, None) => {
            format!("not proven: of {count} configurations that were not tried, some have no bound")
        }
    }
}

/// Trials in the order in which they were made, and a line that sums them up.
pub(crate) fn json(problem: &Problem, all: &[Candidate], repeated: usize, outcome: &Outcome) -> String {
    let mut lines: Vec<String> = outcome.trials.iter().map(|trial| json!(trial).to_string()).collect();
    let best = outcome.best();
    let (proven, bound, open) = match outcome.certificate {
        Certificate::Proven => (true, None, 0),
        Certificate::Open { bound, count } => (false, Some(bound), count),
    };
    lines.push(
        json!({
            "configurations": all.len() + repeated,
            "repeated": repeated,
            "impossible": all.iter().filter(|candidate| candidate.ready().is_none()).count(),
            "trials": outcome.trials.len(),
            "known": outcome.known,
            "failed": failed(outcome),
            "best": best.map(|best| json!({
                "index": best.index,
                "configuration": problem.space.describe(best.index),
                "cycles": best.cycles,
            })),
            "proven": proven,
            "untried": open,
            "bound": bound,
        })
        .to_string(),
    );
    lines.join("\n") + "\n"
}

/// The reason why there is no winner.
pub(crate) fn no_program(all: &[Candidate], outcome: &Outcome) -> String {
    let of_candidate = all.iter().find_map(|candidate| candidate.state.as_ref().err().cloned());
    let of_trial = outcome.trials.iter().find_map(|trial| trial.failure.clone());
    let reason = of_trial
        .or(of_candidate)
        .unwrap_or_else(|| "the space is empty".to_owned());
    format!(
        "no configuration of {} gives a program; the first one: {reason}",
        all.len()
    )
}

/// The prediction over the cycles, less 1.
pub(crate) fn error(trial: &Trial) -> Option<f64> {
    let (predicted, cycles) = (trial.predicted?, trial.cycles.filter(|cycles| *cycles > 0)?);
    Some(predicted as f64 / cycles as f64 - 1.0)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// With a comma between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}

/// Columns with a header; the first one and the last one to the left, numbers to the right.
fn aligned<const N: usize>(header: [&str; N], rows: Vec<[String; N]>) -> String {
    let header = header.map(str::to_owned);
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = std::iter::once(&header)
            .chain(&rows)
            .map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).min(60)
    });
    let mut text = String::new();
    for row in std::iter::once(&header).chain(&rows) {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            if column == 0 {
                format!("{cell:<width$}")
            } else {
                format!("{cell:>width$}")
            }
        });
        let line: Vec<String> = cells.collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text
}
