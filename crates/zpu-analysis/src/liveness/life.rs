//! Lives as steps, and the bytes that are alive at once.

use super::Liveness;
use super::buffer::BufferId;
use super::timeline::StepId;
use crate::root::address_of;

/// The life of a buffer on the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Life {
    /// The first step that accesses it, and the last one; none if nothing does.
    pub accessed: Option<(StepId, StepId)>,
    /// The runs of steps at which it is alive, each from its first step to its last one, in program order.
    pub runs: Vec<(StepId, StepId)>,
}

impl Life {
    /// The first step of the life, and the last one.
    pub fn hull(&self) -> Option<(StepId, StepId)> {
        Some((self.runs.first()?.0, self.runs.last()?.1))
    }
}

/// A buffer that is alive at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// The buffer.
    pub buffer: BufferId,
    /// How many of its slots are alive.
    pub slots: u32,
    /// Bytes of these.
    pub bytes: u64,
}

/// The step at which the most bytes of a memory are alive; the first one of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peak {
    /// The step.
    pub step: StepId,
    /// Bytes alive there. Buffers of several slots count with those that are alive; bytes that several buffers have
    /// count once.
    pub bytes: u64,
    /// The buffers alive there, in program order.
    pub residents: Vec<Resident>,
}

impl Liveness<'_> {
    /// The life of a buffer.
    pub fn life(&self, id: BufferId) -> Life {
        let mut runs: Vec<(StepId, StepId)> = Vec::new();
        for step in self.timeline.ids().filter(|step| self.is_alive(id, *step)) {
            match runs.last_mut() {
                Some((_, last)) if last.0 + 1 == step.0 => *last = step,
                _ => runs.push((step, step)),
            }
        }
        let accessed = &self.accessed[id.0];
        Life {
            accessed: accessed.first().copied().zip(accessed.last().copied()),
            runs,
        }
    }

    /// True if a buffer is alive at a step.
    pub fn is_alive(&self, id: BufferId, step: StepId) -> bool {
        !self.alive[step.0][id.0].is_empty()
    }

    /// The step at which the most bytes of a memory are alive; none if that is none.
    pub fn peak(&self, space: &str) -> Option<Peak> {
        let mut most: Option<(u64, StepId)> = None;
        for step in self.timeline.ids() {
            let residents = self.residents(space, step);
            let bytes = self.together(&residents);
            if bytes > most.map_or(0, |(bytes, _)| bytes) {
                most = Some((bytes, step));
            }
        }
        most.map(|(bytes, step)| Peak {
            step,
            bytes,
            residents: self.residents(space, step),
        })
    }

    /// The bytes of buffers together. Those whose ranges of addresses meet are in one range: while an engine does its
    /// commands in order, one of them may be filled behind the last read of another.
    fn together(&self, residents: &[Resident]) -> u64 {
        let (mut ranges, mut apart): (Vec<(u64, u64, u64)>, u64) = (Vec::new(), 0);
        for resident in residents {
            let buffer = self.buffer(resident.buffer);
            match address_of(buffer.value).and_then(|address| u64::try_from(address).ok()) {
                Some(begin) => ranges.push((begin, begin.saturating_add(buffer.bytes), resident.bytes)),
                None => apart = apart.saturating_add(resident.bytes),
            }
        }
        ranges.sort_unstable();
        let meets = |one: &(u64, u64, u64), next: &(u64, u64, u64)| next.0 < one.1;
        let mut all: Vec<(u64, u64, u64)> = Vec::new();
        for next in ranges {
            match all.last_mut().filter(|last| meets(last, &next)) {
                Some(last) => *last = (last.0, last.1.max(next.1), last.2.saturating_add(next.2)),
                None => all.push(next),
            }
        }
        let bytes = all.into_iter().map(|(begin, end, alive)| alive.min(end - begin));
        bytes.fold(apart, u64::saturating_add)
    }

    fn residents(&self, space: &str, step: StepId) -> Vec<Resident> {
        let here = self.ids().filter(|id| self.buffer(*id).space == space);
        here.filter_map(|id| {
            let (buffer, slots) = (self.buffer(id), self.alive[step.0][id.0].len());
            // The last slot of a ring ends with the buffer.
            let bytes = if slots == buffer.versions {
                buffer.bytes
            } else {
                buffer.pitch.saturating_mul(slots.into())
            };
            (slots > 0).then_some(Resident {
                buffer: id,
                slots,
                bytes,
            })
        })
        .collect()
    }
}
