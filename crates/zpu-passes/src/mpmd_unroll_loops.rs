//! `zpu-mpmd-unroll-loops`: takes loops over microbatches apart, and numbers the microbatches.
//!
//! A loop with fragments has constant bounds and step, and becomes copies of its body in its place.

use zpu_ir::edit::{ValueMap, clone_mapped};
use zpu_ir::options::MpmdUnrollLoopsOptions;
use zpu_ir::{Builder, Failed, Op, PassResult, Value, attr, edit, error, ops, scf};

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &MpmdUnrollLoopsOptions) -> PassResult {
    let loops: Vec<Op<'_>> = function
        .find_all("scf.for")
        .into_iter()
        .filter(|op| !op.find_all(ops::Fragment::NAME).is_empty())
        .collect();
    // A loop in a loop is refused, so that the others are taken apart in the order of the program.
    let mut trips = Vec::new();
    let mut copies = 0u64;
    for op in &loops {
        if let Some(outer) = op.parents().find(|parent| loops.contains(parent)) {
            let notes = [zpu_ir::note(outer, "the loop around it is here")];
            error(
                *op,
                "is a loop over microbatches in another one, and only one of them can count",
                &notes,
            );
            return Err(Failed);
        }
        let (first, step, count) = trip(*op)?;
        copies = copies.saturating_add(count);
        if copies > options.max_copies.max(0) as u64 {
            let message = format!(
                "has {count} iterations; all loops over microbatches together may have {}, see max-copies",
                options.max_copies
            );
            error(*op, &message, &[]);
            return Err(Failed);
        }
        trips.push((*op, first, step, count));
    }
    let outside = function.find_all(ops::Fragment::NAME).into_iter();
    let outside = outside.filter(|op| !loops.iter().any(|around| around.contains(*op)));
    let counters = outside.filter_map(|op| ops::Fragment::of(op)?.call_counter());
    let mut counter = counters.max().map_or(0, |last| last.saturating_add(1));
    if i64::try_from(copies).map_or(true, |copies| counter.checked_add(copies).is_none()) {
        let message = format!(
            "has a fragment with the call_counter {}, after which no more can be counted",
            counter - 1
        );
        error(function, &message, &[]);
        return Err(Failed);
    }
    for (op, first, step, count) in trips {
        counter = unroll(op, (first, step, count), counter);
    }
    Ok(())
}

/// First value, step and number of iterations of a loop.
fn trip(op: Op<'_>) -> Result<(i64, i64, u64), Failed> {
    let fail = |message: &str| {
        error(op, message, &[]);
        Failed
    };
    let of = |index: usize| op.operand(index).as_constant_int();
    let is_unsigned = scf::For::of(op).is_some_and(scf::For::is_unsigned);
    let (Some(first), Some(end), Some(step)) = (of(0), of(1), of(2)) else {
        return Err(fail(
            "holds fragments, and its bounds and step are not all constant: the number of microbatches must be known; \
             run canonicalize before, or write the number",
        ));
    };
    if step <= 0 {
        return Err(fail("has a step that is not positive"));
    }
    if is_unsigned && (first < 0 || end < 0) {
        return Err(fail("has unsigned bounds beyond the signed range"));
    }
    let length = i128::from(end) - i128::from(first);
    let count = if length <= 0 {
        0
    } else {
        (length - 1) / i128::from(step) + 1
    };
    u64::try_from(count)
        .map(|count| (first, step, count))
        .map_err(|_| fail("has more iterations than can be counted"))
}

/// Puts copies of a loop's body in its place; the number of microbatches so far.
fn unroll(op: Op<'_>, (first, step, count): (i64, i64, u64), mut counter: i64) -> i64 {
    let view = scf::For::of(op).expect("is an scf.for");
    let mut carried: Vec<Value<'_>> = view.inits();
    let mut builder = Builder::before(op);
    for iteration in 0..count {
        let mut map = ValueMap::default();
        let index = builder.constant(view.iv().ty(), first + iteration as i64 * step);
        map.set(view.iv(), index);
        for (argument, value) in view.iter_args().into_iter().zip(&carried) {
            map.set(argument, *value);
        }
        for inner in view.body.ops() {
            if inner.is("scf.yield") {
                carried = inner.operands().into_iter().map(|value| map.get(value)).collect();
                continue;
            }
            let copy = clone_mapped(&mut builder.like(inner), inner, &mut map);
            for fragment in copy.find_all(ops::Fragment::NAME) {
                fragment.set_attr(ops::Fragment::CALL_COUNTER, attr::int(copy.context(), counter));
            }
        }
        counter += 1;
    }
    for (result, value) in op.results().into_iter().zip(&carried) {
        edit::replace_all_uses(result, *value);
    }
    edit::erase(op);
    counter
}
