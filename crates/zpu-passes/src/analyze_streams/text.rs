//! Verdicts and sizes in words.

use zpu_ir::{Names, ty};
use zpu_stream::plan::blocks;
use zpu_stream::projection::{Class, LayoutTriple};
use zpu_stream::verdict::Sizes;

use crate::streams::Decided;

/// The facts that all texts of a function need.
pub(super) struct Printer<'c> {
    pub(super) names: Names<'c>,
    pub(super) print_projection: bool,
}

impl<'c> Printer<'c> {
    /// One edge: what it needs, or why it cannot be.
    pub(super) fn edge(&self, decided: &Decided<'c>, at: usize) -> String {
        let (edge, consumer) = (&decided.answer.edges[at], &decided.stream.fork.consumers[at]);
        let mut text = format!("{}: {}", self.names.name(decided.stream.tensor), edge.verdict);
        if let Some(reason) = &edge.reason {
            text += &format!(", {}: {reason}", decided.stream.consumers[at].op.name());
        }
        if let Some(sizes) = &edge.sizes {
            text += &format!(", {}", self.sizes(decided, sizes));
        }
        if let Some(gate) = consumer.gate {
            let loops = match gate.prefix {
                0 => "all of it".to_owned(),
                1 => "1 loop".to_owned(),
                prefix => format!("{prefix} loops"),
            };
            text += &format!("; waits for consumer {}, {loops}", gate.on.0);
        }
        if self.print_projection {
            let class = Class::of(edge.verdict).map_or("no class", Class::name);
            let (write, read) = (
                LayoutTriple::of(&decided.stream.fork.producer),
                LayoutTriple::of(&consumer.order),
            );
            text += &format!("; {class}; written with {write}; read with {read}");
        }
        text
    }

    /// One buffer for all consumers, against one for each group; nothing for a single consumer.
    pub(super) fn shared(&self, decided: &Decided<'c>) -> Option<String> {
        let answer = &decided.answer;
        if answer.edges.len() < 2 {
            return None;
        }
        let name = self.names.name(decided.stream.tensor);
        let group = |group: &Vec<zpu_stream::fork::ConsumerId>| {
            let ids: Vec<String> = group.iter().map(|id| id.0.to_string()).collect();
            format!("{{{}}}", ids.join(", "))
        };
        let groups: Vec<String> = answer.groups.iter().map(group).collect();
        let mut text = format!(
            "{name}: {} consumers in groups {}",
            answer.edges.len(),
            groups.join(" ")
        );
        if let Some(shared) = &answer.shared {
            text += &format!(
                "; one buffer for all: {}, {}",
                shared.verdict,
                self.sizes(decided, &shared.sizes)
            );
            if answer.groups.len() > 1 {
                let taken = if shared.is_smaller() { "one for all" } else { "one each" };
                let separate = self.elements(decided, shared.separate);
                text += &format!("; one for each group: {separate}; smaller: {taken}");
            }
        }
        Some(text)
    }

    fn sizes(&self, decided: &Decided<'c>, sizes: &Sizes) -> String {
        let size = |size: u128| match self.bytes(decided, size) {
            Some(bytes) => format!("{size} ({bytes})"),
            None => size.to_string(),
        };
        let place = sizes
            .modulo_shape
            .iter()
            .fold(1u128, |product, &n| product.saturating_mul(n.unsigned_abs().into()));
        let bytes_of = |size: u128| {
            self.bytes(decided, size)
                .map_or(String::new(), |bytes| format!(" ({bytes})"))
        };
        format!(
            "{} at least, ring {}, 2 blocks of {}{}, in place {}{}, {}",
            self.elements(decided, sizes.min_capacity),
            size(sizes.circular_span),
            shape(&sizes.block_shape),
            bytes_of(blocks(sizes, 2)),
            shape(&sizes.modulo_shape),
            bytes_of(place),
            if sizes.is_exact { "exact" } else { "upper bound" }
        )
    }

    /// `25 elements (100 bytes)`.
    fn elements(&self, decided: &Decided<'c>, size: u128) -> String {
        let unit = if size == 1 { "element" } else { "elements" };
        match self.bytes(decided, size) {
            Some(bytes) => format!("{size} {unit} ({bytes})"),
            None => format!("{size} {unit}"),
        }
    }

    fn bytes(&self, decided: &Decided<'c>, size: u128) -> Option<String> {
        let element = ty::element_bytes(ty::element(decided.stream.tensor.ty())?)?;
        let bytes = size.checked_mul(element.into())?;
        const KIB: u128 = 1024;
        Some(match bytes {
            _ if bytes >= KIB * KIB && bytes % (KIB * KIB) == 0 => format!("{} MiB", bytes / KIB / KIB),
            _ if bytes >= KIB && bytes % KIB == 0 => format!("{} KiB", bytes / KIB),
            1 => "1 byte".to_owned(),
            _ => format!("{bytes} bytes"),
        })
    }
}

/// `5x7`; of a tensor without dimensions `1`.
fn shape(extents: &[i64]) -> String {
    if extents.is_empty() {
        return "1".to_owned();
    }
    let extents: Vec<String> = extents.iter().map(ToString::to_string).collect();
    extents.join("x")
}

/// Sizes by name, in elements, for programs.
pub(super) fn metrics(sizes: &Sizes) -> Vec<(&'static str, String)> {
    let bound = |is_exact: bool| if is_exact { "exact" } else { "upper" };
    vec![
        ("min_capacity", sizes.min_capacity.to_string()),
        ("retained", sizes.retained.to_string()),
        ("circular_span", sizes.circular_span.to_string()),
        ("epochs", sizes.epochs.to_string()),
        ("block_shape", shape(&sizes.block_shape)),
        ("modulo_shape", shape(&sizes.modulo_shape)),
        ("bound", bound(sizes.is_exact).to_owned()),
        ("modulo_bound", bound(sizes.is_modulo_exact).to_owned()),
    ]
}
