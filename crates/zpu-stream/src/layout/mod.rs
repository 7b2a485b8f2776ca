//! Layout assignment: which alternative each operation takes, so that the least is converted.
//!
//! A tensor that some consumer wants in another layout than its producer gives is converted, once for all consumers
//! that want that layout. The cost is the elements that conversions move; those that a view or a transposed form of the
//! operation absorbs are free. Invariant: [`Assignment::cost`] is that of [`cost`] for its choice.

mod search;
mod tree;
mod vote;

use thiserror::Error;

pub use vote::vote;

/// An operation by its place in [`Problem::ops`], and the tensor that it produces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OpId(pub u32);

/// A layout; equal numbers are equal layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LayoutId(pub u32);

impl OpId {
    /// Its place in a list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One way to carry out an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The layout of its result: the expected producer layout.
    pub output: LayoutId,
    /// The layouts that it wants of its inputs: the expected consumer layouts.
    pub inputs: Vec<LayoutId>,
}

/// An operation and the tensor that it produces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Op {
    /// For messages.
    pub name: String,
    /// Elements of its result, which a conversion of it moves.
    pub elements: u64,
    /// Operations whose results it reads; the same one may occur twice.
    pub inputs: Vec<OpId>,
    /// Ways to carry it out, in the order of preference.
    pub alternatives: Vec<Alternative>,
    /// Conversions of its result, from and to, that cost nothing.
    pub absorbed: Vec<(LayoutId, LayoutId)>,
}

/// A graph of operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The operations, in any order.
    pub ops: Vec<Op>,
}

/// A choice for every operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The alternative of each operation, by its place.
    pub choice: Vec<usize>,
    /// Elements that are moved by conversions.
    pub cost: u128,
    /// Conversions that are not absorbed.
    pub conversions: usize,
    /// Tells whether no choice costs less.
    pub is_proven: bool,
}

/// Reasons why there is no assignment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// An input that is not there.
    #[error("operation `{op}` reads operation {input}, there are {count}")]
    NoInput {
        /// Owner of the input.
        op: String,
        /// Its place.
        input: u32,
        /// Number of operations.
        count: usize,
    },
    /// An alternative with too few or too many layouts of inputs.
    #[error(
        "alternative {alternative} of operation `{op}` has layouts of {found} inputs, the operation has {expected}"
    )]
    Inputs {
        /// Owner of the alternative.
        op: String,
        /// Its place.
        alternative: usize,
        /// Layouts that it has.
        found: usize,
        /// Inputs of the operation.
        expected: usize,
    },
    /// An operation that cannot be carried out.
    #[error("operation `{0}` has no alternative; give it at least one")]
    NoAlternative(String),
    /// An operation that reads what depends on it.
    #[error("operation `{0}` reads what depends on its own result; layouts of cyclic graphs are not assigned")]
    Cycle(String),
}

/// The least cost: by a dynamic programme over connected parts that are trees, by branch and bound over the others, of
/// which at most `limit` nodes are visited each.
///
/// # Errors
///
/// Graphs that have no assignment, or are none.
pub fn assign(problem: &Problem, limit: u64) -> Result<Assignment, LayoutError> {
    let order = check(problem)?;
    let mut choice = vote(problem)?.choice;
    let mut is_proven = true;
    for part in parts(problem, &order) {
        if !tree::solve(problem, &part, &mut choice) {
            is_proven &= search::solve(problem, &part, limit, &mut choice);
        }
    }
    Ok(assignment(problem, choice, is_proven))
}

/// Elements that conversions move for a choice of a checked problem, and how many conversions are not absorbed.
pub fn cost(problem: &Problem, choice: &[usize]) -> (u128, usize) {
    let mut wanted: Vec<Vec<LayoutId>> = vec![Vec::new(); problem.ops.len()];
    for (op, &chosen) in problem.ops.iter().zip(choice) {
        for (input, layout) in op.inputs.iter().zip(&op.alternatives[chosen].inputs) {
            wanted[input.index()].push(*layout);
        }
    }
    let (mut elements, mut conversions) = (0, 0);
    for (at, wanted) in wanted.iter_mut().enumerate() {
        wanted.sort_unstable();
        wanted.dedup();
        let from = problem.ops[at].alternatives[choice[at]].output;
        for &to in wanted.iter() {
            let moved = problem.ops[at].conversion(from, to);
            elements += moved;
            conversions += usize::from(from != to && !problem.ops[at].absorbed.contains(&(from, to)));
        }
    }
    (elements, conversions)
}

impl Op {
    /// Elements that a conversion of the result moves.
    fn conversion(&self, from: LayoutId, to: LayoutId) -> u128 {
        if from == to || self.absorbed.contains(&(from, to)) {
            0
        } else {
            self.elements.into()
        }
    }
}

fn assignment(problem: &Problem, choice: Vec<usize>, is_proven: bool) -> Assignment {
    let (cost, conversions) = cost(problem, &choice);
    Assignment {
        choice,
        cost,
        conversions,
        is_proven,
    }
}

/// Operations such that each stands after its inputs.
fn check(problem: &Problem) -> Result<Vec<OpId>, LayoutError> {
    for op in &problem.ops {
        if let Some(input) = op.inputs.iter().find(|input| input.index() >= problem.ops.len()) {
            return Err(LayoutError::NoInput {
                op: op.name.clone(),
                input: input.0,
                count: problem.ops.len(),
            });
        }
        if op.alternatives.is_empty() {
            return Err(LayoutError::NoAlternative(op.name.clone()));
        }
        let wrong = op
            .alternatives
            .iter()
            .position(|each| each.inputs.len() != op.inputs.len());
        if let Some(alternative) = wrong {
            return Err(LayoutError::Inputs {
                op: op.name.clone(),
                alternative,
                found: op.alternatives[alternative].inputs.len(),
                expected: op.inputs.len(),
            });
        }
    }
    let consumers = consumers(problem);
    let mut missing: Vec<usize> = problem.ops.iter().map(|op| op.inputs.len()).collect();
    let mut order: Vec<OpId> = ids(problem).filter(|id| missing[id.index()] == 0).collect();
    let mut next = 0;
    while let Some(&id) = order.get(next) {
        next += 1;
        for &consumer in &consumers[id.index()] {
            let uses = problem.ops[consumer.index()]
                .inputs
                .iter()
                .filter(|&&input| input == id)
                .count();
            missing[consumer.index()] -= uses;
            if missing[consumer.index()] == 0 {
                order.push(consumer);
            }
        }
    }
    if order.len() < problem.ops.len() {
        return Err(LayoutError::Cycle(on_cycle(problem, &missing)));
    }
    Ok(order)
}

/// The name of an operation on a cycle: whoever goes from an unfinished operation to its unfinished inputs comes round.
fn on_cycle(problem: &Problem, missing: &[usize]) -> String {
    let mut at = missing.iter().position(|&missing| missing > 0).unwrap_or(0);
    for _ in 0..problem.ops.len() {
        let mut inputs = problem.ops[at].inputs.iter();
        at = inputs
            .find(|input| missing[input.index()] > 0)
            .map_or(at, |input| input.index());
    }
    problem.ops[at].name.clone()
}

fn ids(problem: &Problem) -> impl Iterator<Item = OpId> + use<> {
    (0..u32::try_from(problem.ops.len()).unwrap_or(u32::MAX)).map(OpId)
}

/// Readers of the result of each operation, each once.
fn consumers(problem: &Problem) -> Vec<Vec<OpId>> {
    let mut consumers: Vec<Vec<OpId>> = vec![Vec::new(); problem.ops.len()];
    for id in ids(problem) {
        for input in &problem.ops[id.index()].inputs {
            let list = &mut consumers[input.index()];
            if list.last() != Some(&id) {
                list.push(id);
            }
        }
    }
    consumers
}

/// Connected parts, each in the order of a list.
fn parts(problem: &Problem, order: &[OpId]) -> Vec<Vec<OpId>> {
    let consumers = consumers(problem);
    let mut part_of: Vec<Option<usize>> = vec![None; problem.ops.len()];
    let mut count = 0;
    for &first in order {
        let mut open = vec![first];
        let is_new = part_of[first.index()].is_none();
        while let Some(id) = open.pop() {
            if part_of[id.index()].is_none() {
                part_of[id.index()] = Some(count);
                open.extend(problem.ops[id.index()].inputs.iter().chain(&consumers[id.index()]));
            }
        }
        count += usize::from(is_new);
    }
    let mut parts = vec![Vec::new(); count];
    for &id in order {
        if let Some(part) = part_of[id.index()] {
            parts[part].push(id);
        }
    }
    parts
}

/// The layouts that an alternative wants of one tensor.
fn wants(op: &Op, alternative: usize, tensor: OpId) -> impl Iterator<Item = LayoutId> {
    let pairs = op.inputs.iter().zip(&op.alternatives[alternative].inputs);
    pairs
        .filter(move |(input, _)| **input == tensor)
        .map(|(_, layout)| *layout)
}
