//! The meaning of a solution: the order of each tensor, and the conversions.

use zpu_analysis::tensor_layout::{Alternative, Order};

use super::choices::Choices;
use super::graph::Graph;

/// The layouts of a block.
pub(super) struct Plan {
    /// The alternative of each form.
    pub(super) forms: Vec<Alternative>,
    /// The order that each tensor is written in.
    pub(super) written: Vec<Order>,
    /// Other orders that it is read in, by the order of the first reader.
    pub(super) converted: Vec<Vec<Order>>,
    /// Bytes that conversions move.
    pub(super) bytes: u128,
}

impl Plan {
    /// The plan of a choice for each operation of the problem.
    pub(super) fn of(graph: &Graph<'_>, choices: &Choices, choice: &[usize]) -> Self {
        let mut forms = Vec::with_capacity(graph.forms.len());
        for (node, alternatives) in graph.forms.iter().zip(&choices.of_forms) {
            forms.push(alternatives[choice[node.result]].clone());
        }
        let order = |(at, tensor): (usize, &super::graph::Tensor<'_>)| match tensor.producer {
            Some(form) => forms[form].result().clone(),
            None => (0..graph.tensors[at].ty.shape.len()).collect(),
        };
        let written: Vec<Order> = graph.tensors.iter().enumerate().map(order).collect();
        let mut converted: Vec<Vec<Order>> = vec![Vec::new(); written.len()];
        let mut want = |tensor: usize, order: Order| {
            if order != written[tensor] && !converted[tensor].contains(&order) {
                converted[tensor].push(order);
            }
        };
        for (node, alternative) in graph.forms.iter().zip(&forms) {
            for (view, order) in node.views.iter().zip(&alternative.orders) {
                if let Some(view) = view {
                    want(view.tensor, view.order_of_tensor(order));
                }
            }
        }
        for used in &graph.uses {
            want(used.view.tensor, used.view.dims.clone());
        }
        let bytes = graph.tensors.iter().zip(&converted);
        let bytes = bytes.map(|(tensor, orders)| u128::from(tensor.bytes) * orders.len() as u128);
        Self {
            bytes: bytes.sum(),
            forms,
            written,
            converted,
        }
    }

    /// The number of conversions.
    pub(super) fn conversions(&self) -> usize {
        self.converted.iter().map(Vec::len).sum()
    }
}
