//! Rules of the reference machine that the estimate of a plan follows, each on the smallest loop that shows it.

use zpu_sched::{OpId, Options, Plan, Problem, ResourceId, Scheduler, StreamCosts, Use, estimate, solve, steady_rate};

/// A command that costs one cycle to issue and then takes an engine.
fn command(problem: &mut Problem, name: &str, engine: ResourceId, cycles: u64) -> OpId {
    let control = problem.control().expect("a control stream");
    let on_engine = Use {
        resource: engine,
        amount: 1,
        cycles,
        offset: 1,
    };
    problem.add_operation(name, cycles + 1, vec![on_engine, Use::whole(control, 1)])
}

/// The operations in source order, in one stage.
fn in_order(problem: &Problem) -> Plan {
    let count = problem.operations.len() as u32;
    Plan {
        ii: 1,
        stage: vec![0; count as usize],
        order: (0..count).collect(),
        cycle: vec![0; count as usize],
        versions: vec![],
        chosen: vec![0; count as usize],
    }
}

fn cycles(problem: &Problem, stream: StreamCosts) -> u64 {
    estimate(problem, &in_order(problem), 1, stream).expect("a legal plan")
}

fn machine() -> (Problem, ResourceId, ResourceId) {
    let mut problem = Problem::cyclic("machine");
    let (first, second) = (problem.add_resource("@e", 1), problem.add_resource("@f", 1));
    problem.add_resource("control", 1);
    (problem, first, second)
}

/// The second command finds the queue full until the first is complete, in cycle 11, and the third is issued only then.
#[test]
fn a_full_queue_holds_the_stream() {
    let (mut problem, e, f) = machine();
    command(&mut problem, "first", e, 10);
    command(&mut problem, "second", e, 10);
    command(&mut problem, "third", f, 10);
    assert_eq!(cycles(&problem, StreamCosts::default()), 21);
    problem.resources[e.index()].queue = Some(1);
    assert_eq!(cycles(&problem, StreamCosts::default()), 22);
}

/// A command of no cycles is complete when all before it in its engine's queue are, and does not hold the stream.
#[test]
fn a_command_of_no_cycles_has_its_place_in_the_queue() {
    let (mut problem, e, f) = machine();
    command(&mut problem, "long", e, 10);
    let nothing = command(&mut problem, "nothing", e, 0);
    assert_eq!(cycles(&problem, StreamCosts::default()), 11);
    let reader = command(&mut problem, "reader", f, 10);
    problem.add_dependence(nothing, reader, 0);
    assert_eq!(cycles(&problem, StreamCosts::default()), 22);
}

/// Waits before one command are in the order of the engines' names; a wait for a complete command costs its own cycles.
#[test]
fn waits_are_paid_one_after_the_other() {
    let (mut problem, e, f) = machine();
    let long = command(&mut problem, "long", e, 20);
    let short = command(&mut problem, "short", f, 5);
    let g = problem.add_resource("@g", 1);
    let reader = command(&mut problem, "reader", g, 10);
    problem.add_dependence(long, reader, 0);
    problem.add_dependence(short, reader, 0);
    let waits = |wait| StreamCosts {
        wait,
        ..StreamCosts::default()
    };
    // The long one is complete in cycle 21; then the reader's issue and its ten cycles.
    assert_eq!(cycles(&problem, waits(0)), 32);
    assert_eq!(cycles(&problem, waits(3)), 35);
}

/// A transfer that wants all of a link for its last `shared` cycles.
fn transfer(problem: &mut Problem, name: &str, engine: ResourceId, link: ResourceId, alone: u64, shared: u64) -> OpId {
    let op = command(problem, name, engine, alone + shared);
    problem.operations[op.index()].alternatives[0].uses.push(Use {
        resource: link,
        amount: 8,
        cycles: shared,
        offset: 1 + alone,
    });
    op
}

/// Two engines on one link: the first transfer has it for one cycle, then both have half of it for 18 cycles, and the
/// second one has the rest of it alone.
#[test]
fn transfers_on_one_link_make_each_other_slower() {
    let (mut problem, e, f) = machine();
    let link = problem.add_resource("link", 8);
    transfer(&mut problem, "first", e, link, 0, 10);
    let second = transfer(&mut problem, "second", f, link, 0, 10);
    // By its work alone, the link needs 20 cycles.
    assert_eq!(cycles(&problem, StreamCosts::default()), 20);
    problem.resources[link.index()].shared = true;
    assert_eq!(cycles(&problem, StreamCosts::default()), 21);
    let g = problem.add_resource("@g", 1);
    let reader = command(&mut problem, "reader", g, 5);
    problem.add_dependence(second, reader, 0);
    assert_eq!(cycles(&problem, StreamCosts::default()), 27);
    // A full queue lets the next one in when the stretched one is complete, in cycle 20.
    problem.resources[e.index()].queue = Some(1);
    let third = command(&mut problem, "third", e, 1);
    problem.add_dependence(third, reader, 0);
    let mut plan = in_order(&problem);
    plan.order = vec![0, 1, 3, 2];
    assert_eq!(estimate(&problem, &plan, 1, StreamCosts::default()), Ok(27));
    // Before the second one, it lets that one wait for the first one's end, in cycle 11.
    plan.order = vec![0, 2, 3, 1];
    assert_eq!(estimate(&problem, &plan, 1, StreamCosts::default()), Ok(28));
}

/// While one engine does what needs no link, the other one has it; the steady state repeats every 30 cycles, in which
/// the link works for 20.
#[test]
fn the_rate_counts_with_sharing() {
    let (mut problem, e, f) = machine();
    let link = problem.add_resource("link", 8);
    problem.resources[link.index()].shared = true;
    let load = transfer(&mut problem, "load", e, link, 4, 10);
    let store = transfer(&mut problem, "store", f, link, 4, 10);
    problem.add_dependence(load, store, 0);
    problem.add_dependence(store, load, 1);
    let rate = steady_rate(&problem, &in_order(&problem), StreamCosts::default()).expect("a legal plan");
    assert!(rate.exact);
    assert_eq!(rate.cycles_per_iteration(), 30.0);
    // Without the dependence from one iteration to the next, a load begins one cycle after the store before it; the
    // store has the link for one cycle, both have half of it for 18, and the load is alone for its last one.
    problem.dependences.pop();
    let rate = steady_rate(&problem, &in_order(&problem), StreamCosts::default()).expect("a legal plan");
    assert_eq!(rate.cycles_per_iteration(), 25.0);
}

/// A load that two commands of another engine wait for, in the next iteration, each for 100 cycles if the stream does
/// not know better: the first wait is enough for both, unless it may not take place where the other one does. No plan
/// has fewer waits.
#[test]
fn a_wait_under_a_condition_covers_no_other() {
    let interval = |conditions: [Option<u32>; 2]| {
        let (mut problem, e, f) = machine();
        let load = command(&mut problem, "load", e, 10);
        for (name, condition) in ["one", "other"].into_iter().zip(conditions) {
            let reader = command(&mut problem, name, f, 10);
            problem.add_dependence(load, reader, 1);
            problem.operations[reader.index()].condition = condition;
        }
        let stream = StreamCosts {
            wait: 100,
            trust_queues: true,
            ..StreamCosts::default()
        };
        let options = Options {
            stream,
            ..Options::default()
        };
        let solved = solve(&problem, Scheduler::Modulo, &options).expect("a plan");
        assert_eq!(steady_rate(&problem, &solved.plan, stream), Ok(solved.rate));
        (solved.rate.interval(), solved.proven)
    };
    assert_eq!(interval([None, None]), (103, true));
    assert_eq!(interval([Some(0), Some(1)]), (203, true));
    assert_eq!(interval([Some(0), Some(0)]), (103, true));
    // One that certainly waits may stand first.
    assert_eq!(interval([Some(0), None]).0, 103);
}

/// Over 300 iterations, the stream issues without a wait and then waits for long: no state repeats within the patience
/// of the machine, so the rate is an average, of which nothing is proven.
#[test]
fn an_average_proves_nothing() {
    let mut problem = Problem::cyclic("bursts");
    let op = problem.add_operation("op", 30_000, vec![]);
    problem.add_dependence(op, op, 300);
    for scheduler in Scheduler::ALL {
        let outcome = solve(&problem, scheduler, &Options::default()).unwrap();
        assert!(!outcome.rate.exact && !outcome.proven, "{outcome:?}");
        assert!(outcome.plan.ii >= outcome.bound);
    }
}
