//! `zpu-sync`: says of a synchronisation problem what is proven, refuted and unknown, and which waits it needs.
//!
//! Exit codes: 0 proven, 1 usage or parse, 2 refuted, 3 unknown. Results go to standard output, messages to standard
//! error.

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
use zpu_sync::place::{Engines, Limit, Tree, place, write};
use zpu_sync::problem::text::{read_problem, write_problem};
use zpu_sync::problem::{OpId, Problem};
use zpu_sync::redundant::redundant_waits;
use zpu_sync::verdict::verify;
use zpu_sync::witness::needed_waits;

use crate::process::{Code, print};

const EXAMPLES: &str = "\
Exit codes: 0 proven, 1 usage or parse, 2 refuted, 3 unknown.

Examples:
  zpu-opt overlapped.mlir --zpu-verify-sync=dump-problem=out ; zpu-sync out/kernel.json
  zpu-sync out/kernel.json --waits
  zpu-opt tiles.mlir --zpu-verify-sync=dump-problem=out ; zpu-sync out/kernel.json --place=placed.json";

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
    #[arg(long, value_name = "FILE")]
    place: Option<PathBuf>,
    /// Uses so many barrier ids for tokens; 0 for tokens.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "place")]
    ids: u32,
}

impl Code {
    /// There is an execution that goes wrong.
    const REFUTED: Code = Code::of_tool(2);
    /// There may be one.
    const UNKNOWN: Code = Code::of_tool(3);
}

fn main() -> ExitCode {
    let command_line = match process::command_line::<CommandLine>() {
        Ok(command_line) => command_line,
        Err(code) => return code.into(),
    };
    let outcome = read(&command_line.problem).and_then(|problem| match &command_line.place {
        Some(file) => act(&command_line, &placed(problem, command_line.ids, file)?),
        None => act(&command_line, &problem),
    });
    let code = outcome.unwrap_or_else(|message| {
        eprintln!("zpu-sync: error: {message}");
        Code::USAGE
    });
    code.into()
}

fn read(file: &Path) -> Result<Problem, String> {
    let is_stdin = file == Path::new("-");
    let name = if is_stdin {
        "<stdin>".to_owned()
    } else {
        file.display().to_string()
    };
    let text = if is_stdin {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(file)
    };
    let text = text.map_err(|error| format!("{name} cannot be read: {error}"))?;
    if text.trim().is_empty() {
        return Err(format!("{name}: the text is empty; a problem is a JSON object"));
    }
    read_problem(&text).map_err(|error| format!("{name}: {error}"))
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
    let Some(verdict) = verify(problem) else {
        return Err(format!(
            "@{}: blocks that branch to each other are not followed",
            problem.name
        ));
    };
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
