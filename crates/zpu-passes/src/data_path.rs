//! Copies between memories: which operations are copies, over which memories data gets from one to another, and the
//! buffers and copies that stage it.
//!
//! A vector engine moves data too: between two memories that both satisfy its operand rule. That counts where no DMA
//! engine has a route, so that a memory which only computing engines reach is not cut off.

use std::collections::{BTreeMap, VecDeque};

use zpu_device::{Device, Engine, EngineKind, Role};
use zpu_ir::{Builder, Op, Value, attr, ty, work};

/// A copy of all elements of one buffer to another of the same shape and element type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copy<'c> {
    /// What is read.
    pub(crate) source: Value<'c>,
    /// What is written.
    pub(crate) dest: Value<'c>,
}

impl<'c> Copy<'c> {
    /// The view, if `op` is a copy on ranked memrefs. One that converts elements is a computation.
    pub(crate) fn of(op: Op<'c>) -> Option<Self> {
        if !work::is_copy(op) {
            return None;
        }
        let copy = Self {
            source: op.operand(0),
            dest: op.operand(1),
        };
        let (source, dest) = (ty::MemRef::of(copy.source.ty())?, ty::MemRef::of(copy.dest.ty())?);
        (source.element == dest.element).then_some(copy)
    }
}

/// Whether one command of a DMA engine moves data from one memory to the other, or, without such a route, one of a vector
/// engine.
pub(crate) fn is_direct(device: &Device, from: &str, to: &str) -> bool {
    !device.engines_for_route(from, to).is_empty() || vector_moves(device, from, to)
}

fn vector_moves(device: &Device, from: &str, to: &str) -> bool {
    device
        .engines_of_kind(EngineKind::Vector)
        .any(|engine| names(engine, from) && names(engine, to))
}

/// Whether the rule of a vector engine names the memory. An engine without a rule works in any memory, but is no path.
fn names(engine: &Engine, space: &str) -> bool {
    engine.operands.spaces(Role::All).iter().any(|name| name == space)
}

/// The memories that data passes through, both ends included: the path of DMA routes with the fewest transfers, and where
/// there is none, the one with the fewest commands of DMA and vector engines. Of equally short paths one that stays on
/// chip, then the first in the device's order of memories. Two memories for a direct command.
pub(crate) fn path(device: &Device, from: &str, to: &str) -> Option<Vec<String>> {
    if is_direct(device, from, to) {
        return Some(vec![from.to_owned(), to.to_owned()]);
    }
    let by_dma = |from: &str, to: &str| !device.engines_for_route(from, to).is_empty();
    let by_any = |from: &str, to: &str| is_direct(device, from, to);
    shortest(device, from, to, &by_dma).or_else(|| shortest(device, from, to, &by_any))
}

fn shortest(device: &Device, from: &str, to: &str, hop: &dyn Fn(&str, &str) -> bool) -> Option<Vec<String>> {
    let all = device.memories.iter().map(|memory| memory.name.as_str());
    let on_chip = all
        .clone()
        .filter(|name| !device.is_off_chip(name) || *name == to)
        .collect::<Vec<_>>();
    let paths = [
        search(&on_chip, from, to, hop),
        search(&all.collect::<Vec<_>>(), from, to, hop),
    ];
    paths.into_iter().flatten().min_by_key(Vec::len)
}

/// Breadth-first search through `memories`; ties go to the first of them.
fn search(memories: &[&str], from: &str, to: &str, hop: &dyn Fn(&str, &str) -> bool) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(space) = queue.pop_front() {
        for &next in memories.iter().filter(|next| hop(space, next)) {
            if next == to {
                let mut path = vec![to, space];
                while let Some(before) = came_from.get(path[path.len() - 1]) {
                    path.push(before);
                }
                return Some(path.into_iter().rev().map(str::to_owned).collect());
            }
            if next != from && !came_from.contains_key(next) {
                came_from.insert(next, space);
                queue.push_back(next);
            }
        }
    }
    None
}

/// Allocates a buffer of the shape of `like` in `space`, row-major without gaps. Dynamic sizes are taken from `like`, which
/// has to be a ranked memref with a strided layout that dominates the builder's place.
pub(crate) fn alloc_like<'c>(builder: &mut Builder<'c>, like: Value<'c>, space: &str) -> Value<'c> {
    let context = builder.context();
    let memref = ty::MemRef::of(like.ty()).expect("a staged buffer is a strided memref");
    let index = ty::index(context);
    let mut sizes = Vec::new();
    for (dim, size) in memref.shape.iter().enumerate() {
        if size.is_none() {
            let dim = builder.index(dim as i64);
            sizes.push(builder.op("memref.dim", &[like, dim], &[index], &[]).result(0));
        }
    }
    let result = ty::make(&memref.shape, memref.element, None, Some(attr::space(context, space)));
    alloc(builder, "memref.alloc", &sizes, result, &[])
}

/// `memref.alloc` or `memref.alloca` with these dynamic sizes; `attrs` are further attributes.
pub(crate) fn alloc<'c>(
    builder: &mut Builder<'c>,
    name: &str,
    sizes: &[Value<'c>],
    result: zpu_ir::Type<'c>,
    attrs: &[(&str, zpu_ir::Attribute<'c>)],
) -> Value<'c> {
    let segments = attr::int32_array(builder.context(), &[sizes.len() as i32, 0]);
    let mut all = vec![("operandSegmentSizes", segments)];
    all.extend(attrs.iter().copied());
    builder.op(name, sizes, &[result], &all).result(0)
}

/// `memref.copy`.
pub(crate) fn copy<'c>(builder: &mut Builder<'c>, from: Value<'c>, to: Value<'c>) {
    builder.op("memref.copy", &[from, to], &[], &[]);
}

/// `memref.dealloc`.
pub(crate) fn dealloc<'c>(builder: &mut Builder<'c>, buffer: Value<'c>) {
    builder.op("memref.dealloc", &[buffer], &[], &[]);
}
