//! Timed event graphs: the exact long-run period and the exact start times of a pipeline of any number of levels.
//!
//! An event is the start of an operation in each iteration. An edge says that its target starts no earlier than some
//! cycles after its source of some iterations before. Everything starts as early as the edges allow, at cycle 0 or
//! later; iterations before the first one bind nobody.
//!
//! Invariant: the arithmetic is on integers and exact. [`EventGraph::new`] refuses weights whose sum could overflow.
//!
//! Durations are fixed, so shared links, which stretch transfers that run at the same time, make a period a lower bound
//! only.

use std::num::{NonZeroU32, NonZeroU64};

use crate::ratio::Ratio;

/// An event of an [`EventGraph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventId(pub usize);

/// `start(to, i) >= start(from, i - distance) + weight`, for all iterations `i >= distance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    /// The event that comes first.
    pub from: EventId,
    /// The event that waits for it.
    pub to: EventId,
    /// Cycles.
    pub weight: u64,
    /// Iterations.
    pub distance: u64,
}

/// A level of a fused pipeline: loads into a buffer, each from a tile of the level above. Times are in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Level {
    /// Loads for each load of the level above; those of the outermost level for each iteration of the graph.
    pub steps: NonZeroU32,
    /// From the start of a load until its data may be read.
    pub latency: u64,
    /// That a load takes the level's engine.
    pub occupancy: u64,
    /// Versions of the buffer.
    pub versions: NonZeroU32,
}

/// The reason why there is no graph, or no period or start times of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventGraphError {
    /// An edge names an event that there is not.
    #[error("an edge names event {}, the graph has {events}", event.0)]
    NoEvent {
        /// The event.
        event: EventId,
        /// The number of events.
        events: usize,
    },
    /// An event that has to start after itself.
    #[error("event {} has to start after itself in the same iteration", event.0)]
    ZeroDistance {
        /// An event on a cycle that has a weight but no distance.
        event: EventId,
    },
    /// Weights, distances or start times that leave the range of exact arithmetic.
    #[error("the sum of weights, the sum of distances or a start time is more than {MOST_CYCLES}")]
    TooLarge,
    /// Levels whose steps multiply to too many events.
    #[error("the levels need more than {MOST_EVENTS} events in an iteration")]
    TooManyEvents,
}

/// The largest sum of all weights, sum of all distances, and start time. Products of two of them fit 127 bits.
pub const MOST_CYCLES: u64 = 1 << 62;

/// The most events of a graph that [`EventGraph::of_levels`] makes.
pub const MOST_EVENTS: usize = 1_000_000;

/// Events and edges between them.
#[derive(Clone, Debug)]
pub struct EventGraph {
    events: usize,
    edges: Vec<Edge>,
}

impl EventGraph {
    /// A graph of so many events.
    ///
    /// # Errors
    ///
    /// [`EventGraphError::NoEvent`] and [`EventGraphError::TooLarge`].
    pub fn new(events: usize, edges: Vec<Edge>) -> Result<Self, EventGraphError> {
        let (mut weight, mut distance) = (0u64, 0u64);
        for edge in &edges {
            if let Some(event) = [edge.from, edge.to].into_iter().find(|event| event.0 >= events) {
                return Err(EventGraphError::NoEvent { event, events });
            }
            weight = weight.saturating_add(edge.weight);
            distance = distance.saturating_add(edge.distance);
        }
        if weight.max(distance) > MOST_CYCLES {
            return Err(EventGraphError::TooLarge);
        }
        Ok(Self { events, edges })
    }

    /// The fused pipeline of these levels, the outermost first, and of a use of `work` cycles for each load of the
    /// innermost one.
    ///
    /// Each level has an engine of its own, and the uses have one; all work in order. The slot of a tile is free when
    /// the last load from it has arrived, that of the innermost level when its use ends.
    ///
    /// Events are the starts of the loads of one iteration, level by level and in program order, and then those of the
    /// uses. If the outermost level has one step, the period is that of [`crate::OneLevel::period`] and
    /// [`crate::TwoLevels::period`].
    ///
    /// # Errors
    ///
    /// [`EventGraphError::TooManyEvents`] and [`EventGraphError::TooLarge`].
    pub fn of_levels(levels: &[Level], work: u64) -> Result<Self, EventGraphError> {
        let mut rows = Vec::new();
        let (mut events, mut length) = (0usize, 1usize);
        for level in levels {
            length = length.saturating_mul(level.steps.get() as usize);
            rows.push(Row {
                first: events,
                length,
                occupancy: level.occupancy,
            });
            events = events.saturating_add(length);
        }
        rows.push(Row {
            first: events,
            length,
            occupancy: work,
        });
        events = events.saturating_add(length);
        if events > MOST_EVENTS {
            return Err(EventGraphError::TooManyEvents);
        }

        let mut edges = Vec::new();
        for row in &rows {
            edges.extend((0..row.length).map(|at| row.edge(at, row, at + 1, row.occupancy)));
        }
        for (at, level) in levels.iter().enumerate() {
            let (row, readers) = (&rows[at], &rows[at + 1]);
            let reads = readers.length / row.length;
            let until_read = levels.get(at + 1).map_or(work, |inner| inner.latency);
            for tile in 0..row.length {
                let (first, last) = (tile * reads, tile * reads + reads - 1);
                edges.push(row.edge(tile, readers, first, level.latency));
                edges.push(readers.edge(last, row, tile + level.versions.get() as usize, until_read));
            }
        }
        Self::new(events, edges)
    }

    /// The number of events.
    pub fn events(&self) -> usize {
        self.events
    }

    /// All edges.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Cycles per iteration in the long run: the greatest ratio of weight to distance of all cycles. It is that of the
    /// slowest event, and of all events if each depends on each. `None` if no cycle has a distance, so that nothing
    /// holds back later iterations.
    ///
    /// Starts below all ratios, and goes to the ratio of a better cycle as long as there is one. The ratio grows each
    /// time, and there are finitely many simple cycles. Source: E. L. Lawler, "Combinatorial Optimization: Networks and
    /// Matroids" (1976), on minimal ratio cycles, with steps from cycle to cycle instead of bisection.
    ///
    /// # Errors
    ///
    /// [`EventGraphError::ZeroDistance`].
    pub fn period(&self) -> Result<Option<Ratio>, EventGraphError> {
        let together = self.together()?;
        let mut best = None;
        while let Some(better) = together.cycle_above(best) {
            best = Some(better);
        }
        Ok(best)
    }

    /// The start times of so many iterations, in cycles: for each iteration those of all events, by [`EventId`].
    ///
    /// # Errors
    ///
    /// [`EventGraphError::ZeroDistance`], and [`EventGraphError::TooLarge`] for a start that is too late.
    pub fn times(&self, iterations: usize) -> Result<Vec<Vec<u64>>, EventGraphError> {
        let together = self.together()?;
        let mut starts: Vec<Vec<u64>> = Vec::with_capacity(iterations);
        for at in 0..iterations {
            starts.push(vec![0; together.sets]);
            for edge in &together.edges {
                let Some(before) = (at as u64).checked_sub(edge.distance) else {
                    continue;
                };
                // Both numbers are at most 2^62.
                let start = starts[before as usize][edge.from.0] + edge.weight;
                if start > MOST_CYCLES {
                    return Err(EventGraphError::TooLarge);
                }
                let latest = &mut starts[at][edge.to.0];
                *latest = start.max(*latest);
            }
        }
        let of_events = |starts: Vec<u64>| together.set_of.iter().map(|set| starts[*set]).collect();
        Ok(starts.into_iter().map(of_events).collect())
    }

    /// The graph with one event for those that start at the same time, which are on common cycles without a distance.
    ///
    /// Source: the algorithm of S. R. Kosaraju and M. Sharir for strongly connected components.
    fn together(&self) -> Result<Together, EventGraphError> {
        let mut successors = vec![Vec::new(); self.events];
        let mut predecessors = vec![Vec::new(); self.events];
        for edge in self.edges.iter().filter(|edge| edge.distance == 0) {
            successors[edge.from.0].push(edge.to.0);
            predecessors[edge.to.0].push(edge.from.0);
        }
        let mut finished = Vec::new();
        let mut seen = vec![false; self.events];
        for root in 0..self.events {
            visit(root, &successors, &mut seen, &mut finished);
        }
        let mut set_of = vec![0; self.events];
        let mut sets = 0;
        seen.fill(false);
        for root in finished.into_iter().rev() {
            let mut members = Vec::new();
            visit(root, &predecessors, &mut seen, &mut members);
            for event in &members {
                set_of[*event] = sets;
            }
            sets += usize::from(!members.is_empty());
        }

        let mut edges = Vec::new();
        for edge in &self.edges {
            let (from, to) = (set_of[edge.from.0], set_of[edge.to.0]);
            match (from == to && edge.distance == 0, edge.weight) {
                (true, 0) => {}
                (true, _) => return Err(EventGraphError::ZeroDistance { event: edge.from }),
                (false, _) => edges.push(Edge {
                    from: EventId(from),
                    to: EventId(to),
                    ..*edge
                }),
            }
        }
        edges.sort_by_key(|edge| edge.to);
        Ok(Together { set_of, sets, edges })
    }
}

/// Sets of events that start at the same time, and edges between sets, by their targets. An edge without a distance
/// goes to a later set, so that all edges to its source come before it.
struct Together {
    set_of: Vec<usize>,
    sets: usize,
    edges: Vec<Edge>,
}

impl Together {
    /// The ratio of a cycle that is greater than `best`, or that of any cycle.
    ///
    /// Relaxes edges of weight `weight - best * distance`, times the denominator of `best`, until nothing changes or
    /// the edges that were last relaxed into each set close cycles. Such cycles have positive weights.
    fn cycle_above(&self, best: Option<Ratio>) -> Option<Ratio> {
        let (numerator, denominator) = match best {
            Some(best) => (i128::from(best.numerator()), i128::from(best.denominator())),
            None => (-1, 1),
        };
        let mut latest = vec![0i128; self.sets];
        let mut relaxed: Vec<Option<usize>> = vec![None; self.sets];
        loop {
            let mut is_stable = true;
            for (at, edge) in self.edges.iter().enumerate() {
                let length = i128::from(edge.weight) * denominator - numerator * i128::from(edge.distance);
                let start = latest[edge.from.0] + length;
                if start > latest[edge.to.0] {
                    latest[edge.to.0] = start;
                    relaxed[edge.to.0] = Some(at);
                    is_stable = false;
                }
            }
            if is_stable {
                return None;
            }
            if let Some(ratio) = self.best_cycle(&relaxed) {
                return Some(ratio);
            }
        }
    }

    /// The greatest ratio of the cycles of a graph in which at most one edge, given by its position, enters a set.
    fn best_cycle(&self, entering: &[Option<usize>]) -> Option<Ratio> {
        const UNSEEN: usize = usize::MAX;
        let mut seen_from = vec![UNSEEN; self.sets];
        let mut best = None;
        for root in 0..self.sets {
            let mut set = root;
            while let (UNSEEN, Some(edge)) = (seen_from[set], entering[set]) {
                seen_from[set] = root;
                set = self.edges[edge].from.0;
            }
            if seen_from[set] == root {
                best = best.max(self.ratio_of_cycle(set, entering));
            }
        }
        best
    }

    fn ratio_of_cycle(&self, start: usize, entering: &[Option<usize>]) -> Option<Ratio> {
        let (mut weight, mut distance, mut set) = (0, 0, start);
        loop {
            let edge = self.edges[entering[set]?];
            weight += edge.weight;
            distance += edge.distance;
            set = edge.from.0;
            if set == start {
                return Some(Ratio::new(weight, NonZeroU64::new(distance)?));
            }
        }
    }
}

/// Appends all unseen events that `root` leads to, itself included, each of them after those that it leads to.
fn visit(root: usize, successors: &[Vec<usize>], seen: &mut [bool], finished: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[root], true) {
        return;
    }
    let mut open = vec![(root, successors[root].iter())];
    while let Some((event, next)) = open.last_mut() {
        match next.next() {
            Some(&to) if std::mem::replace(&mut seen[to], true) => {}
            Some(&to) => open.push((to, successors[to].iter())),
            None => {
                finished.push(*event);
                open.pop();
            }
        }
    }
}

/// The operations of one engine in an iteration.
struct Row {
    first: usize,
    length: usize,
    occupancy: u64,
}

impl Row {
    /// An edge from operation `from` of this row to operation `to` of another, which may be one of a later iteration.
    fn edge(&self, from: usize, other: &Self, to: usize, weight: u64) -> Edge {
        Edge {
            from: EventId(self.first + from),
            to: EventId(other.first + to % other.length),
            weight,
            distance: (to / other.length) as u64,
        }
    }
}
