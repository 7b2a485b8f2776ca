//! A kernel's text before and after the passes.

use zpu_driver::{Session, Step};
use zpu_ir::{Module, Op};

use super::kernel::Kernel;
use super::text;

/// The options of the pipeline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// A built-in device.
    pub(crate) device: &'static str,
    /// The planner's scheduler.
    pub(crate) scheduler: &'static str,
    /// Most versions of a buffer.
    pub(crate) stages: u32,
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "device={} scheduler={} num-stages={}",
            self.device, self.scheduler, self.stages
        )
    }
}

/// The front end's module as everybody gets it: tiled by its script, if it has one, with nothing of ours in it.
pub(crate) fn front_end_text(kernel: &Kernel, source: &str) -> Result<String, String> {
    let session = Session::new();
    let mut module = session.parse(source, kernel.name).map_err(text)?;
    if let Some(script) = kernel.script_path() {
        let load = format!(
            "builtin.module(transform-preload-library{{transform-library-paths={}}},transform-interpreter)",
            script.display()
        );
        session.compile(&mut module, &load).map_err(text)?;
    }
    if kernel.canonical {
        let clean = "builtin.module(canonicalize,cse)";
        session.compile(&mut module, clean).map_err(text)?;
    }
    Ok(Op::of_module(&module).to_string())
}

/// The passes of `--zpu-pipeline`, one by one.
pub(crate) fn steps(session: &Session, setting: Setting) -> Result<Vec<Step>, String> {
    // Comparing plans takes several times as long, and changes which plan is carried out, not how.
    let compare = setting.stages == 2;
    steps_with(session, &format!("{setting} compare-plans={compare}"))
}

/// The steps like [`steps`], with any options.
pub(crate) fn steps_with(session: &Session, options: &str) -> Result<Vec<Step>, String> {
    let pipeline = format!("builtin.module(zpu-pipeline{{{options}}})");
    session.steps(&pipeline).map_err(text)
}

/// Runs one of the steps; the module is verified after it.
pub(crate) fn step(session: &Session, module: &mut Module<'_>, step: &Step) -> Result<(), String> {
    let compiled = session.compile(module, step.as_str());
    compiled.map(drop).map_err(|error| format!("{step} failed: {error}"))
}
