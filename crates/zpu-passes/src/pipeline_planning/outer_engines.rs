//! Engines for the transfers of an outer loop's body.
//!
//! An engine works in order. A tile of C that is stored by the engine that loads the inner loop's tiles keeps them
//! waiting, so each transfer in the body whose engine an inner loop uses moves to an engine that none uses, if one has
//! its route; of several such engines it takes the one that got the fewest transfers so far, the first in the device's
//! order among equals.

use std::collections::BTreeSet;

use zpu_device::Device;
use zpu_ir::ops::{Dma, set_engine};
use zpu_ir::scf::{For, is_loop};
use zpu_ir::ty::MemRef;
use zpu_ir::{Op, annotation, work};

use zpu_analysis::body::{is_asynchronous, sync_engine};

/// Engines that inner loops of the body use.
pub(super) fn used_inside<'c>(for_: For<'c>) -> BTreeSet<&'c str> {
    let nested = for_
        .ops()
        .into_iter()
        .flat_map(|op| op.walk())
        .filter(|op| is_loop(*op));
    nested.flat_map(|op| op.walk()).filter_map(sync_engine).collect()
}

/// Moves transfers that stand in the body itself. A body with stages of a user stays as it is.
pub(super) fn choose(for_: For<'_>, device: &Device) {
    let ops = for_.ops();
    if ops
        .iter()
        .any(|op| op.has_attr(annotation::SCHEDULE) || is_asynchronous(*op))
    {
        return;
    }
    let taken = used_inside(for_);
    let mut chosen: Vec<&str> = Vec::new();
    for op in ops.into_iter().filter(|op| op.is(Dma::NAME)) {
        let own = sync_engine(op).filter(|own| taken.contains(own));
        let free = own.and_then(|own| free_engine(op, own, &taken, &chosen, device));
        if let Some(free) = free {
            set_engine(op, free);
            chosen.push(free);
        }
    }
}

/// The engine that a transfer moves to: asynchronous, of its group, with its route, and used by no inner loop.
fn free_engine<'a>(
    op: Op<'_>,
    own: &str,
    taken: &BTreeSet<&str>,
    chosen: &[&str],
    device: &'a Device,
) -> Option<&'a str> {
    let own = device.engine(own)?;
    let space = |index: usize| MemRef::of(op.operand(index).ty()).and_then(|memref| memref.space().map(str::to_owned));
    let same = device
        .engines_for_transfer(&space(0)?, &space(1)?, work::dims_of(op))
        .into_iter();
    let free =
        same.filter(|engine| engine.group == own.group && !engine.blocking && !taken.contains(engine.name.as_str()));
    let transfers = |name: &str| chosen.iter().filter(|other| **other == name).count();
    free.map(|engine| engine.name.as_str())
        .min_by_key(|name| transfers(name))
}
