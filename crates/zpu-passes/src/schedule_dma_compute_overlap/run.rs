//! Runs: commands that follow each other, with the pure operations that they need.
//!
//! A run ends at an operation that nothing may be moved across: control flow, unknown effects, a deallocation (so that
//! no more memory is live at a time than before), the end of the block.

use std::collections::HashSet;

use zpu_device::Device;
use zpu_ir::ops::set_engine;
use zpu_ir::{Block, Op, Value, annotation, attr, edit};

use super::LONGEST_RUN;
use zpu_analysis::access::{Access, accesses};
use zpu_analysis::body::used_values;
use zpu_analysis::command::{Command, command_of, is_asynchronous};
use zpu_analysis::dependence::straight_line_conflicts;

/// An operation whose order matters.
pub(super) struct Unit<'c> {
    /// The operation.
    pub(super) op: Op<'c>,
    /// The command that it is, or that is under the guard that it is; none if the control stream carries it out.
    pub(super) command: Option<Command<'c>>,
    /// Its reads and writes.
    pub(super) accesses: Vec<Access<'c>>,
    /// Units whose results it needs, by position.
    operands: Vec<usize>,
}

/// A run of units in one block.
pub(super) struct Run<'c> {
    /// Units in program order; at least two.
    pub(super) units: Vec<Unit<'c>>,
    /// All operations of the run, in program order: the units, and operations that only compute values.
    ops: Vec<Op<'c>>,
    /// The operation right before it.
    pub(super) begin: Option<Op<'c>>,
    /// The operation right after it.
    pub(super) end: Op<'c>,
    /// The operations that the stream waits at after it, if only deallocations stand between it and the end of the
    /// function.
    pub(super) tail: Option<Vec<Ending<'c>>>,
}

/// A deallocation or the end of the function.
pub(super) enum Ending<'c> {
    /// A deallocation waits for commands that touch this memory.
    Frees(Vec<Access<'c>>),
    /// The return waits for everything.
    Returns,
}

impl<'c> Ending<'c> {
    /// True if it waits for a command with these accesses.
    pub(super) fn waits_for(&self, accesses: &[Access<'c>]) -> bool {
        match self {
            Self::Frees(own) => own
                .iter()
                .any(|own| accesses.iter().any(|access| access.conflicts(own))),
            Self::Returns => true,
        }
    }
}

impl<'c> Run<'c> {
    /// The runs of a block that hold more than one unit and a command.
    pub(super) fn all_of(block: Block<'c>) -> Vec<Self> {
        let mut runs = Vec::new();
        let (mut units, mut ops) = (Vec::new(), Vec::new());
        let mut begin = None;
        for op in block.ops() {
            let unit = (!is_value(op)).then(|| unit_of(op));
            let fence = matches!(unit, Some(None)) || units.len() == LONGEST_RUN;
            if fence && !ops.is_empty() {
                runs.push(Self {
                    units: std::mem::take(&mut units),
                    ops: std::mem::take(&mut ops),
                    begin,
                    end: op,
                    tail: tail(op),
                });
            }
            if fence {
                begin = Some(op);
            }
            match unit {
                None => ops.push(op),
                Some(Some(unit)) => {
                    units.push(unit);
                    ops.push(op);
                }
                Some(None) => {}
            }
        }
        runs.retain(|run| run.units.len() > 1 && run.units.iter().any(|unit| unit.command.is_some()));
        runs.iter_mut().for_each(Self::link_operands);
        runs
    }

    /// True if some command of it could run while another unit does.
    pub(super) fn may_overlap(&self, device: &Device) -> bool {
        let asynchronous = |name: &str| device.engine(name).is_some_and(|engine| !engine.blocking);
        let mut commands = self.units.iter().filter_map(|unit| unit.command.as_ref());
        commands.any(|command| asynchronous(command.engine))
    }

    /// True if all commands are to stay in their synchronous form.
    pub(super) fn is_synchronous(&self) -> bool {
        let mut commands = self.units.iter().filter_map(|unit| unit.command.as_ref());
        commands.all(|command| command.op.has_attr(annotation::SYNCHRONOUS))
    }

    /// Keeps the commands in their synchronous form.
    pub(super) fn keep_synchronous(&self) {
        for command in self.units.iter().filter_map(|unit| unit.command.as_ref()) {
            command
                .op
                .set_attr(annotation::SYNCHRONOUS, attr::unit(command.op.context()));
        }
    }

    /// Pairs of units that keep their order, earlier one first.
    pub(super) fn dependences(&self) -> Vec<(usize, usize)> {
        let accesses: Vec<Option<&[Access<'c>]>> = self.units.iter().map(|unit| Some(&unit.accesses[..])).collect();
        let mut ordered = straight_line_conflicts(&accesses);
        for (later, unit) in self.units.iter().enumerate() {
            ordered.extend(unit.operands.iter().map(|earlier| (later, *earlier)));
        }
        ordered.into_iter().map(|(later, earlier)| (earlier, later)).collect()
    }

    /// Puts the units in that order, each on its engine, and before each the operations that its operands are computed
    /// by.
    pub(super) fn rewrite(&self, order: &[usize], engines: &[Option<String>]) {
        let mut left: HashSet<Op<'c>> = self.ops.iter().copied().collect();
        let units = order.iter().map(|unit| self.units[*unit].op);
        for op in units.chain(self.ops.iter().copied()) {
            self.place(op, &mut left);
        }
        for (unit, engine) in self.units.iter().zip(engines) {
            if let Some(engine) = engine {
                set_engine(unit.op, engine);
            }
        }
    }

    /// Moves an operation after everything that was placed, and its operands before it. Does nothing if it has its
    /// place already.
    fn place(&self, op: Op<'c>, left: &mut HashSet<Op<'c>>) {
        // An explicit stack, because chains of arithmetic may be long. The flag says that the operands are placed.
        let mut open = vec![(op, false)];
        while let Some((op, ready)) = open.pop() {
            if ready {
                edit::move_before(op, self.end);
            } else if left.remove(&op) {
                open.push((op, true));
                let makers = used_values(op).into_iter().filter_map(|value| value.defining_op());
                open.extend(makers.map(|maker| (maker, false)));
            }
        }
    }

    fn link_operands(&mut self) {
        let positions: Vec<(Op<'c>, usize)> = self.units.iter().enumerate().map(|(i, unit)| (unit.op, i)).collect();
        if positions.iter().all(|(op, _)| op.num_results() == 0) {
            return;
        }
        let inside: HashSet<Op<'c>> = self.ops.iter().copied().collect();
        for i in 0..self.units.len() {
            let mut needed = Vec::new();
            let mut seen = HashSet::new();
            let mut open: Vec<Value<'c>> = used_values(self.units[i].op);
            while let Some(value) = open.pop() {
                let Some(maker) = value.defining_op().filter(|maker| inside.contains(maker)) else {
                    continue;
                };
                if !seen.insert(maker) {
                    continue;
                }
                match positions.iter().find(|(op, _)| *op == maker) {
                    Some((_, unit)) => needed.push(*unit),
                    None => open.extend(used_values(maker)),
                }
            }
            self.units[i].operands = needed;
        }
    }
}

/// The deallocations and the return from `op` to the end of the function; none if another operation with effects stands
/// between.
fn tail<'c>(op: Op<'c>) -> Option<Vec<Ending<'c>>> {
    if op.block()?.parent_op() != op.function() {
        return None;
    }
    let mut endings = Vec::new();
    let mut next = Some(op);
    while let Some(op) = next {
        next = op.next();
        match op.name() {
            "memref.dealloc" => endings.push(Ending::Frees(accesses(op)?)),
            _ if next.is_none() => endings.push(Ending::Returns),
            _ if is_value(op) => {}
            _ => return None,
        }
    }
    Some(endings)
}

/// True if the operation only makes values, so that it may move to where they are needed. So may an allocation, since a
/// run has no deallocation.
fn is_value(op: Op<'_>) -> bool {
    op.is("memref.alloc") || op.is_memory_effect_free() && op.regions().is_empty() && op.num_results() > 0
}

/// The operation as a unit; `None` if nothing may be moved across it.
fn unit_of<'c>(op: Op<'c>) -> Option<Unit<'c>> {
    let command = command_of(op);
    let closed = command.is_some() || op.regions().is_empty() || op.indexing_maps().is_some();
    if !closed || is_asynchronous(op) || op.is("memref.dealloc") || op.is("memref.alloca") || op.next().is_none() {
        return None;
    }
    Some(Unit {
        op,
        command,
        accesses: accesses(op)?,
        operands: Vec::new(),
    })
}
