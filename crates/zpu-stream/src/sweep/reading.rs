//! Reads of one consumer, when they can be, and how its order compares with that of the writes.

use super::NEVER;
use super::gate::GateEvents;
use super::grid::Grid;
use super::production::Production;
use super::walk::Side;
use crate::verdict::Verdict;

/// All that matters of one consumer.
pub(crate) struct Reading {
    /// For each unit the last write that its last reader needs, or [`NEVER`] if nobody reads it.
    until: Vec<u32>,
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

impl Reading {
    /// Walks over the consumer, twice if it reads something more than once. A gate comes with what the consumer that it
    /// is on needs.
    pub(crate) fn of(
        side: &Side<'_>,
        grid: &Grid,
        production: &Production,
        gate: Option<(&GateEvents<'_>, &[u32])>,
        keeps_needs: bool,
    ) -> Reading {
        let mut reading = Reading {
            until: vec![NEVER; production.all_units()],
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
        let same_lanes = side.lanes == production.lanes;
        let (mut latest_before, mut latest_of_all) = (0, 0);
        let mut is_read_again = false;
        side.visit(grid, |event| {
            if let Some((gate, needs)) = gate {
                let awaited = gate.last_awaited(event.number);
                reading.need = reading.need.max(awaited.map_or(0, |other| needs[other as usize]));
            }
            let (mut latest, mut earliest) = (0, NEVER);
            for &unit in event.units {
                let written = production.written_at(unit);
                if written == NEVER {
                    reading.never_written.get_or_insert(unit);
                }
                latest = latest.max(written);
                earliest = earliest.min(written);
            }
            if !event.units.is_empty() {
                reading.need = reading.need.max(latest.saturating_add(1));
                reading.is_in_order &= !reading.touches || latest_before <= earliest;
                // If nothing is read twice, all that was read before is done with.
                reading.has_inversion |= reading.touches && latest_of_all > earliest;
                reading.touches = true;
                latest_before = latest;
                latest_of_all = latest_of_all.max(latest);
                let is_one = earliest == latest && latest != NEVER;
                let is_token = is_one && production.write(latest as usize).len() == event.units.len();
                reading.matching.meet(is_token.then_some(latest as usize));
                reading.matching.has_same_lanes &=
                    same_lanes || have_same_order(&side.lanes, &production.lanes, event.counts);
            }
            for &unit in event.units {
                let until = &mut reading.until[unit as usize];
                is_read_again |= *until != NEVER;
                *until = reading.need - 1;
            }
            if keeps_needs {
                reading.needs.push(reading.need);
            }
        });
        reading.multiplicity = u32::from(reading.touches);
        if is_read_again {
            let reads = Reads::of(side, grid);
            reading.multiplicity = reads.count.iter().copied().max().unwrap_or(0);
            reading.has_inversion = reads.have_inversion(production);
        }
        reading
    }

    /// Tells whether it reads all it wants in the end.
    pub(crate) fn completes(&self) -> bool {
        self.need != NEVER
    }

    /// The last write that happens before the last reader of a unit has read it; the one that writes it if nobody
    /// reads it. Only for a consumer that completes.
    pub(crate) fn released_at(&self, unit: u32, written: u32) -> u32 {
        match self.until[unit as usize] {
            NEVER => written,
            until => until,
        }
    }

    /// The largest number of events on one unit.
    pub(crate) fn multiplicity(&self) -> u32 {
        self.multiplicity
    }

    /// Units that are written and not read.
    pub(crate) fn dropped(&self, production: &Production) -> usize {
        let units = (0..).zip(&self.until);
        units
            .filter(|(unit, until)| **until == NEVER && production.written_at(*unit) != NEVER)
            .count()
    }

    /// The first row of the table that holds, `None` where the number of blocks decides.
    pub(crate) fn verdict(&self, production: &Production) -> Option<Verdict> {
        if !self.completes() || !self.touches {
            return Some(Verdict::Incompatible);
        }
        if self.is_in_order {
            let whole = self.matching.is_sequence && self.matching.tokens == production.writes();
            let whole = whole && self.dropped(production) == 0;
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

/// Events on each unit, where some are read more than once.
struct Reads {
    first: Vec<u32>,
    last: Vec<u32>,
    count: Vec<u32>,
}

impl Reads {
    fn of(side: &Side<'_>, grid: &Grid) -> Reads {
        let units = usize::try_from(grid.units()).unwrap_or(0);
        let mut reads = Reads {
            first: vec![NEVER; units],
            last: vec![NEVER; units],
            count: vec![0; units],
        };
        side.visit(grid, |event| {
            for &unit in event.units {
                let unit = unit as usize;
                if reads.count[unit] == 0 {
                    reads.first[unit] = event.number;
                }
                reads.last[unit] = event.number;
                reads.count[unit] += 1;
            }
        });
        reads
    }

    /// Tells whether an element that was written later is done with before an earlier one is read at all.
    fn have_inversion(&self, production: &Production) -> bool {
        let mut latest_first = None;
        for write in 0..production.writes() {
            let mut here = latest_first;
            for place in production.write(write) {
                let unit = production.unit(place) as usize;
                if self.count[unit] == 0 {
                    continue;
                }
                if latest_first.is_some_and(|first| first > self.last[unit]) {
                    return true;
                }
                here = here.max(Some(self.first[unit]));
            }
            latest_first = here;
        }
        false
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
