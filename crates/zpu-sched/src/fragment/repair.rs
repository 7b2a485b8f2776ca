//! Orders that data forbid: pair by pair, what data allow is kept.
//!
//! The pairs that the schedule demands come first, then those that only complete it; neighbours come before pairs that
//! are further apart. A pair is skipped if a path leads the other way, so that the result has no cycle and orders every
//! two units of a mesh.

use super::error::joined;
use super::graph::{Closure, path};
use super::keys;
use super::name::Builtin;
use super::predicate::must_happen_before;
use super::problem::NodeId;
use super::remark::{Reason, Remark};
use super::schedule::Prepared;
use super::unit::Unit;

/// The most nodes for which that is done: each new edge may cost the square of their number, in words of 64.
pub(crate) const MOST_NODES: usize = 1 << 12;

/// Returns orders that data allow, and a remark for each mesh on which a demand of the schedule was skipped.
pub(crate) fn repair(
    prepared: &Prepared<'_>,
    builtin: Builtin,
    orders: Vec<Vec<NodeId>>,
) -> (Vec<Vec<NodeId>>, Vec<Remark>) {
    let program = prepared.program;
    let mut closure = Closure::new(&prepared.data);
    let mut skipped: Vec<Option<(NodeId, NodeId)>> = vec![None; orders.len()];
    let unit = |node: NodeId| {
        program
            .node(node)
            .fragment()
            .and_then(|fragment| Unit::of(node, fragment))
    };
    for demanded in [true, false] {
        let longest = orders.iter().map(Vec::len).max().unwrap_or(0);
        for distance in 1..longest {
            for (mesh, order) in orders.iter().enumerate() {
                let grid = keys::grid(program, &prepared.units, mesh);
                for (&a, &b) in order.iter().zip(order.iter().skip(distance)) {
                    let demands = || match (unit(a), unit(b)) {
                        (Some(a), Some(b)) => !builtin.is_predicate() || must_happen_before(builtin, grid, &a, &b),
                        _ => false,
                    };
                    if closure.leads(a, b) || (demanded && !demands()) {
                        continue;
                    }
                    if !closure.leads(b, a) {
                        closure.add(a, b);
                    } else if demanded {
                        skipped[mesh].get_or_insert((a, b));
                    }
                }
            }
        }
    }
    let remarks = skipped.into_iter().flatten().map(|(a, b)| {
        let found = path(program, &prepared.data, b, a);
        let text = match found {
            Some(path) => format!("data demand the opposite: {}", joined(&program.parties(path), " -> ")),
            None => "data and the rest of the schedule demand the opposite".to_owned(),
        };
        Remark::new(Reason::AgainstData, program.parties([a, b]), text)
    });
    let remarks = remarks.collect();
    let sorted = orders.into_iter().map(|order| {
        let before = |node: &NodeId| order.iter().filter(|other| closure.leads(**other, *node)).count();
        let mut sorted: Vec<(usize, NodeId)> = order.iter().map(|node| (before(node), *node)).collect();
        sorted.sort_unstable();
        sorted.into_iter().map(|(_, node)| node).collect()
    });
    (sorted.collect(), remarks)
}
