//! Buffers: bytes, which of them were written, and how much of each space is live.
//!
//! Allocations at addresses are windows of one buffer, the arena of their space: they are named by its place and a
//! number of their own, and their bytes are counted from its beginning.
//!
//! Invariant: every access goes through a check of liveness and range, so that no program can make the simulator panic.

use zpu_device::Device;

use crate::arena::{Arena, Window};
use crate::fault::Fault;
use crate::footprint::Footprint;
use crate::program::{LocationId, SpaceId};
use crate::storage::{Initial, Storage};

/// A buffer: its place in the low half, and in the high half how many buffers that are gone had the place before; of a
/// window, the place of its arena and its number there. No two buffers of a run are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BufferId(pub(crate) u64);

impl BufferId {
    /// Its place among the buffers that are live, which another one may get when it is gone.
    pub(crate) fn place(self) -> usize {
        (self.0 & u64::from(u32::MAX)) as usize
    }

    /// The number of a window in its arena.
    fn number(self) -> u32 {
        (self.0 >> 32) as u32
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
    /// A space, as the bytes that allocations at addresses share.
    Space,
}

/// A buffer's contents and history.
#[derive(Debug)]
pub(crate) struct Buffer {
    pub(crate) id: BufferId,
    pub(crate) bytes: Storage,
    pub(crate) origin: Origin,
    pub(crate) space: SpaceId,
    pub(crate) live: bool,
    written: Written,
    footprint: u64,
    /// The windows, if it is the arena of its space.
    arena: Option<Box<Arena>>,
}

impl Buffer {
    fn has_window(&self, id: BufferId) -> bool {
        self.arena
            .as_ref()
            .is_some_and(|arena| arena.window(id.number()).is_some())
    }

    /// The origins of what is live in it, each with its bytes.
    pub(crate) fn live_parts(&self) -> Vec<(&Origin, u64)> {
        match &self.arena {
            Some(arena) => {
                let part = |window: &'_ Window| window.end - window.first;
                arena.live().map(|window| (&window.origin, part(window))).collect()
            }
            None if self.live => vec![(&self.origin, self.bytes.len() as u64)],
            None => Vec::new(),
        }
    }

    /// True if it is the caller's or a constant, which a program finds where it is.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.origin, Origin::Argument(_) | Origin::Global(_))
    }
}

/// The bytes that were written. Most buffers are soon written whole, and then cost nothing to check.
#[derive(Debug)]
enum Written {
    All,
    Some {
        bits: Vec<u64>,
        missing: u64,
    },
    /// As the arena says.
    ByWindow,
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
    /// By space: the place of its arena.
    arenas: Vec<Option<usize>>,
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
            arenas: vec![None; device.memories.len()],
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
            buffer.bytes = first.into();
            buffer.live = true;
            buffer.written = Written::All;
            buffer.arena.iter_mut().for_each(|arena| arena.begin_again());
        }
    }

    /// A new buffer of so many bytes.
    pub(crate) fn allocate(
        &mut self,
        bytes: u64,
        contents: Initial,
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
            Initial::Garbage if bytes > 0 => Written::Some {
                bits: vec![0; size.div_ceil(64)],
                missing: bytes,
            },
            _ => Written::All,
        };
        let data = match contents {
            Initial::Bytes(contents) => contents,
            Initial::Zeros => Storage::zeros(size).ok_or(too_much)?,
            Initial::Garbage => {
                let mut garbage = Vec::new();
                garbage.try_reserve_exact(size).map_err(|_| too_much)?;
                garbage.resize(size, GARBAGE);
                garbage.into()
            }
        };
        let footprint = bytes.checked_next_multiple_of(usage.align).ok_or(Fault::TooLarge)?;
        usage.live = usage.live.saturating_add(footprint);
        usage.peak = usage.peak.max(usage.live);
        self.host_bytes += bytes + OVERHEAD;
        if let Some(first) = &mut self.first {
            first.push(data.to_vec());
        }
        let buffer = Buffer {
            id,
            bytes: data,
            origin,
            space,
            live: true,
            written,
            footprint,
            arena: None,
        };
        if self.vacant.pop().is_some() {
            self.buffers[place] = buffer;
        } else {
            self.buffers.push(buffer);
        }
        Ok(id)
    }

    /// A new buffer at an address; `filled` with zeros if contents do not matter. It shares the bytes of all others
    /// there. Those that no live one has written are garbage.
    pub(crate) fn allocate_at(
        &mut self,
        (address, bytes): (u64, u64),
        filled: bool,
        origin: Origin,
        space: SpaceId,
    ) -> Result<BufferId, Fault> {
        let missing = Fault::Missing("a memory space");
        let usage = self.spaces.get(space.index()).ok_or(missing.clone())?;
        let (capacity, align) = (usage.capacity, usage.align);
        let end = address.checked_add(bytes).filter(|end| *end <= capacity);
        let end = end.ok_or(Fault::Address {
            address,
            bytes,
            capacity,
        })?;
        let place = self.arena(space, end, filled)?;
        let buffer = &mut self.buffers[place];
        let arena = buffer.arena.as_mut().ok_or(missing)?;
        let before = arena.taken(align);
        let number = arena.add(origin, address, end).ok_or(Fault::TooLarge)?;
        let after = arena.taken(align);
        if matches!(buffer.written, Written::ByWindow) {
            for (start, end) in arena.unowned((address, end)) {
                buffer.bytes[start as usize..end as usize].fill(GARBAGE);
            }
        }
        let usage = &mut self.spaces[space.index()];
        usage.live = usage.live.saturating_sub(before).saturating_add(after);
        usage.peak = usage.peak.max(usage.live);
        Ok(BufferId(u64::from(number) << 32 | place as u64))
    }

    /// The place of a space's arena, which has so many bytes at least.
    fn arena(&mut self, space: SpaceId, bytes: u64, filled: bool) -> Result<usize, Fault> {
        let place = match self.arenas.get(space.index()).copied().flatten() {
            Some(place) => place,
            None => {
                let place = self.buffers.len();
                let id = u32::try_from(place).map_err(|_| Fault::TooLarge)?;
                self.buffers.push(Buffer {
                    id: BufferId(id.into()),
                    bytes: Storage::default(),
                    origin: Origin::Space,
                    space,
                    live: true,
                    written: if filled { Written::All } else { Written::ByWindow },
                    footprint: 0,
                    arena: Some(Box::default()),
                });
                if let Some(first) = &mut self.first {
                    first.push(Vec::new());
                }
                self.arenas[space.index()] = Some(place);
                place
            }
        };
        let contents = self.buffers[place].bytes.held();
        let more = bytes.saturating_sub(contents.len() as u64);
        let too_much = Fault::HostMemory {
            bytes,
            limit: self.host_limit,
        };
        let sum = self.host_bytes.checked_add(more).filter(|sum| *sum <= self.host_limit);
        self.host_bytes = sum.ok_or(too_much.clone())?;
        let first = self.first.as_mut().and_then(|first| first.get_mut(place));
        for contents in [Some(contents), first].into_iter().flatten() {
            let size = (bytes as usize).max(contents.len());
            contents
                .try_reserve_exact(size - contents.len())
                .map_err(|_| too_much.clone())?;
            contents.resize(size, if filled { 0 } else { GARBAGE });
        }
        Ok(place)
    }

    /// A window that is live.
    pub(crate) fn window(&self, id: BufferId) -> Option<&Window> {
        self.buffers.get(id.place())?.arena.as_ref()?.window(id.number())
    }

    /// The window through which a byte of an arena was written last.
    pub(crate) fn owner(&self, id: BufferId, byte: u64) -> Option<&Window> {
        self.buffers.get(id.place())?.arena.as_ref()?.owner(byte)
    }

    /// The origin of a live buffer.
    pub(crate) fn origin(&self, id: BufferId) -> Option<&Origin> {
        let window = self.window(id).map(|window| &window.origin);
        window.or_else(|| self.live(id).ok().map(|buffer| &buffer.origin))
    }

    /// First and last byte, exclusively, of a live buffer among those that its footprints count.
    pub(crate) fn extent(&self, id: BufferId) -> Option<(u64, u64)> {
        let window = self.window(id).map(|window| (window.first, window.end));
        window.or_else(|| self.live_bytes(id).ok().map(|bytes| (0, bytes.len() as u64)))
    }

    /// Frees a window: the bytes that it owns are nobody's, and garbage.
    fn free_window(&mut self, id: BufferId) {
        let buffer = &mut self.buffers[id.place()];
        let usage = &mut self.spaces[buffer.space.index()];
        let Some(arena) = &mut buffer.arena else { return };
        let before = arena.taken(usage.align);
        for (start, end) in arena.end(id.number(), self.first.is_some()) {
            buffer.bytes[start as usize..end as usize].fill(GARBAGE);
        }
        usage.live = usage
            .live
            .saturating_sub(before)
            .saturating_add(arena.taken(usage.align));
    }

    /// Frees a buffer that a statement allocated.
    pub(crate) fn free(&mut self, id: BufferId) -> Result<(), Fault> {
        if self.window(id).is_some() {
            self.free_window(id);
            return Ok(());
        }
        let buffer = self.live_mut(id)?;
        match &buffer.origin {
            Origin::Argument(_) => return Err(Fault::Dealloc("an argument of the entry".into())),
            Origin::Global(name) => return Err(Fault::Dealloc(format!("the global `{name}`"))),
            Origin::Space => return Err(Fault::Dealloc("a memory".into())),
            Origin::Allocation(_) => {}
        }
        let host_bytes = buffer.bytes.len() as u64 + OVERHEAD;
        buffer.live = false;
        buffer.bytes = Storage::default();
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
        let buffer = buffer.filter(|buffer| buffer.live && (buffer.id == id || buffer.has_window(id)));
        buffer.ok_or(Fault::Deallocated)
    }

    fn live_mut(&mut self, id: BufferId) -> Result<&mut Buffer, Fault> {
        let buffer = self.buffers.get_mut(id.place());
        let buffer = buffer.filter(|buffer| buffer.live && (buffer.id == id || buffer.has_window(id)));
        buffer.ok_or(Fault::Deallocated)
    }

    /// The bytes, if the buffer is live.
    pub(crate) fn live_bytes(&self, id: BufferId) -> Result<&[u8], Fault> {
        self.live(id).map(|buffer| &*buffer.bytes)
    }

    /// The bytes for writing, if the buffer is live.
    pub(crate) fn live_bytes_mut(&mut self, id: BufferId) -> Result<&mut [u8], Fault> {
        self.live_mut(id).map(|buffer| &mut *buffer.bytes)
    }

    /// Checks that a buffer is live and that the footprint lies in it.
    pub(crate) fn check(&self, id: BufferId, footprint: &Footprint) -> Result<(), Fault> {
        let buffer = self.live(id)?;
        if let Some(window) = buffer.arena.as_ref().and_then(|arena| arena.window(id.number())) {
            if footprint.start < window.first || footprint.end > window.end {
                return Err(Fault::Window {
                    start: footprint.start,
                    end: footprint.end,
                    first: window.first,
                    last: window.end,
                });
            }
            return Ok(());
        }
        let size = buffer.bytes.len() as u64;
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
        let Ok(Buffer { written, arena, .. }) = self.live_mut(id) else {
            return;
        };
        let (bits, missing) = match (&mut *written, arena) {
            (Written::Some { bits, missing }, _) => (bits, missing),
            (Written::ByWindow, Some(arena)) => {
                arena.write(id.number(), footprint);
                return;
            }
            _ => return,
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

    /// The first byte of a checked footprint that was not written, or not through this buffer last.
    pub(crate) fn first_unwritten(&self, id: BufferId, footprint: &Footprint) -> Option<u64> {
        let bits = match self.live(id) {
            Ok(Buffer {
                written: Written::Some { bits, .. },
                ..
            }) => bits,
            Ok(Buffer {
                written: Written::ByWindow,
                arena: Some(arena),
                ..
            }) => return arena.first_foreign(id.number(), footprint),
            _ => return None,
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
            arenas: vec![None],
            host_bytes: 0,
            host_limit: 4096,
            first: None,
        };
        let id = memory
            .allocate(bytes, Initial::Garbage, Origin::Allocation(LocationId(0)), SpaceId(0))
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
            .allocate(64, Initial::Garbage, Origin::Allocation(LocationId(1)), SpaceId(0))
            .unwrap();
        assert_eq!((memory.buffers.len(), first.place()), (1, second.place()));
        assert_eq!(memory.free(first), Err(Fault::Deallocated));
        assert_eq!(memory.live_bytes(first), Err(Fault::Deallocated));
        assert_eq!(memory.first_unwritten(first, &Footprint::run(0, 1)), None);
        assert_eq!(memory.first_unwritten(second, &Footprint::run(0, 1)), Some(0));
    }

    #[test]
    fn windows_share_bytes_and_not_lives() {
        let (mut memory, _) = memory(100);
        let origin = |at| Origin::Allocation(LocationId(at));
        let one = memory.allocate_at((0, 128), false, origin(1), SpaceId(0)).unwrap();
        let other = memory.allocate_at((64, 128), false, origin(2), SpaceId(0)).unwrap();
        assert_eq!((memory.spaces[0].live, one.place()), (128 + 192, other.place()));
        memory.live_bytes_mut(one).unwrap()[64..128].fill(7);
        memory.mark_written(one, &Footprint::run(64, 64));
        assert_eq!(memory.live_bytes(other).unwrap()[64], 7);
        assert_eq!(memory.first_unwritten(one, &Footprint::run(64, 64)), None);
        assert_eq!(memory.first_unwritten(other, &Footprint::run(80, 4)), Some(80));
        assert_eq!(memory.owner(other, 80).map(|window| &window.origin), Some(&origin(1)));
        memory.free(one).unwrap();
        assert_eq!(memory.free(one), Err(Fault::Deallocated));
        assert_eq!(memory.check(one, &Footprint::run(0, 1)), Err(Fault::Deallocated));
        assert_eq!(memory.live_bytes(other).unwrap()[64], GARBAGE);
        assert_eq!((memory.spaces[0].live, memory.spaces[0].peak), (128 + 128, 128 + 192));
        assert!(memory.check(other, &Footprint::run(64, 128)).is_ok());
        let outside = Err(Fault::Window {
            start: 60,
            end: 68,
            first: 64,
            last: 192,
        });
        assert_eq!(memory.check(other, &Footprint::run(60, 8)), outside);
        let beyond = Err(Fault::Address {
            address: 1000,
            bytes: 128,
            capacity: 1024,
        });
        assert_eq!(memory.allocate_at((1000, 128), false, origin(3), SpaceId(0)), beyond);
    }

    #[test]
    fn the_host_is_protected() {
        let (mut memory, _) = memory(100);
        let fault = memory.allocate(u64::MAX, Initial::Garbage, Origin::Argument(0), SpaceId(0));
        assert_eq!(
            fault,
            Err(Fault::HostMemory {
                bytes: u64::MAX,
                limit: 4096
            })
        );
    }
}
