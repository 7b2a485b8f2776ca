//! Commands that do the same in several iterations of the loop around an innermost one.
//!
//! A compiler may let such iterations run side by side, and then one command does for all of them: the load of a tile
//! that all of them read, and whatever is computed of it alone.
//!
//! A command is *alike* if its sizes and places do not depend on the iteration of the outer loop, if it writes buffers
//! of the inner loop's own that commands alike alone write, and if it reads of buffers that the outer iteration makes
//! only such. Nobody asks here whether the iterations may run side by side: a bound counts on it wherever it could be.

use std::collections::BTreeSet;

use crate::expr::{Expr, ValueId};
use crate::nest::{BufferId, Command, CommandId, Nest, Operand, Step, Storage};
use crate::same;
use crate::side_by_side::{FACTORS, MOST_COMMANDS, MOST_WRITTEN_OUT};

/// A loop around one innermost loop, and what does not depend on its iteration.
pub(crate) struct Around<'n> {
    pub(crate) lower: &'n Expr,
    pub(crate) upper: &'n Expr,
    pub(crate) step: &'n Expr,
    pub(crate) body: &'n [Step],
    /// Position of the inner loop in the body.
    pub(crate) inner: usize,
    /// Values that depend on its iteration.
    pub(crate) varying: BTreeSet<ValueId>,
    /// Buffers that it allocates, in the inner loop or beside it.
    pub(crate) own: BTreeSet<BufferId>,
    /// Commands that do the same in each of its iterations.
    pub(crate) commands: BTreeSet<CommandId>,
    /// Buffers that only these fill.
    pub(crate) buffers: BTreeSet<BufferId>,
}

impl<'n> Around<'n> {
    /// A loop around one innermost loop with commands; none if there is another loop in it.
    pub(crate) fn of(nest: &'n Nest, step: &'n Step) -> Option<Self> {
        let Step::Loop {
            value,
            lower,
            upper,
            step,
            body,
        } = step
        else {
            return None;
        };
        let mut with_loops = (0..body.len()).filter(|at| holds(&body[*at..=*at], &|step| is_loop(step)));
        let inner = with_loops.next().filter(|_| with_loops.next().is_none())?;
        let inside = body_of(&body[inner])?;
        if holds(inside, &is_loop) || !holds(inside, &|step| matches!(step, Step::Command(_))) {
            return None;
        }
        let mut around = Self {
            lower,
            upper,
            step,
            body,
            inner,
            varying: [*value].into_iter().collect(),
            own: allocated(body),
            commands: BTreeSet::new(),
            buffers: allocated(inside),
        };
        around.note_varying(body);
        around.find_alike(nest, inside);
        Some(around)
    }

    /// The number of its iterations, if all runs of it have the same.
    pub(crate) fn iterations(&self) -> Option<i64> {
        iterations(self.lower, self.upper, self.step)
    }

    /// The number of iterations of the inner loop, if all runs of it have the same.
    fn inner_iterations(&self) -> Option<i64> {
        match &self.body[self.inner] {
            Step::Loop { lower, upper, step, .. } => iterations(lower, upper, step),
            _ => None,
        }
    }

    /// True if nothing but what the iterations touch keeps so many of them from running side by side.
    pub(crate) fn may(&self, factor: u32, nest: &Nest) -> bool {
        let commands = i64::try_from(commands_in(self.body_of_inner()).len()).unwrap_or(i64::MAX);
        let runs = self.iterations().zip(self.inner_iterations());
        let all = runs.map(|(outer, inner)| outer.saturating_mul(inner).saturating_mul(commands));
        let copies = usize::try_from(factor).unwrap_or(usize::MAX);
        nest.commands.len().saturating_mul(copies) <= MOST_COMMANDS
            && all.is_none_or(|all| all > MOST_WRITTEN_OUT)
            && self
                .iterations()
                .is_none_or(|iterations| iterations % i64::from(factor) == 0)
            && !self.may_overlap(nest)
    }

    pub(crate) fn body_of_inner(&self) -> &'n [Step] {
        body_of(&self.body[self.inner]).unwrap_or_default()
    }

    /// True if a memory from outside is written in it that may be one with another one.
    fn may_overlap(&self, nest: &Nest) -> bool {
        let (mut written, mut used) = (BTreeSet::new(), BTreeSet::new());
        for command in commands_in(self.body).into_iter().map(|id| &nest.commands[id.0]) {
            written.extend(externals(&command.writes));
            used.extend(externals(&command.reads).chain(externals(&command.writes)));
        }
        let clash = |one: &usize, other: &usize| written.contains(one) && used.contains(other);
        let mut pairs = nest.overlapping.iter();
        pairs.any(|(one, other)| clash(one, other) || clash(other, one))
    }

    fn note_varying(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Set { value, expr } => {
                    if self.varies(expr) {
                        self.varying.insert(*value);
                    }
                }
                Step::Loop {
                    value,
                    lower,
                    upper,
                    step,
                    body,
                } => {
                    if [lower, upper, step].into_iter().any(|bound| self.varies(bound)) {
                        self.varying.insert(*value);
                    }
                    self.note_varying(body);
                }
                Step::Branch { then, otherwise, .. } => {
                    self.note_varying(then);
                    self.note_varying(otherwise);
                }
                Step::Allocate(_) | Step::Command(_) | Step::Access => {}
            }
        }
    }

    /// True if an expression depends on the iteration.
    pub(crate) fn varies(&self, expr: &Expr) -> bool {
        expr.any_value(&|value| self.varying.contains(&value))
    }

    /// Takes all buffers of the inner loop as filled alike, and leaves out those that are not, until none is left over.
    fn find_alike(&mut self, nest: &Nest, inside: &[Step]) {
        let all = commands_in(inside);
        loop {
            let is_alike = |id: &CommandId| under_no_condition(inside, *id) && self.is_alike(&nest.commands[id.0]);
            let others = all.iter().filter(|id| !is_alike(id));
            let spoilt: Vec<BufferId> = others
                .flat_map(|id| buffers(&nest.commands[id.0].writes))
                .filter(|buffer| self.buffers.contains(buffer))
                .collect();
            if spoilt.is_empty() {
                self.commands = all.iter().copied().filter(is_alike).collect();
                return;
            }
            for buffer in spoilt {
                self.buffers.remove(&buffer);
            }
        }
    }

    fn is_alike(&self, command: &Command) -> bool {
        let same_place = |operand: &Operand| operand.offsets.iter().all(|offset| !self.varies(offset));
        let is_ours = |buffer: BufferId| self.buffers.contains(&buffer);
        let from_outside = |storage: Storage| match storage {
            Storage::Buffer(buffer) => is_ours(buffer) || !self.own.contains(&buffer),
            Storage::External(_) => true,
        };
        let written = |storage: Storage| matches!(storage, Storage::Buffer(buffer) if is_ours(buffer));
        let reads = |write: &Operand| command.reads.iter().any(|read| read.storage == write.storage);
        command.sizes.iter().all(|size| !self.varies(size))
            && !command.writes.is_empty()
            && !command.writes.iter().any(reads)
            && command
                .reads
                .iter()
                .all(|read| same_place(read) && from_outside(read.storage))
            && command
                .writes
                .iter()
                .all(|write| same_place(write) && written(write.storage))
    }
}

/// For each command, the most instances of which one may do the work.
///
/// All loops of a function get as many iterations side by side as one of them wants, and then all buffers of a body
/// that are filled alike become one: those of several iterations, and those of one.
pub(crate) fn most_as_one(nest: &Nest) -> Vec<u32> {
    let mut most = vec![1; nest.commands.len()];
    let all = if nest.side_by_side { all(nest) } else { Vec::new() };
    let may = |factor: &u32| all.iter().any(|around| around.may(*factor, nest));
    let Some(factor) = FACTORS.into_iter().rev().find(may) else {
        return most;
    };
    for around in all.iter().filter(|around| !around.may_overlap(nest)) {
        for (command, same) in same::fills(around, nest) {
            let iterations = if around.commands.contains(&command) { factor } else { 1 };
            most[command.0] = iterations.saturating_mul(same);
        }
    }
    most
}

/// All loops around one innermost loop.
fn all(nest: &Nest) -> Vec<Around<'_>> {
    let mut all = Vec::new();
    let mut open = vec![nest.body.as_slice()];
    while let Some(steps) = open.pop() {
        for step in steps {
            match step {
                Step::Loop { body, .. } => match Around::of(nest, step) {
                    Some(around) => all.push(around),
                    None => open.push(body),
                },
                Step::Branch { then, otherwise, .. } => open.extend([then.as_slice(), otherwise.as_slice()]),
                _ => {}
            }
        }
    }
    all
}

/// The number of iterations of a loop whose bounds are constants.
pub(crate) fn iterations(lower: &Expr, upper: &Expr, step: &Expr) -> Option<i64> {
    let numbers = crate::nest::trips(lower, upper, step, &[]).ok()?;
    i64::try_from(numbers.len()).ok()
}

fn is_loop(step: &Step) -> bool {
    matches!(step, Step::Loop { .. })
}

fn body_of(step: &Step) -> Option<&[Step]> {
    match step {
        Step::Loop { body, .. } => Some(body),
        _ => None,
    }
}

/// True if a step, or one inside of it, is of some kind.
fn holds(steps: &[Step], is: &dyn Fn(&Step) -> bool) -> bool {
    steps.iter().any(|step| {
        is(step)
            || match step {
                Step::Loop { body, .. } => holds(body, is),
                Step::Branch { then, otherwise, .. } => holds(then, is) || holds(otherwise, is),
                _ => false,
            }
    })
}

/// Buffers that are allocated in steps, at any depth.
pub(crate) fn allocated(steps: &[Step]) -> BTreeSet<BufferId> {
    let mut buffers = BTreeSet::new();
    each(steps, &mut |step| {
        if let Step::Allocate(buffer) = step {
            buffers.insert(*buffer);
        }
    });
    buffers
}

/// Commands in steps, at any depth.
pub(crate) fn commands_in(steps: &[Step]) -> Vec<CommandId> {
    let mut commands = Vec::new();
    each(steps, &mut |step| {
        if let Step::Command(command) = step {
            commands.push(*command);
        }
    });
    commands
}

fn under_no_condition(steps: &[Step], command: CommandId) -> bool {
    steps
        .iter()
        .any(|step| matches!(step, Step::Command(own) if *own == command))
}

fn each<'n>(steps: &'n [Step], visit: &mut impl FnMut(&'n Step)) {
    for step in steps {
        visit(step);
        match step {
            Step::Loop { body, .. } => each(body, visit),
            Step::Branch { then, otherwise, .. } => {
                each(then, visit);
                each(otherwise, visit);
            }
            _ => {}
        }
    }
}

fn externals(operands: &[Operand]) -> impl Iterator<Item = usize> {
    operands.iter().filter_map(|operand| match operand.storage {
        Storage::External(at) => Some(at),
        Storage::Buffer(_) => None,
    })
}

pub(crate) fn buffers(operands: &[Operand]) -> impl Iterator<Item = BufferId> {
    operands.iter().filter_map(|operand| match operand.storage {
        Storage::Buffer(buffer) => Some(buffer),
        Storage::External(_) => None,
    })
}
