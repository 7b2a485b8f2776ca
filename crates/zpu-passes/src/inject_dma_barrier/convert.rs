//! The asynchronous form of a command, and waits.

use zpu_ir::{Builder, Op, Value, attr, edit, ty};

/// Makes the start of a synchronous command in front of it. What the command holds moves into the start; the command itself
/// stays for [`remove`].
pub(super) fn start(op: Op<'_>) -> Op<'_> {
    let engine = op.attr("engine").and_then(attr::as_symbol).unwrap_or("");
    let mut builder = Builder::before(op);
    let token = ty::token(op.context(), engine);
    let attrs: Vec<_> = op.attrs();
    if op.is("zpu.dma") {
        return builder.op("zpu.dma_start", &op.operands(), &[token], &attrs);
    }
    let start = builder.op_with_regions("zpu.compute_start", &[], &[token], &attrs, &[&[]]);
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

/// Emits a wait.
pub(super) fn wait<'c>(builder: &mut Builder<'c>, token: Value<'c>, is_dma: bool) {
    let name = if is_dma { "zpu.dma_wait" } else { "zpu.compute_wait" };
    builder.op(name, &[token], &[], &[]);
}

/// A token that is complete.
pub(super) fn null_token<'c>(builder: &mut Builder<'c>, engine: &str) -> Value<'c> {
    let token = ty::token(builder.context(), engine);
    builder.op("zpu.null_token", &[], &[token], &[]).result(0)
}
