//! The depth of a loop's plan, where `num-stages=auto` leaves it to the planner.
//!
//! Plans of more and more stages are made for as long as more stages may help, and the least number with the best
//! estimate is taken. More does not help where the plan has fewer stages and versions than it may have, where the loop
//! ends before, and, by experience, where two steps in a row gained nothing.
//!
//! Invariant: the plan for the number that is returned is the one that was judged here, since plans are functions of
//! their problem and what was solved is remembered (see [`crate::solved`]).

use zpu_device::Device;
use zpu_sched::{Buffer, Outcome, Scheduler};

use super::is_faster;
use crate::loop_problem::{Limits, Model, Pressed};
use crate::solved::SOLVED;
use zpu_analysis::body::{Body, Decline};

/// Numbers of stages that are tried. A step is at most half of what was reached, so that no more than that is wasted.
const DEPTHS: [u32; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/// Steps without a gain after which the search ends.
const MOST_IDLE: usize = 2;

/// Operations of all problems of one loop together: planning a long body once takes long enough.
const MOST_OPERATIONS: usize = 1 << 12;

/// Numbers of stages that are planned by themselves: these are asked for most often, and are quick.
const FEW: u32 = 4;

/// The largest number of stages that is planned before one between [`FEW`] and it.
const MANY: u32 = 16;

/// A number of stages with the plan for it.
struct Depth<'c> {
    stages: u32,
    model: Model<'c>,
    outcome: Outcome,
}

/// A number of stages, and the memories that are too small for all versions with the fewest stages for which some is.
pub(super) struct Chosen {
    pub(super) stages: u32,
    pub(super) pressed: Vec<Pressed>,
}

/// The least number of stages with the best estimate.
pub(super) fn choose<'c>(
    body: &Body<'c>,
    device: &Device,
    limits: &Limits,
    scheduler: Scheduler,
) -> Result<Chosen, Decline<'c>> {
    let search = Search {
        body,
        device,
        limits,
        // A search for an optimum takes too long to be made at each depth.
        scheduler: if scheduler == Scheduler::Exact {
            Scheduler::Auto
        } else {
            scheduler
        },
        fits: true,
    };
    let mut best: Option<Depth<'c>> = None;
    let (mut idle, mut pressed) = (0, Vec::new());
    for stages in search.numbers() {
        let Some(mut depth) = search.depth(stages)? else {
            continue;
        };
        if pressed.is_empty() {
            pressed = std::mem::take(&mut depth.model.pressed);
        }
        let is_enough = depth.has_enough();
        if best
            .as_ref()
            .is_none_or(|best| is_faster(&depth.outcome, &best.outcome))
        {
            (best, idle) = (Some(depth), 0);
        } else {
            idle += 1;
        }
        if is_enough || idle == MOST_IDLE {
            break;
        }
    }
    let stages = best.map_or(DEPTHS[0], |best| best.stages);
    Ok(Chosen { stages, pressed })
}

/// The number of stages whose plan is taken for at most `stages`: a larger one of [`DEPTHS`], if its plan has no more
/// stages and versions than that. So whoever asks for one number after the other plans a loop a few times only, and
/// gets few different plans to compare. Not so where the number of iterations is not known: by the steady rate, deep
/// plans are as good as others that are faster in short runs.
pub(super) fn within<'c>(
    body: &Body<'c>,
    device: &Device,
    limits: &Limits,
    scheduler: Scheduler,
    stages: u32,
) -> Result<u32, Decline<'c>> {
    let searches = matches!(scheduler, Scheduler::Greedy | Scheduler::Modulo | Scheduler::Auto);
    let is_known = body.for_.constant_trip_count().is_some();
    if !searches || !is_known || stages <= FEW {
        return Ok(stages);
    }
    let search = Search {
        body,
        device,
        limits,
        scheduler,
        fits: true,
    };
    let larger = DEPTHS
        .into_iter()
        .rev()
        .filter(|depth| (stages + 1..=MANY).contains(depth));
    for larger in larger {
        let Some(depth) = search.depth(larger)? else {
            break;
        };
        let plan = &depth.outcome.plan;
        let versions = plan
            .versions
            .iter()
            .max()
            .copied()
            .filter(|_| limits.max_versions.is_none());
        if plan.stages().saturating_sub(1).max(versions.unwrap_or(1)) <= stages {
            return Ok(larger);
        }
    }
    Ok(stages)
}

/// What a shorter interval would need: its cycles, and the bytes of each memory that has not so many.
pub(super) struct Wish {
    /// Cycles of an iteration.
    pub(super) interval: u64,
    /// The memories that have not so many bytes.
    pub(super) spaces: Vec<Need>,
}

/// The bytes of a memory that a plan needs.
pub(super) struct Need {
    pub(super) space: String,
    /// Bytes of all versions.
    pub(super) bytes: u64,
    /// Most versions of a buffer in it.
    pub(super) versions: u32,
    /// The same in the plan that is made.
    pub(super) versions_now: u32,
}

/// The next better plan if memories were larger; none if their size is no obstacle.
pub(super) fn beyond_memory<'c>(
    body: &Body<'c>,
    device: &Device,
    limits: &Limits,
    (scheduler, stages): (Scheduler, u32),
    outcome: &Outcome,
) -> Option<Wish> {
    let search = Search {
        body,
        device,
        limits,
        scheduler: if scheduler == Scheduler::Exact {
            Scheduler::Auto
        } else {
            scheduler
        },
        fits: false,
    };
    let mut deeper = search.numbers().into_iter().filter(|deeper| *deeper >= stages);
    let better = deeper.find_map(|stages| {
        let depth = search.depth(stages).ok()??;
        (depth.outcome.rate.interval() < outcome.rate.interval()).then_some(depth)
    })?;
    let free = Model::of(body, device, limits, stages).ok()?.problem.spaces;
    let buffers = &better.model.problem.buffers;
    let spaces = free.iter().enumerate().filter_map(|(index, space)| {
        let is_here = |buffer: &Buffer| buffer.space.is_some_and(|id| id.index() == index);
        let here = |outcome: &Outcome| -> Vec<(u64, u32)> {
            let each = buffers.iter().zip(&outcome.plan.versions);
            let here = each.filter(|(buffer, _)| is_here(buffer));
            here.map(|(buffer, versions)| (buffer.bytes, *versions)).collect()
        };
        let most = |outcome: &Outcome| here(outcome).iter().map(|(_, versions)| *versions).max().unwrap_or(1);
        let bytes = here(&better.outcome)
            .into_iter()
            .map(|(bytes, versions)| bytes.saturating_mul(versions.into()));
        let bytes = bytes.fold(0, u64::saturating_add);
        (bytes > space.bytes).then(|| Need {
            space: space.name.clone(),
            bytes,
            versions: most(&better.outcome),
            versions_now: most(outcome),
        })
    });
    Some(Wish {
        interval: better.outcome.rate.interval(),
        spaces: spaces.collect(),
    })
    .filter(|wish| !wish.spaces.is_empty())
}

/// Plans of one loop with one scheduler.
struct Search<'a, 'c> {
    body: &'a Body<'c>,
    device: &'a Device,
    limits: &'a Limits,
    scheduler: Scheduler,
    /// True if memories are as large as they are, false if they have no end.
    fits: bool,
}

impl<'c> Search<'_, 'c> {
    /// The numbers of stages to try, at least one.
    fn numbers(&self) -> Vec<u32> {
        let operations = self.body.units.len().max(1);
        let trips = self.body.for_.constant_trip_count();
        // As many versions as iterations are of use, one more is not.
        let is_used = |stages: &u32| trips.is_none_or(|trips| i64::from(*stages) <= trips.max(1));
        let all = DEPTHS.into_iter().take_while(is_used);
        all.take((MOST_OPERATIONS / operations).max(2)).collect()
    }

    /// The plan of so many stages; none if there is no plan.
    fn depth(&self, stages: u32) -> Result<Option<Depth<'c>>, Decline<'c>> {
        let mut model = Model::of(self.body, self.device, self.limits, stages)?;
        if !self.fits {
            model.problem.spaces.iter_mut().for_each(|space| space.bytes = u64::MAX);
        }
        let solved = SOLVED.solve(&model.problem, self.scheduler, &model.options);
        let Some(mut outcome) = solved.ok() else {
            return Ok(None);
        };
        let fixed = model.fix_versions(&mut outcome);
        Ok(fixed.is_ok().then_some(Depth { stages, model, outcome }))
    }
}

impl Depth<'_> {
    /// True if the number of stages is no limit of the plan.
    fn has_enough(&self) -> bool {
        let plan = &self.outcome.plan;
        let versions = plan.versions.iter().max().copied().unwrap_or(1);
        plan.stages() <= self.stages && versions < self.stages
    }
}
