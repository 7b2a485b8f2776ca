//! The report of a run: numbers that add up, and findings with their places. This is the content of `--json`.

use std::fmt;

use serde::{Deserialize, Serialize};

pub use crate::bound::{BoundPart, BoundReport};
pub use crate::distance::DistanceReport;

/// Version of the layout of [`Report`].
pub const SCHEMA: u32 = 1;

/// The result of a run. All times are cycles of the device's base clock, all sizes bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Layout of this struct.
    pub schema: u32,
    /// Commands did what they do to memory. If not, races and reads of unwritten memory were not looked for.
    #[serde(default = "yes")]
    pub values: bool,
    /// Function that was run.
    pub entry: String,
    /// Device that it was run on.
    pub device: String,
    /// The program ran to its end. If not, the numbers say how far it came.
    pub completed: bool,
    /// Cycles from the start to the end of the control stream and of the last command.
    pub cycles: u64,
    /// Commands carried out.
    pub commands: u64,
    /// The control stream.
    pub control: ControlReport,
    /// Engines in the device's order.
    pub engines: Vec<EngineReport>,
    /// Memory spaces in the device's order.
    pub memories: Vec<MemoryReport>,
    /// A lower bound for any reordering of the executed commands, by heads and tails of whole groups of engines.
    pub bound: BoundReport,
    /// A tighter one, which also leaves the choice of engines open: for any program that carries out these commands.
    #[serde(default)]
    pub tight_bound: BoundReport,
    /// The cycles above the tight bound, by cause; zero if the program did not run to its end.
    #[serde(default)]
    pub distance: DistanceReport,
    /// Errors, in the order of detection.
    pub findings: Vec<Finding>,
    /// Operations that the device cannot do as they are written, and that were simulated as if it could: operations
    /// that name no engine, on operands in memories that the engine does not work on, and copies that no transfer does.
    /// Each place once.
    #[serde(default)]
    pub unsupported: Vec<FindingNote>,
    /// Warnings of correct but hardly intended code, in the order of detection.
    #[serde(default)]
    pub warnings: Vec<Finding>,
}

/// The value of a field in documents that are older than it.
fn yes() -> bool {
    true
}

/// The cycles of the control stream: `busy + stalled + idle` is the makespan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ControlReport {
    /// All of `issue`, `waiting_cost`, `loops`, `scalars`.
    pub busy: u64,
    /// Issuing commands.
    pub issue: u64,
    /// Executing waits and barriers, besides holding.
    pub waiting_cost: u64,
    /// Loop back edges.
    pub loops: u64,
    /// Its own loads and stores.
    pub scalars: u64,
    /// All of `stalled_wait`, `stalled_blocking`, `stalled_queue`.
    pub stalled: u64,
    /// Held by waits and barriers.
    pub stalled_wait: u64,
    /// Held by commands that are synchronous or on a blocking engine.
    pub stalled_blocking: u64,
    /// Held by full queues.
    pub stalled_queue: u64,
    /// Cycles from its end to the end of the last command.
    pub idle: u64,
}

/// The cycles of an engine: `busy + stalled + idle` is the makespan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineReport {
    /// Name.
    pub name: String,
    /// `dma`, `tensor` or `vector`.
    pub kind: String,
    /// Commands carried out.
    pub commands: u64,
    /// Bytes that its transfers moved.
    pub bytes: u64,
    /// Occupied, at the rate of an engine that is alone.
    pub busy: u64,
    /// Both of `stalled_latency`, `stalled_sharing`.
    pub stalled: u64,
    /// Start latency that no other command covered.
    pub stalled_latency: u64,
    /// Longer transfers because others used the links.
    pub stalled_sharing: u64,
    /// Cycles without a command.
    pub idle: u64,
}

/// Use of a memory space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryReport {
    /// Name.
    pub name: String,
    /// Capacity.
    pub capacity: u64,
    /// Most that was allocated at once, aligned.
    pub peak: u64,
    /// Most that was alive at once, if that was counted: bytes from the issue of the command that writes them to the
    /// wait after the last one that accesses them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<u64>,
}

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingKind {
    /// The program has no meaning here: an index out of bounds, an engine that cannot do its work.
    Invalid,
    /// A read of bytes that were never written.
    Init,
    /// Two accesses that nothing orders.
    Race,
    /// The control stream waits for what never happens.
    Deadlock,
    /// A memory space overflows.
    Capacity,
    /// A warning: a command is waited for again, which costs a wait and orders nothing.
    Wait,
    /// A warning: a barrier id is given and not waited for, or waited for and not given.
    Balance,
}

impl FindingKind {
    /// True if the program is right nevertheless.
    pub fn is_warning(self) -> bool {
        matches!(self, Self::Wait | Self::Balance)
    }
}

/// Something that is wrong with the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The kind.
    pub kind: FindingKind,
    /// The place, as `file:line:column`.
    pub location: String,
    /// The text.
    pub message: String,
    /// The other parties.
    pub notes: Vec<FindingNote>,
    /// The number of times that it was found.
    pub count: u64,
    /// The first time, if it is a race.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub race: Option<RaceReport>,
}

/// A further place of a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FindingNote {
    /// The place, as `file:line:column`.
    pub location: String,
    /// The text.
    pub message: String,
}

/// A race, the first time it was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceReport {
    /// `RAW`, `WAR` or `WAW`, by program order.
    pub hazard: String,
    /// The buffer, by its argument position or allocation.
    pub buffer: String,
    /// First bytes that both touch, within the buffer.
    pub bytes: (u64, u64),
    /// The command that is outstanding.
    pub earlier: RaceParty,
    /// The access that does not wait for it.
    pub later: RaceParty,
}

/// One side of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RaceParty {
    /// The name of the operation.
    pub op: String,
    /// Engine; `None` is the control stream.
    pub engine: Option<String>,
    /// The place, as `file:line:column`.
    pub location: String,
    /// Values of the induction variables around it, outermost first.
    pub iteration: Vec<i64>,
}

impl fmt::Display for Finding {
    /// In the manner of MLIR diagnostics: an error line, then its notes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.kind.is_warning() { "warning" } else { "error" };
        write!(f, "{}: {severity}: {}", self.location, self.message)?;
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        for note in &self.notes {
            write!(f, "\n{}: note: {}", note.location, note.message)?;
        }
        Ok(())
    }
}

impl Report {
    /// True if nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.completed && self.findings.is_empty()
    }

    /// Bytes that all transfers moved.
    pub fn bytes_moved(&self) -> u64 {
        self.engines
            .iter()
            .fold(0, |sum, engine| sum.saturating_add(engine.bytes))
    }
}
