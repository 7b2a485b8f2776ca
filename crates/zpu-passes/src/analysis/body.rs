//! A loop body as the passes see it: units that have an order, and everything else that floats along.

use std::collections::HashSet;

use zpu_ir::scf::{For, is_loop};
use zpu_ir::{Op, Value, ty};

use super::access::{Access, accesses};
pub(crate) use super::command::{command_of, holds_commands, is_asynchronous, sync_engine};
use super::region::region_of;

/// Why a loop is left as it is.
#[derive(Clone, Debug)]
pub(crate) struct Decline<'c> {
    /// In one kebab-case word, for programs.
    pub(crate) reason: &'static str,
    /// In words.
    pub(crate) message: String,
    /// The operation that is in the way.
    pub(crate) at: Op<'c>,
}

impl<'c> Decline<'c> {
    /// A reason.
    pub(crate) fn new(reason: &'static str, at: Op<'c>, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            at,
        }
    }
}

/// What executes a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// An engine, by name.
    Engine(String),
    /// The control stream itself.
    Control,
}

/// An operation whose order against others matters: a command, or an access by the control stream. Either may be under
/// conditions: then the operation is the guard around it (see [`command_of`]).
#[derive(Clone, Debug)]
pub(crate) struct Unit<'c> {
    /// The operation.
    pub(crate) op: Op<'c>,
    /// What executes it.
    pub(crate) place: Place,
    /// What it reads and writes; under a guard, nothing of it certainly.
    pub(crate) accesses: Vec<Access<'c>>,
    /// Values of other units that it needs, directly or through pure operations, as positions in the unit list.
    pub(crate) operands: Vec<usize>,
}

/// The body of an innermost loop.
#[derive(Clone, Debug)]
pub(crate) struct Body<'c> {
    /// The loop.
    pub(crate) for_: For<'c>,
    /// Units in program order.
    pub(crate) units: Vec<Unit<'c>>,
    /// Allocations in the body.
    pub(crate) allocations: Vec<Op<'c>>,
}

/// Innermost `scf.for` loops inside `function` that hold commands, in program order.
pub(crate) fn command_loops<'c>(function: Op<'c>) -> Vec<For<'c>> {
    let has_commands = |for_: &For<'c>| {
        for_.body
            .ops()
            .any(|op| op.name().starts_with("zpu.") || op.is("scf.if") && holds_commands(op))
    };
    function
        .walk()
        .into_iter()
        .filter_map(For::of)
        .filter(|for_| for_.is_innermost() && has_commands(for_))
        .collect()
}

/// Loops with commands inside that are none of [`command_loops`], each with the reason why nobody plans it, in program order.
pub(crate) fn unplanned_loops<'c>(function: Op<'c>) -> Vec<Decline<'c>> {
    let planned = command_loops(function);
    let has_commands = |op: &Op<'c>| holds_commands(*op);
    let reason = |op: Op<'c>| match For::of(op) {
        Some(for_) if planned.iter().any(|planned| planned.op == op) || !has_commands(&for_.op) => None,
        Some(for_) if !for_.is_innermost() => Some(Decline::new(
            "inner-loop",
            op,
            "only innermost loops are planned, and there is another one in this one",
        )),
        Some(for_) => for_.ops().into_iter().find(has_commands).map(control_flow),
        None if has_commands(&op) => {
            let message = format!("only scf.for is planned, this is {}", op.name());
            Some(Decline::new("no-counted-loop", op, message))
        }
        None => None,
    };
    function
        .walk()
        .into_iter()
        .filter(|op| is_loop(*op))
        .filter_map(reason)
        .collect()
}

/// Whether what the control stream does itself is one unit: an access, or a conditional around accesses.
fn check_control<'c>(op: Op<'c>) -> Result<(), Decline<'c>> {
    if op.regions().is_empty() || op.name().starts_with("linalg.") {
        return Ok(());
    }
    if !op.is("scf.if") {
        return Err(control_flow(op));
    }
    if !holds_commands(op) {
        return Ok(());
    }
    Err(if op.num_results() > 0 {
        let message =
            "a conditional with results holds commands; let it hold them without, and choose its values apart";
        Decline::new("guard-with-results", op, message)
    } else {
        let message = "a conditional holds several commands; zpu-split-guards makes one of each, where none uses values of another";
        Decline::new("several-commands", op, message)
    })
}

/// What is said of control flow in the body of a loop.
fn control_flow(op: Op<'_>) -> Decline<'_> {
    let message = format!("the body holds control flow ({}) around accesses to memory", op.name());
    Decline::new("control-flow", op, message)
}

impl<'c> Body<'c> {
    /// Takes a loop body apart, or says why that cannot be done.
    pub(crate) fn of(for_: For<'c>) -> Result<Self, Decline<'c>> {
        if !for_.iter_args().is_empty() {
            return Err(Decline::new("iter-args", for_.op, "the loop carries values"));
        }
        if for_.is_unsigned() {
            return Err(Decline::new(
                "unsigned-bounds",
                for_.op,
                "the loop compares its bounds as unsigned numbers",
            ));
        }
        let mut body = Self {
            for_,
            units: Vec::new(),
            allocations: Vec::new(),
        };
        for op in for_.ops() {
            if let Some(inner) = op.walk().into_iter().find(|inner| is_asynchronous(*inner)) {
                return Err(Decline::new(
                    "asynchronous-body",
                    inner,
                    "the body already starts or waits for commands",
                ));
            }
            match op.name() {
                "memref.alloc" | "memref.alloca" => body.allocations.push(op),
                "memref.dealloc" if region_of(op.operand(0)).base.parent_block() == Some(for_.body) => {}
                _ if op.is_memory_effect_free() => {}
                _ => body.push(op)?,
            }
        }
        body.link_operands();
        Ok(body)
    }

    fn push(&mut self, op: Op<'c>) -> Result<(), Decline<'c>> {
        let command = command_of(op);
        if command.is_none() {
            check_control(op)?;
        }
        let Some(accesses) = accesses(op) else {
            return Err(Decline::new(
                "unknown-effects",
                op,
                format!("the effects of {} are not known", op.name()),
            ));
        };
        let place = command.map_or(Place::Control, |command| Place::Engine(command.engine.to_owned()));
        self.units.push(Unit {
            op,
            place,
            accesses,
            operands: Vec::new(),
        });
        Ok(())
    }

    /// Finds out which units need results of which.
    fn link_operands(&mut self) {
        let results: Vec<(Value<'c>, usize)> = self
            .units
            .iter()
            .enumerate()
            .flat_map(|(i, unit)| unit.op.results().into_iter().map(move |v| (v, i)))
            .collect();
        if results.is_empty() {
            return;
        }
        let unit_of = |value: Value<'c>| results.iter().find(|(result, _)| *result == value).map(|(_, i)| *i);
        for i in 0..self.units.len() {
            let mut needed = Vec::new();
            let mut seen = HashSet::new();
            let mut open = used_values(self.units[i].op);
            while let Some(value) = open.pop() {
                if !seen.insert(value) {
                    continue;
                }
                if let Some(unit) = unit_of(value) {
                    needed.push(unit);
                } else if let Some(op) = value.defining_op().filter(|op| op.block() == Some(self.for_.body)) {
                    open.extend(used_values(op));
                }
            }
            needed.sort_unstable();
            needed.dedup();
            needed.retain(|unit| *unit != i);
            self.units[i].operands = needed;
        }
    }
}

/// Values from outside that an operation, with what it holds, uses.
pub(crate) fn used_values<'c>(op: Op<'c>) -> Vec<Value<'c>> {
    let mut values = Vec::new();
    for inner in op.walk() {
        values.extend(
            inner
                .operands()
                .into_iter()
                .filter(|value| !value.is_defined_inside(op)),
        );
    }
    values
}

/// Whether anything but the loop's body and deallocations uses the buffer, through views or not. Also true when a use is
/// not understood.
pub(crate) fn is_used_outside<'c>(buffer: Value<'c>, for_: For<'c>) -> bool {
    let mut open = vec![buffer];
    while let Some(value) = open.pop() {
        for user in value.uses().into_iter().map(|u| u.op) {
            if user.is("memref.dealloc") {
                continue;
            }
            if !for_.op.contains(user) {
                return true;
            }
            open.extend(user.results().into_iter().filter(|result| ty::is_memref(result.ty())));
        }
    }
    false
}
