//! Buffers that an edge can have, and how large each is.

use crate::verdict::{Edge, Sizes, Verdict};

/// A form of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Elements leave in the order in which they came.
    Fifo,
    /// A FIFO whose tokens pass a shuffle of lanes.
    ShuffledFifo,
    /// A FIFO whose token stays until its last repeat.
    HoldRegister,
    /// Tokens of another width are cut from those that came.
    Gearbox,
    /// Slots are written in a circle, and released in the order in which they were written: a line buffer where the
    /// reader is a window.
    Ring,
    /// Both sides address: an element is at its coordinates modulo a shape.
    InPlace(Vec<i64>),
    /// Whole blocks in turn, each read once it is complete: 1 alternates the sides, 2 is ping-pong, N lets the consumer
    /// run N - 1 stages later.
    Blocks(u32),
}

/// A buffer and its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Form of the buffer.
    pub form: Form,
    /// Elements, without padding.
    pub elements: u128,
}

/// The buffers that do for an edge, the smallest first; of equal ones that which takes the least addressing. `stages`
/// is by how many stages of a pipeline the consumer runs after the producer. None for an incompatible edge.
pub fn plans(edge: &Edge, stages: u32) -> Vec<Plan> {
    let Some(sizes) = &edge.sizes else { return Vec::new() };
    let sequential = match edge.verdict {
        Verdict::Stream => Some(Form::Fifo),
        Verdict::LanePermute => Some(Form::ShuffledFifo),
        Verdict::Hold => Some(Form::HoldRegister),
        Verdict::Repack => Some(Form::Gearbox),
        _ => None,
    };
    let mut all: Vec<Plan> = Vec::new();
    all.extend(sequential.map(|form| Plan {
        form,
        elements: sizes.min_capacity,
    }));
    all.push(Plan {
        form: Form::Ring,
        elements: sizes.circular_span,
    });
    let count = stages.saturating_add(1).max(1);
    all.push(Plan {
        form: Form::Blocks(count),
        elements: blocks(sizes, count),
    });
    all.push(Plan {
        form: Form::InPlace(sizes.modulo_shape.clone()),
        elements: volume(&sizes.modulo_shape),
    });
    all.sort_by_key(|plan| plan.elements);
    all
}

/// Elements of so many blocks. Where the tensor is one block, the others are for its next run.
pub fn blocks(sizes: &Sizes, count: u32) -> u128 {
    volume(&sizes.block_shape).saturating_mul(count.into())
}

fn volume(shape: &[i64]) -> u128 {
    shape
        .iter()
        .fold(1u128, |product, &n| product.saturating_mul(n.unsigned_abs().into()))
}

/// A shape whose innermost extent is rounded up to a multiple of an alignment and of a bank's width, in elements.
///
/// Rows then begin aligned; what is stored is never less than the shape. Nothing if a number is not positive or does
/// not fit.
pub fn padded(shape: &[i64], align: i64, bank: i64) -> Option<Vec<i64>> {
    let mut padded = shape.to_vec();
    for to in [align, bank] {
        if to < 1 {
            return None;
        }
        if let Some(last) = padded.last_mut() {
            *last = last.checked_add(to - 1)? / to * to;
        }
    }
    Some(padded)
}
