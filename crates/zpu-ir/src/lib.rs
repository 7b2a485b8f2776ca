//! Safe, borrowed views of MLIR for the passes: operations, values, blocks, types, attributes, edits, diagnostics.
//!
//! [`Op`], [`Value`], [`Block`] and [`Region`] are plain copyable references into IR with another owner. MLIR does not
//! know about them, so one rule keeps them sound: **nothing is used after it was erased**. Code collects, decides, and
//! then edits through [`edit`], the only module that erases, moves or replaces; no reference survives an edit that
//! removes what it names.
//!
//! Types, attributes, locations and contexts are melior's.

/// References are equal when they refer to the same thing.
macro_rules! compared_by_address {
    ($type:ident) => {
        impl PartialEq for $type<'_> {
            fn eq(&self, other: &Self) -> bool {
                std::ptr::eq(self.raw.ptr, other.raw.ptr)
            }
        }

        impl Eq for $type<'_> {}

        impl std::hash::Hash for $type<'_> {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.raw.ptr.hash(state);
            }
        }
    };
}
pub(crate) use compared_by_address;

pub mod affine;
pub mod arith;
pub mod attr;
mod block;
pub mod buffer;
mod builder;
mod context;
pub mod device;
mod diagnostic;
pub mod edit;
pub mod fragment;
pub mod jit;
mod names;
mod op;
pub mod ops;
mod pass;
pub mod pipeline;
mod place;
pub mod plugin;
pub mod record;
pub mod scf;
pub mod scope;
pub mod stream;
pub mod ty;
mod value;
pub mod work;

pub use block::{Block, Region};
pub use builder::{Builder, InsertionPoint};
pub use context::{
    ContextRef, new_context, opt_main, parse_file, parse_text, print_pass_help, registry, with_messages,
};
pub use diagnostic::{Note, Remark, RemarkKind, error, error_in_file, note, remark_diagnostic, warning};
pub use melior::Context;
pub use melior::ir::{Attribute, Location, Module, Type};
pub use names::Names;
pub use op::{Effect, EffectKind, Op};
pub use pass::{Failed, PassResult, Passes, install};
pub use place::Place;
pub use value::{Def, Use, Value};
pub use zpu_sys::Pass;

/// Names of the attributes of our dialect that any operation may have, made from its ODS.
pub mod annotation {
    include!(concat!(env!("OUT_DIR"), "/annotation.rs"));
}

/// Options of the passes and of the pipeline, a struct each, made from Passes.td.
pub mod options {
    pub use zpu_sys::{
        AnalyzeStreamsOptions, AssignLayoutsOptions, AttachDeviceOptions, BalanceEnginesOptions, ConvertToDmaOptions,
        GatherTransfersOptions, HoistCopiesOptions, InferMemorySpacesOptions, InjectDmaBarrierOptions,
        InjectSoftwarePipelineOptions, InsertBuffersOptions, JoinRingsOptions, LegalizeDataPathOptions,
        MpmdAttachDevicesOptions, MpmdImportOptions, MpmdInlineCallsOptions, MpmdMeasureFragmentsOptions,
        MpmdMergeFragmentsOptions, MpmdMoveTransfersToProducerOptions, MpmdPipelineSchedulerOptions,
        MpmdRematFragmentOptions, MpmdRuleBasedScheduleOptions, MpmdSplitBwdFragmentsOptions, MpmdUnrollLoopsOptions,
        MpmdVerifyScheduleOptions, MultiVersionBufferOptions, PipelineOptions, PipelinePlanningOptions,
        PlanMemoryOptions, PredictCyclesOptions, PrintDependencesOptions, PrintReportOptions, RetargetCopiesOptions,
        RotateBuffersOptions, ScheduleDmaComputeOverlapOptions, SelectBuffersOptions, SelectPlanOptions,
        SplitGuardsOptions, SplitTransfersOptions, UnrollAndJamOptions, UnrollLoopsOptions, VerifyStreamsOptions,
        VerifySyncOptions,
    };
}

use mlir_sys::MlirStringRef;

/// A text as MLIR takes it. It borrows: the text has to outlive the call.
fn raw_text(text: &str) -> MlirStringRef {
    MlirStringRef {
        data: text.as_ptr().cast(),
        length: text.len(),
    }
}

/// The text of a string reference; it lives as long as its owner.
///
/// # Safety
///
/// The reference must point to memory that stays valid and unchanged for `'a`.
unsafe fn text_of<'a>(raw: MlirStringRef) -> &'a str {
    // SAFETY: the caller vouches for the memory.
    std::str::from_utf8(unsafe { bytes_of(raw) }).unwrap_or("")
}

/// The bytes of a string reference.
///
/// # Safety
///
/// That of [`text_of`].
unsafe fn bytes_of<'a>(raw: MlirStringRef) -> &'a [u8] {
    if raw.data.is_null() || raw.length == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for the memory.
    unsafe { std::slice::from_raw_parts(raw.data.cast::<u8>(), raw.length) }
}

/// Appends to the `String` that `data` points to; a callback of MLIR's printing functions.
///
/// # Safety
///
/// `data` must be a `*mut String` without other users during the call.
unsafe extern "C" fn append_text(text: MlirStringRef, data: *mut std::ffi::c_void) {
    // SAFETY: `data` is the String that the caller passed; the text lives during the call.
    unsafe { (*data.cast::<String>()).push_str(text_of(text)) }
}
