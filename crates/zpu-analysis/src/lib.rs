//! Facts of a function in MLIR: the memory that operations touch, the order that they therefore keep, and their costs.
//!
//! The one door from IR to facts: passes ask here, and no pass follows views or index arithmetic by itself.
//!
//! [`linear`] is the algebra of index values, `describe` makes its expressions of IR and [`range`] bounds them,
//! [`sizes`] bounds the sizes of buffers; [`root`] finds the origin of memory, `rotation` tells which of the buffers
//! that a loop passes around an iteration has, `view` follows views down to their root, and [`region`] is the part of a
//! buffer that a view names. `distance` tells over how many iterations two accesses meet. [`access`] lists the reads
//! and writes of an operation, [`layout`] finds strides that make elements overlap, [`command`] finds the operations on
//! engines, [`body`] takes a loop body apart into units, [`dependence`] finds the order between them, [`uses`] the
//! values that they need of each other, [`role`] the part that a buffer plays in a loop, and [`privatizable`] the
//! buffers that may become rings; [`slot`] lays versions into a ring; [`footprint`] counts the bytes of buffers,
//! [`liveness`] finds where they are needed, [`ownership`] which names are the only ones of their memory, [`calls`]
//! what called functions do with it, [`overlap`] the copies whose ends may have bytes in common, and [`cost`] the
//! cycles of operations. [`order`] finds in which order tensors are written and read, and [`tensor_layout`] is the
//! table of layouts that operations on tensors can take. [`walk`] is the box of a tensor that each iteration of a loop
//! touches, [`trace`] goes through all accesses to a tensor, and [`buffer_uses`] lists those to a buffer that stands
//! for one. [`problem`] makes a synchronisation problem of a function. Every answer is "may": a region that is not
//! understood overlaps everything, and an operation with unknown effects is a fence.

#![forbid(unsafe_code)]

pub mod access;
pub mod body;
pub mod buffer_uses;
pub mod calls;
pub mod command;
pub mod cost;
pub mod dependence;
mod describe;
mod distance;
pub mod engine_choice;
pub mod footprint;
mod fragment_body;
pub mod fragments;
pub mod layout;
pub mod linear;
pub mod liveness;
pub mod names;
pub mod nest;
pub mod order;
pub mod overlap;
pub mod ownership;
pub mod privatizable;
pub mod problem;
pub mod range;
pub mod region;
pub mod role;
pub mod root;
mod rotation;
pub mod sizes;
pub mod slot;
pub mod tensor_layout;
pub mod trace;
pub mod uses;
mod view;
pub mod walk;

pub use zpu_sync::seeded;
