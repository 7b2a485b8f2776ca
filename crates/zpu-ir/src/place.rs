//! Places of locations in source files.

use melior::ir::Location;
use mlir_sys::{self as sys, MlirLocation};

use crate::text_of;

/// A position in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place<'c> {
    /// The file's name as the parser was given it.
    pub file: &'c str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl<'c> Place<'c> {
    /// The file position of a location: its own, that of a named location, that of the callee, or the first one of
    /// several. `None` if there is none.
    pub fn of(loc: Location<'c>) -> Option<Self> {
        // SAFETY: the location is alive, and what it is made of lives in the same context.
        unsafe { place(loc.to_raw()) }
    }
}

/// # Safety
///
/// The location must be alive for `'c` and not null.
unsafe fn place<'c>(raw: MlirLocation) -> Option<Place<'c>> {
    // SAFETY: kinds are asked before the parts, which live in the context; the array has as many elements as are
    // written.
    unsafe {
        if sys::mlirLocationIsAFileLineColRange(raw) {
            let file = text_of(sys::mlirIdentifierStr(sys::mlirLocationFileLineColRangeGetFilename(
                raw,
            )));
            let number = |value: std::ffi::c_int| u32::try_from(value).unwrap_or(0);
            return Some(Place {
                file,
                line: number(sys::mlirLocationFileLineColRangeGetStartLine(raw)),
                column: number(sys::mlirLocationFileLineColRangeGetStartColumn(raw)),
            });
        }
        if sys::mlirLocationIsAName(raw) {
            return place(sys::mlirLocationNameGetChildLoc(raw));
        }
        if sys::mlirLocationIsACallSite(raw) {
            return place(sys::mlirLocationCallSiteGetCallee(raw));
        }
        if sys::mlirLocationIsAFused(raw) {
            let count = sys::mlirLocationFusedGetNumLocations(raw);
            let mut parts = vec![MlirLocation { ptr: std::ptr::null() }; count as usize];
            sys::mlirLocationFusedGetLocations(raw, parts.as_mut_ptr());
            return parts.into_iter().find_map(|part| place(part));
        }
    }
    None
}
