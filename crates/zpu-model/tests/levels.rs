//! Closed formulas and event graphs against recurrences that go step by step, and against all cycles of a graph.
//!
//! The recurrences and the enumeration of cycles share nothing with the crate.

use std::num::{NonZeroU32, NonZeroU64};

use proptest::prelude::*;
use zpu_model::{Edge, EventGraph, EventGraphError, EventId, Level, OneLevel, Ratio, TwoLevels};

/// A level of a recurrence: latency, occupancy and versions.
type Load = (u64, u64, u64);

/// An edge: source, target, weight and distance.
type Numbers = (usize, usize, u64, u64);

/// Starts of loads and uses of `n` iterations.
fn one_level_run(n: usize, (latency, occupancy, versions): Load, work: u64) -> (Vec<u64>, Vec<u64>) {
    let (mut loads, mut uses): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    for at in 0..n {
        let engine = loads.last().map_or(0, |start| start + occupancy);
        let slot = at.checked_sub(versions as usize).map_or(0, |freed| uses[freed] + work);
        loads.push(engine.max(slot));
        let compute = uses.last().map_or(0, |start| start + work);
        uses.push(compute.max(loads[at] + latency));
    }
    (loads, uses)
}

/// Starts of uses of so many chunks of `steps` steps; `drains` if the first load of a chunk waits for all uses before.
fn two_level_run(chunks: usize, outer: Load, steps: usize, inner: Load, work: u64, drains: bool) -> Vec<u64> {
    let mut tiles: Vec<u64> = Vec::new();
    let (mut loads, mut uses): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
    for chunk in 0..chunks {
        let engine = tiles.last().map_or(0, |start| start + outer.1);
        let freed = chunk.checked_sub(outer.2 as usize);
        let slot = freed.map_or(0, |freed| loads[freed * steps + steps - 1] + inner.0);
        tiles.push(engine.max(slot));
        for step in 0..steps {
            let compute = uses.last().map_or(0, |start| start + work);
            let engine = loads.last().map_or(0, |start| start + inner.1);
            let freed = loads.len().checked_sub(inner.2 as usize);
            let slot = freed.map_or(0, |freed| uses[freed] + work);
            let drained = if drains && step == 0 { compute } else { 0 };
            let load = engine.max(slot).max(drained).max(tiles[chunk] + outer.0);
            loads.push(load);
            uses.push(compute.max(load + inner.0));
        }
    }
    uses
}

/// Starts of the outermost loads of three levels, `steps` of the middle and of the inner one.
fn three_level_run(chunks: usize, loads: [Load; 3], steps: [usize; 2], work: u64) -> Vec<u64> {
    let [outer, middle, inner] = loads;
    let (mut a, mut b, mut c, mut uses): (Vec<u64>, Vec<u64>, Vec<u64>, Vec<u64>) = Default::default();
    let after = |line: &[u64], cycles: u64| line.last().map_or(0, |start| start + cycles);
    for _ in 0..chunks {
        let freed = (a.len() + 1).checked_sub(outer.2 as usize).filter(|freed| *freed > 0);
        let slot = freed.map_or(0, |freed| b[freed * steps[0] - 1] + middle.0);
        a.push(after(&a, outer.1).max(slot));
        for _ in 0..steps[0] {
            let freed = (b.len() + 1).checked_sub(middle.2 as usize).filter(|freed| *freed > 0);
            let slot = freed.map_or(0, |freed| c[freed * steps[1] - 1] + inner.0);
            b.push(after(&b, middle.1).max(slot).max(after(&a, outer.0)));
            for _ in 0..steps[1] {
                let freed = c.len().checked_sub(inner.2 as usize);
                let slot = freed.map_or(0, |freed| uses[freed] + work);
                c.push(after(&c, inner.1).max(slot).max(after(&b, middle.0)));
                uses.push(after(&uses, work).max(after(&c, inner.0)));
            }
        }
    }
    a
}

fn count(number: u64) -> NonZeroU32 {
    NonZeroU32::new(number as u32).unwrap()
}

fn ratio(numerator: u64, denominator: u64) -> Ratio {
    Ratio::new(numerator, NonZeroU64::new(denominator).unwrap())
}

fn one_level((latency, occupancy, versions): Load, work: u64) -> OneLevel {
    OneLevel {
        latency,
        occupancy,
        work,
        versions: count(versions),
    }
}

fn two_levels(outer: Load, steps: usize, inner: Load, work: u64) -> TwoLevels {
    TwoLevels {
        latency: outer.0,
        occupancy: outer.1,
        versions: count(outer.2),
        steps: count(steps as u64),
        inner: one_level(inner, work),
    }
}

fn level(steps: usize, (latency, occupancy, versions): Load) -> Level {
    Level {
        steps: count(steps as u64),
        latency,
        occupancy,
        versions: count(versions),
    }
}

fn graph(levels: &[Level], work: u64) -> EventGraph {
    EventGraph::of_levels(levels, work).unwrap()
}

fn edge((from, to, weight, distance): Numbers) -> Edge {
    Edge {
        from: EventId(from),
        to: EventId(to),
        weight,
        distance,
    }
}

fn graph_of(events: usize, edges: &[Numbers]) -> EventGraph {
    EventGraph::new(events, edges.iter().copied().map(edge).collect()).unwrap()
}

/// A multiple of the distance of each cycle of at most ten iterations: starts repeat after so many iterations.
const WINDOW: usize = 2520;

/// Iterations after which all starts of the small graphs of this file are periodic.
const SETTLED: usize = 6000;

fn loads(most: u64) -> impl Strategy<Value = Load> {
    (0..=most, 0..=most, 1u64..=4)
}

proptest! {
    #[test]
    fn one_level_is_its_recurrence(n in 0usize..80, load in loads(60), work in 0u64..60) {
        let level = one_level(load, work);
        let (loads, uses) = one_level_run(n, load, work);
        prop_assert_eq!(level.time(n as u64), Some(uses.last().map_or(0, |start| start + work)));
        for (at, start) in loads.iter().enumerate() {
            prop_assert_eq!(level.load_start(at as u64), Some(*start));
        }
    }

    #[test]
    fn one_level_is_its_event_graph(n in 1usize..40, load in loads(60), work in 0u64..60) {
        let (closed, graph) = (one_level(load, work), graph(&[level(1, load)], work));
        prop_assert_eq!(graph.period().unwrap(), closed.period());
        let starts = graph.times(n).unwrap();
        prop_assert_eq!(closed.time(n as u64), Some(starts[n - 1][1] + work));
    }

    /// With the depth, the engines set the period; with one version less they do not.
    #[test]
    fn the_depth_is_the_least_that_pays(latency in 0u64..300, o in 0u64..40, u in 0u64..40) {
        prop_assume!(o.max(u) > 0);
        let depth = one_level((latency, o, 1), u).depth().unwrap();
        let period = |versions| one_level((latency, o, versions), u).period().unwrap();
        prop_assert_eq!(period(depth), Ratio::from(o.max(u)));
        prop_assert!(depth == 1 || period(depth - 1) > Ratio::from(o.max(u)));
    }

    #[test]
    fn two_levels_are_their_event_graph(
        outer in loads(300),
        steps in 1usize..9,
        inner in loads(60),
        inner_versions in 1u64..12,
        work in 0u64..60,
    ) {
        let inner = (inner.0, inner.1, inner_versions);
        let graph = graph(&[level(1, outer), level(steps, inner)], work);
        prop_assert_eq!(graph.period().unwrap(), two_levels(outer, steps, inner, work).period());
    }

    /// Chunks of several iterations of the graph are the graph of as many chunks.
    #[test]
    fn an_iteration_may_hold_several_outer_steps(
        chunks in 1usize..4,
        outer in loads(60),
        steps in 1usize..4,
        inner in loads(20),
        work in 0u64..20,
    ) {
        let graph = graph(&[level(chunks, outer), level(steps, inner)], work);
        let chunk = two_levels(outer, steps, inner, work).period().unwrap();
        let expected = ratio(chunk.numerator() * chunks as u64, chunk.denominator());
        prop_assert_eq!(graph.period().unwrap(), Some(expected));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn two_levels_grow_as_their_recurrence(
        outer in loads(60),
        steps in 1usize..5,
        inner in loads(20),
        work in 0u64..20,
    ) {
        let uses = two_level_run(SETTLED + WINDOW, outer, steps, inner, work, false);
        let grown = uses[uses.len() - 1] - uses[uses.len() - 1 - WINDOW * steps];
        let period = two_levels(outer, steps, inner, work).period();
        prop_assert_eq!(period, Some(ratio(grown, WINDOW as u64)));
        let graph = graph(&[level(1, outer), level(steps, inner)], work);
        for (chunk, starts) in graph.times(50).unwrap().iter().enumerate() {
            prop_assert_eq!(&starts[1 + steps..], &uses[chunk * steps..(chunk + 1) * steps]);
        }
    }

    #[test]
    fn three_levels_grow_as_their_recurrence(
        outer in (0u64..=60, 0u64..=60, 1u64..=3),
        steps in [1usize..4, 1usize..4],
        middle in (0u64..=30, 0u64..=30, 1u64..=3),
        inner in (0u64..=20, 0u64..=20, 1u64..=3),
        work in 0u64..20,
    ) {
        let run = three_level_run(SETTLED + WINDOW, [outer, middle, inner], steps, work);
        let grown = run[run.len() - 1] - run[run.len() - 1 - WINDOW];
        let graph = graph(&[level(1, outer), level(steps[0], middle), level(steps[1], inner)], work);
        prop_assert_eq!(graph.period().unwrap(), Some(ratio(grown, WINDOW as u64)));
        for (chunk, starts) in graph.times(50).unwrap().iter().enumerate() {
            prop_assert_eq!(starts[0], run[chunk]);
        }
    }

    /// In the long run the fastest event of a window is as slow as the period, and none is slower.
    #[test]
    fn times_grow_by_the_period(
        edges in prop::collection::vec((0usize..4, 0usize..4, 0u64..20, 0u64..3), 1..10),
    ) {
        let backwards_takes_iterations = |(from, to, weight, distance): Numbers| {
            (from, to, weight, if from < to { distance } else { distance.max(1) })
        };
        let edges: Vec<_> = edges.into_iter().map(backwards_takes_iterations).collect();
        let graph = graph_of(4, &edges);
        let starts = graph.times(SETTLED + WINDOW + 1).unwrap();
        let (before, after) = (&starts[SETTLED], &starts[SETTLED + WINDOW]);
        let grown = before.iter().zip(after).map(|(before, after)| after - before).max().unwrap();
        let period = graph.period().unwrap().unwrap_or(Ratio::from(0));
        prop_assert_eq!(period, ratio(grown, WINDOW as u64));
    }
}

/// All simple cycles of a graph: the events, the weight and the distance of each. A cycle is found from its smallest
/// event.
fn simple_cycles(events: usize, edges: &[Numbers]) -> Vec<(Vec<usize>, u64, u64)> {
    let mut cycles = Vec::new();
    let mut open: Vec<(Vec<usize>, u64, u64)> = (0..events).map(|root| (vec![root], 0, 0)).collect();
    while let Some((path, weight, distance)) = open.pop() {
        for (from, to, more, further) in edges.iter().copied() {
            let (weight, distance) = (weight + more, distance + further);
            if from != path[path.len() - 1] || to < path[0] {
                continue;
            }
            if to == path[0] {
                cycles.push((path.clone(), weight, distance));
            } else if !path.contains(&to) {
                open.push(([path.as_slice(), &[to]].concat(), weight, distance));
            }
        }
    }
    cycles
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_period_is_the_greatest_ratio_of_all_cycles(
        events in 1usize..=6,
        edges in prop::collection::vec((0usize..6, 0usize..6, 0u64..30, 0u64..4), 0..14),
        (heavy, far) in prop::sample::select(vec![(1, 1), (0, 1), (1 << 53, 1 << 55)]),
    ) {
        let within = |(from, to, weight, distance)| (from % events, to % events, weight * heavy, distance * far);
        let edges: Vec<_> = edges.into_iter().map(within).collect();
        let cycles = simple_cycles(events, &edges);
        let graph = graph_of(events, &edges);
        match graph.period() {
            Err(EventGraphError::ZeroDistance { event }) => {
                let is_late = |(path, weight, distance): &(Vec<usize>, u64, u64)| {
                    *distance == 0 && *weight > 0 && path.contains(&event.0)
                };
                prop_assert!(cycles.iter().any(is_late));
                prop_assert_eq!(graph.times(1), Err(EventGraphError::ZeroDistance { event }));
            }
            found => {
                prop_assert!(cycles.iter().all(|(_, weight, distance)| *distance > 0 || *weight == 0));
                let with_distance = cycles.iter().filter(|(_, _, distance)| *distance > 0);
                let greatest = with_distance.map(|(_, weight, distance)| ratio(*weight, *distance)).max();
                prop_assert_eq!(found, Ok(greatest));
            }
        }
    }

    /// Every edge holds, and every start is either 0 or what an edge asks for.
    #[test]
    fn times_are_the_least_that_satisfy_all_edges(
        edges in prop::collection::vec((0usize..5, 0usize..5, 0u64..30, 0u64..4), 0..12),
    ) {
        let Ok(starts) = graph_of(5, &edges).times(8) else {
            return Ok(());
        };
        let mut least = vec![vec![0; 5]; 8];
        loop {
            let before = least.clone();
            for (from, to, weight, distance) in &edges {
                for at in *distance as usize..8 {
                    least[at][*to] = least[at][*to].max(least[at - *distance as usize][*from] + weight);
                }
            }
            if least == before {
                break;
            }
        }
        prop_assert_eq!(starts, least);
    }
}

const OUTER: Load = (300, 200, 3);
const INNER: Load = (40, 20, 2);

/// 16 chunks of 4 steps with uses of 50 cycles: fused, drained before each chunk, and with one version everywhere.
#[test]
fn a_worked_example() {
    let end = |outer, inner, drains| two_level_run(16, outer, 4, inner, 50, drains).pop().unwrap() + 50;
    let single = |(latency, occupancy, _): Load| (latency, occupancy, 1);
    assert_eq!(end(OUTER, INNER, false), 3540);
    assert_eq!(end(OUTER, INNER, true), 4140);
    assert_eq!(end(single(OUTER), single(INNER), false), 9810);

    let last_use = |graph: &EventGraph| graph.times(16).unwrap()[15][8] + 50;
    let fused = graph(&[level(1, OUTER), level(4, INNER)], 50);
    assert_eq!(last_use(&fused), 3540);
    let drain = edge((8, 1, 50, 1));
    let drained = EventGraph::new(fused.events(), [fused.edges(), &[drain]].concat()).unwrap();
    assert_eq!(last_use(&drained), 4140);
    let single_versions = graph(&[level(1, single(OUTER)), level(4, single(INNER))], 50);
    assert_eq!(last_use(&single_versions), 9810);

    let closed = two_levels(OUTER, 4, INNER, 50);
    assert_eq!(closed.fill(), Some(340));
    assert_eq!(closed.period(), Some(Ratio::from(200)));
    assert_eq!(
        two_levels(single(OUTER), 4, single(INNER), 50).period(),
        Some(Ratio::from(610))
    );
    let drained = one_level(OUTER, closed.inner.time(4).unwrap());
    assert_eq!(drained.time(16), Some(4140));
}

#[test]
fn a_cycle_within_an_iteration_is_an_error() {
    let graph = graph_of(4, &[(0, 1, 5, 1), (1, 2, 0, 0), (2, 3, 7, 0), (3, 1, 0, 0)]);
    let error = EventGraphError::ZeroDistance { event: EventId(2) };
    assert_eq!(graph.period(), Err(error));
    assert_eq!(graph.times(3), Err(error));
    assert_eq!(
        error.to_string(),
        "event 2 has to start after itself in the same iteration"
    );
}

#[test]
fn a_cycle_without_weight_or_distance_starts_at_once() {
    let graph = graph_of(3, &[(0, 1, 0, 0), (1, 0, 0, 0), (2, 0, 4, 0), (1, 2, 3, 2)]);
    assert_eq!(graph.period(), Ok(Some(ratio(7, 2))));
    assert_eq!(graph.times(4).unwrap()[3], [11, 11, 7]);
}

#[test]
fn without_cycles_there_is_no_period() {
    let graph = graph_of(3, &[(0, 1, 5, 0), (1, 2, 5, 3)]);
    assert_eq!(graph.period(), Ok(None));
    assert_eq!(graph.times(4).unwrap(), [[0, 5, 0], [0, 5, 0], [0, 5, 0], [0, 5, 10]]);
}

#[test]
fn what_leaves_the_range_is_refused() {
    let long = EventGraph::new(1, vec![edge((0, 0, 1 << 62, 1))]).unwrap();
    assert_eq!(long.period(), Ok(Some(Ratio::from(1 << 62))));
    assert_eq!(long.times(3), Err(EventGraphError::TooLarge));
    let longer = vec![edge((0, 0, 1 << 62, 1)), edge((0, 0, 1, 1))];
    assert_eq!(EventGraph::new(1, longer).err(), Some(EventGraphError::TooLarge));
    let nowhere = EventGraphError::NoEvent {
        event: EventId(1),
        events: 1,
    };
    assert_eq!(EventGraph::new(1, vec![edge((0, 1, 1, 1))]).err(), Some(nowhere));
    let deep = [level(1 << 20, OUTER), level(1 << 30, INNER), level(1 << 30, INNER)];
    assert_eq!(
        EventGraph::of_levels(&deep, 1).err(),
        Some(EventGraphError::TooManyEvents)
    );

    let wide = one_level((u64::MAX, 1, 1), 1);
    assert_eq!((wide.time(1), wide.period(), wide.depth()), (None, None, None));
}

#[test]
fn a_depth_is_at_least_one_and_may_not_exist() {
    assert_eq!(one_level((0, 5, 1), 0).depth(), Some(1));
    assert_eq!(one_level((0, 0, 1), 0).depth(), Some(1));
    assert_eq!(one_level((7, 0, 1), 0).depth(), None);
}

/// Ratios whose products with a denominator exceed 64 bits are told apart.
#[test]
fn large_ratios_are_compared_exactly() {
    let (one, other) = (ratio(u64::MAX, u64::MAX - 1), ratio(u64::MAX - 1, u64::MAX - 2));
    assert_eq!(one.cmp(&other), std::cmp::Ordering::Less);
    assert_eq!(ratio(0, 9), Ratio::from(0));
}
