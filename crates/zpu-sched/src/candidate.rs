//! Plans that compete: each is made legal, verified, run on the reference machine and compared with the best so far.
//!
//! Invariant: whatever a scheduler proposes, a [`Candidate`] has passed [`verify_plan`].

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::rc::Rc;

use crate::estimate::{Facts, Machine};
use crate::spare::spare_versions;
use crate::{Buffer, Options, Plan, PlanError, Problem, Rate, minimal_versions, verify_plan};

/// A legal plan with its measure.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) plan: Plan,
    /// Over [`Options::measured_trip`] iterations; the greatest number where it was enough to know that they are more
    /// than those of another candidate.
    pub(crate) cycles: u64,
    bytes: u128,
    machine: Rc<Machine>,
    /// Most plans lose before it is asked for.
    rate: OnceCell<Rate>,
}

impl Candidate {
    /// Measures a plan that is known to be legal, up to `most` cycles.
    fn measured(facts: &Facts<'_>, options: &Options, plan: Plan, most: u64) -> Candidate {
        let machine = Machine::new(facts, &plan);
        let measure = machine.measure(options.measured_trip(), most);
        let (rate, cycles) = measure.unwrap_or((None, u64::MAX));
        let each = facts.problem.buffers.iter().zip(&plan.versions);
        let bytes = each
            .map(|(buffer, &versions)| u128::from(versions) * u128::from(buffer.bytes.max(1)))
            .sum();
        Candidate {
            plan,
            cycles,
            bytes,
            machine: Rc::new(machine),
            rate: rate.map(OnceCell::from).unwrap_or_default(),
        }
    }

    /// Cycles beyond which a run loses against this one, whatever else is true of it.
    pub(crate) fn most(&self, options: &Options) -> u64 {
        if options.runs_first() { self.cycles } else { u64::MAX }
    }

    /// The steady rate.
    pub(crate) fn rate(&self) -> Rate {
        *self.rate.get_or_init(|| self.machine.steady())
    }

    /// The start of each operation after the first start of its iteration, in the steady state.
    pub(crate) fn starts(&self) -> Vec<u64> {
        self.machine.starts()
    }

    /// Less is better: the run if its length is known and matters more, else the steady rate; then the other; then
    /// bytes, then stages.
    pub(crate) fn compare(&self, other: &Candidate, options: &Options) -> Ordering {
        self.compare_time(other, options)
            .then(self.bytes.cmp(&other.bytes))
            .then(self.plan.stages().cmp(&other.plan.stages()))
    }

    pub(crate) fn compare_time(&self, other: &Candidate, options: &Options) -> Ordering {
        let crossed = |a: Rate, b: Rate| u128::from(a.cycles) * u128::from(b.iterations);
        let rate = || crossed(self.rate(), other.rate()).cmp(&crossed(other.rate(), self.rate()));
        let cycles = self.cycles.cmp(&other.cycles);
        if options.runs_first() {
            cycles.then_with(rate)
        } else {
            rate().then(cycles)
        }
    }
}

/// Makes a candidate of a stage and order assignment, with the fewest versions that make it legal. Its run is followed
/// up to `most` cycles.
pub(crate) fn candidate(
    facts: &Facts<'_>,
    options: &Options,
    stage: Vec<u32>,
    order: Vec<u32>,
    chosen: Vec<u32>,
    most: u64,
) -> Result<Candidate, PlanError> {
    let problem = facts.problem;
    let versions = minimal_versions(problem, &stage, &order)?;
    let cycle = vec![0; stage.len()];
    let plan = Plan {
        ii: 1,
        stage,
        order,
        cycle,
        versions,
        chosen,
    };
    verify_plan(problem, &plan).map_err(|_| PlanError::NoOrder)?;
    Ok(Candidate::measured(facts, options, plan, most))
}

/// A candidate with the most versions allowed, in two ways to share what room there is; see [`spare_versions`].
pub(crate) struct MostVersions {
    /// Given to one buffer after the other.
    pub(crate) in_order: Option<Candidate>,
    /// Given to buffers that are read together, if spaces are too small for all.
    pub(crate) together: Option<Candidate>,
}

/// The candidate with the most versions allowed: one more than the live range needs lets a writer start before the last
/// reader is done. `None` where there are no more. Their runs are followed up to `most` cycles.
pub(crate) fn with_most_versions(facts: &Facts<'_>, options: &Options, least: &Candidate, most: u64) -> MostVersions {
    let enough = least.plan.stages().saturating_add(1);
    let each = facts.problem.buffers.iter().zip(&least.plan.versions);
    let wanted: Vec<u32> = each
        .map(|(buffer, &before)| buffer.max_versions.unwrap_or(enough).min(enough).max(before))
        .collect();
    let measured = |versions: Vec<u32>| {
        let plan = Plan {
            versions,
            ..least.plan.clone()
        };
        Candidate::measured(facts, options, plan, most)
    };
    let spare = spare_versions(facts.problem, &least.plan.versions, &wanted);
    MostVersions {
        in_order: spare.in_order.map(measured),
        together: spare.together.map(measured),
    }
}

/// Operations in all runs of the machine that taking versions away may cost. For up to a few hundred operations that is
/// enough to try each version by itself.
const MOST_WORK: usize = 200_000;

/// The candidate with as few versions as its time allows, each buffer down to `least` versions if possible. In a large
/// problem it only comes close to that: it tries the numbers by the times of the plan first, then halves, as long as
/// the work stays in proportion.
pub(crate) fn with_fewer_versions(
    facts: &Facts<'_>,
    options: &Options,
    mut best: Candidate,
    least: &[u32],
) -> Candidate {
    let mut left = MOST_WORK / facts.problem.operations.len().max(1);
    if left < 2 * least.len() {
        for spare in [0, 1] {
            let fewer = Plan {
                versions: versions_in_use(facts.problem, &best, least, spare),
                ..best.plan.clone()
            };
            let fewer = Candidate::measured(facts, options, fewer, best.most(options));
            if fewer.compare_time(&best, options) != Ordering::Greater {
                best = fewer;
                break;
            }
        }
        left = left.saturating_sub(4);
    }
    let mut ranges = vec![(0, least.len())];
    while let Some((from, to)) = ranges.pop() {
        let mut fewer = best.plan.clone();
        let single = to - from == 1;
        for (versions, &least) in fewer.versions[from..to].iter_mut().zip(&least[from..to]) {
            *versions = if single { (*versions - 1).max(least) } else { least };
        }
        if fewer.versions == best.plan.versions {
            continue;
        }
        if left == 0 {
            break;
        }
        left -= 1;
        let fewer = Candidate::measured(facts, options, fewer, best.most(options));
        if fewer.compare_time(&best, options) != Ordering::Greater {
            best = fewer;
            if single {
                ranges.push((from, to));
            }
        } else if !single {
            let middle = from + (to - from) / 2;
            ranges.push((middle, to));
            ranges.push((from, middle));
        }
    }
    best
}

/// The number of versions of each buffer with which, at the plan's present times, every writer finds one that its
/// readers are done with; and `spare` more.
fn versions_in_use(problem: &Problem, of: &Candidate, least: &[u32], spare: i64) -> Vec<u32> {
    let (plan, start) = (&of.plan, of.starts());
    let latency = |op: usize| problem.operations[op].alternatives[plan.chosen[op] as usize].latency;
    let interval = of.rate().interval().max(1) as i64;
    let in_use = |(index, buffer): (usize, &Buffer)| {
        let pairs = buffer
            .readers
            .iter()
            .flat_map(|r| buffer.writers.iter().map(move |w| (r.index(), w.index())));
        let needed = pairs.map(|(reader, writer)| {
            let apart = (start[reader] + latency(reader)) as i64 - start[writer] as i64;
            (apart + interval - 1).div_euclid(interval) + spare
        });
        let needed = needed.max().unwrap_or(1).clamp(1, i64::from(u32::MAX)) as u32;
        needed.max(least[index]).min(plan.versions[index])
    };
    problem.buffers.iter().enumerate().map(in_use).collect()
}
