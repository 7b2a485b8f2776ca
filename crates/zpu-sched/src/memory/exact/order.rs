//! The order in which items at one offset are tried.
//!
//! Three orders by width (length of life), area and total (most open bytes during the life), the largest first, as in
//! Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning", ASPLOS 2023. Totals
//! are those of the time when the items came apart from the others, so items that are now alone with few count less.
//!
//! Invariant: equal items come in the order of their numbers.

use std::cmp::Reverse;

use super::super::packing::Packing;

/// A fact about an item.
#[derive(Clone, Copy)]
pub(super) enum Key {
    Width,
    Area,
    Total,
}

/// The orders that are tried, the most important fact first.
pub(super) const KEYS: [[Key; 3]; 3] = [
    [Key::Width, Key::Area, Key::Total],
    [Key::Total, Key::Area, Key::Width],
    [Key::Total, Key::Width, Key::Area],
];

pub(super) struct Order<'a> {
    packing: &'a Packing,
    keys: [Key; 3],
    /// Per item: the length of its life.
    widths: Vec<u64>,
}

impl<'a> Order<'a> {
    pub(super) fn new(packing: &'a Packing, keys: [Key; 3]) -> Order<'a> {
        let width = |ranges: &[(u32, u32)]| -> u64 {
            let each = ranges.iter().map(|&(from, to)| (from as usize, to as usize));
            each.map(|(from, to)| packing.begins[to] - packing.begins[from]).sum()
        };
        let widths = packing.items.iter().map(|item| width(&item.ranges)).collect();
        Order { packing, keys, widths }
    }

    /// Numbers some items by place, from 0, when sections still have to hold so many bytes.
    pub(super) fn rank(&self, items: &[u32], rest: &[u64], rank: &mut [u32]) {
        let total = |item: usize| {
            let ranges = self.packing.items[item].ranges.iter();
            let sections = ranges.flat_map(|&(from, to)| &rest[from as usize..to as usize]);
            sections.copied().max().unwrap_or(0)
        };
        let fact = |item: usize, key: Key| match key {
            Key::Width => u128::from(self.widths[item]),
            Key::Area => u128::from(self.widths[item]) * u128::from(self.packing.items[item].bytes),
            Key::Total => u128::from(total(item)),
        };
        let mut order = items.to_vec();
        order.sort_by_cached_key(|&item| (Reverse(self.keys.map(|key| fact(item as usize, key))), item));
        for (place, item) in (0..).zip(order) {
            rank[item as usize] = place;
        }
    }
}
