//! List scheduling that knows latency and a cap on held bytes.
//!
//! Time goes forward; a mesh that is free takes the most urgent of its fragments whose operands have arrived, and a
//! forward fragment only if its bytes fit under the cap. A [`Rule`] says which is most urgent.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use rustc_hash::FxHashMap;

use super::problem::{NodeId, NodeKind, Program};
use super::replay::delay;
use super::schedule::Prepared;
use super::unit::{Piece, Unit};

/// The most urgent one among fragments of one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// The earliest microbatch.
    Microbatch,
    /// The latest stage forward, the earliest backward, so that a microbatch passes through fast.
    Depth,
    /// The longest path to the end of the program.
    Tail,
}

/// A priority rule.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Pieces, the most urgent first; `None` is urgency alone.
    pub(crate) pieces: Option<[Piece; 3]>,
    pub(crate) urgency: Urgency,
    /// True if a mesh waits for a more urgent fragment that starts before a less urgent one would end.
    pub(crate) waits: bool,
    /// The most bytes that a mesh may hold.
    pub(crate) cap: Option<u64>,
}

impl Rule {
    /// All rules under a cap, the best on average first.
    pub(crate) fn all(cap: Option<u64>) -> Vec<Rule> {
        let [f, b, w] = [Piece::Forward, Piece::Backward, Piece::Weight];
        let mut rules = Vec::new();
        for pieces in [Some([b, f, w]), Some([f, b, w]), None, Some([b, w, f])] {
            for urgency in [Urgency::Microbatch, Urgency::Depth, Urgency::Tail] {
                if pieces.is_none() && urgency != Urgency::Tail {
                    continue;
                }
                for waits in [false, true] {
                    rules.push(Rule {
                        pieces,
                        urgency,
                        waits,
                        cap,
                    });
                }
            }
        }
        rules
    }
}

/// What a rule compares: piece, urgency, and more to break ties; then rank and node.
type Key = (u32, u64, u64, u32, NodeId);

/// Stage, fragment and bytes of a forward fragment.
type Forward = (Option<u32>, NodeId, u64);

/// A mesh on the way.
#[derive(Default)]
struct Mesh {
    free: u64,
    held: u64,
    /// Fragments whose operands have arrived, the most urgent first.
    ready: BTreeSet<Key>,
    /// Fragments whose operands are on the way: arrival and key.
    coming: BTreeSet<(u64, Key)>,
    order: Vec<NodeId>,
}

/// Facts of a program that all rules use.
pub(crate) struct Facts {
    tails: Vec<u64>,
    units: Vec<Option<Unit>>,
    /// By node of a forward fragment, the bytes that later stages of its mesh need for one microbatch.
    reserve: Vec<u64>,
    /// By unit, its place in an order that does not depend on that of the block.
    rank: Vec<u32>,
    /// By unit, a number for its mesh, stage and microbatch.
    group: Vec<u32>,
    /// By group, backward pieces, and bytes.
    groups: Vec<(u32, u64)>,
}

impl Facts {
    pub(crate) fn new(prepared: &Prepared<'_>, tails: Vec<u64>) -> Facts {
        let program = prepared.program;
        let mut rank = vec![0; program.nodes.len()];
        for units in &prepared.units.of_mesh {
            for (place, unit) in (0..).zip(units) {
                rank[unit.node.index()] = place;
            }
        }
        let units: Vec<Option<Unit>> = program
            .ids()
            .map(|(id, node)| node.fragment().and_then(|fragment| Unit::of(id, fragment)))
            .collect();
        let mut numbers = FxHashMap::default();
        let (mut group, mut groups) = (vec![0; units.len()], Vec::new());
        let mut forwards: FxHashMap<(u32, u32), Vec<Forward>> = FxHashMap::default();
        for ((id, fragment), unit) in program.fragments().filter_map(|of| Some((of, units[of.0.index()]?))) {
            let key = (fragment.mesh, unit.stage, unit.counter);
            let number = *numbers.entry(key).or_insert_with(|| {
                groups.push((0, 0));
                groups.len() as u32 - 1
            });
            group[id.index()] = number;
            let of_group: &mut (u32, u64) = &mut groups[number as usize];
            if unit.piece == Piece::Forward {
                of_group.1 += fragment.bytes;
                let of_microbatch = forwards.entry((fragment.mesh.0, unit.counter)).or_default();
                of_microbatch.push((unit.stage, id, fragment.bytes));
            } else {
                of_group.0 += 1;
            }
        }
        let mut reserve = vec![0; units.len()];
        for mut of_microbatch in forwards.into_values() {
            of_microbatch.sort_unstable();
            let mut later = 0;
            for (_, id, bytes) in of_microbatch.into_iter().rev() {
                reserve[id.index()] = later;
                later += bytes;
            }
        }
        Facts {
            tails,
            units,
            reserve,
            rank,
            group,
            groups,
        }
    }

    fn key(&self, rule: Rule, node: NodeId) -> Key {
        let Some(unit) = self.units[node.index()] else {
            // What is no unit is never held up: others wait for it.
            return (0, 0, 0, 0, node);
        };
        let tail = u64::MAX - self.tails[node.index()];
        let stage = u64::from(unit.stage.unwrap_or(0));
        let stage = if unit.piece == Piece::Forward {
            u64::from(u32::MAX) - stage
        } else {
            stage
        };
        let counter = u64::from(unit.counter);
        let piece = rule
            .pieces
            .and_then(|pieces| pieces.iter().position(|piece| *piece == unit.piece));
        let piece = 1 + piece.unwrap_or(0) as u32;
        let rank = self.rank[node.index()];
        match rule.urgency {
            Urgency::Microbatch => (piece, counter, stage, rank, node),
            Urgency::Depth => (piece, stage, counter, rank, node),
            Urgency::Tail => (piece, tail, counter, rank, node),
        }
    }
}

/// The most fragments that are looked at for one that fits under the cap.
const MOST_TRIES: usize = 16;

/// The list schedule of a rule, by mesh; `None` if the cap stops it.
pub(crate) fn list(prepared: &Prepared<'_>, facts: &Facts, rule: Rule) -> Option<Vec<Vec<NodeId>>> {
    let program = prepared.program;
    let count = program.nodes.len();
    let mut waits = prepared.data.entering();
    let mut arrival = vec![0u64; count];
    let mut meshes: Vec<Mesh> = program.meshes.iter().map(|_| Mesh::default()).collect();
    let mut link_free: FxHashMap<(u32, u32), u64> = FxHashMap::default();
    let mut groups = facts.groups.clone();
    let mut events: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    // Nodes whose operands are all on their way.
    let mut known: Vec<u32> = (0..count as u32).filter(|&node| waits[node as usize] == 0).collect();
    let mut started = 0;
    loop {
        // First ready, first sent; of equal ones, by name.
        known.sort_by_cached_key(|&node| {
            let transfer = Some(&program.nodes[node as usize]).filter(|node| node.fragment().is_none());
            Reverse((arrival[node as usize], transfer.map(|node| &node.name)))
        });
        while let Some(node) = known.pop() {
            let at = node as usize;
            match &program.nodes[at].kind {
                NodeKind::Fragment(fragment) => {
                    let mesh = &mut meshes[fragment.mesh.index()];
                    mesh.coming.insert((arrival[at], facts.key(rule, NodeId(node))));
                    events.push(Reverse((arrival[at].max(mesh.free), fragment.mesh.0)));
                }
                NodeKind::Transfer { from, to } => {
                    let free = link_free.entry((from.0, to.0)).or_default();
                    let end = arrival[at].max(*free) + program.nodes[at].cycles;
                    *free = end;
                    started += 1;
                    arrive(program, prepared, at, end, &mut arrival, &mut waits, &mut known);
                }
            }
        }
        let Some(Reverse((now, place))) = events.pop() else {
            break;
        };
        let mesh = &mut meshes[place as usize];
        if mesh.free > now {
            continue;
        }
        while let Some(&(at, key)) = mesh.coming.first().filter(|(at, _)| *at <= now) {
            mesh.coming.remove(&(at, key));
            mesh.ready.insert(key);
        }
        let fits = |mesh: &Mesh, node: NodeId| {
            let is_forward = facts.units[node.index()].is_some_and(|unit| unit.piece == Piece::Forward);
            let bytes = program.node(node).fragment().map_or(0, |fragment| fragment.bytes);
            let needed = mesh
                .held
                .saturating_add(bytes)
                .saturating_add(facts.reserve[node.index()]);
            !is_forward || rule.cap.is_none_or(|cap| needed <= cap)
        };
        let chosen = mesh
            .ready
            .iter()
            .take(MOST_TRIES)
            .find(|key| fits(mesh, key.4))
            .copied();
        let Some(key) = chosen else {
            if let Some((at, _)) = mesh.coming.first() {
                events.push(Reverse((*at, place)));
            }
            continue;
        };
        let node = key.4;
        let end = now + program.node(node).cycles;
        if rule.waits {
            let coming = mesh.coming.iter().take_while(|(at, _)| *at < end);
            let better = coming
                .filter(|(_, other)| *other < key && fits(mesh, other.4))
                .map(|(at, _)| *at)
                .min();
            if let Some(at) = better {
                events.push(Reverse((at, place)));
                continue;
            }
        }
        mesh.ready.remove(&key);
        mesh.order.push(node);
        mesh.free = end;
        if let (Some(unit), Some(fragment)) = (facts.units[node.index()], program.node(node).fragment()) {
            let group = &mut groups[facts.group[node.index()] as usize];
            if unit.piece == Piece::Forward {
                mesh.held += if group.0 > 0 { fragment.bytes } else { 0 };
            } else {
                group.0 -= 1;
                mesh.held = mesh.held.saturating_sub(if group.0 == 0 { group.1 } else { 0 });
            }
        }
        events.push(Reverse((end, place)));
        started += 1;
        arrive(
            program,
            prepared,
            node.index(),
            end,
            &mut arrival,
            &mut waits,
            &mut known,
        );
    }
    (started == count).then(|| meshes.into_iter().map(|mesh| mesh.order).collect())
}

/// Tells the users of a node that it ends.
fn arrive(
    program: &Program,
    prepared: &Prepared<'_>,
    node: usize,
    end: u64,
    arrival: &mut [u64],
    waits: &mut [u32],
    known: &mut Vec<u32>,
) {
    for &user in prepared.data.of(node) {
        let at = user as usize;
        arrival[at] = arrival[at].max(end + delay(program, node, at));
        waits[at] -= 1;
        if waits[at] == 0 {
            known.push(user);
        }
    }
}
