//! The channel: which event finally writes each element, and in which order.

use super::NEVER;
use super::grid::Grid;
use super::walk::{Side, Walk};

/// Writes of a producer, without those that are overwritten. Events that finally write nothing are not counted.
pub(crate) struct Production {
    places: Places,
    /// Units of the tensor, written or not.
    all_units: usize,
    /// For each place in the order of production, how many elements are produced before the first of its unit; nothing
    /// if that is its place times the elements of a unit.
    first_element: Option<Vec<u64>>,
    /// Lanes of the producer, slowest first.
    pub(crate) lanes: Vec<usize>,
}

/// A walk over all writes.
pub(crate) trait OverWrites {
    /// Its result.
    type Result;

    /// Goes over them, given the place that each ends before and the unit of each place.
    fn over(self, end: impl Fn(usize) -> usize, unit: impl Fn(usize) -> u32) -> Self::Result;
}

/// Writes of the units. Memory is most of the time of a sweep, so that lists are kept only where numbers do
/// not do.
enum Places {
    /// Units in the order of their numbers, so many a write.
    RowMajor { each: u32, writes: u32 },
    /// Any others.
    Listed {
        /// Write that finally writes a unit, or [`NEVER`].
        written_at: Vec<u32>,
        /// Units in the order of production.
        order: Vec<u32>,
        /// Begin of each write in that order, and where the last one ends.
        starts: Vec<u32>,
    },
}

impl Production {
    /// Walks over the producer once, and twice more if something is overwritten.
    pub(crate) fn of(side: &Side<'_>, grid: &Grid) -> Production {
        let all_units = usize::try_from(grid.units()).unwrap_or(0);
        if let Some(each) = each_of_row_major(side, grid) {
            return Production {
                places: Places::RowMajor {
                    each,
                    writes: all_units as u32 / each,
                },
                all_units,
                first_element: None,
                lanes: side.lanes.clone(),
            };
        }
        let mut places = Places::RowMajor { each: 0, writes: 0 };
        let mut is_overwritten = false;
        side.visit(grid, |event| {
            if !event.units.is_empty() && !is_overwritten {
                is_overwritten = !places.push(event.units, all_units);
            }
        });
        if is_overwritten {
            places = last_writes(side, grid, all_units);
        } else if places.units() < all_units {
            // Numbers do not say which units are missing.
            places = places.listed(all_units);
        }
        let lanes = side.lanes.clone();
        let mut production = Production {
            places,
            all_units,
            first_element: None,
            lanes,
        };
        production.first_element = production.first_elements(grid);
        production
    }

    /// Number of writes.
    pub(crate) fn writes(&self) -> usize {
        match &self.places {
            Places::RowMajor { writes, .. } => *writes as usize,
            Places::Listed { starts, .. } => starts.len() - 1,
        }
    }

    /// Units of one write, as places in the order of production.
    pub(crate) fn write(&self, write: usize) -> std::ops::Range<usize> {
        match &self.places {
            Places::RowMajor { each, .. } => write * *each as usize..(write + 1) * *each as usize,
            Places::Listed { starts, .. } => starts[write] as usize..starts[write + 1] as usize,
        }
    }

    /// Number of units that are written.
    pub(crate) fn units(&self) -> usize {
        self.places.units()
    }

    /// Number of units of the tensor.
    pub(crate) fn all_units(&self) -> usize {
        self.all_units
    }

    /// The unit at a place in the order of production.
    pub(crate) fn unit(&self, place: usize) -> u32 {
        match &self.places {
            Places::RowMajor { .. } => place as u32,
            Places::Listed { order, .. } => order[place],
        }
    }

    /// Write that finally writes a unit, or [`NEVER`].
    pub(crate) fn written_at(&self, unit: u32) -> u32 {
        match &self.places {
            Places::RowMajor { each: 1, .. } => unit,
            Places::RowMajor { each, .. } => unit / each,
            Places::Listed { written_at, .. } => written_at[unit as usize],
        }
    }

    /// Hands where each write ends and the unit of each place to a walk, which is made for either kind of list.
    pub(crate) fn with<W: OverWrites>(&self, walk: W) -> W::Result {
        match &self.places {
            Places::RowMajor { each: 1, .. } => walk.over(|write| write + 1, |place| place as u32),
            Places::RowMajor { each, .. } => walk.over(|write| (write + 1) * *each as usize, |place| place as u32),
            Places::Listed { starts, order, .. } => walk.over(|write| starts[write + 1] as usize, |place| order[place]),
        }
    }

    /// Units of a write, if they are all written once, by their numbers.
    pub(crate) fn row_major(&self) -> Option<u32> {
        match &self.places {
            Places::RowMajor { each, .. } => Some(*each),
            Places::Listed { .. } => None,
        }
    }

    /// For each unit the write that finally writes it, or [`NEVER`]; nothing of those that are row-major.
    pub(crate) fn listed(&self) -> &[u32] {
        match &self.places {
            Places::RowMajor { .. } => &[],
            Places::Listed { written_at, .. } => written_at,
        }
    }

    /// For each place in the order of production, how many elements are produced before the first of its unit; nothing
    /// if that is its place times the elements of a unit.
    pub(crate) fn elements_before(&self) -> Option<&[u64]> {
        self.first_element.as_deref()
    }

    /// A token of several units has the elements of a unit not one after the other.
    fn first_elements(&self, grid: &Grid) -> Option<Vec<u64>> {
        let rank = grid.unit.len();
        if grid.unit_volume() == 1 || self.units() == self.writes() {
            return None;
        }
        // Elements that lie in lanes of a level and below, for one unit.
        let mut below = vec![1u64; rank + 1];
        for level in (0..rank).rev() {
            below[level] = below[level + 1].saturating_mul(grid.unit[self.lanes[level]].unsigned_abs());
        }
        let mut first = Vec::with_capacity(self.units());
        let (mut now, mut before) = (vec![0; rank], vec![0; rank]);
        for write in 0..self.writes() {
            let range = self.write(write);
            let base = range.start as u64 * below[0];
            // Units of this write before the present one that share so many lane coordinates with it.
            let mut sharing = vec![0u64; rank + 1];
            for place in range.clone() {
                grid.coordinates(self.unit(place), &mut now);
                if place > range.start {
                    let differs = self
                        .lanes
                        .iter()
                        .position(|&dimension| now[dimension] != before[dimension]);
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

/// Units of a write, if loops and tokens run through the numbers of all units, and a write has its elements one unit
/// after the other.
fn each_of_row_major(side: &Side<'_>, grid: &Grid) -> Option<u32> {
    let Walk::Nest(nest) = &side.walk else { return None };
    let tokens = side.token.iter().zip(&grid.unit);
    let each = tokens.fold(1i64, |product, (token, unit)| product.saturating_mul(token / unit));
    if i128::from(each) > grid.units() as i128 || (each > 1 && grid.unit_volume() > 1) {
        return None;
    }
    let mut reached = each;
    for each in nest.loops.iter().rev() {
        if grid.linear(&each.step) != reached {
            return None;
        }
        reached = reached.checked_mul(each.trip)?;
    }
    let is_whole = grid.linear(&nest.base) == 0 && u128::try_from(reached) == Ok(grid.units());
    let offsets = side.offsets(grid).filter(|_| is_whole)?;
    let each = u32::try_from(each).ok()?;
    offsets.iter().copied().eq(0..each).then_some(each)
}

impl Places {
    fn units(&self) -> usize {
        match self {
            Places::RowMajor { each, writes } => *each as usize * *writes as usize,
            Places::Listed { order, .. } => order.len(),
        }
    }

    /// Adds a write; no if something was written before.
    fn push(&mut self, units: &[u32], all_units: usize) -> bool {
        if let Places::RowMajor { each, writes } = self {
            let mut numbers = *each * *writes..;
            let is_even = *writes == 0 || *each as usize == units.len();
            if is_even && units.iter().all(|&unit| numbers.next() == Some(unit)) {
                *each = units.len() as u32;
                *writes += 1;
                return true;
            }
            *self = std::mem::replace(self, Places::RowMajor { each: 0, writes: 0 }).listed(all_units);
        }
        let Places::Listed {
            written_at,
            order,
            starts,
        } = self
        else {
            return true;
        };
        let write = starts.len() as u32 - 1;
        let mut is_new = true;
        for &unit in units {
            let written = &mut written_at[unit as usize];
            is_new &= *written == NEVER;
            *written = write;
        }
        order.extend_from_slice(units);
        starts.push(order.len() as u32);
        is_new
    }

    fn listed(self, all_units: usize) -> Places {
        let Places::RowMajor { each, writes } = self else {
            return self;
        };
        let mut written_at = vec![NEVER; all_units];
        let mut order = Vec::with_capacity(all_units);
        order.extend(0..each * writes);
        for (unit, written) in (0..each * writes).zip(&mut written_at) {
            *written = unit / each;
        }
        Places::Listed {
            written_at,
            order,
            starts: (0..=writes).map(|write| write * each).collect(),
        }
    }
}

/// The writes where only the last event that writes a unit counts.
fn last_writes(side: &Side<'_>, grid: &Grid, all_units: usize) -> Places {
    let mut written_at = vec![NEVER; all_units];
    side.visit(grid, |event| {
        for &unit in event.units {
            written_at[unit as usize] = event.number;
        }
    });
    let (mut order, mut starts) = (Vec::new(), vec![0]);
    side.visit(grid, |event| {
        let finally = event
            .units
            .iter()
            .copied()
            .filter(|&unit| written_at[unit as usize] == event.number);
        order.extend(finally);
        let end = order.len() as u32;
        if starts.last() != Some(&end) {
            starts.push(end);
        }
    });
    for (write, range) in starts.windows(2).enumerate() {
        for &unit in &order[range[0] as usize..range[1] as usize] {
            written_at[unit as usize] = write as u32;
        }
    }
    Places::Listed {
        written_at,
        order,
        starts,
    }
}
