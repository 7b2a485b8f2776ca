//! A loop as a scheduling problem, which the planner solves and other passes check a written plan against.
//!
//! [`model`] makes the problem, with [`memory`] for the bytes that are left; [`user_plan`] checks a plan that is
//! written on a loop.

mod memory;
mod model;
mod user_plan;

use std::time::Duration;

use zpu_analysis::body::Decline;
use zpu_ir::scf::For;
use zpu_sched::{Outcome, Rate};

use crate::annotations;
use crate::num_stages::stage_limit;
pub(crate) use model::{Model, Pressed};
pub(crate) use user_plan::{checked, refused_plan, versions_of_plan};

/// Limits of a plan and of the search for it.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// The most versions of a buffer; none for as many as the stages need.
    pub(crate) max_versions: Option<u32>,
    /// The most iterations outstanding at a time that `greedy` tries.
    pub(crate) iterations: Option<u32>,
    /// The time after which the search for one loop ends.
    pub(crate) time_limit: Option<Duration>,
    /// True if transfers may change their engine.
    pub(crate) choose_engines: bool,
}

/// Cycles of a loop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// The rate in the steady state.
    pub(crate) rate: Rate,
    /// Cycles of the whole run, if the trip count is known.
    pub(crate) cycles: Option<u64>,
}

impl From<&Outcome> for Pace {
    fn from(outcome: &Outcome) -> Self {
        Self {
            rate: outcome.rate,
            cycles: outcome.cycles,
        }
    }
}

/// The largest stage that the loop asks for by `zpu.num_stages`; 0 keeps the loop as it is.
pub(crate) fn wanted_stages(for_: For<'_>) -> Result<Option<u32>, Decline<'_>> {
    annotations::num_stages(for_.op)
        .map(stage_limit)
        .transpose()
        .map_err(|limit| Decline::new("num-stages", for_.op, format!("zpu.num_stages {limit}")))
}
