//! Large problems end in seconds.

use zpu_sched::{Buffer, OpId, Options, Problem, ResourceId, Scheduler, Use, solve, verify_plan};

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
