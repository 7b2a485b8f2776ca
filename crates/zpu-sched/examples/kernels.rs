//! Prints, for each reference kernel on the two planning machines, what every scheduler reaches, and the reference
//! figures beside it. `cargo run -p zpu-sched --example kernels [ISSUE]`, ISSUE being the cycles to issue a command.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Machine, kernels};
use zpu_sched::{Scheduler, sequential, solve};

fn main() {
    let issue = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1);
    for machine in [Machine::OneDma, Machine::TwoDma] {
        println!("{machine:?}, issue {issue}: ours / reference, then II of each scheduler, bound, proven minimum");
        for kernel in kernels(machine, issue) {
            let reference = kernel.reference;
            let mut cycles = vec![];
            let mut intervals = vec![];
            let mut bound = 0;
            let mut shape = String::new();
            for scheduler in Scheduler::ALL {
                let begin = std::time::Instant::now();
                let outcome = solve(&kernel.problem, scheduler, &kernel.options).expect("kernels are well formed");
                cycles.push(outcome.cycles.unwrap_or(0));
                intervals.push(format!("{:.1}", outcome.rate.cycles_per_iteration()));
                bound = outcome.bounds.interval();
                shape = format!(
                    "{} stages {:?} {:.0?}",
                    outcome.plan.stages(),
                    outcome.plan.versions,
                    begin.elapsed()
                );
            }
            println!(
                "{:24} sequential {}/{} serial {} list {}/{} greedy {}/{} modulo {}/{} | II {} bound {} proven {} | {}",
                kernel.name,
                sequential(&kernel.problem, kernel.trip, kernel.options.stream),
                reference.serial,
                cycles[0],
                cycles[1],
                reference.default,
                cycles[2],
                reference.greedy,
                cycles[3],
                reference.found,
                intervals.join(" "),
                bound,
                reference.interval,
                shape,
            );
        }
    }
}
