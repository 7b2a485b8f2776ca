//! Boxes in units of the largest cell that all of them are made of, so that a row of a thousand elements that is always
//! accessed as a whole is one thing.

use super::{ReplayError, Touch};
use crate::order::MAX_COORDINATE;

/// A grid of cells around all boxes of a list.
pub(super) struct Grid {
    /// Elements of a cell along each dimension.
    unit: Vec<i64>,
    /// The least index of all boxes, and cells, along each dimension.
    least: Vec<i64>,
    extent: Vec<i64>,
}

impl Grid {
    /// The largest unit along each dimension that all indices and sizes are multiples of.
    pub(super) fn units<'a>(all: impl Iterator<Item = &'a Touch>, rank: usize) -> Vec<i64> {
        let mut unit = vec![0; rank];
        for touch in all {
            for (dim, unit) in unit.iter_mut().enumerate() {
                *unit = gcd(gcd(*unit, touch.from[dim]), touch.size[dim]);
            }
        }
        unit.into_iter().map(|unit| unit.max(1)).collect()
    }

    /// The grid around boxes; an error if an index is too large or there are more than `limit` cells.
    pub(super) fn around(touches: &[Touch], unit: &[i64], limit: u64) -> Result<Self, ReplayError> {
        let rank = unit.len();
        let (mut least, mut most) = (vec![i64::MAX; rank], vec![i64::MIN; rank]);
        for touch in touches {
            for dim in 0..rank {
                let (from, size) = (touch.from[dim], touch.size[dim]);
                if from.abs() > MAX_COORDINATE || size > MAX_COORDINATE {
                    return Err(ReplayError::Overflow(touch.entry));
                }
                least[dim] = least[dim].min(from);
                most[dim] = most[dim].max(from + size);
            }
        }
        let extent: Vec<i64> = (0..rank)
            .map(|dim| (most[dim] - least[dim]).max(0) / unit[dim])
            .collect();
        let cells = extent.iter().try_fold(1u64, |all, n| all.checked_mul(n.unsigned_abs()));
        match cells {
            Some(cells) if cells <= limit => Ok(Self {
                unit: unit.to_vec(),
                least,
                extent,
            }),
            _ => Err(ReplayError::TooLarge(limit)),
        }
    }

    /// Number of all cells.
    pub(super) fn len(&self) -> usize {
        self.extent.iter().map(|n| n.unsigned_abs() as usize).product()
    }

    /// The cells of a box, the last dimension the fastest.
    pub(super) fn cells(&self, touch: &Touch) -> Vec<usize> {
        let mut cells = vec![0usize];
        for (dim, unit) in self.unit.iter().enumerate() {
            let first = (touch.from[dim] - self.least[dim]) / unit;
            let count = touch.size[dim] / unit;
            let extent = self.extent[dim].unsigned_abs() as usize;
            let along = (first..first + count).map(|index| index.unsigned_abs() as usize);
            cells = cells
                .iter()
                .flat_map(|before| along.clone().map(move |index| before * extent + index))
                .collect();
        }
        cells
    }

    /// The first index of a cell along each dimension.
    pub(super) fn index(&self, cell: usize) -> Vec<i64> {
        let mut rest = cell;
        let mut index = vec![0; self.unit.len()];
        for dim in (0..self.unit.len()).rev() {
            let extent = (self.extent[dim].unsigned_abs() as usize).max(1);
            index[dim] = self.least[dim] + (rest % extent) as i64 * self.unit[dim];
            rest /= extent;
        }
        index
    }
}

/// Cells of all boxes together; an error above `limit`.
pub(super) fn check_work(touches: &[Touch], unit: &[i64], limit: u64) -> Result<(), ReplayError> {
    let cells = |touch: &Touch| {
        let each = touch
            .size
            .iter()
            .zip(unit)
            .map(|(size, unit)| (size / unit).unsigned_abs());
        each.fold(1u64, u64::saturating_mul)
    };
    let work = touches.iter().map(cells).fold(0u64, u64::saturating_add);
    if work > limit {
        return Err(ReplayError::TooLarge(limit));
    }
    Ok(())
}

fn gcd(left: i64, right: i64) -> i64 {
    if right == 0 {
        left.abs()
    } else {
        gcd(right, left % right)
    }
}
