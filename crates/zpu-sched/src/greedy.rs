//! The `greedy` scheduler: critical-path list scheduling over several overlapping iterations.
//!
//! For each window of K = 1, 2, ... iterations and each priority rule, (a) the window is list-scheduled and one of its
//! iterations is folded at the window's rate, and (b) one iteration is list-scheduled on a table that folds at the
//! interval, with the interval raised until at most K stages come out. Commands on the longest dependence chain go
//! first; in (b) there is also a variant that places prefetches last, as late as their readers allow, into the gaps
//! that are left. Every proposal becomes a legal plan and is run on the reference machine; the best is kept.
//!
//! Objective: the run if its length is known, else the steady rate. Guarantee: never worse than `serial` and `list` by
//! that measure, and never worse with more overlapping iterations, since the proposals for K are among those for K + 1.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::slice;

use crate::candidate::Candidate;
use crate::graph::{Arc, Graph, earliest, heights};
use crate::incumbent::Incumbent;
use crate::list::list;
use crate::reservation::Reservations;
use crate::window::{Rule, first_operations, window};
use crate::work::Work;
use crate::{Kind, MAX_ITERATIONS};

/// Operations above which only what wins most often is tried: running a plan takes time.
const LARGE: usize = 500;

/// The best of all windows and rules.
pub(crate) fn greedy(work: &Work<'_>, serial: Candidate) -> Candidate {
    greedy_incumbent(work, serial).into_best()
}

/// The incumbent after all windows and rules.
pub(crate) fn greedy_incumbent<'a>(work: &'a Work<'a>, serial: Candidate) -> Incumbent<'a> {
    let (problem, options) = (work.problem, work.options);
    let mut incumbent = Incumbent::new(work, serial.clone());
    if work.count() == 0 {
        return incumbent;
    }
    if problem.kind == Kind::Acyclic {
        offer_windows(work, &mut incumbent, 1);
        return incumbent;
    }
    incumbent.offer(list(work, serial).0);
    let most = options
        .iterations
        .unwrap_or(options.num_stages.saturating_add(1))
        .max(1);
    let most = i64::from(most).min(work.last_stage() + 1).min(MAX_ITERATIONS.into());
    let free_issue = work.with_free_issue();
    for iterations in 1..=most {
        for work in [Some(work), free_issue.as_ref()].into_iter().flatten() {
            offer_windows(work, &mut incumbent, iterations);
            offer_folded(work, &mut incumbent, iterations);
        }
    }
    incumbent
}

/// Offers the iterations of list-scheduled windows, folded.
fn offer_windows(work: &Work<'_>, incumbent: &mut Incumbent<'_>, iterations: i64) {
    let least = work.bounds.interval() as i64;
    let large = work.count() > LARGE;
    let rules = if large {
        &[Rule::BottomLevel, Rule::Source][..]
    } else {
        &Rule::ALL
    };
    for &rule in rules {
        let start = window(work, iterations as usize, rule);
        let end = |iteration: &Vec<i64>| {
            let ends = iteration
                .iter()
                .zip(&work.latency)
                .map(|(start, latency)| start + latency);
            ends.max().unwrap_or(0)
        };
        let (first, last) = (end(&start[0]), start.iter().map(end).max().unwrap_or(0));
        let rate = if iterations > 1 {
            (last - first + iterations - 2) / (iterations - 1)
        } else {
            last
        };
        let middle = if large { start.len() - 1 } else { 0 };
        for iteration in &start[middle..] {
            let length = end(iteration) - iteration.iter().min().copied().unwrap_or(0);
            let mut intervals = vec![
                least,
                rate.max(least),
                ((length + iterations - 1) / iterations).max(least),
            ];
            intervals.sort_unstable();
            intervals.dedup();
            if large {
                intervals.retain(|&ii| ii == rate.max(least));
            }
            for ii in intervals {
                // Operations that the fold breaks move to later times, which keeps the shape of the window.
                if let Some(start) = earliest(iteration, &work.edges, ii) {
                    incumbent.offer_times(&start, ii, iterations - 1);
                }
            }
        }
    }
}

/// Offers one iteration, list-scheduled on a folding table, at the least interval at which that works.
fn offer_folded(work: &Work<'_>, incumbent: &mut Incumbent<'_>, iterations: i64) {
    let least = work.bounds.interval() as i64;
    let longest: i64 = work.latency.iter().sum::<i64>().max(least);
    let rules = Rule::ALL
        .map(Placing::Forward)
        .into_iter()
        .chain([Placing::PrefetchLast]);
    for rule in rules {
        for ii in intervals(least, longest, work.count()) {
            // A plan may run faster than the interval it was made for, but not by much.
            if ii > least && ii * 4 > incumbent.best().rate().interval() as i64 * 5 {
                break;
            }
            if folded(work, ii, rule).is_some_and(|start| incumbent.offer_times(&start, ii, iterations - 1)) {
                break;
            }
        }
    }
}

/// Intervals to try: one by one at first, then in growing steps; fewer for larger problems.
pub(crate) fn intervals(least: i64, longest: i64, count: usize) -> impl Iterator<Item = i64> {
    let single = (2000 / count.max(1)).clamp(2, 32) as i64;
    let growth = if count > 200 { 8 } else { 32 };
    let mut next = Some(least);
    std::iter::from_fn(move || {
        let ii = next?;
        let step = if ii - least < single { 1 } else { (ii / growth).max(1) };
        next = if ii < longest {
            Some((ii + step).min(longest))
        } else {
            None
        };
        Some(ii)
    })
}

/// The order in which the folding table is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placing {
    /// Each operation after those that it depends on, as early as possible.
    Forward(Rule),
    /// Computation first, as early as possible; then what precedes it, as late as possible.
    PrefetchLast,
    /// Each operation before those that depend on it, as late as possible; the longest chain from the start first.
    Backward,
    /// The order of `Forward`; of the ready operations those on the busiest resource first, then the longest chain.
    Busiest,
}

/// Start times of one iteration that respect all dependences and resources at interval `ii`; `None` if the order of
/// placing does not work out at this interval.
pub(crate) fn folded(work: &Work<'_>, ii: i64, placing: Placing) -> Option<Vec<i64>> {
    let height = heights(&work.latency, &work.edges, ii)?;
    let depth = earliest(&vec![0; work.count()], &work.edges, ii)?;
    let mut fold = Fold {
        work,
        ii,
        table: Reservations::new(work.problem, ii),
        start: vec![None; work.count()],
    };
    let prefetch = prefetches(work);
    let is_late = |op: usize| placing == Placing::PrefetchLast && prefetch[op];
    let (first, busy) = (first_operations(work), busiest(work));
    let priority = |op: usize| match placing {
        Placing::Forward(Rule::BottomLevel) | Placing::PrefetchLast | Placing::Backward => height[op],
        Placing::Busiest => height[op] + if busy[op] { 1 << 50 } else { 0 },
        Placing::Forward(Rule::Slack) => height[op] + depth[op],
        Placing::Forward(Rule::Source) => -(op as i64),
        Placing::Forward(Rule::Prefetch) => height[op] + if first[op] { 1 << 50 } else { 0 },
    };
    if placing == Placing::Backward {
        let mut order: Vec<usize> = topological(work, |op| -depth[op]);
        order.reverse();
        for op in order {
            fold.place_late(op, -height[op])?;
        }
        return fold.start.into_iter().collect();
    }
    let order = topological(work, priority);
    for &op in order.iter().filter(|&&op| !is_late(op)) {
        fold.place_early(op, depth[op])?;
    }
    for &op in order.iter().rev().filter(|&&op| is_late(op)) {
        fold.place_late(op, i64::MAX)?;
    }
    fold.start.into_iter().collect()
}

/// A topological order of one iteration that takes the highest priority first; operations that start together follow
/// each other in it.
pub(crate) fn topological(work: &Work<'_>, priority: impl Fn(usize) -> i64) -> Vec<usize> {
    let Graph {
        arcs,
        leaving,
        leader,
        together,
        ..
    } = &work.graph;
    let mut waits = vec![0; work.count()];
    let within = |arc: &&Arc| arc.distance == 0 && arc.orders() && leader[arc.from] != leader[arc.to];
    for arc in arcs.iter().filter(within) {
        waits[leader[arc.to]] += 1;
    }
    let first = |op: usize| {
        let members = together.get(&op).into_iter().flatten().map(|&member| priority(member));
        (members.fold(priority(op), i64::max), Reverse(op))
    };
    let ready = (0..waits.len()).filter(|&op| leader[op] == op && waits[op] == 0);
    let mut ready: BinaryHeap<(i64, Reverse<usize>)> = ready.map(first).collect();
    let mut order = Vec::with_capacity(waits.len());
    while let Some((_, Reverse(op))) = ready.pop() {
        for &member in together.get(&op).map_or(slice::from_ref(&op), Vec::as_slice) {
            order.push(member);
            for arc in leaving[member].iter().map(|&arc| &arcs[arc as usize]).filter(within) {
                let next = leader[arc.to];
                waits[next] -= 1;
                if waits[next] == 0 {
                    ready.push(first(next));
                }
            }
        }
    }
    order
}

/// Operations that wait, within their iteration, only for others of the same kind, and depend on no earlier iteration
/// but through rings and themselves.
fn prefetches(work: &Work<'_>) -> Vec<bool> {
    let rings_from = work.problem.dependences.len();
    let mut prefetch = vec![true; work.count()];
    loop {
        let arcs = work.graph.arcs[..rings_from].iter().filter(|arc| arc.from != arc.to);
        let spoiled: Vec<usize> = arcs
            .filter(|arc| prefetch[arc.to] && (arc.distance > 0 || !prefetch[arc.from]))
            .map(|arc| arc.to)
            .collect();
        let feeds_something = |op: usize| work.graph.leaving[op].iter().any(|&arc| (arc as usize) < rings_from);
        let useless: Vec<usize> = (0..work.count())
            .filter(|&op| prefetch[op] && !feeds_something(op))
            .collect();
        if spoiled.is_empty() && useless.is_empty() {
            return prefetch;
        }
        for op in spoiled.into_iter().chain(useless) {
            prefetch[op] = false;
        }
    }
}

/// Operations that use the resource with the most work for its capacity.
fn busiest(work: &Work<'_>) -> Vec<bool> {
    let mut load = vec![0u64; work.problem.resources.len()];
    for used in (0..work.count()).flat_map(|op| work.uses(op)) {
        load[used.resource.index()] += u64::from(used.amount) * used.cycles;
    }
    let share = |r: usize| load[r] / u64::from(work.problem.resources[r].capacity.max(1));
    let busiest = (0..load.len()).max_by_key(|&r| (share(r), std::cmp::Reverse(r)));
    let on = |op: usize| work.uses(op).iter().any(|u| Some(u.resource.index()) == busiest);
    (0..work.count()).map(on).collect()
}

/// A partial schedule on a folding table.
struct Fold<'a> {
    work: &'a Work<'a>,
    ii: i64,
    table: Reservations,
    start: Vec<Option<i64>>,
}

impl Fold<'_> {
    /// The starts that the operations placed so far leave, as (earliest, latest).
    fn room(&self, op: usize) -> (Option<i64>, Option<i64>) {
        let graph = &self.work.graph;
        let after = graph.entering[op]
            .iter()
            .filter(|&&arc| graph.arcs[arc as usize].from != op)
            .filter_map(|&arc| {
                let edge = self.work.edges[arc as usize];
                Some(self.start[edge.from]? + edge.latency - edge.distance * self.ii)
            });
        let before = graph.leaving[op]
            .iter()
            .filter(|&&arc| graph.arcs[arc as usize].to != op)
            .filter_map(|&arc| {
                let edge = self.work.edges[arc as usize];
                Some(self.start[edge.to]? - edge.latency + edge.distance * self.ii)
            });
        (after.max(), before.min())
    }

    fn place_early(&mut self, op: usize, depth: i64) -> Option<()> {
        let (after, before) = self.room(op);
        let from = after.unwrap_or(depth).max(depth);
        let to = before.unwrap_or(i64::MAX).min(from + self.ii - 1);
        let at = self.table.first_fit(self.work.uses(op), from, to)?;
        self.put(op, at);
        Some(())
    }

    fn place_late(&mut self, op: usize, latest: i64) -> Option<()> {
        let (after, before) = self.room(op);
        let to = before.unwrap_or(i64::MAX).min(latest);
        if to == i64::MAX {
            return None;
        }
        let from = after.unwrap_or(i64::MIN).max(to - self.ii + 1);
        let at = self.table.last_fit(self.work.uses(op), from, to)?;
        self.put(op, at);
        Some(())
    }

    fn put(&mut self, op: usize, at: i64) {
        self.table.place(self.work.uses(op), at);
        self.start[op] = Some(at);
    }
}
