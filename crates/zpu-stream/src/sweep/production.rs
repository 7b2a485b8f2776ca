//! The channel: which event finally writes each element, and in which order.

use super::NEVER;
use super::grid::Grid;
use super::walk::Side;

/// Writes of a producer, without those that are overwritten. Events that finally write nothing are not counted.
pub(crate) struct Production {
    /// Which write finally writes a unit, or [`NEVER`].
    pub(crate) written_at: Vec<u32>,
    /// Units in the order of production.
    pub(crate) order: Vec<u32>,
    /// Where each write begins in `order`, and where the last one ends.
    pub(crate) starts: Vec<u32>,
    /// For each entry of `order`, how many elements are produced before the first of its unit; nothing if that is its
    /// place times the elements of a unit.
    first_element: Option<Vec<u64>>,
    /// Lanes of the producer, slowest first.
    pub(crate) lanes: Vec<usize>,
}

impl Production {
    /// Walks over the producer once for who writes what last, and once for the order.
    pub(crate) fn of(side: &Side<'_>, grid: &Grid) -> Production {
        let units = usize::try_from(grid.units()).unwrap_or(0);
        let mut last = vec![NEVER; units];
        let mut is_overwritten = false;
        side.visit(grid, |event| {
            for &unit in event.units {
                is_overwritten |= last[unit as usize] != NEVER;
                last[unit as usize] = event.number;
            }
        });
        let mut order = Vec::with_capacity(units);
        let mut starts = vec![0];
        side.visit(grid, |event| {
            let finally = event.units.iter().copied().filter(|&unit| !is_overwritten || last[unit as usize] == event.number);
            order.extend(finally);
            let end = order.len() as u32;
            if starts.last() != Some(&end) {
                starts.push(end);
            }
        });
        let mut written_at = last;
        for (write, range) in starts.windows(2).enumerate() {
            for &unit in &order[range[0] as usize..range[1] as usize] {
                written_at[unit as usize] = write as u32;
            }
        }
        let lanes = side.lanes.clone();
        let mut production = Production {
            written_at,
            order,
            starts,
            first_element: None,
            lanes,
        };
        production.first_element = production.first_elements(grid);
        production
    }

    /// Number of writes.
    pub(crate) fn writes(&self) -> usize {
        self.starts.len() - 1
    }

    /// Units of one write, as places in `order`.
    pub(crate) fn write(&self, write: usize) -> std::ops::Range<usize> {
        self.starts[write] as usize..self.starts[write + 1] as usize
    }

    /// How many elements are produced before the first of the unit at a place of `order`.
    pub(crate) fn elements_before(&self, place: usize, grid: &Grid) -> u128 {
        match &self.first_element {
            Some(first) => first[place].into(),
            None => place as u128 * grid.unit_volume(),
        }
    }

    /// A token of several units has the elements of a unit not one after the other.
    fn first_elements(&self, grid: &Grid) -> Option<Vec<u64>> {
        let rank = grid.unit.len();
        if grid.unit_volume() == 1 || self.order.len() == self.writes() {
            return None;
        }
        // Elements that lie in lanes of a level and below, for one unit.
        let mut below = vec![1u64; rank + 1];
        for level in (0..rank).rev() {
            below[level] = below[level + 1].saturating_mul(grid.unit[self.lanes[level]].unsigned_abs());
        }
        let mut first = Vec::with_capacity(self.order.len());
        let (mut now, mut before) = (vec![0; rank], vec![0; rank]);
        for write in 0..self.writes() {
            let range = self.write(write);
            let base = range.start as u64 * below[0];
            // Units of this write before the present one that share so many lane coordinates with it.
            let mut sharing = vec![0u64; rank + 1];
            for place in range.clone() {
                grid.coordinates(self.order[place], &mut now);
                if place > range.start {
                    let differs = self.lanes.iter().position(|&dimension| now[dimension] != before[dimension]);
                    let differs = differs.unwrap_or(rank);
                    sharing[..=differs].iter_mut().for_each(|count| *count += 1);
                    sharing[differs + 1..].fill(0);
                }
                let levels = (0..rank).map(|level| (sharing[level] - sharing[level + 1]) * below[level]);
                first.push(base + levels.sum::<u64>());
                std::mem::swap(&mut now, &mut before);
            }
        }
        Some(first)
    }
}
