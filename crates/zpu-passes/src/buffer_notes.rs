//! What later passes owe to the annotations `zpu.buffer`, which says what each access to a buffer means, and
//! `zpu.streams`, which has the orders of the operations that access a tensor.
//!
//! A pass that leaves the accesses of a buffer as they are need not know of it. One that makes others of them on
//! purpose (a copy in another memory is accessed instead) drops the annotation of those buffers, and so does one that
//! takes the loop apart: what holds of a pipelined loop is proven by `zpu-verify-sync`.

use std::collections::{HashMap, HashSet};

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

/// Drops the annotations of all buffers that are accessed in operations of a function, themselves or by views. It looks
/// back from the operations, so that many small ones do not go through the whole function each.
pub(crate) fn drop_used_in(ops: &[Op<'_>]) {
    let mut seen = HashSet::new();
    let mut open: Vec<Value<'_>> = ops.iter().flat_map(|op| op.walk()).flat_map(Op::operands).collect();
    while let Some(value) = open.pop() {
        let Some(maker) = value.defining_op().filter(|maker| seen.insert(*maker)) else {
            continue;
        };
        if maker.is("memref.alloc") {
            maker.remove_attr(annotation::BUFFER);
        }
        open.extend(maker.operands());
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
