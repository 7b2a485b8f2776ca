//! The accesses to a buffer as its block makes them, for what is recorded of a buffer that stands for a tensor
//! (`#zpu.buffer`) and for its check.
//!
//! Invariant: what is found says what happens, not what may: an access of which box, number of iterations or place in
//! the order is not known makes the whole unknown.

use std::collections::HashSet;

use crate::access::{Access, accesses, steps};
use crate::body::Decline;
use crate::linear::{Index, Linear, Symbol};
use crate::region::Root;
use zpu_ir::scf::{For, is_loop};
use zpu_ir::{Block, Op, Value};

/// One access in the program, in all iterations of the loops around it.
#[derive(Clone, Debug)]
pub struct Use<'c> {
    /// The operation that makes it.
    pub op: Op<'c>,
    /// The access; its region is a box in the buffer.
    pub access: Access<'c>,
    /// Loops around it, from the block of the allocation on, outermost first, with their trip counts.
    pub loops: Vec<(For<'c>, i64)>,
    /// The outermost loops that are those of the access before.
    pub shared: usize,
}

impl<'c> Use<'c> {
    /// Trip counts of the loops around it, and how many of these are those of the access before.
    pub fn nest(&self) -> (Vec<i64>, usize) {
        (self.loops.iter().map(|(_, trips)| *trips).collect(), self.shared)
    }

    /// Number of indices along each dimension.
    pub fn size(&self) -> Option<Vec<i64>> {
        let extents = self.access.region.extents.as_ref()?;
        extents
            .iter()
            .map(|extent| extent.span.as_ref()?.as_constant())
            .collect()
    }

    /// First index along each dimension when the loops are in iterations of these numbers.
    pub fn from(&self, iterations: &[i64]) -> Option<Vec<i64>> {
        let extents = self.access.region.extents.as_ref()?;
        extents
            .iter()
            .map(|extent| self.value_of(&extent.offset, iterations))
            .collect()
    }

    fn value_of(&self, index: &Index<'c>, iterations: &[i64]) -> Option<i64> {
        match index {
            Index::Linear(linear) => self.linear(linear, iterations),
            Index::Modulo(modulo) => {
                let remainder = self.linear(&modulo.dividend, iterations)?.rem_euclid(modulo.modulus);
                let rest = self.linear(&modulo.rest, iterations)?;
                rest.checked_add(remainder.checked_mul(modulo.factor)?)
            }
        }
    }

    fn linear(&self, linear: &Linear<'c>, iterations: &[i64]) -> Option<i64> {
        let each = linear.terms().iter();
        each.map(|(symbol, factor)| {
            let (place, unit) = self.place(*symbol)?;
            iterations.get(place)?.checked_mul(unit)?.checked_mul(*factor)
        })
        .try_fold(linear.offset(), |sum, term| sum.checked_add(term?))
    }

    /// The loop around it whose iterations a symbol counts, and by how much the symbol grows in each.
    pub fn place(&self, symbol: Symbol<'c>) -> Option<(usize, i64)> {
        let of = |op: Op<'c>| self.loops.iter().position(|(for_, _)| for_.op == op);
        match symbol {
            Symbol::Iteration(loop_) => Some((of(loop_)?, 1)),
            Symbol::Travel(loop_) => {
                let place = of(loop_)?;
                Some((place, self.loops[place].0.step().as_constant_int()?))
            }
            Symbol::Value(..) => None,
        }
    }
}

/// All accesses to a buffer in program order, those of one operation with the reads before the writes. What stands
/// under a condition counts as done, and loops without an iteration are left out.
pub fn uses(buffer: Value<'_>) -> Result<Vec<Use<'_>>, Decline<'_>> {
    let Some(allocation) = buffer.defining_op() else {
        return Ok(Vec::new());
    };
    let mut finder = Finder {
        buffer,
        touching: HashSet::new(),
        loops: Vec::new(),
        uses: Vec::new(),
    };
    finder.touching_of(buffer);
    if let Some(block) = allocation.block() {
        finder.block(block)?;
    }
    Ok(finder.uses)
}

struct Finder<'c> {
    buffer: Value<'c>,
    /// The operations that use the buffer or a view of it, and those around them.
    touching: HashSet<Op<'c>>,
    loops: Vec<(For<'c>, i64)>,
    uses: Vec<Use<'c>>,
}

impl<'c> Finder<'c> {
    fn touching_of(&mut self, value: Value<'c>) {
        for user in value.uses().into_iter().map(|used| used.op) {
            if !self.touching.insert(user) {
                continue;
            }
            self.touching.extend(user.parents());
            user.results().into_iter().for_each(|result| self.touching_of(result));
        }
    }

    fn block(&mut self, block: Block<'c>) -> Result<(), Decline<'c>> {
        block.ops().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: Op<'c>) -> Result<(), Decline<'c>> {
        if op.is("memref.dealloc") || !self.touching.contains(&op) || op.is_memory_effect_free() {
            return Ok(());
        }
        if let Some(for_) = For::of(op) {
            let Some(trips) = for_.constant_trip_count() else {
                let message = "the number of iterations is not known";
                return Err(Decline::new("dynamic-trip-counts", op, message));
            };
            if trips > 0 {
                self.loops.push((for_, trips));
                self.block(for_.body)?;
                self.loops.pop();
            }
            return Ok(());
        }
        if is_loop(op) {
            let message = format!("{} is followed by nobody, only scf.for is", op.name());
            return Err(Decline::new("no-counted-loop", op, message));
        }
        if op.is("scf.if") {
            let mut blocks = op.regions().into_iter().filter_map(|region| region.first_block());
            return blocks.try_for_each(|block| self.block(block));
        }
        let unknown = || {
            let message = format!("{} does not access a box of constant size", op.name());
            Decline::new("no-box", op, message)
        };
        let all = accesses(op).ok_or_else(unknown)?;
        for (op, mut all) in steps(op, &all) {
            all.retain(|access| access.region.root == Root::Allocation(self.buffer));
            all.sort_by_key(|access| access.write);
            for access in all {
                if access.region.base != self.buffer {
                    return Err(unknown());
                }
                let before = self.uses.last().map_or(&[][..], |before| &before.loops);
                let same = before.iter().zip(&self.loops).take_while(|(one, other)| one == other);
                let found = Use {
                    op,
                    access,
                    shared: same.count(),
                    loops: self.loops.clone(),
                };
                found.size().ok_or_else(unknown)?;
                self.uses.push(found);
            }
        }
        Ok(())
    }
}
