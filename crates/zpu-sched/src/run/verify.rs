//! The judge of schedules of whole runs.
//!
//! A schedule is right if
//!
//! - each operation is issued once, on one of its alternatives;
//! - each operation p that i comes after is issued before i, and either on the same engine, or known to be complete
//!   when i is issued. The stream knows an operation to be complete after a wait for it or for a later one of its
//!   engine, after a barrier, and if its engine blocks;
//! - at each issue, the storages that some operation was issued for, and of which not all operations are known to be
//!   complete, take no more than each space has;
//! - at the end all operations are known to be complete.
//!
//! Its cycles are counted by formulas where no transfer shares a link, and by the events of `zpu_timing` otherwise.
//!
//! Invariant: nothing here is used by the scheduler.

use std::rc::Rc;

use zpu_timing::{Command, Engines, Flow, Links};

use super::problem::{RunProblem, RunWay};
use super::{Action, RunSchedule};

/// What a right schedule takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunCheck {
    /// Cycles until the stream knows that everything is complete.
    pub cycles: u64,
    /// Waits and barriers.
    pub waits: u64,
    /// By space: the most bytes that are live at once, with those that always are.
    pub peak: Vec<u64>,
    /// By engine: operations.
    pub operations: Vec<u64>,
}

/// The reason why a schedule is wrong. Operations are named by their places.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunViolation {
    /// There is no such operation or alternative.
    #[error("action {action} names operation {operation} and alternative {way}, which there is not")]
    Unknown {
        /// The place of the action.
        action: usize,
        /// The operation.
        operation: u32,
        /// The alternative.
        way: u32,
    },
    /// An operation is issued again.
    #[error("operation {0} is issued twice")]
    Twice(u32),
    /// An operation is not issued.
    #[error("operation {0} is never issued")]
    Missing(u32),
    /// A wait for an operation that was not issued.
    #[error("the stream waits for operation {0} before it issues it")]
    WaitBeforeIssue(u32),
    /// An operation that is not known to be complete.
    #[error("operation {operation} is issued before operation {after} is known to be complete")]
    Unordered {
        /// The later one.
        operation: u32,
        /// The one that it comes after.
        after: u32,
    },
    /// Too many bytes.
    #[error("{live} bytes of {space} are live when operation {operation} is issued, it has {bytes}")]
    Memory {
        /// The operation.
        operation: u32,
        /// Live bytes.
        live: u64,
        /// The space.
        space: String,
        /// Its size.
        bytes: u64,
    },
    /// An operation may go on after the end.
    #[error("operation {0} is not known to be complete at the end")]
    Open(u32),
}

/// Checks a schedule of a problem that [`RunProblem::check`] accepts, and counts its cycles.
///
/// # Errors
///
/// The first rule that it breaks.
pub fn verify_run(problem: &RunProblem, schedule: &RunSchedule) -> Result<RunCheck, RunViolation> {
    let mut check = legality(problem, schedule)?;
    let shares = problem.works.iter().flatten().any(RunWay::is_shared);
    check.cycles = match shares {
        true => by_events(problem, schedule),
        false => by_formulas(problem, schedule),
    };
    Ok(check)
}

/// What the stream has issued, and knows.
struct Known {
    /// By operation: its engine, and its place there, from 0.
    place: Vec<Option<(usize, usize)>>,
    /// By engine: operations that were issued, and that are known to be complete.
    issued: Vec<usize>,
    complete: Vec<usize>,
}

impl Known {
    fn is_complete(&self, operation: u32) -> bool {
        self.place[operation as usize].is_some_and(|(engine, place)| place < self.complete[engine])
    }
}

fn legality(problem: &RunProblem, schedule: &RunSchedule) -> Result<RunCheck, RunViolation> {
    let engines = problem.engines.len();
    let mut known = Known {
        place: vec![None; problem.operations.len()],
        issued: vec![0; engines],
        complete: vec![0; engines],
    };
    let mut storages = Storages::new(problem);
    let mut check = RunCheck {
        operations: vec![0; engines],
        ..RunCheck::default()
    };
    for (at, action) in schedule.actions.iter().enumerate() {
        match *action {
            Action::Issue { operation, way } => {
                let unknown = RunViolation::Unknown {
                    action: at,
                    operation,
                    way,
                };
                let Some(facts) = problem.operations.get(operation as usize) else {
                    return Err(unknown);
                };
                let Some(way) = problem.works[facts.work].get(way as usize) else {
                    return Err(unknown);
                };
                if known.place[operation as usize].is_some() {
                    return Err(RunViolation::Twice(operation));
                }
                for &after in &facts.after {
                    let is_before = known.place[after as usize].is_some_and(|(engine, _)| engine == way.engine);
                    if !is_before && !known.is_complete(after) {
                        return Err(RunViolation::Unordered { operation, after });
                    }
                }
                storages.issue(problem, &known, operation)?;
                known.place[operation as usize] = Some((way.engine, known.issued[way.engine]));
                known.issued[way.engine] += 1;
                check.operations[way.engine] += 1;
                if problem.engines[way.engine].blocking {
                    known.complete[way.engine] = known.issued[way.engine];
                }
            }
            Action::Wait { operation } => {
                check.waits += 1;
                let place = known.place.get(operation as usize).copied().flatten();
                let (engine, place) = place.ok_or(RunViolation::WaitBeforeIssue(operation))?;
                known.complete[engine] = known.complete[engine].max(place + 1);
            }
            Action::Barrier => {
                check.waits += 1;
                known.complete.clone_from(&known.issued);
            }
        }
    }
    for operation in 0..problem.operations.len() as u32 {
        if known.place[operation as usize].is_none() {
            return Err(RunViolation::Missing(operation));
        }
        if !known.is_complete(operation) {
            return Err(RunViolation::Open(operation));
        }
    }
    check.peak = storages.peak;
    Ok(check)
}

/// Live storage.
struct Storages {
    /// Storages that some operation was issued for and that were not seen to be free since.
    live: Vec<usize>,
    /// By operation: its storages.
    of: Vec<Vec<usize>>,
    is_live: Vec<bool>,
    peak: Vec<u64>,
}

impl Storages {
    fn new(problem: &RunProblem) -> Self {
        let mut of = vec![Vec::new(); problem.operations.len()];
        for (i, storage) in problem.storages.iter().enumerate() {
            storage
                .operations
                .iter()
                .for_each(|operation| of[*operation as usize].push(i));
        }
        Self {
            live: Vec::new(),
            of,
            is_live: vec![false; problem.storages.len()],
            peak: problem.spaces.iter().map(|space| space.resident).collect(),
        }
    }

    fn issue(&mut self, problem: &RunProblem, known: &Known, operation: u32) -> Result<(), RunViolation> {
        let new: Vec<usize> = self.of[operation as usize].clone();
        if new.iter().all(|storage| self.is_live[*storage]) {
            return Ok(());
        }
        let is_live = &mut self.is_live;
        self.live.retain(|storage| {
            let operations = &problem.storages[*storage].operations;
            let is_done = operations.iter().all(|operation| known.is_complete(*operation));
            is_live[*storage] = !is_done;
            !is_done
        });
        for storage in new {
            if !std::mem::replace(&mut self.is_live[storage], true) {
                self.live.push(storage);
            }
        }
        for (space, facts) in problem.spaces.iter().enumerate() {
            let here = self.live.iter().map(|storage| &problem.storages[*storage]);
            let here = here
                .filter(|storage| storage.space == space)
                .map(|storage| storage.bytes);
            let live = facts.resident + here.sum::<u64>();
            self.peak[space] = self.peak[space].max(live);
            if live > facts.bytes {
                return Err(RunViolation::Memory {
                    operation,
                    live,
                    space: facts.name.clone(),
                    bytes: facts.bytes,
                });
            }
        }
        Ok(())
    }
}

/// Cycles where each engine goes its own way: the end of an operation is known when it is issued.
fn by_formulas(problem: &RunProblem, schedule: &RunSchedule) -> u64 {
    let costs = problem.control;
    let mut now = 0u64;
    let mut ends: Vec<Vec<u64>> = vec![Vec::new(); problem.engines.len()];
    let mut end_of = vec![0u64; problem.operations.len()];
    for action in &schedule.actions {
        match *action {
            Action::Issue { operation, way } => {
                let way = &problem.ways(operation as usize)[way as usize];
                let queue = &mut ends[way.engine];
                let engine = &problem.engines[way.engine];
                now += costs.issue;
                let depth = usize::try_from(engine.queue).unwrap_or(usize::MAX);
                if let Some(place) = queue.len().checked_sub(depth) {
                    now = now.max(queue[place]);
                }
                let free = queue.last().copied().unwrap_or(0);
                let end = free.max(now + way.start_latency) + way.alone + way.shared;
                queue.push(end);
                end_of[operation as usize] = end;
                if engine.blocking {
                    now = end;
                }
            }
            Action::Wait { operation } => now = (now + costs.wait).max(end_of[operation as usize]),
            Action::Barrier => {
                let last = ends.iter().filter_map(|ends| ends.last()).max().copied().unwrap_or(0);
                now = (now + costs.barrier).max(last);
            }
        }
    }
    now
}

/// Cycles where transfers may share links.
fn by_events(problem: &RunProblem, schedule: &RunSchedule) -> u64 {
    let costs = problem.control;
    let mut links = Links::new(problem.links.iter().map(|link| link.rate).collect());
    let mut flows = Vec::new();
    for ways in &problem.works {
        let flow = |way: &RunWay| {
            way.is_shared().then(|| {
                links.add(Flow {
                    demand: way.rate,
                    links: way.links.clone(),
                })
            })
        };
        flows.push(ways.iter().map(flow).collect::<Vec<_>>());
    }
    let mut engines: Engines<u32> = Engines::new(problem.engines.len(), Rc::new(links));
    let mut number = vec![(0usize, 0u64); problem.operations.len()];
    let mut now = 0u64;
    // Until a condition holds, the stream goes from event to event.
    let until = |engines: &mut Engines<u32>, now: u64, holds: &dyn Fn(&Engines<u32>) -> bool| {
        engines.advance(now, &mut Vec::new());
        let mut time = now;
        while !holds(engines) && engines.step(&mut Vec::new()) {
            time = time.max(engines.now());
        }
        time
    };
    for action in &schedule.actions {
        match *action {
            Action::Issue { operation, way: index } => {
                let facts = &problem.operations[operation as usize];
                let way = &problem.works[facts.work][index as usize];
                let engine = &problem.engines[way.engine];
                let depth = usize::try_from(engine.queue).unwrap_or(usize::MAX);
                now = until(&mut engines, now + costs.issue, &|engines| {
                    engines.has_room(way.engine, depth)
                });
                let command = Command {
                    tag: operation,
                    arrival: now,
                    latency: way.start_latency,
                    alone: way.alone,
                    shared: way.shared,
                    flow: flows[facts.work][index as usize],
                };
                number[operation as usize] = (way.engine, engines.push(way.engine, command));
                if engine.blocking {
                    now = until(&mut engines, now, &|engines| engines.pending(way.engine) == 0);
                }
            }
            Action::Wait { operation } => {
                let (engine, number) = number[operation as usize];
                now = until(&mut engines, now + costs.wait, &|engines| {
                    engines.is_complete(engine, number)
                });
            }
            Action::Barrier => {
                let all = 0..problem.engines.len();
                now = until(&mut engines, now + costs.barrier, &|engines| {
                    all.clone().all(|engine| engines.pending(engine) == 0)
                });
            }
        }
    }
    now
}
