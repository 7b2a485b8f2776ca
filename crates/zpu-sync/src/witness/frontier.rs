//! How far waits reach.

use crate::program::ItemId;

/// The reach of the waits that were passed in the commands of one engine, which are numbered from 1.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Frontier {
    all: u64,
    /// The wait that reaches furthest.
    furthest: Option<ItemId>,
    /// The last command that the others reach.
    others: u64,
}

impl Frontier {
    /// A wait is passed, or something that is not one and has the same effect.
    pub(crate) fn extend(&mut self, number: u64, wait: Option<ItemId>) {
        if wait.is_some() && wait == self.furthest {
            self.all = self.all.max(number);
        } else if number <= self.all {
            self.others = self.others.max(number);
        } else {
            self.others = if wait.is_some() { self.all } else { number };
            (self.all, self.furthest) = (number, wait);
        }
    }

    /// The last command that is complete.
    pub(crate) fn reached(&self) -> u64 {
        self.all
    }

    /// The last command that is complete whichever wait is deleted.
    pub(crate) fn without_one(&self) -> u64 {
        self.others
    }

    /// The wait that alone makes a command complete; none if it is not, or if others do so too.
    pub(crate) fn only(&self, number: u64) -> Option<ItemId> {
        self.furthest.filter(|_| self.others < number && number <= self.all)
    }
}
