//! `zpu-inject-dma-barrier`: makes commands asynchronous and inserts the waits that are needed.
//!
//! Assumes synchronous commands (`zpu.dma`, `zpu.compute`). Each one on an engine that is not blocking becomes a start;
//! in front of every access that conflicts with a command that may still run stands a wait for its token.
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
//! Two facts keep waits few. An engine completes its commands in order, so a wait for one stands for all that were
//! issued to that engine before, and two commands of one engine never need a wait between them. And only the control
//! stream waits.
//!
//! [`tree`] takes the function apart, [`find`] looks back from an operation for the latest command that conflicts,
//! through branches and over the iterations of all loops around and before, [`place`] decides which waits are needed,
//! [`tokens`] finds out how each one's token gets there, and [`rewrite`] writes it. Before that,
//! [`redundant::dominated`] takes out what the tokens themselves, in the [`order`] in which they are issued, show to be
//! redundant, or [`redundant::repeated`] the least of it, and [`guarded`] puts one wait in front of a branch for
//! several. With barrier ids for tokens, [`lifetime`] finds out how many each command needs and for how long,
//! [`allocate`] gives them out, and [`ids`] writes them. [`form`] takes of several forms the first that is proven.
//! Around and inside any other control flow (`scf.while`, parallel loops) nothing stays in flight, nor where somebody's
//! own starts and waits stand ([`user_async`]). Last, [`minimum`] tells how many of the waits are shown to be needed.

mod allocate;
mod available_wait;
mod convert;
mod find;
mod form;
mod guarded;
mod ids;
mod lifetime;
mod minimum;
mod order;
mod place;
mod query;
mod queue_capacity;
mod redundant;
mod rewrite;
mod tokens;
mod tree;
mod user_async;

use std::collections::BTreeSet;

use zpu_device::{Device, NeverIssued};
use zpu_ir::options::InjectDmaBarrierOptions;
use zpu_ir::{Failed, Op, PassResult, Remark, RemarkKind, error};

use ids::Limit;
use redundant::proven::Draft;
use tree::{EngineId, Tree};
use zpu_analysis::body::{is_asynchronous, sync_engine, unstructured};

const PASS: &str = "zpu-inject-dma-barrier";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &InjectDmaBarrierOptions) -> PassResult {
    let is_full = match options.mode.as_str() {
        "minimal" => false,
        "full" => true,
        other => {
            let message = format!("mode is '{other}', must be minimal or full");
            error(function, &message, &[]);
            return Err(Failed);
        }
    };
    let Some(body) = function.body() else { return Ok(()) };
    let ops = function.walk();
    let hand_written = ops.iter().find(|op| is_asynchronous(**op));
    if hand_written.is_none() && !ops.iter().any(|op| sync_engine(*op).is_some()) {
        return Ok(());
    }
    let device = zpu_ir::device::of(function)?;
    let engines: BTreeSet<String> = device
        .engines
        .iter()
        .filter(|engine| !engine.blocking)
        .map(|engine| engine.name.clone())
        .collect();
    let engines: Vec<String> = engines.into_iter().collect();
    let engine = |op: Op<'_>| -> Option<EngineId> {
        let name = sync_engine(op).filter(|_| !op.has_attr("zpu.synchronous"))?;
        engines.iter().position(|engine| engine == name)
    };
    let limit = limit(function, options.ids, &device)?;
    if let Some(op) = hand_written {
        let message = "commands that are asynchronous already are left to their author, and nothing else is in flight \
            with them; \
                       zpu-verify-sync checks their order";
        Remark::new(*op, RemarkKind::Missed, PASS, "asynchronous-body")
            .message(message)
            .emit();
        let mixes_ids = limit.is_some() && ops.iter().any(|op| user_async::uses_id(*op));
        if mixes_ids || !ops.iter().any(|op| engine(*op).is_some()) {
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
    let written = if is_full {
        rewrite::step_by_step(&Tree::of(body, &engine), &engines, limit.map(|limit| limit.ids))
    } else {
        let draft = Draft {
            function,
            device: &device,
            engines: &engines,
            engine: &engine,
        };
        let (tree, form) = queue_capacity::fit_to_queues(&draft, body, limit);
        form::tell(&draft, &form, limit);
        rewrite::rewrite(&tree, &form.tokens, &engines, form.ids.as_ref())
    };
    if written.starts > 0 || is_structured {
        let (starts, waits) = (written.starts, written.waits.len());
        Remark::new(function, RemarkKind::Passed, PASS, "asynchronous")
            .message(format!("{starts} starts, {waits} waits"))
            .metric("Starts", starts)
            .metric("Waits", waits)
            .emit();
    }
    minimum::tell(function, &device);
    Ok(())
}

/// The ids that may be used, if tokens are to be ids.
fn limit(function: Op<'_>, ids: i64, device: &Device) -> Result<Option<Limit>, Failed> {
    let most = i64::try_from(device.sync.ids).unwrap_or(i64::MAX);
    let ids = match ids {
        0 => return Ok(None),
        -1 => most,
        ids => ids,
    };
    if (0..=most).contains(&ids) {
        let returns = device.sync.wait_on_never_issued == NeverIssued::Return;
        return Ok(Some(Limit { ids, returns }));
    }
    let message = if ids < 0 {
        format!("ids is {ids}, must be a number of barrier ids, -1 for all of the device's, or 0 for tokens")
    } else {
        format!(
            "ids is {ids}, but device @{} has {most} barrier ids; use at most so many, or ids=0 for tokens",
            device.name
        )
    };
    error(function, &message, &[]);
    Err(Failed)
}
