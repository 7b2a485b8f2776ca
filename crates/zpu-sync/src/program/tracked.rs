//! The values that waits name: tokens, and numbers of barrier ids.
//!
//! A number is followed like a token from the command that was started with it to the wait, through what loops carry
//! and branches yield: a later command with the same number on the same engine is complete later, and one on another
//! engine may not take a number that is live. A number that no command was started with stands for none; where it is
//! negative, a guard `if (number >= 0)` around the wait means the same as the wait.

use crate::predicate::CmpIPredicate;
use crate::problem::view::For;
use crate::problem::view::{Block, Def, Op, Value};
use crate::problem::{OpId, Problem};
use rustc_hash::{FxHashMap, FxHashSet};

/// Numbers that are waited for, and the ways on which they come.
#[derive(Debug, Default)]
pub(crate) struct Tracked<'c> {
    numbers: FxHashSet<Value<'c>>,
    /// Of equal constants, one stands for all.
    constants: FxHashMap<i64, Value<'c>>,
    /// Constant numbers that commands take.
    taken: FxHashSet<i64>,
    /// Some number that stands for no command is another one than -1.
    is_below_minus_one: bool,
    /// Some waits name no number that a command took before, so that numbers have to be compared.
    pub(crate) compares: bool,
}

impl<'c> Tracked<'c> {
    /// The values that waits of a problem name.
    pub(crate) fn of(problem: &'c Problem) -> Self {
        let mut tracked = Self::default();
        let ops: Vec<Op<'c>> = (0..problem.operations.len() as u32)
            .map(|id| problem.op(OpId(id)))
            .collect();
        let waits = ops.iter().filter(|op| op.is("zpu.id_wait"));
        let ids = ops.iter().filter(|op| op.is_start()).flat_map(|op| op.operands());
        tracked.taken = ids.filter_map(Value::as_constant_int).collect();
        let mut open: Vec<Value<'c>> = waits.map(|op| op.operand(0)).collect();
        while let Some(value) = open.pop() {
            if let Some(constant) = value.as_constant_int() {
                tracked.constants.entry(constant).or_insert(value);
                tracked.is_below_minus_one |= constant < -1;
            }
            if tracked.numbers.insert(value) {
                open.extend(sources(value));
            }
        }
        let waits: Vec<Op<'c>> = ops.into_iter().filter(|op| op.is("zpu.id_wait")).collect();
        if !waits.is_empty() {
            let uses = problem.uses();
            tracked.compares = waits.into_iter().any(|wait| !tracked.is_named(wait, problem, &uses));
        }
        tracked
    }

    /// True if a wait's number is that of a command before it, by name, or comes on a way that is followed.
    fn is_named(&self, wait: Op<'c>, problem: &'c Problem, uses: &[Vec<(OpId, usize)>]) -> bool {
        let number = self.name(wait.operand(0));
        if let Some(constant) = number.as_constant_int() {
            return self.taken.contains(&constant);
        }
        let users = uses[number.id.at()].iter().map(|(op, _)| problem.op(*op));
        let mut starts = users.filter(|op| op.is_start());
        !sources(number).is_empty() || starts.any(|start| is_behind(start, wait))
    }

    /// True if a command takes this number by a constant.
    pub(crate) fn is_taken(&self, number: i64) -> bool {
        self.taken.contains(&number)
    }

    /// True if the value is a token, or a number that is waited for.
    pub(crate) fn contains(&self, value: Value<'c>) -> bool {
        value.is_token() || self.numbers.contains(&self.name(value))
    }

    /// Of values that are handed on, each with the one that it becomes, those that waits name.
    pub(crate) fn among(&self, pairs: Vec<(Value<'c>, Value<'c>)>) -> Vec<(Value<'c>, Value<'c>)> {
        let is_tracked = |(to, from): &(Value<'c>, Value<'c>)| self.contains(*to) || self.contains(*from);
        pairs.into_iter().filter(is_tracked).collect()
    }

    /// The tracked number that a condition is about, and what the condition is where the number is not negative.
    pub(crate) fn sign_guard(&self, condition: Value<'c>) -> Option<(Value<'c>, bool)> {
        let op = condition.defining_op().filter(|op| op.is("arith.cmpi"))?;
        let (number, bound) = (op.operand(0), op.operand(1).as_constant_int()?);
        let is_there = match (op.cmpi_predicate()?, bound) {
            // No other negative number is one that stands for no command.
            (CmpIPredicate::Ne, -1) if !self.is_below_minus_one => true,
            (CmpIPredicate::Eq, -1) if !self.is_below_minus_one => false,
            (CmpIPredicate::Sge, 0) | (CmpIPredicate::Sgt, -1) => true,
            (CmpIPredicate::Slt, 0) | (CmpIPredicate::Sle, -1) => false,
            _ => return None,
        };
        self.contains(number).then_some((number, is_there))
    }

    /// The value that stands for all that are equal to it for certain.
    pub(crate) fn name(&self, value: Value<'c>) -> Value<'c> {
        let constant = value
            .as_constant_int()
            .and_then(|constant| self.constants.get(&constant));
        constant.copied().unwrap_or(value)
    }
}

/// True if the second operation, or one that holds it, comes after the first one in that one's block.
fn is_behind<'c>(first: Op<'c>, second: Op<'c>) -> bool {
    let owners = std::iter::successors(Some(second), |op| op.parent());
    let beside = owners.into_iter().find(|op| op.block() == first.block());
    let position = |wanted: Op<'c>| first.block()?.ops().position(|op| op == wanted);
    position(first)
        .zip(beside.and_then(position))
        .is_some_and(|(first, second)| first < second)
}

/// The token that stands for no command, if that is what a token is on every way on which it comes.
pub(crate) fn only_null(token: Value<'_>) -> Option<Op<'_>> {
    let (mut seen, mut open, mut null) = (FxHashSet::default(), vec![token], None);
    while let Some(value) = open.pop() {
        if !seen.insert(value) {
            continue;
        }
        match value.defining_op().filter(|op| op.is("zpu.null_token")) {
            Some(op) => null = Some(op),
            None => {
                let before = open.len();
                open.extend(sources(value));
                if open.len() == before {
                    return None;
                }
            }
        }
    }
    null
}

/// Values of which a number or a token is one.
fn sources<'c>(value: Value<'c>) -> Vec<Value<'c>> {
    let carried = |for_: For<'c>, at: usize| Some((*for_.inits().get(at)?, *for_.yields().get(at)?));
    match value.def() {
        Def::Argument(block, position) if block.op().is("scf.while") => sources_of_while(block.op(), block, position),
        Def::Argument(block, position) => {
            let for_ = For::of(block.op());
            let pair = for_.and_then(|for_| carried(for_, position.checked_sub(1)?));
            pair.map_or_else(Vec::new, |(init, next)| vec![init, next])
        }
        Def::Result(op, position) => match op.name() {
            "arith.select" => op.operands().split_off(1),
            "scf.if" => {
                let yields = op.blocks().into_iter().map(Block::yields);
                yields.filter_map(|yields| yields.get(position).copied()).collect()
            }
            "scf.while" => passed_on(op, position).into_iter().collect(),
            "scf.for" => For::of(op)
                .and_then(|for_| carried(for_, position))
                .map_or_else(Vec::new, |(init, next)| vec![init, next]),
            _ => Vec::new(),
        },
    }
}

/// Values of which an argument of a loop with a condition is one.
fn sources_of_while<'c>(op: Op<'c>, block: Block<'c>, position: usize) -> Vec<Value<'c>> {
    let blocks = op.blocks();
    if blocks.first() != Some(&block) {
        return passed_on(op, position).into_iter().collect();
    }
    let first = op.operands().get(position).copied();
    let yields = blocks.get(1).map(|after| after.yields());
    let next = yields.and_then(|yields| yields.get(position).copied());
    first.into_iter().chain(next).collect()
}

/// The value that the condition of a loop hands on at a position.
fn passed_on<'c>(op: Op<'c>, position: usize) -> Option<Value<'c>> {
    op.blocks().first()?.yields().get(position + 1).copied()
}

/// True if a value means the same after a loop that it is defined in, or in its next iteration: a constant does, and
/// may stand for equal ones elsewhere.
pub(crate) fn outlives_loop<'c>(value: Value<'c>, loop_: Op<'c>) -> bool {
    value.as_constant_int().is_some() || !value.is_defined_inside(loop_)
}
