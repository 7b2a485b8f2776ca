//! Control flow of the check: blocks, branches and loops, as the certificate has them.
//!
//! A loop with an invariant is walked once from it: the state before has to be ⊑ the invariant, and so has the end of
//! the body. So the invariant holds at the head of each iteration, by induction.

use super::known::{Instances, Known, Token};
use super::{Checker, Rejection};
use crate::certificate::{Decision, Loop as LoopDecision, Rest, Walk};
use crate::problem::OpId;
use crate::problem::view::Value;
use crate::program::atom::atom_of;
use crate::program::epoch::Iteration;
use crate::program::infeasible::{claims_of_item, claims_of_side};
use crate::program::path_context::Predicate;
use crate::program::{BlockId, Carried, ItemId, Kind, Loop, While};

/// Decisions of a walk that are still to come.
pub(super) struct Script<'w>(&'w [Decision]);

impl<'w> Script<'w> {
    pub(super) fn of(walk: &'w Walk) -> Self {
        Self(walk)
    }

    /// The walks of a split at this operation, if that comes next.
    fn split(&mut self, op: OpId) -> Option<[(bool, &'w Walk); 2]> {
        match self.0 {
            [Decision::Split { at, holds, fails }, rest @ ..] if *at == op => {
                self.0 = rest;
                Some([(true, holds), (false, fails)])
            }
            _ => None,
        }
    }

    /// The way in which this loop is walked.
    fn loop_(&mut self, op: OpId) -> Result<&'w LoopDecision, Rejection> {
        match self.0 {
            [Decision::Loop(decision), rest @ ..] if decision.at == op => {
                self.0 = rest;
                Ok(decision)
            }
            _ => Err(Rejection {
                at: op,
                text: "the certificate does not say how this loop is walked".to_owned(),
            }),
        }
    }

    /// Requires that the walk has come to all decisions.
    pub(super) fn is_over(&self) -> Result<(), Rejection> {
        match self.0 {
            [] => Ok(()),
            [Decision::Split { at, .. } | Decision::Loop(LoopDecision { at, .. }), ..] => Err(Rejection {
                at: *at,
                text: "the certificate decides something to which the walk does not come".to_owned(),
            }),
        }
    }
}

impl<'c> Checker<'_, 'c> {
    /// A block from some item on, which hands values on at its end: of each pair, the second as the first.
    pub(super) fn block(
        &mut self,
        block: BlockId,
        from: usize,
        mut known: Known,
        yields: &[(Value<'c>, Value<'c>)],
        script: &mut Script<'_>,
    ) -> Result<Known, Rejection> {
        let program = self.program;
        let done = self.done.len();
        for (at, item) in program.blocks[block].items.iter().enumerate().skip(from) {
            if let Some(answers) = script.split(program.items[*item].op.id) {
                let predicate = self.predicate(*item)?;
                let checkpoint = self.context.checkpoint();
                let mut ends = Vec::new();
                for (answer, walk) in answers {
                    self.context.assume(&predicate, answer);
                    let mut own = Script::of(walk);
                    ends.push(self.block(block, at, known.clone(), yields, &mut own)?);
                    own.is_over()?;
                    self.context.roll_back(checkpoint);
                }
                self.done.truncate(done);
                return Ok(any(ends));
            }
            known = self.item(*item, known, script)?;
        }
        self.done.truncate(done);
        self.hand(yields, &mut known);
        Ok(known)
    }

    /// The question of an item.
    fn predicate(&self, item: ItemId) -> Result<Predicate<'c>, Rejection> {
        let predicate = match &self.program.items[item].kind {
            Kind::If(condition, ..) => Some(Predicate::Condition(*condition)),
            Kind::For(loop_) => loop_.length.clone().map(Predicate::Positive),
            _ => None,
        };
        predicate.ok_or_else(|| self.rejection(item, "there is nothing to split on".to_owned()))
    }

    /// Hands values on, all at once.
    fn hand(&self, pairs: &[(Value<'c>, Value<'c>)], known: &mut Known) {
        let tokens: Vec<Token> = pairs.iter().map(|(_, from)| self.token(*from, known)).collect();
        for ((to, _), token) in pairs.iter().zip(tokens) {
            known.tokens.insert(to.id, token);
        }
    }

    pub(super) fn branch(
        &mut self,
        id: ItemId,
        blocks: &[BlockId],
        carried: &[Carried<'c>],
        known: &Known,
        script: &mut Script<'_>,
    ) -> Result<Known, Rejection> {
        let condition = self.program.items[id].op.operand(0);
        let decided = self.context.evaluate(condition);
        let guard = self.program.tracked.sign_guard(condition);
        let (atom, positive) = atom_of(condition);
        let (mut ends, mut found) = (Vec::new(), Vec::new());
        for (index, taken) in [(0, true), (1, false)] {
            if decided == Some(!taken) {
                continue;
            }
            let mut start = known.clone();
            let checkpoint = self.context.checkpoint();
            self.context.assume(&Predicate::Condition(condition), taken);
            if let Some((number, is_there)) = guard {
                self.assume_sign(number, is_there == taken, &mut start);
            }
            self.leave_out_absent(id, taken, &mut start);
            for (_, _, done) in self
                .done
                .iter()
                .filter(|(same, holds, _)| *same == atom && *holds == (taken == positive))
            {
                start.complete(done);
            }
            let yielded = |each: &Carried<'c>| (each.result, if taken { each.first } else { each.next });
            let yields: Vec<(Value<'c>, Value<'c>)> = carried.iter().map(yielded).collect();
            let end = match blocks.get(index) {
                Some(block) => self.block(*block, 0, start, &yields, script)?,
                None => start,
            };
            self.context.roll_back(checkpoint);
            let done: Instances = known.outstanding.difference(&end.outstanding).cloned().collect();
            found.push((atom, taken == positive, done));
            ends.push(end);
        }
        self.done.extend(found);
        Ok(any(ends))
    }

    /// Takes the sign of a number as given. Where it says that no command was started with it, a wait for it covers
    /// nothing of what is outstanding on that way, so that it may as well have been there.
    fn assume_sign(&self, number: Value<'c>, is_there: bool, known: &mut Known) {
        let Some(mut token) = self.named(number, known).filter(|token| token.sign_tells) else {
            return;
        };
        if is_there {
            token.may_be_none = false;
            known.tokens.insert(self.program.tracked.name(number).id, token);
        } else {
            known.complete(&token.covers);
        }
    }

    /// Leaves out commands that were never issued if a branch goes this way: their own conditions say the opposite.
    fn leave_out_absent(&self, branch: ItemId, taken: bool, known: &mut Known) {
        known.outstanding.retain(|instance| {
            let own = claims_of_item(self.program, instance.item);
            let is_absent = || {
                let side = claims_of_side(self.program, &self.context, branch, instance, taken);
                side.is_some_and(|side| side.contradict(&own))
            };
            own.is_empty() || !is_absent()
        });
    }

    pub(super) fn counted(
        &mut self,
        id: ItemId,
        loop_: &Loop<'c>,
        known: Known,
        script: &mut Script<'_>,
    ) -> Result<Known, Rejection> {
        let decision = script.loop_(self.program.items[id].op.id)?;
        let goes_on = decision.splits_last.then_some(false);
        let firsts: Vec<(Value<'c>, Value<'c>)> = loop_.tokens.iter().map(|each| (each.inside, each.first)).collect();
        let mut head = known;
        self.hand(&firsts, &mut head);
        let mut before: Option<Known> = None;
        let mut ends = Vec::new();
        for number in 0..=decision.singles.len() {
            let there_is = self.there_is(loop_, number as i64);
            if there_is != Some(true) {
                ends.push(match before.take().filter(|_| decision.splits_last) {
                    Some(before) => {
                        let walk = &decision.singles[number - 1].as_last;
                        let last = Iteration::At(number as i64 - 1);
                        self.iteration(id, loop_, before, (last, Some(true)), decision.horizon, walk)?
                    }
                    None => head.clone(),
                });
            }
            if there_is == Some(false) {
                return Ok(self.over(id, loop_, ends));
            }
            let Some(single) = decision.singles.get(number) else {
                break;
            };
            let present = (Iteration::At(number as i64), goes_on);
            let next = self.iteration(id, loop_, head.clone(), present, decision.horizon, &single.walk)?;
            before = Some(std::mem::replace(&mut head, next));
        }
        let (rest, invariant) = self.rest(id, decision, &head)?;
        let from = Iteration::From(decision.singles.len() as i64);
        let walk = &rest.body.walk;
        let next = self.iteration(id, loop_, invariant.clone(), (from, goes_on), decision.horizon, walk)?;
        self.require_within(id, &next, &invariant, "at the end of an iteration")?;
        ends.push(if decision.splits_last {
            let walk = &rest.body.as_last;
            self.iteration(id, loop_, invariant, (from, Some(true)), decision.horizon, walk)?
        } else {
            next
        });
        Ok(self.over(id, loop_, ends))
    }

    /// The invariant of a loop that goes on from a state, which has to be below it.
    fn rest<'w>(&self, id: ItemId, decision: &'w LoopDecision, head: &Known) -> Result<(&'w Rest, Known), Rejection> {
        let count = decision.singles.len();
        let missing = || {
            self.rejection(
                id,
                format!("the loop may go on after {count} iterations, without an invariant"),
            )
        };
        let rest = decision.rest.as_ref().ok_or_else(missing)?;
        let invariant = self.read(id, &rest.invariant)?;
        self.require_within(id, head, &invariant, &format!("after {count} iterations"))?;
        Ok((rest, invariant))
    }

    /// True if a loop has this iteration, false if it has not; none if that is not certain here.
    fn there_is(&self, loop_: &Loop<'c>, iteration: i64) -> Option<bool> {
        if let Some(trips) = loop_.constant_trips {
            return Some(iteration < trips);
        }
        let left = loop_.length_from(iteration)?;
        self.context.answer(&Predicate::Positive(left))
    }

    /// One iteration, and whether it is the last one if that is told apart; the state at the head of the next one.
    fn iteration(
        &mut self,
        id: ItemId,
        loop_: &Loop<'c>,
        head: Known,
        (iteration, is_last): (Iteration, Option<bool>),
        horizon: u32,
        walk: &Walk,
    ) -> Result<Known, Rejection> {
        let op = self.program.items[id].op;
        let yields: Vec<(Value<'c>, Value<'c>)> = loop_.tokens.iter().map(|each| (each.inside, each.next)).collect();
        let checkpoint = self.context.enter(id, op, iteration, is_last);
        let mut script = Script::of(walk);
        let mut end = self.block(loop_.body, 0, head, &yields, &mut script)?;
        script.is_over()?;
        self.context.leave(checkpoint);
        let handed: Vec<Value<'c>> = loop_.tokens.iter().map(|each| each.inside).collect();
        end.forget_tokens(self.program, op, &handed);
        Ok(end.next_iteration(self.program, id, horizon))
    }

    /// State after a loop that may have ended in any of these.
    fn over(&self, id: ItemId, loop_: &Loop<'c>, ends: Vec<Known>) -> Known {
        let op = self.program.items[id].op;
        let after = |end: Known| {
            let mut after = end.after_loop(self.program, id);
            let inside = |each: &Carried<'c>| Some((each.result.id, after.tokens.get(&each.inside.id)?.clone()));
            let results: Vec<_> = loop_.tokens.iter().filter_map(inside).collect();
            after.forget_tokens(self.program, op, &[]);
            after.tokens.extend(results);
            after
        };
        any(ends.into_iter().map(after).collect())
    }

    /// A loop that goes on as long as a condition holds.
    pub(super) fn repeated(
        &mut self,
        id: ItemId,
        loop_: &While<'c>,
        known: Known,
        script: &mut Script<'_>,
    ) -> Result<Known, Rejection> {
        let decision = script.loop_(self.program.items[id].op.id)?;
        let mut head = known;
        self.hand(&self.tracked(&loop_.firsts()), &mut head);
        let mut ends = Vec::new();
        for single in &decision.singles {
            let (end, next) = self.conditional_iteration(id, loop_, head, decision.horizon, &single.walk)?;
            ends.extend(end);
            let Some(next) = next else { return Ok(any(ends)) };
            head = next;
        }
        let (rest, invariant) = self.rest(id, decision, &head)?;
        let walk = &rest.body.walk;
        let (end, next) = self.conditional_iteration(id, loop_, invariant.clone(), decision.horizon, walk)?;
        ends.extend(end);
        if let Some(next) = next {
            self.require_within(id, &next, &invariant, "at the end of an iteration")?;
        }
        Ok(any(ends))
    }

    /// One iteration of a loop with a condition: the state after the loop, and that at the head of the next iteration.
    fn conditional_iteration(
        &mut self,
        id: ItemId,
        loop_: &While<'c>,
        head: Known,
        horizon: u32,
        walk: &Walk,
    ) -> Result<(Option<Known>, Option<Known>), Rejection> {
        let op = self.program.items[id].op;
        let mut script = Script::of(walk);
        let asked = self.block(loop_.before, 0, head, &[], &mut script)?;
        let holds = self.context.evaluate(loop_.condition);
        let end = (holds != Some(true)).then(|| {
            let mut end = asked.clone();
            self.hand(&self.tracked(&loop_.results()), &mut end);
            end.forget_tokens(self.program, op, &[]);
            end.after_loop(self.program, id)
        });
        if holds == Some(false) {
            script.is_over()?;
            return Ok((end, None));
        }
        let mut start = asked;
        self.hand(&self.tracked(&loop_.entered()), &mut start);
        let checkpoint = self.context.checkpoint();
        self.context.assume(&Predicate::Condition(loop_.condition), true);
        let nexts = self.tracked(&loop_.nexts());
        let mut next = self.block(loop_.after, 0, start, &nexts, &mut script)?;
        script.is_over()?;
        self.context.roll_back(checkpoint);
        let handed: Vec<Value<'c>> = nexts.iter().map(|(inside, _)| *inside).collect();
        next.forget_tokens(self.program, op, &handed);
        Ok((end, Some(next.next_iteration(self.program, id, horizon))))
    }

    /// Of values that are handed on, those that waits name.
    fn tracked(&self, pairs: &[(Value<'c>, Value<'c>)]) -> Vec<(Value<'c>, Value<'c>)> {
        let tracked = &self.program.tracked;
        let is_tracked = |(to, from): &&(Value<'c>, Value<'c>)| tracked.contains(*to) || tracked.contains(*from);
        pairs.iter().filter(is_tracked).copied().collect()
    }

    /// Control flow that is not followed: its blocks may be executed in any order and number, so that the end of each
    /// has to be ⊑ the invariant with which all of them begin.
    pub(super) fn other(
        &mut self,
        id: ItemId,
        blocks: &[BlockId],
        values: &[Value<'c>],
        known: &Known,
        script: &mut Script<'_>,
    ) -> Result<Known, Rejection> {
        let op = self.program.items[id].op;
        let decision = script.loop_(op.id)?;
        if !decision.singles.is_empty() {
            return Err(self.rejection(id, "blocks in any order have no first iterations".to_owned()));
        }
        let (rest, invariant) = self.rest(id, decision, known)?;
        let without_origin = |known: &mut Known| {
            known
                .tokens
                .extend(values.iter().map(|value| (value.id, Token::none(false))));
        };
        let mut head = invariant.clone();
        without_origin(&mut head);
        let mut script = Script::of(&rest.body.walk);
        for block in blocks {
            let mut end = self.block(*block, 0, head.clone(), &[], &mut script)?;
            end.forget_tokens(self.program, op, &[]);
            let next = end.next_iteration(self.program, id, decision.horizon);
            self.require_within(id, &next, &invariant, "at the end of a block")?;
        }
        script.is_over()?;
        let mut after = invariant.after_loop(self.program, id);
        without_origin(&mut after);
        Ok(after)
    }
}

/// State where it may be any of these; where none is reached, nothing is outstanding.
fn any(states: Vec<Known>) -> Known {
    states.into_iter().reduce(Known::join).unwrap_or_default()
}
