//! State of the check: plain ordered sets of command instances.
//!
//! The lattice of the proof, written down once more: `known ⊑ wider` iff whatever may be outstanding, freed or the
//! owner of an id in `known` may be so in `wider`, and whatever `wider` knows of waits, `known` knows.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::walk::Handed;
use crate::problem::{EngineId, ValueId};
use crate::program::epoch::{Epoch, Instance};
use crate::program::tracked::outlives_loop;
use crate::program::{ItemId, Program, RootId};

/// Command instances.
pub(super) type Instances = BTreeSet<Rc<Instance>>;

/// A wait for a token, or for the number of a barrier id.
#[derive(Clone, Debug, Default)]
pub(super) struct Token {
    /// All of these that are outstanding are complete after it.
    pub(super) covers: Instances,
    pub(super) may_be_none: bool,
    pub(super) sign_tells: bool,
}

/// A command that took an id.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    pub(super) instance: Rc<Instance>,
    /// Instances of its engine that a wait for it leaves.
    pub(super) leaves: Instances,
    /// It was issued on every way here, before all that follow it.
    pub(super) certain: bool,
}

/// State at one point of the program.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) outstanding: Instances,
    pub(super) tokens: BTreeMap<ValueId, Token>,
    pub(super) owners: Vec<Owner>,
    /// Roots by number.
    pub(super) freed: BTreeSet<RootId>,
    pub(super) freed_before: BTreeSet<RootId>,
}

impl Token {
    /// That of no command.
    pub(super) fn none(sign_tells: bool) -> Self {
        Self {
            covers: Instances::new(),
            may_be_none: true,
            sign_tells,
        }
    }

    /// Either of two, in one state.
    pub(super) fn either(&self, other: &Self) -> Self {
        Self {
            covers: self.covers.intersection(&other.covers).cloned().collect(),
            may_be_none: self.may_be_none || other.may_be_none,
            sign_tells: self.sign_tells && other.sign_tells,
        }
    }
}

impl Known {
    /// The outstanding instances of an engine.
    pub(super) fn on_engine(&self, program: &Program<'_>, engine: EngineId) -> Instances {
        let is_there = |instance: &&Rc<Instance>| program.items[instance.item].kind.engine() == Some(engine);
        self.outstanding.iter().filter(is_there).cloned().collect()
    }

    /// Commands are complete.
    pub(super) fn complete(&mut self, done: &Instances) {
        self.outstanding.retain(|instance| !done.contains(instance));
    }

    /// A command is issued. What had its name before is complete, or not covered by anything any more.
    pub(super) fn issue(&mut self, instance: &Rc<Instance>) {
        for token in self.tokens.values_mut() {
            token.covers.remove(instance);
        }
        self.outstanding.insert(instance.clone());
    }

    /// Control goes on in the next iteration of a loop, to which values are handed on.
    pub(super) fn next_iteration(
        &self,
        program: &Program<'_>,
        loop_: ItemId,
        horizon: u32,
        handed: &Handed<'_>,
    ) -> Self {
        self.renamed(program, loop_, handed, |epoch| match epoch {
            Epoch::Ago(ago) if ago.saturating_add(1) < horizon => Epoch::Ago(ago + 1),
            Epoch::Ago(ago) => Epoch::Before(horizon.min(ago.saturating_add(1))),
            other => other,
        })
    }

    /// Control goes on after a loop. What is in the iteration that never came counts as any.
    pub(super) fn after_loop(&self, program: &Program<'_>, loop_: ItemId) -> Self {
        self.renamed(program, loop_, &[], |epoch| match epoch {
            Epoch::Ago(ago) if ago > 0 => Epoch::Last(ago),
            Epoch::Ago(_) | Epoch::Before(_) => Epoch::Over,
            other => other,
        })
    }

    fn renamed(
        &self,
        program: &Program<'_>,
        loop_: ItemId,
        handed: &Handed<'_>,
        epoch: impl Fn(Epoch) -> Epoch,
    ) -> Self {
        let op = program.items[loop_].op;
        let rename = |instance: &Rc<Instance>| {
            let mut renamed = Instance::clone(instance);
            for (_, when) in renamed.when.iter_mut().filter(|(around, _)| *around == loop_) {
                *when = epoch(*when);
            }
            Rc::new(renamed)
        };
        let names: BTreeMap<&Rc<Instance>, Rc<Instance>> = self
            .outstanding
            .iter()
            .map(|instance| (instance, rename(instance)))
            .collect();
        let outstanding: Instances = names.values().cloned().collect();
        let mut tokens = BTreeMap::new();
        for (value, token) in &self.tokens {
            // What the body defines means another thing in another iteration.
            let is_handed = handed.iter().any(|(to, _)| to.id == *value);
            if !is_handed && !outlives_loop(program.problem.value(*value), op) {
                continue;
            }
            // Where several go by one name from now on, it is covered if all of them are.
            let is_left = |(instance, _): &(&&Rc<Instance>, &Rc<Instance>)| !token.covers.contains(**instance);
            let left: BTreeSet<&Rc<Instance>> = names.iter().filter(is_left).map(|(_, name)| name).collect();
            let covers = outstanding
                .iter()
                .filter(|name| !left.contains(name))
                .cloned()
                .collect();
            tokens.insert(*value, Token { covers, ..*token });
        }
        let mut owners: Vec<Owner> = Vec::new();
        for owner in &self.owners {
            let instance = rename(&owner.instance);
            let leaves: Instances = owner
                .leaves
                .iter()
                .filter_map(|each| names.get(each))
                .cloned()
                .collect();
            match owners.iter_mut().find(|known| known.instance == instance) {
                Some(known) => {
                    known.leaves.extend(leaves);
                    known.certain = false;
                }
                None => owners.push(Owner {
                    instance,
                    leaves,
                    certain: owner.certain,
                }),
            }
        }
        // One that is not certain may be later than any other.
        owners.sort_by_key(|owner| !owner.certain);
        let is_inside = |root: &&RootId| program.roots[**root].value().is_defined_inside(op);
        let past = self.freed.iter().filter(is_inside).copied();
        Self {
            outstanding,
            tokens,
            owners,
            freed: self.freed.iter().filter(|root| !is_inside(root)).copied().collect(),
            freed_before: past.chain(self.freed_before.iter().copied()).collect(),
        }
    }

    /// Either of two states.
    pub(super) fn join(mut self, other: Self) -> Self {
        let mut tokens = BTreeMap::new();
        for (value, left) in std::mem::take(&mut self.tokens) {
            let Some(right) = other.tokens.get(&value) else {
                continue;
            };
            // What is not outstanding in one of them is covered there.
            let is_covered = |instance: &&Rc<Instance>| {
                (left.covers.contains(*instance) || !self.outstanding.contains(*instance))
                    && (right.covers.contains(*instance) || !other.outstanding.contains(*instance))
            };
            let covers = left.covers.union(&right.covers).filter(is_covered).cloned().collect();
            tokens.insert(
                value,
                Token {
                    covers,
                    ..left.either(right)
                },
            );
        }
        Self {
            tokens,
            owners: either_owners(self.owners, other.owners),
            outstanding: self.outstanding.into_iter().chain(other.outstanding).collect(),
            freed: self.freed.into_iter().chain(other.freed).collect(),
            freed_before: self.freed_before.into_iter().chain(other.freed_before).collect(),
        }
    }

    /// Checks that `self ⊑ wider`; otherwise returns the first thing that is not, in words.
    pub(super) fn is_within(&self, wider: &Self, name: impl Fn(&Instance) -> String) -> Result<(), String> {
        if let Some(instance) = self.outstanding.difference(&wider.outstanding).next() {
            return Err(format!(
                "{} may be outstanding, which the invariant leaves out",
                name(instance)
            ));
        }
        let missing = |own: &BTreeSet<RootId>, all: &BTreeSet<RootId>| own.difference(all).next().copied();
        let freed = missing(&self.freed, &wider.freed).or(missing(&self.freed_before, &wider.freed_before));
        if let Some(root) = freed {
            return Err(format!(
                "root {} may have been freed, which the invariant leaves out",
                root.at()
            ));
        }
        for (value, claimed) in &wider.tokens {
            let value = value.0;
            let Some(token) = self.tokens.get(&ValueId(value)) else {
                return Err(format!(
                    "nothing is known of a wait for value {value}, of which the invariant knows"
                ));
            };
            let mut claims = claimed.covers.iter().filter(|each| self.outstanding.contains(*each));
            if let Some(instance) = claims.find(|each| !token.covers.contains(*each)) {
                let instance = name(instance);
                return Err(format!(
                    "a wait for value {value} leaves {instance}, which the invariant says it covers"
                ));
            }
            if token.may_be_none && !claimed.may_be_none {
                return Err(format!(
                    "value {value} may stand for no command, which the invariant leaves out"
                ));
            }
            if claimed.sign_tells && !token.sign_tells {
                return Err(format!(
                    "the sign of value {value} does not tell what the invariant says it does"
                ));
            }
        }
        self.owners_are_within(wider, name)
    }

    fn owners_are_within(&self, wider: &Self, name: impl Fn(&Instance) -> String) -> Result<(), String> {
        for owner in &self.owners {
            let claimed = wider.owners.iter().find(|claimed| claimed.instance == owner.instance);
            let left = owner.leaves.intersection(&self.outstanding);
            let is_left_out = claimed.is_none_or(|claimed| left.into_iter().any(|each| !claimed.leaves.contains(each)));
            if is_left_out {
                let owner = name(&owner.instance);
                return Err(format!(
                    "{owner} may hold a barrier id, or leave more, than the invariant says"
                ));
            }
        }
        for (at, claimed) in wider.owners.iter().enumerate().filter(|(_, claimed)| claimed.certain) {
            let is_same = |owner: &Owner| owner.instance == claimed.instance;
            let place = self.owners.iter().position(|owner| is_same(owner) && owner.certain);
            let is_later = |owner: &Owner| wider.owners[at..].iter().any(|each| each.instance == owner.instance);
            if !place.is_some_and(|place| self.owners[place..].iter().all(is_later)) {
                let owner = name(&claimed.instance);
                return Err(format!(
                    "{owner} may not hold a barrier id, or later than the invariant says"
                ));
            }
        }
        Ok(())
    }
}

/// Owners in either of two states. A command stays certain if it is so in both and all such have one order.
fn either_owners(left: Vec<Owner>, right: Vec<Owner>) -> Vec<Owner> {
    let instances =
        |owners: &[Owner]| -> Vec<Rc<Instance>> { owners.iter().map(|each| each.instance.clone()).collect() };
    let certain = |owners: &[Owner]| -> Vec<Rc<Instance>> {
        let certain = owners.iter().filter(|each| each.certain);
        certain.map(|each| each.instance.clone()).collect()
    };
    let (mut stay, mut other) = (certain(&left), certain(&right));
    stay.retain(|each| other.contains(each));
    other.retain(|each| stay.contains(each));
    let are_equal = instances(&left) == instances(&right);
    let mut joined = left;
    for owner in right {
        match joined.iter_mut().find(|known| known.instance == owner.instance) {
            Some(known) => known.leaves.extend(owner.leaves),
            None => joined.push(owner),
        }
    }
    for owner in &mut joined {
        owner.certain = stay == other && stay.contains(&owner.instance);
    }
    if !are_equal {
        joined.sort_by_key(|owner| !owner.certain);
    }
    joined
}
