//! Formulas and sweep against the brute force, on random pairs and forks. `ZPU_STREAM_SEEDS` sets how many of each.

mod common;

use common::compare::agree;
use common::random::{Random, fork, pair};

fn seeds(short: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("ZPU_STREAM_SEEDS").ok();
    0..asked.and_then(|text| text.parse().ok()).unwrap_or(short)
}

#[test]
fn pairs_have_the_numbers_of_the_brute_force() {
    for seed in seeds(1500) {
        agree(&pair(&mut Random::new(seed), 60)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn forks_with_gates_have_the_numbers_of_the_brute_force() {
    for seed in seeds(400) {
        agree(&fork(&mut Random::new(seed), 40)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}
