//! The tensors of a block, and who reads them in which order.

use std::collections::{HashMap, HashSet};

use zpu_analysis::tensor_layout::{self, Fixed, Form, Order, Role};
use zpu_ir::{Block, Op, Value, ty};

/// A block as tensors and uses.
pub(super) struct Graph<'c> {
    /// Tensors, each before what is computed of it.
    pub(super) tensors: Vec<Tensor<'c>>,
    /// Operations that can be carried out in several ways.
    pub(super) forms: Vec<Node<'c>>,
    /// Transposes, of which nothing is left but the names of dimensions.
    pub(super) transposes: Vec<Op<'c>>,
    /// Uses in the order of the type.
    pub(super) uses: Vec<FixedUse<'c>>,
    /// Structured operations that keep the order of their types.
    pub(super) fixed: Vec<(Op<'c>, Fixed)>,
    /// Bytes that the transposes move.
    pub(super) as_written: u64,
}

/// A tensor under the names that its producer has for its dimensions.
pub(super) struct Tensor<'c> {
    pub(super) value: Value<'c>,
    pub(super) ty: ty::Tensor<'c>,
    pub(super) bytes: u64,
    /// Its producer, by its place among the forms; it has the order of its type if there is none.
    pub(super) producer: Option<usize>,
}

/// An operation with the tensors that it uses.
pub(super) struct Node<'c> {
    pub(super) form: Form<'c>,
    /// By the place of the access; none for a destination.
    pub(super) views: Vec<Option<View>>,
    /// Its result.
    pub(super) result: usize,
}

/// A tensor under other names: dimension `i` is `dims[i]` of the tensor.
#[derive(Clone)]
pub(super) struct View {
    pub(super) tensor: usize,
    pub(super) dims: Order,
}

/// A use in the order of the type of the value.
pub(super) struct FixedUse<'c> {
    pub(super) op: Op<'c>,
    pub(super) operand: usize,
    pub(super) view: View,
}

impl View {
    /// An order of the dimensions of the view as one of the tensor.
    pub(super) fn order_of_tensor(&self, order: &[usize]) -> Order {
        order.iter().map(|dim| self.dims[*dim]).collect()
    }

    /// An order of the dimensions of the tensor as one of the view.
    pub(super) fn order_of_view(&self, order: &[usize]) -> Order {
        let place = |dim: &usize| self.dims.iter().position(|own| own == dim);
        order.iter().filter_map(place).collect()
    }
}

impl<'c> Graph<'c> {
    /// The graph of a block.
    pub(super) fn of(block: Block<'c>) -> Self {
        let mut build = Build {
            graph: Graph {
                tensors: Vec::new(),
                forms: Vec::new(),
                transposes: Vec::new(),
                uses: Vec::new(),
                fixed: Vec::new(),
                as_written: 0,
            },
            views: HashMap::new(),
            values: Vec::new(),
        };
        for op in block.ops() {
            build.add(op);
        }
        build.fixed_uses();
        build.graph
    }
}

struct Build<'c> {
    graph: Graph<'c>,
    views: HashMap<Value<'c>, View>,
    /// The keys of `views`, in order.
    values: Vec<Value<'c>>,
}

impl<'c> Build<'c> {
    fn add(&mut self, op: Op<'c>) {
        if op.indexing_maps().is_none() {
            return;
        }
        if let Some((view, bytes)) = self.relabelled(op) {
            if !op.result(0).is_unused() {
                self.graph.as_written = self.graph.as_written.saturating_add(bytes);
            }
            self.graph.transposes.push(op);
            self.name(op.result(0), view);
            return;
        }
        match Form::of(op) {
            Ok(form) => self.form(form),
            Err(reason) => self.graph.fixed.push((op, reason)),
        }
    }

    /// The result of a transpose as a view.
    fn relabelled(&mut self, op: Op<'c>) -> Option<(View, u64)> {
        let permutation = tensor_layout::relabelling(op)?;
        let source = self.view(op.operand(0))?;
        let view = View {
            tensor: source.tensor,
            dims: source.order_of_tensor(&permutation),
        };
        let bytes = self.graph.tensors[view.tensor].bytes;
        Some((view, bytes))
    }

    fn form(&mut self, form: Form<'c>) {
        let mut views = Vec::with_capacity(form.accesses.len());
        for access in &form.accesses {
            // Sizes are known, so each of them has a view.
            views.push(match access.role {
                Role::Destination => None,
                Role::Input | Role::Accumulator => self.view(access.value),
            });
        }
        let result = self.graph.tensors.len();
        let value = form.op.result(0);
        if self.tensor(value, Some(self.graph.forms.len())).is_some() {
            self.graph.forms.push(Node { form, views, result });
        }
    }

    /// The view that a value is; a new tensor if it is none yet.
    fn view(&mut self, value: Value<'c>) -> Option<View> {
        match self.views.get(&value) {
            Some(view) => Some(view.clone()),
            None => self.tensor(value, None),
        }
    }

    fn tensor(&mut self, value: Value<'c>, producer: Option<usize>) -> Option<View> {
        let ty = ty::Tensor::of(value.ty())?;
        let view = View {
            tensor: self.graph.tensors.len(),
            dims: (0..ty.shape.len()).collect(),
        };
        self.graph.tensors.push(Tensor {
            value,
            bytes: ty.bytes()?,
            ty,
            producer,
        });
        self.name(value, view.clone());
        Some(view)
    }

    fn name(&mut self, value: Value<'c>, view: View) {
        self.views.insert(value, view);
        self.values.push(value);
    }

    /// Collects the uses by operations that are neither forms nor transposes.
    fn fixed_uses(&mut self) {
        let forms = self.graph.forms.iter().map(|node| node.form.op);
        let own: HashSet<Op<'c>> = forms.chain(self.graph.transposes.iter().copied()).collect();
        for value in &self.values {
            // The list of uses begins with the last one.
            for used in value.uses().into_iter().rev() {
                if !own.contains(&used.op) {
                    self.graph.uses.push(FixedUse {
                        op: used.op,
                        operand: used.index,
                        view: self.views[value].clone(),
                    });
                }
            }
        }
    }
}
