//! Notes on each buffer which elements of the tensor its accesses mean.
//!
//! It is done last, when loops are fused and written out, from what the program itself says of elements: a slot of a
//! ring is still the remainder of an element, and a block begins at a known one. Later passes fold this away, so
//! that a slot says nothing of its element any more; then the note does.

use zpu_analysis::body::Decline;
use zpu_analysis::buffer_uses::{Use, uses};
use zpu_analysis::linear::{Linear, index_of};
use zpu_analysis::region::{Root, region_of};
use zpu_ir::buffer::{Buffer, as_buffer, buffer};
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Attribute, Op, Remark, RemarkKind, Value, annotation, attr};
use zpu_stream::order::{Expr, Map, Order};
use zpu_stream::replay::{Listed, ReplayError, meaning, needs, verdict};
use zpu_stream::verdict::Verdict;

use super::PASS;
use super::storage::offsets_by;
use crate::streams::MOST_REPLAYED;

/// The note on a buffer that stands for `tensor` from element `first` on, without its accesses. A tensor that is such a
/// buffer itself is seen through.
pub(super) fn stands_for<'c>(tensor: Value<'c>, first: &[i64], advance: Option<Vec<i64>>) -> Attribute<'c> {
    let allocation = tensor.defining_op().expect("a tensor is allocated");
    let around = allocation.attr(annotation::BUFFER).and_then(as_buffer);
    let sum =
        |one: &[i64], other: &[i64]| -> Vec<i64> { one.iter().zip(other).map(|(one, other)| one + other).collect() };
    let note = match around {
        None => Buffer {
            tensor: tensor.ty(),
            verdict: Verdict::Incompatible,
            first: first.to_vec(),
            advance,
            accesses: Vec::new(),
        },
        Some(around) => Buffer {
            first: sum(&around.first, first),
            advance: match (around.advance, advance) {
                (Some(one), Some(other)) => Some(sum(&one, &other)),
                (one, other) => one.or(other),
            },
            ..around
        },
    };
    buffer(allocation.context(), &note)
}

/// Completes the notes of all buffers in a function; older ones go, since their loops may be others now.
pub(super) fn record(function: Op<'_>) {
    for op in function.find_all("memref.alloc") {
        let Some(note) = op.attr(annotation::BUFFER).and_then(as_buffer) else {
            continue;
        };
        op.remove_attr(annotation::BUFFER);
        if !note.accesses.is_empty() {
            continue;
        }
        match completed(op, note) {
            Ok(note) => {
                tell_sizes(op, &note);
                op.set_attr(annotation::BUFFER, buffer(op.context(), &note));
            }
            Err(decline) => Remark::new(decline.at, RemarkKind::Missed, PASS, "not-recorded")
                .message(format!(
                    "what the buffer stands for is not recorded, and so not verified: {}",
                    decline.message
                ))
                .emit(),
        }
    }
}

/// Tells what sizes the buffer could have, beside the one that it has.
fn tell_sizes(op: Op<'_>, note: &Buffer<'_>) {
    let memref = MemRef::of(op.result(0).ty());
    let element = memref.as_ref().and_then(|memref| ty::element_bytes(memref.element));
    let (Some(element), Some(own)) = (element, memref.and_then(|memref| memref.bytes())) else {
        return;
    };
    let Some(needs) = meaning(&note.accesses, MOST_REPLAYED)
        .and_then(|touches| needs(&touches, MOST_REPLAYED))
        .ok()
    else {
        return;
    };
    let bytes = |elements: u64| elements.saturating_mul(element.into());
    let volume = |shape: &[i64]| bytes(shape.iter().map(|size| size.unsigned_abs()).product());
    let shape = |shape: &[i64]| shape.iter().map(i64::to_string).collect::<Vec<_>>().join("x");
    let ping_pong = 2 * volume(&needs.block);
    let is_whole = MemRef::of(note.tensor).and_then(|tensor| tensor.bytes()) == Some(own);
    let is_ring = note.advance.is_none() && !is_whole;
    let slack = op.function().and_then(|function| function.attr(annotation::RING_SLACK));
    let full_rate = match (is_ring, slack.and_then(attr::as_int)) {
        (true, Some(_)) => format!("{own} bytes"),
        (true, None) => "not known, a ring of that size is here".to_owned(),
        (false, _) if is_whole => "the whole tensor".to_owned(),
        (false, _) => "as many blocks as the planner makes versions".to_owned(),
    };
    let mut remark = Remark::new(op, RemarkKind::Analysis, PASS, "sizes")
        .message(format!(
            "{}: {} bytes if each element is released by itself, a ring of {} bytes in order, 2 blocks of {} \
             ({ping_pong} bytes), in place {} ({} bytes); for full rate {full_rate}",
            note.verdict,
            bytes(needs.fine),
            bytes(needs.ring),
            shape(&needs.block),
            shape(&needs.in_place),
            volume(&needs.in_place),
        ))
        .metric("Verdict", note.verdict.to_string())
        .metric("Fine", bytes(needs.fine))
        .metric("Ring", bytes(needs.ring))
        .metric("PingPong", ping_pong)
        .metric("InPlace", volume(&needs.in_place))
        .metric("Here", own);
    if is_ring && slack.is_some() {
        remark = remark.metric("FullRate", own);
    }
    remark.emit();
}

fn completed<'c>(op: Op<'c>, note: Buffer<'c>) -> Result<Buffer<'c>, Decline<'c>> {
    let own = op.result(0);
    let mut accesses = Vec::new();
    for each in uses(own)? {
        let order = order(&each, own, &note.first).ok_or_else(|| {
            let message = format!("the elements that {} means are not known", each.op.name());
            Decline::new("not-recorded", each.op, message)
        })?;
        accesses.push(Listed {
            write: each.access.write,
            shared: each.shared,
            order,
        });
    }
    let too_large = |error: ReplayError| Decline::new("not-recorded", op, error.to_string());
    let touches = meaning(&accesses, MOST_REPLAYED).map_err(too_large)?;
    let verdict = verdict(&touches, note.advance.is_some(), MOST_REPLAYED).map_err(too_large)?;
    Ok(Buffer {
        verdict,
        accesses,
        ..note
    })
}

/// The elements of the tensor that an access means, by the numbers of the iterations of the loops around it.
fn order<'c>(each: &Use<'c>, own: Value<'c>, first: &[i64]) -> Option<Order> {
    let view = each.access.whole_of.or_else(|| {
        let mut operands = each.op.operands().into_iter();
        operands.find(|operand| MemRef::of(operand.ty()).is_some() && region_of(*operand).root == Root::Allocation(own))
    })?;
    let within = region_of(view);
    let begin: Vec<Linear<'c>> = if view == own {
        vec![Linear::constant(0); first.len()]
    } else {
        let subview = untransposed(view)
            .defining_op()
            .filter(|op| op.is("memref.subview") && op.operand(0) == own)?;
        let before_remainder = |value: Value<'c>| {
            let slot = value.defining_op().filter(|op| op.is("arith.remui"));
            index_of(slot.map_or(value, |op| op.operand(0)))
        };
        let offsets = offsets_by(subview, before_remainder).into_iter();
        offsets
            .map(|offset| offset.as_linear().cloned())
            .collect::<Option<_>>()?
    };
    let (all, within) = (each.access.region.extents.as_ref()?, within.extents?);
    let mut results = Vec::with_capacity(first.len());
    for (dim, begin) in begin.iter().enumerate() {
        // Of a view an operation may access a part.
        let part = all[dim].offset.add_scaled(&within[dim].offset, -1)?;
        let element = begin.add_scaled(part.as_linear()?, 1)?;
        let element = element.add_scaled(&Linear::constant(first[dim]), 1)?;
        results.push(expression(each, &element)?);
    }
    let map = Map {
        inputs: each.loops.len(),
        results,
    };
    Some(Order::new(each.nest().0, map, each.size()?))
}

/// The source of a transposed view: the same elements.
fn untransposed(view: Value<'_>) -> Value<'_> {
    let transpose = view.defining_op().filter(|op| op.is("memref.transpose"));
    transpose.map_or(view, |op| op.operand(0))
}

fn expression<'c>(each: &Use<'c>, linear: &Linear<'c>) -> Option<Expr> {
    let mut terms = Vec::new();
    for (symbol, factor) in linear.terms() {
        let (place, unit) = each.place(*symbol)?;
        terms.push(Expr::Index(place).scaled(factor.checked_mul(unit)?));
    }
    terms.push(Expr::Constant(linear.offset()));
    Some(Expr::Sum(terms))
}
