//! Walks a program with what the control stream knows.
//!
//! A state says that an instance may be outstanding, and that a token leaves it, if that is so on any way through the
//! program. States are finite, since an instance that is older than any token of its loop is only known to be old; and
//! the walk gives up when it has looked at more than a stated number of things.

use crate::certificate::{Decision, Walk};
use crate::finding::Findings;
use crate::id::{Id as _, IdVec, id};
use crate::problem::EngineId;
use crate::program::atom::{Atom, atom_of};
use crate::program::epoch::Iteration;
use crate::program::infeasible::PathFacts;
use crate::program::path_context::{Checkpoint, PathContext, Predicate};
use crate::program::sights::Sight;
use crate::program::{BlockId, ItemId, Kind, Loop, Program, RootId};
use crate::verify::left_out::LeftOut;
use crate::verify::state::{InstanceId, Instances, Set, State, Token};
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::problem::view::Value;
use rustc_hash::FxHashMap;

use crate::index::range;

/// Precision of a walk, and its budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Precision {
    /// Iterations of one loop that are told apart at most.
    pub(crate) horizon: u32,
    /// Iterations that are told apart besides those that tokens are carried over, as far as the horizon goes.
    pub(crate) more: u32,
    /// Iterations of a loop that are looked at one by one, besides those that are told apart.
    pub(crate) single: i64,
    /// Iterations of a loop with a constant number of them that are looked at one by one if nothing else helps.
    pub(crate) all: i64,
    /// Iterations that are looked at one by one of a loop of which it is only known that it has no more.
    pub(crate) few: i64,
    /// Questions that decide more than one way, for each answer of which the rest of a block is walked; so many at a
    /// time.
    pub(crate) splits: u32,
    /// The last iteration of a loop is looked at apart from those before it.
    pub(crate) ends: bool,
    /// All iterations of a loop with loops inside are looked at together.
    pub(crate) joined: bool,
    /// Operations, pairs of accesses and, by eights, words of states that are looked at before the walk gives up.
    pub(crate) budget: u64,
}

impl Precision {
    /// For most programs.
    pub(crate) const DEFAULT: Self = Self {
        horizon: u32::MAX,
        more: 0,
        single: 6,
        all: 128,
        few: 16,
        splits: 0,
        ends: false,
        joined: false,
        budget: 16_000_000,
    };
    /// For nests of loops at first: it takes no longer the deeper they are, where one iteration after the other doubles
    /// with each level.
    pub(crate) const JOINED: Self = Self {
        joined: true,
        ..Self::DEFAULT
    };
    /// For what is open after the first walk: conditions and trip counts may belong together.
    pub(crate) const PATH_SENSITIVE: Self = Self {
        splits: 4,
        ..Self::DEFAULT
    };
    /// For what is open after that: what the last iteration does may depend on that it is the last.
    pub(crate) const LAST_ITERATION: Self = Self {
        ends: true,
        ..Self::PATH_SENSITIVE
    };
    /// For the last doubts: a wait may be one for what was issued before its command, and so a few iterations further
    /// back.
    pub(crate) const FURTHER: Self = Self {
        more: 2,
        ..Self::LAST_ITERATION
    };
    /// For deep nests, of which the first walk finds no end; where loops carry dozens of barrier ids, this one takes
    /// its time.
    pub(crate) const COARSE: Self = Self {
        horizon: 4,
        more: 0,
        single: 1,
        all: 0,
        few: 0,
        splits: 0,
        ends: false,
        joined: false,
        budget: 32_000_000,
    };
}

id! {
    /// Number of the iterations that a walk is in, in the order in which it comes to them.
    pub(crate) struct ContextId(u32);
}

/// A walk through a program.
pub(crate) struct Interpreter<'p, 'c> {
    pub(crate) program: &'p Program<'c>,
    pub(crate) precision: Precision,
    pub(crate) context: PathContext<'c>,
    pub(crate) instances: Instances,
    /// By engine: its instances.
    of_engine: IdVec<EngineId, Set<InstanceId>>,
    known_instances: usize,
    pub(crate) findings: Findings<'c>,
    pub(crate) views: FxHashMap<(InstanceId, ContextId), Sight<'c>>,
    /// By root: instances that touch its memory, and those that write it.
    pub(crate) touching: IdVec<RootId, [Set<InstanceId>; 2]>,
    /// Instances that may touch anything.
    pub(crate) unknown: Set<InstanceId>,
    /// The number of instances in the two.
    pub(crate) known_touching: usize,
    /// By item: what the branches around it say.
    pub(crate) claims: FxHashMap<ItemId, Rc<PathFacts<'c>>>,
    /// By what a condition is about and what that was: commands for which a branch of the blocks around has waited
    /// there, or never issued.
    pub(crate) done: Vec<(Atom<'c>, bool, Set<InstanceId>)>,
    contexts: FxHashMap<Vec<(ItemId, Iteration)>, ContextId>,
    pub(crate) present: ContextId,
    /// Pairs of accesses that were compared.
    pub(crate) steps: u64,
    /// All that was looked at.
    work: u64,
    /// Questions that are taken as answered.
    splits: u32,
    /// Branches of which both ways were taken, or taken as given.
    pub(crate) undecided: u64,
    /// Engines on which a command with a barrier id may be outstanding when the function returns.
    pub(crate) live: BTreeSet<EngineId>,
    /// By loop whose iterations are looked at together: what was known at the beginning of each.
    pub(crate) invariants: FxHashMap<ItemId, State<'c>>,
    /// It ends with the first finding that stays.
    stops: bool,
    /// Loops around of which the findings may be taken back.
    pub(crate) tentative: u32,
    /// Waits that are passed by.
    pub(crate) left_out: LeftOut,
    /// Decisions of the walk, if they are asked for; see [`record`](super::record).
    pub(crate) record: Option<Walk>,
}

impl<'p, 'c> Interpreter<'p, 'c> {
    /// Walks the whole function.
    pub(crate) fn through(program: &'p Program<'c>, precision: Precision) -> Self {
        Self::run(program, precision, false, LeftOut::default(), None)
    }

    /// Walks the whole function, with a record of the decisions.
    pub(crate) fn recorded_through(program: &'p Program<'c>, precision: Precision) -> Self {
        Self::run(program, precision, false, LeftOut::default(), Some(Walk::new()))
    }

    /// Walks up to the first finding, where only its existence matters.
    pub(crate) fn to_first_finding(program: &'p Program<'c>, precision: Precision) -> Self {
        Self::run(program, precision, true, LeftOut::default(), None)
    }

    /// The same of the program without some of its waits.
    pub(crate) fn without(program: &'p Program<'c>, precision: Precision, waits: &[ItemId]) -> Self {
        Self::run(program, precision, false, LeftOut::of(waits), None)
    }

    fn run(
        program: &'p Program<'c>,
        precision: Precision,
        stops: bool,
        left_out: LeftOut,
        record: Option<Walk>,
    ) -> Self {
        let mut interpreter = Self {
            program,
            precision,
            context: PathContext::default(),
            instances: Instances::default(),
            of_engine: program.problem.engine_ids().map(|_| Set::default()).collect(),
            known_instances: 0,
            findings: Findings::default(),
            views: FxHashMap::default(),
            touching: IdVec::like(&program.roots, Default::default()),
            unknown: Set::default(),
            known_touching: 0,
            claims: FxHashMap::default(),
            done: Vec::new(),
            contexts: FxHashMap::default(),
            present: ContextId::new(0),
            steps: 0,
            work: 0,
            splits: 0,
            undecided: 0,
            live: BTreeSet::new(),
            invariants: FxHashMap::default(),
            stops,
            tentative: 0,
            left_out,
            record,
        };
        interpreter.look_around();
        if let Some(entry) = program.entry {
            interpreter.block(entry, State::default(), &[]);
        }
        interpreter
    }

    /// True if it has given up: then it says nothing of what it has not come to.
    pub(crate) fn has_given_up(&self) -> bool {
        self.work > self.precision.budget
    }

    /// True if there is nothing more to find out.
    pub(crate) fn is_over(&self) -> bool {
        self.has_given_up() || self.stops && self.tentative == 0 && !self.findings.list.is_empty()
    }

    /// Iterations of a loop that are told apart.
    pub(crate) fn horizon(&self, loop_: &Loop<'c>) -> u32 {
        loop_
            .horizon
            .saturating_add(self.precision.more)
            .min(self.precision.horizon)
    }

    /// All that was looked at.
    pub(crate) fn work(&self) -> u64 {
        self.work
    }

    /// Counts what is looked at.
    pub(crate) fn spend(&mut self, work: u64) {
        self.work = self.work.saturating_add(work);
    }

    /// The context has changed.
    fn look_around(&mut self) {
        let next = ContextId::new(self.contexts.len());
        self.present = *self.contexts.entry(self.context.iterations()).or_insert(next);
    }

    pub(crate) fn enter(&mut self, item: ItemId, iteration: Iteration, is_last: Option<bool>) -> Checkpoint {
        let checkpoint = self
            .context
            .enter(item, self.program.items[item].op, iteration, is_last);
        self.look_around();
        checkpoint
    }

    pub(crate) fn leave(&mut self, checkpoint: Checkpoint) {
        self.context.leave(checkpoint);
        self.look_around();
    }

    /// A block, which hands some values on at its end: of each pair, the second as the first.
    pub(crate) fn block(&mut self, block: BlockId, state: State<'c>, yields: &[(Value<'c>, Value<'c>)]) -> State<'c> {
        self.rest(block, 0, state, yields)
    }

    /// Hands values on, all at once.
    pub(crate) fn hand(&self, pairs: &[(Value<'c>, Value<'c>)], state: &mut State<'c>) {
        let named = pairs.iter().map(|(to, from)| (*to, self.token(*from, state)));
        let named: Vec<(Value<'c>, Token)> = named.collect();
        named.into_iter().for_each(|(value, token)| state.name(value, token));
    }

    /// A block from some item on. Where something decides more than one way, the rest is walked for each answer.
    fn rest(
        &mut self,
        block: BlockId,
        from: usize,
        mut state: State<'c>,
        yields: &[(Value<'c>, Value<'c>)],
    ) -> State<'c> {
        let program = self.program;
        let known = self.done.len();
        for (at, item) in program.blocks[block].items.iter().enumerate().skip(from) {
            self.spend(1);
            if self.is_over() {
                break;
            }
            let predicate = self
                .predicate(*item)
                .filter(|predicate| self.context.answer(predicate).is_none());
            if let Some(predicate) = predicate {
                self.splits += 1;
                // Where the iteration is known, it may decide.
                self.undecided += u64::from(matches!(predicate, Predicate::Condition(_)));
                let checkpoint = self.context.checkpoint();
                let [(mut end, holds), (other, fails)] = [true, false].map(|answer| {
                    self.context.assume(&predicate, answer);
                    let end = self.recorded(|walk| walk.rest(block, at, state.clone(), yields));
                    self.context.roll_back(checkpoint);
                    end
                });
                self.splits -= 1;
                let at = program.items[*item].op.id;
                self.decide(|_| Decision::Split { at, holds, fails });
                end.join(&other);
                end.normalize();
                self.done.truncate(known);
                return end;
            }
            state = self.item(*item, state);
            self.blame(&mut state);
            for token in &program.items[*item].dead {
                state.tokens.remove(token);
            }
        }
        self.done.truncate(known);
        self.hand(yields, &mut state);
        state
    }

    /// The question of an item, if it is asked again.
    fn predicate(&self, item: ItemId) -> Option<Predicate<'c>> {
        if self.splits >= self.precision.splits {
            return None;
        }
        match &self.program.items[item].kind {
            Kind::If(condition, ..) => {
                let is_asked_again = self
                    .program
                    .asked
                    .get(&atom_of(*condition).0)
                    .is_some_and(|times| *times > 1);
                is_asked_again.then_some(Predicate::Condition(*condition))
            }
            Kind::For(loop_) => {
                let length = loop_.length.as_ref()?;
                let same = self.program.lengths.iter().filter(|other| *other == length).count();
                (same > 1).then(|| Predicate::Positive(length.clone()))
            }
            _ => None,
        }
    }

    fn item(&mut self, id: ItemId, mut state: State<'c>) -> State<'c> {
        let program = self.program;
        let item = &program.items[id];
        self.lifetimes(id, &mut state);
        if self.left_out.contains(id) {
            self.pass_by(id, &state);
            return state;
        }
        match &item.kind {
            Kind::Start(engine, token, barrier) => self.start(id, *engine, *token, *barrier, &mut state),
            Kind::Synchronous(engine) => {
                self.check(id, Some(*engine), &state);
                let done = self.of_engine(*engine).clone();
                state.outstanding.remove(&done);
            }
            Kind::Wait(value) => {
                let token = self.token(*value, &state);
                state.wait(&token);
            }
            Kind::WaitId(number) => self.wait_id(id, *number, &mut state),
            Kind::Fence(engines) => {
                for engine in engines {
                    let done = self.of_engine(*engine).clone();
                    state.outstanding.remove(&done);
                }
            }
            Kind::Null(value) => {
                state.name(*value, Token::none(false));
            }
            Kind::Choice(result, _) => {
                if result.is_token() {
                    let token = self.token(*result, &state);
                    state.name(*result, token);
                }
            }
            Kind::Access | Kind::ScopeEnd => self.check(id, None, &state),
            Kind::Block(block, tokens) => state = self.block(*block, state, tokens),
            Kind::Return => self.end(id, &state),
            Kind::End => {}
            Kind::For(loop_) => state = self.counted(id, loop_, state),
            Kind::If(condition, blocks, tokens) => state = self.branch(id, *condition, blocks, tokens, state),
            Kind::While(loop_) => state = self.repeated(id, loop_, state),
            Kind::Other(blocks, tokens) => state = self.other(id, blocks, tokens, state),
        }
        state
    }

    /// All instances of an engine that have a name.
    pub(crate) fn of_engine(&mut self, engine: EngineId) -> &Set<InstanceId> {
        for id in self.instances.list.ids().skip(self.known_instances) {
            let item = self.instances.list[id].item;
            if let Kind::Start(engine, ..) = &self.program.items[item].kind {
                self.of_engine[*engine].insert(id);
            }
        }
        self.known_instances = self.instances.list.len();
        &self.of_engine[engine]
    }

    /// The token of a value or a number; one of unknown origin covers nothing.
    pub(crate) fn token(&self, value: Value<'c>, state: &State<'c>) -> Token {
        self.named(value, state).unwrap_or_else(|| Token::none(false))
    }

    /// The token of a value, if it is followed. A number is looked up when it is used: what it was chosen from may have
    /// been taken by a command in the meantime.
    pub(crate) fn named(&self, value: Value<'c>, state: &State<'c>) -> Option<Token> {
        self.named_at(value, state, 0)
    }

    fn named_at(&self, value: Value<'c>, state: &State<'c>, depth: u32) -> Option<Token> {
        const MAX_DEPTH: u32 = 8;
        if let Some(token) = state.tokens.get(&self.program.tracked.name(value)) {
            return Some(token.clone());
        }
        if value.as_constant_int().is_some_and(|constant| constant < 0) {
            return Some(Token::none(true));
        }
        let choice = value
            .defining_op()
            .filter(|op| op.is("arith.select") && depth < MAX_DEPTH)?;
        let side = |index: usize| self.named_at(choice.operand(index), state, depth + 1);
        match self.context.evaluate(choice.operand(0)) {
            Some(true) => side(1),
            Some(false) => side(2),
            None => {
                let mut token = side(1)?;
                token.join(&side(2)?);
                Some(token)
            }
        }
    }

    fn start(
        &mut self,
        id: ItemId,
        engine: EngineId,
        value: Value<'c>,
        barrier: Option<Value<'c>>,
        state: &mut State<'c>,
    ) {
        let program = self.program;
        self.check(id, Some(engine), state);
        let mut covers = self.of_engine(engine).clone();
        covers.keep(&state.outstanding);
        let instance = self.instances.number(program.present(id));
        if program.engine(engine).blocking {
            state.outstanding.remove(&covers);
            // The id means this command from now on, complete as it is.
            if barrier.is_some() {
                self.take_id(id, instance, state);
            }
            state.name(value, Token::of_command(Rc::default(), false));
        } else {
            self.queue(id, engine, state);
            covers.insert(instance);
            state.issue(instance, value, Token::of_command(Rc::new(covers), false));
            for owner in &mut state.owners.list {
                if program.items[self.instances.list[owner.instance].item].kind.engine() == Some(engine) {
                    owner.leaves.insert(instance);
                }
            }
            if barrier.is_some() {
                self.take_id(id, instance, state);
            }
        }
        if let Some(number) = barrier.filter(|number| program.tracked.contains(*number)) {
            let sign_tells = range::of_index(&number.index()).is_not_negative();
            let covers = state.tokens[&value].covers.clone();
            state.name(program.tracked.name(number), Token::of_command(covers, sign_tells));
        }
    }
}
