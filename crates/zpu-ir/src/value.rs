//! A value and its uses, borrowed.

use std::fmt;
use std::marker::PhantomData;

use mlir_sys::{self as sys, MlirValue};

use crate::{Block, Location, Op, Type};

/// A reference to an SSA value. Copyable; equal when it is the same value.
#[derive(Clone, Copy)]
pub struct Value<'c> {
    pub(crate) raw: MlirValue,
    context: PhantomData<&'c ()>,
}

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def<'c> {
    /// A result of an operation, by index.
    Result(Op<'c>, usize),
    /// An argument of a block, by index.
    Argument(Block<'c>, usize),
}

/// One use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use<'c> {
    /// The operation that uses it.
    pub op: Op<'c>,
    /// The index of the operand.
    pub index: usize,
}

impl<'c> Value<'c> {
    /// Wraps a raw value.
    ///
    /// # Safety
    ///
    /// It must not be null, and must live as long as the reference is used.
    pub unsafe fn from_raw(raw: MlirValue) -> Self {
        Self {
            raw,
            context: PhantomData,
        }
    }

    /// The raw value, for other bindings.
    pub fn to_raw(self) -> MlirValue {
        self.raw
    }

    /// Type.
    pub fn ty(self) -> Type<'c> {
        // SAFETY: the value is alive; types live in the context.
        unsafe { Type::from_raw(sys::mlirValueGetType(self.raw)) }
    }

    /// Location of its definition.
    pub fn loc(self) -> Location<'c> {
        // SAFETY: the value is alive; locations live in the context.
        unsafe { Location::from_raw(sys::mlirValueGetLocation(self.raw)) }
    }

    /// Its definition.
    pub fn def(self) -> Def<'c> {
        // SAFETY: the value is alive and its kind is asked first.
        unsafe {
            if sys::mlirValueIsAOpResult(self.raw) {
                let op = Op::from_raw(sys::mlirOpResultGetOwner(self.raw));
                Def::Result(op, sys::mlirOpResultGetResultNumber(self.raw) as usize)
            } else {
                let block = Block::from_raw(sys::mlirBlockArgumentGetOwner(self.raw));
                Def::Argument(block, sys::mlirBlockArgumentGetArgNumber(self.raw) as usize)
            }
        }
    }

    /// The operation that it is a result of.
    pub fn defining_op(self) -> Option<Op<'c>> {
        match self.def() {
            Def::Result(op, _) => Some(op),
            Def::Argument(..) => None,
        }
    }

    /// The block in which it is defined, if the definition is attached.
    pub fn parent_block(self) -> Option<Block<'c>> {
        match self.def() {
            Def::Result(op, _) => op.block(),
            Def::Argument(block, _) => Some(block),
        }
    }

    /// True if it is defined inside `op` (by a nested operation, or as an argument of a nested block).
    pub fn is_defined_inside(self, op: Op<'c>) -> bool {
        match self.def() {
            Def::Result(def, _) => def != op && op.contains(def),
            Def::Argument(block, _) => block.parent_op().is_some_and(|parent| op.contains(parent)),
        }
    }

    /// All uses, in no particular order but the same one each time.
    pub fn uses(self) -> Vec<Use<'c>> {
        let mut uses = Vec::new();
        // SAFETY: the value is alive, and the use list is not changed during the loop.
        unsafe {
            let mut operand = sys::mlirValueGetFirstUse(self.raw);
            while !sys::mlirOpOperandIsNull(operand) {
                uses.push(Use {
                    op: Op::from_raw(sys::mlirOpOperandGetOwner(operand)),
                    index: sys::mlirOpOperandGetOperandNumber(operand) as usize,
                });
                operand = sys::mlirOpOperandGetNextUse(operand);
            }
        }
        uses
    }

    /// True if nothing uses it.
    pub fn is_unused(self) -> bool {
        // SAFETY: the value is alive.
        unsafe { sys::mlirOpOperandIsNull(sys::mlirValueGetFirstUse(self.raw)) }
    }

    /// The value of an integer or index `arith.constant`.
    pub fn as_constant_int(self) -> Option<i64> {
        let op = self.defining_op().filter(|op| op.is("arith.constant"))?;
        crate::attr::as_int(op.attr("value")?)
    }
}

crate::compared_by_address!(Value);

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        // SAFETY: the callback appends to our string during the call only.
        unsafe { sys::mlirValuePrint(self.raw, Some(crate::append_text), (&raw mut text).cast()) };
        f.write_str(&text)
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
