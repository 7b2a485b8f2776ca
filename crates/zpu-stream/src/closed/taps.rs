//! One dimension of a window: which of its places read a coordinate, in tables as long as the extent.

/// A window of `width` taps, `dilation` apart, at `trip` places from `base` on, `step` apart, clipped to the extent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taps {
    pub(super) extent: i64,
    pub(super) width: i64,
    pub(super) dilation: i64,
    pub(super) base: i64,
    pub(super) step: i64,
    pub(super) trip: i64,
}

/// Coordinates that a place reads: how many, the first and the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) count: i64,
    pub(super) first: i64,
    pub(super) last: i64,
}

/// A dimension as the formulas need it. Places that read nothing are left out.
pub(super) struct Table {
    pub(super) extent: i64,
    pub(super) places: Vec<Place>,
    /// For each coordinate the first and the last place that reads it.
    pub(super) readers: Vec<Option<(usize, usize)>>,
    /// The largest number of places that read a coordinate.
    pub(super) multiplicity: i64,
    /// Number of coordinates that are read.
    pub(super) read: i64,
    /// The least of them.
    pub(super) least: i64,
}

impl Taps {
    /// Tells whether each place reads a coordinate of its own, first to last.
    pub(super) fn is_identity(&self) -> bool {
        (self.width, self.base, self.trip) == (1, 0, self.extent) && (self.step == 1 || self.trip == 1)
    }

    /// The tables; nothing if nothing is read, or if there are more coordinates than a limit.
    pub(super) fn table(&self, most: i64) -> Option<Table> {
        if self.extent.checked_add(self.trip)?.checked_add(self.width)? > most {
            return None;
        }
        let mut readers: Vec<Option<(usize, usize)>> = vec![None; usize::try_from(self.extent).ok()?];
        let mut counts = vec![0i64; readers.len()];
        let mut places = Vec::new();
        for place in 0..self.trip {
            let origin = self.base + place * self.step;
            let taps = (0..self.width).map(|tap| origin + tap * self.dilation);
            let inside: Vec<i64> = taps.filter(|x| (0..self.extent).contains(x)).collect();
            let (Some(&first), Some(&last)) = (inside.first(), inside.last()) else {
                continue;
            };
            for &x in &inside {
                let reader = &mut readers[x as usize];
                *reader = Some((reader.map_or(places.len(), |(first, _)| first), places.len()));
                counts[x as usize] += 1;
            }
            let count = inside.len() as i64;
            places.push(Place { count, first, last });
        }
        Some(Table {
            extent: self.extent,
            multiplicity: counts.iter().copied().max()?,
            read: counts.iter().filter(|count| **count > 0).count() as i64,
            least: counts.iter().position(|count| *count > 0)? as i64,
            places,
            readers,
        })
    }
}

/// Coordinates by how their last reader compares with a place, and themselves with the last one that the place reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Split {
    /// Those that a later place reads, and that this one is the last to read.
    pub(super) later: i64,
    pub(super) equal: i64,
    /// The same of those before the last coordinate of the place.
    pub(super) later_before: i64,
    pub(super) equal_before: i64,
    /// Coordinates before it that are read by any place.
    pub(super) read_before: i64,
    /// Tells whether a later place reads it too.
    pub(super) is_last_shared: bool,
}

impl Table {
    /// The numbers of each place, in time that is linear in extent and places.
    pub(super) fn splits(&self) -> Vec<Split> {
        let mut ending = vec![0i64; self.places.len()];
        let mut read_before = Vec::with_capacity(self.readers.len());
        let mut read = 0;
        for reader in &self.readers {
            read_before.push(read);
            if let Some((_, last)) = reader {
                ending[*last] += 1;
                read += 1;
            }
        }
        let mut later = self.read;
        let places = self.places.iter().enumerate();
        let split = places.map(|(place, at)| {
            later -= ending[place];
            // Places move forward: what lies from the last coordinate of one on is read by it or by later ones.
            let before = read_before[at.last as usize];
            let is_last_shared = self.readers[at.last as usize].is_some_and(|(_, last)| last > place);
            let beyond = self.read - before;
            let equal_before = ending[place] - i64::from(!is_last_shared);
            Split {
                later,
                equal: ending[place],
                later_before: later - (beyond - i64::from(!is_last_shared)),
                equal_before,
                read_before: before,
                is_last_shared,
            }
        });
        split.collect()
    }
}
