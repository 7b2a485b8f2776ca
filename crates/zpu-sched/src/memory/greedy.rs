//! Placing items one after the other: orders, and first or best fit.
//!
//! Invariant: an item is placed clear of all that were placed before it, so every order gives a plan that is right but
//! for its height. An item that cannot be placed below [`u64::MAX`] does not exist in a checked problem.

use std::cmp::Reverse;

use super::packing::{Meets, Packing};

/// The gap that an item takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The lowest in which it fits.
    First,
    /// The one that it leaves the least of, if there is one below other items; the lowest of such.
    Best,
}

/// The key by which items are sorted, the largest first.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    /// Bytes; then length, as greedy planners of several runtimes do.
    Size,
    /// Length of life; then bytes.
    Length,
    /// Bytes times length.
    Area,
    /// Bytes of the items that it meets.
    Conflicts,
}

impl Key {
    /// All of them.
    pub(super) const ALL: [Key; 4] = [Key::Size, Key::Area, Key::Length, Key::Conflicts];
}

/// The items in the order of a key; ties by beginning and by the rest of what an item is, so that the order of the list
/// matters only between equal items.
pub(super) fn order(packing: &Packing, key: Key) -> Vec<usize> {
    let length = |item: usize| -> u64 {
        let ranges = packing.items[item].ranges.iter();
        ranges
            .map(|&(from, to)| packing.begins[to as usize] - packing.begins[from as usize])
            .sum()
    };
    let conflicts = |item: usize| -> u128 {
        let others = (0..packing.len()).filter(|&other| other != item && packing.meet(item, other));
        others.map(|other| u128::from(packing.items[other].bytes)).sum()
    };
    let rank = |item: usize| {
        let (bytes, length) = (u128::from(packing.items[item].bytes), u128::from(length(item)));
        let (first, second) = match key {
            Key::Size => (bytes, length),
            Key::Length => (length, bytes),
            Key::Area => (bytes * length, bytes),
            Key::Conflicts => (conflicts(item), bytes),
        };
        (
            Reverse((first, second)),
            packing.items[item].ranges.first().copied(),
            item,
        )
    };
    let mut order: Vec<usize> = (0..packing.len()).collect();
    order.sort_by_cached_key(|&item| rank(item));
    order
}

/// Places items; its memory is used again from one order to the next.
pub(super) struct Placer<'a> {
    packing: &'a Packing,
    meets: Option<&'a Meets>,
    /// Offset, end and item of what is placed, sorted.
    placed: Vec<(u64, u64, u32)>,
    offsets: Vec<u64>,
}

impl<'a> Placer<'a> {
    /// Nothing is placed.
    pub(super) fn new(packing: &'a Packing, meets: Option<&'a Meets>) -> Placer<'a> {
        Placer {
            packing,
            meets,
            placed: Vec::with_capacity(packing.len()),
            offsets: vec![0; packing.len()],
        }
    }

    /// The offsets of items placed in an order, after those that are pinned; `None` if one ends above a limit.
    pub(super) fn place(&mut self, order: &[usize], fit: Fit, limit: u64) -> Option<&[u64]> {
        self.placed.clear();
        for (item, pinned) in self.packing.items.iter().enumerate() {
            if let Some(offset) = pinned.pinned {
                self.put(item, offset);
            }
        }
        for &item in order.iter().filter(|&&item| self.packing.items[item].pinned.is_none()) {
            let offset = if self.packing.apart[item].is_empty() {
                self.gap(item, fit, self.placed.iter().copied())
            } else {
                let obstacles = self.obstacles(item);
                self.gap(item, fit, obstacles.into_iter())
            };
            if offset.saturating_add(self.packing.items[item].bytes) > limit {
                return None;
            }
            self.put(item, offset);
        }
        Some(&self.offsets)
    }

    fn put(&mut self, item: usize, offset: u64) {
        let end = offset + self.packing.items[item].bytes;
        let entry = (offset, end, item as u32);
        let place = self.placed.partition_point(|other| *other < entry);
        self.placed.insert(place, entry);
        self.offsets[item] = offset;
    }

    fn meet(&self, a: usize, b: usize) -> bool {
        self.meets
            .map_or_else(|| self.packing.meet(a, b), |meets| meets.get(a, b))
    }

    /// The offset of a gap for an item among what is placed, in the order of offsets.
    fn gap(&self, item: usize, fit: Fit, placed: impl Iterator<Item = (u64, u64, u32)>) -> u64 {
        let (bytes, align) = (self.packing.items[item].bytes, self.packing.items[item].align);
        let mut free = 0u64;
        let mut best: Option<(u64, u64)> = None;
        for (offset, end, other) in placed {
            if end <= free || (other != u32::MAX && !self.meet(item, other as usize)) {
                continue;
            }
            let at = free.next_multiple_of(align);
            if let Some(rest) = offset.checked_sub(at.saturating_add(bytes)) {
                if fit == Fit::First {
                    return at;
                }
                if best.is_none_or(|(least, _)| rest < least) {
                    best = Some((rest, at));
                }
            }
            free = end;
        }
        best.map_or_else(|| free.next_multiple_of(align), |(_, at)| at)
    }

    /// What an item with partners that are to be apart must stay clear of, sorted; no entry names an item.
    fn obstacles(&self, item: usize) -> Vec<(u64, u64, u32)> {
        let mut obstacles = vec![];
        for &(offset, end, other) in &self.placed {
            if self.packing.apart[item].contains(&other) {
                let (from, to) = self.packing.banks(offset, end - offset);
                // The item itself must not begin in the bank that its partner ends in, nor end where it begins.
                obstacles.push((from, to, u32::MAX));
            } else if self.meet(item, other as usize) {
                obstacles.push((offset, end, u32::MAX));
            }
        }
        obstacles.sort_unstable();
        obstacles
    }
}

/// The best of all orders and fits, or of as many as some number of comparisons allows, at least one; stops at a height
/// of `enough` or less.
pub(super) fn best(packing: &Packing, meets: Option<&Meets>, enough: u64, comparisons: u64) -> Start {
    let cost = (packing.len() as u64).pow(2) / 2 + 1;
    let mut left = comparisons;
    let mut placer = Placer::new(packing, meets);
    let mut best: Option<Start> = None;
    for key in Key::ALL {
        let order = order(packing, key);
        for fit in [Fit::First, Fit::Best] {
            let height = best.as_ref().map_or(u64::MAX, |best| best.height);
            if best.is_some() && (height <= enough || left < cost) {
                break;
            }
            left = left.saturating_sub(cost);
            if let Some(offsets) = placer.place(&order, fit, height.saturating_sub(1)) {
                let offsets = offsets.to_vec();
                best = Some(Start {
                    height: packing.height(&offsets),
                    offsets,
                    order: order.clone(),
                });
            }
        }
    }
    best.unwrap_or_default()
}

/// A plan to start from.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    pub(super) offsets: Vec<u64>,
    pub(super) height: u64,
    pub(super) order: Vec<usize>,
}
