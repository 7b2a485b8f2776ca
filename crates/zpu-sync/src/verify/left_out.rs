//! Waits that a walk passes by, and which of them would have spared it a finding.
//!
//! A proof that fails without some waits says why: a command is outstanding where it must not be, and among the waits
//! that were passed by are those that would have completed it on the way there. One of these has to stay, whatever
//! becomes of the others. This is what a solver learns from a conflict: each failed proof rules out many choices of
//! waits, and not only its own.

use crate::program::{ItemId, Kind};
use crate::verify::interpreter::Interpreter;
use crate::verify::state::{InstanceId, Set, State};
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

/// The waits that are passed by.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    /// With their places in the order in which they should go.
    waits: FxHashMap<ItemId, usize>,
    /// By command: those that would have completed it where they stand.
    would_complete: FxHashMap<ItemId, BTreeSet<ItemId>>,
    /// By finding, in the order of the list: those of which one would have spared it.
    blamed: Vec<BTreeSet<ItemId>>,
    /// By finding: the wait that is passed by no more since then, with its place.
    taken_back: Vec<Option<(ItemId, usize)>>,
}

impl LeftOut {
    /// Passes by these waits, which are in the order in which they should go.
    pub(crate) fn of(waits: &[ItemId]) -> Self {
        Self {
            waits: waits.iter().enumerate().map(|(place, wait)| (*wait, place)).collect(),
            ..Self::default()
        }
    }

    /// True if this wait is passed by.
    pub(crate) fn contains(&self, wait: ItemId) -> bool {
        self.waits.contains_key(&wait)
    }

    /// True if nothing was found, so that all of the waits are passed by to the end of the walk.
    pub(crate) fn is_whole(&self) -> bool {
        self.taken_back.is_empty()
    }

    /// By finding: the waits of which one has to stay; empty if none of them has to do with it.
    pub(crate) fn blamed(&self) -> &[BTreeSet<ItemId>] {
        &self.blamed
    }
}

impl<'c> Interpreter<'_, 'c> {
    /// Passes a wait by, and remembers what it would have completed.
    pub(crate) fn pass_by(&mut self, wait: ItemId, state: &State<'c>) {
        let mut completed = Set::default();
        match &self.program.items[wait].kind {
            Kind::Wait(value) => completed = self.token(*value, state).covers.as_ref().clone(),
            Kind::Fence(engines) => engines.iter().for_each(|engine| completed.add(self.of_engine(*engine))),
            Kind::WaitId(number) => {
                let findings = self.findings.clone();
                let mut after = state.clone();
                self.wait_id(wait, *number, &mut after);
                self.findings = findings;
                completed = state.outstanding.clone();
                completed.remove(&after.outstanding);
            }
            _ => {}
        }
        completed.keep(&state.outstanding);
        self.spend(1 + completed.words() as u64 / 8);
        for instance in completed.numbers() {
            let command = self.instances.list[instance].item;
            self.left_out.would_complete.entry(command).or_default().insert(wait);
        }
    }

    /// Finds out which waits are to blame for the findings that are new. The last one of each is passed by no more, and
    /// the command counts as complete: what else it would run into says nothing new.
    pub(crate) fn blame(&mut self, state: &mut State<'c>) {
        let LeftOut {
            waits,
            would_complete,
            blamed,
            taken_back,
        } = &mut self.left_out;
        for finding in self.findings.list.iter().skip(blamed.len()) {
            let commands = finding.outstanding();
            let mut own: BTreeSet<ItemId> = BTreeSet::new();
            for command in &commands {
                own.extend(would_complete.get(command).into_iter().flatten());
            }
            if own.is_empty() {
                // A barrier id may have lost its meaning to any command that is outstanding for longer.
                own.extend(would_complete.values().flatten());
            }
            let left = own.iter().filter_map(|wait| waits.get_key_value(wait));
            let last = left
                .max_by_key(|(_, place)| **place)
                .map(|(wait, place)| (*wait, *place));
            if let Some((wait, _)) = last {
                waits.remove(&wait);
            }
            taken_back.push(last);
            let mut healed = Set::default();
            let is_of = |instance: &InstanceId| commands.contains(&self.instances.list[*instance].item);
            let instances = state.outstanding.numbers().filter(is_of);
            instances.for_each(|instance| healed.insert(instance));
            state.outstanding.remove(&healed);
            blamed.push(own);
        }
    }

    /// Passes by again what was taken back for findings that are no more.
    pub(crate) fn forget_blame(&mut self) {
        let LeftOut {
            waits,
            blamed,
            taken_back,
            ..
        } = &mut self.left_out;
        let known = self.findings.list.len().min(blamed.len());
        blamed.truncate(known);
        waits.extend(taken_back.drain(known..).flatten());
    }
}
