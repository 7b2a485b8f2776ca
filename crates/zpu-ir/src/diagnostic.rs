//! Diagnostics with notes, and optimisation remarks.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use mlir_sys::{self as sys, MlirLocation, MlirStringRef};

use crate::edit::TRIAL;
use crate::{Location, Op, Place, raw_text, record};

/// A note of a diagnostic: another operation, and its part in the problem.
#[derive(Clone, Debug)]
pub struct Note<'c> {
    loc: Location<'c>,
    text: String,
}

/// A note at an operation.
pub fn note<'c>(op: Op<'c>, text: impl Into<String>) -> Note<'c> {
    Note {
        loc: op.loc(),
        text: text.into(),
    }
}

/// A place that an editor finds. An operation without a line of its own, such as the implicit module of a file, is at
/// the file's first line.
fn visible(loc: Location<'_>) -> Location<'_> {
    match Place::of(loc) {
        Some(Place { file, line: 0, .. }) => place_of(loc.to_raw(), file, 1),
        _ => loc,
    }
}

/// The begin of a line of a file, in the context of another location.
fn place_of<'c>(other: MlirLocation, file: &str, line: usize) -> Location<'c> {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    // SAFETY: the location is alive, so is its context; the new one is made in that.
    unsafe {
        let context = sys::mlirLocationGetContext(other);
        Location::from_raw(sys::mlirLocationFileLineColGet(context, raw_text(file), line, 1))
    }
}

/// Emits an error at a line of a file that is not the module's: one that an option of `op`'s compilation names.
pub fn error_in_file(op: Op<'_>, file: &str, line: usize, message: &str) {
    emit(place_of(op.loc().to_raw(), file, line), 0, message, &[]);
}

fn emit<'c>(loc: Location<'c>, severity: i32, message: &str, notes: &[Note<'c>]) {
    let loc = visible(loc);
    let locs: Vec<_> = notes.iter().map(|note| note.loc.to_raw()).collect();
    let texts: Vec<MlirStringRef> = notes.iter().map(|note| raw_text(&note.text)).collect();
    // SAFETY: locations live in the context, texts during the call, and both arrays have the length given.
    unsafe {
        zpu_sys::zpuEmitDiagnostic(
            loc.to_raw(),
            severity,
            raw_text(message),
            notes.len() as isize,
            locs.as_ptr(),
            texts.as_ptr(),
        );
    }
}

/// Emits an error at an operation.
pub fn error<'c>(op: Op<'c>, message: &str, notes: &[Note<'c>]) {
    emit(op.loc(), 0, message, notes);
}

/// Emits a warning at an operation.
pub fn warning<'c>(op: Op<'c>, message: &str, notes: &[Note<'c>]) {
    emit(op.loc(), 1, message, notes);
}

/// Emits a diagnostic of severity remark at an operation; for results that a user asked to print. Actions of a pass are
/// reported by a [`Remark`].
pub fn remark_diagnostic<'c>(op: Op<'c>, message: &str, notes: &[Note<'c>]) {
    emit(op.loc(), 2, message, notes);
}

/// Kind of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// Something was done.
    Passed,
    /// Something could not be done.
    Missed,
    /// Something was tried and failed.
    Failed,
    /// Numbers.
    Analysis,
}

/// An optimisation remark on an action, a decline or a measurement of a pass, for people and programs
/// (`--remark-format=yaml`). Nothing is printed unless remarks are switched on. A function may carry its remarks, too
/// (see [`record`]).
#[derive(Debug)]
pub struct Remark<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) kind: RemarkKind,
    pub(crate) pass: &'static str,
    pub(crate) name: &'static str,
    pub(crate) message: String,
    pub(crate) metrics: Vec<(String, String)>,
}

impl<'c> Remark<'c> {
    /// A remark of `pass` at `op`. `name` is the reason or result in one kebab-case word that a program can match.
    pub fn new(op: Op<'c>, kind: RemarkKind, pass: &'static str, name: &'static str) -> Self {
        Self {
            op,
            kind,
            pass,
            name,
            message: String::new(),
            metrics: Vec::new(),
        }
    }

    /// Sets the text.
    #[must_use]
    pub fn message(mut self, text: impl Into<String>) -> Self {
        self.message = text.into();
        self
    }

    /// Adds a number or name under a key.
    #[must_use]
    pub fn metric(mut self, key: &str, value: impl ToString) -> Self {
        self.metrics.push((key.to_owned(), value.to_string()));
        self
    }

    /// Emits it.
    pub fn emit(self) {
        self.emit_with(|remark| remark);
    }

    /// Emits the remark that `fill` completes. `fill` is only called if remarks are switched on: it may take long.
    pub fn emit_with<F: FnOnce(Self) -> Self>(self, fill: F) {
        if self.op.parents().any(|parent| parent.has_attr(TRIAL)) {
            return;
        }
        let Some(function) = record::carrier(self.op) else {
            return self.send(fill);
        };
        let filled = fill(self);
        record::append(function, &filled);
        filled.send(|remark| remark);
    }

    /// Hands it to MLIR.
    fn send<F: FnOnce(Self) -> Self>(self, fill: F) {
        let kind = match self.kind {
            RemarkKind::Passed => 0,
            RemarkKind::Missed => 1,
            RemarkKind::Failed => 2,
            RemarkKind::Analysis => 3,
        };
        let (op, pass, name) = (self.op, self.pass, self.name);
        let mut filling = Filling {
            todo: Some((self, fill)),
            panic: None,
        };
        // SAFETY: the operation is alive, texts live during the call (the shim copies the texts that it keeps), and
        // `filling` is what `fill_in` takes it for and outlives the call.
        unsafe {
            zpu_sys::zpuEmitRemark(
                sys::mlirOperationGetLocation(op.to_raw()),
                kind,
                raw_text(name),
                raw_text(pass),
                raw_text(op.function_name()),
                fill_in::<F>,
                (&raw mut filling).cast(),
            );
        }
        if let Some(panic) = filling.panic {
            resume_unwind(panic);
        }
    }
}

/// A remark on its way through MLIR.
struct Filling<'c, F> {
    todo: Option<(Remark<'c>, F)>,
    /// A caught panic: it must not unwind through C++.
    panic: Option<Box<dyn Any + Send>>,
}

/// # Safety
///
/// `data` is a [`Filling`] of this `F`, and `remark` is the remark that MLIR is emitting.
unsafe extern "C" fn fill_in<'c, F: FnOnce(Remark<'c>) -> Remark<'c>>(data: *mut c_void, remark: *mut c_void) {
    // SAFETY: the caller's promise.
    let filling = unsafe { &mut *data.cast::<Filling<'c, F>>() };
    let Some((empty, fill)) = filling.todo.take() else {
        return;
    };
    let context = empty.op.context().to_raw();
    match catch_unwind(AssertUnwindSafe(|| fill(empty))) {
        // SAFETY: the remark is being emitted; texts live during the calls, which copy them.
        Ok(filled) => unsafe {
            zpu_sys::zpuRemarkText(remark, raw_text(&filled.message));
            for (key, value) in &filled.metrics {
                zpu_sys::zpuRemarkMetric(remark, context, raw_text(key), raw_text(value));
            }
        },
        Err(panic) => filling.panic = Some(panic),
    }
}
