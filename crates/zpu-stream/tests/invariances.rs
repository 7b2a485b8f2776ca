//! Changes of the text of an order that change nothing, or one thing only.

mod common;

use common::compare::{BOTH, as_brute};
use common::random::{Random, pair};
use zpu_stream::brute::{BruteAnswer, BruteEdge};
use zpu_stream::fork::Fork;
use zpu_stream::order::{Expr, Map, Order};
use zpu_stream::{analyze, have_same_events};

const CASES: u64 = 300;

fn answers(fork: &Fork) -> [BruteAnswer; 2] {
    BOTH.map(|limits| as_brute(&analyze(fork, limits).unwrap_or_else(|error| panic!("{error}"))))
}

fn for_pairs(test: impl Fn(&mut Random, &Fork)) {
    for seed in 0..CASES {
        let random = &mut Random::new(seed);
        let fork = pair(random, 48);
        test(random, &fork);
    }
}

fn with_sides(fork: &Fork, change: impl Fn(&Order) -> Order) -> Fork {
    let mut changed = fork.clone();
    changed.producer = change(&fork.producer);
    changed.consumers[0].order = change(&fork.consumers[0].order);
    changed
}

/// Sides of one fork that are written in two ways have the same events.
fn assert_same_events(one: &Fork, other: &Fork) {
    let sides = [
        (&one.producer, &other.producer),
        (&one.consumers[0].order, &other.consumers[0].order),
    ];
    for (own, theirs) in sides {
        assert!(
            have_same_events(own, theirs, &one.tensor, u32::MAX),
            "{own:?}\n{theirs:?}"
        );
    }
}

/// An expression with others in place of the indices.
fn substitute(expr: &Expr, with: &dyn Fn(usize) -> Expr) -> Expr {
    let inner = |inner: &Expr| Box::new(substitute(inner, with));
    match expr {
        Expr::Constant(value) => Expr::Constant(*value),
        Expr::Index(at) => with(*at),
        Expr::Sum(terms) => Expr::Sum(terms.iter().map(|term| substitute(term, with)).collect()),
        Expr::Scaled(expr, factor) => Expr::Scaled(inner(expr), *factor),
        Expr::FloorDiv(expr, by) => Expr::FloorDiv(inner(expr), *by),
        Expr::Mod(expr, by) => Expr::Mod(inner(expr), *by),
    }
}

fn with_loops(order: &Order, loops: Vec<i64>, with: impl Fn(usize) -> Expr) -> Order {
    let results = order
        .map
        .results
        .iter()
        .map(|result| substitute(result, &with))
        .collect();
    Order {
        map: Map {
            inputs: loops.len(),
            results,
        },
        loops,
        ..order.clone()
    }
}

#[test]
fn strip_mining_changes_nothing() {
    for_pairs(|random, fork| {
        let at_random = random.next();
        let changed = with_sides(fork, |order| {
            let splits = |at: usize| (2..order.loops[at]).find(|n| order.loops[at] % n == 0).map(|n| (at, n));
            let all: Vec<(usize, i64)> = (0..order.loops.len()).filter_map(splits).collect();
            let Some(&(at, inner)) = all.get(at_random as usize % all.len().max(1)) else {
                return order.clone();
            };
            let mut loops = order.loops.clone();
            loops.splice(at..=at, [order.loops[at] / inner, inner]);
            with_loops(order, loops, |index| match index {
                _ if index == at => Expr::Sum(vec![Expr::Index(at).scaled(inner), Expr::Index(at + 1)]),
                _ if index > at => Expr::Index(index + 1),
                _ => Expr::Index(index),
            })
        });
        assert_eq!(answers(fork), answers(&changed), "{fork:#?}\n{changed:#?}");
        assert_same_events(fork, &changed);
    });
}

#[test]
fn flat_loops_change_nothing() {
    for_pairs(|_, fork| {
        let changed = with_sides(fork, |order| {
            let rest = |at: usize| order.loops[at + 1..].iter().product::<i64>();
            with_loops(order, vec![order.loops.iter().product()], |index| {
                let quotient = Expr::FloorDiv(Box::new(Expr::Index(0)), rest(index));
                Expr::Mod(Box::new(quotient), order.loops[index])
            })
        });
        assert_eq!(answers(fork), answers(&changed), "{fork:#?}\n{changed:#?}");
        assert_same_events(fork, &changed);
    });
}

#[test]
fn unit_loops_change_nothing() {
    for_pairs(|random, fork| {
        let (at_random, factor) = (random.next(), random.number(-3, 3));
        let changed = with_sides(fork, |order| {
            let at = at_random as usize % (order.loops.len() + 1);
            let mut loops = order.loops.clone();
            loops.insert(at, 1);
            let mut changed = with_loops(order, loops, |index| Expr::Index(index + usize::from(index >= at)));
            for result in &mut changed.map.results {
                *result = Expr::Sum(vec![result.clone(), Expr::Index(at).scaled(factor)]);
            }
            changed
        });
        assert_eq!(answers(fork), answers(&changed), "{fork:#?}\n{changed:#?}");
        assert_same_events(fork, &changed);
    });
}

#[test]
fn other_sequences_are_other_events() {
    let order = |map: &str, loops: Vec<i64>| Order::new(loops, map.parse().expect("a map"), vec![1, 1]);
    let rows = Order::rows(&[3, 3]);
    for other in [
        order("(d0, d1) -> (d1, d0)", vec![3, 3]),
        order("(d0, d1) -> (d0, 2 - d1)", vec![3, 3]),
        order("(d0, d1) -> (d0, (d1 + d0) mod 3)", vec![3, 3]),
        order("(d0, d1, d2) -> (d0, d2)", vec![3, 2, 3]),
        order("(d0, d1) -> (d0, d1)", vec![3, 2]),
    ] {
        assert!(!have_same_events(&rows, &other, &[3, 3], u32::MAX), "{other:?}");
    }
}

/// The answer for the tensor with its dimensions in reverse; moduli of equal volume are told apart by their order.
fn turned(answer: BruteAnswer) -> BruteAnswer {
    let edge = |mut edge: BruteEdge| {
        if let Some(numbers) = &mut edge.numbers {
            numbers.block_shape.reverse();
            numbers.modulo_shape = vec![numbers.modulo_shape.iter().product()];
        }
        edge
    };
    BruteAnswer {
        edges: answer.edges.into_iter().map(edge).collect(),
        shared: None,
        ..answer
    }
}

#[test]
fn renamed_dimensions_rename_the_answer() {
    for_pairs(|_, fork| {
        let last = fork.tensor.len() - 1;
        let mut changed = with_sides(fork, |order| {
            let mut turned = order.clone();
            turned.map.results.reverse();
            turned.token.reverse();
            turned.dilation.reverse();
            turned.lanes.iter_mut().for_each(|lane| *lane = last - *lane);
            turned
        });
        changed.tensor.reverse();
        let volume_only = |mut answer: BruteAnswer| {
            for numbers in answer.edges.iter_mut().flat_map(|edge| &mut edge.numbers) {
                numbers.modulo_shape = vec![numbers.modulo_shape.iter().product()];
            }
            answer.shared = None;
            answer
        };
        assert_eq!(
            answers(fork).map(volume_only),
            answers(&changed).map(turned),
            "{fork:#?}\n{changed:#?}"
        );
    });
}

#[test]
fn a_common_outer_loop_multiplies_the_blocks() {
    for_pairs(|_, fork| {
        let mut changed = with_sides(fork, |order| {
            let loops: Vec<i64> = std::iter::once(3).chain(order.loops.iter().copied()).collect();
            let mut outer = with_loops(order, loops, |index| Expr::Index(index + 1));
            outer.map.results.insert(0, Expr::Index(0));
            outer.token.insert(0, 1);
            outer.dilation.insert(0, 1);
            outer.lanes = std::iter::once(0)
                .chain(order.lanes.iter().map(|lane| lane + 1))
                .collect();
            outer
        });
        changed.tensor.insert(0, 3);
        for (before, after) in answers(fork).iter().zip(&answers(&changed)) {
            let (Some(before), Some(after)) = (&before.edges[0].numbers, &after.edges[0].numbers) else {
                assert_eq!(before.edges[0].verdict, after.edges[0].verdict);
                continue;
            };
            assert_eq!(
                (before.min_capacity, before.retained, before.circular_span),
                (after.min_capacity, after.retained, after.circular_span)
            );
            // What is written may be no box, of which there is one block all the same, until it is three of them.
            let is_box = before.block_shape.iter().product::<i64>() * before.epochs as i64
                == fork.tensor.iter().product::<i64>();
            if is_box {
                assert_eq!(after.epochs, 3 * before.epochs, "{changed:#?}");
                assert_eq!(after.block_shape[1..], before.block_shape);
            }
        }
    });
}

#[test]
fn mirrored_dimensions_change_nothing() {
    for_pairs(|random, fork| {
        let dimension = random.below(fork.tensor.len() as i64) as usize;
        let tokens_are_single = [&fork.producer, &fork.consumers[0].order]
            .iter()
            .all(|order| order.token[dimension] == 1);
        let extent = fork.tensor[dimension];
        let changed = with_sides(fork, |order| {
            let mut mirrored = order.clone();
            let result = &mut mirrored.map.results[dimension];
            let reach = (order.token[dimension] - 1) * order.dilation[dimension];
            *result = Expr::Sum(vec![result.clone().scaled(-1), Expr::Constant(extent - 1 - reach)]);
            mirrored
        });
        let mut pairs = answers(fork).into_iter().zip(answers(&changed));
        if tokens_are_single {
            assert!(pairs.all(|(before, after)| before == after), "{fork:#?}\n{changed:#?}");
        } else {
            // Lanes inside a token are not mirrored, so that only what does not depend on them is the same.
            let capacity = |answer: BruteAnswer| {
                let numbers = answer.edges[0].numbers.as_ref();
                numbers.map(|numbers| (numbers.min_capacity, numbers.retained, numbers.epochs))
            };
            assert!(
                pairs.all(|(before, after)| capacity(before) == capacity(after)),
                "{fork:#?}"
            );
        }
    });
}
