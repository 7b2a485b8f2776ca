//! Making operations.

use melior::ir::attribute::AttributeLike as _;
use melior::ir::r#type::TypeLike as _;
use mlir_sys as sys;

use crate::arith::CmpIPredicate;
use crate::ty::MemRef;
use crate::{Attribute, Block, ContextRef, Location, Op, Type, Value, attr, raw_text, ty};

/// The place where a builder inserts operations.
#[derive(Clone, Copy, Debug)]
pub enum InsertionPoint<'c> {
    /// Before an operation.
    Before(Op<'c>),
    /// After an operation. Each further one goes after the one made before it.
    After(Op<'c>),
    /// At the end of a block.
    End(Block<'c>),
}

/// Makes operations at an insertion point, all with one location.
#[derive(Clone, Debug)]
pub struct Builder<'c> {
    context: ContextRef<'c>,
    loc: Location<'c>,
    point: InsertionPoint<'c>,
}

/// The parts of a new operation.
#[derive(Default)]
struct Parts<'c, 'a> {
    operands: &'a [Value<'c>],
    results: &'a [Type<'c>],
    attrs: &'a [(&'a str, Attribute<'c>)],
    /// Argument types of the first block of each region; a region without a block has none.
    regions: &'a [Option<&'a [Type<'c>]>],
}

impl<'c> Builder<'c> {
    /// A builder that inserts before `op`, with its location.
    pub fn before(op: Op<'c>) -> Self {
        Self {
            context: op.context(),
            loc: op.loc(),
            point: InsertionPoint::Before(op),
        }
    }

    /// A builder that inserts after `op`, with its location.
    pub fn after(op: Op<'c>) -> Self {
        Self {
            context: op.context(),
            loc: op.loc(),
            point: InsertionPoint::After(op),
        }
    }

    /// A builder at the end of `block`, with the location of `like`.
    pub fn at_end(block: Block<'c>, like: Op<'c>) -> Self {
        Self {
            context: like.context(),
            loc: like.loc(),
            point: InsertionPoint::End(block),
        }
    }

    /// A builder at the same place with the location of `op`: a new operation takes the location of the one that it
    /// came from.
    #[must_use]
    pub fn like(&self, op: Op<'c>) -> Self {
        Self {
            loc: op.loc(),
            ..self.clone()
        }
    }

    /// The context.
    pub fn context(&self) -> ContextRef<'c> {
        self.context
    }

    /// The place where the next operation goes.
    pub fn point(&self) -> InsertionPoint<'c> {
        self.point
    }

    /// Puts the next operation elsewhere.
    pub fn set_point(&mut self, point: InsertionPoint<'c>) {
        self.point = point;
    }

    /// Inserts a detached operation at the insertion point.
    pub(crate) fn insert(&mut self, op: Op<'c>) {
        // SAFETY: the operation is detached and has no other owner; block and neighbour are alive.
        unsafe {
            match self.point {
                InsertionPoint::Before(next) => {
                    let block = next.block().expect("insertion point is attached");
                    sys::mlirBlockInsertOwnedOperationBefore(block.raw, next.raw, op.raw);
                }
                InsertionPoint::After(previous) => {
                    let block = previous.block().expect("insertion point is attached");
                    sys::mlirBlockInsertOwnedOperationAfter(block.raw, previous.raw, op.raw);
                    self.point = InsertionPoint::After(op);
                }
                InsertionPoint::End(block) => sys::mlirBlockAppendOwnedOperation(block.raw, op.raw),
            }
        }
    }

    fn make(&mut self, name: &str, parts: &Parts<'c, '_>) -> Op<'c> {
        let operands: Vec<_> = parts.operands.iter().map(|value| value.to_raw()).collect();
        let results: Vec<_> = parts.results.iter().map(|ty| ty.to_raw()).collect();
        // SAFETY: all parts are alive; arrays and names are copied; ownership of the new regions and blocks goes to the
        // operation, and ownership of the operation to the block.
        let op = unsafe {
            let mut state = sys::mlirOperationStateGet(raw_text(name), self.loc.to_raw());
            sys::mlirOperationStateAddOperands(&mut state, operands.len() as isize, operands.as_ptr());
            sys::mlirOperationStateAddResults(&mut state, results.len() as isize, results.as_ptr());
            let attrs: Vec<_> = parts
                .attrs
                .iter()
                .map(|(name, value)| {
                    let name = sys::mlirIdentifierGet(self.context.to_raw(), raw_text(name));
                    sys::mlirNamedAttributeGet(name, value.to_raw())
                })
                .collect();
            sys::mlirOperationStateAddAttributes(&mut state, attrs.len() as isize, attrs.as_ptr());
            let regions: Vec<_> = parts
                .regions
                .iter()
                .map(|args| {
                    let region = sys::mlirRegionCreate();
                    let Some(args) = args else { return region };
                    let types: Vec<_> = args.iter().map(|ty| ty.to_raw()).collect();
                    let locs = vec![self.loc.to_raw(); types.len()];
                    let block = sys::mlirBlockCreate(types.len() as isize, types.as_ptr(), locs.as_ptr());
                    sys::mlirRegionAppendOwnedBlock(region, block);
                    region
                })
                .collect();
            sys::mlirOperationStateAddOwnedRegions(&mut state, regions.len() as isize, regions.as_ptr());
            let raw = sys::mlirOperationCreate(&mut state);
            assert!(!raw.ptr.is_null(), "could not make {name}");
            Op::from_raw(raw)
        };
        self.insert(op);
        op
    }

    /// Makes an operation without regions.
    pub fn op(
        &mut self,
        name: &str,
        operands: &[Value<'c>],
        results: &[Type<'c>],
        attrs: &[(&str, Attribute<'c>)],
    ) -> Op<'c> {
        self.make(
            name,
            &Parts {
                operands,
                results,
                attrs,
                regions: &[],
            },
        )
    }

    /// Makes an operation with regions of one block each, given by the types of the block's arguments.
    pub fn op_with_regions(
        &mut self,
        name: &str,
        operands: &[Value<'c>],
        results: &[Type<'c>],
        attrs: &[(&str, Attribute<'c>)],
        regions: &[&[Type<'c>]],
    ) -> Op<'c> {
        let regions: Vec<_> = regions.iter().copied().map(Some).collect();
        self.make(
            name,
            &Parts {
                operands,
                results,
                attrs,
                regions: &regions,
            },
        )
    }

    /// Makes an operation with one region, of one block with arguments of these types, or of none.
    pub(crate) fn op_with_body(
        &mut self,
        name: &str,
        operands: &[Value<'c>],
        results: &[Type<'c>],
        attrs: &[(&str, Attribute<'c>)],
        body: Option<&[Type<'c>]>,
    ) -> Op<'c> {
        self.make(
            name,
            &Parts {
                operands,
                results,
                attrs,
                regions: &[body],
            },
        )
    }

    /// `scf.if` without results and without another branch. Its block is empty: the caller fills it and ends it.
    pub fn guard(&mut self, condition: Value<'c>, attrs: &[(&str, Attribute<'c>)]) -> Op<'c> {
        self.make(
            "scf.if",
            &Parts {
                operands: &[condition],
                attrs,
                regions: &[Some(&[]), None],
                ..Parts::default()
            },
        )
    }

    /// `arith.constant` of type index.
    pub fn index(&mut self, value: i64) -> Value<'c> {
        let ty = ty::index(self.context);
        self.constant(ty, value)
    }

    /// `arith.constant` of an integer type or index.
    pub fn constant(&mut self, ty: Type<'c>, value: i64) -> Value<'c> {
        self.op("arith.constant", &[], &[ty], &[("value", attr::int_of(ty, value))])
            .result(0)
    }

    /// A size of a memref: a constant where the type tells it.
    pub fn size(&mut self, memref: Value<'c>, dim: usize) -> Value<'c> {
        match MemRef::of(memref.ty()).and_then(|memref| memref.shape[dim]) {
            Some(size) => self.index(size),
            None => {
                let (dim, index) = (self.index(dim as i64), ty::index(self.context()));
                self.op("memref.dim", &[memref, dim], &[index], &[]).result(0)
            }
        }
    }

    /// A binary `arith` operation whose result has the type of its operands, e.g. `arith.addi`.
    pub fn binary(&mut self, name: &str, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.op(name, &[left, right], &[left.ty()], &[]).result(0)
    }

    /// `arith.cmpi`.
    pub fn compare(&mut self, predicate: CmpIPredicate, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        let i1 = ty::integer(self.context, 1);
        self.op(
            "arith.cmpi",
            &[left, right],
            &[i1],
            &[("predicate", attr::int(self.context, predicate.number()))],
        )
        .result(0)
    }

    /// `memref.subview` that takes the beginning of slot `slot` of the outermost dimension, and drops that dimension.
    /// The source has the identity layout; `shape` are the sizes in its other dimensions and those of the result,
    /// `dynamic_sizes` the values of those that are dynamic. A source with one dimension more than that has it dropped
    /// as well.
    pub fn slot_view(
        &mut self,
        ring: Value<'c>,
        slot: Value<'c>,
        shape: &[Option<i64>],
        dynamic_sizes: &[Value<'c>],
    ) -> Value<'c> {
        let source = ty::MemRef::of(ring.ty()).expect("a ring is a ranked memref");
        let rank = source.rank();
        let dropped = rank - shape.len();
        let layout = ty::strided_layout(self.context, None, &source.strides[dropped..]);
        let result = ty::make(shape, source.element, Some(layout), source.space_attr);
        let dynamic = ty::dynamic_size();
        let mut offsets = vec![0; rank];
        offsets[0] = dynamic;
        let mut sizes = vec![1; dropped];
        sizes.extend(shape.iter().map(|size| size.unwrap_or(dynamic)));
        let operands = [&[ring, slot], dynamic_sizes].concat();
        let dynamic_sizes = dynamic_sizes.len() as i32;
        let attrs = [
            ("static_offsets", attr::int_array(self.context, &offsets)),
            ("static_sizes", attr::int_array(self.context, &sizes)),
            ("static_strides", attr::int_array(self.context, &vec![1; rank])),
            (
                "operandSegmentSizes",
                attr::int32_array(self.context, &[1, 1, dynamic_sizes, 0]),
            ),
        ];
        self.op("memref.subview", &operands, &[result], &attrs).result(0)
    }

    /// `memref.expand_shape` of the first dimension of a memref without gaps in it into constant sizes.
    pub fn expand_first(&mut self, source: Value<'c>, sizes: &[i64]) -> Value<'c> {
        let memref = ty::MemRef::of(source.ty()).expect("a view of a slot is a ranked memref");
        let shape: Vec<Option<i64>> = sizes
            .iter()
            .copied()
            .map(Some)
            .chain(memref.shape[1..].to_vec())
            .collect();
        let mut strides = memref.strides.clone();
        for size in sizes[1..].iter().rev() {
            let stride = strides[0].and_then(|stride| stride.checked_mul(*size));
            strides.insert(0, stride);
        }
        let layout = ty::strided_layout(self.context, memref.offset, &strides);
        let result = ty::make(&shape, memref.element, Some(layout), memref.space_attr);
        let number = |dim: usize| attr::int(self.context, dim as i64);
        let group = |dims: std::ops::Range<usize>| attr::array(self.context, &dims.map(number).collect::<Vec<_>>());
        let rest = (sizes.len()..shape.len()).map(|dim| group(dim..dim + 1));
        let groups: Vec<_> = std::iter::once(group(0..sizes.len())).chain(rest).collect();
        let written: Vec<i64> = shape.iter().map(|size| size.unwrap_or(ty::dynamic_size())).collect();
        let attrs = [
            ("reassociation", attr::array(self.context, &groups)),
            ("static_output_shape", attr::int_array(self.context, &written)),
        ];
        self.op("memref.expand_shape", &[source], &[result], &attrs).result(0)
    }

    /// `tensor.empty` of a static type.
    pub fn empty_tensor(&mut self, ty: Type<'c>) -> Value<'c> {
        self.op("tensor.empty", &[], &[ty], &[]).result(0)
    }

    /// `linalg.transpose` of a static tensor into an empty one: dimension `i` of the result is `permutation[i]` of the
    /// source.
    pub fn transpose(&mut self, source: Value<'c>, permutation: &[usize]) -> Op<'c> {
        let tensor = ty::Tensor::of(source.ty()).expect("the source is a ranked tensor");
        let ty = tensor.permuted(permutation);
        let empty = self.empty_tensor(ty);
        let dims: Vec<i64> = permutation.iter().map(|dim| *dim as i64).collect();
        let attrs = [("permutation", attr::int_array(self.context, &dims))];
        let elements = [tensor.element, tensor.element];
        let op = self.op_with_regions("linalg.transpose", &[source, empty], &[ty], &attrs, &[&elements]);
        let body = op.body().expect("just made with a block");
        Self::at_end(body, op).op("linalg.yield", &body.args()[..1], &[], &[]);
        op
    }

    /// Clones `op` with everything inside, with operands as they are.
    pub fn clone_op(&mut self, op: Op<'c>) -> Op<'c> {
        // SAFETY: the operation is alive; the clone is ours and goes to the block at once.
        let clone = unsafe { Op::from_raw(sys::mlirOperationClone(op.raw)) };
        self.insert(clone);
        clone
    }
}
