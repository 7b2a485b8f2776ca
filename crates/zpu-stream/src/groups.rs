//! Consumers that read the same tokens in the same order and wait for the same: one buffer serves them as one reader.

use crate::fork::{Consumer, ConsumerId, Fork};
use crate::order::{Nest, Order};
use crate::sweep::same_events;

/// Groups, each in the order of the consumers and by its first one. Consumers whose events would have to be compared
/// one by one, and have more of them than a limit, are taken to differ.
pub(crate) fn groups(fork: &Fork, limit: u32) -> Vec<Vec<ConsumerId>> {
    let mut groups: Vec<Vec<ConsumerId>> = Vec::new();
    for (id, consumer) in fork.ids().zip(&fork.consumers) {
        let is_same = |group: &Vec<ConsumerId>| {
            let first = &fork.consumers[group[0].index()];
            first.gate == consumer.gate && have_same_events(fork, first, consumer, limit)
        };
        match groups.iter().position(is_same) {
            Some(group) => groups[group].push(id),
            None => groups.push(vec![id]),
        }
    }
    groups
}

fn have_same_events(fork: &Fork, one: &Consumer, other: &Consumer, limit: u32) -> bool {
    if one.order == other.order {
        return true;
    }
    if one.order.event_count() != other.order.event_count() {
        return false;
    }
    match (
        Normal::of(&one.order, &fork.tensor),
        Normal::of(&other.order, &fork.tensor),
    ) {
        (Some(one), Some(other)) => one == other,
        _ => same_events(&one.order, &other.order, &fork.tensor, limit),
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
