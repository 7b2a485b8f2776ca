//! A random order that is the same for a seed.

use rand::{RngExt as _, SeedableRng as _};
use rand_xorshift::XorShiftRng;

/// Puts the entries into a random order (Fisher and Yates).
pub(super) fn shuffle(entries: &mut [usize], seed: u64) {
    let mut rng = XorShiftRng::seed_from_u64(seed);
    for at in (1..entries.len()).rev() {
        entries.swap(at, rng.random_range(0..=at));
    }
}
