//! `zpu-mpmd-move-transfers-to-producer`: puts each transfer right after what it takes its value from.

use zpu_analysis::fragments::Fragments;
use zpu_ir::options::MpmdMoveTransfersToProducerOptions;
use zpu_ir::{Op, PassResult, edit, ops};

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, _: &MpmdMoveTransfersToProducerOptions) -> PassResult {
    let Some(Fragments { block, ops, .. }) = Fragments::of(function)? else {
        return Ok(());
    };
    // Last first, so that those of one producer keep their order.
    for transfer in ops.into_iter().rev().filter_map(ops::Transfer::of) {
        let place = match transfer.source().defining_op() {
            Some(producer) => producer.next(),
            None => block.ops().next(),
        };
        if let Some(place) = place.filter(|place| *place != transfer.op) {
            edit::move_before(transfer.op, place);
        }
    }
    Ok(())
}
