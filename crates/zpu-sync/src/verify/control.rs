//! Control flow: what is known after branches and loops.
//!
//! Branches are joined. A loop is walked iteration by iteration until its state repeats; one more walk stands for all
//! the iterations that are left, and ends where nothing is added.

use crate::certificate::{Body, Loop as LoopRecord, Rest, Walk};
use crate::program::atom::atom_of;
use crate::program::epoch::{Epoch, Iteration};
use crate::program::infeasible::{PathFacts, claims_of_item, claims_of_side};
use crate::program::path_context::Predicate;
use crate::program::tracked::outlives_loop;
use crate::program::{BlockId, Carried, ItemId, Loop, While};
use crate::verify::interpreter::Interpreter;
use crate::verify::state::{InstanceId, Move, Set, State, Token};
use std::rc::Rc;

use crate::problem::view::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// Iterations of a loop with a condition that are told apart: the horizon of a counted loop that hands a
/// token on twice.
const WHILE_HORIZON: u32 = 4;

/// Executions of blocks that are not followed that are told apart: none from another, since their order is not known.
const OTHER_HORIZON: u32 = 1;

/// Iterations of a loop that were walked one by one.
struct Walked<'c> {
    /// State at the beginning of each.
    heads: Vec<State<'c>>,
    /// States with which the loop may end.
    ends: Vec<State<'c>>,
    record: LoopRecord,
}

impl<'c> Interpreter<'_, 'c> {
    pub(crate) fn branch(
        &mut self,
        id: ItemId,
        condition: Value<'c>,
        blocks: &[BlockId],
        tokens: &[Carried<'c>],
        state: State<'c>,
    ) -> State<'c> {
        let known = self.context.evaluate(condition);
        let before = state.outstanding.clone();
        let guard = self.program.tracked.sign_guard(condition);
        self.undecided += u64::from(known.is_none() && guard.is_none());
        let (atom, positive) = atom_of(condition);
        let (mut ends, mut found) = (Vec::new(), Vec::new());
        for (index, taken) in [(0, true), (1, false)] {
            if known.is_some_and(|known| known != taken) {
                continue;
            }
            let mut start = state.clone();
            let checkpoint = self.context.checkpoint();
            self.context.assume(&Predicate::Condition(condition), taken);
            if let Some((number, is_there)) = guard {
                self.assume_sign(number, is_there == taken, &mut start);
            }
            let absent = self.absent(id, taken, &start);
            start.outstanding.remove(&absent);
            let same = self
                .done
                .iter()
                .filter(|(same, holds, _)| *same == atom && *holds == (taken == positive));
            same.for_each(|(.., done)| start.outstanding.remove(done));
            self.spend(start.size());
            let yielded = |carried: &Carried<'c>| (carried.result, if taken { carried.first } else { carried.next });
            let yields: Vec<(Value<'c>, Value<'c>)> = tokens.iter().map(yielded).collect();
            let end = match blocks.get(index) {
                Some(block) => self.block(*block, start, &yields),
                None => start,
            };
            self.context.roll_back(checkpoint);
            let mut done = before.clone();
            done.remove(&end.outstanding);
            if !done.is_empty() {
                found.push((atom, taken == positive, done));
            }
            ends.push(end);
        }
        self.done.extend(found);
        let mut ends = ends.into_iter();
        let Some(mut joined) = ends.next() else { return state };
        for end in ends {
            let mut both = joined.outstanding.clone();
            both.keep(&end.outstanding);
            joined.join(&end);
            // Outstanding before, and waited for on one way only.
            let mut waited = before.clone();
            waited.keep(&joined.outstanding);
            waited.remove(&both);
            joined.conditional.add(&waited);
        }
        joined.normalize();
        joined
    }

    /// Commands that were never issued if a branch goes this way.
    fn absent(&mut self, branch: ItemId, taken: bool, state: &State<'c>) -> Set<InstanceId> {
        let program = self.program;
        let mut absent = Set::default();
        let mut sides: FxHashMap<&[(ItemId, Epoch)], Option<PathFacts<'c>>> = FxHashMap::default();
        let Self {
            claims,
            instances,
            context,
            ..
        } = self;
        let mut looked_at = 0;
        for number in state.outstanding.numbers() {
            let instance = &instances.list[number];
            let own = claims
                .entry(instance.item)
                .or_insert_with(|| Rc::new(claims_of_item(program, instance.item)));
            if own.is_empty() {
                continue;
            }
            looked_at += 1;
            let side = sides
                .entry(&instance.when)
                .or_insert_with(|| claims_of_side(program, context, branch, instance, taken));
            if side.as_ref().is_some_and(|side| side.contradict(own)) {
                absent.insert(number);
            }
        }
        self.spend(looked_at);
        absent
    }

    /// Takes the sign of a number as given. Where it says that no command was started with it, a wait for it covers
    /// nothing of what is outstanding on that way, so that it may as well have been there.
    fn assume_sign(&self, number: Value<'c>, is_there: bool, state: &mut State<'c>) {
        let Some(mut token) = self.named(number, state).filter(|token| token.sign_tells) else {
            return;
        };
        if is_there {
            token.may_be_none = false;
            state.name(self.program.tracked.name(number), token);
        } else {
            state.wait(&token);
        }
    }

    pub(crate) fn counted(&mut self, id: ItemId, loop_: &Loop<'c>, state: State<'c>) -> State<'c> {
        let mut head = state;
        let firsts: Vec<(Value<'c>, Value<'c>)> = loop_.tokens.iter().map(|each| (each.inside, each.first)).collect();
        self.hand(&firsts, &mut head);
        if self.precision.joined && loop_.is_nest {
            return self.all_at_once(id, loop_, head);
        }
        let apart = self.precision.ends && loop_.constant_trips.is_none();
        let horizon = self.horizon(loop_);
        let mut walked = Walked {
            heads: vec![head],
            ends: Vec::new(),
            record: self.loop_record(id, horizon, apart),
        };
        let limit = i64::from(horizon) + self.precision.single;
        let Some(iteration) = self.one_by_one(id, loop_, &mut walked, limit, true) else {
            self.decide_loop(walked.record);
            return self.over(id, loop_, walked.ends);
        };
        let steady = walked.heads.last().cloned().unwrap_or_default();
        let (known, decided) = (self.findings.clone(), self.undecided);
        let trips = self.most_trips(loop_, iteration);
        self.tentative += u32::from(trips.is_some());
        let (mut rest, mut body) = (steady, Body::default());
        while !self.is_over() {
            let goes_on = apart.then_some(false);
            let (next, walk) = self.one_iteration(id, loop_, rest.clone(), Iteration::From(iteration), goes_on);
            body.walk = walk;
            let mut both = rest.clone();
            both.join(&next);
            both.normalize();
            if both == rest {
                break;
            }
            rest = both;
        }
        self.tentative -= u32::from(trips.is_some());
        if (self.findings.are_more_than(&known) || self.precision.splits > 0 && self.undecided > decided)
            && let Some(trips) = trips
        {
            self.findings = known;
            self.forget_blame();
            self.one_by_one(id, loop_, &mut walked, trips + 1, false);
            self.decide_loop(walked.record);
            return self.over(id, loop_, walked.ends);
        }
        let invariant = self.invariant(&rest);
        walked.ends.push(if apart {
            let (end, walk) = self.one_iteration(id, loop_, rest, Iteration::From(iteration), Some(true));
            body.as_last = walk;
            end
        } else {
            rest
        });
        walked.record.rest = Some(Rest { invariant, body });
        self.decide_loop(walked.record);
        self.over(id, loop_, walked.ends)
    }

    /// All iterations of a loop together: what may be known at the beginning of any, until nothing is added.
    ///
    /// It begins with the invariant of the walk before, since blocks around the loop are walked again only because more
    /// may be outstanding. So each loop of a nest is walked as often as something is new, and not as often again for
    /// each loop around.
    fn all_at_once(&mut self, id: ItemId, loop_: &Loop<'c>, head: State<'c>) -> State<'c> {
        let there_is = self.there_is(loop_, 0);
        let mut record = self.loop_record(id, self.horizon(loop_), false);
        if there_is == Some(false) {
            self.decide_loop(record);
            return self.over(id, loop_, vec![head]);
        }
        let mut known = head.clone();
        if let Some(before) = self.invariants.get(&id) {
            known.join(before);
            known.normalize();
        }
        let (mut end, mut body) = (known.clone(), Body::default());
        while !self.is_over() {
            (end, body.walk) = self.one_iteration(id, loop_, known.clone(), Iteration::From(0), None);
            let mut both = known.clone();
            both.join(&end);
            both.normalize();
            if both == known {
                break;
            }
            known = both;
        }
        let invariant = self.invariant(&known);
        record.rest = Some(Rest { invariant, body });
        self.decide_loop(record);
        self.invariants.insert(id, known);
        let none = Some(head).filter(|_| there_is != Some(true));
        self.over(id, loop_, none.into_iter().chain([end]).collect())
    }

    /// Walks iterations one after the other. Where it stops before the loop is over, the iteration that comes next.
    fn one_by_one(
        &mut self,
        id: ItemId,
        loop_: &Loop<'c>,
        walked: &mut Walked<'c>,
        limit: i64,
        until_it_repeats: bool,
    ) -> Option<i64> {
        let Walked { heads, ends, record } = walked;
        let apart = self.precision.ends && loop_.constant_trips.is_none();
        loop {
            let iteration = heads.len() as i64 - 1;
            let last = heads.last().cloned().unwrap_or_default();
            let there_is = self.there_is(loop_, iteration);
            if there_is != Some(true) {
                ends.push(match heads.len().checked_sub(2) {
                    // The iteration before was the last one, which may decide something in it.
                    Some(before) if apart => {
                        let head = heads[before].clone();
                        let (end, walk) = self.one_iteration(id, loop_, head, Iteration::At(iteration - 1), Some(true));
                        record.singles[before].as_last = walk;
                        end
                    }
                    _ => last.clone(),
                });
            }
            if there_is == Some(false) {
                return None;
            }
            let repeats = until_it_repeats && heads.len() > 1 && heads[heads.len() - 2] == last;
            if repeats || iteration >= limit {
                return Some(iteration);
            }
            let (next, walk) = self.one_iteration(id, loop_, last, Iteration::At(iteration), apart.then_some(false));
            record.singles.push(Body {
                walk,
                ..Body::default()
            });
            heads.push(next);
        }
    }

    /// True if a loop has this iteration, false if it has not; none if that is not certain here.
    fn there_is(&self, loop_: &Loop<'c>, iteration: i64) -> Option<bool> {
        match loop_.constant_trips {
            Some(trips) => Some(iteration < trips),
            None => loop_
                .length_from(iteration)
                .and_then(|left| self.context.answer(&Predicate::Positive(left))),
        }
    }

    /// The greatest number of iterations of a loop here, if it is small enough to look at them one by one: as a
    /// constant has it, or the branches around the loop.
    fn most_trips(&self, loop_: &Loop<'c>, from: i64) -> Option<i64> {
        match loop_.constant_trips {
            Some(trips) => Some(trips).filter(|trips| *trips <= self.precision.all),
            None => (from..=self.precision.few).find(|trips| self.there_is(loop_, *trips) == Some(false)),
        }
    }

    /// One iteration, which may be known to be the last one or not; returns the state at the beginning of the next one,
    /// or after it.
    fn one_iteration(
        &mut self,
        id: ItemId,
        loop_: &Loop<'c>,
        head: State<'c>,
        iteration: Iteration,
        is_last: Option<bool>,
    ) -> (State<'c>, Walk) {
        let checkpoint = self.enter(id, iteration, is_last);
        let yields: Vec<(Value<'c>, Value<'c>)> = loop_.tokens.iter().map(|each| (each.inside, each.next)).collect();
        let (mut end, walk) = self.recorded(|part| part.block(loop_.body, head, &yields));
        self.leave(checkpoint);
        // What the body defines means another thing in the next iteration.
        let op = self.program.items[id].op;
        let handed: FxHashSet<Value<'c>> = loop_.tokens.iter().map(|carried| carried.inside).collect();
        end.tokens
            .retain(|value, _| handed.contains(value) || outlives_loop(*value, op));
        end.normalize();
        self.spend(end.size());
        let horizon = self.horizon(loop_);
        (self.moved(&end, Move::Next(id, horizon)), walk)
    }

    /// A state as it is in the next iteration of a loop, or after it.
    fn moved(&mut self, state: &State<'c>, by: Move) -> State<'c> {
        let (Move::Next(id, _) | Move::End(id)) = by;
        let mut moved = state.moved(&mut self.instances, by);
        self.forget_iteration(self.program.items[id].op, &mut moved);
        moved
    }

    /// The state after a loop that may have ended in any of these.
    fn over(&mut self, id: ItemId, loop_: &Loop<'c>, ends: Vec<State<'c>>) -> State<'c> {
        let mut behind: Option<State<'c>> = None;
        let op = self.program.items[id].op;
        let is_guarded = !self.program.items[id].branches.is_empty();
        for mut end in ends {
            end.normalize();
            let mut end = self.moved(&end, Move::End(id));
            let inside = |carried: &Carried<'c>| Some((carried.result, end.tokens.get(&carried.inside)?.clone()));
            let results: Vec<(Value<'c>, Token)> = loop_.tokens.iter().filter_map(inside).collect();
            end.tokens.retain(|value, _| outlives_loop(*value, op));
            results.into_iter().for_each(|(value, token)| end.name(value, token));
            match &mut behind {
                None => behind = Some(end),
                Some(known) => {
                    if is_guarded {
                        // The branch may be there to exclude some of the ends.
                        let mut both = known.outstanding.clone();
                        both.keep(&end.outstanding);
                        known.conditional.add(&end.outstanding);
                        known.conditional.add(&known.outstanding.clone());
                        known.conditional.remove(&both);
                    }
                    known.join(&end);
                }
            }
        }
        behind.unwrap_or_default()
    }

    /// A loop with a condition: as a counted one of which no trip is certain.
    pub(crate) fn repeated(&mut self, id: ItemId, loop_: &While<'c>, state: State<'c>) -> State<'c> {
        let mut head = state;
        self.hand(&self.program.tracked.among(loop_.firsts()), &mut head);
        let mut ends = Vec::new();
        let mut record = self.loop_record(id, WHILE_HORIZON, false);
        for _ in 0..self.precision.single {
            let ((end, next), walk) = self.recorded(|part| part.one_iteration_if(id, loop_, head.clone()));
            record.singles.push(Body {
                walk,
                ..Body::default()
            });
            ends.extend(end);
            let Some(next) = next else {
                self.decide_loop(record);
                return Self::any(ends);
            };
            let repeats = next == head;
            head = next;
            if repeats {
                break;
            }
        }
        let mut body = Body::default();
        while !self.is_over() {
            let ((end, next), walk) = self.recorded(|part| part.one_iteration_if(id, loop_, head.clone()));
            body.walk = walk;
            ends.extend(end);
            let mut both = head.clone();
            next.iter().for_each(|next| both.join(next));
            both.normalize();
            if both == head {
                break;
            }
            head = both;
        }
        let invariant = self.invariant(&head);
        record.rest = Some(Rest { invariant, body });
        self.decide_loop(record);
        Self::any(ends)
    }

    /// One iteration of a loop with a condition: the state after the loop, and that at the beginning of the next
    /// iteration.
    fn one_iteration_if(
        &mut self,
        id: ItemId,
        loop_: &While<'c>,
        head: State<'c>,
    ) -> (Option<State<'c>>, Option<State<'c>>) {
        let op = self.program.items[id].op;
        let asked = self.block(loop_.before, head, &[]);
        let holds = self.context.evaluate(loop_.condition);
        self.undecided += u64::from(holds.is_none());
        let ends = (holds != Some(true)).then(|| {
            let mut end = asked.clone();
            self.hand(&self.program.tracked.among(loop_.results()), &mut end);
            end.tokens.retain(|value, _| outlives_loop(*value, op));
            end.normalize();
            self.moved(&end, Move::End(id))
        });
        let goes_on = (holds != Some(false)).then(|| {
            let mut start = asked;
            self.hand(&self.program.tracked.among(loop_.entered()), &mut start);
            let checkpoint = self.context.checkpoint();
            self.context.assume(&Predicate::Condition(loop_.condition), true);
            let nexts = self.program.tracked.among(loop_.nexts());
            let mut next = self.block(loop_.after, start, &nexts);
            self.context.roll_back(checkpoint);
            let is_handed = |value: Value<'c>| nexts.iter().any(|(inside, _)| *inside == value);
            next.tokens
                .retain(|value, _| outlives_loop(*value, op) || is_handed(*value));
            next.normalize();
            self.spend(next.size());
            self.moved(&next, Move::Next(id, WHILE_HORIZON))
        });
        (ends, goes_on)
    }

    /// The state where it may be any of these; where none is reached, nothing is outstanding.
    fn any(states: Vec<State<'c>>) -> State<'c> {
        let mut states = states.into_iter();
        let mut known = states.next().unwrap_or_default();
        for state in states {
            let mut both = known.outstanding.clone();
            both.keep(&state.outstanding);
            known.conditional.add(&state.outstanding);
            known.conditional.add(&known.outstanding.clone());
            known.conditional.remove(&both);
            known.join(&state);
            known.normalize();
        }
        known
    }

    /// Control flow that is not followed: its blocks may be executed in any order and number.
    pub(crate) fn other(
        &mut self,
        id: ItemId,
        blocks: &[BlockId],
        tokens: &[Value<'c>],
        state: State<'c>,
    ) -> State<'c> {
        let op = self.program.items[id].op;
        let (mut known, mut body) = (state, Body::default());
        while !self.is_over() {
            body.walk.clear();
            let mut joined = known.clone();
            for value in tokens {
                joined.name(*value, Token::none(false));
            }
            for block in blocks {
                let (mut end, mut walk) = self.recorded(|part| part.block(*block, joined.clone(), &[]));
                body.walk.append(&mut walk);
                end.tokens.retain(|value, _| outlives_loop(*value, op));
                end.normalize();
                self.spend(end.size());
                let mut end = self.moved(&end, Move::Next(id, OTHER_HORIZON));
                end.conditional.add(&end.outstanding.clone());
                joined.join(&end);
            }
            joined
                .tokens
                .retain(|value, _| outlives_loop(*value, op) && !tokens.contains(value));
            joined.normalize();
            if joined == known {
                break;
            }
            known = joined;
        }
        let mut record = self.loop_record(id, OTHER_HORIZON, false);
        let invariant = self.invariant(&known);
        record.rest = Some(Rest { invariant, body });
        self.decide_loop(record);
        let mut behind = self.moved(&known, Move::End(id));
        for value in tokens {
            behind.name(*value, Token::none(false));
        }
        behind
    }
}
