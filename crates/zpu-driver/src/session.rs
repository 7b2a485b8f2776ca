//! Sessions: modules are parsed in one and compiled by it.
//!
//! Invariant: a session is one thread of MLIR; a caller that works on several modules at once takes several sessions.
//! So diagnostics come in the same order each time.

use std::path::Path;
use std::sync::Once;

use zpu_device::Device;
use zpu_ir::pipeline::{self, Prepared};
use zpu_ir::{Context, Module, new_context};

use crate::{Error, Step};

/// MLIR's message on an operation that is not registered; its advice is for another tool's command line.
const UNREGISTERED: &str = "operation being parsed with an unregistered dialect. If this is intended, please use \
                            -allow-unregistered-dialect with the MLIR tool used";

/// A context with every dialect and pass, and the pipelines that were run in it, each prepared once.
///
/// A context keeps every type and attribute that was ever made in it: use one for some hundreds of programs, not for
/// all.
#[derive(Debug)]
pub struct Session {
    pipelines: Prepared,
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Session {
    /// A session without modules.
    pub fn new() -> Self {
        let context = new_context();
        context.enable_multi_threading(false);
        Self {
            pipelines: Prepared::new(context),
        }
    }

    /// The context, for callers that build or read IR.
    pub fn context(&self) -> &Context {
        self.pipelines.context()
    }

    /// Parses and verifies a module; functions that are not in one get one around them. Diagnostics call the text
    /// `name`.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`].
    pub fn parse(&self, text: &str, name: &str) -> Result<Module<'_>, Error> {
        zpu_ir::parse_text(self.context(), text, name).map_err(unparsed)
    }

    /// Parses a file's contents like [`Self::parse`]; `-` is standard input, which diagnostics call `<stdin>`.
    ///
    /// # Errors
    ///
    /// [`Error::Parse`], also when the file cannot be read.
    pub fn parse_file(&self, path: &Path) -> Result<Module<'_>, Error> {
        zpu_ir::parse_file(self.context(), path).map_err(unparsed)
    }

    /// The steps of a pipeline such as `builtin.module(zpu-pipeline{device=toy})`, in order.
    ///
    /// # Errors
    ///
    /// [`Error::Pipeline`].
    pub fn steps(&self, pipeline: &str) -> Result<Vec<Step>, Error> {
        install_passes();
        let steps = pipeline::steps(self.context(), pipeline).map_err(|diagnostics| Error::Pipeline {
            pipeline: pipeline.to_owned(),
            diagnostics,
        })?;
        Ok(steps.into_iter().map(Step::new).collect())
    }

    /// Runs a pipeline, ours and upstream's passes alike, and verifies the module after each pass. Returns the warnings
    /// and remarks of the passes, one diagnostic or note a line.
    ///
    /// # Errors
    ///
    /// [`Error::Pipeline`], [`Error::Pass`], [`Error::OtherSession`].
    pub fn compile(&self, module: &mut Module<'_>, pipeline: &str) -> Result<String, Error> {
        install_passes();
        let done = self.pipelines.run(module, pipeline);
        done.map_err(|error| not_compiled(error, pipeline))
    }

    /// Runs a pipeline like [`Self::compile`], for callers that verify modules themselves: nothing is verified between
    /// passes and after them.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::compile`].
    pub fn compile_unverified(&self, module: &mut Module<'_>, pipeline: &str) -> Result<String, Error> {
        install_passes();
        let done = self.pipelines.run_unverified(module, pipeline);
        done.map_err(|error| not_compiled(error, pipeline))
    }

    /// Compiles the commands of a module for a device instead of the one that it has. A module without commands stays
    /// as it is.
    ///
    /// # Errors
    ///
    /// [`Error::UnfitCommands`]; the module's own device is gone then, too.
    pub fn replace_device(&self, module: &Module<'_>, device: &Device) -> Result<(), Error> {
        zpu_ir::device::replace(self.context(), module, device).map_err(Error::UnfitCommands)
    }
}

/// Registers the passes with MLIR. Who only parses does not need them.
fn install_passes() {
    static ONCE: Once = Once::new();
    ONCE.call_once(zpu_passes::install);
}

fn unparsed(diagnostics: String) -> Error {
    Error::Parse(diagnostics.replace(UNREGISTERED, "the operation is of no dialect that is known here"))
}

fn not_compiled(error: pipeline::Error, pipeline: &str) -> Error {
    let pipeline = pipeline.to_owned();
    match error {
        pipeline::Error::Text(diagnostics) => Error::Pipeline { pipeline, diagnostics },
        pipeline::Error::Pass(diagnostics) => Error::Pass { pipeline, diagnostics },
        pipeline::Error::OtherContext => Error::OtherSession,
    }
}
