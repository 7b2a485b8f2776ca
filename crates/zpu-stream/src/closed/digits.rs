//! Digits: loops that run through the coordinates of one dimension as digits of a number do.
//!
//! Invariant: the digits of each dimension, those of the token among them, form one mixed radix: the smallest stride is
//! 1, each next one is the stride before times its trip count, and the last ends with the extent. So every element is
//! touched once in each pass.

use crate::order::{Loop, Nest, Order};

/// Coordinates 0, stride, 2 * stride, ... of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Digit {
    pub(crate) dimension: usize,
    pub(crate) stride: i64,
    pub(crate) trip: i64,
    /// From the last coordinate to the first.
    pub(crate) is_backward: bool,
}

impl Digit {
    /// Turns to these coordinates, first to last.
    pub(crate) fn forward(self) -> Digit {
        Digit {
            is_backward: false,
            ..self
        }
    }
}

/// A loop of an order that consists of digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// It runs through a digit.
    Move(Digit),
    /// It repeats what is inside so many times.
    Repeat(i64),
}

/// An order as digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    /// Outermost first.
    pub(crate) loops: Vec<Item>,
    /// Digits inside the token, slowest first.
    pub(crate) lanes: Vec<Digit>,
}

impl Digits {
    /// The digits of an order, if it has nothing else.
    pub(crate) fn of(order: &Order, shape: &[i64], drop_repeats: bool) -> Option<Digits> {
        let nest = Nest::of(order)?;
        let nest = if drop_repeats { nest.without_repeats() } else { nest };
        // Where loops that run backward begin.
        let mut begin = vec![0i64; shape.len()];
        let item = |each: &Loop| {
            let mut moved = each.step.iter().enumerate().filter(|(_, step)| **step != 0);
            match (moved.next(), moved.next()) {
                (None, _) => Some(Item::Repeat(each.trip)),
                (Some((dimension, &step)), None) => {
                    let (trip, is_backward) = (each.trip, step < 0);
                    if is_backward {
                        begin[dimension] = begin[dimension].checked_add((-step).checked_mul(trip - 1)?)?;
                    }
                    Some(Item::Move(Digit {
                        dimension,
                        stride: step.abs(),
                        trip,
                        is_backward,
                    }))
                }
                _ => None,
            }
        };
        let lanes = order.lanes.iter().filter(|&&dimension| order.token[dimension] > 1);
        let digits = Digits {
            loops: nest.loops.iter().map(item).collect::<Option<_>>()?,
            lanes: lanes
                .map(|&dimension| Digit {
                    dimension,
                    stride: order.dilation[dimension],
                    trip: order.token[dimension],
                    is_backward: false,
                })
                .collect(),
        };
        (begin == nest.base && digits.is_radix(shape)).then_some(digits)
    }

    /// All digits, those of the token last.
    pub(crate) fn all(&self) -> impl Iterator<Item = Digit> {
        let moved = self.loops.iter().filter_map(|item| match item {
            Item::Move(digit) => Some(*digit),
            Item::Repeat(_) => None,
        });
        moved.chain(self.lanes.iter().copied())
    }

    fn is_radix(&self, shape: &[i64]) -> bool {
        let mut all: Vec<Digit> = self.all().collect();
        all.sort_unstable();
        let mut reached = vec![1i64; shape.len()];
        for digit in all {
            let reached = &mut reached[digit.dimension];
            if digit.stride != *reached {
                return false;
            }
            match reached.checked_mul(digit.trip) {
                Some(next) => *reached = next,
                None => return false,
            }
        }
        reached == shape
    }

    /// Cuts the digits where any digit of a list begins.
    fn cut(&self, cuts: &[Vec<i64>]) -> Digits {
        let parts = |digit: &Digit| -> Vec<Digit> {
            let end = digit.stride * digit.trip;
            let inside = cuts[digit.dimension].iter().copied();
            let mut borders: Vec<i64> = inside.filter(|&cut| digit.stride <= cut && cut < end).collect();
            borders.push(end);
            let part = |pair: &[i64]| Digit {
                stride: pair[0],
                trip: pair[1] / pair[0],
                ..*digit
            };
            borders.windows(2).rev().map(part).collect()
        };
        let items = |item: &Item| match item {
            Item::Move(digit) => parts(digit).into_iter().map(Item::Move).collect(),
            Item::Repeat(_) => vec![*item],
        };
        Digits {
            loops: self.loops.iter().flat_map(items).collect(),
            lanes: self.lanes.iter().flat_map(parts).collect(),
        }
    }
}

/// Cuts the digits of all sides where any of them has a digit begin, so that a digit of one is one of each; nothing if
/// the cuts of a dimension do not divide each other.
pub(crate) fn refine(sides: &[&Digits], rank: usize) -> Option<Vec<Digits>> {
    let mut cuts: Vec<Vec<i64>> = vec![Vec::new(); rank];
    for digit in sides.iter().flat_map(|side| side.all()) {
        cuts[digit.dimension].extend([digit.stride, digit.stride * digit.trip]);
    }
    for cuts in &mut cuts {
        cuts.sort_unstable();
        cuts.dedup();
        if cuts.windows(2).any(|pair| pair[1] % pair[0] != 0) {
            return None;
        }
    }
    Some(sides.iter().map(|side| side.cut(&cuts)).collect())
}

/// Product of trip counts.
pub(crate) fn volume<'d>(digits: impl IntoIterator<Item = &'d Digit>) -> u128 {
    digits.into_iter().fold(1, |product, digit| {
        product.saturating_mul(digit.trip.unsigned_abs().into())
    })
}

/// Product of trip counts for each dimension.
pub(crate) fn shape(digits: &[Digit], rank: usize) -> Vec<i64> {
    let mut shape = vec![1; rank];
    for digit in digits {
        shape[digit.dimension] *= digit.trip;
    }
    shape
}
