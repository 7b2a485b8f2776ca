//! Waits that order nothing, and how each kind is found.
//!
//! [`repeated`]: the same token was waited for on every path. [`dominated`]: a later token of the same engine was.
//! [`proven`]: the proof of `zpu-verify-sync` succeeds without the wait.

pub(super) mod dominated;
pub(super) mod proven;
pub(super) mod repeated;
