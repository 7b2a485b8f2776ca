//! Buffers of one block that are filled in the same way: one of them does.
//!
//! ```mlir
//! load %a[%k] to %x; product of %x; load %a[%k] to %y; product of %y
//! // becomes
//! load %a[%k] to %x; product of %x; product of %x
//! ```
//!
//! Two buffers are *filled in the same way* if equal commands on equal operands write them, if each is written before
//! it is read and never after, and if nothing writes between two of these commands what they read.

use std::collections::HashMap;

use zpu_analysis::access::{Access, accesses};
use zpu_analysis::command::sync_engine;
use zpu_analysis::dependence::straight_line_conflicts;
use zpu_analysis::region::Root;
use zpu_ir::ops::{Compute, Dma};
use zpu_ir::ty::MemRef;
use zpu_ir::{Attribute, Block, Op, Value, edit};

/// Leaves out buffers of a block that are filled as earlier ones are; returns their number.
pub(super) fn share(block: Block<'_>) -> usize {
    let buffers = block.ops().filter(|op| op.is("memref.alloc"));
    let mut kept: Vec<Filled<'_>> = Vec::new();
    let mut shared = 0;
    for buffer in buffers.filter_map(|op| Filled::of(op, block)).collect::<Vec<_>>() {
        if let Some(same) = kept.iter().find(|other| other.is_same(&buffer, block)) {
            same.take_over(buffer, block);
            shared += 1;
        } else {
            kept.push(buffer);
        }
    }
    shared
}

/// A buffer that commands of a block write, and then only read.
struct Filled<'c> {
    allocation: Op<'c>,
    /// The commands that write it, in order.
    fills: Vec<Op<'c>>,
    deallocations: Vec<Op<'c>>,
}

impl<'c> Filled<'c> {
    fn of(allocation: Op<'c>, block: Block<'c>) -> Option<Self> {
        let buffer = allocation.result(0);
        let (mut users, mut deallocations) = (Vec::new(), Vec::new());
        let mut open = vec![buffer];
        while let Some(value) = open.pop() {
            for user in value.uses().into_iter().map(|used| used.op) {
                let results = user.results();
                if user.is("memref.dealloc") && user.block() == Some(block) {
                    deallocations.push(user);
                } else if results.len() == 1 && user.is_memory_effect_free() && user.regions().is_empty() {
                    open.extend(results.into_iter().filter(|result| MemRef::of(result.ty()).is_some()));
                } else {
                    let around = [user].into_iter().chain(user.parents());
                    users.push(around.into_iter().find(|op| op.block() == Some(block))?);
                }
            }
        }
        let (mut fills, mut is_read) = (Vec::new(), false);
        for command in block.ops().filter(|op| users.contains(op)) {
            sync_engine(command)?;
            let root = Root::Allocation(buffer);
            let (of_buffer, others): (Vec<_>, Vec<_>) = accesses(command)?
                .into_iter()
                .partition(|access| access.region.root == root);
            if others.iter().any(|access| access.region.root.may_alias(root)) {
                return None;
            }
            let writes = of_buffer.iter().any(|access| access.write);
            let reads = of_buffer.iter().any(|access| !access.write);
            let is_fill = writes && !reads && !is_read && others.iter().all(|access| !access.write);
            if writes && !is_fill {
                return None;
            }
            is_read |= reads;
            fills.extend(is_fill.then_some(command));
        }
        (!fills.is_empty()).then_some(Self {
            allocation,
            fills,
            deallocations,
        })
    }

    /// True if another buffer, allocated later, is filled in the same way.
    fn is_same(&self, other: &Self, block: Block<'c>) -> bool {
        let [own, others] = [self, other].map(|filled| filled.allocation.result(0));
        if own.ty() != others.ty() || self.fills.len() != other.fills.len() {
            return false;
        }
        let mut same = Same::from([(others, own)]);
        let mut pairs = self.fills.iter().zip(&other.fills);
        pairs.all(|(own, other)| are_same(*own, *other, &mut same) && reads_the_same(*own, *other, block))
    }

    /// Puts this buffer in place of another one that is filled in the same way.
    fn take_over(&self, other: Self, block: Block<'c>) {
        other.fills.into_iter().chain(other.deallocations).for_each(edit::erase);
        edit::replace_all_uses(other.allocation.result(0), self.allocation.result(0));
        if let Some(end) = block.terminator() {
            self.deallocations.iter().for_each(|op| edit::move_before(*op, end));
        }
        edit::erase(other.allocation);
    }
}

/// What values of one computation are in another one.
type Same<'c> = HashMap<Value<'c>, Value<'c>>;

/// True if two operations do the same with the same values, but for the engines that they are on.
fn are_same<'c>(own: Op<'c>, other: Op<'c>, same: &mut Same<'c>) -> bool {
    let attrs = |op: Op<'c>| -> Vec<(&'c str, Attribute<'c>)> {
        let is_engine =
            |name: &str| op.is(Dma::NAME) && name == Dma::ENGINE || op.is(Compute::NAME) && name == Compute::ENGINE;
        op.attrs().into_iter().filter(|(name, _)| !is_engine(name)).collect()
    };
    let types = |op: Op<'c>| op.results().into_iter().map(Value::ty).collect::<Vec<_>>();
    let (operands, others) = (own.operands(), other.operands());
    let (regions, of_other) = (own.regions(), other.regions());
    own.name() == other.name()
        && attrs(own) == attrs(other)
        && types(own) == types(other)
        && operands.len() == others.len()
        && operands
            .into_iter()
            .zip(others)
            .all(|(own, other)| is_same(own, other, same))
        && regions.len() == of_other.len()
        && regions.into_iter().zip(of_other).all(|(own, other)| {
            let (own, other) = (own.blocks(), other.blocks());
            own.len() == other.len()
                && own
                    .into_iter()
                    .zip(other)
                    .all(|(own, other)| do_the_same(own, other, same))
        })
        && {
            same.extend(other.results().into_iter().zip(own.results()));
            true
        }
}

/// True if two blocks of operations do the same.
fn do_the_same<'c>(own: Block<'c>, other: Block<'c>, same: &mut Same<'c>) -> bool {
    let types = |block: Block<'c>| block.args().into_iter().map(Value::ty).collect::<Vec<_>>();
    if types(own) != types(other) {
        return false;
    }
    same.extend(other.args().into_iter().zip(own.args()));
    let (own, other): (Vec<Op<'c>>, Vec<Op<'c>>) = (own.ops().collect(), other.ops().collect());
    own.len() == other.len()
        && own
            .into_iter()
            .zip(other)
            .all(|(own, other)| are_same(own, other, same))
}

/// True if two values are equal: the same one, known as such, or computed in the same way.
fn is_same<'c>(own: Value<'c>, other: Value<'c>, same: &mut Same<'c>) -> bool {
    if own == other || same.get(&other) == Some(&own) {
        return true;
    }
    let (Some(one), Some(two)) = (own.defining_op(), other.defining_op()) else {
        return false;
    };
    let is_pure = |op: Op<'c>| op.is_memory_effect_free() && op.regions().is_empty();
    let place = |op: Op<'c>, of: Value<'c>| op.results().iter().position(|result| *result == of);
    is_pure(one) && is_pure(two) && place(one, own) == place(two, other) && are_same(one, two, same)
}

/// True if nothing from one command on, up to the other, writes what both read.
fn reads_the_same(own: Op<'_>, other: Op<'_>, block: Block<'_>) -> bool {
    let Some(mut read) = accesses(own) else { return false };
    read.retain(|access| !access.write);
    let between = block
        .ops()
        .skip_while(|op| *op != own)
        .skip(1)
        .take_while(|op| *op != other);
    let all: Vec<Option<Vec<Access<'_>>>> = [Some(read)].into_iter().chain(between.map(accesses)).collect();
    let units: Vec<Option<&[Access<'_>]>> = all.iter().map(Option::as_deref).collect();
    straight_line_conflicts(&units).iter().all(|(_, earlier)| *earlier != 0)
}
