//! Commands in execution: which one, and when it was issued.
//!
//! An [`Epoch`] tells the iteration of one loop. The proof names an [`Instance`] of a command by the epochs of all
//! loops around it, and so do its witnesses and certificates. Placement compares instances by time, and needs the items
//! in between as well: a [`Moment`]. Of two iterations that are seen from one point the later one has the smaller
//! epoch.

use std::cmp::Reverse;

use super::ItemId;
use serde::{Deserialize, Serialize};

/// The iteration of a loop in which a command was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Epoch {
    /// So many iterations ago of a loop that is still running; 0 is the present one.
    Ago(u32),
    /// That many iterations ago or more.
    Before(u32),
    /// The loop is over; iterations are counted from its last one, which is 1.
    Last(u32),
    /// The loop is over, and it may have been any iteration.
    Over,
}

/// A command and when it was issued.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Instance {
    /// The command.
    pub(crate) item: ItemId,
    /// The loops around it, outermost first.
    pub(crate) when: Vec<(ItemId, Epoch)>,
}

/// The iteration of a running loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Iteration {
    /// This one, from 0.
    At(i64),
    /// Any that is at least this one.
    From(i64),
}

/// The time at which a command is issued, seen from a block. Of two moments that are seen from one block, the later one
/// is smaller.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    /// Branches that are left on the way from the block to the one where the way to the command begins; the loop around
    /// them counts as one more.
    borders: u32,
    /// The way from there to the command, from the outside in.
    steps: Vec<Step>,
}

/// A step on the way to a command. Those at one place of two moments are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// Anywhere in a branch, as late as can be.
    Latest,
    /// An iteration of a loop.
    Iteration(Epoch),
    /// The item at a position of a block.
    Item(Reverse<usize>),
    /// Anywhere in a branch, as early as can be.
    Earliest,
}

impl Moment {
    /// The moment of the command itself.
    pub(crate) const fn own() -> Self {
        Self {
            borders: 0,
            steps: Vec::new(),
        }
    }

    /// Some moment in a branch.
    pub(crate) fn in_a_branch() -> Self {
        Self {
            borders: 0,
            steps: vec![Step::Latest],
        }
    }

    fn with(borders: u32, first: &[Step], rest: &[Step]) -> Self {
        Self {
            borders,
            steps: [first, rest].concat(),
        }
    }

    /// A moment in an item, seen from the item's block.
    pub(crate) fn in_item(self, position: usize) -> Self {
        Self::with(self.borders, &[Step::Item(Reverse(position))], &self.steps)
    }

    /// A moment in an iteration of a loop that is over, seen from after the loop; its last iteration is 1.
    pub(crate) fn in_last(self, back: u32) -> Self {
        Self::with(self.borders, &[Step::Iteration(Epoch::Last(back))], &self.steps)
    }

    /// A moment in an earlier iteration of the loop around, seen from the loop's body.
    pub(crate) fn in_earlier(self, ago: u32) -> Self {
        Self::with(1, &[Step::Iteration(Epoch::Ago(ago))], &self.steps)
    }

    /// The moment, seen from a branch in the block.
    pub(crate) fn seen_from_branch(self) -> Self {
        Self {
            borders: self.borders + 1,
            ..self
        }
    }

    /// The earliest that the moment may mean.
    pub(crate) fn earliest(&self) -> Self {
        let mut earliest = self.clone();
        if let Some(last @ Step::Latest) = earliest.steps.last_mut() {
            *last = Step::Earliest;
        }
        earliest
    }

    /// The moment, seen from the next iteration of the loop whose body the block is.
    pub(crate) fn one_iteration_later(&self) -> Option<Self> {
        match (self.borders, self.steps.as_slice()) {
            (0, steps) => Some(Self::with(1, &[Step::Iteration(Epoch::Ago(1))], steps)),
            (1, [Step::Iteration(Epoch::Ago(ago)), rest @ ..]) => {
                Some(Self::with(1, &[Step::Iteration(Epoch::Ago(ago + 1))], rest))
            }
            _ => None,
        }
    }

    /// A moment that is seen from the last iteration of a loop, seen from after the loop, which is at that position;
    /// none if the loop has not so many iterations.
    pub(crate) fn after_loop(&self, position: usize, trips: i64) -> Option<Self> {
        let later = self.one_iteration_later()?;
        let [Step::Iteration(Epoch::Ago(back)), rest @ ..] = later.steps.as_slice() else {
            return None;
        };
        let first = [Step::Item(Reverse(position)), Step::Iteration(Epoch::Last(*back))];
        (i64::from(*back) <= trips).then(|| Self::with(0, &first, rest))
    }

    /// True if the command is in the block itself, in this iteration.
    pub(crate) fn is_here(&self) -> bool {
        self.borders == 0
    }

    /// The item of the block that holds the command, if the block does.
    pub(crate) fn item(&self) -> Option<usize> {
        match self.steps.first() {
            Some(Step::Item(Reverse(position))) if self.is_here() => Some(*position),
            _ => None,
        }
    }

    /// The number of iterations ago, if the block is a loop's body and it was in one of them.
    pub(crate) fn iterations_ago(&self) -> Option<u32> {
        match self.steps.first() {
            Some(Step::Iteration(Epoch::Ago(ago))) if self.borders == 1 => Some(*ago),
            _ => None,
        }
    }

    /// True if both are one border away, and in different iterations or items there.
    pub(crate) fn differs_one_border_away(&self, other: &Self) -> bool {
        self.borders == 1 && other.borders == 1 && self.steps.first() != other.steps.first()
    }
}
