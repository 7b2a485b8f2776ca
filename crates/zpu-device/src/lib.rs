//! The machine as data: memories, links, engines, their costs, and the sync resources.
//!
//! A [`Device`] is read from a TOML file or built in ([`Device::load`]), checked once ([`Device::check`]), and then
//! only queried: for the cost of work ([`Device::cost`]), the engines of a route, the memories of an operand. No MLIR
//! here, and no device number outside the device files in `devices/`.
//!
//! ```
//! use zpu_device::{Device, Work};
//!
//! let device = Device::load("planning-1dma", &["control.start_cycles=4".to_owned()])?;
//! let odma = device.engine("odma").ok_or("no such engine")?;
//! let work = Work::Transfer { from: "dram".into(), to: "asram".into(), rows: 1, row_bytes: 8192 };
//! assert_eq!(device.cost(odma, &work)?.total(), 100 + 8192 / 1024);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod check;
mod cost;
mod data_path;
mod error;
mod file;
mod load;
mod model;
mod query;

pub use cost::*;
pub use error::{DeviceError, Fault, Origin, Place, Problem, hint};
pub use load::{builtin_names, builtin_text};
pub use model::*;
pub use query::Role;
