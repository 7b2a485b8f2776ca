//! Slots: places of a buffer's versions in its ring, each at a multiple of an alignment.
//!
//! The slots of a ring follow each other without gaps, and only the first begins where the allocation does. A buffer
//! whose size is no multiple of its alignment therefore needs a longer first dimension in the ring, of which a slot
//! shows the beginning: `memref<3x8xf32>` with an alignment of 64 bytes lies in `memref<Nx4x8xf32>`. Where whole rows
//! would take more than the next multiple of the alignment, leading dimensions are one in the ring: `memref<4x3xf32>`
//! lies in `memref<Nx16xf32>`.

use zpu_device::Device;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Op, attr};

/// The place of a version in its ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The buffer's leading dimensions that are one dimension of the ring.
    pub merged: usize,
    /// The number that the size of that dimension is rounded up to a multiple of.
    pub multiple: i64,
}

impl Slot {
    /// The place of a version that begins at a multiple of `alignment` bytes. `None` if there is none: the element's
    /// size is not known, or the alignment does not fit a number.
    pub fn of(memref: &MemRef<'_>, alignment: u64) -> Option<Self> {
        if alignment <= 1 {
            return Some(Self::dense(memref));
        }
        let unit = unit(memref, alignment)?;
        let first = Self::of_rows(memref, memref.rank().min(1), alignment)?;
        let Some(elements) = memref.num_elements() else {
            return Some(first);
        };
        if elements % unit == 0 {
            return Some(Self::dense(memref));
        }
        let least = next_multiple(elements, unit)?;
        let all = first.merged..=memref.rank();
        all.filter_map(|merged| Self::of_rows(memref, merged, alignment))
            .find(|slot| slot.elements(&memref.shape) == Some(least))
    }

    /// The place of a version in a ring whose sizes are bounds of the buffer's.
    pub fn in_room(memref: &MemRef<'_>, room: &[Option<i64>], alignment: u64) -> Option<Self> {
        let bounded = MemRef {
            shape: room.to_vec(),
            ..memref.clone()
        };
        let slot = Self::of(&bounded, alignment)?;
        // Only dimensions of constant sizes are merged.
        if slot.merged < 2 || memref.shape == room {
            return Some(slot);
        }
        Self::of_rows(&bounded, 1, alignment)
    }

    /// The place of a version with so many leading dimensions as one.
    fn of_rows(memref: &MemRef<'_>, merged: usize, alignment: u64) -> Option<Self> {
        let unit = unit(memref, alignment)?;
        let inner = memref.shape[merged..].iter().flatten();
        let inner = inner.fold(1i64, |product, size| product.saturating_mul(*size));
        let multiple = unit / i64::try_from(gcd(unit.unsigned_abs(), inner.unsigned_abs())).unwrap_or(1);
        Some(Self { merged, multiple })
    }

    /// Versions without gaps between them.
    fn dense(memref: &MemRef<'_>) -> Self {
        Self {
            merged: memref.rank().min(1),
            multiple: 1,
        }
    }

    /// True if there are no gaps between versions.
    pub fn is_dense(self) -> bool {
        self.multiple == 1
    }

    /// Elements from the beginning of a version to that of the next one, for the sizes of the buffer.
    pub fn elements(self, shape: &[Option<i64>]) -> Option<i64> {
        let product = |sizes: &[Option<i64>]| {
            sizes
                .iter()
                .try_fold(1i64, |product, size| product.checked_mul((*size)?))
        };
        next_multiple(product(&shape[..self.merged])?, self.multiple)?.checked_mul(product(&shape[self.merged..])?)
    }

    /// The size of the ring's dimension that holds the merged ones; `None` if one of these is dynamic.
    pub fn rows(self, shape: &[Option<i64>]) -> Option<i64> {
        let rows = shape[..self.merged]
            .iter()
            .try_fold(1i64, |product, size| product.checked_mul((*size)?));
        next_multiple(rows?, self.multiple)
    }
}

/// The elements of which each version begins at a multiple.
fn unit(memref: &MemRef<'_>, alignment: u64) -> Option<i64> {
    let element = u64::from(ty::element_bytes(memref.element)?);
    i64::try_from(alignment / gcd(alignment, element)).ok()
}

/// The alignment of a buffer in bytes: the least common multiple of its memory's alignment and of the one that the
/// allocation asks for.
pub fn alignment(allocation: Op<'_>, device: Option<&Device>) -> u64 {
    let asked = allocation.attr("alignment").and_then(attr::as_int);
    let asked = asked.and_then(|asked| u64::try_from(asked).ok()).unwrap_or(1).max(1);
    let memref = allocation.results().first().and_then(|result| MemRef::of(result.ty()));
    let memory = memref.and_then(|memref| device?.memory(memref.space()?));
    let own = memory.map_or(1, |memory| memory.align.max(1));
    (asked / gcd(asked, own)).saturating_mul(own)
}

fn next_multiple(size: i64, of: i64) -> Option<i64> {
    let size = u64::try_from(size).ok()?;
    let next = size.checked_next_multiple_of(u64::try_from(of).ok().filter(|of| *of > 0)?)?;
    i64::try_from(next).ok()
}

/// The greatest common divisor; at least 1.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a.max(1) } else { gcd(b, a % b) }
}
