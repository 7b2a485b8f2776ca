//! Verdicts and sizes by walking over all accesses, each once: exact for any orders, in time that is linear in the
//! number of accesses, in units of the largest token that all sides have in common.
//!
//! Instead of executing the consumers step by step, each event gets the number of writes that it needs (the largest of
//! its elements, of the events before it, and of those that its gate waits for). An element then lives from its write
//! to the write that its last reader needs, and every number is one of these intervals.

mod epochs;
mod fork;
mod gate;
mod grid;
mod modulo;
mod production;
mod reading;
mod reads;
mod runs;
mod sizes;
mod walk;

pub(crate) use fork::{Swept, TooMany};
pub(crate) use grid::gcd;
pub(crate) use modulo::{Moduli, injective_modulus, volume};
pub(crate) use sizes::Measure;
pub(crate) use walk::{Side, Walk};

use self::grid::Grid;
use crate::order::Order;

/// A write or an event that never comes.
pub(crate) const NEVER: u32 = u32::MAX;

impl<'a> Side<'a> {
    /// All events of a consumer.
    pub(crate) fn reader(order: &'a Order) -> Side<'a> {
        Side::of(order, false)
    }

    /// Events of a producer that remain: repeated passes are overwritten by their last one.
    pub(crate) fn writer(order: &'a Order) -> Side<'a> {
        Side::of(order, true)
    }
}

/// Tells whether two orders touch the same elements in the same sequence, event by event; no if that takes more
/// accesses than a limit.
pub(crate) fn same_events(one: &Order, other: &Order, shape: &[i64], limit: u32) -> bool {
    let sides = [Side::reader(one), Side::reader(other)];
    let grid = Grid {
        unit: vec![1; shape.len()],
        extents: shape.to_vec(),
    };
    let accesses = sides
        .iter()
        .map(|side| grid.accesses(side))
        .fold(grid.units(), u128::saturating_add);
    if accesses > limit.into() {
        return false;
    }
    let [one, other] = sides.map(|side| {
        let (mut elements, mut ends) = (Vec::new(), Vec::new());
        side.visit(&grid, |event| {
            elements.extend_from_slice(event.units);
            ends.push(elements.len());
        });
        (elements, ends)
    });
    one == other
}
