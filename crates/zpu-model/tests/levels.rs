//! Closed formulas, event graphs, and recurrences that go from step to step, against each other.

use proptest::prelude::*;
use zpu_model::{EventGraph, Load, OneLevel, Ratio, TwoLevels, WaitsForItself};

fn load(latency: u64, occupancy: u64, versions: u64) -> Load {
    Load {
        latency,
        occupancy,
        versions,
    }
}

prop_compose! {
    fn loads(most: u64)(occupancy in 1u64..60, more in 0u64..80, versions in 1..=most) -> Load {
        load(occupancy + more, occupancy, versions)
    }
}

/// Ends of the uses of fused levels, step by step: for each step of the innermost level, every level whose chunk begins
/// there loads it, when its engine, its data and its version are free.
fn ends(levels: &[(u64, Load)], work: u64, chunks: u64) -> Vec<u64> {
    let inner: Vec<u64> = (0..levels.len())
        .map(|at| levels[at + 1..].iter().map(|(steps, _)| steps).product())
        .collect();
    let mut starts: Vec<Vec<u64>> = vec![Vec::new(); levels.len()];
    let mut ends: Vec<u64> = Vec::new();
    for step in 0..chunks * inner[0] {
        for (at, (_, load)) in levels.iter().enumerate() {
            if step % inner[at] != 0 {
                continue;
            }
            let number = (step / inner[at]) as usize;
            let engine = number
                .checked_sub(1)
                .map_or(0, |last| starts[at][last] + load.occupancy);
            let data = match at.checked_sub(1) {
                Some(above) => starts[above][(step / inner[above]) as usize] + levels[above].1.latency,
                None => 0,
            };
            // The chunk whose version this one takes has been read by the last of its readers.
            let version = number.checked_sub(load.versions as usize).map_or(0, |gone| {
                let last = (gone as u64 + 1) * inner[at] - 1;
                match levels.get(at + 1) {
                    Some((_, next)) => starts[at + 1][(last / inner[at + 1]) as usize] + next.latency,
                    None => ends[last as usize],
                }
            });
            starts[at].push(engine.max(data).max(version));
        }
        let last = levels.len() - 1;
        let data = starts[last][step as usize] + levels[last].1.latency;
        ends.push(data.max(ends.last().copied().unwrap_or(0)) + work);
    }
    ends
}

/// Cycles of an iteration in the long run, measured over many of them.
fn rate(levels: &[(u64, Load)], work: u64) -> f64 {
    let per: u64 = levels[1..].iter().map(|(steps, _)| steps).product();
    let (from, to) = (400, 400 + 2520);
    let ends = ends(levels, work, to);
    let end = |chunk: u64| ends[(chunk * per - 1) as usize] as f64;
    (end(to) - end(from)) / (to - from) as f64
}

fn number(ratio: Ratio) -> f64 {
    ratio.cycles() as f64 / ratio.per() as f64
}

proptest! {
    #[test]
    fn one_level_is_its_recurrence(load in loads(6), work in 1u64..60, n in 1u64..300) {
        let level = OneLevel { load, work };
        prop_assert_eq!(level.cycles(n), *ends(&[(1, load)], work, n).last().unwrap());
        prop_assert_eq!(level.cycles(0), 0);
        let graph = EventGraph::of_levels(&[(1, load)], work);
        prop_assert_eq!(graph.period(), Ok(Some(level.interval())));
        // The depth that pays is as fast as any, and one version less is not.
        let with = |versions| OneLevel { load: Load { versions, ..load }, work }.interval();
        prop_assert_eq!(with(level.depth()), with(1000));
        prop_assert!(level.depth() == 1 || with(level.depth() - 1) > with(1000));
    }

    #[test]
    fn two_levels_are_their_event_graph(
        outer in loads(4),
        inner in loads(5),
        steps in 1u64..9,
        work in 1u64..60,
    ) {
        let levels = TwoLevels { outer, steps, inner, work };
        let graph = EventGraph::of_levels(&[(1, outer), (steps, inner)], work);
        prop_assert_eq!(graph.period(), Ok(Some(levels.interval())));
        prop_assert!((rate(&[(1, outer), (steps, inner)], work) - number(levels.interval())).abs() < 1e-6);
    }

    #[test]
    fn three_levels_are_their_recurrence(
        first in loads(3),
        second in loads(3),
        third in loads(3),
        steps in (1u64..4, 1u64..4),
        work in 1u64..60,
    ) {
        let levels = [(1, first), (steps.0, second), (steps.1, third)];
        let period = EventGraph::of_levels(&levels, work).period().unwrap().unwrap();
        prop_assert!((rate(&levels, work) - number(period)).abs() < 1e-6, "{period}");
    }

    /// Against all simple cycles.
    #[test]
    fn the_period_is_the_greatest_ratio(
        edges in proptest::collection::vec((0usize..6, 0usize..6, 0u64..40, 1u64..4), 1..14),
    ) {
        let mut graph = EventGraph::default();
        (0..6).for_each(|_| { graph.add(); });
        for (from, to, cycles, iterations) in &edges {
            graph.order(*from, *to, *cycles, *iterations);
        }
        let best = (0..6).filter_map(|first| greatest(&edges, first, first, &mut Vec::new(), (0, 0))).max();
        prop_assert_eq!(graph.period(), Ok(best));
    }
}

/// The greatest ratio of the simple paths from `at` on that come back to `first`.
fn greatest(
    edges: &[(usize, usize, u64, u64)],
    first: usize,
    at: usize,
    seen: &mut Vec<usize>,
    sum: (u64, u64),
) -> Option<Ratio> {
    let mut best = None;
    for (from, to, cycles, iterations) in edges {
        let sum = (sum.0 + cycles, sum.1 + iterations);
        if *from != at {
            continue;
        }
        if *to == first {
            best = best.max(Some(Ratio::new(sum.0, sum.1)));
        } else if !seen.contains(to) {
            seen.push(*to);
            best = best.max(greatest(edges, first, *to, seen, sum));
            seen.pop();
        }
    }
    best
}

/// 16 chunks of 4 steps: fused they take the first chunk, the first step and 64 uses; with one version everywhere
/// nothing overlaps.
#[test]
fn an_example_in_numbers() {
    let (outer, inner) = (load(300, 200, 3), load(40, 20, 2));
    let ends_of = |outer, inner| *ends(&[(1, outer), (4, inner)], 50, 16).last().unwrap();
    assert_eq!(ends_of(outer, inner), 3540);
    let one = |load: Load| Load { versions: 1, ..load };
    assert_eq!(ends_of(one(outer), one(inner)), 9810);
    let levels = TwoLevels {
        outer,
        steps: 4,
        inner,
        work: 50,
    };
    assert_eq!((levels.interval(), levels.fill()), (Ratio::from(200), 340));
}

#[test]
fn starts_grow_by_the_period() {
    let graph = EventGraph::of_levels(&[(1, load(100, 10, 3))], 20);
    let period = graph.period().unwrap().unwrap();
    assert_eq!(period, Ratio::from(40));
    let starts = graph.starts(60).unwrap();
    assert_eq!((starts[0][0], starts[0][1]), (0, 100));
    assert_eq!(starts[59][1] - starts[29][1], 30 * 40);
}

#[test]
fn what_waits_for_itself_is_refused() {
    let mut graph = EventGraph::default();
    let nodes = [graph.add(), graph.add(), graph.add()];
    graph.order(nodes[1], nodes[2], 3, 0);
    graph.order(nodes[0], nodes[1], 3, 1);
    assert_eq!(graph.period(), Ok(None));
    graph.order(nodes[2], nodes[1], 0, 0);
    assert_eq!(graph.period(), Err(WaitsForItself(1)));
    assert_eq!(graph.starts(2), Err(WaitsForItself(1)));
}
