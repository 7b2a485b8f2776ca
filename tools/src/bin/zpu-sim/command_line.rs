//! The command line.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, Parser, Subcommand};
use zpu_driver::Fill;
use zpu_sim::{Checks, Limits, Order};

const EXAMPLES: &str = "\
N is the position of an argument of the function. Arguments without a value of their own get that of --init.

VALUE of --arg, for a buffer (SHAPE is needed where the type has dynamic sizes):
  zero[:SHAPE]          zeros
  iota[:SHAPE]          0, 1, 2, ... in row-major order
  random:SEED[:SHAPE]   floats from -1 to 1, integers from -128 to 127 (an i1: 0 or 1; an index: 0 to 127)
  NUMBER[:SHAPE]        that number everywhere
  FILE.npy              an array; bf16 is stored as uint16 bit patterns
VALUE of --arg, for a number: the number, e.g. 17, -2.5, true

Exit codes: 0 fine, 1 usage or parse, 2 invalid program, 3 race, 4 deadlock, 5 capacity, 6 values differ.
With several findings, the first one decides; an uninitialised read (2) counts only where there is nothing else.

Examples:
  zpu-sim kernel.mlir --device toy --arg 0=random:1:64x128 --arg 1=zero:64x128 --out 1=result.npy
  zpu-sim kernel.mlir --device my.toml --set engine.odma.count=4 --trace timeline.json --json -
  zpu-sim compare before.mlir after.mlir --device sunmmio-a4e --init random:1";

/// Runs a function of a module on a device: exact values, cycles, races, deadlocks and memory use in one run.
#[derive(Debug, Parser)]
#[command(name = "zpu-sim", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    pub(crate) run: Run,
    #[command(subcommand)]
    pub(crate) action: Option<Action>,
}

/// One program.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The module; `-` is standard input.
    pub(crate) file: Option<PathBuf>,
    /// Runs the program in so many orders of completion (that of --order, eager, lazy, adversarial, random:1, random:2,
    /// ...) and says whether the values depend on them (exit code 3); or, of a small program, looks at all orders that
    /// there are.
    #[arg(long, value_name = "K|all", default_value = "1")]
    pub(crate) orders: Orders,
    /// States of memory and engines that --orders=all looks at, at most.
    #[arg(long, value_name = "N", default_value_t = Limits::default().states)]
    pub(crate) max_states: u64,
    /// Whether commands do what they do to memory. Without values they only take time, and long programs run fast: the
    /// cycles, deadlocks, full memories and bounds are those of a run with values. Where a branch, a loop or an index
    /// depends on what a buffer holds, the buffer is given with --arg, or the run is refused.
    #[arg(long = "values", value_enum, value_name = "on|off", default_value_t)]
    pub(crate) with_values: OnOff,
    /// For a program over several devices: compiles each fragment for the device of its mesh, by zpu-opt's
    /// --zpu-pipeline with these options, before it runs.
    #[arg(long, value_name = "OPTIONS")]
    pub(crate) compile: Option<String>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// Orders of completion that are tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Orders {
    Some(u64),
    All,
}

impl FromStr for Orders {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const MOST: u64 = 10_000;
        match text.parse() {
            Ok(count) if (1..=MOST).contains(&count) => Ok(Self::Some(count)),
            Err(_) if text == "all" => Ok(Self::All),
            _ => Err(format!("`{text}` is not in 1..={MOST}, nor `all`")),
        }
    }
}

/// Further actions.
#[derive(Debug, Subcommand)]
pub(crate) enum Action {
    /// Runs two programs on equal inputs: are all bytes of all arguments equal, and what is the ratio of cycles?
    Compare(Compare),
}

/// Two programs.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compare {
    /// The first module, "before"; `-` is standard input.
    pub(crate) a: PathBuf,
    /// The second module, "after". --out and --trace take its output.
    pub(crate) b: PathBuf,
    /// For programs over several devices: compiles each fragment for the device of its mesh, by zpu-opt's
    /// --zpu-pipeline with these options, before it runs.
    #[arg(long, value_name = "OPTIONS")]
    pub(crate) compile: Option<String>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// Settings of a run.
#[derive(Debug, Args)]
pub(crate) struct Settings {
    /// The function to run; by default the only public one.
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// The device, instead of the module's own `zpu.device`: a built-in name or a device file.
    #[arg(long, value_name = "NAME|PATH")]
    pub(crate) device: Option<String>,
    /// Changes a value of the device file that --device names.
    #[arg(long, value_name = "KEY=VALUE", requires = "device")]
    pub(crate) set: Vec<String>,
    /// Contents of buffers that --arg does not name.
    #[arg(long, value_name = "zero|iota|random:SEED", default_value = "zero")]
    pub(crate) init: Fill,
    /// Value of an argument: see below.
    #[arg(long = "arg", value_name = "N=VALUE", value_parser = positioned)]
    pub(crate) values: Vec<(usize, String)>,
    /// Writes the contents of an argument after the run, if that came to its end.
    #[arg(long, value_name = "N=FILE.npy", value_parser = positioned)]
    pub(crate) out: Vec<(usize, String)>,
    /// Writes a result, a buffer or a number, after a run that came to its end; N is its position.
    #[arg(long, value_name = "N=FILE.npy", value_parser = positioned)]
    pub(crate) result: Vec<(usize, String)>,
    /// Writes the timeline, for chrome://tracing and Perfetto, with a counter of --live-bytes for each memory.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) trace: Option<PathBuf>,
    /// Counts the bytes of each memory that are alive, and prints the most: from the issue of the command that writes
    /// them to the wait after the last one that accesses them.
    #[arg(long)]
    pub(crate) live_bytes: bool,
    /// Writes the dataflow of the whole run as a scheduling problem, for zpu-sched: commands with engines as
    /// alternatives, what orders them, and the storage that they share. A run with findings writes none.
    #[arg(long, value_name = "FILE.json")]
    pub(crate) dump_problem: Option<PathBuf>,
    /// Writes all numbers and findings; `-` is standard output, in place of the text.
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Checks of the run: race, deadlock, capacity, init, separated by commas; or none [default: all; with --values=off
    /// deadlock,capacity].
    #[arg(long, value_name = "LIST")]
    pub(crate) check: Option<CheckList>,
    /// The time at which commands change memory: timed (when they complete), eager (at once), lazy (as late as the
    /// waits allow), adversarial (a command that is waited for comes last), random:SEED. Cycles stay the same.
    #[arg(long, value_name = "ORDER", default_value_t = Order::Timed)]
    pub(crate) order: Order,
    /// Gives up after so many cycles or loop iterations.
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub(crate) max_cycles: u64,
}

impl Settings {
    /// True if standard output is the JSON document's.
    pub(crate) fn json_on_stdout(&self) -> bool {
        self.json.as_deref() == Some(Path::new("-"))
    }
}

/// A switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OnOff {
    #[default]
    On,
    Off,
}

/// The checks of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckList(pub(crate) Checks);

impl FromStr for CheckList {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut checks = Checks::NONE;
        if text == "none" {
            return Ok(Self(checks));
        }
        for name in text.split(',') {
            match name.trim() {
                "race" => checks.race = true,
                "deadlock" => checks.deadlock = true,
                "capacity" => checks.capacity = true,
                "init" => checks.init = true,
                other => {
                    return Err(format!(
                        "`{other}` is none of race, deadlock, capacity, init; or none alone"
                    ));
                }
            }
        }
        Ok(Self(checks))
    }
}

/// `N=TEXT`.
fn positioned(text: &str) -> Result<(usize, String), String> {
    let (position, value) = text
        .split_once('=')
        .ok_or("has the form N=..., N the position of an argument")?;
    let position = position
        .parse()
        .map_err(|_| format!("`{position}` is no position of an argument; they count from 0"))?;
    if value.is_empty() {
        return Err(format!("nothing comes after the `=`; it has the form {position}=..."));
    }
    Ok((position, value.to_owned()))
}
