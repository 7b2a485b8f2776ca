//! The fragments of a function as a program of `zpu_sched`.
//!
//! Invariant: a function that is read has, beside fragments and transfers, only operations that may stand anywhere
//! between their operands and their users, deallocations, and its terminator; so any order that respects data is a
//! correct program.

use std::collections::{HashMap, HashSet};

use crate::fragment_body;
use zpu_ir::fragment::{DROP_TRANSFERRED, topology};
use zpu_ir::ops::{self, ZpuOp};
use zpu_ir::ty::{MemRef, Tensor};
use zpu_ir::{Block, Failed, Op, Type, Value, annotation, attr, error, note};
use zpu_sched::fragment::{Fragment, MeshId, NodeId, NodeKind, Origin, Program, Recompute, Split};

/// A function's fragments and transfers.
pub struct Fragments<'c> {
    /// The problem.
    pub program: Program,
    /// The operation of each node.
    pub ops: Vec<Op<'c>>,
    /// The block in which they stand.
    pub block: Block<'c>,
}

impl<'c> Fragments<'c> {
    /// Reads a function; nothing if it has no fragments. What cannot be ordered is an error at its place.
    pub fn of(function: Op<'c>) -> Result<Option<Self>, Failed> {
        let is_node = |op: &Op<'c>| op.is(ops::Fragment::NAME) || op.is(ops::Transfer::NAME);
        let all = function.walk();
        refuse_calls(function, &all)?;
        let nodes: Vec<Op<'c>> = all.into_iter().filter(is_node).collect();
        if !nodes.iter().any(|op| op.is(ops::Fragment::NAME)) {
            return Ok(None);
        }
        let (Some(block), Some(topology)) = (function.only_block(), topology(function)) else {
            error(function, "has fragments, but not in one block of a function", &[]);
            return Err(Failed);
        };
        for op in &nodes {
            if op.block() != Some(block) {
                let message = "is in a loop or under a condition; fragments are ordered where each stands once, \
                               directly in the function: unroll the loop over microbatches before";
                error(*op, message, &[]);
                return Err(Failed);
            }
        }
        let mut reader = Reader {
            program: Program::default(),
            meshes: HashMap::new(),
            ids: HashMap::new(),
            links: topology.links(),
            names: HashSet::new(),
            output_bytes: HashMap::new(),
            data: HashMap::new(),
        };
        for mesh in topology.meshes() {
            let id = reader.program.add_mesh(mesh.sym_name());
            reader.meshes.insert(mesh.sym_name(), id);
        }
        for op in block.ops() {
            reader.take(op)?;
        }
        reader.find_recomputed();
        for link in &reader.links {
            let ends = (reader.meshes[link.from()], reader.meshes[link.to()]);
            let latency = u64::try_from(link.latency()).unwrap_or(0);
            reader.program.link_latency.insert(ends, latency);
        }
        Ok(Some(Self {
            program: reader.program,
            ops: nodes,
            block,
        }))
    }
}

/// Refuses calls of functions with fragments: what they hold would have no place.
fn refuse_calls(function: Op<'_>, all: &[Op<'_>]) -> Result<(), Failed> {
    let members: Vec<Op<'_>> = function.block().into_iter().flat_map(Block::ops).collect();
    let mut known: HashMap<&str, bool> = HashMap::new();
    for call in all.iter().filter(|op| op.is("func.call")) {
        let Some(callee) = call.attr("callee").and_then(attr::as_symbol) else {
            continue;
        };
        let holds = known.entry(callee).or_insert_with(|| {
            let is_named = |op: &&Op<'_>| op.is("func.func") && op.function_name() == callee;
            let found = members.iter().find(is_named);
            found.is_some_and(|found| !found.find_all(ops::Fragment::NAME).is_empty())
        });
        if *holds {
            let message = format!(
                "calls @{callee}, which holds fragments: put them in its place before, by zpu-mpmd-inline-calls"
            );
            error(*call, &message, &[]);
            return Err(Failed);
        }
    }
    Ok(())
}

/// Says that a fragment computes another one again, until it is known which.
const UNKNOWN_ORIGINAL: Recompute = Recompute::Dropped;

struct Reader<'c> {
    program: Program,
    meshes: HashMap<&'c str, MeshId>,
    /// The nodes that make an operation's results: itself, or those of its operands.
    ids: HashMap<Op<'c>, Vec<NodeId>>,
    links: Vec<ops::MeshLink<'c>>,
    names: HashSet<String>,
    /// Bytes of all results of a fragment.
    output_bytes: HashMap<NodeId, u64>,
    /// The nodes whose results a fragment takes, without those that it only waits for.
    data: HashMap<NodeId, Vec<NodeId>>,
}

impl<'c> Reader<'c> {
    fn take(&mut self, op: Op<'c>) -> Result<(), Failed> {
        let deps = self.producers(op);
        let node = match ZpuOp::of(op) {
            Some(ZpuOp::Fragment(fragment)) => {
                let kind = NodeKind::Fragment(self.fragment(fragment)?);
                let cycles = annotated(op, annotation::CYCLES).unwrap_or(1);
                let name = self.unique(name(fragment));
                let bytes = fragment
                    .outputs()
                    .into_iter()
                    .map(|value| bytes_of(value.ty()).unwrap_or(1));
                let bytes = bytes.fold(0, u64::saturating_add);
                let node = self.program.add(name, kind, deps, cycles);
                self.output_bytes.insert(node, bytes);
                self.data.insert(node, self.producers_of(fragment.inputs()));
                node
            }
            Some(ZpuOp::Transfer(transfer)) => {
                let (from, to) = (self.meshes[transfer.from()], self.meshes[transfer.to()]);
                let name = self.unique(format!("{}->{}", transfer.from(), transfer.to()));
                let cycles = annotated(op, annotation::CYCLES).unwrap_or_else(|| self.transfer_cycles(transfer));
                self.program.add(name, NodeKind::Transfer { from, to }, deps, cycles)
            }
            _ => {
                let stays_last = op.is("memref.dealloc") || op.block().and_then(Block::terminator) == Some(op);
                if !stays_last && !op.is_memory_effect_free() {
                    let mut beside = op.block().into_iter().flat_map(Block::ops);
                    let first = beside.find(|other| other.is(ops::Fragment::NAME));
                    let notes: Vec<_> = first
                        .map(|first| note(first, "a fragment is here"))
                        .into_iter()
                        .collect();
                    let message = "may read or write memory between fragments, so that their order would matter; move \
                                   it into a fragment";
                    error(op, message, &notes);
                    return Err(Failed);
                }
                self.ids.insert(op, deps);
                return Ok(());
            }
        };
        self.ids.insert(op, vec![node]);
        Ok(())
    }

    /// The nodes whose results an operation needs.
    fn producers(&self, op: Op<'c>) -> Vec<NodeId> {
        self.producers_of(op.walk().into_iter().flat_map(Op::operands))
    }

    fn producers_of(&self, values: impl IntoIterator<Item = Value<'c>>) -> Vec<NodeId> {
        let values = values.into_iter();
        let mut deps: Vec<NodeId> = values
            .filter_map(Value::defining_op)
            .filter_map(|producer| self.ids.get(&producer))
            .flatten()
            .copied()
            .collect();
        deps.sort_unstable();
        deps.dedup();
        deps
    }

    fn fragment(&self, fragment: ops::Fragment<'c>) -> Result<Fragment, Failed> {
        fragment_body::check(fragment)?;
        let number = |name: &str, value: i64| {
            u32::try_from(value).map_err(|_| {
                let message = format!("{name} is {value}, must be at most {}", u32::MAX);
                error(fragment.op, &message, &[]);
                Failed
            })
        };
        let optional = |name: &str, value: Option<i64>| value.map(|value| number(name, value)).transpose();
        let mut origins = Vec::new();
        for (name, transpose_count) in fragment.origin_names() {
            origins.push(Origin {
                name: name.into(),
                transpose_count: number("the transpose count", transpose_count)?,
            });
        }
        let first = origins.first().map(|origin| origin.transpose_count);
        let last = origins.iter().map(|origin| origin.transpose_count).max();
        let transpose_count = first.filter(|first| origins.iter().all(|origin| origin.transpose_count == *first));
        Ok(Fragment {
            mesh: self.meshes[fragment.mesh()],
            inferred: origins.is_empty(),
            origins,
            stage: optional("stage", fragment.stage())?,
            call_counter: optional("call_counter", fragment.call_counter())?,
            transpose_count: if fragment.remat() { last } else { transpose_count },
            split: fragment.split().map(|split| match split {
                DROP_TRANSFERRED => Split::DropTransferred,
                _ => Split::KeepTransferred,
            }),
            bytes: annotated(fragment.op, annotation::HELD_BYTES).unwrap_or_else(|| held_bytes(fragment)),
            recompute: if fragment.remat() {
                UNKNOWN_ORIGINAL
            } else {
                Recompute::Kept
            },
        })
    }

    /// Finds the fragments that others compute again: those with the same forward computations, stage and microbatch.
    fn find_recomputed(&mut self) {
        type Key = (MeshId, Option<u32>, Option<u32>, Vec<Origin>);
        let forward = |fragment: &Fragment| -> Key {
            let origins = fragment.origins.iter().filter(|origin| origin.transpose_count == 0);
            let origins = origins.cloned().collect();
            (fragment.mesh, fragment.stage, fragment.call_counter, origins)
        };
        let mut originals: HashMap<Key, NodeId> = HashMap::new();
        for (id, fragment) in self.program.fragments() {
            if fragment.recompute == Recompute::Kept && fragment.transpose_count == Some(0) {
                originals.entry(forward(fragment)).or_insert(id);
            }
        }
        let clones: Vec<(NodeId, Option<NodeId>)> = self
            .program
            .fragments()
            .filter(|(_, fragment)| fragment.recompute != Recompute::Kept)
            .map(|(id, fragment)| (id, originals.get(&forward(fragment)).copied()))
            .collect();
        let held = self.held();
        for (clone, of) in clones {
            let bytes = self.program.node(clone).fragment().map_or(0, |fragment| fragment.bytes);
            let is_merged = self
                .program
                .node(clone)
                .fragment()
                .is_some_and(|fragment| fragment.transpose_count != Some(0));
            let is_held = of.is_some_and(|of| held.contains(&of));
            let mut set = |id: NodeId, change: &dyn Fn(&mut Fragment)| {
                if let NodeKind::Fragment(fragment) = &mut self.program.nodes[id.index()].kind {
                    change(fragment);
                }
            };
            let Some(of) = of else {
                set(clone, &|fragment| {
                    fragment.recompute = Recompute::Kept;
                    let mut counts = fragment.origins.iter().map(|origin| origin.transpose_count);
                    let first = counts.next();
                    fragment.transpose_count = first.filter(|first| counts.all(|count| count == *first));
                });
                continue;
            };
            let output_bytes = self.output_bytes.get(&of).copied().unwrap_or(0);
            set(clone, &|fragment| fragment.recompute = Recompute::Clone { of });
            set(of, &|fragment| {
                // Merged, no fragment takes its results any more, and still they are there while the other one runs.
                let held = if is_merged && bytes == 0 { output_bytes } else { bytes };
                if fragment.bytes == 0 {
                    fragment.bytes = held;
                }
                if !is_held {
                    fragment.recompute = Recompute::Dropped;
                }
            });
        }
    }

    /// The fragments of which a backward fragment of the same mesh, stage and microbatch takes a result: as long as
    /// that is to come, results are held.
    fn held(&self) -> HashSet<NodeId> {
        let mut held = HashSet::new();
        for (id, user) in self.program.fragments() {
            if user.transpose_count == Some(1) {
                let is_held = |of: &&NodeId| {
                    let fragment = self.program.node(**of).fragment();
                    let key = |of: &Fragment| (of.mesh, of.stage, of.call_counter);
                    fragment.is_some_and(|fragment| key(fragment) == key(user))
                };
                held.extend(self.data[&id].iter().filter(is_held));
            }
        }
        held
    }

    fn transfer_cycles(&self, transfer: ops::Transfer<'c>) -> u64 {
        let is_way = |link: &&ops::MeshLink<'c>| link.from() == transfer.from() && link.to() == transfer.to();
        let Some(link) = self.links.iter().find(is_way) else {
            return 0;
        };
        let bytes = bytes_of(transfer.arrived().ty()).unwrap_or(0);
        (bytes as f64 / link.bytes_per_cycle()).ceil() as u64
    }

    /// Messages and rules of order tell nodes apart by their names.
    fn unique(&mut self, name: String) -> String {
        let mut free = name.clone();
        let mut number = self.program.nodes.len();
        while !self.names.insert(free.clone()) {
            free = format!("{name} #{number}");
            number += 1;
        }
        free
    }
}

/// `layer(1)[3]@m0`: computations, microbatch and mesh.
fn name(fragment: ops::Fragment<'_>) -> String {
    let origin = |(name, count): &(&str, i64)| match count {
        0 => (*name).to_owned(),
        count => format!("{name}({count})"),
    };
    let origins: Vec<String> = fragment.origin_names().iter().map(origin).collect();
    let mut name = if origins.is_empty() {
        "inferred".to_owned()
    } else {
        origins.join("+")
    };
    match fragment.split() {
        None => {}
        Some(DROP_TRANSFERRED) => name += ".drop",
        Some(_) => name += ".keep",
    }
    if let Some(stage) = fragment.stage() {
        name += &format!(":{stage}");
    }
    if let Some(counter) = fragment.call_counter() {
        name += &format!("[{counter}]");
    }
    format!("{name}@{}", fragment.mesh())
}

fn annotated(op: Op<'_>, name: &str) -> Option<u64> {
    let value = op.attr(name).and_then(attr::as_int)?;
    u64::try_from(value).ok()
}

/// Bytes of the results that backward fragments of the same mesh take: activations. A result without a known size
/// counts as one byte.
fn held_bytes(fragment: ops::Fragment<'_>) -> u64 {
    let is_held = |value: &Value<'_>| {
        let mut users = takers(*value).into_iter().filter(|user| user.mesh() == fragment.mesh());
        users.any(|user| user.origin_names().iter().any(|(_, count)| *count > 0))
    };
    let outputs = fragment.outputs();
    let held = outputs.iter().filter(|value| is_held(value));
    held.map(|value| bytes_of(value.ty()).unwrap_or(1))
        .fold(0, u64::saturating_add)
}

/// The fragments that take a value, or what other operations make of it.
fn takers(value: Value<'_>) -> Vec<ops::Fragment<'_>> {
    let (mut found, mut open, mut seen) = (Vec::new(), vec![value], HashSet::from([value]));
    while let Some(value) = open.pop() {
        for used in value.uses() {
            match ZpuOp::of(used.op) {
                Some(ZpuOp::Fragment(fragment)) => found.push(fragment),
                Some(_) => {}
                None => open.extend(used.op.results().into_iter().filter(|result| seen.insert(*result))),
            }
        }
    }
    found
}

/// Bytes of a memref or a tensor of a known size.
pub fn bytes_of(ty: Type<'_>) -> Option<u64> {
    match MemRef::of(ty) {
        Some(memref) => memref.bytes().and_then(|bytes| u64::try_from(bytes).ok()),
        None => Tensor::of(ty)?.bytes(),
    }
}
