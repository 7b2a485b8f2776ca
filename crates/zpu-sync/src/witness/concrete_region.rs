//! The region of an access in one execution: which memory, and which part of it, in numbers.

use crate::problem::view::{Op, Value};
use crate::witness::numbers::Numbers;

use crate::problem::algebra::Access;
use crate::problem::algebra::{Region, Root};

/// A part of some memory.
#[derive(Clone, Debug)]
pub(crate) struct ConcreteRegion<'c> {
    pub(crate) root: Root<'c>,
    pub(crate) write: bool,
    /// Iterations of the loops around what makes the base: equal bases of equal iterations are the same memory.
    made: Vec<i64>,
    /// Iterations of the loops around what makes the root.
    root_made: Vec<i64>,
    base: Value<'c>,
    /// First index and number of indices in each dimension of the base; `None` when it is not known that all of them
    /// are touched.
    extents: Option<Vec<(i64, i64)>>,
    /// First byte and number of bytes from the pointer of the root on, or of a window from the beginning of its space,
    /// if it is known that all of them are touched and no other.
    bytes: Option<(i64, i64)>,
    /// It ends the life of the memory.
    ends: bool,
    /// It leaves the memory.
    pub(crate) is_outside: bool,
    /// Some of the memory certainly is touched, wherever that is.
    is_somewhere: bool,
}

impl<'c> ConcreteRegion<'c> {
    /// Of an access that happens now.
    pub(crate) fn of(access: &Access<'c>, numbers: &mut Numbers<'c>) -> Self {
        let region = &access.region;
        let around = |value: Value<'c>, op: Op<'c>| value.is_defined_inside(op);
        let is_around = |op: Op<'c>| around(region.base, op) || around(region.root.value(), op);
        let made = numbers
            .iterations
            .iter()
            .filter(|(op, _)| is_around(*op))
            .map(|(_, at)| *at);
        let made = made.collect();
        let is_around_root = |op: Op<'c>| around(region.root.value(), op);
        let root_made = numbers.iterations.iter().filter(|(op, _)| is_around_root(*op));
        let root_made = root_made.map(|(_, at)| *at).collect();
        let extents = extents(access, numbers);
        let bytes = extents
            .as_ref()
            .and_then(|extents| dense_bytes(region, extents, numbers));
        let is_outside = extents
            .as_ref()
            .is_some_and(|extents| leaves(region.base, extents, numbers));
        Self {
            root: region.root,
            write: access.write,
            made,
            root_made,
            base: region.base,
            extents,
            bytes,
            ends: access.ends,
            is_outside,
            is_somewhere: access.full && access.whole_of.is_some_and(has_elements),
        }
    }

    /// True if something certainly is touched.
    pub(crate) fn is_touched(&self) -> bool {
        let is_there = |extents: &Vec<(i64, i64)>| extents.iter().all(|(_, span)| *span > 0);
        self.extents.as_ref().is_some_and(is_there)
    }

    /// True if something of the memory that it is part of is touched.
    pub(crate) fn is_in_use(&self) -> bool {
        self.is_somewhere || self.is_touched()
    }

    /// The memory that it is part of: equal ones are one allocation.
    pub(crate) fn instance(&self) -> (Value<'c>, Vec<i64>) {
        (self.root.value(), self.root_made.clone())
    }

    /// True if both certainly touch an element of which the order matters.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        if !(self.write || other.write) || !(self.is_touched() && other.is_touched()) {
            return false;
        }
        let are_windows = matches!((self.root, other.root), (Root::Window(_), Root::Window(_)));
        let share_bytes = are_windows && !self.ends && !other.ends && self.root.may_alias(other.root);
        if self.root != other.root && !share_bytes {
            return false;
        }
        let shares =
            |(left, right): (&(i64, i64), &(i64, i64))| left.0 < right.0 + right.1 && right.0 < left.0 + left.1;
        // Of one allocation or argument in other shapes, bytes are compared; an allocation in a loop is another one
        // each time, unless it is at an address.
        let is_same_base = self.base == other.base && (self.made == other.made || self.root == Root::Window(self.base));
        if !is_same_base {
            let both = self.bytes.as_ref().zip(other.bytes.as_ref());
            // The end of a scope is that of what any iteration inside has made.
            let is_same_memory = are_windows || self.root_made.starts_with(&other.root_made);
            return is_same_memory && both.is_some_and(shares);
        }
        let pairs = self.extents.iter().flatten().zip(other.extents.iter().flatten());
        pairs.into_iter().all(shares)
    }
}

fn has_elements(memref: Value<'_>) -> bool {
    memref
        .memref()
        .is_some_and(|memref| memref.shape.iter().all(|size| size.is_some_and(|size| size > 0)))
}

/// True if an access that happens now leaves its memory.
pub(crate) fn is_outside<'c>(access: &Access<'c>, numbers: &mut Numbers<'c>) -> bool {
    extents(access, numbers).is_some_and(|extents| leaves(access.region.base, &extents, numbers))
}

/// The first index and the number of indices in each dimension of the base, if all of them are touched.
fn extents<'c>(access: &Access<'c>, numbers: &mut Numbers<'c>) -> Option<Vec<(i64, i64)>> {
    let region = &access.region;
    if !access.full || matches!(region.root, Root::Unknown(_)) {
        return None;
    }
    let extents = region.extents.as_ref()?.iter().map(|extent| {
        let span = extent.span.as_ref().filter(|_| extent.exact);
        let offset = numbers.of_index(&extent.offset)?;
        Some((offset, numbers.of_linear(span?)?))
    });
    extents.collect()
}

/// True if a box leaves its base.
fn leaves<'c>(base: Value<'c>, extents: &[(i64, i64)], numbers: &mut Numbers<'c>) -> bool {
    let shape = base.memref().map(|memref| &memref.shape[..]).unwrap_or_default();
    let is_argument = base.defining_op().is_none();
    let mut is_outside = false;
    for (dim, ((offset, span), size)) in extents.iter().zip(shape).enumerate() {
        let end = offset.checked_add(*span).filter(|_| *span >= 0 && *offset >= 0);
        is_outside |= match (end, size) {
            (None, _) => true,
            (Some(end), Some(size)) => end > *size,
            (Some(end), None) => is_argument && !numbers.reaches(base, dim, end),
        };
    }
    is_outside
}

/// The bytes of a box of which every element is touched, if there is no gap between them: in a base whose elements lie
/// apart, they are as many as from the first to the last.
fn dense_bytes<'c>(region: &Region<'c>, extents: &[(i64, i64)], numbers: &mut Numbers<'c>) -> Option<(i64, i64)> {
    let bytes = region.bytes.as_ref()?;
    let base = region.base.memref()?;
    let dims = base.shape.iter().zip(&base.strides).rev();
    let mut end = 1;
    for (size, stride) in dims {
        let (size, stride) = ((*size)?, (*stride)?);
        if stride < end {
            return None;
        }
        end = stride.checked_mul(size)?;
    }
    let first = numbers.of_index(&bytes.offset)?;
    let number = numbers.of_linear(bytes.span.as_ref()?)?;
    let elements = extents
        .iter()
        .try_fold(1i64, |product, (_, span)| product.checked_mul(*span))?;
    let touched = elements.checked_mul(i64::from(base.element_bytes?))?;
    (touched == number).then_some((first, number))
}
