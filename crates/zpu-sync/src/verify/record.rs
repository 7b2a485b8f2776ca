//! The record of a walk: its decisions and loop invariants, as a [`certificate`](crate::certificate) has them.
//!
//! A loop is walked several times until nothing is added; only the last of these walks is kept. Where nobody asks for a
//! record, nothing is converted and no list grows.

use crate::certificate::{self, Certificate, Decision, Invariant, Loop, Walk};
use crate::program::{ItemId, RootId};
use crate::verify::interpreter::Interpreter;
use crate::verify::state::{InstanceId, Set, State};

use crate::index::Root;
use crate::problem::Ids;

impl<'c> Interpreter<'_, 'c> {
    /// A part of the walk, with a record of its own.
    pub(crate) fn recorded<T>(&mut self, part: impl FnOnce(&mut Self) -> T) -> (T, Walk) {
        let around = self.record.as_mut().map(std::mem::take);
        let outcome = part(self);
        let walk = std::mem::replace(&mut self.record, around);
        (outcome, walk.unwrap_or_default())
    }

    /// Records a decision.
    pub(crate) fn decide(&mut self, decision: impl FnOnce(&Self) -> Decision) {
        if let Some(mut record) = self.record.take() {
            record.push(decision(self));
            self.record = Some(record);
        }
    }

    /// Begins to record how a loop is walked.
    pub(crate) fn loop_record(&self, item: ItemId, horizon: u32, splits_last: bool) -> Loop {
        Loop {
            at: self.program.items[item].op.id,
            horizon,
            singles: Vec::new(),
            splits_last,
            rest: None,
        }
    }

    /// Records how a loop was walked.
    pub(crate) fn decide_loop(&mut self, loop_: Loop) {
        self.decide(|_| Decision::Loop(loop_));
    }

    /// A state as plain data; nothing where there is no record.
    pub(crate) fn invariant(&self, state: &State<'c>) -> Invariant {
        if self.record.is_none() {
            return Invariant::default();
        }
        let list = |set: &Set<InstanceId>| set.numbers().map(InstanceId::at).collect();
        let roots = |set: &Set<RootId>| -> Vec<Root<Ids>> {
            let named = set.numbers().map(|root| self.program.roots[root]);
            named.map(|root| root.renamed(&|value| value.id)).collect()
        };
        let tokens = state.tokens.iter().map(|(value, token)| certificate::Token {
            value: value.id,
            covers: list(&token.covers),
            may_be_none: token.may_be_none,
            sign_tells: token.sign_tells,
        });
        let mut tokens: Vec<certificate::Token> = tokens.collect();
        tokens.sort_by_key(|token| token.value);
        let owners = state.owners.list.iter().map(|owner| certificate::Owner {
            instance: owner.instance.at(),
            leaves: list(&owner.leaves),
            certain: owner.certain,
        });
        Invariant {
            outstanding: list(&state.outstanding),
            tokens,
            owners: owners.collect(),
            freed: roots(&state.freed),
            freed_before: roots(&state.freed_before),
        }
    }

    /// The record, if there is one and the walk has proven the program.
    pub(crate) fn certificate(&mut self) -> Option<Certificate> {
        let is_proven = self.findings.list.is_empty() && !self.has_given_up();
        let walk = self.record.take().filter(|_| is_proven)?;
        let instances = self.instances.list.iter().map(|instance| certificate::Instance {
            start: self.program.items[instance.item].op.id,
            epochs: instance.when.iter().map(|(_, epoch)| *epoch).collect(),
        });
        Some(Certificate {
            function: self.program.problem.name.clone(),
            instances: instances.collect(),
            walk,
        })
    }
}
