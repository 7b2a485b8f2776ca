//! Buffers that are written anew within an iteration: each life gets a buffer of its own.
//!
//! ```mlir
//! load %a; product of %a; load %a; product of %a
//! // becomes
//! load %a; product of %a; load %b; product of %b
//! ```
//!
//! A *life* begins with a command that is certainly issued, writes the whole buffer and reads nothing of it.

use zpu_analysis::privatizable::Touched;
use zpu_ir::edit::{self, ValueMap, clone_mapped};
use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Builder, Op, Value};

/// Gives each life but the first of each buffer that is allocated in the body of an innermost loop its own buffer.
pub(super) fn rename(for_: For<'_>) {
    let touched = Touched::of(for_);
    for root in touched.roots.clone() {
        let allocation = root.defining_op().filter(|op| op.block() == Some(for_.body));
        let Some(allocation) = allocation.filter(|op| op.is("memref.alloc")) else {
            continue;
        };
        let is_static = MemRef::of(root.ty()).is_some_and(|memref| memref.has_static_shape());
        if is_static && touched.is_self_contained(root) {
            rename_lives(for_, allocation, &beginnings(&touched, root));
        }
    }
}

/// The commands that begin a life, in program order.
fn beginnings<'c>(touched: &Touched<'c>, root: Value<'c>) -> Vec<Op<'c>> {
    let mut all: Vec<Op<'c>> = Vec::new();
    for touch in touched.touches(root) {
        let others = touched
            .touches(root)
            .iter()
            .filter(|other| other.command == touch.command);
        let reads = others.into_iter().any(|other| !other.reads.is_empty());
        let fills = touch
            .writes
            .iter()
            .any(|write| write.full && write.region.is_whole_root());
        if fills && !reads && touch.command.block() == Some(touched.for_.body) && !all.contains(&touch.command) {
            all.push(touch.command);
        }
    }
    all
}

fn rename_lives<'c>(for_: For<'c>, allocation: Op<'c>, beginnings: &[Op<'c>]) {
    let root = allocation.result(0);
    let ops = for_.ops();
    // Operations before the first life belong to it: nothing, or a write of a part that is lost.
    let Some(first) = beginnings
        .get(1)
        .and_then(|begin| ops.iter().position(|op| op == begin))
    else {
        return;
    };
    let mut map: Option<ValueMap<'c>> = None;
    for op in ops.into_iter().skip(first) {
        if op.is("memref.dealloc") {
            continue;
        }
        if beginnings.contains(&op) {
            let mut new = ValueMap::default();
            let copy = clone_mapped(&mut Builder::before(op), allocation, &mut new);
            Builder::before(for_.terminator()).op("memref.dealloc", &[copy.result(0)], &[], &[]);
            map = Some(new);
        }
        if let Some(map) = &mut map {
            follow(op, root, map);
        }
    }
}

/// Makes an operation, with those in it, use the buffer of the life that it belongs to.
fn follow<'c>(op: Op<'c>, root: Value<'c>, map: &mut ValueMap<'c>) {
    if is_view_of(op, root) {
        return;
    }
    for inner in op.walk() {
        for (index, operand) in inner.operands().into_iter().enumerate() {
            let is_ours = operand == root || operand.defining_op().is_some_and(|view| is_view_of(view, root));
            if is_ours && !operand.is_defined_inside(op) {
                let new = renamed(&mut Builder::before(op), operand, map);
                edit::set_operand(inner, index, new);
            }
        }
    }
}

/// The same view of the buffer of this life.
fn renamed<'c>(builder: &mut Builder<'c>, value: Value<'c>, map: &mut ValueMap<'c>) -> Value<'c> {
    if !map.has(value)
        && let Some(view) = value.defining_op()
    {
        for operand in view
            .operands()
            .into_iter()
            .filter(|operand| MemRef::of(operand.ty()).is_some())
        {
            renamed(builder, operand, map);
        }
        clone_mapped(builder, view, map);
    }
    map.get(value)
}

/// True for a view, directly or through others, of a buffer.
fn is_view_of(op: Op<'_>, root: Value<'_>) -> bool {
    let is_view = op.is_memory_effect_free() && op.regions().is_empty() && op.num_results() == 1;
    let of = |operand: Value<'_>| operand == root || operand.defining_op().is_some_and(|view| is_view_of(view, root));
    is_view && MemRef::of(op.result(0).ty()).is_some() && op.operands().into_iter().any(of)
}
