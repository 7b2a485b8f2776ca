//! List scheduling of a window of iterations: serial schedule generation with gap filling.
//!
//! Each operation, as soon as all that it depends on is placed, takes the earliest time at which its resources are
//! free, also in gaps before operations that are placed already. The priority decides which operation chooses first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::reservation::{Reservations, UNFOLDED};
use crate::work::Work;

/// The priority among the operations that are ready. All are deterministic: ties go to the earlier iteration, then to
/// source order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The longest chain to the end of the window.
    BottomLevel,
    /// The least room between earliest and latest start.
    Slack,
    /// Earlier iterations, then source order.
    Source,
    /// Operations that nothing precedes within an iteration, then the longest chain.
    Prefetch,
}

impl Rule {
    pub(crate) const ALL: [Rule; 4] = [Rule::BottomLevel, Rule::Slack, Rule::Source, Rule::Prefetch];
}

/// Start times of `iterations` copies of the loop body, by iteration and operation. Deadlines are ignored, and so are
/// dependences that close a cycle of no time.
pub(crate) fn window(work: &Work<'_>, iterations: usize, rule: Rule) -> Vec<Vec<i64>> {
    let count = work.count();
    let unrolled = Unrolled::new(work, iterations);
    let priority = unrolled.priorities(work, rule);
    let mut table = Reservations::new(work.problem, UNFOLDED);
    let mut waits = unrolled.waits.clone();
    let mut earliest = vec![0i64; count * iterations];
    let mut start = vec![0i64; count * iterations];
    let mut ready: BinaryHeap<(i64, Reverse<usize>)> = (0..start.len())
        .filter(|&instance| waits[instance] == 0)
        .map(|instance| (priority[instance], Reverse(instance)))
        .collect();
    while let Some((_, Reverse(instance))) = ready.pop() {
        let uses = work.uses(instance % count);
        let at = table
            .first_fit(uses, earliest[instance], UNFOLDED / 2)
            .unwrap_or(earliest[instance]);
        table.place(uses, at);
        start[instance] = at;
        for &(next, latency) in &unrolled.then[instance] {
            earliest[next] = earliest[next].max(at + latency);
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push((priority[next], Reverse(next)));
            }
        }
    }
    (0..iterations)
        .map(|k| start[k * count..(k + 1) * count].to_vec())
        .collect()
}

/// The dependences among the instances of a window; instance `k * count + op`.
struct Unrolled {
    then: Vec<Vec<(usize, i64)>>,
    waits: Vec<u32>,
}

impl Unrolled {
    fn new(work: &Work<'_>, iterations: usize) -> Unrolled {
        let count = work.count();
        let mut then = vec![vec![]; count * iterations];
        let mut waits = vec![0; count * iterations];
        let ordering = work.edges.iter().zip(&work.graph.arcs).filter(|(_, arc)| arc.orders());
        for (edge, _) in ordering {
            for from in 0..iterations {
                let to = from + edge.distance as usize;
                if to < iterations {
                    then[from * count + edge.from].push((to * count + edge.to, edge.latency));
                    waits[to * count + edge.to] += 1;
                }
            }
        }
        Unrolled { then, waits }
    }

    fn topological(&self) -> Vec<usize> {
        let mut waits = self.waits.clone();
        let mut order: Vec<usize> = (0..waits.len()).filter(|&i| waits[i] == 0).collect();
        let mut next = 0;
        while let Some(&instance) = order.get(next) {
            next += 1;
            for &(to, _) in &self.then[instance] {
                waits[to] -= 1;
                if waits[to] == 0 {
                    order.push(to);
                }
            }
        }
        order
    }

    fn priorities(&self, work: &Work<'_>, rule: Rule) -> Vec<i64> {
        let count = work.count();
        let order = self.topological();
        let mut bottom: Vec<i64> = (0..self.waits.len()).map(|i| work.latency[i % count]).collect();
        for &instance in order.iter().rev() {
            for &(to, latency) in &self.then[instance] {
                bottom[instance] = bottom[instance].max(latency + bottom[to]);
            }
        }
        match rule {
            Rule::BottomLevel => bottom,
            Rule::Source => (0..self.waits.len() as i64).map(|instance| -instance).collect(),
            Rule::Slack => {
                let mut top = vec![0i64; bottom.len()];
                for &instance in &order {
                    for &(to, latency) in &self.then[instance] {
                        top[to] = top[to].max(top[instance] + latency);
                    }
                }
                top.iter().zip(&bottom).map(|(top, bottom)| top + bottom).collect()
            }
            Rule::Prefetch => {
                let longest = bottom.iter().max().copied().unwrap_or(0) + 1;
                let is_first = first_operations(work);
                let bonus = |instance: usize| if is_first[instance % count] { longest } else { 0 };
                bottom
                    .iter()
                    .enumerate()
                    .map(|(instance, &bottom)| bottom + bonus(instance))
                    .collect()
            }
        }
    }
}

/// Operations that wait for nothing of their own iteration.
pub(crate) fn first_operations(work: &Work<'_>) -> Vec<bool> {
    let mut first = vec![true; work.count()];
    for arc in work.graph.arcs.iter().filter(|arc| arc.distance == 0 && arc.orders()) {
        first[arc.to] = false;
    }
    first
}
