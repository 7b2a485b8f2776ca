//! Walks a program with what the control stream knows.
//!
//! What a state says of a flight, that it may be out and that a token leaves it, is found for every way through the program: branches
//! are joined, and a loop is walked iteration by iteration until its state repeats; one more walk stands for all the iterations
//! that are left, and ends where nothing is added. States are finite, since a flight that is older than any token of its loop
//! is only known to be old.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use zpu_ir::Value;

use super::finding::{Findings, Hazard};
use super::ids::{Sameness, compare, id_of};
use super::overlap::{Meeting, Seen, seen};
use super::program::{BlockId, Carried, EngineId, ItemId, Kind, Loop, Program, is_token};
use super::scene::{Iteration, Scene};
use super::state::{Flight, FlightId, Flights, Move, Set, State, Token, When};
use crate::analysis::linear::Index;

/// Accesses that are checked in one function before the proof gives up looking at single iterations.
const PATIENCE: u64 = 2_000_000;

/// Iterations of one loop that are looked at one by one if nothing else helps.
const MOST_ITERATIONS: i64 = 128;

/// A walk through a program.
pub(super) struct Walk<'p, 'c> {
    program: &'p Program<'c>,
    scene: Scene<'c>,
    pub(super) flights: Flights,
    /// By engine: its flights.
    of_engine: Vec<Set>,
    known_flights: usize,
    pub(super) findings: Findings<'c>,
    views: HashMap<(FlightId, usize), Option<Rc<Vec<Seen<'c>>>>>,
    scenes: HashMap<Vec<(ItemId, Iteration)>, usize>,
    present: usize,
    /// Pairs of accesses that were compared.
    pub(super) steps: u64,
}

impl<'p, 'c> Walk<'p, 'c> {
    /// Walks the whole function.
    pub(super) fn through(program: &'p Program<'c>) -> Self {
        let mut walk = Self {
            program,
            scene: Scene::default(),
            flights: Flights::default(),
            of_engine: vec![Set::default(); program.device.engines.len()],
            known_flights: 0,
            findings: Findings::default(),
            views: HashMap::new(),
            scenes: HashMap::new(),
            present: 0,
            steps: 0,
        };
        walk.look_around();
        if let Some(entry) = program.entry {
            walk.block(entry, State::default());
        }
        walk
    }

    /// The scene has changed.
    fn look_around(&mut self) {
        let next = self.scenes.len();
        self.present = *self.scenes.entry(self.scene.iterations()).or_insert(next);
    }

    fn enter(&mut self, item: ItemId, iteration: Iteration) {
        self.scene.enter(item, self.program.items[item].op, iteration);
        self.look_around();
    }

    fn leave(&mut self) {
        self.scene.leave();
        self.look_around();
    }

    fn block(&mut self, block: BlockId, mut state: State<'c>) -> State<'c> {
        let program = self.program;
        for item in &program.blocks[block] {
            state = self.item(*item, state);
        }
        state
    }

    fn item(&mut self, id: ItemId, mut state: State<'c>) -> State<'c> {
        let program = self.program;
        let item = &program.items[id];
        match &item.kind {
            Kind::Start(engine, token, barrier) => self.start(id, *engine, *token, *barrier, &mut state),
            Kind::Synchronous(engine) => {
                self.check(id, Some(*engine), &state);
                let done = self.of_engine(*engine).clone();
                state.flights.remove(&done);
            }
            Kind::Wait(token) => self.wait(*token, &mut state),
            Kind::WaitId(_) => self.wait_id(id, &mut state),
            Kind::Fence(engines) => {
                for engine in engines {
                    let done = self.of_engine(*engine).clone();
                    state.flights.remove(&done);
                }
            }
            Kind::Null(token) => self.uncovering(*token, &mut state),
            Kind::Choice(result, values) => {
                let mut tokens = values.iter().map(|value| self.token(*value, &state));
                if let (Some(Some(mut token)), Some(Some(other))) = (tokens.next(), tokens.next()) {
                    token.leaves.add(&other.leaves);
                    state.tokens.insert(*result, token);
                }
            }
            Kind::Access => self.check(id, None, &state),
            Kind::Return => self.end(id, &state),
            Kind::For(loop_) => state = self.counted(id, loop_, state),
            Kind::If(condition, blocks, tokens) => state = self.branch(*condition, blocks, tokens, state),
            Kind::Other(blocks, tokens) => state = self.other(id, blocks, tokens, state),
        }
        state
    }

    /// All flights of an engine that have a name.
    fn of_engine(&mut self, engine: EngineId) -> &Set {
        for id in self.known_flights..self.flights.list.len() {
            let item = self.flights.list[id].item;
            if let Kind::Start(engine, ..) = &self.program.items[item].kind {
                self.of_engine[*engine].insert(id);
            }
        }
        self.known_flights = self.flights.list.len();
        &self.of_engine[engine]
    }

    /// What a wait for a token leaves; a token of unknown origin covers nothing.
    fn token(&mut self, value: Value<'c>, state: &State<'c>) -> Option<Token> {
        if let Some(token) = state.tokens.get(&value) {
            return Some(token.clone());
        }
        let engine = self.program.engine_of_token(value)?;
        let leaves = self.of_engine(engine).clone();
        Some(Token { engine, leaves })
    }

    /// Makes the value a token that covers no command.
    fn uncovering(&mut self, value: Value<'c>, state: &mut State<'c>) {
        let Some(engine) = self.program.engine_of_token(value) else {
            return;
        };
        let mut leaves = self.of_engine(engine).clone();
        leaves.keep(&state.flights);
        state.tokens.insert(value, Token { engine, leaves });
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
        let leaves = Set::default();
        if self.program.device.engines[engine].blocking {
            let done = self.of_engine(engine).clone();
            state.flights.remove(&done);
        } else {
            self.queue(id, engine, state);
            let when = self.program.items[id].around.iter();
            let item = id;
            let flight = Flight {
                item,
                when: when.map(|loop_| (*loop_, When::Ago(0))).collect(),
            };
            let flight = self.flights.number(flight);
            state.flights.insert(flight);
            let others = state.tokens.values_mut().filter(|token| token.engine == engine);
            others.for_each(|token| token.leaves.insert(flight));
            for holder in &mut state.holders.list {
                if program.items[self.flights.list[holder.flight].item].kind.engine() == Some(engine) {
                    holder.leaves.insert(flight);
                }
            }
            if barrier.is_some() {
                self.take_id(id, flight, state);
            }
        }
        state.tokens.insert(value, Token { engine, leaves });
    }

    /// Checks that there is room in the queue, where the machine does not wait for it.
    fn queue(&mut self, id: ItemId, engine: EngineId, state: &State<'c>) {
        let description = &self.program.device.engines[engine];
        if description.when_full == zpu_device::WhenFull::Stall {
            return;
        }
        let mut waiting = self.of_engine(engine).clone();
        waiting.keep(&state.flights);
        let flights = &self.flights;
        let is_many = |id: usize| {
            flights.list[id]
                .when
                .iter()
                .any(|(_, when)| matches!(when, When::Before(_) | When::Over))
        };
        let many = waiting.numbers().any(is_many);
        if many || waiting.len() as u64 >= description.queue_depth.max(1) {
            let certain = !many && waiting.numbers().all(|flight| !state.conditional.contains(flight));
            self.findings.queue_full(self.program, id, engine, certain);
        }
    }

    fn wait(&mut self, value: Value<'c>, state: &mut State<'c>) {
        let Some(token) = self.token(value, state) else { return };
        let mut done = self.of_engine(token.engine).clone();
        done.remove(&token.leaves);
        state.flights.remove(&done);
    }

    fn present(&self, id: ItemId) -> Option<Index<'c>> {
        let when = self.program.items[id].around.iter();
        let when: Vec<(ItemId, When)> = when.map(|loop_| (*loop_, When::Ago(0))).collect();
        id_of(self.program, &self.scene, id, &when)
    }

    /// Whether an id is that of a command.
    fn same_id(&self, id: Option<&Index<'c>>, flight: FlightId) -> Sameness {
        let flight = &self.flights.list[flight];
        let other = id_of(self.program, &self.scene, flight.item, &flight.when);
        id.zip(other.as_ref())
            .map_or(Sameness::Unknown, |(left, right)| compare(left, right))
    }

    /// A command takes an id: another engine's command must be done with it.
    fn take_id(&mut self, id: ItemId, flight: FlightId, state: &mut State<'c>) {
        let index = self.present(id);
        self.check_id(id, index.as_ref());
        let engine = self.program.items[id].kind.engine();
        let mut list = std::mem::take(&mut state.holders.list);
        list.retain(|holder| {
            let sameness = self.same_id(index.as_ref(), holder.flight);
            let other = &self.flights.list[holder.flight];
            let is_live = state.flights.contains(holder.flight);
            if sameness != Sameness::Different && is_live && self.program.items[other.item].kind.engine() != engine {
                let certain =
                    sameness == Sameness::Same && holder.certain && !state.conditional.contains(holder.flight);
                self.findings.id_in_use(other.clone(), id, self.program, certain);
            }
            // What lost its id is not meant by it any more.
            sameness != Sameness::Same
        });
        state.holders.list = list;
        state.holders.take(flight);
    }

    fn check_id(&mut self, id: ItemId, index: Option<&Index<'c>>) {
        let limit = self.program.device.sync.ids;
        if let Some(number) = index.and_then(Index::as_constant)
            && u64::try_from(number).ok().is_none_or(|number| number >= limit)
        {
            self.findings.id_range(id, number, limit, self.program);
        }
    }

    fn wait_id(&mut self, id: ItemId, state: &mut State<'c>) {
        let index = self.present(id);
        self.check_id(id, index.as_ref());
        let mut meant: Option<(Option<EngineId>, Set)> = None;
        let mut is_issued = false;
        for holder in state.holders.list.iter().rev() {
            let sameness = self.same_id(index.as_ref(), holder.flight);
            if sameness == Sameness::Different {
                continue;
            }
            let engine = self.program.items[self.flights.list[holder.flight].item].kind.engine();
            match &mut meant {
                None => meant = Some((engine, holder.leaves.clone())),
                Some((known, leaves)) if *known == engine => leaves.add(&holder.leaves),
                Some((known, _)) => *known = None,
            }
            if sameness == Sameness::Same && holder.certain {
                is_issued = true;
                break;
            }
        }
        if !is_issued && self.program.device.sync.wait_on_never_issued != zpu_device::NeverIssued::Return {
            let is_plain = index.as_ref().and_then(Index::as_constant).is_some();
            let certain = meant.is_none() && is_plain && self.program.items[id].branches.is_empty();
            self.findings.never_issued(id, certain, self.program);
        }
        if !is_issued {
            if meant.is_some() || index.as_ref().and_then(Index::as_constant).is_none() {
                self.findings.unnamed.insert(id);
            }
            // It may have been a wait for any of them.
            state.conditional.add(&state.flights);
        }
        // An id that may be none waits for nothing then.
        if let (Some((Some(engine), leaves)), true) = (meant, is_issued) {
            let mut done = self.of_engine(engine).clone();
            done.remove(&leaves);
            state.flights.remove(&done);
        }
    }

    /// Compares what an item accesses with what may be in flight on other engines.
    fn check(&mut self, id: ItemId, engine: Option<EngineId>, state: &State<'c>) {
        if state.flights.is_empty() {
            return;
        }
        let program = self.program;
        let item = &program.items[id];
        let mut concerned = state.flights.clone();
        if let Some(engine) = engine {
            let own = self.of_engine(engine).clone();
            concerned.remove(&own);
        }
        let Some(_) = &item.accesses else {
            if let Some(flight) = concerned.numbers().next() {
                let flight = self.flights.list[flight].clone();
                self.findings.unknown_effects(program, &flight, id);
            }
            return;
        };
        let shares = |other: ItemId| {
            let may =
                |left: &(usize, bool), right: &(usize, bool)| (left.1 || right.1) && program.aliases[left.0][right.0];
            let others = &program.items[other];
            others.accesses.is_none()
                || item
                    .roots
                    .iter()
                    .any(|own| others.roots.iter().any(|other| may(own, other)))
        };
        let mut present: Option<Vec<Seen<'c>>> = None;
        for number in concerned.numbers() {
            self.steps += 1;
            if !shares(self.flights.list[number].item) {
                continue;
            }
            let now = present.get_or_insert_with(|| {
                let when: Vec<(ItemId, When)> = item.around.iter().map(|loop_| (*loop_, When::Ago(0))).collect();
                seen(program, &self.scene, id, &when).unwrap_or_default()
            });
            let flight = &self.flights.list[number];
            let view = self
                .views
                .entry((number, self.present))
                .or_insert_with(|| seen(program, &self.scene, flight.item, &flight.when).map(Rc::new));
            let Some(view) = view else {
                self.findings.unknown_effects(program, flight, id);
                continue;
            };
            for earlier in view.iter() {
                for later in now.iter() {
                    let meeting = earlier.meets(later, program, &self.scene);
                    if meeting == Meeting::Never {
                        continue;
                    }
                    let apart = program.items[flight.item]
                        .branches
                        .iter()
                        .any(|branch| !item.branches.contains(branch))
                        && item
                            .branches
                            .iter()
                            .any(|branch| !program.items[flight.item].branches.contains(branch));
                    let hazard = Hazard {
                        flight: flight.clone(),
                        later: id,
                        earlier_writes: earlier.access.write,
                        later_writes: later.access.write,
                        root: later.access.region.root,
                        scene: self.scene.iterations(),
                        overlaps: meeting == Meeting::Certainly,
                        conditional: apart || state.conditional.contains(number),
                    };
                    self.findings.race(program, hazard);
                }
            }
        }
    }

    /// At the end of the function the caller may use its memory, and the stack's memory is gone.
    fn end(&mut self, id: ItemId, state: &State<'c>) {
        let program = self.program;
        for number in state.flights.numbers() {
            let flight = self.flights.list[number].clone();
            let Some(accesses) = &program.items[flight.item].accesses else {
                self.findings.unknown_effects(program, &flight, id);
                continue;
            };
            for access in accesses {
                if let Some(certain) = outlives(program, id, access.region.root) {
                    let hazard = Hazard {
                        flight: flight.clone(),
                        later: id,
                        earlier_writes: access.write,
                        later_writes: !access.write,
                        root: access.region.root,
                        scene: Vec::new(),
                        overlaps: certain && access.full,
                        conditional: state.conditional.contains(number),
                    };
                    self.findings.race(program, hazard);
                }
            }
        }
    }

    fn branch(
        &mut self,
        condition: Value<'c>,
        blocks: &[BlockId],
        tokens: &[Carried<'c>],
        state: State<'c>,
    ) -> State<'c> {
        let known = self.scene.holds(condition);
        let before = state.flights.clone();
        let mut ends = Vec::new();
        for (index, taken) in [(0, true), (1, false)] {
            if known.is_some_and(|known| known != taken) {
                continue;
            }
            let mut end = match blocks.get(index) {
                Some(block) => self.block(*block, state.clone()),
                None => state.clone(),
            };
            let yielded: Vec<(Value<'c>, Option<Token>)> = tokens
                .iter()
                .map(|carried| {
                    let value = if taken { carried.first } else { carried.next };
                    (carried.result, self.token(value, &end))
                })
                .collect();
            end.tokens.retain(|value, _| state.tokens.contains_key(value));
            end.tokens
                .extend(yielded.into_iter().filter_map(|(value, token)| Some((value, token?))));
            ends.push(end);
        }
        let mut ends = ends.into_iter();
        let Some(mut joined) = ends.next() else { return state };
        for end in ends {
            let mut both = joined.flights.clone();
            both.keep(&end.flights);
            joined.join(&end);
            // In flight before, and waited for on one way only.
            let mut waited = before.clone();
            waited.keep(&joined.flights);
            waited.remove(&both);
            joined.conditional.add(&waited);
        }
        joined.normalize();
        joined
    }

    fn counted(&mut self, id: ItemId, loop_: &Loop<'c>, state: State<'c>) -> State<'c> {
        let outer: HashSet<Value<'c>> = state.tokens.keys().copied().collect();
        let mut head = state;
        self.carry(&loop_.tokens, &mut head, |carried| carried.first);
        let mut heads = vec![head];
        let limit = i64::from(loop_.horizon) + 6;
        let mut iteration = 0;
        let steady = loop {
            let last = heads.last().cloned().unwrap_or_default();
            if loop_.constant_trips == Some(iteration) {
                return self.over(id, loop_, &outer, vec![last]);
            }
            let repeats = heads.len() > 1 && heads[heads.len() - 2] == last;
            if repeats || iteration >= limit {
                break last;
            }
            let next = self.turn(id, loop_, &outer, last, Iteration::At(iteration));
            heads.push(next);
            iteration += 1;
        };
        let known = self.findings.clone();
        let mut rest = steady.clone();
        loop {
            let next = self.turn(id, loop_, &outer, rest.clone(), Iteration::From(iteration));
            let mut both = rest.clone();
            both.join(&next);
            both.normalize();
            if both == rest {
                break;
            }
            rest = both;
        }
        if let Some(trips) = loop_.constant_trips
            && self.findings.is_less_certain_than(&known)
            && trips <= MOST_ITERATIONS
            && self.steps < PATIENCE
        {
            self.findings = known;
            let mut last = steady;
            for iteration in iteration..trips {
                last = self.turn(id, loop_, &outer, last, Iteration::At(iteration));
            }
            return self.over(id, loop_, &outer, vec![last]);
        }
        let ends = if loop_.constant_trips.is_some() {
            vec![rest]
        } else {
            [heads, vec![rest]].concat()
        };
        self.over(id, loop_, &outer, ends)
    }

    /// One iteration; what is known at the beginning of the next one.
    fn turn(
        &mut self,
        id: ItemId,
        loop_: &Loop<'c>,
        outer: &HashSet<Value<'c>>,
        head: State<'c>,
        iteration: Iteration,
    ) -> State<'c> {
        self.enter(id, iteration);
        let mut end = self.block(loop_.body, head);
        self.carry(&loop_.tokens, &mut end, |carried| carried.next);
        self.leave();
        let inside: HashSet<Value<'c>> = loop_.tokens.iter().map(|carried| carried.inside).collect();
        end.tokens
            .retain(|value, _| outer.contains(value) || inside.contains(value));
        end.normalize();
        end.moved(&mut self.flights, Move::Next(id, loop_.horizon))
    }

    /// Gives the arguments of a loop the tokens that are handed to them.
    fn carry(&mut self, tokens: &[Carried<'c>], state: &mut State<'c>, handed: impl Fn(&Carried<'c>) -> Value<'c>) {
        let values: Vec<(Value<'c>, Option<Token>)> = tokens
            .iter()
            .map(|carried| (carried.inside, self.token(handed(carried), state)))
            .collect();
        state
            .tokens
            .extend(values.into_iter().filter_map(|(value, token)| Some((value, token?))));
    }

    /// What is known behind a loop that may have ended in any of these states.
    fn over(&mut self, id: ItemId, loop_: &Loop<'c>, outer: &HashSet<Value<'c>>, ends: Vec<State<'c>>) -> State<'c> {
        let mut behind: Option<State<'c>> = None;
        let is_guarded = !self.program.items[id].branches.is_empty();
        for mut end in ends {
            end.normalize();
            let mut end = end.moved(&mut self.flights, Move::End(id));
            let results: Vec<(Value<'c>, Option<Token>)> = loop_
                .tokens
                .iter()
                .map(|carried| (carried.result, end.tokens.get(&carried.inside).cloned()))
                .collect();
            end.tokens.retain(|value, _| outer.contains(value));
            end.tokens
                .extend(results.into_iter().filter_map(|(value, token)| Some((value, token?))));
            match &mut behind {
                None => behind = Some(end),
                Some(known) => {
                    if is_guarded {
                        // The branch may be there to exclude some of the ends.
                        let mut both = known.flights.clone();
                        both.keep(&end.flights);
                        known.conditional.add(&end.flights);
                        known.conditional.add(&known.flights.clone());
                        known.conditional.remove(&both);
                    }
                    known.join(&end);
                }
            }
        }
        behind.unwrap_or_default()
    }

    /// Control flow that is not followed: its blocks may be executed in any order and number.
    fn other(&mut self, id: ItemId, blocks: &[BlockId], tokens: &[Value<'c>], state: State<'c>) -> State<'c> {
        let outer: HashSet<Value<'c>> = state.tokens.keys().copied().collect();
        let mut known = state;
        loop {
            let mut joined = known.clone();
            for token in tokens.iter().filter(|token| is_token(**token)) {
                self.uncovering(*token, &mut joined);
            }
            for block in blocks {
                let mut end = self.block(*block, joined.clone());
                end.tokens.retain(|value, _| outer.contains(value));
                end.normalize();
                let mut end = end.moved(&mut self.flights, Move::Next(id, 1));
                end.conditional.add(&end.flights.clone());
                joined.join(&end);
            }
            joined.tokens.retain(|value, _| outer.contains(value));
            joined.normalize();
            if joined == known {
                break;
            }
            known = joined;
        }
        let mut behind = known.moved(&mut self.flights, Move::End(id));
        for token in tokens.iter().filter(|token| is_token(**token)) {
            self.uncovering(*token, &mut behind);
        }
        behind
    }
}

/// Whether the caller, or the end of the stack, touches memory of this root when the function returns; then, whether it certainly
/// does.
fn outlives<'c>(program: &Program<'c>, end: ItemId, root: crate::analysis::region::Root<'c>) -> Option<bool> {
    use crate::analysis::region::Root;
    match root {
        Root::Argument(_) | Root::NoAliasArgument(_) | Root::Global(_) => Some(true),
        Root::Unknown(_) => Some(false),
        Root::Allocation(value) => {
            let on_stack = value.defining_op().is_some_and(|op| op.is("memref.alloca"));
            let returned = program.items[end].op.operands();
            let roots = returned
                .into_iter()
                .filter(|value| zpu_ir::ty::is_memref(value.ty()))
                .map(|value| crate::analysis::region::region_of(value).root);
            let mut unknown = false;
            for returned in roots {
                if returned == root {
                    return Some(true);
                }
                unknown |= returned.may_alias(root);
            }
            (on_stack || unknown).then_some(on_stack)
        }
    }
}
