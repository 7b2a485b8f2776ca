//! Where memory comes from, and which of two such places may be the same.

use serde::{Deserialize, Serialize};

use super::names::{Facts, Names};
use crate::seeded;

/// The origin of a region's memory. Equal roots are the same memory in the same iteration.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "N::Value: Serialize", deserialize = "N::Value: Deserialize<'de>"))]
pub enum Root<N: Names> {
    /// An allocation.
    Allocation(N::Value),
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
            Self::Allocation(v) | Self::NoAliasArgument(v) | Self::Argument(v) | Self::Global(v) | Self::Unknown(v) => {
                v
            }
        }
    }

    /// The root over other names.
    pub fn renamed<M: Names>(self, value: &dyn Fn(N::Value) -> M::Value) -> Root<M> {
        match self {
            Self::Allocation(of) => Root::Allocation(value(of)),
            Self::NoAliasArgument(of) => Root::NoAliasArgument(value(of)),
            Self::Argument(of) => Root::Argument(value(of)),
            Self::Global(of) => Root::Global(value(of)),
            Self::Unknown(of) => Root::Unknown(value(of)),
        }
    }

    /// True if it is no other root's memory, apart from roots of unknown origin.
    pub fn is_distinct(self) -> bool {
        matches!(self, Self::Allocation(_) | Self::NoAliasArgument(_))
    }
}

impl<N: Facts> Root<N> {
    /// True if two roots may be the same memory. Memory of two different spaces never is.
    pub fn may_alias(self, other: Self) -> bool {
        if self == other {
            return true;
        }
        match (self, other) {
            (Self::Allocation(_), Self::Unknown(_)) | (Self::Unknown(_), Self::Allocation(_)) => {}
            (Self::Allocation(_), _) | (_, Self::Allocation(_)) => return false,
            (Self::NoAliasArgument(_) | Self::Global(_), Self::NoAliasArgument(_) | Self::Global(_)) => return false,
            (Self::Argument(_), Self::Argument(_)) if seeded!(IgnoredAlias) => return false,
            _ => {}
        }
        !N::are_in_different_spaces(self.value(), other.value())
    }
}
