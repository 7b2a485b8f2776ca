//! Layouts that map two indices to one element.
//!
//! MLIR's rule is that a layout never does so, and where strides are not in the type, as in `memref<?x8xf32,
//! strided<[?, 1]>>`, the analysis counts on it: rows are apart. A view that makes strides of its own can break the
//! rule, and its type can hide it.

use zpu_ir::Op;
use zpu_ir::ty::MemRef;

use crate::linear::Index;
use crate::view::mixed;

/// Sizes and strides of a view, as far as they are constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Extents.
    pub sizes: Vec<Option<i64>>,
    /// Strides in elements.
    pub strides: Vec<Option<i64>>,
}

impl Layout {
    /// The layout that the operands of an operation give its result, where they may tell more than the type.
    pub fn made_by(op: Op<'_>) -> Option<Self> {
        match op.name() {
            "memref.reinterpret_cast" => {
                let dynamic = |name| super::view::num_dynamic(op, name);
                let (offsets, sizes) = (dynamic("static_offsets")?, dynamic("static_sizes")?);
                let constants = |list: Vec<Index<'_>>| list.iter().map(Index::as_constant).collect();
                Some(Self {
                    sizes: constants(mixed(op, "static_sizes", 1, offsets)?),
                    strides: constants(mixed(op, "static_strides", 1, offsets + sizes)?),
                })
            }
            "memref.cast" => {
                let source = MemRef::of(op.operand(0).ty())?;
                Some(Self {
                    sizes: source.shape,
                    strides: source.strides,
                })
            }
            _ => None,
        }
    }

    /// True if two indices are one element for some sizes that are not constant. A row of unknown length is taken to
    /// fit.
    pub fn overlaps_itself(&self) -> bool {
        let dims = || {
            self.strides
                .iter()
                .zip(&self.sizes)
                .filter(|(_, size)| size.is_none_or(|size| size > 1))
        };
        let known: Vec<(i64, Option<i64>)> = dims()
            .filter_map(|(stride, size)| Some(((*stride)?.checked_abs()?, *size)))
            .collect();
        let is_empty = self.sizes.contains(&Some(0));
        // `steps` in one dimension lead to the same element as `others` in the other one.
        let meets = |(outer, rows): (i64, Option<i64>), (inner, length): (i64, Option<i64>)| {
            let common = gcd(outer, inner);
            let (steps, others) = (inner / common, outer / common);
            rows.is_none_or(|rows| steps < rows) && length.is_some_and(|length| others < length)
        };
        let stays = |(stride, _): &(i64, Option<i64>)| *stride == 0;
        let pairs = |at: usize| known[..at].iter().map(move |other| (*other, at));
        let crosses = || {
            (0..known.len()).flat_map(pairs).any(|(other, at)| {
                let (outer, inner) = if other.0 > known[at].0 {
                    (other, known[at])
                } else {
                    (known[at], other)
                };
                meets(outer, inner)
            })
        };
        !is_empty && (known.iter().any(stays) || crosses())
    }
}

fn gcd(left: i64, right: i64) -> i64 {
    if right == 0 { left } else { gcd(right, left % right) }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    /// The answer of `overlaps_itself` for a layout with these sizes and constant strides.
    fn check(sizes: &[Option<i64>], strides: &[i64]) -> bool {
        let layout = Layout {
            sizes: sizes.to_vec(),
            strides: strides.iter().copied().map(Some).collect(),
        };
        layout.overlaps_itself()
    }

    #[test]
    fn rows_of_two_dimensions_are_decided_exactly() {
        for (rows, row, outer, inner) in (0..5).flat_map(|rows| {
            (0..6).flat_map(move |row| (0..9).flat_map(move |outer| (0..4).map(move |inner| (rows, row, outer, inner))))
        }) {
            let mut places: Vec<i64> = (0..rows)
                .flat_map(|i| (0..row).map(move |j| i * outer + j * inner))
                .collect();
            let all = places.len();
            places.sort_unstable();
            places.dedup();
            let sizes = [Some(rows), Some(row)];
            assert_eq!(
                check(&sizes, &[outer, inner]),
                places.len() < all,
                "{sizes:?} {outer} {inner}"
            );
        }
    }

    #[test]
    fn sizes_that_are_not_known() {
        // Any second row of eight begins in the first.
        assert!(check(&[None, Some(8)], &[4, 1]));
        assert!(!check(&[None, Some(4)], &[4, 1]));
        // The last tile is narrower.
        assert!(!check(&[Some(16), None], &[128, 1]));
        assert!(check(&[None], &[0]));
    }
}
