//! What operations touch, and in which order they therefore have to stay.
//!
//! [`linear`] describes index values, [`region`] the part of a buffer that a view names, [`access`] what an operation reads
//! and writes, [`command`] what runs on an engine, [`body`] a loop body as a list of units, [`dependence`] the order between them, and [`channel`] the buffers
//! that may become rings. Everything here answers "may": what is not understood counts as overlapping, and what has
//! unknown effects as a fence.

pub(crate) mod access;
pub(crate) mod body;
pub(crate) mod channel;
pub(crate) mod command;
pub(crate) mod dependence;
pub(crate) mod footprint;
pub(crate) mod linear;
pub(crate) mod region;
