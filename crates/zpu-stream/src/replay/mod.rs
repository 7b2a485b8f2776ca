//! A small buffer that stands for a tensor: a program of accesses replayed, to tell whether each one meets the element
//! that it means.
//!
//! A **meaning** is a list of accesses in program order, each with the elements of the tensor that it means. What a
//! program does is the same accesses in slots of the buffer. They are right if, access by access,
//!
//! - both read or both write, boxes of one size, and the slots are within the buffer;
//! - each slot that is read holds what was written last to the element that is meant.
//!
//! Nothing is asked about how slots are chosen. An element that was never written may be read from anywhere: there is
//! nothing to find.

mod cells;
mod kind;
mod sizes;
mod slots;

use thiserror::Error;

use crate::order::Order;

pub use kind::verdict;
pub use sizes::{Needs, needs};
pub use slots::{Difference, compare};

/// An access in a list that is a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// It writes; otherwise it reads.
    pub write: bool,
    /// The outermost loops that are those of the entry before.
    pub shared: usize,
    /// The loops around it, and the elements that an iteration accesses.
    pub order: Order,
}

/// One access of a program as it runs: a box, from an index in each dimension on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// Number of the entry that makes it.
    pub entry: usize,
    /// It writes; otherwise it reads.
    pub write: bool,
    /// First index in each dimension.
    pub from: Vec<i64>,
    /// Number of indices in each dimension, at least 1.
    pub size: Vec<i64>,
}

/// A reason why a program cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// More accesses, or elements of all of them, than are allowed.
    #[error("replaying needs more than {0} accesses")]
    TooLarge(u64),
    /// An index does not fit in 62 bits.
    #[error("entry {0} has an index that is too large")]
    Overflow(usize),
    /// A token has gaps.
    #[error("entry {0} has a token with gaps")]
    Dilated(usize),
}

/// Runs a list of accesses, given by loops around each and the number of loops that it shares with the entry before:
/// visits each access with its number and the indices of its loops.
///
/// # Errors
///
/// The first error of a visit.
pub fn run<E>(nests: &[(Vec<i64>, usize)], visit: &mut impl FnMut(usize, &[i64]) -> Result<(), E>) -> Result<(), E> {
    let mut indices = Vec::new();
    run_from(nests, 0, &mut indices, visit)
}

fn run_from<E>(
    nests: &[(Vec<i64>, usize)],
    first: usize,
    indices: &mut Vec<i64>,
    visit: &mut impl FnMut(usize, &[i64]) -> Result<(), E>,
) -> Result<(), E> {
    let depth = indices.len();
    let mut at = 0;
    while let Some((loops, _)) = nests.get(at) {
        let Some(trips) = loops.get(depth) else {
            visit(first + at, indices)?;
            at += 1;
            continue;
        };
        let inside = nests[at + 1..].iter().take_while(|(_, shared)| *shared > depth);
        let end = at + 1 + inside.count();
        for index in 0..*trips {
            indices.push(index);
            run_from(&nests[at..end], first + at, indices, visit)?;
            indices.pop();
        }
        at = end;
    }
    Ok(())
}

/// All accesses of a list as it runs, with the elements that they mean.
///
/// # Errors
///
/// If there are more than `limit`, or an index is too large, or a token has gaps.
pub fn meaning(list: &[Listed], limit: u64) -> Result<Vec<Touch>, ReplayError> {
    if let Some(at) = list
        .iter()
        .position(|one| one.order.dilation.iter().any(|each| *each != 1))
    {
        return Err(ReplayError::Dilated(at));
    }
    let nests: Vec<(Vec<i64>, usize)> = list.iter().map(|one| (one.order.loops.clone(), one.shared)).collect();
    let mut touches = Vec::new();
    run(&nests, &mut |entry, indices| {
        if touches.len() as u64 >= limit {
            return Err(ReplayError::TooLarge(limit));
        }
        let Listed { write, order, .. } = &list[entry];
        touches.push(Touch {
            entry,
            write: *write,
            from: order.map.evaluate(indices).ok_or(ReplayError::Overflow(entry))?,
            size: order.token.clone(),
        });
        Ok(())
    })?;
    Ok(touches)
}

#[cfg(test)]
mod tests;
