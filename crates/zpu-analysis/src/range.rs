//! Bounds of index values.
//!
//! Bounds come from constant trip counts and from the results that an operation can yield at all: a minimum, a
//! remainder, a size. Index arithmetic is taken not to wrap, as everywhere in the analysis. A range without bounds is
//! always right.

use zpu_device::ElementType;
use zpu_ir::affine::{Expr, Map};
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Def, Op, Value, ty};

use crate::describe::{CARRIED_DEPTH, Known, MAX_DEPTH, index_at};
use crate::linear::{Index, Linear, Symbol};

pub use zpu_sync::index::Range;

/// The range of an expression in any one iteration.
pub fn of_linear(linear: &Linear<'_>) -> Range {
    linear_at(&Known::default(), linear, 0)
}

/// The range of [`of_linear`] at `depth` steps from the start of the query.
pub(crate) fn linear_at<'c>(known: &Known<'c>, linear: &Linear<'c>, depth: u32) -> Range {
    linear
        .terms()
        .iter()
        .fold(Range::constant(linear.offset()), |sum, (symbol, coefficient)| {
            sum.plus(symbol_at(known, *symbol, depth).scale(*coefficient))
        })
}

/// The range of one symbol in any one iteration.
pub fn of_symbol(symbol: Symbol<'_>) -> Range {
    symbol_at(&Known::default(), symbol, 0)
}

fn symbol_at<'c>(known: &Known<'c>, symbol: Symbol<'c>, depth: u32) -> Range {
    match symbol {
        Symbol::Value(value, _) => definition(known, value, depth).unwrap_or_else(|| of_type(value)),
        Symbol::Iteration(op) => Range::new(Some(0), For::of(op).and_then(last_iteration)),
        Symbol::Travel(op) => {
            let bounds = For::of(op).map(|for_| (for_.lower().as_constant_int(), for_.upper().as_constant_int()));
            let way = match bounds {
                Some((Some(lower), Some(upper))) => Some((i128::from(upper) - i128::from(lower) - 1).max(0)),
                _ => None,
            };
            Range::new(Some(0), way)
        }
    }
}

/// The range of signed numbers of a narrow type.
fn of_type(value: Value<'_>) -> Range {
    match ty::scalar(value.ty()) {
        Some(ElementType::Int(bits @ 2..64)) => {
            let end = 1i128 << (bits - 1);
            Range::new(Some(-end), Some(end - 1))
        }
        _ => Range::ALL,
    }
}

/// The greatest number that an iteration of a loop can have, counted from 0.
fn last_iteration(for_: For<'_>) -> Option<i128> {
    if let Some(trips) = for_.constant_trip_count() {
        return Some(i128::from(trips.max(1)) - 1);
    }
    if for_.is_unsigned() {
        return None;
    }
    let (lower, upper) = (bound(for_.lower(), 0), bound(for_.upper(), 0));
    Some((upper.most? - lower.least? - 1).max(0))
}

/// The range of a loop's bound, by its type and by a few steps of arithmetic that it is computed by.
fn bound(value: Value<'_>, depth: u32) -> Range {
    const MAX_BOUND_DEPTH: u32 = 4;
    if let Some(constant) = value.as_constant_int() {
        return Range::constant(constant);
    }
    let is_wide = matches!(ty::scalar(value.ty()), Some(ElementType::Index | ElementType::Int(64)));
    let Some(op) = value.defining_op().filter(|_| is_wide && depth < MAX_BOUND_DEPTH) else {
        return of_type(value);
    };
    let operand = |index: usize| bound(op.operand(index), depth + 1);
    match op.name() {
        "arith.index_cast" | "arith.extsi" => operand(0),
        "arith.addi" => operand(0).plus(operand(1)),
        "arith.subi" => operand(0).plus(operand(1).scale(-1)),
        _ => Range::ALL,
    }
}

fn index_range<'c>(known: &Known<'c>, index: &Index<'c>, depth: u32) -> Range {
    match index {
        Index::Linear(linear) => linear_at(known, linear, depth),
        Index::Modulo(modulo) => {
            let remainder = Range::new(Some(0), Some(i128::from(modulo.modulus) - 1));
            linear_at(known, &modulo.rest, depth).plus(remainder.scale(modulo.factor))
        }
    }
}

/// The range of an index.
pub fn of_index(index: &Index<'_>) -> Range {
    index_range(&Known::default(), index, 0)
}

fn value_at<'c>(known: &Known<'c>, value: Value<'c>, depth: u32) -> Range {
    if depth > MAX_DEPTH {
        return Range::ALL;
    }
    match index_at(known, value, depth) {
        Some(index) => index_range(known, &index, depth + 1),
        None => definition(known, value, depth).unwrap_or(Range::ALL),
    }
}

/// The range of a value that is no expression, by the operation that defines it.
fn definition<'c>(known: &Known<'c>, value: Value<'c>, depth: u32) -> Option<Range> {
    if depth > MAX_DEPTH {
        return None;
    }
    known.range(value, depth, || defined(known, value, depth))
}

fn defined<'c>(known: &Known<'c>, value: Value<'c>, depth: u32) -> Option<Range> {
    let op = match value.def() {
        Def::Argument(block, index) => {
            let for_ = For::of(block.parent_op()?)?;
            return carried(known, for_, index.checked_sub(1)?, depth + CARRIED_DEPTH);
        }
        Def::Result(op, _) => op,
    };
    let operand = |index: usize| value_at(known, op.operand(index), depth + 1);
    Some(match op.name() {
        "affine.min" => affine(known, op, depth, Range::min)?,
        "affine.max" => affine(known, op, depth, Range::max)?,
        "affine.apply" => affine(known, op, depth, |left, _| left)?,
        "arith.minsi" => operand(0).min(operand(1)),
        "arith.maxsi" => operand(0).max(operand(1)),
        // The smaller of two unsigned numbers is at most a constant that is not negative.
        "arith.minui" if operand(0).is_not_negative() || operand(1).is_not_negative() => {
            let most = [operand(0), operand(1)]
                .into_iter()
                .filter(|range| range.is_not_negative())
                .filter_map(|range| range.most)
                .min();
            Range::new(Some(0), most)
        }
        "arith.select" => operand(1).or(operand(2)),
        "arith.remui" => {
            let modulus = op.operand(1).as_constant_int().filter(|modulus| *modulus > 0)?;
            Range::new(Some(0), Some(i128::from(modulus) - 1))
        }
        "arith.remsi" => {
            let modulus = i128::from(op.operand(1).as_constant_int().filter(|modulus| *modulus > 0)?);
            let least = if operand(0).is_not_negative() { 0 } else { 1 - modulus };
            Range::new(Some(least), Some(modulus - 1))
        }
        "arith.index_castui" => match ty::scalar(op.operand(0).ty()) {
            Some(ElementType::Int(bits)) if bits < 64 => Range::new(Some(0), Some((1 << bits) - 1)),
            _ => return None,
        },
        "memref.dim" => {
            let size = MemRef::of(op.operand(0).ty()).zip(op.operand(1).as_constant_int());
            let size = size.and_then(|(memref, at)| *memref.shape.get(usize::try_from(at).ok()?)?);
            size.map_or(Range::not_negative(), Range::constant)
        }
        _ => return None,
    })
}

/// The range of a loop-carried value: not negative if its first value is not, and if each iteration that receives it
/// not negative passes it on not negative.
fn carried<'c>(known: &Known<'c>, for_: For<'c>, index: usize, depth: u32) -> Option<Range> {
    let (arg, init) = (*for_.iter_args().get(index)?, *for_.inits().get(index)?);
    let begins = value_at(known, init, depth).is_not_negative();
    (begins && stays_not_negative(known, *for_.yields().get(index)?, arg, depth)).then(Range::not_negative)
}

/// True if a value is not negative when `arg` is not.
fn stays_not_negative<'c>(known: &Known<'c>, value: Value<'c>, arg: Value<'c>, depth: u32) -> bool {
    match index_at(known, value, depth) {
        Some(Index::Linear(linear)) => {
            let (rest, coefficient) = linear.split(Symbol::Value(arg, 0));
            coefficient >= 0 && linear_at(known, &rest, depth + 1).is_not_negative()
        }
        Some(index) => index_range(known, &index, depth + 1).is_not_negative(),
        None => value == arg || definition(known, value, depth + 1).is_some_and(Range::is_not_negative),
    }
}

/// The ranges of a map's results, joined by `join`.
fn affine<'c>(known: &Known<'c>, op: Op<'c>, depth: u32, join: fn(Range, Range) -> Range) -> Option<Range> {
    let map = Map::of(op.attr("map")?)?;
    let operands = op.operands();
    let ranges = map
        .results
        .iter()
        .map(|expr| evaluate(known, expr, &map, &operands, depth));
    ranges.reduce(join)
}

fn evaluate<'c>(known: &Known<'c>, expr: &Expr, map: &Map, operands: &[Value<'c>], depth: u32) -> Range {
    let value = |index: usize| {
        operands
            .get(index)
            .map_or(Range::ALL, |operand| value_at(known, *operand, depth + 1))
    };
    let part = |expr: &Expr| evaluate(known, expr, map, operands, depth);
    match expr {
        Expr::Constant(constant) => Range::constant(*constant),
        Expr::Dim(i) => value(*i),
        Expr::Symbol(i) => value(map.num_dims + i),
        Expr::Add(left, right) => part(left).plus(part(right)),
        Expr::Mul(left, right) => match (left.as_ref(), right.as_ref()) {
            (Expr::Constant(factor), other) | (other, Expr::Constant(factor)) => part(other).scale(*factor),
            _ => Range::ALL,
        },
        Expr::Mod(_, right) => match right.as_ref() {
            Expr::Constant(modulus) if *modulus > 0 => Range::new(Some(0), Some(i128::from(*modulus) - 1)),
            _ => Range::ALL,
        },
        Expr::FloorDiv(left, right) | Expr::CeilDiv(left, right) => match right.as_ref() {
            Expr::Constant(divisor) if *divisor > 0 => {
                let (range, divisor) = (part(left), i128::from(*divisor));
                let up = i128::from(matches!(expr, Expr::CeilDiv(..))) * (divisor - 1);
                let quotient = |bound: Option<i128>| bound.and_then(|b| Some(b.checked_add(up)?.div_euclid(divisor)));
                Range::new(quotient(range.least), quotient(range.most))
            }
            _ => Range::ALL,
        },
    }
}
