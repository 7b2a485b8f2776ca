//! A whole run as a scheduling problem: its commands, what each could cost where, what orders them, and the storage
//! that they share.
//!
//! Buffers of the program are renamed: bytes that a command overwrites without reading them are new storage. Bytes stay
//! in one storage if one command updates them in place, or if one operand reads them together. Within a storage, the
//! order of writes and of reads that they overwrite holds; so it does in the caller's buffers and in constants, which
//! are where they are.
//!
//! Invariant: carried out in any order that respects these dependences, with every storage of its own bytes, the
//! commands compute what they computed in the run. The stream's own loads and stores are not part of it; their number
//! is given.

use std::collections::{BTreeMap, HashMap};

use crate::choices::Choices;
use crate::footprint::Footprint;
use crate::intervals::IntervalMap;
use crate::memory::BufferId;
use crate::program::SpaceId;

/// A run as a problem. Commands and storages are named by their places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WholeRun {
    /// Different pieces of work: for each the engines that can do it.
    pub works: Vec<Vec<Way>>,
    /// The commands, in the order in which they were issued.
    pub commands: Vec<RunCommand>,
    /// The storage that commands share, without the buffers of the caller and constants.
    pub storages: Vec<Storage>,
    /// By memory space: bytes of the caller's buffers and of constants.
    pub resident: Vec<u64>,
    /// By memory space: the bytes that commands move.
    pub traffic: Vec<Traffic>,
    /// Loads and stores of the stream itself, which are left out.
    pub own_accesses: u64,
}

/// Bytes that commands read in a memory space or write there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// All of them, as often as they are read or written.
    pub moved: u64,
    /// Those that no program can leave out: in the caller's buffers and in constants, each byte once that is read as it
    /// was before the run, and each byte once that is written.
    pub compulsory: u64,
}

/// An engine that could do a piece of work. Times are cycles.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The engine's place in the device.
    pub engine: usize,
    /// Start latency, during which it does not take the engine.
    pub start_latency: u64,
    /// Cycles on the engine that sharing does not stretch.
    pub alone: u64,
    /// Further cycles if it is alone on its links.
    pub shared: u64,
    /// Bytes a cycle that it takes of its links meanwhile.
    pub rate: f64,
    /// The places of these links in the device.
    pub links: Vec<usize>,
}

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCommand {
    /// Operation and place, for people.
    pub name: String,
    /// Its piece of work.
    pub work: usize,
    /// Commands that it comes after.
    pub after: Vec<u32>,
    /// The engine that did it, by its place in the device.
    pub engine: usize,
}

/// Bytes that some commands share.
#[derive(Clone, Debug, PartialEq)]
pub struct Storage {
    /// Bytes, not aligned: parts of one buffer may be storages of their own.
    pub bytes: u64,
    /// The place of its memory space in the device.
    pub space: usize,
    /// Commands that write to it or read from it, ascending.
    pub commands: Vec<u32>,
}

/// The effect of a command on the bytes of one operand.
#[derive(Clone, Debug)]
pub(crate) struct Touched {
    pub(crate) buffer: BufferId,
    pub(crate) footprint: Footprint,
    pub(crate) read: bool,
    pub(crate) write: bool,
    /// Bytes of the buffer.
    pub(crate) bytes: u64,
    /// Place of the memory space.
    pub(crate) space: usize,
    /// The buffer cannot be renamed.
    pub(crate) fixed: bool,
}

/// The contents of some bytes.
#[derive(Clone, Debug)]
struct Contents {
    value: usize,
    writer: u32,
    readers: Vec<u32>,
}

impl Contents {
    fn is_of_caller(&self) -> bool {
        self.writer == NOBODY
    }
}

/// What was written by one command at once, or stands for bytes that no command wrote.
#[derive(Clone, Debug)]
struct ValueOf {
    /// Another value with the same storage, or itself.
    parent: usize,
    bytes: u64,
    /// First byte, and one past the last one.
    hull: (u64, u64),
    space: usize,
    commands: Vec<u32>,
    fixed: bool,
}

/// An order that holds if two values share their storage.
#[derive(Clone, Copy, Debug)]
struct IfShared {
    values: (usize, usize),
    from: u32,
    to: u32,
}

/// The key that tells two pieces of work apart.
pub(crate) type WorkKey = (Choices, Option<(SpaceId, SpaceId)>);

/// The writer of bytes that no command wrote.
const NOBODY: u32 = u32::MAX;

/// The recording of a run.
#[derive(Debug, Default)]
pub(crate) struct RunRecorder {
    run: WholeRun,
    /// Numbers of works. Only looked up, never iterated, so that hashing decides nothing.
    works: HashMap<WorkKey, usize>,
    /// By place of a buffer.
    contents: BTreeMap<usize, IntervalMap<Contents>>,
    values: Vec<ValueOf>,
    if_shared: Vec<IfShared>,
}

impl RunRecorder {
    /// The number of some work, which takes these ways if it is new.
    pub(crate) fn work(&mut self, key: WorkKey, ways: impl FnOnce() -> Vec<Way>) -> usize {
        *self.works.entry(key).or_insert_with(|| {
            self.run.works.push(ways());
            self.run.works.len() - 1
        })
    }

    /// Adds a command. `before` is a command that it comes after whatever it reads.
    pub(crate) fn add(
        &mut self,
        name: String,
        engine: usize,
        work: usize,
        touched: &[Touched],
        before: Option<u32>,
    ) -> u32 {
        let number = self.run.commands.len() as u32;
        let mut after: Vec<u32> = before.into_iter().collect();
        let reads = touched.iter().filter(|touched| touched.read);
        for operand in reads {
            let values = self.read(number, operand, &mut after);
            // One operand is in one piece.
            values.windows(2).for_each(|pair| self.join(pair[0], pair[1]));
        }
        for operand in touched.iter().filter(|touched| touched.write) {
            self.write(number, operand, &mut after);
        }
        after.retain(|command| *command != number && *command != NOBODY);
        after.sort_unstable();
        after.dedup();
        self.run.commands.push(RunCommand {
            name,
            work,
            after,
            engine,
        });
        number
    }

    fn count(&mut self, space: usize, traffic: Traffic) {
        let all = &mut self.run.traffic;
        all.resize(all.len().max(space + 1), Traffic::default());
        all[space].moved = all[space].moved.saturating_add(traffic.moved);
        all[space].compulsory += traffic.compulsory;
    }

    /// The contents of an operand's buffer.
    fn contents_of(&mut self, operand: &Touched) -> &mut IntervalMap<Contents> {
        let place = operand.buffer.place();
        if operand.fixed && !self.contents.contains_key(&place) {
            // The caller wrote all of it, and what it wrote may be read and then overwritten.
            let value = self.values.len();
            self.values.push(ValueOf {
                parent: value,
                bytes: operand.bytes,
                hull: (0, operand.bytes),
                space: operand.space,
                commands: Vec::new(),
                fixed: true,
            });
            let contents = Contents {
                value,
                writer: NOBODY,
                readers: Vec::new(),
            };
            self.contents
                .entry(place)
                .or_default()
                .set((0, operand.bytes), contents);
        }
        self.contents.entry(place).or_default()
    }

    /// An operand is read; the values of its bytes.
    fn read(&mut self, number: u32, operand: &Touched, after: &mut Vec<u32>) -> Vec<usize> {
        let map = self.contents_of(operand);
        let mut values = Vec::new();
        let mut traffic = Traffic::default();
        for run in operand.footprint.runs().iter() {
            traffic.moved += run.1 - run.0;
            map.change(*run, |contents, bytes| {
                if operand.fixed && contents.is_of_caller() && contents.readers.is_empty() {
                    traffic.compulsory += bytes;
                }
                after.push(contents.writer);
                contents.readers.push(number);
                values.push(contents.value);
            });
        }
        self.count(operand.space, traffic);
        values.sort_unstable();
        values.dedup();
        for value in &values {
            let commands = &mut self.values[*value].commands;
            if commands.last() != Some(&number) {
                commands.push(number);
            }
        }
        values
    }

    /// An operand is written.
    fn write(&mut self, number: u32, operand: &Touched, after: &mut Vec<u32>) {
        let hull = (operand.footprint.start, operand.footprint.end);
        let value = self.values.len();
        let runs = operand.footprint.runs();
        self.values.push(ValueOf {
            parent: value,
            bytes: runs.iter().map(|(start, end)| end - start).sum(),
            hull,
            space: operand.space,
            commands: vec![number],
            fixed: operand.fixed,
        });
        let map = self.contents_of(operand);
        let old: Vec<Contents> = runs.iter().flat_map(|run| map.values(*run)).cloned().collect();
        let mut traffic = Traffic::default();
        for run in runs.iter() {
            traffic.moved += run.1 - run.0;
            map.change(*run, |contents, bytes| {
                if operand.fixed && contents.is_of_caller() {
                    traffic.compulsory += bytes;
                }
            });
        }
        let new = Contents {
            value,
            writer: number,
            readers: Vec::new(),
        };
        runs.iter().for_each(|run| map.set(*run, new.clone()));
        self.count(operand.space, traffic);
        for contents in old {
            let is_update = contents.readers.contains(&number) || contents.writer == number;
            if is_update || operand.fixed {
                self.join(value, contents.value);
            }
            let others = contents.readers.iter().filter(|reader| **reader != number);
            for from in others.chain([&contents.writer]) {
                if is_update || operand.fixed {
                    after.push(*from);
                } else {
                    self.if_shared.extend((*from != NOBODY).then_some(IfShared {
                        values: (contents.value, value),
                        from: *from,
                        to: number,
                    }));
                }
            }
        }
    }

    /// The stream itself reads or writes.
    pub(crate) fn own_access(&mut self) {
        self.run.own_accesses += 1;
    }

    /// Bytes that the stream itself writes come from no command any more.
    pub(crate) fn own_write(&mut self, buffer: BufferId, footprint: &Footprint) {
        if let Some(map) = self.contents.get_mut(&buffer.place()) {
            footprint.runs().iter().for_each(|run| map.clear(*run));
        }
    }

    /// A buffer is gone.
    pub(crate) fn forget(&mut self, buffer: BufferId) {
        self.contents.remove(&buffer.place());
    }

    fn root(&mut self, value: usize) -> usize {
        let mut at = value;
        while self.values[at].parent != at {
            let next = self.values[self.values[at].parent].parent;
            self.values[at].parent = next;
            at = next;
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        let (first, second) = (one.min(other), one.max(other));
        self.values[second].parent = first;
    }

    /// The problem; `resident` are bytes of buffers that are where they are, by space.
    pub(crate) fn finish(mut self, resident: Vec<u64>) -> WholeRun {
        for order in std::mem::take(&mut self.if_shared) {
            if self.root(order.values.0) == self.root(order.values.1) {
                self.run.commands[order.to as usize].after.push(order.from);
            }
        }
        for command in &mut self.run.commands {
            command.after.sort_unstable();
            command.after.dedup();
        }
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for value in 0..self.values.len() {
            let root = self.root(value);
            groups.entry(root).or_default().push(value);
        }
        for members in groups.into_values() {
            let values: Vec<&ValueOf> = members.iter().map(|member| &self.values[*member]).collect();
            if values.iter().any(|value| value.fixed) {
                continue;
            }
            let start = values.iter().map(|value| value.hull.0).min().unwrap_or(0);
            let end = values.iter().map(|value| value.hull.1).max().unwrap_or(0);
            let sum = values.iter().fold(0u64, |sum, value| sum.saturating_add(value.bytes));
            let bytes = sum.min(end - start);
            let first = values[0];
            let mut commands: Vec<u32> = values.iter().flat_map(|value| value.commands.iter().copied()).collect();
            commands.sort_unstable();
            commands.dedup();
            self.run.storages.push(Storage {
                bytes,
                space: first.space,
                commands,
            });
        }
        self.run.traffic.resize(resident.len(), Traffic::default());
        self.run.resident = resident;
        self.run
    }
}
