//! Verdict, blocks and sizes of a pair whose sides are digits.

use super::digits::{Digit, Digits, Item, shape, volume};
use super::{block, comb, exchange, permutation};
use crate::analyze::Limits;
use crate::verdict::{Edge, Method, Sizes, Verdict};

/// Rest of two sides after the outer loops that they have in common.
pub(crate) struct Rest {
    /// Iterations of the common loops.
    pub(crate) epochs: u128,
    pub(crate) producer: Digits,
    pub(crate) consumer: Digits,
}

/// Splits off the longest common prefix of the loops.
pub(crate) fn rest(producer: &Digits, consumer: &Digits) -> Rest {
    let pairs = producer.loops.iter().zip(&consumer.loops);
    let common = pairs.take_while(|(one, other)| one == other).count();
    rest_after(producer, consumer, common)
}

/// Splits off so many loops.
pub(crate) fn rest_after(producer: &Digits, consumer: &Digits, common: usize) -> Rest {
    let after = |side: &Digits| Digits {
        loops: side.loops[common..].to_vec(),
        lanes: side.lanes.clone(),
    };
    let trips = producer.loops[..common].iter().map(|item| match item {
        Item::Move(digit) => digit.trip,
        Item::Repeat(trip) => *trip,
    });
    Rest {
        epochs: trips.fold(1, |product, trip| product.saturating_mul(trip.unsigned_abs().into())),
        producer: after(producer),
        consumer: after(consumer),
    }
}

/// Elements that must be held at once, if that is always a box of digits.
enum Held {
    Token,
    Block,
    Less,
}

/// Decides a pair of refined digits.
pub(crate) fn decide(producer: &Digits, consumer: &Digits, rank: usize, limits: &Limits) -> Edge {
    let Rest {
        epochs,
        producer,
        consumer,
    } = rest(producer, consumer);
    let repeats = consumer
        .loops
        .iter()
        .rev()
        .take_while(|item| matches!(item, Item::Repeat(_)))
        .count();
    let left = &consumer.loops[..consumer.loops.len() - repeats];
    let has_same_lanes = producer.lanes == consumer.lanes;
    let (verdict, held) = match (producer.loops.is_empty(), left.first()) {
        (true, None) if repeats == 0 && has_same_lanes => (Verdict::Stream, Held::Token),
        (true, None) if repeats == 0 && same_tokens(&producer, &consumer) => (Verdict::LanePermute, Held::Token),
        (true, None) if has_same_lanes => (Verdict::Hold, Held::Token),
        (true, _) => (Verdict::Repack, Held::Token),
        (false, None) if repeats == 0 => (Verdict::Repack, Held::Block),
        (false, None | Some(Item::Repeat(_))) => (Verdict::Window, Held::Block),
        (false, Some(Item::Move(_))) if epochs > 1 => (Verdict::ReorderBlock, Held::Less),
        (false, Some(Item::Move(_))) => (Verdict::ReorderFull, Held::Less),
    };
    let block: Vec<Digit> = producer.all().collect();
    let block_shape = shape(&block, rank);
    let sizes = |capacity: u128, retained: u128, held: &[Digit]| {
        let (modulo_shape, is_modulo_exact) = comb::moduli(held, rank);
        Sizes {
            min_capacity: capacity,
            retained,
            circular_span: capacity,
            epochs,
            block_shape: block_shape.clone(),
            modulo_shape,
            is_exact: true,
            is_modulo_exact,
        }
    };
    let token = volume(&producer.lanes);
    let (method, sizes) = match held {
        Held::Token => (Method::Formula, sizes(token, 0, &producer.lanes)),
        Held::Block => (Method::Formula, sizes(volume(&block), volume(&block) - token, &block)),
        Held::Less => {
            let read = Digits {
                loops: left.to_vec(),
                lanes: consumer.lanes.clone(),
            };
            less(
                sizes(volume(&block), volume(&block) - token, &block),
                &producer,
                &read,
                rank,
                limits,
            )
        }
    };
    let repeated = |item: &Item| match item {
        Item::Repeat(trip) => trip.unsigned_abs().into(),
        Item::Move(_) => 1,
    };
    Edge {
        verdict,
        multiplicity: Some(consumer.loops.iter().map(repeated).fold(1u128, u128::saturating_mul)),
        dropped: Some(0),
        sizes: Some(sizes),
        reason: None,
        method,
    }
}

/// Tells whether tokens have the same elements, in any order.
pub(crate) fn same_tokens(one: &Digits, other: &Digits) -> bool {
    let sorted = |side: &Digits| {
        let mut lanes = side.lanes.clone();
        lanes.sort_unstable();
        lanes
    };
    sorted(one) == sorted(other)
}

/// Sizes of a permutation of digits, given those of its whole block: moduli by a formula, by a sweep over the block, or
/// those of the whole block if it is too large.
fn less(whole: Sizes, producer: &Digits, consumer: &Digits, rank: usize, limits: &Limits) -> (Method, Sizes) {
    let Some(held) = permutation::held(producer, consumer) else {
        let bound = Sizes {
            is_exact: false,
            is_modulo_exact: false,
            ..whole
        };
        return (Method::Formula, bound);
    };
    let moduli = exchange::moduli(producer, consumer, rank).map(|shape| (Method::Formula, shape, true));
    let swept = || {
        let block = block::sweep(
            producer,
            std::slice::from_ref(consumer),
            rank,
            limits.modulo_accesses,
            limits,
        )?;
        Some((Method::BlockSweep, block.moduli.shape, block.moduli.is_exact))
    };
    let (method, modulo_shape, is_modulo_exact) =
        moduli
            .or_else(swept)
            .unwrap_or((Method::Formula, whole.modulo_shape, false));
    let sizes = Sizes {
        min_capacity: held.capacity,
        retained: held.retained,
        circular_span: held.span,
        modulo_shape,
        is_modulo_exact,
        ..whole
    };
    (method, sizes)
}
