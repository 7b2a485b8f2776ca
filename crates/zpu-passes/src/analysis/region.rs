//! The part of a buffer that a memref names.
//!
//! A region is a box in the coordinates of a *base*: an allocation, an argument, or a view that is not a plain subview. Views
//! of views compose. Two regions are disjoint only when that can be shown.

use zpu_ir::affine::{self, Expr};
use zpu_ir::ty::MemRef;
use zpu_ir::{Def, Op, Value, attr, ty};

use super::linear::{Index, Linear, index_of};

/// Where the memory behind a region comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root<'c> {
    /// An allocation.
    Allocation(Value<'c>),
    /// An argument of the function that carries `llvm.noalias`.
    NoAliasArgument(Value<'c>),
    /// Any other argument of the function.
    Argument(Value<'c>),
    /// Something that may be any memory.
    Unknown(Value<'c>),
}

impl<'c> Root<'c> {
    /// The value that stands for it.
    pub(crate) fn value(self) -> Value<'c> {
        match self {
            Self::Allocation(v) | Self::NoAliasArgument(v) | Self::Argument(v) | Self::Unknown(v) => v,
        }
    }

    /// Whether two roots may be the same memory. Memory of two different spaces never is.
    pub(crate) fn may_alias(self, other: Self) -> bool {
        if self == other {
            return true;
        }
        match (self, other) {
            (Self::Allocation(_), Self::Allocation(_) | Self::Argument(_) | Self::NoAliasArgument(_))
            | (Self::Argument(_) | Self::NoAliasArgument(_), Self::Allocation(_))
            | (Self::NoAliasArgument(_), Self::NoAliasArgument(_)) => return false,
            _ => {}
        }
        let space = |root: Self| MemRef::of(root.value().ty()).and_then(|memref| memref.space_attr);
        match (space(self), space(other)) {
            (Some(left), Some(right)) => left == right,
            _ => true,
        }
    }
}

/// Extent of a region in one dimension of its base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extent<'c> {
    /// First index.
    pub(crate) offset: Index<'c>,
    /// Number of indices from the first to the last, both counted; `None` when unknown.
    pub(crate) span: Option<Linear<'c>>,
    /// Whether the span is the number of indices that are touched, not only a bound of it.
    pub(crate) exact: bool,
}

/// A box in a base, or the whole of it.
#[derive(Clone, Debug)]
pub(crate) struct Region<'c> {
    /// Where the memory comes from.
    pub(crate) root: Root<'c>,
    /// The value whose coordinates the box is in.
    pub(crate) base: Value<'c>,
    /// One extent a dimension of the base; `None` is anything in the root.
    pub(crate) extents: Option<Vec<Extent<'c>>>,
}

/// A memref as a box in its base, with the dimension of the base that each of its own dimensions walks, and by which step.
#[derive(Clone, Debug)]
struct View<'c> {
    region: Region<'c>,
    dims: Vec<(usize, i64)>,
}

/// The region that a memref names.
pub(crate) fn region_of<'c>(memref: Value<'c>) -> Region<'c> {
    view_of(memref, 0).region
}

/// The region of one element.
pub(crate) fn element_of<'c>(memref: Value<'c>, indices: &[Value<'c>]) -> Region<'c> {
    let view = view_of(memref, 0);
    let mut region = view.region;
    if let Some(extents) = &mut region.extents {
        for (index, (dim, step)) in indices.iter().zip(&view.dims) {
            let extent = &mut extents[*dim];
            *extent = match narrow(extent, &index_of(*index), *step, &Size::exact(1)) {
                Some(narrowed) => narrowed,
                None => {
                    return Region {
                        extents: None,
                        ..region
                    };
                }
            };
        }
    }
    region
}

/// Chains of views longer than this are not followed.
const MAX_DEPTH: u32 = 64;

fn view_of<'c>(memref: Value<'c>, depth: u32) -> View<'c> {
    let Def::Result(op, _) = memref.def() else {
        return whole(memref, root_of_argument(memref));
    };
    match op.name() {
        "memref.alloc" | "memref.alloca" => whole(memref, Root::Allocation(memref)),
        "memref.cast" if depth < MAX_DEPTH && MemRef::of(op.operand(0).ty()).is_some() => {
            view_of(op.operand(0), depth + 1)
        }
        "memref.subview" if depth < MAX_DEPTH => subview(op, depth).unwrap_or_else(|| opaque(memref, op, depth)),
        "memref.view"
        | "memref.reinterpret_cast"
        | "memref.expand_shape"
        | "memref.collapse_shape"
        | "memref.transpose"
        | "memref.reshape"
        | "memref.memory_space_cast"
            if depth < MAX_DEPTH =>
        {
            opaque(memref, op, depth)
        }
        _ => whole(memref, Root::Unknown(memref)),
    }
}

fn root_of_argument<'c>(argument: Value<'c>) -> Root<'c> {
    let Def::Argument(block, index) = argument.def() else {
        return Root::Unknown(argument);
    };
    let Some(function) = block
        .parent_op()
        .filter(|op| op.is("func.func") && op.body() == Some(block))
    else {
        return Root::Unknown(argument);
    };
    let noalias = function
        .attr("arg_attrs")
        .and_then(attr::as_array)
        .and_then(|list| list.get(index).copied().and_then(attr::as_dictionary))
        .is_some_and(|entries| entries.iter().any(|(name, _)| *name == "llvm.noalias"));
    if noalias {
        Root::NoAliasArgument(argument)
    } else {
        Root::Argument(argument)
    }
}

/// A value as its own base.
fn whole<'c>(base: Value<'c>, root: Root<'c>) -> View<'c> {
    let Some(memref) = MemRef::of(base.ty()) else {
        return View {
            region: Region {
                root,
                base,
                extents: None,
            },
            dims: Vec::new(),
        };
    };
    let extents = memref
        .shape
        .iter()
        .map(|size| Extent {
            offset: Index::constant(0),
            span: size.map(Linear::constant),
            exact: true,
        })
        .collect();
    View {
        region: Region {
            root,
            base,
            extents: is_injective(base, &memref).then_some(extents),
        },
        dims: (0..memref.rank()).map(|i| (i, 1)).collect(),
    }
}

/// Whether two different indices of a base certainly are two different places, so that boxes tell what overlaps. Dynamic
/// strides are trusted to be those of an ordinary array, but for a cast that makes its own.
fn is_injective<'c>(base: Value<'c>, memref: &MemRef<'c>) -> bool {
    if memref.is_identity_layout() {
        return true;
    }
    let mut dims: Vec<(i64, Option<i64>)> = Vec::new();
    for (stride, size) in memref.strides.iter().zip(&memref.shape) {
        match stride {
            _ if *size == Some(1) => {}
            Some(stride) if *stride > 0 => dims.push((*stride, *size)),
            Some(_) => return false,
            None => return base.defining_op().is_none_or(|op| !op.is("memref.reinterpret_cast")),
        }
    }
    dims.sort_unstable_by_key(|(stride, _)| *stride);
    // Each stride steps over all that the smaller ones reach; only the largest one's size does not matter.
    dims.windows(2).all(|pair| {
        let ((inner, size), (outer, _)) = (pair[0], pair[1]);
        size.and_then(|size| inner.checked_mul(size))
            .is_some_and(|reach| reach <= outer)
    })
}

/// A view that is not followed: its own base, on the root of its source.
fn opaque<'c>(result: Value<'c>, op: Op<'c>, depth: u32) -> View<'c> {
    whole(result, view_of(op.operand(0), depth + 1).region.root)
}

/// The size of a view in one dimension.
struct Size<'c> {
    /// The size, or an upper bound of it.
    bound: Option<Linear<'c>>,
    exact: bool,
}

impl<'c> Size<'c> {
    fn exact(size: i64) -> Self {
        Self {
            bound: Some(Linear::constant(size)),
            exact: true,
        }
    }

    /// A size of a subview: the tail tile's `affine.min` counts as its constant bound.
    fn of(index: &Index<'c>) -> Self {
        let Some(linear) = index.as_linear() else {
            return Self {
                bound: None,
                exact: false,
            };
        };
        match linear.as_value().and_then(constant_bound) {
            Some(bound) => Self {
                bound: Some(Linear::constant(bound)),
                exact: false,
            },
            None => Self {
                bound: Some(linear.clone()),
                exact: true,
            },
        }
    }
}

/// The least constant among the results of an `affine.min`.
fn constant_bound(value: Value<'_>) -> Option<i64> {
    let op = value.defining_op().filter(|op| op.is("affine.min"))?;
    let constant = |expr: &Expr| {
        if let Expr::Constant(constant) = expr {
            Some(*constant)
        } else {
            None
        }
    };
    affine::Map::of(op.attr("map")?)?
        .results
        .iter()
        .filter_map(constant)
        .min()
}

/// Narrows an extent to `step * index ..` with `size` indices of the view, each `step` apart.
fn narrow<'c>(outer: &Extent<'c>, index: &Index<'c>, step: i64, size: &Size<'c>) -> Option<Extent<'c>> {
    let is_zero = |index: &Index<'c>| index.as_linear().and_then(Linear::as_constant) == Some(0);
    let offset = if is_zero(&outer.offset) && step == 1 {
        index.clone()
    } else if is_zero(index) {
        outer.offset.clone()
    } else {
        Index::Linear(outer.offset.as_linear()?.add_scaled(index.as_linear()?, step)?)
    };
    let span = size.bound.as_ref().and_then(|bound| stretch(bound, step));
    Some(Extent {
        offset,
        exact: size.exact && step == 1 && span.is_some(),
        span,
    })
}

/// `(span - 1) * step + 1`.
fn stretch<'c>(span: &Linear<'c>, step: i64) -> Option<Linear<'c>> {
    let one = Linear::constant(1);
    span.add_scaled(&one, -1)?.scale(step)?.add_scaled(&one, 1)
}

/// An entry of a mixed static and dynamic list.
fn mixed<'c>(op: Op<'c>, name: &str, dynamic: &mut std::vec::IntoIter<Value<'c>>) -> Option<Vec<Index<'c>>> {
    let marker = ty::dynamic_size();
    attr::as_int_array(op.attr(name)?)?
        .into_iter()
        .map(|entry| {
            if entry == marker {
                dynamic.next().map(index_of)
            } else {
                Some(Index::constant(entry))
            }
        })
        .collect()
}

fn subview<'c>(op: Op<'c>, depth: u32) -> Option<View<'c>> {
    let source = view_of(op.operand(0), depth + 1);
    let mut dynamic = op.operands().split_off(1).into_iter();
    let offsets = mixed(op, "static_offsets", &mut dynamic)?;
    let sizes = mixed(op, "static_sizes", &mut dynamic)?;
    let strides = mixed(op, "static_strides", &mut dynamic)?;
    let mut region = source.region;
    let extents = region.extents.as_mut()?;
    let mut dims = Vec::new();
    for (i, (dim, step)) in source.dims.iter().enumerate() {
        let stride = strides
            .get(i)?
            .as_linear()?
            .as_constant()
            .filter(|stride| *stride > 0)?;
        let mut narrowed = narrow(&extents[*dim], offsets.get(i)?, *step, &Size::of(sizes.get(i)?))?;
        if stride != 1 {
            narrowed.span = narrowed.span.as_ref().and_then(|span| stretch(span, stride));
            narrowed.exact = false;
        }
        extents[*dim] = narrowed;
        dims.push((*dim, step.checked_mul(stride)?));
    }
    drop_unit_dims(op, &sizes, &mut dims)?;
    Some(View { region, dims })
}

/// A rank-reducing subview drops dimensions of size 1; which ones is found by matching sizes from the left. Where that is
/// ambiguous it does not matter: a dimension of size 1 has one index only.
fn drop_unit_dims<'c>(op: Op<'c>, sizes: &[Index<'c>], dims: &mut Vec<(usize, i64)>) -> Option<()> {
    let result = MemRef::of(op.result(0).ty())?;
    if result.rank() == dims.len() {
        return Some(());
    }
    let mut wanted = result.shape.iter().peekable();
    let mut kept = Vec::new();
    for (size, dim) in sizes.iter().zip(dims.iter()) {
        let size = size.as_linear().and_then(Linear::as_constant);
        if wanted.next_if(|wanted| **wanted == size).is_some() {
            kept.push(*dim);
        } else if size != Some(1) {
            return None;
        }
    }
    wanted.next().is_none().then(|| *dims = kept)
}

impl<'c> Region<'c> {
    /// The region in the iteration of `op` that `iteration` names; `instance` tells iterations apart, 0 is the current one.
    pub(crate) fn at(&self, op: Op<'c>, iteration: &Linear<'c>, instance: i64) -> Self {
        // A base that is made anew in each iteration is another place in each.
        if instance != 0 && self.base.is_defined_inside(op) {
            return Self {
                extents: None,
                ..self.clone()
            };
        }
        let moved = |extent: &Extent<'c>| {
            Some(Extent {
                offset: extent.offset.at(op, iteration, instance)?,
                span: match &extent.span {
                    Some(span) => Index::Linear(span.clone())
                        .at(op, iteration, instance)?
                        .as_linear()
                        .cloned(),
                    None => None,
                },
                exact: extent.exact,
            })
        };
        let extents = self
            .extents
            .as_ref()
            .and_then(|extents| extents.iter().map(moved).collect());
        Self {
            extents,
            ..self.clone()
        }
    }

    /// Whether the region may be another one in another iteration of `op`.
    pub(crate) fn varies(&self, op: Op<'c>) -> bool {
        let depends = |extent: &Extent<'c>| {
            let (Index::Linear(linear) | Index::Modulo(linear, _)) = &extent.offset;
            linear.depends_on(op) || extent.span.as_ref().is_some_and(|span| span.depends_on(op))
        };
        self.base.is_defined_inside(op) || self.extents.as_ref().is_some_and(|extents| extents.iter().any(depends))
    }

    /// The region as it is understood behind `op`: a base or an index that is made inside has no meaning there.
    pub(crate) fn outside(&self, op: Op<'c>) -> Self {
        let known = |extent: &Extent<'c>| {
            let linear = match &extent.offset {
                Index::Linear(linear) | Index::Modulo(linear, _) => linear,
            };
            !linear.depends_on(op) && !extent.span.as_ref().is_some_and(|span| span.depends_on(op))
        };
        if self.base.is_defined_inside(op) {
            return Self {
                base: self.root.value(),
                extents: None,
                ..self.clone()
            };
        }
        let extents = self.extents.clone().filter(|extents| extents.iter().all(known));
        Self {
            extents,
            ..self.clone()
        }
    }

    /// Whether the two may have a byte in common.
    pub(crate) fn may_overlap(&self, other: &Self) -> bool {
        if !self.root.may_alias(other.root) {
            return false;
        }
        if self.base != other.base {
            return true;
        }
        let (Some(left), Some(right)) = (&self.extents, &other.extents) else {
            return true;
        };
        !left.iter().zip(right).any(|(left, right)| disjoint(left, right))
    }

    /// Whether the region is everything in its root.
    pub(crate) fn is_whole_root(&self) -> bool {
        let Some(extents) = &self.extents else { return false };
        let Some(base) = MemRef::of(self.base.ty()) else {
            return false;
        };
        let full = base.shape.iter().zip(extents).all(|(size, extent)| {
            let at_zero = extent.offset.as_linear().and_then(Linear::as_constant) == Some(0);
            let span = extent.span.as_ref().map(Linear::as_constant);
            // In a dynamic dimension only the base itself, which has no span, is known to cover it.
            at_zero && extent.exact && span == size.map(Some)
        });
        full && self.base_is_root()
    }

    /// Whether the base is the root, or a view of bytes that covers all of it.
    fn base_is_root(&self) -> bool {
        if self.base == self.root.value() {
            return true;
        }
        let Some(view) = self.base.defining_op().filter(|op| op.is("memref.view")) else {
            return false;
        };
        let bytes = |value: Value<'c>| MemRef::of(value.ty()).and_then(|memref| memref.bytes());
        view.operand(0) == self.root.value() && bytes(self.base).is_some() && bytes(self.base) == bytes(view.operand(0))
    }
}

/// Whether two extents certainly have no index in common.
fn disjoint(left: &Extent<'_>, right: &Extent<'_>) -> bool {
    match (&left.offset, &right.offset) {
        (Index::Linear(a), Index::Linear(b)) => {
            let Some(difference) = a.add_scaled(b, -1) else {
                return false;
            };
            // left ends before right begins, or the other way round
            let before = |gap: Option<Linear<'_>>, span: &Option<Linear<'_>>| {
                let (Some(gap), Some(span)) = (gap, span) else {
                    return false;
                };
                gap.add_scaled(span, -1)
                    .and_then(|rest| rest.as_constant())
                    .is_some_and(|rest| rest >= 0)
            };
            before(difference.scale(-1), &left.span) || before(Some(difference), &right.span)
        }
        (Index::Modulo(a, n), Index::Modulo(b, m)) if n == m => {
            let one = |extent: &Extent<'_>| extent.span.as_ref().and_then(Linear::as_constant) == Some(1);
            let apart = a.add_scaled(b, -1).and_then(|difference| difference.as_constant());
            one(left) && one(right) && apart.is_some_and(|apart| apart.rem_euclid(*n) != 0)
        }
        _ => false,
    }
}
