//! A sweep over one block: the digits that are left after the common outer loops, as orders on a dense tensor of their
//! own.

use super::comb::coordinates;
use super::digits::{Digit, Digits, Item, shape};
use crate::analyze::Limits;
use crate::fork::ConsumerId;
use crate::order::{Loop, Nest};
use crate::sweep::{Measure, Moduli, Side, Swept, Walk};

/// Capacity and span of a block, and its moduli.
pub(crate) struct Block {
    pub(crate) measure: Measure,
    pub(crate) moduli: Moduli,
}

/// Sweeps over a block; nothing if it takes more accesses than are allowed. Loops and lanes of all sides run through
/// the same digits.
pub(crate) fn sweep(
    producer: &Digits,
    consumers: &[Digits],
    rank: usize,
    accesses: u32,
    limits: &Limits,
) -> Option<Block> {
    let digits: Vec<Digit> = producer.all().collect();
    let dense = Dense::of(&digits);
    let extents = shape(&digits, rank);
    let writer = dense.side(producer, rank);
    let readers: Vec<Side<'_>> = consumers.iter().map(|consumer| dense.side(consumer, rank)).collect();
    let swept = Swept::of_sides(&extents, &writer, &readers, accesses).ok()?;
    let all: Vec<ConsumerId> = (0..u32::try_from(consumers.len()).ok()?).map(ConsumerId).collect();
    let (measure, lives) = swept.measured(&all)?;
    let table = |dimension: usize| coordinates(&digits, dimension, i64::from(accesses));
    let tables: Vec<Vec<i64>> = (0..rank).map(table).collect::<Option<_>>()?;
    let moduli = swept.moduli(&measure, &lives, tables, limits.modulo_steps);
    Some(Block { measure, moduli })
}

/// Strides of digits once those of the common outer loops are gone.
struct Dense {
    /// A digit, forward, and its stride among those that are left.
    strides: Vec<(Digit, i64)>,
}

impl Dense {
    fn of(digits: &[Digit]) -> Dense {
        let mut sorted: Vec<Digit> = digits.iter().map(|digit| digit.forward()).collect();
        sorted.sort_unstable();
        let mut strides: Vec<(Digit, i64)> = Vec::with_capacity(sorted.len());
        for digit in sorted {
            let before = strides.last().filter(|(before, _)| before.dimension == digit.dimension);
            let stride = before.map_or(1, |(before, stride)| before.trip * stride);
            strides.push((digit, stride));
        }
        Dense { strides }
    }

    fn stride(&self, digit: &Digit) -> i64 {
        let found = self.strides.binary_search_by_key(&digit.forward(), |(digit, _)| *digit);
        found.map_or(0, |at| self.strides[at].1)
    }

    fn side(&self, digits: &Digits, rank: usize) -> Side<'static> {
        let mut base = vec![0; rank];
        let moved = |item: &Item| {
            let mut step = vec![0; rank];
            match item {
                Item::Move(digit) => {
                    let stride = self.stride(digit);
                    step[digit.dimension] = if digit.is_backward { -stride } else { stride };
                    base[digit.dimension] += if digit.is_backward {
                        stride * (digit.trip - 1)
                    } else {
                        0
                    };
                    Loop { trip: digit.trip, step }
                }
                Item::Repeat(trip) => Loop { trip: *trip, step },
            }
        };
        // Parts of one lane of the order follow each other and make one box again.
        let mut lanes: Vec<usize> = digits.lanes.iter().map(|digit| digit.dimension).collect();
        lanes.dedup();
        lanes.extend((0..rank).filter(|dimension| digits.lanes.iter().all(|digit| digit.dimension != *dimension)));
        let dilation = |dimension: usize| {
            let own = digits.lanes.iter().filter(|digit| digit.dimension == dimension);
            own.map(|digit| self.stride(digit)).min().unwrap_or(1)
        };
        let loops = digits.loops.iter().map(moved).collect();
        Side {
            walk: Walk::Nest(Nest { loops, base }),
            token: shape(&digits.lanes, rank),
            dilation: (0..rank).map(dilation).collect(),
            lanes,
        }
    }
}
