//! The induction variable of an iteration as IR.

use zpu_ir::scf::For;
use zpu_ir::{Builder, Value, ty};

use crate::iteration_number::{exact, truncated};

/// An iteration number: a constant, or a value plus a constant.
#[derive(Clone, Copy)]
pub(super) struct Iteration<'c> {
    pub(super) base: Option<Value<'c>>,
    pub(super) offset: i64,
}

impl<'c> Iteration<'c> {
    /// Emits the number as an index.
    pub(super) fn as_index(self, builder: &mut Builder<'c>) -> Value<'c> {
        match self.base {
            None => builder.index(self.offset),
            Some(base) if self.offset == 0 => base,
            Some(base) => {
                let offset = builder.index(self.offset.saturating_abs());
                let name = if self.offset < 0 { "arith.subi" } else { "arith.addi" };
                exact(builder, name, base, offset)
            }
        }
    }
}

/// Emits `lower + iteration * step` of an iteration that exists, without operations that the constants 0 and 1 make
/// redundant. If the lower bound is not negative, product and sum are between 0 and the upper bound, and their overflow
/// flags say so: the analysis finds the number of the iteration in them.
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
    let mut iteration = number.as_index(builder);
    if !ty::is_index(ty) {
        iteration = if for_.is_unsigned() {
            // It may not fit the type as a signed number, which a cast back to an index would get wrong.
            truncated(builder, iteration, ty)
        } else {
            builder.op("arith.index_cast", &[iteration], &[ty], &[]).result(0)
        };
    }
    let is_exact = !for_.is_unsigned() && lower.is_some_and(|lower| lower >= 0);
    let mut binary = |name, left, right| {
        if is_exact {
            exact(builder, name, left, right)
        } else {
            builder.binary(name, left, right)
        }
    };
    if step != Some(1) {
        iteration = binary("arith.muli", iteration, for_.step());
    }
    if lower != Some(0) {
        iteration = binary("arith.addi", iteration, for_.lower());
    }
    iteration
}
