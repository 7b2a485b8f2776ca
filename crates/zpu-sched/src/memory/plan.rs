//! Plans: bound, greedy orders, order search, exact search, for one space after the other.
//!
//! Invariant: every plan that leaves has passed [`verify`](super::verify()), but for capacities.

use std::time::Instant;

use super::bound::{self, clique_bound, lower_bound};
use super::check::{MAX_UNROLL, MemoryError, check};
use super::exact;
use super::form::{self, Shape};
use super::greedy::{self, Start};
use super::packing::{Meets, Packing};
use super::problem::{BufferId, Problem, SpaceId};
use super::search;
use super::verify::{Violation, verify};
use crate::budget::Budget;

/// The work that a plan may cost. The result depends on nothing else, unless there is a deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Attempts of the order search.
    pub attempts: u64,
    /// Nodes of the exact search, for each space and unrolling.
    pub nodes: u64,
    /// Most iterations of which instances have addresses of their own. 1: the code is not unrolled.
    pub unroll: u32,
    /// The time at which the exact search stops.
    pub deadline: Option<Instant>,
}

impl Default for Effort {
    /// Milliseconds for dozens of buffers, and nearly always the least.
    fn default() -> Effort {
        Effort {
            attempts: 500,
            nodes: 20_000,
            unroll: 1,
            deadline: None,
        }
    }
}

impl Effort {
    /// Only greedy orders and fits, the best of them.
    pub fn greedy() -> Effort {
        Effort {
            attempts: 0,
            nodes: 0,
            ..Effort::default()
        }
    }

    /// Greedy orders and order search, nothing exact.
    pub fn heuristic() -> Effort {
        Effort {
            nodes: 0,
            ..Effort::default()
        }
    }

    /// Enough for hard packings of hundreds of buffers: up to a minute.
    pub fn thorough() -> Effort {
        Effort {
            attempts: 2_000,
            nodes: 4_000_000,
            ..Effort::default()
        }
    }
}

/// Addresses for all buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The number of iterations of which instances have addresses of their own; 1 without a period.
    pub unroll: u32,
    /// Per buffer: instance k is at the entry k modulo their number.
    pub offsets: Vec<Vec<u64>>,
    /// Per space.
    pub spaces: Vec<SpacePlan>,
}

/// Bytes of a space that a plan needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpacePlan {
    /// The end of the last buffer.
    pub planned: u64,
    /// The most bytes alive at one time; no plan of any form needs less.
    pub load: u64,
    /// No plan with these rings and this unrolling needs less.
    pub lower_bound: u64,
    /// A ring for each buffer, nothing shared.
    pub rings: u64,
    /// True if no plan with these rings and this unrolling needs less than is planned.
    pub proven: bool,
}

impl Plan {
    /// True if each space has the bytes that are planned.
    pub fn fits(&self, problem: &Problem) -> bool {
        let mut each = problem.spaces.iter().zip(&self.spaces);
        each.all(|(space, plan)| space.bytes.is_none_or(|bytes| plan.planned <= bytes))
    }

    /// The address of a buffer that has one.
    pub fn offset(&self, buffer: BufferId) -> u64 {
        self.offsets[buffer.index()][0]
    }
}

/// A problem that has no plan, or a mistake in this crate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It makes no sense.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n  "))]
    Problem(Vec<MemoryError>),
    /// A plan that is wrong.
    #[error("the plan is wrong, which is a mistake of the planner: {0}")]
    Unverified(Violation),
}

/// Plans all spaces, each with as few bytes as the effort allows. A plan may need more than a space has: see
/// [`Plan::fits`], and [`explain`](super::explain()) for the reason.
///
/// # Errors
///
/// The error in the problem.
pub fn plan(problem: &Problem, effort: &Effort) -> Result<Plan, PlanError> {
    check(problem).map_err(PlanError::Problem)?;
    let unroll = if problem.period == 0 {
        1
    } else {
        effort.unroll.clamp(1, MAX_UNROLL)
    };
    let plans = (1..=unroll)
        .filter(|&unroll| fits_limit(problem, unroll))
        .map(|unroll| of_unroll(problem, effort, unroll));
    let over = |plan: &Plan| -> (u64, u64) {
        let each = || problem.spaces.iter().zip(&plan.spaces);
        let over = each().map(|(space, plan)| plan.planned.saturating_sub(space.bytes.unwrap_or(u64::MAX)));
        (over.sum(), plan.spaces.iter().map(|plan| plan.planned).sum())
    };
    // The first of the best: the one that is unrolled the least.
    let Some(best) = plans.min_by_key(over) else {
        return Err(PlanError::Problem(vec![]));
    };
    match verify(problem, &best) {
        Ok(()) | Err(Violation::Capacity { .. }) => Ok(best),
        Err(violation) => Err(PlanError::Unverified(violation)),
    }
}

/// Unrolling must not make more items than can be planned together.
fn fits_limit(problem: &Problem, unroll: u32) -> bool {
    unroll == 1 || problem.buffers.len().saturating_mul(unroll as usize) <= super::MAX_BUFFERS
}

fn of_unroll(problem: &Problem, effort: &Effort, unroll: u32) -> Plan {
    let mut plan = Plan {
        unroll,
        offsets: vec![vec![]; problem.buffers.len()],
        spaces: vec![],
    };
    for place in 0..problem.spaces.len() {
        let space = SpaceId(place as u32);
        let buffers: Vec<BufferId> = problem.buffers_of(space).collect();
        let (addresses, of_space) = of_space(problem, space, &buffers, effort, unroll);
        for (id, addresses) in buffers.iter().zip(addresses) {
            plan.offsets[id.index()] = addresses;
        }
        plan.spaces.push(of_space);
    }
    plan
}

fn of_space(
    problem: &Problem,
    space: SpaceId,
    buffers: &[BufferId],
    effort: &Effort,
    unroll: u32,
) -> (Vec<Vec<u64>>, SpacePlan) {
    let capacity = problem.spaces[space.index()].bytes;
    let form = super::rings::choose(problem, space, buffers, u64::from(unroll));
    let mut inner = |slot: &Packing| solve(slot, None, effort).start.offsets;
    let shape = Shape::new(problem, space, buffers, &form, &mut inner);
    let solved = solve(&shape.packing, capacity, effort);
    let plan = SpacePlan {
        planned: solved.start.height,
        load: load_of(problem, buffers).bytes,
        lower_bound: solved.bound,
        rings: form::rings(problem, space),
        proven: solved.start.height == solved.bound,
    };
    (shape.addresses(&solved.start.offsets), plan)
}

/// A packing with the best plan found, and its bound.
pub(super) struct Solved {
    pub(super) start: Start,
    pub(super) bound: u64,
}

/// Comparisons of items that greedy orders may cost: a fraction of a second.
const COMPARISONS: u64 = 100_000_000;
/// Comparisons of items that the order search may cost.
const SEARCH_COMPARISONS: u64 = 50_000_000;
/// Most items of which it is written down for each pair whether they meet: two megabytes.
const MOST_MEETS: usize = 1 << 12;
/// Comparisons of items that the search for cliques may cost.
const CLIQUE_COMPARISONS: u64 = 10_000_000;

/// Bound, greedy orders, order search, exact search, until the bound is reached.
pub(super) fn solve(packing: &Packing, capacity: Option<u64>, effort: &Effort) -> Solved {
    let meets = (packing.len() <= MOST_MEETS).then(|| Meets::new(packing));
    let mut bound = lower_bound(packing);
    let mut start = greedy::best(packing, meets.as_ref(), bound, COMPARISONS);
    if let Some(meets) = meets.as_ref().filter(|_| start.height > bound) {
        bound = bound.max(clique_bound(packing, meets, CLIQUE_COMPARISONS));
    }
    let cost = (packing.len() as u64).pow(2) / 2 + 1;
    let attempts = effort.attempts.min(SEARCH_COMPARISONS / cost);
    search::improve(packing, meets.as_ref(), &mut start, bound, attempts);
    if start.height > bound && effort.nodes > 0 {
        let mut budget = Budget {
            steps: effort.nodes,
            deadline: effort.deadline,
        };
        bound = exact::minimise(packing, &mut start, bound, capacity, &mut budget);
    }
    Solved {
        bound: bound.min(start.height),
        start,
    }
}

/// The most bytes alive at once.
pub(super) struct Load {
    pub(super) bytes: u64,
    /// The first time at which that is so, counted within the period.
    pub(super) at: u64,
}

/// The load of some buffers, instances of a loop that overlap counted as often as they do.
pub(super) fn load_of(problem: &Problem, buffers: &[BufferId]) -> Load {
    let period = problem.period;
    let mut throughout = 0u64;
    let mut raw = vec![];
    for &id in buffers {
        let buffer = &problem.buffers[id.index()];
        let lives = buffer.lives.iter();
        let spans = match period {
            0 => lives.map(|life| (life.from, life.length)).collect(),
            _ => lives
                .inspect(|life| throughout += buffer.bytes * (life.length / period))
                .map(|life| (life.from % period, life.length % period))
                .filter(|&(_, length)| length > 0)
                .collect(),
        };
        raw.push(super::packing::Raw {
            bytes: buffer.bytes,
            align: 1,
            pinned: None,
            spans,
        });
    }
    let packing = Packing::new(raw, (period > 0).then_some(period));
    let (bytes, section) = bound::load(&packing, |item| packing.items[item].bytes);
    Load {
        bytes: bytes + throughout,
        at: packing.begins.get(section).copied().unwrap_or(0),
    }
}
