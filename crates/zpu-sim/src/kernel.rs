//! Computations on buffers in the manner of structured linalg ops: an iteration space, an index map an operand, and a
//! body of scalar operations; and what follows from their form alone: whether they are contractions, and what they
//! cost.

use std::collections::BTreeMap;

use zpu_device::{ElementType, VectorOp, Work};

use crate::affine::{AffineMap, Linear};
use crate::compute::Compute;
use crate::fault::Fault;
use crate::operation::{Cast, FloatBinary, FloatUnary, IntBinary};
use crate::scalar::{element_bits, is_float};

/// A structured computation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// Its name in reports, e.g. `linalg.matmul`.
    pub name: String,
    /// Loops, outermost first.
    pub iterators: Vec<LoopKind>,
    /// Inputs, then outputs, then tables.
    pub operands: Vec<KernelOperand>,
    /// The scalar code at each point.
    pub body: Body,
    /// True for a contraction, or a convolution over input channels: a tensor engine does it, and it costs as a matrix
    /// product there.
    pub product: bool,
}

/// The kind of a loop: parallel, or a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoopKind {
    /// Each iteration writes its own elements.
    Parallel,
    /// Iterations accumulate into the same elements.
    Reduction,
}

/// An operand of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KernelOperand {
    /// The element that a point touches; without results for a scalar.
    pub map: AffineMap,
    /// Element type, or the scalar's type.
    pub element: ElementType,
    /// A memref, not a scalar.
    pub shaped: bool,
    /// Written by the body's yield; read too if the body uses its argument.
    pub output: bool,
    /// Read by [`BodyOp::Load`] only, at indices that the body computes, so that it may be read as a whole. Its map has
    /// no results, and its register no meaning.
    pub table: bool,
}

/// Straight-line scalar code. Register i is: the element of operand i, then the captures, then the results of `ops` in
/// order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Body {
    /// Values taken from outside the kernel.
    pub captures: usize,
    /// In order; an op reads only registers before its own.
    pub ops: Vec<BodyOp>,
    /// One an output operand, in order.
    pub yields: Vec<usize>,
}

/// One op of a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BodyOp {
    /// These bits.
    Constant(u64),
    /// The value of a loop.
    Index(usize),
    /// An operation on registers.
    Compute(Compute, Vec<usize>),
    /// A division of integers where all of these i1 registers are as they should be; elsewhere its result is not used,
    /// and no divisor is wrong.
    DivideWhere(Vec<(usize, bool)>, Compute, Vec<usize>),
    /// The element of a table at the indices that registers hold.
    Load(usize, Vec<usize>),
}

/// The loops of a product `c[batch, m, n] += sum over k of a[batch, m, k] * b[batch, k, n]`, each possibly several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contraction {
    /// Operand that has the m loops.
    pub a: usize,
    /// Operand that has the n loops.
    pub b: usize,
    /// Accumulator.
    pub c: usize,
    /// Loops of all three.
    pub batch: Vec<usize>,
    /// Loops of a and c.
    pub m: Vec<usize>,
    /// Loops of b and c.
    pub n: Vec<usize>,
    /// Loops of a and b, outermost first.
    pub k: Vec<usize>,
    /// The conversion of an element of a to c's type.
    pub cast_a: Option<Compute>,
    /// The conversion of an element of b to c's type.
    pub cast_b: Option<Compute>,
}

impl Kernel {
    /// Checks that all indices are within range and that the body reads only values that are defined before.
    pub fn check(&self) -> Result<(), Fault> {
        let first = self.operands.len() + self.body.captures;
        for (i, op) in self.body.ops.iter().enumerate() {
            let defined = |registers: &[usize]| registers.iter().all(|register| *register < first + i);
            let fine = match op {
                BodyOp::Constant(_) => true,
                BodyOp::Index(dim) => *dim < self.iterators.len(),
                BodyOp::Compute(compute, operands) => operands.len() == compute.arity() && defined(operands),
                BodyOp::Load(table, indices) => {
                    self.operands.get(*table).is_some_and(|operand| operand.table) && defined(indices)
                }
                BodyOp::DivideWhere(conditions, compute, operands) => {
                    let all = operands.iter().chain(conditions.iter().map(|(register, _)| register));
                    operands.len() == 2 && compute.arity() == 2 && { all }.all(|register| *register < first + i)
                }
            };
            if !fine {
                return Err(Fault::Missing("a register of a kernel"));
            }
        }
        let registers = first + self.body.ops.len();
        let outputs = self.operands.iter().filter(|operand| operand.output).count();
        let maps = self
            .operands
            .iter()
            .all(|operand| operand.map.dims == self.iterators.len());
        if !maps || outputs != self.body.yields.len() || self.body.yields.iter().any(|register| *register >= registers)
        {
            return Err(Fault::Missing("a register of a kernel"));
        }
        Ok(())
    }

    /// For each operand, true if the body reads its elements.
    pub fn reads(&self) -> Vec<bool> {
        let mut reads = vec![false; self.operands.len()];
        let mut read = |register: &usize| {
            if let Some(read) = reads.get_mut(*register) {
                *read = true;
            }
        };
        for op in &self.body.ops {
            match op {
                BodyOp::Compute(_, operands) => operands.iter().for_each(&mut read),
                BodyOp::Load(table, indices) => {
                    read(table);
                    indices.iter().for_each(&mut read);
                }
                BodyOp::DivideWhere(conditions, _, operands) => {
                    operands.iter().for_each(&mut read);
                    conditions.iter().for_each(|(register, _)| read(register));
                }
                BodyOp::Constant(_) | BodyOp::Index(_) => {}
            }
        }
        self.body.yields.iter().for_each(read);
        reads
    }

    /// All maps as linear expressions, if they are.
    pub fn linear_maps(&self) -> Option<Vec<Vec<Linear>>> {
        self.operands.iter().map(|operand| operand.map.linear()).collect()
    }

    /// Extents of the loops, from the extents of the shaped operands (`sizes[i]` belongs to operand i).
    pub fn extents(&self, sizes: &[&[i64]]) -> Result<Vec<i64>, Fault> {
        let mut extents: Vec<Option<i64>> = vec![None; self.iterators.len()];
        for (operand, sizes) in self.operands.iter().zip(sizes) {
            if !operand.shaped || operand.table {
                continue;
            }
            if sizes.len() != operand.map.results.len() {
                return Err(Fault::Rank {
                    expected: operand.map.results.len(),
                    found: sizes.len(),
                });
            }
            for (result, &size) in operand.map.results.iter().zip(*sizes) {
                let Some(dim) = result.linear(operand.map.dims).and_then(|linear| linear.as_dim()) else {
                    continue;
                };
                match extents[dim] {
                    Some(extent) if extent != size => {
                        return Err(Fault::Extent {
                            dim,
                            left: extent,
                            right: size,
                        });
                    }
                    _ => extents[dim] = Some(size),
                }
            }
        }
        extents
            .into_iter()
            .enumerate()
            .map(|(dim, extent)| extent.ok_or(Fault::Unbounded(dim)))
            .collect()
    }

    /// The loops of `out + a * b`, if the body is that, every index is a loop, every loop belongs to two or three
    /// operands, and those that the output does not have sum up: the form that has a fast way to run.
    pub fn contraction(&self) -> Option<Contraction> {
        let [x, y, out] = self.operands.as_slice() else {
            return None;
        };
        if !x.shaped || !y.shaped || !out.shaped || x.output || y.output || !out.output || self.body.captures != 0 {
            return None;
        }
        let (a, b, cast_a, cast_b) = self.multiply_accumulate()?;
        let loops = |operand: usize| -> Option<Vec<usize>> {
            let map = &self.operands[operand].map;
            let dims: Vec<usize> = map.linear()?.iter().map(Linear::as_dim).collect::<Option<_>>()?;
            let distinct = (1..dims.len()).all(|i| !dims[..i].contains(&dims[i]));
            distinct.then_some(dims)
        };
        let (in_a, in_b, in_c) = (loops(a)?, loops(b)?, loops(2)?);
        let mut result = Contraction {
            a,
            b,
            c: 2,
            batch: vec![],
            m: vec![],
            n: vec![],
            k: vec![],
            cast_a,
            cast_b,
        };
        for (dim, kind) in self.iterators.iter().enumerate() {
            let group = match (in_a.contains(&dim), in_b.contains(&dim), in_c.contains(&dim), kind) {
                (true, true, true, LoopKind::Parallel) => &mut result.batch,
                (true, false, true, LoopKind::Parallel) => &mut result.m,
                (false, true, true, LoopKind::Parallel) => &mut result.n,
                (true, true, false, LoopKind::Reduction) => &mut result.k,
                _ => return None,
            };
            group.push(dim);
        }
        (!result.k.is_empty()).then_some(result)
    }

    /// The input operands and casts of a body that is `out + cast(a) * cast(b)` and nothing else.
    fn multiply_accumulate(&self) -> Option<(usize, usize, Option<Compute>, Option<Compute>)> {
        let op = |register: usize| register.checked_sub(3).and_then(|i| self.body.ops.get(i));
        let binary = |register: usize, float: FloatBinary, int: IntBinary| match op(register)? {
            BodyOp::Compute(Compute::FloatBinary(found, ty), operands) if *found == float => Some((*ty, operands)),
            BodyOp::Compute(Compute::IntBinary(found, ty), operands) if *found == int => Some((*ty, operands)),
            _ => None,
        };
        let accumulator = self.operands[2].element;
        let (ty, sum) = binary(*self.body.yields.first()?, FloatBinary::Add, IntBinary::Add)?;
        let product = match sum.as_slice() {
            [2, product] | [product, 2] => *product,
            _ => return None,
        };
        let (product_ty, factors) = binary(product, FloatBinary::Mul, IntBinary::Mul)?;
        if ty != accumulator || product_ty != accumulator {
            return None;
        }
        let source = |register: usize| match op(register) {
            None if register < 2 => Some((register, None)),
            Some(BodyOp::Compute(cast @ Compute::Cast(kind, _, to), operands)) => {
                let widening = matches!(kind, Cast::Float | Cast::Int | Cast::Unsigned) && *to == accumulator;
                (widening && operands[0] < 2).then_some((operands[0], Some(*cast)))
            }
            _ => None,
        };
        let ((a, cast_a), (b, cast_b)) = (source(factors[0])?, source(factors[1])?);
        let ops = 2 + usize::from(cast_a.is_some()) + usize::from(cast_b.is_some());
        (a != b && self.body.ops.len() == ops).then_some((a, b, cast_a, cast_b))
    }

    /// The work of the kernel for the cost model, at the given loop extents. `as_product` asks for a product's cost as
    /// a matrix product instead of as vector work; it has no effect on other kernels.
    pub fn work(&self, extents: &[i64], as_product: bool) -> Work {
        let volume = |dims: &[usize]| {
            dims.iter()
                .fold(1u64, |v, dim| v.saturating_mul(extents[*dim].unsigned_abs()))
        };
        if as_product && self.product && self.operands.len() == 3 {
            let dims = |map: &AffineMap| (0..map.dims).filter(|dim| map.mentions(*dim)).collect();
            let walks: Vec<Vec<usize>> = self.operands.iter().map(|operand| dims(&operand.map)).collect();
            // Loops of the result by the inputs that they walk; all others are summed up.
            let over = |in_a: bool, in_b: bool| -> Vec<usize> {
                let of_result = (0..extents.len()).filter(|dim| walks[2].contains(dim));
                of_result
                    .filter(|dim| walks[0].contains(dim) == in_a && walks[1].contains(dim) == in_b)
                    .collect()
            };
            let summed: Vec<usize> = (0..extents.len()).filter(|dim| !walks[2].contains(dim)).collect();
            let (a, b) = (self.operands[0].element, self.operands[1].element);
            return Work::Matmul {
                batch: volume(&over(true, true)).saturating_mul(volume(&over(false, false))),
                m: volume(&over(true, false)),
                n: volume(&over(false, true)),
                k: volume(&summed),
                element: if element_bits(b) > element_bits(a) { b } else { a },
                accumulator: self.operands[2].element,
            };
        }
        let all: Vec<usize> = (0..extents.len()).collect();
        let reads = self.reads();
        let shaped = || self.operands.iter().enumerate().filter(|(_, operand)| operand.shaped);
        let reduces = self.iterators.contains(&LoopKind::Reduction);
        // An accumulator stays in the engine while its elements are summed up.
        let operands = shaped().filter(|(i, operand)| reads[*i] && !operand.table && !(operand.output && reduces));
        let from_tables = self.body.ops.iter().filter(|op| matches!(op, BodyOp::Load(..)));
        let loads = operands.count() + from_tables.count();
        let widest = shaped()
            .map(|(_, operand)| operand.element)
            .max_by_key(|element| element_bits(*element));
        Work::Vector {
            elements: volume(&all),
            element: widest.unwrap_or(ElementType::Index),
            loads: loads as u64,
            stores: self.body.yields.len() as u64,
            ops: self.vector_ops(),
        }
    }

    /// The number of operations of each kind for one point. In a kernel with a reduction loop, the op that takes an
    /// output's old element and makes its new one counts as the reduction.
    fn vector_ops(&self) -> BTreeMap<VectorOp, u64> {
        let reduces = self.iterators.contains(&LoopKind::Reduction);
        let first = self.operands.len() + self.body.captures;
        let outputs: Vec<usize> = (0..self.operands.len()).filter(|i| self.operands[*i].output).collect();
        let mut counts = BTreeMap::new();
        for (i, op) in self.body.ops.iter().enumerate() {
            let (BodyOp::Compute(compute, operands) | BodyOp::DivideWhere(_, compute, operands)) = op else {
                continue;
            };
            let accumulates = self.body.yields.contains(&(first + i)) && operands.iter().any(|r| outputs.contains(r));
            if reduces && accumulates {
                *counts.entry(reduction_op(*compute)).or_insert(0) += 1;
            } else {
                for op in vector_op(*compute) {
                    *counts.entry(*op).or_insert(0) += 1;
                }
            }
        }
        counts
    }
}

fn reduction_op(compute: Compute) -> VectorOp {
    match compute {
        Compute::FloatBinary(FloatBinary::Add, _) | Compute::IntBinary(IntBinary::Add, _) => VectorOp::ReduceSum,
        _ => VectorOp::ReduceOther,
    }
}

fn vector_op(compute: Compute) -> &'static [VectorOp] {
    match compute {
        Compute::FloatBinary(FloatBinary::Mul, _) | Compute::IntBinary(IntBinary::Mul, _) => &[VectorOp::Mul],
        Compute::FloatBinary(FloatBinary::Div | FloatBinary::Rem, _) => &[VectorOp::Div],
        Compute::FloatBinary(FloatBinary::Pow | FloatBinary::Atan2, _)
        | Compute::IntBinary(IntBinary::Pow, _)
        | Compute::FloatIntPower(..) => &[VectorOp::Exp],
        Compute::IntBinary(
            IntBinary::DivS
            | IntBinary::DivU
            | IntBinary::CeilDivS
            | IntBinary::CeilDivU
            | IntBinary::FloorDivS
            | IntBinary::RemS
            | IntBinary::RemU,
            _,
        ) => &[VectorOp::Div],
        Compute::FloatUnary(op, _) => match op {
            FloatUnary::Sqrt | FloatUnary::Rsqrt | FloatUnary::Cbrt => &[VectorOp::Div],
            FloatUnary::Neg
            | FloatUnary::Abs
            | FloatUnary::Floor
            | FloatUnary::Ceil
            | FloatUnary::Round
            | FloatUnary::RoundEven
            | FloatUnary::Trunc => &[VectorOp::Arith],
            _ => &[VectorOp::Exp],
        },
        Compute::Fma(_) => &[VectorOp::Mul, VectorOp::Arith],
        _ => &[VectorOp::Arith],
    }
}

/// Kernels that need no region in source: the building blocks of tests and of named ops.
impl Kernel {
    /// `out[...] = value` for an operand pair (scalar value, buffer of `rank` dimensions).
    pub fn fill(rank: usize, element: ElementType) -> Self {
        let dims: Vec<usize> = (0..rank).collect();
        Self {
            name: "linalg.fill".into(),
            iterators: vec![LoopKind::Parallel; rank],
            operands: vec![
                KernelOperand {
                    map: AffineMap::projection(rank, &[]),
                    element,
                    shaped: false,
                    output: false,
                    table: false,
                },
                KernelOperand {
                    map: AffineMap::projection(rank, &dims),
                    element,
                    shaped: true,
                    output: true,
                    table: false,
                },
            ],
            body: Body {
                captures: 0,
                ops: vec![],
                yields: vec![0],
            },
            product: false,
        }
    }

    /// `out[...] = op(in[...]...)` over `rank` dimensions, all operands of one type and shape.
    pub fn elementwise(name: &str, rank: usize, element: ElementType, op: Compute) -> Self {
        let dims: Vec<usize> = (0..rank).collect();
        let inputs = op.arity();
        let operand = |output| KernelOperand {
            map: AffineMap::projection(rank, &dims),
            element,
            shaped: true,
            output,
            table: false,
        };
        Self {
            name: name.into(),
            iterators: vec![LoopKind::Parallel; rank],
            operands: (0..=inputs).map(|i| operand(i == inputs)).collect(),
            body: Body {
                captures: 0,
                ops: vec![BodyOp::Compute(op, (0..inputs).collect())],
                yields: vec![inputs + 1],
            },
            product: false,
        }
    }

    /// `c[m, n] += a[m, k] * b[k, n]`, or `b[n, k]` if `transposed`, with inputs widened to the accumulator's type.
    pub fn matmul(element: ElementType, accumulator: ElementType, transposed: bool) -> Self {
        let operand = |dims: &[usize], element, output| KernelOperand {
            map: AffineMap::projection(3, dims),
            element,
            shaped: true,
            output,
            table: false,
        };
        let float = is_float(accumulator);
        let mut ops = Vec::new();
        let mut factors = vec![0, 1];
        if element != accumulator {
            let kind = if float { Cast::Float } else { Cast::Int };
            for factor in &mut factors {
                ops.push(BodyOp::Compute(
                    Compute::Cast(kind, element, accumulator),
                    vec![*factor],
                ));
                *factor = 2 + ops.len();
            }
        }
        let (mul, add) = if float {
            (
                Compute::FloatBinary(FloatBinary::Mul, accumulator),
                Compute::FloatBinary(FloatBinary::Add, accumulator),
            )
        } else {
            (
                Compute::IntBinary(IntBinary::Mul, accumulator),
                Compute::IntBinary(IntBinary::Add, accumulator),
            )
        };
        ops.push(BodyOp::Compute(mul, factors));
        ops.push(BodyOp::Compute(add, vec![2, 2 + ops.len()]));
        let result = 2 + ops.len();
        Self {
            name: "linalg.matmul".into(),
            iterators: vec![LoopKind::Parallel, LoopKind::Parallel, LoopKind::Reduction],
            operands: vec![
                operand(&[0, 2], element, false),
                operand(if transposed { &[1, 2] } else { &[2, 1] }, element, false),
                operand(&[0, 1], accumulator, true),
            ],
            body: Body {
                captures: 0,
                ops,
                yields: vec![result],
            },
            product: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_product_is_recognised_with_its_casts() {
        for (element, transposed) in [(ElementType::F32, false), (ElementType::Bf16, true)] {
            let kernel = Kernel::matmul(element, ElementType::F32, transposed);
            kernel.check().unwrap();
            let product = kernel.contraction().unwrap();
            assert_eq!((product.m, product.n, product.k), (vec![0], vec![1], vec![2]));
            assert_eq!(product.cast_a.is_some(), element == ElementType::Bf16);
            let extents = kernel
                .extents(&[&[4, 8], if transposed { &[5, 8] } else { &[8, 5] }, &[4, 5]])
                .unwrap();
            assert_eq!(extents, [4, 5, 8]);
            let work = kernel.work(&extents, true);
            let Work::Matmul { batch, m, n, k, .. } = work else {
                panic!("{work:?}")
            };
            assert_eq!((batch, m, n, k), (1, 4, 5, 8));
        }
    }

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let kernel = Kernel::matmul(ElementType::F32, ElementType::F32, false);
        let fault = kernel.extents(&[&[4, 8], &[7, 5], &[4, 5]]);
        assert_eq!(
            fault,
            Err(Fault::Extent {
                dim: 2,
                left: 8,
                right: 7
            })
        );
    }

    #[test]
    fn elementwise_work_counts_operations_and_operands() {
        let kernel = Kernel::elementwise(
            "exp",
            1,
            ElementType::F32,
            Compute::FloatUnary(FloatUnary::Exp, ElementType::F32),
        );
        let Work::Vector {
            elements,
            loads,
            stores,
            ops,
            ..
        } = kernel.work(&[100], true)
        else {
            panic!()
        };
        assert_eq!((elements, loads, stores), (100, 1, 1));
        assert_eq!(ops, BTreeMap::from([(VectorOp::Exp, 1)]));
        let fill = Kernel::fill(2, ElementType::F32).work(&[4, 4], true);
        assert!(matches!(
            fill,
            Work::Vector {
                elements: 16,
                loads: 0,
                stores: 1,
                ..
            }
        ));
    }
}
