//! Machines and programs for the tests, and how they end on both executors.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    missing_docs,
    reason = "each test file uses a part of it"
)]

mod ends;
mod machine;
mod nodes;

pub use ends::*;
pub use machine::*;
pub use nodes::*;
use zpu_device::ElementType;

pub const F32: ElementType = ElementType::F32;
