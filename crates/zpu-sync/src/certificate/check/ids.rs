//! Barrier ids in the check: which commands a number may mean.
//!
//! A wait for an id is one for a command whose id may be the same, back to the latest one whose id certainly is. What
//! each of those leaves, the wait leaves.

use std::rc::Rc;

use super::known::{Instances, Known, Owner};
use super::{Checker, Rejection};
use crate::index::Range;
use crate::problem::EngineId;
use crate::problem::algebra::{Index, Linear, Symbol};
use crate::problem::view::Value;
use crate::program::epoch::{Epoch, Instance, Iteration};
use crate::program::same_id::{Sameness, are_apart, compare};
use crate::program::{Item, ItemId, Kind};
use zpu_device::NeverIssued;

impl<'c> Checker<'_, 'c> {
    /// A command takes an id: no other engine's command may hold it.
    pub(super) fn take_id(&self, id: ItemId, instance: &Rc<Instance>, known: &mut Known) -> Result<(), Rejection> {
        let program = self.program;
        let number = self.number_of(&program.present(id));
        self.require_id(id, number.as_ref())?;
        let engine = program.items[id].kind.engine();
        let mut owners = Vec::new();
        for owner in std::mem::take(&mut known.owners) {
            let is_live = known.outstanding.contains(&owner.instance);
            let sameness = self.same_id(id, number.as_ref(), &owner.instance);
            let is_elsewhere = program.items[owner.instance.item].kind.engine() != engine;
            if sameness != Sameness::Different && is_live && is_elsewhere {
                let owner = self.name(&owner.instance);
                return Err(self.rejection(id, format!("{owner} may hold the barrier id on another engine")));
            }
            // Nobody asks for what is complete, unless numbers are compared.
            let is_asked_for = is_live || program.tracked.compares;
            if is_asked_for && sameness != Sameness::Same && owner.instance != *instance {
                owners.push(owner);
            }
        }
        owners.push(Owner {
            instance: instance.clone(),
            leaves: Instances::new(),
            certain: true,
        });
        known.owners = owners;
        Ok(())
    }

    /// A wait for a number.
    pub(super) fn wait_id(&self, id: ItemId, number: Value<'c>, known: &mut Known) -> Result<(), Rejection> {
        let program = self.program;
        let returns = program.device.sync.wait_on_never_issued == NeverIssued::Return;
        let never_issued = || self.rejection(id, "no command may have been issued with the barrier id".to_owned());
        if let Some(token) = self.named(number, known) {
            // A negative number is no id, whatever the device does with ids that nobody took.
            if token.may_be_none && (token.sign_tells || !returns) {
                return Err(never_issued());
            }
            known.complete(&token.covers);
            return Ok(());
        }
        let number = self.number_of(&program.present(id));
        self.require_id(id, number.as_ref())?;
        let (mut engines, mut leaves): (Vec<EngineId>, Instances) = Default::default();
        for owner in known.owners.iter().rev() {
            let sameness = self.same_id(id, number.as_ref(), &owner.instance);
            if sameness == Sameness::Different {
                continue;
            }
            engines.extend(program.items[owner.instance.item].kind.engine());
            leaves.extend(owner.leaves.iter().cloned());
            if sameness == Sameness::Same && owner.certain {
                // It is a wait for one of these; on which engine has to be known.
                if engines.iter().all(|engine| *engine == engines[0]) {
                    let mut done = known.on_engine(program, engines[0]);
                    done.retain(|instance| !leaves.contains(instance));
                    known.complete(&done);
                }
                return Ok(());
            }
        }
        if returns { Ok(()) } else { Err(never_issued()) }
    }

    /// Requires that the device has the id, by what is known here or everywhere.
    fn require_id(&self, id: ItemId, number: Option<&Index<'c>>) -> Result<(), Rejection> {
        let limit = i128::from(self.program.device.sync.ids);
        let has = |index: &Index<'c>| {
            let Range { least, most } = self.context.range_of(index);
            least.is_some_and(|least| least >= 0) && most.is_some_and(|most| most < limit)
        };
        let everywhere = self.program.items[id].kind.id().map(Value::index);
        if number.is_some_and(has) || everywhere.as_ref().is_some_and(has) {
            return Ok(());
        }
        Err(self.rejection(id, "the barrier id may be one that does not exist".to_owned()))
    }

    /// The answer whether the id of an item, which is `number` here, is that of a command.
    fn same_id(&self, item: ItemId, number: Option<&Index<'c>>, instance: &Instance) -> Sameness {
        if let Some((number, other)) = number.zip(self.number_of(instance)) {
            return compare(number, &other);
        }
        let everywhere = |item: ItemId| self.program.items[item].kind.id().map(Value::index);
        match everywhere(item).zip(everywhere(instance.item)) {
            Some((left, right)) if are_apart(&left, &right) => Sameness::Different,
            _ => Sameness::Unknown,
        }
    }

    /// The id of a command as it is seen from the present point; `None` where that is not known.
    fn number_of(&self, instance: &Instance) -> Option<Index<'c>> {
        let mut number = self.program.items[instance.item].kind.id()?.index();
        // Inner loops first: their bounds may count in the iterations of outer ones.
        for (loop_, epoch) in instance.when.iter().rev() {
            let Item { op, kind, .. } = &self.program.items[*loop_];
            let less = |number: &Linear<'c>, back: u32| number.add_scaled(&Linear::constant(back.into()), -1);
            let then = match (*epoch, self.context.iteration(*loop_), kind) {
                // The number is that of the present iteration.
                (Epoch::Ago(0), Some(Iteration::From(_)), _) => continue,
                (Epoch::Ago(0), None, Kind::While(_) | Kind::Other(..)) => continue,
                (Epoch::Ago(back), Some(Iteration::At(now)), _) => less(&Linear::constant(now), back),
                (Epoch::Ago(back), Some(Iteration::From(_)), _) => less(&Linear::symbol(Symbol::Iteration(*op)), back),
                (Epoch::Last(back), _, Kind::For(loop_)) => loop_.trips.as_ref().and_then(|trips| less(trips, back)),
                _ => None,
            };
            let ago = if let Epoch::Ago(back) = *epoch { back } else { 0 };
            number = match then {
                Some(then) => number.at(*op, &then, i64::from(ago))?,
                None if number.depends_on(*op) => return None,
                None => continue,
            };
            // What is made inside a loop that is over has no name after it.
            if matches!(epoch, Epoch::Last(_)) && number.depends_on(*op) {
                return None;
            }
        }
        Some(number)
    }
}
