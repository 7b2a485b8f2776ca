//! Buffers that a loop passes around: two that swap places, or more that go in a circle.
//!
//! Let a loop carry `v_0 ... v_{N-1}`, each of which takes the value of its successor for the next iteration, and let
//! their initial values be different memory. Then `v_j` in iteration `t` is buffer `(t + j) mod N` of these, whatever
//! the loop does otherwise. So the buffers are like the slots of a ring, and an access through `v_j` is one at index
//! `(t + j) mod N` in a dimension after those of the buffer: two accesses with different indices are to different
//! memory, and two with equal ones are to the same buffer in the same coordinates. The comparison of regions knows
//! indices of that kind, also over iterations.
//!
//! The base of the box with that dimension is the loop's first result of the circle, which stands for all of the ring.
//! No other region that is compared has that base, since accesses through a result itself are seated in the ring as
//! well. A loop around makes the result anew, as a base has to be.

use zpu_ir::scf::For;
use zpu_ir::ty::MemRef;
use zpu_ir::{Def, Value};

use crate::linear::{Index, Linear, Symbol, index_of};
use crate::region::Root;
use crate::region::{Extent, Region};
use crate::view;

/// The most buffers of a circle that is followed.
const LONGEST_CIRCLE: usize = 8;

/// The region of `chosen`, or of a view of it, as a box in the ring of buffers of which `chosen` is one; `None` if it
/// is not one of a circle. The root stays.
pub(crate) fn seated<'c>(chosen: Value<'c>, region: &Region<'c>) -> Option<Region<'c>> {
    let (for_, position, iterations) = carried(chosen)?;
    let circle = circle(for_, position)?;
    let seat = circle.iter().position(|other| *other == equal_values(for_)[position])?;
    let slot = iterations.add_scaled(&Linear::constant(i64::try_from(seat).ok()?), 1)?;
    let rank = MemRef::of(chosen.ty())?.rank();
    // A view that is no box may be anything in its buffer.
    let own = region.extents.clone().filter(|_| region.base == chosen);
    let mut extents = own.unwrap_or_else(|| vec![Extent::all(None); rank]);
    extents.push(Extent {
        offset: Index::modulo(slot, i64::try_from(circle.len()).ok()?),
        span: Some(Linear::constant(1)),
        exact: true,
    });
    Some(Region {
        root: region.root,
        base: for_.op.result(circle[0]),
        extents: Some(extents),
        bytes: None,
    })
}

/// The loop that carries a value, its position there, and the number of iterations done where the value is used.
fn carried<'c>(value: Value<'c>) -> Option<(For<'c>, usize, Linear<'c>)> {
    match value.def() {
        Def::Argument(block, index) => {
            let for_ = For::of(block.parent_op()?)?;
            Some((for_, index.checked_sub(1)?, Linear::symbol(Symbol::Iteration(for_.op))))
        }
        Def::Result(op, index) => {
            let for_ = For::of(op)?;
            Some((for_, index, trips(for_)))
        }
    }
}

/// The number of iterations of a loop. For a loop without iterations it may be another number: indices are only
/// compared with each other, and there is none inside such a loop.
fn trips<'c>(for_: For<'c>) -> Linear<'c> {
    let counts = for_.lower().as_constant_int() == Some(0) && for_.step().as_constant_int() == Some(1);
    let upper = || match index_of(for_.upper()) {
        Index::Linear(linear) if counts && !for_.is_unsigned() => Some(linear),
        _ => None,
    };
    let constant = for_.constant_trip_count().map(Linear::constant);
    let unknown = || Linear::symbol(Symbol::Value(for_.op.result(0), 0));
    constant.or_else(upper).unwrap_or_else(unknown)
}

/// The circle of carried values that one of them is in, each followed by its successor, the lowest position first;
/// `None` if it is in none, or if the buffers may be the same memory. Of values that are always equal, the first one
/// stands for all.
fn circle(for_: For<'_>, position: usize) -> Option<Vec<usize>> {
    let (inits, yields, carried) = (for_.inits(), for_.yields(), for_.iter_args());
    let same = equal_values(for_);
    let mut circle = vec![*same.get(position)?];
    loop {
        let next = yields.get(*circle.last()?)?;
        let next = same[carried.iter().position(|value| value == next)?];
        if next == circle[0] {
            break;
        }
        if circle.contains(&next) || circle.len() == LONGEST_CIRCLE {
            return None;
        }
        circle.push(next);
    }
    let roots: Vec<Root<'_>> = circle.iter().map(|at| view::root_of(inits[*at])).collect();
    let distinct = (1..roots.len()).all(|i| !roots[..i].iter().any(|root| root.may_alias(roots[i])));
    let first = circle.iter().enumerate().min_by_key(|(_, at)| **at)?.0;
    circle.rotate_left(first);
    (circle.len() > 1 && distinct).then_some(circle)
}

/// For each carried value the position of the first one that is equal to it in every iteration. A pipelined loop
/// carries one value several times, for its stages. Values are equal if their first values are the same and their next
/// values are equal: the classes of equal first values are split until that holds.
fn equal_values(for_: For<'_>) -> Vec<usize> {
    let (inits, yields, carried) = (for_.inits(), for_.yields(), for_.iter_args());
    let first_like = |is_like: &dyn Fn(usize, usize) -> bool| -> Vec<usize> {
        let first = |at: usize| (0..at).find(|other| is_like(*other, at)).unwrap_or(at);
        (0..carried.len()).map(first).collect()
    };
    let mut same = first_like(&|left, right| inits[left] == inits[right]);
    loop {
        let becomes = |at: usize| match carried.iter().position(|value| *value == yields[at]) {
            Some(next) => (None, same[next]),
            None => (Some(yields[at]), 0),
        };
        let split = first_like(&|left, right| same[left] == same[right] && becomes(left) == becomes(right));
        if split == same {
            return same;
        }
        same = split;
    }
}
