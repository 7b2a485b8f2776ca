//! Microbatches that are all alike.
//!
//! If every microbatch has the same fragments with the same cycles, bytes and operands, then some best schedule runs
//! each kind of fragment in the order of microbatches: let the k-th fragment of a kind that a mesh runs be that of
//! microbatch k. Its operands are there, since at that time k of each kind of operand are complete, and no bytes are
//! released later. The order can therefore be demanded without loss, which shortens a search and raises a bound.

use rustc_hash::FxHashMap;

use super::problem::{MeshId, NodeId, NodeKind, Program};
use super::unit::{Piece, Unit};

/// Kind of a unit: mesh, stage and piece.
type Kind = (MeshId, Option<u32>, Piece);

/// An operand: its kind, and the cycles of the transfer in between.
type Operand = (Kind, Option<u64>);

/// Dependences from each fragment to the same one of the next microbatch, if microbatches are alike.
pub(crate) fn between_microbatches(program: &Program) -> Option<Vec<(NodeId, NodeId)>> {
    let unit = |id: NodeId| {
        let fragment = program.node(id).fragment()?;
        let unit = Unit::of(id, fragment)?;
        Some(((fragment.mesh, unit.stage, unit.piece), unit.counter, fragment.bytes))
    };
    // By kind, the nodes by microbatch; kinds in no order, which nothing depends on.
    let mut kinds: FxHashMap<Kind, Vec<(u32, NodeId)>> = FxHashMap::default();
    for (id, node) in program.ids() {
        match &node.kind {
            NodeKind::Fragment(_) => {
                let (kind, counter, _) = unit(id)?;
                kinds.entry(kind).or_default().push((counter, id));
            }
            NodeKind::Transfer { .. } if node.deps.len() == 1 => {}
            NodeKind::Transfer { .. } => return None,
        }
    }
    let operands = |id: NodeId, counter: u32| -> Option<Vec<Operand>> {
        let mut operands = Vec::new();
        for &dep in &program.node(id).deps {
            let node = program.node(dep);
            let (from, cycles) = match node.kind {
                NodeKind::Fragment(_) => (dep, None),
                NodeKind::Transfer { .. } => (node.deps[0], Some(node.cycles)),
            };
            let (kind, other, _) = unit(from)?;
            if other != counter {
                return None;
            }
            operands.push((kind, cycles));
        }
        operands.sort_unstable();
        Some(operands)
    };
    let mut edges = Vec::new();
    let mut counters: Option<Vec<u32>> = None;
    for mut nodes in kinds.into_values() {
        nodes.sort_unstable();
        let own: Vec<u32> = nodes.iter().map(|(counter, _)| *counter).collect();
        if own.windows(2).any(|pair| pair[0] == pair[1]) || counters.as_ref().is_some_and(|all| *all != own) {
            return None;
        }
        counters.get_or_insert(own);
        let figures = |(counter, id): (u32, NodeId)| {
            let bytes = unit(id).map(|(_, _, bytes)| bytes);
            operands(id, counter).map(|operands| (program.node(id).cycles, bytes, operands))
        };
        let first = figures(nodes[0])?;
        for &node in &nodes[1..] {
            if figures(node)? != first {
                return None;
            }
        }
        edges.extend(nodes.windows(2).map(|pair| (pair[0].1, pair[1].1)));
    }
    edges.sort_unstable();
    Some(edges)
}
