//! Straight-line code.

use zpu_sched::{Options, Problem, Scheduler, Use, solve, verify_plan};

/// Two chains over a DMA and a vector engine, the short one first in the source.
fn chains() -> Problem {
    let mut problem = Problem::acyclic("chains");
    let dma = problem.add_resource("dma", 1);
    let vector = problem.add_resource("vector", 1);
    for (name, load, compute) in [("short", 10, 5), ("long", 10, 40)] {
        let load = problem.add_operation(format!("load_{name}"), load, vec![Use::whole(dma, load)]);
        let compute = problem.add_operation(format!("compute_{name}"), compute, vec![Use::whole(vector, compute)]);
        problem.add_dependence(load, compute, 0);
        // A distance says nothing in straight-line code, but the order holds.
        problem.add_dependence(load, compute, 1);
    }
    problem
}

#[test]
fn the_longest_chain_goes_first() {
    let problem = chains();
    let makespan = |scheduler| {
        let outcome = solve(&problem, scheduler, &Options::default()).unwrap();
        verify_plan(&problem, &outcome.plan).unwrap();
        assert_eq!(outcome.bounds.makespan(), 50);
        assert_eq!(outcome.cycles, Some(outcome.plan.ii));
        outcome.plan.ii
    };
    // In source order the control stream waits for the first load before it issues the second.
    assert_eq!(makespan(Scheduler::Serial), 60);
    assert_eq!(makespan(Scheduler::Greedy), 55);
    assert_eq!(makespan(Scheduler::Modulo), 55);
}
