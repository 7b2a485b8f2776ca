//! Formulas and sweep against the brute force, on random pairs and forks. `ZPU_STREAM_SEEDS` sets how many of each.

mod common;

use common::compare::agree;
use common::random::{Random, fork, hard_pair, pair, window};
use zpu_stream::brute::brute;
use zpu_stream::{Limits, analyze};

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
fn windows_and_skewed_walks_have_the_numbers_of_the_brute_force() {
    for seed in seeds(1500) {
        agree(&hard_pair(&mut Random::new(seed), 60)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn bounds_are_never_too_small() {
    let mut bounds = 0;
    for seed in seeds(1500) {
        let mut fork = pair(&mut Random::new(seed), 60);
        if seed % 3 == 0 {
            fork.consumers[0].order = window(&mut Random::new(seed), &fork.tensor);
        }
        let none = Limits {
            accesses: 1,
            use_formulas: seed % 2 == 0,
            ..Limits::default()
        };
        // Where not even a bound is known the fork is declined.
        let Ok(answer) = analyze(&fork, none) else { continue };
        let exact = brute(&fork, 1 << 20).expect("small");
        for (edge, exact) in answer.edges.iter().zip(&exact.edges) {
            assert!(edge.verdict >= exact.verdict, "seed {seed}");
            let Some(sizes) = edge.sizes.as_ref().filter(|sizes| !sizes.is_exact) else {
                continue;
            };
            let exact = exact
                .numbers
                .as_ref()
                .unwrap_or_else(|| panic!("seed {seed}: {fork:#?}"));
            bounds += 1;
            let moduli = sizes.modulo_shape.iter().product::<i64>();
            assert!(
                sizes.min_capacity >= exact.min_capacity as u128,
                "seed {seed}: {fork:#?}"
            );
            assert!(sizes.retained >= exact.retained as u128, "seed {seed}");
            assert!(sizes.circular_span >= exact.circular_span as u128, "seed {seed}");
            assert!(moduli >= exact.modulo_shape.iter().product(), "seed {seed}");
        }
    }
    assert!(bounds > 100, "{bounds}");
}

#[test]
fn forks_with_gates_have_the_numbers_of_the_brute_force() {
    for seed in seeds(400) {
        agree(&fork(&mut Random::new(seed), 40)).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}
