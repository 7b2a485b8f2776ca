//! Whole runs: schedules are right and never faster than the bound, and the verifier tells wrong ones.

use proptest::prelude::*;
use zpu_sched::run::{
    Action, ControlCosts, Rule, RunEngine, RunError, RunLink, RunOperation, RunProblem, RunSchedule, RunSpace,
    RunStorage, RunViolation, RunWay, is_run, list_schedule, read_run, run_bound, solve_run, verify_run, write_run,
};

fn way(engine: usize, start_latency: u64, alone: u64, shared: u64) -> RunWay {
    RunWay {
        engine,
        start_latency,
        alone,
        shared,
        rate: if shared > 0 { 2.0 } else { 0.0 },
        links: if shared > 0 { vec![0] } else { vec![] },
    }
}

/// Three engines, of which two can stand in for each other; a link of three bytes a cycle; a space of 100 bytes.
fn machine(issue: u64, wait: u64, barrier: u64, queue: u64, blocking: bool) -> RunProblem {
    let engine = |name: &str, blocking| RunEngine {
        name: name.to_owned(),
        queue,
        blocking,
    };
    RunProblem {
        name: "run".to_owned(),
        control: ControlCosts { issue, wait, barrier },
        engines: vec![engine("a", false), engine("b", false), engine("c", blocking)],
        links: vec![RunLink {
            name: "link".to_owned(),
            rate: 3.0,
        }],
        spaces: vec![RunSpace {
            name: "sram".to_owned(),
            bytes: 100,
            resident: 10,
        }],
        ..RunProblem::default()
    }
}

fn works() -> impl Strategy<Value = Vec<Vec<RunWay>>> {
    let cost = (0u64..8, 1u64..9, prop_oneof![Just(0u64), 0u64..9]);
    prop::collection::vec((prop::collection::vec(cost, 2), 0usize..4), 1..4).prop_map(|works| {
        let work = |(costs, kind): (Vec<(u64, u64, u64)>, usize)| {
            let on = |engine: usize, (latency, alone, shared): (u64, u64, u64)| way(engine, latency, alone, shared);
            match kind {
                0 => vec![on(0, costs[0]), on(1, costs[0])],
                1 => vec![on(0, costs[0]), on(1, costs[1])],
                2 => vec![on(2, costs[0])],
                _ => vec![on(1, costs[0]), on(2, costs[1])],
            }
        };
        works.into_iter().map(work).collect()
    })
}

/// Problems of up to `most` operations. Each operation has bytes of its own, which the ones after it use.
fn problems(most: usize) -> impl Strategy<Value = RunProblem> {
    let stream = (0u64..5, 0u64..5, 0u64..9, 1u64..4, any::<bool>());
    let operation = (any::<u16>(), prop::collection::vec(any::<u16>(), 0..3), 0u64..60);
    let operations = prop::collection::vec(operation, 1..=most);
    (stream, works(), operations).prop_map(|((issue, wait, barrier, queue, blocking), works, operations)| {
        let mut problem = machine(issue, wait, barrier, queue, blocking);
        let count = works.len();
        problem.works = works;
        for (i, (work, after, bytes)) in operations.into_iter().enumerate() {
            let mut after: Vec<u32> = match i {
                0 => vec![],
                _ => after.iter().map(|before| u32::from(*before) % i as u32).collect(),
            };
            after.sort_unstable();
            after.dedup();
            for before in &after {
                problem.storages[*before as usize].operations.push(i as u32);
            }
            problem.storages.push(RunStorage {
                bytes,
                space: 0,
                operations: vec![i as u32],
            });
            problem.operations.push(RunOperation {
                name: format!("o{i}"),
                work: usize::from(work) % count,
                after,
            });
        }
        // What does not fit is made to.
        while let Err(RunError::Memory { .. }) = problem.check() {
            problem.storages.iter_mut().for_each(|storage| storage.bytes /= 2);
        }
        problem
    })
}

/// The least cycles of all schedules without a barrier, found by trying them.
fn least(problem: &RunProblem, actions: &mut Vec<Action>, best: &mut u64) {
    let schedule = RunSchedule {
        actions: actions.clone(),
    };
    match verify_run(problem, &schedule) {
        Ok(check) => {
            *best = (*best).min(check.cycles);
            return;
        }
        Err(RunViolation::Missing(_) | RunViolation::Open(_)) => {}
        Err(_) => return,
    }
    let issued = |operation: u32| {
        let is_it = |action: &Action| matches!(action, Action::Issue { operation: found, .. } if *found == operation);
        actions.iter().any(is_it)
    };
    let mut next = Vec::new();
    for operation in 0..problem.operations.len() as u32 {
        let wait = Action::Wait { operation };
        if !issued(operation) {
            let ways = 0..problem.ways(operation as usize).len() as u32;
            next.extend(ways.map(|way| Action::Issue { operation, way }));
        } else if !actions.contains(&wait) {
            next.push(wait);
        }
    }
    for action in next {
        actions.push(action);
        least(problem, actions, best);
        actions.pop();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn schedules_are_right_and_not_below_the_bound(problem in problems(9)) {
        prop_assert_eq!(problem.check(), Ok(()));
        let bound = run_bound(&problem);
        for rule in Rule::ALL {
            for window in [1, 3, 20] {
                let (schedule, cycles) = list_schedule(&problem, rule, window);
                let check = verify_run(&problem, &schedule);
                // Two clocks: the scheduler's events, and the verifier's.
                prop_assert_eq!(check.as_ref().map(|check| check.cycles), Ok(cycles), "{:?}", schedule);
                prop_assert!(bound.cycles <= cycles, "{:?}", bound);
            }
        }
        let solution = solve_run(&problem, true).unwrap();
        prop_assert_eq!(verify_run(&problem, &solution.schedule), Ok(solution.check.clone()));
        prop_assert!(solution.bound.cycles <= solution.check.cycles);
        prop_assert!(solution.check.peak[0] <= 100);
    }

    #[test]
    fn a_document_says_everything(problem in problems(9), cycles in prop::option::of(0u64..1000)) {
        let problem = RunProblem { cycles, ..problem };
        let text = write_run(&problem);
        prop_assert!(is_run(&text));
        prop_assert_eq!(read_run(&text).unwrap(), problem);
    }

    /// Whatever is taken away or moved, the verifier refuses it, or it takes no less than the bound.
    #[test]
    fn a_changed_schedule_is_refused_or_above_the_bound(
        problem in problems(7),
        at in any::<prop::sample::Index>(),
        to in any::<prop::sample::Index>(),
        drop in any::<bool>(),
    ) {
        let mut schedule = list_schedule(&problem, Rule::EarliestBegin, 4).0;
        let action = schedule.actions.remove(at.index(schedule.actions.len()));
        if !drop {
            schedule.actions.insert(to.index(schedule.actions.len() + 1), action);
        }
        match verify_run(&problem, &schedule) {
            Ok(check) => prop_assert!(run_bound(&problem).cycles <= check.cycles),
            Err(_) if drop => {}
            Err(error) => {
                let is_unknown = matches!(error, RunViolation::Unknown { .. } | RunViolation::Twice(_));
                prop_assert!(!is_unknown, "{error}");
            }
        }
        if drop && matches!(action, Action::Issue { .. }) {
            prop_assert!(verify_run(&problem, &schedule).is_err());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn no_schedule_is_below_the_bound_and_none_found_below_the_least(problem in problems(3)) {
        let mut best = u64::MAX;
        least(&problem, &mut Vec::new(), &mut best);
        prop_assert!(best < u64::MAX);
        prop_assert!(run_bound(&problem).cycles <= best);
        let solution = solve_run(&problem, true).unwrap();
        let barriers = solution.schedule.actions.iter().filter(|action| **action == Action::Barrier);
        prop_assert!(barriers.count() > 0 || best <= solution.check.cycles, "{:?}", solution.schedule);
    }
}

/// A load on either of two engines, and a sum on another one.
fn load_and_sum() -> RunProblem {
    let mut problem = machine(1, 2, 9, 2, false);
    problem.works = vec![vec![way(0, 5, 10, 0), way(1, 5, 10, 0)], vec![way(2, 0, 20, 0)]];
    let operation = |name: &str, work, after| RunOperation {
        name: name.to_owned(),
        work,
        after,
    };
    problem.operations = vec![
        operation("load", 0, vec![]),
        operation("other", 0, vec![]),
        operation("sum", 1, vec![0, 1]),
    ];
    let storage = |operations| RunStorage {
        bytes: 40,
        space: 0,
        operations,
    };
    problem.storages = vec![storage(vec![0, 2]), storage(vec![1, 2])];
    problem
}

const fn issue(operation: u32, way: u32) -> Action {
    Action::Issue { operation, way }
}

const fn wait(operation: u32) -> Action {
    Action::Wait { operation }
}

fn verdict(problem: &RunProblem, actions: &[Action]) -> Result<u64, RunViolation> {
    let schedule = RunSchedule {
        actions: actions.to_vec(),
    };
    verify_run(problem, &schedule).map(|check| check.cycles)
}

#[test]
fn the_verifier_tells_each_kind_of_mistake() {
    let problem = load_and_sum();
    // Issues end at 1 and 2, the loads at 16 and 17; the sum is issued from 17 on, or from 19 on after a second wait.
    let right = [issue(0, 0), issue(1, 1), wait(0), wait(1), issue(2, 0), wait(2)];
    assert_eq!(verdict(&problem, &right), Ok(39));
    let missing_wait = [issue(0, 0), issue(1, 1), wait(0), issue(2, 0), wait(2)];
    let unordered = RunViolation::Unordered { operation: 2, after: 1 };
    assert_eq!(verdict(&problem, &missing_wait), Err(unordered));
    // On one engine, a wait for the later one is a wait for both.
    let one_engine = [issue(0, 0), issue(1, 0), wait(1), issue(2, 0), wait(2)];
    assert_eq!(verdict(&problem, &one_engine), Ok(16 + 10 + 1 + 20));
    let open = [issue(0, 0), issue(1, 1), wait(0), wait(1), issue(2, 0)];
    assert_eq!(verdict(&problem, &open), Err(RunViolation::Open(2)));
    assert_eq!(verdict(&problem, &[wait(0)]), Err(RunViolation::WaitBeforeIssue(0)));
    assert_eq!(
        verdict(&problem, &[issue(0, 0), issue(0, 0)]),
        Err(RunViolation::Twice(0))
    );
    let unknown = RunViolation::Unknown {
        action: 0,
        operation: 0,
        way: 2,
    };
    assert_eq!(verdict(&problem, &[issue(0, 2)]), Err(unknown));
    assert_eq!(
        verdict(&problem, &[issue(0, 0), wait(0)]),
        Err(RunViolation::Missing(1))
    );
    let mut small = problem;
    small.spaces[0].bytes = 89;
    let memory = RunViolation::Memory {
        operation: 1,
        live: 90,
        space: "sram".to_owned(),
        bytes: 89,
    };
    assert_eq!(verdict(&small, &right), Err(memory));
}

#[test]
fn a_barrier_stands_in_for_two_waits() {
    let problem = load_and_sum();
    let solution = solve_run(&problem, true).unwrap();
    // The loads end at 16 and 17. Two waits end at 18, a barrier at 17.
    assert_eq!((solution.check.cycles, solution.check.waits), (38, 2));
    assert!(solution.schedule.actions.contains(&Action::Barrier));
    // The second load is not issued before the first one: 2 + 15, then 1 + 20.
    assert_eq!((solution.bound.cycles, solution.bound.limit.as_str()), (38, "control"));
}

#[test]
fn what_cannot_be_is_refused_with_its_numbers() {
    let message = |change: &dyn Fn(&mut RunProblem)| {
        let mut problem = load_and_sum();
        change(&mut problem);
        problem.check().unwrap_err().to_string()
    };
    assert_eq!(
        message(&|problem| problem.spaces[0].bytes = 80),
        "operation 1 needs 90 bytes of sram together with what is live, the space has 80"
    );
    assert_eq!(
        message(&|problem| problem.operations[1].after = vec![2]),
        "operation 1 comes after operation 2; list operations after those that they depend on"
    );
    assert_eq!(
        message(&|problem| problem.operations[1].work = 7),
        "operation 1 names work 7, there are 2, counted from 0"
    );
    assert_eq!(
        message(&|problem| problem.works[1].clear()),
        "work 1 has no alternative; give at least one engine that does it"
    );
    assert_eq!(
        message(&|problem| problem.engines[0].queue = 0),
        "engine a has a queue of 0 places; it needs one at least"
    );
    assert_eq!(
        message(&|problem| problem.links[0].rate = 0.0),
        "link link has the rate 0; it has to be above 0 and finite"
    );
    assert_eq!(
        message(&|problem| {
            problem.works[1][0].links = vec![0];
            problem.works[1][0].rate = 4e6;
        }),
        "work 1 has the rate 4000000, more than 1000000 times that of link link; give both in one unit"
    );
    assert_eq!(
        message(&|problem| problem.works[1][0].alone = u64::MAX),
        "the times add up to more than 4503599627370496 cycles; give them in a larger unit"
    );
}

#[test]
fn an_engine_that_holds_the_stream_leaves_copies_to_others() {
    let mut problem = machine(1, 1, 1, 4, true);
    // The engine that holds the stream computes for 50 cycles, and would end a copy ten cycles before the other one.
    problem.works = vec![vec![way(2, 0, 50, 0)], vec![way(0, 10, 20, 0), way(2, 0, 20, 0)]];
    let operation = |name: &str, work, after| RunOperation {
        name: name.to_owned(),
        work,
        after,
    };
    for step in 0..8u32 {
        let before = step.checked_sub(1).map(|before| 2 * before);
        problem
            .operations
            .push(operation("compute", 0, before.into_iter().collect()));
        problem.operations.push(operation("copy", 1, vec![2 * step]));
    }
    problem.check().expect("a problem");
    let found = solve_run(&problem, false).expect("a schedule").check.cycles;
    // Eight computations with their issues, the issues of eight copies, the end of the last one and a wait or two.
    let (mine, others) = (8 * 51, 8);
    assert!(found <= mine + others + 10 + 20 + 4, "{found}");
}
