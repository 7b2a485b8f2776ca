//! The order in which a tensor that stays whole lies on the chip: which side's transfers go across its rows.
//!
//! The dimensions of the tensor may lie in any order. Where the writer's parts are runs of memory and the reader's are
//! not, the reader *gathers*; the other way around the writer *scatters*. The order with the fewest runs wins whose
//! transfers the device's DMA engines can describe ([`zpu_device::DmaCost::dims`]); of equal ones the tensor's own.

use std::fmt;

use zpu_device::{Device, EngineKind, Role};
use zpu_ir::scf::For;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::work::{self, Shape};
use zpu_ir::{Builder, Op, Value, affine, annotation, attr, edit};

use super::{record, storage};

/// Orders are tried up to this number of dimensions: 120.
const MOST_DIMS: usize = 5;

/// A side of the tensor that goes across its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// No side: all parts are as contiguous as the buffers that they are copied to and from.
    Rows,
    /// The readers.
    Gather,
    /// The writers.
    Scatter,
    /// Both.
    Both,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Form::Rows => "resident",
            Form::Gather => "gather on read",
            Form::Scatter => "scatter on write",
            Form::Both => "scatter on write and gather on read",
        })
    }
}

/// An order of a tensor's dimensions, outermost first, and what it costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// The tensor's dimension at each place.
    pub dims: Vec<usize>,
    /// The sides across its rows.
    pub form: Form,
    /// Runs of memory that all copies of the tensor's parts move.
    pub runs: u64,
    /// The most strided dimensions that one of these copies goes through.
    pub strided: u64,
}

impl Layout {
    /// True if the dimensions lie in their own order.
    pub(super) fn is_own(&self) -> bool {
        self.dims.is_sorted()
    }
}

/// A copy of a part of the tensor, written or still to come.
struct PartCopy {
    /// Sizes of the part.
    sizes: Vec<i64>,
    /// The other buffer.
    other: Shape,
    is_write: bool,
    /// Executions, as far as trip counts are known.
    times: u64,
}

/// The best order for a tensor on the chip; `None` if its parts do not tell, or nothing is copied.
pub(super) fn best(tensor: Value<'_>, device: &Device) -> Option<Layout> {
    let sizes = ty::static_shape(tensor.ty())?;
    let copies = copies(tensor, device)?;
    if copies.is_empty() || sizes.len() > MOST_DIMS {
        return None;
    }
    let most = device
        .engines
        .iter()
        .filter_map(|engine| engine.dma())
        .map(|dma| dma.dims);
    let most = most.reduce(|one, other| if one == 0 || other == 0 { 0 } else { one.max(other) })?;
    choose(&sizes, &copies, most)
}

/// The order with the fewest runs of those whose copies go through at most so many strided dimensions, 0 for any
/// number; if there is none, of those with the fewest.
fn choose(sizes: &[i64], copies: &[PartCopy], most: u64) -> Option<Layout> {
    let all = orders(sizes.len()).into_iter().map(|dims| layout(dims, sizes, copies));
    all.min_by_key(|layout| {
        let over = if most == 0 {
            0
        } else {
            layout.strided.saturating_sub(most)
        };
        (over, layout.runs, layout.dims.clone())
    })
}

fn layout(dims: Vec<usize>, sizes: &[i64], copies: &[PartCopy]) -> Layout {
    let mut strides = vec![Some(1); dims.len()];
    let mut stride = 1_i64;
    for dim in dims.iter().rev() {
        strides[*dim] = Some(stride);
        stride = stride.saturating_mul(sizes[*dim]);
    }
    let (mut runs, mut strided) = (0_u64, 1);
    let (mut gathers, mut scatters) = (false, false);
    for copy in copies {
        let part = Shape {
            sizes: copy.sizes.clone(),
            strides: strides.clone(),
        };
        let (own, other) = (part.contiguous_run().max(1), copy.other.contiguous_run().max(1));
        let each = part.elements() / own.min(other);
        runs = runs.saturating_add(each.saturating_mul(copy.times));
        strided = strided.max(work::dims(&part, &copy.other));
        let across = own < other;
        gathers |= across && !copy.is_write;
        scatters |= across && copy.is_write;
    }
    let form = match (gathers, scatters) {
        (false, false) => Form::Rows,
        (true, false) => Form::Gather,
        (false, true) => Form::Scatter,
        (true, true) => Form::Both,
    };
    Layout {
        dims,
        form,
        runs,
        strided,
    }
}

/// All orders of so many dimensions, each as a list of dimensions.
fn orders(rank: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for dim in 0..rank {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..=order.len()).map(move |place| {
                    let mut order = order.clone();
                    order.insert(place, dim);
                    order
                })
            })
            .collect();
    }
    all
}

/// The copies of the parts of a tensor, and those that operands of products will be staged by; `None` if there is a
/// part whose place is not plain.
fn copies(tensor: Value<'_>, device: &Device) -> Option<Vec<PartCopy>> {
    let mut copies = Vec::new();
    for view in storage::views(tensor).ok()? {
        let part = view.result(0);
        let sizes = ty::static_shape(part.ty())?;
        for used in part.uses() {
            let op = used.op;
            let (is_write, strides) = if work::is_copy(op) {
                let is_write = op.operand(1) == part;
                let other = if is_write { op.operand(0) } else { op.operand(1) };
                (is_write, MemRef::of(other.ty())?.strides)
            } else if is_staged(op, part, device) {
                (false, dense(&sizes))
            } else {
                continue;
            };
            let loops = op.parents().filter_map(For::of);
            let trips = loops.map(|for_| for_.constant_trip_count().unwrap_or(1).unsigned_abs());
            let sizes = sizes.clone();
            copies.push(PartCopy {
                other: Shape {
                    sizes: sizes.clone(),
                    strides,
                },
                sizes,
                is_write,
                times: trips.fold(1, u64::saturating_mul),
            });
        }
    }
    Some(copies)
}

/// True if a part is an operand of a product that no tensor engine takes from the memory of the tensor.
fn is_staged(op: Op<'_>, part: Value<'_>, device: &Device) -> bool {
    let operands = op.operands();
    let roles = [(Role::A, operands.first()), (Role::B, operands.get(1))];
    let refused = |role: Role| {
        let mut engines = device.engines_of_kind(EngineKind::Tensor);
        engines.all(|engine| !engine.operands.allows(role, &device.default_space))
    };
    op.is_contraction()
        && roles
            .iter()
            .any(|(role, operand)| *operand == Some(&part) && refused(*role))
}

/// Strides of a buffer without gaps.
fn dense(sizes: &[i64]) -> Vec<Option<i64>> {
    let inner = |dim: usize| {
        sizes[dim + 1..]
            .iter()
            .try_fold(1_i64, |all, size| all.checked_mul(*size))
    };
    (0..sizes.len()).map(inner).collect()
}

/// Gives a tensor, of which [`best`] knew an order, the order of its dimensions.
pub(super) fn turn(tensor: Value<'_>, dims: &[usize]) {
    let Ok(views) = storage::views(tensor) else { return };
    let (Some(allocation), Some(memref)) = (tensor.defining_op(), MemRef::of(tensor.ty())) else {
        return;
    };
    let mut builder = Builder::before(allocation);
    let shape: Vec<Option<i64>> = dims.iter().map(|dim| memref.shape[*dim]).collect();
    let ty = ty::make(&shape, memref.element, None, memref.space_attr);
    let segments = attr::int32_array(builder.context(), &[0, 0]);
    let turned = builder.op("memref.alloc", &[], &[ty], &[("operandSegmentSizes", segments)]);
    let note = record::stands_for(turned.result(0), &vec![0; dims.len()], None);
    turned.set_attr(annotation::BUFFER, note);
    for view in views {
        turn_view(view, turned.result(0), dims);
    }
    // Only deallocations are left.
    edit::replace_all_uses(tensor, turned.result(0));
    edit::erase(allocation);
}

/// Makes of a part of the tensor the same part of the turned one, seen in the tensor's order.
fn turn_view<'c>(view: Op<'c>, turned: Value<'c>, dims: &[usize]) {
    let (Some(memref), Some(source)) = (MemRef::of(turned.ty()), MemRef::of(view.result(0).ty())) else {
        return;
    };
    let mut builder = Builder::before(view);
    let context = builder.context();
    let list = |name: &str| view.attr(name).and_then(attr::as_int_array).unwrap_or_default();
    let (offsets, sizes) = (list("static_offsets"), list("static_sizes"));
    let mut dynamic = view.operands().into_iter().skip(1);
    let values: Vec<Option<Value<'c>>> = offsets
        .iter()
        .map(|offset| {
            if *offset == ty::dynamic_size() {
                dynamic.next()
            } else {
                None
            }
        })
        .collect();
    let of = |all: &[i64]| -> Vec<i64> { dims.iter().map(|dim| all[*dim]).collect() };
    let indices: Vec<Value<'c>> = dims.iter().filter_map(|dim| values[*dim]).collect();
    let (offsets, sizes) = (of(&offsets), of(&sizes));
    let constants = offsets
        .iter()
        .map(|offset| (*offset != ty::dynamic_size()).then_some(*offset));
    let begin = memref.offset_at(constants);
    let shape: Vec<Option<i64>> = sizes.iter().copied().map(Some).collect();
    let layout = ty::strided_layout(context, begin, &memref.strides);
    let part = ty::make(&shape, memref.element, Some(layout), memref.space_attr);
    let attrs = [
        ("static_offsets", attr::int_array(context, &offsets)),
        ("static_sizes", attr::int_array(context, &sizes)),
        ("static_strides", attr::int_array(context, &vec![1; sizes.len()])),
        (
            "operandSegmentSizes",
            attr::int32_array(context, &[1, indices.len() as i32, 0, 0]),
        ),
    ];
    let operands = [&[turned], indices.as_slice()].concat();
    let part = builder.op("memref.subview", &operands, &[part], &attrs).result(0);
    // Dimension d of the tensor is at its place in the order.
    let places: Vec<usize> = (0..dims.len())
        .filter_map(|dim| dims.iter().position(|own| *own == dim))
        .collect();
    let strides: Vec<Option<i64>> = places.iter().map(|place| memref.strides[*place]).collect();
    let layout = ty::strided_layout(context, begin, &strides);
    let seen = ty::make(&source.shape, source.element, Some(layout), memref.space_attr);
    let map = affine::projection(context, dims.len(), &places);
    let seen = builder
        .op("memref.transpose", &[part], &[seen], &[("permutation", map)])
        .result(0);
    edit::replace_all_uses(view.result(0), seen);
    edit::erase(view);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(sizes: &[i64], is_write: bool, times: u64) -> PartCopy {
        PartCopy {
            sizes: sizes.to_vec(),
            other: Shape {
                sizes: sizes.to_vec(),
                strides: dense(sizes),
            },
            is_write,
            times,
        }
    }

    #[test]
    fn all_orders_are_there_once() {
        let mut all = orders(4);
        assert_eq!(all.len(), 24);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn rows_are_gathered_or_scattered() {
        // Rows of 1 x 64 are written, columns of 64 x 1 are read twice as often.
        let copies = [copy(&[1, 64], true, 64), copy(&[64, 1], false, 128)];
        let own = layout(vec![0, 1], &[64, 64], &copies);
        assert_eq!((own.form, own.runs, own.strided), (Form::Gather, 64 + 128 * 64, 1));
        let turned = choose(&[64, 64], &copies, 0).unwrap();
        assert_eq!(
            (turned.form, turned.runs, turned.strided),
            (Form::Scatter, 64 * 64 + 128, 1)
        );
        assert_eq!(turned.dims, [1, 0]);
    }

    #[test]
    fn descriptors_of_few_dimensions_decide() {
        // A write of planes through two strided dimensions is rare, and a read through one, in the order of the reads.
        let copies = [copy(&[4, 1, 8], true, 1), copy(&[1, 4, 8], false, 100)];
        let any = choose(&[4, 4, 8], &copies, 0).unwrap();
        assert_eq!(
            (any.dims.as_slice(), any.strided, any.form),
            ([0, 1, 2].as_slice(), 2, Form::Scatter)
        );
        let sizes = [4, 4, 8];
        let least = orders(3)
            .into_iter()
            .map(|dims| layout(dims, &sizes, &copies).strided)
            .min();
        let one = choose(&sizes, &copies, 1).unwrap();
        assert_eq!(Some(one.strided), least);
    }
}
