//! The bridge between MLIR's pass manager and passes written in Rust.
//!
//! Panics stop here: one becomes a diagnostic at the operation that the pass ran on, and the pass fails.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use mlir_sys::{MlirOperation, MlirStringRef};
use zpu_sys::{OptionValue, Pass, PipelineOptions, ZpuAppendText, ZpuOption};

use crate::{Op, diagnostic, raw_text, text_of};

/// A pass could not do its work and has said why in a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failed;

/// The result of a pass.
pub type PassResult = Result<(), Failed>;

/// The implementations of the passes of Passes.td.
#[derive(Clone, Copy)]
pub struct Passes {
    /// Runs a pass on an operation.
    pub run: for<'c> fn(&Pass, Op<'c>) -> PassResult,
    /// The textual pipeline that `--zpu-pipeline` stands for.
    pub pipeline: fn(&PipelineOptions) -> String,
}

static PASSES: OnceLock<Passes> = OnceLock::new();

/// Registers the passes and the pipeline with MLIR, once; later calls change nothing.
pub fn install(passes: Passes) {
    PASSES.get_or_init(|| passes);
    // SAFETY: both callbacks have the types that the shim calls them with, and live forever.
    unsafe {
        zpu_sys::zpuSetPassRunner(run, pipeline);
        zpu_sys::zpuRegisterPasses();
    }
}

/// The values of an array of options.
///
/// # Safety
///
/// `options` must point to `count` valid options.
unsafe fn read_options(options: *const ZpuOption, count: isize) -> Vec<OptionValue> {
    (0..count)
        .map(|i| {
            // SAFETY: the caller vouches for the array; texts and lists live during the call.
            unsafe {
                let option = &*options.offset(i);
                match option.kind {
                    0 => OptionValue::Number(option.number),
                    1 => OptionValue::Text(text_of(option.text).to_owned()),
                    _ => OptionValue::List(
                        (0..option.list_size)
                            .map(|k| text_of(*option.list.offset(k)).to_owned())
                            .collect(),
                    ),
                }
            }
        })
        .collect()
}

unsafe extern "C" fn run(name: MlirStringRef, op: MlirOperation, options: *const ZpuOption, count: isize) -> bool {
    // SAFETY: MLIR passes a live operation, a name and `count` options that live during the call.
    let (name, op, values) = unsafe { (text_of(name), Op::from_raw(op), read_options(options, count)) };
    let Some(pass) = Pass::from_values(name, &values) else {
        diagnostic::error(
            op,
            &format!("pass {name} was called with options that are not its own"),
            &[],
        );
        return false;
    };
    let Some(passes) = PASSES.get() else { return false };
    match catch_unwind(AssertUnwindSafe(|| (passes.run)(&pass, op))) {
        Ok(result) => result.is_ok(),
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                .unwrap_or_default();
            diagnostic::error(
                op,
                &format!("{name} failed on an internal check, please report this: {text}"),
                &[],
            );
            false
        }
    }
}

unsafe extern "C" fn pipeline(
    options: *const ZpuOption,
    count: isize,
    append: ZpuAppendText,
    data: *mut c_void,
) -> bool {
    // SAFETY: MLIR passes `count` options that live during the call.
    let options = PipelineOptions::from_values(&unsafe { read_options(options, count) });
    let text = PASSES
        .get()
        .zip(options)
        .and_then(|(passes, options)| catch_unwind(|| (passes.pipeline)(&options)).ok());
    match text {
        Some(text) => {
            // SAFETY: the callback takes the text during the call.
            unsafe { append(raw_text(&text), data) };
            true
        }
        None => false,
    }
}
