//! The part of a buffer that a memref names, of the algebra in [`zpu_sync::index`].

use crate::names::Mlir;
pub use crate::view::{element_of, region_of};

/// Extent of a region in one dimension of its base, or in bytes.
pub type Extent<'c> = zpu_sync::index::Extent<Mlir<'c>>;
/// A box in a base, or the whole of it.
pub type Region<'c> = zpu_sync::index::Region<Mlir<'c>>;
/// The origin of a region's memory.
pub type Root<'c> = zpu_sync::index::Root<Mlir<'c>>;
