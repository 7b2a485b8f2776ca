//! The waits that are certainly passed, as a block sees them, in the order in which they stand.
//!
//! They are asked for often, and each block may hold as many as it has commands: so no question looks at more of them
//! than lie between a command and who waits for it, unless there is an answer.

use crate::place::find::{Key, earliest};
use crate::place::placement::WaitId;

/// A wait as a block sees it.
#[derive(Clone, Debug)]
pub(crate) struct AvailableWait {
    /// Position of the item that it stands in front of, or of the loop that it is in.
    pub(crate) index: usize,
    /// Whether it is in the loop.
    pub(crate) is_inside: bool,
    /// How far it reaches.
    pub(crate) key: Key,
    pub(crate) wait: WaitId,
    /// How far it reaches at least.
    least: Key,
    /// The same seen from the next iteration.
    later: Option<Key>,
}

impl AvailableWait {
    pub(crate) fn new(index: usize, is_inside: bool, key: Key, wait: WaitId) -> Self {
        let least = earliest(&key);
        let later = one_later(&least);
        Self {
            index,
            is_inside,
            key,
            wait,
            least,
            later,
        }
    }
}

/// All of one engine in one block.
#[derive(Debug, Default)]
pub(crate) struct AvailableWaits {
    /// By position.
    list: Vec<AvailableWait>,
    /// Those that reach to a command of the same iteration.
    near: Vec<usize>,
    /// For each one which of those up to it, in front of the block's own items, reaches furthest.
    furthest: Vec<Option<usize>>,
    /// How far any reaches in the next iteration.
    latest: Option<Key>,
}

impl AvailableWaits {
    pub(crate) fn new(mut list: Vec<AvailableWait>) -> Self {
        list.sort_by_key(|available| (available.index, available.is_inside, available.wait));
        let near = (0..list.len()).filter(|at| list[*at].key[0] == 0).collect();
        let mut furthest: Vec<Option<usize>> = Vec::with_capacity(list.len());
        for (at, available) in list.iter().enumerate() {
            let before = furthest.last().copied().flatten();
            let is_further = before.is_none_or(|before| available.key < list[before].key);
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

    /// The last in front of a position that certainly reaches as far as `key` in this iteration, of those that `stands`
    /// takes.
    pub(crate) fn of_this_iteration(
        &self,
        index: usize,
        key: &Key,
        stands: impl Fn(&AvailableWait) -> bool,
    ) -> Option<&AvailableWait> {
        // Nobody waits for a command in front of it.
        let first = if key[0] == 0 {
            key.get(1)
                .map_or(0, |at| usize::try_from(at.unsigned_abs()).unwrap_or(0))
        } else {
            0
        };
        let end = self.near.partition_point(|at| self.list[*at].index <= index);
        let all = self.near[..end].iter().rev().map(|at| &self.list[*at]);
        let mut between = all.take_while(|other| other.index >= first);
        between.find(|other| other.least <= *key && stands(other))
    }

    /// The last in front of a position, in the block itself, that reaches as far as `key`, if it answers for this
    /// question too.
    pub(crate) fn that_knows(
        &self,
        index: usize,
        key: &Key,
        stands: impl Fn(&AvailableWait) -> bool,
    ) -> Option<&AvailableWait> {
        let mut end = self.list.partition_point(|other| other.index <= index);
        while end > 0 {
            let furthest = self.furthest[end - 1]?;
            if self.list[furthest].key > *key {
                return None;
            }
            end -= 1;
            let other = &self.list[end];
            if !other.is_inside && other.key <= *key && stands(other) {
                return Some(other);
            }
        }
        None
    }

    /// Those that in the previous iteration certainly reach as far as `key` does from this one, of those that `stays`
    /// takes.
    pub(crate) fn of_the_previous_iteration(
        &self,
        key: &Key,
        stays: impl Fn(&AvailableWait) -> bool,
    ) -> Vec<&AvailableWait> {
        if self.latest.as_ref().is_none_or(|latest| latest > key) {
            return Vec::new();
        }
        let reaches = |other: &&AvailableWait| other.later.as_ref().is_some_and(|later| later <= key) && stays(other);
        self.list.iter().filter(reaches).collect()
    }
}

/// How far a wait of the last iteration of a loop reaches behind the loop, if it certainly is passed.
pub(crate) fn behind(index: usize, trips: i64, key: &Key) -> Option<Key> {
    let later = one_later(key)?;
    (later[1] <= trips).then(|| [&[0, -(index as i64)], &later[1..]].concat())
}

/// How far a wait in a loop's body reaches when it is seen from the next iteration.
pub(crate) fn one_later(key: &Key) -> Option<Key> {
    match key.as_slice() {
        [0, rest @ ..] => Some([&[1, 1], rest].concat()),
        [1, distance, rest @ ..] => Some([&[1, distance + 1], rest].concat()),
        _ => None,
    }
}
