//! Races by the frontier rule: an earlier command is ordered before an access iff it is on the same engine or the
//! control stream has waited for it or for a later command of its engine.
//!
//! Invariant: the accesses kept are exactly those of commands that the stream has not waited for. Only the stream joins
//! engines, so all others are ordered before every later access and can be dropped: no happens-before graph is needed,
//! and a verdict does not depend on timing.

use std::rc::Rc;

use crate::footprint::Footprint;
use crate::history::{History, Record};
use crate::memory::BufferId;
use crate::program::LocationId;
use crate::view::Extents;

/// Bytes that a command or statement touches.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) buffer: BufferId,
    pub(crate) footprint: Footprint,
    pub(crate) write: bool,
    /// It is the end of the buffer's life, which concerns those who name the buffer: bytes at an address stay, and may
    /// be another buffer's already.
    pub(crate) ends: bool,
}

/// The statement that accesses memory.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accessor {
    pub(crate) name: Rc<str>,
    pub(crate) location: LocationId,
    /// `None` is the control stream itself.
    pub(crate) engine: Option<usize>,
    /// Values of the induction variables around it, outermost first.
    pub(crate) iteration: Extents,
}

/// Two accesses that nothing orders.
#[derive(Clone, Debug)]
pub(crate) struct Conflict {
    pub(crate) earlier: Rc<Accessor>,
    pub(crate) earlier_writes: bool,
    pub(crate) later_writes: bool,
    pub(crate) buffer: BufferId,
    /// The buffer through which the earlier one touches them.
    pub(crate) earlier_buffer: BufferId,
    /// First bytes that both touch.
    pub(crate) bytes: (u64, u64),
    sequence: u64,
}

/// The frontier, and the accesses that are not before it.
#[derive(Debug)]
pub(crate) struct Hazards {
    frontier: Vec<u64>,
    /// The frontier as if every missing wait so far had been there: races before it were reported.
    mended: Vec<u64>,
    /// Accesses by place of a buffer.
    accesses: Vec<History>,
}

impl Hazards {
    pub(crate) fn new(engines: usize) -> Self {
        Self {
            frontier: vec![0; engines],
            mended: vec![0; engines],
            accesses: Vec::new(),
        }
    }

    /// The stream has waited for this command of the engine; sequence numbers start at 1.
    pub(crate) fn raise(&mut self, engine: usize, sequence: u64) {
        let frontier = &mut self.frontier[engine];
        *frontier = (*frontier).max(sequence);
        let mended = &mut self.mended[engine];
        *mended = (*mended).max(sequence);
    }

    /// Commands of the engine that the stream knows to be complete: all up to this one.
    pub(crate) fn frontier(&self, engine: usize) -> u64 {
        self.frontier[engine]
    }

    /// True if the stream knows that this command of the engine is complete.
    pub(crate) fn knows(&self, engine: usize, sequence: u64) -> bool {
        sequence <= self.frontier[engine]
    }

    /// Finds conflicts of the accesses of a command of `engine`, or of the stream itself: of each other engine the
    /// newest command, as a wait for it would order all of them. From then on they count as ordered, so that nothing
    /// else is reported for the same missing wait.
    pub(crate) fn check(&mut self, engine: Option<usize>, accesses: &[Access]) -> Vec<Conflict> {
        let mut conflicts: Vec<Conflict> = Vec::new();
        for access in accesses {
            let Some(history) = self.accesses.get_mut(access.buffer.place()) else {
                continue;
            };
            history.visit(engine, access, &self.mended, |record| {
                let known = conflicts
                    .iter_mut()
                    .find(|known| known.earlier.engine == Some(record.engine));
                if known.as_ref().is_some_and(|known| known.sequence >= record.sequence) {
                    return;
                }
                let Some(bytes) = record.footprint.overlap(&access.footprint) else {
                    return;
                };
                let conflict = Conflict {
                    earlier: Rc::clone(&record.accessor),
                    earlier_writes: record.write,
                    later_writes: access.write,
                    buffer: access.buffer,
                    earlier_buffer: record.buffer,
                    bytes,
                    sequence: record.sequence,
                };
                match known {
                    Some(known) => *known = conflict,
                    None => conflicts.push(conflict),
                }
            });
        }
        for conflict in &conflicts {
            if let Some(engine) = conflict.earlier.engine {
                let mended = &mut self.mended[engine];
                *mended = (*mended).max(conflict.sequence);
            }
        }
        conflicts
    }

    /// Remembers the accesses of a command that the stream does not wait for at once.
    pub(crate) fn record(&mut self, engine: usize, sequence: u64, accesses: Vec<Access>, accessor: &Rc<Accessor>) {
        for access in accesses {
            let index = access.buffer.place();
            if self.accesses.len() <= index {
                self.accesses.resize_with(index + 1, History::default);
            }
            let record = Record {
                engine,
                sequence,
                write: access.write,
                buffer: access.buffer,
                footprint: access.footprint,
                accessor: Rc::clone(accessor),
            };
            self.accesses[index].push(record, &self.mended);
        }
    }

    /// Forgets a buffer that is gone, with all others at its place.
    pub(crate) fn forget(&mut self, buffer: BufferId) {
        if let Some(history) = self.accesses.get_mut(buffer.place()) {
            *history = History::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(start: u64, bytes: u64, write: bool) -> Access {
        Access {
            buffer: BufferId(0),
            footprint: Footprint::run(start, bytes),
            write,
            ends: false,
        }
    }

    fn accessor(engine: usize) -> Rc<Accessor> {
        Rc::new(Accessor {
            name: "op".into(),
            location: LocationId(0),
            engine: Some(engine),
            iteration: Extents::new(),
        })
    }

    #[test]
    fn a_wait_for_a_later_command_of_the_engine_orders_too() {
        let mut hazards = Hazards::new(2);
        hazards.record(0, 1, vec![access(0, 8, true)], &accessor(0));
        hazards.record(0, 2, vec![access(8, 8, true)], &accessor(0));
        assert_eq!(hazards.check(Some(0), &[access(4, 8, false)]).len(), 0);
        hazards.raise(0, 1);
        assert!(hazards.check(Some(1), &[access(0, 8, false)]).is_empty());
        hazards.raise(0, 2);
        assert!(hazards.check(None, &[access(0, 16, true)]).is_empty());
    }

    #[test]
    fn a_missing_wait_is_reported_once() {
        let mut hazards = Hazards::new(3);
        hazards.record(0, 1, vec![access(0, 8, true)], &accessor(0));
        hazards.record(0, 2, vec![access(8, 8, true)], &accessor(0));
        hazards.record(1, 1, vec![access(16, 8, true)], &accessor(1));
        // A wait for the second command of engine 0 would have been enough for both, and for every later access.
        let conflicts = hazards.check(Some(2), &[access(4, 8, false)]);
        assert_eq!(conflicts.iter().map(|c| c.bytes).collect::<Vec<_>>(), [(8, 12)]);
        assert!(hazards.check(Some(2), &[access(0, 16, true)]).is_empty());
        // The other engine's is another wait, and nothing is known to be complete.
        assert_eq!(hazards.check(None, &[access(0, 24, true)]).len(), 1);
        assert!(!hazards.knows(0, 1) && !hazards.knows(1, 1));
    }

    #[test]
    fn the_end_of_a_buffer_concerns_those_who_name_it() {
        let mut hazards = Hazards::new(2);
        let window = |number: u64, write| Access {
            buffer: BufferId(number << 32),
            ..access(0, 8, write)
        };
        let end = |number| Access {
            ends: true,
            ..window(number, true)
        };
        hazards.record(0, 1, vec![window(1, true)], &accessor(0));
        hazards.record(0, 2, vec![window(2, true)], &accessor(0));
        assert!(hazards.check(None, &[end(3)]).is_empty());
        assert_eq!(hazards.check(None, &[end(1)]).len(), 1);
        assert_eq!(hazards.check(None, &[end(2)]).len(), 1);
        hazards.record(0, 3, vec![window(2, true)], &accessor(0));
        assert_eq!(hazards.check(Some(1), &[window(1, false)]).len(), 1);
    }

    #[test]
    fn two_reads_do_not_conflict() {
        let mut hazards = Hazards::new(2);
        hazards.record(0, 1, vec![access(0, 8, false)], &accessor(0));
        assert!(hazards.check(Some(1), &[access(0, 8, false)]).is_empty());
        assert!(!hazards.check(Some(1), &[access(0, 8, true)]).is_empty());
    }

    /// Random accesses in two ways: through the hazards, and as the rule has it, over all accesses that there were.
    #[test]
    fn many_accesses_conflict_as_few_do() {
        let mut hazards = Hazards::new(3);
        let mut all: Vec<(usize, u64, Access)> = Vec::new();
        let mut mended = [0u64; 3];
        let mut sequence = [0u64; 3];
        let mut state = 1u64;
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..20_000 {
            let engine = draw(3) as usize;
            let rows = [(1 + draw(4) as i64, 16 + draw(16) as i64)];
            let footprint = Footprint::strided(draw(2000) as i64, &rows, 4 + draw(8)).unwrap();
            let write = draw(3) == 0;
            let access = Access {
                buffer: BufferId(0),
                footprint,
                write,
                ends: false,
            };
            if draw(40) == 0 {
                let conflicts = hazards.check(Some(engine), std::slice::from_ref(&access));
                let mut expected = [0u64; 3];
                for (of, number, other) in &all {
                    let concerns = *of != engine && *number > mended[*of] && (write || other.write);
                    if concerns && other.footprint.overlap(&access.footprint).is_some() {
                        expected[*of] = expected[*of].max(*number);
                    }
                }
                let mut found = [0u64; 3];
                for conflict in &conflicts {
                    found[conflict.earlier.engine.unwrap()] = conflict.sequence;
                }
                assert_eq!(found, expected);
                mended
                    .iter_mut()
                    .zip(expected)
                    .for_each(|(mended, to)| *mended = (*mended).max(to));
            } else if draw(200) == 0 {
                hazards.raise(engine, sequence[engine]);
                mended[engine] = sequence[engine];
            } else {
                sequence[engine] += 1;
                hazards.record(engine, sequence[engine], vec![access.clone()], &accessor(engine));
                all.push((engine, sequence[engine], access));
            }
        }
    }
}
