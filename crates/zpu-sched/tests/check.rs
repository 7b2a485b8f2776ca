//! Errors of problems are found and named.

use expect_test::{Expect, expect};
use zpu_sched::{
    Alternative, Buffer, Dependence, Instance, Kind, OpId, Options, Problem, ResourceId, Scheduler, SpaceId, Use,
    check, impossible_alternatives, solve, timed_solution, verify, verify_plan,
};

/// A valid problem: load, compute, store.
fn valid() -> Problem {
    let mut problem = Problem::cyclic("valid");
    let dma = problem.add_resource("dma", 1);
    let vector = problem.add_resource("vector", 2);
    let load = problem.add_operation("load", 10, vec![Use::whole(dma, 10)]);
    let compute = problem.add_operation("compute", 5, vec![Use::whole(vector, 5)]);
    problem.add_dependence(load, compute, 0);
    problem.add_dependence(compute, load, 1);
    let space = problem.add_space("sram", 100);
    problem.add_buffer(
        Buffer::new("tile", vec![load], vec![compute])
            .with_bytes(60, space)
            .with_max_versions(1),
    );
    problem
}

fn reports(change: impl FnOnce(&mut Problem), expected: &Expect) {
    let mut problem = valid();
    check(&problem).unwrap();
    change(&mut problem);
    let errors = check(&problem).unwrap_err();
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    expected.assert_eq(&text.join("\n"));
    for scheduler in Scheduler::ALL {
        assert!(solve(&problem, scheduler, &Options::default()).is_err());
    }
}

fn depend(problem: &mut Problem, from: u32, to: u32, latency: Option<i64>, distance: u32) {
    problem.dependences.push(Dependence {
        from: OpId(from),
        to: OpId(to),
        latency,
        distance,
    });
}

#[test]
fn names_are_unique() {
    reports(
        |p| {
            p.add_resource("dma", 1);
            p.operations[1].name = "load".into();
        },
        &expect![[r#"
            two resources are named `dma`; names are unique
            two operations are named `load`; names are unique"#]],
    );
}

#[test]
fn ids_are_in_range() {
    reports(
        |p| {
            p.operations[0].alternatives[0].uses[0].resource = ResourceId(7);
            depend(p, 0, 9, None, 0);
            p.buffers[0].readers.push(OpId(5));
            p.buffers[0].space = Some(SpaceId(3));
        },
        &expect![[r#"
            operation `load` names resource 7, there are 2
            dependence 2 names operation 9, there are 2
            buffer `tile` names operation 5, there are 2
            buffer `tile` names space 3, there are 1"#]],
    );
}

#[test]
fn demand_within_capacity() {
    reports(
        |p| {
            p.operations[1].alternatives[0].uses.push(Use {
                amount: 2,
                ..Use::whole(ResourceId(1), 3)
            });
        },
        &expect!["operation `compute` takes 3 of resource `vector`, its capacity is 2"],
    );
    reports(
        |p| {
            let fast = Alternative {
                latency: 2,
                uses: vec![Use {
                    amount: 2,
                    ..Use::whole(ResourceId(0), 2)
                }],
            };
            p.operations[1].alternatives = vec![with_amount(3), fast];
        },
        &expect![[r#"
            operation `compute` takes 3 of resource `vector`, its capacity is 2
            operation `compute` takes 2 of resource `dma`, its capacity is 1"#]],
    );
}

/// Five cycles on so many units of the second resource.
fn with_amount(amount: u32) -> Alternative {
    Alternative {
        latency: 5,
        uses: vec![Use {
            amount,
            ..Use::whole(ResourceId(1), 5)
        }],
    }
}

#[test]
fn an_alternative_that_never_fits_is_never_chosen() {
    let mut problem = valid();
    problem.operations[1].alternatives = vec![with_amount(3), with_amount(2), with_amount(9), with_amount(1)];
    check(&problem).unwrap();
    let left_out = impossible_alternatives(&problem);
    let text: Vec<String> = left_out.iter().map(ToString::to_string).collect();
    expect![[r#"
        alternative 0 of operation `compute` takes 3 of resource `vector`, its capacity is 2; it is never chosen
        alternative 2 of operation `compute` takes 9 of resource `vector`, its capacity is 2; it is never chosen"#]]
    .assert_eq(&text.join("\n"));
    for scheduler in Scheduler::ALL {
        let plan = solve(&problem, scheduler, &Options::default()).unwrap().plan;
        verify_plan(&problem, &plan).unwrap();
        assert!([1, 3].contains(&plan.chosen[1]));
        let found = timed_solution(&Instance::new(problem.clone()), scheduler, &Options::default()).unwrap();
        verify(&problem, &found.schedule).unwrap();
        assert!([1, 3].contains(&found.schedule.chosen[1]));
    }
}

#[test]
fn something_can_carry_it_out() {
    reports(
        |p| p.operations[0].alternatives.clear(),
        &expect!["operation `load` has no alternative; give it at least one list of uses"],
    );
}

#[test]
fn no_cycle_without_distance() {
    reports(
        |p| depend(p, 1, 0, Some(0), 0),
        &expect![
            "operations `load`, `compute` wait for each other within one iteration; give one of their dependences a \
             distance"
        ],
    );
    reports(
        |p| depend(p, 1, 1, None, 0),
        &expect![
            "operations `compute` wait for each other within one iteration; give one of their dependences a distance"
        ],
    );
    reports(
        |p| p.kind = Kind::Acyclic,
        &expect![
            "operations `load`, `compute` wait for each other; straight-line code runs once, so distances do not help: \
             leave out one of their dependences, or make the problem cyclic"
        ],
    );
}

#[test]
fn deadlines_leave_room() {
    let mut problem = valid();
    depend(&mut problem, 1, 0, Some(-10), 0);
    check(&problem).unwrap();
    reports(
        |p| depend(p, 1, 0, Some(-9), 0),
        &expect!["the deadlines among operations `load`, `compute` cannot be met; relax a negative latency"],
    );
}

#[test]
fn buffers_are_written_and_fit() {
    reports(
        |p| {
            p.buffers[0].writers.clear();
            p.buffers[0].max_versions = Some(0);
            p.buffers[0].bytes = 101;
        },
        &expect![[r#"
            buffer `tile` has no writer; leave it out of the problem
            buffer `tile` may have 0 versions; it needs at least 1
            one version of each buffer needs 101 bytes of `sram`, it has 100; make the tiles smaller"#]],
    );
}

#[test]
fn numbers_that_could_overflow() {
    reports(
        |p| {
            p.operations[0].alternatives.push(Alternative {
                latency: u64::MAX,
                uses: vec![],
            });
            depend(p, 0, 1, Some(i64::MIN), u32::MAX);
        },
        &expect![[r#"
            the distance of dependence 2 is 4294967295, the limit is 4096
            the sum of all latencies and uses in cycles, the largest of them 18446744073709551615 of operation `load`, is 18446744073709551615, the limit is 17592186044416"#]],
    );
    reports(
        |p| depend(p, 0, 1, Some(1 << 50), 0),
        &expect![
            "the sum of all latencies and uses in cycles, the largest of them 1125899906842624 of dependence 2, is \
             1125899906842654, the limit is 17592186044416"
        ],
    );
}

#[test]
fn an_empty_problem_has_an_empty_plan() {
    for problem in [Problem::cyclic("empty"), Problem::acyclic("empty")] {
        for scheduler in Scheduler::ALL {
            let outcome = solve(
                &problem,
                scheduler,
                &Options {
                    trip: Some(5),
                    ..Options::default()
                },
            )
            .unwrap();
            assert_eq!((outcome.plan.order.len(), outcome.cycles), (0, Some(0)));
        }
    }
}

#[test]
fn stages_have_a_limit() {
    let error = solve(
        &valid(),
        Scheduler::List,
        &Options {
            num_stages: 257,
            ..Options::default()
        },
    )
    .unwrap_err();
    expect!["257 stages are asked for, the limit is 256"].assert_eq(&error.to_string());
}
