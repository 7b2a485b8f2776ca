//! A loop of more operations than the searches take on, generated: no scheduler is worse than a simpler one there
//! either.

use zpu_sched::{
    Alternative, Buffer, Dependence, OpId, Options, Outcome, Problem, ResourceId, Scheduler, StreamCosts, Use, solve,
};

/// A chain of links; each has a load, an addition to the result of the link before, and a store, on four engines for
/// transfers and one for computation.
fn chain(links: u32) -> (Problem, Options) {
    let mut problem = Problem::cyclic("chain");
    let mut engine = |name: &str, queue: u32| {
        let engine = problem.add_resource(name, 1);
        problem.resources[engine.index()].queue = Some(queue);
        engine
    };
    let transfers = ["dma0", "dma1", "dma2", "dma3"].map(|name| engine(name, 8));
    let adder = engine("adder", 1);
    let control = problem.add_resource("control", 1);
    let port = problem.add_resource("port", 6144);
    problem.resources[port.index()].shared = true;
    let held = |resource: ResourceId, offset: u64, cycles: u64, amount: u32| Use {
        resource,
        amount,
        cycles,
        offset,
    };
    let on = |engine: ResourceId| Alternative {
        latency: 226,
        uses: vec![
            held(engine, 208, 18, 1),
            held(control, 0, 8, 1),
            held(port, 225, 1, 2048),
        ],
    };
    let mut loads = Vec::new();
    for link in 0..links {
        let load = problem.add_choice(format!("load {link}"), transfers.map(on).to_vec());
        let add = problem.add_operation(
            format!("add {link}"),
            19,
            vec![held(adder, 8, 11, 1), held(control, 0, 0, 1)],
        );
        let store = problem.add_choice(format!("store {link}"), transfers.map(on).to_vec());
        problem.add_dependence(load, add, 0);
        problem.add_dependence(add, store, 0);
        let next = (link + 1 < links).then_some(OpId(add.0 + 3));
        problem.dependences.extend(next.map(|next| Dependence {
            from: add,
            to: next,
            latency: Some(11),
            distance: 0,
        }));
        for (writer, readers) in [(load, vec![add]), (add, [store].into_iter().chain(next).collect())] {
            problem.add_buffer(Buffer {
                name: format!("of {}", writer.0),
                writers: vec![writer],
                readers,
                bytes: 64,
                space: None,
                max_versions: Some(3),
            });
        }
        loads.push(load);
    }
    let stream = StreamCosts {
        wait: 4,
        back_edge: 2,
        trust_queues: true,
    };
    let options = Options {
        num_stages: 3,
        trip: Some(64),
        loads,
        stream,
        ..Options::default()
    };
    (problem, options)
}

/// `exact` looks for the rate and the others for the run, of which 64 iterations are known; it came out above `greedy`
/// for that.
#[test]
fn exact_is_never_worse_than_a_simpler_scheduler() {
    let (problem, options) = chain(310);
    let [serial, list, greedy, exact]: [Outcome; 4] =
        [Scheduler::Serial, Scheduler::List, Scheduler::Greedy, Scheduler::Exact]
            .map(|scheduler| solve(&problem, scheduler, &options).unwrap());
    assert!(greedy.cycles <= list.cycles && greedy.cycles <= serial.cycles);
    for other in [serial, list, greedy] {
        let (rate, least) = (other.rate.cycles_per_iteration(), exact.rate.cycles_per_iteration());
        assert!(least <= rate, "{least} {rate}");
    }
}
