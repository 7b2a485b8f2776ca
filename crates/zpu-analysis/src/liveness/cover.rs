//! Boxes of constant size: whether several writes together replace all of a buffer.

/// From the first index in each dimension to the last one, which is excluded.
pub(super) type Box = Vec<(i64, i64)>;

/// The most boxes that are remembered of one buffer; what goes beyond counts as not written.
const MOST_BOXES: usize = 16;

/// The parts of a slot that later writes replace before anything reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Replaced(Vec<Box>);

impl Replaced {
    /// Adds a box; true if all of `wanted` is replaced now.
    pub(super) fn add(&mut self, new: &Box, wanted: &Box) -> bool {
        if self.0.len() < MOST_BOXES && !self.0.contains(new) {
            self.0.push(new.clone());
        }
        is_covered(wanted, &self.0)
    }

    /// Takes out what a read of a box, or of anything, reads.
    pub(super) fn read(&mut self, read: Option<&Box>) {
        match read {
            Some(read) => self.0.retain(|replaced| !meet(replaced, read)),
            None => self.0.clear(),
        }
    }

    /// True if all of a box is replaced.
    pub(super) fn has(&self, part: &Box) -> bool {
        is_covered(part, &self.0)
    }

    /// Keeps what both ways replace.
    pub(super) fn join(&mut self, other: &Self) {
        self.0.retain(|replaced| other.0.contains(replaced));
    }
}

/// True if two boxes have an index in common. Boxes of different ranks are not told apart.
pub(super) fn meet(left: &Box, right: &Box) -> bool {
    left.iter()
        .zip(right)
        .all(|((from, to), (other_from, other_to))| from < other_to && other_from < to)
}

/// True if every index of a box is in one of the others.
pub(super) fn is_covered(wanted: &Box, by: &[Box]) -> bool {
    if wanted.iter().any(|(from, to)| from >= to) {
        return true;
    }
    let Some((first, rest)) = by.split_first() else {
        return false;
    };
    if first.len() != wanted.len() || !meet(first, wanted) {
        return is_covered(wanted, rest);
    }
    // What is left of the box beside the first one, dimension by dimension.
    let mut inner = wanted.clone();
    for (dim, (from, to)) in first.iter().enumerate() {
        let (begin, end) = inner[dim];
        for side in [(begin, end.min(*from)), (begin.max(*to), end)] {
            let mut part = inner.clone();
            part[dim] = side;
            if !is_covered(&part, rest) {
                return false;
            }
        }
        inner[dim] = (begin.max(*from), end.min(*to));
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_cover_a_whole() {
        let whole = vec![(0, 4), (0, 8)];
        let (upper, lower) = (vec![(0, 2), (0, 8)], vec![(2, 4), (0, 8)]);
        assert!(is_covered(&whole, &[upper.clone(), lower.clone()]));
        assert!(!is_covered(&whole, &[upper.clone(), vec![(2, 4), (0, 7)]]));
        assert!(!is_covered(&whole, std::slice::from_ref(&lower)));
        let mut replaced = Replaced::default();
        assert!(!replaced.add(&upper, &whole));
        assert!(replaced.add(&lower, &whole));
        replaced.read(Some(&vec![(3, 4), (0, 1)]));
        assert!(!replaced.add(&upper, &whole));
        assert!(replaced.add(&lower, &whole));
    }

    #[test]
    fn coverage_is_that_of_every_index() {
        // All pairs of intervals in a line of five indices, and their unions by enumeration.
        let intervals: Vec<(i64, i64)> = (0..5).flat_map(|from| (from..=5).map(move |to| (from, to))).collect();
        for one in &intervals {
            for other in &intervals {
                for wanted in &intervals {
                    let has = |index: i64, (from, to): (i64, i64)| from <= index && index < to;
                    let expected = (wanted.0..wanted.1).all(|index| has(index, *one) || has(index, *other));
                    assert_eq!(is_covered(&vec![*wanted], &[vec![*one], vec![*other]]), expected);
                }
            }
        }
    }
}
