//! Typed, borrowed views of the operations of our dialect, one struct an operation, made from its ODS by the build
//! script: names, positions of operands and results, and names of attributes stand nowhere else.
//!
//! A view promises what the operation's verifier has checked: an attribute that is not optional is there.
//! [`DmaTransfer`], [`Computation`] and [`Start`] are views of what two operations have in common.

use crate::{Attribute, Block, Builder, Op, Type, Value, attr};

include!(concat!(env!("OUT_DIR"), "/ops.rs"));

/// The name of an operation of our dialect, without that of the dialect.
pub fn mnemonic<'c>(op: Op<'c>) -> Option<&'c str> {
    op.name().strip_prefix("zpu.")
}

/// True if an operation is of our dialect.
pub fn is_ours(op: Op<'_>) -> bool {
    mnemonic(op).is_some()
}

/// A [`Dma`] or a [`DmaStart`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaTransfer<'c> {
    /// The memref that is read.
    pub source: Value<'c>,
    /// The memref that is written.
    pub dest: Value<'c>,
}

impl<'c> DmaTransfer<'c> {
    /// The view, if `op` is one.
    pub fn of(op: Op<'c>) -> Option<Self> {
        let (source, dest) = match ZpuOp::of(op)? {
            ZpuOp::Dma(dma) => (dma.source(), dma.dest()),
            ZpuOp::DmaStart(start) => (start.source(), start.dest()),
            _ => return None,
        };
        Some(Self { source, dest })
    }
}

/// A [`Compute`] or a [`ComputeStart`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computation<'c> {
    /// The block that holds its work.
    pub body: Block<'c>,
}

impl<'c> Computation<'c> {
    /// The view, if `op` is one.
    pub fn of(op: Op<'c>) -> Option<Self> {
        let body = match ZpuOp::of(op)? {
            ZpuOp::Compute(compute) => compute.body(),
            ZpuOp::ComputeStart(start) => start.body(),
            _ => return None,
        };
        Some(Self { body })
    }
}

/// A [`DmaStart`] or a [`ComputeStart`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// The completion of the command.
    pub token: Value<'c>,
    /// The barrier id that it raises as well.
    pub id: Option<Value<'c>>,
}

impl<'c> Start<'c> {
    /// The view, if `op` is one.
    pub fn of(op: Op<'c>) -> Option<Self> {
        let (token, id) = match ZpuOp::of(op)? {
            ZpuOp::DmaStart(start) => (start.token(), start.id()),
            ZpuOp::ComputeStart(start) => (start.token(), start.id()),
            _ => return None,
        };
        Some(Self { op, token, id })
    }
}

/// The engine of a command in either form.
pub fn engine_of<'c>(op: Op<'c>) -> Option<&'c str> {
    match ZpuOp::of(op)? {
        ZpuOp::Dma(dma) => Some(dma.engine()),
        ZpuOp::DmaStart(start) => Some(start.engine()),
        ZpuOp::Compute(compute) => Some(compute.engine()),
        ZpuOp::ComputeStart(start) => Some(start.engine()),
        _ => None,
    }
}

/// The engine of a command in the synchronous form.
pub fn sync_engine<'c>(op: Op<'c>) -> Option<&'c str> {
    engine_of(op).filter(|_| Start::of(op).is_none())
}

/// Gives a command in the synchronous form to another engine.
pub fn set_engine(op: Op<'_>, engine: &str) {
    let engine = attr::symbol(op.context(), engine);
    match ZpuOp::of(op) {
        Some(ZpuOp::Dma(_)) => op.set_attr(Dma::ENGINE, engine),
        Some(ZpuOp::Compute(_)) => op.set_attr(Compute::ENGINE, engine),
        _ => panic!("{} is no synchronous command", op.name()),
    }
}

/// True if an operation waits for the token of one command.
pub fn is_token_wait(op: Op<'_>) -> bool {
    matches!(ZpuOp::of(op), Some(ZpuOp::DmaWait(_) | ZpuOp::ComputeWait(_)))
}

/// The barrier id of a start or of an [`IdWait`].
pub fn barrier_id<'c>(op: Op<'c>) -> Option<Value<'c>> {
    match ZpuOp::of(op)? {
        ZpuOp::DmaStart(start) => start.id(),
        ZpuOp::ComputeStart(start) => start.id(),
        ZpuOp::IdWait(wait) => Some(wait.id()),
        _ => None,
    }
}
