//! Writes out short loops within a loop, so that its body is one straight line.

use zpu_ir::Builder;
use zpu_ir::edit::{self, ValueMap, clone_mapped};
use zpu_ir::scf::{For, is_loop};

/// Writes out the loops in the body of another one, innermost first, if all of their numbers of iterations are constant
/// and no more than `most` operations come of it; else none.
pub(super) fn unroll(around: For<'_>, most: i64) {
    if size_of(around).is_none_or(|size| size > most) {
        return;
    }
    let mut inner: Vec<For<'_>> = around.op.walk().into_iter().skip(1).filter_map(For::of).collect();
    // A walk comes to a loop before it comes to those inside.
    while let Some(for_) = inner.pop() {
        let trips = for_.constant_trip_count().unwrap_or(0);
        let mut builder = Builder::before(for_.op);
        let step = for_.step().as_constant_int().unwrap_or(1);
        let lower = for_.lower().as_constant_int().unwrap_or(0);
        for trip in 0..trips {
            let mut map = ValueMap::default();
            let iv = builder.constant(for_.iv().ty(), lower + trip * step);
            map.set(for_.iv(), iv);
            for op in for_.ops() {
                clone_mapped(&mut builder, op, &mut map);
            }
        }
        edit::erase(for_.op);
    }
}

/// Operations of the body after all loops in it are written out; none if that cannot be done.
fn size_of(for_: For<'_>) -> Option<i64> {
    let mut size: i64 = 0;
    for op in for_.ops() {
        let own = match For::of(op) {
            Some(inner) if inner.inits().is_empty() => size_of(inner)?.checked_mul(inner.constant_trip_count()?)?,
            Some(_) => return None,
            None if op.walk().into_iter().any(is_loop) => return None,
            None => 1,
        };
        size = size.checked_add(own)?;
    }
    Some(size)
}
