//! Facts that the algebra asks of a program, so that it holds for a function in MLIR and for one that was read from a
//! text alike.

use std::fmt::Debug;
use std::hash::Hash;

use super::linear::{Index, Symbol};
use super::range::Range;
use super::root::Window;

/// Names of values and loops.
pub trait Names: Copy + Debug + Eq + Hash {
    /// A value of the program: a number, a memref, a token.
    type Value: Copy + Debug + Eq + Hash;
    /// An operation with a body: a loop, a branch.
    type Scope: Copy + Debug + Eq + Hash;

    /// True if two values are one memref for certain: the same value, or the same global.
    fn is_same_base(left: Self::Value, right: Self::Value) -> bool {
        left == right
    }
}

/// Facts about values and scopes.
pub trait Facts: Names {
    /// True if a value is made in the body of a scope.
    fn is_defined_inside(value: Self::Value, scope: Self::Scope) -> bool;

    /// True if a scope is another one or is in its body.
    fn contains(scope: Self::Scope, inner: Self::Scope) -> bool;

    /// Between which bounds a symbol is in any one iteration.
    fn range(symbol: Symbol<Self>) -> Range;

    /// The step of a counted loop.
    fn step(scope: Self::Scope) -> Option<Index<Self>>;

    /// The number of iterations of a loop, if it is constant.
    fn constant_trip_count(scope: Self::Scope) -> Option<i64>;

    /// Sizes of a memref's dimensions, where they are known.
    fn shape(memref: Self::Value) -> Vec<Option<i64>>;

    /// True if a base differs between iterations of a loop: it is made inside, of a value that is made inside.
    fn is_remade(base: Self::Value, scope: Self::Scope) -> bool;

    /// True if a base has all the bytes of a root: it is the root, in whatever shape.
    fn is_all_of(base: Self::Value, root: Self::Value) -> bool;

    /// The bytes of its space that an allocation at an address has; `None` where they are not known.
    fn window(allocation: Self::Value) -> Option<Window>;

    /// True if two memrefs are known to be in different memory spaces.
    fn are_in_different_spaces(left: Self::Value, right: Self::Value) -> bool;
}
