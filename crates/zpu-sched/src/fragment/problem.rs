//! The problem: meshes, fragments, transfers, and the data that flow between them.
//!
//! Invariant: a program that passes [`Program::check`] has ids in range, unique names, data without cycles, and times
//! that never overflow. Nodes are numbered in the incoming order of the block.

use std::collections::BTreeMap;

use rustc_hash::{FxBuildHasher, FxHashSet};

use super::error::{FragmentError, Party};
use super::graph::{self, Arcs};
use crate::MAX_TOTAL_CYCLES;

/// The most fragments and transfers of a program.
pub const MAX_NODES: usize = 1 << 24;
/// The largest stage, call counter and transpose count: sums of a few never overflow.
pub(super) const MAX_INDEX: u32 = 1 << 24;
/// Most bytes that all fragments may hold together.
pub(super) const MAX_BYTES: u64 = 1 << 62;

/// A mesh, by its place in the topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeshId(pub u32);

impl MeshId {
    /// The place in [`Program::meshes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A fragment or a transfer, by its place in the incoming block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The place in [`Program::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A computation of the program that a fragment comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// Its name.
    pub name: Box<str>,
    /// 0 is the forward pass, 1 the backward pass, more a higher derivative.
    pub transpose_count: u32,
}

/// One half of a backward fragment that was split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Split {
    /// Results that leave the mesh, and residuals: the gradients of inputs.
    KeepTransferred,
    /// The rest: the gradients of weights.
    DropTransferred,
}

/// Whether the results of a forward fragment wait for their backward fragments, or are computed again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Recompute {
    /// They wait.
    #[default]
    Kept,
    /// They are dropped at the end of the fragment, since clones compute them again.
    Dropped,
    /// This fragment computes those of another one again, alone or before its own work.
    Clone {
        /// The forward fragment.
        of: NodeId,
    },
}

/// A computation on one mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The mesh on which it runs.
    pub mesh: MeshId,
    /// Computations that it comes from; none if it was inferred, or they are not known.
    pub origins: Vec<Origin>,
    /// The logical stage.
    pub stage: Option<u32>,
    /// The index of the microbatch.
    pub call_counter: Option<u32>,
    /// The transpose count if all origins agree.
    pub transpose_count: Option<u32>,
    /// The half that it is.
    pub split: Option<Split>,
    /// True if no user wrote it.
    pub inferred: bool,
    /// Bytes held from the start of a forward fragment to the end of its last backward piece.
    pub bytes: u64,
    /// Whether results are kept or computed again.
    pub recompute: Recompute,
}

impl Fragment {
    /// A user's fragment of one computation, with one byte.
    pub fn new(mesh: MeshId, origin: &str, transpose_count: u32, call_counter: u32) -> Fragment {
        Fragment {
            mesh,
            origins: vec![Origin {
                name: origin.into(),
                transpose_count,
            }],
            stage: None,
            call_counter: Some(call_counter),
            transpose_count: Some(transpose_count),
            split: None,
            inferred: false,
            bytes: 1,
            recompute: Recompute::Kept,
        }
    }

    /// True if a user wrote it: it has an origin, or at least a known transpose count.
    pub fn is_user(&self) -> bool {
        !self.inferred && (!self.origins.is_empty() || self.transpose_count.is_some())
    }
}

/// The kind of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// A computation.
    Fragment(Fragment),
    /// The move of tensors between two meshes, over the link of this pair, which works in order.
    Transfer {
        /// The sending mesh.
        from: MeshId,
        /// The receiving mesh.
        to: MeshId,
    },
}

/// A fragment or a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Unique name.
    pub name: Box<str>,
    /// Fragment or transfer.
    pub kind: NodeKind,
    /// Nodes whose results it takes.
    pub deps: Vec<NodeId>,
    /// Cycles for which it occupies its mesh or its link.
    pub cycles: u64,
}

impl Node {
    /// The fragment, if it is one.
    pub fn fragment(&self) -> Option<&Fragment> {
        match &self.kind {
            NodeKind::Fragment(fragment) => Some(fragment),
            NodeKind::Transfer { .. } => None,
        }
    }
}

/// Fragments over several meshes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Names of the meshes, in the order of the pipeline.
    pub meshes: Vec<String>,
    /// Fragments and transfers, in the incoming order of the block.
    pub nodes: Vec<Node>,
    /// Cycles from the end of a transfer on its link to its arrival. A dependence between meshes without a transfer
    /// takes them as well.
    pub transfer_latency: u64,
    /// The latencies of links that have one of their own, by sending and receiving mesh.
    pub link_latency: BTreeMap<(MeshId, MeshId), u64>,
}

impl Program {
    /// Cycles from the end of a transfer between two meshes to its arrival.
    pub fn latency(&self, from: MeshId, to: MeshId) -> u64 {
        let own = self.link_latency.get(&(from, to));
        own.copied().unwrap_or(self.transfer_latency)
    }

    /// Adds a mesh.
    pub fn add_mesh(&mut self, name: impl Into<String>) -> MeshId {
        self.meshes.push(name.into());
        MeshId(self.meshes.len() as u32 - 1)
    }

    /// Adds a node at the end of the block.
    pub fn add(&mut self, name: impl Into<Box<str>>, kind: NodeKind, deps: Vec<NodeId>, cycles: u64) -> NodeId {
        self.nodes.push(Node {
            name: name.into(),
            kind,
            deps,
            cycles,
        });
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// All nodes with their ids.
    pub fn ids(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).map(NodeId).zip(&self.nodes)
    }

    /// All fragments with their ids.
    pub fn fragments(&self) -> impl Iterator<Item = (NodeId, &Fragment)> {
        self.ids()
            .filter_map(|(id, node)| node.fragment().map(|fragment| (id, fragment)))
    }

    /// The node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The name of a mesh.
    pub fn mesh(&self, id: MeshId) -> &str {
        &self.meshes[id.index()]
    }

    /// A node with its name, for messages.
    pub fn party(&self, id: NodeId) -> Party {
        Party {
            id,
            name: self.node(id).name.to_string(),
        }
    }

    /// Several nodes with their names.
    pub(crate) fn parties(&self, ids: impl IntoIterator<Item = NodeId>) -> Vec<Party> {
        ids.into_iter().map(|id| self.party(id)).collect()
    }

    /// Finds what is wrong with the program; the first error in the order of the block.
    pub fn check(&self) -> Result<(), FragmentError> {
        self.check_names()?;
        self.check_nodes()?;
        self.check_sums()?;
        let arcs = Arcs::of_data(self);
        match graph::topological(&arcs) {
            Ok(_) => Ok(()),
            Err(_) => Err(FragmentError::CyclicData {
                cycle: self.parties(graph::shortest_cycle(self, &arcs)),
            }),
        }
    }

    fn check_names(&self) -> Result<(), FragmentError> {
        if self.meshes.is_empty() {
            return Err(FragmentError::NoMesh);
        }
        let mut meshes = BTreeMap::new();
        for (place, name) in self.meshes.iter().enumerate() {
            if let Some(first) = meshes.insert(name, place) {
                return Err(FragmentError::DuplicateMesh {
                    name: name.clone(),
                    first,
                    second: place,
                });
            }
        }
        if self.nodes.len() > MAX_NODES {
            return Err(FragmentError::TooManyNodes {
                count: self.nodes.len(),
            });
        }
        let mut names = FxHashSet::with_capacity_and_hasher(self.nodes.len(), FxBuildHasher);
        match self.nodes.iter().find(|node| !names.insert(&*node.name)) {
            Some(node) => Err(FragmentError::DuplicateName {
                name: node.name.to_string(),
            }),
            None => Ok(()),
        }
    }

    fn check_nodes(&self) -> Result<(), FragmentError> {
        let in_range = |mesh: MeshId| mesh.index() < self.meshes.len();
        for (id, node) in self.ids() {
            let unknown = |mesh: MeshId| FragmentError::UnknownMesh {
                party: self.party(id),
                mesh: mesh.0,
                count: self.meshes.len(),
            };
            if let Some(dep) = node.deps.iter().find(|dep| dep.index() >= self.nodes.len()) {
                return Err(FragmentError::UnknownNode {
                    party: self.party(id),
                    node: dep.0,
                });
            }
            match &node.kind {
                NodeKind::Fragment(fragment) => {
                    if !in_range(fragment.mesh) {
                        return Err(unknown(fragment.mesh));
                    }
                    self.check_fragment(id, fragment)?;
                }
                NodeKind::Transfer { from, to } => {
                    if let Some(mesh) = [from, to].into_iter().find(|mesh| !in_range(**mesh)) {
                        return Err(unknown(*mesh));
                    }
                    if from == to {
                        return Err(FragmentError::TransferToItself {
                            party: self.party(id),
                            mesh: self.mesh(*from).to_owned(),
                        });
                    }
                }
            }
        }
        self.check_places()
    }

    fn check_fragment(&self, id: NodeId, fragment: &Fragment) -> Result<(), FragmentError> {
        let numbers = [
            ("stage", fragment.stage),
            ("call_counter", fragment.call_counter),
            ("transpose_count", fragment.transpose_count),
        ];
        let origins = fragment
            .origins
            .iter()
            .map(|origin| ("transpose count of an origin", Some(origin.transpose_count)));
        for (field, value) in numbers.into_iter().chain(origins) {
            if let Some(value) = value.filter(|value| *value > MAX_INDEX) {
                return Err(FragmentError::LargeIndex {
                    party: self.party(id),
                    field,
                    value,
                });
            }
        }
        if fragment.inferred && !fragment.origins.is_empty() {
            return Err(FragmentError::InferredWithOrigin { party: self.party(id) });
        }
        let mut counts = fragment.origins.iter().map(|origin| origin.transpose_count);
        let first = counts.next();
        let agreed = first.filter(|first| counts.all(|count| count == *first));
        // One that computes another one again is of both, and counts as what it was before.
        let is_clone = matches!(fragment.recompute, Recompute::Clone { .. });
        if !is_clone && !fragment.origins.is_empty() && fragment.transpose_count != agreed {
            return Err(FragmentError::TransposeCount {
                party: self.party(id),
                given: fragment.transpose_count,
                agreed,
            });
        }
        Ok(())
    }

    /// Results are where they are needed: a transfer takes from its sending mesh, and delivers to its receiving one.
    fn check_places(&self) -> Result<(), FragmentError> {
        for (id, node) in self.ids() {
            for &dep in &node.deps {
                let at = match &self.node(dep).kind {
                    NodeKind::Fragment(fragment) => fragment.mesh,
                    NodeKind::Transfer { to, .. } => *to,
                };
                let is_transfer = self.node(dep).fragment().is_none();
                let needed = match &node.kind {
                    NodeKind::Fragment(fragment) if is_transfer => fragment.mesh,
                    NodeKind::Fragment(_) => continue,
                    NodeKind::Transfer { from, .. } => *from,
                };
                if at != needed {
                    return Err(FragmentError::WrongMesh {
                        party: self.party(id),
                        operand: self.party(dep),
                        at: self.mesh(at).to_owned(),
                        needed: self.mesh(needed).to_owned(),
                    });
                }
            }
        }
        Ok(())
    }

    fn check_sums(&self) -> Result<(), FragmentError> {
        // A path takes each node's cycles once and a latency for each node.
        let longest = self
            .link_latency
            .values()
            .copied()
            .fold(self.transfer_latency, u64::max);
        let latency = u128::from(longest) * (self.nodes.len() as u128 + 1);
        let cycles = latency + self.nodes.iter().map(|node| u128::from(node.cycles)).sum::<u128>();
        if cycles > u128::from(MAX_TOTAL_CYCLES) {
            let largest = self.nodes.iter().map(|node| node.cycles).max().unwrap_or(0);
            let party = self.ids().find(|(_, node)| node.cycles == largest);
            return Err(FragmentError::TooManyCycles {
                party: party.map(|(id, _)| self.party(id)),
                largest,
                latency: longest,
                sum: cycles,
            });
        }
        let bytes: u128 = self.fragments().map(|(_, fragment)| u128::from(fragment.bytes)).sum();
        if bytes > u128::from(MAX_BYTES) {
            return Err(FragmentError::TooManyBytes { sum: bytes });
        }
        Ok(())
    }
}
