//! The contents of slots, access by access.

use super::cells::{Grid, check_work};
use super::{ReplayError, Touch};

/// The first access that does something else than it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Another number of accesses.
    Count {
        /// Those that are meant.
        meant: usize,
        /// Those that the program makes.
        made: usize,
    },
    /// A read in the place of a write, the other way round, or a box of another size.
    Other {
        /// Number of the access.
        at: usize,
    },
    /// A slot that the buffer has not.
    Outside {
        /// Number of the access.
        at: usize,
        /// The slot.
        slot: Vec<i64>,
    },
    /// A slot that holds something else than is meant.
    Holds {
        /// Number of the access.
        at: usize,
        /// The slot.
        slot: Vec<i64>,
        /// The element that is meant.
        element: Vec<i64>,
        /// The element that it holds, if any; the one that is meant if it was written again since, elsewhere.
        held: Option<Vec<i64>>,
    },
}

/// Tells whether accesses to the slots of a buffer do what is meant; the first difference if not. Work is limited to
/// so many accesses to cells.
///
/// # Errors
///
/// If there is too much work, or an index is too large.
pub fn compare(meant: &[Touch], made: &[Touch], buffer: &[i64], limit: u64) -> Result<Option<Difference>, ReplayError> {
    let same_size = |(at, (meant, made)): (usize, (&Touch, &Touch))| {
        let outside = |dim: &usize| made.from[*dim] < 0 || made.from[*dim] > buffer[*dim] - made.size[*dim];
        if meant.write != made.write || meant.size != made.size {
            Some(Difference::Other { at })
        } else if (0..buffer.len()).any(|dim| outside(&dim)) {
            let last = (0..buffer.len()).map(|dim| made.from[dim] + made.size[dim] - 1);
            let slot = if made.from.iter().any(|from| *from < 0) {
                made.from.clone()
            } else {
                last.collect()
            };
            Some(Difference::Outside { at, slot })
        } else {
            None
        }
    };
    if let Some(difference) = meant.iter().zip(made).enumerate().find_map(same_size) {
        return Ok(Some(difference));
    }
    if meant.len() != made.len() {
        return Ok(Some(Difference::Count {
            meant: meant.len(),
            made: made.len(),
        }));
    }
    let unit = Grid::units(meant.iter().chain(made), buffer.len());
    check_work(meant, &unit, limit)?;
    let elements = Grid::around(meant, &unit, limit)?;
    let slots = Grid::around(made, &unit, limit)?;
    // By element the access that wrote it last; by slot the element that it holds with the access that wrote it.
    let mut written: Vec<Option<usize>> = vec![None; elements.len()];
    let mut held: Vec<Option<(usize, usize)>> = vec![None; slots.len()];
    for (at, (meant, made)) in meant.iter().zip(made).enumerate() {
        for (element, slot) in elements.cells(meant).into_iter().zip(slots.cells(made)) {
            if meant.write {
                written[element] = Some(at);
                held[slot] = Some((element, at));
            } else if let Some(by) = written[element]
                && held[slot] != Some((element, by))
            {
                return Ok(Some(Difference::Holds {
                    at,
                    slot: slots.index(slot),
                    element: elements.index(element),
                    held: held[slot].map(|(element, _)| elements.index(element)),
                }));
            }
        }
    }
    Ok(None)
}
