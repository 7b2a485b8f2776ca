//! `zpu-tune`: chooses the parameters of a kernel's transform script and of the pipeline by a model and few trials.
//!
//! Exit codes: 0 fine, 1 usage or a badly written file, 2 no configuration gives a program, 6 the winner leaves other
//! values than the kernel. Results go to standard output, messages to standard error.

#![forbid(unsafe_code)]

mod command_line;
mod plot;
#[path = "../../process.rs"]
mod process;
mod progress;
mod report;
#[path = "../../whole_file.rs"]
mod whole_file;
mod winner;

use std::path::Path;
use std::process::ExitCode;

use zpu_tune::{Journal, Outcome, Plan, Problem, Source, Space, candidates, distinct, search};

use crate::command_line::{CommandLine, OnOff};
use crate::process::{Code, print};
use crate::progress::Progress;
use crate::whole_file::write_whole;

/// Compiling is allocating small things.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The stack of a thread that compiles; the system provides only the used part of it.
const STACK_BYTES: usize = 512 << 20;

impl Code {
    /// No configuration gives a program.
    const NONE: Code = Code::of_tool(2);
    /// The winner computes something else.
    const VALUES: Code = Code::of_tool(6);
}

fn main() -> ExitCode {
    let command_line = match process::command_line::<CommandLine>() {
        Ok(command_line) => command_line,
        Err(code) => return code.into(),
    };
    let threads = command_line.threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .build();
    let done = match pool {
        Ok(pool) => pool.install(|| act(&command_line)),
        Err(error) => Err(error.to_string()),
    };
    let code = done.unwrap_or_else(|message| {
        eprintln!("zpu-tune: error: {}", message.trim_end());
        Code::USAGE
    });
    code.into()
}

fn act(what: &CommandLine) -> Result<Code, String> {
    let problem = problem(what)?;
    let journal = what.journal.as_deref().map(Journal::open).transpose()?;
    for problem in journal.iter().flat_map(|journal| journal.problems()) {
        eprintln!("zpu-tune: warning: {problem}");
    }
    let (shard, shards) = what.shard.map_or((0, 1), |shard| (shard.index, shard.count));
    let size = problem.space.len();
    if shard >= size {
        eprintln!("zpu-tune: shard {shard} of {shards} has none of the {size} configurations of the space");
        return Ok(Code::FINE);
    }
    let configurations = (0..size).filter(|at| at % shards == shard);
    let progress = Progress::new("predict", configurations.clone().count());
    let all = candidates(&problem, configurations, &|count| progress.advance(count));
    progress.finish();
    if what.list {
        match &what.json {
            Some(path) => write_or_print(path, &report::list_as_json(&problem, &all))?,
            None => print(&report::list(&problem, &all))?,
        }
        return Ok(Code::FINE);
    }
    let count = all.len();
    let all = distinct(all);
    let repeated = count - all.len();
    let plan = Plan {
        strategy: what.strategy.into(),
        trials: what.trials,
        seed: what.seed,
    };
    let possible = all.iter().filter(|candidate| candidate.ready().is_some()).count();
    let progress = Progress::new("trial", plan.trials.unwrap_or(possible).min(possible));
    let outcome = search(&problem, &all, plan, journal.as_ref(), &|_| progress.advance(1))?;
    progress.finish();
    if let Some(path) = &what.json {
        write_or_print(path, &report::json(&problem, &all, repeated, &outcome))?;
    }
    if what.json.as_deref() != Some(Path::new("-")) {
        print(&report::table(&problem, (&all, repeated), &outcome, what))?;
    }
    finished(what, &problem, &all, &outcome)
}

/// Writes a text to a file, or to standard output for `-`.
fn write_or_print(path: &Path, text: &str) -> Result<(), String> {
    if path == Path::new("-") {
        print(text)
    } else {
        write_whole(path, text.as_bytes())
    }
}

/// Checks and keeps the winner.
fn finished(
    what: &CommandLine,
    problem: &Problem,
    all: &[zpu_tune::Candidate],
    outcome: &Outcome,
) -> Result<Code, String> {
    let Some(best) = outcome.best() else {
        eprintln!("zpu-tune: error: {}", report::no_program(all, outcome));
        return Ok(Code::NONE);
    };
    if let Some(folder) = &what.out {
        winner::keep(folder, problem, all, outcome, best)?;
    }
    if what.check == OnOff::On {
        let checked = winner::check(problem, all, best)?;
        if let Err(message) = checked {
            eprintln!("zpu-tune: error: {message}");
            return Ok(Code::VALUES);
        }
        eprintln!("zpu-tune: the winner leaves the bytes of the kernel as it was written");
    }
    Ok(Code::FINE)
}

fn problem(what: &CommandLine) -> Result<Problem, String> {
    let source = |path: &Path| -> Result<Source, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Source {
            name: path.display().to_string(),
            text,
        })
    };
    let kernel = source(&what.kernel)?;
    let mut space = match &what.space {
        Some(path) => Space::from_toml(&source(path)?.text).map_err(|error| format!("{}: {error}", path.display()))?,
        None => Space::default(),
    };
    let beside = |name: &String| {
        let folder = what.space.as_deref().and_then(Path::parent).unwrap_or(Path::new("."));
        folder.join(name)
    };
    let script = what.script.clone().or_else(|| space.script.as_ref().map(beside));
    let script = script.as_deref().map(source).transpose()?;
    if what.entry.is_some() {
        space.entry.clone_from(&what.entry);
    }
    Problem::new(kernel, script, space, what.device.clone()).map_err(|error| error.to_string())
}
