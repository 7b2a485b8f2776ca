//! Branch and bound over the orders of all meshes.
//!
//! A node of the search takes the mesh on which some fragment could end first, and branches on the fragment that runs
//! next there: one of those that could start before that end (Giffler and Thompson, "Algorithms for solving
//! production-scheduling problems", Operations Research 8, 1960). Under a cap, a forward fragment may have to wait
//! though it could run; that is one more branch. Bounds are Jackson's preemptive schedules of what is left on each
//! mesh. Invariant: only steps are counted, no clock is read, so the same effort gives the same result.

use std::cmp::Reverse;

use super::bound::{Job, heads_and_tails, ordered, preemptive};
use super::graph::Arcs;
use super::problem::{NodeId, NodeKind, Program};
use super::replay::delay;
use super::schedule::Prepared;
use super::unit::{Piece, Unit};

/// The most fragments that are searched: a step looks at each of them.
pub(crate) const MOST_FRAGMENTS: usize = 96;

/// The outcome of a search.
pub(crate) struct Exact {
    /// The best orders, if any is better than what was known.
    pub(crate) best: Option<Vec<Vec<NodeId>>>,
    /// True if nothing is better than the best, or than what was known.
    pub(crate) is_complete: bool,
}

/// A fragment in the search.
struct Item {
    node: NodeId,
    mesh: usize,
    cycles: u64,
    tail: u64,
    /// Number for its mesh, stage and microbatch.
    group: usize,
    piece: Option<Piece>,
    bytes: u64,
    /// Items that wait for it, and cycles from its end to their start; transfers are part of those cycles.
    then: Vec<(usize, u64)>,
}

struct Search {
    items: Vec<Item>,
    meshes: usize,
    cap: Option<u64>,
    steps: u64,
    /// Makespans from this one on are not wanted.
    limit: u64,
    /// No makespan is below this.
    least: u64,
    best: Option<Vec<usize>>,
    is_cut: bool,
}

/// The state of a branch.
#[derive(Clone)]
struct State {
    free: Vec<u64>,
    held: Vec<u64>,
    waits: Vec<u32>,
    ready: Vec<u64>,
    is_done: Vec<bool>,
    /// Forward fragments that wait until something else has run on their mesh.
    is_blocked: Vec<bool>,
    groups: Vec<(u32, u64)>,
    order: Vec<usize>,
    last: u64,
}

/// Searches for a makespan below `known`. `None` if the program is not of the form that is searched: too large, or with
/// transfers that may wait for each other.
pub(crate) fn search(prepared: &Prepared<'_>, known: u64, least: u64, cap: Option<u64>, effort: u64) -> Option<Exact> {
    let program = prepared.program;
    let fragments = program.fragments().count();
    let waits_for_links = program
        .nodes
        .iter()
        .any(|node| node.fragment().is_none() && node.cycles > 0);
    if fragments > MOST_FRAGMENTS || waits_for_links {
        return None;
    }
    let (items, waits, groups) = items(prepared);
    let mut search = Search {
        meshes: program.meshes.len(),
        cap,
        steps: effort,
        limit: known,
        least,
        best: None,
        is_cut: false,
        items,
    };
    let count = search.items.len();
    let state = State {
        free: vec![0; search.meshes],
        held: vec![0; search.meshes],
        waits,
        ready: vec![0; count],
        is_done: vec![false; count],
        is_blocked: vec![false; count],
        groups,
        order: vec![],
        last: 0,
    };
    search.branch(state);
    let best = search.best.map(|order| {
        let mut rows = vec![vec![]; search.meshes];
        for item in order {
            rows[search.items[item].mesh].push(search.items[item].node);
        }
        rows
    });
    Some(Exact {
        best,
        is_complete: !search.is_cut,
    })
}

/// Fragments as items, the number of those that each waits for, and the groups.
fn items(prepared: &Prepared<'_>) -> (Vec<Item>, Vec<u32>, Vec<(u32, u64)>) {
    let program = prepared.program;
    let arcs = ordered(program);
    let (_, tails) = heads_and_tails(program, &arcs);
    let mut nodes: Vec<(NodeId, Option<Unit>)> = program
        .fragments()
        .map(|(id, fragment)| (id, Unit::of(id, fragment)))
        .collect();
    // Ties are broken by this order, which does not depend on that of the block.
    nodes.sort_by(|a, b| {
        let key = |unit: &Option<Unit>| unit.map(|unit| (unit.counter, unit.piece, unit.stage));
        let name = |id: NodeId| &program.node(id).name;
        key(&a.1).cmp(&key(&b.1)).then_with(|| name(a.0).cmp(name(b.0)))
    });
    let mut place = vec![usize::MAX; program.nodes.len()];
    for (at, (id, _)) in nodes.iter().enumerate() {
        place[id.index()] = at;
    }
    let mut keys: Vec<(u32, Option<u32>, u32)> = Vec::new();
    let mut groups: Vec<(u32, u64)> = Vec::new();
    let mut items = Vec::new();
    for &(id, unit) in &nodes {
        let Some(fragment) = program.node(id).fragment() else {
            continue;
        };
        let group = unit.map_or(usize::MAX, |unit| {
            let key = (fragment.mesh.0, unit.stage, unit.counter);
            let found = keys.iter().position(|other| *other == key);
            let group = found.unwrap_or_else(|| {
                keys.push(key);
                groups.push((0, 0));
                keys.len() - 1
            });
            match unit.piece {
                Piece::Forward => groups[group].1 += fragment.bytes,
                _ => groups[group].0 += 1,
            }
            group
        });
        let mut then = Vec::new();
        collect(program, &arcs, &place, id.index(), 0, &mut then);
        items.push(Item {
            node: id,
            mesh: fragment.mesh.index(),
            cycles: program.node(id).cycles,
            tail: tails[id.index()],
            group,
            piece: unit.map(|unit| unit.piece),
            bytes: fragment.bytes,
            then,
        });
    }
    let mut waits = vec![0; items.len()];
    for (user, _) in items.iter().flat_map(|item| &item.then) {
        waits[*user] += 1;
    }
    (items, waits, groups)
}

/// The fragments that wait for a node, through transfers, with the cycles in between.
fn collect(program: &Program, arcs: &Arcs, place: &[usize], node: usize, after: u64, then: &mut Vec<(usize, u64)>) {
    for &user in arcs.of(node) {
        let user = user as usize;
        let after = after + delay(program, node, user);
        match &program.nodes[user].kind {
            NodeKind::Fragment(_) => then.push((place[user], after)),
            NodeKind::Transfer { .. } => collect(program, arcs, place, user, after, then),
        }
    }
}

impl Search {
    fn branch(&mut self, state: State) {
        if self.limit <= self.least {
            return;
        }
        if self.steps == 0 {
            self.is_cut = true;
            return;
        }
        self.steps -= 1;
        if state.order.len() == self.items.len() {
            self.limit = state.last;
            self.best = Some(state.order);
            return;
        }
        if self.bound(&state) >= self.limit {
            return;
        }
        let start = |item: usize| state.ready[item].max(state.free[self.items[item].mesh]);
        let open: Vec<usize> = (0..self.items.len())
            .filter(|&item| !state.is_done[item] && state.waits[item] == 0 && !state.is_blocked[item])
            .filter(|&item| self.fits(&state, item))
            .collect();
        let ends = open
            .iter()
            .map(|&item| (start(item) + self.items[item].cycles, start(item), item));
        let Some((end, _, first)) = ends.min() else { return };
        let mesh = self.items[first].mesh;
        let mut choices: Vec<usize> = open
            .into_iter()
            .filter(|&item| self.items[item].mesh == mesh && (start(item) < end || item == first))
            .collect();
        choices.sort_by_key(|&item| (Reverse(self.items[item].tail), start(item), item));
        // Under a cap, the rest of the mesh may have to run before the forward fragments that could run now.
        let forwards: Vec<usize> = match self.cap {
            Some(_) => choices.iter().copied().filter(|&item| self.is_forward(item)).collect(),
            None => vec![],
        };
        for &item in &choices {
            self.branch(self.run(&state, item));
        }
        if !forwards.is_empty() {
            let mut state = state;
            forwards.iter().for_each(|&item| state.is_blocked[item] = true);
            self.branch(state);
        }
    }

    fn is_forward(&self, item: usize) -> bool {
        self.items[item].piece == Some(Piece::Forward)
    }

    fn fits(&self, state: &State, item: usize) -> bool {
        let Item { mesh, bytes, .. } = self.items[item];
        !self.is_forward(item) || self.cap.is_none_or(|cap| state.held[mesh].saturating_add(bytes) <= cap)
    }

    /// The state after a fragment has run.
    fn run(&self, state: &State, item: usize) -> State {
        let mut state = state.clone();
        let Item {
            mesh,
            cycles,
            group,
            bytes,
            piece,
            ..
        } = self.items[item];
        let end = state.ready[item].max(state.free[mesh]) + cycles;
        state.free[mesh] = end;
        state.last = state.last.max(end);
        state.is_done[item] = true;
        state.order.push(item);
        for &(user, after) in &self.items[item].then {
            // The order of microbatches is an edge too, of units on one mesh, so it adds no delay.
            state.ready[user] = state.ready[user].max(end + after);
            state.waits[user] -= 1;
        }
        if let (Some(piece), Some(group)) = (piece, state.groups.get_mut(group)) {
            if piece == Piece::Forward {
                state.held[mesh] += if group.0 > 0 { bytes } else { 0 };
            } else {
                group.0 -= 1;
                state.held[mesh] -= if group.0 == 0 { group.1.min(state.held[mesh]) } else { 0 };
            }
        }
        for (other, is_blocked) in state.is_blocked.iter_mut().enumerate() {
            *is_blocked &= self.items[other].mesh != mesh;
        }
        state
    }

    /// No completion of the state has a smaller makespan.
    fn bound(&self, state: &State) -> u64 {
        let mut jobs: Vec<Vec<Job>> = vec![vec![]; self.meshes];
        let mut heads = state.ready.clone();
        // Items are not in topological order; heads of what waits are raised once, which is enough for a bound.
        for (at, item) in self.items.iter().enumerate().filter(|(at, _)| !state.is_done[*at]) {
            heads[at] = heads[at].max(state.free[item.mesh]);
            for &(user, after) in &item.then {
                heads[user] = heads[user].max(heads[at] + item.cycles + after);
            }
        }
        for (at, item) in self.items.iter().enumerate().filter(|(at, _)| !state.is_done[*at]) {
            jobs[item.mesh].push(Job {
                head: heads[at].max(state.free[item.mesh]),
                cycles: item.cycles,
                tail: item.tail,
            });
        }
        jobs.into_iter().map(preemptive).fold(state.last, u64::max)
    }
}
