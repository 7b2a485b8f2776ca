//! Control flow of the check: blocks, branches and loops, as the certificate has them.
//!
//! A loop with an invariant is walked once from it: the state before has to be ⊑ the invariant, and so has the end of
//! the body. So the invariant holds at the head of each iteration, by induction.

use super::known::{Instances, Known, Token};
use super::{Checker, Rejection};
use crate::certificate::{Body, Decision, Loop as LoopDecision, Walk};
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
    /// Goes through a program as a walk says; it has to come to all decisions of the walk.
    pub(super) fn follow<T>(
        walk: &'w Walk,
        steps: impl FnOnce(&mut Self) -> Result<T, Rejection>,
    ) -> Result<T, Rejection> {
        let mut script = Self(walk);
        let end = steps(&mut script)?;
        match script.0 {
            [] => Ok(end),
            [Decision::Split { at, .. } | Decision::Loop(LoopDecision { at, .. }), ..] => Err(Rejection {
                at: *at,
                text: "the certificate decides something to which the walk does not come".to_owned(),
            }),
        }
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
}

/// States after an iteration of a loop: the one with which the loop is over, if it may be, and those with which it goes
/// on.
type Ways = (Option<Known>, Vec<Known>);

/// Pairs of values: the second is handed on as the first.
pub(super) type Handed<'c> = [(Value<'c>, Value<'c>)];

impl<'c> Checker<'_, 'c> {
    /// A block from some item on, which hands values on at its end: of each pair, the second as the first.
    pub(super) fn block(
        &mut self,
        block: BlockId,
        from: usize,
        mut known: Known,
        yields: &Handed<'c>,
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
                    let end = |own: &mut Script<'_>| self.block(block, at, known.clone(), yields, own);
                    ends.push(Script::follow(walk, end)?);
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
    fn hand(&self, pairs: &Handed<'c>, known: &mut Known) {
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

    /// Walks a loop as the certificate decides, from the head of its first iteration: the first ones one by one, then
    /// any later one from the invariant, which has to hold there and again at its end. `iteration` walks one of them;
    /// the states with which the loop is over are returned.
    fn iterations(
        &mut self,
        id: ItemId,
        decision: &LoopDecision,
        mut head: Known,
        mut iteration: impl FnMut(&mut Self, Known, Iteration, &Body) -> Result<Ways, Rejection>,
    ) -> Result<Vec<Known>, Rejection> {
        let mut ends = Vec::new();
        for (number, single) in (0..).zip(&decision.singles) {
            let (end, nexts) = iteration(self, head, Iteration::At(number), single)?;
            ends.extend(end);
            let Some(next) = nexts.into_iter().reduce(Known::join) else {
                return Ok(ends);
            };
            head = next;
        }
        let count = decision.singles.len();
        let Some(rest) = &decision.rest else {
            let text = format!("the loop may go on after {count} iterations, without an invariant");
            return Err(self.rejection(id, text));
        };
        let invariant = self.read(id, &rest.invariant)?;
        self.require_within(id, &head, &invariant, &format!("after {count} iterations"))?;
        let (end, nexts) = iteration(self, invariant.clone(), Iteration::From(count as i64), &rest.body)?;
        let is_other = matches!(self.program.items[id].kind, Kind::Other(..));
        let place = if is_other {
            "at the end of a block"
        } else {
            "at the end of an iteration"
        };
        for next in nexts {
            self.require_within(id, &next, &invariant, place)?;
        }
        ends.extend(end);
        Ok(ends)
    }

    /// A counted loop.
    pub(super) fn counted(
        &mut self,
        id: ItemId,
        loop_: &Loop<'c>,
        mut known: Known,
        script: &mut Script<'_>,
    ) -> Result<Known, Rejection> {
        let decision = script.loop_(self.program.items[id].op.id)?;
        let firsts: Vec<(Value<'c>, Value<'c>)> = loop_.tokens.iter().map(|each| (each.inside, each.first)).collect();
        self.hand(&firsts, &mut known);
        let there_is = self.there_is(loop_, 0);
        let mut ends = Vec::new();
        if there_is != Some(true) {
            ends.push(self.over(id, known.clone(), &results(loop_)));
        }
        if there_is != Some(false) {
            ends.extend(self.iterations(id, decision, known, |checker, head, iteration, body| {
                checker.counted_iteration(id, loop_, decision, head, iteration, body)
            })?);
        }
        Ok(any(ends))
    }

    /// True if a loop has this iteration, false if it has not; none if that is not certain here.
    fn there_is(&self, loop_: &Loop<'c>, iteration: i64) -> Option<bool> {
        if let Some(trips) = loop_.constant_trips {
            return Some(iteration < trips);
        }
        let left = loop_.length_from(iteration)?;
        self.context.answer(&Predicate::Positive(left))
    }

    /// An iteration of a counted loop. Where the last one is told apart, it is walked a second time as that.
    fn counted_iteration(
        &mut self,
        id: ItemId,
        loop_: &Loop<'c>,
        decision: &LoopDecision,
        head: Known,
        iteration: Iteration,
        body: &Body,
    ) -> Result<Ways, Rejection> {
        let program = self.program;
        let goes_on = match iteration {
            Iteration::At(number) => self.there_is(loop_, number + 1),
            Iteration::From(_) => None,
        };
        let yields: Vec<(Value<'c>, Value<'c>)> = loop_.tokens.iter().map(|each| (each.inside, each.next)).collect();
        let mut walked = |head: Known, is_last: Option<bool>, walk: &Walk| -> Result<Known, Rejection> {
            let checkpoint = self.context.enter(id, program.items[id].op, iteration, is_last);
            let end = Script::follow(walk, |script| self.block(loop_.body, 0, head, &yields, script))?;
            self.context.leave(checkpoint);
            Ok(end.next_iteration(program, id, decision.horizon, &yields))
        };
        let next = walked(head.clone(), decision.splits_last.then_some(false), &body.walk)?;
        let end = match goes_on {
            Some(true) => None,
            _ if decision.splits_last => Some(walked(head, Some(true), &body.as_last)?),
            _ => Some(next.clone()),
        };
        let end = end.map(|end| self.over(id, end, &results(loop_)));
        Ok((end, Vec::from_iter((goes_on != Some(false)).then_some(next))))
    }

    /// A loop that goes on as long as a condition holds.
    pub(super) fn repeated(
        &mut self,
        id: ItemId,
        loop_: &While<'c>,
        mut known: Known,
        script: &mut Script<'_>,
    ) -> Result<Known, Rejection> {
        let decision = script.loop_(self.program.items[id].op.id)?;
        self.hand(&self.program.tracked.among(loop_.firsts()), &mut known);
        let ends = self.iterations(id, decision, known, |checker, head, _, body| {
            Script::follow(&body.walk, |script| {
                checker.conditional_iteration(id, loop_, decision.horizon, head, script)
            })
        })?;
        Ok(any(ends))
    }

    fn conditional_iteration(
        &mut self,
        id: ItemId,
        loop_: &While<'c>,
        horizon: u32,
        head: Known,
        script: &mut Script<'_>,
    ) -> Result<Ways, Rejection> {
        let tracked = &self.program.tracked;
        let mut known = self.block(loop_.before, 0, head, &[], script)?;
        let holds = self.context.evaluate(loop_.condition);
        let end = (holds != Some(true)).then(|| self.over(id, known.clone(), &tracked.among(loop_.results())));
        if holds == Some(false) {
            return Ok((end, Vec::new()));
        }
        self.hand(&tracked.among(loop_.entered()), &mut known);
        let checkpoint = self.context.checkpoint();
        self.context.assume(&Predicate::Condition(loop_.condition), true);
        let nexts = tracked.among(loop_.nexts());
        let next = self.block(loop_.after, 0, known, &nexts, script)?;
        self.context.roll_back(checkpoint);
        Ok((end, vec![next.next_iteration(self.program, id, horizon, &nexts)]))
    }

    /// Control flow that is not followed: its blocks may be executed in any order and number, so that any of them is an
    /// iteration.
    pub(super) fn other(
        &mut self,
        id: ItemId,
        blocks: &[BlockId],
        values: &[Value<'c>],
        known: Known,
        script: &mut Script<'_>,
    ) -> Result<Known, Rejection> {
        let decision = script.loop_(self.program.items[id].op.id)?;
        if !decision.singles.is_empty() {
            return Err(self.rejection(id, "blocks in any order have no first iterations".to_owned()));
        }
        let of_unknown_origin = || values.iter().map(|value| (value.id, Token::none(false)));
        let ends = self.iterations(id, decision, known, |checker, mut head, _, body| {
            let end = checker.over(id, head.clone(), &[]);
            head.tokens.extend(of_unknown_origin());
            let nexts = Script::follow(&body.walk, |script| {
                let next = |block: &BlockId| {
                    let end = checker.block(*block, 0, head.clone(), &[], script)?;
                    Ok(end.next_iteration(checker.program, id, decision.horizon, &[]))
                };
                blocks.iter().map(next).collect()
            })?;
            Ok((Some(end), nexts))
        })?;
        let mut after = any(ends);
        after.tokens.extend(of_unknown_origin());
        Ok(after)
    }

    /// State after a loop that is over, which hands on its results.
    fn over(&self, id: ItemId, mut end: Known, results: &Handed<'c>) -> Known {
        self.hand(results, &mut end);
        end.after_loop(self.program, id)
    }
}

/// The results of a counted loop.
fn results<'c>(loop_: &Loop<'c>) -> Vec<(Value<'c>, Value<'c>)> {
    loop_.tokens.iter().map(|each| (each.result, each.inside)).collect()
}

/// State where it may be any of these; where none is reached, nothing is outstanding.
fn any(states: Vec<Known>) -> Known {
    states.into_iter().reduce(Known::join).unwrap_or_default()
}
