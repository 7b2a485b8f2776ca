//! The way that values of any type take through statements that choose or repeat.

use std::slice::from_ref;

use crate::program::{Block, Op, Reg};

/// Registers that a statement hands on, and those that it hands them to, in pairs of equal places.
pub(crate) fn handed(op: &Op) -> Vec<(&[Reg], &[Reg])> {
    match op {
        Op::Select {
            result,
            if_true,
            if_false,
            ..
        } => vec![
            (from_ref(if_true), from_ref(result)),
            (from_ref(if_false), from_ref(result)),
        ],
        Op::For(op) => vec![
            (&op.inits, &op.arguments),
            (&op.body.yields, &op.arguments),
            (&op.arguments, &op.results),
        ],
        Op::While(op) => vec![
            (&op.inits, &op.before_arguments),
            (&op.after.yields, &op.before_arguments),
            (&op.before.yields, &op.after_arguments),
            (&op.before.yields, &op.results),
        ],
        Op::Scope { results, .. } | Op::If { results, .. } | Op::Switch { results, .. } => {
            let blocks = blocks(op).into_iter();
            blocks.map(|block| (&block.yields[..], &results[..])).collect()
        }
        _ => Vec::new(),
    }
}

/// The blocks of a statement.
pub(crate) fn blocks(op: &Op) -> Vec<&Block> {
    match op {
        Op::For(op) => vec![&op.body],
        Op::While(op) => vec![&op.before, &op.after],
        Op::Scope { body, .. } => vec![body],
        Op::If { then, otherwise, .. } => vec![then, otherwise],
        Op::Switch { cases, default, .. } => cases.iter().map(|(_, block)| block).chain([default]).collect(),
        _ => Vec::new(),
    }
}
