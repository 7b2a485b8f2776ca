//! An operation, borrowed.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;

use melior::ir::attribute::AttributeLike as _;
use mlir_sys::{self as sys, MlirOperation, MlirValue};

use crate::{Attribute, Block, ContextRef, Location, Region, Value, bytes_of, raw_text, text_of};

/// A reference to an operation. Copyable; equal when it is the same operation.
#[derive(Clone, Copy)]
pub struct Op<'c> {
    pub(crate) raw: MlirOperation,
    context: PhantomData<&'c ()>,
}

/// The kind of an effect on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Allocates.
    Allocate,
    /// Frees.
    Free,
}

/// One effect; without a value it concerns memory that is not named.
#[derive(Clone, Copy, Debug)]
pub struct Effect<'c> {
    /// The kind.
    pub kind: EffectKind,
    /// The memref whose memory it concerns.
    pub value: Option<Value<'c>>,
}

impl<'c> Op<'c> {
    /// Wraps a raw operation.
    ///
    /// # Safety
    ///
    /// It must not be null, and must live as long as the reference is used.
    pub unsafe fn from_raw(raw: MlirOperation) -> Self {
        Self {
            raw,
            context: PhantomData,
        }
    }

    /// Wraps a raw operation that may be null.
    ///
    /// # Safety
    ///
    /// The requirements of [`Op::from_raw`].
    pub(crate) unsafe fn from_option_raw(raw: MlirOperation) -> Option<Self> {
        if raw.ptr.is_null() {
            None
        } else {
            Some(Self {
                raw,
                context: PhantomData,
            })
        }
    }

    /// The operation of a module, for as long as the module is borrowed.
    pub fn of_module(module: &'c crate::Module<'_>) -> Self {
        // SAFETY: a module's operation lives as long as the module.
        unsafe { Self::from_raw(sys::mlirModuleGetOperation(module.to_raw())) }
    }

    /// The raw operation, for other bindings.
    pub fn to_raw(self) -> MlirOperation {
        self.raw
    }

    /// The context.
    pub fn context(self) -> ContextRef<'c> {
        // SAFETY: the operation is alive, so is its context.
        unsafe { ContextRef::from_raw(sys::mlirOperationGetContext(self.raw)) }
    }

    /// Full name, e.g. `scf.for`.
    pub fn name(self) -> &'c str {
        // SAFETY: identifiers live as long as the context.
        unsafe { text_of(sys::mlirIdentifierStr(sys::mlirOperationGetName(self.raw))) }
    }

    /// True if it has this name.
    pub fn is(self, name: &str) -> bool {
        // Names are compared more often than anything else, so they are not read as text first.
        // SAFETY: identifiers live as long as the context.
        let own = unsafe { bytes_of(sys::mlirIdentifierStr(sys::mlirOperationGetName(self.raw))) };
        own == name.as_bytes()
    }

    /// True if its dialect is there and has it.
    pub fn is_registered(self) -> bool {
        // SAFETY: the context is alive; the text lives during the call.
        unsafe { sys::mlirContextIsRegisteredOperation(self.context().to_raw(), raw_text(self.name())) }
    }

    /// Location.
    pub fn loc(self) -> Location<'c> {
        // SAFETY: locations are uniqued in the context.
        unsafe { Location::from_raw(sys::mlirOperationGetLocation(self.raw)) }
    }

    /// Operands, in order.
    pub fn operands(self) -> Vec<Value<'c>> {
        (0..self.num_operands()).map(|i| self.operand(i)).collect()
    }

    /// Number of operands.
    pub fn num_operands(self) -> usize {
        // SAFETY: the operation is alive.
        unsafe { sys::mlirOperationGetNumOperands(self.raw) as usize }
    }

    /// An operand. The index must be below [`Op::num_operands`].
    pub fn operand(self, index: usize) -> Value<'c> {
        assert!(index < self.num_operands(), "operand {index} of {}", self.name());
        // SAFETY: the index was checked.
        unsafe { Value::from_raw(sys::mlirOperationGetOperand(self.raw, index as isize)) }
    }

    /// Results, in order.
    pub fn results(self) -> Vec<Value<'c>> {
        (0..self.num_results()).map(|i| self.result(i)).collect()
    }

    /// Number of results.
    pub fn num_results(self) -> usize {
        // SAFETY: the operation is alive.
        unsafe { sys::mlirOperationGetNumResults(self.raw) as usize }
    }

    /// A result. The index must be below [`Op::num_results`].
    pub fn result(self, index: usize) -> Value<'c> {
        assert!(index < self.num_results(), "result {index} of {}", self.name());
        // SAFETY: the index was checked.
        unsafe { Value::from_raw(sys::mlirOperationGetResult(self.raw, index as isize)) }
    }

    /// Regions, in order.
    pub fn regions(self) -> Vec<Region<'c>> {
        // SAFETY: the operation is alive and the index below the count.
        unsafe {
            let count = sys::mlirOperationGetNumRegions(self.raw);
            (0..count)
                .map(|i| Region::from_raw(sys::mlirOperationGetRegion(self.raw, i)))
                .collect()
        }
    }

    /// The first block of the first region, if there is one.
    pub fn body(self) -> Option<Block<'c>> {
        self.regions().first().and_then(|region| region.first_block())
    }

    /// The only block of the only region.
    pub fn only_block(self) -> Option<Block<'c>> {
        let regions = self.regions();
        let [region] = regions.as_slice() else { return None };
        region.first_block().filter(|_| region.blocks().len() == 1)
    }

    /// The block that holds it.
    pub fn block(self) -> Option<Block<'c>> {
        // SAFETY: the operation is alive; a null block is filtered.
        unsafe { Block::from_option_raw(sys::mlirOperationGetBlock(self.raw)) }
    }

    /// The operation around it.
    pub fn parent(self) -> Option<Self> {
        self.block()?;
        // SAFETY: the operation is alive; a null parent is filtered.
        unsafe { Self::from_option_raw(sys::mlirOperationGetParentOperation(self.raw)) }
    }

    /// The operations around it, innermost first.
    pub fn parents(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |op| op.parent())
    }

    /// True if `other` is this operation or inside it.
    pub fn contains(self, other: Self) -> bool {
        other == self || other.parents().any(|parent| parent == self)
    }

    /// The operation after it in its block.
    pub fn next(self) -> Option<Self> {
        self.block()?;
        // SAFETY: the operation is alive and in a block; null is filtered.
        unsafe { Self::from_option_raw(sys::mlirOperationGetNextInBlock(self.raw)) }
    }

    /// True if it stands before `other` of the same block.
    pub fn is_before(self, other: Self) -> bool {
        assert!(
            self.block().is_some() && self.block() == other.block(),
            "operations of different blocks"
        );
        // SAFETY: both are alive and in one block.
        unsafe { sys::mlirOperationIsBeforeInBlock(self.raw, other.raw) }
    }

    /// An attribute, inherent or discardable.
    pub fn attr(self, name: &str) -> Option<Attribute<'c>> {
        // SAFETY: the operation is alive; a null attribute is filtered.
        unsafe { Attribute::from_option_raw(sys::mlirOperationGetAttributeByName(self.raw, raw_text(name))) }
    }

    /// True if it has that attribute.
    pub fn has_attr(self, name: &str) -> bool {
        self.attr(name).is_some()
    }

    /// All attributes with their names.
    pub fn attrs(self) -> Vec<(&'c str, Attribute<'c>)> {
        // SAFETY: the operation is alive and the index below the count; names and attributes live in the context.
        unsafe {
            (0..sys::mlirOperationGetNumAttributes(self.raw))
                .map(|i| {
                    let named = sys::mlirOperationGetAttribute(self.raw, i);
                    (
                        text_of(sys::mlirIdentifierStr(named.name)),
                        Attribute::from_raw(named.attribute),
                    )
                })
                .collect()
        }
    }

    /// The discardable attributes, with their names.
    pub fn discardable_attrs(self) -> Vec<(&'c str, Attribute<'c>)> {
        // SAFETY: the operation is alive and the index below the count; names and attributes live in the context.
        unsafe {
            (0..sys::mlirOperationGetNumDiscardableAttributes(self.raw))
                .map(|i| {
                    let named = sys::mlirOperationGetDiscardableAttribute(self.raw, i);
                    (
                        text_of(sys::mlirIdentifierStr(named.name)),
                        Attribute::from_raw(named.attribute),
                    )
                })
                .collect()
        }
    }

    /// Sets an attribute, inherent or discardable.
    pub fn set_attr(self, name: &str, attribute: Attribute<'c>) {
        // SAFETY: the operation is alive.
        unsafe { sys::mlirOperationSetAttributeByName(self.raw, raw_text(name), attribute.to_raw()) }
    }

    /// Removes an attribute, if it is there.
    pub fn remove_attr(self, name: &str) {
        // SAFETY: the operation is alive.
        unsafe {
            sys::mlirOperationRemoveAttributeByName(self.raw, raw_text(name));
        }
    }

    /// Runs the verifier; diagnostics go to the context's handler.
    pub fn verify(self) -> bool {
        // SAFETY: the operation is alive.
        unsafe { sys::mlirOperationVerify(self.raw) }
    }

    /// Everything inside, itself first, in program order.
    pub fn walk(self) -> Vec<Self> {
        let mut all = Vec::new();
        let mut open = vec![self];
        while let Some(op) = open.pop() {
            all.push(op);
            let first = open.len();
            for block in op.regions().into_iter().flat_map(Region::blocks) {
                open.extend(block.ops());
            }
            // The first one inside is the next.
            open[first..].reverse();
        }
        all
    }

    /// Everything inside with this name, in program order.
    pub fn find_all(self, name: &str) -> Vec<Self> {
        self.walk().into_iter().filter(|op| op.is(name)).collect()
    }

    /// Effects on memory, those of nested operations included; `None` when they are unknown.
    pub fn effects(self) -> Option<Vec<Effect<'c>>> {
        unsafe extern "C" fn collect(kind: c_int, value: MlirValue, data: *mut c_void) {
            let kind = match kind {
                0 => EffectKind::Read,
                1 => EffectKind::Write,
                2 => EffectKind::Allocate,
                _ => EffectKind::Free,
            };
            // SAFETY: `data` is the vector below; the value is null or alive.
            unsafe {
                let value = if value.ptr.is_null() {
                    None
                } else {
                    Some(Value::from_raw(value))
                };
                (*data.cast::<Vec<Effect<'_>>>()).push(Effect { kind, value });
            }
        }
        let mut effects: Vec<Effect<'c>> = Vec::new();
        // SAFETY: the callback runs during the call only and gets our vector.
        let known = unsafe { zpu_sys::zpuOpEffects(self.raw, collect, (&raw mut effects).cast()) };
        known.then_some(effects)
    }

    /// True if it, with all that it holds, neither reads nor writes memory.
    pub fn is_memory_effect_free(self) -> bool {
        // SAFETY: the operation is alive.
        unsafe { zpu_sys::zpuOpIsMemoryEffectFree(self.raw) }
    }

    /// True if it is a structured operation of the matrix-product kind: a contraction, or a convolution over input
    /// channels.
    pub fn is_contraction(self) -> bool {
        // SAFETY: the operation is alive.
        unsafe { zpu_sys::zpuOpIsContraction(self.raw) }
    }

    /// True if it is a `linalg.fill` with the constant 0.
    pub fn is_zero_fill(self) -> bool {
        // SAFETY: the operation is alive.
        unsafe { zpu_sys::zpuOpIsZeroFill(self.raw) }
    }

    /// The indexing maps of a structured operation; `None` for any other.
    pub fn indexing_maps(self) -> Option<Attribute<'c>> {
        if !self.name().starts_with("linalg.") {
            return None;
        }
        // SAFETY: the operation is alive; null is filtered.
        unsafe { Attribute::from_option_raw(sys::mlirLinalgGetIndexingMapsAttribute(self.raw)) }
    }

    /// The function around it (or itself).
    pub fn function(self) -> Option<Self> {
        std::iter::once(self)
            .chain(self.parents())
            .find(|op| op.is("func.func"))
    }

    /// Name of the function around it, for reports.
    pub fn function_name(self) -> &'c str {
        self.function()
            .and_then(|f| f.attr("sym_name"))
            .and_then(crate::attr::as_str)
            .unwrap_or("")
    }

    /// True for a function that only its module can call.
    pub fn is_private(self) -> bool {
        self.attr("sym_visibility").and_then(crate::attr::as_str) == Some("private")
    }
}

crate::compared_by_address!(Op);

impl Op<'_> {
    /// Threads that MLIR uses in its context: 1 if threading is switched off.
    pub fn num_threads(self) -> usize {
        // SAFETY: the operation lives in the context.
        unsafe { sys::mlirContextGetNumThreads(self.context().to_raw()) as usize }
    }

    /// Its text in MLIR, without a look at whether it is right: of what passes have made.
    pub fn verified_text(self) -> String {
        let mut text = String::new();
        // SAFETY: the flags live during the call; the callback appends to our string during the call only.
        unsafe {
            let flags = sys::mlirOpPrintingFlagsCreate();
            sys::mlirOpPrintingFlagsAssumeVerified(flags);
            sys::mlirOperationPrintWithFlags(self.raw, flags, Some(crate::append_text), (&raw mut text).cast());
            sys::mlirOpPrintingFlagsDestroy(flags);
        }
        text
    }
}

impl fmt::Display for Op<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        // SAFETY: the callback appends to our string during the call only.
        unsafe { sys::mlirOperationPrint(self.raw, Some(crate::append_text), (&raw mut text).cast()) };
        f.write_str(&text)
    }
}

impl fmt::Debug for Op<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
