//! The event-driven simulator: runs a [`Program`] on a [`zpu_device::Device`], values and time at once.
//!
//! The control stream executes statements in order and issues commands; engines carry them out in order, each at the
//! time that the cost model gives; the effect of a command on memory happens when it completes, or in any other legal
//! [`Order`]. A run ends with exact values, the cycles of every unit, and findings: races by the frontier rule,
//! deadlocks, overflowing memories, uninitialised reads. No MLIR here.
//!
//! Invariants: the same input gives the same output, byte for byte; no program makes the simulator panic; times are
//! whole cycles and add up.

#![forbid(unsafe_code)]

mod affine;
mod arena;
mod banks;
mod blockage;
mod bound;
mod choices;
mod command_cost;
mod commit;
mod compute;
mod contents;
mod contraction;
mod control;
mod distance;
mod effect;
mod execute;
mod explore;
mod fault;
mod finding;
mod flow;
mod footprint;
mod hazard;
mod history;
mod interleave;
mod interval_set;
mod intervals;
mod issue;
mod kernel;
mod known;
mod layout;
mod liberties;
mod live_bytes;
mod machine;
mod memory;
mod must_waits;
mod operation;
mod pace;
mod plan;
mod program;
mod recording;
mod repetition;
mod report;
mod routes;
mod sampling;
mod scalar;
mod simulate;
mod softmax;
mod storage;
mod sync;
mod template;
mod tight;
mod tokens;
mod touch;
mod trace;
mod unread;
mod usage;
mod value;
mod view;
mod whole_run;
mod window;

pub use affine::{AffineExpr, AffineMap, Linear};
pub use blockage::Blockage;
pub use commit::{Order, UnknownOrder};
pub use compute::{Compute, ComputeError};
pub use contents::{argument_seed, random_bytes};
pub use fault::Fault;
pub use interleave::{Difference, Interleavings, Limits, Step, interleavings};
pub use kernel::{Body, BodyOp, Contraction, Kernel, KernelOperand, LoopKind};
pub use live_bytes::LiveBytes;
pub use operation::{Cast, FloatBinary, FloatPredicate, FloatTest, FloatUnary, IntBinary, IntPredicate, IntUnary};
pub use pace::{Pace, PaceArgument, pace};
pub use program::*;
pub use report::{
    BoundPart, BoundReport, ControlReport, DistanceReport, EngineReport, Finding, FindingKind, FindingNote,
    MemoryReport, RaceParty, RaceReport, Report, SCHEMA,
};
pub use scalar::{
    element_bits, element_bytes, element_name, from_f64, is_float, mask as element_mask, read_element, to_f64,
    write_element,
};
pub use simulate::{Argument, Checks, Options, Outcome, Output, SimError, Values, simulate};
pub use trace::{ChromeTrace, LiveSample, TraceEvent, TraceKind, chrome_trace};
pub use whole_run::{RunCommand, Storage, Traffic, Way, WholeRun};
