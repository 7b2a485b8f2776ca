//! One engine: an in-order queue, and the phases of the command at its head.

use std::collections::VecDeque;

use crate::command::{Command, Completion};
use crate::links::FlowId;
use crate::transfer::Transfer;
use crate::unit::Unit;

/// The remaining work of the command at the head of a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Remaining {
    /// Cycles until the end of the unshared part.
    Alone(u64),
    /// Cycles of the other part, at full rate.
    Shared(f64),
}

/// A command that was issued.
#[derive(Clone, Debug)]
struct Queued<T> {
    /// Its place among all commands.
    issue: u64,
    command: Command<T>,
}

/// The command at the head.
#[derive(Clone, Debug)]
struct Head {
    begin: u64,
    phase: Phase,
}

#[derive(Clone, Debug)]
enum Phase {
    /// The unshared part, its latency included, until that cycle.
    Alone(u64),
    /// On links.
    Shared(Transfer),
}

#[derive(Clone, Debug)]
pub(crate) struct Engine<T> {
    queue: VecDeque<Queued<T>>,
    /// The phase of the first one in the queue.
    head: Option<Head>,
    unit: Unit,
    /// The present demand of the head on links.
    flow: Option<FlowId>,
    /// Commands that are complete.
    complete: u64,
}

impl<T> Default for Engine<T> {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            head: None,
            unit: Unit::default(),
            flow: None,
            complete: 0,
        }
    }
}

impl<T> Engine<T> {
    pub(crate) fn pending(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn complete(&self) -> u64 {
        self.complete
    }

    pub(crate) fn last_end(&self) -> u64 {
        self.unit.free()
    }

    pub(crate) fn commands(&self) -> impl Iterator<Item = &Command<T>> {
        self.queue.iter().map(|queued| &queued.command)
    }

    /// Adds a command, and says its number on this engine.
    pub(crate) fn push(&mut self, issue: u64, command: Command<T>, now: u64) -> u64 {
        self.queue.push_back(Queued { issue, command });
        if self.head.is_none() {
            self.start(now);
        }
        self.complete + self.queue.len() as u64
    }

    /// Puts the first command of the queue to work.
    fn start(&mut self, now: u64) {
        self.head = self.queue.front().map(|Queued { command, .. }| {
            let begin = self.unit.begin(command.ready());
            let alone = command.occupancy() - command.stretchable();
            // A phase whose end has passed ends now.
            let phase = Phase::Alone(begin.saturating_add(alone).max(now));
            Head { begin, phase }
        });
    }

    /// The cycle at which the present phase ends.
    pub(crate) fn next_event(&self) -> Option<u64> {
        Some(match &self.head.as_ref()?.phase {
            Phase::Alone(until) => *until,
            Phase::Shared(transfer) => transfer.until(),
        })
    }

    /// That cycle, and the place among all commands of the one at the head.
    pub(crate) fn event(&self) -> Option<(u64, u64)> {
        Some((self.next_event()?, self.queue.front()?.issue))
    }

    pub(crate) fn remaining(&self, now: u64) -> Option<Remaining> {
        Some(match &self.head.as_ref()?.phase {
            Phase::Alone(until) => Remaining::Alone(until.saturating_sub(now)),
            Phase::Shared(transfer) => Remaining::Shared(transfer.left(now)),
        })
    }

    /// The present demand of the head on links.
    pub(crate) fn flow(&self) -> Option<FlowId> {
        self.flow
    }

    /// The transfer at the head, if it is on links.
    pub(crate) fn transfer(&mut self) -> Option<&mut Transfer> {
        match &mut self.head.as_mut()?.phase {
            Phase::Alone(_) => None,
            Phase::Shared(transfer) => Some(transfer),
        }
    }

    /// Leaves the phase that is over now; the completion, if it was the last one of its command.
    pub(crate) fn go_on(&mut self, engine: usize, now: u64) -> Option<Completion<T>> {
        let head = self.head.as_mut()?;
        let command = &self.queue.front()?.command;
        let stretchable = command.stretchable();
        if stretchable > 0 && matches!(head.phase, Phase::Alone(_)) {
            head.phase = Phase::Shared(Transfer::new(stretchable, now));
            self.flow = command.flow;
            return None;
        }
        self.flow = None;
        let begin = head.begin;
        let command = self.queue.pop_front()?.command;
        let before = self.unit.begin(command.arrival);
        self.unit.take(now);
        self.complete += 1;
        self.start(now);
        Some(Completion {
            engine,
            number: self.complete,
            command,
            head: before,
            begin,
            end: now,
        })
    }
}
