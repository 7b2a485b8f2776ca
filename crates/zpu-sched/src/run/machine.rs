//! The machine while a schedule is made: what the stream has issued and knows to be complete, and what that costs.
//!
//! Invariant: the cycles are those of `zpu_timing`'s events; ends of commands that are not complete are estimates,
//! which only guide choices.

use std::rc::Rc;

use zpu_timing::{Command, Engines, Flow, FlowId, Links};

use super::problem::{RunProblem, RunWay};
use super::{Action, RunSchedule};

/// The flows of all alternatives on the links, by work and alternative.
#[derive(Clone, Debug)]
pub(super) struct Flows {
    links: Rc<Links>,
    ids: Vec<Vec<Option<FlowId>>>,
}

impl Flows {
    pub(super) fn new(problem: &RunProblem) -> Self {
        let mut links = Links::new(problem.links.iter().map(|link| link.rate).collect());
        let mut flow = |way: &RunWay| {
            way.is_shared().then(|| {
                links.add(Flow {
                    demand: way.rate,
                    links: way.links.clone(),
                })
            })
        };
        let ids = problem
            .works
            .iter()
            .map(|ways| ways.iter().map(&mut flow).collect())
            .collect();
        Self {
            links: Rc::new(links),
            ids,
        }
    }
}

/// An operation that was issued.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issued {
    pub(super) engine: usize,
    /// Its number on its engine, from 1.
    pub(super) number: u64,
    /// The cycle at which it ends, as far as can be told.
    pub(super) end: u64,
}

/// The time and place of an operation that could be issued next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) operation: usize,
    pub(super) way: usize,
    /// The cycle at which its issue begins, and at which it takes its engine, as far as can be told.
    pub(super) issue: u64,
    pub(super) begin: u64,
    pub(super) end: u64,
}

pub(super) struct Machine<'p> {
    problem: &'p RunProblem,
    flows: &'p Flows,
    /// By operation: the storages that it uses.
    uses: &'p [Vec<u32>],
    pub(super) now: u64,
    engines: Engines<()>,
    pub(super) issued: Vec<Option<Issued>>,
    /// By engine: its operations, and how many of them the stream knows to be complete.
    on: Vec<Vec<u32>>,
    known: Vec<u64>,
    /// Live bytes by space; by storage, whether it is live and the operations that are not known to be complete.
    pub(super) live: Vec<u64>,
    is_live: Vec<bool>,
    open: Vec<u32>,
    schedule: RunSchedule,
}

/// By operation: the storages that it uses.
pub(super) fn uses(problem: &RunProblem) -> Vec<Vec<u32>> {
    let mut uses = vec![Vec::new(); problem.operations.len()];
    for (i, storage) in problem.storages.iter().enumerate() {
        for operation in &storage.operations {
            uses[*operation as usize].push(i as u32);
        }
    }
    uses
}

impl<'p> Machine<'p> {
    pub(super) fn new(problem: &'p RunProblem, flows: &'p Flows, uses: &'p [Vec<u32>]) -> Self {
        let count = problem.engines.len();
        Self {
            problem,
            flows,
            uses,
            now: 0,
            engines: Engines::new(count, Rc::clone(&flows.links)),
            issued: vec![None; problem.operations.len()],
            on: vec![Vec::new(); count],
            known: vec![0; count],
            live: problem.spaces.iter().map(|space| space.resident).collect(),
            is_live: vec![false; problem.storages.len()],
            open: problem
                .storages
                .iter()
                .map(|storage| storage.operations.len() as u32)
                .collect(),
            schedule: RunSchedule::default(),
        }
    }

    /// Bytes by space that an operation takes when it is issued.
    pub(super) fn needs(&self, operation: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let new = self.uses[operation]
            .iter()
            .filter(|storage| !self.is_live[**storage as usize]);
        new.map(|storage| {
            let storage = &self.problem.storages[*storage as usize];
            (storage.space, storage.bytes)
        })
    }

    /// True if an operation's new storages fit, and `more` bytes by space besides.
    pub(super) fn fits(&self, operation: usize, more: &[u64]) -> bool {
        let mut live = self.live.clone();
        self.needs(operation).all(|(space, bytes)| {
            live[space] += bytes;
            live[space].saturating_add(more[space]) <= self.problem.spaces[space].bytes
        })
    }

    /// The operations that have to be waited for before an operation is issued on an engine, one an engine, the ones
    /// that end first at first.
    fn waits(&self, operation: usize, engine: usize) -> Vec<u32> {
        let mut last: Vec<(usize, u64, u32)> = Vec::new();
        for &before in &self.problem.operations[operation].after {
            let Some(issued) = self.issued[before as usize] else {
                continue;
            };
            if issued.engine == engine || issued.number <= self.known[issued.engine] {
                continue;
            }
            match last.iter_mut().find(|(on, ..)| *on == issued.engine) {
                Some(known) if known.1 < issued.number => *known = (issued.engine, issued.number, before),
                Some(_) => {}
                None => last.push((issued.engine, issued.number, before)),
            }
        }
        let mut waits: Vec<u32> = last.into_iter().map(|(.., operation)| operation).collect();
        waits.sort_by_key(|operation| (self.end_of(*operation), *operation));
        waits
    }

    fn end_of(&self, operation: u32) -> u64 {
        self.issued[operation as usize].map_or(0, |issued| issued.end)
    }

    /// The best way for an operation whose dependences are issued and that fits; one that holds the stream only if
    /// there is no other, where these are spared.
    pub(super) fn offer(&self, operation: usize, spares_blocking: bool) -> Offer {
        let costs = self.problem.control;
        let mut best: Option<Offer> = None;
        let ways = self.problem.ways(operation);
        let holds = |way: &RunWay| self.problem.engines[way.engine].blocking;
        let spares = spares_blocking && !ways.iter().all(holds);
        // Engines differ in their waits only if one of them did something that this comes after.
        let general = self.waits(operation, usize::MAX);
        for (index, way) in ways.iter().enumerate().filter(|(_, way)| !(spares && holds(way))) {
            let on_it = general
                .iter()
                .any(|before| self.issued[*before as usize].is_some_and(|i| i.engine == way.engine));
            let own = if on_it {
                self.waits(operation, way.engine)
            } else {
                Vec::new()
            };
            let waits = if on_it { &own } else { &general };
            let issue = waits
                .iter()
                .fold(self.now, |now, before| (now + costs.wait).max(self.end_of(*before)));
            let queue = &self.on[way.engine];
            let depth = usize::try_from(self.problem.engines[way.engine].queue).unwrap_or(usize::MAX);
            let place = queue
                .len()
                .checked_sub(depth)
                .map_or(0, |place| self.end_of(queue[place]));
            let arrival = (issue + costs.issue).max(place);
            let free = queue.last().map_or(0, |last| self.end_of(*last));
            let begin = (arrival + way.start_latency).max(free);
            let end = begin + way.occupancy();
            if best.is_none_or(|best| (end, begin) < (best.end, best.begin)) {
                best = Some(Offer {
                    operation,
                    way: index,
                    issue,
                    begin,
                    end,
                });
            }
        }
        best.unwrap_or(Offer {
            operation,
            way: 0,
            issue: u64::MAX,
            begin: u64::MAX,
            end: u64::MAX,
        })
    }

    /// Waits for what an offer needs, and issues it.
    pub(super) fn take(&mut self, offer: Offer) {
        let problem = self.problem;
        let way = &problem.ways(offer.operation)[offer.way];
        let waits = self.waits(offer.operation, way.engine);
        let costs = problem.control;
        let by_waits = waits
            .iter()
            .fold(self.now, |now, before| (now + costs.wait).max(self.end_of(*before)));
        let last = self.on.iter().filter_map(|queue| queue.last());
        let last = last.map(|operation| self.end_of(*operation)).max().unwrap_or(0);
        if (self.now + costs.barrier).max(last) < by_waits {
            self.barrier();
        } else {
            waits.into_iter().for_each(|before| self.wait(before));
        }
        for storage in &self.uses[offer.operation] {
            let storage = *storage as usize;
            if !std::mem::replace(&mut self.is_live[storage], true) {
                self.live[problem.storages[storage].space] += problem.storages[storage].bytes;
            }
        }
        self.now += problem.control.issue;
        self.advance();
        let engine = &problem.engines[way.engine];
        let depth = usize::try_from(engine.queue).unwrap_or(usize::MAX);
        while !self.engines.has_room(way.engine, depth) && self.engines.step(&mut Vec::new()) {
            self.now = self.now.max(self.engines.now());
        }
        let flow = self.flows.ids[problem.operations[offer.operation].work][offer.way];
        let number = self.engines.push(
            way.engine,
            Command {
                tag: (),
                arrival: self.now,
                latency: way.start_latency,
                alone: way.alone,
                shared: way.shared,
                flow,
            },
        );
        let free = self.on[way.engine].last().map_or(0, |last| self.end_of(*last));
        self.issued[offer.operation] = Some(Issued {
            engine: way.engine,
            number,
            end: (self.now + way.start_latency).max(free) + way.occupancy(),
        });
        self.on[way.engine].push(offer.operation as u32);
        self.schedule.actions.push(Action::Issue {
            operation: offer.operation as u32,
            way: offer.way as u32,
        });
        if engine.blocking {
            self.until(way.engine, number);
        }
    }

    /// Waits for an operation that was issued.
    fn wait(&mut self, operation: u32) {
        let Some(issued) = self.issued[operation as usize] else {
            return;
        };
        self.schedule.actions.push(Action::Wait { operation });
        self.now += self.problem.control.wait;
        self.until(issued.engine, issued.number);
    }

    /// Waits for all operations that were issued.
    fn barrier(&mut self) {
        self.schedule.actions.push(Action::Barrier);
        self.now += self.problem.control.barrier;
        for engine in 0..self.on.len() {
            self.until(engine, self.on[engine].len() as u64);
        }
    }

    /// Waits for the operation that ends first among those that are not known to be complete; false if there is none.
    pub(super) fn wait_for_first(&mut self) -> bool {
        let next = (0..self.on.len()).filter_map(|engine| {
            let operation = *self.on[engine].get(self.known[engine] as usize)?;
            Some((self.end_of(operation), operation))
        });
        let first = next.min();
        if let Some((_, operation)) = first {
            self.wait(operation);
        }
        first.is_some()
    }

    /// Lets everything end: a barrier, or a wait for each engine, whichever costs less.
    pub(super) fn finish(mut self) -> (RunSchedule, u64) {
        let open = (0..self.on.len()).filter(|engine| self.known[*engine] < self.on[*engine].len() as u64);
        let mut last: Vec<(u64, u32)> = open
            .filter_map(|engine| self.on[engine].last().map(|last| (self.end_of(*last), *last)))
            .collect();
        last.sort_unstable();
        let costs = self.problem.control;
        if !last.is_empty() && costs.barrier < costs.wait.saturating_mul(last.len() as u64) {
            self.barrier();
        } else {
            last.into_iter().for_each(|(_, operation)| self.wait(operation));
        }
        (self.schedule, self.now)
    }

    /// The engines work up to the present cycle.
    fn advance(&mut self) {
        self.engines.advance(self.now, &mut Vec::new());
    }

    /// The stream is held until an engine has completed so many operations, and knows it then.
    fn until(&mut self, engine: usize, number: u64) {
        self.advance();
        while !self.engines.is_complete(engine, number) && self.engines.step(&mut Vec::new()) {}
        self.now = self.now.max(self.engines.now());
        let problem = self.problem;
        while self.known[engine] < number {
            let operation = self.on[engine][self.known[engine] as usize] as usize;
            self.known[engine] += 1;
            for storage in &self.uses[operation] {
                let storage = *storage as usize;
                self.open[storage] -= 1;
                if self.open[storage] == 0 {
                    self.live[problem.storages[storage].space] -= problem.storages[storage].bytes;
                }
            }
        }
    }
}
