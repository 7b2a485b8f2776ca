//! Texts that are printed.

use zpu_sync::certificate::Rejection;
use zpu_sync::problem::{OpId, Problem};
use zpu_sync::redundant::Redundant;
use zpu_sync::report::Message;
use zpu_sync::verdict::Verdict;
use zpu_sync::witness::Waits;

/// The findings, and the verdict in one line.
pub(crate) fn verdict(problem: &Problem, verdict: &Verdict) -> String {
    let mut text = String::new();
    for message in &verdict.warnings {
        text.push_str(&message_text(problem, "warning", message));
    }
    for finding in &verdict.findings {
        let (kind, reason) = if finding.is_certain {
            ("refuted", String::new())
        } else {
            ("unknown", format!(" [{}]", finding.reason))
        };
        text.push_str(&message_text(problem, &format!("{kind}{reason}"), &finding.message));
    }
    let certain = verdict.findings.iter().any(|finding| finding.is_certain);
    let word = match (certain, verdict.findings.is_empty() && !verdict.has_given_up) {
        (true, _) => "refuted",
        (false, true) => "proven",
        (false, false) => "unknown",
    };
    let gave_up = if verdict.has_given_up { ", gave up" } else { "" };
    text.push_str(&format!(
        "@{}: {word}: {} asynchronous commands, {} waits, {} findings, {} comparisons{gave_up}\n",
        problem.name,
        verdict.starts,
        verdict.waits,
        verdict.findings.len(),
        verdict.comparisons
    ));
    text
}

/// Each wait: needed, redundant, or neither known to be.
pub(crate) fn waits(problem: &Problem, waits: &Waits, redundant: &Redundant) -> String {
    let mut text = String::new();
    for wait in &waits.all {
        let word = if waits.needed.contains(wait) {
            "needed"
        } else if redundant.waits.contains(wait) {
            "redundant"
        } else {
            "not known to be needed"
        };
        text.push_str(&format!("{}: {word}\n", location(problem, *wait)));
    }
    text
}

/// The outcome of the check of a certificate, in one line.
pub(crate) fn check(problem: &Problem, outcome: &Result<(), Rejection>) -> String {
    match outcome {
        Ok(()) => format!("@{}: accepted\n", problem.name),
        Err(rejection) if rejection.at.at() < problem.operations.len() => {
            let location = location(problem, rejection.at);
            format!(
                "{location}: rejected: {}\n@{}: rejected\n",
                rejection.text, problem.name
            )
        }
        Err(rejection) => format!("@{}: rejected: {rejection}\n", problem.name),
    }
}

fn message_text(problem: &Problem, kind: &str, message: &Message) -> String {
    let mut text = format!("{}: {kind}: {}\n", location(problem, message.at), message.text);
    for note in &message.notes {
        text.push_str(&format!("{}: note: {}\n", location(problem, note.at), note.text));
    }
    text
}

/// `file:line:column`, or the operation's number and name.
fn location(problem: &Problem, id: OpId) -> String {
    let operation = &problem.operations[id.at()];
    if operation.location.is_empty() {
        format!("operation {} (`{}`)", id.0, operation.name)
    } else {
        operation.location.clone()
    }
}
