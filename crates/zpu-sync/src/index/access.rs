//! Reads and writes of an operation, and whether the order of two of them matters.

use serde::{Deserialize, Serialize};

use super::linear::{Index, Linear, Renaming};
use super::names::{Facts, Names};
use super::region::{Extent, Region};
use super::root::Root;

/// One region that an operation reads or writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "N::Value: Serialize, N::Scope: Serialize",
    deserialize = "N::Value: Deserialize<'de>, N::Scope: Deserialize<'de>"
))]
pub struct Access<N: Names> {
    /// The region.
    pub region: Region<N>,
    /// It writes; otherwise it reads.
    pub write: bool,
    /// Every element of the region certainly is accessed.
    pub full: bool,
    /// The memref that names the region, unless only an element of it is accessed. Two accesses in one iteration with
    /// equal names touch the same elements, whatever is known of their sizes.
    pub whole_of: Option<N::Value>,
    /// It ends the life of the memory, as `memref.dealloc` does. Of windows of an arena it concerns those who name the
    /// same one: the bytes stay, and may be another one's already.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ends: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl<N: Names> Access<N> {
    /// The access over other names.
    pub fn renamed<M: Names>(&self, name: &Renaming<'_, N, M>) -> Access<M> {
        Access {
            region: self.region.renamed(name),
            write: self.write,
            full: self.full,
            whole_of: self.whole_of.map(name.0),
            ends: self.ends,
        }
    }
}

impl<N: Facts> Access<N> {
    /// True if the order of the two may matter, as far as their roots tell.
    pub fn concerns(&self, other: &Self) -> bool {
        let (own, others) = (self.region.root, other.region.root);
        let are_windows = matches!((own, others), (Root::Window(_), Root::Window(_)));
        let is_apart = (self.ends || other.ends) && are_windows && own != others;
        (self.write || other.write) && !is_apart && own.may_alias(others)
    }

    /// True if the order of the two matters.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.concerns(other) && self.region.may_overlap(&other.region)
    }

    /// True if the regions of two accesses certainly have an element in common.
    pub fn meets_for_certain(&self, other: &Self) -> bool {
        if self.region.root != other.region.root || self.region.base != other.region.base {
            return false;
        }
        let (Some(left), Some(right)) = (&self.region.extents, &other.region.extents) else {
            return false;
        };
        left.iter().zip(right).all(|(left, right)| shares(left, right))
    }

    /// True if this write leaves no element as it was that `read` touches in the same iteration.
    pub fn covers(&self, read: &Self) -> bool {
        let same_name = self.whole_of.is_some() && self.whole_of == read.whole_of;
        self.write && self.full && (same_name || self.region.contains(&read.region))
    }

    /// The access in another iteration; see [`Region::at`].
    pub fn at(&self, op: N::Scope, iteration: &Linear<N>, instance: i64) -> Self {
        Self {
            region: self.region.at(op, iteration, instance),
            ..*self
        }
    }

    /// The access as it is understood after `op`: nothing that is defined inside remains in it.
    pub fn outside(&self, op: N::Scope) -> Self {
        Self {
            region: self.region.outside(op),
            whole_of: self.whole_of.filter(|value| !N::is_defined_inside(*value, op)),
            ..*self
        }
    }
}

fn shares<N: Names>(left: &Extent<N>, right: &Extent<N>) -> bool {
    let span = |extent: &Extent<N>| {
        let span = extent.span.as_ref().and_then(Linear::as_constant);
        span.filter(|span| extent.exact && *span > 0)
    };
    // A whole dimension of unknown size shares with itself whatever it has.
    let (Some(first), Some(second)) = (span(left), span(right)) else {
        return left.exact && right.exact && left.offset == right.offset && left.span == right.span;
    };
    match (&left.offset, &right.offset) {
        (Index::Linear(a), Index::Linear(b)) => difference(a, b).is_some_and(|gap| gap < second && -gap < first),
        (Index::Modulo(a), Index::Modulo(b)) if (a.factor, a.modulus) == (b.factor, b.modulus) => {
            let same = difference(&a.dividend, &b.dividend).is_some_and(|gap| gap.rem_euclid(a.modulus) == 0);
            same && difference(&a.rest, &b.rest).is_some_and(|gap| gap < second && -gap < first)
        }
        _ => false,
    }
}

/// `left - right`, if it is a number.
fn difference<N: Names>(left: &Linear<N>, right: &Linear<N>) -> Option<i64> {
    left.add_scaled(right, -1)?.as_constant()
}
