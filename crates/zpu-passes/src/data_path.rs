//! Copies between memories: which operations are copies, and the buffers and copies that stage them.
//! [`zpu_device::Device::data_path`] finds the memories on the way from one to another.

use zpu_ir::{Builder, Op, Value, attr, ty, work};

/// A copy of all elements of one buffer to another of the same shape and element type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy<'c> {
    /// The operation.
    pub(crate) op: Op<'c>,
    /// The buffer that is read.
    pub(crate) source: Value<'c>,
    /// The buffer that is written.
    pub(crate) dest: Value<'c>,
}

impl<'c> Copy<'c> {
    /// The copy that `op` is, on ranked memrefs. A copy that converts elements is a computation.
    pub(crate) fn of(op: Op<'c>) -> Option<Self> {
        if !work::is_copy(op) {
            return None;
        }
        let copy = Self {
            op,
            source: op.operand(0),
            dest: op.operand(1),
        };
        let (source, dest) = (ty::MemRef::of(copy.source.ty())?, ty::MemRef::of(copy.dest.ty())?);
        (source.element == dest.element).then_some(copy)
    }
}

/// Allocates a buffer of the shape of `like` in `space`, row-major without gaps. Dynamic sizes are taken from `like`,
/// which has to be a ranked memref with a strided layout that dominates the builder's place.
pub(crate) fn alloc_like<'c>(builder: &mut Builder<'c>, like: Value<'c>, space: &str) -> Value<'c> {
    let context = builder.context();
    let memref = ty::MemRef::of(like.ty()).expect("a staged buffer is a strided memref");
    let dynamic = (0..memref.rank()).filter(|dim| memref.shape[*dim].is_none());
    let sizes: Vec<Value<'c>> = dynamic.map(|dim| builder.size(like, dim)).collect();
    let result = ty::make(&memref.shape, memref.element, None, Some(attr::space(context, space)));
    alloc(builder, "memref.alloc", &sizes, result, &[])
}

/// Emits `memref.alloc` or `memref.alloca` with these dynamic sizes; `attrs` are further attributes.
pub(crate) fn alloc<'c>(
    builder: &mut Builder<'c>,
    name: &str,
    sizes: &[Value<'c>],
    result: zpu_ir::Type<'c>,
    attrs: &[(&str, zpu_ir::Attribute<'c>)],
) -> Value<'c> {
    let segments = attr::int32_array(builder.context(), &[sizes.len() as i32, 0]);
    let mut all = vec![("operandSegmentSizes", segments)];
    all.extend(attrs.iter().copied());
    builder.op(name, sizes, &[result], &all).result(0)
}

/// Emits a `memref.copy`.
pub(crate) fn copy<'c>(builder: &mut Builder<'c>, from: Value<'c>, to: Value<'c>) {
    builder.op("memref.copy", &[from, to], &[], &[]);
}

/// Emits a `memref.dealloc`.
pub(crate) fn dealloc<'c>(builder: &mut Builder<'c>, buffer: Value<'c>) {
    builder.op("memref.dealloc", &[buffer], &[], &[]);
}
