//! The bound of pinned items: what is alive beside them has to fit between them or lie above.
//!
//! Invariant: a gap between pins holds at most the largest sum of sizes that is not above it, whatever is where.

use super::packing::Packing;

/// Most sums that are tracked for a section, so that many small items cost no more than this.
const MOST_SUMS: usize = 1 << 12;

/// The largest bound over the sections with pinned items.
pub(super) fn bound(packing: &Packing, grain: u64) -> u64 {
    if packing.items.iter().all(|item| item.pinned.is_none()) {
        return 0;
    }
    let mut alive: Vec<Vec<usize>> = vec![vec![]; packing.sections];
    for (place, item) in packing.items.iter().enumerate() {
        for &(from, to) in &item.ranges {
            alive[from as usize..to as usize]
                .iter_mut()
                .for_each(|alive| alive.push(place));
        }
    }
    let bounds = alive.iter().map(|alive| section(packing, alive, grain));
    bounds.max().unwrap_or(0)
}

fn section(packing: &Packing, alive: &[usize], grain: u64) -> u64 {
    let mut pins: Vec<(u64, u64)> = vec![];
    let mut sizes = vec![];
    for &place in alive {
        let item = &packing.items[place];
        match item.pinned {
            Some(offset) => pins.push((offset, offset + item.bytes)),
            None => sizes.push(item.bytes),
        }
    }
    if pins.is_empty() || sizes.is_empty() {
        return 0;
    }
    pins.sort_unstable();
    let Some(sums) = sums(&sizes) else { return 0 };
    let total: u64 = sizes.iter().sum();
    let (mut free, mut held) = (0u64, 0u64);
    for &(offset, end) in &pins {
        let gap = offset.saturating_sub(free);
        let most = sums.partition_point(|&sum| sum <= gap);
        held += sums[most - 1];
        free = free.max(end.next_multiple_of(grain));
    }
    let above = total.saturating_sub(held);
    if above == 0 { 0 } else { free + above }
}

/// All sums of some of the sizes, sorted, 0 included; `None` if there are too many.
fn sums(sizes: &[u64]) -> Option<Vec<u64>> {
    let mut sums = vec![0];
    for &size in sizes {
        let mut more: Vec<u64> = sums.iter().map(|sum| sum + size).collect();
        sums.append(&mut more);
        sums.sort_unstable();
        sums.dedup();
        if sums.len() > MOST_SUMS {
            return None;
        }
    }
    Some(sums)
}
