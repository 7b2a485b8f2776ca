//! The variables of the model: times, choices of alternatives, versions, and the objective.

use pumpkin_constraints::clause;
use pumpkin_core::predicate;
use pumpkin_core::variables::{DomainId, TransformableVariable};

use super::size::gcd;
use super::{Answer, Bytes, Goal, MOST, Model, Start, Term};
use crate::exact::least_versions;
use crate::schedule::crowded_spaces;
use crate::{Alternative, MAX_DISTANCE};

impl Model<'_> {
    pub(super) fn add_operations(&mut self) {
        let anchor = self.anchor();
        for (index, operation) in self.problem.operations.iter().enumerate() {
            let start = if self.ii > 0 {
                let last = if Some(index) == anchor { 0 } else { self.ii - 1 };
                Start {
                    stage: Some(self.solver.new_bounded_integer(0, (self.horizon / self.ii - 1) as i32)),
                    phase: self.solver.new_bounded_integer(0, last as i32),
                }
            } else {
                Start {
                    stage: None,
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

    pub(super) fn add_objective(&mut self, goal: Goal) {
        let tight = crowded_spaces(self.problem);
        let smaller = goal != Goal::Any;
        let counts_bytes = self.ii > 0 && goal == Goal::Smaller { bytes: true };
        let least = if counts_bytes {
            least_versions(self.problem, (self.ii * self.unit) as u64)
        } else {
            vec![1; self.problem.buffers.len()]
        };
        let mut most_of = vec![];
        for (buffer, least) in self.problem.buffers.iter().zip(least) {
            let matters = self.ii > 0 && (smaller || buffer.space.is_some_and(|s| tight[s.index()]));
            let most = buffer.max_versions.unwrap_or(MAX_DISTANCE).min(MAX_DISTANCE);
            let most = i64::from(most).min(if self.ii > 0 {
                (self.horizon + self.longest) / self.ii + 2
            } else {
                1
            });
            // Of an interval that is too short for the dependences, the least may be above the most.
            let least = i64::from(least).min(most);
            self.versions
                .push(matters.then(|| self.solver.new_bounded_integer(least as i32, most as i32)));
            most_of.push(most as u64);
        }
        if counts_bytes {
            self.bytes = self.count_bytes(&most_of);
        }
        if smaller {
            self.length = Some(self.solver.new_bounded_integer(0, (self.horizon + self.longest) as i32));
            self.total = Some(self.solver.new_bounded_integer(0, 1 << 24));
        }
    }

    /// The variable for the bytes of all versions, of which each buffer has at most so many; `None` if the sum is too
    /// large.
    fn count_bytes(&mut self, most_of: &[u64]) -> Option<Bytes> {
        let sizes = || self.problem.buffers.iter().map(|buffer| buffer.bytes);
        let unit = sizes().fold(0, gcd).max(1);
        let each = sizes().zip(most_of);
        let most: u128 = each
            .map(|(bytes, &most)| u128::from(bytes / unit) * u128::from(most))
            .sum();
        (most <= 4 * MOST as u128).then(|| Bytes {
            sum: self.solver.new_bounded_integer(0, most as i32),
            unit,
        })
    }

    pub(super) fn post_choices(&mut self) -> Result<(), Answer> {
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

    pub(super) fn post_length(&mut self) -> Result<(), Answer> {
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
    pub(super) fn time(&self, op: usize, sign: i32) -> Vec<Term> {
        let Start { stage, phase } = self.start[op];
        let stage = stage.map(|stage| stage.scaled(sign * self.ii as i32));
        stage.into_iter().chain([phase.scaled(sign)]).collect()
    }
}
