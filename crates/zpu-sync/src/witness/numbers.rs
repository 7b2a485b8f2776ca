//! Integers in one execution of a function: its arguments are chosen, the rest follows.
//!
//! A value that depends on memory, on a call or on floating-point numbers has no number, unless it is loaded from
//! memory of which the elements are chosen too; nor has one whose arithmetic leaves its type, where the execution would
//! mean nothing.

use std::collections::HashSet;

use crate::problem::view::For;
use crate::problem::view::{Def, Op, Value};
use crate::problem::{NUMBER, OpId};
use rustc_hash::FxHashMap;

use crate::problem::algebra::{Index, Linear, Symbol};

/// Something that the caller chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Choice<'c> {
    /// An argument of the function.
    Argument(Value<'c>),
    /// The size of a dimension of one.
    Size(Value<'c>, usize),
    /// The elements of one that the function only reads: all 0 or all 1, or by chance below that number.
    Elements(Value<'c>),
}

/// The integers of one execution at one point.
#[derive(Debug, Default)]
pub(crate) struct Numbers<'c> {
    /// Choices, in the order in which they were asked for.
    pub(crate) chosen: Vec<(Choice<'c>, i64)>,
    /// Sizes that accesses need before anybody has asked for them.
    needed: FxHashMap<Choice<'c>, i64>,
    /// Numbers to choose: the first for the first choice that is asked for, and so on; the last for all others.
    menu: Vec<i64>,
    /// Arguments of which the elements are chosen as well.
    read_only: HashSet<Value<'c>>,
    /// The elements of all other memory are, too.
    draws: bool,
    /// Arguments of running loops and results of control flow.
    known: FxHashMap<Value<'c>, i64>,
    /// Numbers that follow for values that were asked for, so that one with many uses is computed once.
    derived: FxHashMap<Value<'c>, i64>,
    /// Iterations of running loops, outermost first.
    pub(crate) iterations: Vec<(Op<'c>, i64)>,
    /// Steps of evaluation.
    pub(crate) work: u64,
}

/// Chains of arithmetic deeper than this have no number, so that the evaluation, which is recursive, has stack enough.
const MAX_DEPTH: u32 = 48;

impl<'c> Numbers<'c> {
    /// The numbers of a call with these arguments; the elements of those in `read_only` are chosen as well.
    pub(crate) fn of_call(menu: Vec<i64>, read_only: HashSet<Value<'c>>) -> Self {
        Self {
            menu,
            read_only,
            ..Self::default()
        }
    }

    /// The numbers of a call with these arguments, in which whatever is loaded from memory is chosen.
    pub(crate) fn drawn(menu: Vec<i64>) -> Self {
        Self {
            menu,
            draws: true,
            ..Self::default()
        }
    }

    /// Names the number of a value; `None` forgets it.
    pub(crate) fn set(&mut self, value: Value<'c>, number: Option<i64>) {
        let before = match number {
            Some(number) => self.known.insert(value, number),
            None => self.known.remove(&value),
        };
        if before != number {
            self.derived.clear();
        }
    }

    /// The number of a value.
    pub(crate) fn of(&mut self, value: Value<'c>) -> Option<i64> {
        self.at(value, 0)
    }

    fn at(&mut self, value: Value<'c>, depth: u32) -> Option<i64> {
        self.work += 1;
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(known) = self.known.get(&value).or_else(|| self.derived.get(&value)) {
            return Some(*known);
        }
        if let Some(constant) = value.as_constant_int() {
            return Some(if value.bits() == Some(1) {
                constant & 1
            } else {
                constant
            });
        }
        let bits = value.bits().filter(|bits| *bits <= 64)?;
        match value.def() {
            Def::Argument(block, _) => {
                let is_function = block.op().id == OpId::FUNCTION && block.op().blocks().first() == Some(&block);
                is_function.then(|| self.choose(Choice::Argument(value), bits))
            }
            Def::Result(op, _) => {
                let number = self.result(op, bits, depth)?;
                self.derived.insert(value, number);
                Some(number)
            }
        }
    }

    fn choose(&mut self, choice: Choice<'c>, bits: u32) -> i64 {
        if let Some((_, number)) = self.chosen.iter().find(|(known, _)| *known == choice) {
            return *number;
        }
        let number = self
            .menu
            .get(self.chosen.len())
            .or(self.menu.last())
            .copied()
            .unwrap_or(0);
        let number = if bits == 1 { number & 1 } else { number };
        let number = self.needed.get(&choice).map_or(number, |needed| number.max(*needed));
        self.chosen.push((choice, number));
        number
    }

    /// True if an argument's dimension may have so many indices: it may as long as its size is not known.
    pub(crate) fn reaches(&mut self, memref: Value<'c>, dim: usize, end: i64) -> bool {
        let choice = Choice::Size(memref, dim);
        if let Some((_, size)) = self.chosen.iter().find(|(known, _)| *known == choice) {
            return end <= *size;
        }
        let needed = self.needed.entry(choice).or_insert(end);
        *needed = end.max(*needed);
        true
    }

    fn result(&mut self, op: Op<'c>, bits: u32, depth: u32) -> Option<i64> {
        let next = depth + 1;
        match op.name() {
            "arith.select" => {
                let side = if self.at(op.operand(0), next)? != 0 { 1 } else { 2 };
                return self.at(op.operand(side), next);
            }
            "memref.dim" => return self.size(op, next),
            NUMBER => return self.of_index(&op.result(0).index()),
            "memref.load" => return self.element(op, bits, next),
            "arith.index_cast" | "arith.extsi" | "arith.trunci" | "affine.same" => {
                return fit(self.at(op.operand(0), next)?.into(), bits);
            }
            "arith.index_castui" | "arith.extui" => {
                let number = self.at(op.operand(0), next)?;
                return if number >= 0 { Some(number) } else { None };
            }
            _ => {}
        }
        if op.num_operands() != 2 {
            return None;
        }
        let (left, right) = (self.at(op.operand(0), next)?, self.at(op.operand(1), next)?);
        if op.is("arith.cmpi") {
            return Some(op.cmpi_predicate()?.evaluate(left, right).into());
        }
        if bits == 1 {
            return logic(op.name(), left != 0, right != 0).map(i64::from);
        }
        fit(binary(op.name(), left.into(), right.into())?, bits)
    }

    fn size(&mut self, op: Op<'c>, depth: u32) -> Option<i64> {
        let memref = op.operand(0);
        let dim = usize::try_from(self.at(op.operand(1), depth)?).ok()?;
        match *memref.memref()?.shape.get(dim)? {
            Some(size) => Some(size),
            None if memref.defining_op().is_none() => Some(self.choose(Choice::Size(memref, dim), 64)),
            None => None,
        }
    }

    /// The number that is loaded from an argument which the function only reads.
    fn element(&mut self, op: Op<'c>, bits: u32, depth: u32) -> Option<i64> {
        let memref = op.operand(0);
        if !self.draws && !self.read_only.contains(&memref) {
            return None;
        }
        let kind = self.choose(Choice::Elements(memref), 64);
        let mut place = kind;
        for index in op.operands().into_iter().skip(1) {
            place = scattered(place.wrapping_add(self.at(index, depth)?));
        }
        let number = if kind > 1 { place.rem_euclid(kind) } else { kind };
        if bits == 1 {
            Some(number & 1)
        } else {
            fit(number.into(), bits)
        }
    }

    /// The number of an expression.
    pub(crate) fn of_index(&mut self, index: &Index<'c>) -> Option<i64> {
        match index {
            Index::Linear(linear) => self.of_linear(linear),
            Index::Modulo(modulo) => {
                let remainder = self.of_linear(&modulo.dividend)?.rem_euclid(modulo.modulus);
                let rest = self.of_linear(&modulo.rest)?;
                rest.checked_add(remainder.checked_mul(modulo.factor)?)
            }
        }
    }

    /// The number of a linear expression.
    pub(crate) fn of_linear(&mut self, linear: &Linear<'c>) -> Option<i64> {
        let mut sum = linear.offset();
        for (symbol, coefficient) in linear.terms() {
            let number = match symbol {
                Symbol::Value(value, 0) => self.of(*value)?,
                Symbol::Value(..) => return None,
                Symbol::Iteration(op) => self.iteration(*op)?,
                Symbol::Travel(op) => {
                    let iteration = self.iteration(*op)?;
                    iteration.checked_mul(self.of(For::of(*op)?.step())?)?
                }
            };
            sum = sum.checked_add(number.checked_mul(*coefficient)?)?;
        }
        Some(sum)
    }

    fn iteration(&self, op: Op<'c>) -> Option<i64> {
        let found = self.iterations.iter().find(|(running, _)| *running == op);
        found.map(|(_, iteration)| *iteration)
    }
}

/// A number that looks as if it came by chance.
fn scattered(number: i64) -> i64 {
    let mixed = number.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 32)).cast_signed()
}

/// The number itself, if its type holds it.
fn fit(number: i128, bits: u32) -> Option<i64> {
    let end = 1i128 << (bits - 1);
    (-end <= number && number < end)
        .then(|| i64::try_from(number).ok())
        .flatten()
}

fn logic(name: &str, left: bool, right: bool) -> Option<bool> {
    match name {
        "arith.andi" => Some(left && right),
        "arith.ori" => Some(left || right),
        "arith.xori" => Some(left != right),
        _ => None,
    }
}

fn binary(name: &str, left: i128, right: i128) -> Option<i128> {
    let is_unsigned = left >= 0 && right >= 0;
    match name {
        "arith.addi" => Some(left + right),
        "arith.subi" => Some(left - right),
        "arith.muli" => left.checked_mul(right),
        "arith.minsi" => Some(left.min(right)),
        "arith.maxsi" => Some(left.max(right)),
        "arith.minui" => is_unsigned.then(|| left.min(right)),
        "arith.maxui" => is_unsigned.then(|| left.max(right)),
        "arith.divsi" => left.checked_div(right),
        "arith.remsi" => left.checked_rem(right),
        "arith.divui" if is_unsigned => left.checked_div(right),
        "arith.remui" if is_unsigned => left.checked_rem(right),
        "arith.floordivsi" if right > 0 => Some(left.div_euclid(right)),
        "affine.add" => Some(left + right),
        "affine.mul" => left.checked_mul(right),
        "affine.mod" if right > 0 => Some(left.rem_euclid(right)),
        "affine.floordiv" if right > 0 => Some(left.div_euclid(right)),
        "affine.ceildiv" if right > 0 => Some(-(-left).div_euclid(right)),
        "affine.min" => Some(left.min(right)),
        "affine.max" => Some(left.max(right)),
        "arith.ceildivsi" if right > 0 => Some(-(-left).div_euclid(right)),
        "arith.ceildivui" if is_unsigned && right > 0 => Some(-(-left).div_euclid(right)),
        "arith.andi" => Some(left & right),
        "arith.ori" => Some(left | right),
        "arith.xori" => Some(left ^ right),
        _ => None,
    }
}
