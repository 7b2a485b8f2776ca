//! Each bound by itself, with its cause.

use zpu_sched::{Dependence, OpId, Problem, Use, lower_bound};

/// Three operations on one engine, and two recurrences of 5 cycles over 2 iterations and of 11 over 4: both ask for an
/// interval of 3.
fn two_recurrences(engine_cycles: u64) -> Problem {
    let mut problem = Problem::cyclic("recurrences");
    let engine = problem.add_resource("engine", 1);
    for name in ["a", "b", "c"] {
        problem.add_operation(name, 4, vec![Use::whole(engine, engine_cycles)]);
    }
    for (from, to, latency, distance) in [(0, 0, 5, 2), (1, 2, 4, 0), (2, 1, 7, 4)] {
        problem.dependences.push(Dependence {
            from: OpId(from),
            to: OpId(to),
            latency: Some(latency),
            distance,
        });
    }
    problem
}

#[test]
fn the_recurrence_of_the_largest_ratio_is_named_whatever_limits() {
    for engine_cycles in [0, 1, 9] {
        let bounds = lower_bound(&two_recurrences(engine_cycles));
        assert_eq!(bounds.interval(), (3 * engine_cycles).max(3));
        assert_eq!(bounds.recurrence, 3);
        let mut operations = bounds.recurrence_ops;
        operations.sort_unstable();
        assert_eq!(operations, [OpId(1), OpId(2)]);
        assert_eq!((bounds.recurrence_latency, bounds.recurrence_distance), (11, 4));
    }
}

#[test]
fn without_a_cycle_that_takes_time_nothing_is_named() {
    let mut problem = two_recurrences(1);
    problem.dependences.retain(|d| d.distance == 0);
    let bounds = lower_bound(&problem);
    assert_eq!(
        (bounds.recurrence, bounds.recurrence_latency, bounds.recurrence_distance),
        (0, 0, 0)
    );
    assert!(bounds.recurrence_ops.is_empty());
}
