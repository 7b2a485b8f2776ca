//! Commands as the clock sees them, and their completion. Invariant: the clock does not know the effect of a command.

use crate::links::FlowId;

/// A command in an engine's queue. All numbers are cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command<T> {
    /// Its owner's name for it.
    pub tag: T,
    /// The cycle at which it enters the queue.
    pub arrival: u64,
    /// Cycles from its arrival during which it does not take the engine. Commands before it run meanwhile.
    pub latency: u64,
    /// Cycles on the engine, first, that sharing does not stretch.
    pub alone: u64,
    /// Cycles on the engine, then, if it is alone on its links; more otherwise.
    pub shared: u64,
    /// Its demand on the links meanwhile; without it, `shared` are cycles like those in `alone`.
    pub flow: Option<FlowId>,
}

impl<T> Command<T> {
    /// The first cycle at which it can take the engine.
    pub fn ready(&self) -> u64 {
        self.arrival.saturating_add(self.latency)
    }

    /// Cycles on the engine if it is alone on its links.
    pub fn occupancy(&self) -> u64 {
        self.alone.saturating_add(self.shared)
    }

    /// Cycles of the occupancy that others on its links can stretch.
    pub(crate) fn stretchable(&self) -> u64 {
        if self.flow.is_some() { self.shared } else { 0 }
    }
}

/// A command that is complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion<T> {
    /// The engine.
    pub engine: usize,
    /// Its place among the commands of its engine, from 1.
    pub number: u64,
    /// The command.
    pub command: Command<T>,
    /// The cycle at which the command before it was complete, or its arrival if that was later.
    pub head: u64,
    /// The cycle at which it took the engine.
    pub begin: u64,
    /// The cycle at which it was complete.
    pub end: u64,
}

impl<T> Completion<T> {
    /// Cycles of its latency that no other command covered.
    pub fn uncovered_latency(&self) -> u64 {
        self.begin - self.head
    }

    /// Cycles by which others on its links stretched it.
    pub fn stretch(&self) -> u64 {
        (self.end - self.begin).saturating_sub(self.command.occupancy())
    }
}
