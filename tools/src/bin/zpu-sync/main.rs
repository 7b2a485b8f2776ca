//! `zpu-sync`: reports what is proven, refuted and unknown in a synchronisation problem, and the waits that it needs.
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
use zpu_device::NeverIssued;
use zpu_sync::certificate::check;
use zpu_sync::certificate::text::{read_certificate, write_certificate};
use zpu_sync::place::{Engines, Limit, Tree, place, write};
use zpu_sync::problem::text::{read_problem, write_problem};
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
  zpu-opt tiles.mlir --zpu-verify-sync=dump-problem=out ; zpu-sync out/kernel.json --place=placed.json
  zpu-sync out/kernel.json --certificate proof.json ; zpu-sync out/kernel.json --check proof.json";

/// Proves that the waits of a function are enough, or says which one is missing and for which arguments; or makes its
/// synchronous commands asynchronous and finds their waits.
#[derive(Debug, Parser)]
#[command(name = "zpu-sync", version, after_help = EXAMPLES)]
struct CommandLine {
    /// The problem, JSON; `-` is standard input.
    problem: PathBuf,
    /// Says of each wait whether some execution needs it, and which can be left out, all of them together.
    #[arg(long)]
    waits: bool,
    /// Makes synchronous commands asynchronous, finds their waits, and writes the problem with them to a file, or to
    /// standard output if it is `-`. The verdict is that of the new problem.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    place: Option<PathBuf>,
    /// Uses so many barrier ids for tokens; 0 for tokens.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "place")]
    ids: u32,
    /// Writes the proof, if there is one: the loop invariants and what else a check needs to follow it.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    certificate: Option<PathBuf>,
    /// Checks a proof that was written before, instead of looking for one.
    #[arg(long, value_name = "FILE", conflicts_with = "waits")]
    check: Option<PathBuf>,
}

impl Code {
    /// The exit code if an execution goes wrong, or if the certificate is no proof.
    const REFUTED: Code = Code::of_tool(2);
    /// There may be one.
    const UNKNOWN: Code = Code::of_tool(3);
}

fn main() -> ExitCode {
    let command_line = match process::command_line::<CommandLine>() {
        Ok(command_line) => command_line,
        Err(code) => return code.into(),
    };
    let outcome = problem(&command_line.problem).and_then(|problem| match (&command_line.check, &command_line.place) {
        (Some(file), _) => check_certificate(file, &problem),
        (None, Some(file)) => act(&command_line, &placed(problem, command_line.ids, file)?),
        (None, None) => act(&command_line, &problem),
    });
    let code = outcome.unwrap_or_else(|message| {
        eprintln!("zpu-sync: error: {message}");
        Code::USAGE
    });
    code.into()
}

fn problem(file: &Path) -> Result<Problem, String> {
    let text = read(file)?;
    if text.trim().is_empty() {
        return Err(format!("{}: the text is empty; a problem is a JSON object", name(file)));
    }
    read_problem(&text).map_err(|error| format!("{}: {error}", name(file)))
}

fn name(file: &Path) -> String {
    if file == Path::new("-") {
        "<stdin>".to_owned()
    } else {
        file.display().to_string()
    }
}

fn read(file: &Path) -> Result<String, String> {
    let text = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    text.map_err(|error| format!("{} cannot be read: {error}", name(file)))
}

fn check_certificate(file: &Path, problem: &Problem) -> Result<Code, String> {
    let certificate = read_certificate(&read(file)?).map_err(|error| format!("{}: {error}", file.display()))?;
    let outcome = check(problem, &certificate);
    print(&report::check(problem, &outcome))?;
    Ok(if outcome.is_ok() { Code::FINE } else { Code::REFUTED })
}

/// The problem with waits, which is written to a file.
fn placed(mut problem: Problem, ids: u32, file: &Path) -> Result<Problem, String> {
    let most = problem.device.sync.ids;
    if u64::from(ids) > most {
        return Err(format!(
            "--ids is {ids}, but device @{} has {most} barrier ids",
            problem.device.name
        ));
    }
    let returns = problem.device.sync.wait_on_never_issued == NeverIssued::Return;
    let limit = (ids > 0).then_some(Limit {
        ids: i64::from(ids),
        returns,
    });
    let form = place(&mut problem, limit);
    let engines = Engines::of_problem(&problem);
    let written = write(
        &problem,
        &Tree::of(&problem, &engines),
        &engines,
        &form.tokens,
        form.ids.as_ref(),
    );
    let text = write_problem(&written.problem);
    if file == Path::new("-") {
        print(&text)?;
    } else {
        std::fs::write(file, text).map_err(|error| format!("{} cannot be written: {error}", file.display()))?;
    }
    Ok(written.problem)
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
    if command_line.place.as_deref() == Some(Path::new("-")) {
        // Standard output is the problem.
        eprint!("{text}");
    } else {
        print(&text)?;
    }
    Ok(if verdict.findings.iter().any(|finding| finding.is_certain) {
        Code::REFUTED
    } else if verdict.findings.is_empty() && !verdict.has_given_up {
        Code::FINE
    } else {
        Code::UNKNOWN
    })
}
