//! The shape of a memref: extents and strides, in elements, and where its buffer lives.
//!
//! The beginning of a view in its buffer changes no cost, so no offset is kept. Invariant: as many strides as extents.

use zpu_device::ElementType;
use zpu_sim::ViewOp;

use crate::value::{Frame, Trouble};

#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) element: ElementType,
    /// Index of the memory.
    pub(crate) space: usize,
    pub(crate) sizes: Vec<i64>,
    pub(crate) strides: Vec<i64>,
}

impl View {
    pub(crate) fn row_major(element: ElementType, space: usize, sizes: Vec<i64>) -> Self {
        let mut strides = vec![1_i64; sizes.len()];
        for i in (1..sizes.len()).rev() {
            strides[i - 1] = strides[i].saturating_mul(sizes[i]);
        }
        Self {
            element,
            space,
            sizes,
            strides,
        }
    }

    pub(crate) fn elements(&self) -> u64 {
        let sizes = self.sizes.iter().map(|size| u64::try_from(*size).unwrap_or(0));
        sizes.fold(1, u64::saturating_mul)
    }

    /// Elements of a row: those that follow each other in memory as they do in index order.
    pub(crate) fn row(&self) -> u64 {
        let mut row = 1_i64;
        for (size, stride) in self
            .sizes
            .iter()
            .zip(&self.strides)
            .rev()
            .filter(|(size, _)| **size != 1)
        {
            if *stride != row {
                break;
            }
            row = row.saturating_mul(*size);
        }
        u64::try_from(row).unwrap_or(0)
    }

    /// The view that `op` makes of this one.
    pub(crate) fn apply(&self, op: &ViewOp, frame: &Frame) -> Result<Self, Trouble> {
        let with = |sizes, strides| Self {
            sizes,
            strides,
            ..*self
        };
        let view = match op {
            ViewOp::Subview {
                sizes, strides, keep, ..
            } => {
                let (sizes, steps) = (frame.sizes(sizes)?, frame.sizes(strides)?);
                let strides = self
                    .strides
                    .iter()
                    .zip(steps)
                    .map(|(stride, step)| stride.wrapping_mul(step));
                let kept = |values: Vec<i64>| -> Vec<i64> {
                    let both = values.into_iter().zip(keep).filter(|(_, keep)| **keep);
                    both.map(|(value, _)| value).collect()
                };
                let strides = strides.collect();
                with(kept(sizes), kept(strides))
            }
            ViewOp::Reinterpret { sizes, strides, .. } => with(frame.sizes(sizes)?, frame.sizes(strides)?),
            ViewOp::Bytes { element, sizes, .. } => Self::row_major(*element, self.space, frame.sizes(sizes)?),
            ViewOp::Collapse { groups } => {
                let size = |group: &Vec<usize>| group.iter().map(|dim| self.sizes[*dim]).product();
                // The innermost dimension that is walked gives the stride.
                let stride = |group: &Vec<usize>| {
                    let walked = group.iter().rev().find(|dim| self.sizes[**dim] != 1);
                    walked.or(group.last()).map_or(1, |dim| self.strides[*dim])
                };
                with(groups.iter().map(size).collect(), groups.iter().map(stride).collect())
            }
            ViewOp::Expand { groups, sizes } => {
                let sizes = frame.sizes(sizes)?;
                let mut strides = vec![1; sizes.len()];
                for (source, group) in groups.iter().enumerate() {
                    let mut stride = self.strides[source];
                    for dim in group.iter().rev() {
                        strides[*dim] = stride;
                        stride = stride.wrapping_mul(sizes[*dim]);
                    }
                }
                with(sizes, strides)
            }
            ViewOp::Transpose { permutation } => with(
                permutation.iter().map(|dim| self.sizes[*dim]).collect(),
                permutation.iter().map(|dim| self.strides[*dim]).collect(),
            ),
            ViewOp::Cast { .. } => self.clone(),
        };
        match view.sizes.iter().any(|size| *size < 0) || view.sizes.len() != view.strides.len() {
            true => Err(Trouble::Invalid("a view has a negative extent".into())),
            false => Ok(view),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_ends_where_memory_jumps() {
        let view = |sizes: &[i64], strides: &[i64]| View {
            element: ElementType::F32,
            space: 0,
            sizes: sizes.to_vec(),
            strides: strides.to_vec(),
        };
        for (sizes, strides, row) in [
            (&[4, 8][..], &[8, 1][..], 32),
            (&[4, 8], &[16, 1], 8),
            (&[4, 8], &[16, 2], 1),
            (&[4, 1, 8], &[8, 99, 1], 32),
            (&[8, 4], &[1, 8], 1),
            (&[], &[], 1),
        ] {
            assert_eq!(view(sizes, strides).row(), row, "{sizes:?} {strides:?}");
        }
    }
}
