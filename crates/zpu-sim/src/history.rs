//! The accesses to one buffer that something may still conflict with.
//!
//! Few of them are a list, which is fast where a command touches many rows and is soon waited for. Many are maps from
//! bytes to the newest access: an access that is ordered after that one is ordered after the older ones of the same
//! engine. So neither the time of a check nor the memory grows with the number of commands without a wait, only with
//! the bytes that they touch.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::footprint::Footprint;
use crate::hazard::{Access, Accessor};
use crate::intervals::IntervalMap;
use crate::memory::BufferId;

/// An access of a command.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) engine: usize,
    /// Place of the command among those of its engine, from 1.
    pub(crate) sequence: u64,
    pub(crate) write: bool,
    /// One of those at the place.
    pub(crate) buffer: BufferId,
    pub(crate) footprint: Footprint,
    pub(crate) accessor: Rc<Accessor>,
}

/// Accesses of a list, at most.
const FEW: usize = 32;

/// Runs below which a map is not worth cleaning up.
const SMALL: usize = 64;

/// The accesses to a buffer, some of which may be ordered before everything that comes.
#[derive(Debug, Default)]
pub(crate) struct History {
    few: Vec<Record>,
    /// Accesses by engine, by whether they write, and by buffer; empty as long as there are few.
    many: BTreeMap<(usize, bool, BufferId), Many>,
}

impl History {
    /// Visits the accesses that may conflict with one of `engine`, or of the control stream: those of other engines,
    /// with a write on one side, that are newer than what of their engine is `ordered` already.
    pub(crate) fn visit(
        &mut self,
        engine: Option<usize>,
        access: &Access,
        ordered: &[u64],
        mut visit: impl FnMut(&Record),
    ) {
        let concerns = |other: usize, write: bool, buffer: BufferId| {
            Some(other) != engine && (write || access.write) && (!access.ends || buffer == access.buffer)
        };
        self.few.retain(|record| record.sequence > ordered[record.engine]);
        let few = self.few.iter();
        for record in few.filter(|record| concerns(record.engine, record.write, record.buffer)) {
            visit(record);
        }
        for ((other, write, buffer), many) in &mut self.many {
            if concerns(*other, *write, *buffer) {
                many.visit(&access.footprint, ordered[*other], &mut visit);
            }
        }
    }

    /// Adds an access of the newest command of its engine.
    pub(crate) fn push(&mut self, record: Record, ordered: &[u64]) {
        if !self.many.is_empty() {
            self.add(record, ordered);
            return;
        }
        let is_replaced = |old: &Record| {
            (old.engine, old.write, old.buffer) == (record.engine, record.write, record.buffer)
                && old.footprint == record.footprint
        };
        self.few.retain(|old| !is_replaced(old));
        self.few.push(record);
        if self.few.len() <= FEW {
            return;
        }
        self.few.retain(|record| record.sequence > ordered[record.engine]);
        // With half of the list free it is worth going on with it.
        if self.few.len() > FEW / 2 {
            for record in std::mem::take(&mut self.few) {
                self.add(record, ordered);
            }
        }
    }

    fn add(&mut self, record: Record, ordered: &[u64]) {
        let key = (record.engine, record.write, record.buffer);
        let many = self.many.entry(key).or_default();
        many.add(record);
        if many.is_worth_cleaning() {
            for ((engine, ..), many) in &mut self.many {
                many.clean(ordered[*engine]);
            }
            self.many.retain(|_, many| !many.newest.is_empty());
        }
    }
}

/// Accesses of one engine to one buffer, all reads or all writes: the newest one of each byte.
#[derive(Debug, Default)]
struct Many {
    newest: IntervalMap<Rc<Record>>,
    /// Runs that were left when it was last cleaned up, and runs that were found since and are ordered.
    left: usize,
    stale: usize,
}

impl Many {
    fn visit(&mut self, bytes: &Footprint, ordered: u64, visit: &mut impl FnMut(&Record)) {
        if self.stale > self.newest.len() / 2 + SMALL {
            self.clean(ordered);
        }
        if self.newest.values((bytes.start, bytes.end)).next().is_none() {
            return;
        }
        let mut stale = 0;
        let mut last = 0;
        for run in bytes.runs().iter() {
            for record in self.newest.values(*run) {
                if record.sequence <= ordered {
                    stale += 1;
                } else if record.sequence != last {
                    // The rows of one access come one after the other.
                    last = record.sequence;
                    visit(record);
                }
            }
        }
        self.stale += stale;
    }

    fn add(&mut self, record: Record) {
        let record = Rc::new(record);
        for run in record.footprint.runs().iter() {
            self.newest.set(*run, Rc::clone(&record));
        }
    }

    fn is_worth_cleaning(&self) -> bool {
        self.newest.len() > 2 * self.left + SMALL
    }

    /// Drops accesses that are ordered.
    fn clean(&mut self, ordered: u64) {
        self.newest.retain(|record| record.sequence > ordered);
        self.left = self.newest.len();
        self.stale = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::LocationId;

    fn access(start: u64, write: bool) -> Access {
        Access {
            buffer: BufferId(0),
            footprint: Footprint::run(start, 8),
            write,
            ends: false,
        }
    }

    fn record(sequence: u64, start: u64) -> Record {
        let accessor = Accessor {
            name: "store".into(),
            location: LocationId(0),
            engine: Some(0),
            iteration: crate::view::Extents::new(),
        };
        Record {
            engine: 0,
            sequence,
            write: true,
            buffer: BufferId(0),
            footprint: Footprint::run(start, 8),
            accessor: Rc::new(accessor),
        }
    }

    #[test]
    fn a_check_looks_at_what_is_at_its_bytes() {
        let mut history = History::default();
        for i in 0..100_000 {
            history.push(record(i + 1, 8 * i), &[0, 0]);
        }
        let mut seen = Vec::new();
        history.visit(Some(1), &access(8 * 70_000 + 4, false), &[0, 0], |record| {
            seen.push(record.sequence);
        });
        assert_eq!(seen, [70_001, 70_002]);
        history.visit(Some(1), &access(8 * 200_000, false), &[0, 0], |_| {
            panic!("nothing is there")
        });
    }

    #[test]
    fn what_is_ordered_is_forgotten() {
        let mut history = History::default();
        for i in 0..100_000 {
            // The stream waits for each command, ten commands later.
            history.push(record(i + 1, 8 * i), &[i.saturating_sub(10)]);
        }
        let left: usize = history.many.values().map(|many| many.newest.len()).sum();
        assert!(left + history.few.len() <= 4 * SMALL, "{left}");
    }
}
