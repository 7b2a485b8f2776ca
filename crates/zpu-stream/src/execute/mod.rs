//! Running a fork with a buffer of a given size, token by token: it completes, or it stops where nothing can go on.
//!
//! Each write waits until the buffer has room for its whole token, each event until its elements are there and its gate
//! is open. The conditions depend on how far the parties are and on nothing else, and no party's progress ever takes
//! from another what it could do: a write only makes events possible, an event only makes room. So a step that is
//! possible stays possible until it is taken, any two steps can be taken in either order, and by the diamond property
//! every run ends in the same state, as in a network of Kahn's (IFIP 1974) with bounded channels, where reads and
//! writes block. One run therefore speaks for all interleavings; [`explore`] takes them all, to check that.

mod machine;

use std::collections::BTreeSet;

use thiserror::Error;

use self::machine::{Machine, Step};
use crate::fork::{ConsumerId, Fork};
use crate::order::EventsError;

/// A buffer between the producer and its readers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Slots for so many elements, any of which takes any element: a FIFO, a hold register, a gearbox, or a store with
    /// a table of addresses.
    Elements(usize),
    /// So many slots in a circle, that are released in the order of production: a ring, a line buffer.
    Ring(usize),
    /// An element is at its coordinates modulo these numbers.
    InPlace(Vec<i64>),
    /// So many blocks of the equal blocks into which the writes fall; a block is read when it is complete, and written
    /// when all of the one before in its place was read.
    Blocks {
        /// Number of blocks that there is room for.
        count: usize,
        /// Number of blocks into which the writes fall.
        epochs: usize,
    },
}

/// Ends of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Everything was written and read.
    Completed,
    /// Nothing can go on.
    Deadlock {
        /// Writes that were made.
        written: usize,
        /// Events that each consumer has executed.
        executed: Vec<usize>,
    },
    /// An event found another element in a slot than it looked for; no storage above should allow that.
    WrongElement {
        /// Consumer whose event it is.
        consumer: u32,
        /// Element that it looked for.
        element: Vec<i64>,
    },
}

/// Reasons why nothing is run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExecuteError {
    /// More events than should be enumerated.
    #[error("{0}")]
    Events(#[from] EventsError),
    /// Blocks into which the writes do not fall.
    #[error("{writes} writes do not fall into {epochs} equal blocks")]
    Blocks {
        /// Number of writes.
        writes: usize,
        /// Number of blocks.
        epochs: usize,
    },
    /// Moduli for another number of dimensions, or one below 1.
    #[error("the moduli are {0:?}, must be one of at least 1 for each dimension")]
    Moduli(Vec<i64>),
    /// A consumer that is not there.
    #[error("there is no consumer {0}")]
    NoConsumer(u32),
    /// More states than should be explored.
    #[error("exploring needs more than {0} states")]
    States(usize),
}

/// Runs a checked fork whose consumers `readers` share a buffer; the others read from stores without a limit.
///
/// # Errors
///
/// If there is too much to enumerate, or the storage does not go with the tensor.
pub fn execute(fork: &Fork, readers: &[ConsumerId], storage: &Storage, limit: u128) -> Result<Outcome, ExecuteError> {
    let machine = Machine::new(fork, readers, storage, limit)?;
    let mut state = machine.start();
    let mut memory = machine.memory();
    while let Some(step) = machine.possible(&state).into_iter().next() {
        if let Step::Event(consumer) = step {
            if let Some(element) = machine.misread(&state, consumer, &memory) {
                return Ok(Outcome::WrongElement {
                    consumer: consumer as u32,
                    element,
                });
            }
        } else {
            machine.store(&state, &mut memory);
        }
        state = machine.after(&state, step);
    }
    Ok(machine.outcome(&state))
}

/// All outcomes of all interleavings, by a search through all states.
///
/// # Errors
///
/// As [`execute`], and if there are more states than `most`.
pub fn explore(
    fork: &Fork,
    readers: &[ConsumerId],
    storage: &Storage,
    most: usize,
) -> Result<BTreeSet<Outcome>, ExecuteError> {
    let machine = Machine::new(fork, readers, storage, most as u128)?;
    let mut seen = BTreeSet::from([machine.start()]);
    let mut open = vec![machine.start()];
    let mut outcomes = BTreeSet::new();
    while let Some(state) = open.pop() {
        let steps = machine.possible(&state);
        if steps.is_empty() {
            outcomes.insert(machine.outcome(&state));
        }
        for step in steps {
            let next = machine.after(&state, step);
            if seen.len() >= most {
                return Err(ExecuteError::States(most));
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    Ok(outcomes)
}
