//! `zpu-inject-dma-barrier`: makes commands asynchronous and inserts the waits that are needed.
//!
//! Assumes synchronous commands (`zpu.dma`, `zpu.compute`). Each one on an engine that is not blocking becomes a start;
//! before every access that conflicts with a command that may still run stands a wait for its token.
//!
//! ```mlir
//! zpu.dma %x to %b on @odma : ...
//! zpu.compute on @vector { reads %b }
//! // becomes
//! %t = zpu.dma_start %x to %b on @odma : ...
//! zpu.dma_wait %t : !zpu.token<@odma>
//! %u = zpu.compute_start on @vector { reads %b }
//! zpu.compute_wait %u : !zpu.token<@vector>
//! ```
//!
//! A command with `zpu.synchronous` stays as it is, like one on a blocking engine.
//!
//! [`zpu_sync::place`] places the waits, on the function as a synchronisation problem; [`rewrite`] writes the result,
//! and [`tell`] reports what the chosen form gives up. Last, [`minimum`] reports how many of the waits are shown to be
//! needed.

mod convert;
mod minimum;
mod rewrite;
mod tell;

use zpu_ir::ops::barrier_id;
use zpu_ir::options::InjectDmaBarrierOptions;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, annotation, error};

use crate::lowering;
use crate::solved::PLACED;
use rewrite::Function;
use zpu_analysis::body::{is_asynchronous, sync_engine, unstructured};
use zpu_analysis::problem::{Detail, problem_of};
use zpu_sync::place::{Engines, Proof, Tree};

const PASS: &str = "zpu-inject-dma-barrier";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &InjectDmaBarrierOptions) -> PassResult {
    let refuse = |message: String| {
        error(function, &message, &[]);
        Failed
    };
    let is_full = lowering::is_full(&options.mode).map_err(refuse)?;
    if function.body().is_none() {
        return Ok(());
    }
    let ops = function.walk();
    let hand_written = ops.iter().find(|op| is_asynchronous(**op));
    if hand_written.is_none() && !ops.iter().any(|op| sync_engine(*op).is_some()) {
        return Ok(());
    }
    let device = zpu_ir::device::of(function)?;
    let becomes_asynchronous = |op: Op<'_>| {
        let name = sync_engine(op).filter(|_| !op.has_attr(annotation::SYNCHRONOUS));
        name.is_some_and(|name| {
            device
                .engines
                .iter()
                .any(|engine| !engine.blocking && engine.name == name)
        })
    };
    let limit = lowering::limit(options.ids, &device).map_err(refuse)?;
    if let Some(op) = hand_written {
        let message = "commands that are asynchronous already are left to their author, and nothing else is in flight \
            with them; \
                       zpu-verify-sync checks their order";
        Remark::new(*op, RemarkKind::Missed, PASS, "asynchronous-body")
            .message(message)
            .emit();
        let mixes_ids = limit.is_some() && ops.iter().any(|op| barrier_id(*op).is_some());
        if mixes_ids || !ops.iter().any(|op| becomes_asynchronous(*op)) {
            minimum::tell(function, &device);
            return Ok(());
        }
    }
    let unstructured = ops.into_iter().find_map(unstructured);
    if let Some(decline) = &unstructured {
        Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason)
            .message(decline.message.clone())
            .emit();
    }
    let is_structured = unstructured.is_none();
    let mut sources = problem_of(function, &device, Detail::Priced);
    let proof = if options.prove { Proof::Made } else { Proof::LeftOut };
    let form = (!is_full).then(|| PLACED.place(&mut sources.problem, limit, proof));
    let engines = Engines::of_problem(&sources.problem);
    let tree = Tree::of(&sources.problem, &engines);
    let names = engines
        .ids()
        .map(|engine| device.engines[engines.in_device(engine).at()].name.clone())
        .collect();
    let of = Function {
        function,
        sources: &sources,
        tree: &tree,
        engines: &names,
    };
    let written = match &form {
        Some(form) => {
            tell::tell(&of, form, limit);
            rewrite::rewrite(&of, &form.tokens, form.ids.as_ref())
        }
        None => rewrite::step_by_step(&of, limit.map(|limit| limit.ids)),
    };
    if written.starts > 0 || is_structured {
        let (starts, waits) = (written.starts, written.waits);
        Remark::new(function, RemarkKind::Passed, PASS, "asynchronous")
            .message(format!("{starts} starts, {waits} waits"))
            .metric("Starts", starts)
            .metric("Waits", waits)
            .emit();
    }
    minimum::tell(function, &device);
    Ok(())
}
