//! Large problems end in seconds.

use zpu_sched::{
    Buffer, Instance, OpId, Options, Problem, ResourceId, Scheduler, Use, solve, timed_solution, verify_plan,
};

/// `chains` independent chains of load, move, compute, store.
fn chains(chains: u32) -> Problem {
    let mut problem = Problem::cyclic("chains");
    let engines: Vec<ResourceId> = ["load", "move", "compute", "store"]
        .map(|e| problem.add_resource(e, 1))
        .to_vec();
    for chain in 0..chains {
        let mut before: Option<OpId> = None;
        for (step, &engine) in engines.iter().enumerate() {
            let cycles = 5 + u64::from((chain * 7 + step as u32 * 3) % 11);
            let op = problem.add_operation(format!("op{chain}_{step}"), cycles, vec![Use::whole(engine, cycles)]);
            if let Some(before) = before {
                problem.add_dependence(before, op, 0);
                problem.add_buffer(Buffer::new(format!("buffer{chain}_{step}"), vec![before], vec![op]));
            }
            before = Some(op);
        }
    }
    problem
}

#[test]
fn a_thousand_operations() {
    let problem = chains(250);
    for scheduler in Scheduler::ALL {
        let outcome = solve(&problem, scheduler, &Options::default()).unwrap();
        verify_plan(&problem, &outcome.plan).unwrap();
        if scheduler >= Scheduler::Greedy {
            assert!(
                outcome.plan.ii * 100 <= outcome.bounds.interval() * 110,
                "{}",
                outcome.plan.ii
            );
        }
    }
}

/// One chain, with a recurrence around each ten of its operations.
fn chain_with_recurrences(count: u32) -> Problem {
    let mut problem = Problem::cyclic("chain");
    let engines: Vec<ResourceId> = ["dma", "tensor", "vector"].map(|e| problem.add_resource(e, 1)).to_vec();
    for index in 0..count {
        let cycles = 1 + u64::from(index * 37 % 50);
        let engine = engines[(index * 7 % 11) as usize % 3];
        let op = problem.add_operation(format!("op{index}"), cycles, vec![Use::whole(engine, cycles)]);
        if index > 0 {
            problem.add_dependence(OpId(index - 1), op, 0);
        }
        if index % 10 == 9 {
            problem.add_dependence(op, OpId(index - 9), 1);
        }
    }
    problem
}

/// The share of `exact` would take minutes here; without it, `auto` ends with what `modulo` has.
#[test]
fn auto_is_modulo_where_a_proof_is_out_of_reach() {
    let instance = Instance::new(chain_with_recurrences(1_000));
    let found = |scheduler| timed_solution(&instance, scheduler, &Options::default()).unwrap();
    assert_eq!(found(Scheduler::Auto), found(Scheduler::Modulo));
}
