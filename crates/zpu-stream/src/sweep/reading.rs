//! What one consumer reads, when it can, and how its order compares with that of the writes.

use super::NEVER;
use super::grid::Grid;
use super::production::Production;
use super::walk::Side;
use crate::verdict::Verdict;

/// Events of one consumer on one unit.
#[derive(Clone, Copy)]
struct Reads {
    first: u32,
    last: u32,
    count: u32,
}

/// The loops of a consumer and of the one that its gate is on, as they were written, and how many they share.
pub(crate) struct GateEvents<'a> {
    pub(crate) loops: &'a [i64],
    pub(crate) other_loops: &'a [i64],
    pub(crate) prefix: usize,
}

impl GateEvents<'_> {
    /// The last event of the other consumer that an event waits for; nothing if no event has the same indices.
    fn last_awaited(&self, event: u32) -> Option<u32> {
        let rest = |loops: &[i64]| loops[self.prefix..].iter().product::<i64>();
        let mut prefix = i64::from(event) / rest(self.loops);
        let (mut number, mut weight) = (0i64, 1i64);
        for (trip, other) in self.loops[..self.prefix].iter().zip(&self.other_loops[..self.prefix]).rev() {
            let index = prefix % trip;
            prefix /= trip;
            if index >= *other {
                return None;
            }
            number += index * weight;
            weight *= other;
        }
        u32::try_from((number + 1) * rest(self.other_loops) - 1).ok()
    }
}

/// All that matters of one consumer.
pub(crate) struct Reading {
    reads: Vec<Reads>,
    /// How many writes each event needs, with those of earlier events and of its gate; [`NEVER`] if it never can.
    pub(crate) needs: Vec<u32>,
    /// A unit that is read and never written.
    pub(crate) never_written: Option<u32>,
    /// Whether some event touches the tensor.
    pub(crate) touches: bool,
    is_in_order: bool,
    matching: Matching,
}

/// Whether the tokens read are those written.
struct Matching {
    /// Each is one, with no gap in between.
    is_sequence: bool,
    /// None is read twice.
    is_once: bool,
    /// Their elements are in the same order.
    has_same_lanes: bool,
    /// How many were met.
    tokens: usize,
}

impl Reading {
    /// Walks over the consumer once. A gate comes with what the consumer that it is on needs.
    pub(crate) fn of(
        side: &Side<'_>,
        grid: &Grid,
        production: &Production,
        gate: Option<(&GateEvents<'_>, &[u32])>,
    ) -> Reading {
        let none = Reads {
            first: NEVER,
            last: NEVER,
            count: 0,
        };
        let mut reading = Reading {
            reads: vec![none; production.written_at.len()],
            needs: Vec::new(),
            never_written: None,
            touches: false,
            is_in_order: true,
            matching: Matching {
                is_sequence: true,
                is_once: true,
                has_same_lanes: true,
                tokens: 0,
            },
        };
        let same_lanes = side.lanes == production.lanes;
        let mut need = 0;
        let mut latest_before = 0;
        side.visit(grid, |event| {
            let (mut latest, mut earliest) = (0, NEVER);
            for &unit in event.units {
                let reads = &mut reading.reads[unit as usize];
                if reads.count == 0 {
                    reads.first = event.number;
                }
                reads.last = event.number;
                reads.count += 1;
                let written = production.written_at[unit as usize];
                if written == NEVER {
                    reading.never_written.get_or_insert(unit);
                }
                latest = latest.max(written);
                earliest = earliest.min(written);
            }
            if !event.units.is_empty() {
                need = need.max(latest.saturating_add(1));
                reading.is_in_order &= !reading.touches || latest_before <= earliest;
                reading.touches = true;
                latest_before = latest;
                let is_one = earliest == latest && latest != NEVER;
                let is_token = is_one && production.write(latest as usize).len() == event.units.len();
                reading.matching.meet(is_token.then_some(latest as usize));
                reading.matching.has_same_lanes &=
                    same_lanes || have_same_order(&side.lanes, &production.lanes, event.counts);
            }
            if let Some((gate, needs)) = gate {
                let awaited = gate.last_awaited(event.number);
                need = need.max(awaited.map_or(0, |other| needs[other as usize]));
            }
            reading.needs.push(need);
        });
        reading
    }

    /// Whether it reads all it wants in the end.
    pub(crate) fn completes(&self) -> bool {
        self.needs.last() != Some(&NEVER)
    }

    /// The last write that happens before the last reader of a unit has read it; the one that writes it if nobody
    /// reads it. Only for a consumer that completes.
    pub(crate) fn released_at(&self, unit: u32, written: u32) -> u32 {
        match self.reads[unit as usize].last {
            NEVER => written,
            last => self.needs[last as usize] - 1,
        }
    }

    /// The largest number of events on one unit.
    pub(crate) fn multiplicity(&self) -> u32 {
        self.reads.iter().map(|reads| reads.count).max().unwrap_or(0)
    }

    /// Units that are written and not read.
    pub(crate) fn dropped(&self, production: &Production) -> usize {
        production.order.iter().filter(|&&unit| self.reads[unit as usize].count == 0).count()
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
        (!self.has_inversion(production)).then_some(Verdict::Window)
    }

    /// Whether an element that was written later is done with before an earlier one is read at all.
    fn has_inversion(&self, production: &Production) -> bool {
        let mut latest_first = None;
        for write in 0..production.writes() {
            let mut here = latest_first;
            for &unit in &production.order[production.write(write)] {
                let reads = self.reads[unit as usize];
                if reads.count == 0 {
                    continue;
                }
                if latest_first.is_some_and(|first| first > reads.last) {
                    return true;
                }
                here = here.max(Some(reads.first));
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

/// Whether two orders of dimensions are the same for a box: dimensions with one element do not count.
fn have_same_order(one: &[usize], other: &[usize], counts: &[i64]) -> bool {
    let varying = |lanes: &[usize]| lanes.iter().copied().filter(|&dimension| counts[dimension] > 1).collect::<Vec<_>>();
    varying(one) == varying(other)
}
