//! The oracle: every kernel leaves on the simulator, before, between and after all passes, the bytes that it leaves
//! when stock passes and upstream's JIT run it natively.
//!
//! The reference is made of the very text that the pipeline gets, and nothing of ours takes part in it. Equal means bit
//! for bit: the passes keep the order of operations, and the simulator computes as upstream lowers. Besides, the
//! program that comes out is free of races and never slower than the same commands one after the other.

#![forbid(unsafe_code)]

mod support;

use std::sync::Arc;

use support::case::{Buffer, Case, difference};
use support::graph::{self, GRAPHS};
use support::kernel::{self, Kernel, SCRIPTS, TRIPS};
use support::lower::{self, Setting};
use support::run::{device, natively, program, simulated};
use support::text;
use zpu_device::Device;
use zpu_driver::{Session, Step};
use zpu_ir::Op;
use zpu_ir::jit::Jit;

const DEVICES: [&str; 6] = [
    "toy",
    "sunmmio-a4e",
    "planning-1dma",
    "planning-2dma",
    "ascend-910b",
    "trainium2-core",
];

/// Trip counts that are run after every single pass, not only at the end.
const TRIPS_BETWEEN: [i64; 2] = [1, 3];

const SCHEDULERS: [&str; 4] = ["serial", "list", "greedy", "modulo"];

/// Most versions of a buffer.
const STAGES: [u32; 4] = [1, 2, 3, 4];

/// True if that is the refusal of a program that a machine has no data path for: nothing loads the accumulator memory
/// of this one, so neither `C += A B` nor a product into a buffer that a vector engine filled can be done as it is
/// written.
fn is_refused(kernel: &Kernel, device: &str, error: &str) -> bool {
    device == "ascend-910b"
        && ["attention", "matmul"].contains(&kernel.entry)
        && error.contains("no path of routes leads")
}

/// A program with its calls and the oracle's results.
struct Subject<'k> {
    kernel: &'k Kernel,
    label: String,
    text: String,
    calls: Vec<Call>,
}

struct Call {
    case: Case,
    before: Vec<Buffer>,
    after: Vec<Buffer>,
}

impl<'k> Subject<'k> {
    fn new(kernel: &'k Kernel, label: String, source: &str, cases: &[Case]) -> Result<Self, String> {
        let text = lower::front_end_text(kernel, source)?;
        let mut jit = Jit::new(&text)?;
        let calls = cases.iter().enumerate().map(|(seed, case)| {
            let before = case.buffers(seed as u64);
            let after = natively(&mut jit, kernel.entry, &before)?;
            Ok(Call {
                case: case.clone(),
                before,
                after,
            })
        });
        let calls = calls.collect::<Result<_, String>>()?;
        Ok(Self {
            kernel,
            label,
            text,
            calls,
        })
    }

    /// A program whose own run on the simulator, as the front end wrote it, is the reference.
    fn by_simulator(kernel: &'k Kernel, label: String, source: &str, cases: &[Case]) -> Result<Self, String> {
        let front_end = lower::front_end_text(kernel, source)?;
        let session = Session::new();
        let module = session.parse(&front_end, kernel.name).map_err(text)?;
        let program = program(&module, &device(DEVICES[0])?, kernel.entry)?;
        let calls = cases.iter().enumerate().map(|(seed, case)| {
            let before = case.buffers(seed as u64);
            let run = simulated(&program, &before)?;
            let after = before.iter().zip(run.memory).map(|(buffer, bytes)| Buffer {
                bytes,
                ..buffer.clone()
            });
            Ok(Call {
                case: case.clone(),
                after: after.collect(),
                before,
            })
        });
        let calls = calls.collect::<Result<_, String>>()?;
        Ok(Self {
            kernel,
            label,
            text: front_end,
            calls,
        })
    }

    /// Runs all calls whose trip count is wanted. Returns the cycles of each, and the errors.
    fn check(
        &self,
        module: &zpu_ir::Module<'_>,
        device: &Arc<Device>,
        wanted: impl Fn(i64) -> bool,
        problems: &mut Vec<String>,
    ) -> Vec<Option<u64>> {
        let program = match program(module, device, self.kernel.entry) {
            Ok(program) => program,
            Err(error) => {
                problems.push(error);
                return vec![None; self.calls.len()];
            }
        };
        let mut cycles = Vec::new();
        for call in &self.calls {
            cycles.push(None);
            if !wanted(call.case.trips) {
                continue;
            }
            let at = format!("{} trips, {}", call.case.trips, call.case.extents());
            match simulated(&program, &call.before) {
                Ok(run) => {
                    problems.extend(run.findings.iter().map(|finding| format!("{at}: {finding}")));
                    problems.extend(difference(&call.after, &run.memory).map(|first| format!("{at}: {first}")));
                    *cycles.last_mut().expect("one was pushed") = Some(run.cycles);
                }
                Err(error) => problems.push(format!("{at}: {error}")),
            }
        }
        cycles
    }

    /// The errors of the whole pipeline under one setting, each with the pass after which it first shows.
    fn problems(&self, setting: Setting) -> Vec<String> {
        let quick = self.pipeline(setting, &TRIPS_BETWEEN);
        let found = match quick {
            Ok(found) if found.is_empty() => found,
            // Once more with everything after every pass, to find the first one.
            Ok(_) => self.pipeline(setting, &TRIPS).unwrap_or_else(|error| vec![error]),
            Err(error) => vec![error],
        };
        let label = |problem: String| format!("{}, {setting}, {problem}", self.label);
        found.into_iter().map(label).collect()
    }

    /// The pipeline one pass at a time, with all calls before, at the synchronous form and at the end, and those of the
    /// trip counts `between` after each pass. Stops after the first pass that leaves something wrong.
    fn pipeline(&self, setting: Setting, between: &[i64]) -> Result<Vec<String>, String> {
        let session = Session::new();
        let device = device(setting.device)?;
        let mut module = session.parse(&self.text, self.kernel.name).map_err(text)?;
        let mut found = Vec::new();
        self.check(&module, &device, |_| true, &mut found);
        let steps = lower::steps(&session, setting)?;
        let (mut synchronous, mut last) = (Vec::new(), Vec::new());
        for (i, step) in steps.iter().enumerate() {
            match lower::step(&session, &mut module, step) {
                Ok(()) => {}
                Err(error) if is_refused(self.kernel, setting.device, &error) => return Ok(Vec::new()),
                Err(error) => return Ok(vec![error]),
            }
            let to_commands = step.pass() == "zpu-convert-to-dma";
            let wanted = |trips| to_commands || i + 1 == steps.len() || between.contains(&trips);
            last = self.check(&module, &device, wanted, &mut found);
            if !found.is_empty() {
                self.keep(&module, setting, i, step);
                let count = found.len();
                let problem = |first| format!("after {step} ({count}):\n    {first}");
                return Ok(found.into_iter().take(2).map(problem).collect());
            }
            found.clear();
            if to_commands {
                synchronous.clone_from(&last);
            }
        }
        Ok(self.slower(&synchronous, &last))
    }

    /// The calls that take more cycles after the pipeline than the synchronous commands in program order.
    fn slower(&self, before: &[Option<u64>], after: &[Option<u64>]) -> Vec<String> {
        let slower = |((call, before), after): ((&Call, &Option<u64>), &Option<u64>)| {
            let (before, after) = ((*before)?, (*after)?);
            let (trips, at) = (call.case.trips, call.case.extents());
            // Without any command the waits after the loops are all that is left of the overlap.
            (after > before && before > 0 && trips > 0)
                .then(|| format!("slower: {trips} trips, {at}: {after} cycles instead of {before}"))
        };
        self.calls.iter().zip(before).zip(after).filter_map(slower).collect()
    }

    /// Keeps a wrong module, to be examined.
    fn keep(&self, module: &zpu_ir::Module<'_>, setting: Setting, index: usize, step: &Step) {
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracle");
        let name = format!("{} {setting} {index} {step}", self.label).replace(|c: char| !c.is_alphanumeric(), "-");
        let _ = std::fs::create_dir_all(&folder);
        let _ = std::fs::write(folder.join(format!("{name}.mlir")), Op::of_module(module).to_string());
    }
}

/// The settings that are tried: device, scheduler and stages are dealt out one after the other, so that a few runs of
/// each program reach all pairs of them over all programs. `ZPU_ORACLE=all` tries every setting with every program.
struct Deal {
    turn: usize,
    all: bool,
}

impl Deal {
    fn setting(turn: usize) -> Setting {
        // A round through the devices shifts the others by one: 7 and 16 have no common divisor.
        let other = (turn + turn / DEVICES.len()) % (SCHEDULERS.len() * STAGES.len());
        Setting {
            device: DEVICES[turn % DEVICES.len()],
            scheduler: SCHEDULERS[other % SCHEDULERS.len()],
            stages: STAGES[other / SCHEDULERS.len()],
        }
    }

    fn next(&mut self, count: usize) -> Vec<Setting> {
        if self.all {
            return (0..DEVICES.len() * SCHEDULERS.len() * STAGES.len())
                .map(Self::setting)
                .collect();
        }
        self.turn += count;
        (self.turn - count..self.turn).map(Self::setting).collect()
    }
}

/// All kernels with dynamic sizes on all devices, with constant sizes on one. Each caller starts the deal elsewhere.
fn check(start: usize, kernels: &[Kernel]) {
    let mut deal = Deal {
        turn: start,
        all: std::env::var("ZPU_ORACLE").is_ok_and(|value| value == "all"),
    };
    let mut problems = Vec::new();
    for kernel in kernels {
        let dynamic = [(kernel.label(), kernel.text(), kernel.cases.clone(), DEVICES.len())];
        let constant = kernel.cases.iter().filter_map(|case| {
            let size = case.constant?;
            let label = format!("{} of size {size}", kernel.label());
            Some((label, kernel.constant_text(size), vec![case.clone()], 1))
        });
        for (label, text, cases, count) in dynamic.into_iter().chain(constant) {
            match Subject::new(kernel, label.clone(), &text, &cases) {
                Ok(subject) => {
                    for setting in deal.next(count) {
                        problems.extend(subject.problems(setting));
                    }
                }
                Err(error) => problems.push(format!("{label}: {error}")),
            }
        }
    }
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn vector_add() {
    check(0, &kernel::vector_add());
}

#[test]
fn rms_norm() {
    check(18, &kernel::rms_norm());
}

#[test]
fn attention() {
    check(36, &kernel::attention());
}

#[test]
fn attention_blocks() {
    check(54, &kernel::attention_blocks());
}

#[test]
fn matmul_two_level() {
    check(72, &kernel::matmul(SCRIPTS[0]));
}

#[test]
fn matmul_two_level_full_tiles() {
    check(90, &kernel::matmul(SCRIPTS[1]));
}

#[test]
fn matmul_innermost() {
    check(108, &kernel::matmul(SCRIPTS[2]));
}

#[test]
fn matmul_innermost_full_tiles() {
    check(126, &kernel::matmul(SCRIPTS[3]));
}

/// The reference loops, each with some trip counts, on machines that have their memories.
#[test]
fn graphs() {
    const MACHINES: [&str; 3] = ["planning-1dma", "planning-2dma", "sunmmio-a4e"];
    let mut problems = Vec::new();
    let mut turn = 0;
    for graph in GRAPHS {
        let kernel = graph.kernel().expect("a kernel");
        for trips in [0, 1, 3, 6] {
            turn += 1;
            let setting = Setting {
                device: MACHINES[turn % MACHINES.len()],
                ..Deal::setting(turn + turn / SCHEDULERS.len())
            };
            let cases: Vec<Case> = kernel.cases.iter().map(|case| Case { trips, ..case.clone() }).collect();
            let text = graph::with_trips(&kernel.text(), trips);
            let label = format!("{}, {trips} trips", graph.name);
            let subject = if graph.chains_bf16 {
                Subject::by_simulator(&kernel, label, &text, &cases)
            } else {
                Subject::new(&kernel, label, &text, &cases)
            };
            match subject {
                Ok(subject) => problems.extend(subject.problems(setting)),
                Err(error) => problems.push(format!("{}: {error}", graph.name)),
            }
        }
    }
    assert!(
        problems.is_empty(),
        "{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
}
