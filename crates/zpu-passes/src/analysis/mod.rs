//! What operations touch, and in which order they therefore have to stay.
//!
//! [`linear`] is the algebra of index values, [`describe`] makes its expressions of IR and [`range`] bounds them,
//! [`sizes`] what is as large as they say; [`root`] says where memory comes from, [`rotation`] which of the buffers
//! that a loop passes around an iteration has, [`view`] follows views down to it, and [`region`] is the part of a
//! buffer that one names. [`overlap`] decides whether two extents meet, [`distance`] over how many iterations two
//! accesses do. [`access`] is what an operation reads and writes, [`layout`] what strides do to it, [`command`] what
//! runs on an engine, [`body`] a loop body as a list of units, [`dependence`] the order between them, [`uses`] who
//! needs whose values, [`role`] what a buffer is to a loop, and [`privatizable buffer`] the buffers that may become rings; [`slot`]
//! is how the versions of one lie in it. Everything here answers "may": what is not understood counts as overlapping,
//! and what has unknown effects as a fence.

pub(crate) mod access;
pub(crate) mod body;
pub(crate) mod command;
pub(crate) mod dependence;
mod describe;
mod distance;
pub(crate) mod footprint;
pub(crate) mod layout;
pub(crate) mod linear;
mod overlap;
pub(crate) mod privatizable;
pub(crate) mod range;
pub(crate) mod region;
pub(crate) mod role;
pub(crate) mod root;
mod rotation;
pub(crate) mod sizes;
pub(crate) mod slot;
pub(crate) mod uses;
mod view;
