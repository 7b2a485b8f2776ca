//! The remarks of the pass.

use zpu_analysis::tensor_layout::{Alternative, Kind};
use zpu_ir::{Op, Remark, RemarkKind};
use zpu_stream::layout::Assignment;

use super::PASS;
use super::choices::Choices;
use super::graph::Graph;
use super::plan::Plan;

/// Says which structured operations keep the order of their types, and why.
pub(super) fn fixed(graph: &Graph<'_>) {
    for (op, fixed) in &graph.fixed {
        Remark::new(*op, RemarkKind::Missed, PASS, fixed.reason)
            .message(fixed.message)
            .emit();
    }
}

/// Says what the conversions of a block cost: now, as the program is written, and by majority vote.
pub(super) fn summary(
    function: Op<'_>,
    graph: &Graph<'_>,
    plan: &Plan,
    vote: &Assignment,
    found: &Assignment,
    is_better: bool,
) {
    let (bytes, conversions) = (plan.bytes, plan.conversions());
    let (written, voted) = (graph.as_written, vote.cost);
    let is_proven = found.is_proven || bytes == 0;
    let certainty = if is_proven {
        "the fewest possible"
    } else {
        "not proven to be the fewest"
    };
    let (kind, name, text) = if is_better {
        (RemarkKind::Passed, "assigned", "conversions move")
    } else {
        (
            RemarkKind::Analysis,
            "as-written",
            "nothing is changed: conversions would move",
        )
    };
    Remark::new(function, kind, PASS, name)
        .message(format!(
            "{text} {bytes} bytes, {certainty}; {written} as written, {voted} by majority vote"
        ))
        .metric("Bytes", bytes)
        .metric("Conversions", conversions)
        .metric("AsWritten", written)
        .metric("MajorityVote", voted)
        .metric("Proven", is_proven)
        .emit();
}

/// Says for each tensor what its producer and its consumers prefer, and what it has; and what conversions move.
pub(super) fn tensors(function: Op<'_>, graph: &Graph<'_>, choices: &Choices, plan: &Plan) {
    let wanted = wanted(graph, choices);
    for (at, tensor) in graph.tensors.iter().enumerate() {
        // What no one reads has no layout to speak of.
        if wanted[at].is_empty() {
            continue;
        }
        let place = tensor.value.defining_op().unwrap_or(function);
        let producer = match tensor.producer {
            Some(form) if graph.forms[form].form.is_transparent() => "any".to_owned(),
            Some(form) => text(choices.of_forms[form][0].result()),
            None => text(&(0..tensor.ty.shape.len()).collect::<Vec<_>>()),
        };
        let (consumers, current) = (wanted[at].join(", "), text(&plan.written[at]));
        let shape: Vec<String> = tensor
            .ty
            .shape
            .iter()
            .map(|size| size.unwrap_or(0).to_string())
            .collect();
        Remark::new(place, RemarkKind::Analysis, PASS, "layout")
            .message(format!(
                "tensor of {}: expected producer layout {producer}, expected consumer layouts {consumers}, current \
                 layout {current}",
                shape.join("x")
            ))
            .metric("Producer", producer)
            .metric("Consumers", consumers)
            .metric("Current", current)
            .emit();
        for order in &plan.converted[at] {
            let (from, to) = (text(&plan.written[at]), text(order));
            Remark::new(place, RemarkKind::Passed, PASS, "conversion")
                .message(format!("converted from {from} to {to}: {} bytes", tensor.bytes))
                .metric("From", from)
                .metric("To", to)
                .metric("Bytes", tensor.bytes)
                .emit();
        }
    }
}

/// For each tensor the layouts that its readers prefer, under the names of its producer, each once.
fn wanted(graph: &Graph<'_>, choices: &Choices) -> Vec<Vec<String>> {
    let mut wanted: Vec<Vec<String>> = vec![Vec::new(); graph.tensors.len()];
    let mut add = |tensor: usize, text: String| {
        if !wanted[tensor].contains(&text) {
            wanted[tensor].push(text);
        }
    };
    for (node, alternatives) in graph.forms.iter().zip(&choices.of_forms) {
        for (place, view) in node.views.iter().enumerate() {
            let Some(view) = view else { continue };
            let order = |alternative: &Alternative| text(&view.order_of_tensor(&alternative.orders[place]));
            let text = match node.form.kind {
                Kind::Elementwise => "any".to_owned(),
                Kind::Loops => order(&alternatives[0]),
                // The maps of a product absorb all of them alike.
                Kind::Product => {
                    let mut all: Vec<String> = alternatives.iter().map(order).collect();
                    all.sort_unstable();
                    all.dedup();
                    all.join(" or ")
                }
            };
            add(view.tensor, text);
        }
    }
    for used in &graph.uses {
        add(used.view.tensor, text(&used.view.dims));
    }
    wanted
}

/// An order as text: dimensions by their numbers, outermost first.
fn text(order: &[usize]) -> String {
    let numbers: Vec<String> = order.iter().map(usize::to_string).collect();
    format!("[{}]", numbers.join(", "))
}
