//! Waits that every path through a branch or a loop passes: after it, another wait for the same command is redundant,
//! whichever path the run took.

use std::collections::BTreeMap;

use crate::program::{Block, Completion, For, Op, Program, Reg, Size, Statement};

/// The name in a wait: a token's register, or a barrier id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// The register of a token.
    Token(Reg),
    /// A barrier id.
    Id(Size),
}

/// The waits that every path through a branch or loop passes, by its address.
pub(crate) type MustWaits = BTreeMap<usize, Vec<Name>>;

/// The key of a statement in [`MustWaits`].
pub(crate) fn address(statement: &Statement) -> usize {
    std::ptr::from_ref(statement).addr()
}

/// The waits of all branches and loops of a program that have some.
pub(crate) fn passed(program: &Program) -> MustWaits {
    let mut passed = MustWaits::new();
    for function in &program.functions {
        in_block(&function.body, &mut passed);
    }
    passed
}

/// The waits and definitions of a block.
#[derive(Default)]
struct PathSummary {
    /// The names that every path through it waits for.
    waited: Vec<Name>,
    /// A command may be given a barrier id: an id that was waited for before may mean that one then.
    gives_ids: bool,
}

impl PathSummary {
    fn waits_for(name: Name) -> Self {
        Self {
            waited: vec![name],
            gives_ids: false,
        }
    }

    /// Goes on with another one.
    fn then(&mut self, next: Self) {
        if next.gives_ids {
            self.waited.retain(|name| matches!(name, Name::Token(_)));
        }
        self.gives_ids |= next.gives_ids;
        for name in next.waited {
            if !self.waited.contains(&name) {
                self.waited.push(name);
            }
        }
    }

    /// Either of several.
    fn any(ways: impl Iterator<Item = Self>) -> Self {
        let either = |mut way: Self, other: Self| {
            way.waited.retain(|name| other.waited.contains(name));
            way.gives_ids |= other.gives_ids;
            way
        };
        ways.reduce(either).unwrap_or_default()
    }
}

fn in_block(block: &Block, passed: &mut MustWaits) -> PathSummary {
    let mut way = PathSummary::default();
    for statement in &block.statements {
        way.then(in_statement(statement, passed));
    }
    way
}

/// A summary of a statement. A name that a branch or loop defines itself is unknown after it.
fn in_statement(statement: &Statement, passed: &mut MustWaits) -> PathSummary {
    let way = match &statement.op {
        Op::Wait { token } => return PathSummary::waits_for(Name::Token(*token)),
        Op::WaitId { id } => return PathSummary::waits_for(Name::Id(*id)),
        Op::If { then, otherwise, .. } => {
            PathSummary::any([then, otherwise].into_iter().map(|block| in_block(block, passed)))
        }
        Op::Switch { cases, default, .. } => {
            let blocks = cases.iter().map(|(_, block)| block).chain([default]);
            PathSummary::any(blocks.map(|block| in_block(block, passed)))
        }
        // Its statements are those of the block around it.
        Op::Scope { body, .. } => return in_block(body, passed),
        Op::For(op) => {
            let mut way = in_block(&op.body, passed);
            if !has_an_iteration(op) {
                way.waited.clear();
            }
            way
        }
        Op::While(op) => {
            // The condition is evaluated last, as it was first.
            let mut way = in_block(&op.after, passed);
            way.waited.clear();
            way.then(in_block(&op.before, passed));
            way
        }
        op => {
            return PathSummary {
                waited: Vec::new(),
                gives_ids: may_give_an_id(op),
            };
        }
    };
    if !way.waited.is_empty() {
        passed.insert(address(statement), way.waited.clone());
    }
    way
}

fn may_give_an_id(op: &Op) -> bool {
    match op {
        Op::Call { .. } => true,
        Op::Command(command) => matches!(command.completion, Completion::Asynchronous { id: Some(_), .. }),
        _ => false,
    }
}

/// True if a loop certainly has an iteration.
fn has_an_iteration(op: &For) -> bool {
    match (op.lower, op.upper) {
        (Size::Constant(lower), Size::Constant(upper)) => lower < upper && (!op.unsigned || lower >= 0),
        _ => false,
    }
}
