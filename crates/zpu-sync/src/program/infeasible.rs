//! Commands that a branch tells were never issued: those under its own condition, on the way round it.
//!
//! Which trips of a loop are done may be in memory. Then a trip's load is issued under a condition, and iterations
//! later its use under the same one, which the loop has carried there:
//!
//! ```mlir
//! scf.for ... iter_args(%last = %first) {
//!   %here = memref.load %mask[%i]
//!   scf.if %last != 0 { wait for the load; use }   // where it is 0, the iteration before has issued no load
//!   scf.if %here != 0 { load }
//!   scf.yield %here
//! }
//! ```
//!
//! So a condition is written as what it was when an outstanding command was issued: in that iteration, what the loop
//! carries is what earlier iterations yielded. If that is the condition over the command, or part of it, the command is
//! known to be there or not.

use crate::problem::view::For;
use crate::problem::view::{Def, Op, Value};
use crate::program::atom::Relation;
use crate::program::epoch::{Epoch, Instance, Iteration};
use crate::program::path_context::PathContext;
use crate::program::{ItemId, Kind, Program};

/// Operations in one condition beyond which it is not looked at: what a loop carries is put into it once for each
/// iteration, and it may grow each time.
const MOST_NODES: usize = 32;

/// Iterations that a condition is followed back at most: about as many as loops tell apart.
const MOST_BACK: u32 = 32;

/// Arithmetic over values that something else makes.
#[derive(Clone, Debug)]
enum Term<'c> {
    Value(Value<'c>),
    /// The result of an operation on these.
    Op(Op<'c>, Vec<Self>),
    /// A comparison of these two, or its opposite, whichever way it is written.
    Comparison(Relation, Box<[Self; 2]>),
}

impl PartialEq for Term<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Value(left), Self::Value(right)) => left == right,
            (Self::Op(left, own), Self::Op(right, others)) => {
                (left == right || compute_alike(*left, *right)) && own == others
            }
            (Self::Comparison(left, own), Self::Comparison(right, others)) => {
                let is_swapped = || own[0] == others[1] && own[1] == others[0];
                left == right && (own == others || left.is_symmetric() && is_swapped())
            }
            _ => false,
        }
    }
}

/// True if two operations compute the same of equal operands. Some compute another thing in another type. The words of
/// the attributes hold numbers and predicates too where somebody wrote them, which a text need not have done.
fn compute_alike<'c>(left: Op<'c>, right: Op<'c>) -> bool {
    left.name() == right.name()
        && left.result(0).ty() == right.result(0).ty()
        && left.result(0).as_constant_int() == right.result(0).as_constant_int()
        && left.predicate() == right.predicate()
        && left.attributes() == right.attributes()
}

/// Terms that are known to hold, or not to hold.
#[derive(Clone, Debug)]
pub(crate) struct PathFacts<'c>(Vec<(Term<'c>, bool)>);

impl PathFacts<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if they cannot all hold together with others.
    pub(crate) fn contradict(&self, other: &Self) -> bool {
        let opposite =
            |(term, holds): &(Term<'_>, bool)| other.0.iter().any(|(same, also)| also != holds && same == term);
        self.0.iter().any(opposite)
    }
}

/// Terms that hold wherever a command is issued, by the branches around it.
pub(crate) fn claims_of_item<'c>(program: &Program<'c>, item: ItemId) -> PathFacts<'c> {
    let op = program.items[item].op;
    let mut claims = Vec::new();
    for branch in &program.items[item].branches {
        let branch = program.items[*branch].op;
        let then = branch.blocks().first().copied();
        let mut around = std::iter::successors(Some(op), |op| op.parent());
        let inside = around.find(|op| op.parent() == Some(branch));
        if let (Some(inside), Some(term)) = (inside, Term::of(branch.operand(0))) {
            split(term, inside.block() == then, &mut claims);
        }
    }
    PathFacts(claims)
}

/// Terms that hold on a side of a branch, in values as they were when an outstanding command was issued.
pub(crate) fn claims_of_side<'c>(
    program: &Program<'c>,
    context: &PathContext<'c>,
    branch: ItemId,
    instance: &Instance,
    holds: bool,
) -> Option<PathFacts<'c>> {
    let mut claims = Vec::new();
    split(when_issued(program, context, branch, instance)?, holds, &mut claims);
    Some(PathFacts(claims))
}

/// All that a condition means that holds, or does not.
fn split<'c>(term: Term<'c>, holds: bool, claims: &mut Vec<(Term<'c>, bool)>) {
    match term {
        Term::Op(op, sides) if holds && op.is("arith.andi") => {
            sides.into_iter().for_each(|side| split(side, true, claims));
        }
        Term::Op(op, sides) if !holds && op.is("arith.ori") => {
            sides.into_iter().for_each(|side| split(side, false, claims));
        }
        term => {
            let (term, is_it) = term.compared();
            claims.push((term, holds == is_it));
        }
    }
}

/// A branch's condition in terms of values as they were when a command was issued.
fn when_issued<'c>(
    program: &Program<'c>,
    context: &PathContext<'c>,
    branch: ItemId,
    instance: &Instance,
) -> Option<Term<'c>> {
    let around = &program.items[branch].around;
    let mut term = Term::of(program.items[branch].op.operand(0))?;
    // The loops that run since before the command was issued.
    let mut shared = 0;
    for (own, (other, when)) in around.iter().zip(&instance.when) {
        if own != other || !matches!(when, Epoch::Ago(_) | Epoch::Before(_)) {
            break;
        }
        shared += 1;
        if *when != Epoch::Ago(0) {
            break;
        }
    }
    for loop_ in around[shared..].iter().rev() {
        term = in_front(program, context, *loop_, term)?;
    }
    for (at, (loop_, when)) in instance.when.iter().enumerate() {
        let op = program.items[*loop_].op;
        term = match when {
            Epoch::Ago(0) if at < shared => term,
            Epoch::Ago(ago) if at < shared => iterations_ago(For::of(op), op, *ago, term)?,
            Epoch::Before(_) | Epoch::Over => Some(term).filter(|term| !term.depends_on(op))?,
            Epoch::Last(number) => {
                let last = term.with(&|value| last_of(op, value))?;
                iterations_ago(For::of(op), op, number - 1, last)?
            }
            Epoch::Ago(_) => return None,
        };
    }
    Some(term)
}

/// The term before a running loop that equals one inside it.
fn in_front<'c>(program: &Program<'c>, context: &PathContext<'c>, loop_: ItemId, term: Term<'c>) -> Option<Term<'c>> {
    let op = program.items[loop_].op;
    if !term.depends_on(op) {
        return Some(term);
    }
    let Kind::For(counted) = &program.items[loop_].kind else {
        return None;
    };
    let Iteration::At(number) = context.iteration(loop_)? else {
        return None;
    };
    let first = iterations_ago(Some(counted.for_), op, u32::try_from(number).ok()?, term)?;
    let inits = counted.for_.inits();
    first.with(&|value| match carried(counted.for_, value) {
        Some(at) => inits.get(at).copied(),
        None => Some(value).filter(|value| !value.is_defined_inside(op)),
    })
}

/// The term that another one was so many iterations ago.
fn iterations_ago<'c>(for_: Option<For<'c>>, op: Op<'c>, ago: u32, term: Term<'c>) -> Option<Term<'c>> {
    if ago == 0 || !term.depends_on(op) {
        return Some(term);
    }
    let for_ = for_.filter(|_| ago <= MOST_BACK)?;
    let yields = for_.yields();
    let mut term = term;
    for _ in 0..ago {
        term = term.with(&|value| match carried(for_, value) {
            Some(at) => yields.get(at).copied(),
            None => Some(value).filter(|value| !value.is_defined_inside(op)),
        })?;
    }
    Some(term)
}

/// A value as the last iteration of a loop that is over has it.
fn last_of<'c>(op: Op<'c>, value: Value<'c>) -> Option<Value<'c>> {
    match value.def() {
        Def::Result(maker, at) if maker == op => For::of(op)?.yields().get(at).copied(),
        _ => Some(value),
    }
}

/// The position among what a loop carries.
fn carried<'c>(for_: For<'c>, value: Value<'c>) -> Option<usize> {
    match value.def() {
        Def::Argument(block, at) if block == for_.body => at.checked_sub(1),
        _ => None,
    }
}

impl<'c> Term<'c> {
    fn of(value: Value<'c>) -> Option<Self> {
        let mut left = MOST_NODES;
        Self::within(value, &mut left)
    }

    fn within(value: Value<'c>, left: &mut usize) -> Option<Self> {
        *left = left.checked_sub(1)?;
        let Some(op) = value.defining_op().filter(|op| op.name().starts_with("arith.")) else {
            return Some(Self::Value(value));
        };
        if op.num_results() != 1 {
            return Some(Self::Value(value));
        }
        let sides: Option<Vec<Self>> = op.operands().into_iter().map(|side| Self::within(side, left)).collect();
        Some(Self::Op(op, sides?))
    }

    /// A comparison as one of those that are equal or opposite to it, and what that is where the comparison holds.
    fn compared(self) -> (Self, bool) {
        match self {
            Self::Op(op, mut sides) if sides.len() == 2 => match Relation::of(op) {
                Some((relation, is_swapped, holds)) => {
                    let second = sides.swap_remove(1);
                    let first = sides.swap_remove(0);
                    let sides = if is_swapped { [second, first] } else { [first, second] };
                    (Self::Comparison(relation, Box::new(sides)), holds)
                }
                None => (Self::Op(op, sides), true),
            },
            term => (term, true),
        }
    }

    /// The term with other values in it.
    fn with(&self, other: &dyn Fn(Value<'c>) -> Option<Value<'c>>) -> Option<Self> {
        let term = self.replaced(other)?;
        (term.nodes() <= MOST_NODES).then_some(term)
    }

    fn replaced(&self, other: &dyn Fn(Value<'c>) -> Option<Value<'c>>) -> Option<Self> {
        match self {
            Self::Value(value) => {
                let value_then = other(*value)?;
                if value_then == *value {
                    Some(self.clone())
                } else {
                    Self::of(value_then)
                }
            }
            Self::Op(op, sides) => {
                let sides: Option<Vec<Self>> = sides.iter().map(|side| side.replaced(other)).collect();
                Some(Self::Op(*op, sides?))
            }
            Self::Comparison(relation, sides) => {
                let [left, right] = sides.as_ref();
                let sides = [left.replaced(other)?, right.replaced(other)?];
                Some(Self::Comparison(*relation, Box::new(sides)))
            }
        }
    }

    fn nodes(&self) -> usize {
        match self {
            Self::Value(_) => 1,
            Self::Op(_, sides) => 1 + sides.iter().map(Self::nodes).sum::<usize>(),
            Self::Comparison(_, sides) => 1 + sides.iter().map(Self::nodes).sum::<usize>(),
        }
    }

    /// True if it is another thing in each iteration of a loop, or after it.
    fn depends_on(&self, loop_: Op<'c>) -> bool {
        match self {
            Self::Value(value) => value.is_defined_inside(loop_) || value.defining_op() == Some(loop_),
            Self::Op(_, sides) => sides.iter().any(|side| side.depends_on(loop_)),
            Self::Comparison(_, sides) => sides.iter().any(|side| side.depends_on(loop_)),
        }
    }
}
