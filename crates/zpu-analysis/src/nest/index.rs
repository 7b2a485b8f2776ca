//! Index arithmetic of IR as expressions of a nest.

use zpu_device::ElementType;
use zpu_ir::affine::{self, Map};
use zpu_ir::arith::{CmpIPredicate, cmpi_predicate};
use zpu_ir::{Op, Type, Value, ty};
use zpu_model::{Comparison, Expr, Step};

use super::{NoNest, Reader};

impl<'c> Reader<'c, '_> {
    /// The number of an index value at `op`.
    pub(super) fn number(&self, op: Op<'c>, value: Value<'c>) -> Result<Expr, NoNest<'c>> {
        if let Some(number) = value.as_constant_int() {
            return Ok(Expr::Constant(number));
        }
        self.numbers.get(&value).cloned().ok_or_else(|| NoNest {
            at: value.defining_op().unwrap_or(op),
            message: format!(
                "a bound, a size or a condition of {} depends on memory or on an argument, or is computed by \
                 arithmetic that the model does not follow",
                op.name()
            ),
        })
    }

    /// Takes down what an operation without effects computes, if that is index arithmetic.
    pub(super) fn arithmetic(&mut self, op: Op<'c>, steps: &mut Vec<Step>) {
        if op.num_results() != 1 || ty::scalar(op.result(0).ty()).is_none() {
            return;
        }
        let result = op.result(0);
        if let Some(number) = result.as_constant_int() {
            self.numbers.insert(result, Expr::Constant(number));
            return;
        }
        match self.computed(op).map(|expr| within(expr, op.result(0).ty())) {
            // A name for it keeps expressions short that are used several times.
            Some(expr @ (Expr::Constant(_) | Expr::Value(_))) => {
                self.numbers.insert(result, expr);
            }
            Some(expr) => {
                let value = self.value();
                steps.push(Step::Set { value, expr });
                self.numbers.insert(result, Expr::Value(value));
            }
            None => {}
        }
    }

    fn computed(&self, op: Op<'c>) -> Option<Expr> {
        // A truth value is 0 or 1 here, and 0 or -1 as a number with sign.
        let of_bools = op.operands().iter().any(|operand| is_bool(*operand));
        let operand = |at: usize| self.number(op, op.operand(at)).ok().map(Box::new);
        let binary = |make: fn(Box<Expr>, Box<Expr>) -> Expr| Some(make(operand(0)?, operand(1)?));
        match op.name() {
            "arith.addi" => binary(Expr::Add),
            "arith.subi" => binary(Expr::Subtract),
            "arith.muli" | "arith.andi" if op.is("arith.muli") || of_bools => binary(Expr::Multiply),
            "arith.ori" if of_bools => binary(Expr::Maximum),
            "arith.minsi" => binary(Expr::Minimum),
            "arith.maxsi" => binary(Expr::Maximum),
            "arith.floordivsi" => binary(Expr::FloorDivide),
            "arith.ceildivsi" => binary(Expr::CeilDivide),
            // Rounded to zero, which is down where nothing is negative.
            "arith.divui" => Some(non_negative(*operand(0)?, Expr::FloorDivide(operand(0)?, operand(1)?))),
            "arith.remui" => Some(non_negative(*operand(0)?, Expr::Modulo(operand(0)?, operand(1)?))),
            "arith.index_cast" | "arith.extsi" if !of_bools => operand(0).map(|expr| *expr),
            "arith.select" => Some(Expr::Select(operand(0)?, operand(1)?, operand(2)?)),
            "arith.cmpi" => {
                let comparison = match cmpi_predicate(op)? {
                    CmpIPredicate::Eq => Comparison::Equal,
                    CmpIPredicate::Ne => Comparison::NotEqual,
                    _ if of_bools => return None,
                    CmpIPredicate::Slt => Comparison::Less,
                    CmpIPredicate::Sle => Comparison::LessOrEqual,
                    CmpIPredicate::Sgt => Comparison::Greater,
                    CmpIPredicate::Sge => Comparison::GreaterOrEqual,
                    // Of numbers without sign the model has none.
                    _ => return None,
                };
                Some(Expr::Compare(comparison, operand(0)?, operand(1)?))
            }
            "memref.dim" => {
                let at = usize::try_from(op.operand(1).as_constant_int()?).ok()?;
                self.views.get(&op.operand(0))?.sizes.get(at).cloned()
            }
            "affine.apply" => self.affine(op, |left, _| left),
            "affine.min" => self.affine(op, |left, right| Expr::Minimum(left.into(), right.into())),
            "affine.max" => self.affine(op, |left, right| Expr::Maximum(left.into(), right.into())),
            _ => None,
        }
    }

    fn affine(&self, op: Op<'c>, join: fn(Expr, Expr) -> Expr) -> Option<Expr> {
        let map = Map::of(op.attr("map")?)?;
        let operands = op.operands().into_iter().map(|operand| self.number(op, operand).ok());
        let operands: Vec<Expr> = operands.collect::<Option<_>>()?;
        let results = map.results.iter().map(|result| substituted(result, &map, &operands));
        results.collect::<Option<Vec<Expr>>>()?.into_iter().reduce(join)
    }
}

fn is_bool(value: Value<'_>) -> bool {
    ty::scalar(value.ty()) == Some(ElementType::Int(1))
}

/// An expression without a value.
fn none() -> Expr {
    Expr::FloorDivide(Expr::Constant(0).into(), Expr::Constant(0).into())
}

/// An expression that has a value only where a number is not negative.
fn non_negative(number: Expr, expr: Expr) -> Expr {
    let is_negative = Expr::Compare(Comparison::Less, number.into(), Expr::Constant(0).into());
    Expr::Select(is_negative.into(), none().into(), expr.into())
}

/// An expression that has a value only where it fits a type: a narrow number would be another one.
fn within(expr: Expr, ty: Type<'_>) -> Expr {
    let bits = match ty::scalar(ty) {
        Some(ElementType::Int(bits @ 1..64)) => bits,
        _ => return expr,
    };
    if matches!(expr, Expr::Constant(_) | Expr::Compare(..)) {
        return expr;
    }
    // A truth value is 0 or 1.
    let (least, most) = match bits {
        1 => (0, 1),
        _ => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
    };
    let compare = |comparison, limit: i64| Expr::Compare(comparison, expr.clone().into(), Expr::Constant(limit).into());
    let low = compare(Comparison::GreaterOrEqual, least);
    let fits = Expr::Multiply(low.into(), compare(Comparison::LessOrEqual, most).into());
    Expr::Select(fits.into(), expr.into(), none().into())
}

/// An affine expression with its operands put in.
fn substituted(expr: &affine::Expr, map: &Map, operands: &[Expr]) -> Option<Expr> {
    let part = |expr: &affine::Expr| substituted(expr, map, operands).map(Box::new);
    Some(match expr {
        affine::Expr::Constant(number) => Expr::Constant(*number),
        affine::Expr::Dim(at) => operands.get(*at)?.clone(),
        affine::Expr::Symbol(at) => operands.get(map.num_dims + at)?.clone(),
        affine::Expr::Add(left, right) => Expr::Add(part(left)?, part(right)?),
        affine::Expr::Mul(left, right) => Expr::Multiply(part(left)?, part(right)?),
        affine::Expr::Mod(left, right) => Expr::Modulo(part(left)?, part(right)?),
        affine::Expr::FloorDiv(left, right) => Expr::FloorDivide(part(left)?, part(right)?),
        affine::Expr::CeilDiv(left, right) => Expr::CeilDivide(part(left)?, part(right)?),
    })
}
