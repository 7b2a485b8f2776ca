//! The machine as data: memories, links, engines, their costs, and the sync resources.
//!
//! A [`Device`] is read from a TOML file or built in, checked once, and then only asked questions. No MLIR here, and no
//! device number outside the device files.

#![forbid(unsafe_code)]

mod cost;
mod model;
mod query;

pub use cost::*;
pub use model::*;
pub use query::Role;
