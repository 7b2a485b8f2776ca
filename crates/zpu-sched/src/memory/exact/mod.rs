//! Exact packing: a plan within a height, or the proof that there is none.
//!
//! Invariants: a height is called impossible only after a search without gaps; only nodes are counted unless there is a
//! deadline, so the same packing and budget give the same answer.

mod order;
mod search;
mod state;

use self::order::{KEYS, Order};
use self::search::{Outcome, Search};
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
}

impl<'a> Solver<'a> {
    fn new(packing: &'a Packing) -> Solver<'a> {
        Solver { packing }
    }

    /// Tries the orders in turn, each with more nodes from round to round.
    fn within(&mut self, height: u64, budget: &mut Budget) -> Answer {
        let mut searches: Vec<Search<'_>> = vec![];
        for keys in KEYS {
            match Search::new(self.packing, Order::new(self.packing, keys), height) {
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
