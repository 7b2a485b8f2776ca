//! The waits that block a run which does not come to its end, for the watchdog and for findings of deadlocks.

use std::fmt;

use crate::finding::{iteration, who};
use crate::hazard::Accessor;
use crate::machine::{CommandRef, Machine};
use crate::program::Location;
use crate::report::FindingNote;

/// Commands that a message lists.
const LISTED: usize = 4;

/// The state of a run that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blockage {
    /// The control stream's statement.
    pub location: Location,
    /// Values of the induction variables around it, outermost first.
    pub iteration: Vec<i64>,
    /// The command that the stream waits for, in words with its place; `None` if it does something itself.
    pub waits_for: Option<String>,
}

impl fmt::Display for Blockage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}{}", self.location, iteration(&self.iteration))?;
        match &self.waits_for {
            Some(command) => write!(f, ", which waits for {command}"),
            None => Ok(()),
        }
    }
}

impl Machine<'_> {
    /// The place of the control stream, and the command that it waits for.
    pub(crate) fn stuck(&self) -> Blockage {
        let command = self.waits_for.and_then(|(engine, sequence)| {
            let ahead = usize::try_from(sequence.checked_sub(self.complete[engine] + 1)?).ok()?;
            let accessor = self.outstanding[engine].get(ahead)?;
            let behind = if ahead > 0 {
                format!(", {ahead} commands behind the one that the engine works on")
            } else {
                String::new()
            };
            Some(self.command_with_place(accessor) + &behind)
        });
        Blockage {
            location: self.program.location(self.at),
            iteration: self.iteration.clone(),
            waits_for: command,
        }
    }

    fn command_with_place(&self, accessor: &Accessor) -> String {
        let place = self.program.location(accessor.location);
        format!(
            "{}{}, issued at {place}",
            who(self.device, accessor),
            iteration(&accessor.iteration)
        )
    }

    fn note(&self, accessor: &Accessor, message: String) -> FindingNote {
        let location = self.program.location(accessor.location).to_string();
        FindingNote { location, message }
    }

    /// The cycle of a wait for a command that was dropped.
    pub(crate) fn cycle_of_dropped(&self, command: &CommandRef) -> Vec<FindingNote> {
        let engine = &self.device.engines[command.engine];
        let issued = format!(
            "issued here when {} commands were in the queue; wait for one of them before",
            engine.queue_depth
        );
        let mut notes = vec![self.note(&command.accessor, issued)];
        for accessor in command.queue.iter().take(LISTED) {
            let message = format!(
                "{}{} was in the queue, and nothing had waited for it",
                who(self.device, accessor),
                iteration(&accessor.iteration)
            );
            notes.push(self.note(accessor, message));
        }
        let cycle = format!(
            "the control stream waits for the command, the command for a place in the queue of @{}, and only the \
             control stream \
             could issue it again",
            engine.name
        );
        notes.push(self.note(&command.accessor, cycle));
        notes
    }

    /// The cycle of a wait for a barrier id that nothing was issued with.
    pub(crate) fn cycle_of_never_issued(&self, at: crate::program::LocationId) -> Vec<FindingNote> {
        let location = self.program.location(at).to_string();
        let cycle =
            "the control stream waits for the id, the id for a command, and only the control stream could issue one";
        let mut notes = vec![FindingNote {
            location: location.clone(),
            message: cycle.to_owned(),
        }];
        for (id, command) in self.ids.iter().take(LISTED) {
            let message = format!("id {id} was issued here, by {}", who(self.device, &command.accessor));
            notes.push(self.note(&command.accessor, message));
        }
        if self.ids.is_empty() {
            let message = "no command was issued with any id so far".to_owned();
            notes.push(FindingNote { location, message });
        }
        notes
    }
}
