//! Starts, waits, null tokens and fences as operations.

use zpu_ir::arith::CmpIPredicate;
use zpu_ir::ops::{Barrier, ComputeStart, ComputeWait, Dma, DmaStart, DmaWait, IdWait, NullToken, sync_engine};
use zpu_ir::{Builder, Op, Value, attr, edit, ty};

/// Makes the start of a synchronous command before it. The body of the command moves into the start; the command itself
/// stays until [`remove`]. With an id, the start raises that id when it is complete. Returns
/// the token.
pub(super) fn start<'c>(op: Op<'c>, id: Option<Value<'c>>) -> Value<'c> {
    let engine = sync_engine(op).unwrap_or("");
    let mut builder = Builder::before(op);
    let token = ty::token(op.context(), engine);
    let attrs: Vec<_> = op.attrs();
    if let Some(dma) = Dma::of(op) {
        return DmaStart::create(&mut builder, dma.source(), dma.dest(), id, token, &attrs).token();
    }
    let start = ComputeStart::create(&mut builder, id, token, &attrs);
    if let Some(from) = op.body() {
        for inner in from.ops().collect::<Vec<_>>() {
            edit::move_to_end(inner, start.body());
        }
    }
    start.token()
}

/// Removes a command that was converted.
pub(super) fn remove(op: Op<'_>) {
    edit::erase(op);
}

/// Emits a wait for a token.
pub(super) fn wait<'c>(builder: &mut Builder<'c>, token: Value<'c>, is_dma: bool) -> Op<'c> {
    if is_dma {
        DmaWait::create(builder, token, &[]).op
    } else {
        ComputeWait::create(builder, token, &[]).op
    }
}

/// Emits a token that is complete from the beginning.
pub(super) fn null_token<'c>(builder: &mut Builder<'c>, engine: &str) -> Value<'c> {
    let token = ty::token(builder.context(), engine);
    NullToken::create(builder, token, &[]).token()
}

/// Emits a wait for a barrier id; with `guarded` only if it is one.
pub(super) fn id_wait<'c>(builder: &mut Builder<'c>, id: Value<'c>, guarded: bool) -> Op<'c> {
    if !guarded {
        return IdWait::create(builder, id, &[]).op;
    }
    let zero = builder.index(0);
    let is_id = builder.compare(CmpIPredicate::Sge, id, zero);
    let guard = builder.guard(is_id, &[]);
    let body = guard.body().expect("just made with a block");
    let mut inside = Builder::at_end(body, guard);
    let wait = IdWait::create(&mut inside, id, &[]);
    inside.op("scf.yield", &[], &[], &[]);
    wait.op
}

/// Emits a fence over engines.
pub(super) fn fence<'c>(builder: &mut Builder<'c>, engines: &[&str]) -> Op<'c> {
    let context = builder.context();
    let engines: Vec<_> = engines.iter().map(|engine| attr::symbol(context, engine)).collect();
    let engines = attr::array(context, &engines);
    Barrier::create(builder, &[(Barrier::ENGINES, engines)]).op
}
