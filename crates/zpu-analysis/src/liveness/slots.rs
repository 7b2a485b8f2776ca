//! Sets of slots of a ring, named from the iteration of the loop that counts them.
//!
//! In a loop that counts a ring's slots, number `r` in iteration `i` is slot `(i + r) mod N`; outside of such loops
//! number `r` is slot `r`. So a set changes its numbers where control enters an iteration, and nowhere else. Where the
//! iteration is not known, any slot may be any other: a set that is not empty becomes all.

use zpu_ir::Op;

use super::Meeting;
use super::buffer::Buffer;

/// The most slots that are told apart.
pub(super) const MOST_SLOTS: i64 = 64;

/// A set of slots of one buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots(u64);

impl Slots {
    /// No slot.
    pub(super) const NONE: Self = Self(0);

    /// All slots of a buffer of so many.
    pub(super) fn all(count: u32) -> Self {
        Self(u64::MAX >> (64 - count.clamp(1, 64)))
    }

    /// The slot of a number.
    pub(super) fn one(number: i64, count: u32) -> Self {
        Self(1 << number.rem_euclid(i64::from(count.max(1))))
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of slots in it.
    pub(super) fn len(self) -> u32 {
        self.0.count_ones()
    }

    pub(super) fn has(self, number: i64, count: u32) -> bool {
        self.0 & Self::one(number, count).0 != 0
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set with `by` added to each number, of a buffer of so many slots.
    pub(super) fn moved(self, by: i64, count: u32) -> Self {
        let numbers = (0..i64::from(count)).filter(|number| self.has(*number, count));
        numbers.fold(Self::NONE, |all, number| all.or(Self::one(number + by, count)))
    }

    /// All slots if there is one.
    pub(super) fn any(self, count: u32) -> Self {
        if self.is_empty() { Self::NONE } else { Self::all(count) }
    }
}

/// The change of numbers where control passes into a loop, around it, or out of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shift {
    /// A number is added to each.
    By(i64),
    /// Numbers say nothing about each other.
    Unknown,
}

impl Shift {
    pub(super) fn apply(self, slots: Slots, count: u32) -> Slots {
        match self {
            Self::By(0) => slots,
            Self::By(by) => slots.moved(by, count),
            Self::Unknown => slots.any(count),
        }
    }

    /// The change in the other direction.
    pub(super) fn back(self) -> Self {
        match self {
            Self::By(by) => Self::By(-by),
            Self::Unknown => Self::Unknown,
        }
    }
}

/// The changes of a buffer's numbers at a loop; all are 0 where the loop does not count its slots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shifts {
    /// From before the loop to the beginning of the first iteration.
    pub(super) enter: Shift,
    /// From the end of an iteration to the beginning of the next one.
    pub(super) next: Shift,
    /// From the end of the last iteration to after the loop.
    pub(super) leave: Shift,
}

impl Shifts {
    /// The changes at a loop with so many iterations, inside the loops `around`, outermost first.
    pub(super) fn of(buffer: &Buffer<'_>, loop_: Op<'_>, trips: Option<i64>, around: &[Op<'_>]) -> Self {
        if !buffer.counted_by.contains(&loop_) {
            return Self {
                enter: Shift::By(0),
                next: Shift::By(0),
                leave: Shift::By(0),
            };
        }
        let is_outermost = !around.iter().any(|outer| buffer.counted_by.contains(outer));
        let known = |shift: Option<i64>| match shift.filter(|_| is_outermost) {
            Some(by) => Shift::By(by),
            None => Shift::Unknown,
        };
        let count = i64::from(buffer.versions.max(1));
        Self {
            enter: known(Some(0)),
            next: Shift::By(-1),
            // Number r at the end of iteration T - 1 is slot T - 1 + r.
            leave: known(trips.map(|trips| (trips - 1).rem_euclid(count))),
        }
    }
}

/// The innermost of the loops around a step, outermost first, that counts the slots of a buffer.
pub(super) fn counter<'c>(buffer: &Buffer<'c>, loops: &[Op<'c>]) -> Option<Op<'c>> {
    loops
        .iter()
        .rev()
        .copied()
        .find(|loop_| buffer.counted_by.contains(loop_))
}

/// The meeting of slots of two buffers inside some loops, of which neither set is empty.
pub(super) fn meeting<'c>(left: (&Buffer<'c>, Slots), right: (&Buffer<'c>, Slots), loops: &[Op<'c>]) -> Meeting {
    let ((left, left_slots), (right, right_slots)) = (left, right);
    let is_alike = left.versions > 1
        && left.versions == right.versions
        && left.pitch == right.pitch
        && counter(left, loops) == counter(right, loops);
    if is_alike && left_slots.and(right_slots).is_empty() {
        Meeting::OtherSlots
    } else {
        Meeting::Always
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_around() {
        let two = Slots::one(0, 3).or(Slots::one(2, 3));
        assert_eq!(two.moved(-1, 3), Slots::one(2, 3).or(Slots::one(1, 3)));
        assert_eq!(two.moved(4, 3), Slots::one(1, 3).or(Slots::one(0, 3)));
        assert_eq!(Slots::all(64).len(), 64);
        assert_eq!(Slots::NONE.any(5), Slots::NONE);
        assert_eq!(Slots::one(-1, 5).any(5), Slots::all(5));
    }
}
