//! All engines of a machine, from event to event.
//!
//! Invariants: time is in whole cycles and never goes back; no event is before the time that was reached; what happens
//! at one cycle is in the order of issue; the links are shared anew once a cycle at most, after all that happens at it.

use std::rc::Rc;

use smallvec::SmallVec;

use crate::command::{Command, Completion};
use crate::engine::{Engine, Remaining};
use crate::fairness::max_min_fair;
use crate::links::{Flow, Links};

/// An engine without a next event.
const NEVER: (u64, u64) = (u64::MAX, u64::MAX);

/// The engines at work. `T` is the owner's name for a command.
#[derive(Clone, Debug)]
pub struct Engines<T> {
    links: Rc<Links>,
    engines: Vec<Engine<T>>,
    /// By engine: the time of its next event, and the issue of the command that it is of; [`NEVER`] without one.
    events: Vec<(u64, u64)>,
    now: u64,
    /// The time and the engine of the next event. It changes only with events and new commands, so asking for it costs
    /// nothing.
    next: Option<(u64, usize)>,
    /// Commands so far.
    issued: u64,
}

impl<T> Engines<T> {
    /// Idle engines.
    pub fn new(engines: usize, links: Rc<Links>) -> Self {
        Self {
            links,
            engines: (0..engines).map(|_| Engine::default()).collect(),
            events: vec![NEVER; engines],
            now: 0,
            next: None,
            issued: 0,
        }
    }

    /// The time that was reached: everything up to it has happened.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The time of the next event: a command that is complete, or one that begins to cross links.
    pub fn next_event(&self) -> Option<u64> {
        self.next.map(|(time, _)| time)
    }

    /// Commands that an engine was given and has not completed.
    pub fn pending(&self, engine: usize) -> usize {
        self.engines[engine].pending()
    }

    /// True if an engine's queue of `depth` places has a free one. A command has its place until it is complete.
    pub fn has_room(&self, engine: usize, depth: usize) -> bool {
        self.pending(engine) < depth
    }

    /// True if an engine has completed its command of that number, counted from 1, and so all before it.
    pub fn is_complete(&self, engine: usize, number: u64) -> bool {
        self.engines[engine].complete() >= number
    }

    /// The end of an engine's last complete command.
    pub fn last_end(&self, engine: usize) -> u64 {
        self.engines[engine].last_end()
    }

    /// The commands in an engine's queue, the oldest first.
    pub fn commands(&self, engine: usize) -> impl Iterator<Item = &Command<T>> {
        self.engines[engine].commands()
    }

    /// The remaining work of the first of them at a time before the next event.
    pub fn remaining(&self, engine: usize, now: u64) -> Option<Remaining> {
        self.engines[engine].remaining(now)
    }

    /// Adds a command, and says its number on its engine, counted from 1. A command that could have been complete
    /// before the time that was reached is complete at that time.
    pub fn push(&mut self, engine: usize, command: Command<T>) -> u64 {
        let target = &mut self.engines[engine];
        let number = target.push(self.issued, command, self.now);
        self.events[engine] = target.event().unwrap_or(NEVER);
        self.issued += 1;
        // At equal times, the earlier issue comes first.
        let is_before = |time: &u64| self.next.is_none_or(|(next, _)| *time < next);
        if let Some(time) = target.next_event().filter(is_before) {
            self.next = Some((time, engine));
        }
        number
    }

    /// Goes to a time, through all events up to it. Completions come in the order of time, then of issue.
    pub fn advance(&mut self, to: u64, done: &mut Vec<Completion<T>>) {
        while self.next.is_some_and(|(time, _)| time <= to) {
            self.step(done);
        }
        self.now = self.now.max(to);
    }

    /// Goes to the next event, and through all events of that time; false if there is none.
    pub fn step(&mut self, done: &mut Vec<Completion<T>>) -> bool {
        let Some((now, _)) = self.next else {
            return false;
        };
        self.now = now;
        let mut is_shared_anew = false;
        while let Some((_, index)) = self.next.filter(|(time, _)| *time <= now) {
            let engine = &mut self.engines[index];
            is_shared_anew |= engine.flow().is_some();
            if let Some(completion) = engine.go_on(index, now) {
                done.push(completion);
            }
            is_shared_anew |= engine.flow().is_some();
            self.events[index] = engine.event().unwrap_or(NEVER);
            self.next = self.first();
        }
        if is_shared_anew {
            self.share();
            self.next = self.first();
        }
        true
    }

    /// The first event, of several at one time the one whose command was issued first.
    fn first(&self) -> Option<(u64, usize)> {
        let (mut first, mut of) = (NEVER, 0);
        for (index, event) in self.events.iter().enumerate() {
            if *event < first {
                (first, of) = (*event, index);
            }
        }
        (first != NEVER).then_some((first.0, of))
    }

    /// Gives each transfer its share of the links.
    fn share(&mut self) {
        let mut crossing: SmallVec<[usize; 8]> = SmallVec::new();
        let mut flows: SmallVec<[&Flow; 8]> = SmallVec::new();
        for (index, engine) in self.engines.iter().enumerate() {
            if let Some(flow) = engine.flow() {
                crossing.push(index);
                flows.push(self.links.flow(flow));
            }
        }
        if crossing.is_empty() {
            return;
        }
        let rates = max_min_fair(&flows, self.links.capacities());
        for (place, index) in crossing.iter().enumerate() {
            if let Some(transfer) = self.engines[*index].transfer() {
                transfer.set_rate(rates[place] / flows[place].demand, self.now);
                self.events[*index].0 = transfer.until();
            }
        }
    }
}
