//! The part of a buffer that a memref names.
//!
//! A region is a box in the coordinates of a *base*: an allocation, an argument, or a view that is not a plain subview.
//! Beside the box stand, where they are known, the bytes between its first and its last, counted from the pointer of
//! the root: regions of two bases are compared by them, and so are those of two windows of one arena, of which the
//! bytes are counted from the beginning of the arena. Two regions are disjoint only when that can be shown.

use serde::{Deserialize, Serialize};

use super::linear::{Index, Linear, Renaming, Symbol};
use super::names::{Facts, Names};
use super::overlap::{disjoint, is_never_negative};
use super::root::Root;

/// Extent of a region in one dimension of its base, or in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "N::Value: Serialize, N::Scope: Serialize",
    deserialize = "N::Value: Deserialize<'de>, N::Scope: Deserialize<'de>"
))]
pub struct Extent<N: Names> {
    /// First index.
    pub offset: Index<N>,
    /// Number of indices from the first to the last, both counted; `None` when unknown.
    pub span: Option<Linear<N>>,
    /// The span is the number of indices that are touched, not only a bound of it.
    pub exact: bool,
}

/// A box in a base, or the whole of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "N::Value: Serialize, N::Scope: Serialize",
    deserialize = "N::Value: Deserialize<'de>, N::Scope: Deserialize<'de>"
))]
pub struct Region<N: Names> {
    /// The origin of the memory.
    pub root: Root<N>,
    /// The value whose coordinates the box is in.
    pub base: N::Value,
    /// One extent a dimension of the base; `None` is anything in the root.
    pub extents: Option<Vec<Extent<N>>>,
    /// Bytes from the first to the last, from the pointer of the root on, or from the beginning of its space if the
    /// root is a window of that; `None` when unknown.
    pub bytes: Option<Extent<N>>,
}

impl<N: Names> Extent<N> {
    /// The extent over other names.
    pub fn renamed<M: Names>(&self, name: &Renaming<'_, N, M>) -> Extent<M> {
        Extent {
            offset: self.offset.renamed(name),
            span: self.span.as_ref().map(|span| span.renamed(name)),
            exact: self.exact,
        }
    }
}

impl<N: Facts> Extent<N> {
    fn at(&self, op: N::Scope, iteration: &Linear<N>, instance: i64) -> Option<Self> {
        let span = match &self.span {
            Some(span) => Some(span.moved(op, iteration, instance)?),
            None => None,
        };
        Some(Self {
            offset: self.offset.at(op, iteration, instance)?,
            span,
            exact: self.exact,
        })
    }

    /// True if it may differ between executions of the body of `op`.
    pub fn depends_on(&self, op: N::Scope) -> bool {
        self.offset.depends_on(op) || self.span.as_ref().is_some_and(|span| span.depends_on(op))
    }

    /// The smallest extent around it over everything that happens inside `op`; `None` without bounds.
    fn around(&self, op: N::Scope) -> Option<Self> {
        if !self.depends_on(op) {
            return Some(self.clone());
        }
        let mut first = Linear::constant(0);
        let mut spread = self.span.clone()?;
        let mut widen = |symbol: Symbol<N>, coefficient: i64| -> Option<()> {
            let reach = N::range(symbol).scale(coefficient);
            let (least, most) = (i64::try_from(reach.least?).ok()?, i64::try_from(reach.most?).ok()?);
            first = first.add_scaled(&Linear::constant(least), 1)?;
            spread = spread.add_scaled(&Linear::constant(most.checked_sub(least)?), 1)?;
            Some(())
        };
        let (linear, remainder) = match &self.offset {
            Index::Linear(linear) => (linear, None),
            Index::Modulo(modulo) if modulo.dividend.depends_on(op) => {
                let most = modulo.factor.checked_mul(modulo.modulus - 1)?;
                (&modulo.rest, Some(most))
            }
            Index::Modulo(modulo) => (&modulo.rest, None),
        };
        for (symbol, coefficient) in linear.terms() {
            if symbol.is_made_inside(op) {
                widen(*symbol, *coefficient)?;
            }
        }
        let kept = linear.filtered(|symbol| !symbol.is_made_inside(op));
        let mut offset = kept.add_scaled(&first, 1)?;
        if let Some(most) = remainder {
            offset = offset.add_scaled(&Linear::constant(most.min(0)), 1)?;
            spread = spread.add_scaled(&Linear::constant(most.checked_abs()?), 1)?;
        }
        let offset = match &self.offset {
            Index::Modulo(modulo) if remainder.is_none() => {
                let one = Index::modulo(modulo.dividend.clone(), modulo.modulus);
                Index::Linear(offset).add_scaled(&one, modulo.factor)?
            }
            _ => Index::Linear(offset),
        };
        // A length that itself changes inside is bounded by its greatest value.
        let changing: Vec<_> = spread
            .terms()
            .iter()
            .copied()
            .filter(|(s, _)| s.is_made_inside(op))
            .collect();
        for (symbol, coefficient) in changing {
            let most = N::range(symbol).scale(coefficient).most?;
            let most = Linear::constant(i64::try_from(most).ok()?);
            spread = spread
                .add_scaled(&Linear::symbol(symbol), coefficient.checked_neg()?)?
                .add_scaled(&most, 1)?;
        }
        Some(Self {
            offset,
            span: Some(spread),
            exact: false,
        })
    }

    /// All of a dimension.
    pub fn all(size: Option<i64>) -> Self {
        Self {
            offset: Index::constant(0),
            span: size.map(Linear::constant),
            exact: false,
        }
    }

    /// True if every index of `other` certainly is touched.
    fn contains(&self, other: &Self) -> bool {
        let (Some(mine), Some(span)) = (&self.span, &other.span) else {
            return false;
        };
        let Some(before) = other.offset.add_scaled(&self.offset, -1) else {
            return false;
        };
        let behind = mine
            .add_scaled(span, -1)
            .and_then(|rest| Index::Linear(rest).add_scaled(&before, -1));
        self.exact && is_never_negative(&before) && behind.is_some_and(|behind| is_never_negative(&behind))
    }
}

impl<N: Names> Region<N> {
    /// The region over other names.
    pub fn renamed<M: Names>(&self, name: &Renaming<'_, N, M>) -> Region<M> {
        let extents = |extents: &Vec<Extent<N>>| extents.iter().map(|extent| extent.renamed(name)).collect();
        Region {
            root: self.root.renamed(name.0),
            base: name.0(self.base),
            extents: self.extents.as_ref().map(extents),
            bytes: self.bytes.as_ref().map(|bytes| bytes.renamed(name)),
        }
    }
}

impl<N: Facts> Region<N> {
    /// The region in the iteration of `op` that `iteration` names; `instance` tells iterations apart, 0 is the current
    /// one.
    pub fn at(&self, op: N::Scope, iteration: &Linear<N>, instance: i64) -> Self {
        let moved = |extents: &Vec<Extent<N>>| {
            extents
                .iter()
                .map(|extent| extent.at(op, iteration, instance))
                .collect()
        };
        let is_other = instance != 0;
        Self {
            extents: self
                .extents
                .as_ref()
                .filter(|_| !(is_other && self.is_remade(op)))
                .and_then(moved),
            bytes: self
                .bytes
                .as_ref()
                .filter(|_| !(is_other && self.root.is_made_in(op)))
                .and_then(|bytes| bytes.at(op, iteration, instance)),
            ..*self
        }
    }

    /// True if the base, in whose coordinates the box is, differs between iterations of `op`.
    pub fn is_remade(&self, op: N::Scope) -> bool {
        !self.is_window() && N::is_remade(self.base, op)
    }

    /// True if the box is in the coordinates of a window itself, which are the same whenever that is allocated.
    fn is_window(&self) -> bool {
        self.root == Root::Window(self.base)
    }

    /// The region as it is understood after `op`: a region around all those inside, in names that have a meaning
    /// outside.
    pub fn outside(&self, op: N::Scope) -> Self {
        let is_lost = self.root.is_made_in(op);
        let bytes = self
            .bytes
            .as_ref()
            .filter(|_| !is_lost)
            .and_then(|bytes| bytes.around(op));
        if N::is_defined_inside(self.base, op) && !self.is_window() {
            return Self {
                base: self.root.value(),
                extents: None,
                bytes,
                ..*self
            };
        }
        let shape = N::shape(self.base);
        let around = |extents: &Vec<Extent<N>>| -> Vec<Extent<N>> {
            let each = extents.iter().enumerate();
            each.map(|(dim, extent)| {
                extent
                    .around(op)
                    .unwrap_or_else(|| Extent::all(shape.get(dim).copied().flatten()))
            })
            .collect()
        };
        Self {
            extents: self.extents.as_ref().map(around),
            bytes,
            ..*self
        }
    }

    /// True if the two may have a byte in common.
    pub fn may_overlap(&self, other: &Self) -> bool {
        if !self.root.may_alias(other.root) {
            return false;
        }
        !self.comparable(other).any(|(left, right)| disjoint(left, right))
    }

    /// The pairs of extents of which none may be disjoint if the two overlap in one iteration.
    fn comparable<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a Extent<N>, &'a Extent<N>)> {
        let boxes = self
            .extents
            .as_ref()
            .zip(other.extents.as_ref())
            .filter(|_| N::is_same_base(self.base, other.base));
        let bytes = self
            .bytes
            .as_ref()
            .zip(other.bytes.as_ref())
            .filter(|_| self.root.counts_with(other.root));
        let boxes = boxes.into_iter().flat_map(|(left, right)| left.iter().zip(right));
        boxes.chain(bytes)
    }

    /// The pairs of extents that tell two regions apart, for two different iterations of `op`.
    pub fn comparable_apart<'a>(
        &'a self,
        other: &'a Self,
        op: N::Scope,
    ) -> impl Iterator<Item = (&'a Extent<N>, &'a Extent<N>)> {
        let boxes = self
            .extents
            .as_ref()
            .zip(other.extents.as_ref())
            .filter(|_| N::is_same_base(self.base, other.base) && !self.is_remade(op) && !other.is_remade(op));
        let bytes = self
            .bytes
            .as_ref()
            .zip(other.bytes.as_ref())
            .filter(|_| self.root.counts_with(other.root) && !self.root.is_made_in(op));
        let boxes = boxes.into_iter().flat_map(|(left, right)| left.iter().zip(right));
        boxes.chain(bytes)
    }

    /// True if everything in `other` certainly is in this region, in one iteration.
    pub fn contains(&self, other: &Self) -> bool {
        if self.root != other.root || matches!(self.root, Root::Unknown(_)) {
            return false;
        }
        if self.is_whole_root() {
            return true;
        }
        let boxes = self.extents.as_ref().zip(other.extents.as_ref());
        N::is_same_base(self.base, other.base)
            && boxes.is_some_and(|(mine, others)| mine.iter().zip(others).all(|(mine, other)| mine.contains(other)))
    }

    /// True if the region is everything in its root.
    pub fn is_whole_root(&self) -> bool {
        let Some(extents) = &self.extents else { return false };
        let full = N::shape(self.base).iter().zip(extents).all(|(size, extent)| {
            let at_zero = extent.offset.as_constant() == Some(0);
            let span = extent.span.as_ref().map(Linear::as_constant);
            // In a dynamic dimension only the base itself, which has no span, is known to cover it.
            at_zero && extent.exact && span == size.map(Some)
        });
        full && N::is_all_of(self.base, self.root.value())
    }
}
