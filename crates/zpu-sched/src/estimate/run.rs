//! The state of the machine, and its change by a kernel iteration.

use std::rc::Rc;

use zpu_timing::stream::{entry, wait_end};
use zpu_timing::{Command as Transfer, Completion, Engines, Places, Remaining, Unit};

use super::assigned::{Assigned, Command, Linked};
use super::machine::{Machine, Step};

/// The start of a command that is not complete, on an engine whose transfers share links.
const PENDING: u64 = u64::MAX;

/// A command on such an engine.
#[derive(Clone, Copy, Debug)]
struct Instance {
    op: usize,
    /// The place where its start is noted.
    place: usize,
}

pub(super) struct Run<'a> {
    machine: &'a Machine,
    assigned: &'a Assigned,
    /// Iterations that remain to be simulated; shortened when a period is skipped.
    pub(super) trip: u64,
    /// Kernel iterations so far.
    pub(super) kernel: u64,
    /// The stream's clock.
    pub(super) now: u64,
    /// The cycle at which everything so far is complete.
    pub(super) end: u64,
    /// The engine of each resource.
    units: Vec<Unit>,
    /// By operation and iteration, see [`super::machine::Track::place`]: start, and number on its engine.
    past: Vec<(u64, u64)>,
    issued: Vec<u64>,
    /// By engine: the number of the last command that the stream knows to be complete.
    known: Vec<u64>,
    /// Completions that the stream knows of where a condition holds, by condition and engine; of this kernel iteration.
    under: Vec<u64>,
    /// By engine with a queue: its places.
    places: Vec<Places>,
    /// The engines whose transfers share links. Their starts are noted as what they would be without sharing, so that
    /// the end is right.
    linked: Engines<Instance>,
    done: Vec<Completion<Instance>>,
    /// The waits before a command: engine, and the cycle at which the last command that is waited for is complete.
    open: Vec<(usize, u64)>,
}

impl<'a> Run<'a> {
    pub(super) fn new(machine: &'a Machine, trip: u64) -> Run<'a> {
        let assigned = &*machine.assigned;
        let resources = assigned.unobserved.len();
        Run {
            machine,
            assigned,
            trip,
            kernel: 0,
            now: 0,
            end: 0,
            units: vec![Unit::default(); resources],
            past: vec![(0, 0); machine.instances],
            issued: vec![0; resources],
            known: vec![0; resources],
            under: vec![0; resources * machine.conditions],
            places: vec![Places::default(); resources],
            linked: Engines::new(assigned.linked_engines, Rc::clone(&assigned.links)),
            done: vec![],
            open: vec![],
        }
    }

    /// A cycle before which the run does not end: the stream and each engine have the work of all iterations left.
    pub(super) fn least_end(&self) -> u64 {
        let left = self.trip.saturating_sub(self.kernel.max(self.machine.last_stage));
        let stream = self.now.saturating_add(left.saturating_mul(self.assigned.stream));
        let engines = self.units.iter().zip(&self.assigned.work);
        let engines = engines.map(|(unit, work)| unit.free().saturating_add(left.saturating_mul(*work)));
        engines.fold(stream, u64::max)
    }

    /// Runs one kernel iteration; notes the starts of the watched source iteration.
    pub(super) fn step(&mut self, mut watched: Option<(u64, &mut Vec<u64>)>) {
        let machine = self.machine;
        self.under.fill(0);
        for step in &machine.steps {
            let Some(iteration) = self.kernel.checked_sub(step.stage).filter(|&i| i < self.trip) else {
                continue;
            };
            let start = self.issue(step, iteration);
            if let Some((watch, starts)) = &mut watched
                && *watch == iteration
            {
                starts[step.op] = start;
            }
        }
        self.now += self.assigned.costs.back_edge;
        self.kernel += 1;
        if !self.assigned.links.is_unused() {
            self.linked.advance(self.now, &mut self.done);
            self.note();
        }
    }

    /// Lets everything be complete.
    pub(super) fn finish(&mut self) {
        while self.linked.step(&mut self.done) {
            self.note();
        }
    }

    /// Issues a command, and says when it starts.
    fn issue(&mut self, step: &Step, iteration: u64) -> u64 {
        let assigned = self.assigned;
        let command = &assigned.commands[step.op];
        let issue = self.ready(step, iteration);
        if let Some(linked) = &command.linked {
            return self.issue_linked((step.op, command), linked, issue, iteration);
        }
        // The stream has paid for the issue when it finds the queue full.
        let room = command.engines.iter().map(|&(engine, ..)| self.room(engine));
        let room = room.max().unwrap_or(0);
        let issue = if command.blocking {
            issue
        } else {
            entry(issue, command.control, room) - command.control
        };
        // With several engines, the start is the one on the engine that is occupied last.
        let engines = command.engines.iter();
        let start = engines
            .map(|&(engine, offset, _)| self.units[engine].begin(issue + offset) - offset)
            .fold(issue, u64::max);
        for &(engine, offset, cycles) in &command.engines {
            self.units[engine].take(start + offset + cycles);
            let free = self.units[engine].free();
            self.end = self.end.max(free);
            if assigned.queues[engine].is_some() {
                self.places[engine].take(free);
            }
        }
        self.end = self.end.max(start + command.latency);
        self.now = if command.blocking { start } else { issue } + command.control;
        let mut number = 0;
        if let Some(engine) = command.engine {
            self.issued[engine] += 1;
            number = self.issued[engine];
            if command.blocking {
                self.known[engine] = number;
            }
        }
        self.past[self.machine.tracks[step.op].place(iteration)] = (start, number);
        start
    }

    /// Issues a command on an engine whose transfers share links; its start is that of the issue.
    fn issue_linked(
        &mut self,
        (op, command): (usize, &Command),
        linked: &Linked,
        mut issue: u64,
        iteration: u64,
    ) -> u64 {
        let Some(&(resource, offset, _)) = command.engines.first() else {
            return issue;
        };
        if let Some(depth) = self.assigned.queues[resource].filter(|_| !command.blocking) {
            self.linked.advance(issue + command.control, &mut self.done);
            while !self.linked.has_room(linked.engine, depth) && self.linked.step(&mut self.done) {
                issue = self.linked.now() - command.control;
            }
            self.note();
        }
        self.issued[resource] += 1;
        let number = self.issued[resource];
        let place = self.machine.tracks[op].place(iteration);
        self.past[place] = (PENDING, number);
        let transfer = Transfer {
            tag: Instance { op, place },
            // The offset is counted from the begin of the issue.
            arrival: issue,
            latency: offset,
            alone: linked.alone,
            shared: linked.shared,
            flow: linked.flow,
        };
        self.linked.push(linked.engine, transfer);
        self.now = issue + command.control;
        if command.blocking {
            self.known[resource] = number;
            self.now = self.now.max(self.start_of(place, linked.engine) + command.control);
        }
        issue
    }

    /// The noted start of a command, as soon as it is complete.
    fn start_of(&mut self, place: usize, engine: usize) -> u64 {
        let number = self.past[place].1;
        while !self.linked.is_complete(engine, number) && self.linked.step(&mut self.done) {}
        self.note();
        self.past[place].0
    }

    /// Notes the commands that are complete.
    fn note(&mut self) {
        for done in self.done.drain(..) {
            let Instance { op, place } = done.command.tag;
            let command = &self.assigned.commands[op];
            let start = done.end.saturating_sub(command.span);
            self.end = self.end.max(done.end).max(start + command.latency);
            // A later instance may have taken the place of one that was never needed.
            if self.past[place].1 == done.number {
                self.past[place].0 = start;
            }
        }
    }

    /// The cycle at which an engine's queue has room for one more command.
    fn room(&mut self, engine: usize) -> u64 {
        let Some(depth) = self.assigned.queues[engine] else {
            return 0;
        };
        self.places[engine].free_from(depth, self.now).unwrap_or(0)
    }

    /// Leaves out as many whole periods as the run still has, and says how many cycles that is.
    pub(super) fn skip(&mut self, (iterations, cycles): (u64, u64)) -> u64 {
        let times = (self.trip - self.kernel) / iterations;
        self.trip -= times * iterations;
        for (unit, work) in self.units.iter_mut().zip(&self.assigned.unobserved) {
            // The clock stays, so the free times of lagging engines move away from it.
            if let Some(behind) = work.and_then(|work| (work * iterations).checked_sub(cycles))
                && unit.free() > self.now
            {
                unit.take(unit.free().saturating_add(behind.saturating_mul(times)));
                self.end = self.end.max(unit.free());
            }
        }
        cycles.saturating_mul(times)
    }

    /// The cycle at which the command's dependences are met, its waits paid for: one for each engine with commands that
    /// the stream does not know to be complete, in the order of the engines' names. A wait's own cycles pass while the
    /// command runs. Knowledge gained before a conditional command holds where its condition does. A wait for a
    /// conditional command tells of that command only, and everywhere if the waiting one has the same condition.
    fn ready(&mut self, step: &Step, iteration: u64) -> u64 {
        let assigned = self.assigned;
        let wait_cycles = assigned.costs.wait;
        let mut ready = self.now;
        self.open.clear();
        for wait in &self.machine.waits[step.waits.0..step.waits.1] {
            let Some(source) = iteration.checked_sub(wait.distance) else {
                continue;
            };
            let awaited = &assigned.commands[wait.from];
            let track = &self.machine.tracks[wait.from];
            let place = track.place(source);
            let (mut start, number) = self.past[place];
            if start == PENDING {
                let engine = awaited.engine.and_then(|engine| assigned.linked[engine]);
                start = self.start_of(place, engine.unwrap_or(0));
            }
            let complete = start + wait.latency;
            match awaited.engine.filter(|_| wait_cycles > 0) {
                None => ready = ready.max(complete),
                Some(engine) => {
                    let resources = self.known.len();
                    let under = step.condition.map(|condition| condition * resources + engine);
                    let known = self.known[engine].max(under.map_or(0, |under| self.under[under]));
                    match self.open.iter_mut().find(|(other, _)| *other == engine) {
                        Some((_, last)) => *last = (*last).max(complete),
                        None if number > known => self.open.push((engine, complete)),
                        // Complete as a command; a dependence may ask for more cycles than that.
                        None => ready = ready.max(complete),
                    }
                    if let Some(under) = under {
                        self.under[under] = self.under[under].max(number);
                        if wait.together {
                            // It was waited for, or neither was issued.
                            self.past[place].1 = 0;
                        }
                    } else if awaited.condition.is_some() {
                        // Complete like what was never issued.
                        self.past[place].1 = 0;
                    } else {
                        self.known[engine] = self.known[engine].max(number);
                    }
                }
            }
        }
        self.open.sort_by_key(|&(engine, _)| assigned.ranks[engine]);
        let waited = |now: u64, &(_, complete): &(usize, u64)| wait_end(now, wait_cycles, complete);
        self.open.iter().fold(ready, waited)
    }

    /// Engines that are never waited for: cycles of their work an iteration, and the cycle at which they are free.
    pub(super) fn unobserved(&self) -> impl Iterator<Item = (u64, u64)> {
        let each = self.assigned.unobserved.iter().zip(&self.units);
        each.filter_map(|(work, unit)| Some(((*work)?, unit.free())))
    }

    /// Appends all that the future depends on, relative to the stream's clock. What lies in the past has no effect and
    /// is 0.
    pub(super) fn state(&self, state: &mut Vec<u64>) {
        self.linked_state(state);
        for &engine in &self.assigned.engines {
            if self.assigned.unobserved[engine].is_none() {
                state.push(self.units[engine].free().saturating_sub(self.now));
            }
            let taken = self.places[engine].taken(self.now);
            let begin = state.len();
            state.extend(taken.map(|end| end - self.now));
            state.push((state.len() - begin) as u64);
        }
        let counts_waits = self.assigned.costs.wait > 0;
        for &op in &self.assigned.awaited {
            let command = &self.assigned.commands[op];
            let track = &self.machine.tracks[op];
            // The latest instance before this kernel iteration, and those before it.
            for back in 0..track.depth {
                let Some(iteration) = self.kernel.checked_sub(1 + track.stage + back) else {
                    break;
                };
                let (start, number) = self.past[track.place(iteration)];
                if start == PENDING {
                    let behind = command.engine.map_or(0, |engine| self.issued[engine] - number);
                    state.push(PENDING - behind);
                } else {
                    state.push((start + command.reach).saturating_sub(self.now));
                }
                if let Some(engine) = command.engine.filter(|_| counts_waits) {
                    // Commands that are no longer needed count as known.
                    let out_of_sight = self.issued[engine].saturating_sub(self.machine.observed[engine]);
                    state.push(number.saturating_sub(self.known[engine].max(out_of_sight)));
                }
            }
        }
    }
    /// Appends the state of the engines whose transfers share links, relative to their own clock.
    fn linked_state(&self, state: &mut Vec<u64>) {
        let now = self.linked.now();
        for &engine in self.assigned.linked.iter().flatten() {
            state.push(self.linked.pending(engine) as u64);
            match self.linked.remaining(engine, now) {
                None => {}
                Some(Remaining::Alone(cycles)) => state.push(cycles),
                // Parts of a cycle that differ by rounding are the same.
                Some(Remaining::Shared(left)) => state.push((1 << 62) | (left.max(0.0) * 4096.0).round() as u64),
            }
            for command in self.linked.commands(engine) {
                state.push(command.tag.op as u64);
                state.push(command.ready().saturating_sub(now));
            }
        }
    }
}
