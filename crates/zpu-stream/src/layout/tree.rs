//! The least cost of a tree, by a dynamic programme over operations and tensors.
//!
//! Operations and the tensors between them are a bipartite graph; if it has no circle, each part below a node depends
//! on the rest only through the alternative of an operation, or the layout and the wishes at a tensor. At a tensor all
//! sets of layouts into which it is converted are tried: each consumer then takes its cheapest alternative among those
//! whose wishes are there.

use super::{LayoutId, OpId, Problem, consumers, wants};

/// The most layouts that consumers of one tensor may want; all their sets are tried.
const MAX_WISHES: usize = 10;

const IMPOSSIBLE: u128 = u128::MAX;

/// Writes the best choice of a connected part, if it is a tree; no if it is none.
pub(super) fn solve(problem: &Problem, part: &[OpId], choice: &mut [usize]) -> bool {
    let Some(tree) = Tree::of(problem, part) else {
        return false;
    };
    let mut below: Vec<Vec<u128>> = vec![Vec::new(); problem.ops.len()];
    for &id in tree.order.iter().rev() {
        below[id.index()] = (0..problem.ops[id.index()].alternatives.len())
            .map(|alternative| tree.cost_below(&below, id, alternative))
            .collect();
    }
    for &id in &tree.order {
        choice[id.index()] = match tree.parent[id.index()] {
            None => least(&below[id.index()]),
            // The operation that this one was reached from has chosen; of those at one tensor all choose together.
            Some((tensor, from)) => match tree.best(&below, tensor, from, choice[from.index()]) {
                Some(best) => best
                    .into_iter()
                    .find(|(other, _)| *other == id)
                    .map_or(0, |(_, choice)| choice),
                None => 0,
            },
        };
    }
    true
}

fn least(costs: &[u128]) -> usize {
    let best = costs.iter().enumerate().min_by_key(|(_, cost)| **cost);
    best.map_or(0, |(at, _)| at)
}

struct Tree<'p> {
    problem: &'p Problem,
    consumers: Vec<Vec<OpId>>,
    /// Operations, each after the one that it was reached from.
    order: Vec<OpId>,
    /// The tensor through which an operation was reached, and from which operation.
    parent: Vec<Option<(OpId, OpId)>>,
    /// Layouts that consumers of a tensor may want.
    wishes: Vec<Vec<LayoutId>>,
}

impl<'p> Tree<'p> {
    fn of(problem: &'p Problem, part: &[OpId]) -> Option<Tree<'p>> {
        let consumers = consumers(problem);
        let mut wishes: Vec<Vec<LayoutId>> = vec![Vec::new(); problem.ops.len()];
        for &id in part {
            let op = &problem.ops[id.index()];
            for alternative in &op.alternatives {
                for (input, layout) in op.inputs.iter().zip(&alternative.inputs) {
                    wishes[input.index()].push(*layout);
                }
            }
        }
        for wishes in &mut wishes {
            wishes.sort_unstable();
            wishes.dedup();
            if wishes.len() > MAX_WISHES {
                return None;
            }
        }
        let mut tree = Tree {
            problem,
            consumers,
            order: vec![*part.first()?],
            parent: vec![None; problem.ops.len()],
            wishes,
        };
        let mut is_met = vec![false; problem.ops.len()];
        is_met[part.first()?.index()] = true;
        let mut next = 0;
        while let Some(&id) = tree.order.get(next) {
            next += 1;
            for tensor in tree.tensors(id) {
                if tree.parent[id.index()].is_some_and(|(from, _)| from == tensor) {
                    continue;
                }
                for other in tree.parties(tensor).filter(|&other| other != id).collect::<Vec<_>>() {
                    if std::mem::replace(&mut is_met[other.index()], true) {
                        return None;
                    }
                    tree.parent[other.index()] = Some((tensor, id));
                    tree.order.push(other);
                }
            }
        }
        Some(tree)
    }

    /// Tensors that an operation writes or reads, each once.
    fn tensors(&self, id: OpId) -> Vec<OpId> {
        let mut tensors = self.problem.ops[id.index()].inputs.clone();
        tensors.push(id);
        tensors.sort_unstable();
        tensors.dedup();
        tensors
    }

    /// The operations at a tensor: its producer and its consumers.
    fn parties(&self, tensor: OpId) -> impl Iterator<Item = OpId> {
        std::iter::once(tensor).chain(self.consumers[tensor.index()].iter().copied())
    }

    /// The least cost of all that hangs below an operation with an alternative.
    fn cost_below(&self, below: &[Vec<u128>], id: OpId, alternative: usize) -> u128 {
        let above = self.parent[id.index()].map(|(tensor, _)| tensor);
        let tensors = self.tensors(id).into_iter().filter(|&tensor| Some(tensor) != above);
        tensors
            .map(|tensor| self.cost(below, tensor, id, alternative).0)
            .fold(0, u128::saturating_add)
    }

    /// The choices of all operations at a tensor but one, whose alternative is given.
    fn best(&self, below: &[Vec<u128>], tensor: OpId, from: OpId, alternative: usize) -> Option<Vec<(OpId, usize)>> {
        self.cost(below, tensor, from, alternative).1
    }

    /// The least cost of a tensor and of all that hangs below it, and the choices that have it.
    fn cost(
        &self,
        below: &[Vec<u128>],
        tensor: OpId,
        from: OpId,
        alternative: usize,
    ) -> (u128, Option<Vec<(OpId, usize)>>) {
        let wishes = &self.wishes[tensor.index()];
        let set_of = |op: OpId, alternative: usize| -> u32 {
            let layouts = wants(&self.problem.ops[op.index()], alternative, tensor);
            layouts
                .filter_map(|layout| wishes.binary_search(&layout).ok())
                .fold(0, |set, at| set | 1 << at)
        };
        let others: Vec<OpId> = self.consumers[tensor.index()]
            .iter()
            .copied()
            .filter(|&consumer| consumer != from)
            .collect();
        // By set of layouts: the cheapest alternatives of the other consumers.
        let of_consumers = |set: u32| -> Option<(u128, Vec<(OpId, usize)>)> {
            let mut total = 0u128;
            let mut chosen = Vec::with_capacity(others.len());
            for &consumer in &others {
                let costs = below[consumer.index()].iter().enumerate();
                let allowed = costs.filter(|(at, _)| set_of(consumer, *at) & !set == 0);
                let (at, cost) = allowed.min_by_key(|(_, cost)| **cost)?;
                total = total.saturating_add(*cost);
                chosen.push((consumer, at));
            }
            Some((total, chosen))
        };
        let needed = if from == tensor { 0 } else { set_of(from, alternative) };
        let producers: Vec<(usize, u128)> = if from == tensor {
            vec![(alternative, 0)]
        } else {
            below[tensor.index()].iter().copied().enumerate().collect()
        };
        let op = &self.problem.ops[tensor.index()];
        let mut best = (IMPOSSIBLE, None);
        for set in 0..1u32 << wishes.len() {
            if needed & !set != 0 {
                continue;
            }
            let Some((consumed, chosen)) = of_consumers(set) else {
                continue;
            };
            for &(producer, produced) in &producers {
                let from_layout = op.alternatives[producer].output;
                let in_set = wishes.iter().enumerate().filter(|(at, _)| set & (1 << at) != 0);
                let converted = in_set.map(|(_, &to)| op.conversion(from_layout, to));
                let total = converted.fold(consumed, u128::saturating_add).saturating_add(produced);
                if total < best.0 {
                    let mut chosen = chosen.clone();
                    if from != tensor {
                        chosen.push((tensor, producer));
                    }
                    best = (total, Some(chosen));
                }
            }
        }
        best
    }
}
