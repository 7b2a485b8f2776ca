//! Every size that is given is enough in a run, and one slot less is not.

mod common;

use std::collections::BTreeSet;

use common::random::{Random, fork, pair};
use zpu_stream::execute::{Outcome, Storage, execute, explore};
use zpu_stream::fork::{ConsumerId, Fork};
use zpu_stream::plan::{Form, plans};
use zpu_stream::verdict::Sizes;
use zpu_stream::{Limits, analyze};

const LIMIT: u128 = 1 << 20;

fn completes(fork: &Fork, readers: &[ConsumerId], storage: &Storage) -> bool {
    match execute(fork, readers, storage, LIMIT).unwrap_or_else(|error| panic!("{error}")) {
        Outcome::Completed => true,
        Outcome::Deadlock { .. } => false,
        wrong @ Outcome::WrongElement { .. } => panic!("{wrong:?} with {storage:?}\n{fork:#?}"),
    }
}

fn small(number: u128) -> usize {
    usize::try_from(number).expect("a small number")
}

/// Storages that complete, with the next smaller one of each that does not.
fn storages(sizes: &Sizes) -> Vec<(Storage, Option<Storage>)> {
    let (capacity, span) = (small(sizes.min_capacity), small(sizes.circular_span));
    let blocks = |count| Storage::Blocks {
        count,
        epochs: small(sizes.epochs),
    };
    vec![
        (Storage::Elements(capacity), Some(Storage::Elements(capacity - 1))),
        (Storage::Ring(span), Some(Storage::Ring(span - 1))),
        (Storage::InPlace(sizes.modulo_shape.clone()), None),
        (blocks(1), Some(blocks(0))),
        (blocks(2), None),
    ]
}

fn check(fork: &Fork) {
    let answer = analyze(fork, Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    // A consumer that never completes holds the whole program up, whatever the buffers.
    if answer.edges.iter().any(|edge| edge.sizes.is_none()) {
        return;
    }
    let all: Vec<ConsumerId> = fork.ids().collect();
    let edges = fork.ids().map(|id| (vec![id], answer.edges[id.index()].sizes.as_ref()));
    let shared = (all, answer.shared.as_ref().map(|shared| &shared.sizes));
    for (readers, sizes) in edges.chain([shared]) {
        for (enough, too_small) in storages(sizes.expect("sizes")) {
            assert!(
                completes(fork, &readers, &enough),
                "{enough:?} of {readers:?} stops\n{fork:#?}"
            );
            if let Some(less) = too_small {
                assert!(
                    !completes(fork, &readers, &less),
                    "{less:?} of {readers:?} completes\n{fork:#?}"
                );
            }
        }
    }
}

#[test]
fn sizes_of_pairs_are_enough_and_no_more() {
    for seed in 0..300 {
        check(&pair(&mut Random::new(seed), 30));
    }
}

#[test]
fn sizes_of_forks_are_enough_and_no_more() {
    for seed in 0..120 {
        check(&fork(&mut Random::new(seed), 24));
    }
}

#[test]
fn every_interleaving_ends_alike() {
    for seed in 0..120 {
        let fork = fork(&mut Random::new(seed), 9);
        let answer = analyze(&fork, Limits::default()).expect("decided");
        let Some(shared) = answer.shared else { continue };
        let all: Vec<ConsumerId> = fork.ids().collect();
        for (enough, too_small) in storages(&shared.sizes) {
            for storage in std::iter::once(enough).chain(too_small) {
                let one = execute(&fork, &all, &storage, LIMIT).expect("runs");
                match explore(&fork, &all, &storage, 20_000) {
                    Ok(outcomes) => assert_eq!(outcomes, BTreeSet::from([one]), "{storage:?}\n{fork:#?}"),
                    Err(error) => assert!(error.to_string().contains("states"), "{error}"),
                }
            }
        }
    }
}

#[test]
fn every_plan_completes() {
    for seed in 0..200 {
        let fork = pair(&mut Random::new(seed), 30);
        let answer = analyze(&fork, Limits::default()).expect("decided");
        for plan in plans(&answer.edges[0], 1) {
            let sizes = answer.edges[0].sizes.as_ref().expect("sizes");
            let elements = small(plan.elements);
            let storage = match plan.form {
                Form::Fifo | Form::ShuffledFifo | Form::HoldRegister | Form::Gearbox => Storage::Elements(elements),
                Form::Ring => Storage::Ring(elements),
                Form::InPlace(moduli) => Storage::InPlace(moduli),
                Form::Blocks(count) => Storage::Blocks {
                    count: count as usize,
                    epochs: small(sizes.epochs),
                },
            };
            assert!(completes(&fork, &[ConsumerId(0)], &storage), "{storage:?}\n{fork:#?}");
        }
    }
}
