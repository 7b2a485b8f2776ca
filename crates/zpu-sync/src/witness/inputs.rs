//! Numbers with which functions are executed.
//!
//! The arguments that control flow asks for are tried with small numbers, with multiples of the steps of loops, and
//! with mixtures of both.

use std::collections::HashSet;

use crate::problem::view::Value;
use crate::program::{Kind, Program};

/// Executions with arguments that are mixed by chance: about as many as with those that are chosen.
const MOST_MIXTURES: usize = 16;

/// Operations that are looked through for divisors: that is done for each function, before any execution.
const MOST_DIVISORS: usize = 1_000;

/// Divisions of integers.
const DIVISIONS: [&str; 5] = [
    "arith.divui",
    "arith.divsi",
    "arith.ceildivui",
    "arith.ceildivsi",
    "arith.floordivsi",
];

/// Numbers for the arguments, in the order in which they are asked for; the last stands for the rest.
pub(crate) fn candidate_inputs(program: &Program<'_>) -> Vec<Vec<i64>> {
    let scales = scales(program);
    let mut candidate_inputs: Vec<Vec<i64>> = [3, 1, 2, 0, 5, 8].map(|number| vec![number]).to_vec();
    candidate_inputs.extend(
        scales
            .iter()
            .flat_map(|scale| [vec![3 * scale], vec![8 * scale], vec![*scale]]),
    );
    candidate_inputs.push(vec![17]);
    let mixed = [
        [1, 0],
        [0, 1],
        [3, 0],
        [0, 3],
        [1, 2],
        [2, 1],
        [4, 1],
        [1, 4],
        [7, 3],
        [3, 7],
    ];
    candidate_inputs.extend(mixed.map(|pair| pair.to_vec()));
    if let Some(scale) = scales.first() {
        let scaled = mixed.map(|pair| pair.map(|number| scale * number).to_vec());
        candidate_inputs.extend(scaled);
    }
    // Mixtures of more: a fixed sequence that looks like none.
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let most = candidate_inputs.len() + MOST_MIXTURES;
    while candidate_inputs.len() < most {
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i64::try_from(state >> 61).unwrap_or(0)
        };
        let scale = scales
            .first()
            .copied()
            .filter(|_| candidate_inputs.len().is_multiple_of(2))
            .unwrap_or(1);
        candidate_inputs.push((0..6).map(|_| scale * next()).collect());
    }
    candidate_inputs
}

/// Numbers of which the arguments may be multiples: the steps of loops, and what the bounds of loops and the conditions
/// of branches are divided by.
fn scales(program: &Program<'_>) -> Vec<i64> {
    let mut scales: Vec<i64> = Vec::new();
    let mut add = |value: Value<'_>| {
        let scale = value.as_constant_int().filter(|scale| *scale > 1);
        scales.extend(scale.filter(|scale| !scales.contains(scale)));
    };
    let mut open = Vec::new();
    for item in &program.items {
        match &item.kind {
            Kind::For(loop_) => {
                add(loop_.for_.step());
                open.push(loop_.for_.upper());
            }
            Kind::If(condition, ..) => open.push(*condition),
            _ => {}
        }
    }
    let mut seen = HashSet::new();
    while let Some(value) = open.pop() {
        let Some(op) = value.defining_op() else { continue };
        if !seen.insert(op) || seen.len() > MOST_DIVISORS {
            continue;
        }
        if DIVISIONS.contains(&op.name()) {
            add(op.operand(1));
        }
        if op.name().starts_with("arith.") {
            open.extend(op.operands());
        }
    }
    scales.truncate(4);
    scales
}
