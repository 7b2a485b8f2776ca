//! `zpu-analyze-streams`: says which tensors stream from producer to consumer, and how much the others must hold.
//!
//! Needs no device. Writes the annotation `zpu.streams` on each operation that makes a tensor which the function itself
//! writes and reads, takes off the annotations of an earlier run, and changes nothing else. Each consumer gets a
//! remark, and so does a tensor whose orders cannot be derived.
//!
//! ```mlir
//! %a = memref.alloc() : memref<5x7xf32>                 // zpu.streams = [#zpu.stream<verdict = REORDER_FULL, ...>]
//! linalg.copy ins(%x : memref<5x7xf32>) outs(%a : memref<5x7xf32>)
//! linalg.transpose ins(%a : memref<5x7xf32>) outs(%y : memref<7x5xf32>) permutation = [1, 0]
//!   // remark: %a: REORDER_FULL, 25 elements (100 bytes) at least, ring 28 (112 bytes), ...
//! ```
//!
//! Leaves to `zpu-verify-streams` whether the annotations still hold later.

mod text;

use zpu_ir::options::AnalyzeStreamsOptions;
use zpu_ir::stream::{self, Record};
use zpu_ir::{Names, Op, PassResult, Remark, RemarkKind, annotation, attr};

use crate::streams::{Decided, Tensor, decided, limits};
use text::Printer;

const PASS: &str = "zpu-analyze-streams";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, options: &AnalyzeStreamsOptions) -> PassResult {
    let limits = limits(function, options.max_accesses)?;
    let tensors = decided(function, limits);
    for op in function.walk() {
        op.remove_attr(annotation::STREAMS);
    }
    annotate(&tensors);
    if tensors.is_empty() {
        return Ok(());
    }
    let printer = Printer {
        names: Names::of(function),
        print_projection: options.print_projection,
    };
    for tensor in &tensors {
        match &tensor.decided {
            Ok(decided) => report(decided, &printer),
            Err(decline) => {
                let message = format!("{}: no order: {}", printer.names.name(tensor.value), decline.message);
                let remark = Remark::new(decline.at, RemarkKind::Missed, PASS, decline.reason);
                remark.message(message).emit();
            }
        }
    }
    Ok(())
}

/// Writes the annotations; one operation may make several tensors.
fn annotate(tensors: &[Tensor<'_>]) {
    let mut lists: Vec<(Op<'_>, Vec<Record>)> = Vec::new();
    for decided in tensors.iter().filter_map(|tensor| tensor.decided.as_ref().ok()) {
        let Some(maker) = decided.stream.tensor.defining_op() else {
            continue;
        };
        match lists.last_mut() {
            Some((op, list)) if *op == maker => list.extend(decided.records(list.len())),
            _ => lists.push((maker, decided.records(0))),
        }
    }
    for (maker, records) in lists {
        let context = maker.context();
        let entries = records.iter().map(|record| stream::record(context, record));
        // Sizes that do not fit were declined.
        if let Some(entries) = entries.collect::<Option<Vec<_>>>() {
            maker.set_attr(annotation::STREAMS, attr::array(context, &entries));
        }
    }
}

fn report<'c>(decided: &Decided<'c>, printer: &Printer<'c>) {
    let consumers = decided.stream.consumers.iter().zip(&decided.answer.edges).enumerate();
    for (at, (consumer, edge)) in consumers {
        let name = if edge.sizes.is_some() { "stream" } else { "incompatible" };
        let mut remark = Remark::new(consumer.op, RemarkKind::Analysis, PASS, name)
            .message(printer.edge(decided, at))
            .metric("verdict", edge.verdict);
        if let Some(class) = zpu_stream::projection::Class::of(edge.verdict) {
            remark = remark.metric("class", class.name());
        }
        for (key, value) in edge.sizes.iter().flat_map(text::metrics) {
            remark = remark.metric(key, value);
        }
        remark.emit();
    }
    if let (Some(maker), Some(message)) = (decided.stream.tensor.defining_op(), printer.shared(decided)) {
        let mut remark = Remark::new(maker, RemarkKind::Analysis, PASS, "shared-buffer").message(message);
        if let Some(shared) = &decided.answer.shared {
            remark = remark.metric("separate", shared.separate);
            for (key, value) in text::metrics(&shared.sizes) {
                remark = remark.metric(key, value);
            }
        }
        remark.emit();
    }
}
