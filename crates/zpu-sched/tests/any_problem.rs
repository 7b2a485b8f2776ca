//! Every problem that passes the check is solved: each scheduler returns a verified schedule, or an error with a
//! reason.

#[path = "common/general.rs"]
#[allow(unreachable_pub)]
mod general;

use general::problems;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use zpu_sched::{
    Dependence, Instance, Kind, Options, Problem, ProblemError, Scheduler, SolveError, StreamCosts, TimedSolutionError,
    check, estimate, lower_bound, solve, steady_rate, timed_solution, verify, verify_plan,
};

fn options(num_stages: u32, wait: u64) -> Options {
    Options {
        num_stages,
        effort: 3_000,
        stream: StreamCosts {
            wait,
            back_edge: wait / 2,
            trust_queues: wait % 2 == 1,
        },
        ..Options::default()
    }
}

/// A configuration with the same problems each time; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` change the seed and the
/// number.
fn config() -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(4);
    }
    config
}

/// Only deadlines that could be met one by one, and operations that must start together, may leave a problem without a
/// solution.
fn has_deadlines(problem: &Problem) -> bool {
    let shortest = |d: &Dependence| {
        problem.operations[d.from.index()]
            .alternatives
            .iter()
            .map(|a| a.latency)
            .min()
    };
    problem.dependences.iter().any(|d| {
        let back = d.from > d.to && (d.distance == 0 || problem.kind == Kind::Acyclic);
        let latency = d.latency.unwrap_or_else(|| shortest(d).unwrap_or(0) as i64);
        latency < 0 || (back && latency == 0)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_scheduler_has_a_schedule_or_a_reason(problem in problems(24), stages in 0u32..4) {
        let instance = Instance::new(problem.clone());
        let well_formed = check(&problem);
        let outcomes = Scheduler::ALL.map(|scheduler| timed_solution(&instance, scheduler, &options(stages, 0)));
        let mut least = 0;
        for (scheduler, outcome) in Scheduler::ALL.iter().zip(&outcomes) {
            match (outcome, &well_formed) {
                (Ok(solved), Ok(())) => {
                    prop_assert_eq!(verify(&problem, &solved.schedule), Ok(()));
                    let bounds = lower_bound(&problem);
                    let bound = if problem.kind == Kind::Cyclic { bounds.interval() } else { bounds.makespan() };
                    prop_assert!(bound <= solved.lower_bound && solved.lower_bound <= solved.measure.interval);
                    prop_assert_eq!(solved.proven, solved.lower_bound == solved.measure.interval);
                    least = least.max(solved.lower_bound);
                }
                (Err(TimedSolutionError::Problem(errors)), Err(expected)) => prop_assert_eq!(errors, expected),
                (Err(error @ (TimedSolutionError::NotFound { .. } | TimedSolutionError::Competing { .. })), Ok(())) => {
                    prop_assert!(has_deadlines(&problem), "{}: {}", scheduler.name(), error);
                    prop_assert!(!error.to_string().is_empty());
                }
                (outcome, check) => prop_assert!(false, "{}: {outcome:?} where the check says \
                    {check:?}", scheduler.name()),
            }
        }
        // A bound that one of them proves holds for all, and each is as good as those before it.
        let intervals = outcomes.each_ref().map(|outcome| outcome.as_ref().ok().map(|solved| solved.measure.interval));
        let nowhere = outcomes.iter().flatten().count() == 0;
        let impossible = outcomes.iter().any(|outcome| matches!(outcome, Err(TimedSolutionError::Competing { .. })));
        prop_assert!(nowhere || !impossible);
        prop_assert!(intervals.iter().flatten().all(|&interval| interval >= least));
        let [serial, list, greedy, modulo, auto, exact] = intervals.map(|interval| interval.unwrap_or(u64::MAX));
        prop_assert!(greedy <= serial && modulo <= greedy && auto <= modulo && auto <= list && exact <= modulo);
    }

    #[test]
    fn every_scheduler_has_a_plan_or_a_reason(
        problem in problems(16), stages in 0u32..4, wait in 0u64..5, trip in 0u64..30,
    ) {
        let options = Options { trip: (trip > 4).then_some(trip), ..options(stages, wait) };
        let well_formed = check(&problem);
        for scheduler in Scheduler::ALL {
            match (solve(&problem, scheduler, &options), &well_formed) {
                (Ok(outcome), Ok(())) => {
                    prop_assert_eq!(verify_plan(&problem, &outcome.plan), Ok(()));
                    prop_assert!(outcome.bound <= outcome.plan.ii, "{}: bound {}, II {}, \
                        {:?}", scheduler.name(), outcome.bound, outcome.plan.ii, outcome.bounds);
                    prop_assert!(outcome.plan.stages() <= stages + 1);
                    if problem.kind == Kind::Cyclic && outcome.rate.exact {
                        prop_assert_eq!(steady_rate(&problem, &outcome.plan, options.stream), Ok(outcome.rate));
                        let run = |trip| estimate(&problem, &outcome.plan, trip, options.stream).unwrap();
                        let cycles = options.trip.map(run);
                        prop_assert_eq!(cycles, outcome.cycles);
                    }
                }
                (Err(SolveError::Problem(errors)), Err(expected)) => prop_assert_eq!(&errors, expected),
                // This is the only well-formed problem without a program.
                (Err(SolveError::Problem(errors)), Ok(())) => {
                    let together = errors.iter().all(|error| matches!(error, ProblemError::StartTogether { .. }));
                    prop_assert!(together, "{errors:?}");
                }
                (outcome, check) => {
                    prop_assert!(false, "{}: {outcome:?} where the check says {check:?}", scheduler.name());
                }
            }
        }
    }
}

proptest! {
    // Each case is solved several times.
    #![proptest_config(ProptestConfig { cases: config().cases / 8, ..config() })]

    #[test]
    fn more_iterations_in_flight_never_give_a_longer_interval(problem in problems(12)) {
        let problem = Problem { kind: Kind::Cyclic, ..problem };
        if check(&problem).is_err() {
            return Ok(());
        }
        let instance = Instance::new(problem);
        let interval = |iterations: u32| {
            let options = Options { iterations: Some(iterations), ..options(2, 0) };
            let found = timed_solution(&instance, Scheduler::Greedy, &options);
            found.map_or(u64::MAX, |found| found.measure.interval)
        };
        let intervals = [1, 2, 3, 5].map(interval);
        prop_assert!(intervals.is_sorted_by(|a, b| a >= b), "{intervals:?}");
    }
}
