//! Errors: programs and requests that have no answer, with the nodes that they are about.

use std::fmt;

use super::problem::{MAX_BYTES, MAX_INDEX, MAX_NODES, NodeId};
use crate::MAX_TOTAL_CYCLES;

/// A node with its name, in a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Party {
    /// The node.
    pub id: NodeId,
    /// Its name.
    pub name: String,
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name)
    }
}

/// Names in a row, of which a long one shows the beginning.
pub(crate) fn listed(parties: &[Party]) -> String {
    shown(parties, ", ", 6)
}

/// Nodes of a path or a circle, of which a long one shows the beginning.
pub(crate) fn joined(parties: &[Party], separator: &str) -> String {
    shown(parties, separator, 24)
}

fn shown(parties: &[Party], separator: &str, most: usize) -> String {
    let names: Vec<String> = parties.iter().take(most).map(ToString::to_string).collect();
    let more = parties.len().saturating_sub(most);
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    names.join(separator) + &rest
}

fn optional(value: &Option<u32>) -> String {
    value.map_or("none".to_owned(), |value| value.to_string())
}

/// The reason why a program, or a request on it, has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FragmentError {
    /// No mesh.
    #[error("the program has no mesh; list at least one in `meshes`")]
    NoMesh,
    /// Two meshes with one name.
    #[error("meshes {first} and {second} are both named `{name}`; names are unique")]
    DuplicateMesh {
        /// The name.
        name: String,
        /// Place of the first.
        first: usize,
        /// Place of the second.
        second: usize,
    },
    /// Two nodes with one name.
    #[error("two fragments or transfers have the id `{name}`; ids are unique")]
    DuplicateName {
        /// The name.
        name: String,
    },
    /// More nodes than [`MAX_NODES`].
    #[error("the program has {count} fragments and transfers, the limit is {MAX_NODES}")]
    TooManyNodes {
        /// Their number.
        count: usize,
    },
    /// A mesh that does not exist.
    #[error("{party} is on mesh number {mesh}, there are {count}")]
    UnknownMesh {
        /// The node.
        party: Party,
        /// Its mesh.
        mesh: u32,
        /// Number of meshes.
        count: usize,
    },
    /// A dependence on nothing.
    #[error("{party} depends on node number {node}, which does not exist")]
    UnknownNode {
        /// The node.
        party: Party,
        /// The id that is out of range.
        node: u32,
    },
    /// A transfer within a mesh.
    #[error("transfer {party} goes from `{mesh}` to `{mesh}`; a transfer joins two meshes, leave it out")]
    TransferToItself {
        /// The transfer.
        party: Party,
        /// The mesh.
        mesh: String,
    },
    /// An operand on another mesh.
    #[error("{party} needs {operand} on mesh `{needed}`, its result is on `{at}`; transfer it there")]
    WrongMesh {
        /// The node.
        party: Party,
        /// Its operand.
        operand: Party,
        /// The mesh of the operand.
        at: String,
        /// The mesh where it is needed.
        needed: String,
    },
    /// A number beyond reason.
    #[error("{party} has {field} = {value}, the limit is {MAX_INDEX}")]
    LargeIndex {
        /// The fragment.
        party: Party,
        /// The field.
        field: &'static str,
        /// Its value.
        value: u32,
    },
    /// An inferred fragment that has an origin.
    #[error("{party} is inferred and has an origin; only fragments of users have origins, give one of them")]
    InferredWithOrigin {
        /// The fragment.
        party: Party,
    },
    /// A transpose count that the origins contradict.
    #[error(
        "{party} has transpose_count = {}, its origins have {}; leave `transpose_count` out",
        optional(.given), optional(.agreed)
    )]
    TransposeCount {
        /// The fragment.
        party: Party,
        /// The count as given.
        given: Option<u32>,
        /// The count that all origins have.
        agreed: Option<u32>,
    },
    /// Times that may overflow.
    #[error(
        "all cycles and latencies add up to {sum}, the limit is {MAX_TOTAL_CYCLES}; the largest are {largest} \
         cycles{}, the latency of transfers is {latency}; give times in a larger unit",
        .party.as_ref().map_or(String::new(), |party| format!(" of {party}"))
    )]
    TooManyCycles {
        /// The node with the most cycles.
        party: Option<Party>,
        /// Its cycles.
        largest: u64,
        /// The latency.
        latency: u64,
        /// The sum.
        sum: u128,
    },
    /// Bytes that may overflow.
    #[error("all fragments hold {sum} bytes together, the limit is {MAX_BYTES}; give bytes in a larger unit")]
    TooManyBytes {
        /// The sum.
        sum: u128,
    },
    /// Data that depend on themselves.
    #[error("data flow in a circle: {} -> {}; remove one of these dependences", joined(.cycle, " -> "), first(.cycle))]
    CyclicData {
        /// The nodes of the circle, each with the next.
        cycle: Vec<Party>,
    },
    /// Nothing that the schedule could order.
    #[error(
        "`{schedule}` has nothing to order: a scheduling unit has a call counter and one transpose count, 0 or 1, and \
         {} has both; unroll the loop over microbatches, or give `call_counter` and `transpose_count`",
        if .parties.is_empty() { "no fragment".to_owned() } else { format!("none of {}", listed(.parties)) }
    )]
    NoUnits {
        /// The schedule.
        schedule: &'static str,
        /// Fragments of users.
        parties: Vec<Party>,
    },
    /// A fragment without a counter beside others of its computation that have one.
    #[error("{party} has no call counter, and {other} of the same computation has one; give it `call_counter`")]
    NoCounter {
        /// The fragment.
        party: Party,
        /// The other fragment.
        other: Party,
    },
    /// A microbatch that is missing somewhere.
    #[error(
        "the numbers of microbatches differ: mesh `{mesh}`{} has {found} of {of} {kind} fragments, {party} has no \
         counterpart; give each mesh the same call counters, once forward and once backward",
        .stage.map_or(String::new(), |stage| format!(" stage {stage}"))
    )]
    UnequalCounts {
        /// The mesh with the gap.
        mesh: String,
        /// The stage.
        stage: Option<u32>,
        /// `forward`, `backward` or `weight gradient`.
        kind: &'static str,
        /// Number of microbatches that it has.
        found: usize,
        /// Number of microbatches in the program.
        of: usize,
        /// A fragment of the microbatch that is missing.
        party: Party,
    },
    /// A mesh without any part in a microbatch.
    #[error(
        "mesh `{mesh}` has no fragment of any microbatch, {party} of another mesh has no counterpart; give the mesh a \
         stage, leave it out of the topology, or take `auto`"
    )]
    EmptyMesh {
        /// The mesh.
        mesh: String,
        /// A fragment of another mesh.
        party: Party,
    },
    /// A predicate or key that needs what the fragments do not have.
    #[error("`{schedule}` cannot order {}: {needs}", listed(.parties))]
    DoesNotApply {
        /// The schedule.
        schedule: &'static str,
        /// The fragments.
        parties: Vec<Party>,
        /// What it needs, and the remedy.
        needs: String,
    },
    /// Two fragments that the key does not tell apart.
    #[error("`{schedule}` cannot order {first} and {second}: {same}; merge them, or give them different stages")]
    EqualKeys {
        /// The schedule.
        schedule: &'static str,
        /// A fragment.
        first: Party,
        /// The other.
        second: Party,
        /// The equal parts of the key.
        same: String,
    },
    /// A table that does not fit the program.
    #[error("the schedule file, {place}: {problem}")]
    Table {
        /// Row and entry.
        place: String,
        /// The trouble, and the remedy.
        problem: String,
        /// The fragment that it lacks, if it lacks one.
        missing: Option<Party>,
    },
    /// Rules with a syntax error.
    #[error("the rules, at character {at}: {problem}")]
    RuleSyntax {
        /// Place, counted from 0.
        at: usize,
        /// What is expected and found.
        problem: String,
    },
    /// Two fragments that a rule cannot tell apart.
    #[error("rules cannot tell {first} and {second} apart: both are {info}; give them different origins or stages")]
    Ambiguous {
        /// A fragment.
        first: Party,
        /// The other.
        second: Party,
        /// Their information, as rules write it.
        info: String,
    },
    /// Rules that contradict each other.
    #[error(
        "rules contradict each other: {} -> {}; leave out one of the rules {}",
        joined(.cycle, " -> "), first(.cycle),
        .rules.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    )]
    CyclicRules {
        /// The nodes of the circle.
        cycle: Vec<Party>,
        /// The rules in it, counted from 0.
        rules: Vec<usize>,
    },
    /// A total order that contradicts data, or a predicate that does so in a large program.
    #[error(
        "`{schedule}` contradicts data: {} -> {}; change the order of these", joined(.cycle, " -> "), first(.cycle)
    )]
    Contradiction {
        /// The schedule.
        schedule: String,
        /// The nodes of a circle.
        cycle: Vec<Party>,
    },
    /// No schedule fits.
    #[error(
        "no schedule was found that holds at most {cap} bytes; the smallest peak of those tried is {least}, on mesh \
         `{mesh}`, and a fragment alone needs {needed}; raise the cap"
    )]
    OverCap {
        /// The cap in bytes.
        cap: u64,
        /// The smallest peak.
        least: u64,
        /// Its mesh.
        mesh: String,
        /// The most bytes that one fragment holds.
        needed: u64,
    },
    /// A budget that recomputation cannot meet.
    #[error(
        "mesh `{mesh}` needs at least {needed} bytes at {party}, even if everything is computed again; the budget is \
         {budget}"
    )]
    Budget {
        /// The mesh.
        mesh: String,
        /// Bytes that remain.
        needed: u64,
        /// The budget.
        budget: u64,
        /// The fragment at which they are held.
        party: Party,
    },
    /// A result that its own verifier refuses: an error of this crate.
    #[error("internal error: the schedule does not verify: {0}; please report this program")]
    Unverified(String),
}

fn first(cycle: &[Party]) -> String {
    cycle.first().map_or(String::new(), ToString::to_string)
}
