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

/// Parts of an iteration that a piece takes one of: what engines have to do differs by that much at most.
const PARTS: u64 = 4;

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
        let interval = least_interval(for_, &device);
        for transfer in allowed {
            let op = transfer.op;
            let most = annotations::count_on(op, annotation::PIECES, MOST)?.unwrap_or(1);
            let servers = i64::try_from(servers(transfer, &device)).unwrap_or(MOST).max(1);
            let pieces = most.min(servers).min(pieces(cycles(op, &device), interval));
            op.set_attr(annotation::PIECES, attr::int(op.context(), pieces));
        }
    }
    Ok(())
}

/// Pieces of a transfer of so many cycles: one where it takes less than half of an iteration.
fn pieces(cycles: u64, interval: u64) -> i64 {
    if cycles <= interval / 2 {
        return 1;
    }
    let pieces = cycles.saturating_mul(PARTS).div_ceil(interval.max(1));
    i64::try_from(pieces).unwrap_or(i64::MAX)
}

/// A lower bound of the cycles between two iterations of a loop whose transfers any engine of their routes could do:
/// the issues, the work of each other engine, and that of the transfers, of which all engines have the same.
fn least_interval(for_: For<'_>, device: &Device) -> u64 {
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
    issues.max(most).max(moves.div_ceil(movers as u64))
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
        assert_eq!(pieces(500, 1000), 1);
        assert_eq!(pieces(501, 1000), 3);
        assert_eq!(pieces(2000, 1000), 8);
        assert_eq!(pieces(0, 0), 1);
        assert_eq!(pieces(1, 0), 4);
    }
}
