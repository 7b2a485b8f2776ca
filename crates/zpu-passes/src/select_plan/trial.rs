//! A function compiled on the side, once for each of several candidates, and run without its numbers.
//!
//! The candidates are functions of one module, so that MLIR compiles several of them at a time; the runs are spread
//! over threads as well. What comes of it does not depend on who is first.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use zpu_analysis::footprint::{footprint, peak};
use zpu_device::{Device, Memory};
use zpu_ir::ops;
use zpu_ir::options::SelectPlanOptions;
use zpu_ir::pipeline::Nested;
use zpu_ir::ty::MemRef;
use zpu_ir::{Builder, Module, Op, annotation, attr, edit};
use zpu_sched::Scheduler;

use super::candidates::{Candidate, Long, Plain};
use super::dispatch;
use super::jam::Jam;
use super::joint::{self, Joint};
use super::short_runs::Predicated;
use crate::measure::scenario::Scenario;
use crate::measure::{Measured, copy_of, find, functions, name_of, run};
use crate::num_stages::NumStages;
use crate::pipeline::{addresses, carrying_out_on_trial, planning, rings, waits_on_trial};
use crate::seats::allocations;

/// The outcome of one candidate; `None` if there is no such program.
pub(super) type Trial = Result<Option<Measured>, String>;

/// A candidate, and how loops of unknown length are written in short runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) candidate: Candidate,
    /// The predicated form in these runs, whatever the candidate has there.
    pub(super) predicated: Option<Predicated>,
    /// Iterations of loops around innermost ones that run side by side.
    pub(super) jam: Option<Jam>,
}

impl From<Candidate> for Program {
    fn from(candidate: Candidate) -> Self {
        Self {
            candidate,
            predicated: None,
            jam: None,
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.candidate.fmt(f)?;
        match self.predicated {
            Some(predicated) => write!(f, " or, {predicated}"),
            None => Ok(()),
        }
    }
}

/// The sizes of memories by name, in bytes.
pub(super) type Sizes = Vec<(String, u64)>;

/// The memories and rings that a plan whose buffers share bytes is made for.
#[derive(Clone, Debug)]
pub(super) struct Sharing {
    /// Sizes that memories are taken to have.
    pub(super) sizes: Sizes,
    /// Buffers that take turns on one ring.
    pub(super) rings: Vec<Joint>,
}

impl From<Sizes> for Sharing {
    fn from(sizes: Sizes) -> Self {
        Self {
            sizes,
            rings: Vec::new(),
        }
    }
}

/// A program whose buffers have addresses.
pub(super) enum Placed {
    /// For memories of other sizes it is the program that it is without.
    Known,
    /// The buffers need more bytes than there are.
    Needs(Vec<Need>),
    /// The buffers fit: what they need, and the run.
    Fits(Vec<Need>, Measured),
}

/// The bytes of a memory that a function's buffers need.
pub(super) struct Need {
    pub(super) space: String,
    /// With addresses.
    pub(super) planned: u64,
    /// Side by side.
    pub(super) rings: u64,
}

/// A program that was compiled.
struct Compiled {
    /// The name of its function.
    name: String,
    program: zpu_sim::Program,
    /// Its buffers fit on every way through it, and not only where the runs go.
    has_room: bool,
}

/// The size of memories that have room for any plan.
const ENOUGH: i64 = 1 << 40;

/// Runs of functions of one module.
pub(super) struct Trials<'c, 'd> {
    pipelines: Nested<'c>,
    module: Op<'c>,
    device: &'d Device,
    /// The pipeline up to the plan, and the one after it.
    planning: String,
    carrying_out: String,
    /// The pipeline from the plan to addresses, and the one to waits.
    addresses: String,
    waits: String,
    /// What plans were made for whose buffers share bytes.
    sharing: Vec<Sharing>,
    /// Earlier measurements, by function with its plan.
    known: BTreeMap<String, Measured>,
    /// Programs that were compiled, in the same way.
    compiled: BTreeMap<String, Compiled>,
    /// Last stages of the loops of unknown length, by function and plan.
    last_stages: BTreeMap<(String, Scheduler, NumStages), Vec<i64>>,
}

impl<'c, 'd> Trials<'c, 'd> {
    pub(super) fn new(module: Op<'c>, device: &'d Device, options: &SelectPlanOptions) -> Self {
        Self {
            pipelines: Nested::within(module),
            module,
            device,
            planning: format!("builtin.module(func.func({}))", planning(options)),
            carrying_out: format!("builtin.module(func.func({}))", carrying_out_on_trial(options)),
            addresses: format!("builtin.module(func.func({}),{})", rings(options), addresses(options)),
            waits: format!("builtin.module(func.func({}))", waits_on_trial(options)),
            sharing: Vec::new(),
            known: BTreeMap::new(),
            compiled: BTreeMap::new(),
            last_stages: BTreeMap::new(),
        }
    }

    /// Compiles a copy of the function with each candidate and runs it in each scenario. `None` if there is no such
    /// program.
    ///
    /// # Errors
    ///
    /// A candidate that cannot be compiled or run.
    pub(super) fn measure<P: Copy + Into<Program>>(
        &mut self,
        function: Op<'c>,
        programs: &[P],
        scenarios: &[Scenario],
    ) -> Vec<Trial> {
        let programs: Vec<Program> = programs.iter().map(|program| (*program).into()).collect();
        match self.measure_together(function, &programs, scenarios) {
            Ok(trials) => trials,
            Err(reason) if programs.len() == 1 => vec![Err(reason)],
            // One that cannot be compiled says nothing of the others.
            Err(_) => {
                let each = programs.iter().flat_map(|program| {
                    let one = std::slice::from_ref(program);
                    self.measure(function, one, scenarios)
                });
                each.collect()
            }
        }
    }

    /// The same in other scenarios, apart from what is known.
    pub(super) fn measure_apart<P: Copy + Into<Program>>(
        &mut self,
        function: Op<'c>,
        programs: &[P],
        scenarios: &[Scenario],
    ) -> Vec<Trial> {
        let known = std::mem::take(&mut self.known);
        let trials = self.measure(function, programs, scenarios);
        self.known = known;
        trials
    }

    fn measure_together(
        &mut self,
        function: Op<'c>,
        programs: &[Program],
        scenarios: &[Scenario],
    ) -> Result<Vec<Trial>, String> {
        let name = name_of(function);
        let mut module = copy_of(self.module, name);
        let names = self.write_all(&module, name, programs)?;
        self.pipelines.run(&mut module, &self.planning)?;
        let mut planned: Vec<Option<String>> = Vec::with_capacity(names.len());
        for (program, name_of_copy) in programs.iter().zip(&names) {
            let Some(name_of_copy) = name_of_copy else {
                planned.push(None);
                continue;
            };
            let copy = find(&module, name_of_copy)?;
            if let Candidate::Planned(scheduler, stages) = program.candidate
                && *program == program.candidate.into()
            {
                let last = dispatch::last_stages(copy);
                self.last_stages.insert((name.to_owned(), scheduler, stages), last);
            }
            let text = text_as(copy, name);
            // What is the same as another one is not carried out again.
            let is_there = self.known.contains_key(&text) || self.compiled.contains_key(&text);
            if is_there || planned.iter().flatten().any(|other| *other == text) {
                edit::erase(copy);
            }
            planned.push(Some(text));
        }
        self.pipelines.run(&mut module, &self.carrying_out)?;
        // Of a function whose own buffers may not fit, the runs tell what there is to know.
        let on_chip = self
            .device
            .memories
            .iter()
            .filter(|memory| !self.device.is_off_chip(&memory.name));
        let has_room = |function: Op<'_>, memory: &Memory| peak(function, &memory.name, self.device) <= memory.bytes;
        let bounded: Vec<&Memory> = on_chip.filter(|memory| has_room(function, memory)).collect();
        let mut refused: BTreeMap<&String, String> = BTreeMap::new();
        for (text, name_of_copy) in planned.iter().zip(&names) {
            let Some((text, name_of_copy)) = text.as_ref().zip(name_of_copy.as_ref()) else {
                continue;
            };
            if let Ok(copy) = find(&module, name_of_copy) {
                let has_room = bounded.iter().all(|memory| has_room(copy, memory));
                match zpu_translate::translate(Op::of_module(&module), self.device, name_of_copy) {
                    Ok(program) => {
                        let compiled = Compiled {
                            name: name_of_copy.clone(),
                            program,
                            has_room,
                        };
                        self.compiled.insert(text.clone(), compiled);
                    }
                    Err(error) => {
                        refused.insert(text, error.to_string());
                    }
                }
            }
        }
        let is_new = |text: &&String| !self.known.contains_key(*text) && !refused.contains_key(text);
        let new: BTreeSet<&String> = planned.iter().flatten().filter(is_new).collect();
        let new: Vec<&String> = new.into_iter().collect();
        let (device, compiled) = (self.device, &self.compiled);
        let measured = in_parallel(self.module.num_threads(), &new, |text| {
            let compiled = compiled.get(*text)?;
            let mut measured = run(&compiled.program, device, &compiled.name, scenarios);
            measured.fits &= compiled.has_room;
            Some(measured)
        });
        let new: BTreeMap<&String, Option<Measured>> = new.into_iter().zip(measured).collect();
        let mut trials = Vec::with_capacity(programs.len());
        for text in &planned {
            let Some(text) = text else {
                trials.push(Ok(None));
                continue;
            };
            if let Some(known) = self.known.get(text) {
                trials.push(Ok(Some(Measured {
                    is_repeated: true,
                    ..known.clone()
                })));
                continue;
            }
            let measured = new.get(text).cloned().flatten();
            let reason = || refused.get(text).cloned();
            let measured = measured.ok_or_else(|| reason().unwrap_or_else(|| "it is not left".to_owned()));
            if let Ok(measured) = &measured {
                self.known.insert(text.clone(), measured.clone());
            }
            trials.push(measured.map(Some));
        }
        Ok(trials)
    }

    /// A module with a function alone, as it is now.
    pub(super) fn copy_of(&self, function: Op<'_>) -> Module<'c> {
        copy_of(self.module, name_of(function))
    }

    /// Forgets the plans of functions, one of which was rewritten.
    pub(super) fn forget_plans(&mut self) {
        self.last_stages.clear();
    }

    /// A plan whose buffers share bytes.
    pub(super) fn shared(&mut self, plain: Plain, sharing: impl Into<Sharing>) -> Candidate {
        self.sharing.push(sharing.into());
        Candidate::Shared(plain, self.sharing.len() - 1)
    }

    /// What a candidate was planned for; none if its buffers need not share bytes.
    pub(super) fn sharing_of(&self, candidate: Candidate) -> Option<&Sharing> {
        match candidate {
            Candidate::Shared(_, number) => self.sharing.get(number),
            _ => None,
        }
    }

    /// The versions of a function's allocations by the plan of a candidate, in their order.
    ///
    /// # Errors
    ///
    /// The reason why there is no such plan.
    pub(super) fn versions(&mut self, function: Op<'c>, candidate: Candidate) -> Result<Vec<i64>, String> {
        let name = name_of(function);
        let mut module = copy_of(self.module, name);
        self.write(find(&module, name)?, candidate.into());
        self.pipelines.run(&mut module, &self.planning)?;
        let planned = |op: Op<'_>| op.attr(annotation::VERSIONS).and_then(attr::as_int).unwrap_or(1);
        Ok(allocations(find(&module, name)?).map(planned).collect())
    }

    /// Compiles a copy of a function as a program, gives its buffers addresses, and runs it if they fit. Where the
    /// memories of the copy have room for everything, only sharing that costs nothing is done; else whatever makes the
    /// buffers fit.
    ///
    /// # Errors
    ///
    /// The reason why it was not compiled or run.
    pub(super) fn measure_placed(
        &mut self,
        function: Op<'c>,
        program: impl Into<Program>,
        has_room: bool,
        scenarios: &[Scenario],
    ) -> Result<Placed, String> {
        let name = name_of(function);
        let program = program.into();
        let mut module = copy_of(self.module, name);
        self.write(find(&module, name)?, program);
        self.pipelines.run(&mut module, &self.planning)?;
        let text = text_as(find(&module, name)?, name);
        if matches!(program.candidate, Candidate::Shared(..)) && self.known.contains_key(&text) {
            return Ok(Placed::Known);
        }
        let memories = Op::of_module(&module)
            .find_all(ops::Memory::NAME)
            .into_iter()
            .filter(|_| has_room);
        for memory in memories.filter_map(ops::Memory::of) {
            // More bytes would be larger banks.
            if !self.device.is_off_chip(memory.sym_name()) && memory.banks().is_none() {
                memory
                    .op
                    .set_attr(ops::Memory::BYTES, attr::int(memory.op.context(), ENOUGH));
            }
        }
        self.pipelines.run(&mut module, &self.addresses)?;
        let needs = needs(find(&module, name)?, self.device).ok_or("not every buffer has an address")?;
        let fits = |need: &Need| {
            self.device
                .memory(&need.space)
                .is_some_and(|memory| need.planned <= memory.bytes)
        };
        if !needs.iter().all(fits) {
            return Ok(Placed::Needs(needs));
        }
        self.pipelines.run(&mut module, &self.waits)?;
        let program = zpu_translate::translate(Op::of_module(&module), self.device, name);
        let program = program.map_err(|error| error.to_string())?;
        Ok(Placed::Fits(needs, run(&program, self.device, name, scenarios)))
    }

    /// Puts a copy of a function for each program into a module; their names, where there is such a program.
    fn write_all(&self, module: &Module<'c>, name: &str, programs: &[Program]) -> Result<Vec<Option<String>>, String> {
        let original = find(module, name)?;
        let taken: Vec<String> = functions(Op::of_module(module))
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let mut names = Vec::with_capacity(programs.len());
        for (number, program) in programs.iter().enumerate() {
            let free = (0..).map(|again| format!("{name}.{number}.{again}"));
            let name_of_copy = free.into_iter().find(|free| !taken.contains(free)).unwrap_or_default();
            let copy = Builder::before(original).clone_op(original);
            copy.set_attr("sym_name", attr::string(copy.context(), &name_of_copy));
            if self.write_as(copy, name, *program) {
                names.push(Some(name_of_copy));
            } else {
                edit::erase(copy);
                names.push(None);
            }
        }
        let is_called = |op: &Op<'_>| op.attr("callee").and_then(attr::as_symbol) == Some(name);
        if !Op::of_module(module).find_all("func.call").iter().any(is_called) {
            edit::erase(original);
        }
        Ok(names)
    }

    /// Writes a program on a function; false if it would be the same as another one.
    pub(super) fn write(&self, function: Op<'_>, program: Program) -> bool {
        self.write_as(function, name_of(function), program)
    }

    /// The same on a copy of the function of that name.
    fn write_as(&self, function: Op<'_>, name: &str, program: Program) -> bool {
        let Program {
            candidate,
            predicated,
            jam,
        } = program;
        if let Some(jam) = jam {
            jam.rewrite(function);
        }
        let sharing = self.sharing_of(candidate);
        // First, since allocations have the numbers that they have in the function as it is.
        joint::write(function, sharing.map_or(&[], |sharing| &sharing.rings));
        if let Some(predicated) = predicated
            && !dispatch::rewrite_predicated(function, predicated)
        {
            return false;
        }
        if let Candidate::Long(Long { long, from, .. }) = candidate
            && !dispatch::rewrite_long(function, long, from)
        {
            return false;
        }
        let several = match candidate {
            Candidate::Dispatched(scheduler, stages, fewer) => Some((scheduler, stages, fewer)),
            Candidate::Long(Long {
                short: (scheduler, stages, Some(fewer)),
                ..
            }) => Some((scheduler, NumStages::AtMost(stages), fewer)),
            _ => None,
        };
        if let Some((scheduler, stages, fewer)) = several {
            let last = |stages| self.last_stages.get(&(name.to_owned(), scheduler, stages));
            let plan = |stages| {
                let last = last(NumStages::AtMost(stages))?;
                Some(dispatch::Plan { stages, last })
            };
            let plans: Option<Vec<_>> = fewer.all().map(plan).collect();
            let (Some(long), Some(plans)) = (last(stages), plans) else {
                return false;
            };
            if !dispatch::rewrite(function, long, &plans) {
                return false;
            }
        }
        if let Candidate::Long(Long { short, .. }) = candidate {
            dispatch::plan_short(function, short.0, short.1);
        }
        candidate.write(function);
        if let Some(Sharing { sizes, .. }) = sharing {
            let context = function.context();
            let bytes = |bytes: u64| attr::int(context, i64::try_from(bytes).unwrap_or(i64::MAX));
            let entries = sizes.iter().map(|(space, size)| (space.as_str(), bytes(*size)));
            let entries: Vec<_> = entries.collect();
            function.set_attr(annotation::RING_BYTES, attr::dictionary(context, &entries));
        }
        true
    }
}

/// The results for all items, in their order, by at most so many threads.
fn in_parallel<T: Sync, R: Send>(threads: usize, items: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let threads = threads.min(items.len());
    let work = || {
        let numbers = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
        let mine = numbers.take_while(|number| *number < items.len());
        mine.map(|number| (number, of(&items[number]))).collect::<Vec<_>>()
    };
    let mut results: Vec<(usize, R)> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut results = work();
        for other in others {
            // A panic in a thread is one here.
            results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The bytes that a function's buffers need of each memory on the chip; none if one of them has no address.
fn needs(function: Op<'_>, device: &Device) -> Option<Vec<Need>> {
    let mut needs: Vec<Need> = Vec::new();
    for op in allocations(function) {
        let space = MemRef::of(op.result(0).ty())?.space()?;
        if device.is_off_chip(space) {
            continue;
        }
        let (_, bytes) = footprint(op.result(0), device)?;
        let address = u64::try_from(op.attr(annotation::ADDRESS).and_then(attr::as_int)?).ok()?;
        if needs.iter().all(|need| need.space != space) {
            needs.push(Need {
                space: space.to_owned(),
                planned: 0,
                rings: 0,
            });
        }
        for need in needs.iter_mut().filter(|need| need.space == space) {
            need.planned = need.planned.max(address.checked_add(bytes)?);
            need.rings = need.rings.checked_add(bytes)?;
        }
    }
    Some(needs)
}

/// A function in words, under another name.
fn text_as(function: Op<'_>, name: &str) -> String {
    let own = function.attr("sym_name");
    function.set_attr("sym_name", attr::string(function.context(), name));
    let text = function.verified_text();
    if let Some(own) = own {
        function.set_attr("sym_name", own);
    }
    text
}
