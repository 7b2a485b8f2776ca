//! The tensor that a small buffer stands for as an attribute, `#zpu.buffer`, and back.

use melior::ir::attribute::AttributeLike as _;
use melior::ir::r#type::TypeLike as _;
use zpu_stream::replay::Listed;
use zpu_stream::verdict::Verdict;
use zpu_sys::{ZpuAccess, ZpuBuffer};

use crate::stream::{as_order, order, verdict_number};
use crate::{Attribute, ContextRef, Type, attr};

/// A `#zpu.buffer`.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer<'c> {
    /// Type of the tensor.
    pub tensor: Type<'c>,
    /// Kind of the edge from all writes to all reads.
    pub verdict: Verdict,
    /// The element at index 0.
    pub first: Vec<i64>,
    /// Indices from one iteration to the next, if each iteration has a buffer of its own.
    pub advance: Option<Vec<i64>>,
    /// All accesses in program order.
    pub accesses: Vec<Listed>,
}

/// Makes a `#zpu.buffer`.
pub fn buffer<'c>(context: ContextRef<'c>, buffer: &Buffer<'c>) -> Attribute<'c> {
    let null = mlir_sys::MlirAttribute {
        ptr: std::ptr::null_mut(),
    };
    let list = |values: &[i64]| attr::int_array(context, values).to_raw();
    let accesses: Vec<Attribute<'c>> = buffer.accesses.iter().map(|each| access(context, each)).collect();
    let parts = ZpuBuffer {
        tensor: buffer.tensor.to_raw(),
        verdict: verdict_number(buffer.verdict),
        first: list(&buffer.first),
        advance: buffer.advance.as_deref().map_or(null, list),
        accesses: attr::array(context, &accesses).to_raw(),
    };
    // SAFETY: the context and all parts are alive, and have the kinds that the fields want.
    unsafe { Attribute::from_raw(zpu_sys::zpuBufferAttrGet(context.to_raw(), &parts)) }
}

fn access<'c>(context: ContextRef<'c>, access: &Listed) -> Attribute<'c> {
    let parts = ZpuAccess {
        kind: i64::from(access.write),
        shared: access.shared as i64,
        order: order(context, &access.order).to_raw(),
    };
    // SAFETY: the context and the order are alive.
    unsafe { Attribute::from_raw(zpu_sys::zpuAccessAttrGet(context.to_raw(), &parts)) }
}

/// Reads a `#zpu.buffer`; nothing if it is none, or one of its orders cannot be read.
pub fn as_buffer(attribute: Attribute<'_>) -> Option<Buffer<'_>> {
    let null = mlir_sys::MlirAttribute {
        ptr: std::ptr::null_mut(),
    };
    let mut parts = ZpuBuffer {
        tensor: mlir_sys::MlirType {
            ptr: std::ptr::null_mut(),
        },
        verdict: 0,
        first: null,
        advance: null,
        accesses: null,
    };
    // SAFETY: the kind is asked first; the out pointer is ours. Parts of an attribute live in its context; null is
    // filtered, and a tensor has a type.
    let (tensor, first, advance, accesses) = unsafe {
        let raw = attribute.to_raw();
        if !zpu_sys::zpuAttributeIsABuffer(raw) {
            return None;
        }
        zpu_sys::zpuBufferAttrGetParts(raw, &mut parts);
        (
            Type::from_raw(parts.tensor),
            Attribute::from_option_raw(parts.first)?,
            Attribute::from_option_raw(parts.advance),
            Attribute::from_option_raw(parts.accesses)?,
        )
    };
    Some(Buffer {
        tensor,
        verdict: *Verdict::ALL.get(usize::try_from(parts.verdict).ok()?)?,
        first: attr::as_int_array(first)?,
        advance: advance.and_then(attr::as_int_array),
        accesses: attr::as_array(accesses)?
            .into_iter()
            .map(as_access)
            .collect::<Option<_>>()?,
    })
}

fn as_access(attribute: Attribute<'_>) -> Option<Listed> {
    let mut parts = ZpuAccess {
        kind: 0,
        shared: 0,
        order: mlir_sys::MlirAttribute {
            ptr: std::ptr::null_mut(),
        },
    };
    // SAFETY: the kind is asked first; the out pointer is ours, and an access has an order.
    let order = unsafe {
        let raw = attribute.to_raw();
        if !zpu_sys::zpuAttributeIsAnAccess(raw) {
            return None;
        }
        zpu_sys::zpuAccessAttrGetParts(raw, &mut parts);
        Attribute::from_option_raw(parts.order)?
    };
    Some(Listed {
        write: parts.kind == 1,
        shared: usize::try_from(parts.shared).ok()?,
        order: as_order(order)?,
    })
}
