//! Operations that read what they write, through operands that would become copies apart from each other.
//!
//! A structured operation that reads one part of a buffer and writes another part that overlaps with it sees its own
//! results, element by element. On copies of both parts it would not. So such an operation is refused where it is
//! certain that an element is read after it was written, and else the user is warned.

use zpu_analysis::access::{Access, accesses};
use zpu_analysis::dependence::straight_line_conflicts;
use zpu_analysis::linear::Linear;
use zpu_analysis::region::{Extent, Region, Root, region_of};
use zpu_ir::ty::MemRef;
use zpu_ir::{Def, Failed, Op, PassResult, Value, attr, error, warning};

use super::demands::Demand;
use super::staging::Stage;
use crate::capacity;

/// Checks all operations whose operands have demands.
pub(super) fn check<'c>(stages: &[Stage<'c>], demands: &[Demand<'c, '_>]) -> PassResult {
    let mut result = Ok(());
    let module = demands.first().and_then(|demand| demand.op.parents().last());
    let calls = module.map_or_else(Vec::new, |module| module.find_all("func.call"));
    for of_one in demands.chunk_by(|one, next| one.op == next.op) {
        let written = of_one.iter().filter(|demand| demand.writes);
        let pairs = written.flat_map(|written| of_one.iter().map(move |read| (written, read)));
        let mut pairs = pairs.filter(|(written, read)| read.index != written.index && are_apart(stages, written, read));
        if let Some((written, read)) = pairs.find(|(written, read)| overlap(written, read, &calls)) {
            let message = format!(
                "operand {} is read and overlaps with operand {}, which is written, but they are to be copies of their \
                 own; let the operation write another buffer, and copy that",
                read.index, written.index
            );
            if is_wrong(written, read) && capacity::is_executed(written.op) {
                error(written.op, &message, &[]);
                result = Err(Failed);
            } else {
                let message = message.replace("overlaps with", "may overlap with");
                warning(written.op, &message, &[]);
            }
        }
    }
    result
}

/// True if two operands of an operation would not be in one buffer as they are now.
fn are_apart<'c>(stages: &[Stage<'c>], written: &Demand<'c, '_>, read: &Demand<'c, '_>) -> bool {
    let stage = |demand: &Demand<'c, '_>| stages.iter().position(|stage| stage.serves(demand.op, demand.index));
    let [one, other] = [written, read].map(stage);
    let is_same_part = written.value == read.value || region_of(written.value) == region_of(read.value);
    one != other && !(is_same_part && written.allowed == read.allowed)
}

/// True if two operands are parts of one buffer that may overlap, or may be if control flow chooses a buffer, or if one
/// of some calls passes it twice.
fn overlap<'c>(written: &Demand<'c, '_>, read: &Demand<'c, '_>, calls: &[Op<'c>]) -> bool {
    let [one, other] = [written, read].map(|demand| region_of(demand.value).root);
    let is_chosen = [one, other].iter().any(|root| matches!(root, Root::Unknown(_)));
    if one != other && !is_chosen {
        return is_passed_twice(one.value(), other.value(), calls);
    }
    let Some(all) = accesses(written.op) else { return false };
    let of = |demand: &Demand<'c, '_>, write: bool| -> Vec<Access<'c>> {
        let all = all.iter().filter(|access| access.write == write);
        all.filter(|access| access.whole_of == Some(demand.value))
            .cloned()
            .collect()
    };
    let (writes, reads) = (of(written, true), of(read, false));
    !straight_line_conflicts(&[Some(&writes), Some(&reads)]).is_empty()
}

/// True if a call passes parts of one buffer that may overlap as both of two arguments of a function.
fn is_passed_twice<'c>(one: Value<'c>, other: Value<'c>, calls: &[Op<'c>]) -> bool {
    let (Some((function, one)), Some((_, other))) = (argument(one), argument(other)) else {
        return false;
    };
    let name = function.attr("sym_name").and_then(attr::as_str);
    let is_called = |call: &&Op<'c>| call.attr("callee").and_then(attr::as_symbol) == name;
    let passes_twice = |call: &Op<'c>| {
        let passed = |index: usize| call.operands().get(index).copied().map(region_of);
        let both = passed(one).zip(passed(other));
        both.is_some_and(|(one, other)| one.root == other.root && one.may_overlap(&other))
    };
    calls.iter().filter(is_called).any(passes_twice)
}

/// The function that a value is an argument of, and its number there.
fn argument(value: Value<'_>) -> Option<(Op<'_>, usize)> {
    let Def::Argument(block, index) = value.def() else {
        return None;
    };
    block.parent_op().filter(|op| op.is("func.func")).map(|op| (op, index))
}

/// True if some element is certainly written before it is read. An operation on elements goes over them in order, so
/// that takes a part that begins before the one that is written; operands of a product are read again and again.
fn is_wrong<'c>(written: &Demand<'c, '_>, read: &Demand<'c, '_>) -> bool {
    let (to, from) = (region_of(written.value), region_of(read.value));
    if to.root != from.root {
        return false;
    }
    let in_buffer = || match to.base == from.base {
        true => distance(exact(&to), exact(&from)),
        false => None,
    };
    let in_bytes = || distance(bytes(&to, written.value), bytes(&from, read.value));
    in_buffer().or_else(in_bytes).is_some_and(|distance| {
        let is_before = distance.iter().find(|each| **each != 0).is_some_and(|each| *each < 0);
        written.allowed != read.allowed || is_before
    })
}

/// A part as a box in its buffer, if it has no gaps.
fn exact<'r, 'c>(part: &'r Region<'c>) -> Option<&'r [Extent<'c>]> {
    let extents = part.extents.as_deref()?;
    let is_exact = |extent: &Extent<'c>| extent.exact && extent.span.as_ref().and_then(Linear::as_constant).is_some();
    extents.iter().all(is_exact).then_some(extents)
}

/// The bytes of a part, if it has no gaps.
fn bytes<'r, 'c>(part: &'r Region<'c>, value: Value<'c>) -> Option<&'r [Extent<'c>]> {
    let all = MemRef::of(value.ty())?.bytes()?;
    let bytes = part.bytes.as_ref()?;
    let is_dense = bytes.span.as_ref()?.as_constant() == Some(all);
    is_dense.then(|| std::slice::from_ref(bytes))
}

/// The distance from the first element of a part to that of another one, in each dimension; none if it is not known.
fn distance<'c>(to: Option<&[Extent<'c>]>, from: Option<&[Extent<'c>]>) -> Option<Vec<i64>> {
    let each = to?.iter().zip(from?).map(|(to, from)| {
        let (to, from) = (to.offset.as_linear()?, from.offset.as_linear()?);
        from.add_scaled(to, -1)?.as_constant()
    });
    each.collect()
}
