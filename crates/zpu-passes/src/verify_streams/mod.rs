//! `zpu-verify-streams`: derives the verdicts of all annotations `zpu.streams` anew, replays the accesses to all
//! buffers with `zpu.buffer`, and reports what no longer holds.
//!
//! Needs no device and changes nothing. A function whose annotations all hold passes; any other is an error at the
//! operation that makes the tensor, with a note at the consumer, or at the allocation, with a note at the access.

mod buffers;

use zpu_ir::options::VerifyStreamsOptions;
use zpu_ir::stream::{Record, as_record};
use zpu_ir::{Failed, Note, Op, PassResult, annotation, attr, error, note, warning};
use zpu_stream::verdict::Sizes;
use zpu_stream::{Limits, have_same_events};

use crate::streams::{Decided, Tensor, decided, limits};

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &VerifyStreamsOptions) -> PassResult {
    let limits = limits(function, options.max_accesses)?;
    let mut holds = true;
    for op in function.find_all("memref.alloc") {
        holds &= !op.has_attr(annotation::BUFFER) || buffers::check(op, limits.accesses.into());
    }
    let annotated: Vec<Op<'_>> = function
        .walk()
        .into_iter()
        .filter(|op| op.has_attr(annotation::STREAMS))
        .collect();
    let tensors = if annotated.is_empty() {
        Vec::new()
    } else {
        decided(function, limits)
    };
    for op in annotated {
        let own: Vec<&Tensor<'_>> = tensors
            .iter()
            .filter(|tensor| tensor.value.defining_op() == Some(op))
            .collect();
        holds &= check(op, &own, limits);
    }
    if holds { Ok(()) } else { Err(Failed) }
}

/// Tells whether the annotation of one operation holds, and reports it if not.
fn check<'c>(op: Op<'c>, tensors: &[&Tensor<'c>], limits: Limits) -> bool {
    let entries = op
        .attr(annotation::STREAMS)
        .and_then(attr::as_array)
        .unwrap_or_default();
    let Some(records) = entries.into_iter().map(as_record).collect::<Option<Vec<Record>>>() else {
        error(
            op,
            "'zpu.streams' has an order with a map that divides by what is no number",
            &[],
        );
        return false;
    };
    if tensors.is_empty() {
        error(
            op,
            "'zpu.streams' is about a tensor that the function does not both write and read",
            &[],
        );
        return false;
    }
    let mut first = 0;
    for tensor in tensors {
        let decided = match &tensor.decided {
            Ok(decided) => decided,
            Err(decline) => {
                let note = note(decline.at, decline.message.clone());
                error(
                    op,
                    "'zpu.streams' is about a tensor whose orders are not known any more",
                    &[note],
                );
                return false;
            }
        };
        let expected = decided.records(first);
        for (at, expected) in expected.iter().enumerate() {
            let Some(recorded) = records.get(first + at) else { break };
            if !holds(op, decided, at, recorded, expected, limits) {
                return false;
            }
        }
        first += expected.len();
    }
    if records.len() != first {
        let message = format!("'zpu.streams' has {} entries, must have {first}", records.len());
        error(op, &message, &[]);
    }
    records.len() == first
}

/// Tells whether one entry says what was derived.
fn holds(op: Op<'_>, decided: &Decided<'_>, at: usize, recorded: &Record, expected: &Record, limits: Limits) -> bool {
    let (edge, notes): (String, Vec<Note<'_>>) = match decided.stream.consumers.get(at) {
        Some(consumer) => (
            format!("the edge to consumer {at}"),
            vec![note(consumer.op, "this is the consumer")],
        ),
        None => ("the buffer for all consumers".to_owned(), Vec::new()),
    };
    let shape = &decided.stream.fork.tensor;
    let is_same = |one: &zpu_stream::order::Order, other: &zpu_stream::order::Order| {
        one.check(shape).is_ok() && have_same_events(one, other, shape, limits.accesses)
    };
    let differs = if !may_be(recorded.verdict, expected.verdict, bounds(recorded, expected)) {
        Some(format!(
            "says {} of {edge}, it is {}",
            recorded.verdict, expected.verdict
        ))
    } else if recorded.read.is_some() != expected.read.is_some() || recorded.result != expected.result {
        Some(format!("has another entry in the place of {edge}"))
    } else if recorded.gate != expected.gate {
        Some(format!(
            "says that {edge} has {}, it has {}",
            gate(recorded),
            gate(expected)
        ))
    } else if let Some(difference) = difference(recorded.sizes.as_ref(), expected.sizes.as_ref()) {
        Some(format!("says of {edge} that {difference}"))
    } else if !is_same(&recorded.write, &expected.write) {
        Some(format!("has an order of writing for {edge} that is not the producer's"))
    } else {
        match (&recorded.read, &expected.read) {
            (Some(one), Some(other)) if !is_same(one, other) => {
                Some(format!("has an order of reading for {edge} that is not the consumer's"))
            }
            _ => None,
        }
    };
    if let Some(differs) = &differs {
        error(op, &format!("'zpu.streams' {differs}"), &notes);
    } else if is_open(recorded.sizes.as_ref(), expected.sizes.as_ref()) {
        let message = format!("'zpu.streams' says exact sizes of {edge}, which max-accesses does not allow to check");
        warning(op, &message, &notes);
    }
    differs.is_none()
}

fn gate(record: &Record) -> String {
    match record.gate {
        Some((on, prefix)) => format!("the gate [{on}, {prefix}]"),
        None => "no gate".to_owned(),
    }
}

/// True if sizes are given as exact that now are known as bounds only.
fn is_open(recorded: Option<&Sizes>, expected: Option<&Sizes>) -> bool {
    let is_exact = |sizes: Option<&Sizes>| sizes.is_some_and(|sizes| sizes.is_exact && sizes.is_modulo_exact);
    is_exact(recorded) && !is_exact(expected)
}

/// Tells of what is recorded and what is derived whether each is exact; otherwise it is an upper bound.
fn bounds(recorded: &Record, expected: &Record) -> (bool, bool) {
    let is_exact = |record: &Record| record.sizes.as_ref().is_none_or(|sizes| sizes.is_exact);
    (is_exact(recorded), is_exact(expected))
}

/// Tells whether two numbers, or two verdicts, can be of one edge: a bound may be above what is exact.
fn may_be<T: Ord>(recorded: T, expected: T, (is_recorded_exact, is_expected_exact): (bool, bool)) -> bool {
    match (is_recorded_exact, is_expected_exact) {
        (true, true) => recorded == expected,
        (false, true) => recorded >= expected,
        (true, false) => recorded <= expected,
        (false, false) => true,
    }
}

/// The first size that is not what it should be.
fn difference(recorded: Option<&Sizes>, expected: Option<&Sizes>) -> Option<String> {
    let (recorded, expected) = match (recorded, expected) {
        (None, None) => return None,
        (Some(recorded), Some(expected)) => (recorded, expected),
        (Some(_), None) => return Some("it has sizes, it has none".to_owned()),
        (None, Some(_)) => return Some("it has no sizes, it has some".to_owned()),
    };
    let exact = (recorded.is_exact, expected.is_exact);
    let sizes = [
        ("min_capacity", recorded.min_capacity, expected.min_capacity),
        ("retained", recorded.retained, expected.retained),
        ("circular_span", recorded.circular_span, expected.circular_span),
    ];
    for (name, own, other) in sizes {
        if !may_be(own, other, exact) {
            return Some(format!("{name} is {own}, it is {other}"));
        }
    }
    if exact == (true, true) && recorded.epochs != expected.epochs {
        return Some(format!("epochs is {}, it is {}", recorded.epochs, expected.epochs));
    }
    if exact == (true, true) && recorded.block_shape != expected.block_shape {
        let (own, other) = (&recorded.block_shape, &expected.block_shape);
        return Some(format!("block_shape is {own:?}, it is {other:?}"));
    }
    let moduli = (&recorded.modulo_shape, &expected.modulo_shape);
    let volume = |shape: &[i64]| {
        shape
            .iter()
            .fold(1u128, |all, n| all.saturating_mul(n.unsigned_abs().into()))
    };
    let exact = (recorded.is_modulo_exact, expected.is_modulo_exact);
    let fits = match exact {
        (true, true) => moduli.0 == moduli.1,
        _ => may_be(volume(moduli.0), volume(moduli.1), exact),
    };
    (!fits).then(|| format!("modulo_shape is {:?}, it is {:?}", moduli.0, moduli.1))
}
