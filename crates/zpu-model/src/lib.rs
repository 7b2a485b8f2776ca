//! An analytic model of pipelined loop nests: the cycles of a program that was not compiled, and a bound that no
//! schedule of it undercuts.
//!
//! [`Nest`] is the program before it is pipelined, [`versions()`] the number of versions of each buffer, [`predict()`]
//! the cycles, and [`lower_bound`] the bound. [`OneLevel`] and [`TwoLevels`] are closed formulas for loads and uses
//! alone, and [`EventGraph`] is exact for any number of levels.
//!
//! Nothing here is shared with the simulator but the cost functions of the device, which fill the prices of a nest.
//! Agreement of both is therefore evidence, and their difference is printed wherever both are known.

#![forbid(unsafe_code)]

mod bound;
mod event_graph;
mod expr;
mod levels;
mod nest;
mod pieces;
mod predict;
mod ratio;
mod timeline;
mod versions;

pub use bound::{Bound, lower_bound};
pub use event_graph::{EventGraph, Node, WaitsForItself};
pub use expr::{Comparison, Expr, ValueId};
pub use levels::{Load, OneLevel, TwoLevels};
pub use nest::{Buffer, BufferId, Command, CommandId, MOST_STEPS, Nest, NestError, Operand, Price, Step, Storage, Way};
pub use predict::{Prediction, predict};
pub use ratio::Ratio;
pub use versions::{Depth, Versions, versions};
