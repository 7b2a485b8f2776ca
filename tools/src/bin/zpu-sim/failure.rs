//! Exit codes, and errors that carry one.

use std::fmt;

use zpu_sim::{Finding, FindingKind};

use crate::process::Code;

impl Code {
    /// The program has no meaning.
    pub(crate) const INVALID: Code = Code::of_tool(2);
    /// Two accesses with nothing between them.
    pub(crate) const RACE: Code = Code::of_tool(3);
    /// The control stream waits for ever.
    pub(crate) const DEADLOCK: Code = Code::of_tool(4);
    /// A memory or a queue overflows.
    pub(crate) const CAPACITY: Code = Code::of_tool(5);
    /// Two programs leave different values.
    pub(crate) const DIFFERENT: Code = Code::of_tool(6);
}

/// An error with its exit code. The message may be a whole diagnostic, with its place.
#[derive(Debug)]
struct Failure {
    code: Code,
    message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// An error in what was asked for, or in reading it.
pub(crate) fn usage(message: impl fmt::Display) -> anyhow::Error {
    let message = format!("zpu-sim: error: {message}");
    Failure {
        code: Code::USAGE,
        message,
    }
    .into()
}

/// A diagnostic as it is, from reading the program.
pub(crate) fn parse(diagnostic: impl fmt::Display) -> anyhow::Error {
    Failure {
        code: Code::USAGE,
        message: diagnostic.to_string(),
    }
    .into()
}

/// A diagnostic as it is, about a program without a meaning.
pub(crate) fn invalid(diagnostic: impl fmt::Display) -> anyhow::Error {
    Failure {
        code: Code::INVALID,
        message: diagnostic.to_string(),
    }
    .into()
}

/// The text of an error.
pub(crate) fn text(error: &anyhow::Error) -> String {
    match error.downcast_ref::<Failure>() {
        Some(failure) => failure.message.clone(),
        None => format!("zpu-sim: error: {error:#}"),
    }
}

/// The exit code of an error.
pub(crate) fn code(error: &anyhow::Error) -> Code {
    error
        .downcast_ref::<Failure>()
        .map_or(Code::USAGE, |failure| failure.code)
}

/// The exit code of a run: that of the first finding; uninitialised reads come after all others.
pub(crate) fn of_findings<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Code {
    let kinds: Vec<FindingKind> = findings.into_iter().map(|finding| finding.kind).collect();
    let first = kinds.iter().find(|kind| **kind != FindingKind::Init);
    match first.or(kinds.first()) {
        None | Some(FindingKind::Wait | FindingKind::Balance) => Code::FINE,
        Some(FindingKind::Invalid | FindingKind::Init) => Code::INVALID,
        Some(FindingKind::Race) => Code::RACE,
        Some(FindingKind::Deadlock) => Code::DEADLOCK,
        Some(FindingKind::Capacity) => Code::CAPACITY,
    }
}
