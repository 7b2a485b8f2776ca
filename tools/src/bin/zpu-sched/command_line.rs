//! The command line.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use zpu_sched::fragment::{Builtin, UnknownBuiltin};
use zpu_sched::memory::{MAX_BYTES, MAX_UNROLL};
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
  zpu-sched loop.json --pareto
  zpu-opt kernel.mlir --zpu-pipeline-planning=dump-problem=out ; zpu-sched out/kernel-loop0.json --compare
  zpu-sim kernel.mlir --dump-problem=run.json ; zpu-sched run.json
  zpu-sched fragments pipeline.json --auto
  zpu-sched memory buffers.json --json";

/// Solves a scheduling instance: prints the initiation interval or the makespan, and its distance from the bound.
#[derive(Debug, Parser)]
#[command(name = "zpu-sched", version, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct CommandLine {
    /// Something else than a scheduling instance.
    #[command(subcommand)]
    pub(crate) command: Option<Subject>,
    /// The instance, JSON; `-` is standard input.
    #[arg(required = true)]
    pub(crate) instance: Option<PathBuf>,
    /// The scheduler that solves it; `auto` if none is given, and `exact` with `--pareto`.
    #[arg(long, value_name = "NAME")]
    pub(crate) scheduler: Option<Scheduler>,
    /// Runs all schedulers and prints one table.
    #[arg(long, conflicts_with = "scheduler")]
    pub(crate) compare: bool,
    /// Prints the fewest bytes at each interval, from the least one on as long as a longer one takes fewer.
    #[arg(long, conflicts_with_all = ["compare", "times"])]
    pub(crate) pareto: bool,
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

impl CommandLine {
    /// The scheduler that solves an instance.
    pub(crate) fn solver(&self) -> Scheduler {
        self.scheduler.unwrap_or(Scheduler::Auto)
    }
}

fn cycles(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is no whole number of cycles from 0 on; give all times in a smaller unit"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{text} seconds are out of range; give 0 or more"))
}

/// Something else than a scheduling instance.
#[derive(Debug, Subcommand)]
pub(crate) enum Subject {
    /// Orders the fragments of a program over several meshes, and says how long it takes and what it holds.
    #[command(after_help = FRAGMENTS)]
    Fragments(Fragments),
    /// Gives buffers addresses, so that those which are never alive together share bytes; or says why they do not fit.
    #[command(after_help = MEMORY)]
    Memory(Memory),
}

const FRAGMENTS: &str = "\
Schedules: none, 1F1B, GPipe, GPipeBut1F1BForLastMesh, Circular, CircularWithReversedBackward, ZeroBubbleH1,
ZeroBubbleH2ZeroTxLatency, ZeroBubbleH2HalfTxLatency, ZeroBubbleH2FullTxLatency, ParallelPipelinesWithWrapAround,
Interleaved1F1B, BreadthFirst, ZBV, DualPipeV, and auto, the best of all that apply. In any case; `builtin:` may stand
before them.

Exit codes: 0 fine, 1 usage or a file that cannot be read, 2 a program, rules or a schedule file that make no sense, or
a request that does not apply to them (there is no order then).

Examples:
  zpu-sched fragments pipeline.json --schedule=ZeroBubbleH1
  zpu-sched fragments pipeline.json --auto --memory-cap=11 --transfer-latency=1 --json
  zpu-sched fragments pipeline.json --schedule=1F1B --remat --memory-budget=4
  zpu-sched fragments pipeline.json --schedule-file=dualpipev_4rank_10mb.csv
  zpu-sched fragments - --rules='FragmentScheduleRule(ordered_fragments=[...->...])' < pipeline.json";

/// The options of `zpu-sched fragments`.
#[derive(Debug, Args)]
pub(crate) struct Fragments {
    /// The program, JSON; `-` is standard input.
    pub(crate) program: PathBuf,
    /// The schedule by name. Without this and another one, 1F1B; with `--remat` alone, the order as it is.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["rules", "auto", "schedule_file"])]
    pub(crate) schedule: Option<Wanted>,
    /// Rules, as in `FragmentScheduleRule(ordered_fragments=[FragmentInfo(...)->FragmentInfo(...)])`.
    #[arg(long, value_name = "RULES", conflicts_with_all = ["auto", "schedule_file"])]
    pub(crate) rules: Option<String>,
    /// The schedule as a table, the CSV of PyTorch: a line for each mesh, entries like `0F0`, `0I0`, `0W0`, `0B0`.
    #[arg(long, value_name = "CSV", conflicts_with = "auto")]
    pub(crate) schedule_file: Option<PathBuf>,
    /// The best of all schedules that apply, list scheduling, and an exact search.
    #[arg(long)]
    pub(crate) auto: bool,
    /// The most bytes that a mesh may hold, for `auto`.
    #[arg(long, value_name = "B")]
    pub(crate) memory_cap: Option<u64>,
    /// Steps of the exact search, for `auto`.
    #[arg(long, value_name = "N")]
    pub(crate) effort: Option<u64>,
    /// Computes forward fragments again for their backward fragments, in the order that the schedule made.
    #[arg(long)]
    pub(crate) remat: bool,
    /// Makes one fragment of a clone and the backward fragment that it is for.
    #[arg(long, requires = "remat")]
    pub(crate) merge: bool,
    /// Computes again only as much as is needed for no mesh to hold more than that many bytes.
    #[arg(long, value_name = "B", requires = "remat")]
    pub(crate) memory_budget: Option<u64>,
    /// Cycles that a result takes to another mesh, besides those of its transfer. Whole cycles: for one and a half,
    /// give all times doubled.
    #[arg(long, value_name = "C", default_value_t = 0, value_parser = cycles)]
    pub(crate) transfer_latency: u64,
    /// Prints one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

const MEMORY: &str = "\
An instance is JSON, or CSV with the header id,lower,upper,size.

Exit codes: 0 fine, 1 usage or an instance that makes no sense, 2 the buffers do not fit, 3 no plan that fits was found
although there may be one (the reason goes to standard error).

Examples:
  zpu-sched memory buffers.json
  zpu-sched memory buffers.json --unroll=3 --json
  zpu-sched memory A.1048576.csv --capacity=1048576 --time-limit=30
  zpu-sched memory - --addresses < buffers.json";

/// The options of `zpu-sched memory`.
#[derive(Debug, Args)]
pub(crate) struct Memory {
    /// The buffers, JSON or CSV; `-` is standard input.
    pub(crate) instance: PathBuf,
    /// The bytes of every space, in the place of those of the instance.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(0..=MAX_BYTES))]
    pub(crate) capacity: Option<u64>,
    /// The most iterations of a loop of which the instances of a buffer may have addresses of their own.
    #[arg(
        long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_UNROLL))
    )]
    pub(crate) unroll: u32,
    /// Seconds after which the exact search returns the best so far. The result may then depend on the machine. Without
    /// it, a fixed effort ends the search.
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) time_limit: Option<Duration>,
    /// Prints the addresses of every buffer as well.
    #[arg(long)]
    pub(crate) addresses: bool,
    /// Prints one JSON document instead of text, with the addresses.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Memory {
    /// True if the name of the file says that it is CSV.
    pub(crate) fn is_csv(&self) -> bool {
        self.instance
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
    }
}

/// A schedule by name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// The best.
    Auto,
    /// This one.
    Builtin(Builtin),
}

impl FromStr for Wanted {
    type Err = UnknownBuiltin;

    fn from_str(text: &str) -> Result<Wanted, UnknownBuiltin> {
        let name = text.trim().to_ascii_lowercase();
        match name.strip_prefix("builtin:").unwrap_or(&name) {
            "auto" => Ok(Wanted::Auto),
            _ => text.parse().map(Wanted::Builtin),
        }
    }
}
