//! Index values of IR as expressions.
//!
//! The invariant: an expression equals the value in every execution. A value that may wrap, may be negative where an
//! operation reads unsigned numbers, or is not linear stays a symbol.
//!
//! Operands are shared: a chain of `a + a` has twice as many paths with each link. So every result is kept while one
//! query runs ([`Known`]), and the work grows with the operations that are reached.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use zpu_device::ElementType;
use zpu_ir::affine::{Expr, Map};
use zpu_ir::arith::has_no_unsigned_wrap;
use zpu_ir::scf::For;
use zpu_ir::{Def, Op, Type, Value, ty};

use crate::linear::{Index, Linear, Symbol};
use crate::range::{self, Range};

/// Chains of arithmetic deeper than this are not followed.
pub(crate) const MAX_DEPTH: u32 = 32;

/// The depth that one step through a loop-carried value counts for: such steps go around, and at 10 a query passes
/// through at most three.
pub(crate) const CARRIED_DEPTH: u32 = 10;

/// The depth that one step through a remainder counts for: it visits its operand more than once.
const REMAINDER_DEPTH: u32 = 4;

/// Results within one query, by value and depth. The depth belongs to the key because a value that is too deep is not
/// followed.
#[derive(Default)]
pub(crate) struct Known<'c> {
    indices: Memo<'c, Option<Index<'c>>>,
    unsigned: Memo<'c, bool>,
    ranges: Memo<'c, Option<Range>>,
}

/// Answers by value and depth.
struct Memo<'c, T>(RefCell<FxHashMap<(Value<'c>, u32), T>>);

impl<T> Default for Memo<'_, T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<'c, T: Clone> Memo<'c, T> {
    /// Returns the known answer, or computes and keeps it.
    fn get(&self, value: Value<'c>, depth: u32, compute: impl FnOnce() -> T) -> T {
        if let Some(answer) = self.0.borrow().get(&(value, depth)) {
            return answer.clone();
        }
        let answer = compute();
        self.0.borrow_mut().insert((value, depth), answer.clone());
        answer
    }
}

impl<'c> Known<'c> {
    /// Returns the known range of a value that is no expression, or computes and keeps it.
    pub(crate) fn range(&self, value: Value<'c>, depth: u32, compute: impl FnOnce() -> Option<Range>) -> Option<Range> {
        self.ranges.get(value, depth, compute)
    }
}

/// Describes an index value as an expression; a value that is not understood is a symbol of its own.
pub fn index_of<'c>(value: Value<'c>) -> Index<'c> {
    index_at(&Known::default(), value, 0).unwrap_or_else(|| Index::Linear(Linear::symbol(Symbol::Value(value, 0))))
}

/// The expression of [`index_of`] at `depth` steps from the start of the query; `None` where that would be a symbol.
pub(crate) fn index_at<'c>(known: &Known<'c>, value: Value<'c>, depth: u32) -> Option<Index<'c>> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(constant) = value.as_constant_int() {
        return Some(Index::constant(constant));
    }
    match value.def() {
        Def::Argument(block, 0) => induction_variable(known, For::of(block.parent_op()?)?, depth),
        Def::Argument(..) => None,
        Def::Result(op, _) if !op.operands().is_empty() => known.indices.get(value, depth, || {
            describe_result(known, op, depth).filter(|index| fits(value.ty(), index))
        }),
        Def::Result(..) => None,
    }
}

fn induction_variable<'c>(known: &Known<'c>, for_: For<'c>, depth: u32) -> Option<Index<'c>> {
    // Between constants that are not negative, unsigned numbers are the signed ones.
    let is_signed_too = |bound: Value<'_>| bound.as_constant_int().is_some_and(|bound| bound >= 0);
    if for_.is_unsigned()
        && !ty::is_index(for_.iv().ty())
        && !(is_signed_too(for_.lower()) && is_signed_too(for_.upper()))
    {
        return None;
    }
    let lower = linear_of(known, for_.lower(), depth);
    match for_.step().as_constant_int() {
        Some(step) => lower.add_scaled(&Linear::symbol(Symbol::Iteration(for_.op)), step),
        None => lower.add_scaled(&Linear::symbol(Symbol::Travel(for_.op)), 1),
    }
    .map(Index::Linear)
}

/// True if an integer has as many bits as an index, so that both readings of it are the same index.
fn is_wide(ty: Type<'_>) -> bool {
    matches!(ty::scalar(ty), Some(ElementType::Index | ElementType::Int(64)))
}

/// True if the expression, computed without wrapping, is the value that `ty` holds. Indices and 64-bit integers are
/// taken not to wrap; narrower ones do.
fn fits(ty: Type<'_>, index: &Index<'_>) -> bool {
    let bits = match ty::scalar(ty) {
        Some(ElementType::Index | ElementType::Int(64)) => return true,
        Some(ElementType::Int(bits)) => bits,
        _ => return false,
    };
    let end = 1i128 << (bits - 1);
    let fits = |linear: &Linear<'_>| {
        // Only bounds of loops count: those of other values may come from arithmetic that wraps.
        let range = range::linear_at(&Known::default(), linear, MAX_DEPTH + 1);
        range.least.is_some_and(|least| -end <= least) && range.most.is_some_and(|most| most < end)
    };
    match index {
        Index::Linear(linear) => fits(linear),
        Index::Modulo(modulo) => {
            modulo.factor == 1 && modulo.rest.as_constant() == Some(0) && i128::from(modulo.modulus) <= end
        }
    }
}

/// True if the value, read as an unsigned number, is the expression that [`index_at`] makes of it: nothing on the way
/// is negative or wraps. A symbol stands for its unsigned reading then.
fn is_unsigned_exact<'c>(known: &Known<'c>, value: Value<'c>, depth: u32) -> bool {
    depth <= MAX_DEPTH && known.unsigned.get(value, depth, || reads_unsigned(known, value, depth))
}

fn reads_unsigned<'c>(known: &Known<'c>, value: Value<'c>, depth: u32) -> bool {
    let not_negative = match index_at(known, value, depth) {
        None => return true,
        Some(Index::Modulo(modulo)) => {
            let rest = range::linear_at(known, &modulo.rest, depth + REMAINDER_DEPTH);
            // A remainder is at least 0 and less than the modulus.
            let most = i128::from(modulo.modulus) - 1;
            rest.least
                .is_some_and(|least| least + most * i128::from(modulo.factor.min(0)) >= 0)
        }
        Some(Index::Linear(linear)) => range::linear_at(known, &linear, depth + REMAINDER_DEPTH).is_not_negative(),
    };
    if not_negative {
        return true;
    }
    let Some(op) = value.defining_op() else { return false };
    let no_wrap = match op.name() {
        "arith.addi" | "arith.subi" | "arith.muli" => has_no_unsigned_wrap(op),
        name => name == "arith.divui",
    };
    let mut operands = op.operands().into_iter();
    no_wrap && operands.all(|operand| is_unsigned_exact(known, operand, depth + 1))
}

/// True if the value is known not to be negative, read as a signed number.
fn is_not_negative<'c>(known: &Known<'c>, value: Value<'c>, depth: u32) -> bool {
    match index_at(known, value, depth) {
        Some(Index::Linear(linear)) => range::linear_at(known, &linear, depth + REMAINDER_DEPTH).is_not_negative(),
        Some(Index::Modulo(modulo)) => modulo.factor > 0 && modulo.rest.as_constant().is_some_and(|rest| rest >= 0),
        None => range::linear_at(
            known,
            &Linear::symbol(Symbol::Value(value, 0)),
            depth.saturating_add(REMAINDER_DEPTH),
        )
        .is_not_negative(),
    }
}

/// A value as a linear expression, as a symbol if need be.
fn linear_of<'c>(known: &Known<'c>, value: Value<'c>, depth: u32) -> Linear<'c> {
    match index_at(known, value, depth + 1) {
        Some(Index::Linear(linear)) => linear,
        _ => Linear::symbol(Symbol::Value(value, 0)),
    }
}

/// The dividend of a remainder. A remainder by the same modulus inside it is replaced by its own dividend, which
/// changes nothing.
fn dividend_of<'c>(known: &Known<'c>, value: Value<'c>, modulus: i64, depth: u32) -> Linear<'c> {
    match operand(known, value, depth) {
        Index::Linear(linear) => Some(linear),
        Index::Modulo(inner) if inner.modulus % modulus == 0 => inner.rest.add_scaled(&inner.dividend, inner.factor),
        Index::Modulo(_) => None,
    }
    .unwrap_or_else(|| Linear::symbol(Symbol::Value(value, 0)))
}

/// The expression of an operand, one step deeper; a symbol if there is none.
fn operand<'c>(known: &Known<'c>, value: Value<'c>, depth: u32) -> Index<'c> {
    index_at(known, value, depth + 1).unwrap_or_else(|| Index::Linear(Linear::symbol(Symbol::Value(value, 0))))
}

/// `left + factor * right`; where both hold remainders that do not go together, they count as symbols.
fn sum<'c>(known: &Known<'c>, op: Op<'c>, factor: i64, depth: u32) -> Option<Index<'c>> {
    let (left, right) = (op.operand(0), op.operand(1));
    operand(known, left, depth)
        .add_scaled(&operand(known, right, depth), factor)
        .or_else(|| {
            let sum = linear_of(known, left, depth).add_scaled(&linear_of(known, right, depth), factor)?;
            Some(Index::Linear(sum))
        })
}

fn product<'c>(left: &Index<'c>, right: &Index<'c>) -> Option<Index<'c>> {
    let zero = Index::constant(0);
    match (left.as_constant(), right.as_constant()) {
        (Some(factor), _) => zero.add_scaled(right, factor),
        (_, Some(factor)) => zero.add_scaled(left, factor),
        _ => None,
    }
}

fn describe_result<'c>(known: &Known<'c>, op: Op<'c>, depth: u32) -> Option<Index<'c>> {
    let linear = |value: Value<'c>| linear_of(known, value, depth);
    match op.name() {
        "arith.addi" => sum(known, op, 1, depth),
        "arith.subi" => match way(op) {
            Some(way) => Some(Index::Linear(way)),
            None => sum(known, op, -1, depth),
        },
        "arith.muli" => product(
            &operand(known, op.operand(0), depth),
            &operand(known, op.operand(1), depth),
        ),
        "arith.index_cast" | "arith.extsi" | "arith.trunci" => Some(operand(known, op.operand(0), depth)),
        "arith.index_castui" => {
            let division = op.operand(0).defining_op().filter(|op| op.is("arith.divui"));
            if let Some(count) = division.and_then(iteration_number).or_else(|| travelled(op.operand(0))) {
                return Some(Index::Linear(count));
            }
            // A symbol stands for a signed number: read without its sign, a narrower one may be another number.
            let value = op.operand(0);
            let exact = is_not_negative(known, value, depth + 1)
                || is_wide(value.ty()) && is_unsigned_exact(known, value, depth + 1);
            exact.then(|| operand(known, value, depth))
        }
        "arith.divui" | "arith.divsi" | "arith.floordivsi" | "arith.ceildivsi" => {
            if let Some(iteration) = iteration_number(op) {
                return Some(Index::Linear(iteration));
            }
            let divisor = linear(op.operand(1)).as_constant()?;
            let exact = !op.is("arith.divui") || is_unsigned_exact(known, op.operand(0), depth + 1);
            exact.then(|| linear(op.operand(0)).divide(divisor))?.map(Index::Linear)
        }
        "arith.remui" => {
            let modulus = linear(op.operand(1)).as_constant().filter(|modulus| *modulus > 0)?;
            // A power of two divides the range of the type, so that what wraps has the same remainder.
            let exact =
                modulus & (modulus - 1) == 0 || is_unsigned_exact(known, op.operand(0), depth + REMAINDER_DEPTH);
            exact.then(|| {
                Index::modulo(
                    dividend_of(known, op.operand(0), modulus, depth + REMAINDER_DEPTH),
                    modulus,
                )
            })
        }
        "arith.remsi" => {
            let modulus = linear(op.operand(1)).as_constant().filter(|modulus| *modulus > 0)?;
            is_not_negative(known, op.operand(0), depth + REMAINDER_DEPTH).then(|| {
                Index::modulo(
                    dividend_of(known, op.operand(0), modulus, depth + REMAINDER_DEPTH),
                    modulus,
                )
            })
        }
        "affine.apply" => affine_apply(known, op, depth),
        "affine.min" | "affine.max" if Map::of(op.attr("map")?)?.results.len() == 1 => affine_apply(known, op, depth),
        _ => None,
    }
}

/// The loop of which an `arith.subi` is `iv - lower`.
fn loop_of_way(subtraction: Op<'_>) -> Option<For<'_>> {
    For::of_iv(subtraction.operand(0)).filter(|for_| subtraction.operand(1) == for_.lower())
}

/// `step * k` for `iv - lower` of a loop, whatever the lower bound is.
fn way(subtraction: Op<'_>) -> Option<Linear<'_>> {
    let for_ = loop_of_way(subtraction)?;
    Some(match for_.step().as_constant_int() {
        Some(step) => Linear::symbol(Symbol::Iteration(for_.op)).scale(step)?,
        None => Linear::symbol(Symbol::Travel(for_.op)),
    })
}

/// `step * k` for `iv - lower`, or for `iv` in a loop from 0, of a loop with a constant step, read as an unsigned
/// number: it fits where the bounds do.
fn travelled(difference: Value<'_>) -> Option<Linear<'_>> {
    let for_ = match For::of_iv(difference) {
        Some(for_) => Some(for_).filter(|for_| for_.lower().as_constant_int() == Some(0)),
        None => loop_of_way(difference.defining_op().filter(|op| op.is("arith.subi"))?),
    }?;
    Linear::symbol(Symbol::Iteration(for_.op)).scale(for_.step().as_constant_int()?)
}

/// `(iv - lower) / step`, or `iv / step` in a loop from 0, of a loop whose bounds need not be constant.
fn iteration_number<'c>(division: Op<'c>) -> Option<Linear<'c>> {
    if division.is("arith.ceildivsi") {
        return None;
    }
    let dividend = division.operand(0);
    let for_ = match For::of_iv(dividend) {
        Some(for_) if for_.lower().as_constant_int() == Some(0) => for_,
        Some(_) => return None,
        None => {
            let difference = dividend.defining_op().filter(|op| op.is("arith.subi"))?;
            loop_of_way(difference).filter(|_| division.is("arith.divui") || ty::is_index(dividend.ty()))?
        }
    };
    (division.operand(1) == for_.step()).then(|| Linear::symbol(Symbol::Iteration(for_.op)))
}

/// Linear `affine.apply`.
fn affine_apply<'c>(known: &Known<'c>, op: Op<'c>, depth: u32) -> Option<Index<'c>> {
    let map = Map::of(op.attr("map")?)?;
    let [result] = map.results.as_slice() else { return None };
    evaluate(known, result, &map, &op.operands(), depth)
}

fn evaluate<'c>(known: &Known<'c>, expr: &Expr, map: &Map, operands: &[Value<'c>], depth: u32) -> Option<Index<'c>> {
    let part = |expr: &Expr| evaluate(known, expr, map, operands, depth);
    match expr {
        Expr::Constant(constant) => Some(Index::constant(*constant)),
        Expr::Dim(i) => Some(operand(known, *operands.get(*i)?, depth)),
        Expr::Symbol(i) => Some(operand(known, *operands.get(map.num_dims + i)?, depth)),
        Expr::Add(left, right) => part(left)?.add_scaled(&part(right)?, 1),
        Expr::Mul(left, right) => product(&part(left)?, &part(right)?),
        Expr::FloorDiv(left, right) | Expr::CeilDiv(left, right) => {
            let divisor = part(right)?.as_constant()?;
            part(left)?.as_linear()?.divide(divisor).map(Index::Linear)
        }
        // The remainder of an affine expression is never negative, whatever the dividend is.
        Expr::Mod(left, right) => {
            let modulus = part(right)?.as_constant().filter(|modulus| *modulus > 0)?;
            Some(Index::modulo(part(left)?.as_linear()?.clone(), modulus))
        }
    }
}
