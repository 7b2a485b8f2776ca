//! The least cost of any connected graph, by branch and bound.
//!
//! Operations are decided along the graph, so that each but the first has a neighbour that is. The bound of a tensor is
//! what the wishes so far cost under the best output of its producer that is still possible; wishes only grow, so that
//! it never exceeds the cost.

use super::{LayoutId, OpId, Problem, consumers, cost, wants};

/// The most operations of a part that is searched: each is a level of the search, and a change of one is judged by all.
const MAX_OPS: usize = 2000;

/// Improves the choice of a part; whether nothing better is left.
pub(super) fn solve(problem: &Problem, part: &[OpId], limit: u64, choice: &mut [usize]) -> bool {
    if part.len() > MAX_OPS {
        return false;
    }
    let order = along(problem, part);
    let mut search = Search {
        problem,
        order,
        decided: vec![None; problem.ops.len()],
        wishes: vec![Vec::new(); problem.ops.len()],
        bounds: vec![0; problem.ops.len()],
        best: choice.to_vec(),
        best_cost: 0,
        nodes: 0,
        limit,
    };
    search.descend_from(choice);
    search.best_cost = search.cost_of_part(&search.best);
    search.visit(0, 0);
    choice.clone_from_slice(&search.best);
    search.nodes < limit
}

/// Operations such that each but the first has a neighbour before it.
fn along(problem: &Problem, part: &[OpId]) -> Vec<OpId> {
    let consumers = consumers(problem);
    let mut is_met = vec![false; problem.ops.len()];
    let mut order: Vec<OpId> = part.first().copied().into_iter().collect();
    order.iter().for_each(|id| is_met[id.index()] = true);
    let mut next = 0;
    while let Some(&id) = order.get(next) {
        next += 1;
        for other in problem.ops[id.index()].inputs.iter().chain(&consumers[id.index()]) {
            if !std::mem::replace(&mut is_met[other.index()], true) {
                order.push(*other);
            }
        }
    }
    order
}

struct Search<'p> {
    problem: &'p Problem,
    order: Vec<OpId>,
    decided: Vec<Option<usize>>,
    /// Layouts that decided consumers want of each tensor, one entry a wish.
    wishes: Vec<Vec<LayoutId>>,
    /// Least cost of the wishes of each tensor.
    bounds: Vec<u128>,
    best: Vec<usize>,
    best_cost: u128,
    nodes: u64,
    limit: u64,
}

impl Search<'_> {
    /// The cost of tensors of this part; those of others do not change.
    fn cost_of_part(&self, choice: &[usize]) -> u128 {
        cost(self.problem, choice).0 - self.cost_of_others(choice)
    }

    fn cost_of_others(&self, choice: &[usize]) -> u128 {
        let mut is_own = vec![false; self.problem.ops.len()];
        self.order.iter().for_each(|id| is_own[id.index()] = true);
        let mut wished: Vec<Vec<LayoutId>> = vec![Vec::new(); self.problem.ops.len()];
        for (op, &chosen) in self.problem.ops.iter().zip(choice) {
            for (input, layout) in op.inputs.iter().zip(&op.alternatives[chosen].inputs) {
                if !is_own[input.index()] && !wished[input.index()].contains(layout) {
                    wished[input.index()].push(*layout);
                }
            }
        }
        let each = wished.iter().enumerate().map(|(at, layouts)| {
            let from = self.problem.ops[at].alternatives[choice[at]].output;
            layouts
                .iter()
                .map(|&to| self.problem.ops[at].conversion(from, to))
                .sum::<u128>()
        });
        each.sum()
    }

    /// Changes one operation at a time as long as that helps, from a choice on.
    fn descend_from(&mut self, choice: &[usize]) {
        let mut now = choice.to_vec();
        let mut now_cost = self.cost_of_part(&now);
        // Each round makes the cost smaller; few are enough for a start.
        for _ in 0..8 {
            let before = now_cost;
            for &id in &self.order {
                let kept = now[id.index()];
                let mut best = (now_cost, kept);
                for alternative in 0..self.problem.ops[id.index()].alternatives.len() {
                    now[id.index()] = alternative;
                    let cost = self.cost_of_part(&now);
                    if cost < best.0 {
                        best = (cost, alternative);
                    }
                }
                (now_cost, now[id.index()]) = best;
            }
            if now_cost == before {
                break;
            }
        }
        self.best = now;
    }

    /// The least that the wishes of a tensor cost.
    fn bound(&self, tensor: OpId) -> u128 {
        let op = &self.problem.ops[tensor.index()];
        let mut wished = self.wishes[tensor.index()].clone();
        wished.sort_unstable();
        wished.dedup();
        let with = |alternative: usize| -> u128 {
            let from = op.alternatives[alternative].output;
            wished.iter().map(|&to| op.conversion(from, to)).sum()
        };
        match self.decided[tensor.index()] {
            Some(alternative) => with(alternative),
            None => (0..op.alternatives.len()).map(with).min().unwrap_or(0),
        }
    }

    /// Decides an operation, and says by how much the bound grows.
    fn decide(&mut self, id: OpId, alternative: usize) -> u128 {
        self.decided[id.index()] = Some(alternative);
        self.change(id, alternative, true)
    }

    fn undo(&mut self, id: OpId, alternative: usize) {
        self.decided[id.index()] = None;
        self.change(id, alternative, false);
    }

    /// Adds or removes the wishes of an alternative; the growth of the bounds, if they grow.
    fn change(&mut self, id: OpId, alternative: usize, adds: bool) -> u128 {
        let mut tensors = self.problem.ops[id.index()].inputs.clone();
        tensors.push(id);
        tensors.sort_unstable();
        tensors.dedup();
        let mut growth = 0;
        for tensor in tensors {
            for layout in wants(&self.problem.ops[id.index()], alternative, tensor) {
                let wishes = &mut self.wishes[tensor.index()];
                if adds {
                    wishes.push(layout);
                } else if let Some(at) = wishes.iter().rposition(|&wish| wish == layout) {
                    wishes.remove(at);
                }
            }
            let bound = self.bound(tensor);
            growth += bound.saturating_sub(self.bounds[tensor.index()]);
            self.bounds[tensor.index()] = bound;
        }
        growth
    }

    fn visit(&mut self, depth: usize, bound: u128) {
        let Some(&id) = self.order.get(depth) else {
            if bound < self.best_cost {
                self.best_cost = bound;
                for &id in &self.order {
                    self.best[id.index()] = self.decided[id.index()].unwrap_or(0);
                }
            }
            return;
        };
        let mut alternatives: Vec<(u128, usize)> = Vec::new();
        for alternative in 0..self.problem.ops[id.index()].alternatives.len() {
            alternatives.push((bound + self.decide(id, alternative), alternative));
            self.undo(id, alternative);
        }
        alternatives.sort_unstable();
        for (next, alternative) in alternatives {
            self.nodes += 1;
            if next >= self.best_cost || self.nodes >= self.limit {
                break;
            }
            self.decide(id, alternative);
            self.visit(depth + 1, next);
            self.undo(id, alternative);
        }
    }
}
