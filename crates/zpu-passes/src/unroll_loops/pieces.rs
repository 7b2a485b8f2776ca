//! Pieces of transfers that stood beside a loop before that was written out.
//!
//! There they would be split so that one is done soon. In the body that is left they run beside others, and only what
//! takes a large part of an iteration needs more than one engine.

use std::collections::HashMap;

use zpu_analysis::body::command_loops;
use zpu_analysis::command::sync_engine;
use zpu_analysis::cost::cost;
use zpu_device::Device;
use zpu_ir::ops::Dma;
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Failed, Op, annotation, attr, device, work};

use super::MOST;
use crate::annotations;

/// Parts of an iteration that a piece takes one of, the smallest pieces first, for which the control stream has time:
/// what engines have to do differs by that much at most.
const PARTS: [u64; 2] = [4, 2];

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

/// Lowers what is allowed in loops to the pieces that are worth their issues.
pub(super) fn settle(function: Op<'_>) -> Result<(), Failed> {
    let is_allowed = |transfer: &Dma<'_>| transfer.op.has_attr(annotation::PIECES);
    for for_ in command_loops(function) {
        let transfers = for_.op.walk().into_iter().filter_map(Dma::of);
        let allowed: Vec<Dma<'_>> = transfers.filter(is_allowed).collect();
        if allowed.is_empty() {
            continue;
        }
        let device = device::of(function)?;
        let interval = Interval::of(for_, &device);
        let mut settled = Vec::with_capacity(allowed.len());
        for transfer in allowed {
            let most = annotations::count_on(transfer.op, annotation::PIECES, MOST)?.unwrap_or(1);
            let servers = i64::try_from(servers(transfer, &device)).unwrap_or(MOST).max(1);
            settled.push((transfer.op, cycles(transfer.op, &device), most.min(servers)));
        }
        let cut = |parts: u64| -> Vec<i64> {
            let each = settled.iter();
            each.map(|(_, cycles, most)| pieces(*cycles, interval.least(), parts).min(*most))
                .collect()
        };
        let pays = |parts: &u64| interval.has_time_for(&cut(*parts), &device);
        let parts = PARTS.into_iter().find(pays).unwrap_or(1);
        for ((op, ..), pieces) in settled.iter().zip(cut(parts)) {
            op.set_attr(annotation::PIECES, attr::int(op.context(), pieces));
        }
    }
    Ok(())
}

/// Pieces of a transfer of so many cycles, each of so many parts of an iteration; one where the whole takes no more than
/// two.
fn pieces(cycles: u64, interval: u64, parts: u64) -> i64 {
    if cycles.saturating_mul(parts) <= interval.saturating_mul(2) && (parts > 1 || cycles <= interval) {
        return 1;
    }
    let pieces = cycles.saturating_mul(parts).div_ceil(interval.max(1));
    i64::try_from(pieces).unwrap_or(i64::MAX)
}

/// Lower bounds of the cycles between two iterations of a loop whose transfers any engine of their routes could do.
struct Interval {
    /// Of the issues.
    issues: u64,
    /// Of the work of the other engines, and of the transfers, of which all engines have the same.
    work: u64,
}

impl Interval {
    fn of(for_: For<'_>, device: &Device) -> Self {
        let (mut issues, mut moves) = (0_u64, 0_u64);
        let mut movers = 1;
        let mut engines: HashMap<String, u64> = HashMap::new();
        for op in for_.op.walk() {
            let Some(engine) = sync_engine(op) else { continue };
            issues = issues.saturating_add(device.control.start_cycles);
            if let Some(transfer) = Dma::of(op) {
                movers = movers.max(servers(transfer, device));
                moves = moves.saturating_add(cycles(op, device));
            } else {
                let load = engines.entry(engine.to_owned()).or_default();
                *load = load.saturating_add(cycles(op, device));
            }
        }
        let most = engines.into_values().max().unwrap_or(0);
        let work = most.max(moves.div_ceil(movers as u64));
        Self { issues, work }
    }

    fn least(&self) -> u64 {
        self.issues.max(self.work)
    }

    /// True if the issues of so many pieces take no longer than the work.
    fn has_time_for(&self, pieces: &[i64], device: &Device) -> bool {
        let more: u64 = pieces
            .iter()
            .map(|pieces| pieces.saturating_sub(1).unsigned_abs())
            .sum();
        let issues = more.saturating_mul(device.control.start_cycles);
        self.issues.saturating_add(issues) <= self.least()
    }
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
    use super::pieces;

    #[test]
    fn what_takes_half_an_iteration_gets_more_engines() {
        assert_eq!(pieces(500, 1000, 4), 1);
        assert_eq!(pieces(501, 1000, 4), 3);
        assert_eq!(pieces(2000, 1000, 4), 8);
        assert_eq!(pieces(0, 0, 4), 1);
        assert_eq!(pieces(1, 0, 4), 4);
        assert_eq!([1000, 1001, 2500].map(|cycles| pieces(cycles, 1000, 1)), [1, 2, 3]);
    }
}
