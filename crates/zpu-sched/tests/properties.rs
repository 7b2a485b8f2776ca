//! Properties of every problem.

#[path = "common/random.rs"]
#[allow(unreachable_pub)]
mod random;

use proptest::prelude::*;
use random::{options, problems};
use zpu_sched::{
    Options, Outcome, Plan, Problem, ResourceId, Schedule, Scheduler, StreamCosts, Use, check, estimate, lower_bound,
    minimal_versions, plan_from_schedule, solve, steady_rate, verify, verify_plan,
};

fn run(problem: &Problem, scheduler: Scheduler, options: &Options) -> Outcome {
    let outcome = solve(problem, scheduler, options).unwrap();
    verify_plan(problem, &outcome.plan).unwrap();
    outcome
}

/// Total cycles if the loop's length is known, else the steady rate.
fn measure(outcome: &Outcome) -> f64 {
    outcome
        .cycles
        .map_or(outcome.rate.cycles_per_iteration(), |cycles| cycles as f64)
}

/// A schedule that takes nothing for granted: one operation after the other.
fn one_by_one(problem: &Problem) -> Schedule {
    let mut start = vec![];
    let mut now = 0;
    for operation in &problem.operations {
        start.push(now);
        let alternative = &operation.alternatives[0];
        now += alternative
            .uses
            .iter()
            .map(|u| u.cycles)
            .max()
            .unwrap_or(0)
            .max(alternative.latency);
    }
    let zeros = vec![0; start.len()];
    Schedule {
        ii: now.max(1),
        start,
        chosen: zeros,
        versions: vec![1; problem.buffers.len()],
    }
}

/// The problem with a link on which all engines together want a little more than there is: less than counts.
fn with_wide_link(problem: &Problem, plan: &Plan) -> Problem {
    const WANTED: u32 = 1 << 28;
    let mut shared = problem.clone();
    let chosen = problem.operations.iter().zip(&plan.chosen);
    let chosen = chosen.map(|(operation, &chosen)| &operation.alternatives[chosen as usize]);
    // The first use of every alternative is that of its engine.
    let mut engines: Vec<ResourceId> = chosen.map(|alternative| alternative.uses[0].resource).collect();
    engines.sort_unstable();
    engines.dedup();
    let link = shared.add_resource("link", engines.len() as u32 * WANTED - 1);
    shared.resources[link.index()].shared = true;
    for alternative in shared
        .operations
        .iter_mut()
        .flat_map(|operation| &mut operation.alternatives)
    {
        let on_engine = alternative.uses[0];
        alternative.uses.push(Use {
            resource: link,
            amount: WANTED,
            ..on_engine
        });
    }
    shared
}

/// The reference machine without any cleverness: all instances in one list.
fn slow_estimate(problem: &Problem, plan: &Plan, trip: u64) -> u64 {
    let count = plan.stage.len();
    let alternative = |op: usize| &problem.operations[op].alternatives[plan.chosen[op] as usize];
    let mut arcs: Vec<(usize, usize, u64)> = problem
        .dependences
        .iter()
        .map(|d| (d.from.index(), d.to.index(), d.distance.into()))
        .collect();
    for (buffer, &versions) in problem.buffers.iter().zip(&plan.versions) {
        for reader in &buffer.readers {
            for writer in &buffer.writers {
                arcs.push((reader.index(), writer.index(), versions.into()));
            }
        }
    }
    let mut instances: Vec<(u64, u32, usize, u64)> = (0..count)
        .flat_map(|op| (0..trip).map(move |k| (k, op)))
        .map(|(k, op)| (k + u64::from(plan.stage[op]), plan.order[op], op, k))
        .collect();
    instances.sort_unstable();
    let control = problem.control().unwrap();
    let mut done = vec![vec![0; trip as usize]; count];
    let mut free = vec![0; problem.resources.len()];
    let (mut now, mut end) = (0, 0);
    for (_, _, op, k) in instances {
        for &(from, to, distance) in &arcs {
            if to == op && k >= distance {
                now = now.max(done[from][(k - distance) as usize]);
            }
        }
        let uses = &alternative(op).uses;
        let engine = uses.iter().find(|u| u.resource != control).unwrap();
        let held = uses.iter().find(|u| u.resource == control).unwrap().cycles;
        let start = now.max(free[engine.resource.index()]);
        free[engine.resource.index()] = start + engine.cycles;
        done[op][k as usize] = start + alternative(op).latency;
        end = end.max(done[op][k as usize]);
        now = if held == alternative(op).latency {
            start + held
        } else {
            now + held
        };
    }
    end.max(now)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_scheduler_is_never_worse_than_the_ones_before(problem in problems(12), options in options()) {
        check(&problem).unwrap();
        let options = Options { effort: 20_000, ..options };
        let [serial, list, greedy, modulo, auto, exact] = Scheduler::ALL.map(|s| run(&problem, s, &options));
        prop_assert!(measure(&greedy) <= measure(&serial));
        prop_assert!(measure(&greedy) <= measure(&list));
        prop_assert!(measure(&modulo) <= measure(&greedy));
        prop_assert!(measure(&auto) <= measure(&modulo));
        for other in [&serial, &list, &greedy, &modulo, &auto] {
            prop_assert!(exact.rate.cycles_per_iteration() <= other.rate.cycles_per_iteration());
        }
        for outcome in [&serial, &list, &greedy, &modulo, &auto, &exact] {
            // A bound that one scheduler proves holds for all.
            prop_assert!(outcome.rate.interval() >= exact.bound);
            // An average is never proven, also where it is the bound.
            let is_least = outcome.rate.interval() <= outcome.bound;
            prop_assert_eq!(outcome.proven, outcome.rate.exact && is_least);
            prop_assert!(outcome.rate.interval() >= outcome.bounds.recurrence);
            prop_assert!(outcome.rate.interval() >= outcome.bounds.resource_bound());
            prop_assert!(outcome.plan.stages() <= options.num_stages + 1);
            let least = minimal_versions(&problem, &outcome.plan.stage, &outcome.plan.order).unwrap();
            prop_assert!(outcome.plan.versions.iter().zip(&least).all(|(have, need)| have >= need));
            prop_assert!(outcome.plan.versions.iter().all(|&v| v <= options.num_stages.max(1)));
        }
    }

    #[test]
    fn more_iterations_in_flight_are_never_worse(problem in problems(10), options in options()) {
        let mut before = f64::INFINITY;
        for iterations in 1..5 {
            let options = Options { iterations: Some(iterations), num_stages: 4, ..options.clone() };
            let now = measure(&run(&problem, Scheduler::Greedy, &options));
            prop_assert!(now <= before);
            before = now;
        }
    }

    #[test]
    fn the_fast_estimate_equals_the_slow_one(problem in problems(10), options in options(), trip in 0u64..60) {
        let plan = run(&problem, Scheduler::Greedy, &options).plan;
        let fast = estimate(&problem, &plan, trip, StreamCosts::default()).unwrap();
        prop_assert_eq!(fast, slow_estimate(&problem, &plan, trip));
        let rate = steady_rate(&problem, &plan, StreamCosts::default()).unwrap();
        if rate.exact {
            let at = |trip| estimate(&problem, &plan, trip, StreamCosts::default()).unwrap();
            let far = 10_000_000;
            prop_assert_eq!(at(far + rate.iterations) - at(far), rate.cycles);
        }
    }

    #[test]
    fn a_link_that_is_hardly_crowded_changes_nothing(problem in problems(10), options in options(), trip in 0u64..60) {
        let plan = run(&problem, Scheduler::Greedy, &options).plan;
        let shared = with_wide_link(&problem, &plan);
        prop_assert_eq!(
            estimate(&shared, &plan, trip, StreamCosts::default()).unwrap(),
            slow_estimate(&problem, &plan, trip)
        );
        let rate = |problem| steady_rate(problem, &plan, StreamCosts::default()).unwrap();
        let (with, without) = (rate(&shared), rate(&problem));
        if with.exact && without.exact {
            prop_assert_eq!(with.cycles * without.iterations, without.cycles * with.iterations);
        }
    }

    #[test]
    fn folding_keeps_the_interval(problem in problems(10)) {
        let mut schedule = one_by_one(&problem);
        schedule.ii = schedule.ii.max(lower_bound(&problem).interval());
        verify(&problem, &schedule).unwrap();
        let plan = plan_from_schedule(&problem, &schedule).unwrap();
        verify_plan(&problem, &plan).unwrap();
        let rate = steady_rate(&problem, &plan, StreamCosts::default()).unwrap();
        prop_assert!(rate.interval() <= schedule.ii);
    }

    #[test]
    fn seeded_mistakes_in_schedules_are_found(problem in problems(10), pick in any::<prop::sample::Index>()) {
        let right = one_by_one(&problem);
        verify(&problem, &right).unwrap();
        let op = pick.index(right.start.len());
        let wrong = |change: &dyn Fn(&mut Schedule)| {
            let mut schedule = right.clone();
            change(&mut schedule);
            verify(&problem, &schedule).is_err()
        };
        // Two operations of one engine at one time; an interval below the bound; ids and sizes out of range.
        let engine = |op: usize| problem.operations[op].alternatives[0].uses[0].resource;
        for other in (0..right.start.len()).filter(|&other| other != op && engine(other) == engine(op)) {
            prop_assert!(wrong(&|s| s.start[other] = s.start[op]));
        }
        let single = problem.operations.iter().all(|o| o.alternatives.len() == 1);
        let least = lower_bound(&problem).interval();
        prop_assert!(!single || least < 2 || wrong(&|s| s.ii = least - 1));
        prop_assert!(wrong(&|s| s.ii = 0));
        prop_assert!(wrong(&|s| s.chosen[op] = 9));
        prop_assert!(wrong(&|s| s.start.truncate(op)));
        prop_assert!(problem.buffers.is_empty() || wrong(&|s| s.versions[0] = 0));
        for d in problem.dependences.iter().filter(|d| d.distance == 0) {
            prop_assert!(wrong(&|s| s.start.swap(d.from.index(), d.to.index())));
        }
    }

    #[test]
    fn seeded_mistakes_in_plans_are_found(problem in problems(10), options in options()) {
        let right = run(&problem, Scheduler::Greedy, &options).plan;
        let wrong = |change: &dyn Fn(&mut Plan)| {
            let mut plan = right.clone();
            change(&mut plan);
            verify_plan(&problem, &plan).is_err() && estimate(&problem, &plan, 3, StreamCosts::default()).is_err()
        };
        for d in problem.dependences.iter().filter(|d| d.distance == 0) {
            let (from, to) = (d.from.index(), d.to.index());
            prop_assert!(wrong(&|p| p.stage[from] = p.stage[to] + 1));
            let swapped = wrong(&|p| {
                p.stage[from] = p.stage[to];
                let (low, high) = (p.order[from].min(p.order[to]), p.order[from].max(p.order[to]));
                (p.order[to], p.order[from]) = (low, high);
            });
            prop_assert!(swapped);
        }
        let least = minimal_versions(&problem, &right.stage, &right.order).unwrap();
        for (buffer, &least) in least.iter().enumerate() {
            prop_assert!(wrong(&|p| p.versions[buffer] = least - 1));
        }
        prop_assert!(wrong(&|p| p.order[0] = p.order.len() as u32));
        prop_assert!(wrong(&|p| p.chosen[0] = 9));
        prop_assert!(right.order.len() < 2 || wrong(&|p| p.order[0] = p.order[1]));
    }
}
