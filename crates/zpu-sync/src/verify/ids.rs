//! Barrier ids: which command an id means at some point of a program.
//!
//! Starting a command with an id makes the id mean that command until another one takes it. A wait for an id may be for
//! any command whose id may be the same, back to the latest one whose id certainly is; what all of those leave
//! outstanding, it leaves.

use crate::problem::EngineId;
use crate::problem::view::Value;
use crate::program::epoch::{Epoch, Iteration};
use crate::program::path_context::PathContext;
use crate::program::same_id::Sameness;
use crate::program::same_id::are_apart;
use crate::program::same_id::compare;
use crate::program::{ItemId, Kind, Program};
use crate::verify::interpreter::Interpreter;
use crate::verify::state::{InstanceId, Set, State};
use zpu_device::NeverIssued;

use crate::index::Range;
use crate::problem::algebra::{Index, Linear, Symbol};

/// A command that took an id.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Owner {
    /// The command.
    pub(crate) instance: InstanceId,
    /// Instances of its engine that a wait for it leaves.
    pub(crate) leaves: Set<InstanceId>,
    /// It was issued on every way here, before all that follow it in the list.
    pub(crate) certain: bool,
}

/// Commands with ids, the latest last. Those that are not certain count as later than all that are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Owners {
    pub(crate) list: Vec<Owner>,
}

impl Owners {
    /// A command takes an id; it is the latest.
    pub(crate) fn take(&mut self, instance: InstanceId) {
        self.list.retain(|owner| owner.instance != instance);
        let leaves = Set::default();
        let owner = Owner {
            instance,
            leaves,
            certain: true,
        };
        // What may have come before or not is now certainly older.
        self.list.push(owner);
    }

    /// Either of two lists.
    pub(crate) fn join(&mut self, other: &Self) {
        let order = |list: &[Owner]| -> Vec<InstanceId> { list.iter().map(|owner| owner.instance).collect() };
        let is_equal = order(&self.list) == order(&other.list);
        let mut joined = self.list.clone();
        for owner in &other.list {
            match joined.iter_mut().find(|known| known.instance == owner.instance) {
                Some(known) => {
                    known.leaves.add(&owner.leaves);
                    known.certain &= owner.certain;
                }
                None => joined.push(Owner {
                    certain: false,
                    ..owner.clone()
                }),
            }
        }
        if !is_equal {
            let both = order(&other.list);
            let shared: Vec<InstanceId> = order(&self.list).into_iter().filter(|id| both.contains(id)).collect();
            let mine = order(&self.list);
            let theirs: Vec<InstanceId> = both.into_iter().filter(|id| mine.contains(id)).collect();
            for owner in &mut joined {
                owner.certain &= shared == theirs && shared.contains(&owner.instance);
            }
            joined.sort_by_key(|owner| !owner.certain);
        }
        self.list = joined;
    }
}

/// The id of a command as it is seen from the present point; `None` when it has no meaning here.
pub(crate) fn id_of<'c>(
    program: &Program<'c>,
    context: &PathContext<'c>,
    item: ItemId,
    when: &[(ItemId, Epoch)],
) -> Option<Index<'c>> {
    let mut index = program.items[item].kind.id()?.index();
    for (loop_, when) in when.iter().rev() {
        let op = program.items[*loop_].op;
        let Kind::For(counted) = &program.items[*loop_].kind else {
            if *when != Epoch::Ago(0) && index.depends_on(op) {
                return None;
            }
            continue;
        };
        let then = match (*when, context.iteration(*loop_)) {
            (Epoch::Ago(ago), Some(Iteration::At(now))) => Linear::constant(now - i64::from(ago)),
            (Epoch::Ago(0), Some(Iteration::From(_))) => continue,
            (Epoch::Ago(ago), Some(Iteration::From(_))) => {
                Linear::symbol(Symbol::Iteration(op)).add_scaled(&Linear::constant(ago.into()), -1)?
            }
            (Epoch::Last(back), _) if counted.trips.is_some() => {
                counted.trips.as_ref()?.add_scaled(&Linear::constant(back.into()), -1)?
            }
            _ if index.depends_on(op) => return None,
            _ => continue,
        };
        let instance = if let Epoch::Ago(ago) = when { i64::from(*ago) } else { 0 };
        index = index.at(op, &then, instance)?;
        if matches!(when, Epoch::Last(_)) && index.depends_on(op) {
            return None;
        }
    }
    Some(index)
}

impl<'c> Interpreter<'_, 'c> {
    fn present(&self, id: ItemId) -> Option<Index<'c>> {
        id_of(self.program, &self.context, id, &self.program.present(id).when)
    }

    /// The answer whether the id of an item, which is `id` here, is that of a command.
    fn same_id(&self, item: ItemId, id: Option<&Index<'c>>, instance: InstanceId) -> Sameness {
        let instance = &self.instances.list[instance];
        if let (Some(id), Some(other)) = (id, id_of(self.program, &self.context, instance.item, &instance.when)) {
            return compare(id, &other);
        }
        let everywhere = |item: ItemId| self.program.items[item].kind.id().map(Value::index);
        match (everywhere(item), everywhere(instance.item)) {
            (Some(left), Some(right)) if are_apart(&left, &right) => Sameness::Different,
            _ => Sameness::Unknown,
        }
    }

    /// A command takes an id: another engine's command must be done with it.
    pub(crate) fn take_id(&mut self, id: ItemId, instance: InstanceId, state: &mut State<'c>) {
        let index = self.present(id);
        self.check_id(id, index.as_ref());
        let engine = self.program.items[id].kind.engine();
        let mut list = std::mem::take(&mut state.owners.list);
        if !self.program.tracked.compares {
            // Nobody asks for what is complete.
            list.retain(|owner| state.outstanding.contains(owner.instance));
        }
        self.spend(32 * list.len() as u64);
        list.retain(|owner| {
            let sameness = self.same_id(id, index.as_ref(), owner.instance);
            let other = &self.instances.list[owner.instance];
            let is_live = state.outstanding.contains(owner.instance);
            if sameness != Sameness::Different && is_live && self.program.items[other.item].kind.engine() != engine {
                let certain =
                    sameness == Sameness::Same && owner.certain && !state.conditional.contains(owner.instance);
                self.findings.id_in_use(other.clone(), id, self.program, certain);
            }
            // What lost its id is not meant by it any more.
            sameness != Sameness::Same
        });
        state.owners.list = list;
        state.owners.take(instance);
    }

    /// Reports an id that the device has not.
    fn check_id(&mut self, id: ItemId, index: Option<&Index<'c>>) {
        let limit = i128::from(self.program.device.sync.ids);
        let everywhere = self.program.items[id].kind.id().map(Value::index);
        let range = |index: Option<&Index<'c>>| index.map(|index| self.context.range_of(index));
        let is_inside = |range: Option<Range>| {
            let bounds = range.and_then(|range| range.least.zip(range.most));
            bounds.is_some_and(|(least, most)| least >= 0 && most < limit)
        };
        if !is_inside(range(index)) && !is_inside(range(everywhere.as_ref())) {
            self.findings
                .id_range(self.program, id, index.and_then(Index::as_constant));
        }
    }

    pub(crate) fn wait_id(&mut self, id: ItemId, number: Value<'c>, state: &mut State<'c>) {
        if let Some(token) = self.named(number, state) {
            state.wait(&token);
            // Where it is negative, it is none that a device has.
            if token.may_be_none
                && (token.sign_tells || self.program.device.sync.wait_on_never_issued != NeverIssued::Return)
            {
                self.findings.never_issued(id, false, self.program);
            }
            return;
        }
        let index = self.present(id);
        self.check_id(id, index.as_ref());
        let mut meant: Option<(Option<EngineId>, Set<InstanceId>)> = None;
        let mut is_issued = false;
        self.spend(32 * state.owners.list.len() as u64);
        for owner in state.owners.list.iter().rev() {
            let sameness = self.same_id(id, index.as_ref(), owner.instance);
            if sameness == Sameness::Different {
                continue;
            }
            let engine = self.program.items[self.instances.list[owner.instance].item]
                .kind
                .engine();
            match &mut meant {
                None => meant = Some((engine, owner.leaves.clone())),
                Some((known, leaves)) if *known == engine => leaves.add(&owner.leaves),
                Some((known, _)) => *known = None,
            }
            if sameness == Sameness::Same && owner.certain {
                is_issued = true;
                break;
            }
        }
        if !is_issued && self.program.device.sync.wait_on_never_issued != NeverIssued::Return {
            let is_plain = index.as_ref().and_then(Index::as_constant).is_some();
            let certain = meant.is_none() && is_plain && self.program.items[id].branches.is_empty();
            self.findings.never_issued(id, certain, self.program);
        }
        if !is_issued {
            if meant.is_some() || index.as_ref().and_then(Index::as_constant).is_none() {
                self.findings.unnamed.insert(id);
            }
            // It may have been a wait for any of them.
            state.conditional.add(&state.outstanding);
        }
        // An id that may be none waits for nothing then.
        if let (Some((Some(engine), leaves)), true) = (meant, is_issued) {
            let mut done = self.of_engine(engine).clone();
            done.remove(&leaves);
            state.outstanding.remove(&done);
        }
    }
}
