//! `zpu-streams`: says of producers and consumers of tensors which edges stream, which need a buffer, and how small it
//! may be; and which layout each tensor of a graph should have.
//!
//! Exit codes: 0 answered, 1 usage or a badly written case (nothing is answered), 2 some case is incompatible or
//! infeasible (all are answered). Results go to standard output, messages to standard error.

#![forbid(unsafe_code)]

#[path = "../../process.rs"]
mod process;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use zpu_stream::Limits;
use zpu_stream::text::{Answered, answers, json, read, table};

use crate::process::{Code, print};

const EXAMPLES: &str = "\
Exit codes: 0 answered, 1 usage or a badly written case (nothing is answered), 2 some case is INCOMPATIBLE or infeasible
(all are answered).

Examples:
  zpu-streams cases.json
  zpu-streams cases.json --json
  zpu-streams - --json < case.json";

/// Says which edges between producers and consumers stream, and how much the others must hold; sizes are in elements.
#[derive(Debug, Parser)]
#[command(name = "zpu-streams", version, after_help = EXAMPLES)]
struct CommandLine {
    /// A case or a list of them, JSON; `-` is standard input.
    cases: PathBuf,
    /// Prints one JSON document instead of a table: an object for a single case, otherwise a list with one for each.
    #[arg(long)]
    json: bool,
    /// Walks over at most so many accesses where formulas do not decide; past that sizes are upper bounds.
    #[arg(long, value_name = "N", default_value_t = Limits::default().accesses)]
    accesses: u32,
}

impl Code {
    /// Something is read that is never written, or has no layouts.
    const INCOMPATIBLE: Code = Code::of_tool(2);
}

fn main() -> ExitCode {
    let command_line = match process::command_line::<CommandLine>() {
        Ok(command_line) => command_line,
        Err(code) => return code.into(),
    };
    let code = act(&command_line).unwrap_or_else(|message| {
        eprintln!("zpu-streams: error: {message}");
        Code::USAGE
    });
    code.into()
}

fn act(command_line: &CommandLine) -> Result<Code, String> {
    let is_stdin = command_line.cases == Path::new("-");
    let name = if is_stdin {
        "<stdin>".to_owned()
    } else {
        command_line.cases.display().to_string()
    };
    let text = if is_stdin {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).map(|_| text)
    } else {
        std::fs::read_to_string(&command_line.cases)
    };
    let text = text.map_err(|error| format!("{name} cannot be read: {error}"))?;
    let document = read(&text).map_err(|error| format!("{name}: {error}"))?;
    let limits = Limits {
        accesses: command_line.accesses,
        ..Limits::default()
    };
    let answers = answers(&document, limits);
    print(&if command_line.json {
        json(&document, &answers)
    } else {
        table(&answers)
    })?;
    Ok(if answers.iter().all(Answered::is_possible) {
        Code::FINE
    } else {
        Code::INCOMPATIBLE
    })
}
