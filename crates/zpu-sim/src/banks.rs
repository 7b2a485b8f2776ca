//! Banks: engines that need the buffers of one command in different ones.
//!
//! Only bytes at addresses have banks, and of those the bytes that a command accesses: a slot of a ring may lie in
//! another bank than the next one. Bytes that are read and written through one buffer are one operand.

use crate::finding::describe;
use crate::machine::Machine;
use crate::memory::BufferId;
use crate::program::LocationId;
use crate::report::FindingKind;
use crate::touch::Touch;

/// Bytes that a command accesses through one buffer of a memory with banks.
struct Accessed {
    buffer: BufferId,
    /// The memory, by its place.
    space: usize,
    /// First and last bank.
    banks: (u64, u64),
}

impl Machine<'_> {
    /// Reports two buffers of a command that are in one bank, if the engine needs them apart.
    pub(crate) fn check_banks(&mut self, engine: usize, location: LocationId, touches: &[Touch]) {
        if !self.device.engines[engine].separate_banks || !self.options.checks.capacity {
            return;
        }
        let mut accessed: Vec<Accessed> = Vec::new();
        for Touch { buffer, footprint, .. } in touches {
            let Ok(space) = self.memory.live(*buffer).map(|live| live.space.index()) else {
                continue;
            };
            let memory = &self.device.memories[space];
            if memory.banks < 2 || self.memory.window(*buffer).is_none() {
                continue;
            }
            let size = (memory.bytes / memory.banks).max(1);
            let banks = (footprint.start / size, footprint.end.saturating_sub(1) / size);
            accessed.push(Accessed {
                buffer: *buffer,
                space,
                banks,
            });
        }
        for (at, one) in accessed.iter().enumerate() {
            for other in &accessed[at + 1..] {
                let bank = one.banks.0.max(other.banks.0);
                let is_shared = bank <= one.banks.1.min(other.banks.1);
                if one.buffer != other.buffer && one.space == other.space && is_shared {
                    let message = self.in_one_bank(engine, (one, other), bank);
                    let (program, kind) = (self.program, FindingKind::Capacity);
                    self.findings.other(program, kind, location, message, Vec::new());
                    return;
                }
            }
        }
    }

    fn in_one_bank(&self, engine: usize, (one, other): (&Accessed, &Accessed), bank: u64) -> String {
        let name = |accessed: &Accessed| {
            let origin = self.memory.origin(accessed.buffer);
            origin.map_or_else(String::new, |origin| describe(self.program, origin))
        };
        format!(
            "@{} needs its operands in different banks, and bank {bank} of {} has bytes of {} and of {}; give one of \
             them an address in another bank",
            self.device.engines[engine].name,
            self.device.memories[one.space].name,
            name(one),
            name(other)
        )
    }
}
