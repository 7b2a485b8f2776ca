//! Cycles of a plan, by the reference machine, which runs it command by command.
//!
//! The control stream goes through the kernel iterations in the plan's order. Before it issues an operation it waits
//! until the dependences of that operation are met, those of the rings included. An engine (a resource of capacity 1)
//! starts commands in the order of their issue, each when it is free; with [`StreamCosts::trust_queues`], a command
//! therefore needs no wait for an earlier one of its own engine. The operation's use of the control stream is the cost
//! of issuing; a blocking operation (see [`Problem::control`]) holds the stream until it is complete. An engine with a
//! queue holds the stream as long as its queue is full. Where the transfers of several engines want more of a shared
//! resource (a link, see [`crate::Resource::shared`]) than there is, they get slower. Other
//! resources of larger capacity are modelled by their work alone: no run is shorter than that.
//!
//! `zpu-timing` says when engines and links complete their commands; the simulator uses it, too. Its formulas serve
//! engines that share nothing, its events those on links. This module finds the waits of the stream, and the period
//! after which the machine repeats.
//!
//! Without shared links the machine is a max-plus system. It repeats as soon as its state, relative to the stream's
//! clock, repeats. So the steady rate is exact, and a long run costs no more than a short one. Only an engine that the
//! stream never waits for can lag without bound; it then works without a pause, and its own work is the rate.

mod assigned;
mod facts;
mod machine;
mod repeats;
mod run;
mod sharing;
mod waits;

use serde::Serialize;

pub(crate) use self::facts::Facts;
pub(crate) use self::machine::Machine;
pub(crate) use self::waits::{as_queues_keep_it, least_waits};
use crate::{Plan, PlanViolation, Problem, verify_plan};

/// Costs of the control stream besides issuing, in cycles; 0 by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StreamCosts {
    /// Each wait, before it looks whether the command is complete; operations that wait for several commands of one
    /// engine wait for the last one only, and not at all if an earlier wait covers it.
    pub wait: u64,
    /// The back edge of the loop.
    pub back_edge: u64,
    /// True if a dependence between two commands of one engine is left to the engine's queue, where the first one's
    /// result is there once the engine is free; otherwise the stream waits for it like for any other.
    pub trust_queues: bool,
}

/// `cycles` in `iterations` iterations of the steady state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rate {
    /// Cycles.
    pub cycles: u64,
    /// Iterations, at least 1.
    pub iterations: u64,
    /// True if the state was seen to repeat; otherwise the rate is an average over a long run.
    pub exact: bool,
}

impl Default for Rate {
    fn default() -> Rate {
        Rate {
            cycles: 0,
            iterations: 1,
            exact: true,
        }
    }
}

impl Rate {
    /// The quotient.
    pub fn cycles_per_iteration(&self) -> f64 {
        self.cycles as f64 / self.iterations as f64
    }

    /// The quotient, rounded up.
    pub fn interval(&self) -> u64 {
        self.cycles.div_ceil(self.iterations)
    }
}

/// Cycles of `trip` iterations of `plan`, from the first issue until everything is complete.
pub fn estimate(problem: &Problem, plan: &Plan, trip: u64, costs: StreamCosts) -> Result<u64, PlanViolation> {
    verify_plan(problem, plan)?;
    Ok(Machine::new(&Facts::new(problem, costs), plan).cycles(trip))
}

/// The rate of `plan` in the steady state.
pub fn steady_rate(problem: &Problem, plan: &Plan, costs: StreamCosts) -> Result<Rate, PlanViolation> {
    verify_plan(problem, plan)?;
    Ok(Machine::new(&Facts::new(problem, costs), plan).steady())
}

/// Cycles of `trip` iterations in source order, each operation complete before the next is issued, each in its fastest
/// alternative: the time of the program without any overlap.
pub fn sequential(problem: &Problem, trip: u64, costs: StreamCosts) -> u64 {
    let control = problem.control();
    let fastest = |operation: &crate::Operation| {
        let cycles = operation.alternatives.iter().map(|alternative| {
            let uses = alternative.uses.iter().filter(|u| Some(u.resource) == control);
            uses.map(crate::Use::end).fold(alternative.latency, u64::max)
        });
        cycles.min().unwrap_or(0)
    };
    let body: u64 = problem.operations.iter().map(fastest).sum();
    body.saturating_add(costs.back_edge).saturating_mul(trip)
}
