//! Placement of operations in time by each scheduler, where only times count.
//!
//! `serial`: source order, nothing overlaps. `list`: operations that wait for nothing in their iteration go ahead of
//! the others by a fixed number of stages, the largest that works; straight-line code in source order, each as early as
//! possible. `greedy`: list scheduling by several priorities on a table that folds at rising intervals, from the front
//! and from the back, in rounds in which operations that found no place go first, and in rounds, for several orders, in
//! which operations that closed a window too early start later ([`super::delay`]); straight-line code is also pushed to
//! both ends alternately, which closes gaps.
//!
//! Objective of each: the instance's; the best of what it places is kept. Guarantee: `greedy` starts from the result of
//! `list`, so it is not worse. More overlapping iterations never give a longer interval: at each interval each way of
//! placing is independent of their number, which only decides whether the outcome is too long to be kept; the largest
//! interval depends on the result of `list` alone ([`rising`]); and the problem decides which spaces are narrow.

use super::delay::offer_delayed;
use super::search::Search;
use crate::graph::{earliest, heights};
use crate::greedy::{Placing, folded, intervals, topological};
use crate::reservation::{Reservations, UNFOLDED};
use crate::window::{Rule, first_operations, window};
use crate::work::Work;
use crate::{Kind, MAX_ITERATIONS};

/// Times that straight-line code is pushed to its end and back.
const PUSHES: usize = 4;
/// The most operations times iterations of a window.
const MOST_INSTANCES: i64 = 2000;
/// Iterations of the largest window.
const MOST_WINDOW: i64 = 8;
/// Parts into which a step between intervals is divided.
const PARTS: i64 = 4;
/// Rounds of placing with blame at one interval.
const ROUNDS: usize = 48;
/// Operations times rounds at one interval.
const BLAMED: usize = 4000;

/// Places one operation after the other, but for those that can only start together.
pub(super) fn serial(search: &mut Search<'_>) {
    let work = &search.work;
    let mut start = vec![0; work.count()];
    let mut now = 0;
    let leader = &work.graph.leader;
    let order = topological(work, |op| -(op as i64));
    for together in order.chunk_by(|&one, &other| leader[one] == leader[other]) {
        let entering = together.iter().flat_map(|&op| &work.graph.entering[op]);
        let entering = entering.map(|&arc| work.edges[arc as usize]);
        let within = entering.filter(|e| e.distance == 0 && leader[e.from] != leader[e.to]);
        let begin = within.map(|e| start[e.from] + e.latency).fold(now, i64::max);
        for &op in together {
            start[op] = begin;
            now = now.max(begin + search.end(op));
        }
    }
    let carried = work.edges.iter().filter(|e| e.distance > 0);
    let needs = carried.map(|e| (start[e.from] + e.latency - start[e.to] + e.distance - 1) / e.distance);
    let ii = needs.fold(now, i64::max);
    search.offer(&start, ii);
}

/// Loads ahead of everything else by as many stages as work.
pub(super) fn fixed_stages(search: &mut Search<'_>) {
    let work = &search.work;
    let asked = !search.options.loads.is_empty();
    let mut load = first_operations(work);
    for (op, load) in load.iter_mut().enumerate() {
        let read = || {
            work.graph.leaving[op]
                .iter()
                .any(|&arc| work.edges[arc as usize].to != op)
        };
        *load = if asked {
            search.options.loads.iter().any(|id| id.index() == op)
        } else {
            *load && read()
        };
    }
    let order = topological(work, |op| -(op as i64));
    let (least, longest) = (work.bounds.interval() as i64, search.longest() as i64);
    for ahead in (0..=i64::from(search.options.num_stages)).rev() {
        for ii in intervals(least, longest, search.work.count()) {
            let floor = |op: usize| if load[op] { 0 } else { ahead * ii };
            let start = in_order(&search.work, ii, &order, &floor);
            if start.is_some_and(|start| search.offer(&start, ii)) {
                return;
            }
        }
    }
    serial(search);
}

/// Straight-line code, source order, each operation as early as possible.
pub(super) fn source_order(search: &mut Search<'_>) {
    serial(search);
    let start = window(&search.work, 1, Rule::Source).remove(0);
    search.offer(&start, UNFOLDED);
}

/// The best of `list` and all priorities.
pub(super) fn greedy(search: &mut Search<'_>) {
    match search.problem().kind {
        Kind::Cyclic => fixed_stages(search),
        Kind::Acyclic => source_order(search),
    }
    if search.work.count() == 0 {
        return;
    }
    if search.problem().kind == Kind::Acyclic {
        for rule in Rule::ALL {
            let start = window(&search.work, 1, rule).remove(0);
            offer_pushed(search, start);
        }
        return;
    }
    let most = i64::from(
        search
            .options
            .iterations
            .unwrap_or(MAX_ITERATIONS)
            .clamp(1, MAX_ITERATIONS),
    );
    search.ceiling = search.best_interval().unwrap_or(i64::MAX);
    offer_folded(search, most);
    offer_blamed(search, most);
    offer_delayed(search, most);
    for iterations in 1..=most.min(MOST_WINDOW) {
        if search.best_interval() == Some(search.work.bounds.interval() as i64) {
            return;
        }
        if search.work.count() as i64 * iterations <= MOST_INSTANCES {
            offer_windows(search, iterations, most);
        }
    }
}

/// Offers one iteration on a folding table, by each rule at the least interval at which it stays within `most`
/// iterations.
fn offer_folded(search: &mut Search<'_>, most: i64) {
    let rules = Rule::ALL.map(Placing::Forward);
    let others = [Placing::PrefetchLast, Placing::Backward, Placing::Busiest];
    for placing in rules.into_iter().chain(others) {
        rising(search, |search, ii| {
            let start = folded(&search.work, ii, placing);
            start.is_some_and(|start| span(&start) / ii < most && search.offer(&start, ii))
        });
    }
}

/// Offers one iteration on a folding table, the longest chain first; an operation that finds no place goes before all
/// others in the next round (squeaky wheel optimisation, Joslin and Clements 1999).
fn offer_blamed(search: &mut Search<'_>, most: i64) {
    let rounds = (BLAMED / search.work.count()).min(ROUNDS);
    rising(search, |search, ii| {
        let Some(height) = heights(&search.work.latency, &search.work.edges, ii) else {
            return false;
        };
        let Some(depth) = earliest(&vec![0; height.len()], &search.work.edges, ii) else {
            return false;
        };
        let mut order = topological(&search.work, |op| height[op]);
        for _ in 0..rounds {
            match place_in_order(&search.work, ii, &order, &|op| depth[op]) {
                Ok(start) => return span(&start) / ii < most && search.offer(&start, ii),
                Err(Stuck { op, .. }) => {
                    let place = order.iter().position(|&other| other == op).unwrap_or(0);
                    order[..=place].rotate_right(1);
                }
            }
        }
        false
    });
}

/// The first and the last iteration of windows: as they are at the interval that the window shows, and as the order in
/// which one iteration fills a folding table.
fn offer_windows(search: &mut Search<'_>, iterations: i64, most: i64) {
    let least = search.work.bounds.interval() as i64;
    for rule in Rule::ALL {
        let windows = window(&search.work, iterations as usize, rule);
        for pair in windows.windows(2) {
            let apart = pair[0].iter().zip(&pair[1]).map(|(now, then)| then - now).max();
            let ii = apart.unwrap_or(least).max(least);
            if search.best_interval().is_some_and(|best| best < ii) {
                continue;
            }
            if let Some(start) = earliest(&pair[0], &search.work.edges, ii)
                && span(&start) / ii < most
            {
                search.offer(&start, ii);
            }
        }
        for times in [windows.first(), windows.last()].into_iter().flatten() {
            let mut order: Vec<usize> = (0..times.len()).collect();
            order.sort_by_key(|&op| (times[op], op));
            rising(search, |search, ii| {
                let Some(depth) = earliest(&vec![0; order.len()], &search.work.edges, ii) else {
                    return false;
                };
                let start = in_order(&search.work, ii, &order, &|op| depth[op]);
                start.is_some_and(|start| span(&start) / ii < most && search.offer(&start, ii))
            });
        }
    }
}

/// Cycles from the first start to the last.
pub(super) fn span(start: &[i64]) -> i64 {
    start.iter().max().copied().unwrap_or(0) - start.iter().min().copied().unwrap_or(0)
}

/// Calls `at` with rising intervals, from the bound up to below the search's ceiling, until it finds a schedule. Where
/// the steps between intervals are long, it goes on between the last failure and the success with shorter ones, again
/// from below. It ends before that once nothing below the best so far is left.
///
/// So an `at` that is true wherever another one is never ends at a longer interval: both are asked for the same
/// intervals up to the first at which only the former is true; from then on the former is asked for smaller intervals,
/// the other for larger ones. The ceiling has to be the same for both.
pub(super) fn rising<'a>(search: &mut Search<'a>, mut at: impl FnMut(&mut Search<'a>, i64) -> bool) {
    let (least, longest) = (search.work.bounds.interval() as i64, search.longest() as i64);
    let ceiling = search.ceiling;
    let hopeless = |search: &Search<'a>, failed: i64| search.best_interval().is_some_and(|best| failed >= best - 1);
    let mut failed = least - 1;
    let mut found = None;
    for ii in intervals(least, longest, search.work.count()).take_while(|&ii| ii < ceiling) {
        if hopeless(search, failed) {
            return;
        }
        if at(search, ii) {
            found = Some(ii);
            break;
        }
        failed = ii;
    }
    let Some(mut found) = found else { return };
    while found - failed > 1 {
        let step = ((found - failed) / PARTS).max(1);
        let end = found;
        while failed + step < end {
            if hopeless(search, failed) {
                return;
            }
            if at(search, failed + step) {
                found = failed + step;
                break;
            }
            failed += step;
        }
        if step == 1 {
            return;
        }
    }
}

/// Offers a straight line, and what becomes of it when everything is pushed to the end and back again.
pub(super) fn offer_pushed(search: &mut Search<'_>, mut start: Vec<i64>) {
    search.offer(&start, UNFOLDED);
    for _ in 0..PUSHES {
        push_late(search, &mut start);
        let Some(earlier) = rise(&search.work, UNFOLDED, &start) else {
            return;
        };
        start = earlier;
        search.offer(&start, UNFOLDED);
    }
}

/// Moves each operation of a straight line, the last to end first, as late as its readers, the resources and the end of
/// all allow.
fn push_late(search: &Search<'_>, start: &mut [i64]) {
    let work = &search.work;
    let end = |op: usize, start: &[i64]| start[op] + search.end(op);
    let last = (0..start.len()).map(|op| end(op, start)).max().unwrap_or(0);
    let mut table = Reservations::new(work.problem, UNFOLDED);
    for (op, &at) in start.iter().enumerate() {
        table.place(work.uses(op), at);
    }
    let mut order: Vec<usize> = (0..start.len()).collect();
    order.sort_by_key(|&op| std::cmp::Reverse((end(op, start), op)));
    for op in order {
        let leaving = work.graph.leaving[op].iter().map(|&arc| work.edges[arc as usize]);
        let readers = leaving.filter(|e| e.to != op).map(|e| start[e.to] - e.latency);
        let latest = readers.fold(last - search.end(op), i64::min);
        table.remove(work.uses(op), start[op]);
        start[op] = table.last_fit(work.uses(op), start[op], latest).unwrap_or(start[op]);
        table.place(work.uses(op), start[op]);
    }
}

/// Places the operations again, the first to start first, each as early as possible; `None` if that does not work out.
pub(super) fn rise(work: &Work<'_>, ii: i64, start: &[i64]) -> Option<Vec<i64>> {
    let mut order: Vec<usize> = (0..start.len()).collect();
    order.sort_by_key(|&op| (start[op], op));
    in_order(work, ii, &order, &|_| 0)
}

/// Places the operations in this order, each as early as its floor, the operations placed before it and the resources
/// allow.
fn in_order(work: &Work<'_>, ii: i64, order: &[usize], floor: &dyn Fn(usize) -> i64) -> Option<Vec<i64>> {
    place_in_order(work, ii, order, floor).ok()
}

/// The reason why there is no schedule in this order.
pub(super) struct Stuck {
    /// The first operation for which there is no place.
    pub(super) op: usize,
    /// If there is a place after its window: the operation that closes the window, and the time at which it would have
    /// to start instead. `None` if the table is full.
    pub(super) closed_by: Option<(usize, i64)>,
}

/// Places all operations in this order, or returns the first one that has no place.
pub(super) fn place_in_order(
    work: &Work<'_>,
    ii: i64,
    order: &[usize],
    floor: &dyn Fn(usize) -> i64,
) -> Result<Vec<i64>, Stuck> {
    let mut table = Reservations::new(work.problem, ii);
    let mut start: Vec<Option<i64>> = vec![None; work.count()];
    for &op in order {
        let entering = work.graph.entering[op].iter().map(|&arc| work.edges[arc as usize]);
        let after = entering
            .filter(|e| e.from != op)
            .filter_map(|e| Some(start[e.from]? + e.latency - e.distance * ii));
        let from = after.fold(floor(op), i64::max);
        let leaving = work.graph.leaving[op].iter().map(|&arc| work.edges[arc as usize]);
        let before = leaving
            .filter(|e| e.to != op)
            .filter_map(|e| Some((start[e.to]? - e.latency + e.distance * ii, e.to)));
        let closing = before.min();
        let full = from.saturating_add(ii - 1);
        let to = closing.map_or(full, |(latest, _)| latest.min(full));
        let Some(at) = table.first_fit(work.uses(op), from, to) else {
            let later = table.first_fit(work.uses(op), from, full);
            let closed_by = later
                .zip(closing)
                .and_then(|(later, (latest, reader))| Some((reader, start[reader]? + later - latest)));
            return Err(Stuck { op, closed_by });
        };
        table.place(work.uses(op), at);
        start[op] = Some(at);
    }
    Ok(start.into_iter().map(|at| at.unwrap_or(0)).collect())
}
