//! A plan made ready to run: its commands in order, what each waits for, and what must be remembered of each.

use std::rc::Rc;

use super::Rate;
use super::assigned::{Assigned, Awaited, Distance};
use super::facts::Facts;
use super::repeats::Repeats;
use super::run::Run;
use crate::Plan;
use crate::order::sequence;

/// A plan made ready to run.
#[derive(Debug)]
pub(crate) struct Machine {
    /// What does not depend on stages, order and versions.
    pub(super) assigned: Rc<Assigned>,
    pub(super) steps: Vec<Step>,
    /// The waits of all steps.
    pub(super) waits: Vec<Wait>,
    /// The track of each operation.
    pub(super) tracks: Vec<Track>,
    /// The number of instances that are kept.
    pub(super) instances: usize,
    /// The number of conditions; a condition counts once in each stage.
    pub(super) conditions: usize,
    /// By resource: the number of commands back up to which instances are still needed.
    pub(super) observed: Vec<u64>,
    pub(super) last_stage: u64,
}

/// An operation at its place in the kernel.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) op: usize,
    pub(super) stage: u64,
    /// Its waits, by their places.
    pub(super) waits: (usize, usize),
    /// Its place among the stages' conditions.
    pub(super) condition: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Wait {
    pub(super) from: usize,
    pub(super) distance: u64,
    pub(super) latency: u64,
    /// True if the wait takes place exactly if the command that it waits for does: in the same iteration and stage,
    /// under the same condition.
    pub(super) together: bool,
}

/// Past instances of an operation that are still needed.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) stage: u64,
    /// Instances that are looked back at.
    pub(super) depth: u64,
    /// The place of its first instance among those of all operations.
    base: usize,
    /// The number of instances that are kept, a power of two, less 1.
    mask: u64,
}

impl Track {
    /// The place of an iteration's instance.
    pub(super) fn place(&self, iteration: u64) -> usize {
        self.base + (iteration & self.mask) as usize
    }
}

impl Machine {
    pub(crate) fn new(facts: &Facts<'_>, plan: &Plan) -> Machine {
        let assigned = facts.assigned(&plan.chosen);
        let stage = |op: usize| u64::from(plan.stage[op]);
        let mut tracks: Vec<Track> = (0..plan.stage.len())
            .map(|op| Track {
                stage: stage(op),
                depth: 1,
                base: 0,
                mask: 0,
            })
            .collect();
        let condition = |op: usize| Some((assigned.commands[op].condition?, plan.stage[op]));
        let mut conditions: Vec<(u32, u32)> = (0..plan.stage.len()).filter_map(condition).collect();
        conditions.sort_unstable();
        conditions.dedup();
        let mut waits = Vec::with_capacity(assigned.waits.iter().map(Vec::len).sum());
        let mut steps = Vec::with_capacity(plan.stage.len());
        for op in sequence(&plan.order) {
            let begin = waits.len();
            for Awaited {
                from,
                distance,
                latency,
                alike,
            } in &assigned.waits[op]
            {
                let distance = match *distance {
                    Distance::Iterations(distance) => distance,
                    Distance::Ring(buffer) => plan.versions[buffer].into(),
                };
                let gap = stage(op) + distance - stage(*from);
                let track = &mut tracks[*from];
                track.depth = track.depth.max(gap + 1);
                waits.push(Wait {
                    from: *from,
                    distance,
                    latency: *latency,
                    together: *alike && gap == 0 && distance == 0,
                });
            }
            steps.push(Step {
                op,
                stage: stage(op),
                waits: (begin, waits.len()),
                condition: condition(op).and_then(|own| conditions.binary_search(&own).ok()),
            });
        }
        let mut instances = 0;
        for track in &mut tracks {
            let kept = track.depth.next_power_of_two();
            (track.base, track.mask) = (instances, kept - 1);
            instances += kept as usize;
        }
        Machine {
            steps,
            waits,
            observed: observed(&assigned, &tracks),
            instances,
            conditions: conditions.len(),
            last_stage: plan.stage.iter().max().copied().unwrap_or(0).into(),
            tracks,
            assigned,
        }
    }

    /// The steady rate, if so many iterations are enough to see it, and the cycles of `trip` iterations; `None` as soon
    /// as these are more than `most`.
    pub(crate) fn measure(&self, trip: u64, most: u64) -> Option<(Option<Rate>, u64)> {
        self.run(Some(trip), most)
    }

    /// The steady rate.
    pub(crate) fn steady(&self) -> Rate {
        self.run(None, u64::MAX).and_then(|(rate, _)| rate).unwrap_or_default()
    }

    /// Cycles of `trip` iterations.
    pub(crate) fn cycles(&self, trip: u64) -> u64 {
        self.run(Some(trip), u64::MAX).map_or(u64::MAX, |(_, cycles)| cycles)
    }

    /// The start of each operation after the first start of its iteration, in the steady state.
    pub(crate) fn starts(&self) -> Vec<u64> {
        let mut starts = vec![0; self.steps.len()];
        if starts.is_empty() {
            return starts;
        }
        let mut run = Run::new(self, u64::MAX / 2);
        let mut repeats = Repeats::default();
        while run.kernel < self.last_stage || (repeats.looks() < self.limit() && repeats.look(&run).is_none()) {
            run.step(None);
        }
        let watched = run.kernel;
        while run.kernel <= watched + self.last_stage {
            run.step(Some((watched, &mut starts)));
        }
        let first = starts.iter().min().copied().unwrap_or(0);
        starts.iter_mut().for_each(|start| *start -= first);
        starts
    }

    /// The rate if the run is long enough to see it, and the cycles of `trip` iterations; without a number of them,
    /// only the rate. `None` as soon as the cycles are more than `most`.
    fn run(&self, trip: Option<u64>, most: u64) -> Option<(Option<Rate>, u64)> {
        if self.steps.is_empty() {
            let cycles = self.assigned.costs.back_edge;
            let rate = Rate {
                cycles,
                ..Rate::default()
            };
            return Some((Some(rate), trip.unwrap_or(0).saturating_mul(cycles)));
        }
        if trip == Some(0) {
            return Some((None, 0));
        }
        let mut run = Run::new(self, trip.unwrap_or(u64::MAX / 2));
        let mut repeats = Repeats::default();
        let (mut rate, mut skipped) = (None, 0);
        // By look: the stream's clock, and when everything is complete.
        let mut past: Vec<(u64, u64)> = vec![];
        while run.kernel < run.trip + self.last_stage {
            if rate.is_none() && run.kernel >= self.last_stage && run.kernel < run.trip {
                past.push((run.now, run.end.max(run.now)));
                let period = if let Some(period) = repeats.look(&run) {
                    rate = Some(self.exact_rate(period));
                    Some(period)
                } else if repeats.looks() == self.limit() {
                    // A rate that is not exact; the alternative is to run for as long as the loop does.
                    let (half, last) = (past[past.len() / 2], past[past.len() - 1]);
                    let iterations = (past.len() - 1 - past.len() / 2) as u64;
                    rate = Some(Rate {
                        cycles: (last.1 - half.1).max(self.assigned.least * iterations),
                        iterations,
                        exact: false,
                    });
                    Some((iterations, last.0 - half.0))
                } else {
                    None
                };
                match (period, trip) {
                    (Some(_), None) => return Some((rate, 0)),
                    (Some(period), Some(_)) => skipped = run.skip(period),
                    (None, _) => {}
                }
            }
            run.step(None);
            if trip.is_some() && run.least_end().saturating_add(skipped) > most {
                return None;
            }
        }
        run.finish();
        let end = run.end.max(run.now).saturating_add(skipped);
        let least = trip.map_or(0, |trip| self.assigned.least.saturating_mul(trip));
        Some((rate, end.max(least)))
    }

    fn exact_rate(&self, (iterations, cycles): (u64, u64)) -> Rate {
        let work = self.assigned.unobserved.iter().flatten().map(|work| work * iterations);
        Rate {
            cycles: work.fold(cycles.max(self.assigned.least * iterations), u64::max),
            iterations,
            exact: true,
        }
    }

    /// Kernel iterations after which the search for a repeated state ends.
    fn limit(&self) -> usize {
        (1_000_000 / self.steps.len()).clamp(16, 256)
    }
}

/// By resource: the number of commands back to the oldest kernel iteration whose instances are needed.
fn observed(assigned: &Assigned, tracks: &[Track]) -> Vec<u64> {
    let resources = assigned.unobserved.len();
    let (mut each, mut furthest) = (vec![0u64; resources], vec![0u64; resources]);
    for engine in assigned.commands.iter().filter_map(|command| command.engine) {
        each[engine] += 1;
    }
    for &op in &assigned.awaited {
        if let Some(engine) = assigned.commands[op].engine {
            furthest[engine] = furthest[engine].max(tracks[op].depth);
        }
    }
    each.into_iter()
        .zip(furthest)
        .map(|(each, back)| each.saturating_mul(back))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Problem, StreamCosts, Use, minimal_versions};

    #[test]
    fn a_run_that_has_more_cycles_than_asked_for_ends_early() {
        let mut problem = Problem::cyclic("load and product");
        let [dma, tensor] = ["dma", "tensor"].map(|name| problem.add_resource(name, 1));
        let load = problem.add_operation("load", 40, vec![Use::whole(dma, 40)]);
        let product = problem.add_operation("product", 25, vec![Use::whole(tensor, 25)]);
        problem.add_dependence(load, product, 0);
        for stage in [vec![0, 0], vec![0, 1], vec![0, 3]] {
            let order = vec![0, 1];
            let plan = Plan {
                ii: 1,
                versions: minimal_versions(&problem, &stage, &order).unwrap(),
                stage,
                order,
                cycle: vec![0; 2],
                chosen: vec![0; 2],
            };
            let machine = Machine::new(&Facts::new(&problem, StreamCosts::default()), &plan);
            for trip in [0, 1, 2, 3, 4, 5, 17, 1_000] {
                let all = machine.cycles(trip);
                assert_eq!(machine.measure(trip, all).map(|(_, cycles)| cycles), Some(all));
                assert_eq!(machine.measure(trip, all / 2).is_none(), trip > 0, "{trip}");
            }
        }
    }
}
