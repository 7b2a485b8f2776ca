//! Index values as linear expressions over symbols, possibly modulo a constant.
//!
//! The induction variable of a loop with a constant step is `lower + step * k`, where the symbol `k` is the loop's iteration
//! number; so the same expression can be asked about at another iteration. Whatever is not linear becomes a symbol of its
//! own: equal to itself in the same iteration, and to nothing in another one if it is defined inside the loop.

use zpu_device::ElementType;
use zpu_ir::scf::For;
use zpu_ir::{Def, Op, Type, Value, ty};

/// What an expression counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol<'c> {
    /// A value that is not understood further. The number tells instances of different iterations apart; 0 is the current
    /// one.
    Value(Value<'c>, i64),
    /// The iteration number of a loop, from 0.
    Iteration(Op<'c>),
}

/// `constant + sum of coefficient * symbol`; symbols are distinct and coefficients not 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Linear<'c> {
    constant: i64,
    terms: Vec<(Symbol<'c>, i64)>,
}

impl<'c> Linear<'c> {
    /// A constant.
    pub(crate) fn constant(constant: i64) -> Self {
        Self {
            constant,
            terms: Vec::new(),
        }
    }

    /// One symbol.
    pub(crate) fn symbol(symbol: Symbol<'c>) -> Self {
        Self {
            constant: 0,
            terms: vec![(symbol, 1)],
        }
    }

    /// The constant, if there are no symbols.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The value, if the expression is just that.
    pub(crate) fn as_value(&self) -> Option<Value<'c>> {
        match (self.constant, self.terms.as_slice()) {
            (0, [(Symbol::Value(value, _), 1)]) => Some(*value),
            _ => None,
        }
    }

    /// `self + factor * other`; `None` on overflow.
    pub(crate) fn add_scaled(&self, other: &Self, factor: i64) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (symbol, coefficient) in &other.terms {
            sum.add_term(*symbol, coefficient.checked_mul(factor)?)?;
        }
        Some(sum)
    }

    fn add_term(&mut self, symbol: Symbol<'c>, coefficient: i64) -> Option<()> {
        match self.terms.iter().position(|(known, _)| *known == symbol) {
            Some(i) => {
                self.terms[i].1 = self.terms[i].1.checked_add(coefficient)?;
                if self.terms[i].1 == 0 {
                    self.terms.remove(i);
                }
            }
            None if coefficient != 0 => self.terms.push((symbol, coefficient)),
            None => {}
        }
        Some(())
    }

    /// `factor * self`.
    pub(crate) fn scale(&self, factor: i64) -> Option<Self> {
        Self::constant(0).add_scaled(self, factor)
    }

    /// `self / divisor`, if that is exact in every term.
    fn divide(&self, divisor: i64) -> Option<Self> {
        if divisor <= 0 || self.constant % divisor != 0 || self.terms.iter().any(|(_, c)| c % divisor != 0) {
            return None;
        }
        let terms = self.terms.iter().map(|(symbol, c)| (*symbol, c / divisor)).collect();
        Some(Self {
            constant: self.constant / divisor,
            terms,
        })
    }

    /// Replaces the iteration number of `op` by an expression.
    pub(crate) fn at(&self, op: Op<'c>, iteration: &Self) -> Option<Self> {
        let mut rest = self.clone();
        let Some(i) = rest
            .terms
            .iter()
            .position(|(symbol, _)| *symbol == Symbol::Iteration(op))
        else {
            return Some(rest);
        };
        let (_, coefficient) = rest.terms.remove(i);
        rest.add_scaled(iteration, coefficient)
    }

    /// Marks every value that is defined inside `op` as belonging to instance `instance`.
    fn mark(&mut self, op: Op<'c>, instance: i64) {
        for (symbol, _) in &mut self.terms {
            if let Symbol::Value(value, tag) = symbol
                && value.is_defined_inside(op)
            {
                *tag += instance;
            }
        }
    }

    /// Whether it counts in something that is made inside `op`.
    pub(crate) fn depends_on(&self, op: Op<'c>) -> bool {
        self.terms.iter().any(|(symbol, _)| match symbol {
            Symbol::Value(value, _) => value.is_defined_inside(op),
            Symbol::Iteration(inner) => op.contains(*inner),
        })
    }

    /// How much the expression grows per iteration of `op`.
    pub(crate) fn growth(&self, op: Op<'c>) -> i64 {
        self.terms
            .iter()
            .find(|(symbol, _)| *symbol == Symbol::Iteration(op))
            .map_or(0, |(_, c)| *c)
    }
}

/// An index value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Index<'c> {
    /// Linear.
    Linear(Linear<'c>),
    /// A linear expression, never negative, modulo a constant above 0.
    Modulo(Linear<'c>, i64),
}

impl<'c> Index<'c> {
    /// A constant.
    pub(crate) fn constant(constant: i64) -> Self {
        Self::Linear(Linear::constant(constant))
    }

    /// The linear expression, if it is one.
    pub(crate) fn as_linear(&self) -> Option<&Linear<'c>> {
        if let Self::Linear(linear) = self {
            Some(linear)
        } else {
            None
        }
    }

    fn modulo(linear: Linear<'c>, modulus: i64) -> Self {
        match linear.as_constant() {
            Some(constant) => Self::constant(constant.rem_euclid(modulus)),
            None => Self::Modulo(linear, modulus),
        }
    }

    /// The same value in the iteration of `op` that `iteration` names; `instance` tells its values apart from those of
    /// other iterations (0 is the current one).
    pub(crate) fn at(&self, op: Op<'c>, iteration: &Linear<'c>, instance: i64) -> Option<Self> {
        let moved = |linear: &Linear<'c>| {
            let mut linear = linear.at(op, iteration)?;
            linear.mark(op, instance);
            Some(linear)
        };
        Some(match self {
            Self::Linear(linear) => Self::Linear(moved(linear)?),
            Self::Modulo(linear, modulus) => Self::modulo(moved(linear)?, *modulus),
        })
    }
}

/// The least and the greatest value, if all symbols are iteration numbers of loops with constant trip counts.
fn range(linear: &Linear<'_>) -> Option<(i128, i128)> {
    let (mut least, mut greatest) = (i128::from(linear.constant), i128::from(linear.constant));
    for (symbol, coefficient) in &linear.terms {
        let Symbol::Iteration(op) = symbol else { return None };
        let last = For::of(*op)?.constant_trip_count()?.saturating_sub(1).max(0);
        let reach = i128::from(*coefficient) * i128::from(last);
        (least, greatest) = (least + reach.min(0), greatest + reach.max(0));
    }
    Some((least, greatest))
}

/// Whether what is computed mathematically is the value that `ty` holds. Indices and 64-bit integers are taken not to wrap;
/// narrower ones do.
fn fits(ty: Type<'_>, index: &Index<'_>) -> bool {
    let bits = match ty::scalar(ty) {
        Some(ElementType::Index | ElementType::Int(64)) => return true,
        Some(ElementType::Int(bits)) => bits,
        _ => return false,
    };
    let end = 1i128 << (bits - 1);
    match index {
        Index::Linear(linear) => range(linear).is_some_and(|(least, greatest)| -end <= least && greatest < end),
        Index::Modulo(_, modulus) => i128::from(*modulus) <= end,
    }
}

/// Whether the value, read as an unsigned number, is the linear expression that [`describe`] makes of it: nothing on the way is
/// negative or wraps. A symbol stands for its unsigned reading then.
fn is_unsigned_exact(value: Value<'_>, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let linear = match describe(value, depth) {
        None => return true,
        Some(Index::Modulo(..)) => return false,
        Some(Index::Linear(linear)) => linear,
    };
    let counts_up = |(symbol, c): &(Symbol<'_>, i64)| matches!(symbol, Symbol::Iteration(_)) && *c >= 0;
    if linear.constant >= 0 && linear.terms.iter().all(counts_up) {
        return true;
    }
    let Some(op) = value.defining_op() else { return false };
    let no_wrap = match op.name() {
        "arith.addi" | "arith.subi" | "arith.muli" => op
            .attr("overflowFlags")
            .is_some_and(|flags| flags.to_string().contains("nuw")),
        name => name == "arith.divui",
    };
    let mut operands = op.operands().into_iter();
    no_wrap && operands.all(|operand| is_unsigned_exact(operand, depth + 1))
}

/// Describes an index value.
pub(crate) fn index_of<'c>(value: Value<'c>) -> Index<'c> {
    describe(value, 0).unwrap_or_else(|| Index::Linear(Linear::symbol(Symbol::Value(value, 0))))
}

/// Chains of arithmetic deeper than this are not followed.
const MAX_DEPTH: u32 = 32;

fn describe<'c>(value: Value<'c>, depth: u32) -> Option<Index<'c>> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(constant) = value.as_constant_int() {
        return Some(Index::constant(constant));
    }
    match value.def() {
        Def::Argument(block, 0) => {
            let for_ = For::of(block.parent_op()?).filter(|for_| !for_.is_unsigned() || ty::is_index(value.ty()))?;
            let step = for_.step().as_constant_int()?;
            let iteration = Linear::symbol(Symbol::Iteration(for_.op));
            let lower = linear_of(for_.lower(), depth);
            lower.add_scaled(&iteration, step).map(Index::Linear)
        }
        Def::Argument(..) => None,
        Def::Result(op, _) => describe_result(op, depth).filter(|index| fits(value.ty(), index)),
    }
}

/// A value as a linear expression, if need be as a symbol.
fn linear_of<'c>(value: Value<'c>, depth: u32) -> Linear<'c> {
    match describe(value, depth + 1) {
        Some(Index::Linear(linear)) => linear,
        _ => Linear::symbol(Symbol::Value(value, 0)),
    }
}

fn describe_result<'c>(op: Op<'c>, depth: u32) -> Option<Index<'c>> {
    let linear = |value: Value<'c>| linear_of(value, depth);
    match op.name() {
        "arith.addi" => linear(op.operand(0))
            .add_scaled(&linear(op.operand(1)), 1)
            .map(Index::Linear),
        "arith.subi" => linear(op.operand(0))
            .add_scaled(&linear(op.operand(1)), -1)
            .map(Index::Linear),
        "arith.muli" => {
            let (left, right) = (linear(op.operand(0)), linear(op.operand(1)));
            match (left.as_constant(), right.as_constant()) {
                (Some(factor), _) => right.scale(factor).map(Index::Linear),
                (_, Some(factor)) => left.scale(factor).map(Index::Linear),
                _ => None,
            }
        }
        "arith.index_cast" => Some(cast(op.operand(0), depth)),
        "arith.index_castui" => {
            let division = op.operand(0).defining_op().filter(|op| op.is("arith.divui"));
            if let Some(count) = division.and_then(iteration_number).or_else(|| travelled(op.operand(0))) {
                return Some(Index::Linear(count));
            }
            is_unsigned_exact(op.operand(0), depth + 1).then(|| cast(op.operand(0), depth))
        }
        "arith.divui" | "arith.divsi" => {
            if let Some(iteration) = iteration_number(op) {
                return Some(Index::Linear(iteration));
            }
            let divisor = linear(op.operand(1)).as_constant()?;
            let exact = op.is("arith.divsi") || is_unsigned_exact(op.operand(0), depth + 1);
            exact.then(|| linear(op.operand(0)).divide(divisor))?.map(Index::Linear)
        }
        "arith.remui" => {
            let modulus = linear(op.operand(1)).as_constant().filter(|modulus| *modulus > 0)?;
            // A power of two divides the range of the type, so that what wraps has the same remainder.
            let exact = is_unsigned_exact(op.operand(0), depth + 1) || modulus & (modulus - 1) == 0;
            exact.then(|| Index::modulo(linear(op.operand(0)), modulus))
        }
        "affine.apply" => affine_apply(op, &linear),
        _ => None,
    }
}

/// A value in another type: what is known of it, or a symbol.
fn cast(value: Value<'_>, depth: u32) -> Index<'_> {
    describe(value, depth + 1).unwrap_or_else(|| Index::Linear(Linear::symbol(Symbol::Value(value, 0))))
}

/// `step * k` for `iv - lower` of a loop with a constant step, read as an unsigned number: it fits where the bounds do.
fn travelled(difference: Value<'_>) -> Option<Linear<'_>> {
    let subtraction = difference.defining_op().filter(|op| op.is("arith.subi"))?;
    let for_ = For::of_iv(subtraction.operand(0)).filter(|for_| subtraction.operand(1) == for_.lower())?;
    Linear::symbol(Symbol::Iteration(for_.op)).scale(for_.step().as_constant_int()?)
}

/// `(iv - lower) / step`, or `iv / step` in a loop from 0, of a loop whose bounds need not be constant.
fn iteration_number<'c>(division: Op<'c>) -> Option<Linear<'c>> {
    let dividend = division.operand(0);
    let for_ = match For::of_iv(dividend) {
        Some(for_) if for_.lower().as_constant_int() == Some(0) => for_,
        Some(_) => return None,
        None => {
            let difference = dividend.defining_op().filter(|op| op.is("arith.subi"))?;
            let for_ = For::of_iv(difference.operand(0))?;
            if difference.operand(1) != for_.lower() || division.is("arith.divsi") && !ty::is_index(dividend.ty()) {
                return None;
            }
            for_
        }
    };
    (division.operand(1) == for_.step()).then(|| Linear::symbol(Symbol::Iteration(for_.op)))
}

/// Linear `affine.apply`, read from the map's text-free form.
fn affine_apply<'c>(op: Op<'c>, linear: &dyn Fn(Value<'c>) -> Linear<'c>) -> Option<Index<'c>> {
    let map = zpu_ir::affine::Map::of(op.attr("map")?)?;
    let operands = op.operands();
    let [result] = map.results.as_slice() else { return None };
    evaluate(result, map.num_dims, &operands, linear).map(Index::Linear)
}

fn evaluate<'c>(
    expr: &zpu_ir::affine::Expr,
    dims: usize,
    operands: &[Value<'c>],
    linear: &dyn Fn(Value<'c>) -> Linear<'c>,
) -> Option<Linear<'c>> {
    use zpu_ir::affine::Expr;
    Some(match expr {
        Expr::Constant(constant) => Linear::constant(*constant),
        Expr::Dim(i) => linear(*operands.get(*i)?),
        Expr::Symbol(i) => linear(*operands.get(dims + i)?),
        Expr::Add(left, right) => {
            evaluate(left, dims, operands, linear)?.add_scaled(&evaluate(right, dims, operands, linear)?, 1)?
        }
        Expr::Mul(left, right) => {
            let (left, right) = (
                evaluate(left, dims, operands, linear)?,
                evaluate(right, dims, operands, linear)?,
            );
            match (left.as_constant(), right.as_constant()) {
                (Some(factor), _) => right.scale(factor)?,
                (_, Some(factor)) => left.scale(factor)?,
                _ => return None,
            }
        }
        Expr::FloorDiv(left, right) => {
            let divisor = evaluate(right, dims, operands, linear)?.as_constant()?;
            evaluate(left, dims, operands, linear)?.divide(divisor)?
        }
        Expr::Mod(..) | Expr::CeilDiv(..) => return None,
    })
}
