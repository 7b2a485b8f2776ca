//! The bytes of all buffers, cut wherever an access begins or ends: each access touches whole pieces.

use crate::footprint::Footprint;
use crate::memory::BufferId;

/// By buffer, the bytes at which pieces begin or end, and the number of its first piece.
#[derive(Debug)]
pub(crate) struct IntervalSet {
    borders: Vec<Vec<u64>>,
    first: Vec<usize>,
    count: usize,
}

impl IntervalSet {
    /// The pieces of so many buffers under these accesses.
    pub(crate) fn new(buffers: usize, accesses: impl Iterator<Item = (BufferId, Footprint)>) -> Self {
        let mut borders = vec![Vec::new(); buffers];
        for (buffer, footprint) in accesses {
            let ends = footprint.intervals().into_iter().flat_map(|(start, end)| [start, end]);
            if let Some(borders) = borders.get_mut(buffer.place()) {
                borders.extend(ends);
            }
        }
        let mut first = Vec::with_capacity(buffers);
        let mut count = 0;
        for borders in &mut borders {
            borders.sort_unstable();
            borders.dedup();
            first.push(count);
            count += borders.len().saturating_sub(1);
        }
        Self { borders, first, count }
    }

    /// The number of pieces.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Numbers of the pieces that one of the accesses touches, ascending.
    pub(crate) fn of(&self, buffer: BufferId, footprint: &Footprint) -> Vec<usize> {
        let index = buffer.place();
        let Some(borders) = self.borders.get(index) else {
            return Vec::new();
        };
        let at = |byte: u64| borders.partition_point(|border| *border < byte);
        let ranges = footprint.intervals().into_iter().map(|(start, end)| at(start)..at(end));
        ranges.flatten().map(|piece| self.first[index] + piece).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_touch_whole_pieces() {
        let accesses = [Footprint::run(0, 8), Footprint::run(4, 8), Footprint::run(16, 4)];
        let pieces = IntervalSet::new(1, accesses.iter().map(|footprint| (BufferId(0), footprint.clone())));
        let of = |footprint| pieces.of(BufferId(0), footprint);
        assert_eq!(accesses.each_ref().map(of), [vec![0, 1], vec![1, 2], vec![4]]);
        assert_eq!(pieces.count(), 5, "the gap from 12 to 16 is one as well");
    }
}
