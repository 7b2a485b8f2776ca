//! Whether a fragment's body keeps to the rule that a fragment is a function of its operands.
//!
//! Invariant: an error is a write that the program has, under a condition or not. A body that writes an operand through
//! a call passes; the simulator compares operands.

use std::collections::HashSet;

use zpu_ir::fragment::mutable_global;
use zpu_ir::{Block, EffectKind, Failed, Op, Value, error, note, ops};

use crate::{root, view};

/// Refuses a body that writes an operand, or takes a global that can be written.
pub(crate) fn check(fragment: ops::Fragment<'_>) -> Result<(), Failed> {
    let Some(body) = fragment.body() else { return Ok(()) };
    if let Some(global) = mutable_global(fragment) {
        let message = "takes a memref.global that is not constant, and a fragment is a function of its operands: pass \
                       the global as an operand, or make it constant";
        error(fragment.op, message, &[note(global, "the global is here")]);
        return Err(Failed);
    }
    for op in body.ops() {
        if let Some((writer, operand)) = written_by(op, body) {
            let message = format!(
                "writes operand {operand} of its fragment; operands are only read: copy it, and return the copy"
            );
            error(writer, &message, &[note(fragment.op, "the fragment is here")]);
            return Err(Failed);
        }
    }
    Ok(())
}

/// The operation that writes an argument of `body`, and the argument's position.
fn written_by<'c>(op: Op<'c>, body: Block<'c>) -> Option<(Op<'c>, usize)> {
    let inside = op.regions().into_iter().flat_map(|region| region.blocks());
    let mut inside = inside.flat_map(Block::ops);
    if let Some(found) = inside.find_map(|inner| written_by(inner, body)) {
        return Some(found);
    }
    // Effects of an operation are those of operations in it, which were seen already.
    let effects = op.effects().unwrap_or_default().into_iter();
    let written = effects.filter(|effect| matches!(effect.kind, EffectKind::Write | EffectKind::Free));
    let mut arguments = written.filter_map(|effect| argument(effect.value?, body));
    arguments.next().map(|argument| (op, argument))
}

/// The position of an argument of `body` that a memref is, is a view of, or may be chosen from.
fn argument<'c>(memref: Value<'c>, body: Block<'c>) -> Option<usize> {
    let arguments = body.args();
    let (mut open, mut seen) = (vec![memref], HashSet::new());
    while let Some(value) = open.pop() {
        let base = view::root_of(value).value();
        if let Some(place) = arguments.iter().position(|argument| *argument == base) {
            return Some(place);
        }
        if seen.insert(base) {
            open.extend(root::alternatives(base).unwrap_or_default());
        }
    }
    None
}
