//! The best schedule so far: whatever is offered is completed with the fewest versions, verified and compared.

use std::collections::BTreeSet;

use super::{Measure, rank};
use crate::json::{Goal, Instance};
use crate::schedule::{crowded_spaces, finish, length};
use crate::work::Work;
use crate::{Kind, Options, Problem, Schedule, SpaceId, Violation, verify};

/// A search for the best schedule of a problem.
pub(super) struct Search<'a> {
    problem: &'a Problem,
    objective: &'a [Goal],
    pub(super) options: &'a Options,
    pub(super) work: Work<'a>,
    /// The best so far.
    pub(super) best: Option<(Schedule, Measure)>,
    /// The bound of intervals for placing without a search, see [`super::place::rising`].
    pub(super) ceiling: i64,
    pressed: BTreeSet<SpaceId>,
}

impl<'a> Search<'a> {
    /// A search without a result, of a problem that passes the check.
    pub(super) fn new(instance: &'a Instance, options: &'a Options) -> Search<'a> {
        Search::of(&instance.problem, &instance.objective, options)
    }

    fn of(problem: &'a Problem, objective: &'a [Goal], options: &'a Options) -> Search<'a> {
        Search {
            problem,
            objective,
            options,
            work: Work::new(problem, options),
            best: None,
            ceiling: i64::MAX,
            pressed: BTreeSet::new(),
        }
    }

    /// A new search of a problem that has the same solutions, or fewer.
    pub(super) fn on<'b>(&self, problem: &'b Problem) -> Search<'b>
    where
        'a: 'b,
    {
        Search::of(problem, self.objective, self.options)
    }

    /// Goes on with these alternatives.
    pub(super) fn choose(&mut self, chosen: &[u32]) {
        if self.work.chosen != chosen {
            self.work = self.work.rechosen(chosen.to_vec());
        }
    }

    pub(super) fn problem(&self) -> &'a Problem {
        self.problem
    }

    /// The goals, the most important first.
    pub(super) fn objective(&self) -> &'a [Goal] {
        self.objective
    }

    /// The interval or makespan of the best.
    pub(super) fn best_interval(&self) -> Option<i64> {
        self.best.as_ref().map(|(_, measure)| measure.interval as i64)
    }

    /// The spaces in which versions of something offered did not fit.
    pub(super) fn pressed_spaces(&self) -> BTreeSet<SpaceId> {
        self.pressed.clone()
    }

    /// The spaces in which versions may not fit, if fewer versions may give a better loop. They do not depend on the
    /// schedules offered.
    pub(super) fn narrow_spaces(&self) -> BTreeSet<SpaceId> {
        let least = Some(self.work.bounds.interval() as i64);
        if self.problem.kind == Kind::Acyclic || self.best_interval() == least {
            return self.pressed.clone();
        }
        let spaces = (0..).map(SpaceId).zip(crowded_spaces(self.problem));
        spaces.filter(|&(_, crowded)| crowded).map(|(space, _)| space).collect()
    }

    /// The longest interval or makespan that makes sense.
    pub(super) fn longest(&self) -> u64 {
        longest(self.problem).max(self.work.bounds.interval())
    }

    /// Cycles from an operation's start until its result is there and its uses are over.
    pub(super) fn end(&self, op: usize) -> i64 {
        let uses = self.work.uses(op).iter().filter(|u| u.cycles > 0);
        uses.map(|u| u.end() as i64).fold(self.work.latency[op], i64::max)
    }

    /// Keeps the schedule if it is correct and better than the best; says whether it is correct. Times may be negative.
    pub(super) fn offer(&mut self, start: &[i64], ii: i64) -> bool {
        let cyclic = self.problem.kind == Kind::Cyclic;
        let ii = if cyclic { ii.max(1) as u64 } else { 1 };
        let Some(schedule) = finish(self.problem, ii, start, self.work.chosen.clone()) else {
            return false;
        };
        self.offer_schedule(schedule)
    }

    /// Offers a schedule, which is kept if it is the best so far; true if it is a solution.
    pub(super) fn offer_schedule(&mut self, schedule: Schedule) -> bool {
        match verify(self.problem, &schedule) {
            Ok(()) => {
                let measure = self.measure(&schedule);
                self.keep(Some((schedule, measure)));
                true
            }
            Err(Violation::Space { space, .. }) => {
                self.pressed.insert(space);
                false
            }
            Err(_) => false,
        }
    }

    /// Keeps a correct schedule if it is better than the best.
    pub(super) fn keep(&mut self, found: Option<(Schedule, Measure)>) {
        let Some(found) = found else { return };
        let rank = |(_, measure): &(Schedule, Measure)| rank(measure, self.objective);
        if self.best.as_ref().is_none_or(|best| rank(&found) < rank(best)) {
            self.best = Some(found);
        }
    }

    fn measure(&self, schedule: &Schedule) -> Measure {
        let length = length(self.problem, schedule);
        let cyclic = self.problem.kind == Kind::Cyclic;
        let each = self.problem.buffers.iter().zip(&schedule.versions);
        Measure {
            interval: if cyclic { schedule.ii } else { length },
            length,
            bytes: each
                .map(|(b, &versions)| u128::from(versions) * u128::from(b.bytes))
                .sum(),
            versions: schedule.versions.iter().map(|&v| u64::from(v)).sum(),
        }
    }
}

/// An interval or makespan at which nothing has to overlap any more, however long the dependences are.
pub(crate) fn longest(problem: &Problem) -> u64 {
    let span = |o: &crate::Operation| o.alternatives.iter().map(crate::Alternative::span).max().unwrap_or(0);
    let operations: u64 = problem.operations.iter().map(span).sum();
    let given = problem.dependences.iter().filter_map(|d| d.latency);
    let given: i64 = given.map(|latency| latency.max(0)).sum();
    operations.saturating_add(given as u64)
}
