//! Costs of a loop body's units on the device.

use std::cell::RefCell;
use std::collections::HashMap;

use zpu_device::{Cost, Device, Engine, EngineKind};
use zpu_ir::ty::MemRef;
use zpu_ir::work::{self, Shape};
use zpu_ir::{Op, Remark, RemarkKind, Value};

use crate::body::{Decline, sync_engine};
use crate::sizes::Sizes;

/// Cycles that the control stream takes for its own work: an access, or a conditional with all that it holds.
pub fn control_cycles<'c>(op: Op<'c>, device: &Device) -> Result<u64, Decline<'c>> {
    match op.name() {
        "memref.load" | "memref.store" => Ok(device.control.scalar_cycles),
        "memref.alloc" | "memref.alloca" | "memref.dealloc" => Ok(0),
        "scf.if" => guard_cycles(op, device),
        _ => Ok(device.control.start_cycles.saturating_add(cost(op, device)?.total())),
    }
}

/// Cycles that the control stream takes for the accesses inside a conditional, without the issue of commands. The
/// decision is free, as all arithmetic is.
pub fn guard_cycles<'c>(op: Op<'c>, device: &Device) -> Result<u64, Decline<'c>> {
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    let own = blocks
        .flat_map(|block| block.ops())
        .filter(|op| !op.is_memory_effect_free());
    own.filter(|op| sync_engine(*op).is_none())
        .try_fold(0u64, |sum, op| Ok(sum.saturating_add(control_cycles(op, device)?)))
}

/// The assumed size, in elements, of a dimension without a bound: the edge of a common tile. A guess that is too large
/// costs a wait, one that is too small costs the overlap.
const GUESSED_SIZE: i64 = 128;

/// Cycles of a command on its engine, or of a copy or computation that is none yet. A size that is not constant counts
/// as its upper bound (see [`Sizes`]), or as 128.
pub fn cost<'c>(op: Op<'c>, device: &Device) -> Result<Cost, Decline<'c>> {
    work::cost_with(op, device, &|value| shape(op, value, true)).map_err(|unknown| declined(op, &unknown))
}

/// The costs of a command on engines other than the one that it names. Its sizes are looked for once for all of them.
#[derive(Debug)]
pub struct Costs<'c> {
    op: Op<'c>,
    shapes: RefCell<HashMap<Value<'c>, Result<Shape, String>>>,
}

impl<'c> Costs<'c> {
    /// The costs of `op`.
    pub fn of(op: Op<'c>) -> Self {
        Self {
            op,
            shapes: RefCell::default(),
        }
    }

    /// Cycles of the command on `engine`.
    pub fn on(&self, device: &Device, engine: &Engine) -> Result<Cost, Decline<'c>> {
        let shape_of = |value| {
            let mut shapes = self.shapes.borrow_mut();
            let known = shapes.entry(value).or_insert_with(|| shape(self.op, value, true));
            known.clone()
        };
        work::cost_on(self.op, device, engine, &shape_of).map_err(|unknown| declined(self.op, &unknown))
    }
}

/// Emits a remark if the cost of a command is a guess.
pub fn report_guess(command: Op<'_>, pass: &'static str) {
    // Sizes are known for all kinds of engines or for none.
    let pieces = |guess| work::of_with(command, EngineKind::Vector, &|value| shape(command, value, guess));
    if let (Err(unknown), Ok(_)) = (pieces(false), pieces(true)) {
        Remark::new(command, RemarkKind::Analysis, pass, "size-guessed")
            .message(format!(
                "{}, and nothing bounds it; its cost is that of {GUESSED_SIZE}; bound it, or say the cost with \
                 zpu.cycles",
                unknown.message
            ))
            .metric("Guess", GUESSED_SIZE)
            .emit();
    }
}

fn declined<'c>(op: Op<'c>, unknown: &work::UnknownWork<'c>) -> Decline<'c> {
    let message = format!(
        "the cost of {} is not known: {}; say it with zpu.cycles",
        unknown.at.name(),
        unknown.message
    );
    Decline::new("unknown-cost", op, message)
}

/// The shape of a memref, with bounds in place of sizes that are not constant. With `guess`, a size without a bound
/// counts as [`GUESSED_SIZE`].
fn shape<'c>(op: Op<'c>, value: Value<'c>, guess: bool) -> Result<Shape, String> {
    let exact = Shape::of(value);
    let (Err(message), Some(memref)) = (&exact, MemRef::of(value.ty())) else {
        return exact;
    };
    let bounds = Sizes::at(op).of(value).unwrap_or_default().into_iter();
    let sizes = bounds.map(|bound| bound.or(Some(GUESSED_SIZE).filter(|_| guess)));
    match sizes.collect::<Option<Vec<i64>>>() {
        Some(sizes) => Ok(Shape {
            sizes,
            strides: memref.strides,
        }),
        None => Err(message.clone()),
    }
}
