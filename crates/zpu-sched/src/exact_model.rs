//! A scheduling problem as a constraint program, for one initiation interval or for straight-line code.
//!
//! With interval II, operation i starts at `II * turn_i + phase_i`, `0 <= phase_i < II`. Dependences and rings are linear
//! in both. Two uses that cannot share a resource are decided by a literal: one comes first within the turn, and the
//! other ends before the first comes again. A resource with more units is a cumulative over two turns, each use at its
//! phase and once more one turn later, so that what wraps around meets what it wraps into.
//!
//! Invariant: the model has a solution if and only if the problem has one at this interval. A cyclic solution may be
//! turned by any number of cycles, so one operation starts at phase 0; and moving operations by whole turns never
//! changes what they take, so turns are bounded by the longest chain of least differences.

use std::time::Instant;

use pumpkin_conflict_resolvers::resolvers::ResolutionResolver;
use pumpkin_constraints::{clause, cumulative, equals, less_than_or_equals};
use pumpkin_core::options::SolverOptions;
use pumpkin_core::predicate;
use pumpkin_core::predicates::Predicate;
use pumpkin_core::proof::ConstraintTag;
use pumpkin_core::results::{ProblemSolution, SatisfactionResult};
use pumpkin_core::termination::TerminationCondition;
use pumpkin_core::variables::{AffineView, DomainId, Literal, TransformableVariable};
use pumpkin_core::{DefaultBrancher, Solver};

use crate::graph::{Edge, Graph, earliest};
use crate::{Alternative, Kind, MAX_DISTANCE, Problem, Schedule};

/// Largest coefficient times domain that the solver's 32-bit arithmetic gets.
const MOST: i64 = 1 << 27;
/// Operations of a problem that the solver gets.
const MOST_OPERATIONS: usize = 2000;
/// Uses of one resource up to which each pair gets its own literal.
const MOST_PAIRED: usize = 120;

/// How much searching is left. The steps make a search repeatable; the clock is only read if there is a deadline.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    /// Decisions and conflicts.
    pub(crate) steps: u64,
    /// When to stop whatever is left.
    pub(crate) deadline: Option<Instant>,
}

impl Budget {
    /// Whether nothing is left.
    pub(crate) fn spent(&self) -> bool {
        self.steps == 0 || self.late()
    }

    /// Whether the deadline is over.
    pub(crate) fn late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// A part of at most `steps` steps; what it leaves unused comes back by [`Budget::give_back`].
    pub(crate) fn take(&mut self, steps: u64) -> Budget {
        let steps = steps.min(self.steps);
        self.steps -= steps;
        Budget { steps, ..self.clone() }
    }

    /// Puts back what is left of a part.
    pub(crate) fn give_back(&mut self, part: &Budget) {
        self.steps += part.steps;
    }
}

impl TerminationCondition for Budget {
    fn should_stop(&mut self) -> bool {
        if self.steps == 0 {
            return true;
        }
        self.steps -= 1;
        // Reading the clock costs more than a small step.
        self.steps.is_multiple_of(16) && self.late()
    }
}

/// What the solver says.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// A solution; its versions are the fewest for its times.
    Found(Schedule),
    /// There is none.
    None,
    /// The budget was spent, or the numbers are too large for the solver.
    Unknown,
}

/// What a model is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Any solution.
    Any,
    /// Solutions of ever smaller length, then ever fewer versions.
    Smaller,
}

type Term = AffineView<DomainId>;

/// Start of an operation: `ii * turn + phase`.
#[derive(Clone, Copy, Debug)]
struct Start {
    turn: Option<DomainId>,
    phase: DomainId,
}

/// A use of a resource, if its operation takes that alternative.
struct Task {
    op: usize,
    alternative: usize,
    amount: i64,
    cycles: i64,
    phase: Term,
    present: Option<Literal>,
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
    /// The same for the cycles until everything is done.
    span: Vec<Option<DomainId>>,
    versions: Vec<Option<DomainId>>,
    length: Option<DomainId>,
    total: Option<DomainId>,
    brancher: Option<DefaultBrancher>,
}

impl<'a> Model<'a> {
    /// The model of `problem` at interval `ii` (not looked at when acyclic), with makespan at most `horizon` when
    /// acyclic. `Err` says what is known without a search: [`Answer::None`] or [`Answer::Unknown`].
    pub(crate) fn new(problem: &'a Problem, ii: u64, horizon: u64, goal: Goal) -> Result<Model<'a>, Answer> {
        let cyclic = problem.kind == Kind::Cyclic;
        let unit = unit(problem, cyclic.then_some(ii));
        let ii = if cyclic { ii as i64 / unit } else { 0 };
        let horizon = if cyclic {
            ii * (most_turns(problem, ii, unit) + 1)
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
            return Err(Answer::Unknown);
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
                    let turn = at.turn.map_or(0, |turn| i64::from(solution.get_integer_value(turn)));
                    start.push((self.ii * turn + i64::from(solution.get_integer_value(at.phase))) * self.unit);
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

    /// Demands a length of at most `cycles` from now on.
    pub(crate) fn limit_length(&mut self, cycles: u64) {
        if let Some(length) = self.length {
            let most = (cycles as i64 / self.unit) as i32;
            self.demand(predicate!(length <= most));
        }
    }

    /// Demands at most `versions` versions of all buffers together from now on.
    pub(crate) fn limit_versions(&mut self, versions: u64) {
        if let Some(total) = self.total {
            let most = versions.min(1 << 30) as i32;
            self.demand(predicate!(total <= most));
        }
    }

    fn demand(&mut self, predicate: Predicate) {
        if !self.solver.is_inconsistent() {
            self.solver.add_clause([predicate], self.tag);
        }
    }

    fn add_operations(&mut self) {
        let anchor = self.anchor();
        for (index, operation) in self.problem.operations.iter().enumerate() {
            let start = if self.ii > 0 {
                let last = if Some(index) == anchor { 0 } else { self.ii - 1 };
                Start {
                    turn: Some(self.solver.new_bounded_integer(0, (self.horizon / self.ii - 1) as i32)),
                    phase: self.solver.new_bounded_integer(0, last as i32),
                }
            } else {
                Start {
                    turn: None,
                    phase: self.solver.new_bounded_integer(0, self.horizon as i32),
                }
            };
            self.start.push(start);
            let several = operation.alternatives.len() > 1;
            let choice = operation.alternatives.iter().filter(|_| several);
            self.choice.push(choice.map(|_| self.solver.new_literal()).collect());
            let latency = self.sparse(operation.alternatives.iter().map(|a| a.latency));
            let span = self.sparse(operation.alternatives.iter().map(Alternative::span));
            self.latency.push(latency);
            self.span.push(span);
        }
    }

    /// A variable that has one of these values; `None` if there is only one.
    fn sparse(&mut self, cycles: impl Iterator<Item = u64>) -> Option<DomainId> {
        let mut values: Vec<i32> = cycles.map(|cycles| (cycles as i64 / self.unit) as i32).collect();
        values.sort_unstable();
        values.dedup();
        (values.len() > 1).then(|| self.solver.new_sparse_integer(values))
    }

    /// The operation that starts at phase 0: the one that takes most.
    fn anchor(&self) -> Option<usize> {
        let taken = |o: &crate::Operation| -> u64 { o.alternatives[0].uses.iter().map(|u| u.cycles).sum() };
        let operations = self.problem.operations.iter().enumerate();
        operations
            .max_by_key(|(index, o)| (taken(o), std::cmp::Reverse(*index)))
            .map(|(index, _)| index)
    }

    /// The uses of each resource. A use of several whole turns takes that much all the time; only the rest has a phase.
    fn add_tasks(&mut self) -> Result<Vec<(i64, Vec<Task>)>, Answer> {
        let mut tasks: Vec<(i64, Vec<Task>)> = self
            .problem
            .resources
            .iter()
            .map(|r| (r.capacity.into(), vec![]))
            .collect();
        for (op, operation) in self.problem.operations.iter().enumerate() {
            for (alternative, way) in operation.alternatives.iter().enumerate() {
                for used in way.uses.iter().filter(|u| u.cycles > 0 && u.amount > 0) {
                    let (cycles, offset) = (used.cycles as i64 / self.unit, used.offset as i64 / self.unit);
                    let (room, list) = &mut tasks[used.resource.index()];
                    let present = self.choice[op].get(alternative).copied();
                    let mut task = Task {
                        op,
                        alternative,
                        amount: used.amount.into(),
                        cycles,
                        phase: self.start[op].phase.offset(offset as i32),
                        present,
                    };
                    if self.ii > 0 {
                        let whole = cycles / self.ii * task.amount;
                        if whole > 0 && present.is_some() {
                            // Rarely met; a task for each whole turn says the same.
                            for _ in 0..cycles / self.ii {
                                list.push(Task {
                                    cycles: self.ii,
                                    phase: self.start[op].phase.scaled(1),
                                    ..task
                                });
                            }
                        } else {
                            *room -= whole;
                        }
                        task.cycles = cycles % self.ii;
                        task.phase = self.shifted(op, offset % self.ii)?;
                    }
                    if task.cycles > 0 {
                        list.push(task);
                    }
                }
            }
        }
        if tasks
            .iter()
            .any(|(room, list)| *room < 0 || *room > MOST || list.len() > 4096)
        {
            let impossible = tasks.iter().any(|(room, _)| *room < 0);
            return Err(if impossible { Answer::None } else { Answer::Unknown });
        }
        Ok(tasks)
    }

    /// The phase of an operation `offset` cycles later.
    fn shifted(&mut self, op: usize, offset: i64) -> Result<Term, Answer> {
        let phase = self.start[op].phase;
        if offset == 0 {
            return Ok(phase.scaled(1));
        }
        let wraps = self.solver.new_bounded_integer(0, 1);
        let shifted = self.solver.new_bounded_integer(0, (self.ii - 1) as i32);
        let terms = [phase.scaled(1), shifted.scaled(-1), wraps.scaled(-(self.ii as i32))];
        self.solver
            .add_constraint(equals(terms, -(offset as i32), self.tag))
            .post();
        Ok(shifted.scaled(1))
    }

    fn add_objective(&mut self, goal: Goal) {
        let tight = crowded_spaces(self.problem);
        for buffer in &self.problem.buffers {
            let matters = self.ii > 0 && (goal == Goal::Smaller || buffer.space.is_some_and(|s| tight[s.index()]));
            let most = buffer.max_versions.unwrap_or(MAX_DISTANCE).min(MAX_DISTANCE);
            let most = i64::from(most).min(if self.ii > 0 {
                (self.horizon + self.longest) / self.ii + 2
            } else {
                1
            });
            self.versions
                .push(matters.then(|| self.solver.new_bounded_integer(1, most as i32)));
        }
        if goal == Goal::Smaller {
            self.length = Some(self.solver.new_bounded_integer(0, (self.horizon + self.longest) as i32));
            self.total = Some(self.solver.new_bounded_integer(0, 1 << 24));
        }
    }

    /// `a` starts at least `latency` units after `b`, less `turns` turns; with `versions`, less that many turns.
    fn after(
        &mut self,
        from: usize,
        to: usize,
        latency: Option<i64>,
        distance: i64,
        versions: Option<DomainId>,
    ) -> Result<(), Answer> {
        let own = i64::try_from(self.problem.operations[from].alternatives[0].latency).unwrap_or(MOST) / self.unit;
        let (constant, variable) = match (latency, self.latency[from]) {
            (Some(latency), _) => (latency.div_euclid(self.unit), None),
            (None, Some(variable)) => (0, Some(variable)),
            (None, None) => (own, None),
        };
        let slack = distance * self.ii - constant;
        if from == to && variable.is_none() && versions.is_none() {
            return if slack >= 0 { Ok(()) } else { Err(Answer::None) };
        }
        let mut terms: Vec<Term> = vec![];
        if from != to {
            terms.extend(self.time(from, 1));
            terms.extend(self.time(to, -1));
        }
        terms.extend(variable.map(|v| v.scaled(1)));
        terms.extend(versions.map(|v| v.scaled(-(self.ii as i32))));
        // Anything further is no restriction.
        let slack = slack.clamp(-4 * MOST, 4 * MOST);
        self.post_less(terms, slack)
    }

    fn post_less(&mut self, terms: Vec<Term>, most: i64) -> Result<(), Answer> {
        if self.solver.is_inconsistent() {
            return Err(Answer::None);
        }
        self.solver
            .add_constraint(less_than_or_equals(terms, most as i32, self.tag))
            .post();
        Ok(())
    }

    fn post_choices(&mut self) -> Result<(), Answer> {
        for op in 0..self.choice.len() {
            let literals = self.choice[op].clone();
            if literals.is_empty() {
                continue;
            }
            if self.solver.is_inconsistent() {
                return Err(Answer::None);
            }
            self.solver.add_constraint(clause(literals.clone(), self.tag)).post();
            for (alternative, literal) in literals.iter().enumerate() {
                for other in &literals[..alternative] {
                    self.solver
                        .add_constraint(clause(vec![!*literal, !*other], self.tag))
                        .post();
                }
                let way = &self.problem.operations[op].alternatives[alternative];
                for (variable, cycles) in [(self.latency[op], way.latency), (self.span[op], way.span())] {
                    let Some(variable) = variable else { continue };
                    let value = (cycles as i64 / self.unit) as i32;
                    let implied = [literal.get_false_predicate(), predicate!(variable == value)];
                    self.solver.add_clause(implied, self.tag);
                }
            }
        }
        Ok(())
    }

    fn post_dependences(&mut self) -> Result<(), Answer> {
        for dependence in &self.problem.dependences {
            let (from, to) = (dependence.from.index(), dependence.to.index());
            self.after(from, to, dependence.latency, dependence.distance.into(), None)?;
        }
        Ok(())
    }

    fn post_rings(&mut self) -> Result<(), Answer> {
        if self.ii == 0 {
            return Ok(());
        }
        for (index, buffer) in self.problem.buffers.iter().enumerate() {
            let versions = self.versions[index];
            let limit = match (versions, buffer.max_versions) {
                (Some(_), _) => 0,
                (None, Some(limit)) => i64::from(limit),
                (None, None) => continue,
            };
            for reader in &buffer.readers {
                for writer in &buffer.writers {
                    self.after(reader.index(), writer.index(), None, limit, versions)?;
                }
            }
        }
        self.post_spaces()?;
        if let Some(total) = self.total {
            let mut terms: Vec<Term> = self.versions.iter().flatten().map(|v| v.scaled(1)).collect();
            terms.push(total.scaled(-1));
            self.post_less(terms, 0)?;
        }
        Ok(())
    }

    fn post_spaces(&mut self) -> Result<(), Answer> {
        for (index, space) in self.problem.spaces.iter().enumerate() {
            let inside = self.problem.buffers.iter().enumerate();
            let inside: Vec<(usize, u64)> = inside
                .filter(|(_, b)| b.space.is_some_and(|s| s.index() == index) && b.bytes > 0)
                .map(|(buffer, b)| (buffer, b.bytes))
                .collect();
            let divisor = inside.iter().fold(0, |divisor, &(_, bytes)| gcd(divisor, bytes)).max(1);
            let most = space.bytes / divisor;
            let needed: u64 = inside
                .iter()
                .map(|(_, bytes)| bytes / divisor * u64::from(MAX_DISTANCE))
                .sum();
            let terms: Option<Vec<Term>> = inside
                .iter()
                .map(|&(buffer, bytes)| Some(self.versions[buffer]?.scaled((bytes / divisor) as i32)))
                .collect();
            let Some(terms) = terms.filter(|terms| !terms.is_empty() && most < needed) else {
                continue;
            };
            if needed > MOST as u64 * 4 {
                return Err(Answer::Unknown);
            }
            self.post_less(terms, most as i64)?;
        }
        Ok(())
    }

    fn post_resources(&mut self, tasks: &[(i64, Vec<Task>)]) -> Result<(), Answer> {
        for (room, tasks) in tasks {
            let least: i64 = tasks.iter().map(|t| t.amount).min().unwrap_or(0);
            let paired = tasks.len() <= MOST_PAIRED;
            if tasks.iter().any(|task| task.amount > *room && task.present.is_none()) {
                return Err(Answer::None);
            }
            for task in tasks.iter().filter(|task| task.amount > *room) {
                let absent = task.present.map(|p| !p);
                self.solver
                    .add_constraint(clause(absent.into_iter().collect::<Vec<_>>(), self.tag))
                    .post();
            }
            if !paired || 2 * least <= *room {
                self.post_cumulative(*room, tasks)?;
            }
            for (index, a) in tasks.iter().enumerate().filter(|_| paired) {
                for b in &tasks[..index] {
                    let together = a.op != b.op || a.alternative == b.alternative;
                    if together && a.amount + b.amount > *room {
                        self.post_apart(a, b)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The two uses never meet.
    fn post_apart(&mut self, a: &Task, b: &Task) -> Result<(), Answer> {
        if self.solver.is_inconsistent() {
            return Err(Answer::None);
        }
        let first = self.solver.new_literal();
        let second = match (a.present, b.present) {
            (None, None) => !first,
            (a, b) => {
                let second = self.solver.new_literal();
                let absent = [a, b].into_iter().flatten().map(|present| !present);
                let literals: Vec<Literal> = absent.chain([first, second]).collect();
                self.solver.add_constraint(clause(literals, self.tag)).post();
                second
            }
        };
        for (literal, early, late) in [(first, a, b), (second, b, a)] {
            let before = vec![early.phase, late.phase.scaled(-1)];
            self.solver
                .add_constraint(less_than_or_equals(before, -(early.cycles as i32), self.tag))
                .implied_by(literal);
            if self.ii > 0 {
                let again = vec![late.phase, early.phase.scaled(-1)];
                self.solver
                    .add_constraint(less_than_or_equals(again, (self.ii - late.cycles) as i32, self.tag))
                    .implied_by(literal);
            }
        }
        Ok(())
    }

    fn post_cumulative(&mut self, room: i64, tasks: &[Task]) -> Result<(), Answer> {
        let (mut starts, mut cycles, mut amounts): (Vec<Term>, Vec<i32>, Vec<i32>) = (vec![], vec![], vec![]);
        // A use that is not taken goes where nobody else is.
        let mut far = (2 * self.horizon.max(self.ii)) as i32;
        for task in tasks.iter().filter(|task| task.amount <= room) {
            let mut phase = task.phase;
            if let Some(present) = task.present {
                far += 3 * (self.ii.max(task.cycles) as i32);
                if i64::from(far) > MOST * 2 {
                    return Err(Answer::Unknown);
                }
                let domain = self.solver.new_bounded_integer(0, far);
                self.solver
                    .add_constraint(equals([domain.scaled(1), phase.scaled(-1)], 0, self.tag))
                    .implied_by(present);
                self.solver
                    .add_constraint(equals([domain.scaled(1)], far, self.tag))
                    .implied_by(!present);
                phase = domain.scaled(1);
            }
            let copies = if self.ii > 0 { 2 } else { 1 };
            for copy in 0..copies {
                starts.push(phase.offset(copy * self.ii as i32));
                cycles.push(task.cycles as i32);
                amounts.push(task.amount as i32);
            }
        }
        if self.solver.is_inconsistent() {
            return Err(Answer::None);
        }
        if !starts.is_empty() {
            self.solver
                .add_constraint(cumulative(starts, cycles, amounts, room as i32, self.tag))
                .post();
        }
        Ok(())
    }

    /// Every operation is done `length` after the first start; straight-line code within the horizon as well.
    fn post_length(&mut self) -> Result<(), Answer> {
        let first = match self.length {
            Some(_) if self.ii > 0 && !self.solver.is_inconsistent() => {
                Some(self.solver.new_bounded_integer(0, self.horizon as i32))
            }
            _ => None,
        };
        for op in 0..self.start.len() {
            let own = self.problem.operations[op].alternatives[0].span() as i64 / self.unit;
            let own = if self.span[op].is_some() { 0 } else { own };
            let mut end = self.time(op, 1);
            end.extend(self.span[op].map(|span| span.scaled(1)));
            if self.ii == 0 {
                self.post_less(end.clone(), self.horizon - own)?;
            }
            let Some(length) = self.length else { continue };
            if let Some(first) = first {
                let mut begin = self.time(op, -1);
                begin.push(first.scaled(1));
                end.push(first.scaled(-1));
                self.post_less(begin, 0)?;
            }
            end.push(length.scaled(-1));
            self.post_less(end, -own)?;
        }
        Ok(())
    }

    /// The start of an operation, times `sign`.
    fn time(&self, op: usize, sign: i32) -> Vec<Term> {
        let Start { turn, phase } = self.start[op];
        let turn = turn.map(|turn| turn.scaled(sign * self.ii as i32));
        turn.into_iter().chain([phase.scaled(sign)]).collect()
    }
}

/// Turns the times of a solution into a schedule that begins at cycle 0, with the fewest versions. `None` if a buffer
/// needs more versions than it may have.
pub(crate) fn finish(problem: &Problem, ii: u64, start: &[i64], chosen: Vec<u32>) -> Option<Schedule> {
    let first = start.iter().min().copied().unwrap_or(0);
    let latency = |op: usize| problem.operations[op].alternatives[chosen[op] as usize].latency as i64;
    let cyclic = problem.kind == Kind::Cyclic;
    let mut versions = Vec::with_capacity(problem.buffers.len());
    for buffer in &problem.buffers {
        let mut needed = 1;
        for reader in buffer.readers.iter().map(|r| r.index()).filter(|_| cyclic) {
            for writer in buffer.writers.iter().map(|w| w.index()) {
                let live = start[reader] + latency(reader) - start[writer];
                needed = needed.max((live + ii as i64 - 1).div_euclid(ii.max(1) as i64));
            }
        }
        let most = buffer.max_versions.unwrap_or(MAX_DISTANCE).min(MAX_DISTANCE);
        versions.push(u32::try_from(needed).ok().filter(|&needed| needed <= most)?);
    }
    Some(Schedule {
        ii: ii.max(1),
        start: start.iter().map(|at| (at - first) as u64).collect(),
        chosen,
        versions,
    })
}

/// Per space, whether the most versions of all its buffers are more than it holds.
fn crowded_spaces(problem: &Problem) -> Vec<bool> {
    let mut needed = vec![0u128; problem.spaces.len()];
    for buffer in &problem.buffers {
        if let Some(space) = buffer.space {
            let versions = buffer.max_versions.unwrap_or(MAX_DISTANCE);
            needed[space.index()] += u128::from(versions) * u128::from(buffer.bytes);
        }
    }
    problem
        .spaces
        .iter()
        .zip(needed)
        .map(|(space, needed)| needed > u128::from(space.bytes))
        .collect()
}

/// The largest number of cycles that divides all times of the problem, and the interval. Rounding all starts down to a
/// multiple of it keeps a solution one.
fn unit(problem: &Problem, ii: Option<u64>) -> i64 {
    let mut unit = ii.unwrap_or(0);
    for alternative in problem.operations.iter().flat_map(|o| &o.alternatives) {
        unit = gcd(unit, alternative.latency);
        for used in &alternative.uses {
            unit = gcd(gcd(unit, used.cycles), used.offset);
        }
    }
    for latency in problem.dependences.iter().filter_map(|d| d.latency) {
        unit = gcd(unit, latency.unsigned_abs());
    }
    unit.max(1) as i64
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A number of turns that the earliest solution for any phases does not exceed: whatever they are, a dependence asks for
/// at most `ceil((latency + II - 1) / II) - distance` turns.
fn most_turns(problem: &Problem, ii: i64, unit: i64) -> i64 {
    let latency: Vec<i64> = longest_latencies(problem)
        .iter()
        .map(|latency| latency / unit)
        .collect();
    // Where bytes are short, a ring may get fewer versions than its most.
    let crowded = crowded_spaces(problem);
    let fewest = |b: &crate::Buffer| match b.space {
        Some(space) if crowded[space.index()] => Some(1),
        _ => b.max_versions,
    };
    let versions: Vec<Option<u32>> = problem.buffers.iter().map(fewest).collect();
    let edges: Vec<Edge> = Graph::new(problem, &versions)
        .arcs
        .iter()
        .map(|arc| {
            let latency = arc.latency.map_or(latency[arc.from], |latency| latency / unit);
            Edge {
                from: arc.from,
                to: arc.to,
                latency: (latency + 2 * ii - 2).div_euclid(ii) - arc.distance,
                distance: 0,
            }
        })
        .filter(|edge| edge.from != edge.to)
        .collect();
    let chain = earliest(&vec![0; latency.len()], &edges, 0).and_then(|starts| starts.into_iter().max());
    chain.unwrap_or_else(|| {
        let mut most = vec![0; latency.len()];
        for edge in &edges {
            most[edge.from] = edge.latency.max(most[edge.from]);
        }
        most.iter().sum()
    })
}

fn longest_latencies(problem: &Problem) -> Vec<i64> {
    let longest = |o: &crate::Operation| o.alternatives.iter().map(|a| a.latency as i64).max().unwrap_or(0);
    problem.operations.iter().map(longest).collect()
}
