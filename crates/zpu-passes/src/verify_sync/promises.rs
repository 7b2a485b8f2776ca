//! Promises that a function relies on and only its callers can keep: an argument with `llvm.noalias` overlaps no other
//! one, and a layout whose strides are not in the type maps no two indices to one element.
//!
//! Inside the module the callers are known. A call that breaks a promise is an error there; if that cannot be decided,
//! it is unknown. A promise matters only for memory that the called function writes, and only if it issues commands:
//! two names for memory that is only read do no harm.

use std::collections::{HashMap, HashSet};

use zpu_ir::ops::{Start, is_ours};
use zpu_ir::options::VerifySyncOptions;
use zpu_ir::{Op, Remark, RemarkKind, Value, attr, error, note, ty};

use super::{PASS, report};
use zpu_analysis::access::{Access, accesses, places_of};
use zpu_analysis::body::{is_asynchronous, sync_engine};
use zpu_analysis::layout::Layout;
use zpu_analysis::region::{Root, region_of};
use zpu_analysis::root::is_noalias;

/// The numbers of broken and undecided promises of a module's calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) refuted: usize,
    pub(super) open: usize,
}

/// The functions of a module.
struct Functions<'c> {
    by_name: HashMap<&'c str, Op<'c>>,
    /// True for a function that issues or waits for commands, itself or in a function that it calls.
    commands: HashMap<Op<'c>, bool>,
    /// True if a function, or one that it calls, may write that argument.
    writes: HashMap<(Op<'c>, usize), bool>,
}

/// Checks all calls of a module.
pub(super) fn check<'c>(module: Op<'c>, options: &VerifySyncOptions) -> Broken {
    let ops = module.walk();
    let named = ops.iter().filter(|op| op.is("func.func"));
    let mut functions = Functions {
        by_name: named.map(|op| (op.function_name(), *op)).collect(),
        commands: HashMap::new(),
        writes: HashMap::new(),
    };
    let mut broken = Broken::default();
    for op in &ops {
        if let Some(callee) = functions.called(*op) {
            functions.distinct(*op, callee, options, &mut broken);
        }
        if Layout::made_by(*op).is_some_and(|layout| layout.overlaps_itself()) {
            functions.overlapping(*op, &mut broken);
        }
    }
    broken
}

impl<'c> Functions<'c> {
    /// The function that a call is for.
    fn called(&self, call: Op<'c>) -> Option<Op<'c>> {
        let name = call
            .is("func.call")
            .then(|| call.attr("callee").and_then(attr::as_symbol))??;
        self.by_name.get(name).copied()
    }

    fn has_commands(&mut self, function: Op<'c>) -> bool {
        if let Some(known) = self.commands.get(&function) {
            return *known;
        }
        // A recursive function counts as one with commands.
        self.commands.insert(function, true);
        let has = function.walk().into_iter().any(|op| {
            is_asynchronous(op)
                || sync_engine(op).is_some()
                || self.called(op).is_some_and(|callee| self.has_commands(callee))
        });
        self.commands.insert(function, has);
        has
    }

    /// True if a function may write the memory of an argument.
    fn writes(&mut self, function: Op<'c>, index: usize) -> bool {
        if let Some(known) = self.writes.get(&(function, index)) {
            return *known;
        }
        let Some(argument) = function.body().and_then(|body| body.args().get(index).copied()) else {
            return true;
        };
        self.writes.insert((function, index), true);
        let own = region_of(argument).root;
        let may_be = |root: Root<'c>| root == own || matches!(root, Root::Unknown(_)) && root.may_alias(own);
        let mut writes = false;
        for op in function.walk() {
            let is_leaf = op.regions().is_empty() || op.name().starts_with("linalg.");
            let is_command = Start::of(op).is_some() || sync_engine(op).is_some();
            if !is_command && (!is_leaf || op.is_memory_effect_free() || is_ours(op)) {
                continue;
            }
            writes = match (self.called(op), accesses(op)) {
                (Some(callee), _) => {
                    let given = op.operands().into_iter().enumerate();
                    let mut given = given.filter(|(_, value)| ty::is_memref(value.ty()));
                    given.any(|(at, value)| {
                        places_of(value).iter().any(|place| may_be(place.region.root)) && self.writes(callee, at)
                    })
                }
                (None, Some(all)) => all.iter().any(|access| access.write && may_be(access.region.root)),
                (None, None) => true,
            };
            if writes {
                break;
            }
        }
        self.writes.insert((function, index), writes);
        writes
    }

    /// Checks the arguments of a call that promise to overlap no other one.
    fn distinct(&mut self, call: Op<'c>, callee: Op<'c>, options: &VerifySyncOptions, broken: &mut Broken) {
        let given = call.operands();
        let promised: Vec<usize> = (0..given.len()).filter(|index| is_noalias(callee, *index)).collect();
        if promised.is_empty() || !self.has_commands(callee) {
            return;
        }
        let memrefs = || (0..given.len()).filter(|index| ty::is_memref(given[*index].ty()));
        for first in promised
            .iter()
            .copied()
            .filter(|index| ty::is_memref(given[*index].ty()))
        {
            let is_new = |second: &usize| *second != first && (*second > first || !promised.contains(second));
            for second in memrefs().filter(is_new) {
                let (left, right) = (places_of(given[first]), places_of(given[second]));
                let overlaps = left.iter().any(|left| right.iter().any(|right| left.conflicts(right)));
                if overlaps && (self.writes(callee, first) || self.writes(callee, second)) {
                    let is_certain = given[first] == given[second] || is_one(&left, &right);
                    say(call, callee, [first, second], is_certain, options, broken);
                }
            }
        }
    }

    /// Follows a view of which two indices are one element to the calls that get it.
    fn overlapping(&mut self, view: Op<'c>, broken: &mut Broken) {
        let Some(layout) = Layout::made_by(view) else { return };
        let (mut seen, mut open) = (HashSet::new(), view.results());
        while let Some(value) = open.pop().filter(|value| ty::is_memref(value.ty())) {
            if !seen.insert(value) {
                continue;
            }
            for used in value.uses() {
                if let Some(callee) = self.called(used.op) {
                    let is_hidden = ty::MemRef::of(value.ty()).is_none_or(|memref| {
                        let dims = memref.strides.iter().zip(&memref.shape);
                        dims.into_iter()
                            .any(|(stride, size)| stride.is_none() && *size != Some(1))
                    });
                    if is_hidden && self.has_commands(callee) && self.writes(callee, used.index) {
                        broken.refuted += 1;
                        say_overlapping(view, &layout, used.op, callee);
                        return;
                    }
                } else {
                    open.extend(handed_to(used.op, used.index));
                }
            }
        }
    }
}

/// Memrefs that an operand of an operation may become.
fn handed_to<'c>(op: Op<'c>, index: usize) -> Vec<Value<'c>> {
    let is_end = op.block().and_then(|block| block.terminator()) == Some(op);
    let owner = op.parent().filter(|owner| is_end && !owner.is("func.func"));
    let inside = op
        .regions()
        .into_iter()
        .flat_map(|region| region.blocks())
        .flat_map(|block| block.args());
    let behind = owner.map_or_else(Vec::new, |owner| {
        let again = owner.regions().into_iter().flat_map(|region| region.blocks());
        again.flat_map(|block| block.args()).chain(owner.results()).collect()
    });
    // If several values are handed on, each one of the operand's type may be it.
    let ty = op.operand(index).ty();
    let is_view = op.regions().is_empty() && !is_end;
    let all = op.results().into_iter().chain(inside).chain(behind);
    all.filter(|value| ty::is_memref(value.ty()) && (is_view || value.ty() == ty))
        .collect()
}

/// True if two memrefs certainly have an element in common.
fn is_one<'c>(left: &[Access<'c>], right: &[Access<'c>]) -> bool {
    match (left, right) {
        ([left], [right]) => left.full && right.full && left.meets_for_certain(right),
        _ => false,
    }
}

fn say<'c>(
    call: Op<'c>,
    callee: Op<'c>,
    [first, second]: [usize; 2],
    is_certain: bool,
    options: &VerifySyncOptions,
    broken: &mut Broken,
) {
    let name = callee.function_name();
    let notes = [note(callee, format!("argument {first} has `llvm.noalias` here"))];
    let promise = format!("@{name} counts on that argument {first} overlaps no other one (`llvm.noalias`)");
    let (kind, reason, message) = if is_certain {
        broken.refuted += 1;
        let message = format!(
            "{promise}, and is given the same memory as argument {second}; pass different buffers, or take the \
             attribute away"
        );
        (RemarkKind::Failed, "broken-promise", message)
    } else {
        broken.open += 1;
        let message = format!(
            "{promise}, and whether argument {second} does here is not known; pass buffers that cannot overlap, or \
             take the \
             attribute away"
        );
        (RemarkKind::Missed, "unknown-promise", message)
    };
    Remark::new(call, kind, PASS, reason).message(&message).emit();
    if is_certain {
        error(call, &message, &notes);
    } else {
        report(options, call, &message, &notes);
    }
}

fn say_overlapping<'c>(view: Op<'c>, layout: &Layout, call: Op<'c>, callee: Op<'c>) {
    let list = |list: &[Option<i64>]| {
        let each = list
            .iter()
            .map(|each| each.map_or_else(|| "?".to_owned(), |each| each.to_string()));
        each.collect::<Vec<_>>().join(", ")
    };
    let message = format!(
        "two indices of this view are one element: sizes [{}], strides [{}]; @{} is given it as a memref that hides \
         the strides, \
         and counts on that a layout never does so; write the strides in the type, or pass rows that are apart",
        list(&layout.sizes),
        list(&layout.strides),
        callee.function_name()
    );
    Remark::new(view, RemarkKind::Failed, PASS, "overlapping-layout")
        .message(&message)
        .emit();
    error(view, &message, &[note(call, "it is passed on here")]);
}
