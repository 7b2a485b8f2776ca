//! The buffers of a module: arguments, allocations and globals, with all values that name their memory.
//!
//! A value belongs to at most one buffer, and values that may name the same memory belong to the same one: views, and
//! values that loops carry, branches and functions yield and calls pass (see [`super::joins`]). So a buffer may be
//! several allocations that control flow chooses between; they get one memory space, since the values have one type. A
//! value that belongs to none (the result of a cast between memory spaces) keeps the type that it has.

use std::collections::HashMap;

use zpu_ir::ops::is_ours;
use zpu_ir::{Op, Use, Value, attr, ty};

use super::joins::Joins;

/// A buffer's memory space before the pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space<'c> {
    /// None is written: the pass finds one.
    Open,
    /// A `#zpu.space`.
    Named(&'c str),
    /// Another attribute, such as a number; it is left alone.
    Foreign,
}

/// An argument, an allocation, or a `memref.get_global`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root<'c> {
    /// The argument or the operation's result.
    pub(super) value: Value<'c>,
    /// The operation; the function for an argument.
    pub(super) origin: Op<'c>,
}

/// The reason why a buffer keeps its type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Escape<'c> {
    /// This operation lets its memory escape, or does not allow another type.
    Through(Op<'c>),
    /// This operation may make it memory whose type is not the pass's to choose.
    From(Op<'c>),
    /// It belongs to this function, which is referred to other than by calls, or is this global, which is referred to
    /// other than by `memref.get_global`.
    Referred(Op<'c>),
}

/// A buffer and all values that name its memory.
#[derive(Clone, Debug)]
pub(super) struct Buffer<'c> {
    /// The arguments, allocations and globals that make its memory, in program order; never empty.
    pub(super) roots: Vec<Root<'c>>,
    /// All values that name it, in program order.
    pub(super) values: Vec<Value<'c>>,
    /// The globals among them.
    pub(super) globals: Vec<Op<'c>>,
    /// The space in its type.
    pub(super) space: Space<'c>,
    /// The reason why its type has to stay, if there is one.
    pub(super) escape: Option<Escape<'c>>,
    /// True if it is there before the first call: unseen callers pass it in or get it back, or it is a global.
    pub(super) is_passed: bool,
    /// True if only these values name the memory.
    pub(super) is_alone: bool,
}

impl<'c> Buffer<'c> {
    /// The operation at which messages about it are reported.
    pub(super) fn origin(&self) -> Op<'c> {
        self.roots[0].origin
    }

    /// All uses of its values except the views themselves.
    pub(super) fn uses(&self) -> impl Iterator<Item = (Value<'c>, Use<'c>)> {
        self.values
            .iter()
            .flat_map(|value| value.uses().into_iter().map(|user| (*value, user)))
            .filter(|(_, user)| !is_view_of(*user))
    }

    /// Its name in messages.
    pub(super) fn describe(&self) -> String {
        match self.roots[0].value.def() {
            zpu_ir::Def::Argument(_, index) => format!("argument {index}"),
            zpu_ir::Def::Result(op, _) if op.is("memref.get_global") => "the global".to_owned(),
            zpu_ir::Def::Result(..) => "the buffer".to_owned(),
        }
    }
}

/// All buffers of a module, and which of them a value belongs to.
#[derive(Debug, Default)]
pub(super) struct Buffers<'c> {
    /// Buffers in the order of their first roots: function by function, arguments before allocations.
    pub(super) list: Vec<Buffer<'c>>,
    of: HashMap<Value<'c>, usize>,
}

impl<'c> Buffers<'c> {
    /// Finds the buffers of `functions`, which are all functions of the module that have a body.
    pub(super) fn collect(module: Op<'c>, functions: &[Op<'c>]) -> Self {
        let joins = Joins::of(module, functions);
        let mut classes: HashMap<usize, Vec<Value<'c>>> = HashMap::new();
        let mut roots: Vec<(usize, Root<'c>)> = Vec::new();
        for function in functions {
            for value in values_of(*function) {
                let Some(class) = joins.class_of(value) else { continue };
                classes.entry(class).or_default().push(value);
                let origin = match value.def() {
                    zpu_ir::Def::Argument(block, _) => Some(*function).filter(|_| function.body() == Some(block)),
                    zpu_ir::Def::Result(op, _) => Some(op).filter(|op| makes_memory(*op, &joins)),
                };
                roots.extend(origin.map(|origin| (class, Root { value, origin })));
            }
        }
        let mut buffers = Self::default();
        for (class, _) in &roots {
            let Some(values) = classes.remove(class) else { continue };
            let own = roots.iter().filter(|(other, _)| other == class).map(|(_, root)| *root);
            buffers.add(own.collect(), values, &joins);
        }
        buffers
    }

    /// Index of the buffer that a value names.
    pub(super) fn index_of(&self, value: Value<'c>) -> Option<usize> {
        self.of.get(&value).copied()
    }

    /// The buffer that a value names.
    pub(super) fn buffer_of(&self, value: Value<'c>) -> Option<&Buffer<'c>> {
        self.index_of(value).map(|index| &self.list[index])
    }

    fn add(&mut self, roots: Vec<Root<'c>>, values: Vec<Value<'c>>, joins: &Joins<'c>) {
        let is_argument = |root: &&Root<'c>| root.origin.is("func.func");
        let is_entry = |root: &Root<'c>| is_argument(&root) && joins.has_unseen_callers(root.origin);
        let globals: Vec<Op<'c>> = roots.iter().filter_map(|root| joins.global_of(root.origin)).collect();
        let functions = roots.iter().filter(is_argument).map(|root| root.origin);
        let mut symbols = functions.chain(globals.iter().copied());
        let referred = symbols
            .find(|symbol| joins.is_referred_to(*symbol))
            .map(Escape::Referred);
        let foreign = values
            .iter()
            .find_map(|value| foreign_source(*value, joins))
            .map(Escape::From);
        let through = || {
            values
                .iter()
                .find_map(|value| out_of_sight(*value, joins))
                .map(Escape::Through)
        };
        let escape = referred.or(foreign).or_else(through);
        let is_returned = values.iter().any(|value| joins.is_returned(*value));
        let is_aliased = |root: &Root<'c>| is_entry(root) && !argument_is_noalias(*root);
        // Calls may write a global that they do not name.
        let is_fixed = globals.iter().all(|global| global.has_attr("constant"));
        let is_alone = escape.is_none() && !is_returned && is_fixed && !roots.iter().any(is_aliased);
        let is_passed = is_returned || !globals.is_empty() || roots.iter().any(is_entry);
        for value in &values {
            self.of.insert(*value, self.list.len());
        }
        self.list.push(Buffer {
            space: space_of(&roots),
            roots,
            values,
            globals,
            escape,
            is_passed,
            is_alone,
        });
    }
}

/// The space of a buffer. Joined values have one type, and views keep the space, so each root tells it.
fn space_of<'c>(roots: &[Root<'c>]) -> Space<'c> {
    let each = roots.iter().map(|root| match ty::MemRef::of(root.value.ty()) {
        None => Space::Foreign,
        Some(memref) => match (memref.space(), memref.space_attr) {
            (Some(name), _) => Space::Named(name),
            (None, Some(_)) => Space::Foreign,
            (None, None) => Space::Open,
        },
    });
    let each: Vec<Space<'c>> = each.collect();
    match each.iter().find(|space| **space == Space::Foreign) {
        Some(foreign) => *foreign,
        None => each[0],
    }
}

/// Arguments of the function and of blocks in it, and results, in program order.
fn values_of<'c>(function: Op<'c>) -> Vec<Value<'c>> {
    let mut values = Vec::new();
    for op in function.walk() {
        values.extend(op.results());
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        values.extend(blocks.flat_map(|block| block.args()));
    }
    values
}

fn is_allocation(op: Op<'_>) -> bool {
    matches!(op.name(), "memref.alloc" | "memref.alloca")
}

/// True for an operation whose result is memory that it allocates, or that of a global of the module.
fn makes_memory<'c>(op: Op<'c>, joins: &Joins<'c>) -> bool {
    is_allocation(op) || joins.global_of(op).is_some()
}

fn argument_is_noalias(root: Root<'_>) -> bool {
    let zpu_ir::Def::Argument(_, index) = root.value.def() else {
        return false;
    };
    let attrs = root
        .origin
        .attr("arg_attrs")
        .and_then(attr::as_array)
        .unwrap_or_default();
    let entries = attrs.get(index).copied().and_then(attr::as_dictionary);
    entries.is_some_and(|entries| entries.iter().any(|(name, _)| *name == "llvm.noalias"))
}

/// The operation that makes a value of unknown memory: the value is no root, no view, and no other value becomes it.
fn foreign_source<'c>(value: Value<'c>, joins: &Joins<'c>) -> Option<Op<'c>> {
    let (source, is_known) = match value.def() {
        zpu_ir::Def::Result(op, _) => (Some(op), makes_memory(op, joins) || is_view(op)),
        zpu_ir::Def::Argument(block, _) => {
            let parent = block.parent_op();
            (
                parent,
                parent.is_some_and(|op| op.is("func.func") && op.body() == Some(block)),
            )
        }
    };
    source.filter(|_| !is_known && !joins.is_joined(value))
}

/// A use by which the memory escapes, or that does not allow another type.
fn out_of_sight<'c>(value: Value<'c>, joins: &Joins<'c>) -> Option<Op<'c>> {
    let followed = |user: Use<'c>| {
        let is_followed_view = is_view_of(user) && ty::MemRef::of(user.op.result(0).ty()).is_some();
        is_followed_view || joins.is_handed_on(user) || takes_any_space(user)
    };
    value
        .uses()
        .into_iter()
        .find(|user| !followed(*user))
        .map(|user| user.op)
}

/// True if the user's result is a view of the operand in the operand's memory space.
pub(super) fn is_view_of(user: Use<'_>) -> bool {
    user.index == 0 && is_view(user.op)
}

/// True if the operation's result is a view of its first operand in the same memory space.
pub(super) fn is_view(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        "memref.subview"
            | "memref.view"
            | "memref.cast"
            | "memref.reinterpret_cast"
            | "memref.collapse_shape"
            | "memref.expand_shape"
            | "memref.reshape"
            | "memref.transpose"
            | "memref.assume_alignment"
    )
}

/// True if the operand may get any memory space without a change to anything else.
fn takes_any_space(user: Use<'_>) -> bool {
    let name = user.op.name();
    name.starts_with("linalg.")
        || is_ours(user.op)
        || (name == "memref.reshape" && user.index == 1)
        || matches!(
            name,
            "memref.copy"
                | "memref.dealloc"
                | "memref.dim"
                | "memref.rank"
                | "memref.load"
                | "memref.store"
                | "memref.prefetch"
                | "memref.atomic_rmw"
                | "memref.generic_atomic_rmw"
                | "memref.memory_space_cast"
                | "affine.load"
                | "affine.store"
                | "vector.load"
                | "vector.store"
                | "vector.transfer_read"
                | "vector.transfer_write"
        )
}
