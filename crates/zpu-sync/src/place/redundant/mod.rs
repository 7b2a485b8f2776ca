//! Waits that order nothing, and how each kind is found.
//!
//! [`repeated`]: the same token was waited for on every path. [`dominated`]: a later token of the same engine was.
//! [`proven`]: the proof of `zpu-verify-sync` succeeds without the wait.

pub(crate) mod dominated;
pub(crate) mod proven;
pub(crate) mod repeated;
