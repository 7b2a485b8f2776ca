//! Dead fills: the filled region is overwritten as a whole before it is read.
//!
//! Upstream's promotion fills a tile and then copies into it. A fill is dead when a later operation of the same block
//! writes at least the region that it filled, and nothing between the two reads the buffer. Regions are compared by the
//! operations that made the views: two sizes are equal if they are the same constant or the same value.

use zpu_ir::ops::Computation;
use zpu_ir::{Effect, EffectKind, Op, Value, attr, ty};

use super::buffers::{Buffers, is_view};
use super::demands;
use crate::data_path::Copy;

/// The dead fills of a function, in program order.
pub(super) fn find<'c>(function: Op<'c>, buffers: &Buffers<'c>) -> Vec<Op<'c>> {
    function
        .find_all("linalg.fill")
        .into_iter()
        .filter(|fill| fill.parent().and_then(Computation::of).is_none())
        .filter(|fill| is_dead(*fill, buffers))
        .collect()
}

fn is_dead<'c>(fill: Op<'c>, buffers: &Buffers<'c>) -> bool {
    let Some(filled) = fill.operands().last().copied() else {
        return false;
    };
    let Some(buffer) = buffers.buffer_of(filled).filter(|buffer| buffer.is_alone) else {
        return false;
    };
    let concerns = |effect: &Effect<'c>| effect.value.is_none_or(|value| buffer.values.contains(&value));
    for op in std::iter::successors(fill.next(), |op| op.next()) {
        if op.is_memory_effect_free() {
            continue;
        }
        let Some(effects) = op.effects() else { return false };
        // Only known values name this buffer: an access to unknown memory is no access to it, unless it is an operand.
        let touched = || {
            op.walk()
                .iter()
                .any(|op| op.operands().iter().any(|value| buffer.values.contains(value)))
        };
        let mut on_buffer = effects.iter().filter(|effect| concerns(effect)).peekable();
        if on_buffer.peek().is_none() || !touched() {
            continue;
        }
        if !on_buffer.all(|effect| effect.kind == EffectKind::Write) {
            return false;
        }
        if written_whole(op).is_some_and(|written| covers(written, filled)) {
            return true;
        }
    }
    false
}

/// The view of which an operation writes every element without reading any.
fn written_whole(op: Op<'_>) -> Option<Value<'_>> {
    match Copy::of(op) {
        Some(copy) => Some(copy.dest),
        None => {
            let output = op.num_operands().checked_sub(1)?;
            demands::overwrites(op, output).then(|| op.operand(output))
        }
    }
}

/// True if the region of `written` holds the one of `filled`; both are views of one buffer.
fn covers<'c>(written: Value<'c>, filled: Value<'c>) -> bool {
    std::iter::successors(Some(written), |view| whole_of(*view)).any(|written| {
        std::iter::successors(Some(filled), |view| viewed(*view)).any(|filled| same_region(written, filled))
    })
}

/// The source of a view.
fn viewed(view: Value<'_>) -> Option<Value<'_>> {
    view.defining_op().filter(|op| is_view(*op)).map(|op| op.operand(0))
}

/// The source of a view that shows all of it.
fn whole_of(view: Value<'_>) -> Option<Value<'_>> {
    let op = view.defining_op()?;
    let whole = match op.name() {
        "memref.cast"
        | "memref.collapse_shape"
        | "memref.expand_shape"
        | "memref.transpose"
        | "memref.assume_alignment" => true,
        "memref.subview" => is_whole_subview(op),
        _ => false,
    };
    whole.then(|| op.operand(0))
}

fn same_region<'c>(left: Value<'c>, right: Value<'c>) -> bool {
    if left == right {
        return true;
    }
    let (Some(left), Some(right)) = (left.defining_op(), right.defining_op()) else {
        return false;
    };
    left.is("memref.subview")
        && right.is("memref.subview")
        && same_region(left.operand(0), right.operand(0))
        && matches!((Slices::of(left), Slices::of(right)), (Some(l), Some(r)) if l == r)
}

/// A size, offset or stride; equal ones are provably the same number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Number<'c> {
    Constant(i64),
    Value(Value<'c>),
}

impl<'c> Number<'c> {
    fn of(value: Value<'c>) -> Self {
        value.as_constant_int().map_or(Self::Value(value), Self::Constant)
    }
}

/// Offsets, sizes and strides of a `memref.subview`, one a dimension of its source.
#[derive(Debug, PartialEq)]
struct Slices<'c> {
    offsets: Vec<Number<'c>>,
    sizes: Vec<Number<'c>>,
    strides: Vec<Number<'c>>,
}

impl<'c> Slices<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let mut dynamic = op.operands().into_iter().skip(1);
        let mut mixed = |name: &str| -> Option<Vec<Number<'c>>> {
            attr::as_int_array(op.attr(name)?)?
                .into_iter()
                .map(|number| {
                    if number == ty::dynamic_size() {
                        dynamic.next().map(Number::of)
                    } else {
                        Some(Number::Constant(number))
                    }
                })
                .collect()
        };
        Some(Self {
            offsets: mixed("static_offsets")?,
            sizes: mixed("static_sizes")?,
            strides: mixed("static_strides")?,
        })
    }
}

fn is_whole_subview(op: Op<'_>) -> bool {
    let Some(slices) = Slices::of(op) else { return false };
    let source = op.operand(0);
    slices.offsets.iter().all(|offset| *offset == Number::Constant(0))
        && slices.strides.iter().all(|stride| *stride == Number::Constant(1))
        && (slices.sizes.iter().enumerate()).all(|(dim, size)| size_of(source, dim) == Some(*size))
}

/// The size of a dimension, as far as the operation that made the value tells it.
fn size_of(value: Value<'_>, dim: usize) -> Option<Number<'_>> {
    let memref = ty::MemRef::of(value.ty())?;
    if let Some(size) = *memref.shape.get(dim)? {
        return Some(Number::Constant(size));
    }
    let op = value.defining_op()?;
    let first = match op.name() {
        "memref.alloc" | "memref.alloca" => 0,
        "memref.view" => 2,
        _ => return None,
    };
    let position = first + memref.shape[..dim].iter().filter(|size| size.is_none()).count();
    (position < op.num_operands()).then(|| Number::of(op.operand(position)))
}
