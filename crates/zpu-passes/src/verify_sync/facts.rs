//! What conditions around an operation say of numbers, and what follows for the slot that it uses.
//!
//! `x mod n` is only then a function of `x` modulo `n` when `x` is not negative, since remainders are taken of unsigned
//! numbers. Behind a pipelined loop, `x` is a trip count less a few, and only the branch around it says that there are so many.

use zpu_ir::{Op, Value, attr, ty};

use crate::analysis::access::Access;
use crate::analysis::linear::{Index, Linear, index_of};
use crate::analysis::range;

/// Expressions that are not negative.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts<'c> {
    list: Vec<Linear<'c>>,
}

impl<'c> Facts<'c> {
    /// How many there are; see [`Self::forget`].
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Forgets all but the first.
    pub(super) fn forget(&mut self, first: usize) {
        self.list.truncate(first);
    }

    /// Takes it as given that an expression is not negative.
    pub(super) fn add(&mut self, not_negative: Linear<'c>) {
        self.list.push(not_negative);
    }

    /// The expressions that are not negative.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Linear<'c>> {
        self.list.iter()
    }

    /// Takes a condition as given, or its opposite.
    pub(super) fn assume(&mut self, condition: Value<'c>, holds: bool) {
        let Some(op) = condition.defining_op() else { return };
        match op.name() {
            "arith.andi" if holds => op.operands().into_iter().for_each(|side| self.assume(side, true)),
            "arith.ori" if !holds => op.operands().into_iter().for_each(|side| self.assume(side, false)),
            "arith.cmpi" if ty::is_index(op.operand(0).ty()) => self.list.extend(comparison(op, holds)),
            _ => {}
        }
    }

    fn is_not_negative(&self, linear: &Linear<'c>) -> bool {
        let over = |fact: &Linear<'c>| linear.add_scaled(fact, -1).is_some_and(|rest| counts_up(&rest));
        counts_up(linear) || self.list.iter().any(over)
    }

    /// Names slots as remainders where they are.
    pub(super) fn refine(&self, access: &mut Access<'c>) {
        for extent in access.region.extents.iter_mut().flatten() {
            let value = extent.offset.as_linear().and_then(Linear::as_value);
            if let Some(index) = value.and_then(|value| self.remainder(value)) {
                extent.offset = index;
            }
        }
    }

    fn remainder(&self, value: Value<'c>) -> Option<Index<'c>> {
        let op = value
            .defining_op()
            .filter(|op| op.is("arith.remui") && ty::is_index(value.ty()))?;
        let modulus = op.operand(1).as_constant_int().filter(|modulus| *modulus > 0)?;
        match index_of(op.operand(0)) {
            Index::Linear(linear) if self.is_not_negative(&linear) => Some(Index::modulo(linear, modulus)),
            _ => None,
        }
    }
}

/// What is not negative if the comparison holds, or if it does not.
fn comparison<'c>(op: Op<'c>, holds: bool) -> Option<Linear<'c>> {
    let (left, right) = (index_of(op.operand(0)), index_of(op.operand(1)));
    let difference = left.as_linear()?.add_scaled(right.as_linear()?, -1)?;
    let less = |linear: &Linear<'c>| linear.add_scaled(&Linear::constant(1), -1);
    let opposite = difference.scale(-1)?;
    match (attr::as_int(op.attr("predicate")?)?, holds) {
        // left < right
        (2, true) | (5, false) => less(&opposite),
        // left <= right
        (3, true) | (4, false) => Some(opposite),
        // left > right
        (4, true) | (3, false) => less(&difference),
        // left >= right
        (5, true) | (2, false) => Some(difference),
        _ => None,
    }
}

fn counts_up(linear: &Linear<'_>) -> bool {
    range::of_linear(linear).is_not_negative()
}
