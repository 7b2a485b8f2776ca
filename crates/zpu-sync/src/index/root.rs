//! Where memory comes from, and which of two such places may be the same.
//!
//! An allocation at an address is a window of its space's arena. Its root stays the allocation, since it has a life of
//! its own, but its bytes are counted from the beginning of the arena, as those of all windows of the space are; and it
//! is the same bytes in every iteration of a loop around it.

use serde::{Deserialize, Serialize};

use super::names::{Facts, Names};
use crate::seeded;

/// The origin of a region's memory. Equal roots are the same memory in the same iteration.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "N::Value: Serialize", deserialize = "N::Value: Deserialize<'de>"))]
pub enum Root<N: Names> {
    /// An allocation at an address that is not known, so that it has bytes of its own.
    Allocation(N::Value),
    /// An allocation at an address: a window of the arena of its space.
    Window(N::Value),
    /// An argument of the function that carries `llvm.noalias`.
    NoAliasArgument(N::Value),
    /// Any other argument of the function.
    Argument(N::Value),
    /// A global of the module, by one of the values that name it.
    Global(N::Value),
    /// Something that may be any memory.
    Unknown(N::Value),
}

impl<N: Names> PartialEq for Root<N> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Global(left), Self::Global(right)) => N::is_same_base(*left, *right),
            _ => std::mem::discriminant(self) == std::mem::discriminant(other) && self.value() == other.value(),
        }
    }
}

impl<N: Names> Eq for Root<N> {}

impl<N: Names> Root<N> {
    /// The value that stands for it.
    pub fn value(self) -> N::Value {
        match self {
            Self::Allocation(v)
            | Self::Window(v)
            | Self::NoAliasArgument(v)
            | Self::Argument(v)
            | Self::Global(v)
            | Self::Unknown(v) => v,
        }
    }

    /// The root over other names.
    pub fn renamed<M: Names>(self, value: &dyn Fn(N::Value) -> M::Value) -> Root<M> {
        match self {
            Self::Allocation(of) => Root::Allocation(value(of)),
            Self::Window(of) => Root::Window(value(of)),
            Self::NoAliasArgument(of) => Root::NoAliasArgument(value(of)),
            Self::Argument(of) => Root::Argument(value(of)),
            Self::Global(of) => Root::Global(value(of)),
            Self::Unknown(of) => Root::Unknown(value(of)),
        }
    }

    /// The allocation that it is, at an address or not.
    pub fn allocation(self) -> Option<N::Value> {
        match self {
            Self::Allocation(value) | Self::Window(value) => Some(value),
            _ => None,
        }
    }

    /// True if the bytes of two roots are counted from the same place.
    pub(super) fn counts_with(self, other: Self) -> bool {
        self == other || matches!((self, other), (Self::Window(_), Self::Window(_)))
    }

    /// True if it is no other root's memory, apart from roots of unknown origin.
    pub fn is_distinct(self) -> bool {
        matches!(self, Self::Allocation(_) | Self::NoAliasArgument(_))
    }
}

impl<N: Facts> Root<N> {
    /// True if it is other memory in each iteration of `op`.
    pub(super) fn is_made_in(self, op: N::Scope) -> bool {
        !matches!(self, Self::Window(_)) && N::is_defined_inside(self.value(), op)
    }

    /// True if two roots may be the same memory. Memory of two different spaces never is.
    pub fn may_alias(self, other: Self) -> bool {
        if self == other {
            return true;
        }
        match (self, other) {
            (Self::Window(left), Self::Window(right)) if are_apart::<N>(left, right) => return false,
            // A caller may have windows of its own, and hand them on.
            (Self::Window(_), Self::Window(_) | Self::Argument(_) | Self::Unknown(_))
            | (Self::Argument(_) | Self::Unknown(_), Self::Window(_)) => {}
            (Self::Allocation(_), Self::Unknown(_)) | (Self::Unknown(_), Self::Allocation(_)) => {}
            (Self::Allocation(_) | Self::Window(_), _) | (_, Self::Allocation(_) | Self::Window(_)) => return false,
            (Self::NoAliasArgument(_) | Self::Global(_), Self::NoAliasArgument(_) | Self::Global(_)) => return false,
            (Self::Argument(_), Self::Argument(_)) if seeded!(IgnoredAlias) => return false,
            _ => {}
        }
        !N::are_in_different_spaces(self.value(), other.value())
    }
}

/// Bytes of a memory space that an allocation at an address has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The first of them, from the beginning of the space.
    pub first: i64,
    /// Their number.
    pub bytes: i64,
}

impl Window {
    /// One past the last byte.
    pub fn end(self) -> Option<i64> {
        self.first.checked_add(self.bytes)
    }
}

/// True if two windows of one arena have no byte in common.
fn are_apart<N: Facts>(left: N::Value, right: N::Value) -> bool {
    let (Some(left), Some(right)) = (N::window(left), N::window(right)) else {
        return false;
    };
    let is_before = |one: Window, other: Window| one.end().is_some_and(|end| end <= other.first);
    is_before(left, right) || is_before(right, left)
}
