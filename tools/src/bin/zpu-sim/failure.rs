//! Exit codes, and errors that carry one.

use std::fmt;
use std::process::ExitCode;

use zpu_sim::{FindingKind, Report};

/// What the process ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Fine = 0,
    Usage = 1,
    Invalid = 2,
    Race = 3,
    Deadlock = 4,
    Capacity = 5,
    Different = 6,
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(code as u8)
    }
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
        code: Code::Usage,
        message,
    }
    .into()
}

/// A diagnostic as it is, from reading the program.
pub(crate) fn parse(diagnostic: impl fmt::Display) -> anyhow::Error {
    Failure {
        code: Code::Usage,
        message: diagnostic.to_string(),
    }
    .into()
}

/// A diagnostic as it is, about a program without a meaning.
pub(crate) fn invalid(diagnostic: impl fmt::Display) -> anyhow::Error {
    Failure {
        code: Code::Invalid,
        message: diagnostic.to_string(),
    }
    .into()
}

/// What is printed of an error.
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
        .map_or(Code::Usage, |failure| failure.code)
}

/// The exit code of a run: that of the first finding, where uninitialised reads stand back behind all others.
pub(crate) fn of_findings(report: &Report) -> Code {
    let first = report.findings.iter().find(|finding| finding.kind != FindingKind::Init);
    match first.or(report.findings.first()).map(|finding| finding.kind) {
        None => Code::Fine,
        Some(FindingKind::Invalid | FindingKind::Init) => Code::Invalid,
        Some(FindingKind::Race) => Code::Race,
        Some(FindingKind::Deadlock) => Code::Deadlock,
        Some(FindingKind::Capacity) => Code::Capacity,
    }
}
