//! Facts about numbers that conditions around an operation give, and what follows for the slot that it uses.
//!
//! `x mod n` is only then a function of `x` modulo `n` when `x` is not negative, since remainders are taken of unsigned
//! numbers. After a pipelined loop, `x` is a trip count less a few, and only the branch around it says that there are
//! so many.

use crate::predicate::CmpIPredicate;
use crate::problem::view::{Op, Value};
use rustc_hash::FxHashSet;

use crate::index::range;
use crate::problem::algebra::Access;
use crate::problem::algebra::{Index, Linear, Symbol};

/// Expressions that are not negative.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts<'c> {
    list: Vec<Linear<'c>>,
}

impl<'c> Facts<'c> {
    /// The number of expressions; see [`Self::roll_back`].
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Forgets all but the first.
    pub(crate) fn roll_back(&mut self, first: usize) {
        self.list.truncate(first);
    }

    /// Takes it as given that an expression is not negative.
    pub(crate) fn add(&mut self, not_negative: Linear<'c>) {
        // A number says nothing of others.
        if not_negative.terms().is_empty() {
            return;
        }
        let dividend = of_dividend(&not_negative);
        self.list.push(not_negative);
        self.list.extend(dividend);
    }

    /// Of the expressions in one symbol alone: its factor and what is added.
    pub(crate) fn of_symbol(&self, symbol: Symbol<'c>) -> impl Iterator<Item = (i64, i64)> {
        self.list.iter().filter_map(move |fact| match fact.terms() {
            [(known, factor)] if *known == symbol => Some((*factor, fact.offset())),
            _ => None,
        })
    }

    /// The expressions that are not negative.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Linear<'c>> {
        self.list.iter()
    }

    /// Takes a condition as given, or its opposite. What stands in it more than once is taken once.
    pub(crate) fn assume(&mut self, condition: Value<'c>, holds: bool) {
        let (mut seen, mut open) = (FxHashSet::default(), vec![condition]);
        while let Some(value) = open.pop() {
            let Some(op) = value.defining_op().filter(|_| seen.insert(value)) else {
                continue;
            };
            match op.name() {
                "arith.andi" if holds => open.extend(op.operands().into_iter().rev()),
                "arith.ori" if !holds => open.extend(op.operands().into_iter().rev()),
                "arith.cmpi" if op.operand(0).is_index() => {
                    if let Some(fact) = comparison(op, holds) {
                        self.add(fact);
                    }
                }
                _ => {}
            }
        }
    }

    fn is_not_negative(&self, linear: &Linear<'c>) -> bool {
        let over = |fact: &Linear<'c>| linear.add_scaled(fact, -1).is_some_and(|rest| counts_up(&rest));
        counts_up(linear) || self.list.iter().any(over)
    }

    /// Names slots as remainders where they are.
    pub(crate) fn refine(&self, access: &mut Access<'c>) {
        let region = &mut access.region;
        for extent in region.extents.iter_mut().flatten().chain(&mut region.bytes) {
            if let Some(index) = extent.offset.as_linear().and_then(|linear| self.with_remainder(linear)) {
                extent.offset = index;
            }
        }
    }

    /// The expression with a remainder in it, if one of its values is one.
    fn with_remainder(&self, linear: &Linear<'c>) -> Option<Index<'c>> {
        let (symbol, remainder) = linear.terms().iter().find_map(|(symbol, _)| match symbol {
            Symbol::Value(value, 0) => Some((*symbol, self.remainder(*value)?)),
            _ => None,
        })?;
        let (rest, coefficient) = linear.split(symbol);
        Index::Linear(rest).add_scaled(&remainder, coefficient)
    }

    fn remainder(&self, value: Value<'c>) -> Option<Index<'c>> {
        let op = value
            .defining_op()
            .filter(|op| op.is("arith.remui") && value.is_index())?;
        let modulus = op.operand(1).as_constant_int().filter(|modulus| *modulus > 0)?;
        match op.operand(0).index() {
            Index::Linear(linear) if self.is_not_negative(&linear) => Some(Index::modulo(linear, modulus)),
            _ => None,
        }
    }
}

/// The bound on a number that follows from one on its quotient: on a loop's length, which is divided by the step, from
/// one on the trip count.
fn of_dividend<'c>(fact: &Linear<'c>) -> Option<Linear<'c>> {
    let [(Symbol::Value(value, 0), factor)] = fact.terms() else {
        return None;
    };
    let op = value.defining_op()?;
    let rest = match op.name() {
        "arith.ceildivsi" | "arith.ceildivui" => 0,
        "arith.divui" => 1,
        _ => return None,
    };
    let divisor = op.operand(1).as_constant_int().filter(|divisor| *divisor > 0)?;
    // Only the bound from above, which says that there are few.
    let most = fact
        .offset()
        .checked_div_euclid(factor.checked_neg().filter(|factor| *factor > 0)?)?;
    let most = most.checked_mul(divisor)?.checked_add(rest * (divisor - 1))?;
    let Index::Linear(dividend) = op.operand(0).index() else {
        return None;
    };
    (most >= 0 || op.is("arith.ceildivsi")).then(|| Linear::constant(most).add_scaled(&dividend, -1))?
}

/// The expression that is not negative if the comparison holds, or if it does not.
fn comparison<'c>(op: Op<'c>, holds: bool) -> Option<Linear<'c>> {
    let (left, right) = (op.operand(0).index(), op.operand(1).index());
    let difference = left.as_linear()?.add_scaled(right.as_linear()?, -1)?;
    let less = |linear: &Linear<'c>| linear.add_scaled(&Linear::constant(1), -1);
    let opposite = difference.scale(-1)?;
    let predicate = op.cmpi_predicate()?;
    match if holds { predicate } else { predicate.negated() } {
        CmpIPredicate::Slt => less(&opposite),
        CmpIPredicate::Sle => Some(opposite),
        CmpIPredicate::Sgt => less(&difference),
        CmpIPredicate::Sge => Some(difference),
        _ => None,
    }
}

fn counts_up(linear: &Linear<'_>) -> bool {
    range::of_linear(linear).is_not_negative()
}
