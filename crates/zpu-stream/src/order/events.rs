//! The events of an order one by one, straight from its definition: for small orders, and for what checks the rest.

use thiserror::Error;

use super::Order;

/// One iteration of the nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Loop indices, outermost first.
    pub indices: Vec<i64>,
    /// Coordinates of the elements that it touches, in the order of the lanes.
    pub elements: Vec<Vec<i64>>,
}

/// More than should be enumerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("enumerating needs {accesses} accesses, the limit is {limit}")]
pub struct EventsError {
    /// Number of accesses; the largest number if that does not fit.
    pub accesses: u128,
    /// Limit of that number.
    pub limit: u128,
}

/// All events, first to last.
///
/// # Errors
///
/// If events times elements of a token exceed a limit.
pub fn events(order: &Order, shape: &[i64], limit: u128) -> Result<Vec<Event>, EventsError> {
    let all = order.loops.iter().chain(&order.token);
    let accesses = all.fold(1u128, |product, &n| {
        product.saturating_mul(n.max(0).unsigned_abs().into())
    });
    if accesses > limit {
        return Err(EventsError { accesses, limit });
    }
    let mut events = Vec::new();
    for indices in counted(&order.loops) {
        let elements = elements(order, shape, &indices);
        events.push(Event { indices, elements });
    }
    Ok(events)
}

/// The elements of one event.
fn elements(order: &Order, shape: &[i64], indices: &[i64]) -> Vec<Vec<i64>> {
    let Some(origin) = order.map.evaluate(indices) else {
        return Vec::new();
    };
    let lane_extents: Vec<i64> = order.lanes.iter().map(|&dimension| order.token[dimension]).collect();
    let offsets = counted(&lane_extents).into_iter();
    let element = |offset: Vec<i64>| {
        let mut element = origin.clone();
        for (&dimension, step) in order.lanes.iter().zip(offset) {
            element[dimension] += step * order.dilation[dimension];
        }
        element
    };
    let inside = |element: &Vec<i64>| element.iter().zip(shape).all(|(x, extent)| (0..*extent).contains(x));
    offsets.map(element).filter(inside).collect()
}

/// All index vectors of a box, the last index the fastest.
fn counted(extents: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for &extent in extents {
        let longer = |prefix: &Vec<i64>| {
            let prefix = prefix.clone();
            (0..extent).map(move |next| prefix.iter().copied().chain([next]).collect::<Vec<i64>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}
