//! Executes a function for chosen arguments and says what goes wrong: a race is *refuted* only when such an execution
//! shows it.
//!
//! Nothing is simulated: the control stream is followed step by step, with the number of every integer, and an engine's
//! commands are outstanding from their issue to a wait for one that is not earlier. Of two accesses that are not
//! ordered, both regions are numbers, and each says whether all of it is touched. Where something has no number, the
//! execution ends; what was seen up to there did happen.
//!
//! Here is the control stream; `in_flight` has what its commands and waits bring about.
//!
//! An execution also tells which waits are needed (`needs`): where only one of those that were passed reaches as far as
//! a command that an access meets, the access is not ordered without that one.

pub(crate) mod concrete_region;
pub(crate) mod frontier;
pub(crate) mod in_flight;
pub(crate) mod inputs;
pub(crate) mod lint;
pub(crate) mod must_waits;
pub(crate) mod needs;
pub(crate) mod numbers;
pub(crate) mod refute;
pub(crate) mod uses;

pub use needs::{Waits, needed_waits};

use crate::finding::Findings;
use crate::id::IdVec;
use crate::problem::EngineId;
use crate::program::{BlockId, ItemId, Kind, Loop, Program, While};
use crate::witness::frontier::Frontier;
use crate::witness::in_flight::Command;
use crate::witness::must_waits::MustWaits;
use crate::witness::numbers::{Choice, Numbers};
use crate::witness::uses::{BlockRun, Lint, Use};
use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::problem::view::{Block, Def, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operations and steps of arithmetic that one execution takes at most: arguments are small, and what they show is
/// shown in the first iterations.
const BUDGET: u64 = 200_000;

/// A command by engine and number.
type Name = (EngineId, u64);

/// One execution.
struct Execution<'p, 'c> {
    program: &'p Program<'c>,
    numbers: Numbers<'c>,
    issued: IdVec<EngineId, u64>,
    /// Commands that are outstanding, or would be without one of the waits.
    outstanding: IdVec<EngineId, Vec<Command<'c>>>,
    /// The reach of the waits that were passed, by engine.
    frontier: IdVec<EngineId, Frontier>,
    /// Waits without which something would go wrong.
    needed: BTreeSet<ItemId>,
    /// Commands that tokens stand for; `None` for no command.
    tokens: FxHashMap<Value<'c>, Option<Name>>,
    ids: BTreeMap<i64, Name>,
    /// Memory that was freed: its root, and the iterations in which that was made.
    freed: FxHashSet<(Value<'c>, Vec<i64>)>,
    /// Commands that a full queue dropped, and what was in it.
    dropped: BTreeMap<Name, (ItemId, Vec<ItemId>)>,
    /// Iterations of the loops that are over, by item.
    trips: FxHashMap<ItemId, i64>,
    loops: Vec<ItemId>,
    findings: Findings<'c>,
    /// Only waits and ids are looked at, and no memory; then, what every way through branches and loops waits for.
    waits_only: Option<&'p MustWaits<'c>>,
    /// By command: the first wait for it, and in which run it was.
    waited: FxHashMap<Name, (ItemId, BlockRun)>,
    /// By value: the first wait for it since it was handed on to that value, and in which run it was.
    waited_as: FxHashMap<Value<'c>, (ItemId, BlockRun)>,
    /// Uses of ids.
    uses: BTreeMap<i64, Use>,
    lints: BTreeSet<Lint>,
    /// Numbers that were waited for when no command had been given them.
    not_given: BTreeSet<(i64, ItemId)>,
    /// The latest execution of a block, and those that are running.
    last_run: BlockRun,
    running: Vec<BlockRun>,
    steps: u64,
}

/// Outcome of one choice of the arguments.
pub(crate) struct Witness<'c> {
    /// Faults that certainly happened.
    pub(crate) findings: Findings<'c>,
    /// Waits without which something else would have happened that is not right.
    pub(crate) needed: BTreeSet<ItemId>,
    /// Lints; only of an execution of waits only.
    pub(crate) lints: BTreeSet<Lint>,
    /// The arguments that were asked for, and their numbers.
    pub(crate) chosen: Vec<(Choice<'c>, i64)>,
    /// Steps that it took.
    pub(crate) steps: u64,
}

impl Witness<'_> {
    /// The arguments in words; empty if it is so for all.
    pub(crate) fn call(&self) -> String {
        let each = self.chosen.iter().map(|(choice, number)| match choice {
            Choice::Argument(value) => format!("argument {} is {number}", position(*value)),
            Choice::Size(value, dim) => format!("dimension {dim} of argument {} is {number}", position(*value)),
            Choice::Elements(value) if value.defining_op().is_none() => {
                format!("the elements of argument {} are of kind {number}", position(*value))
            }
            Choice::Elements(_) => format!("what is loaded from other memory is of kind {number}"),
        });
        each.collect::<Vec<_>>().join(" and ")
    }
}

fn position(value: Value<'_>) -> usize {
    match value.def() {
        Def::Argument(_, position) | Def::Result(_, position) => position,
    }
}

/// The execution has come to something that has no number, does not go on, or is too long.
struct End;

/// Executes the function with the numbers of a menu for its arguments, in the order in which they are needed. Of
/// arguments in `read_only`, which nothing in the function writes, the elements are chosen too.
pub(crate) fn execute<'c>(program: &Program<'c>, menu: Vec<i64>, read_only: &HashSet<Value<'c>>) -> Witness<'c> {
    let numbers = Numbers::of_call(menu, read_only.clone());
    Execution::of(program, numbers, None).run()
}

/// Steps that an execution of waits only takes at most: it looks at no memory, and there are two dozen of them.
const SHORT_BUDGET: u64 = 20_000;

/// Executes only the waits of the function, and what they depend on; what is loaded from memory is chosen, too.
pub(crate) fn execute_waits_only<'c>(program: &Program<'c>, menu: Vec<i64>, passed: &MustWaits<'c>) -> Witness<'c> {
    Execution::of(program, Numbers::drawn(menu), Some(passed)).run()
}

impl<'p, 'c> Execution<'p, 'c> {
    fn of(program: &'p Program<'c>, numbers: Numbers<'c>, waits_only: Option<&'p MustWaits<'c>>) -> Self {
        Self {
            program,
            numbers,
            issued: program.problem.engine_ids().map(|_| 0).collect(),
            outstanding: program.problem.engine_ids().map(|_| Vec::new()).collect(),
            frontier: program.problem.engine_ids().map(|_| Frontier::default()).collect(),
            needed: BTreeSet::new(),
            tokens: FxHashMap::default(),
            ids: BTreeMap::new(),
            freed: FxHashSet::default(),
            dropped: BTreeMap::new(),
            trips: FxHashMap::default(),
            loops: Vec::new(),
            findings: Findings::default(),
            waits_only,
            waited: FxHashMap::default(),
            waited_as: FxHashMap::default(),
            uses: BTreeMap::new(),
            lints: BTreeSet::new(),
            not_given: BTreeSet::new(),
            last_run: BlockRun::default(),
            running: Vec::new(),
            steps: 0,
        }
    }

    fn run(mut self) -> Witness<'c> {
        if let Some(entry) = self.program.entry {
            // Where it ends early, what was found is still there.
            let _: Result<(), End> = self.block(entry);
        }
        Witness {
            findings: self.findings,
            needed: self.needed,
            lints: self.lints,
            steps: self.steps + self.numbers.work,
            chosen: self.numbers.chosen,
        }
    }
}

impl<'c> Execution<'_, 'c> {
    fn block(&mut self, block: BlockId) -> Result<(), End> {
        let program = self.program;
        self.last_run = self.last_run.next();
        self.running.push(self.last_run);
        for item in &program.blocks[block].items {
            self.steps += 1;
            let budget = if self.waits_only.is_some() {
                SHORT_BUDGET
            } else {
                BUDGET
            };
            if self.steps + self.numbers.work > budget {
                return Err(End);
            }
            self.item(*item)?;
        }
        self.running.pop();
        Ok(())
    }

    fn item(&mut self, id: ItemId) -> Result<(), End> {
        let program = self.program;
        match &program.items[id].kind {
            Kind::Start(engine, token, barrier) => self.start(id, *engine, *token, *barrier)?,
            Kind::Synchronous(engine) => {
                self.access(id, Some(*engine))?;
                self.complete(*engine, self.issued[*engine], None);
            }
            Kind::Wait(token) => {
                let name = self.tokens.get(token).copied().ok_or(End)?;
                self.wait(id, name)?;
            }
            Kind::WaitId(number) => self.wait_id(id, *number)?,
            Kind::Fence(engines) => {
                for engine in engines {
                    self.complete(*engine, self.issued[*engine], Some(id));
                }
                let ids = self.ids.iter().filter(|(_, (engine, _))| engines.contains(engine));
                for (number, _) in ids {
                    self.uses
                        .get_mut(number)
                        .into_iter()
                        .for_each(|used| used.again.clear());
                }
            }
            Kind::Null(token) => {
                self.waited_as.remove(token);
                self.tokens.insert(*token, None);
            }
            Kind::Choice(result, values) => {
                if let Some(op) = result.defining_op() {
                    let side = usize::from(self.number(op.operand(0))? == 0);
                    self.hand(&[(*result, values[side])]);
                }
            }
            Kind::Access | Kind::ScopeEnd => {
                self.access(id, None)?;
            }
            Kind::Block(block, _) => {
                self.block(*block)?;
                let yields = program.items[id].op.only_block().map(Block::yields);
                let results = program.items[id].op.results().into_iter();
                let pairs: Vec<(Value<'c>, Value<'c>)> = results.zip(yields.unwrap_or_default()).collect();
                self.hand(&pairs);
                self.pass(id);
            }
            Kind::Return => self.end(id),
            Kind::End => {}
            Kind::For(loop_) => {
                self.counted(id, loop_)?;
                self.pass(id);
            }
            Kind::If(condition, blocks, _) => {
                self.branch(id, *condition, blocks)?;
                self.pass(id);
            }
            Kind::While(loop_) => {
                self.repeated(id, loop_)?;
                self.pass(id);
            }
            Kind::Other(..) => return Err(End),
        }
        Ok(())
    }

    fn number(&mut self, value: Value<'c>) -> Result<i64, End> {
        self.numbers.of(value).ok_or(End)
    }

    fn iterations(&self) -> Vec<i64> {
        self.numbers
            .iterations
            .iter()
            .map(|(_, iteration)| *iteration)
            .collect()
    }

    /// Hands values on, all at once: tokens and numbers.
    fn hand(&mut self, pairs: &[(Value<'c>, Value<'c>)]) {
        let tokens: Vec<Option<Option<Name>>> = pairs.iter().map(|(_, from)| self.tokens.get(from).copied()).collect();
        let numbers: Vec<Option<i64>> = pairs.iter().map(|(_, from)| self.numbers.of(*from)).collect();
        for (((to, _), token), number) in pairs.iter().zip(tokens).zip(numbers) {
            self.waited_as.remove(to);
            match token {
                Some(token) => self.tokens.insert(*to, token),
                None => self.tokens.remove(to),
            };
            self.numbers.set(*to, number);
        }
    }

    fn branch(&mut self, id: ItemId, condition: Value<'c>, blocks: &[BlockId]) -> Result<(), End> {
        let taken = self.number(condition)? != 0;
        let side = usize::from(!taken);
        if let Some(block) = blocks.get(side) {
            self.block(*block)?;
        }
        let op = self.program.items[id].op;
        let yields = op.blocks().get(side).map(|block| block.yields());
        let pairs: Vec<(Value<'c>, Value<'c>)> = op.results().into_iter().zip(yields.unwrap_or_default()).collect();
        self.hand(&pairs);
        Ok(())
    }

    fn counted(&mut self, id: ItemId, loop_: &Loop<'c>) -> Result<(), End> {
        let for_ = loop_.for_;
        let (lower, upper) = (self.number(for_.lower())?, self.number(for_.upper())?);
        let step = self.number(for_.step())?;
        if step <= 0 || for_.is_unsigned() && (lower < 0 || upper < 0) {
            return Err(End);
        }
        let pairs =
            |from: Vec<Value<'c>>| -> Vec<(Value<'c>, Value<'c>)> { for_.iter_args().into_iter().zip(from).collect() };
        self.hand(&pairs(for_.inits()));
        let mut at = lower;
        let mut iteration = 0;
        self.loops.push(id);
        self.numbers.iterations.push((for_.op, 0));
        while at < upper {
            self.steps += 1;
            if let Some(last) = self.numbers.iterations.last_mut() {
                last.1 = iteration;
            }
            self.numbers.set(for_.iv(), Some(at));
            self.block(loop_.body)?;
            self.hand(&pairs(for_.yields()));
            iteration += 1;
            at = at.checked_add(step).ok_or(End)?;
        }
        self.numbers.iterations.pop();
        self.loops.pop();
        self.trips.insert(id, iteration);
        let results: Vec<(Value<'c>, Value<'c>)> = for_.op.results().into_iter().zip(for_.iter_args()).collect();
        self.hand(&results);
        Ok(())
    }

    fn repeated(&mut self, id: ItemId, loop_: &While<'c>) -> Result<(), End> {
        let op = self.program.items[id].op;
        self.hand(&loop_.firsts());
        self.loops.push(id);
        self.numbers.iterations.push((op, 0));
        loop {
            self.steps += 1;
            self.block(loop_.before)?;
            if self.number(loop_.condition)? == 0 {
                break;
            }
            self.hand(&loop_.entered());
            self.block(loop_.after)?;
            self.hand(&loop_.nexts());
            if let Some(last) = self.numbers.iterations.last_mut() {
                last.1 += 1;
            }
        }
        let iterations = self.numbers.iterations.pop();
        self.loops.pop();
        self.trips.insert(id, iterations.map_or(0, |(_, last)| last + 1));
        self.hand(&loop_.results());
        Ok(())
    }
}
