//! Reading and making types.

use melior::ir::attribute::AttributeLike as _;
use melior::ir::r#type::TypeLike as _;
use mlir_sys as sys;
use zpu_device::ElementType;

use crate::{Attribute, ContextRef, Type, attr, raw_text, text_of};

/// A ranked memref type, taken apart. Sizes, strides and the offset count elements; `None` is dynamic.
#[derive(Clone, Debug, PartialEq)]
pub struct MemRef<'c> {
    /// Sizes.
    pub shape: Vec<Option<i64>>,
    /// Element type.
    pub element: Type<'c>,
    /// Offset of the first element.
    pub offset: Option<i64>,
    /// Stride per dimension.
    pub strides: Vec<Option<i64>>,
    /// The layout as it is written.
    pub layout: Attribute<'c>,
    /// Memory space attribute as it is written.
    pub space_attr: Option<Attribute<'c>>,
}

impl<'c> MemRef<'c> {
    /// Takes a type apart; `None` for everything but a ranked memref with a strided layout.
    pub fn of(ty: Type<'c>) -> Option<Self> {
        // SAFETY: the kind is asked first; indices are below the rank; the out arrays have `rank` elements.
        unsafe {
            let raw = ty.to_raw();
            if !sys::mlirTypeIsAMemRef(raw) {
                return None;
            }
            let rank = sys::mlirShapedTypeGetRank(raw) as isize;
            let shape: Vec<Option<i64>> = (0..rank)
                .map(|i| (!sys::mlirShapedTypeIsDynamicDim(raw, i)).then(|| sys::mlirShapedTypeGetDimSize(raw, i)))
                .collect();
            let layout = sys::mlirMemRefTypeGetLayout(raw);
            let (offset, strides) = written_layout(layout)
                .or_else(|| dense_layout(layout, &shape))
                .or_else(|| derived_layout(raw, shape.len()))?;
            Some(Self {
                shape,
                element: Type::from_raw(sys::mlirShapedTypeGetElementType(raw)),
                offset,
                strides,
                layout: Attribute::from_raw(layout),
                space_attr: Attribute::from_option_raw(sys::mlirMemRefTypeGetMemorySpace(raw)),
            })
        }
    }

    /// Rank.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Name of the `#zpu.space`, if that is the memory space.
    pub fn space(&self) -> Option<&'c str> {
        self.space_attr.and_then(attr::as_space)
    }

    /// True if no size is dynamic.
    pub fn has_static_shape(&self) -> bool {
        self.shape.iter().all(Option::is_some)
    }

    /// Offset of the part that begins at an index of each dimension, as `memref.subview` derives it; `None` if that is
    /// dynamic. Index 0 adds nothing, whatever the stride.
    pub fn offset_at(&self, indices: impl IntoIterator<Item = Option<i64>>) -> Option<i64> {
        let mut steps = indices
            .into_iter()
            .zip(&self.strides)
            .map(|(index, stride)| match index? {
                0 => Some(0),
                index => index.checked_mul((*stride)?),
            });
        steps.try_fold(self.offset?, |offset, step| offset.checked_add(step?))
    }

    /// Number of elements, if static.
    pub fn num_elements(&self) -> Option<i64> {
        self.shape
            .iter()
            .try_fold(1i64, |product, size| product.checked_mul((*size)?))
    }

    /// Bytes of the elements, if static and of a known element type.
    pub fn bytes(&self) -> Option<i64> {
        self.num_elements()?
            .checked_mul(i64::from(element_bytes(self.element)?))
    }

    /// True if the elements lie row-major without gaps from offset 0, as an allocation's do.
    pub fn is_identity_layout(&self) -> bool {
        // SAFETY: the attribute is alive; the kind is asked before the value.
        unsafe {
            let raw = self.layout.to_raw();
            sys::mlirAttributeIsAAffineMap(raw) && sys::mlirAffineMapIsIdentity(sys::mlirAffineMapAttrGetValue(raw))
        }
    }

    /// The type in another memory space.
    pub fn with_space(&self, context: ContextRef<'c>, name: &str) -> Type<'c> {
        make(
            &self.shape,
            self.element,
            Some(self.layout),
            Some(attr::space(context, name)),
        )
    }
}

/// A ranked tensor type without an encoding, taken apart. Sizes count elements; `None` is dynamic.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<'c> {
    /// Sizes.
    pub shape: Vec<Option<i64>>,
    /// Element type.
    pub element: Type<'c>,
}

impl<'c> Tensor<'c> {
    /// Takes a type apart; `None` for everything but a ranked tensor without an encoding.
    pub fn of(ty: Type<'c>) -> Option<Self> {
        // SAFETY: the kind is asked first; indices are below the rank.
        unsafe {
            let raw = ty.to_raw();
            if !sys::mlirTypeIsARankedTensor(raw) || !sys::mlirRankedTensorTypeGetEncoding(raw).ptr.is_null() {
                return None;
            }
            let rank = sys::mlirShapedTypeGetRank(raw) as isize;
            let shape = (0..rank)
                .map(|i| (!sys::mlirShapedTypeIsDynamicDim(raw, i)).then(|| sys::mlirShapedTypeGetDimSize(raw, i)))
                .collect();
            Some(Self {
                shape,
                element: Type::from_raw(sys::mlirShapedTypeGetElementType(raw)),
            })
        }
    }

    /// Bytes of the elements, if static and of a known element type.
    pub fn bytes(&self) -> Option<u64> {
        let sizes = self.shape.iter().map(|size| u64::try_from((*size)?).ok());
        let elements = sizes.into_iter().try_fold(1u64, |all, size| all.checked_mul(size?))?;
        elements.checked_mul(element_bytes(self.element)?.into())
    }

    /// The type with its dimensions in another order; each of them has to be there once.
    pub fn permuted(&self, dims: &[usize]) -> Type<'c> {
        let dynamic = dynamic_size();
        let shape: Vec<i64> = dims.iter().map(|dim| self.shape[*dim].unwrap_or(dynamic)).collect();
        // SAFETY: the element type is that of a tensor and alive; the array is copied.
        unsafe {
            let location = sys::mlirLocationUnknownGet(sys::mlirTypeGetContext(self.element.to_raw()));
            Type::from_raw(sys::mlirRankedTensorTypeGetChecked(
                location,
                shape.len() as isize,
                shape.as_ptr(),
                self.element.to_raw(),
                sys::mlirAttributeGetNull(),
            ))
        }
    }
}

/// Offset and strides in elements.
type Layout = (Option<i64>, Vec<Option<i64>>);

/// The layout that `strided<...>` says.
fn written_layout(layout: sys::MlirAttribute) -> Option<Layout> {
    // SAFETY: the attribute is alive and its kind is asked first; indices are below the number of strides.
    unsafe {
        if !sys::mlirAttributeIsAStridedLayout(layout) {
            return None;
        }
        let strides = 0..sys::mlirStridedLayoutAttrGetNumStrides(layout);
        let strides = strides.map(|i| known(sys::mlirStridedLayoutAttrGetStride(layout, i)));
        Some((known(sys::mlirStridedLayoutAttrGetOffset(layout)), strides.collect()))
    }
}

/// Row-major without gaps; `None` if the layout is another one, or the products are not those of the sizes alone: a
/// size is 0 or they overflow.
fn dense_layout(layout: sys::MlirAttribute, shape: &[Option<i64>]) -> Option<Layout> {
    // SAFETY: the attribute is alive; the kind is asked before the value.
    let is_identity = unsafe {
        sys::mlirAttributeIsAAffineMap(layout) && sys::mlirAffineMapIsIdentity(sys::mlirAffineMapAttrGetValue(layout))
    };
    if !is_identity || shape.contains(&Some(0)) {
        return None;
    }
    let mut strides = vec![None; shape.len()];
    let mut stride = Some(1i64);
    for (own, size) in strides.iter_mut().zip(shape).rev() {
        *own = stride;
        stride = match (stride, size) {
            (Some(stride), Some(size)) => Some(stride.checked_mul(*size)?),
            _ => None,
        };
    }
    Some((Some(0), strides))
}

/// The layout that MLIR derives from any layout attribute, by way of affine expressions.
fn derived_layout(memref: sys::MlirType, rank: usize) -> Option<Layout> {
    let mut strides = vec![0i64; rank];
    let mut offset = 0i64;
    // SAFETY: the type is a memref, and the out array has an element for each dimension.
    let ok = unsafe { sys::mlirMemRefTypeGetStridesAndOffset(memref, strides.as_mut_ptr(), &mut offset) };
    (ok.value != 0).then(|| (known(offset), strides.into_iter().map(known).collect()))
}

/// A stride or offset, if it is not dynamic.
fn known(value: i64) -> Option<i64> {
    // SAFETY: a constant.
    (value != unsafe { sys::mlirShapedTypeGetDynamicStrideOrOffset() }).then_some(value)
}

/// Makes a memref type; without a layout, the identity.
pub fn make<'c>(
    shape: &[Option<i64>],
    element: Type<'c>,
    layout: Option<Attribute<'c>>,
    space: Option<Attribute<'c>>,
) -> Type<'c> {
    // SAFETY: all parts are alive and the arrays are copied. A null layout or space stands for the default one.
    unsafe {
        let dynamic = sys::mlirShapedTypeGetDynamicSize();
        let sizes: Vec<i64> = shape.iter().map(|size| size.unwrap_or(dynamic)).collect();
        let null = sys::mlirAttributeGetNull();
        Type::from_raw(sys::mlirMemRefTypeGet(
            element.to_raw(),
            sizes.len() as isize,
            sizes.as_ptr(),
            layout.map_or(null, |a| a.to_raw()),
            space.map_or(null, |a| a.to_raw()),
        ))
    }
}

/// A strided layout; `None` is dynamic.
pub fn strided_layout<'c>(context: ContextRef<'c>, offset: Option<i64>, strides: &[Option<i64>]) -> Attribute<'c> {
    // SAFETY: the array is copied.
    unsafe {
        let dynamic = sys::mlirShapedTypeGetDynamicStrideOrOffset();
        let strides: Vec<i64> = strides.iter().map(|stride| stride.unwrap_or(dynamic)).collect();
        Attribute::from_raw(sys::mlirStridedLayoutAttrGet(
            context.to_raw(),
            offset.unwrap_or(dynamic),
            strides.len() as isize,
            strides.as_ptr(),
        ))
    }
}

/// `ShapedType::kDynamic`, as static_offsets and the like spell a dynamic entry.
pub fn dynamic_size() -> i64 {
    // SAFETY: a constant.
    unsafe { sys::mlirShapedTypeGetDynamicSize() }
}

/// True if it is a memref, ranked or not.
pub fn is_memref(ty: Type<'_>) -> bool {
    // SAFETY: the type is alive.
    unsafe { sys::mlirTypeIsAMemRef(ty.to_raw()) || sys::mlirTypeIsAUnrankedMemRef(ty.to_raw()) }
}

/// True if it is a ranked tensor.
pub fn is_tensor(ty: Type<'_>) -> bool {
    // SAFETY: the type is alive.
    unsafe { sys::mlirTypeIsARankedTensor(ty.to_raw()) }
}

/// The sizes of a ranked memref, tensor or vector; `None` for a dynamic one.
pub fn shape(ty: Type<'_>) -> Option<Vec<Option<i64>>> {
    // SAFETY: the kind and the rank are asked first; indices are below the rank.
    unsafe {
        let raw = ty.to_raw();
        if !sys::mlirTypeIsAShaped(raw) || !sys::mlirShapedTypeHasRank(raw) {
            return None;
        }
        let size = |i| (!sys::mlirShapedTypeIsDynamicDim(raw, i)).then(|| sys::mlirShapedTypeGetDimSize(raw, i));
        Some((0..sys::mlirShapedTypeGetRank(raw) as isize).map(size).collect())
    }
}

/// The sizes of a ranked memref, tensor or vector, if none is dynamic.
pub fn static_shape(ty: Type<'_>) -> Option<Vec<i64>> {
    shape(ty)?.into_iter().collect()
}

/// True if it is `index`.
pub fn is_index(ty: Type<'_>) -> bool {
    // SAFETY: the type is alive.
    unsafe { sys::mlirTypeIsAIndex(ty.to_raw()) }
}

/// The element type as costs and the simulator know it; `None` for anything else.
pub fn scalar(ty: Type<'_>) -> Option<ElementType> {
    // SAFETY: the kind is asked before the width.
    unsafe {
        let raw = ty.to_raw();
        if sys::mlirTypeIsAF16(raw) {
            Some(ElementType::F16)
        } else if sys::mlirTypeIsABF16(raw) {
            Some(ElementType::Bf16)
        } else if sys::mlirTypeIsAF32(raw) {
            Some(ElementType::F32)
        } else if sys::mlirTypeIsAF64(raw) {
            Some(ElementType::F64)
        } else if sys::mlirTypeIsAIndex(raw) {
            Some(ElementType::Index)
        } else if sys::mlirTypeIsAInteger(raw) {
            let width = sys::mlirIntegerTypeGetWidth(raw);
            (1..=64).contains(&width).then_some(ElementType::Int(width as u8))
        } else {
            None
        }
    }
}

/// Bytes that an element takes in memory; sub-byte integers take one.
pub fn element_bytes(ty: Type<'_>) -> Option<u32> {
    Some(match scalar(ty)? {
        ElementType::F16 | ElementType::Bf16 => 2,
        ElementType::F32 => 4,
        ElementType::F64 | ElementType::Index => 8,
        ElementType::Int(bits) => u32::from(bits).div_ceil(8).next_power_of_two(),
    })
}

/// The element type of a shaped type.
pub fn element<'c>(ty: Type<'c>) -> Option<Type<'c>> {
    // SAFETY: the kind is asked first.
    unsafe {
        sys::mlirTypeIsAShaped(ty.to_raw()).then(|| Type::from_raw(sys::mlirShapedTypeGetElementType(ty.to_raw())))
    }
}

/// `index`.
pub fn index<'c>(context: ContextRef<'c>) -> Type<'c> {
    // SAFETY: the context is alive.
    unsafe { Type::from_raw(sys::mlirIndexTypeGet(context.to_raw())) }
}

/// A signless integer type.
pub fn integer<'c>(context: ContextRef<'c>, width: u32) -> Type<'c> {
    // SAFETY: the context is alive.
    unsafe { Type::from_raw(sys::mlirIntegerTypeGet(context.to_raw(), width)) }
}

/// `!zpu.token<@engine>`.
pub fn token<'c>(context: ContextRef<'c>, engine: &str) -> Type<'c> {
    // SAFETY: the context is alive; the text is copied.
    unsafe { Type::from_raw(zpu_sys::zpuTokenTypeGet(context.to_raw(), raw_text(engine))) }
}

/// The engine of a `!zpu.token`.
pub fn token_engine<'c>(ty: Type<'c>) -> Option<&'c str> {
    // SAFETY: the kind is asked first; the text lives in the context.
    unsafe { zpu_sys::zpuTypeIsAToken(ty.to_raw()).then(|| text_of(zpu_sys::zpuTokenTypeGetEngine(ty.to_raw()))) }
}

/// `!zpu.done`.
pub fn done<'c>(context: ContextRef<'c>) -> Type<'c> {
    // SAFETY: the context is alive.
    unsafe { Type::from_raw(zpu_sys::zpuDoneTypeGet(context.to_raw())) }
}

/// True for `!zpu.done`.
pub fn is_done(ty: Type<'_>) -> bool {
    // SAFETY: a plain question.
    unsafe { zpu_sys::zpuTypeIsADone(ty.to_raw()) }
}

/// A function type's inputs and results.
pub fn function<'c>(ty: Type<'c>) -> Option<(Vec<Type<'c>>, Vec<Type<'c>>)> {
    // SAFETY: the kind is asked first and indices are below the counts.
    unsafe {
        let raw = ty.to_raw();
        sys::mlirTypeIsAFunction(raw).then(|| {
            let inputs = (0..sys::mlirFunctionTypeGetNumInputs(raw))
                .map(|i| Type::from_raw(sys::mlirFunctionTypeGetInput(raw, i)))
                .collect();
            let results = (0..sys::mlirFunctionTypeGetNumResults(raw))
                .map(|i| Type::from_raw(sys::mlirFunctionTypeGetResult(raw, i)))
                .collect();
            (inputs, results)
        })
    }
}

/// Makes a function type.
pub fn make_function<'c>(context: ContextRef<'c>, inputs: &[Type<'c>], results: &[Type<'c>]) -> Type<'c> {
    let raw = |types: &[Type<'c>]| types.iter().map(|ty| ty.to_raw()).collect::<Vec<_>>();
    let (inputs, results) = (raw(inputs), raw(results));
    // SAFETY: the types are alive; the arrays are copied.
    unsafe {
        Type::from_raw(sys::mlirFunctionTypeGet(
            context.to_raw(),
            inputs.len() as isize,
            inputs.as_ptr(),
            results.len() as isize,
            results.as_ptr(),
        ))
    }
}

/// `none`, the type of a value without contents.
pub fn none<'c>(context: ContextRef<'c>) -> Type<'c> {
    // SAFETY: the context is alive.
    unsafe { Type::from_raw(sys::mlirNoneTypeGet(context.to_raw())) }
}

/// Dialect and text of a type of a dialect that is not there: `("d", "name<...>")` of `!d.name<...>`.
pub fn as_opaque<'c>(ty: Type<'c>) -> Option<(&'c str, &'c str)> {
    // SAFETY: the kind is asked first; both texts live in the context.
    unsafe {
        let raw = ty.to_raw();
        sys::mlirTypeIsAOpaque(raw).then(|| {
            let dialect = crate::text_of(sys::mlirOpaqueTypeGetDialectNamespace(raw));
            (dialect, crate::text_of(sys::mlirOpaqueTypeGetData(raw)))
        })
    }
}

/// The type that a text says; nothing if it is none, of which there is a diagnostic then.
pub fn parse<'c>(context: ContextRef<'c>, text: &str) -> Option<Type<'c>> {
    // SAFETY: the context is alive, the text lives during the call; a null type is filtered.
    unsafe { Type::from_option_raw(sys::mlirTypeParseGet(context.to_raw(), crate::raw_text(text))) }
}

#[cfg(test)]
mod tests {
    use melior::ir::r#type::TypeLike as _;

    use super::*;
    use crate::{Op, new_context, parse_text};

    #[test]
    fn a_layout_is_read_as_mlir_derives_it() -> Result<(), Box<dyn std::error::Error>> {
        let types = [
            "memref<f32>",
            "memref<4x5x6xf32>",
            "memref<4x?x6xf32>",
            "memref<?x?xf32>",
            "memref<4x0x6xf32>",
            "memref<1x1x8xi8, affine_map<(a, b, c) -> (a, b, c)>>",
            "memref<4x5xf32, affine_map<(a, b) -> (b, a)>>",
            "memref<4x5xf32, affine_map<(a, b) -> (a * 20 + b * 2 + 7)>>",
            "memref<4x5xf32, affine_map<(a, b) -> (a floordiv 2, b)>>",
            "memref<4x5xf32, strided<[10, 2], offset: 3>>",
            "memref<4x?xf32, strided<[?, 1], offset: ?>>",
            "memref<f32, strided<[], offset: 3>>",
            "memref<?x3x1xbf16, strided<[-3, 1, 0]>>",
        ];
        let context = new_context();
        context.load_all_available_dialects();
        let text = format!("func.func private @f({})", types.join(", "));
        let module = parse_text(&context, &text, "types")?;
        let functions = Op::of_module(&module).find_all("func.func");
        let ty = functions[0]
            .attr("function_type")
            .and_then(attr::as_type)
            .ok_or("no type")?;
        let (inputs, _) = function(ty).ok_or("no function type")?;
        assert_eq!(inputs.len(), types.len());
        for (text, ty) in types.iter().zip(inputs) {
            let read = MemRef::of(ty).map(|memref| (memref.offset, memref.strides));
            // SAFETY: the type is a memref.
            let rank = unsafe { sys::mlirShapedTypeGetRank(ty.to_raw()) } as usize;
            assert_eq!(read, derived_layout(ty.to_raw(), rank), "{text}");
        }
        Ok(())
    }
}
