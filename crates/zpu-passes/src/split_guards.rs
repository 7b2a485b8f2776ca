//! `zpu-split-guards`: gives each command that a loop body holds under a condition a conditional of its own.
//!
//! Assumes synchronous commands. In the body of an innermost loop, an `scf.if` without results that holds several
//! commands or accesses becomes one `scf.if` for each, in program order, with the same condition; those of the other
//! branch get the negated one. Then each command has a place of its own in a plan, and keeps its guard wherever it
//! goes:
//!
//! ```mlir
//! scf.if %p {
//!   %xs = memref.subview %x[%i] ...
//!   zpu.dma %xs to %a on @odma0 : ...
//!   zpu.compute on @vector { reads %a }
//! }
//! // becomes
//! scf.if %p {
//!   %xs = memref.subview %x[%i] ...
//!   zpu.dma %xs to %a on @odma0 : ...
//! }
//! scf.if %p {
//!   zpu.compute on @vector { reads %a }
//! }
//! ```
//!
//! The program means the same, since the condition is a value and does not change between them. Operations without
//! effects go with each of their users; they are not moved out of the conditional, where a view or a division might not
//! be defined. An allocation moves before the conditional and its deallocation after it, where also one deallocation of
//! a buffer stands that both branches free. An access whose result a command uses stays with that command. If several
//! commands use it, it gets a conditional of its own, which has the value as its result: where the condition does not
//! hold, it is poison, which is never read.

use std::collections::HashMap;

use zpu_ir::edit::{self, ValueMap};
use zpu_ir::options::SplitGuardsOptions;
use zpu_ir::{Attribute, Block, Builder, Op, PassResult, Remark, RemarkKind, Value, annotation, ty};

use zpu_analysis::body::{command_of, holds_commands, is_asynchronous, used_values};
use zpu_analysis::seeded;

const PASS: &str = "zpu-split-guards";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, _options: &SplitGuardsOptions) -> PassResult {
    let loops = function.walk().into_iter().filter_map(zpu_ir::scf::For::of);
    let innermost: Vec<_> = loops.filter(|for_| for_.is_innermost()).collect();
    for for_ in innermost {
        let is_guard = |op: &Op<'_>| op.is("scf.if") && holds_commands(*op);
        for branch in for_.ops().into_iter().filter(is_guard) {
            handle(branch);
        }
    }
    Ok(())
}

/// Splits a conditional with those in it, or reports why it stays.
fn handle(branch: Op<'_>) {
    let missed = |at: Op<'_>, reason: &'static str, message: &str| {
        Remark::new(at, RemarkKind::Missed, PASS, reason)
            .message(message)
            .emit();
    };
    let inside = branch.walk();
    if let Some(op) = inside.iter().find(|op| is_asynchronous(**op)) {
        missed(
            *op,
            "asynchronous-body",
            "the conditional already starts or waits for commands",
        );
        return;
    }
    let held = |op: &&Op<'_>| op.is("scf.if") && op.num_results() > 0 && holds_commands(**op);
    if let Some(op) = inside.iter().find(held) {
        missed(*op, "guard-with-results", "a conditional with results holds commands");
        return;
    }
    match split(branch) {
        Ok(guards) => {
            // The conditional itself is gone.
            if let Some(first) = guards.first() {
                Remark::new(*first, RemarkKind::Passed, PASS, "split")
                    .message(format!("{} conditionals", guards.len()))
                    .metric("Guards", guards.len())
                    .emit();
            }
        }
        Err(kept) => missed(kept.at, kept.reason, kept.message),
    }
}

/// The reason why a conditional stays whole.
struct Kept<'c> {
    at: Op<'c>,
    reason: &'static str,
    message: &'static str,
}

/// Splits a conditional and those in it. Returns the conditionals that stand in its place, none when it stays as it is
/// because there is nothing to split.
fn split<'c>(branch: Op<'c>) -> Result<Vec<Op<'c>>, Kept<'c>> {
    for inner in blocks(branch)
        .into_iter()
        .flat_map(|block| block.ops().collect::<Vec<_>>())
    {
        if inner.is("scf.if") && holds_commands(inner) {
            split(inner)?;
        }
    }
    lift_allocations(branch)?;
    let pieces: Vec<(usize, Vec<Op<'c>>)> = blocks(branch)
        .into_iter()
        .enumerate()
        .flat_map(|(side, block)| {
            let groups = groups(block).into_iter().flat_map(apart);
            groups.map(move |group| (side, group))
        })
        .collect();
    if let [(0, only)] = pieces.as_slice() {
        lift_schedule(branch, only);
        return Ok(Vec::new());
    }
    let mut guards = Vec::new();
    let mut builder = Builder::before(branch);
    let condition = branch.operand(0);
    let mut negated = None;
    let mut values = ValueMap::default();
    for (side, group) in &pieces {
        let condition = if seeded!(LostGuard) {
            builder.constant(condition.ty(), 1)
        } else if *side == 0 {
            condition
        } else {
            *negated.get_or_insert_with(|| not(&mut builder, condition))
        };
        let attrs: Vec<(&str, Attribute<'c>)> = branch.discardable_attrs();
        if let [op] = group.as_slice()
            && op.num_results() > 0
        {
            let types: Vec<_> = op.results().into_iter().map(Value::ty).collect();
            let guard = builder.op_with_regions("scf.if", &[condition], &types, &attrs, &[&[], &[]]);
            guards.push(guard);
            Piece { branch, guard }.compute(*op, &mut values);
        } else {
            let guard = builder.guard(condition, &attrs);
            guards.push(guard);
            Piece { branch, guard }.fill(group, &values);
        }
    }
    edit::erase(branch);
    Ok(guards)
}

/// The blocks of a conditional: the one for true first.
fn blocks(branch: Op<'_>) -> Vec<Block<'_>> {
    branch
        .regions()
        .into_iter()
        .filter_map(|region| region.first_block())
        .collect()
}

fn not<'c>(builder: &mut Builder<'c>, condition: Value<'c>) -> Value<'c> {
    let truth = builder.constant(condition.ty(), 1);
    builder.binary("arith.xori", condition, truth)
}

/// Groups of operations with effects, in program order, cut wherever no value passes from the operations before to
/// those after.
fn groups(block: Block<'_>) -> Vec<Vec<Op<'_>>> {
    let ops: Vec<Op<'_>> = block.ops().filter(|op| !op.is_memory_effect_free()).collect();
    let positions: HashMap<Op<'_>, usize> = ops.iter().enumerate().map(|(i, op)| (*op, i)).collect();
    // The first operation that each one takes values from.
    let first = |op: Op<'_>| {
        let mut first = usize::MAX;
        let mut open = used_values(op);
        while let Some(value) = open.pop() {
            let Some(maker) = value.defining_op().filter(|maker| maker.block() == Some(block)) else {
                continue;
            };
            match positions.get(&maker) {
                Some(position) => first = first.min(*position),
                None => open.extend(used_values(maker)),
            }
        }
        first
    };
    let mut groups: Vec<(usize, Vec<Op<'_>>)> = Vec::new();
    for (i, op) in ops.into_iter().enumerate() {
        let mut group = vec![op];
        let mut start = i;
        let needed = first(op);
        while let Some((from, _)) = groups.last().filter(|(from, before)| needed < from + before.len()) {
            start = *from;
            let (_, mut before) = groups.pop().expect("it is there");
            before.append(&mut group);
            group = before;
        }
        groups.push((start, group));
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Takes apart a group of several commands that have scalars in common, so that these can be handed on as values.
fn apart(group: Vec<Op<'_>>) -> Vec<Vec<Op<'_>>> {
    let commands = group.iter().filter(|op| holds_commands(**op)).count();
    let is_maker = |op: &Op<'_>| op.num_results() > 0;
    let hands_on = |op: &Op<'_>| {
        let mut results = op.results().into_iter();
        !holds_commands(*op) && results.all(|result| ty::scalar(result.ty()).is_some())
    };
    if commands < 2 || !group.iter().filter(|op| is_maker(op)).all(hands_on) {
        return vec![group];
    }
    group.into_iter().map(|op| vec![op]).collect()
}

/// Moves allocations in a conditional before it, and their deallocations after it. So does one deallocation of a buffer
/// that both branches free.
fn lift_allocations<'c>(branch: Op<'c>) -> Result<(), Kept<'c>> {
    for block in blocks(branch) {
        for op in block.ops().collect::<Vec<_>>() {
            if !matches!(op.name(), "memref.alloc" | "memref.alloca") {
                continue;
            }
            if op.operands().into_iter().any(|size| size.is_defined_inside(branch)) {
                return Err(Kept {
                    at: op,
                    reason: "variant-size",
                    message: "the buffer is allocated under the condition with a size that is computed there",
                });
            }
            let frees = op.result(0).uses().into_iter().map(|used| used.op);
            let frees = frees.filter(|user| user.is("memref.dealloc") && user.block() == Some(block));
            let next = branch.next().expect("a conditional does not end its block");
            frees.for_each(|free| edit::move_before(free, next));
            edit::move_before(op, branch);
        }
    }
    let is_free = |op: &Op<'c>| op.is("memref.dealloc") && !op.operand(0).is_defined_inside(branch);
    let [frees, others] = [0, 1].map(|side| {
        let block = blocks(branch).into_iter().nth(side);
        block
            .into_iter()
            .flat_map(|block| block.ops())
            .filter(is_free)
            .collect::<Vec<_>>()
    });
    for free in frees {
        let other = others.iter().find(|other| other.operand(0) == free.operand(0));
        if let Some((other, next)) = other.zip(branch.next()) {
            edit::erase(*other);
            edit::move_before(free, next);
        }
    }
    Ok(())
}

/// One of the conditionals that take the place of another.
struct Piece<'c> {
    branch: Op<'c>,
    guard: Op<'c>,
}

impl<'c> Piece<'c> {
    /// Copies operations into the guard, with those that they need; `values` are there already.
    fn fill(&self, group: &[Op<'c>], values: &ValueMap<'c>) {
        let block = self.guard.body().expect("just made with a block");
        let mut map = values.clone();
        for op in group {
            let mut builder = Builder::at_end(block, *op);
            self.prepare(&mut builder, *op, &mut map);
            edit::clone_mapped(&mut builder, *op, &mut map);
        }
        Builder::at_end(block, self.branch).op("scf.yield", &[], &[], &[]);
        lift_schedule(self.guard, &block.ops().collect::<Vec<_>>());
    }

    /// Copies an operation into a guard that has its results, and records these in `values`.
    fn compute(&self, op: Op<'c>, values: &mut ValueMap<'c>) {
        let blocks = blocks(self.guard);
        let mut map = values.clone();
        let mut builder = Builder::at_end(blocks[0], op);
        self.prepare(&mut builder, op, &mut map);
        let copy = edit::clone_mapped(&mut builder, op, &mut map);
        if let Some(schedule) = copy.attr(annotation::SCHEDULE) {
            copy.remove_attr(annotation::SCHEDULE);
            self.guard.set_attr(annotation::SCHEDULE, schedule);
        }
        builder.op("scf.yield", &copy.results(), &[], &[]);
        let mut other = Builder::at_end(blocks[1], op);
        let poison = |result: Value<'c>| other.op("ub.poison", &[], &[result.ty()], &[]).result(0);
        let poisons: Vec<Value<'c>> = op.results().into_iter().map(poison).collect();
        other.op("scf.yield", &poisons, &[], &[]);
        for (old, new) in op.results().into_iter().zip(self.guard.results()) {
            values.set(old, new);
        }
    }

    /// Copies the operations without effects that `op` needs.
    fn prepare(&self, builder: &mut Builder<'c>, op: Op<'c>, map: &mut ValueMap<'c>) {
        for value in used_values(op) {
            if map.has(value) || !value.is_defined_inside(self.branch) {
                continue;
            }
            if let Some(maker) = value.defining_op() {
                self.prepare(builder, maker, map);
                edit::clone_mapped(&mut builder.like(maker), maker, map);
            }
        }
    }
}

/// Moves a command's place in a user's plan to the guard around it.
fn lift_schedule<'c>(guard: Op<'c>, held: &[Op<'c>]) {
    let Some(command) = command_of(guard) else { return };
    let inside = held.iter().flat_map(|op| op.walk());
    let marked: Vec<Op<'c>> = inside.filter(|op| op.has_attr(annotation::SCHEDULE)).collect();
    let own = marked.iter().find(|op| op.contains(command.op)).or(marked.first());
    if let Some(schedule) = own.and_then(|op| op.attr(annotation::SCHEDULE))
        && !guard.has_attr(annotation::SCHEDULE)
    {
        guard.set_attr(annotation::SCHEDULE, schedule);
    }
    marked.iter().for_each(|op| op.remove_attr(annotation::SCHEDULE));
}
