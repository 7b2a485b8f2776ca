//! An analytic model of pipelined loop nests: the cycles of a program that was not compiled, and a bound that no
//! schedule of it undercuts.
//!
//! [`Nest`] is the program before it is pipelined, [`versions()`] the number of versions of each buffer, [`predict()`]
//! the cycles, [`predict_best()`] those of the best form that the compiler may give it, and [`lower_bound`] the bound.
//!
//! Two modules look at a pipeline by its numbers alone, without a nest or a device, and are exact. [`levels`] has
//! closed formulas for one and two levels of memory, which say what a depth buys and which one still pays.
//! [`event_graph`] is the general case, any number of levels and any dependences between iterations: the period is the
//! greatest ratio of weight to distance of all cycles, the finite time a longest path. [`Ratio`] is the fraction that
//! both return.
//!
//! Nothing here is shared with the simulator but the cost functions of the device, which fill the prices of a nest.
//! Agreement of both is therefore evidence, and their difference is printed wherever both are known.

#![forbid(unsafe_code)]

mod alike;
mod bound;
pub mod event_graph;
mod expr;
mod forms;
pub mod levels;
mod machine;
mod nest;
mod own_buffers;
mod pieces;
mod predict;
mod ratio;
mod same;
pub mod side_by_side;
mod timeline;
mod versions;
pub mod written_out;

pub use bound::{Bound, lower_bound};
pub use event_graph::{Edge, EventGraph, EventGraphError, EventId, Level};
pub use expr::{Comparison, Expr, ValueId};
pub use forms::predict_best;
pub use levels::{OneLevel, TwoLevels};
pub use machine::Prediction;
pub use nest::{Buffer, BufferId, Command, CommandId, MOST_STEPS, Nest, NestError, Operand, Price, Step, Storage, Way};
pub use predict::predict;
pub use ratio::Ratio;
pub use versions::{Depth, Versions, versions};
