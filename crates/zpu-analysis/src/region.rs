//! The part of a buffer that a memref names.
//!
//! A region is a box in the coordinates of a *base*: an allocation, an argument, or a view that is not a plain subview.
//! Beside the box stand, where they are known, the bytes between its first and its last, counted from the pointer of
//! the root: regions of two bases are compared by them. Two regions are disjoint only when that can be shown.

use zpu_ir::ty::MemRef;
use zpu_ir::{Op, Value};

use crate::linear::{Index, Linear, Symbol};
use crate::overlap::{disjoint, is_never_negative};
use crate::range;
pub use crate::root::Root;
use crate::root::is_same_base;
pub use crate::view::{element_of, region_of};

/// Extent of a region in one dimension of its base, or in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent<'c> {
    /// First index.
    pub offset: Index<'c>,
    /// Number of indices from the first to the last, both counted; `None` when unknown.
    pub span: Option<Linear<'c>>,
    /// Whether the span is the number of indices that are touched, not only a bound of it.
    pub exact: bool,
}

/// A box in a base, or the whole of it.
#[derive(Clone, Debug)]
pub struct Region<'c> {
    /// Where the memory comes from.
    pub root: Root<'c>,
    /// The value whose coordinates the box is in.
    pub base: Value<'c>,
    /// One extent a dimension of the base; `None` is anything in the root.
    pub extents: Option<Vec<Extent<'c>>>,
    /// Bytes from the first to the last, from the pointer of the root on; `None` when unknown.
    pub bytes: Option<Extent<'c>>,
}

impl<'c> Extent<'c> {
    fn at(&self, op: Op<'c>, iteration: &Linear<'c>, instance: i64) -> Option<Self> {
        let span = match &self.span {
            Some(span) => Index::Linear(span.clone())
                .at(op, iteration, instance)?
                .as_linear()
                .cloned(),
            None => None,
        };
        Some(Self {
            offset: self.offset.at(op, iteration, instance)?,
            span,
            exact: self.exact,
        })
    }

    /// Whether it may be another one in another execution of what is inside `op`.
    pub fn depends_on(&self, op: Op<'c>) -> bool {
        self.offset.depends_on(op) || self.span.as_ref().is_some_and(|span| span.depends_on(op))
    }

    /// The smallest extent around it over everything that happens inside `op`; `None` without bounds.
    fn around(&self, op: Op<'c>) -> Option<Self> {
        if !self.depends_on(op) {
            return Some(self.clone());
        }
        let mut first = Linear::constant(0);
        let mut spread = self.span.clone()?;
        let mut widen = |symbol: Symbol<'c>, coefficient: i64| -> Option<()> {
            let reach = range::of_symbol(symbol).scale(coefficient);
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
            let most = range::of_symbol(symbol).scale(coefficient).most?;
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
    pub(crate) fn all(size: Option<i64>) -> Self {
        Self {
            offset: Index::constant(0),
            span: size.map(Linear::constant),
            exact: false,
        }
    }

    /// Whether every index of `other` certainly is touched.
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

impl<'c> Region<'c> {
    /// The region in the iteration of `op` that `iteration` names; `instance` tells iterations apart, 0 is the current
    /// one.
    pub fn at(&self, op: Op<'c>, iteration: &Linear<'c>, instance: i64) -> Self {
        let moved = |extents: &Vec<Extent<'c>>| {
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
                .filter(|_| !(is_other && is_remade(self.base, op)))
                .and_then(moved),
            bytes: self
                .bytes
                .as_ref()
                .filter(|_| !(is_other && self.root.value().is_defined_inside(op)))
                .and_then(|bytes| bytes.at(op, iteration, instance)),
            ..self.clone()
        }
    }

    /// Whether the box is in the coordinates of something that is another one in another iteration of `op`.
    pub fn is_remade(&self, op: Op<'c>) -> bool {
        is_remade(self.base, op)
    }

    /// The region as it is understood behind `op`: around all that it is inside, in names that mean something outside.
    pub fn outside(&self, op: Op<'c>) -> Self {
        let is_lost = self.root.value().is_defined_inside(op);
        let bytes = self
            .bytes
            .as_ref()
            .filter(|_| !is_lost)
            .and_then(|bytes| bytes.around(op));
        if self.base.is_defined_inside(op) {
            return Self {
                base: self.root.value(),
                extents: None,
                bytes,
                ..self.clone()
            };
        }
        let shape = MemRef::of(self.base.ty())
            .map(|memref| memref.shape)
            .unwrap_or_default();
        let around = |extents: &Vec<Extent<'c>>| -> Vec<Extent<'c>> {
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
            ..self.clone()
        }
    }

    /// Whether the two may have a byte in common.
    pub fn may_overlap(&self, other: &Self) -> bool {
        if !self.root.may_alias(other.root) {
            return false;
        }
        !self.comparable(other).any(|(left, right)| disjoint(left, right))
    }

    /// The pairs of extents of which none may be disjoint if the two overlap in one iteration.
    fn comparable<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (&'a Extent<'c>, &'a Extent<'c>)> {
        let boxes = self
            .extents
            .as_ref()
            .zip(other.extents.as_ref())
            .filter(|_| is_same_base(self.base, other.base));
        let bytes = self
            .bytes
            .as_ref()
            .zip(other.bytes.as_ref())
            .filter(|_| self.root == other.root);
        let boxes = boxes.into_iter().flat_map(|(left, right)| left.iter().zip(right));
        boxes.chain(bytes)
    }

    /// The pairs of extents that tell two regions apart, for two different iterations of `op`.
    pub fn comparable_apart<'a>(
        &'a self,
        other: &'a Self,
        op: Op<'c>,
    ) -> impl Iterator<Item = (&'a Extent<'c>, &'a Extent<'c>)> {
        let boxes = self
            .extents
            .as_ref()
            .zip(other.extents.as_ref())
            .filter(|_| is_same_base(self.base, other.base) && !self.is_remade(op) && !other.is_remade(op));
        let bytes = self
            .bytes
            .as_ref()
            .zip(other.bytes.as_ref())
            .filter(|_| self.root == other.root && !self.root.value().is_defined_inside(op));
        let boxes = boxes.into_iter().flat_map(|(left, right)| left.iter().zip(right));
        boxes.chain(bytes)
    }

    /// Whether everything in `other` certainly is in this region, in one iteration.
    pub fn contains(&self, other: &Self) -> bool {
        if self.root != other.root || matches!(self.root, Root::Unknown(_)) {
            return false;
        }
        if self.is_whole_root() {
            return true;
        }
        let boxes = self.extents.as_ref().zip(other.extents.as_ref());
        is_same_base(self.base, other.base)
            && boxes.is_some_and(|(mine, others)| mine.iter().zip(others).all(|(mine, other)| mine.contains(other)))
    }

    /// Whether the region is everything in its root.
    pub fn is_whole_root(&self) -> bool {
        let Some(extents) = &self.extents else { return false };
        let Some(base) = MemRef::of(self.base.ty()) else {
            return false;
        };
        let full = base.shape.iter().zip(extents).all(|(size, extent)| {
            let at_zero = extent.offset.as_constant() == Some(0);
            let span = extent.span.as_ref().map(Linear::as_constant);
            // In a dynamic dimension only the base itself, which has no span, is known to cover it.
            at_zero && extent.exact && span == size.map(Some)
        });
        full && self.base_is_root()
    }

    /// Whether the base is the root, the root in another shape, or a view of bytes that covers all of it.
    fn base_is_root(&self) -> bool {
        if is_same_base(self.base, self.root.value()) {
            return true;
        }
        let Some(view) = self.base.defining_op() else {
            return false;
        };
        if matches!(view.name(), "memref.collapse_shape" | "memref.expand_shape") {
            return region_of(view.operand(0)).is_whole_root();
        }
        if !view.is("memref.view") {
            return false;
        }
        let bytes = |value: Value<'c>| MemRef::of(value.ty()).and_then(|memref| memref.bytes());
        view.operand(0) == self.root.value() && bytes(self.base).is_some() && bytes(self.base) == bytes(view.operand(0))
    }
}

/// Whether a base is another place in another iteration of `op`: made inside, of something that is made inside.
fn is_remade<'c>(base: Value<'c>, op: Op<'c>) -> bool {
    let is_fixed = |view: Op<'c>| {
        view.name().starts_with("memref.")
            && !view.is("memref.alloc")
            && !view.is("memref.alloca")
            && view.is_memory_effect_free()
            && view.operands().iter().all(|operand| !operand.is_defined_inside(op))
    };
    base.is_defined_inside(op) && !base.defining_op().is_some_and(is_fixed)
}
