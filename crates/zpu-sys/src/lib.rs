//! The C face of `dialect/` as Rust sees it, and the option structs that are made from `Passes.td`.
//!
//! Declarations only: what they mean stands in `dialect/CApi.h`, and `zpu-ir` is the safe way to use them.

#![allow(non_camel_case_types)]

mod options;

pub use mlir_sys::*;
pub use options::*;

use std::ffi::{c_char, c_int, c_void};

/// An option as it crosses the border: kind 0 is a number (or a flag), 1 a text, 2 a list of texts.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ZpuOption {
    /// The field that holds the value.
    pub kind: i32,
    /// A number.
    pub number: i64,
    /// A text.
    pub text: MlirStringRef,
    /// Length of `list`.
    pub list_size: isize,
    /// Texts.
    pub list: *const MlirStringRef,
}

/// The parts of a `#zpu.order`; a list that is left out is null.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)] // documented in dialect/ZpuStreamAttrs.td
pub struct ZpuOrder {
    pub loops: MlirAttribute,
    pub map: MlirAttribute,
    pub token: MlirAttribute,
    pub dilation: MlirAttribute,
    pub lanes: MlirAttribute,
    pub align: i64,
}

/// The parts of a `#zpu.stream`; what is left out is null.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)] // documented in dialect/ZpuStreamAttrs.td
pub struct ZpuStream {
    pub verdict: i64,
    pub write: MlirAttribute,
    pub read: MlirAttribute,
    pub result: i64,
    pub gate: MlirAttribute,
    pub min_capacity: i64,
    pub retained: i64,
    pub circular_span: i64,
    pub epochs: i64,
    pub block_shape: MlirAttribute,
    pub modulo_shape: MlirAttribute,
    pub bound: i64,
    pub modulo_bound: i64,
}

/// The parts of a `#zpu.access`; kinds: 0 read, 1 write.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)] // documented in dialect/ZpuStreamAttrs.td
pub struct ZpuAccess {
    pub kind: i64,
    pub shared: i64,
    pub order: MlirAttribute,
}

/// The parts of a `#zpu.buffer`; what is left out is null.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs)] // documented in dialect/ZpuStreamAttrs.td
pub struct ZpuBuffer {
    pub tensor: MlirType,
    pub verdict: i64,
    pub first: MlirAttribute,
    pub advance: MlirAttribute,
    pub accesses: MlirAttribute,
}

/// Receives one effect of an operation.
pub type ZpuEffectCallback = unsafe extern "C" fn(kind: c_int, value: MlirValue, data: *mut c_void);
/// Fills a remark in, if remarks are switched on.
pub type ZpuRemarkFiller = unsafe extern "C" fn(data: *mut c_void, remark: *mut c_void);
/// Runs a pass by name.
pub type ZpuPassRunner =
    unsafe extern "C" fn(pass: MlirStringRef, op: MlirOperation, options: *const ZpuOption, count: isize) -> bool;
/// Receives a piece of text.
pub type ZpuAppendText = unsafe extern "C" fn(text: MlirStringRef, data: *mut c_void);
/// Writes the textual pipeline for options.
pub type ZpuPipelineText =
    unsafe extern "C" fn(options: *const ZpuOption, count: isize, append: ZpuAppendText, data: *mut c_void) -> bool;

#[allow(missing_docs)] // documented in dialect/CApi.h
unsafe extern "C" {
    pub fn zpuAttributeIsASpace(attribute: MlirAttribute) -> bool;
    pub fn zpuSpaceAttrGet(context: MlirContext, name: MlirStringRef) -> MlirAttribute;
    pub fn zpuSpaceAttrGetName(attribute: MlirAttribute) -> MlirStringRef;
    pub fn zpuTypeIsAToken(ty: MlirType) -> bool;
    pub fn zpuTokenTypeGet(context: MlirContext, engine: MlirStringRef) -> MlirType;
    pub fn zpuTokenTypeGetEngine(ty: MlirType) -> MlirStringRef;
    pub fn zpuAttributeIsASchedule(attribute: MlirAttribute) -> bool;
    pub fn zpuScheduleAttrGet(context: MlirContext, stage: i64, order: i64, cycle: i64) -> MlirAttribute;
    pub fn zpuScheduleAttrGetValues(attribute: MlirAttribute, stage: *mut i64, order: *mut i64, cycle: *mut i64);
    pub fn zpuAttributeIsAPipeline(attribute: MlirAttribute) -> bool;
    pub fn zpuPipelineAttrGet(context: MlirContext, ii: i64, stages: i64) -> MlirAttribute;
    pub fn zpuPipelineAttrGetValues(attribute: MlirAttribute, ii: *mut i64, stages: *mut i64);
    pub fn zpuAttributeIsAnOrigin(attribute: MlirAttribute) -> bool;
    pub fn zpuOriginAttrGet(context: MlirContext, name: MlirStringRef, transpose_count: i64) -> MlirAttribute;
    pub fn zpuOriginAttrGetName(attribute: MlirAttribute) -> MlirStringRef;
    pub fn zpuOriginAttrGetTransposeCount(attribute: MlirAttribute) -> i64;
    pub fn zpuTypeIsADone(ty: MlirType) -> bool;
    pub fn zpuDoneTypeGet(context: MlirContext) -> MlirType;
    pub fn zpuLoopUnroll(loop_: MlirOperation, factor: u64) -> bool;
    pub fn zpuAttributeIsAnOrder(attribute: MlirAttribute) -> bool;
    pub fn zpuOrderAttrGet(context: MlirContext, order: *const ZpuOrder) -> MlirAttribute;
    pub fn zpuOrderAttrGetParts(attribute: MlirAttribute, order: *mut ZpuOrder);
    pub fn zpuAttributeIsAStream(attribute: MlirAttribute) -> bool;
    pub fn zpuStreamAttrGet(context: MlirContext, stream: *const ZpuStream) -> MlirAttribute;
    pub fn zpuStreamAttrGetParts(attribute: MlirAttribute, stream: *mut ZpuStream);
    pub fn zpuAttributeIsAnAccess(attribute: MlirAttribute) -> bool;
    pub fn zpuAccessAttrGet(context: MlirContext, access: *const ZpuAccess) -> MlirAttribute;
    pub fn zpuAccessAttrGetParts(attribute: MlirAttribute, access: *mut ZpuAccess);
    pub fn zpuAttributeIsABuffer(attribute: MlirAttribute) -> bool;
    pub fn zpuBufferAttrGet(context: MlirContext, buffer: *const ZpuBuffer) -> MlirAttribute;
    pub fn zpuBufferAttrGetParts(attribute: MlirAttribute, buffer: *mut ZpuBuffer);
    pub fn zpuOpIsContraction(op: MlirOperation) -> bool;
    pub fn zpuOpIsZeroFill(op: MlirOperation) -> bool;
    pub fn zpuOpIsMemoryEffectFree(op: MlirOperation) -> bool;
    pub fn zpuOpIsAutomaticAllocationScope(op: MlirOperation) -> bool;
    pub fn zpuOpEffects(op: MlirOperation, callback: ZpuEffectCallback, data: *mut c_void) -> bool;
    pub fn zpuModuleParse(context: MlirContext, text: MlirStringRef, name: MlirStringRef) -> MlirModule;
    pub fn zpuEmitDiagnostic(
        location: MlirLocation,
        severity: c_int,
        message: MlirStringRef,
        num_notes: isize,
        note_locations: *const MlirLocation,
        notes: *const MlirStringRef,
    );
    pub fn zpuEmitRemark(
        location: MlirLocation,
        kind: c_int,
        name: MlirStringRef,
        category: MlirStringRef,
        function: MlirStringRef,
        fill: ZpuRemarkFiller,
        data: *mut c_void,
    );
    pub fn zpuRemarkText(remark: *mut c_void, text: MlirStringRef);
    pub fn zpuRemarkMetric(remark: *mut c_void, context: MlirContext, key: MlirStringRef, value: MlirStringRef);
    pub fn zpuSetPassRunner(runner: ZpuPassRunner, pipeline: ZpuPipelineText);
    pub fn zpuRegisterPasses();
    pub fn zpuRegisterDialect(registry: MlirDialectRegistry);
    pub fn zpuRegisterAllUpstream(registry: MlirDialectRegistry);
    pub fn zpuRegisterAllUpstreamPasses();
    pub fn zpuPrintPassHelp(flag: MlirStringRef, indent: isize, column: isize);
    pub fn zpuOptMain(argc: c_int, argv: *mut *mut c_char) -> c_int;
}
