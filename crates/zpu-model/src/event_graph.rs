//! Timed event graphs: what any number of levels, engines and rings comes to in the long run, exactly.
//!
//! A node is the start of an operation in each iteration. An edge says that the start of one is at least so many cycles
//! after that of another one, some iterations before. The starts follow by longest paths, and the period, which is the
//! greatest ratio of cycles to iterations over all cycles of the graph, by Lawler's method in integers: a ratio is
//! raised to that of a cycle above it until there is none.

use crate::levels::Load;
use crate::ratio::Ratio;

/// A node by its number.
pub type Node = usize;

#[derive(Clone, Copy, Debug)]
struct Edge {
    from: Node,
    to: Node,
    cycles: u64,
    iterations: u64,
}

/// A graph of starts.
#[derive(Clone, Debug, Default)]
pub struct EventGraph {
    nodes: usize,
    edges: Vec<Edge>,
}

/// The reason why nothing can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("operation {0} waits for itself in the same iteration")]
pub struct WaitsForItself(pub Node);

impl EventGraph {
    /// Adds a node.
    pub fn add(&mut self) -> Node {
        self.nodes += 1;
        self.nodes - 1
    }

    /// `to` starts at least `cycles` after `from` did `iterations` earlier.
    ///
    /// # Panics
    ///
    /// If one of them is no node.
    pub fn order(&mut self, from: Node, to: Node, cycles: u64, iterations: u64) {
        assert!(from < self.nodes && to < self.nodes, "an edge is between nodes");
        self.edges.push(Edge {
            from,
            to,
            cycles,
            iterations,
        });
    }

    /// The graph of fused levels: for each operation of a level, so many of the next one, which load from it; for each
    /// of the innermost, a use. An iteration is one operation of the outermost level; its own number is ignored.
    ///
    /// # Panics
    ///
    /// If a level has no steps or no versions.
    pub fn of_levels(levels: &[(u64, Load)], work: u64) -> Self {
        let mut graph = Self::default();
        let mut counts = Vec::with_capacity(levels.len() + 1);
        let mut all: Vec<Vec<Node>> = Vec::with_capacity(levels.len() + 1);
        for (at, (steps, load)) in levels.iter().enumerate() {
            assert!(*steps > 0 && load.versions > 0, "a level has steps and versions");
            let count = if at == 0 { 1 } else { counts[at - 1] * steps };
            counts.push(count);
        }
        counts.push(counts.last().copied().unwrap_or(1));
        for count in &counts {
            all.push((0..*count).map(|_| graph.add()).collect());
        }
        let busy = |at: usize| levels.get(at).map_or(work, |(_, load)| load.occupancy);
        for (at, nodes) in all.iter().enumerate() {
            for pair in nodes.windows(2) {
                graph.order(pair[0], pair[1], busy(at), 0);
            }
            if let (Some(first), Some(last)) = (nodes.first(), nodes.last()) {
                graph.order(*last, *first, busy(at), 1);
            }
        }
        for (at, (_, load)) in levels.iter().enumerate() {
            let readers = counts[at + 1] / counts[at];
            // A reader is done when its own data is there, and a use when it ends.
            let done = levels.get(at + 1).map_or(work, |(_, next)| next.latency);
            for number in 0..counts[at] {
                let node = all[at][number as usize];
                graph.order(node, all[at + 1][(number * readers) as usize], load.latency, 0);
                let last_reader = all[at + 1][(number * readers + readers - 1) as usize];
                let next = number + load.versions;
                let freed = all[at][(next % counts[at]) as usize];
                graph.order(last_reader, freed, done, next / counts[at]);
            }
        }
        graph
    }

    /// Cycles of an iteration in the long run; `None` if nothing holds an iteration back.
    ///
    /// # Errors
    ///
    /// [`WaitsForItself`].
    pub fn period(&self) -> Result<Option<Ratio>, WaitsForItself> {
        self.in_order()?;
        let mut period = None;
        while let Some(above) = self.cycle_above(period) {
            period = Some(above);
        }
        Ok(period)
    }

    /// The earliest starts in so many iterations, node by node, the first one at 0.
    ///
    /// # Errors
    ///
    /// [`WaitsForItself`].
    pub fn starts(&self, iterations: usize) -> Result<Vec<Vec<u64>>, WaitsForItself> {
        let order = self.in_order()?;
        let mut into: Vec<Vec<&Edge>> = vec![Vec::new(); self.nodes];
        for edge in &self.edges {
            into[edge.to].push(edge);
        }
        let mut starts: Vec<Vec<u64>> = Vec::with_capacity(iterations);
        for iteration in 0..iterations {
            let mut own = vec![0; self.nodes];
            for node in &order {
                let after = into[*node].iter().filter_map(|edge| {
                    let earlier = usize::try_from(edge.iterations).ok()?;
                    let from = match earlier {
                        0 => own[edge.from],
                        _ => starts[iteration.checked_sub(earlier)?][edge.from],
                    };
                    Some(from + edge.cycles)
                });
                own[*node] = after.max().unwrap_or(0);
            }
            starts.push(own);
        }
        Ok(starts)
    }

    /// The nodes, each after those that it waits for in the same iteration.
    fn in_order(&self) -> Result<Vec<Node>, WaitsForItself> {
        let mut waits = vec![0usize; self.nodes];
        let mut next: Vec<Vec<Node>> = vec![Vec::new(); self.nodes];
        for edge in self.edges.iter().filter(|edge| edge.iterations == 0) {
            waits[edge.to] += 1;
            next[edge.from].push(edge.to);
        }
        let mut order: Vec<Node> = (0..self.nodes).filter(|node| waits[*node] == 0).collect();
        let mut at = 0;
        while let Some(node) = order.get(at).copied() {
            at += 1;
            for to in &next[node] {
                waits[*to] -= 1;
                if waits[*to] == 0 {
                    order.push(*to);
                }
            }
        }
        match waits.iter().position(|waits| *waits > 0) {
            Some(node) => Err(WaitsForItself(node)),
            None => Ok(order),
        }
    }

    /// The ratio of a cycle that is above this one, or of any cycle; `None` if there is none. By Bellman and Ford: a
    /// node whose path still grows after as many rounds as there are nodes lies behind such a cycle.
    fn cycle_above(&self, ratio: Option<Ratio>) -> Option<Ratio> {
        // Without a ratio every cycle counts, as one that is worth its iterations.
        let worth = |edge: &Edge| match ratio {
            Some(ratio) => {
                i128::from(edge.cycles) * i128::from(ratio.per())
                    - i128::from(edge.iterations) * i128::from(ratio.cycles())
            }
            None => i128::from(edge.iterations),
        };
        let mut longest = vec![0i128; self.nodes];
        let mut by: Vec<Option<&Edge>> = vec![None; self.nodes];
        let mut grown = None;
        for _ in 0..=self.nodes {
            grown = None;
            for edge in &self.edges {
                let length = longest[edge.from] + worth(edge);
                if length > longest[edge.to] {
                    longest[edge.to] = length;
                    by[edge.to] = Some(edge);
                    grown = Some(edge.to);
                }
            }
            grown?;
        }
        // As many steps back as there are nodes lead into the cycle.
        let mut node = grown?;
        for _ in 0..self.nodes {
            node = by[node]?.from;
        }
        let (mut cycles, mut iterations, first) = (0, 0, node);
        loop {
            let edge = by[node]?;
            cycles += edge.cycles;
            iterations += edge.iterations;
            node = edge.from;
            if node == first {
                return Some(Ratio::new(cycles, iterations));
            }
        }
    }
}
