//! Local search over the order of placing: an item at the high-water mark, or one that meets such, is moved forward or
//! swapped; an order that is not worse is kept.
//!
//! Invariant: the generator has a fixed seed and only attempts are counted, so the same packing gives the same result.

use super::greedy::{Fit, Placer, Start};
use super::packing::{Meets, Packing};

/// Attempts without gain after which the search goes back to the best order.
const PATIENCE: u64 = 60;
/// One attempt in so many may be worse and is kept nevertheless.
const WORSE: u64 = 40;

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound.max(1) as u64) as usize
    }
}

/// Improves a start until its height is at most `enough`, or all attempts are made.
pub(super) fn improve(packing: &Packing, meets: Option<&Meets>, start: &mut Start, enough: u64, attempts: u64) {
    if packing.len() < 2 {
        return;
    }
    let mut random = Random(0);
    let mut placer = Placer::new(packing, meets);
    let mut order = start.order.clone();
    let mut offsets = start.offsets.clone();
    // The order may have been placed by best fit; the search knows first fit only.
    let mut current = u64::MAX;
    if let Some(first) = placer.place(&order, Fit::First, u64::MAX) {
        offsets.copy_from_slice(first);
        current = packing.height(&offsets);
    }
    let mut idle = 0;
    let mut trial = order.clone();
    for _ in 0..attempts {
        if start.height <= enough {
            return;
        }
        if idle >= PATIENCE {
            idle = 0;
            order.clone_from(&start.order);
        }
        idle += 1;
        trial.clone_from(&order);
        change(packing, &mut trial, &offsets, current, &mut random);
        let limit = if random.below(WORSE as usize) == 0 {
            u64::MAX
        } else {
            current
        };
        let Some(found) = placer.place(&trial, Fit::First, limit) else {
            continue;
        };
        offsets.copy_from_slice(found);
        current = packing.height(&offsets);
        std::mem::swap(&mut order, &mut trial);
        if current < start.height {
            idle = 0;
            *start = Start {
                offsets: offsets.clone(),
                height: current,
                order: order.clone(),
            };
        }
    }
}

/// Changes an order around the high-water mark.
fn change(packing: &Packing, order: &mut [usize], offsets: &[u64], height: u64, random: &mut Random) {
    let is_top = |item: usize| offsets[item] + packing.items[item].bytes == height;
    let count = order.len();
    let tops: Vec<usize> = (0..count).filter(|&place| is_top(order[place])).collect();
    let mut place = tops.get(random.below(tops.len())).copied().unwrap_or(0);
    if random.below(2) == 0 {
        // One that stands in its way.
        let top = order[place];
        let near: Vec<usize> = (0..count).filter(|&other| packing.meet(order[other], top)).collect();
        place = near[random.below(near.len())];
    }
    if random.below(3) == 0 {
        order.swap(place, random.below(count));
    } else {
        let to = random.below(if place == 0 { count } else { place });
        if to < place {
            order[to..=place].rotate_right(1);
        } else {
            order[place..=to].rotate_left(1);
        }
    }
}
