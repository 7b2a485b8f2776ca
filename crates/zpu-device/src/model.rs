//! The parts of a device. Every struct here is also the shape of the `zpu.device` op's contents; the device file spells
//! some of it differently (see `docs/devices.md`) and is lowered to this.
//!
//! Invariant: names are unique within their kind, and an engine is exactly one in-order queue. A file's `count = N` has
//! been expanded to N engines `name0 .. nameN-1` of one `group` by the time a `Device` exists.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One core of the machine, for which the passes plan and which the simulator runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// Symbol name, e.g. `sunmmio-a4e`.
    pub name: String,
    /// Base clock; all cycles are cycles of this clock.
    pub clock_ghz: f64,
    /// The off-chip memory: where a buffer that the caller passes in lives when it names no space.
    pub off_chip: String,
    /// The on-chip memory that a local buffer gets when no engine demands another.
    pub default_space: String,
    /// Costs of the single control stream.
    pub control: Control,
    /// Memory spaces.
    pub memories: Vec<Memory>,
    /// Bandwidth that several engines share, max-min fair.
    pub links: Vec<Link>,
    /// The in-order queues.
    pub engines: Vec<Engine>,
    /// Tokens and barriers.
    pub sync: Sync,
}

/// Cycles that the control stream spends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Control {
    /// Issuing one command.
    pub start_cycles: u64,
    /// A wait whose command is already complete.
    pub wait_cycles: u64,
    /// One loop back edge.
    pub loop_cycles: u64,
    /// A barrier with nothing to wait for.
    pub barrier_cycles: u64,
    /// One scalar load or store by the control stream itself.
    pub scalar_cycles: u64,
}

/// A memory space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Name as in `#zpu.space<name>`.
    pub name: String,
    /// Capacity.
    pub bytes: u64,
    /// Alignment of a buffer's address, in bytes.
    pub align: u64,
    /// Ranges of equal size that its addresses are divided into, one after the other; see [`Engine::separate_banks`].
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub banks: u64,
}

/// The number of a thing of which a device file does not say how many there are.
pub(crate) fn one() -> u64 {
    1
}

fn is_one(banks: &u64) -> bool {
    *banks == one()
}

/// A link whose bandwidth is shared by the transfers that cross it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Name.
    pub name: String,
    /// Bytes per cycle in all.
    pub bytes_per_cycle: f64,
}

/// The kind of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// Moves data over its routes.
    Dma,
    /// Matrix products.
    Tensor,
    /// Everything elementwise, reductions, fills.
    Vector,
}

/// The reaction to a command that is issued to a full queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenFull {
    /// The control stream waits for a free slot.
    Stall,
    /// The program is wrong.
    Error,
    /// The command is lost, and a wait for it hangs.
    Drop,
}

/// One in-order queue with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Engine {
    /// Name as in `on @name`.
    pub name: String,
    /// Name in the device file before `count` was expanded; equals `name` for a single one.
    pub group: String,
    /// Its kind.
    pub kind: EngineKind,
    /// Issuing to it holds the control stream until the command is done.
    pub blocking: bool,
    /// Commands that may be issued and not yet complete.
    pub queue_depth: u64,
    /// Policy of a full queue.
    pub when_full: WhenFull,
    /// Spaces that operands have to be in.
    pub operands: Operands,
    /// Two buffers that a command accesses in one memory have to lie in different banks of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub separate_banks: bool,
    /// The costs of its commands.
    pub cost: EngineCost,
}

/// Operand rules of an engine. An empty list means any space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operands {
    /// Matrix operand A.
    pub a: Vec<String>,
    /// Matrix operand B.
    pub b: Vec<String>,
    /// Matrix accumulator and result.
    pub c: Vec<String>,
    /// Every operand of a vector engine.
    pub all: Vec<String>,
}

/// Cost model by kind. The kind of the engine and of its cost agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineCost {
    /// LogGP-like transfers.
    Dma(DmaCost),
    /// Tiles of multiply-adds.
    Tensor(TensorCost),
    /// Elements times weights.
    Vector(VectorCost),
}

/// One route that a DMA engine serves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Source space.
    pub from: String,
    /// Destination space.
    pub to: String,
    /// Shared links that a transfer on it crosses.
    pub links: Vec<String>,
}

/// A DMA engine's cost: LogGP (Alexandrov et al., SPAA 1995) with a term per contiguous row.
///
/// `occupancy = gap + rows * per_row + ceil(rows * round_up(row_bytes, burst_bytes) / rate)`, where `rate` is the
/// smallest of `bytes_per_cycle` and the `bytes_per_cycle` of the links on the route. The transfer is complete
/// `start_latency + occupancy` cycles after its start; the start latency overlaps the previous transfer of the same
/// engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DmaCost {
    /// Routes it serves.
    pub routes: Vec<Route>,
    /// Bytes per cycle of the unit alone; 0 when the unit sets no limit, so that only links and the other terms count.
    pub bytes_per_cycle: f64,
    /// L: start to first byte; overlaps with the previous transfer of the same unit.
    pub start_latency: u64,
    /// g: occupancy per transfer besides the bytes.
    pub gap: u64,
    /// Cycles per contiguous row; a contiguous transfer has one.
    pub per_row: u64,
    /// A row is rounded up to this many bytes (1: no rounding).
    pub burst_bytes: u64,
    /// Strided dimensions that one transfer goes through at most, the contiguous one included; 0 when there is no
    /// limit.
    #[serde(default)]
    pub dims: u64,
}

/// A tensor engine's cost of an m x n x k product: `fill + (acc16 or acc32) + max(min, ceil(tiles_m * tiles_n *
/// max(tiles_k, min_k_tiles) * cycles_per_tile / rate))` where `min_k_tiles` does not bind a product of a single m x n
/// tile. A batch of products pays the `max` once per product and the rest once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TensorCost {
    /// Tile (m, n, k); shapes are rounded up to it.
    pub tile: [u64; 3],
    /// Cycles per tile at rate 1; 0 when tiles cost nothing besides the fixed terms.
    pub cycles_per_tile: f64,
    /// At least this many k tiles are paid for, unless m and n fit one tile.
    pub min_k_tiles: u64,
    /// Fill and drain per command.
    pub fill: u64,
    /// Added for an accumulator of at most 16 bits.
    pub acc16: u64,
    /// Added for a wider accumulator.
    pub acc32: u64,
    /// Least cycles of the tile part.
    pub min: u64,
    /// Setting an accumulator to zero, as a command of its own; `None` if the engine only adds to its accumulator.
    pub zero_init: Option<u64>,
    /// Speed relative to `cycles_per_tile` by operand element type (`f16`, `bf16`, `f32`, `i8`, ...); 1 if not named.
    pub rate: BTreeMap<String, f64>,
}

/// A vector engine's cost: `start + max(min, ceil(elements * weight / per_cycle))`, where `weight` sums the entries of
/// `weights` over what is done per element and is at least that of one `arith`, since a command passes over its
/// elements at least once. `per_cycle` is in weight units per cycle, scaled by `width_bits / element bits` when
/// `width_bits` is not 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorCost {
    /// Cycles per command.
    pub start: u64,
    /// Least cycles of the element part.
    pub min: u64,
    /// Weight units per cycle (`width_bits` = 0), or vectors per cycle (`width_bits` > 0); 0 when elements cost nothing
    /// besides the fixed terms.
    pub per_cycle: f64,
    /// Vector width in bits, 0 when the width does not depend on the element type.
    pub width_bits: u64,
    /// Weight per element by name: `first_load`, `load` (each further one), `store`, `reduce_access` (in a command that
    /// reduces: in the place of all loads and stores), and `arith`, `mul`, `div`, `exp`, `reduce_sum`, `reduce_other`
    /// for [`crate::VectorOp`]. An operation that is not named costs `arith`; `arith` defaults to 1, `first_load` to
    /// `load`, `load` and `store` to 0, and without `reduce_access` a reduction pays its loads and stores like
    /// everything else.
    pub weights: BTreeMap<String, f64>,
}

/// Finite hardware resources of synchronisation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sync {
    /// Barrier ids that may be live at once.
    pub ids: u64,
    /// Hardware barriers.
    pub barriers: u64,
    /// The effect of a wait for a command that was never issued.
    pub wait_on_never_issued: NeverIssued,
}

/// Behaviour of a wait on an id that no command was issued with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NeverIssued {
    /// Returns at once.
    Return,
    /// Never returns.
    Hang,
    /// The program is wrong.
    Error,
}
