//! Slots: the version that each iteration has.
//!
//! A ring whose contents live within an iteration goes on counting over the iterations of the loops around, so that an
//! inner loop does not come back to a slot that the iteration before last of its last run may still be read from: with
//! `n_1` the number of inner iterations, the slot is `(k_1 + n_1 * (k_2 + n_2 * ...)) mod N`. Counting goes on as far
//! outwards as trip counts are constant; a loop around one whose trip count is not starts again, which is as right.
//!
//! Several buffers that take turns on one ring begin in different slots, which adds a number to `k_1`.
//!
//! A ring that is used after the loop has its last iteration in slot 0: the slot is `(k + N - (n - 1) mod N) mod N`. So
//! all code outside works on slot 0; if the loop has no iteration, slot 0 keeps its contents.

use zpu_ir::scf::For;
use zpu_ir::{Builder, Op, Value};

use crate::iteration_number::{exact, iteration_number, trip_count};
use zpu_analysis::privatizable::Life;
use zpu_analysis::seeded;

/// The slots of all loops, each computed once at the top of the loop's body.
#[derive(Default)]
pub(crate) struct Slots<'c> {
    loops: Vec<Counter<'c>>,
}

/// Values that were emitted for one loop.
struct Counter<'c> {
    for_: For<'c>,
    /// The last operation that was inserted at the top of the body.
    last: Option<Op<'c>>,
    /// The iteration number.
    iteration: Option<Value<'c>>,
    /// Slots by number of versions, slot of iteration 0, and life of the contents.
    slots: Vec<((i64, i64), Life, Value<'c>)>,
}

impl<'c> Slots<'c> {
    /// The slot of a ring in the current iteration of the loop: for a number of versions, with so many added.
    pub(super) fn slot(&mut self, for_: For<'c>, ring: (i64, i64), life: Life) -> Value<'c> {
        let at = self.loops.iter().position(|counter| counter.for_ == for_);
        let at = at.unwrap_or_else(|| {
            self.loops.push(Counter {
                for_,
                last: None,
                iteration: None,
                slots: Vec::new(),
            });
            self.loops.len() - 1
        });
        let counter = &mut self.loops[at];
        let known = counter.slots.iter().find(|(n, of, _)| (*n, *of) == (ring, life));
        if let Some((.., slot)) = known {
            return *slot;
        }
        let slot = counter.make(ring, life);
        counter.last = slot.defining_op();
        counter.slots.push((ring, life, slot));
        slot
    }
}

impl<'c> Counter<'c> {
    fn make(&mut self, (versions, first): (i64, i64), life: Life) -> Value<'c> {
        let for_ = self.for_;
        let mut builder = match self.last {
            Some(last) => Builder::after(last).like(for_.op),
            None => Builder::before(for_.body.ops().next().expect("a body has a terminator")).like(for_.op),
        };
        let iteration = match self.iteration {
            Some(iteration) => iteration,
            None => iteration_number(&mut builder, for_),
        };
        self.iteration = Some(iteration);
        let begin = match life {
            Life::Iteration => phase(for_, versions),
            Life::After if seeded!(WrongSlotBehindLoop) => None,
            Life::After => last_in_slot_0(for_, versions),
        };
        let count = builder.index(versions);
        let mut number = iteration;
        let first = (first != 0).then(|| builder.index(first));
        for more in begin.into_iter().chain(first) {
            number = exact(&mut builder, "arith.addi", number, more);
        }
        builder.binary("arith.remui", number, count)
    }
}

/// Emits the number of iterations counted before the loop begins, modulo `versions` in every term; none if it is always
/// 0.
fn phase<'c>(for_: For<'c>, versions: i64) -> Option<Value<'c>> {
    let mut builder = Builder::before(for_.op);
    let mut sum: Option<Value<'c>> = None;
    let (mut inner, mut factor) = (for_, 1i64);
    for parent in for_.op.parents() {
        if parent.is("scf.if") {
            continue;
        }
        let (Some(outer), Some(trips)) = (For::of(parent), inner.constant_trip_count()) else {
            break;
        };
        factor = (factor * (trips % versions)) % versions;
        if factor == 0 {
            break;
        }
        let mut term = iteration_number(&mut builder, outer);
        if factor != 1 {
            let factor = builder.index(factor);
            term = exact(&mut builder, "arith.muli", term, factor);
        }
        sum = Some(match sum {
            Some(sum) => exact(&mut builder, "arith.addi", sum, term),
            None => term,
        });
        inner = outer;
    }
    sum
}

/// Emits the number that shifts the last iteration to slot 0; none if it is 0.
fn last_in_slot_0<'c>(for_: For<'c>, versions: i64) -> Option<Value<'c>> {
    let mut builder = Builder::before(for_.op);
    if let Some(trips) = for_.constant_trip_count() {
        let begin = (1 - trips).rem_euclid(versions);
        return (begin != 0).then(|| builder.index(begin));
    }
    // Without any iteration the number is arbitrary and unused.
    let one = builder.index(1);
    let count = builder.index(versions);
    let trips = trip_count(&mut builder, for_);
    let last = builder.binary("arith.subi", trips, one);
    let last = builder.binary("arith.remui", last, count);
    Some(exact(&mut builder, "arith.subi", count, last))
}
