//! One program through memory planning: with the device's own memories, with just the bytes that are needed of each,
//! and with one unit of alignment less of one.
//!
//! The expectations: the planned program leaves the bytes that the program left before any pass, in several orders of
//! completion, without a finding; with just enough memory the plan is found again; with less, planning finds another
//! plan, with the same bytes left, or reports the memory and leaves the module as it was.

use std::sync::Arc;

use zpu_analysis::liveness::{Buffer, handed_on, liveness, window_of};
use zpu_analysis::slot::alignment;
use zpu_device::Device;
use zpu_driver::{Step, pipeline_of};
use zpu_ir::ty::MemRef;
use zpu_ir::{Module, Op, annotation, attr, ops};
use zpu_sim::{Checks, Options, Order};

use crate::observation::{difference, observation, observe, run, run_with, translated};
use crate::program::Program;
use crate::run::{Failure, Kind, Runner, fail, is_refusal, parsed, steps};
use crate::setting::Setting;

const PASS: &str = "zpu-plan-memory";

/// Failures with just the bytes that are needed are told apart by this name.
const TIGHT: &str = "zpu-plan-memory with just enough";

/// Failures with one unit of alignment less.
const BELOW: &str = "zpu-plan-memory with less";

/// Failures of lives.
const LIVES: &str = "zpu-print-liveness";

/// Orders of completion besides that of the cost model.
const ORDERS: [Order; 2] = [Order::Lazy, Order::Adversarial];

/// The result of a run without failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryVerdict {
    /// The machine cannot run the program as it is. Nothing was checked after that.
    pub refused: bool,
    /// Some buffer has an address.
    pub planned: bool,
    /// Two buffers have bytes in common.
    pub shares: bool,
    /// The most bytes that were alive are just those that the lives of its text say, in each memory.
    pub exact_lives: bool,
    /// The program was compiled again with just the bytes that it needs.
    pub tight: bool,
    /// With less, planning was refused.
    pub too_small: bool,
    /// With less, another plan was found.
    pub other_plan: bool,
}

/// A memory and so many bytes of it.
type Needed = Vec<(String, u64)>;

impl Runner<'_> {
    /// Runs a program through memory planning.
    ///
    /// # Errors
    ///
    /// The first failure.
    pub fn check_memory(&mut self, program: &Program, setting: &Setting) -> Result<MemoryVerdict, Failure> {
        let mut verdict = MemoryVerdict::default();
        let refused = MemoryVerdict {
            refused: true,
            ..verdict
        };
        let Some(device) = self.device(setting, &program.text)? else {
            return Ok(refused);
        };
        let mut module = parsed(self.session, program)?;
        let expected = match observe(&module, &device, program) {
            Ok(observation) => observation.memory,
            Err((Kind::Capacity, _)) => return Ok(refused),
            Err((Kind::Clock, message)) => return Err(fail(Kind::Clock, "parsing", message)),
            Err((_, message)) => return Err(fail(Kind::Program, "parsing", message)),
        };
        let steps = steps(self.session, setting)?;
        let Some(at) = steps.iter().position(|step| step.pass() == PASS) else {
            return Err(fail(Kind::Program, "the pipeline", format!("it has no {PASS}")));
        };
        let (before, rest) = steps.split_at(at);
        let (plan, after) = rest.split_at(1);
        match self.compiled_by(&mut module, before) {
            Ok(()) => {}
            Err(error) if is_refusal(&error) => return Ok(refused),
            Err(error) => return Err(fail(Kind::Error, "the passes before", error)),
        }
        let unplanned = Op::of_module(&module).to_string();
        let wrong = |pass: &str, error: String| fail(Kind::Error, pass, error);
        self.compiled_by(&mut module, plan)
            .map_err(|error| wrong(PASS, error))?;
        let needed = needed(Op::of_module(&module), &device);
        verdict.planned = !needed.is_empty();
        verdict.shares = shares(Op::of_module(&module));
        let is_whole = all_have_addresses(Op::of_module(&module), &device);
        self.compiled_by(&mut module, after)
            .map_err(|error| wrong("the passes after", error))?;
        same_bytes(&module, &device, program, &expected, PASS)?;
        verdict.exact_lives = lives_as_printed(&module, &device, program)?;
        if !verdict.planned || !is_whole {
            return Ok(verdict);
        }
        let (mut module, tight) = self.with_capacities(&unplanned, &device, &needed)?;
        self.compiled_by(&mut module, rest)
            .map_err(|error| wrong(TIGHT, error))?;
        same_bytes(&module, &tight, program, &expected, TIGHT)?;
        verdict.tight = true;
        let (space, bytes) = &needed[program.contents as usize % needed.len()];
        let align = device.memory(space).map_or(1, |memory| memory.align);
        let Some(less) = bytes.checked_sub(align).filter(|less| *less > 0) else {
            return Ok(verdict);
        };
        let (mut module, small) = self.with_capacities(&unplanned, &device, &[(space.clone(), less)])?;
        let text = Op::of_module(&module).to_string();
        match self.compiled_by(&mut module, plan) {
            Ok(()) => {
                self.compiled_by(&mut module, after)
                    .map_err(|error| wrong(BELOW, error))?;
                same_bytes(&module, &small, program, &expected, BELOW)?;
                verdict.other_plan = true;
            }
            Err(error) if !error.contains(&format!("bytes of {space}")) => return Err(wrong(BELOW, error)),
            Err(_) if Op::of_module(&module).to_string() != text => {
                let message = "planning failed, and left another module than it was given".to_owned();
                return Err(fail(Kind::Verify, BELOW, message));
            }
            Err(_) => verdict.too_small = true,
        }
        Ok(verdict)
    }

    fn compiled_by(&self, module: &mut Module<'_>, steps: &[Step]) -> Result<(), String> {
        let compiled = self.session.compile(module, &pipeline_of(steps));
        compiled.map(drop).map_err(|error| error.to_string())
    }
}

impl<'s> Runner<'s> {
    /// A module with other capacities of its device, and the same device for the simulator.
    fn with_capacities(
        &self,
        text: &str,
        device: &Device,
        capacities: &[(String, u64)],
    ) -> Result<(Module<'s>, Arc<Device>), Failure> {
        let module = self.session.parse(text, "planned");
        let module = module.map_err(|error| fail(Kind::Verify, PASS, error.to_string()))?;
        let mut device = device.clone();
        let own = |name: &str| {
            let mut all = capacities.iter();
            all.find(|(space, _)| space == name).map(|(_, bytes)| *bytes)
        };
        for memory in &mut device.memories {
            memory.bytes = own(&memory.name).unwrap_or(memory.bytes);
        }
        for op in Op::of_module(&module).find_all(ops::Memory::NAME) {
            let bytes = op.attr(ops::Memory::SYM_NAME).and_then(attr::as_str).and_then(own);
            if let Some(bytes) = bytes.and_then(|bytes| i64::try_from(bytes).ok()) {
                op.set_attr(ops::Memory::BYTES, attr::int(op.context(), bytes));
            }
        }
        Ok((module, Arc::new(device)))
    }
}

/// Runs a planned program in several orders; the first failure.
fn same_bytes(
    module: &Module<'_>,
    device: &Arc<Device>,
    program: &Program,
    expected: &[Vec<u8>],
    pass: &str,
) -> Result<(), Failure> {
    let failed = |(kind, message): (Kind, String)| fail(kind, pass, message);
    let memory = observe(module, device, program).map_err(failed)?.memory;
    if let Some(message) = difference(expected, &memory) {
        return Err(fail(Kind::Bytes, pass, message));
    }
    let executable = translated(module, device, program).map_err(failed)?;
    for order in ORDERS {
        let outcome = run(&executable, program, Checks::NONE, order).map_err(failed)?;
        if let Some(message) = difference(expected, &observation(outcome).memory) {
            return Err(fail(Kind::Bytes, pass, format!("order {order}: {message}")));
        }
    }
    Ok(())
}

/// Compares the bytes that are alive in a run with the lives of the program's text: true if the most of each memory is
/// the same, a failure if more are alive than the text says.
fn lives_as_printed(module: &Module<'_>, device: &Arc<Device>, program: &Program) -> Result<bool, Failure> {
    let failed = |(kind, message): (Kind, String)| fail(kind, LIVES, message);
    let executable = translated(module, device, program).map_err(failed)?;
    let options = Options {
        checks: Checks::NONE,
        bound: false,
        live_bytes: true,
        ..Options::default()
    };
    let outcome = run_with(&executable, program, &options).map_err(failed)?;
    let functions = Op::of_module(module).find_all("func.func");
    let Some(function) = functions.into_iter().find(|op| op.function_name() == program.entry) else {
        return Ok(false);
    };
    let lives = liveness(function, device);
    // Buffers of a callee are no lives of the caller, and the text counts once what a loop hands on.
    let is_handed_on = lives
        .buffers
        .iter()
        .filter_map(Buffer::op)
        .any(|op| handed_on(op).is_some());
    if !lives.unplanned.is_empty() || is_handed_on || !function.find_all("func.call").is_empty() {
        return Ok(false);
    }
    let mut is_same = true;
    for memory in &outcome.report.memories {
        let printed = lives.peak(&memory.name).map_or(0, |peak| peak.bytes);
        let live = memory.live.unwrap_or(0);
        if live > printed {
            let message = format!("{live} bytes of {} are alive at once, by lives {printed}", memory.name);
            return Err(fail(Kind::Finding, LIVES, message));
        }
        is_same &= live == printed;
    }
    Ok(is_same)
}

/// The on-chip allocations of a module with their memories.
fn on_chip<'c>(module: Op<'c>, device: &Device) -> Vec<(Op<'c>, &'c str)> {
    let allocations = module
        .walk()
        .into_iter()
        .filter(|op| matches!(op.name(), "memref.alloc" | "memref.alloca"));
    let with_space = allocations.filter_map(|op| Some((op, MemRef::of(op.result(0).ty())?.space()?)));
    with_space.filter(|(_, space)| *space != device.off_chip).collect()
}

/// The bytes of each memory up to the end of its last buffer, as plans count them: a buffer ends at a multiple of its
/// alignment.
fn needed(module: Op<'_>, device: &Device) -> Needed {
    let mut all = Needed::new();
    for (op, space) in on_chip(module, device) {
        let Some((_, end)) = window_of(op) else { continue };
        let end = end.next_multiple_of(alignment(op, Some(device)));
        match all.iter_mut().find(|(name, _)| name == space) {
            Some((_, bytes)) => *bytes = end.max(*bytes),
            None => all.push((space.to_owned(), end)),
        }
    }
    all
}

/// True if no buffer needs bytes beyond the plan.
fn all_have_addresses(module: Op<'_>, device: &Device) -> bool {
    on_chip(module, device)
        .iter()
        .all(|(op, _)| op.has_attr(annotation::ADDRESS))
}

/// True if two allocations have bytes in common.
fn shares(module: Op<'_>) -> bool {
    let windows: Vec<(Option<&str>, (u64, u64))> = module
        .walk()
        .into_iter()
        .filter_map(|op| {
            let window = window_of(op)?;
            Some((MemRef::of(op.result(0).ty())?.space(), window))
        })
        .collect();
    windows.iter().enumerate().any(|(at, (space, one))| {
        let mut others = windows[at + 1..].iter();
        others.any(|(other_space, other)| space == other_space && one.0 < other.1 && other.0 < one.1)
    })
}
