//! Starts, waits, null tokens and fences as operations.

use zpu_ir::arith::CmpIPredicate;
use zpu_ir::{Builder, Op, Value, attr, edit, ty};

/// Makes the start of a synchronous command before it. The body of the command moves into the start; the command itself
/// stays until [`remove`]. With an id, the start raises that id when it is complete.
pub(super) fn start<'c>(op: Op<'c>, id: Option<Value<'c>>) -> Op<'c> {
    let engine = op.attr("engine").and_then(attr::as_symbol).unwrap_or("");
    let mut builder = Builder::before(op);
    let token = ty::token(op.context(), engine);
    let attrs: Vec<_> = op.attrs();
    if op.is("zpu.dma") {
        let operands: Vec<_> = op.operands().into_iter().chain(id).collect();
        return builder.op("zpu.dma_start", &operands, &[token], &attrs);
    }
    let operands: Vec<_> = id.into_iter().collect();
    let start = builder.op_with_regions("zpu.compute_start", &operands, &[token], &attrs, &[&[]]);
    if let (Some(from), Some(to)) = (op.body(), start.body()) {
        for inner in from.ops().collect::<Vec<_>>() {
            edit::move_to_end(inner, to);
        }
    }
    start
}

/// Removes a command that was converted.
pub(super) fn remove(op: Op<'_>) {
    edit::erase(op);
}

/// Emits a wait for a token.
pub(super) fn wait<'c>(builder: &mut Builder<'c>, token: Value<'c>, is_dma: bool) -> Op<'c> {
    let name = if is_dma { "zpu.dma_wait" } else { "zpu.compute_wait" };
    builder.op(name, &[token], &[], &[])
}

/// Emits a token that is complete from the beginning.
pub(super) fn null_token<'c>(builder: &mut Builder<'c>, engine: &str) -> Value<'c> {
    let token = ty::token(builder.context(), engine);
    builder.op("zpu.null_token", &[], &[token], &[]).result(0)
}

/// Emits a wait for a barrier id; with `guarded` only if it is one.
pub(super) fn id_wait<'c>(builder: &mut Builder<'c>, id: Value<'c>, guarded: bool) -> Op<'c> {
    if !guarded {
        return builder.op("zpu.id_wait", &[id], &[], &[]);
    }
    let zero = builder.index(0);
    let is_id = builder.compare(CmpIPredicate::Sge, id, zero);
    let guard = builder.guard(is_id, &[]);
    let body = guard.body().expect("just made with a block");
    let mut inside = Builder::at_end(body, guard);
    let wait = inside.op("zpu.id_wait", &[id], &[], &[]);
    inside.op("scf.yield", &[], &[], &[]);
    wait
}

/// Emits a fence over engines.
pub(super) fn fence<'c>(builder: &mut Builder<'c>, engines: &[&str]) -> Op<'c> {
    let context = builder.context();
    let engines: Vec<_> = engines.iter().map(|engine| attr::symbol(context, engine)).collect();
    let engines = attr::array(context, &engines);
    builder.op("zpu.barrier", &[], &[], &[("engines", engines)])
}
