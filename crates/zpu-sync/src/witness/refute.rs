//! Looks for executions in which what is not proven goes wrong.
//!
//! The arguments that control flow asks for are tried with small numbers, with multiples of the steps of loops, and
//! with mixtures of both. What no execution shows is not refuted: the conditions on its way may exclude each other.

use crate::finding::Findings;
use crate::program::Program;
use crate::witness::execute;
use crate::witness::inputs::candidate_inputs;
use std::collections::HashSet;

/// Steps that all executions may take together: five that use up the budget of one.
const BUDGET: u64 = 1_000_000;

/// Confirms findings by executions, and takes back what only seemed to be certain.
pub(crate) fn refute<'c>(program: &Program<'c>, findings: &mut Findings<'c>) {
    let mut steps = 0;
    for menu in candidate_inputs(program) {
        let witness = execute(program, menu, &HashSet::new());
        findings.confirm(program, &witness.findings, &witness.call());
        steps += witness.steps;
        if witness.chosen.is_empty() || findings.are_confirmed() || steps > BUDGET {
            break;
        }
    }
    findings.take_back();
}
