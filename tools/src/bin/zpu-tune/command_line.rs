//! The command line.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, ValueEnum};
use zpu_tune::Strategy;

const EXAMPLES: &str = "\
Exit codes: 0 fine, 1 usage or a badly written file, 2 no configuration gives a program, 6 the winner leaves other
values than the kernel.

Examples:
  zpu-tune matmul.mlir --space matmul.space.toml --device sunmmio-a4e
  zpu-tune matmul.mlir --space matmul.space.toml --trials 10 --journal trials.jsonl --out best
  zpu-tune matmul.mlir --space matmul.space.toml --list";

/// Chooses tile sizes, depth and options of a kernel by a model and few trials, and says how much of that is proven.
#[derive(Debug, Parser)]
#[command(name = "zpu-tune", version, after_help = EXAMPLES)]
pub(crate) struct CommandLine {
    /// The kernel, MLIR.
    pub(crate) kernel: PathBuf,
    /// The space: parameters with the values to try, TOML. Without it, the kernel is compiled as it is.
    #[arg(long, value_name = "FILE")]
    pub(crate) space: Option<PathBuf>,
    /// The transform script; wins over the one that the space names.
    #[arg(long, value_name = "FILE")]
    pub(crate) script: Option<PathBuf>,
    /// The device, a name or a file; wins over the one that the space names.
    #[arg(long, value_name = "DEVICE")]
    pub(crate) device: Option<String>,
    /// The function, if there are several.
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// The order of trials. All but `exhaustive` end where the best is proven.
    #[arg(long, value_enum, default_value_t = Order::Model)]
    pub(crate) strategy: Order,
    /// At most so many trials; without it, until the best is proven.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) trials: Option<usize>,
    /// Decides the order of `random`.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Threads, at most 256; without it, as many as there are processors. The result does not depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    /// Keeps each trial as a line of this file, and takes over those that it has.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Tries only configurations I, I + N, I + 2 N and so on, I from 0. Journals of all shards, one after the other,
    /// are a journal of the whole space.
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Lists all configurations with what the model says of them, without a trial.
    #[arg(long)]
    pub(crate) list: bool,
    /// Writes all trials as JSON, one a line, and a line that sums them up; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Puts the winner's script and program, and two plots, into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Whether the winner is run with numbers beside the kernel as it was written.
    #[arg(long, value_enum, default_value_t = OnOff::On)]
    pub(crate) check: OnOff,
    /// Rows of the table.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) rows: usize,
}

/// A strategy by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Order {
    /// All, in the order of the space.
    Exhaustive,
    /// At random.
    Random,
    /// By the model's prediction.
    Model,
    /// By the prediction, corrected by what the trials have shown.
    Assisted,
}

impl From<Order> for Strategy {
    fn from(order: Order) -> Self {
        match order {
            Order::Exhaustive => Self::Exhaustive,
            Order::Random => Self::Random,
            Order::Model => Self::Model,
            Order::Assisted => Self::Assisted,
        }
    }
}

/// A switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnOff {
    /// Yes.
    On,
    /// No.
    Off,
}

/// One of several parts of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// Which, from 0.
    pub(crate) index: usize,
    /// How many there are.
    pub(crate) count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('/');
        let numbers = parts.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        match numbers {
            Some((index, count)) if index < count => Ok(Self { index, count }),
            _ => Err("write it as I/N with I from 0 to N - 1, such as 0/4".to_owned()),
        }
    }
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("a number of at least 1 is needed".to_owned()),
    }
}
