//! Contexts, parsing, and the optimizer driver.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::marker::PhantomData;
use std::path::Path;
use std::rc::Rc;

use melior::Context;
use melior::dialect::DialectRegistry;
use melior::ir::Module;
use mlir_sys::MlirContext;

use crate::raw_text;

/// A reference to a context. Copyable.
#[derive(Clone, Copy, Debug)]
pub struct ContextRef<'c> {
    raw: MlirContext,
    context: PhantomData<&'c ()>,
}

impl ContextRef<'_> {
    /// Wraps a raw context.
    ///
    /// # Safety
    ///
    /// It must live as long as the reference is used.
    pub unsafe fn from_raw(raw: MlirContext) -> Self {
        Self {
            raw,
            context: PhantomData,
        }
    }

    /// The raw context, for other bindings.
    pub fn to_raw(self) -> MlirContext {
        self.raw
    }
}

impl<'c> From<&'c Context> for ContextRef<'c> {
    fn from(context: &'c Context) -> Self {
        Self {
            raw: context.to_raw(),
            context: PhantomData,
        }
    }
}

/// A registry with every upstream dialect and ours.
pub fn registry() -> DialectRegistry {
    let registry = DialectRegistry::new();
    // SAFETY: the registry is alive.
    unsafe {
        zpu_sys::zpuRegisterAllUpstream(registry.to_raw());
        zpu_sys::zpuRegisterDialect(registry.to_raw());
    }
    registry
}

/// A context with every dialect registered. Passes are registered with [`crate::install`].
pub fn new_context() -> Context {
    let context = Context::new();
    context.append_dialect_registry(&registry());
    // Upstream passes run on several threads; dialects are loaded when they are first needed.
    context
}

/// Parses a module; functions that are not in one get one around them. On failure returns MLIR's own diagnostics, one
/// per line, as `name:line:column: error: ...`.
pub fn parse_text<'c>(context: &'c Context, text: &str, name: &str) -> Result<Module<'c>, String> {
    let (module, messages) = with_messages(context, || parse_named(context, text, name));
    module.ok_or_else(|| {
        if messages.is_empty() {
            format!("{name}: error: not a module")
        } else {
            messages
        }
    })
}

/// Calls `work` and collects the diagnostics meanwhile, one diagnostic or note a line.
pub fn with_messages<T>(context: &Context, work: impl FnOnce() -> T) -> (T, String) {
    let messages = Rc::new(RefCell::new(String::new()));
    let sink = Rc::clone(&messages);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        use melior::diagnostic::DiagnosticSeverity as Severity;
        let severity = match diagnostic.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Remark => "remark",
        };
        let place = |loc: crate::Location<'_>| {
            let loc = loc.to_string();
            loc.trim_start_matches("loc(").trim_end_matches(')').replace('"', "")
        };
        let mut sink = sink.borrow_mut();
        sink.push_str(&format!("{}: {severity}: {diagnostic}\n", place(diagnostic.location())));
        for note in (0..diagnostic.note_count()).filter_map(|i| diagnostic.note(i).ok()) {
            let text = note.to_string();
            // The operation in its generic form helps only work on the verifier.
            if !text.starts_with("see current operation") {
                sink.push_str(&format!("{}: note: {text}\n", place(note.location())));
            }
        }
        true
    });
    let result = work();
    context.detach_diagnostic_handler(handler);
    let messages = messages.borrow().trim_end().to_owned();
    (result, messages)
}

fn parse_named<'c>(context: &'c Context, text: &str, name: &str) -> Option<Module<'c>> {
    // SAFETY: the context is alive and both texts outlive the call; the result is null or a module that we own.
    unsafe {
        let module = zpu_sys::zpuModuleParse(context.to_raw(), raw_text(text), raw_text(name));
        (!module.ptr.is_null()).then(|| Module::from_raw(module))
    }
}

/// Reads and parses a file; `-` is standard input. The error says what could not be read or parsed.
pub fn parse_file<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>, String> {
    let name = if path.as_os_str() == "-" {
        "<stdin>".to_owned()
    } else {
        path.display().to_string()
    };
    let bytes = if path.as_os_str() == "-" {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|error| format!("{name}: error: cannot be read: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{name}: error: is not UTF-8 text"))?;
    parse_text(context, &text, &name)
}

/// Prints the help on passes and pipelines: a line and the options of each, indented by `indent`. The passes have to be
/// installed.
pub fn print_pass_help(flags: &[&str], indent: usize) {
    const COLUMN: isize = 44;
    let indent = isize::try_from(indent).unwrap_or(0);
    for flag in flags {
        // SAFETY: the text outlives the call.
        unsafe { zpu_sys::zpuPrintPassHelp(raw_text(flag), indent, COLUMN) }
    }
}

/// Runs the optimizer driver with the process's arguments and returns its exit code.
pub fn opt_main(arguments: impl Iterator<Item = String>) -> i32 {
    let arguments: Vec<CString> = arguments.filter_map(|argument| CString::new(argument).ok()).collect();
    let mut pointers: Vec<*mut c_char> = arguments.iter().map(|argument| argument.as_ptr().cast_mut()).collect();
    let count = i32::try_from(pointers.len()).unwrap_or(i32::MAX);
    pointers.push(std::ptr::null_mut());
    // SAFETY: the strings live during the call, and the driver does not write to them.
    unsafe { zpu_sys::zpuOptMain(count, pointers.as_mut_ptr()) }
}
