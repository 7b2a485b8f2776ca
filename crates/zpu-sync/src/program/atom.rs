//! Atoms of conditions, by which equal and opposite conditions are recognised.
//!
//! Of two numbers one is less, equal or greater; of two floating-point numbers there may also be no order, where one is
//! no number. A predicate is the set of these for which it holds, its opposite is the complement, and with the operands
//! swapped, less and greater change places: `slt a, b` is the opposite of `sle b, a`, and `olt a, b` that of `uge a,
//! b`, but not of `oge a, b`.

use crate::predicate::CmpIPredicate;
use crate::problem::view::{Op, Value};

/// The subject of a condition: conditions that are equal or opposite have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Atom<'c> {
    /// Nothing but itself.
    Value(Value<'c>),
    /// A comparison of two values.
    Comparison(Relation, Operand<'c>, Operand<'c>),
}

/// A side of a comparison. Equal constants are one, whatever defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operand<'c> {
    Value(Value<'c>),
    Constant(i64),
}

/// The orders of two values for which a comparison holds, without equality.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Relation {
    order: ValueOrder,
    less: bool,
    greater: bool,
    unordered: bool,
}

/// By which order values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ValueOrder {
    Signed,
    Unsigned,
    Float,
}

impl Relation {
    /// True if it stays the same with the sides swapped.
    pub(crate) fn is_symmetric(self) -> bool {
        self.less == self.greater
    }

    /// The relation of a comparison, whether its sides are swapped in it, and its value where the comparison holds.
    pub(crate) fn of(op: Op<'_>) -> Option<(Self, bool, bool)> {
        // For each predicate: equal, greater, less, unordered.
        let set_of = |predicate: CmpIPredicate| match predicate.signed() {
            CmpIPredicate::Eq => 0b0001,
            CmpIPredicate::Ne => 0b0110,
            CmpIPredicate::Slt => 0b0100,
            CmpIPredicate::Sle => 0b0101,
            CmpIPredicate::Sgt => 0b0010,
            _ => 0b0011,
        };
        let number = usize::from(op.predicate()?);
        let (order, set): (ValueOrder, usize) = match (op.name(), number) {
            ("arith.cmpi", _) => {
                let predicate = op.cmpi_predicate()?;
                let order = if predicate.is_unsigned() {
                    ValueOrder::Unsigned
                } else {
                    ValueOrder::Signed
                };
                (order, set_of(predicate))
            }
            // false, oeq, ogt, oge, olt, ole, one, ord
            ("arith.cmpf", set @ 0..=7) => (ValueOrder::Float, set),
            // ueq, ugt, uge, ult, ule, une
            ("arith.cmpf", set @ 8..=13) => (ValueOrder::Float, (set - 7) | 0b1000),
            // uno, true
            ("arith.cmpf", 14) => (ValueOrder::Float, 0b1000),
            ("arith.cmpf", 15) => (ValueOrder::Float, 0b1111),
            _ => return None,
        };
        // Of a set and its complement, one is without equality.
        let holds = set & 1 == 0;
        let all = if order == ValueOrder::Float { 0b1111 } else { 0b0111 };
        let set = if holds { set } else { all & !set };
        let (greater, less) = (set & 0b0010 != 0, set & 0b0100 != 0);
        let is_swapped = greater && !less;
        let relation = Self {
            order,
            less: less || is_swapped,
            greater: greater && !is_swapped,
            unordered: set & 0b1000 != 0,
        };
        Some((relation, is_swapped, holds))
    }
}

/// The atom of a condition, and its value where the condition holds.
pub(crate) fn atom_of(condition: Value<'_>) -> (Atom<'_>, bool) {
    let itself = (Atom::Value(condition), true);
    let Some(op) = condition.defining_op() else {
        return itself;
    };
    if let Some(opposite) = negated(op) {
        let (atom, holds) = atom_of(opposite);
        return (atom, !holds);
    }
    let Some((relation, is_swapped, holds)) = Relation::of(op) else {
        return itself;
    };
    let (mut left, mut right) = (Operand::of(op.operand(0)), Operand::of(op.operand(1)));
    if is_swapped || relation.is_symmetric() && right.key() < left.key() {
        (left, right) = (right, left);
    }
    match (left, right) {
        // above 4: not below 5
        (Operand::Constant(bound), value @ Operand::Value(_))
            if !relation.is_symmetric() && relation.order != ValueOrder::Float =>
        {
            let is_exact = relation.order == ValueOrder::Signed || bound >= 0;
            match bound.checked_add(1).filter(|_| is_exact) {
                Some(above) => (Atom::Comparison(relation, value, Operand::Constant(above)), !holds),
                None => (Atom::Comparison(relation, left, right), holds),
            }
        }
        _ => (Atom::Comparison(relation, left, right), holds),
    }
}

/// The condition whose opposite this one is, if it is written so.
fn negated<'c>(op: Op<'c>) -> Option<Value<'c>> {
    let is_true = |value: Value<'c>| value.as_constant_int().is_some_and(|constant| constant != 0);
    let sides = op.is("arith.xori").then(|| (op.operand(0), op.operand(1)))?;
    match sides {
        (left, right) if is_true(right) => Some(left),
        (left, right) if is_true(left) => Some(right),
        _ => None,
    }
}

impl<'c> Operand<'c> {
    fn of(value: Value<'c>) -> Self {
        value.as_constant_int().map_or(Self::Value(value), Self::Constant)
    }

    /// Something that orders two sides, in whichever way.
    fn key(self) -> (bool, usize) {
        match self {
            Self::Value(value) => (false, value.id.at()),
            Self::Constant(constant) => (true, constant.cast_unsigned() as usize),
        }
    }
}
