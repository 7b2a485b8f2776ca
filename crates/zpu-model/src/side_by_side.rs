//! A nest with several iterations of the loop around an innermost one side by side.
//!
//! The nest is written as a compiler would: what each copy of the outer iteration does before the inner loop, one inner
//! loop with the work of all copies, and what each does after it. Commands alike are there once (the module `alike`).
//! The compiler tries the same numbers within the same limits, which are here.

use rustc_hash::FxHashMap;

use crate::alike::{Around, commands_in};
use crate::expr::{Expr, ValueId};
use crate::nest::{BufferId, CommandId, Nest, Operand, Step, Storage};

/// Numbers of iterations that may run side by side.
pub const FACTORS: [u32; 3] = [2, 3, 4];

/// Commands of a function up to which they may, with all copies.
pub const MOST_COMMANDS: usize = 96;

/// Commands of a run up to which it is written out whole, so that there is no loop whose iterations run side by side.
pub const MOST_WRITTEN_OUT: i64 = 192;

/// The nest with so many iterations side by side wherever that is right; none where it is nowhere.
pub(crate) fn side_by_side(nest: &Nest, factor: u32) -> Option<Nest> {
    if !nest.side_by_side {
        return None;
    }
    let mut writer = Writer {
        made: Nest {
            side_by_side: false,
            body: Vec::new(),
            ..nest.clone()
        },
        nest,
        factor,
        is_done: false,
    };
    writer.made.body = writer.steps(&nest.body);
    writer.is_done.then_some(writer.made)
}

struct Writer<'n> {
    nest: &'n Nest,
    made: Nest,
    factor: u32,
    is_done: bool,
}

/// What a copy has in the places of the first one's.
#[derive(Default)]
struct Copy {
    values: FxHashMap<ValueId, ValueId>,
    buffers: FxHashMap<BufferId, BufferId>,
    commands: FxHashMap<CommandId, CommandId>,
}

impl Copy {
    fn value(&self, value: ValueId) -> ValueId {
        self.values.get(&value).copied().unwrap_or(value)
    }

    fn expr(&self, expr: &Expr) -> Expr {
        expr.renamed(&|value| self.value(value))
    }

    fn operand(&self, operand: &Operand) -> Operand {
        Operand {
            storage: match operand.storage {
                Storage::Buffer(buffer) => Storage::Buffer(self.buffers.get(&buffer).copied().unwrap_or(buffer)),
                external @ Storage::External(_) => external,
            },
            offsets: operand.offsets.iter().map(|offset| self.expr(offset)).collect(),
        }
    }

    /// Steps of the copy, without those that the first one does for all.
    fn steps(&self, steps: &[Step], around: &Around<'_>) -> Vec<Step> {
        let mut own = Vec::new();
        for step in steps {
            own.push(match step {
                Step::Set { value, expr } if self.values.contains_key(value) => Step::Set {
                    value: self.value(*value),
                    expr: self.expr(expr),
                },
                Step::Allocate(buffer) if around.buffers.contains(buffer) => continue,
                Step::Command(command) if around.commands.contains(command) => continue,
                Step::Allocate(buffer) => Step::Allocate(self.buffers.get(buffer).copied().unwrap_or(*buffer)),
                Step::Command(command) => Step::Command(self.commands.get(command).copied().unwrap_or(*command)),
                Step::Branch {
                    condition,
                    then,
                    otherwise,
                } => Step::Branch {
                    condition: self.expr(condition),
                    then: self.steps(then, around),
                    otherwise: self.steps(otherwise, around),
                },
                Step::Access => Step::Access,
                // What does not depend on the iteration is set once; and no loop is in a loop that is copied.
                Step::Set { .. } | Step::Loop { .. } => continue,
            });
        }
        own
    }
}

impl Writer<'_> {
    fn steps(&mut self, steps: &[Step]) -> Vec<Step> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    fn step(&mut self, step: &Step) -> Step {
        let (nest, factor) = (self.nest, self.factor);
        let around = Around::of(nest, step).filter(|around| is_right(around, nest, factor));
        if let Some(together) = around.and_then(|around| self.together(step, &around)) {
            self.is_done = true;
            return together;
        }
        match step {
            Step::Loop {
                value,
                lower,
                upper,
                step,
                body,
            } => Step::Loop {
                value: *value,
                lower: lower.clone(),
                upper: upper.clone(),
                step: step.clone(),
                body: self.steps(body),
            },
            Step::Branch {
                condition,
                then,
                otherwise,
            } => Step::Branch {
                condition: condition.clone(),
                then: self.steps(then),
                otherwise: self.steps(otherwise),
            },
            other => other.clone(),
        }
    }

    /// A loop with copies of its iterations side by side.
    fn together(&mut self, step: &Step, around: &Around<'_>) -> Option<Step> {
        let Step::Loop { value, .. } = step else { return None };
        let Step::Loop {
            value: inner_value,
            lower: inner_lower,
            upper: inner_upper,
            step: inner_step,
            body: inside,
        } = &around.body[around.inner]
        else {
            return None;
        };
        let copies: Vec<Copy> = (1..self.factor).map(|_| self.copy(around)).collect();
        let (before, after) = (&around.body[..around.inner], &around.body[around.inner + 1..]);
        let all = |first: &[Step]| {
            let others = copies.iter().flat_map(|copy| copy.steps(first, around));
            first.iter().cloned().chain(others).collect::<Vec<_>>()
        };
        let numbers = (1i64..).zip(&copies).map(|(number, copy)| Step::Set {
            value: copy.value(*value),
            expr: Expr::Add(
                Expr::Value(*value).into(),
                Expr::Multiply(around.step.clone().into(), Expr::Constant(number).into()).into(),
            ),
        });
        let inner = Step::Loop {
            value: *inner_value,
            lower: inner_lower.clone(),
            upper: inner_upper.clone(),
            step: inner_step.clone(),
            body: all(inside),
        };
        let body = numbers.chain(all(before)).chain([inner]).chain(all(after));
        Some(Step::Loop {
            value: *value,
            lower: around.lower.clone(),
            upper: around.upper.clone(),
            step: Expr::Multiply(
                around.step.clone().into(),
                Expr::Constant(i64::from(self.factor)).into(),
            ),
            body: body.collect(),
        })
    }

    /// New values, buffers and commands for whatever is not alike in another iteration.
    fn copy(&mut self, around: &Around<'_>) -> Copy {
        let mut copy = Copy::default();
        for value in &around.varying {
            copy.values.insert(*value, ValueId(self.made.values));
            self.made.values += 1;
        }
        for buffer in around.own.iter().filter(|buffer| !around.buffers.contains(buffer)) {
            copy.buffers.insert(*buffer, BufferId(self.made.buffers.len()));
            self.made.buffers.push(self.nest.buffers[buffer.0].clone());
        }
        for id in commands_in(around.body) {
            if around.commands.contains(&id) {
                continue;
            }
            let mut command = self.nest.commands[id.0].clone();
            for size in &mut command.sizes {
                *size = copy.expr(size);
            }
            for operand in command.reads.iter_mut().chain(&mut command.writes) {
                *operand = copy.operand(operand);
            }
            copy.commands.insert(id, CommandId(self.made.commands.len()));
            self.made.commands.push(command);
        }
        copy
    }
}

/// True if so many iterations of a loop may run side by side, and touch no memory in common, but to read it.
fn is_right(around: &Around<'_>, nest: &Nest, factor: u32) -> bool {
    let Step::Loop { lower, upper, step, .. } = &around.body[around.inner] else {
        return false;
    };
    around.iterations().is_some_and(|iterations| iterations > 0)
        && around.may(factor, nest)
        && ![lower, upper, step].into_iter().any(|bound| around.varies(bound))
        && are_apart(around, nest)
}

/// True if all parts of a memory that is written, other than the loop's own buffers, are at places that depend on the
/// iteration, and the same for all of its commands.
fn are_apart(around: &Around<'_>, nest: &Nest) -> bool {
    let commands: Vec<_> = commands_in(around.body)
        .into_iter()
        .map(|id| &nest.commands[id.0])
        .collect();
    let is_own = |storage: Storage| matches!(storage, Storage::Buffer(buffer) if around.own.contains(&buffer));
    let operands = || {
        let all = commands
            .iter()
            .flat_map(|command| command.reads.iter().chain(&command.writes));
        all.filter(|operand| !is_own(operand.storage))
    };
    let written = commands.iter().flat_map(|command| &command.writes);
    written.filter(|write| !is_own(write.storage)).all(|write| {
        write.offsets.iter().any(|offset| around.varies(offset))
            && operands()
                .filter(|operand| operand.storage == write.storage)
                .all(|operand| operand.offsets == write.offsets)
    })
}
