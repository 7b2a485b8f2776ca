//! The figures of a run over several devices.

use serde::Serialize;
use zpu_sim::Finding;

/// Times, bytes and findings of a run. Times are in cycles.
#[derive(Clone, Debug, Serialize)]
pub struct FragmentReport {
    /// Layout of this struct.
    pub schema: u32,
    /// Function that was run.
    pub entry: String,
    /// All fragments ran to their end. If not, what follows the first that did not has the cost that the program gives.
    pub completed: bool,
    /// Cycles until the last fragment has ended and the last transfer has left its link.
    pub cycles: u64,
    /// No order of these fragments, with these costs, takes fewer cycles.
    pub lower_bound: u64,
    /// Meshes in the order of the topology.
    pub meshes: Vec<MeshReport>,
    /// Links that are used, by their first transfers.
    pub links: Vec<LinkReport>,
    /// Fragments and transfers in the order of the block.
    pub nodes: Vec<NodeReport>,
    /// Errors in fragments, each with the name of its fragment.
    pub findings: Vec<(String, Finding)>,
}

/// The figures of a mesh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MeshReport {
    /// Its name.
    pub name: String,
    /// Its device.
    pub device: Option<String>,
    /// Number of its fragments.
    pub fragments: usize,
    /// Cycles in which it runs one.
    pub busy: u64,
    /// Idle cycles between its first and its last fragment.
    pub bubble: u64,
    /// All cycles in which it runs none.
    pub idle: u64,
    /// The most bytes that are held for backward fragments at once.
    pub held_bytes: u64,
}

/// The figures of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinkReport {
    /// The sending mesh.
    pub from: String,
    /// The receiving mesh.
    pub to: String,
    /// Number of transfers.
    pub transfers: usize,
    /// Bytes that they move.
    pub bytes: u64,
    /// Cycles in which it moves them.
    pub busy: u64,
}

/// One fragment or transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NodeReport {
    /// Computation, microbatch and mesh; of a transfer, its meshes.
    pub name: String,
    /// True for a transfer.
    pub is_transfer: bool,
    /// First cycle.
    pub begin: u64,
    /// One past the last cycle.
    pub end: u64,
    /// Cycles that it takes.
    pub cycles: u64,
    /// The lower bound of a body's cycles.
    pub bound: Option<u64>,
    /// Bytes that a transfer moves.
    pub bytes: u64,
}
