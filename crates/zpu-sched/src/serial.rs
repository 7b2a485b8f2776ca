//! The `serial` scheduler: source order, one stage, one version of everything.
//!
//! Objective: none. Guarantee: legal whenever anything is; what all others are measured against.

use crate::assign::balanced;
use crate::candidate::{Candidate, candidate};
use crate::estimate::Facts;
use crate::graph::Graph;
use crate::order::legal_order;
use crate::{Options, PlanError, Problem};

/// The serial plan: source order, as far as the dependences follow it.
pub(crate) fn serial(problem: &Problem, options: &Options) -> Result<Candidate, PlanError> {
    let stage = vec![0; problem.operations.len()];
    let key: Vec<i64> = (0..stage.len() as i64).collect();
    let single = vec![Some(1); problem.buffers.len()];
    let order = legal_order(&Graph::new(problem, &single), &stage, &key).ok_or(PlanError::NoOrder)?;
    let chosen = balanced(problem, 0).chosen;
    candidate(
        &Facts::new(problem, options.stream),
        options,
        stage,
        order,
        chosen,
        u64::MAX,
    )
}
