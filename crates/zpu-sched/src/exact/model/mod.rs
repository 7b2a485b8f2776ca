//! A scheduling problem as a constraint program, for one initiation interval or for straight-line code.
//!
//! With interval II, operation i starts at `II * stage_i + phase_i`, `0 <= phase_i < II`. Dependences and rings are
//! linear in both. Two uses that cannot share a resource are decided by a literal: one comes first within the interval,
//! and the other ends before the first comes again. A resource with more units is a cumulative over two intervals, each
//! use at its phase and once more one interval later, so that what wraps around meets what it wraps into.
//!
//! Invariant: the model has a solution if and only if the problem has one at this interval. A cyclic solution may be
//! turned by any number of cycles, so one operation starts at phase 0; and moving operations by whole intervals never
//! changes what they take, so stages are bounded by the longest chain of least differences. In that chain, rings have
//! the fewest versions that the goal can lead to: with fewer bytes as the goal, a reader may have to come before its
//! writer.

mod order;
mod resources;
mod size;
mod variables;

use pumpkin_conflict_resolvers::resolvers::ResolutionResolver;
use pumpkin_core::options::SolverOptions;
use pumpkin_core::predicate;
use pumpkin_core::predicates::Predicate;
use pumpkin_core::proof::ConstraintTag;
use pumpkin_core::results::{ProblemSolution, SatisfactionResult};
use pumpkin_core::variables::{AffineView, DomainId, Literal};
use pumpkin_core::{DefaultBrancher, Solver};

use self::size::{fewest_of_most, most_stages, unit};
use crate::budget::Budget;
use crate::exact::least_versions;
use crate::schedule::{finish, length};
use crate::{Alternative, Kind, Problem, Schedule};

/// Largest coefficient times domain that the solver's 32-bit arithmetic gets.
const MOST: i64 = 1 << 27;
/// Operations of a problem that the solver gets.
const MOST_OPERATIONS: usize = 2000;

/// The answer of the solver.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A solution; its versions are the fewest for its times.
    Found(Schedule),
    /// There is none.
    None,
    /// The budget was spent.
    Unknown,
    /// The problem or its numbers are too large for the solver.
    TooLarge,
}

/// The goal of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Any solution.
    Any,
    /// Solutions of ever smaller length or ever fewer versions, or of ever fewer bytes.
    Smaller {
        /// True if bytes are limited.
        bytes: bool,
    },
}

/// A quantity of schedules at one interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Cycles from the first start of an iteration until everything is done.
    Length,
    /// Bytes of all versions of all buffers.
    Bytes,
    /// All versions of all buffers.
    Versions,
}

impl Quantity {
    /// The quantity of a schedule.
    pub(crate) fn of(self, problem: &Problem, schedule: &Schedule) -> u128 {
        match self {
            Quantity::Length => length(problem, schedule).into(),
            Quantity::Bytes => super::bytes_of(problem, &schedule.versions),
            Quantity::Versions => schedule.versions.iter().map(|&versions| u128::from(versions)).sum(),
        }
    }
}

/// The sum of the bytes of all versions.
#[derive(Clone, Copy, Debug)]
struct Bytes {
    /// In units.
    sum: DomainId,
    /// Bytes that divide the size of every buffer.
    unit: u64,
}

type Term = AffineView<DomainId>;

/// Start of an operation: `ii * stage + phase`.
#[derive(Clone, Copy, Debug)]
struct Start {
    stage: Option<DomainId>,
    phase: DomainId,
}

/// The constraint program.
pub(crate) struct Model<'a> {
    problem: &'a Problem,
    /// In units; 0 for straight-line code.
    ii: i64,
    /// Cycles of one unit of time.
    unit: i64,
    /// Every start is before this.
    horizon: i64,
    /// Longest time until an operation is done.
    longest: i64,
    solver: Solver,
    tag: ConstraintTag,
    start: Vec<Start>,
    /// Per operation, a literal for each alternative; none if there is no choice.
    choice: Vec<Vec<Literal>>,
    /// Per operation with alternatives of different latencies.
    latency: Vec<Option<DomainId>>,
    /// Variables for the cycles until everything is complete.
    span: Vec<Option<DomainId>>,
    versions: Vec<Option<DomainId>>,
    length: Option<DomainId>,
    total: Option<DomainId>,
    bytes: Option<Bytes>,
    brancher: Option<DefaultBrancher>,
}

impl<'a> Model<'a> {
    /// Makes the model of `problem` at interval `ii` (ignored when acyclic), with makespan at most `horizon` when
    /// acyclic. `Err` is an answer without a search: [`Answer::None`] or [`Answer::TooLarge`].
    pub(crate) fn new(problem: &'a Problem, ii: u64, horizon: u64, goal: Goal) -> Result<Model<'a>, Answer> {
        let cyclic = problem.kind == Kind::Cyclic;
        let unit = unit(problem, cyclic.then_some(ii));
        let fewest = match goal {
            Goal::Any => fewest_of_most(problem),
            Goal::Smaller { .. } => least_versions(problem, ii).into_iter().map(Some).collect(),
        };
        let ii = if cyclic { ii as i64 / unit } else { 0 };
        let horizon = if cyclic {
            ii * (most_stages(problem, &fewest, ii, unit) + 1)
        } else {
            horizon as i64 / unit
        };
        let spans = problem
            .operations
            .iter()
            .flat_map(|o| &o.alternatives)
            .map(Alternative::span);
        let longest = spans.max().unwrap_or(0) as i64 / unit;
        if horizon.saturating_add(longest).saturating_mul(4) > MOST || problem.operations.len() > MOST_OPERATIONS {
            return Err(Answer::TooLarge);
        }
        let mut solver = Solver::with_options(SolverOptions {
            memory_preallocated: 1,
            ..SolverOptions::default()
        });
        let tag = solver.new_constraint_tag();
        let mut model = Model {
            problem,
            ii,
            unit,
            horizon,
            longest,
            solver,
            tag,
            start: vec![],
            choice: vec![],
            latency: vec![],
            span: vec![],
            versions: vec![],
            length: None,
            total: None,
            bytes: None,
            brancher: None,
        };
        model.add_operations();
        let tasks = model.add_tasks()?;
        model.add_objective(goal);
        model.brancher = None;
        model.post_choices()?;
        model.post_dependences()?;
        model.post_rings()?;
        model.post_resources(&tasks)?;
        model.post_length()?;
        model.brancher = Some(model.solver.default_brancher());
        Ok(model)
    }

    /// Searches for a solution.
    pub(crate) fn solve(&mut self, budget: &mut Budget) -> Answer {
        let Some(mut brancher) = self.brancher.take() else {
            return Answer::None;
        };
        if self.solver.is_inconsistent() {
            return Answer::None;
        }
        let mut resolver = ResolutionResolver::default();
        let values = match self.solver.satisfy(&mut brancher, budget, &mut resolver) {
            SatisfactionResult::Satisfiable(found) => {
                let solution = found.solution();
                let mut start = vec![];
                for at in &self.start {
                    let stage = at.stage.map_or(0, |stage| i64::from(solution.get_integer_value(stage)));
                    start.push((self.ii * stage + i64::from(solution.get_integer_value(at.phase))) * self.unit);
                }
                let chosen = self.choice.iter().map(|literals| {
                    let taken = literals.iter().position(|&l| solution.get_literal_value(l));
                    taken.unwrap_or(0) as u32
                });
                Ok((start, chosen.collect::<Vec<u32>>()))
            }
            SatisfactionResult::Unsatisfiable(..) => Err(Answer::None),
            SatisfactionResult::Unknown(..) => Err(Answer::Unknown),
        };
        self.brancher = Some(brancher);
        match values {
            Ok((start, chosen)) => {
                let schedule = finish(self.problem, (self.ii * self.unit) as u64, &start, chosen);
                let schedule = schedule.filter(|schedule| crate::verify(self.problem, schedule).is_ok());
                debug_assert!(schedule.is_some(), "the model and the definition of a schedule differ");
                schedule.map_or(Answer::Unknown, Answer::Found)
            }
            Err(answer) => answer,
        }
    }

    /// Demands at most so much from now on; false if the model does not have the quantity, or not as a number that the
    /// solver can handle.
    pub(crate) fn limit(&mut self, quantity: Quantity, most: u128) -> bool {
        let (variable, unit) = match quantity {
            Quantity::Length => (self.length, self.unit as u64),
            Quantity::Versions => (self.total, 1),
            Quantity::Bytes => (
                self.bytes.map(|bytes| bytes.sum),
                self.bytes.map_or(1, |bytes| bytes.unit),
            ),
        };
        let Some(variable) = variable else { return false };
        let most = (most / u128::from(unit)).min(1 << 30) as i32;
        self.demand(predicate!(variable <= most));
        true
    }

    fn demand(&mut self, predicate: Predicate) {
        if !self.solver.is_inconsistent() {
            self.solver.add_clause([predicate], self.tag);
        }
    }
}
