//! The index algebra over the values and operations of a problem.

use super::view::Table;
use crate::index;

/// A symbol that an expression counts in.
pub type Symbol<'p> = index::Symbol<Table<'p>>;
/// A linear expression.
pub type Linear<'p> = index::Linear<Table<'p>>;
/// An index value.
pub type Index<'p> = index::Index<Table<'p>>;
/// An extent in one dimension.
pub type Extent<'p> = index::Extent<Table<'p>>;
/// A part of a buffer.
pub type Region<'p> = index::Region<Table<'p>>;
/// An access of one.
pub type Access<'p> = index::Access<Table<'p>>;
/// The origin of memory.
pub type Root<'p> = index::Root<Table<'p>>;
