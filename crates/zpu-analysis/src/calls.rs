//! What a called function does with memory that its caller names, written on the call.
//!
//! Passes on functions run side by side, so none of them may look into another function. What they need to know of it
//! is found before them, for the module as a whole: `zpu.no_free` on a call says that nothing is freed that the call
//! is given, `zpu.owned_results` lists the results whose memory is the caller's alone from then on. A call without
//! them may free all that it is given, and owns nothing that it gives back.

use rustc_hash::{FxHashMap, FxHashSet};
use zpu_ir::{Block, Op, Value, annotation, attr, ty};

use crate::ownership::{self, name_of};
use crate::problem::memory::frees;
use crate::region::{Root, region_of};

/// Writes on each call of a module what is known of its function. What was written there before is replaced.
pub fn annotate(module: Op<'_>) {
    let functions: Vec<Op<'_>> = module.find_all("func.func");
    let by_name: FxHashMap<&str, Op<'_>> = functions
        .iter()
        .map(|function| (function.function_name(), *function))
        .collect();
    let called = |call: &Op<'_>| {
        let name = call.attr("callee").and_then(attr::as_symbol)?;
        by_name.get(name).copied()
    };
    let calls: Vec<Op<'_>> = module.find_all("func.call");
    let mut calls_of: FxHashMap<Op<'_>, Vec<Op<'_>>> = FxHashMap::default();
    for call in &calls {
        call.remove_attr(annotation::NO_FREE);
        call.remove_attr(annotation::OWNED_RESULTS);
        if let Some(function) = called(call) {
            calls_of.entry(function).or_default().push(*call);
        }
    }
    // Nobody asks for a function that is not called.
    let functions: Vec<Op<'_>> = functions.into_iter().filter(|f| calls_of.contains_key(f)).collect();
    // A function after those that it calls, so that what it gives away is found with what they do.
    for function in after_callees(&functions, &called) {
        let owned = owned_results(function);
        let own = calls_of.get(&function).filter(|_| !owned.is_empty());
        for call in own.into_iter().flatten() {
            call.set_attr(annotation::OWNED_RESULTS, attr::int_array(call.context(), &owned));
        }
    }
    let freeing = freeing(&functions, &called);
    for call in calls {
        if called(&call).is_none_or(|function| !freeing.contains(&function)) {
            call.set_attr(annotation::NO_FREE, attr::unit(call.context()));
        }
    }
}

/// True if an operation is a call that may free what it is given.
pub(crate) fn may_free(op: Op<'_>) -> bool {
    let is_given = || op.operands().iter().any(|operand| ty::is_memref(operand.ty()));
    op.is("func.call") && !op.has_attr(annotation::NO_FREE) && is_given()
}

/// True if the caller owns the memory of a result of a call.
pub(crate) fn owns_result(call: Op<'_>, index: usize) -> bool {
    let owned = call.attr(annotation::OWNED_RESULTS).and_then(attr::as_int_array);
    owned.is_some_and(|owned| owned.iter().any(|result| usize::try_from(*result) == Ok(index)))
}

/// Functions, each after those that it calls, but for calls in a circle.
fn after_callees<'c>(functions: &[Op<'c>], called: &dyn Fn(&Op<'c>) -> Option<Op<'c>>) -> Vec<Op<'c>> {
    let (mut seen, mut order) = (FxHashSet::default(), Vec::new());
    for root in functions {
        let mut open = vec![(*root, false)];
        while let Some((function, has_callees)) = open.pop() {
            if has_callees {
                order.push(function);
            } else if seen.insert(function) {
                open.push((function, true));
                open.extend(
                    function
                        .find_all("func.call")
                        .iter()
                        .filter_map(called)
                        .map(|callee| (callee, false)),
                );
            }
        }
    }
    order
}

/// Numbers of the results of a function whose memory it owns and gives away.
fn owned_results(function: Op<'_>) -> Vec<i64> {
    let blocks = function.regions().into_iter().flat_map(|region| region.blocks());
    let ends: Vec<Op<'_>> = blocks.filter_map(Block::terminator).collect();
    let Some(results) = ends.first().map(|end| end.operands()) else {
        return Vec::new();
    };
    let has_memory = |value: &Value<'_>| ty::is_memref(value.ty());
    if !results.iter().any(has_memory) {
        return Vec::new();
    }
    let owners = ownership::owners(function);
    let gives = |end: &Op<'_>, index| end.is("func.return") && owners.contains(&name_of(end.operand(index)));
    let owned = (0..results.len()).filter(|index| ends.iter().all(|end| gives(end, *index)));
    owned.filter_map(|index| i64::try_from(index).ok()).collect()
}

/// The functions that may free what they are given, by themselves or by calls.
fn freeing<'c>(functions: &[Op<'c>], called: &dyn Fn(&Op<'c>) -> Option<Op<'c>>) -> FxHashSet<Op<'c>> {
    let mut callers: FxHashMap<Op<'c>, Vec<Op<'c>>> = FxHashMap::default();
    for function in functions {
        for callee in function.find_all("func.call").iter().filter_map(called) {
            callers.entry(callee).or_default().push(*function);
        }
    }
    let mut open: Vec<Op<'c>> = functions
        .iter()
        .copied()
        .filter(|function| frees_given(*function))
        .collect();
    let mut freeing = FxHashSet::default();
    while let Some(function) = open.pop() {
        if freeing.insert(function) {
            open.extend(callers.get(&function).into_iter().flatten());
        }
    }
    freeing
}

/// True if a function itself may free what it is given.
fn frees_given(function: Op<'_>) -> bool {
    let frees: Vec<Op<'_>> = function.walk().into_iter().filter(|op| frees(*op)).collect();
    if frees.is_empty() {
        return false;
    }
    let owners = ownership::owners(function);
    let is_given = |value: Value<'_>| match region_of(value).root {
        Root::Allocation(_) | Root::Window(_) | Root::Global(_) => false,
        Root::Argument(_) | Root::NoAliasArgument(_) => true,
        Root::Unknown(value) => !owners.contains(&value),
    };
    frees.iter().any(|op| op.operands().into_iter().any(is_given))
}
