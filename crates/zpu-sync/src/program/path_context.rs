//! Which iterations the proof is in, and what can be said of numbers there.
//!
//! The first iterations of a loop are looked at one by one, all others together: there the iteration is known to be at
//! least some number.

use crate::program::ItemId;
use crate::program::atom::{Atom, atom_of};
use crate::program::epoch::Iteration;
use crate::program::facts::Facts;
use std::cell::RefCell;

use crate::predicate::CmpIPredicate;
use crate::problem::view::For;
use crate::problem::view::{Op, Value};
use rustc_hash::FxHashMap;

use crate::index::Range;
use crate::index::{Facts as _, range};
use crate::problem::algebra::{Index, Linear, Symbol};
use crate::problem::view::Table;

/// The running counted loops, outermost first, and what is taken as given.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathContext<'c> {
    loops: Vec<(ItemId, Op<'c>, Iteration)>,
    facts: Facts<'c>,
    assumed: Vec<(Atom<'c>, bool)>,
    /// Bounds of symbols in all iterations, which every predicate begins with.
    everywhere: RefCell<FxHashMap<Symbol<'c>, Range>>,
}

/// The number of facts that were taken as given at some point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checkpoint(usize, usize);

/// Something that is true or not, and that may decide more than one way through the program.
#[derive(Clone, Debug)]
pub(crate) enum Predicate<'c> {
    /// A condition.
    Condition(Value<'c>),
    /// The expression is above 0.
    Positive(Linear<'c>),
}

impl<'c> PathContext<'c> {
    /// An iteration begins: there is one, so that the bound is above the induction variable. Whether it is the last one
    /// may be known; then the bound is above the next value as well, or is not.
    pub(crate) fn enter(
        &mut self,
        item: ItemId,
        op: Op<'c>,
        iteration: Iteration,
        is_last: Option<bool>,
    ) -> Checkpoint {
        let checkpoint = self.checkpoint();
        self.loops.push((item, op, iteration));
        let for_ = For::of(op).filter(|for_| !for_.is_unsigned());
        let step = for_.map(|for_| for_.step().index());
        let step = step.as_ref().and_then(Index::as_linear);
        if let Some(step) = step {
            self.facts_add(step.add_scaled(&Linear::constant(1), -1));
        }
        if let Some((Index::Linear(at), Index::Linear(upper))) =
            for_.map(|for_| (for_.iv().index(), for_.upper().index()))
        {
            let mut room = |at: &Linear<'c>| {
                let above = |at: &Linear<'c>| upper.add_scaled(at, -1)?.add_scaled(&Linear::constant(1), -1);
                self.facts_add(above(at));
                let next = step.and_then(|step| at.add_scaled(step, 1));
                if let Some((next, is_last)) = next.zip(is_last) {
                    self.facts_add(if is_last {
                        next.add_scaled(&upper, -1)
                    } else {
                        above(&next)
                    });
                }
            };
            room(&at);
            // The same of an iteration that is known, in multiples of a step that may not be.
            if let Iteration::At(number) = iteration
                && let Some(at) = at.at(op, &Linear::constant(number))
            {
                room(&at);
            }
        }
        checkpoint
    }

    pub(crate) fn leave(&mut self, checkpoint: Checkpoint) {
        self.loops.pop();
        self.roll_back(checkpoint);
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.facts.len(), self.assumed.len())
    }

    /// Forgets what was taken as given since.
    pub(crate) fn roll_back(&mut self, checkpoint: Checkpoint) {
        self.facts.roll_back(checkpoint.0);
        self.assumed.truncate(checkpoint.1);
    }

    /// Takes an answer as given.
    pub(crate) fn assume(&mut self, predicate: &Predicate<'c>, answer: bool) {
        match predicate {
            Predicate::Condition(value) => {
                let (atom, holds) = atom_of(*value);
                self.assumed.push((atom, answer == holds));
                self.facts.assume(*value, answer);
            }
            Predicate::Positive(linear) => {
                let opposite = || linear.scale(-1);
                let above = || linear.add_scaled(&Linear::constant(1), -1);
                self.facts_add(if answer { above() } else { opposite() });
            }
        }
    }

    fn facts_add(&mut self, not_negative: Option<Linear<'c>>) {
        if let Some(linear) = not_negative {
            self.facts.add(linear);
        }
    }

    /// The answer, if it is certain here.
    pub(crate) fn answer(&self, predicate: &Predicate<'c>) -> Option<bool> {
        match predicate {
            Predicate::Condition(value) => self.evaluate(*value),
            Predicate::Positive(linear) => {
                let range = self.bounds_of(linear);
                let above = range.least.is_some_and(|least| least >= 1);
                let below = range.most.is_some_and(|most| most <= 0);
                above.then_some(true).or(below.then_some(false))
            }
        }
    }

    /// Between which bounds an expression is here, by what is taken as given as well.
    fn bounds_of(&self, linear: &Linear<'c>) -> Range {
        let plain = self.range(linear);
        self.facts.iter().fold(plain, |known, fact| {
            let least = linear.add_scaled(fact, -1).and_then(|rest| self.range(&rest).least);
            let most = linear.add_scaled(fact, 1).and_then(|rest| self.range(&rest).most);
            Range {
                least: known.least.into_iter().chain(least).max(),
                most: known.most.into_iter().chain(most).min(),
            }
        })
    }

    /// The iteration of a running loop.
    pub(crate) fn iteration(&self, item: ItemId) -> Option<Iteration> {
        let found = self.loops.iter().find(|(running, ..)| *running == item);
        found.map(|(.., iteration)| *iteration)
    }

    /// The iterations of all running loops.
    pub(crate) fn iterations(&self) -> Vec<(ItemId, Iteration)> {
        self.loops
            .iter()
            .map(|(item, _, iteration)| (*item, *iteration))
            .collect()
    }

    /// Between which bounds an expression is here.
    pub(crate) fn range(&self, linear: &Linear<'c>) -> Range {
        let terms = linear.terms().iter();
        terms.fold(Range::constant(linear.offset()), |sum, (symbol, coefficient)| {
            sum.plus(self.range_of_symbol(*symbol).scale(*coefficient))
        })
    }

    fn range_of_symbol(&self, symbol: Symbol<'c>) -> Range {
        let known = |symbol: Symbol<'c>| {
            *self
                .everywhere
                .borrow_mut()
                .entry(symbol)
                .or_insert_with(|| Table::range(symbol))
        };
        let mut range = known(symbol);
        if let Symbol::Iteration(op) = symbol {
            match self.loops.iter().find(|(_, running, _)| *running == op) {
                Some((.., Iteration::At(iteration))) => return Range::constant(*iteration),
                Some((.., Iteration::From(least))) => range.least = Some(i128::from(*least)),
                None => {}
            }
        }
        for (factor, offset) in self.facts.of_symbol(symbol) {
            let (factor, offset) = (i128::from(factor), i128::from(offset));
            // factor * symbol + offset >= 0
            if factor > 0 {
                range.least = range.least.max(Some(-offset.div_euclid(factor)));
            } else {
                let most = offset.div_euclid(-factor);
                range.most = Some(range.most.map_or(most, |known| known.min(most)));
            }
        }
        range
    }

    /// The range of any index.
    pub(crate) fn range_of(&self, index: &Index<'c>) -> Range {
        match index {
            Index::Linear(linear) => self.range(linear),
            Index::Modulo(_) => match self.here(index) {
                Index::Linear(linear) => self.range(&linear),
                modulo => range::of_index(&modulo),
            },
        }
    }

    /// An index in the iterations that are known: then a remainder may be a number.
    fn here(&self, index: &Index<'c>) -> Index<'c> {
        let known = self.loops.iter().filter_map(|(_, op, iteration)| match iteration {
            Iteration::At(number) => Some((*op, Linear::constant(*number))),
            Iteration::From(_) => None,
        });
        known.fold(index.clone(), |index, (op, number)| {
            let then = index.depends_on(op).then(|| index.at(op, &number, 0)).flatten();
            then.unwrap_or(index)
        })
    }

    /// True if a condition holds here, false if it does not; none if that is not certain.
    pub(crate) fn evaluate(&self, condition: Value<'c>) -> Option<bool> {
        self.decide(condition, 0, &mut FxHashMap::default())
    }

    /// The value of a condition `depth` steps down, with those known that others are made of, maybe more than once.
    fn decide(
        &self,
        condition: Value<'c>,
        depth: u32,
        known: &mut FxHashMap<(Value<'c>, u32), Option<bool>>,
    ) -> Option<bool> {
        const MAX_DEPTH: u32 = 16;
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(constant) = condition.as_constant_int() {
            return Some(constant != 0);
        }
        if !self.assumed.is_empty() {
            let (atom, holds) = atom_of(condition);
            if let Some((_, said)) = self.assumed.iter().find(|(known, _)| *known == atom) {
                return Some(*said == holds);
            }
        }
        let op = condition.defining_op()?;
        if op.is("arith.cmpi") {
            return self.compare(op);
        }
        if !matches!(op.name(), "arith.andi" | "arith.ori" | "arith.xori") {
            return None;
        }
        if let Some(answer) = known.get(&(condition, depth)) {
            return *answer;
        }
        let mut side = |index: usize| self.decide(op.operand(index), depth + 1, known);
        let answer = match (op.name(), side(0), side(1)) {
            ("arith.andi", Some(false), _) | ("arith.andi", _, Some(false)) => Some(false),
            ("arith.andi", Some(true), Some(true)) => Some(true),
            ("arith.ori", Some(true), _) | ("arith.ori", _, Some(true)) => Some(true),
            ("arith.ori", Some(false), Some(false)) => Some(false),
            ("arith.xori", Some(left), Some(right)) => Some(left != right),
            _ => None,
        };
        known.insert((condition, depth), answer);
        answer
    }

    fn compare(&self, op: Op<'c>) -> Option<bool> {
        let predicate = op.cmpi_predicate()?;
        let (left, right) = (op.operand(0).index(), op.operand(1).index());
        let Range { least, most } = match (left.as_linear(), right.as_linear()) {
            (Some(left), Some(right)) => self.bounds_of(&left.add_scaled(right, -1)?),
            _ => self.range_of(&left).plus(self.range_of(&right).scale(-1)),
        };
        let above = |bound: i128| least.is_some_and(|least| least >= bound);
        let below = |bound: i128| most.is_some_and(|most| most <= bound);
        let either = |yes: bool, no: bool| yes.then_some(true).or(no.then_some(false));
        // Unsigned comparisons are those of numbers that are not negative.
        let unsigned = |answer: Option<bool>| {
            let starts = |index: &Index<'c>| self.range_of(index).is_not_negative();
            answer.filter(|_| starts(&left) && starts(&right))
        };
        let signed = match predicate.signed() {
            CmpIPredicate::Eq => either(above(0) && below(0), above(1) || below(-1)),
            CmpIPredicate::Ne => either(above(1) || below(-1), above(0) && below(0)),
            CmpIPredicate::Slt => either(below(-1), above(0)),
            CmpIPredicate::Sle => either(below(0), above(1)),
            CmpIPredicate::Sgt => either(above(1), below(0)),
            _ => either(above(0), below(-1)),
        };
        if predicate.is_unsigned() {
            unsigned(signed)
        } else {
            signed
        }
    }
}
