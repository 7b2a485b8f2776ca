//! The parties and the buffer; a state is how far each party is.

use std::collections::BTreeMap;

use super::{ExecuteError, Outcome, Storage};
use crate::fork::{ConsumerId, Fork};
use crate::order::{Event, events};

type Element = Vec<i64>;

/// Writes that were made, and events that each consumer has executed.
pub(super) type State = (usize, Vec<usize>);

/// Next step of a party.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Write,
    Event(usize),
}

/// Elements by slot.
pub(super) type Memory = BTreeMap<Vec<i64>, Element>;

pub(super) struct Machine<'f> {
    fork: &'f Fork,
    storage: &'f Storage,
    is_reader: Vec<bool>,
    /// Elements of each write that remains.
    writes: Vec<Vec<Element>>,
    /// Write that an element is part of, and its place in the order of production.
    written: BTreeMap<Element, (usize, usize)>,
    consumers: Vec<Vec<Event>>,
    /// For each reader the last event on each element.
    last: Vec<BTreeMap<Element, usize>>,
    /// For each event the number of events of the consumer of its gate that must be executed.
    awaited: Vec<Vec<usize>>,
}

impl<'f> Machine<'f> {
    pub(super) fn new(
        fork: &'f Fork,
        readers: &[ConsumerId],
        storage: &'f Storage,
        limit: u128,
    ) -> Result<Machine<'f>, ExecuteError> {
        let writes = final_writes(&events(&fork.producer, &fork.tensor, limit)?);
        let mut written = BTreeMap::new();
        for (write, elements) in writes.iter().enumerate() {
            for element in elements {
                written.insert(element.clone(), (write, written.len()));
            }
        }
        let consumers = fork
            .consumers
            .iter()
            .map(|consumer| events(&consumer.order, &fork.tensor, limit));
        let consumers: Vec<Vec<Event>> = consumers.collect::<Result<_, _>>()?;
        if let Some(missing) = readers.iter().find(|id| id.index() >= consumers.len()) {
            return Err(ExecuteError::NoConsumer(missing.0));
        }
        match storage {
            Storage::Blocks { epochs, .. } if *epochs == 0 || !writes.len().is_multiple_of(*epochs) => {
                return Err(ExecuteError::Blocks {
                    writes: writes.len(),
                    epochs: *epochs,
                });
            }
            Storage::InPlace(moduli) if moduli.len() != fork.tensor.len() || moduli.iter().any(|&m| m < 1) => {
                return Err(ExecuteError::Moduli(moduli.clone()));
            }
            _ => {}
        }
        let last = consumers.iter().map(|events| {
            let numbered = events.iter().enumerate();
            numbered
                .flat_map(|(at, event)| event.elements.iter().map(move |element| (element.clone(), at)))
                .collect()
        });
        let awaited = (0..consumers.len()).map(|at| awaited(fork, &consumers, at)).collect();
        Ok(Machine {
            fork,
            storage,
            is_reader: fork.ids().map(|id| readers.contains(&id)).collect(),
            writes,
            written,
            last: last.collect(),
            consumers,
            awaited,
        })
    }

    pub(super) fn start(&self) -> State {
        (0, vec![0; self.consumers.len()])
    }

    pub(super) fn after(&self, state: &State, step: Step) -> State {
        let mut next = state.clone();
        match step {
            Step::Write => next.0 += 1,
            Step::Event(consumer) => next.1[consumer] += 1,
        }
        next
    }

    /// All steps that some party can take.
    pub(super) fn possible(&self, state: &State) -> Vec<Step> {
        let mut steps = Vec::new();
        if state.0 < self.writes.len() && self.has_room(state) {
            steps.push(Step::Write);
        }
        for (consumer, &next) in state.1.iter().enumerate() {
            let Some(event) = self.consumers[consumer].get(next) else {
                continue;
            };
            let is_open = self.fork.consumers[consumer]
                .gate
                .is_none_or(|gate| self.awaited[consumer][next] <= state.1[gate.on.index()]);
            if is_open
                && event
                    .elements
                    .iter()
                    .all(|element| self.is_there(state, consumer, element))
            {
                steps.push(Step::Event(consumer));
            }
        }
        steps
    }

    pub(super) fn outcome(&self, state: &State) -> Outcome {
        let reads = self.consumers.iter().zip(&state.1);
        if state.0 == self.writes.len() && reads.clone().all(|(events, &executed)| executed == events.len()) {
            return Outcome::Completed;
        }
        Outcome::Deadlock {
            written: state.0,
            executed: state.1.clone(),
        }
    }

    fn is_there(&self, state: &State, consumer: usize, element: &Element) -> bool {
        let Some(&(write, _)) = self.written.get(element) else {
            return false;
        };
        match self.storage {
            // Only whole blocks are handed over.
            Storage::Blocks { epochs, .. } if self.is_reader[consumer] => {
                let length = self.writes.len() / epochs;
                (write / length + 1) * length <= state.0
            }
            _ => write < state.0,
        }
    }

    /// Tells whether some reader has not yet executed its last event on an element.
    fn is_needed(&self, state: &State, element: &Element) -> bool {
        let mut readers = (0..self.consumers.len()).filter(|&at| self.is_reader[at]);
        readers.any(|at| self.last[at].get(element).is_some_and(|&last| last >= state.1[at]))
    }

    /// Written elements that are needed, in the order of production.
    fn held(&self, state: &State) -> impl Iterator<Item = &Element> {
        self.writes[..state.0]
            .iter()
            .flatten()
            .filter(|element| self.is_needed(state, element))
    }

    fn has_room(&self, state: &State) -> bool {
        let next = &self.writes[state.0];
        match self.storage {
            Storage::Elements(slots) => self.held(state).count() + next.len() <= *slots,
            Storage::Ring(slots) => {
                let oldest = self
                    .held(state)
                    .chain(next)
                    .next()
                    .map_or(0, |element| self.written[element].1);
                let end = next.last().map_or(0, |element| self.written[element].1 + 1);
                end - oldest <= *slots
            }
            Storage::InPlace(_) => {
                let mut taken: Vec<Vec<i64>> = self.held(state).chain(next).map(|e| self.slot(e)).collect();
                let all = taken.len();
                taken.sort_unstable();
                taken.dedup();
                taken.len() == all
            }
            Storage::Blocks { count, epochs } => {
                let length = self.writes.len() / epochs;
                let block = state.0 / length;
                let before = block.checked_sub(*count);
                *count > 0
                    && before.is_none_or(|before| {
                        let elements = self.writes[before * length..(before + 1) * length].iter().flatten();
                        elements.into_iter().all(|element| !self.is_needed(state, element))
                    })
            }
        }
    }

    /// Slot of an element.
    fn slot(&self, element: &Element) -> Vec<i64> {
        let (write, place) = self.written[element];
        match self.storage {
            Storage::Elements(_) => element.clone(),
            Storage::Ring(slots) => vec![(place % (*slots).max(1)) as i64],
            Storage::InPlace(moduli) => element.iter().zip(moduli).map(|(x, modulus)| x % modulus).collect(),
            Storage::Blocks { count, epochs } => {
                let length = self.writes.len() / epochs;
                let first = self.written[&self.writes[write / length * length][0]].1;
                vec![(write / length % (*count).max(1)) as i64, (place - first) as i64]
            }
        }
    }

    pub(super) fn memory(&self) -> Memory {
        Memory::new()
    }

    /// Puts the elements of the next write where they belong.
    pub(super) fn store(&self, state: &State, memory: &mut Memory) {
        for element in &self.writes[state.0] {
            memory.insert(self.slot(element), element.clone());
        }
    }

    /// An element of a reader's next event that is not in its slot.
    pub(super) fn misread(&self, state: &State, consumer: usize, memory: &Memory) -> Option<Element> {
        let event = &self.consumers[consumer][state.1[consumer]];
        let mut elements = event.elements.iter().filter(|_| self.is_reader[consumer]);
        elements
            .find(|element| memory.get(&self.slot(element)) != Some(element))
            .cloned()
    }
}

/// Elements by the last event that writes them; events that write nothing in the end are left out.
fn final_writes(producer: &[Event]) -> Vec<Vec<Element>> {
    let mut done: BTreeMap<Element, ()> = BTreeMap::new();
    let mut writes: Vec<Vec<Element>> = Vec::new();
    for event in producer.iter().rev() {
        let remaining = event
            .elements
            .iter()
            .filter(|element| done.insert((*element).clone(), ()).is_none());
        let remaining: Vec<Element> = remaining.cloned().collect();
        if !remaining.is_empty() {
            writes.push(remaining);
        }
    }
    writes.reverse();
    writes
}

fn awaited(fork: &Fork, consumers: &[Vec<Event>], at: usize) -> Vec<usize> {
    let Some(gate) = fork.consumers[at].gate else {
        return Vec::new();
    };
    let mut end_of: BTreeMap<&[i64], usize> = BTreeMap::new();
    for (number, event) in consumers[gate.on.index()].iter().enumerate() {
        end_of.insert(&event.indices[..gate.prefix], number + 1);
    }
    let ends = consumers[at]
        .iter()
        .map(|event| end_of.get(&event.indices[..gate.prefix]).copied().unwrap_or(0));
    ends.collect()
}
