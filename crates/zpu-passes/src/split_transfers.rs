//! `zpu-split-transfers`: splits large transfers beside loops into pieces, which several DMA engines move.
//!
//! Assumes synchronous commands on a device. Program order remains the meaning; pieces of one transfer touch different
//! bytes, so that planning may start them in turn and let them run together.
//!
//! ```mlir
//! zpu.dma %x to %a on @odma0 : memref<64x256xf32, ...> to memref<64x256xf32, ...>
//! // becomes, for two pieces
//! zpu.dma %x[0..32] to %a[0..32] on @odma0 : memref<32x256xf32, ...> to memref<32x256xf32, ...>
//! zpu.dma %x[32..64] to %a[32..64] on @odma0 : memref<32x256xf32, ...> to memref<32x256xf32, ...>
//! ```

use zpu_analysis::body::{command_loops, holds_commands};
use zpu_device::{Device, Engine};
use zpu_ir::ops::{Compute, Dma, set_engine};
use zpu_ir::options::SplitTransfersOptions;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Builder, Failed, Op, PassResult, Remark, RemarkKind, Value, annotation, attr, device, edit, work};

use crate::annotations;

const PASS: &str = "zpu-split-transfers";

/// Largest number of pieces that may be asked for: more than a device file may have engines of one entry.
const MOST: i64 = 1024;

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &SplitTransfersOptions) -> PassResult {
    let most = match pieces_of(function)? {
        Some(own) => own,
        None => annotations::count(function, "max-pieces", options.max_pieces, MOST)?,
    };
    let transfers: Vec<Dma<'_>> = function.walk().into_iter().filter_map(Dma::of).collect();
    let mut wanted = Vec::with_capacity(transfers.len());
    for transfer in transfers {
        wanted.push((transfer, pieces_of(transfer.op)?));
    }
    function.remove_attr(annotation::PIECES);
    if most == 1 && wanted.iter().all(|(_, own)| own.is_none()) {
        return Ok(());
    }
    let device = device::of(function)?;
    let loops = command_loops(function);
    let mut splits = Vec::new();
    for (transfer, own) in wanted {
        transfer.op.remove_attr(annotation::PIECES);
        let is_in_loop = loops.iter().any(|for_| for_.op.contains(transfer.op));
        // Successive iterations overlap, so the other transfers of a loop body do not lower the number of pieces.
        let sharers = if is_in_loop { 1 } else { beside(transfer.op) };
        let most = own.unwrap_or(if is_in_loop { 1 } else { most });
        splits.extend(Split::of(transfer, most, sharers, &device));
    }
    splits.into_iter().for_each(Split::apply);
    Ok(())
}

/// The number that is written on a transfer or a function.
fn pieces_of(op: Op<'_>) -> Result<Option<i64>, Failed> {
    annotations::count_on(op, annotation::PIECES, MOST)
}

/// A transfer that several engines move sooner than one.
struct Split<'c, 'd> {
    transfer: Dma<'c>,
    /// The dimension that is split, and its size.
    dim: usize,
    size: i64,
    /// Cycles of the whole transfer.
    cycles: u64,
    count: i64,
    /// Engines, of which each piece names one.
    engines: Vec<&'d Engine>,
}

impl<'c, 'd> Split<'c, 'd> {
    /// Decides about a transfer, for up to `most` pieces, where so many transfers share the engines.
    fn of(transfer: Dma<'c>, most: i64, sharers: usize, device: &'d Device) -> Option<Self> {
        let (dim, size, engines) = room(transfer, device)?;
        let cycles = work::cost(transfer.op, device).ok()?.occupancy;
        let each = i64::try_from(engines.len() / sharers).unwrap_or(i64::MAX);
        let count = count(cycles, device.control.start_cycles, most.min(size).min(each));
        (count > 1).then_some(Self {
            transfer,
            dim,
            size,
            cycles,
            count,
            engines,
        })
    }

    fn apply(self) {
        let (op, count) = (self.transfer.op, self.count);
        Remark::new(op, RemarkKind::Passed, PASS, "split")
            .message(format!("{count} pieces of a transfer of {} cycles", self.cycles))
            .metric("Pieces", count)
            .metric("Cycles", self.cycles)
            .emit();
        let mut builder = Builder::before(op);
        for (piece, engine) in (0..count).zip(self.engines.iter().cycle()) {
            let (from, to) = (self.size * piece / count, self.size * (piece + 1) / count);
            let ends = [self.transfer.source(), self.transfer.dest()];
            let parts = ends.map(|of| part(&mut builder, of, self.dim, from, to - from));
            let new = Dma::create(&mut builder, parts[0], parts[1], &op.attrs());
            set_engine(new.op, &engine.name);
        }
        edit::erase(op);
    }
}

/// Transfers that no loop or branch separates from one, itself included: they share the engines.
fn beside(op: Op<'_>) -> usize {
    let Some(block) = op.block() else { return 1 };
    let ops: Vec<Op<'_>> = block.ops().collect();
    let is_border = |op: &Op<'_>| !op.regions().is_empty() && !op.is(Compute::NAME) && holds_commands(*op);
    let runs = ops.split(is_border);
    let own = runs.into_iter().find(|run| run.contains(&op)).unwrap_or_default();
    own.iter().filter(|op| Dma::of(**op).is_some()).count().max(1)
}

/// The outermost dimension of a transfer that has more than one index, its size, and the asynchronous engines that
/// could move a part of it, its own first; `None` if it has to stay whole.
fn room<'d>(transfer: Dma<'_>, device: &'d Device) -> Option<(usize, i64, Vec<&'d Engine>)> {
    let op = transfer.op;
    if op.has_attr(annotation::ENGINE) || op.has_attr(annotation::CYCLES) {
        return None;
    }
    let (source, dest) = (MemRef::of(transfer.source().ty())?, MemRef::of(transfer.dest().ty())?);
    let sizes = ty::static_shape(transfer.source().ty())?;
    let dim = sizes.iter().position(|size| *size > 1)?;
    let own = device.engine(transfer.engine())?;
    let mut engines = device.engines_for_transfer(source.space()?, dest.space()?, work::dims_of(op));
    engines.retain(|engine| !engine.blocking);
    if own.blocking || ty::static_shape(transfer.dest().ty())? != sizes {
        return None;
    }
    engines.sort_by_key(|engine| engine.name != own.name);
    Some((dim, sizes[dim], engines))
}

/// The number of pieces, up to `most`, for which cycles / pieces + pieces * start is least: the first one of these.
fn count(cycles: u64, start: u64, most: i64) -> i64 {
    let most = u64::try_from(most).unwrap_or(1);
    let time = |pieces: &u64| cycles.div_ceil(*pieces).saturating_add(pieces.saturating_mul(start));
    let best = (1..=most).min_by_key(time).unwrap_or(1);
    i64::try_from(best).unwrap_or(1)
}

/// So many indices of a dimension from one on.
fn part<'c>(builder: &mut Builder<'c>, of: Value<'c>, dim: usize, from: i64, count: i64) -> Value<'c> {
    let memref = MemRef::of(of.ty()).expect("a transfer is between ranked memrefs");
    let context = builder.context();
    let mut sizes: Vec<i64> = memref.shape.iter().map(|size| size.unwrap_or(1)).collect();
    sizes[dim] = count;
    let mut offsets = vec![0; sizes.len()];
    offsets[dim] = from;
    let begin = memref.strides[dim].and_then(|stride| stride.checked_mul(from)?.checked_add(memref.offset?));
    let layout = ty::strided_layout(context, begin, &memref.strides);
    let shape: Vec<Option<i64>> = sizes.iter().copied().map(Some).collect();
    let result = ty::make(&shape, memref.element, Some(layout), memref.space_attr);
    let attrs = [
        ("static_offsets", attr::int_array(context, &offsets)),
        ("static_sizes", attr::int_array(context, &sizes)),
        ("static_strides", attr::int_array(context, &vec![1; sizes.len()])),
        ("operandSegmentSizes", attr::int32_array(context, &[1, 0, 0, 0])),
    ];
    builder.op("memref.subview", &[of], &[result], &attrs).result(0)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn pieces_are_balanced_against_issues() {
        assert_eq!(count(13_653, 60, 16), 15);
        assert_eq!(count(13_653, 60, 4), 4);
        assert_eq!(count(100, 60, 16), 1);
        assert_eq!(count(0, 0, 16), 1);
        assert_eq!(count(1_000, 0, 16), 16);
    }
}
