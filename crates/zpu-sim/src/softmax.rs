//! `linalg.softmax`, as upstream decomposes it: along one dimension the maximum, the exponential of each element less
//! that, the sum of those, and each over the sum. Every step is rounded to the element type.

use std::collections::BTreeMap;
use std::rc::Rc;

use zpu_device::{ElementType, VectorOp, Work};

use crate::compute::Compute;
use crate::effect::Copy;
use crate::fault::Fault;
use crate::memory::Memory;
use crate::operation::{FloatBinary, FloatUnary};
use crate::scalar::{element_bytes, from_f64, is_float, read_element, write_element};
use crate::view::View;

/// A softmax from one view to another of equal extents and element types.
#[derive(Clone, Debug)]
pub(crate) struct Softmax {
    /// The buffers that it reads and writes.
    pub(crate) operands: Copy,
    dimension: usize,
}

impl Softmax {
    pub(crate) fn new(source: Rc<View>, target: Rc<View>, dimension: usize) -> Result<Self, Fault> {
        if dimension >= source.sizes.len() {
            return Err(Fault::Rank {
                expected: source.sizes.len(),
                found: dimension,
            });
        }
        if !is_float(source.element) {
            return Err(Fault::Value("a memref of floats"));
        }
        let operands = Copy::new(source, target)?;
        Ok(Self { operands, dimension })
    }

    /// Its work for the cost model: five operations an element, two of which reduce.
    pub(crate) fn work(&self) -> Work {
        let ops = [
            (VectorOp::ReduceOther, 1),
            (VectorOp::Arith, 1),
            (VectorOp::Exp, 1),
            (VectorOp::ReduceSum, 1),
            (VectorOp::Div, 1),
        ];
        Work::Vector {
            elements: self.operands.source.elements(),
            element: self.operands.source.element,
            loads: 1,
            stores: 1,
            ops: BTreeMap::from(ops),
        }
    }

    /// Carries it out. All of the source is read before any of the target is written, whatever they share.
    pub(crate) fn apply(&self, memory: &mut Memory) -> Result<(), Fault> {
        let (source, target) = (&self.operands.source, &self.operands.target);
        let size = element_bytes(source.element);
        let mut rows = Vec::new();
        let bytes = memory.live_bytes(source.buffer)?;
        for start in self.starts() {
            let mut row = Vec::new();
            for at in self.row(source, &start)? {
                row.push(read_element(&bytes[at..at + size]));
            }
            softmax(&mut row, source.element)?;
            rows.push((start, row));
        }
        let bytes = memory.live_bytes_mut(target.buffer)?;
        for (start, row) in rows {
            for (at, value) in self.row(target, &start)?.into_iter().zip(row) {
                write_element(&mut bytes[at..at + size], value);
            }
        }
        Ok(())
    }

    /// First indices of all rows along the dimension.
    fn starts(&self) -> Vec<Vec<i64>> {
        let sizes = &self.operands.source.sizes;
        if sizes.contains(&0) {
            return Vec::new();
        }
        let mut starts = vec![Vec::new()];
        for (dim, size) in sizes.iter().enumerate() {
            let count = if dim == self.dimension { 1 } else { *size };
            let longer = |start: Vec<i64>| (0..count).map(move |i| [start.as_slice(), &[i]].concat());
            starts = starts.into_iter().flat_map(longer).collect();
        }
        starts
    }

    /// Bytes of the elements of a row.
    fn row(&self, view: &View, start: &[i64]) -> Result<Vec<usize>, Fault> {
        let (first, step) = (view.address(start)?, view.byte_stride(self.dimension)?);
        let place = |i: i64| usize::try_from(first + i * step).map_err(|_| Fault::Map);
        (0..view.sizes[self.dimension]).map(place).collect()
    }
}

/// One row, in place.
fn softmax(row: &mut [u64], ty: ElementType) -> Result<(), Fault> {
    let two = |op, a, b| Compute::FloatBinary(op, ty).eval_one([a, b, 0]);
    // A NaN gives way to any number.
    let mut greatest = from_f64(f64::NAN, ty);
    for value in row.iter() {
        greatest = two(FloatBinary::MaxNum, *value, greatest)?;
    }
    let mut sum = from_f64(0.0, ty);
    for value in row.iter_mut() {
        let less = two(FloatBinary::Sub, *value, greatest)?;
        *value = Compute::FloatUnary(FloatUnary::Exp, ty).eval_one([less, 0, 0])?;
        sum = two(FloatBinary::Add, *value, sum)?;
    }
    for value in row.iter_mut() {
        *value = two(FloatBinary::Div, *value, sum)?;
    }
    Ok(())
}
