//! The bound of plans against all plans: tiny loops for a control stream that pays for issue, waits and the back edge.

#[path = "common/random.rs"]
#[allow(unreachable_pub, dead_code)]
mod random;

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use random::problems;
use zpu_sched::{
    Buffer, Options, Plan, Problem, Scheduler, StreamCosts, pareto_of_plans, solve, steady_rate, verify_plan,
};

/// Counts `digits` up in the mixed base `bases`; `false` after the last.
fn count_up(digits: &mut [u32], bases: &[u32]) -> bool {
    for (digit, base) in digits.iter_mut().zip(bases) {
        *digit += 1;
        if *digit < *base {
            return true;
        }
        *digit = 0;
    }
    false
}

/// The fewest bytes at each interval of all plans with these limits, whose rate is known exactly.
fn fewest_bytes(problem: &Problem, stages: u32, costs: StreamCosts) -> BTreeMap<u64, u64> {
    let count = problem.operations.len();
    let chosen = problem.operations.iter().map(|o| o.alternatives.len() as u32);
    let versions = problem
        .buffers
        .iter()
        .map(|b| b.max_versions.unwrap_or(stages).min(stages));
    // Stages, places, choices and versions; only places that are a permutation are checked.
    let bases: Vec<u32> = std::iter::repeat_n(stages + 1, count)
        .chain(std::iter::repeat_n(count as u32, count))
        .chain(chosen)
        .chain(versions)
        .collect();
    let mut digits = vec![0; bases.len()];
    let mut fewest = BTreeMap::new();
    loop {
        let plan = Plan {
            ii: 1,
            stage: digits[..count].to_vec(),
            order: digits[count..2 * count].to_vec(),
            cycle: vec![0; count],
            versions: digits[3 * count..].iter().map(|&d| d + 1).collect(),
            chosen: digits[2 * count..3 * count].to_vec(),
        };
        if verify_plan(problem, &plan).is_ok()
            && let Ok(rate) = steady_rate(problem, &plan, costs)
            && rate.exact
        {
            let known = fewest.entry(rate.interval()).or_insert(u64::MAX);
            *known = bytes(problem, &plan).min(*known);
        }
        if !count_up(&mut digits, &bases) {
            return fewest;
        }
    }
}

fn bytes(problem: &Problem, plan: &Plan) -> u64 {
    let each = problem.buffers.iter().zip(&plan.versions);
    each.map(|(buffer, &versions)| buffer.bytes * u64::from(versions)).sum()
}

/// A buffer for each dependence within an iteration.
fn with_buffers(mut problem: Problem) -> Problem {
    problem.buffers.clear();
    for dependence in problem.dependences.clone().iter().filter(|d| d.distance == 0) {
        let index = problem.buffers.len() as u64;
        let mut buffer = Buffer::new(format!("b{index}"), vec![dependence.from], vec![dependence.to]);
        buffer.bytes = 3 + 2 * index;
        problem.add_buffer(buffer);
    }
    problem
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(5),
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_plan_is_below_the_bound(
        problem in problems(3), stages in 1u32..3, wait in 0u64..4, back_edge in 0u64..3, trust_queues: bool,
    ) {
        let stream = StreamCosts { wait, back_edge, trust_queues };
        let options = Options { num_stages: stages, stream, effort: 100_000, ..Options::default() };
        let least = fewest_bytes(&problem, stages, stream).first_key_value().map(|(&interval, _)| interval);
        for scheduler in [Scheduler::Modulo, Scheduler::Auto, Scheduler::Exact] {
            let found = solve(&problem, scheduler, &options).unwrap();
            prop_assert!(least.is_none_or(|least| found.bound <= least), "{}: {least:?} {found:?}", scheduler.name());
            prop_assert!(!found.proven || least.is_none_or(|least| found.plan.ii == least), "{}", scheduler.name());
        }
    }
    #[test]
    fn no_plan_at_its_interval_has_fewer_bytes_than_proven(
        problem in problems(3), stages in 1u32..4, wait in 0u64..4, back_edge in 0u64..3, trust_queues: bool,
    ) {
        let problem = with_buffers(problem);
        prop_assume!(problem.buffers.len() < 4);
        let stream = StreamCosts { wait, back_edge, trust_queues };
        let options = Options { num_stages: stages, stream, effort: 100_000, ..Options::default() };
        let fewest = fewest_bytes(&problem, stages, stream);
        for scheduler in Scheduler::ALL {
            let found = solve(&problem, scheduler, &options).unwrap();
            let own = bytes(&problem, &found.plan);
            if found.bytes_proven && found.rate.exact {
                prop_assert!(fewest[&found.plan.ii] == own, "{}: {fewest:?} {found:?}", scheduler.name());
            }
        }
        let curve = pareto_of_plans(&problem, Scheduler::Exact, &options, None, 8).unwrap();
        for point in curve.points.iter().filter(|point| point.proven) {
            let least = fewest.get(&point.interval);
            prop_assert!(least.is_none_or(|&least| u128::from(least) >= point.bytes), "{fewest:?} {curve:?}");
        }
    }
}
