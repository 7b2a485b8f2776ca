//! Values that need one type because control flow makes one of another: loop-carried values, results of branches and
//! selections, and values that functions of the module pass to each other.
//!
//! A function is *referred to* when something other than a call names it; then its callers are not known, and its type
//! stays. It has *unseen callers* when it is public, or when nothing in the module calls it. A global is referred to
//! when something other than `memref.get_global` in these functions names it.

use std::collections::{HashMap, HashSet};

use zpu_ir::scf::For;
use zpu_ir::{Block, Op, Use, Value, attr, ty};

use super::buffers::is_view;

/// The joined values of a module.
#[derive(Debug, Default)]
pub(super) struct Joins<'c> {
    /// The parent of a value in the union-find forest; a root stands for its class.
    above: HashMap<Value<'c>, Value<'c>>,
    number: HashMap<Value<'c>, usize>,
    /// Values that control flow makes of others, or that a function of the module passes.
    joined: HashSet<Value<'c>>,
    /// Uses by which a value becomes another one, as operation and operand index.
    handed_on: HashSet<(Op<'c>, usize)>,
    /// Values that a function with unseen callers returns.
    returned: HashSet<Value<'c>>,
    /// Functions with a body, by name.
    functions: HashMap<&'c str, Op<'c>>,
    /// Globals of the module, by name.
    globals: HashMap<&'c str, Op<'c>>,
    called: HashSet<Op<'c>>,
    referred_to: HashSet<Op<'c>>,
}

impl<'c> Joins<'c> {
    /// Joins the values of `functions`, which are all functions of the module that have a body.
    pub(super) fn of(module: Op<'c>, functions: &[Op<'c>]) -> Self {
        let mut joins = Self::default();
        let name = |function: &Op<'c>| function.attr("sym_name").and_then(attr::as_str);
        joins.functions = functions.iter().filter_map(|f| Some((name(f)?, *f))).collect();
        let members = module.body().into_iter().flat_map(|body| body.ops());
        let globals = members.filter(|op| op.is("memref.global"));
        joins.globals = globals.filter_map(|global| Some((name(&global)?, global))).collect();
        let all = module.walk();
        for op in all
            .iter()
            .filter(|op| op.function().is_none_or(|function| function != **op))
        {
            joins.note_references(*op);
        }
        for op in &all {
            if is_view(*op) && is_ranked(op.operand(0)) && is_ranked(op.result(0)) {
                joins.join(op.operand(0), op.result(0));
            }
            joins.note_control_flow(*op);
        }
        joins.join_globals(functions);
        let values: Vec<Value<'c>> = all
            .iter()
            .flat_map(|op| defined_by(*op))
            .filter(|value| is_buffer(*value))
            .collect();
        for value in values {
            let class = joins.representative(value);
            let next = joins.number.len();
            joins.number.entry(class).or_insert(next);
        }
        joins
    }

    /// The number of a value's class; `None` for a value that is no memref.
    pub(super) fn class_of(&self, value: Value<'c>) -> Option<usize> {
        self.number.get(&self.representative(value)).copied()
    }

    /// True if control flow makes the value of others, or a call passes it.
    pub(super) fn is_joined(&self, value: Value<'c>) -> bool {
        self.joined.contains(&value)
    }

    /// True if the value becomes another one of its class by that use.
    pub(super) fn is_handed_on(&self, user: Use<'c>) -> bool {
        self.handed_on.contains(&(user.op, user.index))
    }

    /// True if the value is returned to unseen callers.
    pub(super) fn is_returned(&self, value: Value<'c>) -> bool {
        self.returned.contains(&value)
    }

    /// True if something other than a call names the function, or something other than `memref.get_global` the global.
    pub(super) fn is_referred_to(&self, symbol: Op<'c>) -> bool {
        self.referred_to.contains(&symbol)
    }

    /// True if callers outside the module may call the function, or if nothing in it does.
    pub(super) fn has_unseen_callers(&self, function: Op<'c>) -> bool {
        let is_private = function.is_private();
        !is_private || !self.called.contains(&function)
    }

    fn representative(&self, value: Value<'c>) -> Value<'c> {
        let mut value = value;
        while let Some(above) = self.above.get(&value) {
            value = *above;
        }
        value
    }

    fn join(&mut self, left: Value<'c>, right: Value<'c>) {
        let (left, right) = (self.representative(left), self.representative(right));
        if left != right {
            self.above.insert(right, left);
        }
    }

    /// Joins a value with the operands that it is made of.
    fn make(&mut self, value: Value<'c>, sources: impl IntoIterator<Item = (Op<'c>, usize)>) {
        if !is_buffer(value) {
            return;
        }
        self.joined.insert(value);
        for (op, index) in sources {
            if index < op.num_operands() {
                self.join(op.operand(index), value);
                self.handed_on.insert((op, index));
            }
        }
    }

    /// The global that an operation gives the memory of.
    pub(super) fn global_of(&self, op: Op<'c>) -> Option<Op<'c>> {
        let name = op.is("memref.get_global").then(|| op.attr("name"))?;
        self.globals.get(name.and_then(attr::as_symbol)?).copied()
    }

    /// Joins the values that name one global.
    fn join_globals(&mut self, functions: &[Op<'c>]) {
        let mut first: HashMap<Op<'c>, Value<'c>> = HashMap::new();
        for op in functions.iter().flat_map(|function| function.walk()) {
            if let Some(global) = self.global_of(op) {
                let named = *first.entry(global).or_insert(op.result(0));
                self.join(named, op.result(0));
            }
        }
    }

    fn note_references(&mut self, op: Op<'c>) {
        let is_seen = |op: Op<'c>| {
            op.function()
                .is_some_and(|f| self.functions.values().any(|known| *known == f))
        };
        if self.global_of(op).is_some() && is_seen(op) {
            return;
        }
        for (name, attribute) in op.attrs() {
            let global = attr::as_symbol(attribute).and_then(|symbol| self.globals.get(symbol));
            self.referred_to.extend(global);
            let function = attr::as_symbol(attribute).and_then(|symbol| self.functions.get(symbol));
            if let Some(function) = function.copied() {
                if op.is("func.call") && name == "callee" {
                    self.called.insert(function);
                } else {
                    self.referred_to.insert(function);
                }
            }
        }
    }

    fn note_control_flow(&mut self, op: Op<'c>) {
        let ends = |region: usize| -> Vec<Op<'c>> {
            let region = op.regions().into_iter().nth(region);
            let blocks = region.into_iter().flat_map(|region| region.blocks());
            blocks.filter_map(Block::terminator).collect()
        };
        match op.name() {
            "scf.for" => {
                let Some(for_) = For::of(op) else { return };
                let end = for_.terminator();
                for (index, (carried, result)) in for_.iter_args().into_iter().zip(op.results()).enumerate() {
                    self.make(carried, [(op, 3 + index), (end, index)]);
                    self.make(result, [(op, 3 + index), (end, index)]);
                }
            }
            "affine.for" => {
                let (Some(end), Some(first)) = (ends(0).pop(), op.num_operands().checked_sub(op.num_results())) else {
                    return;
                };
                for (index, (carried, result)) in arguments(op, 0).into_iter().skip(1).zip(op.results()).enumerate() {
                    self.make(carried, [(op, first + index), (end, index)]);
                    self.make(result, [(op, first + index), (end, index)]);
                }
            }
            "scf.while" => {
                let (Some(condition), Some(end)) = (ends(0).pop(), ends(1).pop()) else {
                    return;
                };
                for (index, carried) in arguments(op, 0).into_iter().enumerate() {
                    self.make(carried, [(op, index), (end, index)]);
                }
                for (index, (passed, result)) in arguments(op, 1).into_iter().zip(op.results()).enumerate() {
                    self.make(passed, [(condition, 1 + index)]);
                    self.make(result, [(condition, 1 + index)]);
                }
            }
            "scf.if" | "affine.if" | "scf.index_switch" | "scf.execute_region" | "memref.alloca_scope" => {
                let ends: Vec<Op<'c>> = (0..op.regions().len()).flat_map(ends).collect();
                let ends = || {
                    ends.iter()
                        .filter(|end| matches!(end.name(), "scf.yield" | "affine.yield" | "memref.alloca_scope.return"))
                };
                for (index, result) in op.results().into_iter().enumerate() {
                    self.make(result, ends().map(|end| (*end, index)));
                }
            }
            "arith.select" => self.make(op.result(0), [(op, 1), (op, 2)]),
            "func.call" => self.note_call(op),
            "func.return" => {
                let function = op.function();
                let unseen = function.is_some_and(|f| self.has_unseen_callers(f) && !self.is_referred_to(f));
                for (index, value) in op
                    .operands()
                    .into_iter()
                    .enumerate()
                    .filter(|(_, value)| is_buffer(*value))
                {
                    if unseen {
                        self.returned.insert(value);
                        self.handed_on.insert((op, index));
                    }
                }
            }
            _ => {}
        }
    }

    fn note_call(&mut self, call: Op<'c>) {
        let callee = call.attr("callee").and_then(attr::as_symbol);
        let function = callee.and_then(|name| self.functions.get(name).copied());
        let Some(function) = function.filter(|function| !self.is_referred_to(*function)) else {
            return;
        };
        for (index, argument) in arguments(function, 0).into_iter().enumerate() {
            self.make(argument, [(call, index)]);
        }
        let blocks = function.regions().into_iter().flat_map(|region| region.blocks());
        let returns: Vec<Op<'c>> = blocks
            .filter_map(Block::terminator)
            .filter(|end| end.is("func.return"))
            .collect();
        for (index, result) in call.results().into_iter().enumerate() {
            self.make(result, returns.iter().map(|end| (*end, index)));
        }
    }
}

/// The arguments of a region's first block.
fn arguments<'c>(op: Op<'c>, region: usize) -> Vec<Value<'c>> {
    let block = op
        .regions()
        .into_iter()
        .nth(region)
        .and_then(|region| region.first_block());
    block.map(|block| block.args()).unwrap_or_default()
}

/// Results of an operation, and arguments of the blocks inside.
fn defined_by<'c>(op: Op<'c>) -> Vec<Value<'c>> {
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    op.results()
        .into_iter()
        .chain(blocks.flat_map(|block| block.args()))
        .collect()
}

fn is_buffer(value: Value<'_>) -> bool {
    ty::is_memref(value.ty())
}

fn is_ranked(value: Value<'_>) -> bool {
    ty::MemRef::of(value.ty()).is_some()
}
