//! Accesses of an instance, seen from the present point, and whether an access there meets them.

use crate::problem::view::For;
use crate::problem::view::{Op, Value};
use crate::program::epoch::{Epoch, Iteration};
use crate::program::path_context::PathContext;
use crate::program::scope::scope_of;
use crate::program::{ItemId, Kind, Loop, Program};

use crate::index::Range;
use crate::index::distance::conflict_distance;
use crate::problem::algebra::Access;
use crate::problem::algebra::{Extent, Root};
use crate::problem::algebra::{Index, Linear, Symbol};

/// The answer whether two accesses touch the same memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Overlap {
    /// They certainly do not.
    Never,
    /// It cannot be excluded.
    May,
    /// They certainly do, at least one of them writing.
    Must,
}

/// An access as it is seen from the present point.
#[derive(Clone, Debug)]
pub(crate) struct AccessAt<'c> {
    pub(crate) access: Access<'c>,
    /// Allocations inside these loops are others than those of the present iterations.
    past: Vec<ItemId>,
    /// The access is of any iteration of this loop that is so long ago or longer; the region is that of the present
    /// one.
    before: Option<(For<'c>, u32)>,
    /// It is one access, of an iteration that is known.
    single: bool,
    /// The scope that ends with it, and with that every allocation of it, whichever iteration inside has made it.
    ends: Option<Op<'c>>,
}

/// Earlier iterations that are looked at one by one; if there are more, they are taken together.
const LISTED: i64 = 16;

/// Accesses of an item that was executed at `when`; `None` is anything.
pub(crate) fn seen<'c>(
    program: &Program<'c>,
    context: &PathContext<'c>,
    item: ItemId,
    when: &[(ItemId, Epoch)],
) -> Option<Vec<AccessAt<'c>>> {
    let accesses = program.items[item].accesses.as_ref()?;
    let ends = scope_of(&program.items[item].kind, program.items[item].op);
    let mut all = Vec::with_capacity(accesses.len());
    for access in accesses {
        let mut versions = vec![AccessAt {
            access: access.clone(),
            past: Vec::new(),
            before: None,
            single: true,
            ends,
        }];
        for (loop_, when) in when.iter().rev() {
            versions = versions
                .into_iter()
                .flat_map(|seen| seen.from(program, context, *loop_, *when))
                .collect();
        }
        all.append(&mut versions);
    }
    Some(all)
}

impl<'c> AccessAt<'c> {
    /// As it is seen when so much of a loop has passed.
    fn from(mut self, program: &Program<'c>, context: &PathContext<'c>, item: ItemId, when: Epoch) -> Vec<Self> {
        if when != Epoch::Ago(0) {
            self.past.push(item);
        }
        let op = program.items[item].op;
        let Kind::For(loop_) = &program.items[item].kind else {
            if when != Epoch::Ago(0) {
                self.forget(op);
            }
            return vec![self];
        };
        let present = context.iteration(item);
        match (when, present) {
            (Epoch::Ago(ago), Some(iteration)) => self.ago(loop_, iteration, i64::from(ago)),
            (Epoch::Before(least), Some(Iteration::At(now))) if now - i64::from(least) < LISTED => {
                let each = (0..=now - i64::from(least)).map(|past| {
                    let mut seen = self.clone();
                    seen.access = seen.access.at(op, &Linear::constant(past), now - past);
                    seen
                });
                return each.collect();
            }
            (Epoch::Before(least), Some(Iteration::From(_))) if self.before.is_none() => {
                self.before = Some((loop_.for_, least));
                self.single = false;
            }
            (Epoch::Last(back), _) if loop_.trips.is_some() => self.last(loop_, i64::from(back)),
            // Any iteration of a loop of which there are few.
            (Epoch::Over, _) if loop_.constant_trips.is_some_and(|trips| trips <= LISTED) => {
                let each = (0..loop_.constant_trips.unwrap_or(0)).map(|past| {
                    let mut seen = self.clone();
                    seen.access = seen.access.at(op, &Linear::constant(past), 0).outside(op);
                    seen.single = false;
                    seen
                });
                return each.collect();
            }
            _ => self.forget(op),
        }
        vec![self]
    }

    fn ago(&mut self, loop_: &Loop<'c>, iteration: Iteration, ago: i64) {
        let op = loop_.for_.op;
        let then = match iteration {
            Iteration::At(now) => Some(Linear::constant(now - ago)),
            Iteration::From(_) if ago == 0 => return,
            Iteration::From(_) => Linear::symbol(Symbol::Iteration(op)).add_scaled(&Linear::constant(ago), -1),
        };
        match then {
            Some(then) => self.access = self.access.at(op, &then, ago),
            None => self.forget(op),
        }
    }

    fn last(&mut self, loop_: &Loop<'c>, back: i64) {
        let op = loop_.for_.op;
        let trips = loop_.trips.as_ref();
        match trips.and_then(|trips| trips.add_scaled(&Linear::constant(back), -1)) {
            Some(then) => self.access = self.access.at(op, &then, 0).outside(op),
            None => self.forget(op),
        }
    }

    fn forget(&mut self, op: Op<'c>) {
        self.access = self.access.outside(op);
        self.single = false;
    }

    /// True if one of the two is a buffer that was made when the other's memory was there already, by another name: a
    /// buffer that each iteration makes anew, and what was reached before.
    fn is_of_another_making(&self, later: &Self, program: &Program<'c>) -> bool {
        let (earlier, now) = (self.access.region.root, later.access.region.root);
        let past = |seen: &Self, value: Value<'c>, counts: &dyn Fn(Op<'c>) -> bool| {
            let mut past = seen.past.iter().map(|item| program.items[*item].op);
            past.any(|op| value.is_defined_inside(op) && counts(op))
        };
        let all = |_: Op<'c>| true;
        let is_outside = |op: Op<'c>| later.ends.is_none_or(|scope| scope == op || !scope.contains(op));
        match (earlier, now) {
            (Root::Allocation(value), _) if earlier == now => past(self, value, &is_outside),
            // Whatever earlier iterations could reach.
            (_, Root::Allocation(made)) if past(self, made, &is_outside) => !past(later, made, &all),
            // What this iteration was handed.
            (Root::Unknown(received), Root::Allocation(made)) | (Root::Allocation(made), Root::Unknown(received)) => {
                let is_present = |seen: &Self| seen.ends.is_none() && !past(seen, received, &all);
                received.is_received_before(made) && is_present(self) && is_present(later)
            }
            _ => false,
        }
    }

    /// The answer whether a later access, seen from the present point, meets it.
    pub(crate) fn meets(&self, later: &Self, program: &Program<'c>, context: &PathContext<'c>) -> Overlap {
        let (left, right) = (&self.access, &later.access);
        if !left.concerns(right) {
            return Overlap::Never;
        }
        if self.is_of_another_making(later, program) {
            return Overlap::Never;
        }
        if let Some((for_, least)) = self.before {
            let met = conflict_distance(for_.op, left, right, least).is_some();
            return if met { Overlap::May } else { Overlap::Never };
        }
        if !left.conflicts(right) || apart(left, right, context) {
            Overlap::Never
        } else if self.single && later.single && left.full && right.full && left.meets_for_certain(right) {
            Overlap::Must
        } else {
            Overlap::May
        }
    }
}

/// True if the ranges of numbers keep two regions of one base apart.
fn apart<'c>(left: &Access<'c>, right: &Access<'c>, context: &PathContext<'c>) -> bool {
    if left.region.base != right.region.base {
        return false;
    }
    let (Some(left), Some(right)) = (&left.region.extents, &right.region.extents) else {
        return false;
    };
    left.iter().zip(right).any(|(left, right)| {
        let (Index::Linear(a), Index::Linear(b)) = (&left.offset, &right.offset) else {
            return false;
        };
        let Some(gap) = a.add_scaled(b, -1) else { return false };
        let Range { least, most } = context.range(&gap);
        let span = |extent: &Extent<'c>| extent.span.as_ref().and_then(Linear::as_constant).map(i128::from);
        let ends = most.zip(span(left)).is_some_and(|(gap, span)| gap + span <= 0);
        let begins = least.zip(span(right)).is_some_and(|(gap, span)| gap >= span);
        ends || begins
    })
}
