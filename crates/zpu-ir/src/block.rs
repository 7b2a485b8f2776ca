//! Blocks and regions, borrowed.

use std::fmt;
use std::marker::PhantomData;

use mlir_sys::{self as sys, MlirBlock, MlirRegion};

use crate::{Op, Value};

/// A reference to a block. Copyable; equal when it is the same block.
#[derive(Clone, Copy)]
pub struct Block<'c> {
    pub(crate) raw: MlirBlock,
    context: PhantomData<&'c ()>,
}

impl<'c> Block<'c> {
    /// Wraps a raw block.
    ///
    /// # Safety
    ///
    /// It must not be null, and must live as long as the reference is used.
    pub unsafe fn from_raw(raw: MlirBlock) -> Self {
        Self {
            raw,
            context: PhantomData,
        }
    }

    /// Wraps a raw block that may be null.
    ///
    /// # Safety
    ///
    /// The requirements of [`Block::from_raw`].
    pub(crate) unsafe fn from_option_raw(raw: MlirBlock) -> Option<Self> {
        if raw.ptr.is_null() {
            None
        } else {
            Some(Self {
                raw,
                context: PhantomData,
            })
        }
    }

    /// The raw block, for other bindings.
    pub fn to_raw(self) -> MlirBlock {
        self.raw
    }

    /// Arguments.
    pub fn args(self) -> Vec<Value<'c>> {
        // SAFETY: the block is alive and the index below the count.
        unsafe {
            let count = sys::mlirBlockGetNumArguments(self.raw);
            (0..count)
                .map(|i| Value::from_raw(sys::mlirBlockGetArgument(self.raw, i)))
                .collect()
        }
    }

    /// Operations, in order, the terminator included. The block must not be edited while the iterator is in use;
    /// collect first.
    pub fn ops(self) -> impl Iterator<Item = Op<'c>> {
        // SAFETY: the block is alive; null ends the list.
        let first = unsafe { Op::from_option_raw(sys::mlirBlockGetFirstOperation(self.raw)) };
        std::iter::successors(first, |op| op.next())
    }

    /// The terminator, if the block has one.
    pub fn terminator(self) -> Option<Op<'c>> {
        // SAFETY: the block is alive; null is filtered.
        unsafe { Op::from_option_raw(sys::mlirBlockGetTerminator(self.raw)) }
    }

    /// The operation whose region holds the block.
    pub fn parent_op(self) -> Option<Op<'c>> {
        // SAFETY: the block is alive; null is filtered.
        unsafe { Op::from_option_raw(sys::mlirBlockGetParentOperation(self.raw)) }
    }
}

crate::compared_by_address!(Block);

impl fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        // SAFETY: the callback appends to our string during the call only.
        unsafe { sys::mlirBlockPrint(self.raw, Some(crate::append_text), (&raw mut text).cast()) };
        f.write_str(&text)
    }
}

/// A reference to a region.
#[derive(Clone, Copy)]
pub struct Region<'c> {
    raw: MlirRegion,
    context: PhantomData<&'c ()>,
}

impl<'c> Region<'c> {
    /// Wraps a raw region.
    ///
    /// # Safety
    ///
    /// It must not be null, and must live as long as the reference is used.
    pub unsafe fn from_raw(raw: MlirRegion) -> Self {
        Self {
            raw,
            context: PhantomData,
        }
    }

    /// The first block, if there is one.
    pub fn first_block(self) -> Option<Block<'c>> {
        // SAFETY: the region is alive; null is filtered.
        unsafe { Block::from_option_raw(sys::mlirRegionGetFirstBlock(self.raw)) }
    }

    /// All blocks, in order.
    pub fn blocks(self) -> Vec<Block<'c>> {
        let next = |block: &Block<'c>| {
            // SAFETY: the block is alive; null ends the list.
            unsafe { Block::from_option_raw(sys::mlirBlockGetNextInRegion(block.raw)) }
        };
        std::iter::successors(self.first_block(), next).collect()
    }
}
