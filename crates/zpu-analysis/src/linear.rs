//! Linear expressions of index values over MLIR's values, of the algebra in [`zpu_sync::index`].
//!
//! [`index_of`] makes them of IR; [`super::range`] bounds them.

pub use crate::describe::index_of;
use crate::names::Mlir;

/// The unknowns of an expression.
pub type Symbol<'c> = zpu_sync::index::Symbol<Mlir<'c>>;
/// `constant + sum of coefficient * symbol`.
pub type Linear<'c> = zpu_sync::index::Linear<Mlir<'c>>;
/// An index value.
pub type Index<'c> = zpu_sync::index::Index<Mlir<'c>>;
