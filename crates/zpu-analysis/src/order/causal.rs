//! How far the loops that a writer and a reader of a tensor have in common keep them together.
//!
//! Numbers only. The question is asked of loops by their places: the loops of both sides below a place are the same
//! ones, or stand for one another. Every "yes" is certain; a "no" may be a yes that is not found.

use super::affine::Affine;
use super::token::Token;

/// One side: the token of an event, and the trip counts of the loops that its origin counts in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'t> {
    pub(super) token: &'t Token,
    pub(super) trips: &'t [Option<i64>],
}

/// Tells whether no event of `read` touches an element whose last write has larger indices of the loops `from..to`:
/// with equal indices of the loops below `from`, each element is written last at indices none of which is larger.
///
/// Sufficient, and tested: for each of these loops there is a dimension that both sides move by the same step, that
/// none of the others moves, and within which what is read reaches less than a step beyond where writes begin. So an
/// element at most that far is written last at an index that is no larger.
pub(super) fn follows(write: Side<'_>, read: Side<'_>, from: usize, to: usize) -> bool {
    (from..to).all(|place| {
        let trip = |side: Side<'_>| side.trips.get(place).copied().flatten();
        trip(write) == trip(read) && (trip(write) == Some(1) || goes_along(write, read, from, to, place))
    })
}

/// The largest number of loops from `from` on for which [`follows`] holds.
pub(super) fn prefix(write: Side<'_>, read: Side<'_>, from: usize) -> usize {
    let most = write.trips.len().min(read.trips.len());
    let holds = |to: &usize| follows(write, read, from, *to);
    (from..=most).rev().find(holds).map_or(0, |to| to - from)
}

fn goes_along(write: Side<'_>, read: Side<'_>, from: usize, to: usize, place: usize) -> bool {
    (0..write.token.origin.len()).any(|dimension| {
        let extents = |side: Side<'_>| inner(side, dimension, from, to, place);
        let (Some(writes), Some(reads)) = (extents(write), extents(read)) else {
            return false;
        };
        let is_along = writes.step == reads.step && writes.outer == reads.outer;
        // Where a loop moves backward, the other ends meet.
        let beyond = match writes.step {
            1.. => reads.high.checked_sub(writes.low),
            0 => return false,
            _ => writes.high.checked_sub(reads.low),
        };
        is_along && beyond.is_some_and(|beyond| beyond < writes.step.saturating_abs())
    })
}

/// The part that a side touches along one dimension.
struct Extents {
    /// By how much the loop that is asked about moves it.
    step: i64,
    /// The distance that loops outside move it by.
    outer: Vec<i64>,
    /// First and last coordinate at index 0 of these loops.
    low: i64,
    high: i64,
}

fn inner(side: Side<'_>, dimension: usize, from: usize, to: usize, place: usize) -> Option<Extents> {
    let mut origin: Affine = side.token.origin.get(dimension)?.clone();
    let step = origin.step(place)?;
    let outer: Vec<i64> = (0..from).map(|outer| origin.step(outer)).collect::<Option<_>>()?;
    if (from..to).any(|other| other != place && origin.mentions(other)) {
        return None;
    }
    for known in (0..from).chain([place]) {
        origin = origin.without(known);
    }
    // Loops without a trip count are outside, and no longer in it.
    let trips: Vec<i64> = side.trips.iter().map(|trip| trip.unwrap_or(0)).collect();
    let (low, high) = origin.expr(0)?.range(&trips)?;
    let reach = (side.token.size.get(dimension)? - 1).checked_mul(*side.token.dilation.get(dimension)?)?;
    Some(Extents {
        step,
        outer,
        low,
        high: high.checked_add(reach)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token of `size` at `step * i0 + inner * i1 + base`.
    fn token(step: i64, inner: i64, base: i64, size: i64) -> Token {
        let origin = Affine::constant(base)
            .plus(&Affine::index(0), step)
            .and_then(|sum| sum.plus(&Affine::index(1), inner))
            .unwrap_or_default();
        Token::dense(vec![origin], vec![size])
    }

    /// The answer by definition.
    fn by_enumeration(write: &Token, read: &Token, trips: [i64; 2], prefix: usize) -> bool {
        let elements = |token: &Token, indices: &[i64]| {
            let origin = token.origin[0]
                .expr(0)
                .and_then(|expr| expr.evaluate(indices))
                .unwrap_or(0);
            (0..token.size[0]).map(move |at| origin + at).collect::<Vec<_>>()
        };
        let events = || (0..trips[0]).flat_map(|i| (0..trips[1]).map(move |j| [i, j]));
        events().all(|reader| {
            elements(read, &reader).into_iter().all(|element| {
                let mut writers = events().filter(|writer| elements(write, writer).contains(&element));
                writers
                    .next_back()
                    .is_none_or(|last| last[..prefix] <= reader[..prefix])
            })
        })
    }

    #[test]
    fn what_is_said_to_follow_does() {
        let (trips, mut found) = ([4i64, 3], 0);
        let optional = trips.map(Some);
        for step in -3..=3 {
            for inner in [0, 1, 2] {
                for (base, size) in [(0, 1), (0, 2), (1, 1), (-2, 3), (2, 1)] {
                    for (own_step, own_inner) in [(step, 0), (step, 1), (3, 1)] {
                        let (write, read) = (token(own_step, own_inner, 0, 1), token(step, inner, base, size));
                        let side = |token| Side {
                            token,
                            trips: &optional,
                        };
                        let count = prefix(side(&write), side(&read), 0);
                        found += count;
                        assert!(
                            by_enumeration(&write, &read, trips, count),
                            "{write:?} {read:?} {count}"
                        );
                    }
                }
            }
        }
        assert!(found > 50, "found {found} only");
    }

    #[test]
    fn a_row_follows_its_row_and_a_column_does_not() {
        let row = Token::element(vec![Affine::index(0), Affine::index(1)]);
        let column = Token::element(vec![Affine::index(1), Affine::index(0)]);
        let sum = Token::element(vec![Affine::index(0), Affine::default()]);
        let trips = [Some(5), Some(5)];
        let side = |token| Side { token, trips: &trips };
        assert_eq!(prefix(side(&row), side(&row), 0), 2);
        assert_eq!(prefix(side(&row), side(&column), 0), 0);
        assert_eq!(prefix(side(&row), side(&sum), 0), 1);
    }
}
