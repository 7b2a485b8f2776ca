//! A loop body as the passes see it: units, whose order matters, and pure operations, which follow their users.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use zpu_ir::ops::is_ours;
use zpu_ir::scf::{For, is_loop};
use zpu_ir::{Op, Value, ty};

use crate::access::{Access, accesses, fence_of};
pub use crate::command::{command_of, holds_commands, is_asynchronous, sync_engine};
use crate::region::region_of;

/// The reason why a loop is left as it is.
#[derive(Clone, Debug)]
pub struct Decline<'c> {
    /// The reason as one kebab-case word, for programs.
    pub reason: &'static str,
    /// The reason in words.
    pub message: String,
    /// The operation that is in the way.
    pub at: Op<'c>,
}

impl<'c> Decline<'c> {
    /// Declines because of the operation `at`.
    pub fn new(reason: &'static str, at: Op<'c>, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            at,
        }
    }
}

/// The executor of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// An engine, by name.
    Engine(String),
    /// The control stream itself.
    Control,
}

/// An operation whose order against others matters: a command, or an access by the control stream. Either may be under
/// conditions: then the operation is the guard around it (see [`command_of`]).
#[derive(Clone, Debug)]
pub struct Unit<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// Its executor.
    pub place: Place,
    /// Its reads and writes; under a guard, none of them is certain.
    pub accesses: Vec<Access<'c>>,
    /// Values that it needs of its own iteration, directly or through pure operations.
    pub needs: Needs,
}

/// Units and carried values of an iteration that are needed to compute a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Units whose results are needed, as positions in the unit list, ascending.
    pub units: Vec<usize>,
    /// Values that the loop carries, as positions in the list of them, ascending.
    pub carried: Vec<usize>,
}

/// A value that the loop hands from one iteration to the next.
#[derive(Clone, Debug)]
pub struct Carried<'c> {
    /// The block argument that stands for it in the body.
    pub arg: Value<'c>,
    /// Its value in the first iteration.
    pub init: Value<'c>,
    /// Its value in the next iteration.
    pub yielded: Value<'c>,
    /// The units and carried values that `yielded` is computed from.
    pub needs: Needs,
}

/// The body of an innermost loop.
#[derive(Clone, Debug)]
pub struct Body<'c> {
    /// The loop.
    pub for_: For<'c>,
    /// Units in program order.
    pub units: Vec<Unit<'c>>,
    /// Values that the loop carries.
    pub carried: Vec<Carried<'c>>,
    /// Allocations in the body.
    pub allocations: Vec<Op<'c>>,
}

/// Innermost `scf.for` loops inside `function` that hold commands, in program order.
pub fn command_loops<'c>(function: Op<'c>) -> Vec<For<'c>> {
    let has_commands = |for_: &For<'c>| {
        for_.body
            .ops()
            .any(|op| is_ours(op) || op.is("scf.if") && holds_commands(op))
    };
    function
        .walk()
        .into_iter()
        .filter_map(For::of)
        .filter(|for_| for_.is_innermost() && has_commands(for_))
        .collect()
}

/// Loops with commands inside that are none of [`command_loops`], each with the reason why it is not planned, in
/// program order.
pub fn unplanned_loops<'c>(function: Op<'c>) -> Vec<Decline<'c>> {
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
            let message = format!("only scf.for is planned, this is {}; {}", op.name(), remedy(op));
            Some(Decline::new("no-counted-loop", op, message))
        }
        None => None,
    };
    let ops = function.walk();
    let loops = ops.iter().copied().filter(|op| is_loop(*op)).filter_map(reason);
    let blocks = ops.iter().copied().filter_map(unstructured);
    loops.chain(blocks).collect()
}

/// The stock passes that make an `scf.for` of a loop, or advice on how to write it instead.
fn remedy(loop_: Op<'_>) -> &'static str {
    match loop_.name() {
        "affine.for" => "--lower-affine makes an scf.for of it",
        "affine.parallel" => "--lower-affine --scf-parallel-for-to-nested-fors make scf.for loops of it",
        "scf.forall" => "--scf-forall-to-for makes scf.for loops of it",
        "scf.parallel" => "--scf-parallel-for-to-nested-fors makes scf.for loops of it",
        _ => "where the number of iterations is known before the loop, write it as scf.for",
    }
}

/// Declines an operation whose blocks branch to each other around commands: they may form loops, which are not
/// followed. Loops inside one block are loops like others.
pub fn unstructured(op: Op<'_>) -> Option<Decline<'_>> {
    let mut regions = op.regions().into_iter().map(|region| region.blocks());
    let command = regions.find_map(|blocks| {
        let between = blocks.iter().flat_map(|block| block.ops()).filter(|op| !is_loop(*op));
        let mut commands = between.filter(|op| holds_commands(*op));
        commands.next().filter(|_| blocks.len() > 1)
    })?;
    let message = format!(
        "the blocks of {} branch to each other; what they hold stays in program order, write loops as scf.for",
        op.name()
    );
    Some(Decline::new("unstructured-control-flow", command, message))
}

const SEVERAL_COMMANDS: &str = "several-commands";

/// Checks that work of the control stream itself is one unit: an access, or a conditional around accesses.
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
        let message = "a conditional holds several commands; zpu-split-guards makes one of each";
        Decline::new(SEVERAL_COMMANDS, op, message)
    })
}

/// The reason why [`Body::of`] declines an innermost loop, whatever its buffers are. Several commands under one
/// condition are not in the way: `zpu-split-guards` makes one of each.
pub fn obstacle(for_: For<'_>) -> Option<Decline<'_>> {
    let mut body = Body::empty(for_);
    for_.ops().into_iter().find_map(|op| match body.add(op, false).err()? {
        decline if decline.reason == SEVERAL_COMMANDS => accesses(op).is_none().then(|| fence(op)),
        decline => Some(decline),
    })
}

/// Declines an operation whose accesses are not known.
fn fence(op: Op<'_>) -> Decline<'_> {
    let fence = fence_of(op);
    Decline::new(fence.reason, op, fence.message)
}

/// Declines control flow in the body of a loop.
fn control_flow(op: Op<'_>) -> Decline<'_> {
    let message = format!("the body holds control flow ({}) around accesses to memory", op.name());
    Decline::new("control-flow", op, message)
}

impl<'c> Body<'c> {
    /// Takes a loop body apart into units, or declines it.
    pub fn of(for_: For<'c>) -> Result<Self, Decline<'c>> {
        Self::with(for_, false)
    }

    /// Does the work of [`Body::of`] for a loop around others. Each inner loop, or the conditional around it, is one
    /// unit of the control stream; its accesses are those of all of its iterations.
    pub fn of_nest(for_: For<'c>) -> Result<Self, Decline<'c>> {
        Self::with(for_, true)
    }

    fn with(for_: For<'c>, has_inner_loops: bool) -> Result<Self, Decline<'c>> {
        let mut body = Self::empty(for_);
        for op in for_.ops() {
            body.add(op, has_inner_loops)?;
        }
        body.link();
        Ok(body)
    }

    fn empty(for_: For<'c>) -> Self {
        Self {
            for_,
            units: Vec::new(),
            carried: Vec::new(),
            allocations: Vec::new(),
        }
    }

    fn add(&mut self, op: Op<'c>, has_inner_loops: bool) -> Result<(), Decline<'c>> {
        if let Some(inner) = op.walk().into_iter().find(|inner| is_asynchronous(*inner)) {
            return Err(Decline::new(
                "asynchronous-body",
                inner,
                "the body already starts or waits for commands",
            ));
        }
        match op.name() {
            "memref.alloc" | "memref.alloca" => self.allocations.push(op),
            "memref.dealloc" if region_of(op.operand(0)).base.parent_block() == Some(self.for_.body) => {}
            _ if op.is_memory_effect_free() => {}
            "scf.for" | "scf.if" if has_inner_loops && op.walk().into_iter().any(is_loop) => self.push_loop(op)?,
            _ => self.push(op)?,
        }
        Ok(())
    }

    fn push(&mut self, op: Op<'c>) -> Result<(), Decline<'c>> {
        let command = command_of(op);
        if command.is_none() {
            check_control(op)?;
        }
        let accesses = accesses(op).ok_or_else(|| fence(op))?;
        let place = command.map_or(Place::Control, |command| Place::Engine(command.engine.to_owned()));
        self.units.push(Unit {
            op,
            place,
            accesses,
            needs: Needs::default(),
        });
        Ok(())
    }

    fn push_loop(&mut self, op: Op<'c>) -> Result<(), Decline<'c>> {
        let Some(accesses) = accesses(op) else {
            let message = "the effects of the inner loop are not known";
            return Err(Decline::new("unknown-effects", op, message));
        };
        self.units.push(Unit {
            op,
            place: Place::Control,
            accesses: accesses.iter().map(|access| access.outside(op)).collect(),
            needs: Needs::default(),
        });
        Ok(())
    }

    /// Finds the units and carried values that each unit and each carried value is computed from.
    fn link(&mut self) {
        let args = self.for_.iter_args();
        let sources = Sources {
            for_: self.for_,
            units: self.units.iter().map(|unit| unit.op).zip(0..).collect(),
            args: args.iter().copied().zip(0..).collect(),
        };
        for (i, unit) in self.units.iter_mut().enumerate() {
            unit.needs = sources.needs(used_values(unit.op));
            unit.needs.units.retain(|needed| *needed != i);
        }
        let carried = args.into_iter().zip(self.for_.inits()).zip(self.for_.yields());
        self.carried = carried
            .map(|((arg, init), yielded)| Carried {
                arg,
                init,
                yielded,
                needs: sources.needs(vec![yielded]),
            })
            .collect();
    }

    /// Dependences between units through values, as (maker, user, iterations between them); of each pair the smallest
    /// distance.
    pub fn value_dependences(&self) -> Vec<(usize, usize, u32)> {
        let mut all = Vec::new();
        for (user, unit) in self.units.iter().enumerate() {
            let mut found: BTreeMap<usize, u32> = unit.needs.units.iter().map(|maker| (*maker, 0)).collect();
            let mut seen = vec![false; self.carried.len()];
            let (mut open, mut distance) = (unit.needs.carried.clone(), 0);
            while !open.is_empty() {
                distance += 1;
                let mut next = Vec::new();
                for carried in open.into_iter().filter(|arg| !std::mem::replace(&mut seen[*arg], true)) {
                    let needs = &self.carried[carried].needs;
                    for maker in &needs.units {
                        found.entry(*maker).or_insert(distance);
                    }
                    next.extend(&needs.carried);
                }
                open = next;
            }
            all.extend(found.into_iter().map(|(maker, distance)| (maker, user, distance)));
        }
        all
    }
}

/// The origins of an iteration's values.
struct Sources<'c> {
    for_: For<'c>,
    units: HashMap<Op<'c>, usize>,
    args: HashMap<Value<'c>, usize>,
}

impl<'c> Sources<'c> {
    fn needs(&self, values: Vec<Value<'c>>) -> Needs {
        let (mut units, mut carried) = (BTreeSet::new(), BTreeSet::new());
        let mut seen = HashSet::new();
        let mut open = values;
        while let Some(value) = open.pop() {
            if !seen.insert(value) {
                continue;
            }
            if let Some(arg) = self.args.get(&value) {
                carried.insert(*arg);
                continue;
            }
            let Some(op) = value.defining_op().filter(|op| op.block() == Some(self.for_.body)) else {
                continue;
            };
            match self.units.get(&op) {
                Some(unit) => _ = units.insert(*unit),
                None => open.extend(used_values(op)),
            }
        }
        Needs {
            units: units.into_iter().collect(),
            carried: carried.into_iter().collect(),
        }
    }
}

/// Values from outside that an operation and the operations in it use.
pub fn used_values<'c>(op: Op<'c>) -> Vec<Value<'c>> {
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

/// True if anything but the loop's body and deallocations uses the buffer, through views or not; a view alone is no
/// use. Also true when a use is not understood.
pub fn is_used_outside<'c>(buffer: Value<'c>, for_: For<'c>) -> bool {
    let mut open = vec![buffer];
    while let Some(value) = open.pop() {
        for user in value.uses().into_iter().map(|u| u.op) {
            if user.is("memref.dealloc") {
                continue;
            }
            let is_view = || user.is_memory_effect_free() && user.regions().is_empty() && user.num_results() == 1;
            if !for_.op.contains(user) && !is_view() {
                return true;
            }
            open.extend(user.results().into_iter().filter(|result| ty::is_memref(result.ty())));
        }
    }
    false
}
