//! `zpu-merge-carried-values`: merges values that a loop carries twice, or that a condition yields twice.
//!
//! Waits are placed command by command, so two of them may carry the same token around a loop. Upstream's
//! canonicalisation merges such values, but compares each two of them: a loop of 10,000 commands carries 13,000 tokens.
//! Here each is looked up by where it comes from.
//!
//! Invariant: the pass only replaces uses. Upstream's canonicalisation removes the values that have no use left.

use rustc_hash::FxHashMap;
use zpu_ir::scf::For;
use zpu_ir::{Op, PassResult, Value, edit};

/// Runs the pass on any operation, since that is what upstream's `composite-fixed-point-pass` runs passes on.
pub(crate) fn run(root: Op<'_>) -> PassResult {
    let mut ops = root.walk();
    ops.retain(|op| op.num_results() > 1 && (op.is("scf.for") || op.is("scf.if")));
    // A merge can make operands of other loops and conditions equal.
    let mut is_open = true;
    while is_open {
        is_open = false;
        for op in &ops {
            is_open |= merge(*op);
        }
    }
    Ok(())
}

/// Merges values of one operation; true if a use was replaced.
fn merge(op: Op<'_>) -> bool {
    let mut first: FxHashMap<(Value<'_>, Value<'_>), usize> = FxHashMap::default();
    let (sources, args) = sources(op);
    let mut has_changed = false;
    for (number, source) in sources.into_iter().enumerate() {
        let same = *first.entry(source).or_insert(number);
        if same == number {
            continue;
        }
        let results = (op.result(number), op.result(same));
        let arg = args.get(number).copied().zip(args.get(same).copied());
        for (of, with) in [Some(results), arg].into_iter().flatten() {
            has_changed |= !of.is_unused();
            edit::replace_all_uses(of, with);
        }
    }
    has_changed
}

/// The two values that each result may be, and the block arguments of a loop for them.
fn sources(op: Op<'_>) -> (Vec<(Value<'_>, Value<'_>)>, Vec<Value<'_>>) {
    if let Some(for_) = For::of(op) {
        return (for_.inits().into_iter().zip(for_.yields()).collect(), for_.iter_args());
    }
    let ends = op
        .regions()
        .into_iter()
        .filter_map(|region| region.blocks().first()?.terminator());
    let yields: Vec<Vec<Value<'_>>> = ends.map(Op::operands).collect();
    match &yields[..] {
        [then, otherwise] => (
            then.iter().copied().zip(otherwise.iter().copied()).collect(),
            Vec::new(),
        ),
        _ => (Vec::new(), Vec::new()),
    }
}
