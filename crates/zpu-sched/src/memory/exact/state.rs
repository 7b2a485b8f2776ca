//! The state of a branch: what is placed, the lowest offset of everything else, and what each section still has to
//! hold.
//!
//! Invariant: [`State::back_to`] restores exactly what held when [`State::mark`] was taken.

use super::super::packing::Packing;

/// An item next to another one: they meet, or they are to be apart.
#[derive(Clone, Copy)]
struct Neighbour {
    item: u32,
    is_apart: bool,
}

/// A change that can be taken back.
enum Change {
    Lowest(u32, u64),
    Floor(u32, u64),
    Placed(u32),
}

pub(super) struct State<'a> {
    pub(super) packing: &'a Packing,
    /// No item may end above it.
    pub(super) height: u64,
    /// Per item: its offset if it is placed, or else the lowest one at which it is clear of what is placed below.
    pub(super) lowest: Vec<u64>,
    pub(super) is_placed: Vec<bool>,
    neighbours: Vec<Vec<Neighbour>>,
    /// Per item: bytes that pinned items keep it out of, sorted.
    obstacles: Vec<Vec<(u64, u64)>>,
    /// Per section: the items that are not pinned.
    alive: Vec<Vec<u32>>,
    /// Per section: bytes of items that are not placed.
    pub(super) rest: Vec<u64>,
    /// Per section: the lowest offset of an item that is not placed.
    pub(super) floor: Vec<u64>,
    /// Per section: pinned bytes.
    pins: Vec<Vec<(u64, u64)>>,
    has_pins: bool,
    /// Per section: items that are not placed and live in it and the one before.
    crossing: Vec<u32>,
    changes: Vec<Change>,
    stale: Vec<u32>,
    is_stale: Vec<bool>,
}

impl<'a> State<'a> {
    /// Nothing but pinned items is placed. `None` if some item alone cannot be.
    pub(super) fn new(packing: &'a Packing, height: u64) -> Option<State<'a>> {
        let count = packing.len();
        let mut state = State {
            packing,
            height,
            lowest: vec![0; count],
            is_placed: vec![false; count],
            neighbours: (0..count).map(|_| vec![]).collect(),
            obstacles: vec![vec![]; count],
            alive: vec![vec![]; packing.sections],
            rest: vec![0; packing.sections],
            floor: vec![u64::MAX; packing.sections],
            pins: vec![vec![]; packing.sections],
            has_pins: false,
            crossing: vec![0; packing.sections + 1],
            changes: vec![],
            stale: vec![],
            is_stale: vec![false; packing.sections],
        };
        for (place, item) in packing.items.iter().enumerate() {
            if let Some(offset) = item.pinned {
                if offset + item.bytes > height {
                    return None;
                }
                state.is_placed[place] = true;
                state.lowest[place] = offset;
                state.has_pins = true;
            }
            for &(from, to) in &item.ranges {
                for section in from..to {
                    match item.pinned {
                        Some(offset) => state.pins[section as usize].push((offset, offset + item.bytes)),
                        None => {
                            state.alive[section as usize].push(place as u32);
                            state.rest[section as usize] += item.bytes;
                            state.crossing[section as usize] += u32::from(section > from);
                        }
                    }
                }
            }
        }
        for item in 0..count {
            for other in (0..count).filter(|&other| other != item) {
                state.relate(item, other);
            }
        }
        for item in (0..count).filter(|&item| packing.items[item].pinned.is_none()) {
            state.obstacles[item].sort_unstable();
            let lowest = state.clear(item, 0);
            if lowest.saturating_add(packing.items[item].bytes) > height {
                return None;
            }
            state.lowest[item] = lowest;
        }
        for section in 0..packing.sections {
            state.floor[section] = state.floor_of(section);
        }
        Some(state)
    }

    /// Records the relation of one item to another one.
    fn relate(&mut self, item: usize, other: usize) {
        let packing = self.packing;
        let is_apart = packing.apart[item].contains(&(other as u32));
        if !is_apart && !packing.meet(item, other) {
            return;
        }
        match packing.items[other].pinned {
            Some(offset) if is_apart => {
                self.obstacles[item].push(packing.banks(offset, packing.items[other].bytes));
            }
            Some(offset) => self.obstacles[item].push((offset, offset + packing.items[other].bytes)),
            None => self.neighbours[item].push(Neighbour {
                item: other as u32,
                is_apart,
            }),
        }
    }

    /// The lowest offset from one on at which an item is aligned and clear of what is pinned.
    fn clear(&self, item: usize, from: u64) -> u64 {
        let bytes = self.packing.items[item].bytes;
        let align = self.packing.items[item].align;
        let mut at = from.next_multiple_of(align);
        for &(offset, end) in &self.obstacles[item] {
            if end > at && at.saturating_add(bytes) > offset {
                at = end.next_multiple_of(align);
            }
        }
        at
    }

    fn floor_of(&self, section: usize) -> u64 {
        let open = self.alive[section]
            .iter()
            .filter(|&&item| !self.is_placed[item as usize]);
        open.map(|&item| self.lowest[item as usize]).min().unwrap_or(u64::MAX)
    }

    /// The end of an item at its lowest offset, as those see it that may come after: if a partner that has to be apart
    /// is not placed, it takes its last bank to the end.
    pub(super) fn end(&self, item: usize) -> u64 {
        let (at, bytes) = (self.lowest[item], self.packing.items[item].bytes);
        let is_open = |&other: &u32| !self.is_placed[other as usize];
        if self.packing.apart[item].iter().any(is_open) {
            self.packing.banks(at, bytes).1
        } else {
            at + bytes
        }
    }

    /// A point to come back to.
    pub(super) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// Places an item at its lowest offset. False if another one does not fit any more; some of the changes are then
    /// made. `splits` is set if no open item crosses some border between sections any more.
    pub(super) fn place(&mut self, item: usize, splits: &mut bool) -> bool {
        let bytes = self.packing.items[item].bytes;
        let (at, end) = (self.lowest[item], self.lowest[item] + bytes);
        let bank_end = self.packing.banks(at, bytes).1;
        self.is_placed[item] = true;
        self.changes.push(Change::Placed(item as u32));
        let packing = self.packing;
        *splits |= packing.items[item].ranges.len() > 1;
        for &(from, to) in &packing.items[item].ranges {
            for section in from..to {
                let s = section as usize;
                self.rest[s] -= bytes;
                if section > from {
                    self.crossing[s] -= 1;
                    *splits |= self.crossing[s] == 0;
                }
                if self.floor[s] == at && !self.is_stale[s] {
                    self.is_stale[s] = true;
                    self.stale.push(section);
                }
            }
        }
        let mut fits = true;
        for n in 0..self.neighbours[item].len() {
            let Neighbour { item: other, is_apart } = self.neighbours[item][n];
            let other = other as usize;
            let least = if is_apart { bank_end } else { end };
            if self.is_placed[other] || self.lowest[other] >= least {
                continue;
            }
            let raised = self.clear(other, least);
            if raised.saturating_add(packing.items[other].bytes) > self.height {
                fits = false;
                break;
            }
            let before = std::mem::replace(&mut self.lowest[other], raised);
            self.changes.push(Change::Lowest(other as u32, before));
            for &(from, to) in &packing.items[other].ranges {
                for section in from..to {
                    let s = section as usize;
                    if self.floor[s] == before && !self.is_stale[s] {
                        self.is_stale[s] = true;
                        self.stale.push(section);
                    }
                }
            }
        }
        while let Some(section) = self.stale.pop() {
            let s = section as usize;
            self.is_stale[s] = false;
            if !fits {
                continue;
            }
            let floor = self.floor_of(s);
            let before = std::mem::replace(&mut self.floor[s], floor);
            self.changes.push(Change::Floor(section, before));
            fits = floor == u64::MAX || self.fits(s, floor);
        }
        fits
    }

    /// True if what a section still has to hold fits between a floor and the height.
    pub(super) fn fits(&self, section: usize, floor: u64) -> bool {
        let mut needed = floor.saturating_add(self.rest[section]);
        if self.has_pins {
            let pins = self.pins[section].iter();
            needed += pins
                .map(|&(offset, end)| end.saturating_sub(offset.max(floor)))
                .sum::<u64>();
        }
        needed <= self.height
    }

    /// Takes back all changes since a mark.
    pub(super) fn back_to(&mut self, mark: usize) {
        while self.changes.len() > mark {
            match self.changes.pop() {
                Some(Change::Lowest(item, before)) => self.lowest[item as usize] = before,
                Some(Change::Floor(section, before)) => self.floor[section as usize] = before,
                Some(Change::Placed(item)) => {
                    self.is_placed[item as usize] = false;
                    let packing = self.packing;
                    let item = &packing.items[item as usize];
                    for &(from, to) in &item.ranges {
                        for section in from..to {
                            self.rest[section as usize] += item.bytes;
                            self.crossing[section as usize] += u32::from(section > from);
                        }
                    }
                }
                None => return,
            }
        }
    }

    /// Open items in groups that have nothing to do with each other.
    pub(super) fn components(&self, items: &[u32]) -> Vec<Vec<u32>> {
        let mut leader: Vec<usize> = (0..items.len()).collect();
        fn find(leader: &mut [usize], mut at: usize) -> usize {
            while leader[at] != at {
                leader[at] = leader[leader[at]];
                at = leader[at];
            }
            at
        }
        let mut ranges: Vec<(u32, u32, usize)> = vec![];
        for (place, &item) in items.iter().enumerate() {
            let item = &self.packing.items[item as usize];
            ranges.extend(item.ranges.iter().map(|&(from, to)| (from, to, place)));
        }
        ranges.sort_unstable();
        let mut reached: Option<(u32, usize)> = None;
        for (from, to, place) in ranges {
            match reached {
                Some((end, other)) if from < end => {
                    let (a, b) = (find(&mut leader, place), find(&mut leader, other));
                    leader[a.max(b)] = a.min(b);
                    reached = Some((end.max(to), other));
                }
                _ => reached = Some((to, place)),
            }
        }
        for (place, &item) in items.iter().enumerate() {
            for other in &self.packing.apart[item as usize] {
                if let Some(other) = items.iter().position(|item| item == other) {
                    let (a, b) = (find(&mut leader, place), find(&mut leader, other));
                    leader[a.max(b)] = a.min(b);
                }
            }
        }
        let mut groups: Vec<Vec<u32>> = vec![vec![]; items.len()];
        for (place, &item) in items.iter().enumerate() {
            groups[find(&mut leader, place)].push(item);
        }
        groups.retain(|group| !group.is_empty());
        groups
    }
}
