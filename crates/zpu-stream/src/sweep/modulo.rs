//! Storage in place: moduli of the coordinates that keep apart all elements that are held at the same time.
//!
//! Two elements meet if their lives do; they may share a slot otherwise. A candidate is refuted by one pair of units
//! that meet in a slot, and the distance of that pair refutes every other candidate with a multiple in it, so that few
//! candidates are tried on all units.

use super::NEVER;
use super::grid::Grid;
use super::production::{OverWrites, Production};
use super::sizes::{Lives, Measure};

/// Units with their lives, and where they are.
pub(crate) struct Points<'p> {
    pub(crate) production: &'p Production,
    pub(crate) grid: &'p Grid,
    pub(crate) lives: &'p Lives<'p>,
    pub(crate) measure: &'p Measure,
    /// The coordinate in the tensor, for each dimension and each coordinate that the grid counts; growing from 0.
    pub(crate) tables: Vec<Vec<i64>>,
}

/// Moduli, and whether no smaller ones do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Moduli {
    pub(crate) shape: Vec<i64>,
    pub(crate) is_exact: bool,
}

/// The most candidates that are listed.
const MAX_CANDIDATES: usize = 1 << 16;

/// Units at the peak from which runs of neighbours are followed.
const SAMPLES: usize = 32;

/// Finds the moduli of the least product, of those the lexicographically least. After `limit` visits of elements the
/// best so far is taken; there always is one, which keeps all coordinates apart.
pub(crate) fn moduli(points: &Points<'_>, limit: u64) -> Moduli {
    let mut search = Search::new(points, limit);
    let capacity = points.measure.min_capacity;
    if capacity == points.grid.unit_volume() && search.is_regular {
        return Moduli {
            shape: points.grid.unit.clone(),
            is_exact: true,
        };
    }
    let least = search.longest_runs();
    let mut best = search.extents.clone();
    for dimension in 0..best.len() {
        let mut shape = search.extents.clone();
        for modulus in least[dimension]..search.extents[dimension] {
            shape[dimension] = modulus;
            if (volume(&shape), &shape) >= (volume(&best), &best) {
                break;
            }
            if volume(&shape) >= capacity && search.keeps_apart(&shape) {
                best = shape;
                break;
            }
        }
    }
    let mut candidates = Vec::new();
    let range = Candidates {
        least: &least,
        extents: &search.extents.clone(),
        capacity,
        most: volume(&best),
    };
    let is_complete = range.list(&search, &mut Vec::new(), 1, &mut candidates);
    candidates.sort_unstable();
    for (_, shape) in candidates {
        if search.steps >= limit || shape == best {
            break;
        }
        if search.keeps_apart(&shape) {
            best = shape;
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
pub(crate) fn extent(table: &[i64]) -> i64 {
    table
        .first()
        .zip(table.last())
        .map_or(1, |(first, last)| last - first + 1)
}

/// Product of extents or moduli.
pub(crate) fn volume(shape: &[i64]) -> u128 {
    shape
        .iter()
        .fold(1u128, |product, &n| product.saturating_mul(n.unsigned_abs().into()))
}

struct Search<'p> {
    points: &'p Points<'p>,
    /// Tells whether units are boxes without gaps, at multiples of their extents.
    is_regular: bool,
    /// Distances of pairs that meet, each without signs: of regular units that of their first elements.
    distances: Vec<Vec<i64>>,
    steps: u64,
    limit: u64,
    extents: Vec<i64>,
    /// Last visitor of each slot, counted on from attempt to attempt so that they need not be cleared.
    slots: Vec<u32>,
    counted: u32,
}

impl<'p> Search<'p> {
    fn new(points: &'p Points<'p>, limit: u64) -> Search<'p> {
        let is_regular = points.tables.iter().zip(&points.grid.unit).all(|(table, &unit)| {
            let mut units = table.chunks(usize::try_from(unit).unwrap_or(1));
            units.all(|places| places[0] % unit == 0 && places.windows(2).all(|pair| pair[0] + 1 == pair[1]))
        });
        Search {
            points,
            is_regular,
            distances: Vec::new(),
            steps: 0,
            limit,
            extents: points.tables.iter().map(|table| extent(table)).collect(),
            slots: Vec::new(),
            counted: 0,
        }
    }

    fn rank(&self) -> usize {
        self.points.tables.len()
    }

    /// Tells whether a unit is held at the peak.
    fn is_held(&self, unit: u32) -> bool {
        let Points {
            production,
            lives,
            measure,
            ..
        } = self.points;
        let written = production.written_at(unit);
        written != NEVER && (written as usize) <= measure.peak && lives.until(unit) as usize >= measure.peak
    }

    /// For each dimension a long run of neighbours that are held at the peak: no smaller modulus does.
    fn longest_runs(&self) -> Vec<i64> {
        let (grid, production) = (self.points.grid, self.points.production);
        let strides = grid.strides();
        let mut longest = if self.is_regular {
            grid.unit.clone()
        } else {
            vec![1; self.rank()]
        };
        let mut now = vec![0; self.rank()];
        // Some of those that are held, from the newest on, and from places that are spread over the writes before.
        let written = production.write(self.points.measure.peak).end;
        let spread = (0..SAMPLES).map(|sample| written - 1 - sample * (written - 1) / SAMPLES);
        let held = spread
            .map(|place| production.unit(place))
            .filter(|&unit| self.is_held(unit));
        for unit in held.filter(|_| self.is_regular) {
            grid.coordinates(unit, &mut now);
            for (dimension, &stride) in strides.iter().enumerate() {
                let origin = |x: i64| self.points.tables[dimension][(x * grid.unit[dimension]) as usize];
                let follows = |x: i64| origin(x) + grid.unit[dimension] == origin(x + 1);
                let held = |x: i64| self.is_held((i64::from(unit) + (x - now[dimension]) * stride) as u32);
                let (mut low, mut high) = (now[dimension], now[dimension]);
                while low > 0 && held(low - 1) && follows(low - 1) {
                    low -= 1;
                }
                while high + 1 < grid.extents[dimension] && held(high + 1) && follows(high) {
                    high += 1;
                }
                longest[dimension] = longest[dimension].max((high - low + 1) * grid.unit[dimension]);
            }
        }
        longest
    }

    /// Tells whether a pair that is known meets in a slot.
    fn is_refuted(&self, shape: &[i64]) -> bool {
        self.distances.iter().rev().any(|distance| {
            (0..shape.len()).all(|dimension| {
                let (modulus, distance) = (shape[dimension], distance[dimension]);
                let reach = if self.is_regular {
                    self.points.grid.unit[dimension] - 1
                } else {
                    0
                };
                // The largest multiple that is not beyond the farthest pair of elements.
                (distance + reach) / modulus * modulus >= distance - reach
            })
        })
    }

    /// Tells whether no two elements meet in a slot. Past the limit, no.
    fn keeps_apart(&mut self, shape: &[i64]) -> bool {
        if self.steps >= self.limit || self.is_refuted(shape) {
            return false;
        }
        let unit = &self.points.grid.unit;
        let by_units = self.is_regular && shape.iter().zip(unit).all(|(modulus, unit)| modulus % unit == 0);
        let pair = if by_units {
            self.meeting_units(shape)
        } else {
            self.meeting_elements(shape)
        };
        match pair {
            None => true,
            Some(distance) => {
                self.distances.push(distance);
                false
            }
        }
    }

    /// Makes room for so many slots, and for so many visitors whose numbers are new.
    fn prepare(&mut self, slots: usize, visitors: usize) {
        if self.slots.len() < slots {
            self.slots.resize(slots, 0);
        }
        let visitors = u32::try_from(visitors).unwrap_or(u32::MAX);
        if self.counted.checked_add(visitors).is_none() {
            self.slots.fill(0);
            self.counted = 0;
        }
    }

    /// Distance of two units that meet in a slot, for moduli that are multiples of a unit.
    fn meeting_units(&mut self, shape: &[i64]) -> Option<Vec<i64>> {
        let Points {
            production,
            grid,
            lives,
            tables,
            ..
        } = self.points;
        let moduli: Vec<i64> = shape
            .iter()
            .zip(&grid.unit)
            .map(|(modulus, unit)| modulus / unit)
            .collect();
        let slots = Slots::of(grid, &moduli, tables);
        self.prepare(usize::try_from(volume(&moduli)).ok()?, production.units());
        let (place, met) = production.with(Meeting {
            writes: production.writes(),
            lives,
            slots,
            taken: &mut self.slots,
            counted: self.counted,
        });
        self.counted += place as u32;
        self.steps += place as u64;
        if let Some((before, unit)) = met {
            return Some(self.distance(before, unit));
        }
        None
    }

    /// Distance of the first elements of two units.
    fn distance(&self, one: u32, other: u32) -> Vec<i64> {
        let grid = self.points.grid;
        let (mut from, mut to) = (vec![0; self.rank()], vec![0; self.rank()]);
        grid.coordinates(one, &mut from);
        grid.coordinates(other, &mut to);
        let place = |dimension: usize, x: i64| self.points.tables[dimension][(x * grid.unit[dimension]) as usize];
        (0..self.rank())
            .map(|at| (place(at, from[at]) - place(at, to[at])).abs())
            .collect()
    }

    /// Distance of two elements, or of their units, that meet in a slot, for any moduli.
    fn meeting_elements(&mut self, shape: &[i64]) -> Option<Vec<i64>> {
        let Points {
            production,
            grid,
            lives,
            tables,
            ..
        } = self.points;
        let offsets = offsets(&grid.unit);
        let mut pitch = 1i64;
        let mut parts = vec![Vec::new(); shape.len()];
        for dimension in (0..shape.len()).rev() {
            let part = |x: &i64| (x % shape[dimension] * pitch) as usize;
            parts[dimension] = tables[dimension].iter().map(part).collect();
            pitch = pitch.saturating_mul(shape[dimension]);
        }
        self.prepare(usize::try_from(volume(shape)).ok()?, production.units());
        let mut now = vec![0; shape.len()];
        for write in 0..production.writes() {
            for place in production.write(write) {
                let unit = production.unit(place);
                grid.coordinates(unit, &mut now);
                self.steps += offsets.len() as u64;
                for offset in &offsets {
                    let at = |dimension: usize| (now[dimension] * grid.unit[dimension] + offset[dimension]) as usize;
                    let slot: usize = (0..shape.len()).map(|dimension| parts[dimension][at(dimension)]).sum();
                    let before = self.slots[slot];
                    self.slots[slot] = self.counted + place as u32 + 1;
                    if before <= self.counted {
                        continue;
                    }
                    let before = (before - self.counted - 1) as usize;
                    if lives.until(production.unit(before)) as usize >= write {
                        self.counted += place as u32 + 1;
                        // Units with gaps: some modulus divides the distance of two elements, which is not kept.
                        return Some(match (self.is_regular, before == place) {
                            (true, false) => self.distance(production.unit(before), unit),
                            _ => vec![i64::MAX; shape.len()],
                        });
                    }
                }
            }
        }
        self.counted += production.units() as u32;
        None
    }
}

/// A search for two units that meet in a slot.
struct Meeting<'m> {
    writes: usize,
    lives: &'m Lives<'m>,
    slots: Slots,
    /// Last visitor of each slot, counted from here on.
    taken: &'m mut [u32],
    counted: u32,
}

impl OverWrites for Meeting<'_> {
    /// Number of places that were visited, and the two units.
    type Result = (usize, Option<(u32, u32)>);

    fn over(self, end: impl Fn(usize) -> usize, unit: impl Fn(usize) -> u32) -> Self::Result {
        let mut place = 0;
        for write in 0..self.writes {
            while place < end(write) {
                let here = unit(place);
                let slot = &mut self.taken[self.slots.of_unit(here)];
                let before = *slot;
                place += 1;
                *slot = self.counted + place as u32;
                if before > self.counted {
                    let before = unit((before - self.counted - 1) as usize);
                    if self.lives.until(before) as usize >= write {
                        return (place, Some((before, here)));
                    }
                }
            }
        }
        (place, None)
    }
}

/// The slot of each unit of the grid, for moduli in units: the sum of one for the last dimension and one for the
/// others.
struct Slots {
    outer: Vec<u32>,
    inner: Vec<u32>,
}

impl Slots {
    fn of(grid: &Grid, moduli: &[i64], tables: &[Vec<i64>]) -> Slots {
        let (mut outer, mut inner) = (vec![0u32], vec![0u32]);
        for (dimension, modulus) in moduli.iter().enumerate() {
            let unit = grid.unit[dimension];
            let part = |x: i64| (tables[dimension][(x * unit) as usize] / unit % modulus) as u32;
            let parts: Vec<u32> = (0..grid.extents[dimension]).map(part).collect();
            let longer = |slot: &u32| {
                let slot = *slot * *modulus as u32;
                parts.iter().map(move |part| slot + part).collect::<Vec<u32>>()
            };
            if dimension + 1 < moduli.len() {
                outer = outer.iter().flat_map(longer).collect();
            } else {
                outer.iter_mut().for_each(|slot| *slot *= *modulus as u32);
                inner = parts;
            }
        }
        Slots { outer, inner }
    }

    fn of_unit(&self, unit: u32) -> usize {
        let width = self.inner.len() as u32;
        (self.outer[(unit / width) as usize] + self.inner[(unit % width) as usize]) as usize
    }
}

/// All elements of a unit, from its first.
fn offsets(unit: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for &extent in unit {
        let longer = |prefix: &Vec<i64>| {
            let prefix = prefix.clone();
            (0..extent).map(move |x| prefix.iter().copied().chain([x]).collect::<Vec<i64>>())
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Moduli between bounds whose product is neither below what must be held nor above the best that is known.
struct Candidates<'c> {
    least: &'c [i64],
    extents: &'c [i64],
    capacity: u128,
    most: u128,
}

impl Candidates<'_> {
    /// Lists all that begin like a prefix and are not refuted; no if there are too many.
    fn list(
        &self,
        search: &Search<'_>,
        prefix: &mut Vec<i64>,
        product: u128,
        into: &mut Vec<(u128, Vec<i64>)>,
    ) -> bool {
        let dimension = prefix.len();
        if dimension == self.extents.len() {
            if product >= self.capacity && !search.is_refuted(prefix) {
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
            let is_complete = self.list(search, prefix, next, into);
            prefix.pop();
            if !is_complete {
                return false;
            }
        }
        true
    }
}
