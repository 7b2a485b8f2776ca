//! Iterative modulo scheduling at one interval (Rau, MICRO 1994), in attempts that learn from each other.
//!
//! Operations are placed by height, each in the first free slot after what precedes it. If there is none within one
//! interval, it takes a slot by force, and each operation that is in the way there, or now starts too early or too
//! late, is placed again, within a budget. Operations that were evicted often are placed earlier in the next attempt.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::budget::Budget;
use crate::graph::{Edge, heights};
use crate::reservation::Reservations;
use crate::work::Work;

/// Placements per operation and interval before the attempt is given up.
const BUDGET: usize = 12;
/// Placements between two readings of the clock, which costs more than one placement.
const CLOCK: usize = 256;

/// The evictions of earlier attempts.
#[derive(Clone, Debug, Default)]
pub(crate) struct EvictionHistory {
    /// Attempts so far.
    attempts: u64,
    /// The number of evictions of each operation, the last attempts counting more.
    evicted: Vec<i64>,
}

/// Makes one attempt. Returns start times that respect all dependences and resources at `ii`; `None` also if the
/// deadline of the budget ends it. The first attempt goes by height alone. Later ones add the history and noise, and
/// every other of them places an operation late if only what follows it is placed, which keeps lifetimes short (swing
/// modulo scheduling, Llosa 1996).
pub(crate) fn iterative(
    work: &Work<'_>,
    ii: i64,
    experience: &mut EvictionHistory,
    limit: &Budget,
) -> Option<Vec<i64>> {
    let count = work.count();
    let mut height = heights(&work.latency, &work.edges, ii)?;
    let attempt = experience.adjust(&mut height);
    let mut table = Reservations::new(work.problem, ii);
    let mut placed = Placed::new(work, ii);
    let mut start: Vec<Option<i64>> = vec![None; count];
    let mut last: Vec<Option<i64>> = vec![None; count];
    let mut open: BTreeSet<(Reverse<i64>, usize)> = (0..count).map(|op| (Reverse(height[op]), op)).collect();
    let mut budget = BUDGET * count;
    while let Some((_, op)) = open.pop_first() {
        budget = budget.checked_sub(1)?;
        if budget.is_multiple_of(CLOCK) && limit.late() {
            return None;
        }
        let uses = work.uses(op);
        let from = after_predecessors(work, ii, &start, op);
        let late = (attempt % 2 == 1)
            .then(|| late_fit(work, &mut table, ii, &start, op))
            .flatten();
        let fit = late.or_else(|| table.first_fit(uses, from, from + ii - 1));
        let at = match fit {
            Some(at) => at,
            None => {
                let at = last[op].map_or(from, |last| from.max(last + 1));
                // These may be in the way, by the span of their uses; each one that is not goes back to its place.
                let others = placed.near(work, op, at);
                for &other in others.iter().filter(|&&other| other != op) {
                    if table.fits(uses, at) {
                        break;
                    }
                    let Some(old) = start[other] else { continue };
                    table.remove(work.uses(other), old);
                    if with(&mut table, uses, at, work.uses(other), old) {
                        start[other] = None;
                        experience.evicted[other] += 16;
                        placed.remove(work, other, old);
                        open.insert((Reverse(height[other]), other));
                    } else {
                        table.place(work.uses(other), old);
                    }
                }
                if !table.fits(uses, at) {
                    return None;
                }
                at
            }
        };
        table.place(uses, at);
        placed.insert(work, op, at);
        (start[op], last[op]) = (Some(at), Some(at));
        for broken in broken_by(work, ii, &start, op) {
            if let Some(old) = start[broken].take() {
                experience.evicted[broken] += 16;
                table.remove(work.uses(broken), old);
                placed.remove(work, broken, old);
                open.insert((Reverse(height[broken]), broken));
            }
        }
    }
    start.into_iter().collect()
}

impl EvictionHistory {
    /// Begins an attempt: raises the heights of what gave way often, and all a little in a fixed pseudo-random way
    /// (Knuth's MMIX generator); attempt 0 changes nothing. Returns the number of the attempt.
    fn adjust(&mut self, height: &mut [i64]) -> u64 {
        let attempt = self.attempts;
        self.attempts += 1;
        self.evicted.resize(height.len(), 0);
        let highest = height.iter().max().copied().unwrap_or(0);
        let most = self.evicted.iter().max().copied().unwrap_or(0);
        let mut state = attempt / 2;
        let noise = if state == 0 {
            0
        } else {
            highest / [4, 16, 2, 8][state as usize % 4]
        };
        for (height, evicted) in height.iter_mut().zip(&mut self.evicted) {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            *height += (state >> 33) as i64 % (noise + 1);
            if most > 0 && attempt % 4 > 1 {
                *height += *evicted * highest / most;
            }
            *evicted -= *evicted / 4;
        }
        attempt
    }
}

/// The last place before the placed successors of an operation without placed predecessors.
fn late_fit(work: &Work<'_>, table: &mut Reservations, ii: i64, start: &[Option<i64>], op: usize) -> Option<i64> {
    let others = |arcs: &[u32]| -> Vec<Edge> {
        let edges = arcs.iter().map(|&arc| work.edges[arc as usize]);
        edges.filter(|e| e.from != e.to).collect()
    };
    if others(&work.graph.entering[op]).iter().any(|e| start[e.from].is_some()) {
        return None;
    }
    let leaving = others(&work.graph.leaving[op]);
    let latest = leaving
        .iter()
        .filter_map(|e| Some(start[e.to]? - e.latency + e.distance * ii))
        .min()?;
    table.last_fit(work.uses(op), latest - ii + 1, latest)
}

/// True if `other` at `old` is in the way of `uses` at `at`, `other` being off the table.
fn with(table: &mut Reservations, uses: &[crate::Use], at: i64, other: &[crate::Use], old: i64) -> bool {
    let before = table.fits(other, old);
    table.place(uses, at);
    let after = table.fits(other, old);
    table.remove(uses, at);
    before && !after
}

fn after_predecessors(work: &Work<'_>, ii: i64, start: &[Option<i64>], op: usize) -> i64 {
    let entering = work.graph.entering[op]
        .iter()
        .map(|&arc| work.edges[arc as usize])
        .filter(|e| e.from != op);
    let after = entering.filter_map(|e| Some(start[e.from]? + e.latency - e.distance * ii));
    after.max().unwrap_or(0).max(0)
}

/// Placed operations whose dependences on or from `op` no longer hold.
fn broken_by(work: &Work<'_>, ii: i64, start: &[Option<i64>], op: usize) -> Vec<usize> {
    let arcs = work.graph.leaving[op].iter().chain(&work.graph.entering[op]);
    let broken = arcs.filter_map(|&arc| {
        let edge = work.edges[arc as usize];
        let (from, to) = (start[edge.from]?, start[edge.to]?);
        let other = if edge.from == op { edge.to } else { edge.from };
        (other != op && to + edge.distance * ii < from + edge.latency).then_some(other)
    });
    let mut broken: Vec<usize> = broken.collect();
    broken.sort_unstable();
    broken.dedup();
    broken
}

/// The placed operations on each resource, by the residue at which the use begins.
struct Placed {
    ii: i64,
    by_residue: Vec<BTreeSet<(i64, usize)>>,
    /// Longest use of each resource.
    longest: Vec<i64>,
}

impl Placed {
    fn new(work: &Work<'_>, ii: i64) -> Placed {
        let resources = work.problem.resources.len();
        let mut longest = vec![0; resources];
        for used in (0..work.count()).flat_map(|op| work.uses(op)) {
            longest[used.resource.index()] = (used.cycles as i64).max(longest[used.resource.index()]);
        }
        Placed {
            ii,
            by_residue: vec![BTreeSet::new(); resources],
            longest,
        }
    }

    fn begins<'a>(&self, work: &'a Work<'_>, op: usize, at: i64) -> impl Iterator<Item = (usize, i64, i64)> + use<'a> {
        let ii = self.ii;
        let uses = work.uses(op).iter().filter(|u| u.cycles > 0);
        uses.map(move |u| {
            (
                u.resource.index(),
                (at + u.offset as i64).rem_euclid(ii),
                u.cycles as i64,
            )
        })
    }

    fn insert(&mut self, work: &Work<'_>, op: usize, at: i64) {
        for (resource, residue, _) in self.begins(work, op, at) {
            self.by_residue[resource].insert((residue, op));
        }
    }

    fn remove(&mut self, work: &Work<'_>, op: usize, at: i64) {
        for (resource, residue, _) in self.begins(work, op, at) {
            self.by_residue[resource].remove(&(residue, op));
        }
    }

    /// The operations that may meet `op` at `at`, in source order.
    fn near(&self, work: &Work<'_>, op: usize, at: i64) -> Vec<usize> {
        let mut near = BTreeSet::new();
        for (resource, residue, cycles) in self.begins(work, op, at) {
            let (placed, longest) = (&self.by_residue[resource], self.longest[resource]);
            if longest + cycles >= self.ii {
                near.extend(placed.iter().map(|&(_, other)| other));
                continue;
            }
            // Uses that begin before the end of this one, or so late in the interval before that they may reach into
            // this one.
            for shift in [-self.ii, 0, self.ii] {
                let (from, to) = ((residue - longest + shift, 0), (residue + cycles + shift, 0));
                near.extend(placed.range(from..to).map(|&(_, other)| other));
            }
        }
        near.into_iter().collect()
    }
}

/// Moves each operation, the last first, as late as its readers and the resources allow.
pub(crate) fn sink(work: &Work<'_>, ii: i64, start: &mut [i64]) {
    let mut table = Reservations::new(work.problem, ii);
    for (op, &at) in start.iter().enumerate() {
        table.place(work.uses(op), at);
    }
    let mut order: Vec<usize> = (0..start.len()).collect();
    order.sort_by_key(|&op| Reverse((start[op], op)));
    for op in order {
        let leaving = work.graph.leaving[op]
            .iter()
            .map(|&arc| work.edges[arc as usize])
            .filter(|e| e.to != op);
        let latest = leaving.map(|e| start[e.to] - e.latency + e.distance * ii).min();
        let Some(latest) = latest.filter(|&latest| latest > start[op]) else {
            continue;
        };
        table.remove(work.uses(op), start[op]);
        let at = table
            .last_fit(work.uses(op), start[op].max(latest - ii + 1), latest)
            .unwrap_or(start[op]);
        table.place(work.uses(op), at);
        start[op] = at;
    }
}
