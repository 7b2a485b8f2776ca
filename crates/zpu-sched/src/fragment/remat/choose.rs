//! The forward fragments of one mesh to compute again, so that its peak fits at least added time.
//!
//! A candidate, if taken, relieves the places of the order between its forward fragment and its first backward piece of
//! its bytes. Each place that holds more than the budget needs relief; the cost is the sum of the cycles taken. That is
//! a knapsack that covers, with intervals.
//!
//! The places are gone through from the left. At the first that holds too much, one of the candidates that cover it
//! must be taken: the search branches on the first of them that is, the longest first. If all candidates have the same
//! bytes and cycles, the longest is always right (what it relieves later, contains what the others would), and no
//! search is needed. The bound adds up, over places that no candidate has in common, the cycles that each of them costs
//! at least.

use std::cmp::Reverse;

/// A forward fragment that could be computed again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    /// The first place that it relieves.
    pub(super) from: usize,
    /// The place after the last one.
    pub(super) until: usize,
    pub(super) bytes: u64,
    pub(super) cycles: u64,
}

impl Candidate {
    fn covers(&self, place: usize) -> bool {
        (self.from..self.until).contains(&place)
    }
}

/// The candidates taken.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) taken: Vec<bool>,
    /// No choice costs fewer cycles.
    pub(super) least: u64,
    pub(super) proven: bool,
}

struct Search<'c> {
    candidates: &'c [Candidate],
    /// By place, bytes that are too many.
    excess: Vec<i128>,
    /// Candidates, the longest first.
    order: Vec<usize>,
    /// True if the longest candidate is always right.
    are_equal: bool,
    steps: u64,
    is_cut: bool,
    best: Option<(u64, Vec<bool>)>,
}

/// Chooses candidates so that no place holds more than the budget; otherwise, the place at which that is impossible and
/// the bytes that remain there.
pub(super) fn choose(held: &[u64], budget: u64, candidates: &[Candidate], effort: u64) -> Result<Choice, (usize, u64)> {
    let excess: Vec<i128> = held.iter().map(|held| i128::from(*held) - i128::from(budget)).collect();
    for (place, &excess) in excess.iter().enumerate() {
        let relief: u64 = candidates.iter().filter(|of| of.covers(place)).map(|of| of.bytes).sum();
        if excess > i128::from(relief) {
            return Err((place, held[place] - relief));
        }
    }
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&at| {
        (
            Reverse(candidates[at].until),
            candidates[at].cycles,
            candidates[at].from,
        )
    });
    let are_equal = candidates.windows(2).all(|pair| {
        let figures = |of: &Candidate| (of.bytes, of.cycles);
        figures(&pair[0]) == figures(&pair[1])
    });
    let mut search = Search {
        candidates,
        excess,
        order,
        are_equal,
        steps: effort.max(1),
        is_cut: false,
        best: None,
    };
    let least = search.bound(&vec![false; candidates.len()]);
    let none = vec![false; candidates.len()];
    search.branch(&mut none.clone(), &mut none.clone(), 0, 0);
    let (cost, taken) = match search.best.take() {
        Some(best) => best,
        // The search was cut before its first solution: all are one.
        None => (
            candidates.iter().map(|of| of.cycles).sum(),
            vec![true; candidates.len()],
        ),
    };
    let proven = !search.is_cut || cost == least;
    Ok(Choice {
        taken,
        least: if proven { cost } else { least },
        proven,
    })
}

impl Search<'_> {
    fn branch(&mut self, taken: &mut Vec<bool>, refused: &mut Vec<bool>, from: usize, cost: u64) {
        let best = self.best.as_ref().map_or(u64::MAX, |best| best.0);
        if cost >= best {
            return;
        }
        let Some(place) = (from..self.excess.len()).find(|&place| self.excess[place] > 0) else {
            self.best = Some((cost, taken.clone()));
            return;
        };
        // The first descent has no limit, so that there is a solution.
        if self.best.is_some() {
            if self.steps == 0 {
                self.is_cut = true;
                return;
            }
            self.steps -= 1;
            if cost.saturating_add(self.bound(refused)) >= best {
                return;
            }
        }
        let open: Vec<usize> = self
            .order
            .iter()
            .copied()
            .filter(|&at| !taken[at] && !refused[at] && self.candidates[at].covers(place))
            .collect();
        let relief: i128 = open.iter().map(|&at| i128::from(self.candidates[at].bytes)).sum();
        if relief < self.excess[place] {
            return;
        }
        for &at in &open {
            let Candidate { bytes, cycles, .. } = self.candidates[at];
            let bytes = i128::from(bytes);
            taken[at] = true;
            self.relieve(at, -bytes);
            self.branch(taken, refused, place, cost + cycles);
            self.relieve(at, bytes);
            taken[at] = false;
            if self.are_equal {
                return;
            }
            refused[at] = true;
        }
        open.iter().for_each(|&at| refused[at] = false);
    }

    fn relieve(&mut self, at: usize, by: i128) {
        let Candidate { from, until, .. } = self.candidates[at];
        self.excess[from..until].iter_mut().for_each(|excess| *excess += by);
    }

    /// Cycles that the rest of the way costs at least. Candidates that are taken have already relieved their places,
    /// and count again at most as a cheap way that does not exist: the bound stays one.
    fn bound(&self, refused: &[bool]) -> u64 {
        let mut total = 0u64;
        let mut free_from = 0;
        for place in 0..self.excess.len() {
            if self.excess[place] <= 0 || place < free_from {
                continue;
            }
            let covering =
                || (0..self.candidates.len()).filter(|&at| !refused[at] && self.candidates[at].covers(place));
            // Places are independent if no candidate covers both.
            if covering().any(|at| self.candidates[at].from < free_from) {
                continue;
            }
            total = total.saturating_add(self.knapsack(place, covering()));
            free_from = covering().map(|at| self.candidates[at].until).max().unwrap_or(place) + 1;
        }
        total
    }

    /// The least cycles that relieve one place, if candidates could be taken in part; rounded up.
    fn knapsack(&self, place: usize, covering: impl Iterator<Item = usize>) -> u64 {
        let mut of: Vec<Candidate> = covering
            .map(|at| self.candidates[at])
            .filter(|of| of.bytes > 0)
            .collect();
        of.sort_by(|a, b| {
            let product = |x: &Candidate, y: &Candidate| u128::from(x.cycles) * u128::from(y.bytes);
            product(a, b).cmp(&product(b, a))
        });
        let (mut left, mut cycles) = (self.excess[place] as u128, 0u128);
        for candidate in of {
            let bytes = u128::from(candidate.bytes);
            if bytes >= left {
                cycles += (u128::from(candidate.cycles) * left).div_ceil(bytes);
                break;
            }
            left -= bytes;
            cycles += u128::from(candidate.cycles);
        }
        u64::try_from(cycles).unwrap_or(u64::MAX)
    }
}
