//! `zpu-fuzz`: random loop programs through the passes and the simulator.

#![forbid(unsafe_code)]

mod campaign;
#[allow(dead_code, reason = "this tool prints as it goes on, and has codes of its own")]
#[path = "../../process.rs"]
mod process;
mod report;
mod shrinking;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use worker::Mode;

/// Compiling is allocating small things: with the system's allocator, a quarter of the time goes there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HELP: &str = "\
Program number i has the seed SEED + i; a seed always gives the same program and the same settings.

Exit codes: 0 nothing failed, 1 something failed, 2 wrong usage.

Examples:
  zpu-fuzz --seconds 60 --seed 1
  zpu-fuzz --programs 20000 --seed 1 --out failures
  zpu-fuzz --agreement --programs 4000
  zpu-fuzz --memory --programs 20000
  zpu-fuzz show 17";

/// Generates loop programs, runs each through every pass and on the simulator, and shrinks failing ones.
///
/// After each pass the program must verify, leave the bytes that the sequential program leaves, and be free of races
/// and deadlocks; at the end it must not be slower.
#[derive(Parser)]
#[command(name = "zpu-fuzz", version, after_help = HELP, args_conflicts_with_subcommands = true)]
struct CommandLine {
    #[command(flatten)]
    campaign: Campaign,
    #[command(subcommand)]
    action: Option<Action>,
}

/// The extent of a campaign: time, number of programs, first seed.
#[derive(Args, Clone)]
pub(crate) struct Campaign {
    /// Stop after so many seconds; the default if no number of programs is given is 10.
    #[arg(long)]
    pub(crate) seconds: Option<u64>,
    /// Stop after so many programs.
    #[arg(long)]
    pub(crate) programs: Option<u64>,
    /// Seed of the first program.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Processes at once; by default as many as there are processors.
    #[arg(long)]
    pub(crate) jobs: Option<usize>,
    /// Folder for failing programs, shrunk.
    #[arg(long, value_name = "FOLDER", default_value = "target/fuzz")]
    pub(crate) out: PathBuf,
    /// Stop after so many failures.
    #[arg(long, default_value_t = 20)]
    pub(crate) most_failures: usize,
    /// Seconds for shrinking one failure; 0: leave it as it is.
    #[arg(long, default_value_t = 20)]
    pub(crate) shrink_seconds: u64,
    /// Looks for programs on which the proof of zpu-verify-sync and the simulator disagree, instead of passes that
    /// break programs: compiled ones, and the same with a wait dropped or delayed, tokens or ids swapped, or a ring
    /// shrunk.
    #[arg(long)]
    pub(crate) agreement: bool,
    /// Takes each program through memory planning, with one setting: equal bytes in several orders of completion, with
    /// the memories of the device, with just the bytes that are needed, and with less.
    #[arg(long, conflicts_with = "agreement")]
    pub(crate) memory: bool,
    /// Puts a deliberate bug into the passes; needs a build with the feature `seeded-bugs`.
    #[arg(long, value_name = "NAME")]
    pub(crate) bug: Option<String>,
}

impl Campaign {
    /// The property that is tested.
    pub(crate) fn mode(&self) -> Mode {
        Mode::new(self.agreement, self.memory)
    }
}

#[derive(Subcommand)]
enum Action {
    /// Prints the program of a seed and the commands that run it.
    Show {
        /// The seed.
        seed: u64,
        /// With the setting of a campaign with `--memory`.
        #[arg(long)]
        memory: bool,
    },
    /// Runs programs one after the other and prints the time of each pass.
    Times {
        /// Seed of the first program.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// So many programs.
        #[arg(long, default_value_t = 200)]
        programs: u64,
    },
    /// Finds each of the deliberate bugs of a build with the feature `seeded-bugs`, and prints a table.
    SelfCheck {
        /// Seconds for each.
        #[arg(long, default_value_t = 60)]
        seconds: u64,
        /// Seed of the first program.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Processes at once; by default as many as there are processors.
        #[arg(long)]
        jobs: Option<usize>,
    },
    /// Runs programs one after the other, with a line for each; the other commands start it.
    #[command(hide = true)]
    Worker {
        first: u64,
        count: u64,
        #[arg(long)]
        agreement: bool,
        #[arg(long)]
        memory: bool,
        #[arg(long)]
        bug: Option<String>,
    },
    /// Judges one program given on standard input.
    #[command(hide = true)]
    Judge {
        #[arg(long)]
        agreement: bool,
        #[arg(long)]
        memory: bool,
        #[arg(long)]
        bug: Option<String>,
    },
}

fn main() -> ExitCode {
    let line = match process::command_line::<CommandLine>() {
        Ok(line) => line,
        Err(process::Code::FINE) => return ExitCode::SUCCESS,
        Err(_) => return ExitCode::from(2),
    };
    let result = match line.action {
        None => campaign::run(&line.campaign),
        Some(Action::Show { seed, memory }) => {
            show(seed, memory);
            Ok(true)
        }
        Some(Action::Times { seed, programs }) => worker::times(seed, programs).map(|()| true),
        Some(Action::SelfCheck { seconds, seed, jobs }) => campaign::self_check(seconds, seed, jobs),
        Some(Action::Worker {
            first,
            count,
            agreement,
            memory,
            bug,
        }) => worker::work(first, count, Mode::new(agreement, memory), bug.as_deref()).map(|()| true),
        Some(Action::Judge { agreement, memory, bug }) => {
            worker::judge_input(Mode::new(agreement, memory), bug.as_deref()).map(|()| true)
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn show(seed: u64, memory: bool) {
    let program = zpu_fuzz::generate(seed);
    let session = zpu_fuzz::Session::new();
    let settings = if memory {
        vec![zpu_fuzz::Setting::for_memory(seed)]
    } else {
        zpu_fuzz::Setting::of_seed(seed).to_vec()
    };
    for setting in settings {
        match setting.optimizer_option(&session) {
            Ok(option) => println!("// zpu-opt in.mlir {option} -o out.mlir"),
            Err(error) => println!("// {error}"),
        }
        println!(
            "// zpu-sim compare in.mlir out.mlir {} {}",
            setting.simulator_options(),
            program.simulator_options()
        );
    }
    print!("{}", program.text);
}
