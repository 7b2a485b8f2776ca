//! Remarks and errors.

use zpu_analysis::command::sync_engine;
use zpu_analysis::liveness::Liveness;
use zpu_device::Device;
use zpu_ir::{Names, Note, Op, Place, Remark, RemarkKind, error, note};
use zpu_sched::memory::Cause;

use super::PASS;
use super::banks::Apart;
use super::problem::{Planned, Unfit};
use super::sharing::pinned;
use super::trial::Cost;

/// Most commands that an error lists.
const LISTED: usize = 4;

/// Buffers of a size that is not constant.
pub(super) fn unplanned(function: Op<'_>, lives: &Liveness<'_>) {
    for unplanned in &lives.unplanned {
        let message = format!(
            "the buffer gets no address, since its size or layout is not constant; it has what the plan of @{} leaves \
             of {}",
            function.function_name(),
            unplanned.space
        );
        Remark::new(unplanned.op, RemarkKind::Missed, PASS, "dynamic-size")
            .message(message)
            .metric("Space", unplanned.space)
            .emit();
    }
}

/// A function that calls or is called.
pub(super) fn calls(function: Op<'_>, call: Op<'_>) {
    let message = "the function calls another one or is called, and the buffers of both would be in one memory; inline \
                   the call to have its buffers planned";
    Remark::new(function, RemarkKind::Missed, PASS, "calls")
        .message(format!("{message}{}", line(call)))
        .emit();
}

/// A function that starts commands.
pub(super) fn asynchronous(function: Op<'_>) {
    Remark::new(function, RemarkKind::Missed, PASS, "asynchronous")
        .message("the function already starts or waits for commands; plan its memory before its waits are put in")
        .emit();
}

/// A function with a buffer that outlives the iteration in which it is made.
pub(super) fn handed_on(function: Op<'_>, allocation: Op<'_>, by: Op<'_>) {
    let message = "a loop hands a buffer to later iterations, which make it again, so that it has no single address; \
                   allocate two buffers before the loop and swap them to have the memory planned";
    Remark::new(function, RemarkKind::Missed, PASS, "handed-on")
        .message(format!("{message}{}{}", line(allocation), line(by)))
        .emit();
}

/// A function whose waits were not compared.
pub(super) fn not_tried(function: Op<'_>, reason: &str) {
    Remark::new(function, RemarkKind::Missed, PASS, "not-tried")
        .message(format!(
            "no buffers share bytes, since a copy with waits is not there to tell the cost: {reason}"
        ))
        .emit();
}

/// Sharing that costs something, without which the buffers do not fit.
pub(super) fn costs(function: Op<'_>, without: &Cost, with: &Cost) {
    let long = |cost: &Cost| cost.cycles.iter().flatten().last().copied().unwrap_or(0);
    let message = format!(
        "the buffers fit only if some share bytes at a cost: {} waits in the code instead of {}, {} cycles of the \
         longest run instead of {} in a memory that has room",
        with.waits,
        without.waits,
        long(with),
        long(without)
    );
    Remark::new(function, RemarkKind::Passed, PASS, "costs")
        .message(message)
        .metric("Waits", with.waits)
        .metric("WaitsWithRoom", without.waits)
        .metric("Cycles", long(with))
        .metric("CyclesWithRoom", long(without))
        .emit();
}

/// The plan of each memory.
pub(super) fn planned(function: Op<'_>, lives: &Liveness<'_>, chosen: &Planned) {
    for (space, plan) in &chosen.spaces {
        let own = || lives.buffers.iter().filter(|buffer| buffer.space == space);
        let versions: u64 = own().map(|buffer| u64::from(buffer.versions)).sum();
        let proven = if plan.proven {
            "no plan with these lives needs less".to_owned()
        } else {
            format!("at least {} are needed", plan.lower_bound)
        };
        let message = format!(
            "{} bytes of {space}, without sharing {}; {proven}",
            plan.planned, plan.rings
        );
        Remark::new(function, RemarkKind::Passed, PASS, "planned")
            .message(message)
            .metric("Space", space)
            .metric("Buffers", own().count())
            .metric("Versions", versions)
            .metric("Ranges", chosen.ranges(lives, space))
            .metric("Rings", plan.rings)
            .metric("Planned", plan.planned)
            .metric("Bound", plan.lower_bound)
            .metric("Proven", plan.proven)
            .emit();
    }
}

/// Two buffers that the user gave bytes in common, though they are needed at the same time.
pub(super) fn wrong_pins(function: Op<'_>, lives: &Liveness<'_>, (one, other): (usize, usize)) {
    let names = Names::of(function);
    let [first, second] = [one, other].map(|at| pinned(lives, at).unwrap_or(0));
    let [one, other] = [one, other].map(|at| &lives.buffers[at]);
    let place = other.op().unwrap_or(function);
    let message = format!(
        "{} at {} of {} has bytes in common with {} at {}, and both are needed at the same time; give one of them \
         another address, or none",
        names.name(other.value),
        second,
        other.space,
        names.name(one.value),
        first
    );
    let notes: Vec<Note<'_>> = one
        .op()
        .map(|op| note(op, "the other buffer".to_owned()))
        .into_iter()
        .collect();
    error(place, &message, &notes);
}

/// Buffers that do not fit into their memory.
pub(super) fn does_not_fit(
    function: Op<'_>,
    lives: &Liveness<'_>,
    unfit: &Unfit,
    device: &Device,
    apart: &[Apart<'_>],
) {
    let names = Names::of(function);
    let space = &unfit.space;
    let found = &unfit.explanation;
    let members = |block: usize| unfit.blocks[block].iter();
    let name = |block: usize| {
        let each = members(block).map(|member| names.name(lives.buffers[*member].value));
        each.collect::<Vec<_>>().join(" and ")
    };
    let cause = match found.cause {
        Cause::Load => format!("{} bytes are needed at one place", found.load),
        Cause::Fragmentation => format!(
            "no place needs more than {} bytes, but alignment{} and addresses that are given leave gaps",
            found.load,
            if apart.is_empty() { "" } else { ", banks" }
        ),
        Cause::Unknown => "no plan with fewer bytes was found".to_owned(),
    };
    let message = format!(
        "the buffers need {} bytes of {space}, @{} has {}; {cause}; {}",
        unfit.planned,
        device.name,
        found.capacity,
        remedy(lives, unfit)
    );
    let mut notes: Vec<Note<'_>> = Vec::new();
    for (block, bytes) in &found.alive {
        let kind = if found.subset.contains(block) {
            ""
        } else {
            ", not needed for the reason"
        };
        for member in members(block.index()) {
            if let Some(op) = lives.buffers[*member].op() {
                let text = format!("{} takes {bytes} bytes there{}{kind}", name(block.index()), line(op));
                notes.push(note(op, text));
            }
        }
    }
    if found.irreducible && !found.subset.is_empty() {
        let each = found.subset.iter().map(|block| name(block.index()));
        let text = format!(
            "{} alone do not fit, and without any one of these the others do",
            each.collect::<Vec<_>>().join(", ")
        );
        notes.push(note(function, text));
    }
    let is_here = |apart: &&Apart<'_>| lives.buffers[apart.pair.0].space == unfit.space;
    for apart in apart.iter().filter(is_here).take(LISTED) {
        notes.push(note(apart.command, apart_text(&names, lives, apart)));
    }
    error(function, &message, &notes);
}

/// A command that needs two buffers in different banks, in words.
fn apart_text(names: &Names<'_>, lives: &Liveness<'_>, apart: &Apart<'_>) -> String {
    let (one, other) = (&lives.buffers[apart.pair.0], &lives.buffers[apart.pair.1]);
    format!(
        "@{} needs {} and {} in different banks of {}{}",
        sync_engine(apart.command).unwrap_or_default(),
        names.name(one.value),
        names.name(other.value),
        one.space,
        line(apart.command)
    )
}

/// Two buffers that the user put into one bank.
pub(super) fn same_bank(function: Op<'_>, lives: &Liveness<'_>, apart: &Apart<'_>, bank: u64) {
    let names = Names::of(function);
    let message = format!(
        "{}, and their addresses {} and {} are in bank {bank}; give one of them another address, or none",
        apart_text(&names, lives, apart),
        pinned(lives, apart.pair.0).unwrap_or(0),
        pinned(lives, apart.pair.1).unwrap_or(0)
    );
    error(apart.command, &message, &[]);
}

/// A remedy.
fn remedy(lives: &Liveness<'_>, unfit: &Unfit) -> &'static str {
    let mut own = lives.buffers.iter().filter(|buffer| buffer.space == unfit.space);
    if own.any(zpu_analysis::liveness::Buffer::is_ring) {
        "fewer versions (num-stages) or smaller tiles need less"
    } else {
        "smaller tiles need less"
    }
}

fn line(op: Op<'_>) -> String {
    Place::of(op.loc()).map_or_else(String::new, |place| format!(" (line {})", place.line))
}
