//! Properties: changes that leave an optimum as it is, and bounds of it.

use proptest::prelude::*;
use zpu_sched::memory::{Effort, Problem, plan, verify};

use super::common::{HORIZON, anything, best, buffers, config, of, planned};

fn optimum(problem: &Problem) -> Option<u64> {
    let plan = best(problem);
    plan.spaces[0].proven.then_some(plan.spaces[0].planned)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: config().cases.min(64), ..config() })]

    /// Order of the list, direction of time, the unit of bytes, and on a circle where it begins.
    #[test]
    fn optima_do_not_depend_on_the_view(
        (buffers, order) in buffers(14).prop_flat_map(|buffers| {
            let order = Just((0..buffers.len()).collect::<Vec<_>>()).prop_shuffle();
            (Just(buffers), order)
        }),
        is_circle: bool,
        turn in 0..HORIZON,
    ) {
        let period = if is_circle { HORIZON } else { 0 };
        let Some(least) = optimum(&of(period, &buffers)) else { return Ok(()) };
        let permuted: Vec<_> = order.iter().map(|&place| buffers[place]).collect();
        prop_assert_eq!(optimum(&of(period, &permuted)).unwrap_or(least), least);
        let end = 2 * HORIZON;
        let reversed: Vec<_> = buffers.iter().map(|&(b, from, length)| (b, end - from - length, length)).collect();
        prop_assert_eq!(optimum(&of(period, &reversed)).unwrap_or(least), least);
        let scaled: Vec<_> = buffers.iter().map(|&(b, from, length)| (b * 48, from, length)).collect();
        prop_assert_eq!(optimum(&of(period, &scaled)).unwrap_or(least * 48), least * 48);
        let turned: Vec<_> = buffers.iter().map(|&(b, from, length)| (b, from + turn, length)).collect();
        prop_assert_eq!(optimum(&of(period, &turned)).unwrap_or(least), least);
    }

    #[test]
    fn bound_is_below_exact_is_below_default(buffers in buffers(20), is_circle: bool) {
        let problem = of(if is_circle { HORIZON } else { 0 }, &buffers);
        let exact = best(&problem).spaces[0];
        let efforts = [Effort::default(), Effort::heuristic(), Effort::greedy()];
        let planned = efforts.map(|effort| planned(&problem, &effort).spaces[0]);
        for of in planned {
            prop_assert!(of.load <= of.lower_bound && of.lower_bound <= exact.planned && exact.planned <= of.planned);
            prop_assert!(of.planned <= of.rings);
            prop_assert!(!of.proven || of.planned == exact.planned);
        }
    }

    #[test]
    fn another_buffer_never_lowers_the_bound(buffers in buffers(16), is_circle: bool) {
        let bound = |buffers: &[_]| {
            let problem = of(if is_circle { HORIZON } else { 0 }, buffers);
            planned(&problem, &Effort::greedy()).spaces[0].lower_bound
        };
        let bounds: Vec<u64> = (1..=buffers.len()).map(|count| bound(&buffers[..count])).collect();
        prop_assert!(bounds.is_sorted(), "{:?}", bounds);
    }

    #[test]
    fn every_problem_has_a_verified_plan(problem in anything(14), unroll in 1u32..6) {
        for effort in [Effort::greedy(), Effort { unroll, nodes: 2_000, ..Effort::default() }] {
            let plan = plan(&problem, &effort).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(verify(&problem, &plan), Ok(()));
            for of in &plan.spaces {
                prop_assert!(of.load <= of.planned && of.lower_bound <= of.planned);
            }
            prop_assert_eq!(super::common::planned(&problem, &effort), plan);
        }
    }
}
