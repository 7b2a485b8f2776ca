//! Random machines for the tests, and exact fractions to hold rounded ones to.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    missing_docs,
    reason = "each test file uses a part of it"
)]

mod fraction;
mod machine;
mod slow;

pub use fraction::*;
pub use machine::*;
pub use slow::*;
