//! Walking over the events of one side: the units that each event touches, in the order of its lanes.

use super::grid::Grid;
use crate::order::{Nest, Order};

/// Ways from event to event.
#[derive(Clone, Debug)]
pub(crate) enum Walk<'a> {
    /// By adding steps.
    Nest(Nest),
    /// By evaluating the map.
    Map(&'a Order),
}

impl Walk<'_> {
    /// Number of events; the largest number if it does not fit.
    pub(crate) fn events(&self) -> u128 {
        let times = |product: u128, trip: i64| product.saturating_mul(trip.unsigned_abs().into());
        match self {
            Walk::Nest(nest) => nest.loops.iter().map(|each| each.trip).fold(1, times),
            Walk::Map(order) => order.loops.iter().copied().fold(1, times),
        }
    }
}

/// One side of an edge.
#[derive(Clone, Debug)]
pub(crate) struct Side<'a> {
    pub(crate) walk: Walk<'a>,
    /// Elements of a token along each dimension.
    pub(crate) token: Vec<i64>,
    /// Distance of neighbouring elements along each dimension; 1 where the token has one.
    pub(crate) dilation: Vec<i64>,
    /// Dimensions, slowest first.
    pub(crate) lanes: Vec<usize>,
}

/// One event.
pub(crate) struct Visit<'v> {
    /// Its number, from 0.
    pub(crate) number: u32,
    /// Units that it touches.
    pub(crate) units: &'v [u32],
    /// Elements of the clipped token along each dimension.
    pub(crate) counts: &'v [i64],
}

impl<'a> Side<'a> {
    pub(super) fn of(order: &'a Order, only_last_pass: bool) -> Side<'a> {
        let walk = match Nest::of(order) {
            Some(nest) if only_last_pass => Walk::Nest(nest.without_repeats()),
            Some(nest) => Walk::Nest(nest),
            None => Walk::Map(order),
        };
        let dilations = order.token.iter().zip(&order.dilation);
        Side {
            walk,
            token: order.token.clone(),
            dilation: dilations
                .map(|(&token, &dilation)| if token == 1 { 1 } else { dilation })
                .collect(),
            lanes: order.lanes.clone(),
        }
    }

    /// Calls a function for each event, first to last. Numbers of events and units must fit in 32 bits.
    pub(crate) fn visit(&self, grid: &Grid, mut see: impl FnMut(&Visit<'_>)) {
        if let Some(offsets) = self.offsets(grid) {
            let mut units = offsets.clone();
            self.visit_runs(grid, |run| {
                for (number, origin) in (run.number..).zip(run.origins) {
                    for (unit, offset) in units.iter_mut().zip(&offsets) {
                        *unit = origin + offset;
                    }
                    see(&Visit {
                        number,
                        units: &units,
                        counts: &self.token,
                    });
                }
            });
            return;
        }
        match &self.walk {
            Walk::Nest(nest) => {
                let mut indices = vec![0; nest.loops.len()];
                let trips: Vec<i64> = nest.loops.iter().map(|each| each.trip).collect();
                let mut origin = nest.base.clone();
                let mut token = Clipped::new(self, grid);
                let mut number = 0;
                loop {
                    token.put(&origin);
                    see(&token.visit(number));
                    number += 1;
                    let Some(level) = advance(&mut indices, &trips) else {
                        return;
                    };
                    for (dimension, x) in origin.iter_mut().enumerate() {
                        *x += nest.loops[level].step[dimension];
                        for each in &nest.loops[level + 1..] {
                            *x -= each.step[dimension] * (each.trip - 1);
                        }
                    }
                }
            }
            Walk::Map(order) => {
                let mut indices = vec![0; order.loops.len()];
                let mut origin = vec![0; self.token.len()];
                let mut token = Clipped::new(self, grid);
                let mut number = 0;
                loop {
                    for (x, result) in origin.iter_mut().zip(&order.map.results) {
                        // Orders are checked, so that every coordinate fits.
                        *x = result.evaluate(&indices).unwrap_or(0);
                    }
                    token.put(&origin);
                    see(&token.visit(number));
                    number += 1;
                    if advance(&mut indices, &order.loops).is_none() {
                        return;
                    }
                }
            }
        }
    }

    /// Tells whether no token is clipped.
    pub(super) fn is_inside(&self, nest: &Nest, grid: &Grid) -> bool {
        (0..self.token.len()).all(|dimension| {
            let (low, high) = nest.range(dimension);
            let reach = (self.token[dimension] - 1) * self.dilation[dimension];
            low >= 0 && high + reach < grid.extents[dimension] * grid.unit[dimension]
        })
    }

    /// Units of a token at the first place of the tensor, where it is not clipped.
    pub(super) fn offsets_inside(&self, grid: &Grid) -> Vec<u32> {
        let mut token = Clipped::new(self, grid);
        token.put(&vec![0; self.token.len()]);
        token.units
    }
}

/// The next indices, the last the fastest: which of them has grown; nothing after the last ones.
pub(super) fn advance(indices: &mut [i64], trips: &[i64]) -> Option<usize> {
    for level in (0..indices.len()).rev() {
        indices[level] += 1;
        if indices[level] < trips[level] {
            return Some(level);
        }
        indices[level] = 0;
    }
    None
}

/// A token at some place, clipped to the tensor.
struct Clipped<'a> {
    side: &'a Side<'a>,
    grid: &'a Grid,
    strides: Vec<i64>,
    /// Tells whether the token is one unit.
    is_single: bool,
    units: Vec<u32>,
    longer: Vec<u32>,
    counts: Vec<i64>,
}

impl<'a> Clipped<'a> {
    fn new(side: &'a Side<'a>, grid: &'a Grid) -> Clipped<'a> {
        Clipped {
            side,
            grid,
            strides: grid.strides(),
            is_single: side.token == grid.unit,
            units: Vec::new(),
            longer: Vec::new(),
            counts: vec![0; side.token.len()],
        }
    }

    fn visit(&self, number: u32) -> Visit<'_> {
        Visit {
            number,
            units: &self.units,
            counts: &self.counts,
        }
    }

    fn put_single(&mut self, origin: &[i64]) {
        let mut at = 0;
        for (dimension, &x) in origin.iter().enumerate() {
            let (unit, extent) = (self.grid.unit[dimension], self.grid.extents[dimension]);
            let x = if unit == 1 { x } else { x / unit };
            if !(0..extent).contains(&x) {
                return;
            }
            at += x * self.strides[dimension];
            self.counts[dimension] = unit;
        }
        // Inside the tensor, whose units are counted in 32 bits.
        self.units.push(at as u32);
    }

    fn put(&mut self, origin: &[i64]) {
        self.units.clear();
        if self.is_single {
            self.put_single(origin);
            return;
        }
        self.units.push(0);
        for &dimension in &self.side.lanes {
            let unit = self.grid.unit[dimension];
            let (x, dilation) = (origin[dimension] / unit, self.side.dilation[dimension]);
            let token = self.side.token[dimension] / unit;
            // Elements k of the token with 0 <= x + k * dilation < extent.
            let first = (-x).max(0).div_euclid(dilation) + i64::from((-x).max(0) % dilation > 0);
            let last = (self.grid.extents[dimension] - 1 - x)
                .div_euclid(dilation)
                .min(token - 1);
            self.counts[dimension] = (last - first + 1).max(0) * unit;
            self.longer.clear();
            for &prefix in &self.units {
                // Inside the tensor, whose units are counted in 32 bits.
                let next = (first..=last).map(|k| prefix + ((x + k * dilation) * self.strides[dimension]) as u32);
                self.longer.extend(next);
            }
            std::mem::swap(&mut self.units, &mut self.longer);
        }
    }
}
