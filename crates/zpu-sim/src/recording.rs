//! The actions of the control stream in one run, as a straight line: commands with their operands, waits, its own
//! accesses.
//!
//! Invariant: the line is the same in every order of completion, as long as the stream's own loads read the same
//! values; where they do not, the program depends on the order already.

use std::rc::Rc;

use crate::effect::Effect;
use crate::footprint::Footprint;
use crate::hazard::Accessor;
use crate::machine::Stop;
use crate::memory::BufferId;
use crate::program::LocationId;

/// An action of the control stream.
#[derive(Debug)]
pub(crate) enum Event {
    /// A command, the next one of its engine. What names no engine is one of an engine of its own, the one after the
    /// last: nothing orders it but that the stream waits for it at once.
    Issue {
        engine: usize,
        effects: Vec<Effect>,
        accessor: Rc<Accessor>,
    },
    /// The stream goes on when so many commands of the engine are complete.
    Wait { engine: usize, sequence: u64 },
    /// It reads an element.
    Load {
        buffer: BufferId,
        footprint: Footprint,
        /// The bytes that it read in the recorded run.
        bytes: Vec<u8>,
        location: LocationId,
    },
    /// It writes an element.
    Store {
        buffer: BufferId,
        footprint: Footprint,
        bytes: Vec<u8>,
    },
    /// It frees a buffer.
    Free { buffer: BufferId },
    /// It returns to the caller, whose buffers these are.
    Return { buffers: Vec<BufferId> },
}

/// Events of a run, at most. Each access of the control stream is one, and a state of the search at least; a recording
/// of this length takes some hundred MiB.
const MOST_EVENTS: usize = 1 << 20;

/// The events of a run.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) events: Vec<Event>,
    commands: u64,
    most_commands: u64,
    /// The engine of what names none, and how many it was given.
    bare: usize,
    bare_commands: u64,
}

impl Recording {
    /// An empty one for a device of so many engines, which gives up after so many commands.
    pub(crate) fn new(engines: usize, most_commands: u64) -> Self {
        Self {
            events: Vec::new(),
            commands: 0,
            most_commands,
            bare: engines,
            bare_commands: 0,
        }
    }

    /// Something that names no engine.
    pub(crate) fn issue_bare(&mut self, effects: Vec<Effect>, accessor: Rc<Accessor>) -> Result<(), Stop> {
        self.bare_commands += 1;
        let engine = self.bare;
        self.push(Event::Issue {
            engine,
            effects,
            accessor,
        })
    }

    /// The stream goes on after the last of these.
    pub(crate) fn wait_for_bare(&mut self) -> Result<(), Stop> {
        let (engine, sequence) = (self.bare, self.bare_commands);
        self.push(Event::Wait { engine, sequence })
    }

    pub(crate) fn push(&mut self, event: Event) -> Result<(), Stop> {
        if matches!(event, Event::Issue { .. }) {
            self.commands += 1;
            if self.commands > self.most_commands {
                return Err(Stop::TooManyCommands(self.most_commands));
            }
        }
        if self.events.len() == MOST_EVENTS {
            return Err(Stop::TooManyEvents(MOST_EVENTS));
        }
        self.events.push(event);
        Ok(())
    }

    /// Commands that were issued.
    pub(crate) fn commands(&self) -> u64 {
        self.commands
    }
}
