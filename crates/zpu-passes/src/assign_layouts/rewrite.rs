//! Writing a plan.
//!
//! Results get their permuted types in place, conversions follow the producers of their tensors, operations get the
//! operands and maps of their alternatives, and the transposes of the program go.

use std::collections::{HashMap, HashSet};

use zpu_analysis::tensor_layout::{Alternative, Form, Order, Role, Spelling};
use zpu_ir::{Block, Builder, Op, Value, affine, attr, edit};

use super::graph::{Graph, Node, View};
use super::plan::Plan;

/// Writes a plan.
pub(super) fn write<'c>(block: Block<'c>, graph: &Graph<'c>, plan: &Plan) {
    let Some(first) = block.ops().next() else { return };
    for node in &graph.forms {
        let ty = graph.tensors[node.result].ty.permuted(&plan.written[node.result]);
        edit::set_type(node.form.op.result(0), ty);
    }
    let values = Values::convert(first, graph, plan);
    let mut unused: Vec<Value<'c>> = Vec::new();
    for (node, alternative) in graph.forms.iter().zip(&plan.forms) {
        unused.extend(operands(node, alternative, &values));
        maps(&node.form, alternative);
    }
    for used in &graph.uses {
        edit::set_operand(used.op, used.operand, values.of(&used.view, &used.view.dims));
    }
    unused.extend(graph.transposes.iter().map(|transpose| transpose.operand(1)));
    // Empty tensors, each once.
    let mut known = HashSet::new();
    let is_new = |maker: &Op<'c>| maker.is("tensor.empty") && known.insert(*maker);
    let mut makers: Vec<Op<'c>> = unused.into_iter().filter_map(Value::defining_op).collect();
    makers.retain(is_new);
    for transpose in graph.transposes.iter().rev() {
        edit::erase(*transpose);
    }
    makers.retain(|maker| maker.result(0).is_unused());
    makers.into_iter().for_each(edit::erase);
}

/// The tensors in each order in which they are there.
struct Values<'c, 'g> {
    graph: &'g Graph<'c>,
    written: &'g [Order],
    converted: HashMap<(usize, Order), Value<'c>>,
    /// Results of transposes of the program.
    leaving: HashSet<Value<'c>>,
}

impl<'c, 'g> Values<'c, 'g> {
    /// Makes the conversions. Tensors from outside of the block are converted before its first operation.
    fn convert(first: Op<'c>, graph: &'g Graph<'c>, plan: &'g Plan) -> Self {
        let mut converted = HashMap::new();
        for (at, orders) in plan.converted.iter().enumerate() {
            let value = graph.tensors[at].value;
            let maker = value.defining_op().filter(|op| op.block() == first.block());
            let mut builder = maker.map_or_else(|| Builder::before(first), Builder::after);
            for order in orders {
                let place = |dim: &usize| plan.written[at].iter().position(|own| own == dim);
                let permutation: Vec<usize> = order.iter().filter_map(place).collect();
                let transpose = builder.transpose(value, &permutation);
                converted.insert((at, order.clone()), transpose.result(0));
            }
        }
        Self {
            graph,
            written: &plan.written,
            converted,
            leaving: graph.transposes.iter().map(|transpose| transpose.result(0)).collect(),
        }
    }

    /// True if a value goes with its transpose.
    fn is_leaving(&self, value: Value<'c>) -> bool {
        self.leaving.contains(&value)
    }

    /// A view in an order of the dimensions of its tensor.
    fn of(&self, view: &View, order: &Order) -> Value<'c> {
        let own = self.graph.tensors[view.tensor].value;
        if self.written[view.tensor] == *order {
            return own;
        }
        let key = (view.tensor, order.clone());
        self.converted.get(&key).copied().unwrap_or(own)
    }
}

/// Sets the operands of an operation; a destination that it does not use any more.
fn operands<'c>(node: &Node<'c>, alternative: &Alternative, values: &Values<'c, '_>) -> Option<Value<'c>> {
    let op = node.form.op;
    let mut unused = None;
    for ((access, view), order) in node.form.accesses.iter().zip(&node.views).zip(&alternative.orders) {
        match view {
            Some(view) => {
                let value = values.of(view, &view.order_of_tensor(order));
                edit::set_operand(op, access.operand, value);
            }
            // Only its shape matters, but a transpose that makes it is about to go.
            None if access.role == Role::Destination => {
                let ty = op.result(0).ty();
                if access.value.ty() != ty || values.is_leaving(access.value) {
                    let empty = Builder::before(op).empty_tensor(ty);
                    edit::set_operand(op, access.operand, empty);
                    unused = Some(access.value);
                }
            }
            None => {}
        }
    }
    unused
}

/// Says how the operands are read in an alternative.
fn maps(form: &Form<'_>, alternative: &Alternative) {
    if alternative.is_as_written() {
        return;
    }
    let (op, context) = (form.op, form.op.context());
    let num_loops = alternative.loops.len();
    let place = |at: usize| alternative.loops.iter().position(|own| *own == at).unwrap_or(at);
    let places = |loops: &[usize]| {
        let mut places: Vec<i64> = loops.iter().map(|at| place(*at) as i64).collect();
        places.sort_unstable();
        attr::int_array(context, &places)
    };
    let without = |access: usize| -> Vec<usize> {
        let loops = &form.accesses[access].loops;
        (0..num_loops).filter(|at| !loops.contains(at)).collect()
    };
    match form.spelling {
        Spelling::Types => {}
        Spelling::Reduce => op.set_attr("dimensions", places(&without(form.accesses.len() - 1))),
        Spelling::Broadcast => op.set_attr("dimensions", places(&without(0))),
        Spelling::Maps | Spelling::Generic => {
            // Scalars are read by no loop.
            let mut maps = vec![affine::projection(context, num_loops, &[]); op.num_operands()];
            for (access, order) in form.accesses.iter().zip(&alternative.orders) {
                let dims: Vec<usize> = order.iter().map(|dim| place(access.loops[*dim])).collect();
                maps[access.operand] = affine::projection(context, num_loops, &dims);
            }
            op.set_attr("indexing_maps", attr::array(context, &maps));
        }
    }
    if form.spelling == Spelling::Generic
        && let Some(kinds) = op.attr("iterator_types").and_then(attr::as_array)
    {
        let kinds: Vec<_> = alternative.loops.iter().map(|at| kinds[*at]).collect();
        op.set_attr("iterator_types", attr::array(context, &kinds));
    }
    for index in op.find_all("linalg.index") {
        if let Some(dim) = index.attr("dim").and_then(attr::as_int) {
            let dim = usize::try_from(dim).map_or(dim, |dim| place(dim) as i64);
            index.set_attr("dim", attr::int(context, dim));
        }
    }
}
