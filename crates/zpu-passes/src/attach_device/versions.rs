//! Keeps numbers of versions through upstream's canonicalisation. It makes views and allocations anew where it finds an
//! offset or a size to be constant, without their annotations.
//!
//! So numbers on views move to their allocations, and allocations with a number get their constant sizes here.

use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Builder, Op, PassResult, Value, annotation, attr, edit};

use crate::annotations;
use zpu_analysis::linear::index_of;

/// Refuses numbers that contradict each other.
pub(super) fn check(module: Op<'_>) -> PassResult {
    let functions = module.find_all("func.func").into_iter();
    let checked: Vec<PassResult> = functions.map(annotations::check_versions).collect();
    checked.into_iter().collect()
}

/// Moves each number to an operation on which canonicalisation leaves it.
pub(super) fn keep(module: Op<'_>) {
    for function in module.find_all("func.func") {
        annotations::gather_versions(function);
    }
    for allocation in module.walk() {
        if matches!(allocation.name(), "memref.alloc" | "memref.alloca") && allocation.has_attr(annotation::VERSIONS) {
            with_constant_sizes(allocation);
        }
    }
}

/// Makes constant sizes part of the allocation's type.
fn with_constant_sizes(allocation: Op<'_>) {
    let old = allocation.result(0);
    let Some(memref) = MemRef::of(old.ty()).filter(MemRef::is_identity_layout) else {
        return;
    };
    let mut operands = allocation.operands().into_iter();
    let mut sizes: Vec<Value<'_>> = Vec::new();
    let mut shape = memref.shape.clone();
    for size in shape.iter_mut().filter(|size| size.is_none()) {
        let Some(value) = operands.next() else { return };
        *size = index_of(value).as_constant().filter(|size| *size >= 0);
        sizes.extend(size.is_none().then_some(value));
    }
    if shape == memref.shape {
        return;
    }
    let context = allocation.context();
    let segments = [i32::try_from(sizes.len()).unwrap_or(0), 0];
    let mut attrs = allocation.attrs();
    attrs.retain(|(name, _)| *name != "operandSegmentSizes");
    attrs.push(("operandSegmentSizes", attr::int32_array(context, &segments)));
    let mut builder = Builder::before(allocation);
    let ty = ty::make(&shape, memref.element, None, memref.space_attr);
    let new = builder.op(allocation.name(), &sizes, &[ty], &attrs).result(0);
    let seen = builder.op("memref.cast", &[new], &[old.ty()], &[]).result(0);
    edit::replace_all_uses(old, seen);
    edit::erase(allocation);
}
