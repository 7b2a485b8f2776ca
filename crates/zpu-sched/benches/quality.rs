//! Distance of each scheduler from the minimum on random loops.
//!
//! `cargo bench -p zpu-sched --bench quality [-- COUNT [SECONDS] [--verbose]]`. Seconds are those of the processor.
//! `exact` may go on for longer than it is measured by, so that the others are compared with the best there is.

#[path = "../tests/common/loops.rs"]
#[allow(unreachable_pub, missing_docs)]
mod loops;

#[allow(unreachable_pub, missing_docs)]
mod common;

use std::time::Duration;

use common::Clock;
use loops::{Numbers, random_loop};
use zpu_sched::{Goal, Instance, Options, Scheduler, check, timed_solution};

/// Times the seconds, by the clock on the wall, that `exact` gets.
const PATIENCE: f64 = 8.0;

fn main() {
    let numbers: Vec<f64> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let count = numbers.first().map_or(500, |&count| count as u64);
    let seconds = numbers.get(1).copied().unwrap_or(2.0);
    let verbose = std::env::args().any(|arg| arg == "--verbose");
    let mut rows = Scheduler::ALL.map(|scheduler| Row {
        scheduler,
        ratios: vec![],
        time: vec![],
    });
    let (mut proven, mut proven_late, mut not_monotone, mut instances) = (0, 0, 0, 0);
    for seed in 0.. {
        if instances == count {
            break;
        }
        let problem = random_loop(seed, 10 + Numbers::new(seed).below(51));
        if check(&problem).is_err() {
            continue;
        }
        instances += 1;
        let options = Options {
            time_limit: Some(Duration::from_secs_f64(seconds * PATIENCE)),
            effort: u64::MAX,
            ..Options::default()
        };
        let default = Options::default();
        // Only the interval is compared, so none looks for short schedules.
        let instance = Instance {
            objective: vec![Goal::Interval],
            ..Instance::new(problem.clone())
        };
        let mut intervals = vec![];
        for row in &mut rows {
            let clock = Clock::start();
            let exact = row.scheduler == Scheduler::Exact;
            let outcome = timed_solution(&instance, row.scheduler, if exact { &options } else { &default });
            let spent = clock.seconds();
            row.time.push(spent);
            let outcome = outcome.expect("every loop has a schedule");
            let in_time = outcome.proven && spent <= seconds;
            proven += u64::from(exact && in_time);
            proven_late += u64::from(exact && outcome.proven && !in_time);
            if exact && !in_time && verbose {
                println!(
                    "not proven in time: seed {seed}, {} ops, {spent:.1} s, {} >= {}",
                    problem.operations.len(),
                    outcome.schedule.ii,
                    outcome.lower_bound
                );
            }
            intervals.push(outcome.schedule.ii as f64);
        }
        let best = intervals.iter().copied().fold(f64::INFINITY, f64::min);
        for (row, ii) in rows.iter_mut().zip(&intervals) {
            row.ratios.push(ii / best);
            if row.scheduler == Scheduler::Modulo && *ii > best && verbose {
                println!("modulo: seed {seed}, {} ops, {ii} > {best}", problem.operations.len());
            }
            if row.scheduler == Scheduler::Greedy && *ii > 1.2 * best && verbose {
                println!(
                    "greedy: seed {seed}, {} ops, {ii} > 1.2 * {best}",
                    problem.operations.len()
                );
            }
        }
        let mut before = u64::MAX;
        for iterations in 1..=6 {
            let options = Options {
                iterations: Some(iterations),
                ..Options::default()
            };
            let ii = timed_solution(&instance, Scheduler::Greedy, &options)
                .expect("every loop has a schedule")
                .schedule
                .ii;
            not_monotone += u64::from(ii > before);
            before = ii;
        }
    }
    println!(
        "{instances} random loops of 10 to 60 operations; `exact` proved {proven} within {seconds} s each, \
         {proven_late} later"
    );
    println!("`greedy` was worse with more iterations in flight {not_monotone} times\n");
    println!("| scheduler | at the best interval | geometric mean | worst | median ms | worst ms |");
    println!("|---|---|---|---|---|---|");
    for row in &mut rows {
        row.print();
    }
}

struct Row {
    scheduler: Scheduler,
    /// Interval over the best known.
    ratios: Vec<f64>,
    /// Seconds.
    time: Vec<f64>,
}

impl Row {
    fn print(&mut self) {
        let count = self.ratios.len() as f64;
        let best = self.ratios.iter().filter(|&&ratio| ratio <= 1.0).count() as f64;
        let mean = (self.ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / count).exp();
        let worst = self.ratios.iter().copied().fold(0.0, f64::max);
        self.time.sort_by(f64::total_cmp);
        println!(
            "| {} | {:.1} % | {mean:.4} | {worst:.3} | {:.2} | {:.0} |",
            self.scheduler.name(),
            100.0 * best / count,
            1000.0 * self.time[self.time.len() / 2],
            1000.0 * self.time.last().copied().unwrap_or(0.0)
        );
    }
}
