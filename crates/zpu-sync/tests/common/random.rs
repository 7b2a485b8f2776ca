//! Random cases: the same ones each time, or with `PROPTEST_RNG_SEED` and `PROPTEST_CASES` those of another seed, and
//! more of them.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

/// Runs a check for random seeds: as many as `PROPTEST_CASES` says, or else as many as are given.
///
/// # Panics
///
/// With the seed of the first case that fails.
pub(crate) fn for_seeds(cases: u32, check: impl Fn(u64)) {
    let mut config = ProptestConfig {
        failure_persistence: None,
        // A smaller seed is no smaller case.
        max_shrink_iters: 0,
        ..ProptestConfig::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(4);
    }
    let run = TestRunner::new(config).run(&any::<u64>(), |seed| {
        check(seed);
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

/// Numbers that look as if they came by chance: splitmix64, of Steele, Lea and Flood (OOPSLA 2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    pub(crate) fn number(&mut self, from: i64, to: i64) -> i64 {
        from + self.below((to - from + 1) as usize) as i64
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        list.get(self.below(list.len())).cloned()
    }
}

/// How often an answer was as close as one hopes: "it may be" is always a right one.
#[derive(Default)]
pub(crate) struct Share {
    close: Cell<u32>,
    all: Cell<u32>,
}

impl Share {
    pub(crate) fn count(&self, is_close: bool) {
        self.all.set(self.all.get() + 1);
        self.close.set(self.close.get() + u32::from(is_close));
    }

    /// Asks for a share in percent, which is somewhat below the one that was measured.
    pub(crate) fn is_at_least(&self, percent: u32, what: &str) {
        let (close, all) = (self.close.get(), self.all.get());
        println!("{what}: {close} of {all} ({}%)", 100 * close / all.max(1));
        assert!(all >= 10, "{what}: only {all} cases");
        assert!(
            100 * close >= percent * all,
            "{what}: {close} of {all}, expected {percent} %"
        );
    }
}
