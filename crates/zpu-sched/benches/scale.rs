//! Time and memory for large problems. `cargo bench -p zpu-sched --bench scale [-- loop|line]`.
//!
//! Loops are random ones of 1,000 and 10,000 operations, once as schedules in time and once as plans for a control
//! stream; the straight line has 100,000 commands in chains of load, compute, store. Seconds are those of the
//! processor.

#[path = "../tests/common/loops.rs"]
#[allow(unreachable_pub, missing_docs)]
mod loops;

#[allow(unreachable_pub, missing_docs)]
mod common;

use common::Clock;
use loops::{Numbers, random_loop};
use zpu_sched::{
    Instance, OpId, Options, Problem, ResourceId, Scheduler, Use, check, lower_bound, solve, timed_solution,
};

fn main() {
    println!("| problem | scheduler | seconds | over the bound | peak MiB so far |");
    println!("|---|---|---|---|---|");
    let only = std::env::args().find(|arg| arg == "loop" || arg == "line");
    let wanted = |what: &str| only.as_ref().is_none_or(|only| only == what);
    for operations in [1_000, 10_000].into_iter().filter(|_| wanted("loop")) {
        let problem = checked_loop(operations);
        for scheduler in [Scheduler::List, Scheduler::Greedy, Scheduler::Modulo, Scheduler::Auto] {
            time(&format!("loop of {operations}, times"), &problem, scheduler);
            time_plan(&format!("loop of {operations}, plan"), &problem, scheduler);
        }
    }
    for commands in [10_000, 100_000].into_iter().filter(|_| wanted("line")) {
        let problem = line(commands);
        for scheduler in [Scheduler::List, Scheduler::Greedy] {
            time(&format!("line of {commands}, times"), &problem, scheduler);
            time_plan(&format!("line of {commands}, plan"), &problem, scheduler);
        }
    }
}

fn checked_loop(operations: u64) -> Problem {
    let mut loops = (0..).map(|seed| random_loop(seed, operations));
    loops
        .find(|problem| check(problem).is_ok())
        .expect("most seeds give a loop")
}

/// Chains of load, compute and store that share four buffers, so that each waits for the fourth before it.
fn line(commands: u32) -> Problem {
    let mut numbers = Numbers::new(1);
    let mut problem = Problem::acyclic("line");
    let engines: Vec<ResourceId> = ["load", "compute", "store"]
        .map(|name| problem.add_resource(name, 1))
        .to_vec();
    for index in 0..commands {
        let cycles = 20 + numbers.below(200);
        let engine = engines[index as usize % 3];
        let op = problem.add_operation(format!("command{index}"), cycles, vec![Use::whole(engine, cycles)]);
        if index % 3 > 0 {
            problem.add_dependence(OpId(index - 1), op, 0);
        } else if index >= 12 {
            problem.add_dependence(OpId(index - 10), op, 0);
        }
    }
    problem
}

fn time(what: &str, problem: &Problem, scheduler: Scheduler) {
    let instance = Instance::new(problem.clone());
    let clock = Clock::start();
    let found = timed_solution(&instance, scheduler, &Options::default()).expect("there is a schedule");
    let seconds = clock.seconds();
    print(
        what,
        scheduler,
        seconds,
        found.measure.interval as f64 / found.lower_bound as f64,
    );
}

fn time_plan(what: &str, problem: &Problem, scheduler: Scheduler) {
    let clock = Clock::start();
    let found = solve(problem, scheduler, &Options::default()).expect("there is a plan");
    let seconds = clock.seconds();
    let bounds = lower_bound(problem);
    let bound = if found.cycles.is_some() {
        bounds.makespan()
    } else {
        found.bound
    };
    print(what, scheduler, seconds, found.plan.ii as f64 / bound as f64);
}

fn print(what: &str, scheduler: Scheduler, seconds: f64, ratio: f64) {
    println!(
        "| {what} | {} | {seconds:.2} | {ratio:.3} | {} |",
        scheduler.name(),
        peak()
    );
}

/// Peak memory of the process, where the system says it.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.map_or("?".into(), |kib| (kib / 1024).to_string())
}
