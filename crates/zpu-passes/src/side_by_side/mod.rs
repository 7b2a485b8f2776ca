//! Several iterations of a loop around an innermost one, side by side.
//!
//! The pipeline of an inner loop is filled and drained once in each iteration of the loop around it; of several
//! iterations side by side it is so once for all of them.
//!
//! ```mlir
//! scf.for %j { before(%j); scf.for %k { body(%j, %k) }; after(%j) }
//! // becomes, with a factor of 2
//! scf.for %j step 2 {
//!   before(%j); before(%j + 1)
//!   scf.for %k { body(%j, %k); body(%j + 1, %k) }
//!   after(%j); after(%j + 1)
//! }
//! ```
//!
//! Upstream unrolls, and this module puts the copies of the inner loop together. (Upstream's own unroll-and-jam wants
//! constant trip counts, and asks nobody about memory.) What the copies of the body load alike is loaded once
//! ([`share`]).
//!
//! Invariant: iterations that run side by side touch no memory in common, but to read it, so any order of their
//! accesses is right that keeps the order of each iteration.

mod share;

use std::num::NonZeroU64;

use zpu_analysis::body::{Body, Decline, holds_commands};
use zpu_analysis::command::sync_engine;
use zpu_analysis::dependence::conflicts;
use zpu_analysis::region::Root;
use zpu_ir::scf::{For, is_loop};
use zpu_ir::{Block, Builder, Op, Remark, RemarkKind, annotation, attr, edit, ty};

use crate::buffer_notes;
use crate::unroll_factor::factor;

pub(crate) const PASS: &str = "zpu-unroll-and-jam";

/// Largest factor that may be asked for: no queue of a device file is deeper.
pub(crate) const MOST: i64 = 1024;

/// Marks the parts of a body while it is unrolled. None is left at the end of the pass.
const PART: &str = "zpu.part";

/// The values of that mark.
const INNER: i64 = 0;
const AFTER: i64 = 1;

/// Lets so many iterations of each loop run side by side of which that is known to be right. Returns the innermost
/// loops of the iterations that may be left over, where nobody knows how many there are.
pub(crate) fn jam(function: Op<'_>, wanted: i64) -> Vec<Op<'_>> {
    nests(function).into_iter().flat_map(|nest| nest.jam(wanted)).collect()
}

/// The loops of a function whose iterations may run side by side.
pub(crate) fn nests(function: Op<'_>) -> Vec<Nest<'_>> {
    let loops = function.walk().into_iter().filter_map(For::of);
    loops.filter_map(|for_| Nest::of(for_).ok()).collect()
}

/// True for an innermost loop with commands.
pub(crate) fn is_inner(op: Op<'_>) -> bool {
    For::of(op).is_some_and(|for_| for_.is_innermost() && holds_commands(op))
}

/// A loop around one innermost loop whose iterations may run side by side.
pub(crate) struct Nest<'c> {
    pub(crate) for_: For<'c>,
    pub(crate) inner: For<'c>,
    /// Iterations that may run side by side.
    most: i64,
}

impl<'c> Nest<'c> {
    /// Takes a loop as a nest; declines it where its iterations cannot run side by side.
    pub(crate) fn of(for_: For<'c>) -> Result<Self, Decline<'c>> {
        let inner = inner(for_)?;
        let is_users = |op: &Op<'c>| op.has_attr(annotation::SCHEDULE) || op.has_attr(annotation::VERSIONS);
        if let Some(op) = for_.op.walk().into_iter().find(is_users) {
            return Err(Decline::new("user-plan", op, "there is a plan in the loop already"));
        }
        if let Some(op) = [for_.op, inner.op].into_iter().find(|op| op.num_results() > 0) {
            return Err(Decline::new("carried-values", op, "a loop hands on values"));
        }
        let bounds = [inner.lower(), inner.upper(), inner.step()];
        if bounds.iter().any(|bound| bound.is_defined_inside(for_.op)) {
            let message = "the inner loop has other bounds in each iteration";
            return Err(Decline::new("variant-bounds", inner.op, message));
        }
        let body = Body::of_nest(for_)?;
        // Each iteration has what it allocates for itself.
        let is_own = |root: Root<'c>| matches!(root, Root::Allocation(root) if root.is_defined_inside(for_.op));
        let accesses = body.units.iter().flat_map(|unit| &unit.accesses);
        let shared: Vec<_> = accesses.filter(|access| !is_own(access.region.root)).cloned().collect();
        let conflicts = conflicts(for_, &[&shared]);
        let nearest = conflicts.iter().min_by_key(|conflict| conflict.distance);
        let most = nearest.map_or(MOST, |conflict| i64::from(conflict.distance));
        if most < 2 {
            let message = "an iteration touches memory that the one before it touches";
            return Err(Decline::new("dependence", for_.op, message));
        }
        Ok(Self { for_, inner, most })
    }

    /// The factor for so many iterations side by side: all iterations, or as many as are allowed.
    pub(crate) fn factor(&self, wanted: i64) -> i64 {
        factor(self.for_.constant_trip_count(), wanted.min(self.most))
    }

    /// As many iterations side by side as have no more than so many commands together.
    pub(crate) fn within(&self, wanted: i64, most_commands: i64) -> i64 {
        let commands = self.for_.op.walk().into_iter().filter(|op| sync_engine(*op).is_some());
        let commands = i64::try_from(commands.count().max(1)).unwrap_or(i64::MAX);
        let most = (most_commands / commands).max(1);
        if most < wanted {
            Remark::new(self.for_.op, RemarkKind::Missed, PASS, "fewer")
                .message(format!(
                    "{wanted} iterations of {commands} commands are more than {most_commands} commands; {most} run \
                     side by side"
                ))
                .emit();
        }
        wanted.min(most)
    }

    /// Lets so many iterations run side by side. Returns the innermost loop of the iterations that may be left over, if
    /// nobody knows how many there are.
    pub(crate) fn jam(self, wanted: i64) -> Option<Op<'c>> {
        let (factor, op) = (self.factor(wanted), self.for_.op);
        let scope = op.parent().filter(|_| factor > 1)?;
        let is_known = self.for_.constant_trip_count().is_some();
        let step = self.for_.step().as_constant_int();
        // A narrower number may have no room for the product.
        let step = step.filter(|_| ty::is_index(self.for_.step().ty()));
        Remark::new(op, RemarkKind::Passed, PASS, "jammed")
            .message(format!("{factor} iterations run side by side"))
            .metric("Factor", factor)
            .emit();
        buffer_notes::drop_used_in(&[op]);
        let part = |part: i64| attr::int(op.context(), part);
        self.inner.op.set_attr(PART, part(INNER));
        let ops = self.for_.ops();
        let after = ops.into_iter().skip_while(|op| *op != self.inner.op).skip(1);
        after.for_each(|op| op.set_attr(PART, part(AFTER)));
        let is_whole = self.for_.constant_trip_count() == Some(factor);
        let by = u64::try_from(factor).ok().and_then(NonZeroU64::new);
        edit::unroll(op, by.filter(|_| !is_whole));
        if let Some(step) = step.and_then(|step| step.checked_mul(factor)).filter(|_| !is_known) {
            // Upstream leaves a product of constants.
            let step = Builder::before(op).constant(self.for_.step().ty(), step);
            edit::set_operand(op, 2, step);
        }
        let mut blocks: Vec<Block<'c>> = Vec::new();
        for op in scope.walk().into_iter().filter(|op| part_of(*op) == Some(INNER)) {
            blocks.extend(op.block().filter(|block| !blocks.contains(block)));
        }
        let copies = usize::try_from(factor).unwrap_or(usize::MAX);
        let (mut shared, mut left_over) = (0, None);
        for block in blocks {
            let Some((inner, count)) = put_together(block, copies) else {
                continue;
            };
            if count < copies && !is_known {
                left_over = Some(inner.op);
            }
            shared += share::share(inner.body);
        }
        for op in scope.walk() {
            op.remove_attr(PART);
        }
        if shared > 0 {
            Remark::new(scope, RemarkKind::Passed, PASS, "shared")
                .message(format!(
                    "{shared} buffers of iterations side by side are filled alike, and so once"
                ))
                .metric("Buffers", shared)
                .emit();
        }
        left_over
    }
}

/// The innermost loop that a loop is directly around, and no other one.
fn inner<'c>(for_: For<'c>) -> Result<For<'c>, Decline<'c>> {
    let around: Vec<Op<'c>> = for_
        .ops()
        .into_iter()
        .filter(|op| op.walk().into_iter().any(is_loop))
        .collect();
    match *around.as_slice() {
        [op] if is_inner(op) => For::of(op).ok_or_else(|| Decline::new("no-loop", op, "it is no loop")),
        [op] => Err(Decline::new(
            "no-inner-loop",
            op,
            "no innermost loop with commands is directly in it",
        )),
        [] => Err(Decline::new("no-inner-loop", for_.op, "there is no loop in it")),
        [_, other, ..] => Err(Decline::new("several-loops", other, "there are several loops in it")),
    }
}

/// The part of a body that an operation was in before that was unrolled.
fn part_of(op: Op<'_>) -> Option<i64> {
    op.attr(PART).and_then(attr::as_int)
}

/// Puts the first copies of the inner loop in a block together, so many of them, after what was before each. A single
/// iteration that is left over has one more behind these, if there is a single one of them all. Returns the loop of
/// all, and of how many.
fn put_together(block: Block<'_>, copies: usize) -> Option<(For<'_>, usize)> {
    let ops: Vec<Op<'_>> = block.ops().collect();
    let is_loop = |at: &usize| part_of(ops[*at]) == Some(INNER);
    let loops: Vec<usize> = (0..ops.len()).filter(is_loop).take(copies).collect();
    let (first, last) = (*loops.first()?, *loops.last()?);
    let between = ops[first..last].iter().filter(|op| part_of(**op).is_none());
    between.for_each(|op| edit::move_before(*op, ops[first]));
    let all = For::of(ops[first])?;
    for copy in loops[1..].iter().filter_map(|at| For::of(ops[*at])) {
        edit::replace_all_uses(copy.iv(), all.iv());
        let end = all.terminator();
        copy.ops().into_iter().for_each(|op| edit::move_before(op, end));
        edit::erase(copy.op);
    }
    Some((all, loops.len()))
}
