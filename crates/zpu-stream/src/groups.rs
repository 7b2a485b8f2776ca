//! Consumers that read the same tokens in the same order and wait for the same: one buffer serves them as one reader.

use crate::fork::{ConsumerId, Fork};
use crate::order::{Nest, Order};
use crate::sweep::same_events;

/// Groups, each in the order of the consumers and by its first one. Consumers whose events would have to be compared
/// one by one, and have more of them than a limit, are taken to differ.
pub(crate) fn groups(fork: &Fork, limit: u32) -> Vec<Vec<ConsumerId>> {
    let mut groups: Vec<Vec<ConsumerId>> = Vec::new();
    for (id, consumer) in fork.ids().zip(&fork.consumers) {
        let is_same = |group: &Vec<ConsumerId>| {
            let first = &fork.consumers[group[0].index()];
            first.gate == consumer.gate && have_same_events(&first.order, &consumer.order, &fork.tensor, limit)
        };
        match groups.iter().position(is_same) {
            Some(group) => groups[group].push(id),
            None => groups.push(vec![id]),
        }
    }
    groups
}

/// Tells whether two orders on a tensor of a shape touch the same tokens in the same sequence, however they are
/// written. Those that would have to be compared one by one, and have more accesses than the limit, are taken to
/// differ.
pub fn have_same_events(one: &Order, other: &Order, shape: &[i64], limit: u32) -> bool {
    if one == other {
        return true;
    }
    if one.event_count() != other.event_count() {
        return false;
    }
    match (Normal::of(one, shape), Normal::of(other, shape)) {
        (Some(one), Some(other)) => one == other,
        _ => same_events(one, other, shape, limit),
    }
}

/// An order without anything that its events do not depend on; only of one whose tokens are never clipped.
#[derive(PartialEq, Eq)]
struct Normal {
    nest: Nest,
    token: Vec<i64>,
    dilation: Vec<i64>,
    lanes: Vec<usize>,
}

impl Normal {
    fn of(order: &Order, shape: &[i64]) -> Option<Normal> {
        let nest = Nest::of(order)?;
        let is_inside = (0..shape.len()).all(|dimension| {
            let (low, high) = nest.range(dimension);
            let reach = (order.token[dimension] - 1).saturating_mul(order.dilation[dimension]);
            low >= 0 && high.saturating_add(reach) < shape[dimension]
        });
        let dilations = order.token.iter().zip(&order.dilation);
        is_inside.then(|| Normal {
            nest,
            token: order.token.clone(),
            dilation: dilations
                .map(|(&token, &dilation)| if token == 1 { 1 } else { dilation })
                .collect(),
            lanes: order
                .lanes
                .iter()
                .copied()
                .filter(|&dimension| order.token[dimension] > 1)
                .collect(),
        })
    }
}
