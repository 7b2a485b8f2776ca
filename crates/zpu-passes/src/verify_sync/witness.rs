//! Executes a function for chosen arguments and says what goes wrong: a race is *refuted* only when such an execution shows it.
//!
//! Nothing is simulated: the control stream is followed step by step, with the number of every integer, and an engine's
//! commands are in flight from their issue to a wait for one that is not earlier. Of two accesses that are not ordered, both
//! regions are numbers, and each says whether all of it is touched. Where something has no number, the execution ends; what
//! was seen up to there did happen.
//!
//! The same execution tells which waits are needed ([`needs`](super::needs)): where only one of those that were passed reaches as far
//! as a command that an access meets, the access is not ordered without that one.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use rustc_hash::FxHashMap;
use zpu_device::{NeverIssued, WhenFull};
use zpu_ir::{Def, Value};

use super::check::outlives;
use super::finding::{Findings, Hazard};
use super::needs::Reach;
use super::numbers::{Choice, Numbers};
use super::passed::Passed;
use super::place::{Place, is_outside};
use super::program::{BlockId, EngineId, ItemId, Kind, Loop, Program, While};
use super::protocol::{Habit, Turn, Use};
use super::scene::Iteration;
use super::state::{Flight, When};

/// Operations and steps of arithmetic that one execution takes at most.
const PATIENCE: u64 = 200_000;

/// A command in flight.
#[derive(Debug)]
struct Command<'c> {
    /// Its number on its engine, from 1.
    number: u64,
    item: ItemId,
    /// Iterations of the loops around it, outermost first.
    iterations: Vec<i64>,
    places: Vec<Place<'c>>,
}

/// A command by engine and number.
type Name = (EngineId, u64);

/// One execution.
struct Execution<'p, 'c> {
    program: &'p Program<'c>,
    numbers: Numbers<'c>,
    issued: Vec<u64>,
    /// Commands that are in flight, or would be without one of the waits.
    flights: Vec<Vec<Command<'c>>>,
    /// How far the waits that were passed reach on each engine.
    reach: Vec<Reach>,
    /// Waits without which something would go wrong.
    needed: BTreeSet<ItemId>,
    /// What tokens stand for; `None` for no command.
    tokens: FxHashMap<Value<'c>, Option<Name>>,
    ids: BTreeMap<i64, Name>,
    /// Commands that a full queue dropped, and what was in it.
    dropped: BTreeMap<Name, (ItemId, Vec<ItemId>)>,
    /// Iterations of the loops that are over, by item.
    trips: FxHashMap<ItemId, i64>,
    loops: Vec<ItemId>,
    findings: Findings<'c>,
    /// Only waits and ids are looked at, and no memory; then, what every way through branches and loops waits for.
    rehearsal: Option<&'p Passed<'c>>,
    /// By command: the first wait for it, and in which turn it was.
    waited: FxHashMap<Name, (ItemId, Turn)>,
    /// By value: the first wait for it since it was handed on to that value, and in which turn it was.
    waited_as: FxHashMap<Value<'c>, (ItemId, Turn)>,
    /// What became of ids.
    uses: BTreeMap<i64, Use>,
    habits: BTreeSet<Habit>,
    /// Numbers that were waited for when no command had been given them.
    not_given: BTreeSet<(i64, ItemId)>,
    /// Executions of blocks so far, and those that are running.
    turns: Turn,
    running: Vec<Turn>,
    steps: u64,
}

/// What went wrong for one choice of the arguments.
pub(super) struct Witness<'c> {
    /// What certainly happened.
    pub(super) findings: Findings<'c>,
    /// Waits without which something else would have happened that is not right.
    pub(super) needed: BTreeSet<ItemId>,
    /// What was hardly meant; only of a rehearsal.
    pub(super) habits: BTreeSet<Habit>,
    /// The arguments that were asked for, and their numbers.
    pub(super) chosen: Vec<(Choice<'c>, i64)>,
    /// How long it took.
    pub(super) steps: u64,
}

impl Witness<'_> {
    /// The arguments in words; empty if it is so for all.
    pub(super) fn call(&self) -> String {
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

/// Executes the function with the numbers of a menu for its arguments, in the order in which they are needed. Of arguments in
/// `read_only`, which nothing in the function writes, the elements are chosen too.
pub(super) fn execute<'c>(program: &Program<'c>, menu: Vec<i64>, read_only: &HashSet<Value<'c>>) -> Witness<'c> {
    let numbers = Numbers::of_call(menu, read_only.clone());
    Execution::of(program, numbers, None).run()
}

/// Steps that a rehearsal takes at most.
const SHORT: u64 = 20_000;

/// Executes only the waits of the function, and what they depend on; what is loaded from memory is chosen, too.
pub(super) fn rehearse<'c>(program: &Program<'c>, menu: Vec<i64>, passed: &Passed<'c>) -> Witness<'c> {
    Execution::of(program, Numbers::drawn(menu), Some(passed)).run()
}

impl<'p, 'c> Execution<'p, 'c> {
    fn of(program: &'p Program<'c>, numbers: Numbers<'c>, rehearsal: Option<&'p Passed<'c>>) -> Self {
        let engines = program.device.engines.len();
        Self {
            program,
            numbers,
            issued: vec![0; engines],
            flights: (0..engines).map(|_| Vec::new()).collect(),
            reach: vec![Reach::default(); engines],
            needed: BTreeSet::new(),
            tokens: FxHashMap::default(),
            ids: BTreeMap::new(),
            dropped: BTreeMap::new(),
            trips: FxHashMap::default(),
            loops: Vec::new(),
            findings: Findings::default(),
            rehearsal,
            waited: FxHashMap::default(),
            waited_as: FxHashMap::default(),
            uses: BTreeMap::new(),
            habits: BTreeSet::new(),
            not_given: BTreeSet::new(),
            turns: 0,
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
            habits: self.habits,
            steps: self.steps + self.numbers.work,
            chosen: self.numbers.chosen,
        }
    }
}

impl<'c> Execution<'_, 'c> {
    fn block(&mut self, block: BlockId) -> Result<(), End> {
        let program = self.program;
        self.turns += 1;
        self.running.push(self.turns);
        for item in &program.blocks[block] {
            self.steps += 1;
            let patience = if self.rehearsal.is_some() { SHORT } else { PATIENCE };
            if self.steps + self.numbers.work > patience {
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
            Kind::Access => {
                self.access(id, None)?;
            }
            Kind::Return => self.end(id),
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

    fn start(&mut self, id: ItemId, engine: EngineId, token: Value<'c>, barrier: Option<Value<'c>>) -> Result<(), End> {
        let places = self.access(id, Some(engine))?;
        let description = &self.program.device.engines[engine];
        self.issued[engine] += 1;
        let number = self.issued[engine];
        if description.blocking {
            self.complete(engine, number, None);
        } else {
            let is_full = self.in_flight(engine).count() as u64 >= description.queue_depth.max(1);
            if is_full && description.when_full != WhenFull::Stall {
                let queue: Vec<ItemId> = self.in_flight(engine).map(|command| command.item).collect();
                self.findings.queue_full(self.program, id, engine, queue.clone(), true);
                if description.when_full != WhenFull::Drop {
                    return Err(End);
                }
                self.dropped.insert((engine, number), (id, queue));
                self.waited_as.remove(&token);
                self.tokens.insert(token, Some((engine, number)));
                return match barrier {
                    Some(barrier) => self.take_id(id, (engine, number), barrier),
                    None => Ok(()),
                };
            }
            let iterations = self.iterations();
            self.flights[engine].push(Command {
                number,
                item: id,
                iterations,
                places,
            });
        }
        if let Some(barrier) = barrier {
            self.take_id(id, (engine, number), barrier)?;
        }
        self.waited_as.remove(&token);
        self.tokens.insert(token, Some((engine, number)));
        Ok(())
    }

    fn take_id(&mut self, id: ItemId, name: Name, barrier: Value<'c>) -> Result<(), End> {
        let number = self.number(barrier)?;
        let limit = self.program.device.sync.ids;
        if u64::try_from(number).ok().is_none_or(|number| number >= limit) {
            self.findings.id_range(self.program, id, Some(number));
            return Err(End);
        }
        let holder = self.ids.insert(number, name);
        let is_live = holder.is_some_and(|(engine, last)| engine == name.0 && last > self.reach[engine].reached());
        let used = self.uses.entry(number).or_insert_with(|| Use::by(id));
        used.take(id, is_live);
        if let Some((engine, number)) = holder.filter(|(engine, _)| *engine != name.0)
            && let Some(command) = self.flights[engine].iter().find(|command| command.number == number)
        {
            match self.reach[engine].only(number) {
                Some(wait) => {
                    self.needed.insert(wait);
                }
                None => {
                    let flight = self.flight(command, id);
                    self.findings.id_in_use(flight, id, self.program, true);
                }
            }
        }
        Ok(())
    }

    /// A command is complete, and all that are before it on its engine.
    fn wait(&mut self, id: ItemId, name: Option<Name>) -> Result<(), End> {
        let Some(name) = name else { return Ok(()) };
        if let Some((item, queue)) = self.dropped.get(&name) {
            self.findings.dropped(self.program, id, *item, queue.clone());
            return Err(End);
        }
        if let Some(first) = self.waited_before(id, name) {
            self.habits.insert(Habit::WaitedTwice { first, again: id });
        }
        let turn = self.turn();
        self.waited.entry(name).or_insert((id, turn));
        if let Kind::Wait(token) = self.program.items[id].kind {
            self.waited_as.entry(token).or_insert((id, turn));
        }
        self.complete(name.0, name.1, Some(id));
        Ok(())
    }

    fn turn(&self) -> Turn {
        self.running.last().copied().unwrap_or(0)
    }

    /// Behind a branch or a loop, what every way through it waits for was waited for in the block around it.
    fn pass(&mut self, id: ItemId) {
        let Some(passed) = self.rehearsal.and_then(|passed| passed.get(&id)) else {
            return;
        };
        let now = self.turn();
        for value in passed {
            let name = self.tokens.get(value).copied().flatten();
            let number = if name.is_none() { self.numbers.of(*value) } else { None };
            let used = number.and_then(|number| self.uses.get_mut(&number));
            let firsts = [
                name.and_then(|name| self.waited.get_mut(&name)),
                self.waited_as.get_mut(value),
                used.and_then(|used| used.first.as_mut()),
            ];
            for (_, turn) in firsts.into_iter().flatten() {
                if !self.running.contains(turn) {
                    *turn = now;
                }
            }
        }
    }

    /// The wait that has waited for a command on all ways here, if this one names the command by the value that it was given, or gave,
    /// or by a constant, or by the same value: what loops carry and branches yield may be another command next time. An id that
    /// several operations give is waited for as often as it was given.
    fn waited_before(&self, wait: ItemId, name: Name) -> Option<ItemId> {
        let program = self.program;
        let is_passed = |(first, turn): &(ItemId, Turn)| *first == wait || self.running.contains(turn);
        let first = match program.items[wait].kind {
            Kind::Wait(token) => {
                let start = token.defining_op();
                let is_start = start.is_some_and(|op| op.is("zpu.dma_start") || op.is("zpu.compute_start"));
                let same_value = self.waited_as.get(&token).copied().filter(is_passed);
                same_value.or_else(|| self.waited.get(&name).copied().filter(|_| is_start))
            }
            Kind::WaitId(value) => {
                let (number, _) = self.ids.iter().find(|(_, holder)| **holder == name)?;
                let used = self.uses.get(number)?;
                let is_by_name =
                    value.as_constant_int().is_some() || program.items[used.taker].kind.id() == Some(value);
                used.first.filter(|_| is_by_name && !used.is_shared && used.open == 0)
            }
            _ => None,
        };
        first.filter(is_passed).map(|(first, _)| first)
    }

    /// The commands of an engine up to one are complete, as a wait has it, or for other reasons.
    fn complete(&mut self, engine: EngineId, number: u64, wait: Option<ItemId>) {
        self.reach[engine].extend(number, wait);
        let without_one = self.reach[engine].without_one();
        self.flights[engine].retain(|command| command.number > without_one);
    }

    /// The commands of an engine that no wait has reached.
    fn in_flight(&self, engine: EngineId) -> impl Iterator<Item = &Command<'c>> {
        let reached = self.reach[engine].reached();
        self.flights[engine]
            .iter()
            .filter(move |command| command.number > reached)
    }

    fn wait_id(&mut self, id: ItemId, value: Value<'c>) -> Result<(), End> {
        let number = self.number(value)?;
        let limit = self.program.device.sync.ids;
        if u64::try_from(number).ok().is_none_or(|number| number >= limit) {
            self.findings.id_range(self.program, id, Some(number));
            return Err(End);
        }
        match self.ids.get(&number).copied() {
            Some(name) => {
                self.wait(id, Some(name))?;
                let turn = self.turn();
                if let Some(used) = self.uses.get_mut(&number) {
                    used.wait(id, turn);
                }
            }
            None if self.program.device.sync.wait_on_never_issued == NeverIssued::Return => {
                self.not_given.insert((number, id));
            }
            None => {
                self.findings.never_issued(id, true, self.program);
                return Err(End);
            }
        }
        Ok(())
    }

    /// How a command is named from here.
    fn flight(&self, command: &Command<'c>, later: ItemId) -> Flight {
        let program = self.program;
        let around = program.items[command.item].around.iter().copied();
        // Inside an earlier iteration of an outer loop, an inner loop is over, though it may be running again.
        let mut is_past = false;
        let named = around.zip(&command.iterations).map(|(loop_, then)| {
            let is_shared = program.items[later].around.contains(&loop_) && !is_past;
            let at = self.loops.iter().position(|running| *running == loop_);
            let when = match at.filter(|_| is_shared).and_then(|at| self.numbers.iterations.get(at)) {
                Some((_, now)) => When::Ago(u32::try_from(now - then).unwrap_or(u32::MAX)),
                None => self.trips.get(&loop_).map_or(When::Over, |trips| {
                    u32::try_from(trips - then).map_or(When::Over, When::Last)
                }),
            };
            is_past |= when != When::Ago(0);
            (loop_, when)
        });
        Flight {
            item: command.item,
            when: named.collect(),
        }
    }

    /// Compares what an item touches now with what is in flight on other engines.
    fn access(&mut self, id: ItemId, engine: Option<EngineId>) -> Result<Vec<Place<'c>>, End> {
        let program = self.program;
        let Some(accesses) = &program.items[id].accesses else {
            // It may wait, or issue.
            return if self.rehearsal.is_some() {
                Ok(Vec::new())
            } else {
                Err(End)
            };
        };
        // Outside of its memory, an access means nothing.
        if self.rehearsal.is_some() {
            let mut leaves = accesses.iter().map(|access| is_outside(access, &mut self.numbers));
            return if leaves.any(|leaves| leaves) {
                Err(End)
            } else {
                Ok(Vec::new())
            };
        }
        let mut places = Vec::with_capacity(accesses.len());
        for access in accesses {
            places.push(Place::of(access, &mut self.numbers));
            if places.last().is_some_and(|place| place.is_outside) {
                return Err(End);
            }
        }
        let others = (0..self.flights.len()).filter(|other| Some(*other) != engine);
        let (mut found, mut needed) = (Vec::new(), Vec::new());
        for (other, command) in others.flat_map(|other| self.flights[other].iter().map(move |command| (other, command)))
        {
            let only = self.reach[other].only(command.number);
            if only.is_some_and(|wait| self.needed.contains(&wait)) {
                continue;
            }
            for earlier in &command.places {
                for later in &places {
                    self.steps += 1;
                    if earlier.meets(later) && only.is_some() {
                        needed.extend(only);
                    } else if earlier.meets(later) {
                        found.push(Hazard {
                            flight: self.flight(command, id),
                            later: id,
                            earlier_writes: earlier.write,
                            later_writes: later.write,
                            root: later.root,
                            scene: self.scene(),
                            overlaps: true,
                            conditional: false,
                        });
                    }
                }
            }
        }
        self.needed.extend(needed);
        for hazard in found {
            self.findings.race(program, hazard);
        }
        Ok(places)
    }

    fn scene(&self) -> Vec<(ItemId, Iteration)> {
        let iterations = self.iterations().into_iter().map(Iteration::At);
        self.loops.iter().copied().zip(iterations).collect()
    }

    fn end(&mut self, id: ItemId) {
        let program = self.program;
        // A number that nobody is ever given stands for no command, as `zpu.null_token` does.
        let is_given = |number: i64| self.ids.contains_key(&number) || program.tracked.is_taken(number);
        let not_given = self.not_given.iter().filter(|(number, _)| is_given(*number));
        self.habits
            .extend(not_given.map(|(_, wait)| Habit::NeverGiven { wait: *wait }));
        for (number, used) in &self.uses {
            let is_live = |(engine, last): &Name| *last > self.reach[*engine].reached();
            let holder = used.taker;
            if self.ids.get(number).is_some_and(is_live) {
                self.habits.insert(Habit::LeftLive { holder });
            }
            let again = used.again.iter();
            self.habits.extend(again.map(|(holder, taker)| Habit::Retaken {
                holder: *holder,
                taker: *taker,
            }));
        }
        let mut found = Vec::new();
        let all = self.flights.iter().zip(&self.reach);
        for (command, reach) in all.flat_map(|(flights, reach)| flights.iter().map(move |command| (command, reach))) {
            // A function returns with nothing in flight, also where nobody else can see the memory.
            if let Some(wait) = reach.only(command.number) {
                self.needed.insert(wait);
                continue;
            }
            for place in command.places.iter().filter(|place| place.is_touched()) {
                if outlives(program, id, place.root) == Some(true) {
                    found.push(Hazard {
                        flight: self.flight(command, id),
                        later: id,
                        earlier_writes: place.write,
                        later_writes: !place.write,
                        root: place.root,
                        scene: Vec::new(),
                        overlaps: true,
                        conditional: false,
                    });
                }
            }
        }
        for hazard in found {
            self.findings.race(program, hazard);
        }
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
        let region = op
            .regions()
            .into_iter()
            .nth(side)
            .and_then(|region| region.first_block());
        let yields = region.and_then(|block| block.terminator()).map(zpu_ir::Op::operands);
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
