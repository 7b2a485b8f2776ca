//! A window that moves by single tokens over a row-major producer: a line buffer.
//!
//! In units of the producer's token, let n be the extents of the dimensions from the first one along which the window
//! is longer than one token, K those of the window, pitch the production distance of one step. Before the first window
//! nothing is released, and later the oldest element that is needed is the window's first one, so that the capacity is
//! the span of one window, the sum of (K - 1) * pitch, plus 1.

use crate::fork::Consumer;
use crate::order::{Loop, Nest, Order};
use crate::verdict::{Edge, Method, Sizes, Verdict};

/// The window in units of the producer's token, dimensions in the order of production.
struct Window {
    dimensions: Vec<usize>,
    extents: Vec<i64>,
    width: Vec<i64>,
}

/// The edge, if the consumer is such a window.
pub(crate) fn window(producer: &Order, consumer: &Consumer, shape: &[i64]) -> Option<Edge> {
    let order = &consumer.order;
    let dimensions = row_major(producer, shape)?;
    let unit = &producer.token;
    let is_dense = |order: &Order| {
        order
            .token
            .iter()
            .zip(&order.dilation)
            .all(|(&token, &dilation)| token == 1 || dilation == 1)
    };
    let fits = order
        .token
        .iter()
        .zip(unit)
        .zip(shape)
        .all(|((token, unit), n)| token % unit == 0 && token <= n);
    if !is_dense(producer) || !is_dense(order) || !fits {
        return None;
    }
    let all = Window {
        extents: dimensions
            .iter()
            .map(|&dimension| shape[dimension] / unit[dimension])
            .collect(),
        width: dimensions
            .iter()
            .map(|&dimension| order.token[dimension] / unit[dimension])
            .collect(),
        dimensions,
    };
    if Nest::of(order)? != all.nest(unit) {
        return None;
    }
    let outer = all.width.iter().take_while(|&&width| width == 1).count();
    let inner = all.from(outer);
    if inner.positions().all(|positions| positions == 1) {
        return None;
    }
    Some(inner.edge(&all, outer, unit, shape))
}

/// Dimensions in the order of production, if every token is written once, row-major in that order.
pub(super) fn row_major(producer: &Order, shape: &[i64]) -> Option<Vec<usize>> {
    let nest = Nest::of(producer)?.without_repeats();
    if nest.base.iter().any(|&base| base != 0) {
        return None;
    }
    let mut dimensions = Vec::new();
    for each in &nest.loops {
        let mut moved = each.step.iter().enumerate().filter(|(_, step)| **step != 0);
        let (dimension, &step) = moved.next()?;
        let unit = producer.token[dimension];
        let is_whole = step == unit && each.trip.checked_mul(unit) == Some(shape[dimension]);
        if moved.next().is_some() || !is_whole || dimensions.contains(&dimension) {
            return None;
        }
        dimensions.push(dimension);
    }
    let is_covered =
        |dimension: usize| dimensions.contains(&dimension) || producer.token[dimension] == shape[dimension];
    (0..shape.len()).all(is_covered).then_some(dimensions)
}

impl Window {
    fn from(&self, outer: usize) -> Window {
        Window {
            dimensions: self.dimensions[outer..].to_vec(),
            extents: self.extents[outer..].to_vec(),
            width: self.width[outer..].to_vec(),
        }
    }

    /// Number of places where the window is, along each dimension.
    fn positions(&self) -> impl Iterator<Item = i64> {
        self.extents.iter().zip(&self.width).map(|(n, width)| n - width + 1)
    }

    /// The loops of the consumer.
    fn nest(&self, unit: &[i64]) -> Nest {
        let rank = unit.len();
        let moved = self
            .dimensions
            .iter()
            .zip(self.positions())
            .filter(|(_, trip)| *trip > 1);
        let moved = moved.map(|(&dimension, trip)| {
            let mut step = vec![0; rank];
            step[dimension] = unit[dimension];
            Loop { trip, step }
        });
        Nest {
            loops: moved.collect(),
            base: vec![0; rank],
        }
    }

    /// Production distance of one step along each dimension, in tokens.
    fn pitches(&self) -> Vec<i128> {
        let mut pitches = vec![1i128; self.extents.len()];
        for at in (1..pitches.len()).rev() {
            pitches[at - 1] = pitches[at].saturating_mul(self.extents[at].into());
        }
        pitches
    }

    /// Production distance of the window's last token from its first.
    fn reach(&self) -> i128 {
        let steps = self.width.iter().zip(self.pitches());
        steps
            .map(|(&width, pitch)| i128::from(width - 1).saturating_mul(pitch))
            .fold(0, i128::saturating_add)
    }

    /// Tells whether each event ends where the next begins, or before.
    fn is_in_order(&self) -> bool {
        let pitches = self.pitches();
        let last: Vec<i64> = self.positions().map(|positions| positions - 1).collect();
        // Moving on along a dimension takes those after it back to their begin.
        let advance = |at: usize| {
            let back = (at + 1..last.len()).map(|after| i128::from(last[after]).saturating_mul(pitches[after]));
            pitches[at] - back.sum::<i128>()
        };
        let moved = (0..last.len()).filter(|&at| last[at] > 0);
        moved.map(advance).min().is_some_and(|least| self.reach() <= least)
    }

    /// Tells whether some element is done with before an earlier one is read at all: so it is where the window moves
    /// along a dimension within another that it covers as a whole. Elsewhere the first reader of an element and the
    /// last one of a later element compare as the elements do.
    fn has_inversion(&self) -> bool {
        let positions: Vec<i64> = self.positions().collect();
        let covers = |at: usize| positions[at] == 1 && self.extents[at] > 1;
        (0..positions.len()).any(|at| covers(at) && positions[at + 1..].iter().any(|&places| places > 1))
    }

    fn edge(&self, all: &Window, outer: usize, unit: &[i64], shape: &[i64]) -> Edge {
        let count = |n: i64| u128::from(n.unsigned_abs());
        let epochs: u128 = all.extents[..outer].iter().map(|&n| count(n)).product();
        let token: u128 = unit.iter().map(|&n| count(n)).product();
        let reach = self.reach().unsigned_abs();
        let verdict = match (self.is_in_order(), self.has_inversion()) {
            (true, _) => Verdict::Repack,
            (false, false) => Verdict::Window,
            (false, true) if epochs > 1 => Verdict::ReorderBlock,
            (false, true) => Verdict::ReorderFull,
        };
        let (mut block_shape, mut modulo_shape) = (shape.to_vec(), shape.to_vec());
        for &dimension in &all.dimensions[..outer] {
            block_shape[dimension] = unit[dimension];
            modulo_shape[dimension] = unit[dimension];
        }
        // Whole rows are held, and as many of them as the window is high.
        modulo_shape[self.dimensions[0]] = self.width[0] * unit[self.dimensions[0]];
        let overlaps = self
            .positions()
            .zip(&self.width)
            .map(|(positions, &width)| count(positions.min(width)));
        Edge {
            verdict,
            multiplicity: Some(overlaps.product()),
            dropped: Some(0),
            sizes: Some(Sizes {
                min_capacity: (reach + 1) * token,
                retained: reach * token,
                circular_span: (reach + 1) * token,
                epochs,
                block_shape,
                modulo_shape,
                is_exact: true,
                is_modulo_exact: true,
            }),
            reason: None,
            method: Method::Formula,
        }
    }
}
