//! Copies that meet a demand on a buffer in another memory.
//!
//! The copy stands before the operation that demands it. If the operation only reads and the buffer does not change in
//! the loops around it, the copy moves before them.

use zpu_device::Device;
use zpu_ir::ty::MemRef;
use zpu_ir::{Builder, Failed, Op, PassResult, Remark, RemarkKind, Value, edit, error, warning};

use super::PASS;
use super::assign::{Facts, Spaces, report_cut_off, report_unreachable, staging_space};
use super::buffers::Buffer;
use super::byte_buffers::dominates;
use super::demands::Demand;
use super::overlap;
use crate::{capacity, data_path};

/// A new buffer, filled from `value` before `anchor` and copied back after it.
pub(super) struct Stage<'c> {
    anchor: Op<'c>,
    value: Value<'c>,
    space: String,
    reads: bool,
    writes: bool,
    users: Vec<(Op<'c>, usize)>,
}

/// The copies that the demands need, in program order. A demand that no copy can meet is reported at its operation.
pub(super) fn plan<'c>(facts: &Facts<'c, '_>, spaces: &Spaces) -> Result<Vec<Stage<'c>>, Failed> {
    let mut stages: Vec<Stage<'c>> = Vec::new();
    let mut failed = report_cut_off(facts, spaces);
    for demand in &facts.demands {
        match spaces.of(demand.value, &facts.buffers) {
            None => Remark::new(demand.op, RemarkKind::Missed, PASS, "no-space")
                .message(format!("{}, but its buffer has no space", demand.describe()))
                .emit(),
            Some(space) if demand.allows(space) => {}
            Some(space) => match staging_space(demand, space, facts.device) {
                Some(target) => add(&mut stages, demand, target, facts),
                None => {
                    report_unreachable(demand, space, facts);
                    failed = true;
                }
            },
        }
    }
    for stage in &stages {
        failed |= stage.check_size(facts.device).is_err();
    }
    failed |= overlap::check(&stages, &facts.demands).is_err();
    if failed { Err(Failed) } else { Ok(stages) }
}

fn add<'c>(stages: &mut Vec<Stage<'c>>, demand: &Demand<'c, '_>, target: &str, facts: &Facts<'c, '_>) {
    let anchor = if demand.writes {
        demand.op
    } else {
        hoisted(demand, facts.buffers.buffer_of(demand.value))
    };
    let shared = stages.iter_mut().find(|stage| {
        stage.anchor == anchor
            && stage.value == demand.value
            && stage.space == target
            && (anchor == demand.op || !(stage.writes || demand.writes))
    });
    let user = (demand.op, demand.index);
    match shared {
        Some(stage) => {
            stage.reads |= demand.reads;
            stage.writes |= demand.writes;
            stage.users.push(user);
        }
        None => stages.push(Stage {
            anchor,
            value: demand.value,
            space: target.to_owned(),
            reads: demand.reads,
            writes: demand.writes,
            users: vec![user],
        }),
    }
}

/// The outermost loop around the operation, without a branch between, in which the operand does not change; else the
/// operation itself.
fn hoisted<'c>(demand: &Demand<'c, '_>, buffer: Option<&Buffer<'c>>) -> Op<'c> {
    let Some(buffer) = buffer.filter(|buffer| buffer.is_alone && !has_async_user(buffer)) else {
        return demand.op;
    };
    let stays = |parent: &Op<'c>| {
        matches!(parent.name(), "scf.for" | "affine.for")
            && dominates(demand.value, *parent)
            && is_only_read_in(*parent, buffer)
    };
    demand.op.parents().take_while(stays).last().unwrap_or(demand.op)
}

/// True if the buffer may be in use by a command that is still running: then a copy that is moved out of a loop could
/// come too early.
fn has_async_user(buffer: &Buffer<'_>) -> bool {
    let is_start = |op: Op<'_>| op.name().ends_with("_start");
    buffer
        .uses()
        .any(|(_, user)| is_start(user.op) || user.op.parent().is_some_and(is_start))
}

fn is_only_read_in<'c>(parent: Op<'c>, buffer: &Buffer<'c>) -> bool {
    buffer
        .uses()
        .filter(|(_, user)| parent.contains(user.op))
        .all(|(value, user)| {
            let reads = |effects: Vec<zpu_ir::Effect<'c>>| {
                let mut on_value = effects.iter().filter(|effect| effect.value.is_none_or(|v| v == value));
                on_value.all(|effect| effect.kind == zpu_ir::EffectKind::Read)
            };
            user.op.effects().is_some_and(reads)
        })
}

impl<'c> Stage<'c> {
    /// True if an operand of an operation is in this buffer.
    pub(super) fn serves(&self, op: Op<'c>, index: usize) -> bool {
        self.users.contains(&(op, index))
    }

    /// Checks that the memory has room for the buffer alone; if not, that is an error where it is certainly made.
    fn check_size(&self, device: &Device) -> PassResult {
        let (op, index) = self.users[0];
        let bytes = MemRef::of(self.value.ty()).and_then(|memref| u64::try_from(memref.bytes()?).ok());
        let Some((memory, bytes)) = device.memory(&self.space).zip(bytes) else {
            return Ok(());
        };
        let (capacity, name) = (memory.bytes, &memory.name);
        if bytes <= capacity {
            return Ok(());
        }
        let message = format!(
            "a copy of operand {index} needs {bytes} bytes of {name}, the device has {capacity}; {}",
            capacity::REMEDY
        );
        if capacity::is_executed(op) {
            error(op, &message, &[]);
            return Err(Failed);
        }
        warning(op, &message, &[]);
        Ok(())
    }
}

impl Stage<'_> {
    /// Inserts buffer and copies, and lets the operations use the buffer.
    pub(super) fn apply(&self) {
        let mut before = Builder::before(self.anchor).like(self.users[0].0);
        let buffer = data_path::alloc_like(&mut before, self.value, &self.space);
        if self.reads {
            data_path::copy(&mut before, self.value, buffer);
        }
        let mut after = Builder::after(self.anchor).like(self.users[0].0);
        if self.writes {
            data_path::copy(&mut after, buffer, self.value);
        }
        data_path::dealloc(&mut after, buffer);
        for (op, index) in &self.users {
            edit::set_operand(*op, *index, buffer);
        }
        Remark::new(self.anchor, RemarkKind::Passed, PASS, "staged")
            .message(format!(
                "an operand of {} is copied to {}",
                self.users[0].0.name(),
                self.space
            ))
            .emit();
    }
}
