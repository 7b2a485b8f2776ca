//! The sizes that a buffer for a program of accesses could have, by how it is synchronised.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::cells::{Grid, check_work};
use super::{ReplayError, Touch};

/// Sizes in elements, if readers are as fast as they can: each reads when what it needs has been written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The least, if each element is released by itself.
    pub fine: u64,
    /// A ring whose slots are released in the order in which they are written.
    pub ring: u64,
    /// The box of all elements, which is read when it is written as a whole.
    pub block: Vec<i64>,
    /// Storage in place: the box with the remainder of one index in place of that index, of the least product.
    pub in_place: Vec<i64>,
}

/// The sizes for a program. Only final writes count, and no reads of what is written again, as in
/// [`super::verdict`].
///
/// # Errors
///
/// If there is too much work, or an index is too large.
pub fn needs(touches: &[Touch], limit: u64) -> Result<Needs, ReplayError> {
    let rank = touches.first().map_or(0, |touch| touch.from.len());
    let unit = Grid::units(touches.iter(), rank);
    check_work(touches, &unit, limit)?;
    let grid = Grid::around(touches, &unit, limit)?;
    let cell: u64 = unit.iter().map(|unit| unit.unsigned_abs()).product();
    let cells: Vec<Vec<usize>> = touches.iter().map(|touch| grid.cells(touch)).collect();
    let mut written: Vec<Option<usize>> = vec![None; grid.len()];
    for (at, cells) in cells.iter().enumerate().filter(|(at, _)| touches[*at].write) {
        for cell in cells {
            written[*cell] = Some(at);
        }
    }
    // The cells by the access that writes them last, and the last such access that their readers wait for.
    let mut released = written.clone();
    let mut waited = None;
    for (at, cells) in cells.iter().enumerate().filter(|(at, _)| !touches[*at].write) {
        if cells.iter().any(|cell| written[*cell] > Some(at)) {
            continue;
        }
        waited = waited.max(cells.iter().filter_map(|cell| written[*cell]).max());
        for cell in cells {
            released[*cell] = released[*cell].max(waited);
        }
    }
    let lives = |cell: &usize| written[*cell].zip(released[*cell]);
    let mut order: Vec<(usize, usize, usize)> = (0..grid.len())
        .filter_map(|cell| lives(&cell).map(|(from, to)| (from, to, cell)))
        .collect();
    order.sort_unstable();
    // By line along each dimension the indices that are needed at one time; and their places in the order of writing.
    let mut lines: Vec<HashMap<Vec<i64>, BTreeSet<i64>>> = vec![HashMap::new(); rank];
    let mut places = BTreeSet::new();
    let (mut spans, mut ring, mut fine) = (vec![0; rank], 0, 0);
    let mut ends: BTreeMap<usize, Vec<(usize, Vec<i64>)>> = BTreeMap::new();
    for (place, (from, to, cell)) in order.iter().enumerate() {
        // What is needed up to write p still occupies its place when p is written.
        let later = ends.split_off(from);
        for (place, index) in std::mem::replace(&mut ends, later).into_values().flatten() {
            places.remove(&place);
            for (dim, lines) in lines.iter_mut().enumerate() {
                if let Some(line) = lines.get_mut(&line_of(&index, dim)) {
                    line.remove(&index[dim]);
                }
            }
        }
        let index = grid.index(*cell);
        places.insert(place);
        fine = fine.max(places.len() as u64);
        ring = ring.max(places.first().map_or(0, |first| (place - first + 1) as u64));
        for (dim, lines) in lines.iter_mut().enumerate() {
            let line = lines.entry(line_of(&index, dim)).or_default();
            line.insert(index[dim]);
            let ends = line.first().zip(line.last());
            spans[dim] = ends.map_or(0, |(low, high)| high - low + unit[dim]).max(spans[dim]);
        }
        ends.entry(*to).or_default().push((place, index));
    }
    let block: Vec<i64> = (0..rank)
        .map(|dim| {
            let all = || order.iter().map(|(.., cell)| grid.index(*cell)[dim]);
            all().max().unwrap_or(0) - all().min().unwrap_or(0) + unit[dim]
        })
        .collect();
    let one_modulus = |dim: usize| {
        let mut shape = block.clone();
        shape[dim] = spans[dim].min(shape[dim]);
        shape
    };
    let volume = |shape: &Vec<i64>| {
        shape
            .iter()
            .fold(1u128, |all, n| all.saturating_mul(n.unsigned_abs().into()))
    };
    let in_place = (0..rank).map(one_modulus).min_by_key(volume);
    Ok(Needs {
        fine: fine * cell,
        ring: ring * cell,
        in_place: in_place.unwrap_or_else(|| block.clone()),
        block,
    })
}

/// The other coordinates of an element: those of the line along a dimension that it is on.
fn line_of(index: &[i64], dim: usize) -> Vec<i64> {
    let others = index.iter().enumerate().filter(|(each, _)| *each != dim);
    others.map(|(_, index)| *index).collect()
}
