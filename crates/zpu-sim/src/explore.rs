//! The search through all orders in which recorded commands can take effect.
//!
//! A state is the progress of the control stream and of each engine, with the contents of memory. Two kinds of moves
//! need no alternative: the stream issues a command or goes through a wait that is fulfilled, which touches no memory
//! and disables nothing; and an engine touches bytes that no other access conflicts with. All other moves are tried in
//! every order. Equal states are visited once.
//!
//! Invariant: besides the bytes, each state carries the move that wrote each piece of memory last, and the sum over all
//! moves of the writers that they found there. That sum depends on the order of conflicting accesses and on nothing
//! else, so two of them at the same place are two orders that some command can tell apart. As long as there are no two,
//! every move does in all orders what it did when the run was recorded; that question alone needs no bytes.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use zpu_device::Device;

use crate::execute::Scratch;
use crate::fault::Fault;
use crate::hazard::Accessor;
use crate::memory::{BufferId, Memory};
use crate::plan::Plan;
use crate::program::LocationId;
use crate::recording::Event;

/// Moves that led to a state, the last one first.
#[derive(Debug)]
struct Path {
    before: Option<Rc<Path>>,
    accessor: Rc<Accessor>,
    writes: bool,
}

/// Bytes that an effect has computed and not yet written.
type Held = Vec<(BufferId, usize, Vec<u8>)>;

#[derive(Clone, Debug)]
struct State {
    /// Events that the stream is done with.
    event: usize,
    /// By engine: commands issued, moves done.
    issued: Vec<usize>,
    done: Vec<usize>,
    contents: Vec<Rc<Vec<u8>>>,
    /// Hash of each buffer's contents.
    hashes: Vec<u64>,
    held: Vec<Option<Rc<Held>>>,
    /// By piece: the move that wrote it last. By engine: a hash of the data that its effect has read.
    writers: Vec<u64>,
    read: Vec<u64>,
    /// Sum over all moves of what they found.
    seen: u64,
    /// The results that the caller got.
    returned: Option<Rc<Vec<Rc<Vec<u8>>>>>,
    result: u64,
    path: Option<Rc<Path>>,
}

/// One end of the program.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) contents: Vec<Rc<Vec<u8>>>,
    pub(crate) path: Vec<(Rc<Accessor>, bool)>,
}

/// A difference between two orders.
#[derive(Debug)]
pub(crate) enum Found {
    Contents {
        first: End,
        other: End,
    },
    Read {
        location: LocationId,
        first: Vec<u8>,
        other: Vec<u8>,
        path: Vec<(Rc<Accessor>, bool)>,
    },
    QueueFull {
        engine: usize,
        accessor: Rc<Accessor>,
    },
    Fault {
        fault: Fault,
        location: LocationId,
    },
}

/// The search.
#[derive(Debug)]
pub(crate) struct Explorer<'a> {
    events: &'a [Event],
    plan: Plan,
    memory: Memory,
    /// Effects are applied; if not, states carry only which move found what of whom.
    contents: bool,
    scratch: Scratch,
    visited: HashSet<u64>,
    /// The sums of found writers, by the progress of all.
    seen: HashMap<u64, u64>,
    end: Option<(u64, State)>,
    pub(crate) states: u64,
    pub(crate) complete: bool,
    pub(crate) order_matters: bool,
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl<'a> Explorer<'a> {
    /// Prepares the search from `memory` on; without `contents` it ends when the order matters.
    pub(crate) fn new(events: &'a [Event], device: &Device, memory: Memory, contents: bool) -> Self {
        Self {
            events,
            plan: Plan::new(events, device, &memory),
            memory,
            contents,
            scratch: Scratch::default(),
            visited: HashSet::new(),
            seen: HashMap::new(),
            end: None,
            states: 0,
            complete: true,
            order_matters: false,
        }
    }

    /// Gives the memory back, for the rest of the program.
    pub(crate) fn into_memory(self) -> Memory {
        self.memory
    }

    /// Looks at so many states, or at all; the first thing that depends on the order.
    pub(crate) fn explore(&mut self, most: u64) -> Option<Found> {
        let buffers = self.memory.buffers.iter().filter(|_| self.contents);
        let contents: Vec<Rc<Vec<u8>>> = buffers.map(|buffer| Rc::new(buffer.bytes.to_vec())).collect();
        let engines = self.plan.engines.len();
        let mut open = vec![State {
            event: 0,
            issued: vec![0; engines],
            done: vec![0; engines],
            hashes: contents.iter().map(hash).collect(),
            contents,
            held: vec![None; engines],
            writers: vec![0; self.plan.pieces],
            read: vec![0; engines],
            seen: 0,
            returned: None,
            result: 0,
            path: None,
        }];
        while let Some(mut state) = open.pop() {
            if let Err(found) = self.go_on(&mut state) {
                return Some(*found);
            }
            let place = hash((state.event, &state.done, &state.issued));
            self.order_matters |= *self.seen.entry(place).or_insert(state.seen) != state.seen;
            if self.order_matters && !self.contents {
                self.complete = false;
                return None;
            }
            let held: Vec<u64> = state.held.iter().map(hash).collect();
            if !self.visited.insert(hash((place, &state.hashes, held, state.result))) {
                continue;
            }
            if self.states == most {
                self.complete = false;
                return None;
            }
            self.states += 1;
            if state.event == self.events.len() && self.in_flight(&state).is_empty() {
                if let Some(found) = self.ended(state) {
                    return Some(found);
                }
                continue;
            }
            if let Err(found) = self.branch(state, &mut open) {
                return Some(*found);
            }
        }
        None
    }

    /// Engines that have something to do.
    fn in_flight(&self, state: &State) -> Vec<usize> {
        let issued = |engine: &usize| match state.issued[*engine] {
            0 => 0,
            commands => self.plan.engines[*engine].ends[commands - 1],
        };
        let engines = (0..self.plan.engines.len()).filter(|engine| state.done[*engine] < issued(engine));
        engines.collect()
    }

    /// Makes all moves that need no alternative.
    fn go_on(&mut self, state: &mut State) -> Result<(), Box<Found>> {
        loop {
            let private = self
                .in_flight(state)
                .into_iter()
                .find(|engine| self.plan.engines[*engine].moves[state.done[*engine]].private);
            if let Some(engine) = private {
                self.step(state, engine)?;
                continue;
            }
            match self.events.get(state.event) {
                Some(Event::Issue { engine, .. }) if self.plan.engines[*engine].depth.is_none() => {
                    state.issued[*engine] += 1;
                    state.event += 1;
                }
                Some(Event::Wait { engine, sequence }) if self.is_complete(state, *engine, *sequence) => {
                    state.event += 1;
                }
                _ => return Ok(()),
            }
        }
    }

    fn is_complete(&self, state: &State, engine: usize, sequence: u64) -> bool {
        let end = (sequence as usize)
            .checked_sub(1)
            .and_then(|last| self.plan.engines[engine].ends.get(last));
        end.is_none_or(|end| state.done[engine] >= *end)
    }

    /// All states that may come next.
    fn branch(&mut self, mut state: State, open: &mut Vec<State>) -> Result<(), Box<Found>> {
        let engines = self.in_flight(&state);
        let mut next = Vec::new();
        for engine in engines {
            let mut other = state.clone();
            self.step(&mut other, engine)?;
            next.push(other);
        }
        if !matches!(self.events.get(state.event), None | Some(Event::Wait { .. })) {
            self.stream(&mut state)?;
            open.push(state);
        }
        open.extend(next);
        Ok(())
    }

    /// The stream's next event, which is no wait.
    fn stream(&mut self, state: &mut State) -> Result<(), Box<Found>> {
        let number = state.event;
        state.event += 1;
        let touched = &self.plan.touched[number];
        let look = |state: &mut State| {
            let found: Vec<u64> = touched.iter().map(|piece| state.writers[*piece]).collect();
            state.seen = state.seen.wrapping_add(hash((number, found)));
        };
        let overwrite = |state: &mut State| {
            for piece in touched {
                state.writers[*piece] = hash((number, piece));
            }
        };
        match &self.events[number] {
            Event::Wait { .. } => {}
            Event::Issue { engine, accessor, .. } => {
                let plan = &self.plan.engines[*engine];
                let complete = plan.ends.partition_point(|end| *end <= state.done[*engine]);
                if plan
                    .depth
                    .is_some_and(|depth| state.issued[*engine] - complete >= depth)
                {
                    return Err(Box::new(Found::QueueFull {
                        engine: *engine,
                        accessor: Rc::clone(accessor),
                    }));
                }
                state.issued[*engine] += 1;
            }
            Event::Load {
                buffer,
                footprint,
                bytes,
                location,
            } => {
                look(state);
                if !self.contents {
                    return Ok(());
                }
                let start = footprint.start as usize;
                let now = &state.contents[buffer.place()][start..start + bytes.len()];
                if now != bytes {
                    return Err(Box::new(Found::Read {
                        location: *location,
                        first: bytes.clone(),
                        other: now.to_vec(),
                        path: path(state),
                    }));
                }
            }
            Event::Store {
                buffer,
                footprint,
                bytes,
            } => {
                look(state);
                overwrite(state);
                if self.contents {
                    write(state, *buffer, footprint.start as usize, bytes);
                }
            }
            Event::Free { .. } => {
                look(state);
                overwrite(state);
            }
            Event::Return { buffers } => {
                look(state);
                overwrite(state);
                if !self.contents {
                    return Ok(());
                }
                state.returned = Some(Rc::new(state.contents.clone()));
                state.result = hash(buffers.iter().map(|id| state.hashes[id.place()]).collect::<Vec<_>>());
            }
        }
        Ok(())
    }

    /// An engine's next move.
    fn step(&mut self, state: &mut State, engine: usize) -> Result<(), Box<Found>> {
        let each = &self.plan.engines[engine].moves[state.done[engine]];
        state.done[engine] += 1;
        let Some((event, place)) = each.effect else {
            return Ok(());
        };
        let Event::Issue { effects, accessor, .. } = &self.events[event] else {
            return Ok(());
        };
        state.path = Some(Rc::new(Path {
            before: state.path.take(),
            accessor: Rc::clone(accessor),
            writes: each.writes,
        }));
        let found: Vec<u64> = each.pieces.iter().map(|piece| state.writers[*piece]).collect();
        let found = hash((event, place, each.writes, found));
        state.seen = state.seen.wrapping_add(found);
        if each.writes {
            for piece in &each.pieces {
                state.writers[*piece] = hash((event, place, piece, state.read[engine]));
            }
            for (buffer, start, bytes) in state.held[engine].take().iter().flat_map(|held| held.iter()) {
                write(state, *buffer, *start, bytes);
            }
            return Ok(());
        }
        state.read[engine] = found;
        if !self.contents {
            return Ok(());
        }
        let effect = &effects[place];
        effect.for_each_operand(|view, _, _, _| {
            let index = view.buffer.place();
            self.memory.buffers[index].bytes.copy_from_slice(&state.contents[index]);
        });
        if let Err(fault) = effect.apply(&mut self.memory, &mut self.scratch) {
            return Err(Box::new(Found::Fault {
                fault,
                location: effect.location,
            }));
        }
        let mut held = Held::new();
        effect.for_each_operand(|view, footprint, _, write| {
            let buffer = view.buffer;
            for (start, end) in footprint.intervals().into_iter().filter(|_| write) {
                let (start, end) = (start as usize, end as usize);
                held.push((
                    buffer,
                    start,
                    self.memory.buffers[buffer.place()].bytes[start..end].to_vec(),
                ));
            }
        });
        state.held[engine] = Some(Rc::new(held));
        Ok(())
    }

    /// Compares an end with the first one.
    fn ended(&mut self, state: State) -> Option<Found> {
        let Some((first, before)) = &self.end else {
            self.end = Some((state.result, state));
            return None;
        };
        if *first == state.result {
            return None;
        }
        let end = |state: &State| End {
            contents: state.returned.as_deref().cloned().unwrap_or_default(),
            path: path(state),
        };
        Some(Found::Contents {
            first: end(before),
            other: end(&state),
        })
    }
}

fn write(state: &mut State, buffer: BufferId, start: usize, bytes: &[u8]) {
    let index = buffer.place();
    let contents = Rc::make_mut(&mut state.contents[index]);
    contents[start..start + bytes.len()].copy_from_slice(bytes);
    state.hashes[index] = hash(&*contents);
}

/// The moves that led to a state, the first one first; of an operation that reads and writes at once, that it writes.
fn path(state: &State) -> Vec<(Rc<Accessor>, bool)> {
    let all = std::iter::successors(state.path.as_deref(), |path| path.before.as_deref());
    let mut path: Vec<(Rc<Accessor>, bool)> = all.map(|path| (Rc::clone(&path.accessor), path.writes)).collect();
    path.reverse();
    path
}
