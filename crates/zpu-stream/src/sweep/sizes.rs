//! Sizes of a buffer from the lives of its elements.

use std::borrow::Cow;

use super::grid::Grid;
use super::production::{OverWrites, Production};
use super::reading::Reading;

/// The last write at which each unit that is written is held.
pub(crate) struct Lives<'r>(Cow<'r, [u32]>);

impl<'r> Lives<'r> {
    /// A unit is held until the last of several consumers is done with it. All of them must complete.
    pub(crate) fn of(readings: &[&'r Reading]) -> Lives<'r> {
        let Some((first, others)) = readings.split_first() else {
            return Lives(Cow::Borrowed(&[]));
        };
        let mut until = Cow::Borrowed(first.until.as_slice());
        for other in others {
            let latest = until.to_mut().iter_mut().zip(&other.until);
            latest.for_each(|(until, other)| *until = (*until).max(*other));
        }
        Lives(until)
    }

    /// The last write at which a unit that is written is held.
    pub(crate) fn until(&self, unit: u32) -> u32 {
        self.0[unit as usize]
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
    production.with(Measuring {
        production,
        grid,
        lives,
    })
}

struct Measuring<'m> {
    production: &'m Production,
    grid: &'m Grid,
    lives: &'m Lives<'m>,
}

impl OverWrites for Measuring<'_> {
    type Result = Measure;

    fn over(self, end: impl Fn(usize) -> usize, unit: impl Fn(usize) -> u32) -> Measure {
        let writes = self.production.writes();
        let mut released = vec![0u32; writes];
        for place in 0..self.production.units() {
            released[self.lives.until(unit(place)) as usize] += 1;
        }
        let (mut gone, mut oldest) = (0, 0);
        let (mut capacity, mut retained, mut peak) = (0, 0, 0);
        let mut span = Span::new(self.production, self.grid);
        let mut is_empty_after = vec![false; writes];
        for (write, (released, is_empty)) in released.iter().zip(&mut is_empty_after).enumerate() {
            let written = end(write);
            if written - gone > capacity {
                (capacity, peak) = (written - gone, write);
            }
            while oldest < written && (self.lives.until(unit(oldest)) as usize) < write {
                oldest += 1;
            }
            span.meet(oldest, written);
            gone += *released as usize;
            retained = retained.max(written - gone);
            *is_empty = written == gone;
        }
        Measure {
            min_capacity: capacity as u128 * self.grid.unit_volume(),
            retained: retained as u128 * self.grid.unit_volume(),
            circular_span: span.elements(),
            peak,
            is_empty_after,
        }
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
