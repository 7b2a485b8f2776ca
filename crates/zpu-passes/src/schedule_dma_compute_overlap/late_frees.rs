//! Deallocations between commands, moved to the end of their blocks.
//!
//! Nothing is moved across a deallocation, and at one the control stream waits for all that touches the memory: what
//! stands behind a loop would not begin before the loop has drained. Where a memory holds all buffers of the function
//! at a time, none of them needs to be freed early.

use std::collections::HashMap;

use zpu_analysis::command::holds_commands;
use zpu_analysis::footprint::{footprint, total};
use zpu_device::Device;
use zpu_ir::{Block, Op, edit};

/// Moves the deallocations of these blocks that commands stand behind, as far as there is room: up to a call, since
/// the function that is called has buffers of its own. Nothing moves where others may have some while the function
/// runs.
pub(super) fn move_to_ends<'c>(function: Op<'c>, blocks: &[Block<'c>], device: &Device) {
    if function.is_private() {
        return;
    }
    let mut has_room: HashMap<&str, bool> = HashMap::new();
    for block in blocks {
        for (free, end) in between(*block) {
            let allocation = free.operand(0).defining_op();
            let own = allocation.filter(|allocation| allocation.block() == Some(*block));
            let Some((space, _)) = own.and_then(|allocation| footprint(allocation.result(0), device)) else {
                continue;
            };
            let is_roomy = || {
                let room = device.memory(space).map_or(0, |memory| memory.bytes);
                total(function, space, device) <= room
            };
            if *has_room.entry(space).or_insert_with(is_roomy) {
                edit::move_before(free, end);
            }
        }
    }
}

/// The deallocations of a block that commands, or loops of them, stand behind, in order; each with the operation that
/// it may move to.
fn between(block: Block<'_>) -> Vec<(Op<'_>, Op<'_>)> {
    let ops: Vec<Op<'_>> = block.ops().collect();
    let mut all = Vec::new();
    for part in ops.split_inclusive(|op| op.next().is_none() || calls(*op)) {
        let Some(end) = part.last() else { continue };
        let last = part.iter().rposition(|op| holds_commands(*op)).unwrap_or(0);
        let frees = part[..last].iter().filter(|op| op.is("memref.dealloc"));
        all.extend(frees.map(|free| (*free, *end)));
    }
    all
}

fn calls(op: Op<'_>) -> bool {
    op.walk().into_iter().any(|inner| inner.name().ends_with(".call"))
}
