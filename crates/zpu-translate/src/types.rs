//! Types as the simulator knows them.

use zpu_device::{Device, ElementType};
use zpu_ir::{Op, Type, ty};
use zpu_sim::{Layout, MemRefType, SpaceId, ValueType};

use crate::{Result, error, unsupported};

/// A number's type, for a value of `op`.
pub(crate) fn element(op: Op<'_>, ty: Type<'_>) -> Result<ElementType> {
    let hint = if ty.to_string().starts_with("tensor<") {
        "bufferize the program first (--one-shot-bufferize)"
    } else {
        "it knows f16, bf16, f32, f64, i1 to i64 and index"
    };
    ty::scalar(ty).ok_or_else(|| unsupported(op, format!("on {ty}; {hint}")))
}

/// A memref's type, for a value of `op`.
pub(crate) fn memref<'c>(op: Op<'c>, device: &Device, ty: Type<'c>) -> Result<MemRefType> {
    let memref = ty::MemRef::of(ty)
        .ok_or_else(|| unsupported(op, format!("on {ty}; it knows ranked memrefs with strided layouts")))?;
    let layout = (!memref.is_identity_layout()).then(|| Layout {
        strides: memref.strides.clone(),
        offset: memref.offset,
    });
    Ok(MemRefType {
        element: element(op, memref.element)?,
        shape: memref.shape.clone(),
        layout,
        space: space(op, device, &memref)?,
    })
}

/// True if every element comes right after the one before, in row-major order, from the first byte on: the layout is
/// left out, or written out and says just that.
pub(crate) fn is_dense(memref: &MemRefType) -> bool {
    let Some(layout) = &memref.layout else { return true };
    let mut dense = Some(1i64);
    let mut as_dense = layout.offset == Some(0);
    for (size, stride) in memref.shape.iter().zip(&layout.strides).rev() {
        as_dense &= dense.is_some() && *stride == dense;
        dense = dense.zip(*size).and_then(|(stride, size)| stride.checked_mul(size));
    }
    as_dense
}

/// The type of a value that crosses a function boundary.
pub(crate) fn value<'c>(op: Op<'c>, device: &Device, ty: Type<'c>) -> Result<ValueType> {
    if ty::is_memref(ty) {
        return memref(op, device, ty).map(ValueType::MemRef);
    }
    if ty::token_engine(ty).is_some() {
        return Ok(ValueType::Token);
    }
    element(op, ty).map(ValueType::Scalar)
}

fn space(op: Op<'_>, device: &Device, memref: &ty::MemRef<'_>) -> Result<Option<SpaceId>> {
    let Some(attribute) = memref.space_attr else {
        return Ok(None);
    };
    let name = memref.space().ok_or_else(|| {
        error(
            op,
            format!(
                "memory space {attribute} is no #zpu.space; device `{}` has {}",
                device.name,
                device.memory_names()
            ),
        )
    })?;
    let index = device.memories.iter().position(|memory| memory.name == name);
    let index = index.ok_or_else(|| {
        let known = device.memory_names();
        error(
            op,
            format!("unknown memory space `{name}`; device `{}` has {known}", device.name),
        )
    })?;
    Ok(Some(SpaceId(index as u32)))
}
