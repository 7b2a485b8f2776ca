//! Copies of a function with its waits: lives in the asynchronous form, and what addresses cost.

use zpu_analysis::command::{is_asynchronous, sync_engine};
use zpu_analysis::liveness::{Liveness, clobbered, liveness};
use zpu_device::Device;
use zpu_ir::ops::Start;
use zpu_ir::options::PlanMemoryOptions;
use zpu_ir::pipeline::Nested;
use zpu_ir::ty::MemRef;
use zpu_ir::{Module, Op, Value, annotation, attr};

use super::problem::Addresses;
use super::sharing::Sharing;
use crate::measure::scenario::scenarios;
use crate::measure::{copy_of, find, name_of, run};

/// Stages up to which runs of few iterations are tried.
const STAGES: u32 = 4;

/// The cost of a function: its waits, and its cycles in each scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) waits: usize,
    pub(super) cycles: Vec<Option<u64>>,
    /// Commands, and what loops and branches hand on: what putting in the waits takes time for.
    pub(super) size: usize,
}

/// The comparison of a function with addresses with one without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// They cost nothing.
    Free,
    /// They cost waits or cycles: that much in all.
    Costs(Cost),
    /// A read of one of each two buffers may see bytes of the other.
    Clobbered(Vec<(usize, usize)>),
    /// It was not compiled.
    Failed(String),
}

/// Copies of functions of one module.
pub(super) struct Trials<'c, 'd> {
    pipelines: Nested<'c>,
    module: Op<'c>,
    device: &'d Device,
    /// The passes that put in waits, and those that prove them as well.
    waits: String,
    proven_waits: String,
}

impl<'c, 'd> Trials<'c, 'd> {
    pub(super) fn new(module: Op<'c>, device: &'d Device, options: &PlanMemoryOptions) -> Self {
        let (mode, ids) = (&options.mode, options.ids);
        let waits = format!("func.func(zpu-inject-dma-barrier{{mode={{{mode}}} ids={ids}}})");
        Self {
            pipelines: Nested::within(module),
            module,
            device,
            proven_waits: format!("builtin.module({waits},zpu-verify-sync{{allow-unknown=true}})"),
            waits: format!("builtin.module({waits})"),
        }
    }

    /// The buffers of a function that may share bytes in its asynchronous form.
    ///
    /// # Errors
    ///
    /// The reason why there is no such form.
    pub(super) fn asynchronous(&mut self, function: Op<'c>, lives: &Liveness<'c>) -> Result<Sharing, String> {
        let name = name_of(function);
        let mut copy = copy_of(self.module, name);
        self.pipelines.run(&mut copy, &self.waits)?;
        let found = liveness(find(&copy, name)?, self.device);
        if !are_same(lives, &found) {
            return Err("the buffers are others after waits are put in".to_owned());
        }
        Ok(Sharing::of(&found))
    }

    /// The cost of a function as it is.
    ///
    /// # Errors
    ///
    /// The reason why there is none.
    pub(super) fn baseline(&mut self, function: Op<'c>) -> Result<Cost, String> {
        let name = name_of(function);
        let mut copy = copy_of(self.module, name);
        self.cost(&mut copy, name)
    }

    /// Compares the function with addresses with the function without.
    pub(super) fn compare(
        &mut self,
        function: Op<'c>,
        lives: &Liveness<'c>,
        addresses: &Addresses,
        baseline: &Cost,
        reuse: i64,
    ) -> Outcome {
        let name = name_of(function);
        let mut copy = copy_of(self.module, name);
        match with_addresses(&copy, name, lives, addresses, self.device) {
            Ok(pairs) if pairs.is_empty() => {}
            Ok(pairs) => return Outcome::Clobbered(pairs),
            Err(reason) => return Outcome::Failed(reason),
        }
        let cost = match self.cost(&mut copy, name) {
            Ok(cost) => cost,
            Err(reason) => return Outcome::Failed(reason),
        };
        // With waits an operation may be one that is not followed, and counts as one that reads.
        match self.clobbered_with_waits(&copy, name, lives) {
            Ok(pairs) if pairs.is_empty() => {}
            Ok(pairs) => return Outcome::Clobbered(pairs),
            Err(reason) => return Outcome::Failed(reason),
        }
        let is_slower = cost.cycles.iter().zip(&baseline.cycles).any(is_slower);
        if is_slower || is_dearer(cost.waits, baseline, reuse) {
            return Outcome::Costs(cost);
        }
        Outcome::Free
    }

    fn clobbered_with_waits(
        &self,
        copy: &Module<'c>,
        name: &str,
        lives: &Liveness<'c>,
    ) -> Result<Vec<(usize, usize)>, String> {
        let function = find(copy, name)?;
        let found = liveness(function, self.device);
        if !are_same(lives, &found) {
            return Err("the buffers are others after waits are put in".to_owned());
        }
        clobbered_pairs(function, &found, self.device)
    }

    /// True if some of the addresses of a plan cost nothing. The plan as a whole was found right before, so that is not
    /// checked again.
    pub(super) fn is_free(
        &mut self,
        function: Op<'c>,
        lives: &Liveness<'c>,
        addresses: &Addresses,
        baseline: &Cost,
        reuse: i64,
    ) -> bool {
        let name = name_of(function);
        let mut copy = copy_of(self.module, name);
        let mut free = || {
            let copied = find(&copy, name)?;
            write_copied(function, copied, lives, addresses);
            let scenarios = scenarios(copied, STAGES);
            self.pipelines.run(&mut copy, &self.waits)?;
            if is_dearer(waits(find(&copy, name)?), baseline, reuse) {
                return Ok(false);
            }
            let program = zpu_translate::translate(Op::of_module(&copy), self.device, name);
            let program = program.map_err(|error| error.to_string())?;
            let mut runs = scenarios.chunks(1).zip(&baseline.cycles);
            Ok(!runs.any(|(scenario, without)| {
                let with = run(&program, self.device, name, scenario);
                with.cycles.iter().any(|with| is_slower((with, without)))
            }))
        };
        let free: Result<bool, String> = free();
        free.unwrap_or(false)
    }

    fn cost(&mut self, copy: &mut Module<'c>, name: &str) -> Result<Cost, String> {
        let scenarios = scenarios(find(copy, name)?, STAGES);
        self.pipelines.run(copy, &self.proven_waits)?;
        let (waits, size) = (waits(find(copy, name)?), size(find(copy, name)?));
        let program = zpu_translate::translate(Op::of_module(copy), self.device, name);
        let program = program.map_err(|error| error.to_string())?;
        let measured = run(&program, self.device, name, &scenarios);
        Ok(Cost {
            waits,
            cycles: measured.cycles,
            size,
        })
    }
}

/// The waits of a function.
fn waits(function: Op<'_>) -> usize {
    let is_wait = |op: &Op<'_>| is_asynchronous(*op) && Start::of(*op).is_none();
    function.walk().into_iter().filter(is_wait).count()
}

/// The commands of a function, and what its loops and branches hand on: tokens, or numbers of barrier ids.
fn size(function: Op<'_>) -> usize {
    let sizes = function.walk().into_iter().map(|op| {
        let is_command = sync_engine(op).is_some() || Start::of(op).is_some();
        let hands_on = matches!(op.name(), "scf.for" | "scf.if" | "scf.while");
        let handed_on = if hands_on { op.results().len() } else { 0 };
        handed_on.max(usize::from(is_command))
    });
    sizes.sum()
}

fn is_dearer(waits: usize, baseline: &Cost, reuse: i64) -> bool {
    reuse == 0 && waits > baseline.waits
}

/// True if a run with addresses takes longer than the one without.
fn is_slower((with, without): (&Option<u64>, &Option<u64>)) -> bool {
    match (with, without) {
        (Some(with), Some(without)) => with > without,
        (None, Some(_)) => true,
        (_, None) => false,
    }
}

/// Writes addresses on the buffers of a copy, whose operations stand in the same order.
fn write_copied(function: Op<'_>, copied: Op<'_>, lives: &Liveness<'_>, addresses: &Addresses) {
    for (op, copied) in function.walk().into_iter().zip(copied.walk()) {
        let at = lives.buffers.iter().position(|buffer| buffer.op() == Some(op));
        if let Some(address) = at.map(|at| addresses[at]) {
            write_one(copied, address);
        }
    }
}

/// Writes the address of a buffer on its allocation.
fn write_one(op: Op<'_>, address: Option<u64>) {
    match address.and_then(|address| i64::try_from(address).ok()) {
        Some(address) => op.set_attr(annotation::ADDRESS, attr::int(op.context(), address)),
        None => op.remove_attr(annotation::ADDRESS),
    }
}

/// Writes addresses into a copy and checks them: each two buffers of a read that is wrong.
fn with_addresses(
    copy: &Module<'_>,
    name: &str,
    lives: &Liveness<'_>,
    addresses: &Addresses,
    device: &Device,
) -> Result<Vec<(usize, usize)>, String> {
    let function = find(copy, name)?;
    let found = liveness(function, device);
    if !are_same(lives, &found) {
        return Err("the buffers of a copy are others".to_owned());
    }
    for (buffer, address) in found.buffers.iter().zip(addresses) {
        if let Some(op) = buffer.op() {
            write_one(op, *address);
        }
    }
    clobbered_pairs(function, &found, device)
}

/// By the check of addresses: the buffers of each read that is wrong, by number.
///
/// # Errors
///
/// The check and the lives do not have the same buffers.
pub(super) fn clobbered_pairs<'c>(
    function: Op<'c>,
    lives: &Liveness<'c>,
    device: &Device,
) -> Result<Vec<(usize, usize)>, String> {
    let number = |value: Value<'_>| {
        let at = lives.buffers.iter().position(|buffer| buffer.value == value);
        at.ok_or_else(|| "a check names a buffer that is none".to_owned())
    };
    // Off-chip buffers have the addresses that the user gave them, and those are checked at the end.
    let is_planned =
        |value: Value<'_>| MemRef::of(value.ty()).and_then(|memref| memref.space()) != Some(&device.off_chip);
    let pairs = clobbered(function, device)
        .into_iter()
        .filter(|pair| is_planned(pair.buffer));
    pairs
        .map(|clobber| Ok((number(clobber.buffer)?, number(clobber.other)?)))
        .collect()
}

/// True if two functions have the same buffers in the same order.
fn are_same(left: &Liveness<'_>, right: &Liveness<'_>) -> bool {
    let same = |(left, right): (&zpu_analysis::liveness::Buffer<'_>, &zpu_analysis::liveness::Buffer<'_>)| {
        left.space == right.space
            && left.bytes == right.bytes
            && left.value.ty().to_string() == right.value.ty().to_string()
    };
    left.buffers.len() == right.buffers.len() && left.buffers.iter().zip(&right.buffers).all(same)
}
