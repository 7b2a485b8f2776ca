//! A function compiled on the side, and run without its numbers.

use std::collections::BTreeMap;

use zpu_device::Device;
use zpu_ir::pipeline::Nested;
use zpu_ir::{Module, Op, attr, edit};
use zpu_sched::Scheduler;
use zpu_sim::{PaceArgument, pace};

use super::candidates::Candidate;
use super::choice::Measured;
use super::dispatch;
use crate::pipeline::Lowering;

/// Commands of a run before loops that repeat themselves are cut short.
const EXACT_COMMANDS: u64 = 1024;

/// Runs of functions of one module.
pub(super) struct Trials<'c, 'd> {
    pipelines: Nested<'c>,
    module: Op<'c>,
    device: &'d Device,
    /// The pipeline up to the plan, and the one after it.
    planning: String,
    carrying_out: String,
    /// What was measured before, by function with its plan.
    known: BTreeMap<String, Measured>,
    /// Last stages of the loops of unknown length, by function and plan.
    last_stages: BTreeMap<(String, Scheduler, u32), Vec<i64>>,
}

impl<'c, 'd> Trials<'c, 'd> {
    pub(super) fn new(module: Op<'c>, device: &'d Device, lowering: &Lowering) -> Self {
        Self {
            pipelines: Nested::within(module),
            module,
            device,
            planning: format!("builtin.module(func.func({}))", lowering.planning()),
            carrying_out: format!("builtin.module(func.func({}))", lowering.carrying_out()),
            known: BTreeMap::new(),
            last_stages: BTreeMap::new(),
        }
    }

    /// Compiles a copy of the function with a candidate and runs it in each scenario. `None` if there is
    /// no such program.
    ///
    /// # Errors
    ///
    /// What cannot be compiled or run.
    pub(super) fn measure(
        &mut self,
        function: Op<'c>,
        candidate: Candidate,
        scenarios: &[Vec<PaceArgument>],
    ) -> Result<Option<Measured>, String> {
        let name = name_of(function);
        let mut copy = self.copy(name);
        let inside = find(&copy, name)?;
        if !self.write(inside, candidate) {
            return Ok(None);
        }
        self.pipelines.run(&mut copy, &self.planning)?;
        let planned = find(&copy, name)?;
        if let Candidate::Planned(scheduler, stages) = candidate {
            let last = dispatch::last_stages(planned);
            self.last_stages.insert((name.to_owned(), scheduler, stages), last);
        }
        let planned = planned.to_string();
        if let Some(known) = self.known.get(&planned) {
            return Ok(Some(Measured {
                is_repeated: true,
                ..known.clone()
            }));
        }
        self.pipelines.run(&mut copy, &self.carrying_out)?;
        let program = zpu_translate::translate(Op::of_module(&copy), self.device, name).map_err(|e| e.to_string())?;
        let mut measured = Measured {
            cycles: Vec::with_capacity(scenarios.len()),
            commands: (u64::MAX, 0),
            bytes: 0,
            exact: true,
            is_repeated: false,
        };
        for arguments in scenarios {
            // Sizes that do not fit each other lead nowhere: such a run says nothing of any plan.
            let pace = pace(&program, self.device, name, arguments, EXACT_COMMANDS)
                .ok()
                .flatten();
            measured.cycles.push(pace.map(|pace| pace.cycles));
            if let Some(pace) = pace {
                let (least, most) = measured.commands;
                measured.commands = (least.min(pace.commands), most.max(pace.commands));
            }
            measured.bytes = measured.bytes.max(pace.map_or(0, |pace| pace.bytes));
            measured.exact &= pace.is_none_or(|pace| pace.exact);
        }
        self.known.insert(planned, measured.clone());
        Ok(Some(measured))
    }

    /// Writes a candidate on a function; false if it would be the same as another one.
    pub(super) fn write(&self, function: Op<'_>, candidate: Candidate) -> bool {
        if let Candidate::Dispatched(scheduler, stages, fewer) = candidate {
            let last = |stages| self.last_stages.get(&(name_of(function).to_owned(), scheduler, stages));
            let (Some(long), Some(short)) = (last(stages), last(fewer)) else {
                return false;
            };
            if !dispatch::rewrite(function, long, short, fewer) {
                return false;
            }
        }
        candidate.write(function);
        true
    }

    /// The module with one function and those that it may call.
    fn copy(&self, name: &str) -> Module<'c> {
        let copy = edit::trial_module(self.module);
        let wanted = reached(Op::of_module(&copy), name);
        let others: Vec<Op<'_>> = functions(Op::of_module(&copy))
            .into_iter()
            .filter(|(of, _)| !wanted.contains(of))
            .map(|(_, function)| function)
            .collect();
        others.into_iter().for_each(edit::erase);
        copy
    }
}

fn functions(module: Op<'_>) -> Vec<(String, Op<'_>)> {
    let all = module.body().into_iter().flat_map(|body| body.ops());
    let functions = all.filter(|op| op.is("func.func"));
    functions.map(|op| (name_of(op).to_owned(), op)).collect()
}

fn find<'m>(module: &'m Module<'_>, name: &str) -> Result<Op<'m>, String> {
    let mut all = functions(Op::of_module(module)).into_iter();
    all.find(|(of, _)| of == name)
        .map(|(_, function)| function)
        .ok_or_else(|| format!("no function @{name} is left"))
}

fn name_of<'c>(function: Op<'c>) -> &'c str {
    function.attr("sym_name").and_then(attr::as_str).unwrap_or_default()
}

/// Names of a function and of all that it calls.
fn reached(module: Op<'_>, name: &str) -> Vec<String> {
    let functions: BTreeMap<String, Op<'_>> = functions(module).into_iter().collect();
    let mut reached = vec![name.to_owned()];
    let mut next = 0;
    while let Some(function) = reached.get(next).map(|name| functions.get(name).copied()) {
        next += 1;
        for call in function.into_iter().flat_map(|function| function.find_all("func.call")) {
            if let Some(callee) = call.attr("callee").and_then(attr::as_symbol)
                && !reached.iter().any(|known| known == callee)
            {
                reached.push(callee.to_owned());
            }
        }
    }
    reached
}
