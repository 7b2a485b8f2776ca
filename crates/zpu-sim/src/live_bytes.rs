//! The bytes of each memory that are alive over a run: what a plan of addresses has to find room for.
//!
//! Bytes of a buffer live from the issue of the command that first writes them to the point where the control stream
//! knows that the last command that accesses them is complete; a write after that begins another life. So a buffer that
//! is allocated and not used, or that waits for its next contents, counts nothing. These are the lives of
//! `zpu-print-liveness` as they happen, and of a program with addresses the most that is alive is never more than it
//! says.
//!
//! Invariant: a byte counts once, however many buffers have it. Where an engine does its commands in order, one may
//! write what an earlier one still reads, and two buffers of one address are in use.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use zpu_device::Device;

use crate::footprint::Footprint;
use crate::memory::BufferId;
use crate::program::SpaceId;

/// The bytes of a memory that are alive from a cycle on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveBytes {
    /// The memory's place in the device.
    pub memory: usize,
    /// The cycle.
    pub cycle: u64,
    /// The bytes.
    pub bytes: u64,
}

/// A point of the control stream: the number of what it did, which is even, and the cycle. A life ends after such a
/// point and before the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    number: u64,
    cycle: u64,
}

/// A run of bytes with one life.
#[derive(Clone, Debug)]
struct Part {
    end: u64,
    birth: Point,
    /// The last access that is complete where it is made.
    last: Point,
    /// By engine: the last of its commands that access it.
    commands: Vec<(usize, u64)>,
}

/// A change of the bytes of a memory that are alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    at: Point,
    memory: usize,
    bytes: i64,
}

/// The bytes that are alive in a run, so far.
#[derive(Debug)]
pub(crate) struct Lives {
    is_on_chip: Vec<bool>,
    here: Point,
    /// By engine: commands up to which the stream knows that they are complete, with the point from which on it does.
    known: Vec<Vec<(u64, Point)>>,
    parts: FxHashMap<BufferId, (SpaceId, BTreeMap<u64, Part>)>,
    changes: Vec<Change>,
}

impl Lives {
    pub(crate) fn new(device: &Device) -> Self {
        let memories = device.memories.iter();
        Self {
            is_on_chip: memories.map(|memory| !device.is_off_chip(&memory.name)).collect(),
            here: Point::default(),
            known: vec![Vec::new(); device.engines.len()],
            parts: FxHashMap::default(),
            changes: Vec::new(),
        }
    }

    /// The control stream does something in this cycle.
    pub(crate) fn step(&mut self, cycle: u64) {
        self.here = Point {
            number: self.here.number + 2,
            cycle,
        };
    }

    /// It knows in this cycle that a command of an engine is complete, and so are all before it.
    pub(crate) fn complete(&mut self, engine: usize, sequence: u64, cycle: u64) {
        self.step(cycle);
        let known = &mut self.known[engine];
        if known.last().is_none_or(|(last, _)| *last < sequence) {
            known.push((sequence, self.here));
        }
    }

    /// An access by a command of an engine, or by the control stream itself, at the present point.
    pub(crate) fn access(
        &mut self,
        (buffer, space): (BufferId, SpaceId),
        footprint: &Footprint,
        write: bool,
        command: Option<(usize, u64)>,
    ) {
        if !self.is_on_chip.get(space.0 as usize).is_some_and(|on_chip| *on_chip) {
            return;
        }
        let mut entry = self.parts.remove(&buffer).unwrap_or_else(|| (space, BTreeMap::new()));
        for (start, end) in footprint.intervals() {
            self.access_run(&mut entry.1, space, (start, end), write, command);
        }
        self.parts.insert(buffer, entry);
    }

    fn access_run(
        &mut self,
        parts: &mut BTreeMap<u64, Part>,
        space: SpaceId,
        (start, end): (u64, u64),
        write: bool,
        command: Option<(usize, u64)>,
    ) {
        split(parts, start);
        split(parts, end);
        let inside: Vec<u64> = parts.range(start..end).map(|(start, _)| *start).collect();
        let born = Part {
            end,
            birth: self.here,
            last: self.here,
            commands: Vec::from_iter(command),
        };
        let mut at = start;
        let mut fresh = Vec::new();
        for from in inside {
            let Some(part) = parts.get_mut(&from) else { continue };
            if from > at {
                fresh.push((at, from));
            }
            at = part.end;
            match self.end_of(part) {
                Some(last) if write && last < self.here => {
                    let (birth, bytes) = (part.birth, part.end - from);
                    fresh.push((from, part.end));
                    parts.remove(&from);
                    self.lived(space, birth, last, bytes);
                }
                _ => {
                    part.last = self.here;
                    if let Some((engine, sequence)) = command {
                        match part.commands.iter_mut().find(|(known, _)| *known == engine) {
                            Some((_, known)) => *known = sequence,
                            None => part.commands.push((engine, sequence)),
                        }
                    }
                }
            }
        }
        if at < end {
            fresh.push((at, end));
        }
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (from, to) in fresh {
            match merged.last_mut() {
                Some((_, end)) if *end == from => *end = to,
                _ => merged.push((from, to)),
            }
        }
        let new = merged
            .into_iter()
            .map(|(from, end)| (from, Part { end, ..born.clone() }));
        parts.extend(new);
    }

    /// The point at which a part's accesses are known to be complete; none if one is not.
    fn end_of(&self, part: &Part) -> Option<Point> {
        let mut end = part.last;
        for (engine, sequence) in &part.commands {
            let known = &self.known[*engine];
            let first = known.partition_point(|(complete, _)| complete < sequence);
            end = end.max(known.get(first)?.1);
        }
        Some(end)
    }

    fn lived(&mut self, space: SpaceId, birth: Point, last: Point, bytes: u64) {
        let memory = space.0 as usize;
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let after = Point {
            number: last.number + 1,
            cycle: last.cycle,
        };
        self.changes.push(Change {
            at: birth,
            memory,
            bytes,
        });
        self.changes.push(Change {
            at: after,
            memory,
            bytes: -bytes,
        });
    }

    /// The bytes that were alive, in order of cycles, and the most of each memory; the run ended in this cycle.
    pub(crate) fn finish(mut self, cycle: u64) -> (Vec<LiveBytes>, Vec<u64>) {
        self.step(cycle);
        for (space, parts) in std::mem::take(&mut self.parts).into_values() {
            for (start, part) in parts {
                let last = self.end_of(&part).unwrap_or(self.here);
                self.lived(space, part.birth, last, part.end - start);
            }
        }
        self.changes.sort_unstable_by_key(|change| change.at);
        let mut most = vec![0; self.is_on_chip.len()];
        let mut live = vec![0i64; self.is_on_chip.len()];
        let mut track = Vec::new();
        for at_once in self.changes.chunk_by(|one, other| one.at.number == other.at.number) {
            for change in at_once {
                live[change.memory] += change.bytes;
            }
            for (memory, live) in live.iter().enumerate() {
                let bytes = live.unsigned_abs();
                if at_once.iter().all(|change| change.memory != memory) {
                    continue;
                }
                most[memory] = bytes.max(most[memory]);
                track.push(LiveBytes {
                    memory,
                    cycle: at_once[0].at.cycle,
                    bytes,
                });
            }
        }
        (track, most)
    }
}

/// Makes two parts of one that goes beyond a byte on both sides.
fn split(parts: &mut BTreeMap<u64, Part>, at: u64) {
    let Some((_, before)) = parts.range_mut(..at).next_back() else {
        return;
    };
    if before.end > at {
        let after = before.clone();
        before.end = at;
        parts.insert(at, after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lives() -> Lives {
        Lives {
            is_on_chip: vec![true],
            here: Point::default(),
            known: vec![Vec::new(); 2],
            parts: FxHashMap::default(),
            changes: Vec::new(),
        }
    }

    fn touch(lives: &mut Lives, cycle: u64, (start, bytes): (u64, u64), write: bool, command: (usize, u64)) {
        lives.step(cycle);
        let footprint = Footprint::run(start, bytes);
        lives.access((BufferId(0), SpaceId(0)), &footprint, write, Some(command));
    }

    fn bytes(track: &[LiveBytes]) -> Vec<(u64, u64)> {
        track.iter().map(|live| (live.cycle, live.bytes)).collect()
    }

    #[test]
    fn a_life_ends_with_the_wait_for_its_reader_and_begins_again_with_the_next_write() {
        let mut lives = lives();
        touch(&mut lives, 1, (0, 64), true, (0, 1));
        lives.complete(0, 1, 10);
        touch(&mut lives, 11, (0, 64), false, (1, 1));
        lives.complete(1, 1, 20);
        touch(&mut lives, 30, (0, 64), true, (0, 2));
        lives.complete(0, 2, 40);
        let (track, most) = lives.finish(50);
        assert_eq!(bytes(&track), [(1, 64), (20, 0), (30, 64), (40, 0)]);
        assert_eq!(most, [64]);
    }

    #[test]
    fn what_is_overwritten_while_its_reader_may_run_stays_alive() {
        let mut lives = lives();
        touch(&mut lives, 1, (0, 64), true, (0, 1));
        touch(&mut lives, 2, (0, 64), false, (0, 2));
        touch(&mut lives, 3, (0, 64), true, (0, 3));
        lives.complete(0, 3, 40);
        assert_eq!(bytes(&lives.finish(50).0), [(1, 64), (40, 0)]);
    }

    #[test]
    fn parts_of_a_buffer_have_lives_of_their_own() {
        let mut lives = lives();
        touch(&mut lives, 1, (0, 64), true, (0, 1));
        lives.complete(0, 1, 10);
        touch(&mut lives, 11, (32, 64), true, (0, 2));
        lives.complete(0, 2, 20);
        let (track, most) = lives.finish(50);
        assert_eq!(bytes(&track), [(1, 64), (10, 0), (11, 64), (20, 0)]);
        assert_eq!(most, [64]);
    }
}
