//! Upper bounds where nothing is walked over: the whole tensor, or some slices of it.
//!
//! If the producer writes slice by slice along a dimension, and the consumer's outermost loop moves forward along it,
//! then all events from one of its iterations on touch nothing before its first coordinate. So what is held lies in the
//! slices that one iteration touches.

use crate::fork::{ConsumerId, Fork};
use crate::order::{Nest, Order};
use crate::verdict::Sizes;

/// Sizes that are never too small, for a consumer that completes.
pub(crate) fn bound(problem: &Fork, id: ConsumerId) -> Sizes {
    let consumer = &problem.consumers[id.index()];
    let slices = if consumer.gate.is_none() {
        slices(&problem.producer, &consumer.order, &problem.tensor)
    } else {
        None
    };
    let mut held = problem.tensor.clone();
    if let Some((dimension, rows)) = slices {
        held[dimension] = held[dimension].min(rows);
    }
    let volume = crate::sweep::volume(&held);
    Sizes {
        min_capacity: volume,
        retained: volume,
        circular_span: volume,
        epochs: 1,
        block_shape: problem.tensor.clone(),
        modulo_shape: held,
        is_exact: false,
        is_modulo_exact: false,
    }
}

/// The dimension along which the tensor is written in slices, and the coordinates of those that are held.
fn slices(producer: &Order, consumer: &Order, shape: &[i64]) -> Option<(usize, i64)> {
    let (writes, reads) = (Nest::of(producer)?.without_repeats(), Nest::of(consumer)?);
    let dimension = only_dimension(&writes)?;
    if only_dimension(&reads) != Some(dimension) {
        return None;
    }
    let slice = writes.loops[0].step[dimension];
    let whole = writes.loops[0].trip.checked_mul(slice) == Some(shape[dimension]);
    let (low, high) = reach(&writes, producer, dimension)?;
    if !whole || writes.base[dimension] != 0 || low != 0 || high >= slice {
        return None;
    }
    let (low, high) = reach(&reads, consumer, dimension)?;
    // An iteration touches high - low + 1 coordinates, wherever they begin.
    let count = (high - low).checked_add(slice - 1)? / slice + 1;
    Some((dimension, count.checked_mul(slice)?))
}

/// The dimension along which the outermost loop moves forward, if it moves along one.
fn only_dimension(nest: &Nest) -> Option<usize> {
    let mut steps = nest
        .loops
        .first()?
        .step
        .iter()
        .enumerate()
        .filter(|(_, step)| **step != 0);
    let (dimension, &step) = steps.next()?;
    (steps.next().is_none() && step > 0).then_some(dimension)
}

/// First and last coordinate that an iteration of the outermost loop touches along a dimension, from its own.
fn reach(nest: &Nest, order: &Order, dimension: usize) -> Option<(i64, i64)> {
    let token = (order.token[dimension] - 1).checked_mul(order.dilation[dimension])?;
    nest.loops[1..].iter().try_fold((0i64, token), |(low, high), each| {
        let reach = each.step[dimension].checked_mul(each.trip - 1)?;
        Some((low.checked_add(reach.min(0))?, high.checked_add(reach.max(0))?))
    })
}
