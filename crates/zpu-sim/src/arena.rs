//! The arena of a space: the bytes that allocations at addresses share, each through a window of its own.
//!
//! Invariant: a byte has at most one owner, the window through which it was written last, and that one is live.

use std::collections::BTreeMap;

use crate::footprint::Footprint;
use crate::intervals::{IntervalMap, Run};
use crate::memory::Origin;

/// An allocation at an address, in one execution.
#[derive(Debug)]
pub(crate) struct Window {
    pub(crate) origin: Origin,
    /// First byte.
    pub(crate) first: u64,
    /// One past the last byte.
    pub(crate) end: u64,
    live: bool,
}

/// The windows of a space, and who owns which byte.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    /// By number, from 1 in the order of allocation.
    windows: BTreeMap<u32, Window>,
    made: u32,
    owners: IntervalMap<u32>,
    /// How many live windows have these bytes. A loop may make many windows, and all at a few addresses.
    places: BTreeMap<Run, u32>,
}

impl Arena {
    /// A new window, which owns nothing; its number, or `None` if there were too many.
    pub(crate) fn add(&mut self, origin: Origin, first: u64, end: u64) -> Option<u32> {
        self.made = self.made.checked_add(1)?;
        let window = Window {
            origin,
            first,
            end,
            live: true,
        };
        self.windows.insert(self.made, window);
        *self.places.entry((first, end)).or_default() += 1;
        Some(self.made)
    }

    /// A window that is live.
    pub(crate) fn window(&self, number: u32) -> Option<&Window> {
        self.windows.get(&number).filter(|window| window.live)
    }

    /// All windows that are live, in the order of allocation.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Window> {
        self.windows.values().filter(|window| window.live)
    }

    /// Ends the life of a window; the bytes that it owns, which are nobody's from now on. `remembers` keeps what is
    /// known of it, for a run that begins again.
    pub(crate) fn end(&mut self, number: u32, remembers: bool) -> Vec<Run> {
        let Some(window) = self.windows.get_mut(&number) else {
            return Vec::new();
        };
        let all = (window.first, window.end);
        if std::mem::take(&mut window.live)
            && let Some(count) = self.places.get_mut(&all)
        {
            *count -= 1;
            if *count == 0 {
                self.places.remove(&all);
            }
        }
        if !remembers {
            self.windows.remove(&number);
        }
        let owned: Vec<Run> = self.parts_of(all, |owner| owner == Some(number));
        owned.iter().for_each(|run| self.owners.clear(*run));
        owned
    }

    /// Makes all windows live again.
    pub(crate) fn begin_again(&mut self) {
        self.places.clear();
        for window in self.windows.values_mut() {
            window.live = true;
            *self.places.entry((window.first, window.end)).or_default() += 1;
        }
    }

    /// The bytes of a run that are nobody's.
    pub(crate) fn unowned(&self, run: Run) -> Vec<Run> {
        self.parts_of(run, |owner| owner.is_none())
    }

    /// The bytes of a footprint were written through a window.
    pub(crate) fn write(&mut self, number: u32, footprint: &Footprint) {
        footprint.runs().iter().for_each(|run| self.owners.set(*run, number));
    }

    /// The first byte of a footprint that was not written through this window last.
    pub(crate) fn first_foreign(&self, number: u32, footprint: &Footprint) -> Option<u64> {
        let foreign = |run: &Run| self.owners.parts(*run).find(|(_, owner)| *owner != Some(&number));
        let found = footprint.runs().iter().find_map(foreign);
        found.map(|((first, _), _)| first)
    }

    /// The window through which a byte was written last.
    pub(crate) fn owner(&self, byte: u64) -> Option<&Window> {
        let owner = self.owners.values((byte, byte.saturating_add(1))).next()?;
        self.window(*owner)
    }

    /// Bytes of the union of all live windows, each of which ends at a multiple of `align`.
    pub(crate) fn taken(&self, align: u64) -> u64 {
        let rounded = |end: u64| end.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        let (mut taken, mut reached) = (0, 0);
        for (first, end) in self.places.keys() {
            let (first, end) = (*first, rounded(*end));
            taken += end.saturating_sub(first.max(reached));
            reached = reached.max(end);
        }
        taken
    }

    fn parts_of(&self, run: Run, keep: impl Fn(Option<u32>) -> bool) -> Vec<Run> {
        let parts = self.owners.parts(run);
        parts
            .filter(|(_, owner)| keep(owner.copied()))
            .map(|(run, _)| run)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::LocationId;

    fn at(first: u64, end: u64) -> (Origin, u64, u64) {
        (Origin::Allocation(LocationId(0)), first, end)
    }

    #[test]
    fn a_byte_is_owned_by_the_window_through_which_it_was_written_last() {
        let mut arena = Arena::default();
        let [one, other] = [at(0, 64), at(32, 96)].map(|(origin, first, end)| arena.add(origin, first, end).unwrap());
        arena.write(one, &Footprint::run(0, 64));
        assert_eq!(arena.first_foreign(one, &Footprint::run(0, 64)), None);
        assert_eq!(arena.first_foreign(other, &Footprint::run(40, 8)), Some(40));
        arena.write(other, &Footprint::run(48, 8));
        assert_eq!(arena.first_foreign(one, &Footprint::run(0, 64)), Some(48));
        assert_eq!(arena.owner(50).map(|window| window.first), Some(32));
        assert_eq!(arena.unowned((0, 96)), [(64, 96)]);
        assert_eq!(arena.end(one, false), [(0, 48), (56, 64)]);
        assert_eq!(arena.unowned((0, 96)), [(0, 48), (56, 96)]);
        assert_eq!(arena.first_foreign(other, &Footprint::run(48, 8)), None);
    }

    #[test]
    fn shared_bytes_are_taken_once() {
        let mut arena = Arena::default();
        for (origin, first, end) in [at(128, 140), at(0, 64), at(32, 96), at(40, 50)] {
            arena.add(origin, first, end).unwrap();
        }
        assert_eq!(arena.taken(1), 96 + 12);
        assert_eq!(arena.taken(64), 192);
        arena.end(3, false);
        assert_eq!(arena.taken(1), 64 + 12);
    }

    #[test]
    fn windows_at_one_address_take_it_until_the_last_one_ends() {
        let mut arena = Arena::default();
        let numbers =
            [at(0, 64), at(0, 64), at(8, 16)].map(|(origin, first, end)| arena.add(origin, first, end).unwrap());
        arena.end(numbers[0], true);
        arena.end(numbers[0], true);
        assert_eq!(arena.taken(1), 64);
        arena.end(numbers[1], true);
        assert_eq!(arena.taken(1), 8);
        arena.end(numbers[2], true);
        assert_eq!(arena.taken(1), 0);
        arena.begin_again();
        assert_eq!(arena.taken(1), 64);
    }
}
