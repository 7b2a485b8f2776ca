//! Exact packing: a plan within a height, or the proof that there is none.
//!
//! Invariants: a height is called impossible only after a search without gaps; only nodes are counted unless there is a
//! deadline, so the same packing and budget give the same answer.

mod search;
mod state;

use std::cmp::Reverse;

use self::search::{Outcome, Search};
use super::bound::load;
use super::greedy::Start;
use super::packing::Packing;
use crate::budget::Budget;

/// Most items that are searched.
pub(super) const MOST_ITEMS: usize = 2_000;
/// Nodes of the first try of an order; each further round doubles it.
const FIRST_TRY: u64 = 2_000;
/// Nodes that may go into a smaller plan when there is one that fits.
const NODES_FOR_LESS: u64 = 20_000;

/// Improves a plan until it is the least, or the budget is used up. Returns a height below which there is no plan, at
/// least `bound`. If there is a capacity, the main effort is to get below it.
pub(super) fn minimise(
    packing: &Packing,
    best: &mut Start,
    mut bound: u64,
    capacity: Option<u64>,
    budget: &mut Budget,
) -> u64 {
    if packing.len() > MOST_ITEMS {
        return bound;
    }
    let unit = unit(packing);
    let mut solver = Solver::new(packing);
    if let Some(capacity) = capacity.filter(|&capacity| bound <= capacity && capacity < best.height) {
        match solver.within(capacity, budget) {
            Answer::Plan(offsets) => take(packing, best, offsets),
            Answer::Impossible => bound = capacity + 1,
            Answer::Unknown => return bound,
        }
    }
    let mut rest = match capacity {
        Some(capacity) if best.height <= capacity => budget.take(NODES_FOR_LESS),
        _ => budget.clone(),
    };
    // The bound is nearly always the least, and a tight height cuts most; if it is not, the search comes from above.
    let mut is_first = true;
    while bound < best.height && !rest.spent() {
        let steps = if is_first { rest.steps / 2 } else { rest.steps };
        let mut part = rest.take(steps.max(1));
        let height = if is_first { bound } else { best.height - unit };
        match solver.within(height, &mut part) {
            Answer::Plan(offsets) => take(packing, best, offsets),
            // All heights are multiples of the unit, so the next that may do is the one after.
            Answer::Impossible => bound = (height / unit + 1) * unit,
            Answer::Unknown if !is_first => break,
            Answer::Unknown => {}
        }
        rest.give_back(&part);
        is_first = false;
    }
    bound
}

fn take(packing: &Packing, best: &mut Start, offsets: Vec<u64>) {
    best.height = packing.height(&offsets);
    best.offsets = offsets;
}

/// The answer to the question for a plan within a height.
pub(super) enum Answer {
    /// Offsets of such a plan.
    Plan(Vec<u64>),
    /// There is none.
    Impossible,
    /// The budget was used up.
    Unknown,
}

/// A plan within a height, by an exact search alone.
pub(super) fn within(packing: &Packing, height: u64, budget: &mut Budget) -> Answer {
    Solver::new(packing).within(height, budget)
}

/// The largest number that divides all heights that a plan can have.
fn unit(packing: &Packing) -> u64 {
    let numbers = packing
        .items
        .iter()
        .flat_map(|item| [item.bytes, item.align, item.pinned.unwrap_or(0)]);
    let banks = if packing.apart.iter().all(Vec::is_empty) {
        0
    } else {
        packing.bank
    };
    numbers.chain([banks]).fold(0, gcd).max(1)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

struct Solver<'a> {
    packing: &'a Packing,
    /// Static orders: rank of each item.
    orders: Vec<Vec<u32>>,
}

impl<'a> Solver<'a> {
    fn new(packing: &'a Packing) -> Solver<'a> {
        Solver {
            packing,
            orders: orders(packing),
        }
    }

    /// Tries the orders in turn, each with more nodes from round to round.
    fn within(&mut self, height: u64, budget: &mut Budget) -> Answer {
        let mut searches: Vec<Search<'_>> = vec![];
        for rank in &self.orders {
            match Search::new(self.packing, rank, height) {
                Some(search) => searches.push(search),
                None => return Answer::Impossible,
            }
        }
        let mut share = FIRST_TRY;
        while !budget.spent() {
            for search in &mut searches {
                let mut part = budget.take(share);
                let outcome = search.run(&mut part);
                budget.give_back(&part);
                match outcome {
                    Outcome::Found => return Answer::Plan(search.offsets()),
                    Outcome::Failed => return Answer::Impossible,
                    Outcome::Spent => {}
                }
            }
            share = share.saturating_mul(2);
        }
        Answer::Unknown
    }
}

/// Three orders by width (length of life), area and total (most bytes alive during the life), the largest first, as in
/// Moffitt, "MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine Learning", ASPLOS 2023.
fn orders(packing: &Packing) -> Vec<Vec<u32>> {
    let mut alive = vec![0u64; packing.sections];
    for item in &packing.items {
        for &(from, to) in &item.ranges {
            alive[from as usize..to as usize]
                .iter_mut()
                .for_each(|alive| *alive += item.bytes);
        }
    }
    debug_assert_eq!(
        alive.iter().copied().max().unwrap_or(0),
        load(packing, |item| packing.items[item].bytes).0
    );
    let facts = packing.items.iter().map(|item| {
        let ranges = || item.ranges.iter().map(|&(from, to)| (from as usize, to as usize));
        let width: u64 = ranges()
            .map(|(from, to)| packing.begins[to] - packing.begins[from])
            .sum();
        let total = ranges()
            .flat_map(|(from, to)| &alive[from..to])
            .copied()
            .max()
            .unwrap_or(0);
        [
            u128::from(width),
            u128::from(width) * u128::from(item.bytes),
            u128::from(total),
        ]
    });
    let facts: Vec<[u128; 3]> = facts.collect();
    let (width, area, total) = (0, 1, 2);
    let mut ranks = vec![];
    for keys in [[width, area, total], [total, area, width], [total, width, area]] {
        let mut order: Vec<usize> = (0..packing.len()).collect();
        order.sort_by_key(|&item| (Reverse(keys.map(|key| facts[item][key])), item));
        let mut rank = vec![0; order.len()];
        for (place, item) in order.into_iter().enumerate() {
            rank[item] = place as u32;
        }
        ranks.push(rank);
    }
    ranks
}
