//! Sizes of a buffer from the lives of its elements.

use super::grid::Grid;
use super::production::Production;
use super::reading::Reading;

/// The last write at which each unit is held, by its place in the order of production.
pub(crate) struct Lives {
    pub(crate) until: Vec<u32>,
}

impl Lives {
    /// A unit is held until the last of several consumers is done with it. All of them must complete.
    pub(crate) fn of(production: &Production, readings: &[&Reading]) -> Lives {
        let released = |&unit: &u32| {
            let written = production.written_at[unit as usize];
            let all = readings.iter().map(|reading| reading.released_at(unit, written));
            all.max().unwrap_or(written)
        };
        Lives {
            until: production.order.iter().map(released).collect(),
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
    pub(crate) peak: u32,
    /// Whether nothing is held after a write once the consumers have read all they can.
    pub(crate) is_empty_after: Vec<bool>,
}

/// Counts what is held at each write.
pub(crate) fn measure(production: &Production, grid: &Grid, lives: &Lives) -> Measure {
    let writes = production.writes();
    let mut released = vec![0u32; writes];
    for &until in &lives.until {
        released[until as usize] += 1;
    }
    let (mut gone, mut oldest) = (0usize, 0usize);
    let (mut capacity, mut retained, mut span, mut peak) = (0, 0, 0, 0);
    let mut is_empty_after = Vec::with_capacity(writes);
    for (write, released) in released.iter().enumerate() {
        let written = production.write(write).end;
        if written - gone > capacity {
            (capacity, peak) = (written - gone, write);
        }
        while oldest < written && (lives.until[oldest] as usize) < write {
            oldest += 1;
        }
        let distance = written as u128 * grid.unit_volume() - production.elements_before(oldest, grid);
        span = span.max(distance);
        gone += *released as usize;
        retained = retained.max(written - gone);
        is_empty_after.push(written == gone);
    }
    Measure {
        min_capacity: capacity as u128 * grid.unit_volume(),
        retained: retained as u128 * grid.unit_volume(),
        circular_span: span,
        peak: peak as u32,
        is_empty_after,
    }
}
