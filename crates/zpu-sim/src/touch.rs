//! The bytes that a command touches through its operands.

use crate::effect::Effect;
use crate::footprint::Footprint;
use crate::hazard::Access;
use crate::memory::BufferId;

/// The bytes that a command touches through one operand.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Touch {
    /// Place of the part of the command that the operand is of.
    pub(crate) part: usize,
    pub(crate) buffer: BufferId,
    pub(crate) footprint: Footprint,
    pub(crate) read: bool,
    pub(crate) write: bool,
}

/// The touches of all parts of a command, in their order.
pub(crate) fn touches_of(effects: &[Effect]) -> Vec<Touch> {
    let mut touches = Vec::new();
    for (part, effect) in effects.iter().enumerate() {
        effect.for_each_operand(|view, footprint, read, write| {
            touches.push(Touch {
                part,
                buffer: view.buffer,
                footprint: footprint.clone(),
                read,
                write,
            });
        });
    }
    touches
}

/// Every access, of each part the reads before the writes.
pub(crate) fn accesses_of(touches: &[Touch]) -> Vec<Access> {
    let mut accesses = Vec::new();
    for part in touches.chunk_by(|one, next| one.part == next.part) {
        for write in [false, true] {
            let these = part.iter().filter(|touch| if write { touch.write } else { touch.read });
            accesses.extend(these.map(|touch| Access {
                buffer: touch.buffer,
                footprint: touch.footprint.clone(),
                write,
                ends: false,
            }));
        }
    }
    accesses
}
