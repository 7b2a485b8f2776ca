//! What later passes owe to the annotations `zpu.buffer`, which says what each access to a buffer means, and
//! `zpu.streams`, which has the orders of the operations that access a tensor.
//!
//! A pass that leaves the accesses of a buffer as they are need not know of it. One that makes others of them on
//! purpose (a copy in another memory is accessed instead) drops the annotation of those buffers, and so does one that
//! takes the loop apart: what holds of a pipelined loop is proven by `zpu-verify-sync`.

use std::collections::HashMap;

use zpu_analysis::buffer_uses::uses;
use zpu_ir::{Op, Value, annotation};

/// Sides and sizes of all accesses in program order.
type Form = Option<Vec<(bool, Option<Vec<i64>>)>>;

/// The accesses of all annotated buffers before a pass.
pub(crate) struct Before<'c> {
    buffers: HashMap<Op<'c>, Form>,
    tensors: HashMap<Op<'c>, Vec<(Op<'c>, &'c str)>>,
}

impl<'c> Before<'c> {
    /// Those in an operation.
    pub(crate) fn of(root: Op<'c>) -> Self {
        Self {
            buffers: annotated(root, annotation::BUFFER).map(|op| (op, form(op))).collect(),
            tensors: annotated(root, annotation::STREAMS).map(|op| (op, users(op))).collect(),
        }
    }

    /// Drops the annotations of buffers that are accessed in another way now, or by other operations.
    pub(crate) fn drop_changed(&self, root: Op<'c>) {
        for op in annotated(root, annotation::BUFFER) {
            if self.buffers.get(&op) != Some(&form(op)) {
                op.remove_attr(annotation::BUFFER);
            }
        }
        for op in annotated(root, annotation::STREAMS) {
            if self.tensors.get(&op) != Some(&users(op)) {
                op.remove_attr(annotation::STREAMS);
            }
        }
    }
}

/// Drops the annotations of all buffers that are accessed in operations of a function.
pub(crate) fn drop_used_in(ops: &[Op<'_>]) {
    let function = ops.first().and_then(|op| op.function());
    for buffer in function
        .into_iter()
        .flat_map(|function| annotated(function, annotation::BUFFER))
    {
        if ops.iter().any(|op| is_used_in(buffer.result(0), *op)) {
            buffer.remove_attr(annotation::BUFFER);
        }
    }
}

fn annotated<'c>(root: Op<'c>, name: &'static str) -> impl Iterator<Item = Op<'c>> {
    let allocations = root.find_all("memref.alloc").into_iter();
    allocations.filter(move |op| op.has_attr(name))
}

/// The operations that use a buffer or a view of it, with their names: an operation may come to where one was.
fn users<'c>(op: Op<'c>) -> Vec<(Op<'c>, &'c str)> {
    let mut open = op.results();
    let mut users = Vec::new();
    while let Some(value) = open.pop() {
        for user in value.uses().into_iter().map(|used| used.op) {
            users.push((user, user.name()));
            open.extend(user.results());
        }
    }
    users
}

fn form(op: Op<'_>) -> Form {
    let uses = uses(op.result(0)).ok()?;
    Some(uses.iter().map(|each| (each.access.write, each.size())).collect())
}

fn is_used_in<'c>(value: Value<'c>, op: Op<'c>) -> bool {
    let uses = value.uses();
    let views = || uses.iter().flat_map(|used| used.op.results());
    uses.iter().any(|used| op.contains(used.op)) || views().any(|view| is_used_in(view, op))
}
