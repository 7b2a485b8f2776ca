//! Views of buffers, followed down to their memory.
//!
//! A memref is a box in its base; each of its dimensions walks one dimension of the base by a step, and several may
//! walk the same one (`memref.expand_shape`). Views that are no boxes (casts with strides of their own, bytes seen as
//! another type, collapsed dimensions) are bases themselves; their first byte, counted from the pointer of the root, or
//! from the beginning of the memory if the root is an allocation at an address, stays known.

use zpu_ir::affine::{self, Expr, Map};
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Def, Op, Value, attr};

use crate::linear::{Index, Linear, Symbol, index_of};
use crate::region::Root;
use crate::region::{Extent, Region};
use crate::root::{address_of, origins, root_of_base};
use crate::rotation::seated;

/// The region that a memref names.
pub fn region_of<'c>(memref: Value<'c>) -> Region<'c> {
    view_of(memref, 0).region(memref)
}

/// The region of one element.
pub fn element_of<'c>(memref: Value<'c>, indices: &[Value<'c>]) -> Region<'c> {
    let mut view = view_of(memref, 0);
    let indices: Vec<Index<'c>> = indices.iter().map(|index| index_of(*index)).collect();
    view.begin_at(memref, &indices);
    for walk in &mut view.walks {
        walk.size = Size::exact(1);
    }
    view.region(memref)
}

/// One region for each memory that the region may be in. For buffers that a loop passes around, a region also tells
/// which iteration has which buffer.
pub(crate) fn alternatives<'c>(region: Region<'c>) -> Vec<Region<'c>> {
    let Root::Unknown(chosen) = region.root else {
        return vec![region];
    };
    match origins(chosen) {
        Some(roots) => {
            let unknown = || Region {
                base: region.base,
                extents: None,
                bytes: None,
                ..region.clone()
            };
            let place = seated(chosen, &region).unwrap_or_else(unknown);
            roots.into_iter().map(|root| Region { root, ..place.clone() }).collect()
        }
        None => vec![region],
    }
}

/// The root of a memref.
pub(crate) fn root_of<'c>(memref: Value<'c>) -> Root<'c> {
    view_of(memref, 0).root
}

/// A memref as a box in its base.
#[derive(Clone, Debug)]
struct View<'c> {
    root: Root<'c>,
    base: Value<'c>,
    /// First index in each dimension of the base; `None` when boxes say nothing about what overlaps.
    offsets: Option<Vec<Index<'c>>>,
    /// The walk of each dimension of the memref over the base.
    walks: Vec<Walk<'c>>,
    /// First byte, from the pointer of the root, or from the beginning of its memory if the root is a window.
    begin: Option<Index<'c>>,
    /// The memref's own pointer, in bytes from the same place.
    pointer: Option<Index<'c>>,
}

#[derive(Clone, Debug)]
struct Walk<'c> {
    dim: usize,
    step: i64,
    size: Size<'c>,
}

/// The size of a view in one dimension.
#[derive(Clone, Debug)]
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

    /// The size of a dimension in a type.
    fn of_type(size: Option<i64>) -> Self {
        Self {
            bound: size.map(Linear::constant),
            exact: true,
        }
    }

    /// A size of a subview: the tail tile's minimum counts as its constant bound.
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

/// The least constant operand of a minimum, which bounds it.
fn constant_bound(value: Value<'_>) -> Option<i64> {
    let op = value.defining_op()?;
    match op.name() {
        "affine.min" => {
            let constant = |expr: &Expr| match expr {
                Expr::Constant(constant) => Some(*constant),
                _ => None,
            };
            let map = affine::Map::of(op.attr("map")?)?;
            map.results.iter().filter_map(constant).min()
        }
        "arith.minsi" => op.operands().into_iter().filter_map(Value::as_constant_int).min(),
        // A size is not negative, so unsigned numbers are as good.
        "arith.minui" => {
            let constants = op.operands().into_iter().filter_map(Value::as_constant_int);
            constants.filter(|constant| *constant >= 0).min()
        }
        _ => None,
    }
}

/// Chains of views longer than this are not followed.
const MAX_DEPTH: u32 = 64;

fn view_of<'c>(memref: Value<'c>, depth: u32) -> View<'c> {
    let followed = memref
        .defining_op()
        .filter(|_| depth < MAX_DEPTH)
        .and_then(|op| follow(op, memref, depth));
    followed.unwrap_or_else(|| View::whole(memref, root_of_base(memref)))
}

/// A view as a box in the base of its source, or as a base of its own; `None` if it is no view.
fn follow<'c>(op: Op<'c>, memref: Value<'c>, depth: u32) -> Option<View<'c>> {
    let is_view = matches!(
        op.name(),
        "memref.cast"
            | "memref.subview"
            | "memref.view"
            | "memref.reinterpret_cast"
            | "memref.expand_shape"
            | "memref.collapse_shape"
            | "memref.transpose"
            | "memref.reshape"
            | "memref.memory_space_cast"
            | "memref.assume_alignment"
            | "memref.extract_strided_metadata"
    );
    if !is_view {
        return None;
    }
    let source = view_of(op.operand(0), depth + 1);
    let inside = match op.name() {
        // An unranked memref loses the box.
        "memref.cast" | "memref.assume_alignment" => MemRef::of(op.operand(0).ty()).map(|_| source.clone()),
        "memref.subview" => subview(op, &source),
        "memref.expand_shape" => expanded(op, &source),
        "memref.collapse_shape" => collapsed(op, &source),
        "memref.transpose" => transposed(op, &source),
        _ => None,
    };
    Some(inside.unwrap_or_else(|| opaque(op, memref, source)))
}

/// A view that is a base of its own, on the root of its source.
fn opaque<'c>(op: Op<'c>, result: Value<'c>, source: View<'c>) -> View<'c> {
    let bytes = element_bytes(result);
    let begin = match op.name() {
        "memref.expand_shape" | "memref.collapse_shape" | "memref.transpose" => source.begin.clone(),
        "memref.view" => source
            .begin
            .as_ref()
            .and_then(|begin| begin.add_scaled(&index_of(op.operand(1)), 1)),
        "memref.subview" => {
            let offsets = mixed(op, "static_offsets", 1, 0);
            offsets.and_then(|offsets| source.begin_of(op.operand(0), &offsets))
        }
        "memref.reinterpret_cast" => {
            let offset = mixed(op, "static_offsets", 1, 0).and_then(|offsets| offsets.into_iter().next());
            let pointer = source.pointer.as_ref();
            pointer
                .zip(offset)
                .zip(bytes)
                .and_then(|((pointer, offset), bytes)| pointer.add_scaled(&offset, bytes))
        }
        _ => None,
    };
    let pointer = match op.name() {
        "memref.view" => begin.clone(),
        "memref.reshape" | "memref.memory_space_cast" => None,
        _ => source.pointer,
    };
    View {
        begin,
        pointer,
        ..View::whole(result, source.root)
    }
}

fn element_bytes(memref: Value<'_>) -> Option<i64> {
    ty::element_bytes(MemRef::of(memref.ty())?.element).map(i64::from)
}

/// Strides in bytes; `None` in a dimension where it is not constant.
fn byte_strides(memref: Value<'_>) -> Option<Vec<Option<i64>>> {
    let (memref, bytes) = (MemRef::of(memref.ty())?, element_bytes(memref)?);
    let stride = |stride: &Option<i64>| stride.and_then(|stride| stride.checked_mul(bytes));
    Some(memref.strides.iter().map(stride).collect())
}

impl<'c> View<'c> {
    /// A value as its own base.
    fn whole(base: Value<'c>, root: Root<'c>) -> Self {
        let memref = MemRef::of(base.ty());
        let rank = memref.as_ref().map_or(0, MemRef::rank);
        let walk = |(dim, size): (usize, &Option<i64>)| Walk {
            dim,
            step: 1,
            size: Size::of_type(*size),
        };
        let boxes = memref.as_ref().is_some_and(|memref| is_injective(base, memref));
        let bytes = element_bytes(base);
        let first = address_of(base).unwrap_or(0);
        let begin = memref
            .as_ref()
            .zip(bytes)
            .and_then(|(memref, bytes)| match memref.offset {
                Some(offset) => Some(Index::constant(offset.checked_mul(bytes)?.checked_add(first)?)),
                // An unknown offset is a symbol of its own.
                None => Some(Index::Linear(Linear::symbol(Symbol::Value(base, 0)))),
            });
        Self {
            root,
            base,
            offsets: boxes.then(|| vec![Index::constant(0); rank]),
            walks: memref
                .map(|memref| memref.shape.iter().enumerate().map(walk).collect())
                .unwrap_or_default(),
            begin: begin.filter(|_| root.value() == base),
            pointer: Some(Index::constant(first)).filter(|_| root.value() == base),
        }
    }

    /// The first byte of an element of `memref`, whose view this is.
    fn begin_of(&self, memref: Value<'c>, indices: &[Index<'c>]) -> Option<Index<'c>> {
        let mut begin = self.begin.clone()?;
        for (index, stride) in indices.iter().zip(byte_strides(memref)?) {
            if index.as_constant() != Some(0) {
                begin = begin.add_scaled(index, stride?)?;
            }
        }
        Some(begin)
    }

    /// Moves the first element; the sizes stay.
    fn begin_at(&mut self, memref: Value<'c>, indices: &[Index<'c>]) {
        self.begin = self.begin_of(memref, indices);
        self.offsets = self.offsets.take().and_then(|mut offsets| {
            for (index, walk) in indices.iter().zip(&self.walks) {
                offsets[walk.dim] = offsets[walk.dim].add_scaled(index, walk.step)?;
            }
            Some(offsets)
        });
    }

    /// The region that `memref`, whose view this is, names.
    fn region(&self, memref: Value<'c>) -> Region<'c> {
        let extent = |(dim, offset): (usize, &Index<'c>)| self.extent(dim, offset.clone());
        Region {
            root: self.root,
            base: self.base,
            extents: self
                .offsets
                .as_ref()
                .map(|offsets| offsets.iter().enumerate().map(extent).collect()),
            bytes: self.bytes(memref),
        }
    }

    fn extent(&self, dim: usize, offset: Index<'c>) -> Extent<'c> {
        let walks = || self.walks.iter().filter(|walk| walk.dim == dim);
        let span = walks().try_fold(Linear::constant(1), |span, walk| {
            let last = walk.size.bound.as_ref()?.add_scaled(&Linear::constant(1), -1)?;
            span.add_scaled(&last, walk.step)
        });
        let mut steps: Vec<(i64, &Size<'c>)> = walks().map(|walk| (walk.step, &walk.size)).collect();
        steps.sort_by_key(|(step, _)| *step);
        // Without gaps, each walk steps over just what the smaller ones reach.
        let gapless = steps.windows(2).all(|pair| {
            let size = pair[0].1.bound.as_ref().and_then(Linear::as_constant);
            size.and_then(|size| size.checked_mul(pair[0].0)) == Some(pair[1].0)
        });
        let exact = steps.iter().all(|(_, size)| size.exact) && steps.first().is_none_or(|(step, _)| *step == 1);
        Extent {
            offset,
            // A dynamic dimension of the base itself has no span, and yet the box covers all of it.
            exact: exact && gapless,
            span,
        }
    }

    fn bytes(&self, memref: Value<'c>) -> Option<Extent<'c>> {
        let mut span = Linear::constant(element_bytes(memref)?);
        for (walk, stride) in self.walks.iter().zip(byte_strides(memref)?) {
            let last = walk.size.bound.as_ref()?.add_scaled(&Linear::constant(1), -1)?;
            if last.as_constant() != Some(0) {
                span = span.add_scaled(&last, stride.filter(|stride| *stride >= 0)?)?;
            }
        }
        Some(Extent {
            offset: self.begin.clone()?,
            span: Some(span),
            exact: false,
        })
    }
}

/// True if two different indices of a base certainly are two different places, so that boxes tell what overlaps.
/// Dynamic strides are trusted to be those of an ordinary array, but for a view that makes its own.
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
            None if has_ordinary_strides(base, 0) => {}
            None => return false,
        }
    }
    dims.sort_unstable_by_key(|(stride, _)| *stride);
    // Each constant stride steps over all that the smaller ones reach; only the largest one's size does not matter.
    dims.windows(2).all(|pair| {
        let ((inner, size), (outer, _)) = (pair[0], pair[1]);
        size.and_then(|size| inner.checked_mul(size))
            .is_some_and(|reach| reach <= outer)
    })
}

/// True if dynamic strides of a view are those of the array that it is made of. A view with strides of its own may have
/// any, 0 among them, and so may all that is made of it.
fn has_ordinary_strides(memref: Value<'_>, depth: u32) -> bool {
    const MAX_DEPTH: u32 = 16;
    if depth > MAX_DEPTH {
        return false;
    }
    let op = match memref.def() {
        Def::Argument(block, _) => return block.parent_op().is_some_and(|op| op.is("func.func")),
        Def::Result(op, _) => op,
    };
    match op.name() {
        "memref.alloc" | "memref.alloca" | "memref.get_global" | "func.call" => true,
        "memref.subview" if num_dynamic(op, "static_strides") != Some(0) => false,
        "memref.subview"
        | "memref.cast"
        | "memref.memory_space_cast"
        | "memref.collapse_shape"
        | "memref.expand_shape"
        | "memref.transpose" => has_ordinary_strides(op.operand(0), depth + 1),
        _ => false,
    }
}

/// A mixed static and dynamic list: the entries of `name`, whose dynamic ones are operands from `first` on, after those
/// of `skip` dynamic entries of lists before it.
pub(crate) fn mixed<'c>(op: Op<'c>, name: &str, first: usize, skip: usize) -> Option<Vec<Index<'c>>> {
    let marker = ty::dynamic_size();
    let mut dynamic = op.operands().into_iter().skip(first + skip);
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

/// Number of dynamic entries of a mixed list.
pub(crate) fn num_dynamic(op: Op<'_>, name: &str) -> Option<usize> {
    let entries = attr::as_int_array(op.attr(name)?)?;
    Some(entries.iter().filter(|entry| **entry == ty::dynamic_size()).count())
}

fn subview<'c>(op: Op<'c>, source: &View<'c>) -> Option<View<'c>> {
    let (dynamic_offsets, dynamic_sizes) = (num_dynamic(op, "static_offsets")?, num_dynamic(op, "static_sizes")?);
    let offsets = mixed(op, "static_offsets", 1, 0)?;
    let sizes = mixed(op, "static_sizes", 1, dynamic_offsets)?;
    let strides = mixed(op, "static_strides", 1, dynamic_offsets + dynamic_sizes)?;
    let mut view = source.clone();
    view.begin_at(op.operand(0), &offsets);
    view.offsets.as_ref()?;
    for ((walk, size), stride) in view.walks.iter_mut().zip(&sizes).zip(&strides) {
        let stride = stride.as_constant().filter(|stride| *stride > 0)?;
        walk.step = walk.step.checked_mul(stride)?;
        walk.size = Size::of(size);
    }
    drop_unit_dims(op, &sizes, &mut view.walks)?;
    Some(view)
}

/// A rank-reducing subview drops dimensions of size 1; which ones is found by matching sizes from the left. Where that
/// is ambiguous it does not matter: a dimension of size 1 has one index only.
fn drop_unit_dims<'c>(op: Op<'c>, sizes: &[Index<'c>], walks: &mut Vec<Walk<'c>>) -> Option<()> {
    let result = MemRef::of(op.result(0).ty())?;
    if result.rank() == walks.len() {
        return Some(());
    }
    let mut wanted = result.shape.iter().peekable();
    let mut kept = Vec::new();
    for (size, walk) in sizes.iter().zip(walks.iter()) {
        let size = size.as_constant();
        if wanted.next_if(|wanted| **wanted == size).is_some() {
            kept.push(walk.clone());
        } else if size != Some(1) {
            return None;
        }
    }
    wanted.next().is_none().then(|| *walks = kept)
}

/// The groups of dimensions of `memref.expand_shape` and `memref.collapse_shape`.
pub(crate) fn groups(op: Op<'_>) -> Option<Vec<Vec<usize>>> {
    let group = |list| {
        let dims = attr::as_array(list)?.into_iter().map(attr::as_int);
        dims.map(|dim| usize::try_from(dim?).ok()).collect()
    };
    attr::as_array(op.attr("reassociation")?)?
        .into_iter()
        .map(group)
        .collect()
}

/// The dimensions of each group together walk the dimension that they were one of.
fn expanded<'c>(op: Op<'c>, source: &View<'c>) -> Option<View<'c>> {
    let shape = MemRef::of(op.result(0).ty())?.shape;
    let groups = groups(op)?;
    if groups.len() != source.walks.len() {
        return None;
    }
    let mut walks = Vec::new();
    for (group, walk) in groups.iter().zip(&source.walks) {
        let mut inner = Vec::new();
        let mut step = walk.step;
        for dim in group.iter().rev() {
            let size = *shape.get(*dim)?;
            inner.push(Walk {
                dim: walk.dim,
                step,
                size: Size::of_type(size),
            });
            // Only the outermost size may be dynamic.
            step = match size {
                Some(size) => step.checked_mul(size)?,
                None if Some(dim) == group.first() => step,
                None => return None,
            };
        }
        walks.extend(inner.into_iter().rev());
    }
    Some(View {
        walks,
        ..source.clone()
    })
}

/// A group stays a box where only one of its dimensions has more than one index, or where they walk one dimension
/// together.
fn collapsed<'c>(op: Op<'c>, source: &View<'c>) -> Option<View<'c>> {
    let mut walks = Vec::new();
    for group in groups(op)? {
        let mut parts = Vec::new();
        for dim in &group {
            parts.push(source.walks.get(*dim)?);
        }
        let constant = |walk: &Walk<'c>| walk.size.bound.as_ref().and_then(Linear::as_constant);
        let mut wide = parts.iter().filter(|walk| constant(walk) != Some(1));
        let first = wide.next().or(parts.first())?;
        let mut merged = (**first).clone();
        for walk in wide {
            let inner = constant(walk)?;
            let goes_on = walk.dim == merged.dim && walk.step.checked_mul(inner)? == merged.step;
            if !goes_on || !walk.size.exact || !merged.size.exact {
                return None;
            }
            merged = Walk {
                dim: walk.dim,
                step: walk.step,
                size: Size {
                    bound: Some(merged.size.bound?.scale(inner)?),
                    exact: true,
                },
            };
        }
        walks.push(merged);
    }
    Some(View {
        walks,
        ..source.clone()
    })
}

fn transposed<'c>(op: Op<'c>, source: &View<'c>) -> Option<View<'c>> {
    let dims = Map::of(op.attr("permutation")?)?.as_dims()?;
    let walks = dims.into_iter().map(|dim| source.walks.get(dim).cloned());
    Some(View {
        walks: walks.collect::<Option<_>>()?,
        ..source.clone()
    })
}
