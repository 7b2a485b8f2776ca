//! Typed view of `scf.for`.

use crate::{Block, Def, Op, Value};

/// An `scf.for`, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct For<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// Its body.
    pub body: Block<'c>,
}

impl<'c> For<'c> {
    /// The view, if `op` is an `scf.for`.
    pub fn of(op: Op<'c>) -> Option<Self> {
        if !op.is("scf.for") {
            return None;
        }
        Some(Self { op, body: op.body()? })
    }

    /// The loop whose induction variable `value` is.
    pub fn of_iv(value: Value<'c>) -> Option<Self> {
        let Def::Argument(block, 0) = value.def() else {
            return None;
        };
        Self::of(block.parent_op()?)
    }

    /// Lower bound.
    pub fn lower(self) -> Value<'c> {
        self.op.operand(0)
    }

    /// Upper bound, exclusive.
    pub fn upper(self) -> Value<'c> {
        self.op.operand(1)
    }

    /// Step.
    pub fn step(self) -> Value<'c> {
        self.op.operand(2)
    }

    /// Induction variable.
    pub fn iv(self) -> Value<'c> {
        self.body.args()[0]
    }

    /// Initial values of the loop-carried values.
    pub fn inits(self) -> Vec<Value<'c>> {
        self.op.operands().split_off(3)
    }

    /// The loop-carried values inside the body.
    pub fn iter_args(self) -> Vec<Value<'c>> {
        self.body.args().split_off(1)
    }

    /// The `scf.yield`.
    pub fn terminator(self) -> Op<'c> {
        self.body.terminator().expect("the body of an scf.for has a terminator")
    }

    /// The values that the body hands to the next iteration.
    pub fn yields(self) -> Vec<Value<'c>> {
        self.terminator().operands()
    }

    /// The body's operations, in order, without the terminator.
    pub fn ops(self) -> Vec<Op<'c>> {
        let terminator = self.terminator();
        self.body.ops().filter(|op| *op != terminator).collect()
    }

    /// True if bounds compare as unsigned numbers (`unsignedCmp`).
    pub fn is_unsigned(self) -> bool {
        self.op.has_attr("unsignedCmp")
    }

    /// The number of iterations, if bounds and step are constant.
    pub fn constant_trip_count(self) -> Option<i64> {
        self.trip_count_with(Value::as_constant_int)
    }

    /// The number of iterations, if bounds and step have these numbers.
    pub fn trip_count_with(self, number: impl Fn(Value<'c>) -> Option<i64>) -> Option<i64> {
        let (lower, upper, step) = (number(self.lower())?, number(self.upper())?, number(self.step())?);
        if step <= 0 {
            return None;
        }
        if self.is_unsigned() && (lower < 0 || upper < 0) {
            return None;
        }
        if upper <= lower {
            return Some(0);
        }
        let span = i128::from(upper) - i128::from(lower);
        i64::try_from((span + i128::from(step) - 1) / i128::from(step)).ok()
    }

    /// True if no loop is nested inside.
    pub fn is_innermost(self) -> bool {
        !self.op.walk().into_iter().skip(1).any(is_loop)
    }
}

/// True if the operation is a loop, counted or not.
pub fn is_loop(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "scf.for" | "scf.while" | "scf.parallel" | "scf.forall" | "affine.for" | "affine.parallel"
    )
}
