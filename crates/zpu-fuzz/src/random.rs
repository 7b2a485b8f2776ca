//! Numbers from a seed.

use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_xorshift::XorShiftRng;

/// A stream of numbers that its seed determines.
#[derive(Clone, Debug)]
pub(crate) struct Random(XorShiftRng);

impl Random {
    /// The stream of a seed; `purpose` makes streams of one seed independent.
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        Self(XorShiftRng::seed_from_u64(
            seed ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15),
        ))
    }

    /// True in so many of a hundred cases.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.0.random_range(0..100u32) < percent
    }

    /// A number in `low..=high`.
    pub(crate) fn range(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high)
    }

    /// A position in a list of that length, which is not empty.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.0.random_range(0..length)
    }

    /// Picks one entry of a list that is not empty.
    pub(crate) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }

    /// Shuffles a list.
    pub(crate) fn deal<T, const N: usize>(&mut self, mut list: [T; N]) -> [T; N] {
        list.shuffle(&mut self.0);
        list
    }
}
