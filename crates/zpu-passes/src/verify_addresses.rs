//! `zpu-verify-addresses`: proves that no read sees bytes of another buffer at the same address, or of a later version.
//!
//! ```mlir
//! %a = memref.alloc() {zpu.address = 0 : i64} : ...
//! %b = memref.alloc() {zpu.address = 0 : i64} : ...
//! zpu.dma %x to %a on @odma : ...
//! zpu.dma %x to %b on @odma : ...
//! zpu.dma %a to %y on @odma : ...      // error: reads %a, and may see bytes of %b
//! ```
//!
//! [`zpu_analysis::liveness::clobbered`] follows whose bytes they are, and [`zpu_analysis::liveness::overruns`] finds
//! versions of rings that are overwritten by later ones before they are read; this pass adds calls, and words.
//!
//! Invariant: a program that passes, and whose waits are proven, reads from each buffer what was written to it.

use std::collections::BTreeSet;

use zpu_analysis::liveness::{Clobber, Overrun, clobbered, handed_on, overruns, window_of};
use zpu_device::Device;
use zpu_ir::ty::MemRef;
use zpu_ir::{Failed, Names, Note, Op, PassResult, Remark, RemarkKind, Value, attr, device, error, note};

const PASS: &str = "zpu-verify-addresses";

/// Runs the pass.
pub(crate) fn run(module: Op<'_>) -> PassResult {
    let device = device::of(module)?;
    let functions: Vec<Function<'_>> = module.find_all("func.func").into_iter().map(Function::of).collect();
    let mut holds = true;
    // Every function is checked, even after an error in one.
    for at in 0..functions.len() {
        holds &= check_calls(&functions, at);
        holds &= check(&functions[at], &device);
    }
    if holds { Ok(()) } else { Err(Failed) }
}

/// A function with its allocations at addresses, and its calls.
struct Function<'c> {
    op: Op<'c>,
    windows: Vec<Window<'c>>,
    calls: Vec<Op<'c>>,
}

/// The bytes of an allocation at an address.
struct Window<'c> {
    value: Value<'c>,
    space: &'c str,
    first: u64,
    end: u64,
}

impl<'c> Function<'c> {
    fn of(op: Op<'c>) -> Self {
        let ops = op.walk();
        Self {
            op,
            windows: ops.iter().filter_map(|op| Window::of(*op)).collect(),
            calls: ops
                .into_iter()
                .filter(|op| matches!(op.name(), "func.call" | "func.call_indirect"))
                .collect(),
        }
    }
}

impl<'c> Window<'c> {
    fn of(allocation: Op<'c>) -> Option<Self> {
        let (first, end) = window_of(allocation)?;
        let value = allocation.result(0);
        let space = MemRef::of(value.ty())?.space()?;
        Some(Self {
            value,
            space,
            first,
            end,
        })
    }

    /// The bytes that both have, if there are any.
    fn common(&self, other: &Self) -> Option<(u64, u64)> {
        let (first, end) = (self.first.max(other.first), self.end.min(other.end));
        (self.space == other.space && first < end).then_some((first, end))
    }
}

/// Tells whether each read of a function sees bytes of its own buffer, and reports those that may not.
fn check(function: &Function<'_>, device: &Device) -> bool {
    let Function { op, windows, .. } = function;
    if windows.is_empty() || op.body().is_none() {
        return true;
    }
    let (found, overrun) = (clobbered(*op, device), overruns(*op, device));
    let names = Names::of(*op);
    for clobber in &found {
        report(clobber, windows, &names);
    }
    for overrun in &overrun {
        report_overrun(overrun, &names);
    }
    let handed: Vec<_> = windows
        .iter()
        .filter_map(|window| Some((window, handed_on(window.value.defining_op()?)?)))
        .collect();
    for (window, by) in &handed {
        report_handed_on(window, *by, &names);
    }
    let holds = found.is_empty() && overrun.is_empty() && handed.is_empty();
    if holds {
        let pairs = windows.iter().enumerate().flat_map(|(at, one)| {
            let others = windows[at + 1..].iter();
            others.filter_map(|other| one.common(other))
        });
        let pairs = pairs.count();
        Remark::new(*op, RemarkKind::Passed, PASS, "proven")
            .message(format!(
                "{} buffers at addresses, {pairs} pairs share bytes",
                windows.len()
            ))
            .metric("Buffers", windows.len())
            .metric("Pairs", pairs)
            .emit();
    }
    holds
}

fn report_handed_on<'c>(window: &Window<'c>, by: Op<'c>, names: &Names<'c>) {
    let name = names.name(window.value);
    let message = format!(
        "hands {name} to later iterations, which make it again at the same address; allocate it before the loop, or \
         give it no address"
    );
    let notes: Vec<Note<'_>> = placed(window, names).into_iter().collect();
    error(by, &message, &notes);
}

fn report_overrun<'c>(overrun: &Overrun<'c>, names: &Names<'c>) {
    let Overrun {
        read,
        write,
        ring,
        slots,
        ahead,
    } = *overrun;
    let name = names.name(ring);
    let message = format!(
        "{} reads a version of {name} whose slot has one that is later by {ahead}; with {slots} slots it may be later \
         by {}, so give it more slots, or read earlier",
        read.name(),
        slots - 1
    );
    let notes = [note(write, format!("{} writes the later version here", write.name()))];
    error(read, &message, &notes);
}

fn report<'c>(clobber: &Clobber<'c>, windows: &[Window<'c>], names: &Names<'c>) {
    let window = |value: Value<'c>| windows.iter().find(|window| window.value == value);
    let (Some(own), Some(other)) = (window(clobber.buffer), window(clobber.other)) else {
        return;
    };
    let (name, other_name) = (names.name(clobber.buffer), names.name(clobber.other));
    let common = both_have(own, other);
    let read = clobber.read.name();
    let remedy = "give one of them another address, or none";
    let message = match clobber.write {
        Some(_) => format!("{read} reads {name}, and may see bytes of {other_name}: {common}; {remedy}"),
        None => format!(
            "{name} is not followed through {read}, so it may be read when its bytes are those of {other_name}: \
             {common}; {remedy}"
        ),
    };
    let mut notes: Vec<Note<'c>> = Vec::new();
    notes.extend(
        clobber
            .write
            .map(|write| note(write, format!("{} writes {other_name} here", write.name()))),
    );
    notes.extend([own, other].into_iter().filter_map(|window| placed(window, names)));
    error(clobber.read, &message, &notes);
}

/// The bytes of a buffer, at its allocation.
fn placed<'c>(window: &Window<'c>, names: &Names<'c>) -> Option<Note<'c>> {
    let (first, last) = (window.first, window.end.saturating_sub(1));
    let text = format!(
        "{} has bytes {first} to {last} of {}",
        names.name(window.value),
        window.space
    );
    Some(note(window.value.defining_op()?, text))
}

fn both_have(one: &Window<'_>, other: &Window<'_>) -> String {
    let (first, end) = one.common(other).unwrap_or_default();
    format!("both have bytes {first} to {} of {}", end.saturating_sub(1), one.space)
}

/// Tells whether a function has bytes to itself while those that it calls run, and reports the first call after which
/// it may not.
fn check_calls(functions: &[Function<'_>], at: usize) -> bool {
    let function = &functions[at];
    for call in &function.calls {
        for callee in called_by(functions, *call) {
            let callee = &functions[callee];
            for own in &function.windows {
                let Some(other) = callee.windows.iter().find(|other| own.common(other).is_some()) else {
                    continue;
                };
                let (names, callee_names) = (Names::of(function.op), Names::of(callee.op));
                let message = format!(
                    "@{} runs within this call, and its {} may overwrite {}: {}; give one of them another address, or \
                     inline the call",
                    callee.op.function_name(),
                    callee_names.name(other.value),
                    names.name(own.value),
                    both_have(own, other)
                );
                let notes: Vec<Note<'_>> = placed(own, &names)
                    .into_iter()
                    .chain(placed(other, &callee_names))
                    .collect();
                error(*call, &message, &notes);
                return false;
            }
        }
    }
    true
}

/// The functions that may run within a call; after a call whose callee is a value, each one.
fn called_by(functions: &[Function<'_>], call: Op<'_>) -> BTreeSet<usize> {
    let callees = |call: Op<'_>| -> Vec<usize> {
        let name = call.attr("callee").and_then(attr::as_symbol);
        let is_callee = |at: &usize| name.is_none_or(|name| functions[*at].op.function_name() == name);
        (0..functions.len()).filter(is_callee).collect()
    };
    let mut all = BTreeSet::new();
    let mut open = callees(call);
    while let Some(at) = open.pop() {
        if all.insert(at) {
            open.extend(functions[at].calls.iter().flat_map(|call| callees(*call)));
        }
    }
    all
}
