//! Sizes of a buffer from the lives of its elements.

use super::grid::Grid;
use super::production::Production;
use super::reading::Reading;

/// The last write at which each unit is held.
pub(crate) enum Lives<'r> {
    /// As long as one consumer needs it.
    One(&'r Reading),
    /// As long as any of several does, by unit.
    All(Vec<u32>),
}

impl<'r> Lives<'r> {
    /// A unit is held until the last of several consumers is done with it. All of them must complete.
    pub(crate) fn of(production: &Production, readings: &[&'r Reading]) -> Lives<'r> {
        if let [one] = readings {
            return Lives::One(one);
        }
        let released = |unit: u32| {
            let written = production.written_at(unit);
            let all = readings.iter().map(|reading| reading.released_at(unit, written));
            all.max().unwrap_or(written)
        };
        Lives::All((0..production.all_units() as u32).map(released).collect())
    }

    /// The last write at which a unit that is written by a given write is held.
    pub(crate) fn until(&self, unit: u32, write: usize) -> usize {
        match self {
            Lives::One(reading) => reading.released_at(unit, write as u32) as usize,
            Lives::All(until) => until[unit as usize] as usize,
        }
    }
}

/// Sizes in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Measure {
    pub(crate) min_capacity: u128,
    pub(crate) retained: u128,
    pub(crate) circular_span: u128,
    /// A write at which most is held.
    pub(crate) peak: usize,
    /// Tells whether nothing is held after a write once the consumers have read all they can.
    pub(crate) is_empty_after: Vec<bool>,
}

/// Counts what is held at each write.
pub(crate) fn measure(production: &Production, grid: &Grid, lives: &Lives<'_>) -> Measure {
    let writes = production.writes();
    let mut released = vec![0u32; writes];
    for write in 0..writes {
        for place in production.write(write) {
            released[lives.until(production.unit(place), write)] += 1;
        }
    }
    let (mut gone, mut oldest, mut write_of_oldest) = (0usize, 0usize, 0usize);
    let (mut capacity, mut retained, mut peak) = (0, 0, 0);
    let mut span = Span::new(production, grid);
    let mut is_empty_after = Vec::with_capacity(writes);
    for (write, released) in released.iter().enumerate() {
        let written = production.write(write).end;
        if written - gone > capacity {
            (capacity, peak) = (written - gone, write);
        }
        while oldest < written && lives.until(production.unit(oldest), write_of_oldest) < write {
            oldest += 1;
            if oldest == production.write(write_of_oldest).end {
                write_of_oldest += 1;
            }
        }
        span.meet(oldest, written);
        gone += *released as usize;
        retained = retained.max(written - gone);
        is_empty_after.push(written == gone);
    }
    Measure {
        min_capacity: capacity as u128 * grid.unit_volume(),
        retained: retained as u128 * grid.unit_volume(),
        circular_span: span.elements(),
        peak,
        is_empty_after,
    }
}

/// The largest distance in the order of production: in units, unless elements of units lie between each other.
struct Span<'p> {
    elements_before: Option<&'p [u64]>,
    unit: u128,
    units: usize,
    elements: u128,
}

impl<'p> Span<'p> {
    fn new(production: &'p Production, grid: &Grid) -> Span<'p> {
        Span {
            elements_before: production.elements_before(),
            unit: grid.unit_volume(),
            units: 0,
            elements: 0,
        }
    }

    /// Of units up to `written`, the one at place `oldest` is the first that is held.
    fn meet(&mut self, oldest: usize, written: usize) {
        match self.elements_before {
            Some(before) => {
                let distance = written as u128 * self.unit - u128::from(before[oldest]);
                self.elements = self.elements.max(distance);
            }
            None => self.units = self.units.max(written - oldest),
        }
    }

    fn elements(&self) -> u128 {
        self.elements.max(self.units as u128 * self.unit)
    }
}
