//! Blocks of the write sequence from which nothing is left over.

use super::grid::Grid;
use super::production::Production;
use super::sizes::Measure;

/// The largest number of equal runs of writes such that nothing is held from one to the next and each is a box, or a
/// comb, of one shape; and that shape in elements. If what is written is no box at all, one run, with the number of
/// different coordinates along each dimension.
pub(crate) fn epochs(production: &Production, grid: &Grid, measure: &Measure) -> (u128, Vec<i64>) {
    let writes = production.writes();
    for epochs in divisors(writes) {
        let length = writes / epochs;
        let is_empty = (1..=epochs).all(|chunk| measure.is_empty_after[chunk * length - 1]);
        if let Some(shape) = is_empty.then(|| common_shape(production, grid, length)).flatten() {
            return (epochs as u128, shape);
        }
    }
    let mut seen = Seen::new(grid);
    seen.meet(production, grid, 0..production.units());
    (1, elements(&seen.counts, grid))
}

/// Divisors, the largest first.
fn divisors(number: usize) -> impl Iterator<Item = usize> {
    let is_small = move |&small: &usize| number.is_multiple_of(small);
    let small = (1..=number.isqrt()).filter(is_small);
    let large = small.clone().map(move |small| number / small);
    let square = number.isqrt().pow(2) == number;
    large.chain(small.rev().skip(usize::from(square)))
}

fn common_shape(production: &Production, grid: &Grid, length: usize) -> Option<Vec<i64>> {
    if length == production.writes() && production.units() as u128 == grid.units() {
        return Some(elements(&grid.extents, grid));
    }
    if production.units() == production.writes() && length == 1 {
        return Some(grid.unit.clone());
    }
    if production.row_major().is_some() && grid.unit_volume() == 1 {
        return rows(
            grid,
            length as i64 * production.units() as i64 / production.writes() as i64,
        );
    }
    let mut seen = Seen::new(grid);
    let mut common = Vec::new();
    for chunk in 0..production.writes() / length {
        let range = production.write(chunk * length).start..production.write((chunk + 1) * length - 1).end;
        let units = range.len() as i64;
        seen.meet(production, grid, range);
        if chunk == 0 {
            common.clone_from(&seen.counts);
        }
        // Of units that are all different, as those of a run are.
        if common != seen.counts || seen.counts.iter().try_fold(1i64, |n, &count| n.checked_mul(count)) != Some(units) {
            return None;
        }
    }
    Some(elements(&common, grid))
}

/// The box that each run of so many single units is, if units are written row-major: neighbours along one dimension,
/// and all there is along those further in. A divisor of the volume in between has runs that reach over a border.
fn rows(grid: &Grid, units: i64) -> Option<Vec<i64>> {
    let mut shape = vec![1; grid.extents.len()];
    let mut rest = units;
    for (part, &extent) in shape.iter_mut().zip(&grid.extents).rev() {
        *part = rest.min(extent);
        if rest % *part != 0 || extent % *part != 0 {
            return None;
        }
        rest /= *part;
    }
    Some(shape)
}

/// Coordinates that a run of writes has, in units.
struct Seen {
    run: u32,
    by_dimension: Vec<Vec<u32>>,
    now: Vec<i64>,
    /// Number of different ones that the run has along each dimension.
    counts: Vec<i64>,
}

impl Seen {
    fn new(grid: &Grid) -> Seen {
        let zeros = |&extent: &i64| vec![0; usize::try_from(extent).unwrap_or(0)];
        Seen {
            run: 0,
            by_dimension: grid.extents.iter().map(zeros).collect(),
            now: vec![0; grid.extents.len()],
            counts: vec![0; grid.extents.len()],
        }
    }

    fn meet(&mut self, production: &Production, grid: &Grid, range: std::ops::Range<usize>) {
        self.run += 1;
        self.counts.fill(0);
        for place in range {
            grid.coordinates(production.unit(place), &mut self.now);
            for ((count, met), &x) in self.counts.iter_mut().zip(&mut self.by_dimension).zip(&self.now) {
                let met = &mut met[x as usize];
                *count += i64::from(*met != self.run);
                *met = self.run;
            }
        }
    }
}

fn elements(units: &[i64], grid: &Grid) -> Vec<i64> {
    units.iter().zip(&grid.unit).map(|(count, unit)| count * unit).collect()
}
