//! Facts of a function in MLIR: what operations touch, in which order they therefore have to stay, and what they cost.
//!
//! The one door from IR to facts: passes ask here, and no pass follows views or index arithmetic by itself.
//!
//! [`linear`] is the algebra of index values, `describe` makes its expressions of IR and [`range`] bounds them,
//! [`sizes`] what is as large as they say; [`root`] says where memory comes from, `rotation` which of the buffers
//! that a loop passes around an iteration has, `view` follows views down to it, and [`region`] is the part of a
//! buffer that one names. `overlap` decides whether two extents meet, `distance` over how many iterations two
//! accesses do. [`access`] is what an operation reads and writes, [`layout`] what strides do to it, [`command`] what
//! runs on an engine, [`body`] a loop body as a list of units, [`dependence`] the order between them, [`uses`] who
//! needs whose values, [`role`] what a buffer is to a loop, and [`privatizable`] the buffers that may become rings;
//! [`slot`] is how the versions of one lie in it; [`cost`] is what an operation takes on the device. Everything here
//! answers "may": what is not understood counts as overlapping, and what has unknown effects as a fence.

#![forbid(unsafe_code)]

pub mod access;
pub mod body;
pub mod command;
pub mod cost;
pub mod dependence;
mod describe;
mod distance;
pub mod footprint;
pub mod layout;
pub mod linear;
pub mod names;
pub mod privatizable;
pub mod problem;
pub mod range;
pub mod region;
pub mod role;
pub mod root;
mod rotation;
pub mod sizes;
pub mod slot;
pub mod uses;
mod view;

pub use zpu_sync::seeded;
