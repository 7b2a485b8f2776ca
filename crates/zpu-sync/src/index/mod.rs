//! The algebra of indices and of the memory that they name.
//!
//! [`names`] is what it has to know of a program; [`linear`] has the expressions, [`range`] their bounds; [`root`] is
//! where memory comes from, [`region`] a part of it, [`access`] what an operation does to one; `overlap` decides
//! whether two extents meet, and [`distance`] over how many iterations two accesses do. Everything here answers "may":
//! what is not understood counts as overlapping.

pub mod access;
pub mod distance;
pub mod linear;
pub mod names;
mod overlap;
pub mod range;
pub mod region;
pub mod root;

pub use access::Access;
pub use linear::{Index, Linear, Modulo, Symbol};
pub use names::{Facts, Names};
pub use range::Range;
pub use region::{Extent, Region};
pub use root::{Root, Window};
