//! Compiled kernels with their calls, and what both checks make of them.

use zpu_device::Device;
use zpu_ir::{Module, Op, parse_text, pipeline};
use zpu_sim::{Options, Order, Output, Program, simulate};

use super::case::Buffer;
use super::graph::{self, GRAPHS};
use super::kernel::Kernel;
use super::lower::{self, Setting};

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
    pub(crate) device: Device,
    pub(crate) text: String,
    pub(crate) calls: Vec<Vec<Buffer>>,
}

/// How a kernel is compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lowering {
    pub(crate) device: &'static str,
    pub(crate) stages: u32,
    /// Options of `zpu-inject-dma-barrier`.
    pub(crate) waits: &'static str,
    /// Not cleaned up behind that pass: as long as nothing is folded, each slot is computed, the first ones as well.
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

    /// What it is called in tables.
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
        let context = lower::context();
        let text = lower::front_end_text(&self.kernel, &self.text)?;
        let mut module = parse_text(&context, &text, self.kernel.name)?;
        for step in lower::steps(&context, setting)? {
            let Some((before, after)) = step.split_once("zpu-inject-dma-barrier") else {
                // The proof is asked by whoever wants it.
                if !step.contains("zpu-verify-sync") {
                    lower::step(&context, &mut module, &step)?;
                }
                continue;
            };
            let rest = after.split_once('}').map_or(after, |(_, rest)| rest);
            let step = format!("{before}zpu-inject-dma-barrier{{{waits}}}{rest}");
            lower::step(&context, &mut module, &step)?;
            if raw {
                break;
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
            device: Device::load(device, &[]).map_err(|error| error.to_string())?,
            text: Op::of_module(&module).to_string(),
            calls: self.calls.clone(),
        })
    }
}

/// What the simulator makes of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) memory: Vec<Vec<u8>>,
    /// The first thing that is wrong.
    pub(crate) finding: Option<String>,
}

impl Subject {
    /// One call.
    pub(crate) fn run(&self, program: &Program, buffers: &[Buffer], options: &Options) -> Run {
        let arguments = buffers.iter().map(Buffer::to_simulator).collect();
        match simulate(program, &self.device, &self.entry, arguments, options) {
            Ok(outcome) => {
                let memory = outcome.arguments.into_iter().filter_map(|output| match output {
                    Output::Buffer { bytes, .. } => Some(bytes),
                    Output::Scalar(..) | Output::Nothing => None,
                });
                Run {
                    memory: memory.collect(),
                    finding: outcome.report.findings.first().map(ToString::to_string),
                }
            }
            Err(error) => Run {
                memory: Vec::new(),
                finding: Some(error.to_string()),
            },
        }
    }
}

/// What `zpu-verify-sync` says of a module: nothing if it is proven; with `allow-unknown` only what is refuted counts.
pub(crate) fn verify(module: &Module<'_>, options: &str) -> Result<(), String> {
    let context = lower::context();
    let mut copy = parse_text(&context, &Op::of_module(module).to_string(), "program")?;
    let pass = format!("builtin.module(func.func(zpu-verify-sync{options}))");
    pipeline::run(&context, &mut copy, &pass)
}
