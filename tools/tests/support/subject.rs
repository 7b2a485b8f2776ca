//! Compiled kernels with their calls, and what both checks make of them.

use std::sync::Arc;

use zpu_device::Device;
use zpu_driver::{Executable, Session};
use zpu_ir::{Module, Op};
use zpu_sim::{Options, Order};

use super::case::Buffer;
use super::graph::{self, GRAPHS};
use super::kernel::Kernel;
use super::lower::{self, Setting};
use super::run::{self, Run};
use super::text;

/// Trips of the reference loops here.
const TRIPS: i64 = 6;

/// Orders of completion in which a program is run.
pub(crate) const ORDERS: [Order; 6] = [
    Order::Timed,
    Order::Eager,
    Order::Lazy,
    Order::Adversarial,
    Order::Random(1),
    Order::Random(2),
];

/// A kernel, its text and its calls.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) kernel: Kernel,
    pub(crate) text: String,
    pub(crate) calls: Vec<Vec<Buffer>>,
}

/// A compiled program with its calls.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) entry: String,
    pub(crate) device: Arc<Device>,
    pub(crate) text: String,
    pub(crate) calls: Vec<Vec<Buffer>>,
}

/// The options by which a kernel is compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lowering {
    pub(crate) device: &'static str,
    pub(crate) stages: u32,
    /// Options of `zpu-inject-dma-barrier`.
    pub(crate) waits: &'static str,
    /// True to skip the clean-up after that pass: as long as nothing is folded, each slot is computed, the first ones
    /// as well.
    pub(crate) raw: bool,
}

impl Source {
    /// A kernel with the calls of one, of three and of many trips.
    pub(crate) fn of_kernel(kernel: &Kernel) -> Self {
        let calls = kernel.cases.iter();
        let calls = calls.filter(|case| [1, 3, 17].contains(&case.trips)).enumerate();
        Self {
            kernel: kernel.clone(),
            text: kernel.text(),
            calls: calls.map(|(seed, case)| case.buffers(seed as u64)).collect(),
        }
    }

    /// The reference loops.
    pub(crate) fn graphs() -> Result<Vec<Self>, String> {
        let graphs = GRAPHS.iter().map(|graph| {
            let kernel = graph.kernel()?;
            Ok(Self {
                text: graph::with_trips(&kernel.text(), TRIPS),
                calls: kernel.cases.iter().map(|case| graph.buffers(case)).collect(),
                kernel,
            })
        });
        graphs.collect()
    }

    /// Its name in tables.
    pub(crate) fn label(&self) -> String {
        self.kernel.label().trim_start_matches("graphs/").to_owned()
    }

    /// Runs the passes.
    pub(crate) fn compile(&self, lowering: Lowering) -> Result<Subject, String> {
        let Lowering {
            device,
            stages,
            waits,
            raw,
        } = lowering;
        let setting = Setting {
            device,
            scheduler: "modulo",
            stages,
        };
        let session = Session::new();
        let source = lower::front_end_text(&self.kernel, &self.text)?;
        let mut module = session.parse(&source, self.kernel.name).map_err(text)?;
        for step in lower::steps(&session, setting)? {
            match step.pass() {
                // The caller runs the proof.
                "zpu-verify-sync" => {}
                "zpu-inject-dma-barrier" => {
                    lower::step(&session, &mut module, &step.with_options(waits))?;
                    if raw {
                        break;
                    }
                }
                _ => lower::step(&session, &mut module, &step)?,
            }
        }
        let name = if waits.is_empty() {
            self.label()
        } else {
            format!("{}, {waits}", self.label())
        };
        Ok(Subject {
            name,
            entry: self.kernel.entry.to_owned(),
            device: run::device(device)?,
            text: Op::of_module(&module).to_string(),
            calls: self.calls.clone(),
        })
    }
}

impl Subject {
    /// The module's function as the simulator takes it.
    pub(crate) fn program(&self, module: &Module<'_>) -> Result<Executable, String> {
        run::program(module, &self.device, &self.entry)
    }
}

/// Runs one call; a missing outcome counts as a finding.
pub(crate) fn call(program: &Executable, buffers: &[Buffer], options: &Options) -> Run {
    run::simulated_with(program, buffers, options).unwrap_or_else(|error| Run {
        memory: Vec::new(),
        cycles: 0,
        findings: vec![error],
    })
}

/// Runs `zpu-verify-sync` on a module; the error is its output. With `allow-unknown` only refutations are errors.
pub(crate) fn verify(module: &Module<'_>, options: &str) -> Result<(), String> {
    let session = Session::new();
    let copy = session.parse(&Op::of_module(module).to_string(), "program");
    let pass = format!("builtin.module(func.func(zpu-verify-sync{options}))");
    session.compile(&mut copy.map_err(text)?, &pass).map(drop).map_err(text)
}
