//! Remarks on the number of waits of each loop and of the function, and on how many of them are needed.
//!
//! The second number is a lower bound for every correct program that is this one with some of its waits deleted: for
//! each wait that is counted there is an execution that needs it, see [`needed_waits`]. So it is at most the fewest
//! waits of any such program.

use std::collections::BTreeMap;

use zpu_analysis::problem::{Detail, problem_of};
use zpu_device::Device;
use zpu_ir::scf::is_loop;
use zpu_ir::{Op, Remark, RemarkKind};
use zpu_sync::witness::needed_waits;

use super::PASS;

/// Waits, and those of them that are needed.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    waits: usize,
    needed: usize,
}

/// Emits the remarks. Nothing is computed unless remarks are switched on.
pub(super) fn tell(function: Op<'_>, device: &Device) {
    Remark::new(function, RemarkKind::Analysis, PASS, "waits").emit_with(|remark| {
        let (by_loop, all) = count(function, device);
        for (loop_, count) in by_loop {
            let remark = Remark::new(loop_, RemarkKind::Analysis, PASS, "waits");
            filled(remark, "this loop", count).emit();
        }
        filled(remark, "this function", all)
    });
}

/// The counts of each loop that directly holds waits, and of the function.
fn count<'c>(function: Op<'c>, device: &'c Device) -> (Vec<(Op<'c>, Count)>, Count) {
    let sources = problem_of(function, device, Detail::Bare);
    let waits = needed_waits(&sources.problem);
    let loops: Vec<Op<'_>> = function.walk().into_iter().filter(|op| is_loop(*op)).collect();
    let mut all = Count::default();
    let mut by_loop: BTreeMap<usize, Count> = BTreeMap::new();
    for wait in &waits.all {
        let needed = usize::from(waits.needed.contains(wait));
        let innermost = sources.op(*wait).parents().find(|op| is_loop(*op));
        let number = innermost.and_then(|innermost| loops.iter().position(|loop_| *loop_ == innermost));
        let inside = number.map(|number| by_loop.entry(number).or_default());
        for count in inside.into_iter().chain([&mut all]) {
            count.waits += 1;
            count.needed += needed;
        }
    }
    let by_loop = by_loop.into_iter().map(|(number, count)| (loops[number], count));
    (by_loop.collect(), all)
}

fn filled<'c>(remark: Remark<'c>, place: &str, count: Count) -> Remark<'c> {
    let Count { waits, needed } = count;
    let waits_in = format!("{waits} wait{} in {place}", if waits == 1 { "" } else { "s" });
    let message = if needed == waits {
        format!("{waits_in}, minimum {needed}")
    } else {
        format!("{waits_in}, minimum at least {needed}")
    };
    remark.message(message).metric("Waits", waits).metric("Minimum", needed)
}
