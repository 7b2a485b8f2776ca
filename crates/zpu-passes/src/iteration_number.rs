//! Iteration numbers and trip counts as IR. Rings of versions and of barrier ids are counted by the number of an
//! iteration, from 0.

use zpu_device::ElementType;
use zpu_ir::arith::OVERFLOW_FLAGS;
use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, Type, Value, attr, edit, ty};

/// Bits of an index, as everywhere in the analysis.
const INDEX_BITS: u32 = 64;

/// Emits `(iv - lower) / step` as an index, without operations that the constants 0 and 1 make redundant.
pub(crate) fn iteration_number<'c>(builder: &mut Builder<'c>, for_: For<'c>) -> Value<'c> {
    let mut number = for_.iv();
    if for_.lower().as_constant_int() != Some(0) {
        number = builder.binary("arith.subi", number, for_.lower());
    }
    if for_.step().as_constant_int() != Some(1) {
        number = builder.binary("arith.divui", number, for_.step());
    }
    if ty::is_index(number.ty()) {
        return number;
    }
    let index = ty::index(builder.context());
    // The difference of two narrow integers is an unsigned number of their width.
    builder.op("arith.index_castui", &[number], &[index], &[]).result(0)
}

/// True for what [`iteration_number`] emits in the body of a loop where the step is not 1, and for what is written so.
pub(crate) fn is_iteration_number<'c>(for_: For<'c>, value: Value<'c>) -> bool {
    let division = value.defining_op().and_then(|op| {
        if op.is("arith.index_castui") {
            op.operand(0).defining_op()
        } else {
            Some(op)
        }
    });
    let is_division = |op: &Op<'c>| op.is("arith.divui") && op.operand(1) == for_.step();
    let Some(division) = division.filter(|op| ty::is_index(value.ty()) && is_division(op)) else {
        return false;
    };
    let dividend = division.operand(0);
    let is_difference = |op: Op<'c>| op.is("arith.subi") && op.operands() == [for_.iv(), for_.lower()];
    let is_from_zero = dividend == for_.iv() && for_.lower().as_constant_int() == Some(0);
    is_from_zero || dividend.defining_op().is_some_and(is_difference)
}

/// Emits `ceil((upper - lower) / step)` as an index. When there is no iteration it may be negative if bounds are signed
/// and either narrow or from 0, and is 0 otherwise. A step of 0 or less is undefined in `scf.for`.
pub(crate) fn trip_count<'c>(builder: &mut Builder<'c>, for_: For<'c>) -> Value<'c> {
    let mut trips = as_index(builder, for_.upper(), for_.is_unsigned());
    let mut may_be_negative = !for_.is_unsigned();
    if for_.lower().as_constant_int() != Some(0) {
        let lower = as_index(builder, for_.lower(), for_.is_unsigned());
        if for_.is_unsigned() || !is_narrow(for_.lower()) {
            // The difference of two signed numbers fits an unsigned one if it is not negative, and else may wrap.
            let max = if for_.is_unsigned() {
                "arith.maxui"
            } else {
                "arith.maxsi"
            };
            trips = builder.binary(max, trips, lower);
            may_be_negative = false;
        }
        trips = builder.binary("arith.subi", trips, lower);
    }
    if for_.step().as_constant_int() == Some(1) {
        return trips;
    }
    let step = as_index(builder, for_.step(), for_.is_unsigned());
    let division = if may_be_negative {
        "arith.ceildivsi"
    } else {
        "arith.ceildivui"
    };
    builder.binary(division, trips, step)
}

/// Casts a bound to an index: in a narrow type, the difference of two bounds may not fit.
fn as_index<'c>(builder: &mut Builder<'c>, bound: Value<'c>, unsigned: bool) -> Value<'c> {
    if ty::is_index(bound.ty()) {
        return bound;
    }
    let bound = kept_narrow(bound);
    let index = ty::index(builder.context());
    let cast = if unsigned {
        "arith.index_castui"
    } else {
        "arith.index_cast"
    };
    builder.op(cast, &[bound], &[index], &[]).result(0)
}

/// Emits `left + right`, `left - right` or `left * right` of numbers of iterations; the result neither wraps nor is
/// negative.
///
/// A constant that is added to the difference with another one becomes one with it, and so does one that is subtracted
/// from a sum: upstream's canonicalisation makes `n + -4` of `(n - 5) + 1`, and keeps that it does not wrap as an
/// unsigned number; it does.
pub(crate) fn exact<'c>(builder: &mut Builder<'c>, name: &str, left: Value<'c>, right: Value<'c>) -> Value<'c> {
    let combined = offset_from(left).zip(offset(name, right));
    match combined.filter(|((_, before), more)| before.signum() * more.signum() < 0) {
        Some(((base, before), more)) => {
            let offset = before + more;
            if offset == 0 {
                return base;
            }
            let name = if offset < 0 { "arith.subi" } else { "arith.addi" };
            let by = builder.constant(base.ty(), offset.abs());
            not_wrapping(builder, name, base, by)
        }
        None => not_wrapping(builder, name, left, right),
    }
}

/// Does for sums and differences that are there what [`exact`] does where they are made: they come together where a
/// copy of a loop's body has another number in the place of its own, of which it may count the number of the iteration.
pub(crate) fn combine_constants(function: Op<'_>) {
    for op in function.walk() {
        let (Some(number), Some(left)) = (op.results().first().copied(), op.operands().first().copied()) else {
            continue;
        };
        if let Some(simpler) = undone(op) {
            edit::replace_all_uses(number, simpler);
            edit::erase(op);
            continue;
        }
        let own = offset_from(number).map_or(0, |(_, offset)| offset);
        let before = offset_from(left).map_or(0, |(_, offset)| offset);
        if own.signum() * before.signum() < 0 {
            let combined = exact(&mut Builder::before(op), op.name(), left, op.operand(1));
            edit::replace_all_uses(number, combined);
            edit::erase(op);
        }
    }
}

/// The number that is left where an operation takes away what another one added, or divides by what it multiplied with:
/// upstream sees that as well, and what is done with the number comes together with it.
fn undone(op: Op<'_>) -> Option<Value<'_>> {
    let by = *op.operands().get(1)?;
    let inner = op.operand(0).defining_op()?;
    let (left, right) = (*inner.operands().first()?, *inner.operands().get(1)?);
    match (op.name(), inner.name()) {
        ("arith.subi", "arith.addi") if is_same(right, by) => Some(left),
        ("arith.subi", "arith.addi") if is_same(left, by) => Some(right),
        ("arith.divui", "arith.muli") if does_not_wrap(inner) && is_same(right, by) => Some(left),
        _ => None,
    }
}

/// True for one value, and for two that are one constant.
fn is_same(one: Value<'_>, other: Value<'_>) -> bool {
    let constants = one.as_constant_int().zip(other.as_constant_int());
    one == other || constants.is_some_and(|(one, other)| one == other)
}

/// The number that a value is with a constant added by [`exact`], and that constant.
fn offset_from(number: Value<'_>) -> Option<(Value<'_>, i64)> {
    let op = number.defining_op().filter(|op| does_not_wrap(*op))?;
    let offset = offset(op.name(), *op.operands().get(1)?)?;
    Some((op.operand(0), offset))
}

/// True if an operation says so, signed and unsigned.
fn does_not_wrap(op: Op<'_>) -> bool {
    let flags = op.attr(OVERFLOW_FLAGS);
    flags.is_some() && flags == attr::no_overflow(op.context())
}

/// What an operation adds if its second operand is a constant; none if that is negative.
fn offset(name: &str, right: Value<'_>) -> Option<i64> {
    let constant = right.as_constant_int().filter(|constant| *constant >= 0)?;
    match name {
        "arith.addi" => Some(constant),
        "arith.subi" => Some(-constant),
        _ => None,
    }
}

fn not_wrapping<'c>(builder: &mut Builder<'c>, name: &str, left: Value<'c>, right: Value<'c>) -> Value<'c> {
    let flags = attr::no_overflow(builder.context()).map(|flags| (OVERFLOW_FLAGS, flags));
    let attrs: Vec<_> = flags.into_iter().collect();
    builder.op(name, &[left, right], &[left.ty()], &attrs).result(0)
}

/// Replaces a narrow number that was cast from an index by a truncation, so that a cast back to an index stays:
/// canonicalisation folds a cast there and back to the number itself, even if it does not fit the narrow type. All uses
/// of the number are replaced.
fn kept_narrow<'c>(number: Value<'c>) -> Value<'c> {
    let is_cast = |op: &Op<'_>| matches!(op.name(), "arith.index_cast" | "arith.index_castui");
    let Some(cast) = number.defining_op().filter(|op| is_narrow(number) && is_cast(op)) else {
        return number;
    };
    let narrow = truncated(&mut Builder::before(cast), cast.operand(0), number.ty());
    edit::replace_all_uses(number, narrow);
    narrow
}

/// True for an integer that an index has room for whatever its sign.
fn is_narrow(number: Value<'_>) -> bool {
    matches!(ty::scalar(number.ty()), Some(ElementType::Int(bits)) if u32::from(bits) < INDEX_BITS)
}

/// Emits the low bits of an index as a number of a narrow type.
pub(crate) fn truncated<'c>(builder: &mut Builder<'c>, index: Value<'c>, narrow: Type<'c>) -> Value<'c> {
    let wide = ty::integer(builder.context(), INDEX_BITS);
    let bits = builder.op("arith.index_cast", &[index], &[wide], &[]).result(0);
    if narrow == wide {
        return bits;
    }
    builder.op("arith.trunci", &[bits], &[narrow], &[]).result(0)
}
