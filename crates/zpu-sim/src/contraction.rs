//! The fast path of matrix products: operands are packed as dense matrices of the accumulator's type.
//!
//! Invariant: every element of the result is `((c + a0*b0) + a1*b1) + ...` over k in increasing order, product and sum
//! each rounded, as the plain loops give it; only the order of different elements changes.

use crate::compute::Compute;
use crate::execute::{Invocation, LANES, Walk, load, store};
use crate::fault::Fault;
use crate::kernel::Contraction;
use crate::memory::Memory;
use crate::scalar::{element_bytes, is_float, mask};
use crate::view::View;
use zpu_device::ElementType;

/// Dense copies of the operands, kept from one product to the next.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    single: Matrices<f32>,
    double: Matrices<f64>,
    integer: Matrices<u64>,
}

#[derive(Debug, Default)]
struct Matrices<T> {
    a: Vec<T>,
    b: Vec<T>,
    c: Vec<T>,
}

/// A number that products are computed in.
trait Number: Copy {
    fn from_bits(bits: u64) -> Self;
    fn bits(self) -> u64;
    fn multiply_add(self, a: Self, b: Self) -> Self;
}

impl Number for f32 {
    fn from_bits(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
    #[inline(always)]
    fn multiply_add(self, a: Self, b: Self) -> Self {
        self + a * b
    }
}

impl Number for f64 {
    fn from_bits(bits: u64) -> Self {
        f64::from_bits(bits)
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
    #[inline(always)]
    fn multiply_add(self, a: Self, b: Self) -> Self {
        self + a * b
    }
}

/// Integers of any width: the low bits of products and sums do not depend on the high ones.
impl Number for u64 {
    fn from_bits(bits: u64) -> Self {
        bits
    }
    fn bits(self) -> u64 {
        self
    }
    #[inline(always)]
    fn multiply_add(self, a: Self, b: Self) -> Self {
        self.wrapping_add(a.wrapping_mul(b))
    }
}

/// Runs an invocation that is a contraction with an f32, f64 or integer accumulator; false if it is not.
pub(crate) fn run(invocation: &Invocation, memory: &mut Memory, packed: &mut Packed) -> Result<bool, Fault> {
    let Some(product) = &invocation.prepared.contraction else {
        return Ok(false);
    };
    match invocation.prepared.kernel.operands[product.c].element {
        ElementType::F32 => multiply(invocation, product, memory, &mut packed.single),
        ElementType::F64 => multiply(invocation, product, memory, &mut packed.double),
        element if is_float(element) => Ok(false),
        _ => multiply(invocation, product, memory, &mut packed.integer),
    }
}

/// Elements of a matrix that is packed. Views that repeat elements may be larger than any memory, and run unpacked.
const MOST_PACKED: usize = 1 << 28;

fn multiply<T: Number>(
    invocation: &Invocation,
    product: &Contraction,
    memory: &mut Memory,
    matrices: &mut Matrices<T>,
) -> Result<bool, Fault> {
    let view = |operand: usize| match &invocation.operands[operand] {
        crate::execute::Bound::View(view) => Some(view),
        crate::execute::Bound::Scalar(_) => None,
    };
    let (Some(a), Some(b), Some(c)) = (view(product.a), view(product.b), view(product.c)) else {
        return Ok(false);
    };
    let walks = [
        invocation.walk(product.a)?,
        invocation.walk(product.b)?,
        invocation.walk(product.c)?,
    ];
    let [Some(walk_a), Some(walk_b), Some(walk_c)] = walks else {
        return Ok(false);
    };
    let extent = |dim: &usize| usize::try_from(invocation.extents[*dim]).unwrap_or(usize::MAX);
    let volume = |dims: &[usize]| {
        dims.iter()
            .fold(1usize, |volume, dim| volume.saturating_mul(extent(dim)))
    };
    let [m, n, k] = [volume(&product.m), volume(&product.n), volume(&product.k)];
    let packed = [(m, k), (k, n), (m, n)].map(|(rows, columns)| rows.checked_mul(columns));
    if packed.iter().any(|size| size.is_none_or(|size| size > MOST_PACKED)) {
        return Ok(false);
    }
    let offsets = |walk: &Walk, dims: &[usize]| offsets(walk, dims, &invocation.extents);
    let starts = |walk: &Walk| -> Vec<i64> {
        let offsets = offsets(walk, &product.batch);
        offsets.iter().map(|offset| walk.origin + offset).collect()
    };
    let batches = starts(&walk_a).into_iter().zip(starts(&walk_b)).zip(starts(&walk_c));
    let (a_rows, a_columns) = (offsets(&walk_a, &product.m), offsets(&walk_a, &product.k));
    let (b_rows, b_columns) = (offsets(&walk_b, &product.k), offsets(&walk_b, &product.n));
    let (c_rows, c_columns) = (offsets(&walk_c, &product.m), offsets(&walk_c, &product.n));
    for ((start_a, start_b), start_c) in batches {
        pack(
            memory,
            a,
            start_a,
            (&a_rows, &a_columns),
            product.cast_a,
            &mut matrices.a,
        )?;
        pack(
            memory,
            b,
            start_b,
            (&b_rows, &b_columns),
            product.cast_b,
            &mut matrices.b,
        )?;
        pack(memory, c, start_c, (&c_rows, &c_columns), None, &mut matrices.c)?;
        dense(&matrices.a, &matrices.b, &mut matrices.c, [m, n, k]);
        unpack(memory, c, start_c, (&c_rows, &c_columns), &matrices.c)?;
    }
    Ok(true)
}

/// Byte offsets of all iterations of some loops, in order.
fn offsets(walk: &Walk, dims: &[usize], extents: &[i64]) -> Vec<i64> {
    let mut offsets = vec![0];
    for &dim in dims {
        let step = walk.steps[dim];
        offsets = offsets
            .iter()
            .flat_map(|base| (0..extents[dim]).map(move |i| base + i * step))
            .collect();
    }
    offsets
}

/// Bytes from one column to the next, if that is the same for all.
fn regular(columns: &[i64]) -> Option<i64> {
    let step = columns.get(1).map_or(0, |second| second - columns[0]);
    columns.windows(2).all(|pair| pair[1] - pair[0] == step).then_some(step)
}

fn pack<T: Number>(
    memory: &Memory,
    view: &View,
    origin: i64,
    (rows, columns): (&[i64], &[i64]),
    cast: Option<Compute>,
    out: &mut Vec<T>,
) -> Result<(), Fault> {
    let bytes = memory.live_bytes(view.buffer)?;
    let size = element_bytes(view.element);
    let step = regular(columns);
    let (mut raw, mut wide) = ([0; LANES], [0; LANES]);
    out.clear();
    out.reserve(rows.len() * columns.len());
    for row in rows {
        for chunk in columns.chunks(LANES) {
            let raw = &mut raw[..chunk.len()];
            match step {
                Some(step) => load(bytes, (origin + row + chunk[0]) as usize, step, size, raw),
                None => {
                    for (raw, column) in raw.iter_mut().zip(chunk) {
                        load(
                            bytes,
                            (origin + row + column) as usize,
                            0,
                            size,
                            std::slice::from_mut(raw),
                        );
                    }
                }
            }
            let values = match cast {
                Some(cast) => {
                    let wide = &mut wide[..chunk.len()];
                    cast.eval([raw, raw, raw], wide)?;
                    wide
                }
                None => raw,
            };
            out.extend(values.iter().map(|bits| T::from_bits(*bits)));
        }
    }
    Ok(())
}

fn unpack<T: Number>(
    memory: &mut Memory,
    view: &View,
    origin: i64,
    (rows, columns): (&[i64], &[i64]),
    values: &[T],
) -> Result<(), Fault> {
    let size = element_bytes(view.element);
    let mask = mask(view.element);
    let step = regular(columns);
    let bytes = memory.live_bytes_mut(view.buffer)?;
    let mut raw = [0; LANES];
    for (row, values) in rows.iter().zip(values.chunks_exact(columns.len())) {
        for (chunk, values) in columns.chunks(LANES).zip(values.chunks(LANES)) {
            for (raw, value) in raw.iter_mut().zip(values) {
                *raw = value.bits() & mask;
            }
            match step {
                Some(step) => store(
                    bytes,
                    (origin + row + chunk[0]) as usize,
                    step,
                    size,
                    &raw[..chunk.len()],
                ),
                None => {
                    for (raw, column) in raw.iter().zip(chunk) {
                        store(
                            bytes,
                            (origin + row + column) as usize,
                            0,
                            size,
                            std::slice::from_ref(raw),
                        );
                    }
                }
            }
        }
    }
    Ok(())
}

/// `c += a * b` on dense row-major m x k, k x n and m x n matrices. Four steps of k at a time spare loads and stores of
/// c.
fn dense<T: Number>(a: &[T], b: &[T], c: &mut [T], [m, n, k]: [usize; 3]) {
    for i in 0..m {
        let (a, c) = (&a[i * k..(i + 1) * k], &mut c[i * n..(i + 1) * n]);
        let mut p = 0;
        while p + 4 <= k {
            let [a0, a1, a2, a3] = [a[p], a[p + 1], a[p + 2], a[p + 3]];
            let rows = [0, 1, 2, 3].map(|q| &b[(p + q) * n..(p + q + 1) * n]);
            for (j, c) in c.iter_mut().enumerate() {
                let sum = c.multiply_add(a0, rows[0][j]).multiply_add(a1, rows[1][j]);
                *c = sum.multiply_add(a2, rows[2][j]).multiply_add(a3, rows[3][j]);
            }
            p += 4;
        }
        for p in p..k {
            for (c, b) in c.iter_mut().zip(&b[p * n..(p + 1) * n]) {
                *c = c.multiply_add(a[p], *b);
            }
        }
    }
}
