//! A solution in times.

use serde::{Deserialize, Serialize};

/// Start times of a problem's operations. [`crate::verify`] says whether it is one of the problem's solutions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Initiation interval in cycles, at least 1; not looked at when the problem is acyclic.
    pub ii: u64,
    /// Start cycle of each operation in iteration 0.
    pub start: Vec<u64>,
    /// Which alternative of each operation is taken.
    pub chosen: Vec<u32>,
    /// Versions of each buffer, at least 1.
    pub versions: Vec<u32>,
}
