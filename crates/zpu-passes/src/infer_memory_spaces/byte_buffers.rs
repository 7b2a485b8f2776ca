//! Turns an allocation of bytes that is used through a single `memref.view` into an allocation of the view's type.
//!
//! Upstream's promotion allocates bytes. Typed, the buffer has a shape that planning and versioning can work with.

use zpu_ir::{Builder, Op, Value, edit, ty};

use super::buffers::{Buffer, Root};
use crate::data_path;

/// An allocation of bytes with its only view.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteBuffer<'c> {
    alloc: Op<'c>,
    view: Op<'c>,
    /// The operation before which the new allocation goes.
    place: Op<'c>,
}

impl<'c> ByteBuffer<'c> {
    /// The views of a buffer's allocations that can be rewritten.
    pub(super) fn of(buffer: &Buffer<'c>) -> Vec<Self> {
        buffer.roots.iter().filter_map(|root| Self::of_root(*root)).collect()
    }

    fn of_root(buffer: Root<'c>) -> Option<Self> {
        let bytes = ty::MemRef::of(buffer.value.ty())?;
        let is_bytes = ty::element_bytes(bytes.element) == Some(1) && bytes.is_identity_layout() && bytes.rank() == 1;
        if buffer.origin.is("func.func") || !is_bytes {
            return None;
        }
        let mut users = buffer
            .value
            .uses()
            .into_iter()
            .map(|user| user.op)
            .filter(|op| !op.is("memref.dealloc"));
        let (view, None) = (users.next().filter(|op| op.is("memref.view"))?, users.next()) else {
            return None;
        };
        let typed = ty::MemRef::of(view.result(0).ty())?;
        let fits = match (bytes.bytes(), typed.bytes()) {
            (Some(have), Some(need)) => need <= have,
            _ => true,
        };
        let place = if view.block() == buffer.origin.block() {
            view
        } else {
            buffer.origin
        };
        let sizes_are_there = || {
            view.operands()
                .into_iter()
                .skip(2)
                .all(|size| is_available(size, place))
        };
        (fits && typed.is_identity_layout() && view.operand(1).as_constant_int() == Some(0) && sizes_are_there())
            .then_some(Self {
                alloc: buffer.origin,
                view,
                place,
            })
    }

    /// Replaces allocation and view by one allocation.
    pub(super) fn rewrite(self) {
        let Self { alloc, view, place } = self;
        let mut builder = Builder::before(place).like(alloc);
        let sizes: Vec<Value<'c>> = view
            .operands()
            .into_iter()
            .skip(2)
            .map(|size| match size.as_constant_int() {
                Some(constant) if !dominates(size, place) => builder.index(constant),
                _ => size,
            })
            .collect();
        let attrs: Vec<_> = alloc
            .attrs()
            .into_iter()
            .filter(|(name, _)| *name != "operandSegmentSizes")
            .collect();
        let typed = data_path::alloc(&mut builder, alloc.name(), &sizes, view.result(0).ty(), &attrs);
        edit::replace_all_uses(view.result(0), typed);
        edit::erase(view);
        edit::replace_all_uses(alloc.result(0), typed);
        edit::erase(alloc);
    }
}

/// True if the value is available before `place`: it dominates it, or it is a constant, which can be made again.
fn is_available<'c>(value: Value<'c>, place: Op<'c>) -> bool {
    value.as_constant_int().is_some() || dominates(value, place)
}

/// True if the value is defined before `place`, in its block or in one around it.
pub(super) fn dominates<'c>(value: Value<'c>, place: Op<'c>) -> bool {
    let Some(block) = value.parent_block() else {
        return false;
    };
    let around = std::iter::once(place)
        .chain(place.parents())
        .find(|op| op.block() == Some(block));
    match (around, value.defining_op()) {
        (Some(_), None) => true,
        (Some(op), Some(def)) => def.is_before(op),
        (None, _) => false,
    }
}
