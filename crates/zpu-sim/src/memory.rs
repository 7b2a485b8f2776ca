//! Buffers: bytes, which of them were written, and how much of each space is live.
//!
//! Invariant: every access goes through a check of liveness and range, so that no program can make the simulator panic.

use zpu_device::Device;

use crate::fault::Fault;
use crate::footprint::Footprint;
use crate::program::{LocationId, SpaceId};

/// A buffer: its place in the low half, and in the high half how many buffers that are gone had the place before. No
/// two buffers of a run are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BufferId(pub(crate) u64);

impl BufferId {
    /// Its place among the buffers that are live, which another one may get when it is gone.
    pub(crate) fn place(self) -> usize {
        (self.0 & u64::from(u32::MAX)) as usize
    }

    /// The next buffer at this place; `None` when all have been there.
    fn next(self) -> Option<Self> {
        self.0.checked_add(1 << 32).map(Self)
    }
}

/// The origin of a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// The caller, by argument position.
    Argument(usize),
    /// A statement.
    Allocation(LocationId),
    /// The program's constants.
    Global(String),
}

/// A buffer's contents and history.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) id: BufferId,
    pub(crate) bytes: Vec<u8>,
    pub(crate) origin: Origin,
    pub(crate) space: SpaceId,
    pub(crate) live: bool,
    written: Written,
    footprint: u64,
}

impl Buffer {
    /// True if it is the caller's or a constant, which a program finds where it is.
    pub(crate) fn is_fixed(&self) -> bool {
        !matches!(self.origin, Origin::Allocation(_))
    }
}

/// The bytes that were written. Most buffers are soon written whole, and then cost nothing to check.
#[derive(Debug)]
enum Written {
    All,
    Some { bits: Vec<u64>, missing: u64 },
}

/// One space's use.
#[derive(Clone, Debug)]
pub(crate) struct SpaceUse {
    pub(crate) live: u64,
    pub(crate) peak: u64,
    pub(crate) capacity: u64,
    align: u64,
}

/// All buffers of a run. A freed buffer leaves its place to the next one, so that a run needs places only for live
/// ones.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Buffers by place.
    pub(crate) buffers: Vec<Buffer>,
    /// Places of buffers that are gone.
    vacant: Vec<usize>,
    pub(crate) spaces: Vec<SpaceUse>,
    host_bytes: u64,
    host_limit: u64,
    /// The first contents of every buffer, if the run may begin again.
    first: Option<Vec<Vec<u8>>>,
}

/// The byte in unwritten memory: all ones is a NaN in every float type, so that reading it shows.
const GARBAGE: u8 = 0xff;

/// Bytes that a live buffer takes on the simulating machine besides its contents, rounded up: a program may have many
/// empty ones.
const OVERHEAD: u64 = 256;

impl Memory {
    pub(crate) fn new(device: &Device, host_limit: u64) -> Self {
        let space = |memory: &zpu_device::Memory| SpaceUse {
            live: 0,
            peak: 0,
            capacity: memory.bytes,
            align: memory.align.max(1),
        };
        Self {
            buffers: Vec::new(),
            vacant: Vec::new(),
            spaces: device.memories.iter().map(space).collect(),
            host_bytes: 0,
            host_limit,
            first: None,
        }
    }

    /// Remembers from now on what new buffers hold. None of them leaves its place.
    pub(crate) fn remember(&mut self) {
        self.first = Some(Vec::new());
    }

    /// Gives all buffers, those that were freed as well, what they held at first.
    pub(crate) fn begin_again(&mut self) {
        for (buffer, first) in self.buffers.iter_mut().zip(self.first.take().unwrap_or_default()) {
            buffer.bytes = first;
            buffer.live = true;
            buffer.written = Written::All;
        }
    }

    /// A new buffer; `contents` fewer than `bytes` leave the rest unwritten.
    pub(crate) fn allocate(
        &mut self,
        bytes: u64,
        contents: Option<Vec<u8>>,
        origin: Origin,
        space: SpaceId,
    ) -> Result<BufferId, Fault> {
        let too_much = Fault::HostMemory {
            bytes,
            limit: self.host_limit,
        };
        let place = self.vacant.last().copied().unwrap_or(self.buffers.len());
        let new = || u32::try_from(place).ok().map(|place| BufferId(place.into()));
        let id = self.buffers.get(place).map_or_else(new, |gone| gone.id.next());
        let id = id.ok_or(Fault::TooLarge)?;
        let usage = self
            .spaces
            .get_mut(space.index())
            .ok_or(Fault::Missing("a memory space"))?;
        if self
            .host_bytes
            .checked_add(bytes)
            .and_then(|sum| sum.checked_add(OVERHEAD))
            .is_none_or(|sum| sum > self.host_limit)
        {
            return Err(too_much);
        }
        let size = usize::try_from(bytes).map_err(|_| too_much.clone())?;
        let written = match &contents {
            Some(_) => Written::All,
            None if bytes == 0 => Written::All,
            None => Written::Some {
                bits: vec![0; size.div_ceil(64)],
                missing: bytes,
            },
        };
        let mut data = contents.unwrap_or_default();
        data.try_reserve_exact(size.saturating_sub(data.len()))
            .map_err(|_| too_much)?;
        data.resize(size, GARBAGE);
        let footprint = bytes.checked_next_multiple_of(usage.align).ok_or(Fault::TooLarge)?;
        usage.live = usage.live.saturating_add(footprint);
        usage.peak = usage.peak.max(usage.live);
        self.host_bytes += bytes + OVERHEAD;
        if let Some(first) = &mut self.first {
            first.push(data.clone());
        }
        let buffer = Buffer {
            id,
            bytes: data,
            origin,
            space,
            live: true,
            written,
            footprint,
        };
        if self.vacant.pop().is_some() {
            self.buffers[place] = buffer;
        } else {
            self.buffers.push(buffer);
        }
        Ok(id)
    }

    /// Frees a buffer that a statement allocated.
    pub(crate) fn free(&mut self, id: BufferId) -> Result<(), Fault> {
        let buffer = self.live_mut(id)?;
        match &buffer.origin {
            Origin::Argument(_) => return Err(Fault::Dealloc("an argument of the entry".into())),
            Origin::Global(name) => return Err(Fault::Dealloc(format!("the global `{name}`"))),
            Origin::Allocation(_) => {}
        }
        let host_bytes = buffer.bytes.len() as u64 + OVERHEAD;
        buffer.live = false;
        buffer.bytes = Vec::new();
        buffer.written = Written::All;
        let (space, footprint) = (buffer.space, buffer.footprint);
        let usage = &mut self.spaces[space.index()];
        usage.live = usage.live.saturating_sub(footprint);
        if self.first.is_none() {
            self.host_bytes -= host_bytes;
            self.vacant.push(id.place());
        }
        Ok(())
    }

    /// A buffer that is live.
    pub(crate) fn live(&self, id: BufferId) -> Result<&Buffer, Fault> {
        let buffer = self.buffers.get(id.place());
        let buffer = buffer.filter(|buffer| buffer.live && buffer.id == id);
        buffer.ok_or(Fault::Deallocated)
    }

    fn live_mut(&mut self, id: BufferId) -> Result<&mut Buffer, Fault> {
        let buffer = self.buffers.get_mut(id.place());
        let buffer = buffer.filter(|buffer| buffer.live && buffer.id == id);
        buffer.ok_or(Fault::Deallocated)
    }

    /// The bytes, if the buffer is live.
    pub(crate) fn live_bytes(&self, id: BufferId) -> Result<&[u8], Fault> {
        self.live(id).map(|buffer| buffer.bytes.as_slice())
    }

    /// The bytes for writing, if the buffer is live.
    pub(crate) fn live_bytes_mut(&mut self, id: BufferId) -> Result<&mut [u8], Fault> {
        self.live_mut(id).map(|buffer| buffer.bytes.as_mut_slice())
    }

    /// Checks that a buffer is live and that the footprint lies in it.
    pub(crate) fn check(&self, id: BufferId, footprint: &Footprint) -> Result<(), Fault> {
        let size = self.live_bytes(id)?.len() as u64;
        if footprint.end > size {
            return Err(Fault::Bytes {
                start: footprint.start,
                end: footprint.end,
                size,
            });
        }
        Ok(())
    }

    /// Notes that the bytes of a checked footprint were written.
    pub(crate) fn mark_written(&mut self, id: BufferId, footprint: &Footprint) {
        let Ok(Buffer { written, .. }) = self.live_mut(id) else {
            return;
        };
        let Written::Some { bits, missing } = written else {
            return;
        };
        let mark = |(start, end): (u64, u64)| -> u64 {
            let mut newly = 0;
            for_words(start, end, |word, mask| {
                if let Some(bits) = bits.get_mut(word) {
                    newly += u64::from((mask & !*bits).count_ones());
                    *bits |= mask;
                }
                true
            });
            newly
        };
        *missing -= if footprint.is_run() {
            std::iter::once((footprint.start, footprint.end)).map(mark).sum::<u64>()
        } else {
            footprint.intervals().into_iter().map(mark).sum::<u64>()
        };
        if *missing == 0 {
            *written = Written::All;
        }
    }

    /// The first unwritten byte of a checked footprint.
    pub(crate) fn first_unwritten(&self, id: BufferId, footprint: &Footprint) -> Option<u64> {
        let Ok(Buffer {
            written: Written::Some { bits, .. },
            ..
        }) = self.live(id)
        else {
            return None;
        };
        let find = |(start, end): (u64, u64)| {
            let mut found = None;
            for_words(start, end, |word, mask| {
                let missing = mask & !bits.get(word).copied().unwrap_or(u64::MAX);
                if missing != 0 {
                    found = Some(word as u64 * 64 + u64::from(missing.trailing_zeros()));
                }
                found.is_none()
            });
            found
        };
        if footprint.is_run() {
            find((footprint.start, footprint.end))
        } else {
            footprint.intervals().into_iter().find_map(find)
        }
    }
}

/// Calls `visit` with each 64-bit word of a range of bits and the mask of the range in it, until it returns false.
fn for_words(start: u64, end: u64, mut visit: impl FnMut(usize, u64) -> bool) {
    let mut at = start;
    while at < end {
        let word = at / 64;
        let stop = end.min((word + 1) * 64);
        let mask = (u64::MAX >> (64 - (stop - at))) << (at % 64);
        if !visit(word as usize, mask) {
            return;
        }
        at = stop;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(bytes: u64) -> (Memory, BufferId) {
        let usage = SpaceUse {
            live: 0,
            peak: 0,
            capacity: 1024,
            align: 64,
        };
        let mut memory = Memory {
            buffers: Vec::new(),
            vacant: Vec::new(),
            spaces: vec![usage],
            host_bytes: 0,
            host_limit: 4096,
            first: None,
        };
        let id = memory
            .allocate(bytes, None, Origin::Allocation(LocationId(0)), SpaceId(0))
            .unwrap();
        (memory, id)
    }

    #[test]
    fn written_bytes_are_tracked_one_by_one() {
        let (mut memory, id) = memory(200);
        memory.mark_written(id, &Footprint::run(0, 70));
        assert_eq!(memory.first_unwritten(id, &Footprint::run(0, 70)), None);
        assert_eq!(memory.first_unwritten(id, &Footprint::run(60, 20)), Some(70));
        memory.mark_written(id, &Footprint::run(71, 129));
        assert_eq!(memory.first_unwritten(id, &Footprint::run(0, 200)), Some(70));
        memory.mark_written(id, &Footprint::run(70, 1));
        assert_eq!(memory.first_unwritten(id, &Footprint::run(0, 200)), None);
    }

    #[test]
    fn capacity_counts_aligned_bytes_while_live() {
        let (mut memory, id) = memory(100);
        assert_eq!((memory.spaces[0].live, memory.spaces[0].peak), (128, 128));
        memory.free(id).unwrap();
        assert_eq!((memory.spaces[0].live, memory.spaces[0].peak), (0, 128));
        assert_eq!(memory.free(id), Err(Fault::Deallocated));
        assert_eq!(memory.check(id, &Footprint::run(0, 1)), Err(Fault::Deallocated));
    }

    #[test]
    fn a_place_is_taken_again_and_the_buffer_before_stays_gone() {
        let (mut memory, first) = memory(100);
        memory.free(first).unwrap();
        let second = memory
            .allocate(64, None, Origin::Allocation(LocationId(1)), SpaceId(0))
            .unwrap();
        assert_eq!((memory.buffers.len(), first.place()), (1, second.place()));
        assert_eq!(memory.free(first), Err(Fault::Deallocated));
        assert_eq!(memory.live_bytes(first), Err(Fault::Deallocated));
        assert_eq!(memory.first_unwritten(first, &Footprint::run(0, 1)), None);
        assert_eq!(memory.first_unwritten(second, &Footprint::run(0, 1)), Some(0));
    }

    #[test]
    fn the_host_is_protected() {
        let (mut memory, _) = memory(100);
        let fault = memory.allocate(u64::MAX, None, Origin::Argument(0), SpaceId(0));
        assert_eq!(
            fault,
            Err(Fault::HostMemory {
                bytes: u64::MAX,
                limit: 4096
            })
        );
    }
}
