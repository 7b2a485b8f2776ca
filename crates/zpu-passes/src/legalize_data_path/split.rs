//! Copies that no DMA engine of their route goes through in one transfer: loops around copies of fewer dimensions.
//!
//! Assumes copies along routes, thus runs when they are staged.

use zpu_device::Device;
use zpu_ir::scf::For;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::work::{Shape, dims, dims_of};
use zpu_ir::{Builder, Remark, RemarkKind, Value, attr, edit};

use super::{Located, PASS};
use crate::data_path::{self, Copy};

/// A copy and the dimensions that loops go through.
pub(super) struct Split<'c> {
    copy: Copy<'c>,
    outer: usize,
    most: u64,
}

impl<'c> Split<'c> {
    /// Decides about a copy; `None` if a transfer, or a vector engine, does it as it is.
    pub(super) fn of(located: &Located<'c>, device: &Device) -> Option<Self> {
        let copy = Copy::of(located.op)?;
        let servers = device.engines_for_route(located.from, located.to);
        let able: Vec<_> = servers.into_iter().filter(|engine| !engine.blocking).collect();
        if able.is_empty() || able.iter().any(|engine| engine.goes_through(dims_of(copy.op))) {
            return None;
        }
        let most = able
            .iter()
            .filter_map(|engine| engine.dma())
            .map(|dma| dma.dims)
            .max()?;
        let (source, dest) = (MemRef::of(copy.source.ty())?, MemRef::of(copy.dest.ty())?);
        let sizes: Vec<Option<i64>> = source
            .shape
            .iter()
            .zip(&dest.shape)
            .map(|(one, other)| one.or(*other))
            .collect();
        // Without its outermost dimensions a copy goes through fewer, and through one at last.
        let rest = |outer: usize, memref: &MemRef<'c>| Shape {
            sizes: sizes[outer..].iter().map(|size| size.unwrap_or(i64::MAX)).collect(),
            strides: memref.strides[outer..].to_vec(),
        };
        let outer = (1..sizes.len()).find(|outer| dims(&rest(*outer, &source), &rest(*outer, &dest)) <= most)?;
        Some(Self { copy, outer, most })
    }

    /// Writes the loops.
    pub(super) fn apply(&self) {
        let Copy { op, source, dest } = self.copy;
        Remark::new(op, RemarkKind::Passed, PASS, "split")
            .message(format!(
                "the copy goes through {} strided dimensions, and a transfer through {}: a loop goes through the {} \
                 outermost",
                dims_of(op),
                self.most,
                self.outer
            ))
            .metric("Dimensions", dims_of(op))
            .metric("Most", self.most)
            .emit();
        let mut builder = Builder::before(op);
        let bounds: Vec<Value<'c>> = (0..self.outer).map(|dim| builder.size(source, dim)).collect();
        let [zero, one] = [0, 1].map(|bound| builder.index(bound));
        let mut ivs = Vec::new();
        let inner_sizes: Vec<Option<Value<'c>>> = (self.outer
            ..MemRef::of(source.ty()).map_or(0, |memref| memref.rank()))
            .map(|dim| is_dynamic(source, dim).then(|| builder.size(source, dim)))
            .collect();
        for bound in bounds {
            let index = ty::index(builder.context());
            let loop_ = builder.op_with_regions("scf.for", &[zero, bound, one], &[], &[], &[&[index]]);
            let Some(for_) = For::of(loop_) else { return };
            let end = Builder::at_end(for_.body, op).op("scf.yield", &[], &[], &[]);
            ivs.push(for_.iv());
            builder = Builder::before(end);
        }
        let parts = [source, dest].map(|side| part(&mut builder, side, &ivs, &inner_sizes));
        data_path::copy(&mut builder, parts[0], parts[1]);
        edit::erase(op);
    }
}

fn is_dynamic(value: Value<'_>, dim: usize) -> bool {
    MemRef::of(value.ty()).is_some_and(|memref| memref.shape[dim].is_none())
}

/// The part of a buffer at indices of its first dimensions, which it has no more; `sizes` are the others' where they
/// are dynamic in the source.
fn part<'c>(builder: &mut Builder<'c>, of: Value<'c>, indices: &[Value<'c>], sizes: &[Option<Value<'c>>]) -> Value<'c> {
    let memref = MemRef::of(of.ty()).expect("a copy is between ranked memrefs");
    let (context, dynamic, outer) = (builder.context(), ty::dynamic_size(), indices.len());
    let inner = &memref.shape[outer..];
    let layout = ty::strided_layout(context, None, &memref.strides[outer..]);
    // The source's sizes are those of both sides, also where the type of one does not tell.
    let shape: Vec<Option<i64>> = inner
        .iter()
        .zip(sizes)
        .map(|(own, size)| if size.is_none() { *own } else { None })
        .collect();
    let result = ty::make(&shape, memref.element, Some(layout), memref.space_attr);
    let written = shape.iter().map(|size| size.unwrap_or(dynamic));
    let static_sizes: Vec<i64> = vec![1; outer].into_iter().chain(written).collect();
    let static_offsets: Vec<i64> = (0..memref.rank())
        .map(|dim| if dim < outer { dynamic } else { 0 })
        .collect();
    let dynamic_sizes: Vec<Value<'c>> = sizes.iter().flatten().copied().collect();
    let segments = [1, outer as i32, dynamic_sizes.len() as i32, 0];
    let attrs = [
        ("static_offsets", attr::int_array(context, &static_offsets)),
        ("static_sizes", attr::int_array(context, &static_sizes)),
        ("static_strides", attr::int_array(context, &vec![1; memref.rank()])),
        ("operandSegmentSizes", attr::int32_array(context, &segments)),
    ];
    let operands = [&[of], indices, &dynamic_sizes].concat();
    builder.op("memref.subview", &operands, &[result], &attrs).result(0)
}

/// The copies of a function that have to be split.
pub(super) fn splits<'c>(copies: &[Located<'c>], device: &Device) -> Vec<Split<'c>> {
    copies.iter().filter_map(|copy| Split::of(copy, device)).collect()
}
