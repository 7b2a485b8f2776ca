//! Buffers that an engine needs in different banks.
//!
//! On an engine with `separate_banks`, the buffers that one command accesses in a memory of several banks lie in
//! different ones. A buffer has all banks that its slots touch. One that is read and written in place is one buffer.

use zpu_analysis::access::accesses;
use zpu_analysis::command::command_of;
use zpu_analysis::liveness::Liveness;
use zpu_device::Device;
use zpu_ir::Op;

use super::sharing::pinned;

/// Two buffers, by number, and the first command that needs them apart.
pub(super) struct Apart<'c> {
    pub(super) pair: (usize, usize),
    pub(super) command: Op<'c>,
}

/// The pairs of a function's buffers that have to lie in different banks.
pub(super) fn apart<'c>(function: Op<'c>, lives: &Liveness<'c>, device: &Device) -> Vec<Apart<'c>> {
    let mut found: Vec<Apart<'c>> = Vec::new();
    let has_banks = |at: usize| {
        device
            .memory(lives.buffers[at].space)
            .is_some_and(|memory| memory.banks > 1)
    };
    for op in function.walk() {
        let Some(command) = command_of(op) else { continue };
        let engine = device.engine(command.engine);
        if !engine.is_some_and(|engine| engine.separate_banks) {
            continue;
        }
        let roots = accesses(command.op).unwrap_or_default().into_iter();
        let roots = roots.map(|access| access.region.root.value());
        let place = |root| lives.buffers.iter().position(|buffer| buffer.value == root);
        let mut own: Vec<usize> = roots.filter_map(place).filter(|at| has_banks(*at)).collect();
        own.sort_unstable();
        own.dedup();
        for (at, one) in own.iter().enumerate() {
            for other in &own[at + 1..] {
                let pair = (*one, *other);
                let is_new = found.iter().all(|apart| apart.pair != pair);
                if is_new && lives.buffers[*one].space == lives.buffers[*other].space {
                    found.push(Apart {
                        pair,
                        command: command.op,
                    });
                }
            }
        }
    }
    found
}

/// The banks of a buffer at an address: the first and the last.
pub(super) fn banks(lives: &Liveness<'_>, device: &Device, at: usize, address: u64) -> Option<(u64, u64)> {
    let buffer = &lives.buffers[at];
    let memory = device.memory(buffer.space)?;
    let size = (memory.bytes / memory.banks.max(1)).max(1);
    let last = address.saturating_add(buffer.bytes.max(1) - 1);
    Some((address / size, last / size))
}

/// The first two buffers that the user put into one bank although a command needs them apart, with the bank.
pub(super) fn wrong_pins<'a, 'c>(
    lives: &Liveness<'c>,
    device: &Device,
    apart: &'a [Apart<'c>],
) -> Option<(&'a Apart<'c>, u64)> {
    apart.iter().find_map(|apart| {
        let of = |at: usize| banks(lives, device, at, pinned(lives, at)?);
        let (one, other) = of(apart.pair.0).zip(of(apart.pair.1))?;
        let first = one.0.max(other.0);
        (first <= one.1.min(other.1)).then_some((apart, first))
    })
}
