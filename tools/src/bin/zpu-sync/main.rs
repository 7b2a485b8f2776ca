//! `zpu-sync`: says of a synchronisation problem what is proven, refuted and unknown, and which waits it needs.
//!
//! A proof can be written to a file, and checked without being searched for again.
//!
//! Exit codes: 0 proven or accepted, 1 usage or parse, 2 refuted or rejected, 3 unknown. Results go to standard output,
//! messages to standard error.

#![forbid(unsafe_code)]

#[path = "../../process.rs"]
mod process;
mod report;

use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use zpu_sync::certificate::check;
use zpu_sync::certificate::text::{read_certificate, write_certificate};
use zpu_sync::problem::text::read_problem;
use zpu_sync::problem::{OpId, Problem};
use zpu_sync::redundant::redundant_waits;
use zpu_sync::verdict::{verify, verify_and_certify};
use zpu_sync::witness::needed_waits;

use crate::process::{Code, print};

const EXAMPLES: &str = "\
Exit codes: 0 proven or accepted, 1 usage or parse, 2 refuted or rejected, 3 unknown.

Examples:
  zpu-opt overlapped.mlir --zpu-verify-sync=dump-problem=out ; zpu-sync out/kernel.json
  zpu-sync out/kernel.json --waits
  zpu-sync out/kernel.json --certificate proof.json ; zpu-sync out/kernel.json --check proof.json";

/// Proves that the waits of a function are enough, or says which one is missing and for which arguments.
#[derive(Debug, Parser)]
#[command(name = "zpu-sync", version, after_help = EXAMPLES)]
struct CommandLine {
    /// The problem, JSON; `-` is standard input.
    problem: PathBuf,
    /// Says of each wait whether some execution needs it, and which can be left out, all of them together.
    #[arg(long)]
    waits: bool,
    /// Writes the proof, if there is one: the loop invariants and what else a check needs to follow it.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    certificate: Option<PathBuf>,
    /// Checks a proof that was written before, instead of looking for one.
    #[arg(long, value_name = "FILE", conflicts_with = "waits")]
    check: Option<PathBuf>,
}

impl Code {
    /// There is an execution that goes wrong, or what is to be checked is no proof.
    const REFUTED: Code = Code::of_tool(2);
    /// There may be one.
    const UNKNOWN: Code = Code::of_tool(3);
}

fn main() -> ExitCode {
    let command_line = match process::command_line::<CommandLine>() {
        Ok(command_line) => command_line,
        Err(code) => return code.into(),
    };
    let outcome = problem(&command_line.problem).and_then(|problem| match &command_line.check {
        Some(file) => check_certificate(file, &problem),
        None => act(&command_line, &problem),
    });
    let code = outcome.unwrap_or_else(|message| {
        eprintln!("zpu-sync: error: {message}");
        Code::USAGE
    });
    code.into()
}

fn problem(file: &Path) -> Result<Problem, String> {
    read_problem(&read(file)?).map_err(|error| format!("{}: {error}", file.display()))
}

fn read(file: &Path) -> Result<String, String> {
    let text = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    text.map_err(|error| format!("{} cannot be read: {error}", file.display()))
}

fn check_certificate(file: &Path, problem: &Problem) -> Result<Code, String> {
    let certificate = read_certificate(&read(file)?).map_err(|error| format!("{}: {error}", file.display()))?;
    let outcome = check(problem, &certificate);
    print(&report::check(problem, &outcome))?;
    Ok(if outcome.is_ok() { Code::FINE } else { Code::REFUTED })
}

fn act(command_line: &CommandLine, problem: &Problem) -> Result<Code, String> {
    let proof = match &command_line.certificate {
        Some(_) => verify_and_certify(problem),
        None => verify(problem).map(|verdict| (verdict, None)),
    };
    let Some((verdict, certificate)) = proof else {
        return Err(format!(
            "@{}: blocks that branch to each other are not followed",
            problem.name
        ));
    };
    match (&command_line.certificate, certificate) {
        (Some(file), Some(certificate)) => {
            let written = std::fs::write(file, write_certificate(&certificate));
            written.map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
        }
        (Some(file), None) => eprintln!("zpu-sync: there is no proof to write to {}", file.display()),
        (None, _) => {}
    }
    let mut text = report::verdict(problem, &verdict);
    if command_line.waits {
        let waits = needed_waits(problem);
        let all: HashSet<OpId> = waits.all.iter().copied().collect();
        let redundant = redundant_waits(problem, &all);
        text.push_str(&report::waits(problem, &waits, &redundant));
    }
    print(&text)?;
    Ok(if verdict.findings.iter().any(|finding| finding.is_certain) {
        Code::REFUTED
    } else if verdict.findings.is_empty() && !verdict.has_given_up {
        Code::FINE
    } else {
        Code::UNKNOWN
    })
}
