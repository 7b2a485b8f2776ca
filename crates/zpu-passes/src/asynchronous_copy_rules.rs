//! The three rules by which ALCOP chooses buffers for a pipeline of asynchronous copies (Huang et al., MLSys 2023), for
//! readers who know them: `zpu-print-pipelining-candidates` says them beside its own, which are others.
//!
//! 1. An asynchronous copy of memory fills the buffer.
//! 2. The loop is sequential, and each iteration fills the buffer and uses it.
//! 3. Buffers that the hardware synchronises together, by one barrier, are used at the same places.
//!
//! Tokens are one for each command, so the third rule is for barrier ids alone: buffers of one id are a scope.

use zpu_device::Device;
use zpu_ir::ops::DmaStart;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Op, Value};

use zpu_analysis::body::{Decline, sync_engine};
use zpu_analysis::privatizable::{Life, Touch, Touched};

/// Says of each rule whether a buffer of a loop keeps it, or why not. `copied` finds the source of a copy.
pub(crate) fn text<'c>(
    touched: &Touched<'c>,
    root: Value<'c>,
    life: &Result<Life, Decline<'c>>,
    device: Option<&Device>,
    copied: fn(Op<'c>) -> Option<Value<'c>>,
) -> String {
    let fills = touched.touches(root).iter().filter(|touch| !touch.writes.is_empty());
    let copy = fills.clone().find_map(|touch| no_copy(touch, root, device, copied));
    let copy = copy.or_else(|| {
        fills
            .clone()
            .next()
            .is_none()
            .then(|| "nothing fills it here".to_owned())
    });
    let used = match life {
        Ok(Life::Iteration) => None,
        Ok(Life::After) => Some("it is used after the loop".to_owned()),
        Err(decline) => Some(decline.reason.to_owned()),
    };
    let rules = [
        ("asynchronous copy", copy),
        ("load and use", used),
        ("barrier scope", shared_id(touched, root)),
    ];
    let said = rules.map(|(rule, broken)| match broken {
        None => format!("{rule}: yes"),
        Some(why) => format!("{rule}: no, {why}"),
    });
    format!("rules of ALCOP: {}", said.join("; "))
}

/// The reason why what fills a buffer is no asynchronous copy.
fn no_copy<'c>(
    touch: &Touch<'c>,
    root: Value<'c>,
    device: Option<&Device>,
    copied: fn(Op<'c>) -> Option<Value<'c>>,
) -> Option<String> {
    let source = copied(touch.op).or_else(|| (touch.op.is(DmaStart::NAME)).then(|| touch.op.operand(0)));
    let Some(source) = source else {
        return Some(format!("{} fills it", touch.op.name()));
    };
    let device = device?;
    let started = || ty::token_engine(touch.command.results().first()?.ty());
    let engine = sync_engine(touch.command).or_else(started);
    if let Some(engine) = engine {
        let holds = device.engine(engine).is_some_and(|engine| engine.blocking);
        return holds.then(|| format!("@{engine} holds the control stream"));
    }
    let space = |value: Value<'c>| MemRef::of(value.ty()).and_then(|memref| memref.space());
    let (from, to) = (space(source)?, space(root)?);
    let engines = device.engines_for_route(from, to);
    engines
        .iter()
        .all(|engine| engine.blocking)
        .then(|| format!("no engine copies from {from} to {to} beside the control stream"))
}

/// The reason why a buffer is not synchronised alone, and not used where the others of its barrier id are.
fn shared_id<'c>(touched: &Touched<'c>, root: Value<'c>) -> Option<String> {
    let id = id_of(touched, root)?;
    let others = touched.roots.iter().filter(|other| **other != root);
    let mut scope = others.filter(|other| id_of(touched, **other).is_some_and(|other| is_same(other, id)));
    let other = scope.find(|other| uses(touched, **other) != uses(touched, root))?;
    Some(format!("{} has its barrier id and is used elsewhere", other.ty()))
}

/// The barrier id of the transfer that fills a buffer.
fn id_of<'c>(touched: &Touched<'c>, root: Value<'c>) -> Option<Value<'c>> {
    let mut fills = touched.touches(root).iter().filter(|touch| !touch.writes.is_empty());
    fills.find_map(|touch| {
        let operands = touch.op.operands();
        touch.op.is(DmaStart::NAME).then(|| operands.get(2).copied()).flatten()
    })
}

fn is_same(one: Value<'_>, other: Value<'_>) -> bool {
    one == other || one.as_constant_int().is_some() && one.as_constant_int() == other.as_constant_int()
}

/// The first command that reads a buffer, and the last one.
fn uses<'c>(touched: &Touched<'c>, root: Value<'c>) -> Option<(Op<'c>, Op<'c>)> {
    let mut reads = touched.touches(root).iter().filter(|touch| !touch.reads.is_empty());
    let first = reads.next()?.command;
    Some((first, reads.next_back().map_or(first, |touch| touch.command)))
}
