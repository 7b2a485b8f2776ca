//! Versions of each buffer for a wished depth, cut down to what the memories hold.

use zpu_device::Device;

use crate::nest::{Buffer, Nest, Step};
use crate::pieces::{dma_engines, pieces};

/// The most versions that a depth by itself is tried with: two for each of sixteen iterations that one iteration of an
/// unrolled loop does. More were never of use in the kernels of the repository.
const MOST_BY_ITSELF: u32 = 32;

/// The number of versions that buffers of loops get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// So many: iterations of which a buffer may be alive at once. 0 is no pipeline.
    Stages(u32),
    /// As many as the memories hold.
    Auto,
}

/// The versions of all buffers of a nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions {
    /// Versions of each buffer, at least one.
    pub of_buffers: Vec<u32>,
    /// The control stream issues commands in the order in which they are written, as without pipelining.
    pub in_order: bool,
    /// The most pieces of each command that several engines move together, at least one.
    pub pieces: Vec<u32>,
}

/// For each buffer, the number of iterations that one iteration of an unrolled loop does: as many as it takes to give
/// all engines of the transfers in the loop something to do. A stage is one such iteration.
fn spreads(nest: &Nest, device: &Device) -> Vec<u32> {
    let mut spreads = vec![1; nest.buffers.len()];
    let mut open: Vec<&[Step]> = vec![&nest.body];
    while let Some(block) = open.pop() {
        let (mut transfers, mut engines, mut own) = (0u32, Vec::new(), Vec::new());
        for step in block {
            match step {
                Step::Loop { body, .. } => open.push(body),
                Step::Branch { then, otherwise, .. } => open.extend([then.as_slice(), otherwise.as_slice()]),
                Step::Allocate(buffer) => own.push(buffer.0),
                Step::Command(command) => {
                    let own = dma_engines(&nest.commands[command.0], device);
                    transfers += u32::from(!own.is_empty());
                    engines.extend(own);
                }
                Step::Set { .. } | Step::Access => {}
            }
        }
        engines.sort_unstable();
        engines.dedup();
        let spread = (engines.len() as u32).checked_div(transfers).unwrap_or(1).max(1);
        // Iterations of an outer loop are not unrolled.
        if !block.iter().any(|step| matches!(step, Step::Loop { .. })) {
            for buffer in own {
                spreads[buffer] = spread;
            }
        }
    }
    spreads
}

/// Versions of each buffer, at least one. A buffer outside of all loops has one; a memory that is too full takes
/// versions from the buffer with the most of them, of equally many from the largest.
pub fn versions(nest: &Nest, device: &Device, depth: Depth) -> Versions {
    let spreads = spreads(nest, device);
    let of = |(at, buffer): (usize, &Buffer)| match (buffer.depth, buffer.versions) {
        (_, Some(versions)) => versions.max(1),
        (0, None) => 1,
        (_, None) => match buffer.stages.map_or(depth, Depth::Stages) {
            Depth::Stages(stages @ 0..=1) => stages.max(1),
            Depth::Stages(stages) => stages.saturating_mul(spreads[at]),
            Depth::Auto => MOST_BY_ITSELF.max(2 * spreads[at]),
        },
    };
    let mut versions: Vec<u32> = nest.buffers.iter().enumerate().map(of).collect();
    fit(nest, device, &mut versions);
    Versions {
        of_buffers: versions,
        in_order: depth == Depth::Stages(0),
        pieces: match depth {
            Depth::Stages(0) => vec![1; nest.commands.len()],
            _ => pieces(nest, device),
        },
    }
}

/// Takes versions from buffers of memories that are too full: from the one with the most of them, of equally many from
/// the largest.
pub(crate) fn fit(nest: &Nest, device: &Device, versions: &mut [u32]) {
    for (at, memory) in device.memories.iter().enumerate() {
        let own: Vec<usize> = (0..nest.buffers.len())
            .filter(|buffer| nest.buffers[*buffer].memory == at)
            .collect();
        loop {
            let bytes = |buffer: &usize| nest.buffers[*buffer].bytes.saturating_mul(versions[*buffer].into());
            if own.iter().map(bytes).fold(0, u64::saturating_add) <= memory.bytes {
                break;
            }
            let key = |buffer: &&usize| (versions[**buffer], nest.buffers[**buffer].bytes);
            match own.iter().max_by_key(key) {
                Some(most) if versions[*most] > 1 => versions[*most] -= 1,
                // Buffers that are never alive at once may share their bytes.
                _ => break,
            }
        }
    }
}
