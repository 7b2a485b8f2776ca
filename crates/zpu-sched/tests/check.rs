//! What is wrong with a problem is found and named.

use expect_test::{Expect, expect};
use zpu_sched::{
    Alternative, Buffer, Dependence, OpId, Options, Problem, ResourceId, Scheduler, SpaceId, Use, check, solve,
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
        &expect![[r#"
            operation `compute` takes 3 of resource `vector`, its capacity is 2
            operation `compute` takes 3 of resource `vector`, its capacity is 2"#]],
    );
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
            "operations `load`, `compute` wait for each other within one iteration; give one of their dependences a distance"
        ],
    );
    reports(
        |p| depend(p, 1, 1, None, 0),
        &expect![
            "operations `compute` wait for each other within one iteration; give one of their dependences a distance"
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
            the sum of all latencies and uses in cycles is 18446744073709551615, the limit is 17592186044416"#]],
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
