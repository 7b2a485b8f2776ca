//! Diagnostics with notes, and optimisation remarks.

use mlir_sys::{self as sys, MlirStringRef};

use crate::{Location, Op, raw_text};

/// A note of a diagnostic: another party, and what it has to do with it.
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

fn emit<'c>(loc: Location<'c>, severity: i32, message: &str, notes: &[Note<'c>]) {
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

/// Emits a diagnostic of severity remark at an operation; for what a user asked to see printed. What a pass did or declined
/// is a [`Remark`].
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

/// An optimisation remark: what a pass did, declined or measured, for people and programs (`--remark-format=yaml`). Nothing
/// is printed unless remarks are switched on.
#[derive(Debug)]
pub struct Remark<'c> {
    op: Op<'c>,
    kind: RemarkKind,
    pass: &'static str,
    name: &'static str,
    message: String,
    metrics: Vec<(String, String)>,
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

    /// Whether anybody listens: what takes long to find out and is only told needs not be found out otherwise.
    pub fn is_wanted(op: Op<'_>) -> bool {
        // SAFETY: the operation is alive, so is its context.
        unsafe { zpu_sys::zpuTakesRemarks(op.context().to_raw()) }
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
        let keys: Vec<_> = self.metrics.iter().map(|(key, _)| raw_text(key)).collect();
        let values: Vec<_> = self.metrics.iter().map(|(_, value)| raw_text(value)).collect();
        let kind = match self.kind {
            RemarkKind::Passed => 0,
            RemarkKind::Missed => 1,
            RemarkKind::Failed => 2,
            RemarkKind::Analysis => 3,
        };
        // SAFETY: the operation is alive, texts live during the call (the shim copies what is kept).
        unsafe {
            zpu_sys::zpuEmitRemark(
                sys::mlirOperationGetLocation(self.op.to_raw()),
                kind,
                raw_text(self.name),
                raw_text(self.pass),
                raw_text(self.op.function_name()),
                raw_text(&self.message),
                keys.len() as isize,
                keys.as_ptr(),
                values.as_ptr(),
            );
        }
    }
}
