//! Numbers that the events of a consumer leave at the units that they read: the largest of some number of them, or
//! their count.
//!
//! None of these depends on the order of the events, so that a batch of them is gone through in the order of memory:
//! where neighbouring events are far apart and neighbouring runs are not, run by run would touch a page an event.

use super::NEVER;
use super::grid::Grid;
use super::production::{OverWrites, Production};
use super::runs::{MAX_RUN, Run};
use super::walk::Side;

/// Runs that are gone through together; a cache line has so many units.
const RUNS: usize = 16;

/// Distance of the lists of a batch: no power of two, so that they do not meet in a set of the cache.
const PITCH: usize = MAX_RUN + 16;

/// Ways to merge the number of an event with what is at its units.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// The largest of numbers that grow from event to event.
    Latest,
    /// The largest of numbers that fall from event to event.
    Earliest,
    /// How many there are.
    Count,
}

/// Some runs with a number for each event.
pub(super) struct Batch<'o> {
    offsets: &'o [u32],
    /// Offsets that follow each other: the first one and how many there are.
    groups: Vec<(u32, usize)>,
    origins: Vec<u32>,
    values: Vec<u32>,
    /// Events of each run, and their distance if it is the same for all.
    runs: Vec<(usize, Option<i64>)>,
}

impl<'o> Batch<'o> {
    pub(super) fn new(offsets: &'o [u32]) -> Batch<'o> {
        let mut sorted = offsets.to_vec();
        sorted.sort_unstable();
        let groups = sorted.chunk_by(|one, next| one + 1 == *next);
        Batch {
            offsets,
            groups: groups.map(|group| (group[0], group.len())).collect(),
            origins: vec![0; PITCH * RUNS],
            values: vec![0; PITCH * RUNS],
            runs: Vec::with_capacity(RUNS),
        }
    }

    /// Adds a run with a number for each event; the batch must not be full.
    pub(super) fn push(&mut self, run: &Run<'_>, values: impl Iterator<Item = u32>) {
        let (begin, count) = (self.runs.len() * PITCH, run.origins.len());
        self.origins[begin..begin + count].copy_from_slice(run.origins);
        let into = self.values[begin..begin + count].iter_mut();
        into.zip(values).for_each(|(into, value)| *into = value);
        self.runs.push((count, run.step));
    }

    pub(super) fn is_full(&self) -> bool {
        self.runs.len() == RUNS
    }

    /// Counts the numbers from the largest one down.
    fn count_down(&mut self) {
        for (values, (count, _)) in self.values.chunks_mut(PITCH).zip(&self.runs) {
            values[..*count].iter_mut().for_each(|value| *value = NEVER - *value);
        }
    }

    pub(super) fn clear(&mut self) {
        self.runs.clear();
    }

    /// Merges the number of each event with what is at each of its units.
    pub(super) fn merge(&self, into: &mut [u32], keep: Keep) {
        match keep {
            Keep::Count => self.merge_by(into, keep, |count, _| count + 1),
            Keep::Latest | Keep::Earliest => self.merge_by(into, keep, u32::max),
        }
    }

    fn merge_by(&self, into: &mut [u32], keep: Keep, merge: impl Fn(u32, u32) -> u32 + Copy) {
        let (count, step) = self.runs.first().copied().unwrap_or((0, None));
        let is_far = step.is_some_and(|step| step.unsigned_abs() >= RUNS as u64);
        if is_far && self.runs.len() > 1 && self.runs.iter().all(|run| *run == (count, step)) {
            for k in 0..count {
                for run in 0..self.runs.len() {
                    let (origin, value) = (self.origins[run * PITCH + k], self.values[run * PITCH + k]);
                    for offset in self.offsets {
                        let unit = &mut into[(origin + offset) as usize];
                        *unit = merge(*unit, value);
                    }
                }
            }
            return;
        }
        for (run, &(count, step)) in self.runs.iter().enumerate() {
            let origins = &self.origins[run * PITCH..run * PITCH + count];
            let values = &self.values[run * PITCH..run * PITCH + count];
            if step == Some(1) {
                for &(offset, width) in &self.groups {
                    let begin = (origins[0] + offset) as usize;
                    merge_neighbours(&mut into[begin..begin + count + width - 1], values, keep);
                }
                continue;
            }
            for offset in self.offsets {
                for (origin, &value) in origins.iter().zip(values) {
                    let unit = &mut into[(origin + offset) as usize];
                    *unit = merge(*unit, value);
                }
            }
        }
    }
}

/// Merges a run of tokens of neighbouring units, each one unit further on: unit t is in events t - width + 1 to t, as
/// far as there are such.
fn merge_neighbours(units: &mut [u32], values: &[u32], keep: Keep) {
    let width = units.len() + 1 - values.len();
    let larger = |(unit, value): (&mut u32, &u32)| *unit = (*unit).max(*value);
    match keep {
        Keep::Latest => {
            let (head, tail) = units.split_at_mut(values.len());
            head.iter_mut().zip(values).for_each(larger);
            tail.iter_mut().zip(values.last().into_iter().cycle()).for_each(larger);
        }
        Keep::Earliest => {
            let (head, tail) = units.split_at_mut(width - 1);
            head.iter_mut().zip(values.first().into_iter().cycle()).for_each(larger);
            tail.iter_mut().zip(values).for_each(larger);
        }
        Keep::Count => {
            let most = width.min(values.len());
            let length = units.len();
            let (ends, inside) = (most - 1, length + 2 - 2 * most);
            units[ends..ends + inside]
                .iter_mut()
                .for_each(|unit| *unit += most as u32);
            for t in 0..ends {
                units[t] += t as u32 + 1;
                units[length - 1 - t] += t as u32 + 1;
            }
        }
    }
}

/// Events on each unit, where some are read more than once.
pub(super) struct Reads {
    /// The first one, counted from 1, taken from the largest number so that 0 is none.
    first: Vec<u32>,
    /// The last one, counted from 1.
    last: Vec<u32>,
    count: Vec<u32>,
}

impl Reads {
    /// Counts events, and finds the first and the last ones if they are wanted.
    pub(super) fn of(side: &Side<'_>, grid: &Grid, wants_ends: bool) -> Reads {
        let units = usize::try_from(grid.units()).unwrap_or(0);
        let ends = if wants_ends { units } else { 0 };
        let mut reads = Reads {
            first: vec![0; ends],
            last: vec![0; ends],
            count: vec![0; units],
        };
        let Some(offsets) = side.offsets(grid) else {
            side.visit(grid, |event| {
                for unit in event.units.iter().map(|&unit| unit as usize) {
                    if wants_ends {
                        reads.first[unit] = reads.first[unit].max(NEVER - event.number - 1);
                        reads.last[unit] = event.number + 1;
                    }
                    reads.count[unit] += 1;
                }
            });
            return reads;
        };
        let mut batch = Batch::new(&offsets);
        side.visit_runs(grid, |run| {
            if batch.is_full() {
                reads.merge(&mut batch, wants_ends);
            }
            batch.push(run, run.number + 1..);
        });
        reads.merge(&mut batch, wants_ends);
        reads
    }

    fn merge(&mut self, batch: &mut Batch<'_>, wants_ends: bool) {
        batch.merge(&mut self.count, Keep::Count);
        if wants_ends {
            batch.merge(&mut self.last, Keep::Latest);
            batch.count_down();
            batch.merge(&mut self.first, Keep::Earliest);
        }
        batch.clear();
    }

    /// The largest number of events on one unit.
    pub(super) fn most(&self) -> u32 {
        self.count.iter().copied().max().unwrap_or(0)
    }

    /// Tells whether an element that was written later is done with before an earlier one is read at all. Only where
    /// first and last events were wanted.
    pub(super) fn have_inversion(&self, production: &Production) -> bool {
        production.with(Inversion {
            reads: self,
            writes: production.writes(),
        })
    }
}

struct Inversion<'r> {
    reads: &'r Reads,
    writes: usize,
}

impl OverWrites for Inversion<'_> {
    type Result = bool;

    fn over(self, end: impl Fn(usize) -> usize, unit: impl Fn(usize) -> u32) -> bool {
        let (mut latest_first, mut begin) = (0, 0);
        for write in 0..self.writes {
            let mut here = latest_first;
            for place in begin..end(write) {
                let unit = unit(place) as usize;
                let last = self.reads.last[unit];
                if last > 0 {
                    if latest_first > last {
                        return true;
                    }
                    here = here.max(NEVER - self.reads.first[unit]);
                }
            }
            (latest_first, begin) = (here, end(write));
        }
        false
    }
}
