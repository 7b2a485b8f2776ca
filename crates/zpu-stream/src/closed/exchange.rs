//! Moduli of two groups of digits that change places: X·Y is written, Y·X is read, tokens are the same.

use super::decide::same_tokens;
use super::digits::{Digit, Digits, Item, shape, volume};

/// Moduli where each group is neighbouring tokens along a dimension of its own, and nothing else is left: all rows but
/// one, or all columns but one. An L(p) has |X| - 1 by |Y| - 1 tokens in a rectangle, and a token that is one row on
/// and up to |Y| - 1 columns back, so that one of the two sides must be longer by a whole token.
pub(crate) fn moduli(producer: &Digits, consumer: &Digits, rank: usize) -> Option<Vec<i64>> {
    let (outer, inner) = exchange(producer, consumer)?;
    let token = shape(&producer.lanes, rank);
    let (one, other) = (neighbours(&outer, &token)?, neighbours(&inner, &token)?);
    if one == other || producer.lanes.iter().any(|digit| !is_dense(digit, &producer.lanes)) {
        return None;
    }
    let with = |rows: u128, columns: u128| -> Option<Vec<i64>> {
        let mut moduli = token.clone();
        moduli[one] = moduli[one].checked_mul(i64::try_from(rows).ok()?)?;
        moduli[other] = moduli[other].checked_mul(i64::try_from(columns).ok()?)?;
        Some(moduli)
    };
    let (x, y) = (volume(&outer), volume(&inner));
    let (fewer_rows, fewer_columns) = (with(x - 1, y)?, with(x, y - 1)?);
    let size = |moduli: &Vec<i64>| crate::sweep::volume(moduli);
    Some(
        if (size(&fewer_rows), &fewer_rows) < (size(&fewer_columns), &fewer_columns) {
            fewer_rows
        } else {
            fewer_columns
        },
    )
}

/// The two groups, if what is left of both sides is nothing else.
fn exchange(producer: &Digits, consumer: &Digits) -> Option<(Vec<Digit>, Vec<Digit>)> {
    let moved = |side: &Digits| -> Option<Vec<Digit>> {
        let digit = |item: &Item| match item {
            Item::Move(digit) => Some(*digit),
            Item::Repeat(_) => None,
        };
        side.loops.iter().map(digit).collect()
    };
    let (written, read) = (moved(producer)?, moved(consumer)?);
    let border = written.iter().position(|digit| Some(digit) == read.first())?;
    let (outer, inner) = written.split_at(border);
    let is_rotation = read.len() == written.len() && inner.iter().chain(outer).eq(&read);
    (is_rotation && same_tokens(producer, consumer)).then(|| (outer.to_vec(), inner.to_vec()))
}

/// The dimension along which digits make tokens neighbours, in any order of the digits.
fn neighbours(digits: &[Digit], token: &[i64]) -> Option<usize> {
    let mut sorted = digits.to_vec();
    sorted.sort_unstable();
    let dimension = sorted.first()?.dimension;
    let mut reached = token[dimension];
    for digit in sorted {
        if digit.dimension != dimension || digit.stride != reached {
            return None;
        }
        reached *= digit.trip;
    }
    Some(dimension)
}

/// Tells whether the digits of a token along the dimension of one of them begin with stride 1 and leave no gap.
fn is_dense(digit: &Digit, lanes: &[Digit]) -> bool {
    let mut own: Vec<&Digit> = lanes
        .iter()
        .filter(|other| other.dimension == digit.dimension)
        .collect();
    own.sort_unstable();
    own[0].stride == 1
        && own
            .windows(2)
            .all(|pair| pair[0].stride * pair[0].trip == pair[1].stride)
}
