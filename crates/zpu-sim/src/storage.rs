//! The bytes of a buffer. Those of a large one that begins with zeros take memory only where they are written: a run
//! without values writes none, and the buffers of a long run may be larger than the machine that simulates it.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Bytes from which on zeros are pages of the operating system, which are given when they are first written.
const LARGE: usize = 1 << 20;

#[derive(Debug)]
pub(crate) enum Storage {
    Held(Vec<u8>),
    Mapped(MmapMut),
}

impl Storage {
    /// So many zeros; none if there is no room for them.
    pub(crate) fn zeros(size: usize) -> Option<Self> {
        if size >= LARGE {
            return MmapMut::map_anon(size).ok().map(Self::Mapped);
        }
        Some(Self::Held(vec![0; size]))
    }

    /// The bytes, for more to be added.
    pub(crate) fn held(&mut self) -> &mut Vec<u8> {
        if let Self::Mapped(mapped) = self {
            *self = Self::Held(mapped.to_vec());
        }
        match self {
            Self::Held(held) => held,
            Self::Mapped(_) => unreachable!("it was just copied"),
        }
    }
}

impl Default for Storage {
    fn default() -> Self {
        Self::Held(Vec::new())
    }
}

impl From<Vec<u8>> for Storage {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Held(bytes)
    }
}

impl Deref for Storage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Held(held) => held,
            Self::Mapped(mapped) => mapped,
        }
    }
}

impl DerefMut for Storage {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Held(held) => held,
            Self::Mapped(mapped) => mapped,
        }
    }
}

/// What a new buffer holds.
pub(crate) enum Initial {
    /// These bytes.
    Bytes(Storage),
    /// Zeros, which count as written.
    Zeros,
    /// Garbage, to be written before it is read.
    Garbage,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_zeros_however_many() -> Result<(), &'static str> {
        for size in [0, 1, LARGE - 1, LARGE, LARGE + 5] {
            let mut zeros = Storage::zeros(size).ok_or("no room")?;
            assert!(zeros.len() == size && zeros.iter().all(|byte| *byte == 0));
            if let Some(last) = zeros.last_mut() {
                *last = 7;
            }
            zeros.held().push(8);
            assert_eq!(zeros.len(), size + 1);
            assert_eq!(zeros[size.saturating_sub(1)], if size == 0 { 8 } else { 7 });
        }
        Ok(())
    }
}
