//! Reading and making attributes.

use melior::ir::attribute::AttributeLike as _;
use mlir_sys as sys;
use zpu_device::ElementType;

use crate::{Attribute, ContextRef, Type, raw_text, text_of};
use melior::ir::r#type::TypeLike as _;

/// An integer (or index, or bool) attribute's value.
pub fn as_int(attribute: Attribute<'_>) -> Option<i64> {
    // SAFETY: the kind is asked before the value is read.
    unsafe {
        let raw = attribute.to_raw();
        if !sys::mlirAttributeIsAInteger(raw) {
            return None;
        }
        let ty = sys::mlirAttributeGetType(raw);
        // The plain getter refuses unsigned types and asserts on more than 64 bits.
        if sys::mlirTypeIsAInteger(ty) {
            if sys::mlirIntegerTypeGetWidth(ty) > 64 {
                return None;
            }
            if sys::mlirIntegerTypeIsUnsigned(ty) {
                return i64::try_from(sys::mlirIntegerAttrGetValueUInt(raw)).ok();
            }
            if sys::mlirIntegerTypeIsSigned(ty) {
                return Some(sys::mlirIntegerAttrGetValueSInt(raw));
            }
        }
        Some(sys::mlirIntegerAttrGetValueInt(raw))
    }
}

/// A float attribute's value.
pub fn as_f64(attribute: Attribute<'_>) -> Option<f64> {
    // SAFETY: the kind is asked before the value is read.
    unsafe {
        let raw = attribute.to_raw();
        sys::mlirAttributeIsAFloat(raw).then(|| sys::mlirFloatAttrGetValueDouble(raw))
    }
}

/// A string attribute's text.
pub fn as_str<'c>(attribute: Attribute<'c>) -> Option<&'c str> {
    // SAFETY: the kind is asked first; the text lives in the context.
    unsafe {
        let raw = attribute.to_raw();
        sys::mlirAttributeIsAString(raw).then(|| text_of(sys::mlirStringAttrGetValue(raw)))
    }
}

/// The name in a flat symbol reference (`@name`).
pub fn as_symbol<'c>(attribute: Attribute<'c>) -> Option<&'c str> {
    // SAFETY: the kind is asked first; the text lives in the context.
    unsafe {
        let raw = attribute.to_raw();
        sys::mlirAttributeIsAFlatSymbolRef(raw).then(|| text_of(sys::mlirFlatSymbolRefAttrGetValue(raw)))
    }
}

/// Dialect and text of an attribute of a dialect that is not there: `("d", "name<...>")` of `#d.name<...>`.
pub fn as_opaque<'c>(attribute: Attribute<'c>) -> Option<(&'c str, &'c str)> {
    // SAFETY: the kind is asked first; both texts live in the context.
    unsafe {
        let raw = attribute.to_raw();
        sys::mlirAttributeIsAOpaque(raw).then(|| {
            let dialect = text_of(sys::mlirOpaqueAttrGetDialectNamespace(raw));
            (dialect, text_of(sys::mlirOpaqueAttrGetData(raw)))
        })
    }
}

/// The names that references to symbols in an attribute begin with: `a` of `@a::@b`, also in arrays and dictionaries.
pub fn symbol_roots<'c>(attribute: Attribute<'c>) -> Vec<&'c str> {
    if let Some(entries) = as_array(attribute) {
        return entries.into_iter().flat_map(symbol_roots).collect();
    }
    if let Some(entries) = as_dictionary(attribute) {
        return entries.into_iter().flat_map(|(_, entry)| symbol_roots(entry)).collect();
    }
    // SAFETY: the kind is asked first; the text lives in the context.
    unsafe {
        let raw = attribute.to_raw();
        let is_reference = sys::mlirAttributeIsASymbolRef(raw);
        let root = is_reference.then(|| text_of(sys::mlirSymbolRefAttrGetRootReference(raw)));
        root.into_iter().collect()
    }
}

/// The elements of an array attribute.
pub fn as_array<'c>(attribute: Attribute<'c>) -> Option<Vec<Attribute<'c>>> {
    // SAFETY: the kind is asked first and the index is below the count.
    unsafe {
        let raw = attribute.to_raw();
        sys::mlirAttributeIsAArray(raw).then(|| {
            (0..sys::mlirArrayAttrGetNumElements(raw))
                .map(|i| Attribute::from_raw(sys::mlirArrayAttrGetElement(raw, i)))
                .collect()
        })
    }
}

/// One entry of an array attribute, without a list of the others.
pub fn array_entry<'c>(attribute: Attribute<'c>, index: usize) -> Option<Attribute<'c>> {
    let index = isize::try_from(index).ok()?;
    // SAFETY: the kind is asked first and the index is compared with the count.
    unsafe {
        let raw = attribute.to_raw();
        let is_inside = sys::mlirAttributeIsAArray(raw) && index < sys::mlirArrayAttrGetNumElements(raw);
        is_inside.then(|| Attribute::from_raw(sys::mlirArrayAttrGetElement(raw, index)))
    }
}

/// The entries of a dictionary attribute.
pub fn as_dictionary<'c>(attribute: Attribute<'c>) -> Option<Vec<(&'c str, Attribute<'c>)>> {
    // SAFETY: the kind is asked first and the index is below the count; names live in the context.
    unsafe {
        let raw = attribute.to_raw();
        sys::mlirAttributeIsADictionary(raw).then(|| {
            (0..sys::mlirDictionaryAttrGetNumElements(raw))
                .map(|i| {
                    let named = sys::mlirDictionaryAttrGetElement(raw, i);
                    (
                        text_of(sys::mlirIdentifierStr(named.name)),
                        Attribute::from_raw(named.attribute),
                    )
                })
                .collect()
        })
    }
}

/// The numbers of a dense i64 or i32 array attribute (`array<i64: 1, 2>`).
pub fn as_int_array(attribute: Attribute<'_>) -> Option<Vec<i64>> {
    // SAFETY: the kind is asked first and the index is below the count.
    unsafe {
        let raw = attribute.to_raw();
        if sys::mlirAttributeIsADenseI64Array(raw) {
            let count = sys::mlirDenseArrayGetNumElements(raw);
            return Some((0..count).map(|i| sys::mlirDenseI64ArrayGetElement(raw, i)).collect());
        }
        if sys::mlirAttributeIsADenseI32Array(raw) {
            let count = sys::mlirDenseArrayGetNumElements(raw);
            return Some(
                (0..count)
                    .map(|i| i64::from(sys::mlirDenseI32ArrayGetElement(raw, i)))
                    .collect(),
            );
        }
    }
    None
}

/// The number of dimensions of an affine map attribute, and for each of its results the dimension that it is, if it is
/// just one.
pub fn as_map_dims(attribute: Attribute<'_>) -> Option<(usize, Vec<Option<usize>>)> {
    // SAFETY: kinds are asked before the value is read, and the index is below the count.
    unsafe {
        let raw = attribute.to_raw();
        if !sys::mlirAttributeIsAAffineMap(raw) {
            return None;
        }
        let map = sys::mlirAffineMapAttrGetValue(raw);
        let dim = |i| {
            let expr = sys::mlirAffineMapGetResult(map, i);
            sys::mlirAffineExprIsADim(expr).then(|| sys::mlirAffineDimExprGetPosition(expr) as usize)
        };
        let results = (0..sys::mlirAffineMapGetNumResults(map)).map(dim).collect();
        Some((sys::mlirAffineMapGetNumDims(map) as usize, results))
    }
}

/// The elements of a dense constant of numbers, row-major, as bit patterns that are zero-extended from the element
/// type's width; a splat has one. `None` for anything else.
pub fn as_dense_bits(attribute: Attribute<'_>) -> Option<Vec<u64>> {
    // SAFETY: the kind is asked first; raw data holds every element in whole bytes, and one element for a splat. Single
    // bits are read one by one, below the count.
    unsafe {
        let raw = attribute.to_raw();
        if !sys::mlirAttributeIsADenseIntElements(raw) && !sys::mlirAttributeIsADenseFPElements(raw) {
            return None;
        }
        let splat = sys::mlirDenseElementsAttrIsSplat(raw);
        let count = if splat {
            1
        } else {
            usize::try_from(sys::mlirElementsAttrGetNumElements(raw)).ok()?
        };
        let ty = crate::ty::element(Type::from_raw(sys::mlirAttributeGetType(raw)))?;
        let bits = match crate::ty::scalar(ty)? {
            ElementType::Int(width) => u64::from(width),
            other => other.bits(),
        };
        if bits == 1 {
            return Some(match splat {
                true => vec![u64::from(sys::mlirDenseElementsAttrGetBoolSplatValue(raw) != 0)],
                false => (0..count)
                    .map(|i| u64::from(sys::mlirDenseElementsAttrGetBoolValue(raw, i as isize)))
                    .collect(),
            });
        }
        let size = bits.div_ceil(8) as usize;
        let data = sys::mlirDenseElementsAttrGetRawData(raw).cast::<u8>();
        if data.is_null() || count == 0 {
            return Some(Vec::new());
        }
        let element = |bytes: &[u8]| {
            bytes
                .iter()
                .rev()
                .fold(0u64, |value, byte| value << 8 | u64::from(*byte))
        };
        let bytes = std::slice::from_raw_parts(data, count * size);
        Some(
            bytes
                .chunks_exact(size)
                .map(|chunk| element(chunk) & (u64::MAX >> (64 - bits)))
                .collect(),
        )
    }
}

/// The type in a type attribute.
pub fn as_type<'c>(attribute: Attribute<'c>) -> Option<Type<'c>> {
    // SAFETY: the kind is asked first.
    unsafe {
        let raw = attribute.to_raw();
        sys::mlirAttributeIsAType(raw).then(|| Type::from_raw(sys::mlirTypeAttrGetValue(raw)))
    }
}

/// Name of a `#zpu.space`.
pub fn as_space<'c>(attribute: Attribute<'c>) -> Option<&'c str> {
    // SAFETY: the kind is asked first; the text lives in the context.
    unsafe {
        let raw = attribute.to_raw();
        zpu_sys::zpuAttributeIsASpace(raw).then(|| text_of(zpu_sys::zpuSpaceAttrGetName(raw)))
    }
}

/// A `#zpu.schedule`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Stage, at least 0.
    pub stage: i64,
    /// Position in a kernel iteration of the pipelined loop, at least 0.
    pub order: i64,
    /// Planned start within an iteration in cycles, -1 when not given.
    pub cycle: i64,
}

/// Reads a `#zpu.schedule`.
pub fn as_schedule(attribute: Attribute<'_>) -> Option<Schedule> {
    let mut schedule = Schedule {
        stage: 0,
        order: 0,
        cycle: 0,
    };
    // SAFETY: the kind is asked first; the out pointers are ours.
    unsafe {
        let raw = attribute.to_raw();
        zpu_sys::zpuAttributeIsASchedule(raw).then(|| {
            let Schedule { stage, order, cycle } = &mut schedule;
            zpu_sys::zpuScheduleAttrGetValues(raw, stage, order, cycle);
            schedule
        })
    }
}

/// Reads a `#zpu.pipeline` as (initiation interval in cycles, number of stages).
pub fn as_pipeline(attribute: Attribute<'_>) -> Option<(i64, i64)> {
    let (mut ii, mut stages) = (0, 0);
    // SAFETY: the kind is asked first; the out pointers are ours.
    unsafe {
        let raw = attribute.to_raw();
        zpu_sys::zpuAttributeIsAPipeline(raw).then(|| {
            zpu_sys::zpuPipelineAttrGetValues(raw, &mut ii, &mut stages);
            (ii, stages)
        })
    }
}

/// Reads a `#zpu.origin` as (name of the computation, transpose count).
pub fn as_origin<'c>(attribute: Attribute<'c>) -> Option<(&'c str, i64)> {
    // SAFETY: the kind is asked first; the text lives in the context.
    unsafe {
        let raw = attribute.to_raw();
        zpu_sys::zpuAttributeIsAnOrigin(raw).then(|| {
            let name = text_of(zpu_sys::zpuOriginAttrGetName(raw));
            (name, zpu_sys::zpuOriginAttrGetTransposeCount(raw))
        })
    }
}

/// Makes a `#zpu.origin`.
pub fn origin<'c>(context: ContextRef<'c>, name: &str, transpose_count: i64) -> Attribute<'c> {
    // SAFETY: the context is alive; the text is copied.
    unsafe {
        Attribute::from_raw(zpu_sys::zpuOriginAttrGet(
            context.to_raw(),
            raw_text(name),
            transpose_count,
        ))
    }
}

/// An i64 attribute.
pub fn int<'c>(context: ContextRef<'c>, value: i64) -> Attribute<'c> {
    // SAFETY: the context is alive.
    unsafe {
        Attribute::from_raw(sys::mlirIntegerAttrGet(
            sys::mlirIntegerTypeGet(context.to_raw(), 64),
            value,
        ))
    }
}

/// An integer attribute of that type (integer or index).
pub fn int_of<'c>(ty: Type<'c>, value: i64) -> Attribute<'c> {
    // SAFETY: the type is alive.
    unsafe { Attribute::from_raw(sys::mlirIntegerAttrGet(ty.to_raw(), value)) }
}

/// `#arith.overflow<nsw, nuw>`: the operation that carries it does not wrap, signed or unsigned. None when `arith` is
/// not loaded.
pub fn no_overflow<'c>(context: ContextRef<'c>) -> Option<Attribute<'c>> {
    let text = melior::StringRef::new("#arith.overflow<nsw, nuw>");
    // SAFETY: the context and the text are alive; null is checked.
    unsafe { Attribute::from_option_raw(sys::mlirAttributeParseGet(context.to_raw(), text.to_raw())) }
}

/// An f64 attribute.
pub fn float<'c>(context: ContextRef<'c>, value: f64) -> Attribute<'c> {
    // SAFETY: the context is alive.
    unsafe {
        let context = context.to_raw();
        Attribute::from_raw(sys::mlirFloatAttrDoubleGet(
            context,
            sys::mlirF64TypeGet(context),
            value,
        ))
    }
}

/// A string attribute.
pub fn string<'c>(context: ContextRef<'c>, text: &str) -> Attribute<'c> {
    // SAFETY: the context is alive; the text is copied.
    unsafe { Attribute::from_raw(sys::mlirStringAttrGet(context.to_raw(), raw_text(text))) }
}

/// A flat symbol reference.
pub fn symbol<'c>(context: ContextRef<'c>, name: &str) -> Attribute<'c> {
    // SAFETY: the context is alive; the text is copied.
    unsafe { Attribute::from_raw(sys::mlirFlatSymbolRefAttrGet(context.to_raw(), raw_text(name))) }
}

/// The unit attribute.
pub fn unit<'c>(context: ContextRef<'c>) -> Attribute<'c> {
    // SAFETY: the context is alive.
    unsafe { Attribute::from_raw(sys::mlirUnitAttrGet(context.to_raw())) }
}

/// A type attribute.
pub fn type_attr<'c>(ty: Type<'c>) -> Attribute<'c> {
    // SAFETY: the type is alive.
    unsafe { Attribute::from_raw(sys::mlirTypeAttrGet(ty.to_raw())) }
}

/// An array attribute.
pub fn array<'c>(context: ContextRef<'c>, elements: &[Attribute<'c>]) -> Attribute<'c> {
    let raw: Vec<_> = elements.iter().map(|element| element.to_raw()).collect();
    // SAFETY: the elements are alive; they are copied.
    unsafe {
        Attribute::from_raw(sys::mlirArrayAttrGet(
            context.to_raw(),
            raw.len() as isize,
            raw.as_ptr(),
        ))
    }
}

/// A dictionary attribute.
pub fn dictionary<'c>(context: ContextRef<'c>, entries: &[(&str, Attribute<'c>)]) -> Attribute<'c> {
    // SAFETY: names and values are alive; they are copied.
    unsafe {
        let named: Vec<_> = entries
            .iter()
            .map(|(name, value)| {
                sys::mlirNamedAttributeGet(sys::mlirIdentifierGet(context.to_raw(), raw_text(name)), value.to_raw())
            })
            .collect();
        Attribute::from_raw(sys::mlirDictionaryAttrGet(
            context.to_raw(),
            named.len() as isize,
            named.as_ptr(),
        ))
    }
}

/// A dense i64 array attribute.
pub fn int_array<'c>(context: ContextRef<'c>, values: &[i64]) -> Attribute<'c> {
    // SAFETY: the values are copied.
    unsafe {
        Attribute::from_raw(sys::mlirDenseI64ArrayGet(
            context.to_raw(),
            values.len() as isize,
            values.as_ptr(),
        ))
    }
}

/// A dense i32 array attribute, as `operandSegmentSizes` is.
pub fn int32_array<'c>(context: ContextRef<'c>, values: &[i32]) -> Attribute<'c> {
    // SAFETY: the values are copied.
    unsafe {
        Attribute::from_raw(sys::mlirDenseI32ArrayGet(
            context.to_raw(),
            values.len() as isize,
            values.as_ptr(),
        ))
    }
}

/// A `#zpu.space`.
pub fn space<'c>(context: ContextRef<'c>, name: &str) -> Attribute<'c> {
    // SAFETY: the context is alive; the text is copied.
    unsafe { Attribute::from_raw(zpu_sys::zpuSpaceAttrGet(context.to_raw(), raw_text(name))) }
}

/// A `#zpu.schedule`.
pub fn schedule<'c>(context: ContextRef<'c>, schedule: Schedule) -> Attribute<'c> {
    let Schedule { stage, order, cycle } = schedule;
    // SAFETY: the context is alive.
    unsafe { Attribute::from_raw(zpu_sys::zpuScheduleAttrGet(context.to_raw(), stage, order, cycle)) }
}

/// A `#zpu.pipeline`.
pub fn pipeline<'c>(context: ContextRef<'c>, ii: i64, stages: i64) -> Attribute<'c> {
    // SAFETY: the context is alive.
    unsafe { Attribute::from_raw(zpu_sys::zpuPipelineAttrGet(context.to_raw(), ii, stages)) }
}
