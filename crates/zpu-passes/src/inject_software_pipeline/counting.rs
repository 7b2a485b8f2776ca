//! Numbers of iterations as IR: the trip count of a loop, and the induction variable of an iteration.

use zpu_ir::scf::For;
use zpu_ir::{Builder, Value, attr, ty};

/// Predicates of `arith.cmpi`.
pub(super) mod predicate {
    pub(crate) const SIGNED_LESS: i64 = 2;
    pub(crate) const SIGNED_GREATER: i64 = 4;
    pub(crate) const SIGNED_AT_LEAST: i64 = 5;
    pub(crate) const UNSIGNED_GREATER: i64 = 8;
}

/// An iteration number: a constant, or a value plus a constant.
#[derive(Clone, Copy)]
pub(super) struct Iteration<'c> {
    pub(super) base: Option<Value<'c>>,
    pub(super) offset: i64,
}

/// `ceil((upper - lower) / step)` as an index. When there is no iteration it may be negative, unless bounds compare as unsigned
/// numbers. A step of 0 or less is undefined in `scf.for`.
pub(super) fn trip_count<'c>(for_: For<'c>, builder: &mut Builder<'c>) -> Value<'c> {
    let is_from_zero = for_.lower().as_constant_int() == Some(0);
    let mut trips = as_index(builder, for_.upper(), for_.is_unsigned());
    let mut bounds = None;
    if !is_from_zero {
        let lower = as_index(builder, for_.lower(), for_.is_unsigned());
        bounds = Some((lower, trips));
        trips = builder.binary("arith.subi", trips, lower);
    }
    if for_.step().as_constant_int() != Some(1) {
        let step = as_index(builder, for_.step(), for_.is_unsigned());
        let division = if for_.is_unsigned() {
            "arith.ceildivui"
        } else {
            "arith.ceildivsi"
        };
        trips = builder.binary(division, trips, step);
    }
    let Some((lower, upper)) = bounds.filter(|_| for_.is_unsigned()) else {
        return trips;
    };
    let some = builder.compare(predicate::UNSIGNED_GREATER, upper, lower);
    let zero = builder.index(0);
    builder
        .op("arith.select", &[some, trips, zero], &[trips.ty()], &[])
        .result(0)
}

/// A bound as an index: in a narrow type, the difference of two bounds may not fit.
fn as_index<'c>(builder: &mut Builder<'c>, bound: Value<'c>, unsigned: bool) -> Value<'c> {
    if ty::is_index(bound.ty()) {
        return bound;
    }
    let index = ty::index(builder.context());
    let cast = if unsigned {
        "arith.index_castui"
    } else {
        "arith.index_cast"
    };
    builder.op(cast, &[bound], &[index], &[]).result(0)
}

/// `left + right` or `left - right` of numbers of iterations, which neither wraps nor is negative.
pub(super) fn exact<'c>(builder: &mut Builder<'c>, name: &str, left: Value<'c>, right: Value<'c>) -> Value<'c> {
    let flags = attr::no_overflow(builder.context()).map(|flags| ("overflowFlags", flags));
    let attrs: Vec<_> = flags.into_iter().collect();
    builder.op(name, &[left, right], &[left.ty()], &attrs).result(0)
}

/// `lower + iteration * step`, without what the constants 0 and 1 make superfluous.
pub(super) fn induction_variable<'c>(for_: For<'c>, builder: &mut Builder<'c>, number: Iteration<'c>) -> Value<'c> {
    let (lower, step) = (for_.lower().as_constant_int(), for_.step().as_constant_int());
    let ty = for_.iv().ty();
    if let (None, Some(lower), Some(step)) = (number.base, lower, step)
        && let Some(value) = number
            .offset
            .checked_mul(step)
            .and_then(|product| product.checked_add(lower))
    {
        return builder.constant(ty, value);
    }
    let mut iteration = match number.base {
        None => builder.index(number.offset),
        Some(base) if number.offset == 0 => base,
        Some(base) => {
            let offset = builder.index(number.offset.saturating_abs());
            let name = if number.offset < 0 { "arith.subi" } else { "arith.addi" };
            exact(builder, name, base, offset)
        }
    };
    if !ty::is_index(ty) {
        iteration = builder.op("arith.index_cast", &[iteration], &[ty], &[]).result(0);
    }
    if step != Some(1) {
        iteration = builder.binary("arith.muli", iteration, for_.step());
    }
    if lower != Some(0) {
        iteration = builder.binary("arith.addi", iteration, for_.lower());
    }
    iteration
}
