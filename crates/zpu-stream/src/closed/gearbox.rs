//! Vectors of one width written, vectors of another width read, in the same order: a gearbox.
//!
//! Of widths a and b the residues after each write are all multiples of gcd(a, b) below b, so that at most
//! a + b - gcd(a, b) elements are held.

use super::digits::{Digit, Digits, Item, volume};
use crate::sweep::gcd;
use crate::verdict::{Edge, Method, Sizes, Verdict};

/// The edge, if the sides differ in the last loop and the width of the token along its dimension, and neither width
/// divides the other.
pub(crate) fn gearbox(producer: &Digits, consumer: &Digits, rank: usize) -> Option<Edge> {
    let (Item::Move(writes), before) = producer.loops.split_last()? else {
        return None;
    };
    let (Item::Move(reads), others) = consumer.loops.split_last()? else {
        return None;
    };
    let dimension = writes.dimension;
    // A side that runs backward reaches its tokens in another order than their elements lie.
    if before != others || reads.dimension != dimension || writes.is_backward || reads.is_backward {
        return None;
    }
    // The vector is the whole token along this dimension, and what is beside it is the same on both sides.
    let width = |side: &Digits, last: &Digit| {
        let mut own = side.lanes.iter().filter(|digit| digit.dimension == dimension);
        own.next()
            .filter(|digit| digit.stride == 1 && digit.trip == last.stride)
            .map(|digit| digit.trip)
    };
    let beside = |side: &Digits| -> Vec<Digit> {
        let mut others: Vec<Digit> = side
            .lanes
            .iter()
            .filter(|digit| digit.dimension != dimension)
            .copied()
            .collect();
        others.sort_unstable();
        others
    };
    let (a, b) = (
        width(producer, writes).unwrap_or(1),
        width(consumer, reads).unwrap_or(1),
    );
    let is_vector = |last: &Digit, width: i64| last.stride == width;
    if beside(producer) != beside(consumer) || !is_vector(writes, a) || !is_vector(reads, b) || a % b == 0 || b % a == 0
    {
        return None;
    }
    // Elements of a partly read token follow each other only if this dimension is its slowest.
    let beside = beside(producer);
    let is_slowest = producer.lanes.first().is_none_or(|digit| digit.dimension == dimension);
    if !(beside.is_empty() || is_slowest) || beside.iter().any(|digit| digit.stride != 1) {
        return None;
    }
    let common = gcd(a, b);
    let least_multiple = a / common * b;
    let length = writes.stride * writes.trip;
    let outer = before.iter().fold(1u128, |product, item| match item {
        Item::Move(digit) => product.saturating_mul(digit.trip.unsigned_abs().into()),
        Item::Repeat(_) => product,
    });
    if before.iter().any(|item| matches!(item, Item::Repeat(_))) {
        return None;
    }
    let rest = volume(&beside);
    let mut token = vec![1; rank];
    for digit in &beside {
        token[digit.dimension] = digit.trip;
    }
    let with = |n: i64| {
        let mut shape = token.clone();
        shape[dimension] = n;
        shape
    };
    let held = a + b - common;
    let elements = |n: i64| u128::from(n.unsigned_abs()) * rest;
    Some(Edge {
        verdict: Verdict::Repack,
        multiplicity: Some(1),
        dropped: Some(0),
        sizes: Some(Sizes {
            min_capacity: elements(held),
            retained: elements(b - common),
            circular_span: elements(held),
            epochs: outer.saturating_mul((length / least_multiple).unsigned_abs().into()),
            block_shape: with(least_multiple),
            modulo_shape: with(held),
            is_exact: true,
            is_modulo_exact: true,
        }),
        reason: None,
        method: Method::Formula,
    })
}
