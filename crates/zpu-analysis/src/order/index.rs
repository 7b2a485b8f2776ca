//! Index values as sums of loop indices with quotients and remainders.
//!
//! [`crate::linear`] answers "may" with remainders by one modulus; an order wants the value itself, and quotients, or
//! a reason why there is none. Indices and 64-bit integers are taken not to wrap, as there.

use zpu_ir::affine::{Expr, Map};
use zpu_ir::scf::For;
use zpu_ir::{Def, Op, Value, ty};

use super::Decline;
use super::affine::Affine;
use super::nest::Nest;

/// Chains of arithmetic deeper than this are not followed.
const MAX_DEPTH: u32 = 64;

/// The value in terms of the loops around `at`; the error names what it depends on.
pub(super) fn index<'c>(value: Value<'c>, nest: &Nest<'c>, at: Op<'c>) -> Result<Affine, Decline<'c>> {
    Reader { nest, at }.value(value, 0)
}

struct Reader<'n, 'c> {
    nest: &'n Nest<'c>,
    /// The operation that uses the value.
    at: Op<'c>,
}

impl<'c> Reader<'_, 'c> {
    fn value(&self, value: Value<'c>, depth: u32) -> Result<Affine, Decline<'c>> {
        if let Some(constant) = value.as_constant_int() {
            return Ok(Affine::constant(constant));
        }
        match value.def() {
            Def::Result(op, _) if depth < MAX_DEPTH => self.result(op, depth + 1),
            Def::Argument(..) => self.induction_variable(value),
            Def::Result(op, _) => Err(self.unknown(&format!("of a chain of more than {MAX_DEPTH}"), Some(op))),
        }
    }

    fn unknown(&self, what: &str, by: Option<Op<'c>>) -> Decline<'c> {
        let name = by.map_or(String::new(), |op| format!(", {}", op.name()));
        let message = format!("{} uses an index {what}{name}", self.at.name());
        Decline::new("data-dependent", by.unwrap_or(self.at), message)
    }

    fn induction_variable(&self, value: Value<'c>) -> Result<Affine, Decline<'c>> {
        let Some(for_) = For::of_iv(value) else {
            return Err(self.unknown("that is an argument of a block", None));
        };
        let place = self.nest.place_of(value);
        let place = place.ok_or_else(|| self.unknown("of a loop that is not around it", Some(for_.op)))?;
        let (Some(lower), Some(step)) = (for_.lower().as_constant_int(), for_.step().as_constant_int()) else {
            let message = "lower bound and step of the loop are not constant".to_owned();
            return Err(Decline::new("dynamic-trip-count", for_.op, message));
        };
        let index = Affine::constant(lower).plus(&Affine::index(place), step);
        index.ok_or_else(|| self.unknown("that does not fit in 64 bits", None))
    }

    fn result(&self, op: Op<'c>, depth: u32) -> Result<Affine, Decline<'c>> {
        let operand = |index: usize| self.value(op.operand(index), depth);
        let constant = |index: usize| op.operand(index).as_constant_int().filter(|value| *value > 0);
        let known = match op.name() {
            "arith.addi" => operand(0)?.plus(&operand(1)?, 1),
            "arith.subi" => operand(0)?.plus(&operand(1)?, -1),
            "arith.muli" => product(&operand(0)?, &operand(1)?),
            "arith.index_cast" | "arith.extsi" => return operand(0),
            "arith.floordivsi" => constant(1)
                .map(|by| operand(0).map(|value| value.quotient(by)))
                .transpose()?
                .flatten(),
            "arith.ceildivsi" => match constant(1) {
                Some(by) => operand(0)?
                    .plus(&Affine::constant(by - 1), 1)
                    .and_then(|value| value.quotient(by)),
                None => None,
            },
            // The same as long as nothing is negative.
            "arith.divsi" | "arith.divui" | "arith.remsi" | "arith.remui" => match constant(1) {
                Some(by) => {
                    let value = operand(0)?;
                    let is_quotient = op.name().starts_with("arith.div");
                    self.is_not_negative(&value)
                        .then(|| {
                            if is_quotient {
                                value.quotient(by)
                            } else {
                                value.remainder(by)
                            }
                        })
                        .flatten()
                }
                None => None,
            },
            "affine.apply" => {
                let map = op.attr("map").and_then(Map::of);
                match map.as_ref().map(|map| (map, map.results.as_slice())) {
                    Some((map, [result])) => self.mapped(op, map, result, depth)?,
                    _ => None,
                }
            }
            _ => None,
        };
        let is_wide = ty::is_index(op.result(0).ty()) || ty::element_bytes(op.result(0).ty()) == Some(8);
        known
            .filter(|_| is_wide)
            .ok_or_else(|| self.unknown("that is no sum of loops", Some(op)))
    }

    /// An affine expression of an operation's operands.
    fn mapped(&self, op: Op<'c>, map: &Map, expr: &Expr, depth: u32) -> Result<Option<Affine>, Decline<'c>> {
        let part = |expr: &Expr| self.mapped(op, map, expr, depth);
        let divided = |left: &Expr, right: &Expr, up: bool| -> Result<Option<(Affine, i64)>, Decline<'c>> {
            let (Some(value), Some(by)) = (part(left)?, part(right)?.and_then(|by| by.as_constant())) else {
                return Ok(None);
            };
            let more = if up { by - 1 } else { 0 };
            Ok(value.plus(&Affine::constant(more), 1).map(|value| (value, by)))
        };
        Ok(match expr {
            Expr::Constant(value) => Some(Affine::constant(*value)),
            Expr::Dim(at) => Some(self.value(op.operand(*at), depth)?),
            Expr::Symbol(at) => Some(self.value(op.operand(map.num_dims + at), depth)?),
            Expr::Add(left, right) => match (part(left)?, part(right)?) {
                (Some(left), Some(right)) => left.plus(&right, 1),
                _ => None,
            },
            Expr::Mul(left, right) => match (part(left)?, part(right)?) {
                (Some(left), Some(right)) => product(&left, &right),
                _ => None,
            },
            Expr::FloorDiv(left, right) => divided(left, right, false)?.and_then(|(value, by)| value.quotient(by)),
            Expr::CeilDiv(left, right) => divided(left, right, true)?.and_then(|(value, by)| value.quotient(by)),
            Expr::Mod(left, right) => divided(left, right, false)?.and_then(|(value, by)| value.remainder(by)),
        })
    }

    fn is_not_negative(&self, value: &Affine) -> bool {
        // A loop of unknown length counts for one of any: its index is not negative.
        const LONG: i64 = 1 << 31;
        let trips: Vec<i64> = self.nest.trips().into_iter().map(|trip| trip.unwrap_or(LONG)).collect();
        let range = value.expr(0).and_then(|expr| expr.range(&trips));
        range.is_some_and(|(low, _)| low >= 0)
    }
}

fn product(left: &Affine, right: &Affine) -> Option<Affine> {
    match (left.as_constant(), right.as_constant()) {
        (Some(factor), _) => right.times(factor),
        (_, Some(factor)) => left.times(factor),
        _ => None,
    }
}
