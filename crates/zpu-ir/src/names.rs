//! Names of values as the printer writes them.

use std::marker::PhantomData;

use mlir_sys::{self as sys, MlirAsmState};

use crate::{Op, Value};

/// The numbering of the values in an operation. Nothing in it may be changed while it is used.
#[derive(Debug)]
pub struct Names<'c> {
    raw: MlirAsmState,
    op: PhantomData<&'c ()>,
}

impl<'c> Names<'c> {
    /// Numbers the values of an operation that is isolated from above, a function for instance.
    pub fn of(op: Op<'c>) -> Self {
        // SAFETY: the operation is alive; the flags live until the state is made.
        let raw = unsafe {
            let flags = sys::mlirOpPrintingFlagsCreate();
            let raw = sys::mlirAsmStateCreateForOperation(op.to_raw(), flags);
            sys::mlirOpPrintingFlagsDestroy(flags);
            raw
        };
        Self { raw, op: PhantomData }
    }

    /// The name with its sign, e.g. `%arg0`.
    pub fn name(&self, value: Value<'c>) -> String {
        let mut text = String::new();
        // SAFETY: value and state are alive; the callback appends to our string during the call only.
        unsafe {
            sys::mlirValuePrintAsOperand(
                value.to_raw(),
                self.raw,
                Some(crate::append_text),
                (&raw mut text).cast(),
            );
        }
        text
    }
}

impl Drop for Names<'_> {
    fn drop(&mut self) {
        // SAFETY: it was made by us and is destroyed once.
        unsafe { sys::mlirAsmStateDestroy(self.raw) }
    }
}
