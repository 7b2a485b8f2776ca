//! Resources: uses that never meet where they are too much together.

use pumpkin_constraints::{clause, cumulative, equals, less_than_or_equals};
use pumpkin_core::variables::{Literal, TransformableVariable};

use super::{Answer, MOST, Model, Term};

/// Uses of one resource up to which each pair gets its own literal.
const MOST_PAIRED: usize = 120;

/// A use of a resource, if its operation takes that alternative.
pub(super) struct Task {
    op: usize,
    alternative: usize,
    amount: i64,
    cycles: i64,
    phase: Term,
    present: Option<Literal>,
}

impl Model<'_> {
    pub(super) fn add_tasks(&mut self) -> Result<Vec<(i64, Vec<Task>)>, Answer> {
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
                            // A use of several whole intervals is rare; a task for each is equivalent.
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
            return Err(if impossible { Answer::None } else { Answer::TooLarge });
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

    pub(super) fn post_resources(&mut self, tasks: &[(i64, Vec<Task>)]) -> Result<(), Answer> {
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
        // A use of an alternative that is not chosen goes to a time of its own.
        let mut far = (2 * self.horizon.max(self.ii)) as i32;
        for task in tasks.iter().filter(|task| task.amount <= room) {
            let mut phase = task.phase;
            if let Some(present) = task.present {
                far += 3 * (self.ii.max(task.cycles) as i32);
                if i64::from(far) > MOST * 2 {
                    return Err(Answer::TooLarge);
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
}
