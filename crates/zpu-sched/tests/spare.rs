//! Versions where memory is short: buffers that are read together get them together.

#[path = "common/loops.rs"]
#[allow(unreachable_pub)]
mod loops;

use loops::{Numbers, random_loop};
use zpu_sched::{Options, Problem, Scheduler, StreamCosts, check, solve, verify_plan};

/// A random loop in which every second buffer has a twin with the same writer and reader, and one space has room for
/// not more than two versions of each.
fn crowded_loop(seed: u64) -> Problem {
    let mut problem = random_loop(seed, 6 + seed % 14);
    let mut numbers = Numbers::new(seed + 77);
    let space = problem.add_space("sram", 0);
    for buffer in &mut problem.buffers {
        buffer.space = Some(space);
        buffer.bytes = 1 + numbers.below(4);
        buffer.max_versions = Some(4);
    }
    for mut twin in problem.buffers.clone().into_iter().step_by(2) {
        twin.name += "x";
        twin.bytes = 1 + numbers.below(4);
        problem.add_buffer(twin);
    }
    let all: u64 = problem.buffers.iter().map(|buffer| buffer.bytes).sum();
    problem.spaces[0].bytes = all + numbers.below(all + 2);
    problem
}

fn interval(problem: &Problem, scheduler: Scheduler) -> u64 {
    let options = Options {
        num_stages: 3,
        stream: StreamCosts {
            wait: 1,
            back_edge: 1,
            trust_queues: false,
        },
        ..Options::default()
    };
    let found = solve(problem, scheduler, &options).unwrap();
    verify_plan(problem, &found.plan).unwrap();
    found.plan.ii
}

/// The intervals in brackets are those of plans in which one buffer after the other takes all that it wants.
#[test]
fn twins_get_versions_together() {
    for (seed, together, one_by_one) in [(505, 20, 32), (253, 52, 65), (171, 50, 62), (17, 57, 65)] {
        let problem = crowded_loop(seed);
        let found = interval(&problem, Scheduler::Modulo);
        assert!(found <= together && together < one_by_one, "seed {seed}: {found}");
    }
}

#[test]
fn stronger_schedulers_are_never_slower_where_memory_is_short() {
    for seed in (0..120).filter(|&seed| check(&crowded_loop(seed)).is_ok()) {
        let problem = crowded_loop(seed);
        let schedulers = [Scheduler::Serial, Scheduler::Greedy, Scheduler::Modulo, Scheduler::Auto];
        let intervals = schedulers.map(|scheduler| interval(&problem, scheduler));
        assert!(intervals.is_sorted_by(|a, b| a >= b), "seed {seed}: {intervals:?}");
    }
}
