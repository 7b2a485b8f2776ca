//! Storage in place: moduli of the coordinates that keep apart all elements that are held at the same time.
//!
//! Two elements meet if their lives do; they may share a slot otherwise. A candidate is refuted by one pair that meets
//! in a slot, and the distance of that pair refutes every other candidate that divides it, so that few candidates are
//! tried on all elements.

/// Elements with their lives, in the order of production.
pub(crate) struct Points {
    /// Coordinates of each element, one after the other: places in `tables`.
    pub(crate) coordinates: Vec<u32>,
    /// The coordinate in the tensor, for each dimension and place; growing.
    pub(crate) tables: Vec<Vec<i64>>,
    /// The write that an element is part of.
    pub(crate) born: Vec<u32>,
    /// The last write at which it is held.
    pub(crate) until: Vec<u32>,
    /// A write at which most elements are held.
    pub(crate) peak: u32,
}

/// Moduli, and whether no smaller ones do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moduli {
    pub(crate) shape: Vec<i64>,
    pub(crate) is_exact: bool,
}

/// The most candidates that are listed.
const MAX_CANDIDATES: usize = 1 << 18;

/// Finds the moduli of the least product, of those the lexicographically least. After `limit` visits of elements the
/// best so far is taken; there always is one, which keeps all coordinates apart.
pub(crate) fn moduli(points: &Points, limit: u64) -> Moduli {
    let mut search = Search {
        points,
        distances: Vec::new(),
        steps: 0,
        limit,
        extents: points.tables.iter().map(|table| extent(table)).collect(),
    };
    let least = search.longest_runs();
    let capacity = search.held_at(points.peak) as u128;
    let mut best = search.extents.clone();
    for dimension in 0..best.len() {
        let mut shape = search.extents.clone();
        for modulus in least[dimension]..search.extents[dimension] {
            shape[dimension] = modulus;
            if volume(&shape) >= capacity && search.keeps_apart(&shape) {
                best = best.min_by_volume(shape);
                break;
            }
        }
    }
    if search.steps >= limit {
        return Moduli {
            shape: best,
            is_exact: false,
        };
    }
    let mut candidates = Vec::new();
    let listed = Candidates {
        least: &least,
        extents: &search.extents,
        capacity,
        most: volume(&best),
    };
    let is_complete = listed.list(&mut Vec::new(), 1, &mut candidates);
    candidates.sort_unstable();
    for (_, shape) in candidates {
        if shape == best || search.keeps_apart(&shape) {
            return Moduli {
                is_exact: is_complete,
                shape: best.min_by_volume(shape),
            };
        }
        if search.steps >= limit {
            break;
        }
    }
    Moduli {
        shape: best,
        is_exact: is_complete && search.steps < limit,
    }
}

/// The least modulus that keeps growing coordinates of one dimension apart.
pub(crate) fn injective_modulus(table: &[i64]) -> i64 {
    let most = extent(table);
    let mut slots = Vec::new();
    (table.len() as i64..most)
        .find(|modulus| {
            slots.clear();
            slots.extend(table.iter().map(|x| x % modulus));
            slots.sort_unstable();
            slots.windows(2).all(|pair| pair[0] != pair[1])
        })
        .unwrap_or(most)
}

/// One more than the last coordinate, counted from the first.
fn extent(table: &[i64]) -> i64 {
    table.first().zip(table.last()).map_or(1, |(first, last)| last - first + 1)
}

pub(crate) fn volume(shape: &[i64]) -> u128 {
    shape.iter().fold(1u128, |product, &n| product.saturating_mul(n.unsigned_abs().into()))
}

trait ByVolume {
    fn min_by_volume(self, other: Self) -> Self;
}

impl ByVolume for Vec<i64> {
    /// The one with the smaller product, of equal ones the lexicographically smaller one.
    fn min_by_volume(self, other: Vec<i64>) -> Vec<i64> {
        if (volume(&other), &other) < (volume(&self), &self) { other } else { self }
    }
}

struct Search<'p> {
    points: &'p Points,
    /// Distances of pairs that meet, each without signs.
    distances: Vec<Vec<i64>>,
    steps: u64,
    limit: u64,
    extents: Vec<i64>,
}

impl Search<'_> {
    fn rank(&self) -> usize {
        self.points.tables.len()
    }

    fn element(&self, at: usize) -> &[u32] {
        &self.points.coordinates[at * self.rank()..(at + 1) * self.rank()]
    }

    fn is_held(&self, at: usize, write: u32) -> bool {
        self.points.born[at] <= write && write <= self.points.until[at]
    }

    fn held_at(&self, write: u32) -> usize {
        (0..self.points.born.len()).filter(|&at| self.is_held(at, write)).count()
    }

    /// For each dimension the longest run of neighbours that are held at the peak: no smaller modulus does.
    fn longest_runs(&self) -> Vec<i64> {
        let rank = self.rank();
        let extents: Vec<usize> = self.points.tables.iter().map(Vec::len).collect();
        let mut strides = vec![1usize; rank];
        for dimension in (1..rank).rev() {
            strides[dimension - 1] = strides[dimension] * extents[dimension];
        }
        let place = |element: &[u32]| element.iter().zip(&strides).map(|(&x, stride)| x as usize * stride).sum::<usize>();
        let mut held = vec![false; extents.iter().product()];
        for at in (0..self.points.born.len()).filter(|&at| self.is_held(at, self.points.peak)) {
            held[place(self.element(at))] = true;
        }
        let mut longest = vec![1; rank];
        for at in (0..self.points.born.len()).filter(|&at| self.is_held(at, self.points.peak)) {
            let element = self.element(at);
            let begin = place(element);
            for dimension in 0..rank {
                let table = &self.points.tables[dimension];
                let goes_on = |x: usize, here: usize| {
                    x + 1 < extents[dimension] && table[x + 1] == table[x] + 1 && held[here + strides[dimension]]
                };
                let mut x = element[dimension] as usize;
                let is_first = x == 0 || !held[begin - strides[dimension]] || table[x - 1] + 1 != table[x];
                if !is_first {
                    continue;
                }
                let (mut run, mut here) = (1, begin);
                while goes_on(x, here) {
                    (x, here, run) = (x + 1, here + strides[dimension], run + 1);
                }
                longest[dimension] = longest[dimension].max(run);
            }
        }
        longest
    }

    /// Whether no two elements meet in a slot. Past the limit, no.
    fn keeps_apart(&mut self, shape: &[i64]) -> bool {
        let divides = |distance: &Vec<i64>| distance.iter().zip(shape).all(|(distance, modulus)| distance % modulus == 0);
        if self.distances.iter().any(divides) {
            return false;
        }
        let Ok(slots) = usize::try_from(volume(shape)) else { return false };
        self.steps = self.steps.saturating_add(slots as u64 / 8);
        if self.steps >= self.limit {
            return false;
        }
        let rank = self.rank();
        let mut pitch = 1i64;
        let mut parts = vec![Vec::new(); rank];
        for dimension in (0..rank).rev() {
            let part = |x: &i64| (x % shape[dimension] * pitch) as usize;
            parts[dimension] = self.points.tables[dimension].iter().map(part).collect();
            pitch *= shape[dimension];
        }
        // The element that was last in a slot, from 1 on.
        let mut last = vec![0u32; slots];
        for at in 0..self.points.born.len() {
            let element = self.element(at);
            let slot: usize = element.iter().zip(&parts).map(|(&x, part)| part[x as usize]).sum();
            let before = last[slot];
            last[slot] = at as u32 + 1;
            if before > 0 && self.points.until[before as usize - 1] >= self.points.born[at] {
                let other = self.element(before as usize - 1);
                let tables = self.points.tables.iter();
                let distance = tables.zip(element.iter().zip(other));
                let distance = distance.map(|(table, (&x, &y))| (table[x as usize] - table[y as usize]).abs());
                let distance = distance.collect();
                self.distances.push(distance);
                self.steps += at as u64;
                return false;
            }
        }
        self.steps += self.points.born.len() as u64;
        true
    }
}

/// Moduli between bounds whose product is neither below what must be held nor above the best that is known.
struct Candidates<'c> {
    least: &'c [i64],
    extents: &'c [i64],
    capacity: u128,
    most: u128,
}

impl Candidates<'_> {
    /// Lists all that begin like a prefix; no if there are too many.
    fn list(&self, prefix: &mut Vec<i64>, product: u128, into: &mut Vec<(u128, Vec<i64>)>) -> bool {
        let dimension = prefix.len();
        if dimension == self.extents.len() {
            if product >= self.capacity {
                into.push((product, prefix.clone()));
            }
            return into.len() < MAX_CANDIDATES;
        }
        let least_after = volume(&self.least[dimension + 1..]);
        let most_after = volume(&self.extents[dimension + 1..]);
        for modulus in self.least[dimension]..=self.extents[dimension] {
            let next = product.saturating_mul(modulus.unsigned_abs().into());
            if next.saturating_mul(least_after) > self.most {
                break;
            }
            if next.saturating_mul(most_after) < self.capacity {
                continue;
            }
            prefix.push(modulus);
            let is_complete = self.list(prefix, next, into);
            prefix.pop();
            if !is_complete {
                return false;
            }
        }
        true
    }
}
