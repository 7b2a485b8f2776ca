//! The best schedule of a whole run that several list schedules, and for few operations the solver of acyclic
//! instances, find.
//!
//! Invariant: what is returned was accepted by [`verify_run`], which also counted its cycles.

use std::fmt;

use super::list::{Choice, Rule, Setting, schedule};
use super::machine::{Flows, uses};
use super::{RunBound, RunCheck, RunProblem, RunSchedule, RunViolation, RunWay, run_bound, verify_run};
use crate::{Alternative, CONTROL, OpId, Options, Problem, Scheduler, StreamCosts, Use, solve};

/// Operations up to which more than list schedules is tried.
pub const MOST_FOR_SEARCH: usize = 400;

/// Operations that a list schedule looks ahead.
const WINDOWS: [usize; 7] = [1, 8, 16, 32, 64, 256, 1024];
/// Steps of all list schedules together, in operations that are looked at; beyond, wide windows are left out.
const MOST_STEPS: usize = 1 << 23;
/// List schedules with changed preferences.
const CHANGES: u64 = 600;

/// The best schedule that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSolution {
    /// The schedule.
    pub schedule: RunSchedule,
    /// Its cycles, waits and bytes.
    pub check: RunCheck,
    /// No schedule takes less.
    pub bound: RunBound,
    /// What found it.
    pub method: String,
}

/// A way to make list schedules.
#[derive(Clone, Copy)]
struct Manner {
    rule: Rule,
    window: usize,
    spares_blocking: bool,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            rule: Rule::FirstReady,
            window: 1,
            spares_blocking: false,
        }
    }
}

impl Manner {
    fn of<'o>(self, order: &'o [u32], delays: Option<&'o [u64]>) -> Choice<'o> {
        let Self {
            rule,
            window,
            spares_blocking,
        } = self;
        Choice {
            rule,
            window,
            order,
            delays,
            spares_blocking,
        }
    }
}

impl fmt::Display for Manner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {}", self.rule, self.window)?;
        match self.spares_blocking {
            true => write!(f, " off blocking engines"),
            false => Ok(()),
        }
    }
}

/// The manners that differ in engines: one more where an engine that holds the stream can do what another one can.
fn manners(problem: &RunProblem) -> impl Iterator<Item = Manner> {
    let holds = |way: &RunWay| problem.engines[way.engine].blocking;
    let may_spare = |ways: &Vec<RunWay>| ways.iter().any(holds) && !ways.iter().all(holds);
    let may_spare = problem.works.iter().any(may_spare);
    let manners = [false, true].map(|spares_blocking| Manner {
        spares_blocking,
        ..Manner::default()
    });
    manners.into_iter().take(1 + usize::from(may_spare))
}

/// The search so far.
struct Best {
    schedule: RunSchedule,
    cycles: u64,
    method: String,
}

impl Best {
    fn offer(&mut self, found: Option<(RunSchedule, u64)>, method: impl FnOnce() -> String) -> bool {
        match found {
            Some((schedule, cycles)) if cycles < self.cycles => {
                (self.schedule, self.cycles, self.method) = (schedule, cycles, method());
                true
            }
            _ => false,
        }
    }
}

/// Schedules a problem that [`RunProblem::check`] accepts. With `search`, and for up to [`MOST_FOR_SEARCH`] operations,
/// also by the solver of acyclic instances and by list schedules with changed preferences.
///
/// # Errors
///
/// What the verifier says of the best schedule, which would be an error in the scheduler.
pub fn solve_run(problem: &RunProblem, search: bool) -> Result<RunSolution, RunViolation> {
    let (flows, uses) = (Flows::new(problem), uses(problem));
    let tails = super::bound::tails(problem);
    let setting = Setting {
        problem,
        flows: &flows,
        uses: &uses,
        tails: &tails,
    };
    let order: Vec<u32> = (0..problem.operations.len() as u32).collect();
    let bound = run_bound(problem);
    let mut best = Best {
        schedule: RunSchedule::default(),
        cycles: u64::MAX,
        method: String::new(),
    };
    let mut choice = Manner::default();
    for manner in manners(problem) {
        for rule in Rule::ALL {
            for window in WINDOWS {
                if window > WINDOWS[1] && order.len().saturating_mul(window) > MOST_STEPS {
                    continue;
                }
                let manner = Manner { rule, window, ..manner };
                let found = schedule(&setting, manner.of(&order, None));
                if best.offer(found, || format!("list, {manner}")) {
                    choice = manner;
                }
            }
        }
    }
    if search && order.len() <= MOST_FOR_SEARCH {
        solved_orders(&setting, &mut best);
        changed(&setting, choice, &order, bound.cycles, &mut best);
    }
    let Best { schedule, method, .. } = best;
    let check = verify_run(problem, &schedule)?;
    Ok(RunSolution {
        schedule,
        check,
        bound,
        method,
    })
}

/// List schedules in the order that the solver of acyclic instances finds.
fn solved_orders(setting: &Setting<'_>, best: &mut Best) {
    let problem = acyclic(setting.problem);
    let options = Options {
        stream: StreamCosts {
            wait: setting.problem.control.wait,
            trust_queues: true,
            ..StreamCosts::default()
        },
        ..Options::default()
    };
    let Ok(outcome) = solve(&problem, Scheduler::Auto, &options) else {
        return;
    };
    let mut order: Vec<u32> = (0..setting.problem.operations.len() as u32).collect();
    order.sort_by_key(|operation| (outcome.plan.order[*operation as usize], *operation));
    for rule in Rule::ALL {
        for window in [1, 4, 16] {
            for manner in manners(setting.problem) {
                let manner = Manner { rule, window, ..manner };
                let found = schedule(setting, manner.of(&order, None));
                best.offer(found, || format!("auto, then list, {manner}"));
            }
        }
    }
}

/// The problem of schema 1 with the same operations: engines and the stream as resources, memory and links left out.
fn acyclic(run: &RunProblem) -> Problem {
    let mut problem = Problem::acyclic(run.name.clone());
    let control = problem.add_resource(CONTROL, 1);
    let engines: Vec<_> = run
        .engines
        .iter()
        .enumerate()
        .map(|(i, engine)| {
            let resource = problem.add_resource(format!("{i} {}", engine.name), 1);
            problem.resources[resource.index()].queue = u32::try_from(engine.queue).ok();
            resource
        })
        .collect();
    let issue = run.control.issue;
    for (i, operation) in run.operations.iter().enumerate() {
        let ways = run.works[operation.work].iter().map(|way| {
            let latency = issue + way.start_latency + way.occupancy();
            let held = if run.engines[way.engine].blocking {
                latency
            } else {
                issue
            };
            let of_engine = Use {
                resource: engines[way.engine],
                amount: 1,
                cycles: way.occupancy(),
                offset: issue + way.start_latency,
            };
            Alternative {
                latency,
                uses: vec![Use::whole(control, held), of_engine],
            }
        });
        let ways = ways.collect();
        problem.add_choice(format!("{i}"), ways);
        for before in &operation.after {
            problem.add_dependence(OpId(*before), OpId(i as u32), 0);
        }
    }
    problem
}

/// List schedules in which some operations are put off, from the best one on.
fn changed(setting: &Setting<'_>, manner: Manner, order: &[u32], bound: u64, best: &mut Best) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut delays = vec![0u64; order.len()];
    for step in 0..CHANGES {
        if best.cycles <= bound {
            return;
        }
        let mut tried = delays.clone();
        // Few operations by much, or many by little.
        let largest = best.cycles >> (2 + step % 6);
        let changes = 1 + random.below(order.len() as u64 / 8 + 1);
        for _ in 0..changes {
            let at = random.below(order.len() as u64) as usize;
            tried[at] = random.below(largest + 1);
        }
        let found = schedule(setting, manner.of(order, Some(&tried)));
        if best.offer(found, || format!("list, {manner}, changed {step} times")) {
            delays = tried;
        }
    }
}

/// Numbers of a fixed sequence (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}
