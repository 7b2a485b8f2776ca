//! Memref values: a buffer, a base within it, and strides. All checks that make an access safe are here.

use smallvec::SmallVec;
use zpu_device::ElementType;

use crate::fault::Fault;
use crate::footprint::Footprint;
use crate::memory::BufferId;
use crate::scalar::element_bytes;

/// Ranks up to this need no allocation.
pub(crate) const RANK: usize = 4;

/// A number for each dimension.
pub(crate) type Extents = SmallVec<[i64; RANK]>;

/// A memref value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    /// The buffer.
    pub(crate) buffer: BufferId,
    /// Byte that offset 0 stands for.
    pub(crate) base: i64,
    /// Elements from the base to index 0.
    pub(crate) offset: i64,
    /// Extents; none is negative.
    pub(crate) sizes: Extents,
    /// Elements from one index to the next.
    pub(crate) strides: Extents,
    /// Element type.
    pub(crate) element: ElementType,
}

/// The part of a dimension that a subview has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) offset: i64,
    pub(crate) size: i64,
    pub(crate) stride: i64,
    /// False for a dimension that the subview drops.
    pub(crate) keep: bool,
}

/// Strides of a dense row-major buffer.
pub(crate) fn row_major(sizes: &[i64]) -> Extents {
    let mut strides = Extents::from_elem(1, sizes.len());
    for i in (1..sizes.len()).rev() {
        strides[i - 1] = strides[i].wrapping_mul(sizes[i]);
    }
    strides
}

/// Product of extents.
pub(crate) fn element_count(sizes: &[i64]) -> Result<i64, Fault> {
    let mut count = 1i64;
    for &size in sizes {
        if size < 0 {
            return Err(Fault::NegativeSize(size));
        }
        count = count.checked_mul(size).ok_or(Fault::TooLarge)?;
    }
    Ok(count)
}

impl View {
    /// All of a dense row-major buffer.
    pub(crate) fn dense(buffer: BufferId, sizes: Extents, element: ElementType) -> Self {
        let strides = row_major(&sizes);
        Self {
            buffer,
            base: 0,
            offset: 0,
            sizes,
            strides,
            element,
        }
    }

    /// Bytes of one element.
    pub(crate) fn element_bytes(&self) -> i64 {
        element_bytes(self.element) as i64
    }

    /// Elements in all.
    pub(crate) fn elements(&self) -> u64 {
        self.sizes
            .iter()
            .fold(1u64, |count, size| count.saturating_mul(size.unsigned_abs()))
    }

    /// Byte of index 0, which need not exist.
    pub(crate) fn origin(&self) -> Result<i64, Fault> {
        let begin = self.offset.checked_mul(self.element_bytes());
        let begin = begin.and_then(|bytes| bytes.checked_add(self.base));
        begin.ok_or(Fault::TooLarge)
    }

    /// Bytes from one index to the next.
    pub(crate) fn byte_stride(&self, dim: usize) -> Result<i64, Fault> {
        self.strides[dim]
            .checked_mul(self.element_bytes())
            .ok_or(Fault::TooLarge)
    }

    /// Byte of an element, with every index checked against its extent.
    pub(crate) fn address(&self, indices: &[i64]) -> Result<i64, Fault> {
        let mut address = self.origin()?;
        for (dim, &index) in indices.iter().enumerate() {
            let size = self.sizes.get(dim).copied().unwrap_or(0);
            if index < 0 || index >= size {
                return Err(Fault::Index { index, dim, size });
            }
            let step = index.checked_mul(self.byte_stride(dim)?).ok_or(Fault::TooLarge)?;
            address = address.checked_add(step).ok_or(Fault::TooLarge)?;
        }
        Ok(address)
    }

    /// The bytes of the box from `low` to `high` inclusive; `None` for an empty box.
    pub(crate) fn footprint_of(&self, ranges: &[(i64, i64)]) -> Result<Option<Footprint>, Fault> {
        let mut start = self.origin()?;
        let mut dims: SmallVec<[(i64, i64); RANK]> = SmallVec::new();
        for (dim, &(low, high)) in ranges.iter().enumerate() {
            if high < low {
                return Ok(None);
            }
            let stride = self.byte_stride(dim)?;
            start = low
                .checked_mul(stride)
                .and_then(|step| start.checked_add(step))
                .ok_or(Fault::TooLarge)?;
            dims.push((high - low + 1, stride));
        }
        let footprint = Footprint::strided(start, &dims, self.element_bytes() as u64);
        footprint.map(Some).ok_or_else(|| Fault::Outside {
            start,
            sizes: self.sizes.to_vec(),
        })
    }

    /// The bytes of all elements; `None` for an empty view.
    pub(crate) fn footprint(&self) -> Result<Option<Footprint>, Fault> {
        let ranges: SmallVec<[(i64, i64); RANK]> = self.sizes.iter().map(|size| (0, size - 1)).collect();
        self.footprint_of(&ranges)
    }

    /// Elements that lie contiguously, in row-major order, from every start of a row.
    pub(crate) fn contiguous_run(&self) -> u64 {
        let mut run = 1u64;
        for (&size, &stride) in self.sizes.iter().zip(&self.strides).rev() {
            if size == 1 {
                continue;
            }
            if u64::try_from(stride) != Ok(run) {
                break;
            }
            run = run.saturating_mul(size.unsigned_abs());
        }
        run
    }

    /// Strided dimensions that a transfer between two views of one shape goes through: those with more than one
    /// element, where neighbours that both sides go through in one step count as one; at least 1.
    pub(crate) fn dims_with(&self, other: &Self) -> u64 {
        let long: SmallVec<[usize; RANK]> = (0..self.sizes.len()).filter(|dim| self.sizes[*dim] != 1).collect();
        let is_one_step = |view: &Self, outer: usize, inner: usize| {
            view.strides[inner].checked_mul(view.sizes[inner]) == Some(view.strides[outer])
        };
        let splits = long
            .windows(2)
            .filter(|pair| !is_one_step(self, pair[0], pair[1]) || !is_one_step(other, pair[0], pair[1]));
        1 + splits.count() as u64
    }

    /// `memref.subview`, with a part for each dimension; one that is not checked need not lie within this view.
    pub(crate) fn subview(&self, parts: &[Part], checked: bool) -> Result<Self, Fault> {
        let overflow = || Fault::TooLarge;
        let mut result = Self {
            sizes: Extents::new(),
            strides: Extents::new(),
            buffer: self.buffer,
            base: self.base,
            offset: self.offset,
            element: self.element,
        };
        for (part, step) in parts.iter().zip(&self.strides) {
            if part.size < 0 {
                return Err(Fault::NegativeSize(part.size));
            }
            // What is not checked begins where its buffer does, at the earliest.
            let offset = if checked { part.offset } else { part.offset.max(0) };
            let skipped = offset.checked_mul(*step).ok_or_else(overflow)?;
            result.offset = result.offset.checked_add(skipped).ok_or_else(overflow)?;
            if part.keep {
                result.sizes.push(part.size);
                result.strides.push(step.checked_mul(part.stride).ok_or_else(overflow)?);
            }
        }
        if !checked {
            return Ok(result);
        }
        for (dim, (part, size)) in parts
            .iter()
            .zip(&self.sizes)
            .enumerate()
            .filter(|(_, (part, _))| part.size > 0)
        {
            let span = (part.size - 1).checked_mul(part.stride).ok_or_else(overflow)?;
            let last = span.checked_add(part.offset).ok_or_else(overflow)?;
            for index in [part.offset, last] {
                if index < 0 || index >= *size {
                    return Err(Fault::Index {
                        index,
                        dim,
                        size: *size,
                    });
                }
            }
        }
        Ok(result)
    }

    /// `memref.reinterpret_cast`.
    pub(crate) fn reinterpret(&self, offset: i64, sizes: Extents, strides: Extents) -> Result<Self, Fault> {
        element_count(&sizes)?;
        if sizes.len() != strides.len() {
            return Err(Fault::Rank {
                expected: sizes.len(),
                found: strides.len(),
            });
        }
        Ok(Self {
            offset,
            sizes,
            strides,
            ..self.clone()
        })
    }

    /// `memref.view`.
    pub(crate) fn bytes(&self, shift: i64, element: ElementType, sizes: Extents) -> Result<Self, Fault> {
        element_count(&sizes)?;
        let base = self.origin()?.checked_add(shift).ok_or(Fault::TooLarge)?;
        Ok(Self {
            buffer: self.buffer,
            base,
            offset: 0,
            strides: row_major(&sizes),
            sizes,
            element,
        })
    }

    /// `memref.collapse_shape`.
    pub(crate) fn collapse(&self, groups: &[Vec<usize>]) -> Result<Self, Fault> {
        let mut result = Self {
            sizes: Extents::new(),
            strides: Extents::new(),
            ..self.clone()
        };
        for group in groups {
            let mut size = 1i64;
            let mut stride: Option<i64> = None;
            for &dim in group.iter().rev() {
                let (extent, step) = self.dimension(dim)?;
                // A dimension of one element takes no part in where the elements are.
                if extent != 1 {
                    match stride {
                        None => stride = Some(step),
                        Some(inner) if Some(step) == inner.checked_mul(size) => {}
                        Some(_) => return Err(Fault::NotContiguous { dim }),
                    }
                }
                size = size.checked_mul(extent).ok_or(Fault::TooLarge)?;
            }
            result.sizes.push(size);
            result.strides.push(stride.unwrap_or(1));
        }
        Ok(result)
    }

    /// `memref.expand_shape`.
    pub(crate) fn expand(&self, groups: &[Vec<usize>], sizes: &[i64]) -> Result<Self, Fault> {
        element_count(sizes)?;
        let grouped = groups.iter().flatten().count();
        if grouped != sizes.len() || groups.len() != self.sizes.len() {
            return Err(Fault::Rank {
                expected: sizes.len(),
                found: grouped,
            });
        }
        let mut result = Self {
            sizes: Extents::from_slice(sizes),
            strides: Extents::from_elem(1, sizes.len()),
            ..self.clone()
        };
        for (source, group) in groups.iter().enumerate() {
            let (extent, mut stride) = self.dimension(source)?;
            let mut product = 1i64;
            for &dim in group.iter().rev() {
                let size = *sizes.get(dim).ok_or(Fault::Rank {
                    expected: sizes.len(),
                    found: dim,
                })?;
                if size < 0 {
                    return Err(Fault::NegativeSize(size));
                }
                result.strides[dim] = stride;
                stride = stride.checked_mul(size).ok_or(Fault::TooLarge)?;
                product = product.checked_mul(size).ok_or(Fault::TooLarge)?;
            }
            if product != extent {
                return Err(Fault::Extent {
                    dim: source,
                    left: extent,
                    right: product,
                });
            }
        }
        Ok(result)
    }

    /// `memref.transpose`.
    pub(crate) fn transpose(&self, permutation: &[usize]) -> Result<Self, Fault> {
        let mut result = Self {
            sizes: Extents::new(),
            strides: Extents::new(),
            ..self.clone()
        };
        for &dim in permutation {
            let (size, stride) = self.dimension(dim)?;
            result.sizes.push(size);
            result.strides.push(stride);
        }
        Ok(result)
    }

    /// `memref.cast`: the run-time check of the static extents.
    pub(crate) fn cast(&self, shape: &[Option<i64>]) -> Result<Self, Fault> {
        if shape.len() != self.sizes.len() {
            return Err(Fault::Rank {
                expected: shape.len(),
                found: self.sizes.len(),
            });
        }
        for (dim, (&size, expected)) in self.sizes.iter().zip(shape).enumerate() {
            if let Some(expected) = *expected
                && expected != size
            {
                return Err(Fault::Extent {
                    dim,
                    left: size,
                    right: expected,
                });
            }
        }
        Ok(self.clone())
    }

    fn dimension(&self, dim: usize) -> Result<(i64, i64), Fault> {
        let size = self.sizes.get(dim).ok_or(Fault::Rank {
            expected: self.sizes.len(),
            found: dim,
        })?;
        Ok((*size, self.strides[dim]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(sizes: &[i64]) -> View {
        View::dense(BufferId(0), Extents::from_slice(sizes), ElementType::F32)
    }

    fn part(offset: i64, size: i64) -> Part {
        Part {
            offset,
            size,
            stride: 1,
            keep: true,
        }
    }

    #[test]
    fn a_subview_of_a_subview_adds_up() {
        let outer = view(&[8, 16]).subview(&[part(2, 4), part(4, 8)], true).unwrap();
        let (row, every_second) = (part(1, 1), part(2, 3));
        let parts = [
            Part { keep: false, ..row },
            Part {
                stride: 2,
                ..every_second
            },
        ];
        let inner = outer.subview(&parts, true).unwrap();
        assert_eq!(
            (inner.offset, inner.sizes.as_slice(), inner.strides.as_slice()),
            (3 * 16 + 6, [3].as_slice(), [2].as_slice())
        );
        assert_eq!(inner.address(&[2]).unwrap(), (3 * 16 + 10) * 4);
        assert!(inner.address(&[3]).is_err());
    }

    #[test]
    fn a_subview_outside_is_refused() {
        assert!(view(&[8]).subview(&[part(4, 5)], true).is_err());
        assert!(view(&[8]).subview(&[part(-1, 1)], true).is_err());
        assert!(view(&[8]).subview(&[part(9, 0)], true).is_ok());
        assert!(view(&[8]).subview(&[part(4, 5)], false).is_ok());
    }

    #[test]
    fn rows_of_a_tile() {
        let tile = view(&[8, 16]).subview(&[part(2, 3), part(4, 8)], true).unwrap();
        assert_eq!(tile.contiguous_run(), 8);
        let rows = tile.footprint().unwrap().unwrap().intervals();
        assert_eq!(rows, vec![(144, 176), (208, 240), (272, 304)]);
        assert_eq!(view(&[8, 16]).contiguous_run(), 128);
    }

    #[test]
    fn collapse_and_expand_are_inverse() {
        let source = view(&[2, 3, 4]);
        let flat = source.collapse(&[vec![0, 1], vec![2]]).unwrap();
        assert_eq!(flat.sizes.as_slice(), [6, 4]);
        assert_eq!(flat.expand(&[vec![0, 1], vec![2]], &[2, 3, 4]).unwrap(), source);
        let tile = source.subview(&[part(0, 2), part(0, 2), part(0, 4)], true).unwrap();
        assert_eq!(
            tile.collapse(&[vec![0, 1], vec![2]]),
            Err(Fault::NotContiguous { dim: 0 })
        );
    }
}
