//! Cycles within one iteration that take no time: their operations start together, with every scheduler.

use expect_test::expect;
use zpu_sched::{
    Alternative, Dependence, Instance, Kind, OpId, Options, Problem, ResourceId, Scheduler, SolveError, TimedSolution,
    Use, check, solve, timed_solution, verify,
};

fn depend(problem: &mut Problem, from: u32, to: u32, latency: i64) {
    problem.dependences.push(Dependence {
        from: OpId(from),
        to: OpId(to),
        latency: Some(latency),
        distance: 0,
    });
}

/// `a` before `b` and `b` before `a`, in no time; `c` in the way of `b`, and `d` after all.
fn pair(kind: Kind) -> Problem {
    let mut problem = Problem {
        kind,
        ..Problem::cyclic("pair")
    };
    let [dma, vector] = ["dma", "vector"].map(|name| problem.add_resource(name, 1));
    problem.add_operation("a", 3, vec![Use::whole(dma, 3)]);
    problem.add_operation("b", 2, vec![Use::whole(vector, 2)]);
    problem.add_operation("c", 4, vec![Use::whole(vector, 4)]);
    problem.add_operation("d", 1, vec![]);
    for (from, to) in [(0, 1), (1, 0), (3, 3)] {
        depend(&mut problem, from, to, 0);
    }
    depend(&mut problem, 0, 3, 3);
    depend(&mut problem, 2, 3, 4);
    problem
}

fn each_scheduler(problem: &Problem, look: impl Fn(&TimedSolution)) {
    check(problem).unwrap();
    for scheduler in Scheduler::ALL {
        let found = timed_solution(&Instance::new(problem.clone()), scheduler, &Options::default());
        let found = found.unwrap_or_else(|error| panic!("{}: {error}", scheduler.name()));
        verify(problem, &found.schedule).unwrap();
        assert_eq!(found.schedule.start[0], found.schedule.start[1], "{}", scheduler.name());
        assert!(found.lower_bound <= found.measure.interval);
        look(&found);
    }
}

#[test]
fn every_scheduler_starts_them_together() {
    each_scheduler(&pair(Kind::Cyclic), |found| {
        assert!((6..=10).contains(&found.measure.interval));
        assert_eq!((found.bounds.interval(), found.bounds.recurrence), (6, 0));
    });
    each_scheduler(&pair(Kind::Acyclic), |found| {
        assert!((6..=9).contains(&found.measure.interval));
        assert_eq!(found.bounds.makespan(), 6);
    });
}

#[test]
fn others_wait_for_all_of_them() {
    for kind in [Kind::Cyclic, Kind::Acyclic] {
        let mut problem = pair(kind);
        // Now the pair waits for `c`, but only through `b`.
        depend(&mut problem, 2, 1, 4);
        each_scheduler(&problem, |found| {
            assert!(found.schedule.start[0] >= found.schedule.start[2] + 4);
        });
    }
}

#[test]
fn what_takes_too_long_for_the_cycle_is_not_chosen() {
    for kind in [Kind::Cyclic, Kind::Acyclic] {
        let mut problem = pair(kind);
        let way = |latency| Alternative {
            latency,
            uses: vec![Use::whole(ResourceId(0), 3)],
        };
        problem.operations[0].alternatives = vec![way(3), way(0)];
        problem.dependences[0].latency = None;
        each_scheduler(&problem, |found| assert_eq!(found.schedule.chosen[0], 1));
    }
}

#[test]
fn a_cycle_that_takes_time_is_none_of_these() {
    let mut problem = pair(Kind::Cyclic);
    depend(&mut problem, 1, 0, 1);
    let errors = check(&problem).unwrap_err();
    expect!["operations `a`, `b` wait for each other within one iteration; give one of their dependences a distance"]
        .assert_eq(&errors[0].to_string());
}

#[test]
fn on_one_engine_there_is_no_schedule() {
    for kind in [Kind::Cyclic, Kind::Acyclic] {
        let mut problem = pair(kind);
        problem.operations[1].alternatives[0].uses[0].resource = ResourceId(0);
        check(&problem).unwrap();
        let error = timed_solution(&Instance::new(problem), Scheduler::Exact, &Options::default()).unwrap_err();
        assert!(error.is_infeasible());
        expect![
            "there is no schedule: the deadlines among operations `a`, `b` compete for resources; relax a negative \
             latency, or what makes them start together"
        ]
        .assert_eq(&error.to_string());
    }
}

#[test]
fn a_program_has_an_order() {
    for scheduler in Scheduler::ALL {
        let error = solve(&pair(Kind::Cyclic), scheduler, &Options::default()).unwrap_err();
        assert!(matches!(error, SolveError::Problem(ref errors) if errors.iter().all(|e| e.is_infeasible())));
        expect![
            "operation `d` is to start no earlier than itself within one iteration, and a program issues one after \
            the other; leave out one of their dependences, or give it a distance; operations `a`, `b` can only start \
            together, and a program issues one after the other; leave out one of their dependences, or give it a \
            distance"
        ]
        .assert_eq(&error.to_string());
    }
}
