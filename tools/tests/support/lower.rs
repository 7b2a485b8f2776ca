//! A kernel's text before and after the passes.

use std::sync::Once;

use zpu_ir::{Context, Module, Op, new_context, parse_text, pipeline};

use super::kernel::Kernel;

/// How the pipeline is run.
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

/// A context in which all passes can be run.
pub(crate) fn context() -> Context {
    static ONCE: Once = Once::new();
    ONCE.call_once(zpu_passes::install);
    let context = new_context();
    // The tests run on several threads already.
    context.enable_multi_threading(false);
    context
}

/// The front end's module as everybody gets it: tiled by its script, if it has one, with nothing of ours in it.
pub(crate) fn front_end_text(kernel: &Kernel, text: &str) -> Result<String, String> {
    let context = context();
    let mut module = parse_text(&context, text, kernel.name)?;
    if let Some(script) = kernel.script_path() {
        let load = format!(
            "builtin.module(transform-preload-library{{transform-library-paths={}}},transform-interpreter)",
            script.display()
        );
        pipeline::run(&context, &mut module, &load)?;
    }
    if kernel.canonical {
        pipeline::run(&context, &mut module, "builtin.module(canonicalize,cse)")?;
    }
    Ok(Op::of_module(&module).to_string())
}

/// The passes of `--zpu-pipeline`, one by one.
pub(crate) fn steps(context: &Context, setting: Setting) -> Result<Vec<String>, String> {
    let Setting {
        device,
        scheduler,
        stages,
    } = setting;
    // To compare plans takes several times as long, and changes what is carried out, not how.
    let compare = stages == 2;
    let options = format!("device={device} scheduler={scheduler} num-stages={stages} compare-plans={compare}");
    pipeline::steps(context, &format!("builtin.module(zpu-pipeline{{{options}}})"))
}

/// Runs one of the steps; the module is verified after it.
pub(crate) fn step(context: &Context, module: &mut Module<'_>, step: &str) -> Result<(), String> {
    pipeline::run(context, module, step).map_err(|error| format!("{step} failed: {error}"))?;
    if Op::of_module(module).verify() {
        Ok(())
    } else {
        Err(format!("{step} left an invalid module"))
    }
}
