//! A lower bound of the cycles of a whole run: heads and tails of every operation, and Jackson's preemptive schedule of
//! the stream, of each set of engines and of each link.
//!
//! It is the bound that the simulator gives a run, derived here again from the problem alone. Each operation has the
//! least costs of all its alternatives. Operations are *apart* if no engine can do both; then only the stream can order
//! them. The proof is that of `zpu-sim`'s tight bound, less its waits.

use zpu_timing::{Job, one_machine};

use super::problem::{RunProblem, RunWay};

/// A lower bound of the cycles, and where it is from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunBound {
    /// Cycles that every schedule takes.
    pub cycles: u64,
    /// The greatest of the parts: `dataflow`, `control`, engines joined by `+`, or `link NAME`.
    pub limit: String,
}

/// Parts of a cycle in which time on links is counted.
const PARTS: u128 = 1 << 10;

/// The least costs of an operation.
struct Least {
    engines: Vec<usize>,
    latency: u64,
    occupancy: u64,
    time: u64,
    blocking: bool,
}

fn least(problem: &RunProblem) -> Vec<Least> {
    let of = |ways: &Vec<RunWay>| {
        let mut engines: Vec<usize> = ways.iter().map(|way| way.engine).collect();
        engines.sort_unstable();
        engines.dedup();
        let min = |cost: fn(&RunWay) -> u64| ways.iter().map(cost).min().unwrap_or(0);
        Least {
            blocking: engines.iter().all(|engine| problem.engines[*engine].blocking),
            engines,
            latency: min(|way| way.start_latency),
            occupancy: min(RunWay::occupancy),
            time: min(|way| way.start_latency + way.occupancy()),
        }
    };
    problem.works.iter().map(of).collect()
}

fn are_apart(one: &Least, other: &Least) -> bool {
    !one.engines.iter().any(|engine| other.engines.contains(engine))
}

/// Times of an operation, all at the least, in cycles.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// The begin of its issue, its begin on an engine, its end.
    head: u64,
    begin: u64,
    end: u64,
    /// The rest of the run after the end of its issue, and after its end.
    after_issue: u64,
    after_end: u64,
}

fn times(problem: &RunProblem, costs: &[Least]) -> Vec<Times> {
    let issue = problem.control.issue;
    let cost = |operation: usize| &costs[problem.operations[operation].work];
    let apart: Vec<Vec<bool>> = costs
        .iter()
        .map(|one| costs.iter().map(|other| are_apart(one, other)).collect())
        .collect();
    let ordered_by_stream = |before: usize, operation: usize| {
        cost(before).blocking || apart[problem.operations[before].work][problem.operations[operation].work]
    };
    let mut times = vec![Times::default(); problem.operations.len()];
    for i in 0..times.len() {
        let (mut head, mut ready) = (0, 0);
        for &before in &problem.operations[i].after {
            let before = before as usize;
            ready = ready.max(times[before].end);
            head = head.max(match ordered_by_stream(before, i) {
                true => times[before].end,
                false => times[before].head + issue,
            });
        }
        let begin = (head + issue + cost(i).latency).max(ready);
        let end = (head + issue + cost(i).time).max(begin + cost(i).occupancy);
        times[i] = Times {
            head,
            begin,
            end,
            ..Times::default()
        };
    }
    for i in (0..times.len()).rev() {
        times[i].after_issue = times[i].after_issue.max(cost(i).time + times[i].after_end);
        let Times {
            after_issue, after_end, ..
        } = times[i];
        for &before in &problem.operations[i].after {
            let before = before as usize;
            let rest = match ordered_by_stream(before, i) {
                true => issue + after_issue,
                false => cost(i).occupancy + after_end,
            };
            let times = &mut times[before];
            times.after_end = times.after_end.max(rest);
            times.after_issue = times.after_issue.max(issue + after_issue);
        }
    }
    times
}

/// By operation: cycles from its begin on an engine to the end of the run, at least.
pub(super) fn tails(problem: &RunProblem) -> Vec<u64> {
    let costs = least(problem);
    let times = times(problem, &costs);
    let operations = problem.operations.iter().zip(times);
    let tail = |(operation, times): (&super::RunOperation, Times)| costs[operation.work].occupancy + times.after_end;
    operations.map(tail).collect()
}

/// The bound of a problem that [`RunProblem::check`] accepts.
pub fn run_bound(problem: &RunProblem) -> RunBound {
    let costs = least(problem);
    let times = times(problem, &costs);
    let issue = u128::from(problem.control.issue);
    let operations = || {
        let each = problem.operations.iter().zip(&times);
        each.map(|(operation, times)| (operation.work, &costs[operation.work], times))
    };
    let stream = operations().map(|(_, cost, times)| {
        let (held, tail) = match cost.blocking {
            true => (cost.time, times.after_end),
            false => (0, times.after_issue),
        };
        Job {
            head: times.head.into(),
            work: issue + u128::from(held),
            tail: tail.into(),
        }
    });
    let dataflow = times.iter().map(|times| times.end).max().unwrap_or(0);
    let mut parts = vec![
        (u128::from(dataflow), "dataflow".to_owned()),
        (one_machine(&mut stream.collect::<Vec<_>>()), "control".to_owned()),
    ];
    let mut sets: Vec<&Vec<usize>> = Vec::new();
    for cost in &costs {
        if !sets.contains(&&cost.engines) {
            sets.push(&cost.engines);
        }
    }
    for set in sets {
        let count = set.len() as u128;
        let mine = operations().filter(|(_, cost, _)| cost.engines.iter().all(|engine| set.contains(engine)));
        let job = |(_, cost, times): (usize, &Least, &Times)| Job {
            head: u128::from(times.begin) * count,
            work: cost.occupancy.into(),
            tail: u128::from(times.after_end) * count,
        };
        let names: Vec<&str> = set
            .iter()
            .map(|engine| problem.engines[*engine].name.as_str())
            .collect();
        let cycles = one_machine(&mut mine.map(job).collect::<Vec<_>>()).div_ceil(count);
        parts.push((cycles, names.join("+")));
    }
    for (link, facts) in problem.links.iter().enumerate() {
        // What one alternative leaves out, no part counts.
        let on_link = |way: &RunWay| match way.is_shared() && way.links.contains(&link) {
            true => (way.shared as f64 * way.rate / facts.rate * PARTS as f64) as u128,
            false => 0,
        };
        let works = problem
            .works
            .iter()
            .map(|ways| ways.iter().map(on_link).min().unwrap_or(0));
        let works: Vec<u128> = works.collect();
        let crossing = operations().filter(|(work, ..)| works[*work] > 0);
        let job = |(work, _, times): (usize, &Least, &Times)| Job {
            head: u128::from(times.begin) * PARTS,
            work: works[work],
            tail: u128::from(times.after_end) * PARTS,
        };
        let cycles = one_machine(&mut crossing.map(job).collect::<Vec<_>>()).div_ceil(PARTS);
        parts.push((cycles, format!("link {}", facts.name)));
    }
    let best = parts.into_iter().rev().max_by_key(|(cycles, _)| *cycles);
    best.map_or_else(RunBound::default, |(cycles, limit)| RunBound {
        cycles: u64::try_from(cycles).unwrap_or(u64::MAX),
        limit,
    })
}
