//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use zpu_sched::{MAX_ITERATIONS, MAX_STAGES, Scheduler};

const EXAMPLES: &str = "\
Schedulers, from the simplest to the strongest:
  serial   source order, nothing overlaps
  list     fixed stages: loads early, everything else --num-stages later
  greedy   list scheduling by several priorities, the best kept
  modulo   iterative modulo scheduling with eviction, from what greedy finds
  auto     modulo, then exact within a small budget
  exact    modulo, then constraint programming: the least, with a proof, unless its effort or time limit ends first
Each but list is never worse than those before it under the same limit.

Exit codes: 0 fine, 1 usage or parse, 2 infeasible, 3 this scheduler found none although there may be one (the reason
goes to standard error).

Examples:
  zpu-sched loop.json
  zpu-sched loop.json --scheduler=greedy --iterations=3 --json
  zpu-sched loop.json --scheduler=exact --time-limit=2
  zpu-opt kernel.mlir --zpu-pipeline-planning=dump-problem=out ; zpu-sched out/kernel-loop0.json --compare";

/// Solves a scheduling instance: prints the initiation interval or the makespan, and its distance from the bound.
#[derive(Debug, Parser)]
#[command(name = "zpu-sched", version, after_help = EXAMPLES)]
pub(crate) struct CommandLine {
    /// The instance, JSON; `-` is standard input.
    pub(crate) instance: PathBuf,
    /// The scheduler that solves it.
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) scheduler: Scheduler,
    /// Runs all schedulers and prints one table.
    #[arg(long, conflicts_with = "scheduler")]
    pub(crate) compare: bool,
    /// The most overlapping iterations, for `greedy`.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_ITERATIONS)))]
    pub(crate) iterations: Option<u32>,
    /// Seconds after which `modulo`, `auto` and `exact` return the best so far, at least the schedule of `greedy`,
    /// however long that takes; 0 is no search. The result may then depend on the machine. Without it, a fixed effort
    /// ends the search.
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) time_limit: Option<Duration>,
    /// The most stages between loads and the rest, for `list`.
    #[arg(
        long, value_name = "N", default_value_t = 2,
        value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_STAGES))
    )]
    pub(crate) num_stages: u32,
    /// Prints the start of every operation as well.
    #[arg(long, conflicts_with = "compare")]
    pub(crate) times: bool,
    /// Prints one JSON document instead of text, with the start of every operation.
    #[arg(long)]
    pub(crate) json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{text} seconds are out of range; give 0 or more"))
}
