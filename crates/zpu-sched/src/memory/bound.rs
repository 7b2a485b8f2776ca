//! Lower bounds on the bytes of a packing.
//!
//! Invariant: no plan of the packing has a smaller height. On a line the most bytes alive at once are also the heaviest
//! set of items that meet pairwise; on a circle three arcs may meet pairwise without a common point, so there the
//! heaviest clique is searched for.

use super::packing::{Meets, Packing};

/// The most bytes alive at once, and the first section where that is so.
pub(super) fn load(packing: &Packing, weight: impl Fn(usize) -> u64) -> (u64, usize) {
    let mut change = vec![0i128; packing.sections + 1];
    for (place, item) in packing.items.iter().enumerate() {
        for &(from, to) in &item.ranges {
            change[from as usize] += i128::from(weight(place));
            change[to as usize] -= i128::from(weight(place));
        }
    }
    let (mut sum, mut most) = (0, (0, 0));
    for (section, change) in change.into_iter().enumerate() {
        sum += change;
        if sum > most.0 {
            most = (sum, section);
        }
    }
    (u64::try_from(most.0).unwrap_or(u64::MAX), most.1)
}

/// A height below which there is no plan, without a search.
pub(super) fn lower_bound(packing: &Packing) -> u64 {
    let pins = packing
        .items
        .iter()
        .filter_map(|item| item.pinned.map(|at| at + item.bytes));
    let mut bound = pins.max().unwrap_or(0);
    let grains = Grains::of(packing);
    let (load, _) = load(packing, |item| grains.padded(item));
    bound = bound.max(load.saturating_sub(grains.padding()));
    bound.max(super::pins::bound(packing, grains.grain))
}

/// Another such height, by a search for cliques of at most so many comparisons of items. On a line it is the load.
pub(super) fn clique_bound(packing: &Packing, meets: &Meets, comparisons: u64) -> u64 {
    let grains = Grains::of(packing);
    let padded = |item: usize| grains.padded(item);
    let (load, _) = load(packing, padded);
    let is_line = packing.items.iter().all(|item| item.ranges.len() == 1);
    let heaviest = if is_line {
        load
    } else {
        heaviest_clique(meets, packing.len(), padded, load, comparisons)
    };
    heaviest.saturating_sub(grains.padding())
}

/// Sizes rounded up to the least alignment: all offsets are multiples of it, so a stack has them but for its last item.
struct Grains<'a> {
    packing: &'a Packing,
    grain: u64,
}

impl<'a> Grains<'a> {
    fn of(packing: &'a Packing) -> Self {
        let grain = packing.items.iter().map(|item| item.align).min().unwrap_or(1);
        Self { packing, grain }
    }

    fn padded(&self, item: usize) -> u64 {
        self.packing.items[item].bytes.next_multiple_of(self.grain)
    }

    /// The most that an item is rounded up by.
    fn padding(&self) -> u64 {
        let each = (0..self.packing.len()).map(|item| self.padded(item) - self.packing.items[item].bytes);
        each.max().unwrap_or(0)
    }
}

/// The weight of the heaviest set of items that meet pairwise, at least `known`, which is the weight of one such set or
/// less; or the heaviest found when the comparisons are used up. Branch and bound: candidates are coloured greedily,
/// and of each colour at most one item can be taken.
fn heaviest_clique(meets: &Meets, count: usize, weight: impl Fn(usize) -> u64, known: u64, comparisons: u64) -> u64 {
    let weights: Vec<u64> = (0..count).map(weight).collect();
    let mut items: Vec<usize> = (0..count).collect();
    items.sort_by_key(|&item| std::cmp::Reverse(weights[item]));
    let mut search = Cliques {
        meets,
        weights: &weights,
        best: known,
        comparisons,
    };
    search.branch(&items, 0);
    search.best
}

struct Cliques<'a> {
    meets: &'a Meets,
    weights: &'a [u64],
    best: u64,
    /// Comparisons that are left.
    comparisons: u64,
}

impl Cliques<'_> {
    /// Extends a clique of some weight by candidates that meet all of it.
    fn branch(&mut self, candidates: &[usize], weight: u64) {
        self.best = self.best.max(weight);
        if candidates.is_empty() || self.comparisons == 0 {
            return;
        }
        // Colour classes: items that do not meet pairwise. The bound of a prefix of classes is the sum of their
        // largest.
        let mut classes: Vec<Vec<usize>> = vec![];
        for &item in candidates {
            let mut compared = 1;
            let mut meets = |other: usize| {
                compared += 1;
                self.meets.get(item, other)
            };
            let free = classes
                .iter_mut()
                .find(|class| class.iter().all(|&other| !meets(other)));
            self.comparisons = self.comparisons.saturating_sub(compared);
            match free {
                Some(class) => class.push(item),
                None => classes.push(vec![item]),
            }
        }
        let mut bounds = vec![];
        let mut sum = 0;
        let mut order = vec![];
        for class in &classes {
            let most = class.iter().map(|&item| self.weights[item]).max().unwrap_or(0);
            for &item in class {
                order.push(item);
                bounds.push(sum + most);
            }
            sum += most;
        }
        for last in (0..order.len()).rev() {
            if weight + bounds[last] <= self.best {
                return;
            }
            let item = order[last];
            let next: Vec<usize> = order[..last]
                .iter()
                .copied()
                .filter(|&other| self.meets.get(item, other))
                .collect();
            self.branch(&next, weight + self.weights[item]);
        }
    }
}
