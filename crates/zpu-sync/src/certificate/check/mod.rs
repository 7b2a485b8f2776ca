//! Follows a program with a certificate, and accepts or rejects it.
//!
//! The check shares no code with the proof: only the [`program`](crate::program) with its facts about numbers and
//! regions, and the [`index`](crate::index) algebra. It searches for nothing and never iterates to a fixed point: at
//! the head of a loop it requires that its state is below the invariant, and again after one walk through the body.
//! States are plain sets of command instances. What it does not follow it rejects.
//!
//! [`known`] is the state with its order and join; [`walk`] has control flow, [`step`] single operations, [`access`]
//! and [`ids`] what must not meet, [`lifetime`] memory that is gone.

mod access;
mod ids;
mod known;
mod lifetime;
mod step;
mod walk;

use std::collections::HashMap;
use std::rc::Rc;

use thiserror::Error;

use super::{Certificate, Invariant};
use known::{Instances, Known, Owner, Token};
use walk::Script;

use crate::index::Root;
use crate::problem::{Ids, OpId, Problem, algebra};
use crate::program::atom::Atom;
use crate::program::epoch::{Epoch, Instance};
use crate::program::path_context::PathContext;
use crate::program::{ItemId, Program};

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("operation {}: {text}", at.0)]
pub struct Rejection {
    /// The operation: a loop whose invariant does not hold, an access that is not ordered.
    pub at: OpId,
    /// In words.
    pub text: String,
}

/// Checks that a certificate proves that the waits of a function are enough.
///
/// # Errors
///
/// The first thing that does not hold, or that is not decided.
pub fn check(problem: &Problem, certificate: &Certificate) -> Result<(), Rejection> {
    let program = Program::of(problem);
    let reject = |text: &str| Rejection {
        at: OpId::FUNCTION,
        text: text.to_owned(),
    };
    if certificate.function != problem.name {
        return Err(reject("the certificate is one of another function"));
    }
    let entry = program.entry;
    let entry = entry.ok_or_else(|| reject("blocks that branch to each other are not followed"))?;
    let mut checker = Checker::of(&program, certificate)?;
    let walked = |script: &mut Script<'_>| checker.block(entry, 0, Known::default(), &[], script);
    Script::follow(&certificate.walk, walked).map(drop)
}

/// A walk through a program that follows a certificate.
struct Checker<'p, 'c> {
    program: &'p Program<'c>,
    /// Facts about numbers that hold here.
    context: PathContext<'c>,
    /// The instances of the certificate.
    instances: Vec<Rc<Instance>>,
    /// By what a condition is about and what that was: commands for which a branch of the blocks around has waited
    /// there, or never issued.
    done: Vec<(Atom<'c>, bool, Instances)>,
}

impl<'p, 'c> Checker<'p, 'c> {
    fn of(program: &'p Program<'c>, certificate: &Certificate) -> Result<Self, Rejection> {
        let is_start = |item: &ItemId| program.items[*item].kind.engine().is_some();
        let starts = program.items.ids().filter(is_start);
        let starts: HashMap<OpId, ItemId> = starts.map(|item| (program.items[item].op.id, item)).collect();
        let mut instances = Vec::new();
        for instance in &certificate.instances {
            let item = starts.get(&instance.start).copied();
            let around = item.map(|item| &program.items[item].around);
            let are_epochs = instance.epochs.iter().all(|epoch| *epoch != Epoch::Last(0));
            let known = item.zip(around.filter(|around| are_epochs && around.len() == instance.epochs.len()));
            let (item, around) = known.ok_or_else(|| Rejection {
                at: instance.start,
                text: "an instance names no command, or not when it was issued".to_owned(),
            })?;
            let when: Vec<(ItemId, Epoch)> = around.iter().copied().zip(instance.epochs.iter().copied()).collect();
            instances.push(Rc::new(Instance { item, when }));
        }
        Ok(Self {
            program,
            context: PathContext::default(),
            instances,
            done: Vec::new(),
        })
    }

    /// The state that an invariant of the certificate describes.
    fn read(&self, item: ItemId, invariant: &Invariant) -> Result<Known, Rejection> {
        let instance = |number: &usize| {
            let instance = self.instances.get(*number).cloned();
            instance.ok_or_else(|| self.rejection(item, format!("the certificate has no instance {number}")))
        };
        let all = |list: &[usize]| list.iter().map(instance).collect::<Result<Instances, Rejection>>();
        let root = |root: &Root<Ids>| {
            let is_same = |known: &algebra::Root<'c>| known.renamed(&|value| value.id) == *root;
            let mut same = self.program.roots.enumerate().filter(|(_, known)| is_same(known));
            let number = same.next().map(|(number, _)| number);
            number.ok_or_else(|| self.rejection(item, "the certificate names memory that is not there".to_owned()))
        };
        let mut known = Known {
            outstanding: all(&invariant.outstanding)?,
            freed: invariant.freed.iter().map(root).collect::<Result<_, _>>()?,
            freed_before: invariant.freed_before.iter().map(root).collect::<Result<_, _>>()?,
            ..Known::default()
        };
        for token in &invariant.tokens {
            let read = Token {
                covers: all(&token.covers)?,
                may_be_none: token.may_be_none,
                sign_tells: token.sign_tells,
            };
            known.tokens.insert(token.value, read);
        }
        for owner in &invariant.owners {
            let holder = instance(&owner.instance)?;
            if known.owners.iter().any(|owner| owner.instance == holder) {
                return Err(self.rejection(item, format!("{} holds barrier ids twice", self.name(&holder))));
            }
            known.owners.push(Owner {
                instance: holder,
                leaves: all(&owner.leaves)?,
                certain: owner.certain,
            });
        }
        Ok(known)
    }

    /// Requires that a state is below the invariant of a loop.
    fn require_within(&self, item: ItemId, known: &Known, invariant: &Known, place: &str) -> Result<(), Rejection> {
        let within = known.is_within(invariant, |instance| self.name(instance));
        within.map_err(|gap| self.rejection(item, format!("{place}, {gap}")))
    }

    fn rejection(&self, item: ItemId, text: String) -> Rejection {
        Rejection {
            at: self.program.items[item].op.id,
            text,
        }
    }

    /// An instance in words: its operation and its epochs, outermost first.
    fn name(&self, instance: &Instance) -> String {
        let op = self.program.items[instance.item].op;
        let epochs = instance.when.iter().map(|(_, epoch)| match epoch {
            Epoch::Ago(0) => ", present iteration".to_owned(),
            Epoch::Ago(1) => ", previous iteration".to_owned(),
            Epoch::Ago(ago) => format!(", {ago} iterations ago"),
            Epoch::Before(least) => format!(", {least} or more iterations ago"),
            Epoch::Last(back) => format!(", iteration {back} from the last"),
            Epoch::Over => ", any iteration".to_owned(),
        });
        format!("`{}` (operation {}{})", op.name(), op.id.0, epochs.collect::<String>())
    }
}
