//! Capacity and span of any permutation of digits, with repeats, vectors of any width and digits that run backward.
//!
//! Let a be the elements of a written token, w(d) the writes between two values of digit d, 0 if it is inside the
//! token. A consumer event c needs write W(c), and R(c) elements are released before it. Writes p with
//! W(c') < p <= W(c) for all events c' before c find c as the first event that is not executed, so that
//! (p + 1) a - R(c) elements are held: the capacity is a + max over c of a W(c) - R(c). An event that is not the first
//! to need its write adds nothing, since both terms favour the earlier one. W and R are linear in the digits, so that
//! the maximum is taken digit by digit:
//!
//! - A digit inside the consumer's token, or inside a repeat (of which the first pass releases nothing), adds
//!   a w (t - 1), where t is its trip count.
//! - A digit of an outer loop, of whose iterations each releases r elements, adds max(0, (a w - r)(t - 1)) if both
//!   sides run through it in the same direction, and a w (t - 1) otherwise.
//!
//! The oldest element that is held has either all outer digits of c, or is the first of those that come later in one
//! of them and are equal before it. So the span is the largest of linear terms again.

use super::digits::{Digit, Digits, Item, volume};

/// Elements that are held.
pub(crate) struct Held {
    pub(crate) capacity: u128,
    pub(crate) retained: u128,
    pub(crate) span: u128,
}

/// A digit as both sides see it.
struct Seen {
    /// Iterations less 1.
    steps: i128,
    /// Elements written between two values: a w.
    written: i128,
    /// Elements produced between two values, also inside the token.
    produced: i128,
    /// Elements released between two values.
    released: i128,
    /// Tells whether one side runs backward through it and the other does not.
    is_opposite: bool,
}

/// Sizes of what is left of two sides after their common loops, neither of which is empty; trailing repeats of the
/// consumer are stripped. Nothing if a number does not fit.
pub(crate) fn held(producer: &Digits, consumer: &Digits) -> Option<Held> {
    let token = i128::try_from(volume(&producer.lanes)).ok()?;
    let repeat = consumer.loops.iter().position(|item| matches!(item, Item::Repeat(_)));
    let (outer, inner) = consumer.loops.split_at(repeat.unwrap_or(consumer.loops.len()));
    let weights = Weights::of(producer)?;
    // Inside a repeat and inside the token: nothing is released before all of it was read once.
    let mut base = token;
    let mut inside = 1i128;
    for digit in digits(inner).chain(consumer.lanes.iter().copied()) {
        let seen = weights.seen(&digit, 0)?;
        base = base.checked_add(seen.written.checked_mul(seen.steps)?)?;
        inside = inside.checked_mul(digit.trip.into())?;
    }
    let mut outer_digits = Vec::new();
    for digit in digits(outer).collect::<Vec<_>>().into_iter().rev() {
        outer_digits.push(weights.seen(&digit, inside)?);
        inside = inside.checked_mul(digit.trip.into())?;
    }
    let (mut capacity, mut span) = (base, base);
    // Written while digits further in go through all their values; innermost first.
    let mut further_in = 0i128;
    for seen in &outer_digits {
        let grows = if seen.is_opposite {
            seen.written
        } else {
            (seen.written - seen.released).max(0)
        };
        capacity = capacity.checked_add(grows.checked_mul(seen.steps)?)?;
        let whole = seen.written.checked_mul(seen.steps)?;
        let later = if seen.is_opposite { whole } else { -seen.produced };
        span = span.max(base.checked_add(later)?.checked_add(further_in)?);
        further_in = further_in.checked_add(whole)?;
    }
    Some(Held {
        capacity: u128::try_from(capacity).ok()?,
        retained: u128::try_from(capacity - token).ok()?,
        span: u128::try_from(span).ok()?,
    })
}

fn digits(items: &[Item]) -> impl Iterator<Item = Digit> {
    items.iter().filter_map(|item| match item {
        Item::Move(digit) => Some(*digit),
        Item::Repeat(_) => None,
    })
}

/// Elements between two values of each digit of the producer.
struct Weights {
    /// A digit, forward; its weight; whether it is in the token; whether it runs backward.
    all: Vec<(Digit, i128, bool, bool)>,
}

impl Weights {
    fn of(producer: &Digits) -> Option<Weights> {
        let moved: Vec<Digit> = digits(&producer.loops).collect();
        let mut all = Vec::new();
        let mut weight = 1i128;
        for (digit, is_lane) in producer
            .lanes
            .iter()
            .rev()
            .map(|digit| (digit, true))
            .chain(moved.iter().rev().map(|digit| (digit, false)))
        {
            all.push((digit.forward(), weight, is_lane, digit.is_backward));
            weight = weight.checked_mul(digit.trip.into())?;
        }
        all.sort_unstable();
        Some(Weights { all })
    }

    /// The digit with elements released between two of its values.
    fn seen(&self, digit: &Digit, released: i128) -> Option<Seen> {
        let at = self
            .all
            .binary_search_by_key(&digit.forward(), |(digit, ..)| *digit)
            .ok()?;
        let (_, weight, is_lane, is_backward) = self.all[at];
        Some(Seen {
            steps: i128::from(digit.trip) - 1,
            written: if is_lane { 0 } else { weight },
            produced: weight,
            released,
            is_opposite: is_backward != digit.is_backward,
        })
    }
}
