//! A map from disjoint runs of bytes to a value of each.
//!
//! Invariant: no two runs overlap, so that there are never more runs than bytes that were named.

use std::collections::BTreeMap;

/// First byte of a run, and one past its last.
pub(crate) type Run = (u64, u64);

/// Values of runs of bytes.
#[derive(Debug)]
pub(crate) struct IntervalMap<T> {
    /// By first byte: one past the last byte, and the value.
    runs: BTreeMap<u64, (u64, T)>,
}

impl<T> Default for IntervalMap<T> {
    fn default() -> Self {
        Self { runs: BTreeMap::new() }
    }
}

impl<T: Clone> IntervalMap<T> {
    /// Runs that have a value.
    pub(crate) fn len(&self) -> usize {
        self.runs.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Gives a run a value, in place of those that its bytes had.
    pub(crate) fn set(&mut self, (start, end): Run, value: T) {
        // The common case: the same run as the last time.
        if let Some(there) = self.runs.get_mut(&start)
            && there.0 == end
        {
            there.1 = value;
            return;
        }
        // The second common case: bytes after all others.
        if self.runs.last_key_value().is_some_and(|(_, (stop, _))| *stop > start) {
            self.clear((start, end));
        }
        self.runs.insert(start, (end, value));
    }

    /// Takes the values of a run away.
    pub(crate) fn clear(&mut self, (start, end): Run) {
        if let Some((_, last)) = self.runs.range_mut(..start).next_back()
            && last.0 > start
        {
            let (stop, value) = (last.0, last.1.clone());
            last.0 = start;
            if stop > end {
                self.runs.insert(end, (stop, value));
                return;
            }
        }
        while let Some((&first, _)) = self.runs.range(start..end).next() {
            if let Some((stop, value)) = self.runs.remove(&first)
                && stop > end
            {
                self.runs.insert(end, (stop, value));
            }
        }
    }

    /// Changes the values of the bytes of a run, and of no others; it is told how many bytes have each.
    pub(crate) fn change(&mut self, (start, end): Run, mut change: impl FnMut(&mut T, u64)) {
        for border in [start, end] {
            if let Some((_, (stop, value))) = self.runs.range_mut(..border).next_back()
                && *stop > border
            {
                let rest = (*stop, value.clone());
                *stop = border;
                self.runs.insert(border, rest);
            }
        }
        self.runs
            .range_mut(start..end)
            .for_each(|(first, (stop, value))| change(value, *stop - first));
    }

    /// The value of all bytes of a run, if they are one or part of one that begins with them.
    pub(crate) fn one_value(&self, (start, end): Run) -> Option<&T> {
        let (stop, value) = self.runs.get(&start)?;
        (*stop >= end).then_some(value)
    }

    /// The values of the bytes of a run, in order.
    pub(crate) fn values(&self, (start, end): Run) -> impl Iterator<Item = &T> {
        let before = self.runs.range(..start).next_back();
        let before = before.filter(|(_, (stop, _))| *stop > start);
        before
            .into_iter()
            .chain(self.runs.range(start..end))
            .map(|(_, (_, value))| value)
    }

    /// A run in parts, in order: those with a value, and the gaps between them.
    pub(crate) fn parts(&self, (start, end): Run) -> impl Iterator<Item = (Run, Option<&T>)> {
        let before = self.runs.range(..start).next_back();
        let mut next = before.into_iter().chain(self.runs.range(start..end)).peekable();
        let mut at = start;
        std::iter::from_fn(move || {
            while next.next_if(|(_, (stop, _))| *stop <= at).is_some() {}
            if at >= end {
                return None;
            }
            let (stop, value) = match next.peek() {
                Some((first, (stop, value))) if **first <= at => ((*stop).min(end), Some(value)),
                Some((first, _)) => (**first, None),
                None => (end, None),
            };
            let run = (at, stop);
            at = stop;
            Some((run, value))
        })
    }

    /// Keeps the runs whose value is still of interest.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.runs.retain(|_, (_, value)| keep(value));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_byte_has_the_value_that_it_was_given_last(
            steps in prop::collection::vec((0u64..40, 1u64..20, prop::option::of(0u32..7)), 0..30),
            start in 0u64..50,
            bytes in 1u64..20,
        ) {
            let mut map = IntervalMap::default();
            let mut model = [None; 64];
            for (start, bytes, value) in steps {
                match value {
                    Some(5..) => {
                        map.change((start, start + bytes), |value, _| *value += 10);
                        model[start as usize..(start + bytes) as usize].iter_mut().flatten().for_each(|x| *x += 10);
                        continue;
                    }
                    Some(value) => map.set((start, start + bytes), value),
                    None => map.clear((start, start + bytes)),
                }
                model[start as usize..(start + bytes) as usize].fill(value);
            }
            let bytes_asked = &model[start as usize..(start + bytes).min(64) as usize];
            let mut expected: Vec<u32> = bytes_asked.iter().flatten().copied().collect();
            let mut found: Vec<u32> = map.values((start, start + bytes)).copied().collect();
            let mut parts = Vec::new();
            for ((first, stop), value) in map.parts((start, start + bytes)) {
                prop_assert!(first < stop);
                parts.extend((first..stop).map(|_| value.copied()));
            }
            parts.truncate(bytes_asked.len());
            prop_assert_eq!(parts.as_slice(), bytes_asked);
            if let Some(one) = map.one_value((start, start + bytes)) {
                prop_assert_eq!(found.as_slice(), [*one]);
            }
            for values in [&mut expected, &mut found] {
                values.sort_unstable();
                values.dedup();
            }
            prop_assert_eq!(found, expected);
            let runs: Vec<Run> = map.runs.iter().map(|(start, (end, _))| (*start, *end)).collect();
            prop_assert!(runs.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{runs:?}");
        }
    }
}
