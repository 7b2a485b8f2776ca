//! What operations touch, and in which order they therefore have to stay.
//!
//! [`linear`] describes index values, [`region`] the part of a buffer that a view names, [`access`] what an operation reads
//! and writes, [`body`] a loop body as a list of units, and [`dependence`] the order between them. Everything here answers
//! "may": what is not understood counts as overlapping, and what has unknown effects as a fence.

pub(crate) mod access;
pub(crate) mod body;
pub(crate) mod dependence;
pub(crate) mod linear;
pub(crate) mod region;
