//! The project's own commands: `cargo xtask demo|test|bench|fuzz|mutate|setup`.
//!
//! Invariant: this crate compiles without LLVM and without any other crate of the workspace, because a fresh machine
//! runs it first. It drives the tools through their command lines, as a user would.

#![forbid(unsafe_code)]

mod bench;
mod checks;
mod dataflow;
mod demo;
mod device_run;
mod device_sources;
mod devices;
mod fragments;
mod fuzz;
mod kernels;
mod measure;
mod memory;
mod mutate;
mod order;
mod programs;
mod ray;
mod run;
mod scale;
mod schedules;
mod setup;
mod table;
mod test;
mod timing;
mod tuning;
mod unwaited;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Sets the machine up, shows what zpu does, tests it, measures it.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", after_help = HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

const HELP: &str = "\
LLVM/MLIR 22 is looked for in $ZPU_LLVM_PREFIX, then $MLIR_SYS_220_PREFIX, then /usr/lib/llvm-22. What is missing is \
installed \
with apt-get when run as root; otherwise the command to run is printed.

Exit codes: 0 all is well, 1 something is missing, failed or differs, 2 wrong usage.";

#[derive(Subcommand)]
enum Task {
    /// Compile attention and a matrix product, simulate them before and after, print the gain, write timelines.
    Demo,
    /// Formatting, clippy, rustdoc and every test, as CI runs them.
    Test,
    /// Compile time pass by pass, simulation speed and peak memory, for each kernel; or the scaling of passes, the cost
    /// of checks, the gain by schedules and by pipelines over several loop nests.
    Bench {
        /// The subject of the measurement.
        #[arg(long, value_enum, default_value_t = Of::Kernels)]
        of: Of,
        /// Runs of each measurement; the fastest counts.
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
        runs: u32,
        /// Of devices, memory and all of tuning: only the programs whose `NAME on DEVICE` contains this.
        #[arg(long, value_name = "NAME", default_value = "", hide_default_value = true)]
        only: String,
    },
    /// Random loop programs through every pass and the simulator; failing ones are shrunk and written to target/fuzz.
    Fuzz(fuzz::Options),
    /// Delete or move every wait, shrink every ring, swap every barrier id of the kernels, one at a time; see whether
    /// it is noticed.
    Mutate,
    /// The driver of zpu-tune for several machines, on a Ray of this machine; installs Ray into target/ray.
    Ray,
    /// Only check the installed packages, and install missing ones.
    Setup,
}

/// The subject of `bench`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Of {
    /// Each kernel through the pipeline and the simulator.
    Kernels,
    /// The passes after the planner on loops of 10 to 10,000 operations; the whole pipeline on deep, wide and long
    /// programs; the simulator on up to 100,000 stores without waits.
    Scale,
    /// The simulator with its checks and without, and the proof on loops of 10 to 1,000 commands.
    Checks,
    /// The simulator with values and without, on runs of 100,000 commands and more.
    Timing,
    /// Cycles of the reference loops by scheduler, beside the results of other planners; `--runs` does not matter.
    Schedules,
    /// The order of schedulers and stages: a stronger scheduler or more stages must not give a slower program; `--runs`
    /// does not matter.
    Order,
    /// Graphs of loop nests, nest by nest and as one pipeline; `--runs` does not matter.
    Dataflow,
    /// Kernels on each device, with the comparison of plans and without, and the best schedules of their commands that
    /// are found; `--runs` does not matter.
    Devices,
    /// Bytes of each memory with addresses and without, at the same cycles; and how programs do in memories that are no
    /// larger than that. `--runs` does not matter.
    Memory,
    /// The model's order of configurations of matrix products beside a search through all of them; trials are kept, and
    /// a run that was ended goes on. `--runs` does not matter.
    Tuning,
    /// Searches for the best configuration of matrix products, in the order of the model until it is proven. `--runs`
    /// does not matter.
    TuningProofs,
    /// Tiles and pipeline of the kernels in `examples/tuning` chosen together, and one after the other. `--runs` does
    /// not matter.
    TuningJoint,
    /// Nests of two levels of memory as one pipeline, and with an inner pipeline that drains; `--runs` does not matter.
    TuningLevels,
    /// Graphs of several loop nests without a pipeline, pipelined, and tuned; `--runs` does not matter.
    TuningModels,
    /// Schedules of fragments over several meshes: distance to the bound, budgets, growth with size; `--runs` does not
    /// matter.
    Fragments,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Task::Demo => demo::demo(),
        Task::Test => test::test(),
        Task::Bench { of, runs, only } => match of {
            Of::Kernels => bench::bench(runs),
            Of::Scale => scale::scale(runs),
            Of::Checks => checks::checks(runs),
            Of::Timing => timing::timing(runs),
            Of::Schedules => schedules::schedules(),
            Of::Order => order::order(),
            Of::Dataflow => dataflow::dataflow(),
            Of::Devices => devices::devices(&only),
            Of::Memory => memory::memory(&only),
            Of::Tuning => tuning::tuning(&only),
            Of::TuningJoint => tuning::joint::joint(&only),
            Of::TuningLevels => tuning::levels::levels(&only),
            Of::TuningModels => tuning::models::models(&only),
            Of::TuningProofs => tuning::proof::proofs(&only),
            Of::Fragments => fragments::fragments(),
        },
        Task::Fuzz(options) => fuzz::fuzz(&options),
        Task::Mutate => mutate::mutate(),
        Task::Ray => ray::ray(),
        Task::Setup => setup::set_up().map(|llvm| println!("LLVM/MLIR 22 at {}", llvm.prefix.display())),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
