//! Looks for executions in which what is not proven goes wrong.
//!
//! The arguments that control flow asks for are tried with small numbers, with multiples of the steps of loops, and with mixtures
//! of both. What no execution shows is not refuted: the conditions on its way may exclude each other.

use std::collections::HashSet;

use super::finding::Findings;
use super::program::{Kind, Program};
use super::witness::execute;

/// Executions at most.
const MOST_CALLS: usize = 40;

/// Steps that all of them may take together.
const PATIENCE: u64 = 1_000_000;

/// Confirms findings by executions, and takes back what only seemed to be certain.
pub(super) fn refute<'c>(program: &Program<'c>, findings: &mut Findings<'c>) {
    let mut steps = 0;
    for menu in menus(program) {
        let witness = execute(program, menu, &HashSet::new());
        findings.confirm(program, &witness);
        steps += witness.steps;
        if witness.chosen.is_empty() || findings.are_confirmed() || steps > PATIENCE {
            break;
        }
    }
    findings.take_back();
}

/// Numbers for the arguments, in the order in which they are asked for; the last stands for the rest.
pub(super) fn menus(program: &Program<'_>) -> Vec<Vec<i64>> {
    let mut steps: Vec<i64> = Vec::new();
    for item in &program.items {
        if let Kind::For(loop_) = &item.kind
            && let Some(step) = loop_.for_.step().as_constant_int()
            && step > 1
            && !steps.contains(&step)
        {
            steps.push(step);
        }
    }
    steps.truncate(4);
    let mut menus: Vec<Vec<i64>> = [3, 1, 2, 0, 5, 8].map(|number| vec![number]).to_vec();
    menus.extend(
        steps
            .iter()
            .flat_map(|step| [vec![3 * step], vec![8 * step], vec![*step]]),
    );
    menus.push(vec![17]);
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
    menus.extend(mixed.map(|pair| pair.to_vec()));
    // Mixtures of more: a fixed sequence that looks like none.
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    while menus.len() < MOST_CALLS {
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            i64::try_from(state >> 61).unwrap_or(0)
        };
        let scale = steps
            .first()
            .copied()
            .filter(|_| menus.len().is_multiple_of(2))
            .unwrap_or(1);
        menus.push((0..6).map(|_| scale * next()).collect());
    }
    menus
}
