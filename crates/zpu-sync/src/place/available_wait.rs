//! The waits that are certainly passed, as a block sees them, in the order in which they stand.
//!
//! They are asked for often, and each block may hold as many as it has commands: so no question looks at more of them
//! than lie between a command and who waits for it, unless there is an answer.

use crate::place::placement::WaitId;
use crate::program::epoch::Moment;

/// A wait as a block sees it.
#[derive(Clone, Debug)]
pub(crate) struct AvailableWait {
    /// Position of the item that it stands before, or of the loop that it is in.
    pub(crate) index: usize,
    /// It is in the loop.
    pub(crate) is_inside: bool,
    /// The moment to which it reaches.
    pub(crate) moment: Moment,
    pub(crate) wait: WaitId,
    /// The earliest moment to which it may reach.
    earliest: Moment,
    /// The earliest moment, seen from the next iteration.
    later: Option<Moment>,
}

impl AvailableWait {
    pub(crate) fn new(index: usize, is_inside: bool, moment: Moment, wait: WaitId) -> Self {
        let earliest = moment.earliest();
        let later = earliest.one_iteration_later();
        Self {
            index,
            is_inside,
            moment,
            wait,
            earliest,
            later,
        }
    }
}

/// All of one engine in one block.
#[derive(Debug, Default)]
pub(crate) struct AvailableWaits {
    /// By position.
    list: Vec<AvailableWait>,
    /// Waits that reach to a command of the same iteration.
    near: Vec<usize>,
    /// For each wait, the one up to it, before the block's own items, that reaches furthest.
    furthest: Vec<Option<usize>>,
    /// The latest moment to which any reaches in the next iteration.
    latest: Option<Moment>,
}

impl AvailableWaits {
    pub(crate) fn new(mut list: Vec<AvailableWait>) -> Self {
        list.sort_by_key(|available| (available.index, available.is_inside, available.wait));
        let near = (0..list.len()).filter(|at| list[*at].moment.is_here()).collect();
        let mut furthest: Vec<Option<usize>> = Vec::with_capacity(list.len());
        for (at, available) in list.iter().enumerate() {
            let before = furthest.last().copied().flatten();
            let is_further = before.is_none_or(|before| available.moment < list[before].moment);
            furthest.push(if is_further && !available.is_inside {
                Some(at)
            } else {
                before
            });
        }
        let latest = list.iter().filter_map(|available| available.later.clone()).min();
        Self {
            list,
            near,
            furthest,
            latest,
        }
    }

    /// All, by position.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &AvailableWait> {
        self.list.iter()
    }

    /// The last wait before a position that certainly reaches as far as `moment` in this iteration, of those that
    /// `stands` takes.
    pub(crate) fn of_this_iteration(
        &self,
        index: usize,
        moment: &Moment,
        stands: impl Fn(&AvailableWait) -> bool,
    ) -> Option<&AvailableWait> {
        // No wait for a command stands before the command.
        let first = moment.item().unwrap_or(0);
        let end = self.near.partition_point(|at| self.list[*at].index <= index);
        let all = self.near[..end].iter().rev().map(|at| &self.list[*at]);
        let mut between = all.take_while(|other| other.index >= first);
        between.find(|other| other.earliest <= *moment && stands(other))
    }

    /// The last wait before a position, in the block itself, that reaches as far as `moment`, if it answers for this
    /// question too.
    pub(crate) fn that_knows(
        &self,
        index: usize,
        moment: &Moment,
        stands: impl Fn(&AvailableWait) -> bool,
    ) -> Option<&AvailableWait> {
        let mut end = self.list.partition_point(|other| other.index <= index);
        while end > 0 {
            let furthest = self.furthest[end - 1]?;
            if self.list[furthest].moment > *moment {
                return None;
            }
            end -= 1;
            let other = &self.list[end];
            if !other.is_inside && other.moment <= *moment && stands(other) {
                return Some(other);
            }
        }
        None
    }

    /// Waits that in the previous iteration certainly reach as far as `moment` does from this one, of those that
    /// `stays` takes.
    pub(crate) fn of_the_previous_iteration(
        &self,
        moment: &Moment,
        stays: impl Fn(&AvailableWait) -> bool,
    ) -> Vec<&AvailableWait> {
        if self.latest.as_ref().is_none_or(|latest| latest > moment) {
            return Vec::new();
        }
        let reaches =
            |other: &&AvailableWait| other.later.as_ref().is_some_and(|later| later <= moment) && stays(other);
        self.list.iter().filter(reaches).collect()
    }
}
