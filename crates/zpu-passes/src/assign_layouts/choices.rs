//! The ways to carry out each operation, and the problem that they make.
//!
//! Only orders that are around come into question: those of types, and those that operations hand on to their other
//! tensors when they take one of these. An order from nowhere would have to be converted wherever one that is around
//! has to be.

use std::collections::HashMap;

use zpu_analysis::tensor_layout::{Alternative, Order};
use zpu_ir::Op;
use zpu_stream::layout::{self, LayoutId, OpId, Problem};

use super::graph::{Graph, Node, View};

/// The most orders of one tensor. The solver tries all sets of the orders that readers want of a tensor.
const MAX_ORDERS: usize = 8;

/// The choices of a graph.
pub(super) struct Choices {
    /// Alternatives of each form of the graph, the preferred one first.
    pub(super) of_forms: Vec<Vec<Alternative>>,
    /// An operation for each tensor of the graph, then one for each operation with uses in the order of types.
    pub(super) problem: Problem,
}

/// The choices of a graph.
pub(super) fn of(graph: &Graph<'_>) -> Choices {
    let mut around: Vec<Vec<Order>> = graph
        .tensors
        .iter()
        .map(|tensor| vec![(0..tensor.ty.shape.len()).collect()])
        .collect();
    for used in &graph.uses {
        add(&mut around[used.view.tensor], used.view.dims.clone());
    }
    let mut of_forms = vec![Vec::new(); graph.forms.len()];
    // Orders travel along the graph in both directions, so that long chains take two rounds.
    let mut round = 0;
    let mut is_new = true;
    while is_new {
        is_new = false;
        for step in 0..graph.forms.len() {
            let at = if round % 2 == 0 {
                step
            } else {
                graph.forms.len() - 1 - step
            };
            let node = &graph.forms[at];
            let alternatives = node.form.alternatives(&orders_of(node, &around));
            for alternative in &alternatives {
                is_new |= add(&mut around[node.result], alternative.result().clone());
                for (view, order) in node.views.iter().zip(&alternative.orders) {
                    if let Some(view) = view {
                        is_new |= add(&mut around[view.tensor], view.order_of_tensor(order));
                    }
                }
            }
            of_forms[at] = alternatives;
        }
        round += 1;
    }
    for (node, alternatives) in graph.forms.iter().zip(&mut of_forms) {
        // The first one is the operation as it is written, which is always possible.
        let mut is_first = true;
        alternatives.retain(|alternative| std::mem::take(&mut is_first) || is_around(node, alternative, &around));
    }
    Choices {
        problem: problem(graph, &of_forms),
        of_forms,
    }
}

fn add(orders: &mut Vec<Order>, order: Order) -> bool {
    let is_new = orders.len() < MAX_ORDERS && !orders.contains(&order);
    if is_new {
        orders.push(order);
    }
    is_new
}

/// False for an alternative with an order that is one too many.
fn is_around(node: &Node<'_>, alternative: &Alternative, around: &[Vec<Order>]) -> bool {
    let mut read = node.views.iter().zip(&alternative.orders);
    let is_known = |(view, order): (&Option<View>, &Order)| {
        let known = view.as_ref().map(|view| (view, &around[view.tensor]));
        known.is_none_or(|(view, known)| known.contains(&view.order_of_tensor(order)))
    };
    around[node.result].contains(alternative.result()) && read.all(is_known)
}

/// The orders that are around for each access; those of the result for the output, too.
fn orders_of(node: &Node<'_>, around: &[Vec<Order>]) -> Vec<Vec<Order>> {
    let last = node.views.len() - 1;
    let of_access = |(place, view): (usize, &Option<View>)| {
        let own = view.iter().flat_map(|view| {
            let orders = around[view.tensor].iter();
            orders.map(|order| view.order_of_view(order))
        });
        let written = (place == last).then(|| around[node.result].clone());
        own.chain(written.into_iter().flatten()).collect()
    };
    node.views.iter().enumerate().map(of_access).collect()
}

fn problem(graph: &Graph<'_>, of_forms: &[Vec<Alternative>]) -> Problem {
    let mut layouts: Vec<Order> = Vec::new();
    let mut layout = |order: Order| -> LayoutId {
        let place = layouts.iter().position(|known| *known == order).unwrap_or_else(|| {
            layouts.push(order);
            layouts.len() - 1
        });
        LayoutId(number(place))
    };
    let mut problem = Problem::default();
    for (at, tensor) in graph.tensors.iter().enumerate() {
        let mut inputs = Vec::new();
        let mut alternatives = Vec::new();
        match tensor.producer {
            None => alternatives.push(layout::Alternative {
                output: layout((0..tensor.ty.shape.len()).collect()),
                inputs: Vec::new(),
            }),
            Some(form) => {
                let node = &graph.forms[form];
                inputs.extend(node.views.iter().flatten().map(|view| OpId(number(view.tensor))));
                for alternative in &of_forms[form] {
                    let read = node.views.iter().zip(&alternative.orders);
                    let read = read.filter_map(|(view, order)| Some(view.as_ref()?.order_of_tensor(order)));
                    alternatives.push(layout::Alternative {
                        output: layout(alternative.result().clone()),
                        inputs: read.map(&mut layout).collect(),
                    });
                }
            }
        }
        problem.ops.push(layout::Op {
            name: format!("tensor {at}"),
            elements: tensor.bytes,
            inputs,
            alternatives,
            absorbed: Vec::new(),
        });
    }
    let mut readers: HashMap<Op<'_>, usize> = HashMap::new();
    for used in &graph.uses {
        let wanted = layout(used.view.dims.clone());
        let place = *readers.entry(used.op).or_insert_with(|| {
            problem.ops.push(reader(used.op.name()));
            problem.ops.len() - 1
        });
        let op = &mut problem.ops[place];
        op.inputs.push(OpId(number(used.view.tensor)));
        op.alternatives[0].inputs.push(wanted);
    }
    problem
}

/// An operation that makes no tensor of its own. Its results, if it has any, are tensors without a producer: what it
/// reads and what it writes have the order of their types, whatever the other is.
fn reader(name: &str) -> layout::Op {
    layout::Op {
        name: name.to_owned(),
        elements: 0,
        inputs: Vec::new(),
        alternatives: vec![layout::Alternative {
            output: LayoutId(0),
            inputs: Vec::new(),
        }],
        absorbed: Vec::new(),
    }
}

/// A place as a number of the problem, which is small: each place is an operation in memory.
fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
