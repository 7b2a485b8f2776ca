//! How long a function takes once it is compiled: copies of it, compiled on the side and run without their numbers.

pub(crate) mod scenario;

use std::collections::BTreeMap;

use zpu_device::Device;
use zpu_ir::{Module, Op, attr, edit};
use zpu_sim::{Program, pace};

use scenario::Scenario;

/// Commands of a run before loops that repeat themselves are cut short.
const EXACT_COMMANDS: u64 = 1024;

/// How long a program takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    /// Cycles in each scenario, those of the long runs last; none where the run did not reach its end.
    pub(crate) cycles: Vec<Option<u64>>,
    /// How many of them are long runs.
    pub(crate) long_runs: usize,
    /// Commands of the shortest run and of the longest.
    pub(crate) commands: (u64, u64),
    /// Bytes of local buffers, the most of all scenarios.
    pub(crate) bytes: u64,
    /// True if its buffers fit on the chip in all scenarios.
    pub(crate) fits: bool,
    /// Whether every iteration was run.
    pub(crate) exact: bool,
    /// Whether the program is the same as one that was measured before.
    pub(crate) is_repeated: bool,
}

impl Measured {
    /// The cycles of all long runs that reach their ends, or of the longest one that does if none is known as long.
    pub(crate) fn longest(&self) -> Option<u64> {
        let (short, long) = self.cycles.split_at(self.cycles.len() - self.long_runs);
        let long = long.iter().copied().flatten().reduce(u64::saturating_add);
        long.or_else(|| short.iter().flatten().last().copied())
    }

    /// True if no run takes more cycles than another program's, but for the slack. A run that does not reach its end in
    /// one of them says nothing for the other.
    pub(crate) fn is_as_fast(&self, than: &Self, slack: u64) -> bool {
        let is_slower = |(own, other): (&Option<u64>, &Option<u64>)| match (own, other) {
            (Some(own), Some(other)) => *own > other.saturating_add(slack),
            (None, None) => false,
            _ => true,
        };
        !self.cycles.iter().zip(&than.cycles).any(is_slower)
    }
}

/// A program in each scenario.
pub(crate) fn run(program: &Program, device: &Device, name: &str, scenarios: &[Scenario]) -> Measured {
    let mut measured = Measured {
        cycles: Vec::with_capacity(scenarios.len()),
        long_runs: scenarios.iter().filter(|scenario| scenario.is_long).count(),
        commands: (u64::MAX, 0),
        bytes: 0,
        fits: true,
        exact: true,
        is_repeated: false,
    };
    for scenario in scenarios {
        let run = || pace(program, device, name, &scenario.arguments, EXACT_COMMANDS);
        // Sizes that do not fit each other lead nowhere: such a run says nothing of any plan.
        let pace = (!scenario.is_left_out).then(run).and_then(|pace| pace.ok().flatten());
        measured.cycles.push(pace.map(|pace| pace.cycles));
        if let Some(pace) = pace {
            let (least, most) = measured.commands;
            measured.commands = (least.min(pace.commands), most.max(pace.commands));
        }
        measured.bytes = measured.bytes.max(pace.map_or(0, |pace| pace.bytes));
        measured.fits &= pace.is_none_or(|pace| pace.fits);
        measured.exact &= pace.is_none_or(|pace| pace.exact);
    }
    measured
}

/// A copy of a module with one function and those that it may call, to try passes on.
pub(crate) fn copy_of<'c>(module: Op<'c>, name: &str) -> Module<'c> {
    let copy = edit::trial_module(module);
    let wanted = reached(Op::of_module(&copy), name);
    let others: Vec<Op<'_>> = functions(Op::of_module(&copy))
        .into_iter()
        .filter(|(of, _)| !wanted.contains(of))
        .map(|(_, function)| function)
        .collect();
    others.into_iter().for_each(edit::erase);
    copy
}

/// The functions of a module by name.
pub(crate) fn functions(module: Op<'_>) -> Vec<(String, Op<'_>)> {
    let all = module.body().into_iter().flat_map(|body| body.ops());
    let functions = all.filter(|op| op.is("func.func"));
    functions.map(|op| (name_of(op).to_owned(), op)).collect()
}

/// The function of a module with a name.
pub(crate) fn find<'m>(module: &'m Module<'_>, name: &str) -> Result<Op<'m>, String> {
    let mut all = functions(Op::of_module(module)).into_iter();
    all.find(|(of, _)| of == name)
        .map(|(_, function)| function)
        .ok_or_else(|| format!("no function @{name} is left"))
}

/// The name of a function.
pub(crate) fn name_of<'c>(function: Op<'c>) -> &'c str {
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
