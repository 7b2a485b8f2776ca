//! List scheduling of one iteration on a folding table, where what closes a window too early starts later.
//!
//! A ring or a recurrence gives an operation a window: it starts after its predecessors and before what an earlier
//! placed reader allows. With a tight one, all of its operations must move together to where the table has room for
//! them, which no order of placing does by itself. So when the first free place of an operation is after its window,
//! the reader that closes the window is delayed by the cycles missing, and the round is repeated; an operation that
//! finds no place at all goes before all others (squeaky wheel optimisation). There are rounds for several orders: the
//! longest chain first, then the same with fixed pseudo-random noise (GRASP, Feo and Resende 1995). Their number falls
//! with the size of the problem and depends on nothing else, so the result is always the same.
//!
//! Objective: the least interval. Guarantee: an offered schedule has passed the verification, and replaces only a worse
//! one.

use super::place::{Stuck, place_in_order, rising, span};
use super::search::Search;
use crate::graph::{earliest, heights};
use crate::greedy::topological;

/// Orders tried at one interval.
const ORDERS: usize = 24;
/// Rounds of one order.
const ROUNDS: usize = 24;
/// Operations times rounds of all orders at one interval.
const PLACED: usize = 12_000;

/// Offers what comes out at the least interval at which an order stays within `most` iterations.
pub(super) fn offer_delayed(search: &mut Search<'_>, most: i64) {
    let count = search.work.count();
    rising(search, |search, ii| {
        let Some(height) = heights(&search.work.latency, &search.work.edges, ii) else {
            return false;
        };
        let Some(depth) = earliest(&vec![0; count], &search.work.edges, ii) else {
            return false;
        };
        let mut left = PLACED / count;
        for attempt in 0..ORDERS {
            let rounds = left.min(ROUNDS);
            let noisy = with_noise(&height, attempt);
            let order = topological(&search.work, |op| noisy[op]);
            let (start, used) = delayed(search, ii, order, depth.clone(), rounds);
            // The next order does not depend on whether this one is too long: more overlapping iterations only allow
            // more.
            if start.is_some_and(|start| span(&start) / ii < most && search.offer(&start, ii)) {
                return true;
            }
            left -= used;
            if left == 0 {
                break;
            }
        }
        false
    });
}

/// Start times from the first round in which everything finds a place, if there is one; and the rounds it took.
fn delayed(
    search: &Search<'_>,
    ii: i64,
    mut order: Vec<usize>,
    mut floor: Vec<i64>,
    rounds: usize,
) -> (Option<Vec<i64>>, usize) {
    for round in 0..rounds {
        match place_in_order(&search.work, ii, &order, &|op| floor[op]) {
            Ok(start) => return (Some(start), round + 1),
            Err(Stuck {
                closed_by: Some((reader, later)),
                ..
            }) => floor[reader] = later,
            Err(Stuck { op, closed_by: None }) => {
                let place = order.iter().position(|&other| other == op).unwrap_or(0);
                order[..=place].rotate_right(1);
            }
        }
    }
    (None, rounds)
}

/// Heights with noise up to a share of the largest, by Knuth's MMIX generator; the first attempt has none.
fn with_noise(height: &[i64], attempt: usize) -> Vec<i64> {
    let highest = height.iter().max().copied().unwrap_or(0);
    let share = [8, 2, 4, 1][attempt % 4];
    let noise = if attempt == 0 { 0 } else { highest.max(0) / share };
    let mut state = attempt as u64;
    let noisy = height.iter().map(|height| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        height + (state >> 33) as i64 % (noise + 1)
    });
    noisy.collect()
}
