//! What a regression sees of a configuration: a row of numbers, each of mean 0 and variance 1 over all candidates.
//!
//! The columns are the model's own view, since its errors have causes there: how far the prediction is above the bound,
//! how much of the time the busiest resource is taken and which one that is, and what the bound is a bound of. To these
//! come the axes of the space.

use std::collections::BTreeSet;

use crate::candidate::{Candidate, Ready};
use crate::space::{Axis, Setting, Space};

/// Values of an axis from which on a text has no column of its own.
const MOST_VALUES: usize = 8;

/// A row for each candidate; of those that cannot be tried, or have no prediction, the row is empty.
pub(crate) fn features(space: &Space, candidates: &[Candidate]) -> Vec<Vec<f64>> {
    let known = |candidate: &Candidate| candidate.ready().is_some_and(|ready| ready.predicted.is_ok());
    let ready = || candidates.iter().filter_map(Candidate::ready);
    let busiest: BTreeSet<&str> = ready().map(|ready| ready.busiest.as_str()).collect();
    let limits: BTreeSet<&str> = ready().map(|ready| ready.limited_by.as_str()).collect();
    let row = |candidate: &Candidate| {
        let Some(ready) = candidate.ready().filter(|_| known(candidate)) else {
            return Vec::new();
        };
        let mut row = of_model(ready);
        row.extend(busiest.iter().map(|name| truth(ready.busiest == **name)));
        row.extend(limits.iter().map(|name| truth(ready.limited_by == **name)));
        for (axis, setting) in space.axes.iter().zip(space.settings(candidate.configuration)) {
            of_axis(axis, setting, &mut row);
        }
        row
    };
    let mut rows: Vec<Vec<f64>> = candidates.iter().map(row).collect();
    standardise(&mut rows);
    rows
}

fn of_model(ready: &Ready) -> Vec<f64> {
    let predicted = ready
        .predicted
        .as_ref()
        .map_or(1.0, |cycles| cycles.max(&1).to_owned() as f64);
    let bound = ready.bound.max(1) as f64;
    vec![predicted.ln(), (predicted / bound).ln(), ready.busy as f64 / predicted]
}

/// A number is a column by its logarithm, if it can be; a text or a truth has a column for each value.
fn of_axis(axis: &Axis, setting: &Setting, row: &mut Vec<f64>) {
    if axis.values.len() < 2 {
        return;
    }
    let numbers = axis.values.iter().map(|value| match value {
        Setting::Int(number @ 0..) => Some((*number as f64).ln_1p()),
        _ => None,
    });
    let numbers: Option<Vec<f64>> = numbers.collect();
    let at = axis.values.iter().position(|value| value == setting).unwrap_or(0);
    match numbers {
        Some(numbers) => row.push(numbers[at]),
        None => row.extend((0..axis.values.len().min(MOST_VALUES)).map(|value| truth(value == at))),
    }
}

fn truth(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// Takes mean and variance out of each column; a column that never changes becomes 0.
fn standardise(rows: &mut [Vec<f64>]) {
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    for column in 0..width {
        let values: Vec<f64> = rows.iter().filter_map(|row| row.get(column).copied()).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let scale = if variance > 1e-12 { variance.sqrt().recip() } else { 0.0 };
        for value in rows.iter_mut().filter_map(|row| row.get_mut(column)) {
            *value = (*value - mean) * scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::standardise;

    #[test]
    fn a_column_has_mean_0_and_variance_1_or_nothing() {
        let mut rows = vec![vec![1.0, 5.0], Vec::new(), vec![3.0, 5.0]];
        standardise(&mut rows);
        assert_eq!(rows, [vec![-1.0, 0.0], Vec::new(), vec![1.0, 0.0]]);
    }
}
