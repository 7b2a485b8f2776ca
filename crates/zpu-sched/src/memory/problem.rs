//! The problem: buffers with lives, the memories that they lie in, and what is fixed about their places.
//!
//! Invariant: buffers and spaces are named by their places in the lists; a problem that [`check`](super::check())
//! accepts has sums and products that never overflow.

/// A memory, by its place in [`Problem::spaces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpaceId(pub u32);

impl SpaceId {
    /// The place in [`Problem::spaces`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A buffer, by its place in [`Problem::buffers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

impl BufferId {
    /// The place in [`Problem::buffers`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Buffers that need an address each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The name in reports.
    pub name: String,
    /// The initiation interval of the loop that the buffers belong to: instance k of a buffer lives its life k periods
    /// later. 0 if nothing repeats.
    pub period: u64,
    /// The memories.
    pub spaces: Vec<Space>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
}

/// A memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Space {
    /// Its name.
    pub name: String,
    /// Its size in bytes; `None` if it has no limit.
    pub bytes: Option<u64>,
    /// The alignment of buffers that have none of their own: a power of two.
    pub align: u64,
    /// The number of equal parts that can be used at the same time.
    pub banks: u32,
}

impl Space {
    /// A memory without limit, alignment and banks.
    pub fn new(name: impl Into<String>) -> Space {
        Space {
            name: name.into(),
            bytes: None,
            align: 1,
            banks: 1,
        }
    }
}

/// A span of time, half open: [from, from + length).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Life {
    /// Its first time.
    pub from: u64,
    /// How long it lasts, at least 1.
    pub length: u64,
}

/// Bytes that live for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// The memory.
    pub space: SpaceId,
    /// Its size, that of one version.
    pub bytes: u64,
    /// When its bytes are needed. With a period it is one span, which may be longer than the period. Without one there
    /// may be several that do not meet; between them other buffers may have its bytes.
    pub lives: Vec<Life>,
    /// Its alignment, in the place of that of its space: a power of two.
    pub align: Option<u64>,
    /// The address that it has to have, that of the first slot if it has several.
    pub offset: Option<u64>,
    /// Buffers of one group are consumed together. A planner that makes a ring of one makes rings of all.
    pub group: Option<String>,
    /// Buffers with which it may not share a bank.
    pub apart: Vec<BufferId>,
    /// The number of slots, if it has to be a ring: consecutive addresses that instances take in turn.
    pub versions: Option<u32>,
}

impl Buffer {
    /// A buffer that lives on [from, from + length), anywhere.
    pub fn new(name: impl Into<String>, space: SpaceId, bytes: u64, from: u64, length: u64) -> Buffer {
        Buffer {
            name: name.into(),
            space,
            bytes,
            lives: vec![Life { from, length }],
            align: None,
            offset: None,
            group: None,
            apart: vec![],
            versions: None,
        }
    }
}

impl Problem {
    /// A problem without loop.
    pub fn linear(name: impl Into<String>) -> Problem {
        Problem {
            name: name.into(),
            ..Problem::default()
        }
    }

    /// The problem of a loop with an initiation interval.
    pub fn circular(name: impl Into<String>, period: u64) -> Problem {
        Problem {
            name: name.into(),
            period,
            ..Problem::default()
        }
    }

    /// Adds a memory.
    pub fn add_space(&mut self, space: Space) -> SpaceId {
        self.spaces.push(space);
        SpaceId((self.spaces.len() - 1) as u32)
    }

    /// Adds a buffer.
    pub fn add_buffer(&mut self, buffer: Buffer) -> BufferId {
        self.buffers.push(buffer);
        BufferId((self.buffers.len() - 1) as u32)
    }

    /// The alignment of a buffer: its own, or else that of its space.
    pub fn align(&self, buffer: BufferId) -> u64 {
        let buffer = &self.buffers[buffer.index()];
        buffer.align.unwrap_or(self.spaces[buffer.space.index()].align)
    }

    /// The buffers of a space.
    pub fn buffers_of(&self, space: SpaceId) -> impl Iterator<Item = BufferId> + '_ {
        let of = self
            .buffers
            .iter()
            .enumerate()
            .filter(move |(_, buffer)| buffer.space == space);
        of.map(|(place, _)| BufferId(place as u32))
    }
}
