//! Commands that somebody started by hand, and how long they are in flight.
//!
//! Commands that are started and waited for by hand stay as their author wrote them. The commands that become
//! asynchronous are kept apart from those in time: none of them is in flight where an operation by hand stands, and
//! none is started while one by hand may be in flight. A synchronous command orders what came before it on its engine,
//! and the author may count on that.

use crate::problem::view::{Block, Op, Value};

/// Commands that are in flight by hand at a place of a block.
#[derive(Debug, Default)]
pub(crate) struct UserAsync<'c> {
    /// Started in this block and not waited for yet.
    open: Vec<Value<'c>>,
    /// Something that only a barrier is known to end: it was started in an inner block that it may outlive.
    unknown: bool,
}

impl<'c> UserAsync<'c> {
    /// Goes past the next operation of the block; whether it is one by hand, or has one inside.
    pub(crate) fn pass(&mut self, op: Op<'c>) -> bool {
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
        if op.is_asynchronous() {
            for token in op.operands() {
                complete(&mut self.open, token);
            }
            return true;
        }
        let inside = op.walk();
        let is_by_hand = inside.iter().any(|inner| inner.is_asynchronous());
        self.unknown |= inside.into_iter().any(|inner| !ends_in_its_block(inner));
        is_by_hand
    }

    /// True if something by hand may be in flight.
    pub(crate) fn is_in_flight(&self) -> bool {
        self.unknown || !self.open.is_empty()
    }
}

/// The token of a command that is started.
fn started(op: Op<'_>) -> Option<Value<'_>> {
    op.is_start().then(|| op.result(0))
}

/// True if the barrier is for the engine of a token, among others.
fn is_fenced<'c>(barrier: Op<'c>, token: Value<'c>) -> bool {
    let engine = token.engine();
    !is_fence(barrier) && barrier.engines().iter().any(|fenced| Some(*fenced) == engine)
}

/// True if nothing at all is in flight after the operation.
fn is_fence(op: Op<'_>) -> bool {
    op.is("zpu.barrier") && op.is_fence_of_all()
}

/// Takes out what is complete when a token is: its command, and those that were given to the engine, which the type
/// names, before.
fn complete<'c>(open: &mut Vec<Value<'c>>, token: Value<'c>) {
    if let Some(last) = open.iter().position(|started| *started == token) {
        let mut at = 0;
        open.retain(|started| {
            at += 1;
            at > last + 1 || started.engine() != token.engine()
        });
    }
}

/// True if the operation starts nothing, or a later one of the same block waits for it.
fn ends_in_its_block(op: Op<'_>) -> bool {
    let Some(token) = started(op) else { return true };
    let mut open = vec![token];
    let mut behind = op
        .block()
        .into_iter()
        .flat_map(Block::ops)
        .skip_while(|other| *other != op)
        .skip(1);
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
