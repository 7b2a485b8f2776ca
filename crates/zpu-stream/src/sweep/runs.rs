//! Walking over events that are not clipped, by runs of the innermost loop: each event touches the same units from
//! another origin on, and the origins of a run are listed without evaluating the map of each.

use super::grid::Grid;
use super::walk::{Side, Walk, advance};
use crate::order::{Expr, Nest, Order};

/// The most events of a run: lists of them stay in the nearest cache.
pub(crate) const MAX_RUN: usize = 2048;

/// Neighbouring events of an innermost loop.
pub(crate) struct Run<'v> {
    /// Number of the first event.
    pub(crate) number: u32,
    /// For each event the unit from which its offsets count.
    pub(crate) origins: &'v [u32],
    /// Distance of neighbouring origins, if it is the same for all.
    pub(crate) step: Option<i64>,
}

impl Side<'_> {
    /// Units of each event from its origin on, in the order of its lanes; nothing if some token may be clipped.
    pub(crate) fn offsets(&self, grid: &Grid) -> Option<Vec<u32>> {
        let is_inside = match &self.walk {
            Walk::Nest(nest) => self.is_inside(nest, grid),
            Walk::Map(order) => (0..self.token.len()).all(|dimension| {
                let range = order.map.results[dimension].range(&order.loops);
                let reach = (self.token[dimension] - 1) * self.dilation[dimension];
                let extent = grid.extents[dimension] * grid.unit[dimension];
                range.is_some_and(|(low, high)| low >= 0 && high < extent - reach)
            }),
        };
        is_inside.then(|| self.offsets_inside(grid))
    }

    /// Calls a function for each run, first to last, of a side that has offsets.
    pub(crate) fn visit_runs(&self, grid: &Grid, see: impl FnMut(&Run<'_>)) {
        match &self.walk {
            Walk::Nest(nest) => visit_nest(nest, grid, see),
            Walk::Map(order) => visit_map(order, grid, see),
        }
    }
}

fn visit_nest(nest: &Nest, grid: &Grid, mut see: impl FnMut(&Run<'_>)) {
    let trips: Vec<i64> = nest.loops.iter().map(|each| each.trip).collect();
    let steps: Vec<i64> = nest.loops.iter().map(|each| grid.linear(&each.step)).collect();
    let (inner_trip, inner_step) = (trips.last().copied().unwrap_or(1), steps.last().copied().unwrap_or(0));
    let outer = trips.len().saturating_sub(1);
    let mut indices = vec![0; outer];
    let mut begin = grid.linear(&nest.base);
    let mut number = 0;
    let mut origins = Vec::with_capacity(MAX_RUN);
    loop {
        let mut done = 0;
        while done < inner_trip {
            let count = (inner_trip - done).min(MAX_RUN as i64);
            let first = begin + done * inner_step;
            origins.clear();
            // Inside the tensor, whose units are counted in 32 bits.
            let (first, step) = (first as u32, inner_step as u32);
            origins.extend((0..count as u32).map(|k| first.wrapping_add(k.wrapping_mul(step))));
            see(&Run {
                number,
                origins: &origins,
                step: Some(inner_step),
            });
            number += count as u32;
            done += count;
        }
        let Some(level) = advance(&mut indices, &trips[..outer]) else {
            return;
        };
        begin += steps[level];
        for inner in level + 1..outer {
            begin -= steps[inner] * (trips[inner] - 1);
        }
    }
}

fn visit_map(order: &Order, grid: &Grid, mut see: impl FnMut(&Run<'_>)) {
    let strides = grid.strides();
    let inner = order.loops.len().saturating_sub(1);
    let inner_trip = order.loops.last().copied().unwrap_or(1);
    let mut indices = vec![0; order.loops.len()];
    let mut number = 0;
    let (mut origins, mut values, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let mut done = 0;
        while done < inner_trip {
            let count = (inner_trip - done).min(MAX_RUN as i64) as usize;
            if let Some(index) = indices.last_mut() {
                *index = done;
            }
            origins.clear();
            origins.resize(count, 0);
            let along = Along {
                indices: &indices,
                inner,
                count,
            };
            for ((result, unit), stride) in order.map.results.iter().zip(&grid.unit).zip(&strides) {
                along.list(result, &mut values, &mut scratch);
                match *unit {
                    1 => add(&mut origins, &values, |x| (x * stride) as u32),
                    unit => add(&mut origins, &values, |x| (x / unit * stride) as u32),
                }
            }
            see(&Run {
                number,
                origins: &origins,
                step: None,
            });
            number += count as u32;
            done += count as i64;
        }
        if let Some(index) = indices.last_mut() {
            *index = 0;
        }
        if advance(&mut indices[..inner], &order.loops[..inner]).is_none() {
            return;
        }
    }
}

fn add(origins: &mut [u32], values: &[i64], unit: impl Fn(i64) -> u32) {
    for (origin, &value) in origins.iter_mut().zip(values) {
        *origin += unit(value);
    }
}

/// Iterations of one loop from its present index on, where the other indices stay.
struct Along<'a> {
    indices: &'a [i64],
    inner: usize,
    count: usize,
}

impl Along<'_> {
    /// Lists the values of an expression of which all parts fit, as those of a checked order do.
    fn list(&self, expr: &Expr, values: &mut Vec<i64>, scratch: &mut Vec<i64>) {
        values.clear();
        if let Some((first, step)) = self.progression(expr) {
            values.extend((0..self.count as i64).map(|k| first + k * step));
            return;
        }
        match expr {
            Expr::Sum(terms) => {
                values.resize(self.count, 0);
                let mut further = Vec::new();
                for term in terms {
                    self.list(term, scratch, &mut further);
                    values.iter_mut().zip(scratch.iter()).for_each(|(sum, x)| *sum += x);
                }
            }
            Expr::Scaled(inner, factor) => {
                self.list(inner, values, scratch);
                values.iter_mut().for_each(|x| *x *= factor);
            }
            Expr::FloorDiv(inner, by) => self.divide(inner, *by, values, scratch, |quotient, _| quotient),
            Expr::Mod(inner, by) => self.divide(inner, *by, values, scratch, |_, remainder| remainder),
            Expr::Constant(_) | Expr::Index(_) => {}
        }
    }

    /// Lists quotients or remainders, of a progression without a division for each.
    fn divide(
        &self,
        expr: &Expr,
        by: i64,
        values: &mut Vec<i64>,
        scratch: &mut Vec<i64>,
        pick: impl Fn(i64, i64) -> i64,
    ) {
        let Some((first, step)) = self.progression(expr) else {
            self.list(expr, values, scratch);
            values
                .iter_mut()
                .for_each(|x| *x = pick(x.div_euclid(by), x.rem_euclid(by)));
            return;
        };
        let (mut quotient, mut remainder) = (first.div_euclid(by), first.rem_euclid(by));
        let (more, rest) = (step.div_euclid(by), step.rem_euclid(by));
        values.extend((0..self.count).map(|_| {
            let value = pick(quotient, remainder);
            quotient += more;
            remainder += rest;
            if remainder >= by {
                remainder -= by;
                quotient += 1;
            }
            value
        }));
    }

    /// First value and step, if the steps of the values are equal because no part is divided.
    fn progression(&self, expr: &Expr) -> Option<(i64, i64)> {
        match expr {
            Expr::Constant(value) => Some((*value, 0)),
            Expr::Index(at) => Some((*self.indices.get(*at)?, i64::from(*at == self.inner))),
            Expr::Sum(terms) => terms.iter().try_fold((0, 0), |(first, step), term| {
                let (from, by) = self.progression(term)?;
                Some((first + from, step + by))
            }),
            Expr::Scaled(inner, factor) => {
                let (first, step) = self.progression(inner)?;
                Some((first * factor, step * factor))
            }
            Expr::FloorDiv(inner, by) => match self.progression(inner)? {
                (first, 0) => Some((first.div_euclid(*by), 0)),
                _ => None,
            },
            Expr::Mod(inner, by) => match self.progression(inner)? {
                (first, 0) => Some((first.rem_euclid(*by), 0)),
                _ => None,
            },
        }
    }
}
