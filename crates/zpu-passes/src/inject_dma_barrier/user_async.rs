//! Commands that somebody started by hand, and how long they are in flight.
//!
//! What is started and waited for by hand stays as its author wrote it. The commands that become asynchronous are kept
//! apart from it in time: none of them is in flight where an operation by hand stands, and none is started while one by
//! hand may be in flight. A synchronous command orders what came before it on its engine, and the author may count on
//! that.

use zpu_ir::{Op, Value, attr, ty};

use zpu_analysis::body::is_asynchronous;

/// What is in flight by hand at a place of a block.
#[derive(Debug, Default)]
pub(super) struct UserAsync<'c> {
    /// Started in this block and not waited for yet.
    open: Vec<Value<'c>>,
    /// Something that only a barrier is known to end: it was started in an inner block that it may outlive.
    unknown: bool,
}

impl<'c> UserAsync<'c> {
    /// Goes past the next operation of the block; whether it is one by hand, or has one inside.
    pub(super) fn pass(&mut self, op: Op<'c>) -> bool {
        if is_fence(op) {
            *self = Self::default();
            return true;
        }
        if op.is("zpu.barrier") {
            self.open.retain(|token| !is_fenced(op, *token));
            return true;
        }
        if let Some(token) = started(op) {
            self.open.push(token);
            return true;
        }
        if is_asynchronous(op) {
            for token in op.operands() {
                complete(&mut self.open, token);
            }
            return true;
        }
        let inside = op.walk();
        let is_by_hand = inside.iter().any(|inner| is_asynchronous(*inner));
        self.unknown |= inside.into_iter().any(|inner| !ends_in_its_block(inner));
        is_by_hand
    }

    /// Whether something by hand may be in flight.
    pub(super) fn is_in_flight(&self) -> bool {
        self.unknown || !self.open.is_empty()
    }
}

/// Whether the operation gives a barrier id a meaning, or waits for one.
pub(super) fn uses_id(op: Op<'_>) -> bool {
    let without = match op.name() {
        "zpu.id_wait" | "zpu.compute_start" => 0,
        "zpu.dma_start" => 2,
        _ => return false,
    };
    op.operands().len() > without
}

/// The token of a command that is started.
fn started(op: Op<'_>) -> Option<Value<'_>> {
    matches!(op.name(), "zpu.dma_start" | "zpu.compute_start").then(|| op.result(0))
}

/// Whether the barrier is for the engine of a token, among others.
fn is_fenced<'c>(barrier: Op<'c>, token: Value<'c>) -> bool {
    let names = barrier.attr("engines").and_then(attr::as_array).unwrap_or_default();
    let engine = ty::token_engine(token.ty());
    names
        .into_iter()
        .any(|name| engine.is_some() && attr::as_symbol(name) == engine)
}

/// Whether nothing at all is in flight behind the operation.
fn is_fence(op: Op<'_>) -> bool {
    op.is("zpu.barrier") && !op.has_attr("engines")
}

/// Takes out what is complete when a token is: its command, and those that were given to the engine, which the type
/// names, before.
fn complete<'c>(open: &mut Vec<Value<'c>>, token: Value<'c>) {
    if let Some(last) = open.iter().position(|started| *started == token) {
        let mut at = 0;
        open.retain(|started| {
            at += 1;
            at > last + 1 || started.ty() != token.ty()
        });
    }
}

/// Whether the operation starts nothing, or a later one of the same block waits for it.
fn ends_in_its_block(op: Op<'_>) -> bool {
    let Some(token) = started(op) else { return true };
    let mut open = vec![token];
    let mut behind = std::iter::successors(op.next(), |next| next.next());
    behind.any(|later| {
        open.extend(started(later));
        if matches!(later.name(), "zpu.dma_wait" | "zpu.compute_wait") {
            later
                .operands()
                .into_iter()
                .for_each(|waited| complete(&mut open, waited));
        }
        open.retain(|started| !(later.is("zpu.barrier") && is_fenced(later, *started)));
        is_fence(later) || !open.contains(&token)
    })
}
