//! The commands that may still run at a point of the program.

use zpu_ir::Value;

use crate::analysis::access::Access;

/// A command that may still run.
#[derive(Clone, Debug)]
pub(super) struct Flight<'c> {
    pub(super) engine: String,
    pub(super) token: Value<'c>,
    pub(super) is_dma: bool,
    /// `None`: anything.
    pub(super) accesses: Option<Vec<Access<'c>>>,
    /// The loop that it was issued in, when it is not certain that it was issued at all: its token may then be an older
    /// one, and a wait for it stands only for commands of the same loop.
    pub(super) unsure: Option<usize>,
}

impl<'c> Flight<'c> {
    /// Whether the order against these accesses matters; unknown accesses concern everything.
    pub(super) fn conflicts(&self, accesses: Option<&[Access<'c>]>) -> bool {
        match (&self.accesses, accesses) {
            (Some(mine), Some(others)) => mine.iter().any(|mine| others.iter().any(|other| mine.conflicts(other))),
            _ => true,
        }
    }
}

/// All of them, in the order of issue.
#[derive(Clone, Debug, Default)]
pub(super) struct Flights<'c> {
    pub(super) list: Vec<Flight<'c>>,
}

impl<'c> Flights<'c> {
    /// Adds a command that certainly was issued.
    pub(super) fn push(&mut self, engine: &str, token: Value<'c>, is_dma: bool, accesses: Option<Vec<Access<'c>>>) {
        self.list.push(Flight {
            engine: engine.to_owned(),
            token,
            is_dma,
            accesses,
            unsure: None,
        });
    }

    /// The latest flight that conflicts, leaving out those of one engine.
    pub(super) fn last_conflict(&self, accesses: Option<&[Access<'c>]>, except: Option<&str>) -> Option<usize> {
        self.list
            .iter()
            .rposition(|flight| except != Some(flight.engine.as_str()) && flight.conflicts(accesses))
    }

    /// Token of a flight, and whether it is a transfer.
    pub(super) fn token(&self, index: usize) -> (Value<'c>, bool) {
        (self.list[index].token, self.list[index].is_dma)
    }

    /// Takes off what is complete once this flight's token was waited for.
    pub(super) fn complete(&mut self, index: usize) {
        let (engine, unsure) = (self.list[index].engine.clone(), self.list[index].unsure);
        let mut position = 0;
        self.list.retain(|flight| {
            let covered = position <= index && flight.engine == engine && (unsure.is_none() || flight.unsure == unsure);
            position += 1;
            !covered
        });
    }
}
