//! Reads of one consumer, when they can be, and how its order compares with that of the writes.

use super::NEVER;
use super::gate::GateEvents;
use super::grid::Grid;
use super::production::Production;
use super::reads::{Batch, Keep, Reads};
use super::walk::Side;
use crate::verdict::Verdict;

/// All that matters of one consumer.
pub(crate) struct Reading {
    /// For each unit that is written the last write that its last reader needs; the one that writes it if nobody reads
    /// it. Only of a consumer that completes.
    pub(crate) until: Vec<u32>,
    /// Units that are written and not read.
    pub(crate) dropped: usize,
    /// Number of writes that each event needs, with those of earlier events and of its gate; [`NEVER`] if it never can.
    /// Empty if no gate is on this consumer.
    pub(crate) needs: Vec<u32>,
    /// Writes that the last event needs.
    need: u32,
    /// A unit that is read and never written.
    pub(crate) never_written: Option<u32>,
    /// Tells whether some event touches the tensor.
    pub(crate) touches: bool,
    multiplicity: u32,
    is_in_order: bool,
    has_inversion: bool,
    matching: Matching,
}

/// Tells whether the tokens read are those written.
struct Matching {
    /// Each is one, with no gap in between.
    is_sequence: bool,
    /// None is read twice.
    is_once: bool,
    /// Their elements are in the same order.
    has_same_lanes: bool,
    /// Number of tokens that were met.
    tokens: usize,
}

/// A gate: the events that it is about, and what the other consumer's events need.
type Gate<'g> = (&'g GateEvents<'g>, &'g [u32]);

impl Reading {
    /// Walks over the consumer, twice if it reads something more than once. A gate comes with what the consumer that it
    /// is on needs.
    pub(crate) fn of(
        side: &Side<'_>,
        grid: &Grid,
        production: &Production,
        gate: Option<Gate<'_>>,
        keeps_needs: bool,
    ) -> Reading {
        let mut reading = Reading {
            until: vec![0; production.all_units()],
            dropped: 0,
            needs: Vec::new(),
            need: 0,
            never_written: None,
            touches: false,
            multiplicity: 0,
            is_in_order: true,
            has_inversion: false,
            matching: Matching {
                is_sequence: true,
                is_once: true,
                has_same_lanes: true,
                tokens: 0,
            },
        };
        let mut progress = Progress {
            reading: &mut reading,
            production,
            gate,
            keeps_needs,
            accesses: 0,
            latest_before: 0,
            latest_of_all: 0,
        };
        match side.offsets(grid) {
            Some(offsets) => progress.by_runs(side, grid, &offsets),
            None => progress.by_events(side, grid),
        }
        let accesses = progress.accesses;
        let read = reading.finish(production);
        reading.multiplicity = u32::from(reading.touches);
        if accesses > read as u64 {
            let reads = Reads::of(side, grid, !reading.is_in_order);
            reading.multiplicity = reads.most();
            reading.has_inversion = !reading.is_in_order && reads.have_inversion(production);
        }
        reading
    }

    /// Turns numbers of writes that are needed to the last of them; the number of units that are read.
    fn finish(&mut self, production: &Production) -> usize {
        let mut read = 0;
        let mut until = |until: &mut u32, written: u32| {
            read += usize::from(*until > 0);
            self.dropped += usize::from(*until == 0 && written != NEVER);
            *until = if *until == 0 { written } else { *until - 1 };
        };
        match production.row_major() {
            Some(1) => (0..).zip(&mut self.until).for_each(|(unit, at)| until(at, unit)),
            Some(each) => {
                let writes = (0..).zip(self.until.chunks_mut(each as usize));
                writes.for_each(|(write, units)| units.iter_mut().for_each(|at| until(at, write)));
            }
            None => {
                let writes = production.listed().iter().zip(&mut self.until);
                writes.for_each(|(&write, at)| until(at, write));
            }
        }
        read
    }

    /// Tells whether it reads all it wants in the end.
    pub(crate) fn completes(&self) -> bool {
        self.need != NEVER
    }

    /// The largest number of events on one unit.
    pub(crate) fn multiplicity(&self) -> u32 {
        self.multiplicity
    }

    /// The first row of the table that holds, `None` where the number of blocks decides.
    pub(crate) fn verdict(&self, production: &Production) -> Option<Verdict> {
        if !self.completes() || !self.touches {
            return Some(Verdict::Incompatible);
        }
        if self.is_in_order {
            let whole = self.matching.is_sequence && self.matching.tokens == production.writes();
            let whole = whole && self.dropped == 0;
            return Some(match (whole, self.matching.is_once, self.matching.has_same_lanes) {
                (true, true, true) => Verdict::Stream,
                (true, true, false) => Verdict::LanePermute,
                (true, false, true) => Verdict::Hold,
                _ => Verdict::Repack,
            });
        }
        (!self.has_inversion).then_some(Verdict::Window)
    }
}

/// A walk over the events, first to last.
struct Progress<'p> {
    reading: &'p mut Reading,
    production: &'p Production,
    gate: Option<Gate<'p>>,
    keeps_needs: bool,
    /// Units that were touched, each as often as it was.
    accesses: u64,
    latest_before: u32,
    latest_of_all: u32,
}

impl Progress<'_> {
    /// Events that may be clipped.
    fn by_events(&mut self, side: &Side<'_>, grid: &Grid) {
        let same_lanes = side.lanes == self.production.lanes;
        side.visit(grid, |event| {
            let (mut latest, mut earliest) = (0, NEVER);
            for &unit in event.units {
                let written = self.production.written_at(unit);
                if written == NEVER {
                    self.reading.never_written.get_or_insert(unit);
                }
                latest = latest.max(written);
                earliest = earliest.min(written);
            }
            if event.units.is_empty() {
                self.meet_gate(event.number);
            } else {
                self.meet(event.number, earliest, latest, event.units.len());
                self.reading.matching.has_same_lanes &=
                    same_lanes || have_same_order(&side.lanes, &self.production.lanes, event.counts);
            }
            for &unit in event.units {
                self.reading.until[unit as usize] = self.reading.need;
            }
        });
    }

    /// Events that touch the same units, each from its origin on.
    fn by_runs(&mut self, side: &Side<'_>, grid: &Grid, offsets: &[u32]) {
        let production = self.production;
        let (least, most) = (offsets.iter().min(), offsets.iter().max());
        let (Some(&least), Some(&most)) = (least, most) else {
            return;
        };
        self.reading.matching.has_same_lanes = have_same_order(&side.lanes, &production.lanes, &side.token);
        let mut batch = Batch::new(offsets);
        let (mut needs, mut earliest, mut latest) = (Vec::new(), Vec::new(), Vec::new());
        side.visit_runs(grid, |run| {
            if batch.is_full() {
                batch.merge(&mut self.reading.until, Keep::Latest);
                batch.clear();
            }
            earliest.clear();
            latest.clear();
            match production.row_major() {
                // Later units are written later.
                Some(1) => {
                    earliest.extend(run.origins.iter().map(|origin| origin + least));
                    latest.extend(run.origins.iter().map(|origin| origin + most));
                }
                Some(each) => {
                    earliest.extend(run.origins.iter().map(|origin| (origin + least) / each));
                    latest.extend(run.origins.iter().map(|origin| (origin + most) / each));
                }
                None => self.look_up(run.origins, offsets, &mut earliest, &mut latest),
            }
            needs.clear();
            needs.extend(
                (run.number..)
                    .zip(&earliest)
                    .zip(&latest)
                    .map(|((number, &from), &to)| {
                        self.meet(number, from, to, offsets.len());
                        self.reading.need
                    }),
            );
            batch.push(run, needs.iter().copied());
        });
        batch.merge(&mut self.reading.until, Keep::Latest);
    }

    /// Finds the first and the last write of each event's units.
    fn look_up(&mut self, origins: &[u32], offsets: &[u32], earliest: &mut Vec<u32>, latest: &mut Vec<u32>) {
        let written_at = self.production.listed();
        earliest.resize(origins.len(), NEVER);
        latest.resize(origins.len(), 0);
        for offset in offsets {
            for ((from, to), origin) in earliest.iter_mut().zip(&mut *latest).zip(origins) {
                let written = written_at[(origin + offset) as usize];
                *from = (*from).min(written);
                *to = (*to).max(written);
            }
        }
        let never = latest.iter().position(|&to| to == NEVER);
        if let Some(origin) = never
            .map(|at| origins[at])
            .filter(|_| self.reading.never_written.is_none())
        {
            let mut units = offsets.iter().map(|offset| origin + offset);
            self.reading.never_written = units.find(|&unit| written_at[unit as usize] == NEVER);
        }
    }

    /// Waits for the gate of an event.
    fn meet_gate(&mut self, number: u32) {
        if let Some((gate, needs)) = self.gate {
            let awaited = gate.last_awaited(number);
            let need = awaited.map_or(0, |other| needs[other as usize]);
            self.reading.need = self.reading.need.max(need);
        }
        if self.keeps_needs && self.reading.needs.len() == number as usize {
            self.reading.needs.push(self.reading.need);
        }
    }

    /// Executes an event that touches so many units, written from one write to another.
    #[inline]
    fn meet(&mut self, number: u32, earliest: u32, latest: u32, units: usize) {
        let reading = &mut *self.reading;
        reading.need = reading.need.max(latest.saturating_add(1));
        reading.is_in_order &= !reading.touches || self.latest_before <= earliest;
        // If nothing is read twice, all that was read before is done with.
        reading.has_inversion |= reading.touches && self.latest_of_all > earliest;
        reading.touches = true;
        self.latest_before = latest;
        self.latest_of_all = self.latest_of_all.max(latest);
        self.accesses += units as u64;
        let is_one = reading.matching.is_sequence && earliest == latest && latest != NEVER;
        let is_token = is_one && self.production.write(latest as usize).len() == units;
        reading.matching.meet(is_token.then_some(latest as usize));
        if self.gate.is_some() || self.keeps_needs {
            self.meet_gate(number);
        }
    }
}

impl Matching {
    fn meet(&mut self, token: Option<usize>) {
        match token {
            Some(token) if token == self.tokens => self.tokens += 1,
            Some(token) if token + 1 == self.tokens => self.is_once = false,
            _ => self.is_sequence = false,
        }
    }
}

/// Tells whether two orders of dimensions are the same for a box: dimensions with one element do not count.
fn have_same_order(one: &[usize], other: &[usize], counts: &[i64]) -> bool {
    let varying = |lanes: &[usize]| {
        lanes
            .iter()
            .copied()
            .filter(|&dimension| counts[dimension] > 1)
            .collect::<Vec<_>>()
    };
    varying(one) == varying(other)
}
