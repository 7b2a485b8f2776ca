//! `zpu-unroll-loops`: makes several iterations of an innermost loop one.
//!
//! Assumes synchronous commands on a device. A command has one engine for all iterations of its loop; copies of it are
//! commands of their own, which the planner may give to different engines. So a loop of two transfers can keep sixteen
//! DMA engines busy, and an interval between iterations need be no whole number of cycles.
//!
//! ```mlir
//! scf.for %i = %c0 to %c16 step %c1 { load %a; product of %a }
//! // becomes, with a factor of 2
//! scf.for %i = %c0 to %c16 step %c2 { load %a0; product of %a0; load %a1; product of %a1 }
//! ```
//!
//! Upstream unrolls; this pass says what by how much, and gives each copy its own buffers before: those that are shared
//! with nothing that needs their contents move into the loop ([`sink`]), and each life in an iteration gets one
//! ([`rename`]). A loop
//! with no more iterations than that is written out, and then the loop around it, if it is innermost now, is unrolled
//! as far as the copies of both together allow.
//!
//! A short run may be written out whole: then no loop is left, and all of its commands are ordered at once.

mod pieces;
mod rename;
mod sink;
mod turns;

use std::num::NonZeroU64;

use zpu_analysis::body::{Body, holds_commands, obstacle};
use zpu_analysis::command::sync_engine;
use zpu_ir::ops::Dma;
use zpu_ir::options::UnrollLoopsOptions;
use zpu_ir::scf::{For, is_loop};
use zpu_ir::{Block, Failed, Op, PassResult, Remark, RemarkKind, annotation, device, edit};

use crate::annotations::{self, count};
use crate::run_commands::run_commands;
use crate::unroll_factor::factor;

const PASS: &str = "zpu-unroll-loops";

/// Largest factor that may be asked for: no queue of a device file is deeper.
const MOST: i64 = 1024;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &UnrollLoopsOptions) -> PassResult {
    let mut pass = Unroll {
        factor: factor_of(function)?.unwrap_or(count(function, "factor", options.factor, MOST)?),
        most_commands: count(function, "max-commands", options.max_commands, MOST)?,
        most_pieces: pieces::most(function)?,
        is_whole: false,
    };
    let most_written_out = count(function, "max-written-out", options.max_written_out, MOST)?;
    let loops = function.find_all("scf.for");
    let own: Vec<i64> = loops
        .iter()
        .filter_map(|for_| factor_of(*for_).transpose())
        .collect::<Result<_, _>>()?;
    let is_asked_whole = options.write_out || function.has_attr(annotation::WRITE_OUT);
    if is_asked_whole && is_short(function, most_written_out) {
        pass = Unroll {
            factor: i64::MAX,
            most_commands: i64::MAX,
            is_whole: true,
            ..pass
        };
    }
    let is_asked = pass.factor > 1 || function.has_attr(annotation::UNROLL) || !own.is_empty();
    if let Some(body) = function.body().filter(|_| is_asked) {
        pass.block(body);
        let is_left = |op: &Op<'_>| is_loop(*op) && holds_commands(*op);
        let is_written_out = pass.is_whole && !function.walk().iter().any(is_left);
        if is_written_out {
            turns::take(function, body, &device::of(function)?);
        }
        if pass.most_pieces > 1 {
            pieces::settle(function, is_written_out)?;
        }
    }
    function.remove_attr(annotation::UNROLL);
    function.remove_attr(annotation::WRITE_OUT);
    for for_ in function.find_all("scf.for") {
        for_.remove_attr(annotation::UNROLL);
    }
    Ok(())
}

/// True if a run of a function has at most so many commands, and nobody has said how a loop is to be; if not, a remark
/// says so.
fn is_short(function: Op<'_>, most: i64) -> bool {
    let commands = run_commands(function);
    let users = [annotation::SCHEDULE, annotation::VERSIONS, annotation::UNROLL];
    let mut inside = function.walk().into_iter().filter(|op| *op != function);
    let own = inside.find_map(|op| users.into_iter().find(|name| op.has_attr(name)));
    let message = match (commands, own) {
        (Some(commands), None) if commands <= most => return true,
        (Some(commands), None) => format!("a run of {commands} commands has more than {most}"),
        (Some(_), Some(name)) => format!("{name} is written on something in the function"),
        (None, _) => "no loop has commands, or the number of iterations of one is not constant".to_owned(),
    };
    Remark::new(function, RemarkKind::Missed, PASS, "not-written-out")
        .message(format!("loops are left as they are: {message}"))
        .emit();
    false
}

/// The factor that is written on a loop or a function.
fn factor_of(op: Op<'_>) -> Result<Option<i64>, Failed> {
    annotations::count_on(op, annotation::UNROLL, MOST)
}

struct Unroll {
    /// The factor of loops that say none.
    factor: i64,
    most_commands: i64,
    /// Pieces of transfers beside loops.
    most_pieces: i64,
    /// No loop is to be left.
    is_whole: bool,
}

impl Unroll {
    /// Unrolls the loops of a block; the largest number of copies of any that was written out, at least 1.
    fn block(&self, block: Block<'_>) -> i64 {
        let (mut copies, mut is_written_out) = (1, false);
        let transfers: Vec<Op<'_>> = block.ops().filter(|op| Dma::of(*op).is_some()).collect();
        // Other operations may be gone when it is their turn: buffers move.
        let around: Vec<Op<'_>> = block.ops().filter(|op| !op.regions().is_empty()).collect();
        for op in around {
            let inner = op
                .regions()
                .into_iter()
                .flat_map(|region| region.blocks())
                .map(|inner| self.block(inner));
            let inner = inner.max().unwrap_or(1);
            copies = copies.max(match For::of(op) {
                Some(for_) => {
                    let all = self.loop_(for_, inner);
                    is_written_out |= all > 1;
                    all
                }
                None => inner,
            });
        }
        if is_written_out {
            if self.most_pieces > 1 {
                pieces::allow(&transfers, self.most_pieces);
            }
            free_last(block.ops().collect(), block.terminator());
        }
        copies
    }

    /// Unrolls a loop in whose body are `inner` copies of a loop already; the number of copies of all if it is gone.
    fn loop_(&self, for_: For<'_>, inner: i64) -> i64 {
        let wanted = factor_of(for_.op).ok().flatten().unwrap_or(self.factor);
        let allowed = wanted / inner;
        if wanted < 2 || !holds_commands(for_.op) || !for_.is_innermost() || obstacle(for_).is_some() {
            return 1;
        }
        let ops = for_.op.walk();
        let is_users = |op: &Op<'_>| op.has_attr(annotation::SCHEDULE) || op.has_attr(annotation::VERSIONS);
        if ops.iter().any(|op| is_users(op) || is_loop(*op) && *op != for_.op) {
            return 1;
        }
        if Body::of(for_).is_ok() {
            sink::sink(for_);
            rename::rename(for_);
        }
        if allowed < 2 {
            return 1;
        }
        let commands = ops.iter().filter(|op| sync_engine(**op).is_some()).count();
        let most = self.most_commands / i64::try_from(commands.max(1)).unwrap_or(i64::MAX);
        let trips = for_.constant_trip_count();
        if most < allowed && trips.is_none_or(|trips| trips > most) {
            Remark::new(for_.op, RemarkKind::Missed, PASS, "fewer")
                .message(format!(
                    "{allowed} iterations of {commands} commands are more than {} commands; {} become one",
                    self.most_commands,
                    most.max(1)
                ))
                .emit();
        }
        let factor = factor(trips, allowed.min(most));
        if factor < 2 {
            let is_one = self.is_whole && trips == Some(1) && edit::unroll(for_.op, None);
            return if is_one { inner } else { 1 };
        }
        let is_whole = trips == Some(factor);
        let remark = Remark::new(for_.op, RemarkKind::Passed, PASS, "unrolled")
            .message(match is_whole {
                true => format!("all {factor} iterations are written out"),
                false => format!("{factor} iterations become one"),
            })
            .metric("Factor", factor);
        let by = u64::try_from(factor)
            .ok()
            .and_then(NonZeroU64::new)
            .filter(|_| !is_whole);
        remark.emit();
        // The loop itself may be gone, too, if a single iteration was made of it.
        let place = Place::of(for_.op);
        let is_loop = trips.is_none_or(|trips| trips / factor > 1);
        if !edit::unroll(for_.op, by) {
            return 1;
        }
        if is_whole {
            return factor * inner;
        }
        if let Some(place) = place
            && let Some(left_over) = place.loops().into_iter().nth(usize::from(is_loop))
        {
            // On one engine each iteration would wait for the one before.
            left_over.op.remove_attr(annotation::GATHER_TRANSFERS);
            write_out(left_over, factor);
            free_last(place.ops(), place.after.or(place.block.terminator()));
        }
        1
    }
}

/// The place of an operation that may be replaced by others.
struct Place<'c> {
    block: Block<'c>,
    before: Option<Op<'c>>,
    after: Option<Op<'c>>,
}

impl<'c> Place<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let block = op.block()?;
        let before = block.ops().take_while(|each| *each != op).last();
        Some(Self {
            block,
            before,
            after: op.next(),
        })
    }

    /// The operations that stand there now.
    fn ops(&self) -> Vec<Op<'c>> {
        let ops: Vec<Op<'c>> = self.block.ops().collect();
        let begin = self.before.and_then(|before| ops.iter().position(|op| *op == before));
        let own = ops.into_iter().skip(begin.map_or(0, |at| at + 1));
        own.take_while(|op| Some(*op) != self.after).collect()
    }

    fn loops(&self) -> Vec<For<'c>> {
        self.ops().into_iter().filter_map(For::of).collect()
    }
}

/// Writes out the iterations that are left over, if their number is constant: as a loop they would fill and drain a
/// pipeline of their own, and each of their transfers would have one engine.
fn write_out(left_over: For<'_>, factor: i64) {
    let Some(trips) = left_over.constant_trip_count().filter(|trips| *trips < factor) else {
        return;
    };
    Remark::new(left_over.op, RemarkKind::Passed, PASS, "left-over")
        .message(format!("{trips} iterations that are left over are written out"))
        .metric("Factor", trips)
        .emit();
    edit::unroll(left_over.op, None);
}

/// Moves the deallocations among some operations behind all of them: copies of a body are to run together, and a
/// deallocation waits for what touches its memory.
fn free_last<'c>(ops: Vec<Op<'c>>, end: Option<Op<'c>>) {
    if let Some(end) = end {
        let frees = ops.into_iter().filter(|op| op.is("memref.dealloc"));
        frees.for_each(|op| edit::move_before(op, end));
    }
}
