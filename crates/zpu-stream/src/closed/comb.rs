//! Coordinates that some digits of a dimension run through: neighbours, or a comb with gaps.

use super::digits::Digit;
use crate::sweep::{gcd, injective_modulus};

/// The most coordinates of a comb that are listed.
const MAX_LISTED: i64 = 1 << 12;

/// Coordinates of a dimension that digits reach from 0 on, growing; nothing if there are too many to list.
pub(crate) fn coordinates(digits: &[Digit], dimension: usize, most: i64) -> Option<Vec<i64>> {
    let mut own: Vec<&Digit> = digits.iter().filter(|digit| digit.dimension == dimension).collect();
    own.sort_unstable();
    let count = own
        .iter()
        .try_fold(1i64, |product, digit| product.checked_mul(digit.trip))?;
    if count > most {
        return None;
    }
    let mut all = vec![0];
    for digit in own {
        let begin = all.clone();
        for k in 1..digit.trip {
            all.extend(begin.iter().map(|x| x + k * digit.stride));
        }
    }
    Some(all)
}

/// For each dimension the least modulus that keeps the coordinates of a box or comb apart, and whether none smaller
/// does.
pub(crate) fn moduli(digits: &[Digit], rank: usize) -> (Vec<i64>, bool) {
    let each = (0..rank).map(|dimension| modulus(digits, dimension));
    let (shape, exact): (Vec<i64>, Vec<bool>) = each.unzip();
    (shape, exact.into_iter().all(|exact| exact))
}

fn modulus(digits: &[Digit], dimension: usize) -> (i64, bool) {
    let mut own: Vec<&Digit> = digits.iter().filter(|digit| digit.dimension == dimension).collect();
    own.sort_unstable();
    let Some(first) = own.first() else { return (1, true) };
    let is_even = own
        .windows(2)
        .all(|pair| pair[0].stride * pair[0].trip == pair[1].stride);
    if is_even {
        // Multiples of one stride: i * stride and j * stride meet exactly if modulus / gcd divides i - j.
        let count: i64 = own.iter().map(|digit| digit.trip).product();
        let apart = |modulus: &i64| modulus / gcd(*modulus, first.stride) >= count;
        return ((count..).find(apart).unwrap_or(count), true);
    }
    match coordinates(digits, dimension, MAX_LISTED) {
        Some(table) => (injective_modulus(&table), true),
        None => (
            1 + own.iter().map(|digit| digit.stride * (digit.trip - 1)).sum::<i64>(),
            false,
        ),
    }
}
