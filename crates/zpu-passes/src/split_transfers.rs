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
use zpu_analysis::cost::cost;
use zpu_analysis::overlap::may_overlap;
use zpu_analysis::sizes::made_of;
use zpu_device::{Device, DmaCost, Engine};
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
        // Successive iterations overlap, so the other transfers of a loop body do not lower the number of pieces; and
        // what is written where there is no loop was counted for all.
        let sharers = if is_in_loop || loops.is_empty() && own.is_some() {
            1
        } else {
            beside(transfer.op)
        };
        let most = own.unwrap_or(if is_in_loop { 1 } else { most });
        if most > 1 && may_overlap(transfer.op) {
            Remark::new(transfer.op, RemarkKind::Missed, PASS, "overlap")
                .message("source and target may overlap, so a piece could read what another one wrote")
                .emit();
            continue;
        }
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
        let cycles = cost(transfer.op, device).ok()?.occupancy;
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
        let op = self.transfer.op;
        let mut builder = Builder::before(op);
        let ends = [self.transfer.source(), self.transfer.dest()];
        let shape = MemRef::of(ends[0].ty()).map(|memref| memref.shape).unwrap_or_default();
        let sizes = shape.iter().enumerate().map(|(dim, size)| match size {
            Some(size) => Size::Fixed(*size),
            None => {
                let known = ends.iter().find_map(|end| made_of(*end, dim));
                Size::Computed(known.unwrap_or_else(|| builder.size(ends[0], dim)))
            }
        });
        let sizes: Vec<Size<'c>> = sizes.collect();
        Remark::new(op, RemarkKind::Passed, PASS, "split")
            .message(format!("{} pieces of a transfer of {} cycles", self.count, self.cycles))
            .metric("Pieces", self.count)
            .metric("Cycles", self.cycles)
            .emit();
        for (piece, engine) in (0..self.count).zip(self.engines.iter().cycle()) {
            let [from, to] = [piece, piece + 1].map(|piece| self.size * piece / self.count);
            let mut sizes = sizes.clone();
            sizes[self.dim] = Size::Fixed(to - from);
            let parts = ends.map(|of| part(&mut builder, of, (self.dim, from), &sizes));
            let new = Dma::create(&mut builder, parts[0], parts[1], &op.attrs());
            set_engine(new.op, &engine.name);
        }
        edit::erase(op);
    }
}

/// The size of a dimension.
#[derive(Clone, Copy)]
enum Size<'c> {
    Fixed(i64),
    Computed(Value<'c>),
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

/// The dimension in which a transfer is split, its size, and the asynchronous engines that could move a part of it, its
/// own first; `None` if it has to stay whole. It is the outermost one that has more than one index, or the one inside
/// it if the size of that is computed: a piece of no index would be none, and one from its end on is no view.
fn room<'d>(transfer: Dma<'_>, device: &'d Device) -> Option<(usize, i64, Vec<&'d Engine>)> {
    let op = transfer.op;
    if annotations::keeps_engine(op) || op.has_attr(annotation::CYCLES) {
        return None;
    }
    let (source, dest) = (MemRef::of(transfer.source().ty())?, MemRef::of(transfer.dest().ty())?);
    let own = device.engine(transfer.engine())?;
    if own.blocking || dest.shape != source.shape {
        return None;
    }
    let mut engines = device.engines_for_transfer(source.space()?, dest.space()?, work::dims_of(op));
    engines.retain(|engine| !engine.blocking);
    engines.sort_by_key(|engine| engine.name != own.name);
    let outermost = source.shape.iter().position(|size| *size != Some(1))?;
    let dim = match source.shape[outermost] {
        Some(_) => outermost,
        // More rows of fewer bytes cost nothing only where rows have no cost of their own.
        None if engines.iter().filter_map(|engine| engine.dma()).all(has_free_rows) => outermost + 1,
        None => return None,
    };
    Some((dim, (*source.shape.get(dim)?)?, engines))
}

/// True if an engine does any rows in one transfer, which takes as long as their bytes.
fn has_free_rows(dma: &DmaCost) -> bool {
    dma.per_row == 0 && dma.burst_bytes <= 1 && dma.dims == 0
}

/// The number of pieces, up to `most`, for which cycles / pieces + pieces * start is least: the first one of these.
fn count(cycles: u64, start: u64, most: i64) -> i64 {
    let most = u64::try_from(most).unwrap_or(1);
    let time = |pieces: &u64| cycles.div_ceil(*pieces).saturating_add(pieces.saturating_mul(start));
    let best = (1..=most).min_by_key(time).unwrap_or(1);
    i64::try_from(best).unwrap_or(1)
}

/// The part of a buffer from an index of one dimension on, of some sizes.
fn part<'c>(builder: &mut Builder<'c>, of: Value<'c>, (dim, from): (usize, i64), sizes: &[Size<'c>]) -> Value<'c> {
    let memref = MemRef::of(of.ty()).expect("a transfer is between ranked memrefs");
    let context = builder.context();
    let mut offsets = vec![0; sizes.len()];
    offsets[dim] = from;
    let begin = memref.offset_at(offsets.iter().copied().map(Some));
    let layout = ty::strided_layout(context, begin, &memref.strides);
    let mut operands = vec![of];
    let mut shape: Vec<Option<i64>> = Vec::with_capacity(sizes.len());
    for size in sizes {
        match size {
            Size::Fixed(size) => shape.push(Some(*size)),
            Size::Computed(size) => {
                shape.push(None);
                operands.push(*size);
            }
        }
    }
    let result = ty::make(&shape, memref.element, Some(layout), memref.space_attr);
    let written: Vec<i64> = shape.iter().map(|size| size.unwrap_or(ty::dynamic_size())).collect();
    let computed = i32::try_from(operands.len() - 1).unwrap_or(i32::MAX);
    let attrs = [
        ("static_offsets", attr::int_array(context, &offsets)),
        ("static_sizes", attr::int_array(context, &written)),
        ("static_strides", attr::int_array(context, &vec![1; sizes.len()])),
        ("operandSegmentSizes", attr::int32_array(context, &[1, 0, computed, 0])),
    ];
    builder.op("memref.subview", &operands, &[result], &attrs).result(0)
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
