//! `zpu-mpmd-inline-calls`: puts functions with fragments in the place of their calls, and numbers the microbatches.
//!
//! All calls of the module are walked first as they would be inlined; only if nothing is wrong is anything changed.
//! Upstream's inliner is not used: it knows no counters, takes all calls, and those in fragments as well.

mod check;

use std::collections::{BTreeSet, HashMap};

use zpu_ir::edit::{ValueMap, clone_mapped};
use zpu_ir::options::MpmdInlineCallsOptions;
use zpu_ir::{Builder, Op, PassResult, Remark, RemarkKind, Value, annotation, attr, edit, ops};

const PASS: &str = "zpu-mpmd-inline-calls";

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &MpmdInlineCallsOptions) -> PassResult {
    let program = Program::of(module);
    let roots = check::check(&program, options.max_copies)?;
    for root in roots {
        for call in program.calls(root) {
            program.inline(call, None);
        }
    }
    erase_unused(module, &program);
    Ok(())
}

/// The functions of a module, and which of them hold fragments, themselves or through calls.
struct Program<'c> {
    functions: HashMap<&'c str, Op<'c>>,
    /// In the order of the module.
    order: Vec<&'c str>,
    holders: BTreeSet<&'c str>,
}

impl<'c> Program<'c> {
    fn of(module: Op<'c>) -> Self {
        let ops = module.body().into_iter().flat_map(|block| block.ops());
        let all: Vec<Op<'c>> = ops.filter(|op| op.is("func.func")).collect();
        let order: Vec<&str> = all.iter().map(|op| op.function_name()).collect();
        let functions: HashMap<&str, Op<'c>> = order.iter().copied().zip(all.iter().copied()).collect();
        let mut callers: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut open = Vec::new();
        for (name, function) in order.iter().copied().zip(&all) {
            for op in function.walk() {
                if op.is(ops::Fragment::NAME) {
                    open.push(name);
                }
                if let Some(callee) = callee(op) {
                    callers.entry(callee).or_default().push(name);
                }
            }
        }
        let mut holders = BTreeSet::new();
        while let Some(name) = open.pop() {
            if holders.insert(name) {
                open.extend(callers.get(name).into_iter().flatten());
            }
        }
        Self {
            functions,
            order,
            holders,
        }
    }

    /// The calls in an operation whose functions hold fragments.
    fn calls(&self, op: Op<'c>) -> Vec<Op<'c>> {
        let is_one = |op: &Op<'c>| callee(*op).is_some_and(|callee| self.holders.contains(callee));
        op.walk().into_iter().filter(is_one).collect()
    }

    /// The function of a call.
    fn function_of(&self, call: Op<'c>) -> Option<Op<'c>> {
        self.functions.get(callee(call)?).copied()
    }

    /// Puts a function's body in the place of a call. `outer` is the counter of a call around it.
    fn inline(&self, call: Op<'c>, outer: Option<i64>) {
        let Some(body) = self.function_of(call).and_then(Op::only_block) else {
            return;
        };
        let counter = counter(call).or(outer);
        let mut map = ValueMap::default();
        for (argument, operand) in body.args().into_iter().zip(call.operands()) {
            map.set(argument, operand);
        }
        let builder = Builder::before(call);
        let mut results: Vec<Value<'c>> = Vec::new();
        let mut copies = Vec::new();
        for op in body.ops() {
            if op.is("func.return") {
                results = op.operands().into_iter().map(|value| map.get(value)).collect();
            } else {
                copies.push(clone_mapped(&mut builder.like(op), op, &mut map));
            }
        }
        for (old, new) in call.results().into_iter().zip(results) {
            edit::replace_all_uses(old, new);
        }
        edit::erase(call);
        for copy in copies {
            for fragment in copy.find_all(ops::Fragment::NAME) {
                if let Some(counter) = counter {
                    fragment.set_attr(ops::Fragment::CALL_COUNTER, attr::int(fragment.context(), counter));
                }
            }
            for inner in self.calls(copy) {
                self.inline(inner, counter);
            }
        }
    }
}

/// The function that a `func.call` names.
fn callee<'c>(op: Op<'c>) -> Option<&'c str> {
    op.is("func.call")
        .then(|| op.attr("callee").and_then(attr::as_symbol))?
}

/// The microbatch of a call.
fn counter(call: Op<'_>) -> Option<i64> {
    call.attr(annotation::CALL_COUNTER).and_then(attr::as_int)
}

/// Erases private functions with fragments that were called and are not any more.
fn erase_unused<'c>(module: Op<'c>, program: &Program<'c>) {
    let mut called: BTreeSet<&'c str> = program.order.iter().copied().collect();
    called.retain(|name| program.holders.contains(name));
    let mut changed = true;
    while changed {
        changed = false;
        let used = symbols(module);
        for name in called.clone() {
            let function = program.functions[name];
            let is_private = function.is_private();
            if is_private && !used.contains(name) {
                edit::erase(function);
                called.remove(name);
                changed = true;
            }
        }
    }
}

/// All names in references.
fn symbols(module: Op<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for op in module.walk() {
        for (_, attribute) in op.attrs() {
            names.extend(attr::symbol_roots(attribute).into_iter().map(str::to_owned));
        }
    }
    names
}

/// Says that a function stays beside its copies.
fn stays(function: Op<'_>) {
    let message =
        "is public, so that it stays beside its copies, with fragments that have no microbatch; make it private";
    Remark::new(function, RemarkKind::Missed, PASS, "public-function")
        .message(message)
        .emit();
}
