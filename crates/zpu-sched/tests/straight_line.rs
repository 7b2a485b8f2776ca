//! Plans of straight-line code as list schedules of a whole run have them.

use zpu_sched::run::listed_plans;
use zpu_sched::{
    Alternative, CONTROL, Kind, OpId, Options, Problem, Scheduler, StreamCosts, Use, estimate, solve, verify_plan,
};

/// Cycles of an issue and of a wait.
const ISSUE: u64 = 60;
const WAIT: u64 = 10;

const COSTS: StreamCosts = StreamCosts {
    wait: WAIT,
    back_edge: 0,
    trust_queues: true,
};

/// A prologue of `tiles` tiles: two loads of each by one of four engines that share a link, then a product, and then a
/// store that follows the product two tiles before.
fn prologue(tiles: u32) -> Problem {
    let mut problem = Problem::acyclic("prologue");
    let control = problem.add_resource(CONTROL, 1);
    let link = problem.add_resource("link", 2);
    problem.resources[link.index()].shared = true;
    let channels = ["dma0", "dma1", "dma2", "dma3"].map(|name| problem.add_resource(name, 1));
    let tensor = problem.add_resource("tensor", 1);
    let (start, moved) = (500, 300);
    let transfer = || {
        channels.map(|channel| Alternative {
            latency: ISSUE + start + moved,
            uses: vec![
                Use::whole(control, ISSUE),
                Use {
                    resource: channel,
                    amount: 1,
                    cycles: moved,
                    offset: ISSUE + start,
                },
                Use {
                    resource: link,
                    amount: 1,
                    cycles: moved,
                    offset: ISSUE + start,
                },
            ],
        })
    };
    for tile in 0..tiles {
        let loads = ["a", "b"].map(|name| problem.add_choice(format!("{name}{tile}"), transfer().to_vec()));
        let product = Alternative {
            latency: ISSUE + 200,
            uses: vec![
                Use::whole(control, ISSUE),
                Use {
                    resource: tensor,
                    amount: 1,
                    cycles: 200,
                    offset: ISSUE,
                },
            ],
        };
        let product = problem.add_choice(format!("product{tile}"), vec![product]);
        for load in loads {
            problem.add_dependence(load, product, 0);
        }
        let store = problem.add_choice(format!("store{tile}"), transfer().to_vec());
        problem.add_dependence(product, store, 0);
    }
    problem
}

fn options() -> Options {
    Options {
        num_stages: 1,
        trip: Some(1),
        stream: COSTS,
        ..Options::default()
    }
}

/// The cycles of the best of the plans, and of what `greedy` finds.
fn both(problem: &Problem) -> (u64, u64) {
    let plans = listed_plans(problem, COSTS);
    let cycles = plans.iter().map(|plan| {
        verify_plan(problem, plan).unwrap();
        estimate(problem, plan, 1, COSTS).unwrap()
    });
    let greedy = solve(problem, Scheduler::Greedy, &options()).unwrap();
    (cycles.min().unwrap(), greedy.cycles.unwrap())
}

#[test]
fn a_long_prologue_is_issued_as_it_runs() {
    for tiles in [4, 8, 24] {
        let (listed, greedy) = both(&prologue(tiles));
        assert!(
            listed < greedy,
            "{tiles} tiles: {listed} cycles where greedy has {greedy}"
        );
    }
}

#[test]
fn plans_differ() {
    let plans = listed_plans(&prologue(6), COSTS);
    assert!(plans.len() > 1);
    for (place, plan) in plans.iter().enumerate() {
        assert!(!plans[..place].contains(plan));
    }
}

#[test]
fn problems_that_no_stream_issues_have_none() {
    // A command of two engines.
    let mut problem = Problem::acyclic("two engines");
    let engines = ["a", "b"].map(|name| problem.add_resource(name, 1));
    problem.add_operation("both", 10, engines.map(|engine| Use::whole(engine, 10)).to_vec());
    assert!(listed_plans(&problem, COSTS).is_empty());
    // An order against that of the list.
    let mut problem = Problem::acyclic("backward");
    let engine = problem.add_resource("a", 1);
    for name in ["first", "second"] {
        problem.add_operation(name, 10, vec![Use::whole(engine, 10)]);
    }
    problem.add_dependence(OpId(1), OpId(0), 0);
    assert!(listed_plans(&problem, COSTS).is_empty());
    // Times that cannot be added up.
    let mut problem = prologue(2);
    problem.operations[0].alternatives[0].uses[1].cycles = u64::MAX;
    assert!(listed_plans(&problem, COSTS).is_empty());
    // A loop, and a dependence on what is not there.
    let mut problem = Problem::cyclic("loop");
    let engine = problem.add_resource("a", 1);
    let first = problem.add_operation("first", 10, vec![Use::whole(engine, 10)]);
    assert!(listed_plans(&problem, COSTS).is_empty());
    problem.kind = Kind::Acyclic;
    assert_eq!(listed_plans(&problem, COSTS).len(), 1);
    problem.add_dependence(first, OpId(7), 0);
    assert!(listed_plans(&problem, COSTS).is_empty());
    // Nothing at all is one order.
    let none = listed_plans(&Problem::acyclic("empty"), COSTS);
    assert!(none.iter().all(|plan| plan.order.is_empty()));
}
