//! The buffers of a function: an argument or an allocation, with all views of it.
//!
//! A value belongs to at most one buffer. A value that belongs to none (a global, what a loop or a call yields, the result
//! of a cast between memory spaces) keeps the type that it has.

use std::collections::HashMap;

use zpu_ir::{Op, Use, Value, attr, ty};

/// What a buffer's memory space is at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space<'c> {
    /// None is written: the pass finds one.
    Open,
    /// A `#zpu.space`.
    Named(&'c str),
    /// Something else, as a number; it is left alone.
    Foreign,
}

/// A buffer and everything that sees its memory.
#[derive(Clone, Debug)]
pub(super) struct Buffer<'c> {
    /// The argument or the allocation's result.
    pub(super) root: Value<'c>,
    /// The allocation; the function for an argument.
    pub(super) origin: Op<'c>,
    /// The root and its views, in the order in which they were found.
    pub(super) values: Vec<Value<'c>>,
    /// What is written.
    pub(super) space: Space<'c>,
    /// A use through which the memory gets out of sight, or that does not allow another type.
    pub(super) escape: Option<Use<'c>>,
    /// Whether only these values see the memory.
    pub(super) is_alone: bool,
}

impl<'c> Buffer<'c> {
    /// Whether it is an argument of the function.
    pub(super) fn is_argument(&self) -> bool {
        self.origin.is("func.func")
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
        match self.root.def() {
            zpu_ir::Def::Argument(_, index) => format!("argument {index}"),
            zpu_ir::Def::Result(..) => "the buffer".to_owned(),
        }
    }
}

/// All buffers of a function, and which of them a value belongs to.
#[derive(Debug, Default)]
pub(super) struct Buffers<'c> {
    /// Arguments first, then allocations in program order.
    pub(super) list: Vec<Buffer<'c>>,
    of: HashMap<Value<'c>, usize>,
}

impl<'c> Buffers<'c> {
    /// Finds the buffers of a function that has a body.
    pub(super) fn collect(function: Op<'c>) -> Self {
        let mut buffers = Self::default();
        let arguments = function.body().map(|body| body.args()).unwrap_or_default();
        for (index, argument) in arguments.into_iter().enumerate() {
            if ty::is_memref(argument.ty()) {
                buffers.add(argument, function, argument_is_noalias(function, index));
            }
        }
        for op in function.walk() {
            if matches!(op.name(), "memref.alloc" | "memref.alloca") {
                buffers.add(op.result(0), op, true);
            }
        }
        buffers
    }

    /// Index of the buffer that a value is a view of.
    pub(super) fn index_of(&self, value: Value<'c>) -> Option<usize> {
        self.of.get(&value).copied()
    }

    /// The buffer that a value is a view of.
    pub(super) fn buffer_of(&self, value: Value<'c>) -> Option<&Buffer<'c>> {
        self.index_of(value).map(|index| &self.list[index])
    }

    fn add(&mut self, root: Value<'c>, origin: Op<'c>, unaliased: bool) {
        let mut values = vec![root];
        let mut escape = None;
        let mut next = 0;
        while next < values.len() {
            let value = values[next];
            next += 1;
            for user in value.uses() {
                if is_view_of(user) && ty::MemRef::of(user.op.result(0).ty()).is_some() {
                    values.push(user.op.result(0));
                } else if !takes_any_space(user) {
                    escape = escape.or(Some(user));
                }
            }
        }
        let space = match ty::MemRef::of(root.ty()) {
            None => Space::Foreign,
            Some(memref) => match (memref.space(), memref.space_attr) {
                (Some(name), _) => Space::Named(name),
                (None, Some(_)) => Space::Foreign,
                (None, None) => Space::Open,
            },
        };
        for value in &values {
            self.of.insert(*value, self.list.len());
        }
        let is_alone = unaliased && escape.is_none();
        self.list.push(Buffer {
            root,
            origin,
            values,
            space,
            escape,
            is_alone,
        });
    }
}

fn argument_is_noalias(function: Op<'_>, index: usize) -> bool {
    let attrs = function.attr("arg_attrs").and_then(attr::as_array).unwrap_or_default();
    let entries = attrs.get(index).copied().and_then(attr::as_dictionary);
    entries.is_some_and(|entries| entries.iter().any(|(name, _)| *name == "llvm.noalias"))
}

/// Whether the user's result is a view of the operand in the operand's memory space.
pub(super) fn is_view_of(user: Use<'_>) -> bool {
    user.index == 0 && is_view(user.op)
}

/// Whether the operation's result is a view of its first operand in the same memory space.
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

/// Whether the operand may get any memory space without a change to anything else.
fn takes_any_space(user: Use<'_>) -> bool {
    let name = user.op.name();
    name.starts_with("linalg.")
        || name.starts_with("zpu.")
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
