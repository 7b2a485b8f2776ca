//! Blocks of the write sequence from which nothing is left over.

use super::grid::Grid;
use super::production::Production;
use super::sizes::Measure;

/// The largest number of equal runs of writes such that nothing is held from one to the next and each is a box, or a
/// comb, of one shape; and that shape in elements. If what is written is no box at all, one run, with the number of
/// different coordinates along each dimension.
pub(crate) fn epochs(production: &Production, grid: &Grid, measure: &Measure) -> (u128, Vec<i64>) {
    let writes = production.writes();
    for epochs in (1..=writes).rev().filter(|epochs| writes % epochs == 0) {
        let length = writes / epochs;
        let is_empty = (1..=epochs).all(|chunk| measure.is_empty_after[chunk * length - 1]);
        if let Some(shape) = is_empty.then(|| common_shape(production, grid, length)).flatten() {
            return (epochs as u128, shape);
        }
    }
    (1, coordinates(production, grid, 0..production.order.len(), &mut Seen::new(grid)))
}

fn common_shape(production: &Production, grid: &Grid, length: usize) -> Option<Vec<i64>> {
    if length == production.writes() && production.order.len() as u128 == grid.units() {
        return Some(elements(&grid.extents, grid));
    }
    let mut seen = Seen::new(grid);
    let mut common: Option<Vec<i64>> = None;
    for chunk in 0..production.writes() / length {
        let range = production.write(chunk * length).start..production.write((chunk + 1) * length - 1).end;
        let units = range.len() as u128;
        let shape = coordinates(production, grid, range, &mut seen);
        let volume: u128 = shape.iter().map(|&n| u128::from(n.unsigned_abs())).product();
        if volume != units * grid.unit_volume() || common.as_ref().is_some_and(|common| *common != shape) {
            return None;
        }
        common = Some(shape);
    }
    common
}

/// Which coordinates were met in the present run.
struct Seen {
    run: u32,
    by_dimension: Vec<Vec<u32>>,
}

impl Seen {
    fn new(grid: &Grid) -> Seen {
        let zeros = |&extent: &i64| vec![0; usize::try_from(extent).unwrap_or(0)];
        Seen {
            run: 0,
            by_dimension: grid.extents.iter().map(zeros).collect(),
        }
    }
}

/// How many different coordinates a run has along each dimension, in elements.
fn coordinates(production: &Production, grid: &Grid, range: std::ops::Range<usize>, seen: &mut Seen) -> Vec<i64> {
    seen.run += 1;
    let mut counts = vec![0; grid.unit.len()];
    let mut now = vec![0; grid.unit.len()];
    for &unit in &production.order[range] {
        grid.coordinates(unit, &mut now);
        for ((count, met), &x) in counts.iter_mut().zip(&mut seen.by_dimension).zip(&now) {
            let met = &mut met[x as usize];
            *count += i64::from(*met != seen.run);
            *met = seen.run;
        }
    }
    elements(&counts, grid)
}

fn elements(units: &[i64], grid: &Grid) -> Vec<i64> {
    units.iter().zip(&grid.unit).map(|(count, unit)| count * unit).collect()
}
