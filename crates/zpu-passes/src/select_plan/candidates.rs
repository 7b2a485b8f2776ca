//! The plans that a choice is made among.

use std::fmt;

use zpu_ir::{Op, annotation, attr};
use zpu_sched::Scheduler;

use super::dispatch;
use crate::num_stages::NumStages;
use zpu_analysis::command::sync_engine;

/// Commands of a function up to which all simpler plans are tried; beyond it the requested one and the simplest two,
/// and none in the predicated form.
pub(super) const MOST_COMMANDS: usize = 256;
/// Commands beyond which nothing is tried: compiling 10,000 operations once takes more than ten seconds.
pub(super) const MOST_COMPARED: usize = 2_048;

/// Numbers of stages that are tried below the one that is asked for: all small ones, then each half as large again as
/// the one before.
pub(super) const STAGES: [u32; 14] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 96, 128, 192];

/// Pieces of a transfer: no more than there are engines are made.
const MOST_PIECES: i64 = 64;

/// The number of stages up to which `auto` tries each, so that it is no slower than any of them.
pub(super) const MOST_SMALL: u32 = 16;

/// A way to compile a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Candidate {
    /// As it is written: each command complete before the next one is issued.
    AsWritten,
    /// With the plans of a scheduler; the number of stages is the largest stage.
    Planned(Scheduler, NumStages),
    /// The same, and other plans of fewer stages for loops that turn out too short for the first one.
    Dispatched(Scheduler, NumStages, Fewer),
    /// With several iterations of each innermost loop as one, and large transfers beside loops in pieces.
    Spread(Spread),
    /// The same for loops of unknown length that turn out long, and for the others one of the plans above.
    Long(Long),
    /// One of the plans above, made for memories of other sizes, which have that number among those that were tried:
    /// the buffers fit since they share bytes.
    Shared(Plain, usize),
}

/// The plans for loops that turn out short: a scheduler with a number of stages, and with fewer of them for even
/// shorter ones.
pub(super) type Short = (Scheduler, u32, Option<Fewer>);

/// More iterations than any number of them: all loops are written out.
pub(super) const ALL: u32 = u32::MAX;

/// A plan with several iterations of each innermost loop as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    pub(super) scheduler: Scheduler,
    pub(super) stages: u32,
    /// Iterations that are one; [`ALL`] where no loop is left.
    pub(super) factor: u32,
    pub(super) engines: Engines,
}

/// The engines that a plan begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engines {
    /// Those that copies of a command have, of which the planner may change those of transfers.
    Copied,
    /// Computations are spread over the engines that can do them.
    Balanced,
    /// Transfers are on few engines, which the planner does not change: so many times the fewest that are soon enough.
    Gathered(u32),
}

impl Spread {
    /// A plan of a scheduler with a number of stages and so many iterations as one.
    pub(super) fn of(scheduler: Scheduler, stages: u32, factor: u32) -> Self {
        Self {
            scheduler,
            stages,
            factor,
            engines: Engines::Copied,
        }
    }

    /// The same that begins with other engines.
    pub(super) fn on(self, engines: Engines) -> Self {
        Self { engines, ..self }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            scheduler,
            stages,
            factor,
            engines,
        } = self;
        write!(f, "{} num-stages={stages}", scheduler.name())?;
        match factor {
            1 => f.write_str(" with other engines for copies")?,
            &ALL => f.write_str(" unroll=all")?,
            _ => write!(f, " unroll={factor}")?,
        }
        f.write_str(match engines {
            Engines::Copied => "",
            Engines::Balanced => " with computations on any engine",
            Engines::Gathered(1) => " with transfers on few engines",
            Engines::Gathered(_) => " with transfers on some engines",
        })
    }
}

/// Plans for loops of unknown length: one for those that turn out long, others for those that turn out short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Long {
    pub(super) long: Spread,
    pub(super) short: Short,
    pub(super) from: LongFrom,
}

impl Long {
    /// Runs are long where they are for most loops.
    pub(super) fn of(long: Spread, short: Short) -> Self {
        Self {
            long,
            short,
            from: None,
        }
    }
}

/// The number of iterations from which on a run is long, if it is not the one of most loops.
pub(super) type LongFrom = Option<u32>;

/// Numbers of stages for loops that turn out too short for a plan: one, and maybe a smaller one for loops that are too
/// short for that, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fewer {
    pub(super) stages: u32,
    pub(super) fewest: Option<u32>,
}

impl Fewer {
    /// The numbers, the largest first.
    pub(super) fn all(self) -> impl Iterator<Item = u32> {
        [self.stages].into_iter().chain(self.fewest)
    }
}

impl fmt::Display for Fewer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stages)?;
        match self.fewest {
            Some(fewest) => write!(f, " or {fewest}"),
            None => Ok(()),
        }
    }
}

/// A candidate with one plan for each loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    /// [`Candidate::Planned`].
    Planned(Scheduler, NumStages),
    /// [`Candidate::Spread`].
    Spread(Spread),
}

impl From<Plain> for Candidate {
    fn from(plain: Plain) -> Self {
        match plain {
            Plain::Planned(scheduler, stages) => Self::Planned(scheduler, stages),
            Plain::Spread(spread) => Self::Spread(spread),
        }
    }
}

impl Candidate {
    /// The plan that it is, or begins with, if that is one for each loop.
    pub(super) fn plain(self) -> Option<Plain> {
        match self {
            Self::Planned(scheduler, stages) | Self::Dispatched(scheduler, stages, _) => {
                Some(Plain::Planned(scheduler, stages))
            }
            Self::Spread(spread) => Some(Plain::Spread(spread)),
            Self::Shared(plain, _) => Some(plain),
            Self::AsWritten | Self::Long(..) => None,
        }
    }

    /// The same with its plan for long runs alone; none if it has no plan, or one for other memories.
    pub(super) fn with_one_plan(self) -> Option<Self> {
        match self {
            Self::Planned(..) | Self::Spread(..) => Some(self),
            Self::Dispatched(scheduler, stages, _) => Some(Self::Planned(scheduler, stages)),
            Self::Long(Long { long, .. }) => Some(Self::Spread(long)),
            Self::AsWritten | Self::Shared(..) => None,
        }
    }

    /// The scheduler and the number of stages that lead to it; none for the function as it is written.
    pub(super) fn asks_for(self) -> Option<(Scheduler, NumStages)> {
        match self {
            Self::AsWritten => None,
            Self::Planned(scheduler, stages) | Self::Dispatched(scheduler, stages, _) => Some((scheduler, stages)),
            Self::Spread(spread) | Self::Long(Long { long: spread, .. }) => {
                Some((spread.scheduler, NumStages::AtMost(spread.stages)))
            }
            Self::Shared(plain, _) => Self::from(plain).asks_for(),
        }
    }

    /// Writes it on a function, for the passes that follow.
    pub(super) fn write(self, function: Op<'_>) {
        let context = function.context();
        match self {
            Self::AsWritten => function.set_attr(annotation::SYNCHRONOUS, attr::unit(context)),
            Self::Planned(scheduler, stages) | Self::Dispatched(scheduler, stages, _) => {
                write_plan(function, scheduler, stages);
            }
            Self::Shared(plain, _) => Self::from(plain).write(function),
            Self::Spread(spread) => spread.write(function),
            // The loops for long runs say it themselves.
            Self::Long(Long { long, .. }) => match long.engines {
                Engines::Gathered(_) => long.on(Engines::Copied).write(function),
                Engines::Copied | Engines::Balanced => long.write(function),
            },
        }
    }
}

impl Spread {
    fn write(self, function: Op<'_>) {
        let context = function.context();
        write_plan(function, self.scheduler, NumStages::AtMost(self.stages));
        match self.engines {
            Engines::Copied => {}
            Engines::Balanced => function.set_attr(annotation::BALANCE_ENGINES, attr::unit(context)),
            Engines::Gathered(times) => {
                let times = attr::int(context, times.into());
                let loops = dispatch::loops(function);
                // Beside a loop of unknown length, what is around it has the plans for short runs.
                let wanted = if loops.is_empty() {
                    vec![function]
                } else {
                    loops.iter().map(|for_| for_.op).collect()
                };
                wanted
                    .iter()
                    .for_each(|op| op.set_attr(annotation::GATHER_TRANSFERS, times));
            }
        }
        match self.factor {
            ALL => function.set_attr(annotation::WRITE_OUT, attr::unit(context)),
            factor => function.set_attr(annotation::UNROLL, attr::int(context, factor.into())),
        }
        function.set_attr(annotation::PIECES, attr::int(context, MOST_PIECES));
        function.set_attr(annotation::RETARGET_COPIES, attr::unit(context));
    }
}

/// Writes scheduler and stages on a function; what is `auto` is so by the option.
fn write_plan(function: Op<'_>, scheduler: Scheduler, stages: NumStages) {
    let context = function.context();
    function.set_attr(annotation::SCHEDULER, attr::string(context, scheduler.name()));
    if let NumStages::AtMost(stages) = stages {
        function.set_attr(annotation::NUM_STAGES, attr::int(context, stages.into()));
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsWritten => f.write_str("as written"),
            Self::Planned(_, NumStages::AtMost(0)) => f.write_str("num-stages=0"),
            Self::Planned(Scheduler::Serial, _) => f.write_str("serial"),
            Self::Planned(scheduler, stages) => write!(f, "{} num-stages={stages}", scheduler.name()),
            Self::Dispatched(scheduler, stages, fewer) => {
                write!(f, "{} num-stages={stages} or {fewer}", scheduler.name())
            }
            Self::Shared(plain, _) => write!(f, "{} with shared bytes", Self::from(*plain)),
            Self::Spread(spread) => spread.fmt(f),
            Self::Long(Long { long, short, from }) => {
                long.fmt(f)?;
                if let Some(from) = from {
                    write!(f, " from {from} iterations on")?;
                }
                let (other, short, fewer) = *short;
                let short = NumStages::AtMost(short);
                match fewer {
                    Some(fewer) => write!(f, " or {}", Self::Dispatched(other, short, fewer)),
                    None => write!(f, " or {}", Self::Planned(other, short)),
                }
            }
        }
    }
}

/// The number of commands of a function.
pub(super) fn commands(function: Op<'_>) -> usize {
    let ops = function.walk().into_iter();
    ops.filter(|op| sync_engine(*op).is_some()).count()
}

/// The candidates for a function, the requested plan first. Each list holds those of all weaker schedulers and of fewer
/// stages.
pub(super) fn candidates(function: Op<'_>, (scheduler, stages): (Scheduler, NumStages)) -> Vec<Candidate> {
    let mut all = vec![Candidate::Planned(scheduler, stages)];
    let ops = function.walk();
    let has_loops = ops.iter().any(|op| op.is("scf.for"));
    let is_small = commands(function) <= MOST_COMMANDS;
    if has_loops && is_small {
        // Where each loop says its own number, the option is of no use.
        let is_open = |op: &Op<'_>| op.is("scf.for") && !op.has_attr(annotation::NUM_STAGES);
        let is_limited = ops.iter().any(is_open);
        let fewer = |known: &[u32]| -> Vec<NumStages> {
            let all = known.iter().rev().map(|fewer| NumStages::AtMost(*fewer));
            all.filter(|fewer| *fewer < stages && is_limited).collect()
        };
        // Deeper plans than these are found by the planner alone.
        let small = STAGES.partition_point(|fewer| *fewer <= MOST_SMALL);
        let common = if stages == NumStages::Auto {
            &STAGES[..small]
        } else {
            &STAGES[..]
        };
        let own: Vec<u32> = match stages {
            NumStages::Auto => (1..=MOST_SMALL).collect(),
            NumStages::AtMost(_) => STAGES.to_vec(),
        };
        // A search for an optimum takes too long to be made for each number of stages.
        if !matches!(scheduler, Scheduler::Serial | Scheduler::Exact) {
            all.extend(
                fewer(&own)
                    .into_iter()
                    .map(|fewer| Candidate::Planned(scheduler, fewer)),
            );
        }
        for weaker in weaker(scheduler) {
            all.push(Candidate::Planned(*weaker, stages));
            all.extend(
                fewer(common)
                    .into_iter()
                    .map(|fewer| Candidate::Planned(*weaker, fewer)),
            );
        }
    }
    if has_loops {
        all.extend((scheduler != Scheduler::Serial).then_some(Candidate::Planned(Scheduler::Serial, stages)));
        // No loop is pipelined, whatever the scheduler.
        let off = NumStages::AtMost(0);
        all.extend((stages > off).then_some(Candidate::Planned(Scheduler::Serial, off)));
    }
    // What somebody wrote is obeyed, also where it is slow.
    let is_users = |op: &Op<'_>| op.has_attr(annotation::SCHEDULE) || op.has_attr(annotation::VERSIONS);
    if !ops.iter().any(is_users) {
        all.push(Candidate::AsWritten);
    }
    all
}

/// The schedulers whose plans are tried beside those of a stronger one. `auto` and `exact` begin with what `modulo`
/// finds.
fn weaker(scheduler: Scheduler) -> &'static [Scheduler] {
    match scheduler {
        Scheduler::Serial | Scheduler::List => &[],
        Scheduler::Greedy => &[Scheduler::List],
        Scheduler::Modulo | Scheduler::Auto => &[Scheduler::Greedy, Scheduler::List],
        Scheduler::Exact => &[Scheduler::Auto, Scheduler::Greedy, Scheduler::List],
    }
}
