//! One memory as a packing: items that get one address each, over sections of time in which the same items are alive.
//!
//! Invariants: sections are numbered along the line or the circle; an item's ranges of sections are sorted and do not
//! touch; an arc that crosses the end of the circle has two. So all algorithms treat lines and circles alike. Between
//! two neighbouring sections some item begins or ends.

/// A range of sections, half open.
pub(super) type Range = (u32, u32);

/// A life of an item before sections are known: its first time and its length.
pub(super) type Span = (u64, u64);

/// Bytes that need one address.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) bytes: u64,
    pub(super) align: u64,
    pub(super) pinned: Option<u64>,
    pub(super) ranges: Vec<Range>,
}

/// Items that share a memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Packing {
    pub(super) items: Vec<Item>,
    /// The number of sections.
    pub(super) sections: usize,
    /// The time at which each section begins.
    pub(super) begins: Vec<u64>,
    /// Per item: those with which it may not share a bank.
    pub(super) apart: Vec<Vec<u32>>,
    /// Bytes of a bank.
    pub(super) bank: u64,
}

/// An item whose sections are not known yet.
pub(super) struct Raw {
    pub(super) bytes: u64,
    pub(super) align: u64,
    pub(super) pinned: Option<u64>,
    pub(super) spans: Vec<Span>,
}

impl Packing {
    /// The packing of items on a line, or on a circle of some length.
    pub(super) fn new(raw: Vec<Raw>, circle: Option<u64>) -> Packing {
        let pieces: Vec<Vec<(u64, u64)>> = raw.iter().map(|item| pieces(&item.spans, circle)).collect();
        let mut times: Vec<u64> = pieces.iter().flatten().flat_map(|&(from, to)| [from, to]).collect();
        times.sort_unstable();
        times.dedup();
        let place = |time: u64| times.partition_point(|&other| other < time) as u32;
        let ranges = |pieces: &[(u64, u64)]| pieces.iter().map(|&(from, to)| (place(from), place(to))).collect();
        let items = raw.iter().zip(&pieces).map(|(raw, pieces)| Item {
            bytes: raw.bytes,
            align: raw.align,
            pinned: raw.pinned,
            ranges: ranges(pieces),
        });
        Packing {
            items: items.collect(),
            apart: vec![vec![]; raw.len()],
            sections: times.len().saturating_sub(1),
            begins: times,
            bank: u64::MAX,
        }
    }

    /// The number of items.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// True if two items are ever alive together.
    pub(super) fn meet(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.items[a].ranges, &self.items[b].ranges);
        match (&**a, &**b) {
            ([a], [b]) => a.0 < b.1 && b.0 < a.1,
            _ => a.iter().any(|a| b.iter().any(|b| a.0 < b.1 && b.0 < a.1)),
        }
    }

    /// The largest end of an item.
    pub(super) fn height(&self, offsets: &[u64]) -> u64 {
        let tops = self.items.iter().zip(offsets).map(|(item, offset)| offset + item.bytes);
        tops.max().unwrap_or(0)
    }

    /// The bytes that another item may not touch because it is apart from one that lies at an offset: whole banks.
    pub(super) fn banks(&self, offset: u64, bytes: u64) -> (u64, u64) {
        let end = (offset + bytes).div_ceil(self.bank).saturating_mul(self.bank);
        (offset / self.bank * self.bank, end)
    }
}

/// Spans as sorted pieces (from, to) that do not touch; on a circle cut at 0, a span that crosses the cut is two.
fn pieces(spans: &[Span], circle: Option<u64>) -> Vec<(u64, u64)> {
    let mut pieces = vec![];
    for &(from, length) in spans {
        match circle {
            None => pieces.push((from, from + length)),
            Some(circle) if length >= circle => pieces.push((0, circle)),
            Some(circle) => {
                let from = from % circle;
                let to = from + length;
                pieces.push((from, to.min(circle)));
                if to > circle {
                    pieces.push((0, to - circle));
                }
            }
        }
    }
    pieces.sort_unstable();
    let mut joined: Vec<(u64, u64)> = vec![];
    for (from, to) in pieces {
        match joined.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => joined.push((from, to)),
        }
    }
    joined
}

/// Pairs of items that meet, one bit each, so that a search asks quickly.
pub(super) struct Meets {
    words: usize,
    bits: Vec<u64>,
}

impl Meets {
    /// All pairs of a packing.
    pub(super) fn new(packing: &Packing) -> Meets {
        let count = packing.len();
        let words = count.div_ceil(64);
        let mut bits = vec![0u64; words * count];
        for a in 0..count {
            for b in (a + 1..count).filter(|&b| packing.meet(a, b)) {
                bits[a * words + b / 64] |= 1 << (b % 64);
                bits[b * words + a / 64] |= 1 << (a % 64);
            }
        }
        Meets { words, bits }
    }

    /// True if two different items are ever alive together.
    pub(super) fn get(&self, a: usize, b: usize) -> bool {
        self.bits[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }
}
