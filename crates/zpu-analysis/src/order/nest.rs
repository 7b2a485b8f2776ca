//! The loops around an operation.

use rustc_hash::FxHashMap;
use zpu_ir::ops::{Compute, ComputeStart};
use zpu_ir::scf::For;
use zpu_ir::{Op, Value};

use super::Decline;

/// The loops around an operation within its function, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Nest<'c> {
    pub(super) loops: Vec<For<'c>>,
}

impl<'c> Nest<'c> {
    /// The loops, if nothing else decides whether or how often the operation is done.
    pub(super) fn around(op: Op<'c>) -> Result<Nest<'c>, Decline<'c>> {
        let mut loops = Vec::new();
        for parent in op.parents() {
            match For::of(parent) {
                Some(for_) => loops.push(for_),
                None if parent.is("func.func") => break,
                None if matches!(parent.name(), Compute::NAME | ComputeStart::NAME) => {}
                None => {
                    let message = format!("{} stands in {}, which is no scf.for", op.name(), parent.name());
                    return Err(Decline::new("condition", op, message));
                }
            }
        }
        loops.reverse();
        Ok(Nest { loops })
    }

    /// Trip counts; nothing for a loop whose bounds are not constant.
    pub(super) fn trips(&self) -> Vec<Option<i64>> {
        self.loops.iter().map(|for_| for_.constant_trip_count()).collect()
    }

    /// The place of the loop whose induction variable a value is.
    pub(super) fn place_of(&self, iv: Value<'c>) -> Option<usize> {
        let for_ = For::of_iv(iv)?;
        self.loops.iter().position(|each| *each == for_)
    }

    /// Number of outermost loops that two nests have in common.
    pub(super) fn common(&self, other: &Nest<'c>) -> usize {
        let pairs = self.loops.iter().zip(&other.loops);
        pairs.take_while(|(one, another)| one == another).count()
    }
}

/// The places of all operations in their function, in program order.
#[derive(Clone, Debug)]
pub(super) struct Numbers<'c>(FxHashMap<Op<'c>, usize>);

impl<'c> Numbers<'c> {
    /// The places of these operations.
    pub(super) fn of(ops: &[Op<'c>]) -> Numbers<'c> {
        Numbers(ops.iter().enumerate().map(|(number, op)| (*op, number)).collect())
    }

    /// The place of one.
    pub(super) fn get(&self, op: Op<'c>) -> usize {
        self.0.get(&op).copied().unwrap_or(usize::MAX)
    }

    /// True if the first stands before the second, in each iteration of the loops around both.
    pub(super) fn is_before(&self, first: Op<'c>, second: Op<'c>) -> bool {
        self.get(first) < self.get(second)
    }
}
