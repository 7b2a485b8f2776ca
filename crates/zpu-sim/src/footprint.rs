//! The exact bytes that an access touches: rows of equal length at regular strides.
//!
//! Invariant: `intervals()` is sorted, disjoint and not adjacent, whatever the strides were.

use std::borrow::Cow;

use smallvec::SmallVec;

/// Bytes of one buffer, as a nest of strides around a contiguous run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// First byte.
    pub(crate) start: u64,
    /// One past the last byte.
    pub(crate) end: u64,
    /// Bytes of each contiguous run.
    run: u64,
    /// Count and stride in bytes, outermost first; empty for a single run.
    dims: SmallVec<[(u64, u64); 2]>,
    /// True if each stride is at least the span of the part that it repeats, so that rows come out sorted.
    nested: bool,
}

/// Runs of bytes, ascending.
pub(crate) enum Runs {
    One([(u64, u64); 1]),
    Many(Vec<(u64, u64)>),
}

impl std::ops::Deref for Runs {
    type Target = [(u64, u64)];

    fn deref(&self) -> &Self::Target {
        match self {
            Self::One(run) => run,
            Self::Many(runs) => runs,
        }
    }
}

/// Rows of a layout whose rows overlap are listed up to this number; beyond, everything from first to last counts.
const MOST_OVERLAPPING_ROWS: u64 = 1 << 22;

impl Footprint {
    /// A single run of bytes.
    pub(crate) fn run(start: u64, bytes: u64) -> Self {
        Self {
            start,
            end: start.saturating_add(bytes),
            run: bytes,
            dims: SmallVec::new(),
            nested: true,
        }
    }

    /// The elements of `bytes` each at `start + sum of index * stride`, with `(count, stride in bytes)` a dimension;
    /// `None` for no element at all or for one outside of `0..=i64::MAX`. Strides may be zero or negative.
    pub(crate) fn strided(start: i64, dims: &[(i64, i64)], bytes: u64) -> Option<Self> {
        let mut start = start;
        let mut last = start;
        let mut positive: SmallVec<[(u64, u64); 2]> = SmallVec::new();
        for &(count, stride) in dims {
            let span = count.checked_sub(1)?.checked_mul(stride)?;
            if count <= 0 {
                return None;
            }
            if stride < 0 {
                start = start.checked_add(span)?;
            } else {
                last = last.checked_add(span)?;
            }
            if count > 1 && stride != 0 {
                positive.push((count.unsigned_abs(), stride.unsigned_abs()));
            }
        }
        let start = u64::try_from(start).ok()?;
        let end = u64::try_from(last).ok()?.checked_add(bytes)?;
        positive.sort_by_key(|dim| std::cmp::Reverse(dim.1));
        let mut run = bytes;
        while let Some(&(count, stride)) = positive.last() {
            if stride > run {
                break;
            }
            run = stride.checked_mul(count - 1)?.checked_add(run)?;
            positive.pop();
        }
        let mut span = run;
        let mut nested = true;
        for &(count, stride) in positive.iter().rev() {
            nested &= stride >= span;
            span = stride.checked_mul(count - 1)?.checked_add(span)?;
        }
        let rows = positive.iter().fold(1u64, |rows, dim| rows.saturating_mul(dim.0));
        if !nested && rows > MOST_OVERLAPPING_ROWS {
            return Some(Self::run(start, end - start));
        }
        Some(Self {
            start,
            end,
            run,
            dims: positive,
            nested,
        })
    }

    /// The same bytes so many further on; `None` outside of `0..=i64::MAX`.
    pub(crate) fn moved(&self, by: i64) -> Option<Self> {
        let at = |byte: u64| byte.checked_add_signed(by).filter(|byte| i64::try_from(*byte).is_ok());
        Some(Self {
            start: at(self.start)?,
            end: at(self.end)?,
            dims: SmallVec::from_slice(&self.dims),
            ..*self
        })
    }

    /// True if it is a single run.
    pub(crate) fn is_run(&self) -> bool {
        self.dims.is_empty()
    }

    /// All runs, merged where they touch.
    pub(crate) fn intervals(&self) -> Vec<(u64, u64)> {
        let mut starts = vec![self.start];
        for &(count, stride) in &self.dims {
            starts = starts
                .iter()
                .flat_map(|start| (0..count).map(move |i| start + i * stride))
                .collect();
        }
        if !self.nested {
            starts.sort_unstable();
        }
        let mut intervals: Vec<(u64, u64)> = Vec::with_capacity(starts.len());
        for start in starts {
            match intervals.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(start + self.run),
                _ => intervals.push((start, start + self.run)),
            }
        }
        intervals
    }

    /// All runs, without a list of them where there is only one.
    pub(crate) fn runs(&self) -> Runs {
        if self.is_run() {
            Runs::One([(self.start, self.end)])
        } else {
            Runs::Many(self.intervals())
        }
    }

    /// The first bytes that both touch.
    pub(crate) fn overlap(&self, other: &Self) -> Option<(u64, u64)> {
        if self.start >= other.end || other.start >= self.end {
            return None;
        }
        if self.is_run() && other.is_run() || self == other {
            let end = self
                .end
                .min(other.end)
                .min(self.start.max(other.start).saturating_add(self.run));
            return Some((self.start.max(other.start), end));
        }
        let rows = |footprint: &Self| -> Cow<'static, [(u64, u64)]> { Cow::Owned(footprint.intervals()) };
        let (a, b) = (rows(self), rows(other));
        let (mut i, mut j) = (0, 0);
        while let (Some(&(a_start, a_end)), Some(&(b_start, b_end))) = (a.get(i), b.get(j)) {
            let (start, end) = (a_start.max(b_start), a_end.min(b_end));
            if start < end {
                return Some((start, end));
            }
            if a_end <= b_end {
                i += 1;
            } else {
                j += 1;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(start: i64, dims: &[(i64, i64)], size: u64) -> std::collections::BTreeSet<u64> {
        let mut starts = vec![start];
        for &(count, stride) in dims {
            starts = starts
                .iter()
                .flat_map(|s| (0..count).map(move |i| s + i * stride))
                .collect();
        }
        starts
            .iter()
            .flat_map(|s| (0..size).map(move |i| *s as u64 + i))
            .collect()
    }

    fn shape() -> impl Strategy<Value = (i64, Vec<(i64, i64)>, u64)> {
        let dims = prop::collection::vec((1i64..5, -20i64..20), 0..4);
        (400i64..500, dims, prop::sample::select(vec![1u64, 2, 4, 8]))
    }

    proptest! {
        #[test]
        fn intervals_are_exactly_the_bytes((start, dims, size) in shape()) {
            let footprint = Footprint::strided(start, &dims, size).unwrap();
            let expected = bytes(start, &dims, size);
            let intervals = footprint.intervals();
            prop_assert!(intervals.windows(2).all(|pair| pair[0].1 < pair[1].0));
            let got: std::collections::BTreeSet<u64> = intervals.iter().flat_map(|(s, e)| *s..*e).collect();
            prop_assert_eq!(&got, &expected);
            prop_assert_eq!(Some(&footprint.start), expected.first());
            prop_assert_eq!(Some(footprint.end - 1), expected.last().copied());
        }

        #[test]
        fn overlap_is_the_first_common_byte(a in shape(), b in shape()) {
            let (x, y) = (bytes(a.0, &a.1, a.2), bytes(b.0, &b.1, b.2));
            let other = Footprint::strided(b.0, &b.1, b.2).unwrap();
            let overlap = Footprint::strided(a.0, &a.1, a.2).unwrap().overlap(&other);
            prop_assert_eq!(overlap.map(|range| range.0), x.intersection(&y).next().copied());
        }
    }

    proptest! {
        #[test]
        fn moved_bytes_are_those_of_a_later_start((start, dims, size) in shape(), by in -600i64..600) {
            let moved = Footprint::strided(start, &dims, size).unwrap().moved(by);
            prop_assert_eq!(moved, Footprint::strided(start + by, &dims, size));
        }
    }

    #[test]
    fn an_empty_or_negative_access_has_no_footprint() {
        assert_eq!(Footprint::strided(0, &[(0, 4)], 4), None);
        assert_eq!(Footprint::strided(0, &[(2, -4)], 4), None);
    }
}
