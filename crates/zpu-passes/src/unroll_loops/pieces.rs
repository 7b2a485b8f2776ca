//! Pieces of transfers that stood beside a loop before that was written out.
//!
//! There they would be split so that one is done soon. In the body that is left they run beside others, and only what
//! takes a large part of an iteration needs more than one engine. A run that is written out whole is taken for some
//! iterations of a loop.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use zpu_analysis::body::command_loops;
use zpu_analysis::command::sync_engine;
use zpu_analysis::cost::cost;
use zpu_device::Device;
use zpu_ir::ops::Dma;
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Failed, Op, annotation, attr, device, work};
use zpu_model::written_out::{PARTS, QUARTERS};

use super::MOST;
use crate::annotations;

/// Iterations of a loop whose number is not constant.
const LONG: u64 = 16;

/// The pieces that transfers beside loops may go in: 1 where a user says so of one of them, who is obeyed.
pub(super) fn most(function: Op<'_>) -> Result<i64, Failed> {
    let mut transfers = function.walk().into_iter().filter_map(Dma::of);
    if transfers.any(|transfer| transfer.op.has_attr(annotation::PIECES)) {
        return Ok(1);
    }
    Ok(annotations::count_on(function, annotation::PIECES, MOST)?.unwrap_or(1))
}

/// Allows transfers beside a loop that is written out as many pieces as beside a loop.
pub(super) fn allow(transfers: &[Op<'_>], most: i64) {
    for op in transfers {
        op.set_attr(annotation::PIECES, attr::int(op.context(), most));
    }
}

/// Lowers what is allowed in loops, or in a run that is written out whole, to the pieces that are worth their issues.
pub(super) fn settle(function: Op<'_>, is_written_out: bool) -> Result<(), Failed> {
    let loops = command_loops(function);
    if loops.is_empty() && !is_written_out {
        // What is left is split as if it had been written so.
        let transfers = function.walk().into_iter().filter(|op| Dma::of(*op).is_some());
        transfers.for_each(|op| op.remove_attr(annotation::PIECES));
    }
    let run = is_written_out.then_some((function, QUARTERS, QUARTERS));
    let trips = |for_: &For<'_>| match for_.constant_trip_count() {
        Some(trips) => u64::try_from(trips).unwrap_or(1),
        None => LONG,
    };
    let bodies = loops.into_iter().map(|for_| (for_.op, trips(&for_), 1));
    for (op, trips, iterations) in bodies.chain(run) {
        let device = device::of(function)?;
        let body = Iteration::of(op, (trips, iterations), &device)?;
        if body.transfers.iter().all(|transfer| transfer.most.is_none()) {
            continue;
        }
        let shares = PARTS.map(|parts| body.pieces(parts, &device));
        let best = shares.into_iter().min_by_key(|pieces| body.run(pieces, &device));
        for (transfer, pieces) in body.transfers.iter().zip(best.unwrap_or_default()) {
            if transfer.most.is_some() {
                transfer
                    .op
                    .set_attr(annotation::PIECES, attr::int(transfer.op.context(), pieces));
            }
        }
    }
    Ok(())
}

/// The work of one iteration of a loop, or of several.
struct Iteration<'c> {
    /// How many iterations the loop has.
    trips: u64,
    /// How many of them these commands are.
    iterations: u64,
    commands: u64,
    transfers: Vec<Transfer<'c>>,
    /// The most cycles that a computing engine works.
    computing: u64,
}

/// A transfer of an iteration.
struct Transfer<'c> {
    op: Op<'c>,
    cycles: u64,
    /// Engines that can do it.
    servers: usize,
    /// Pieces that it may go in, if it may be split here.
    most: Option<i64>,
}

impl<'c> Iteration<'c> {
    fn of(op: Op<'c>, (trips, iterations): (u64, u64), device: &Device) -> Result<Self, Failed> {
        let (mut commands, mut transfers) = (0, Vec::new());
        let mut engines: HashMap<String, u64> = HashMap::new();
        for op in op.walk() {
            let Some(engine) = sync_engine(op) else { continue };
            commands += 1;
            let cycles = cycles(op, device);
            if let Some(transfer) = Dma::of(op) {
                transfers.push(Transfer {
                    op,
                    cycles,
                    servers: servers(transfer, device).max(1),
                    most: annotations::count_on(op, annotation::PIECES, MOST)?,
                });
            } else {
                let load = engines.entry(engine.to_owned()).or_default();
                *load = load.saturating_add(cycles);
            }
        }
        Ok(Self {
            trips,
            iterations,
            commands,
            transfers,
            computing: engines.into_values().max().unwrap_or(0),
        })
    }

    fn movers(&self) -> usize {
        self.transfers
            .iter()
            .map(|transfer| transfer.servers)
            .max()
            .unwrap_or(1)
    }

    /// The pieces of all transfers if one takes about one part of an iteration.
    fn pieces(&self, parts: u64, device: &Device) -> Vec<i64> {
        let each = self.transfers.iter().map(|transfer| transfer.cycles);
        let moves = each.fold(0, u64::saturating_add);
        let issues = self.commands.saturating_mul(device.control.start_cycles);
        let all = moves.div_ceil(self.movers() as u64).max(self.computing).max(issues);
        let least = all.div_ceil(self.iterations);
        let each = self.transfers.iter().map(|transfer| {
            let most = transfer
                .most
                .unwrap_or(1)
                .min(i64::try_from(transfer.servers).unwrap_or(MOST));
            most.min(pieces(transfer.cycles, least, parts))
        });
        each.collect()
    }

    /// An estimate of the cycles of a run with so many pieces of each transfer: the intervals of all iterations, and
    /// the longest transfer twice, of what the first iteration waits for and what is stored behind the last one.
    fn run(&self, pieces: &[i64], device: &Device) -> u64 {
        let pieces = pieces.iter().map(|pieces| u64::try_from(*pieces).unwrap_or(1));
        let more: u64 = pieces.clone().map(|pieces| pieces - 1).sum();
        let control = &device.control;
        // Whoever needs the whole waits for each piece.
        let each = control.start_cycles.saturating_add(control.wait_cycles);
        let issues = self
            .commands
            .saturating_mul(control.start_cycles)
            .saturating_add(more.saturating_mul(each));
        let parts = self.transfers.iter().zip(pieces).flat_map(|(transfer, pieces)| {
            let part = transfer.cycles.div_ceil(pieces);
            std::iter::repeat_n(part, usize::try_from(pieces).unwrap_or(1))
        });
        let mut parts: Vec<u64> = parts.collect();
        parts.sort_unstable();
        let longest = parts.last().copied().unwrap_or(0);
        let interval = issues.max(self.computing).max(makespan(&parts, self.movers()));
        let intervals = interval.saturating_mul(self.trips).div_ceil(self.iterations);
        intervals.saturating_add(longest.saturating_mul(2))
    }
}

/// The cycles in which so many engines do some work, in order of its length, of which the longest goes first to
/// whichever engine has the least.
fn makespan(parts: &[u64], engines: usize) -> u64 {
    let mut loads: BinaryHeap<Reverse<u64>> = vec![Reverse(0); engines].into();
    for part in parts.iter().rev() {
        let Reverse(least) = loads.pop().unwrap_or_default();
        loads.push(Reverse(least.saturating_add(*part)));
    }
    loads.into_iter().map(|Reverse(load)| load).max().unwrap_or(0)
}

/// Pieces of a transfer of so many cycles, each for one of some parts of an iteration: one where it takes less than
/// half of an iteration.
fn pieces(cycles: u64, interval: u64, parts: u64) -> i64 {
    if cycles <= interval / 2 {
        return 1;
    }
    let pieces = cycles.saturating_mul(parts).div_ceil(interval.max(1));
    i64::try_from(pieces).unwrap_or(i64::MAX)
}

/// Engines that can do a transfer.
fn servers(transfer: Dma<'_>, device: &Device) -> usize {
    let space = |ty| MemRef::of(ty)?.space().map(str::to_owned);
    let ends = space(transfer.source().ty()).zip(space(transfer.dest().ty()));
    let servers = ends.map(|(from, to)| {
        device
            .engines_for_transfer(&from, &to, work::dims_of(transfer.op))
            .len()
    });
    servers.unwrap_or(1)
}

/// Cycles that a command keeps its engine; none where nothing tells.
fn cycles(op: Op<'_>, device: &Device) -> u64 {
    cost(op, device).map_or(0, |cost| cost.occupancy)
}

#[cfg(test)]
mod tests {
    use super::{makespan, pieces};

    #[test]
    fn what_takes_half_an_iteration_gets_more_engines() {
        assert_eq!(pieces(500, 1000, 4), 1);
        assert_eq!(pieces(501, 1000, 4), 3);
        assert_eq!(pieces(2000, 1000, 4), 8);
        assert_eq!(pieces(2000, 1000, 1), 2);
        assert_eq!(pieces(0, 0, 4), 1);
        assert_eq!(pieces(1, 0, 4), 4);
    }
    #[test]
    fn the_longest_work_goes_first() {
        assert_eq!(makespan(&[1, 1, 1, 3], 2), 3);
        assert_eq!(makespan(&[5], 16), 5);
        assert_eq!(makespan(&[], 1), 0);
    }
}
