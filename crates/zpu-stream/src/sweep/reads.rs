//! What the events of a consumer leave at the units that they read: the largest of some number of them, or their
//! count.
//!
//! None of these depends on the order of the events, so that a batch of them is gone through in the order of memory:
//! where neighbouring events are far apart and neighbouring runs are not, run by run would touch a page an event.

use super::NEVER;
use super::grid::Grid;
use super::production::Production;
use super::runs::{MAX_RUN, Run};
use super::walk::Side;

/// Runs that are gone through together; a cache line has so many units.
const RUNS: usize = 16;

/// Distance of the lists of a batch: no power of two, so that they do not meet in a set of the cache.
const PITCH: usize = MAX_RUN + 16;

/// Some runs with a number for each event.
pub(super) struct Batch<'o> {
    offsets: &'o [u32],
    origins: Vec<u32>,
    values: Vec<u32>,
    /// Events of each run, and their distance if it is the same for all.
    runs: Vec<(usize, Option<i64>)>,
}

impl<'o> Batch<'o> {
    pub(super) fn new(offsets: &'o [u32]) -> Batch<'o> {
        Batch {
            offsets,
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

    pub(super) fn clear(&mut self) {
        self.runs.clear();
    }

    /// Merges the number of each event with what is at each of its units.
    pub(super) fn merge(&self, into: &mut [u32], merge: impl Fn(u32, u32) -> u32 + Copy) {
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
            for offset in self.offsets {
                if step == Some(1) {
                    let begin = (origins[0] + offset) as usize;
                    let units = into[begin..begin + count].iter_mut();
                    units
                        .zip(values)
                        .for_each(|(unit, &value)| *unit = merge(*unit, value));
                    continue;
                }
                for (origin, &value) in origins.iter().zip(values) {
                    let unit = &mut into[(origin + offset) as usize];
                    *unit = merge(*unit, value);
                }
            }
        }
    }
}

/// Events on each unit, where some are read more than once.
pub(super) struct Reads {
    /// The first one, counted down from the largest number so that 0 is none.
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
                        reads.first[unit] = reads.first[unit].max(NEVER - event.number);
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
                reads.merge(&batch, wants_ends);
                batch.clear();
            }
            batch.push(run, run.number..);
        });
        reads.merge(&batch, wants_ends);
        reads
    }

    fn merge(&mut self, batch: &Batch<'_>, wants_ends: bool) {
        batch.merge(&mut self.count, |count, _| count + 1);
        if wants_ends {
            batch.merge(&mut self.first, |first, number| first.max(NEVER - number));
            batch.merge(&mut self.last, |last, number| last.max(number + 1));
        }
    }

    /// The largest number of events on one unit.
    pub(super) fn most(&self) -> u32 {
        self.count.iter().copied().max().unwrap_or(0)
    }

    /// Tells whether an element that was written later is done with before an earlier one is read at all. Only where
    /// first and last events were wanted.
    pub(super) fn have_inversion(&self, production: &Production) -> bool {
        let mut latest_first = 0;
        for write in 0..production.writes() {
            let mut here = latest_first;
            for place in production.write(write) {
                let unit = production.unit(place) as usize;
                if self.last[unit] == 0 {
                    continue;
                }
                if latest_first > self.last[unit] {
                    return true;
                }
                here = here.max(NEVER - self.first[unit] + 1);
            }
            latest_first = here;
        }
        false
    }
}
