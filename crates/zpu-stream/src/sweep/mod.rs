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
mod sizes;
mod walk;

pub(crate) use fork::{Swept, TooMany};
pub(crate) use grid::gcd;
pub(crate) use modulo::{Moduli, injective_modulus, volume};
pub(crate) use sizes::Measure;
pub(crate) use walk::{Side, Walk};

use crate::order::Order;

/// A write or an event that never comes.
pub(crate) const NEVER: u32 = u32::MAX;

impl<'a> Side<'a> {
    /// What a consumer does.
    pub(crate) fn reader(order: &'a Order) -> Side<'a> {
        Side::of(order, false)
    }

    /// What remains of a producer: repeated passes are overwritten by their last one.
    pub(crate) fn writer(order: &'a Order) -> Side<'a> {
        Side::of(order, true)
    }
}
