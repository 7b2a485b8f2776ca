//! Demands of computations on the memories of their operands.
//!
//! The rules are those of the engine that will do the work: a tensor engine for a contraction, a vector engine for any
//! other structured operation. A fill with 0 may be done by either, if the tensor engine can. Copies demand nothing,
//! and neither do operations that no engine takes.

use zpu_device::{Device, Engine, EngineKind, Role};
use zpu_ir::ops::Computation;
use zpu_ir::{EffectKind, Op, Value, affine, attr, ty, work};

use crate::data_path::Copy;

/// An operand with the memories that it may be in.
#[derive(Clone, Debug)]
pub(super) struct Demand<'c, 'd> {
    /// The computation.
    pub(super) op: Op<'c>,
    /// The operand's index.
    pub(super) index: usize,
    /// The operand, a ranked memref with a strided layout.
    pub(super) value: Value<'c>,
    /// The engines whose rules they are; never empty.
    pub(super) engines: Vec<&'d Engine>,
    /// The memories, best first; never empty.
    pub(super) allowed: Vec<&'d str>,
    /// True if the computation reads the operand, or leaves elements of it as they were.
    pub(super) reads: bool,
    /// True if the computation writes the operand.
    pub(super) writes: bool,
}

impl Demand<'_, '_> {
    /// True if the operand may be in `space`.
    pub(super) fn allows(&self, space: &str) -> bool {
        self.allowed.contains(&space)
    }

    /// Its text in messages, e.g. `operand 2 of linalg.matmul has to be in l0c for @cube`.
    pub(super) fn describe(&self) -> String {
        let spaces = self.allowed.join(" or ");
        let engines: Vec<&str> = self.engines.iter().map(|engine| engine.name.as_str()).collect();
        format!(
            "operand {} of {} has to be in {spaces} for @{}",
            self.index,
            self.op.name(),
            engines.join(" or @")
        )
    }
}

/// The demands of one operation, in the order of its operands; none for anything but a computation on memrefs.
pub(super) fn of<'c, 'd>(op: Op<'c>, device: &'d Device) -> Vec<Demand<'c, 'd>> {
    if !is_computation(op) {
        return Vec::new();
    }
    let Some(engine) = engine_for(op, device) else {
        return Vec::new();
    };
    let mut engines = vec![engine];
    if op.is_zero_fill() {
        let tensor = device.engines_of_kind(EngineKind::Tensor);
        engines.extend(tensor.filter(|engine| engine.zero_init().is_some()));
    }
    let outputs = first_output(op);
    let demand = |index: usize| {
        let value = op.operand(index);
        ty::MemRef::of(value.ty())?;
        let mut allowed: Vec<&str> = Vec::new();
        for engine in &engines {
            let role = match (engine.kind, op.is_zero_fill()) {
                (EngineKind::Tensor, true) => Role::C,
                (kind, _) => role(kind, index)?,
            };
            let spaces = engine.operands.spaces(role);
            // An engine without a rule takes everything.
            (!spaces.is_empty()).then_some(())?;
            for space in spaces.iter().map(String::as_str) {
                if !allowed.contains(&space) {
                    allowed.push(space);
                }
            }
        }
        let writes = index >= outputs;
        Some(Demand {
            op,
            index,
            value,
            engines: engines.clone(),
            allowed,
            reads: !writes || !overwrites(op, index),
            writes,
        })
    };
    (0..op.num_operands()).filter_map(demand).collect()
}

/// True for a structured operation that is in no command and is no copy.
fn is_computation(op: Op<'_>) -> bool {
    op.indexing_maps().is_some()
        && Copy::of(op).is_none()
        && work::scalar_effect(op).is_none()
        && op.parent().and_then(Computation::of).is_none()
}

/// The first engine, of the kinds that can do the work, whose rules agree with the spaces in the operands' types; if
/// none agrees, the first one.
fn engine_for<'d>(op: Op<'_>, device: &'d Device) -> Option<&'d Engine> {
    let kinds: &[EngineKind] = match op.is_contraction() {
        true if work::is_convolution(op) => &[EngineKind::Tensor, EngineKind::Vector],
        true => &[EngineKind::Tensor],
        false => &[EngineKind::Vector],
    };
    let fits = |engine: &&Engine| {
        (0..op.num_operands()).all(|index| {
            let space = ty::MemRef::of(op.operand(index).ty()).and_then(|memref| memref.space());
            match (space, role(engine.kind, index)) {
                (Some(space), Some(role)) => engine.operands.allows(role, space),
                _ => true,
            }
        })
    };
    let engines = || kinds.iter().flat_map(|kind| device.engines_of_kind(*kind));
    engines().find(fits).or_else(|| engines().next())
}

fn role(kind: EngineKind, index: usize) -> Option<Role> {
    match (kind, index) {
        (EngineKind::Vector, _) => Some(Role::All),
        (EngineKind::Tensor, 0) => Some(Role::A),
        (EngineKind::Tensor, 1) => Some(Role::B),
        (EngineKind::Tensor, 2) => Some(Role::C),
        _ => None,
    }
}

/// Index of the first output among the operands of a structured operation.
fn first_output(op: Op<'_>) -> usize {
    let segments = op.attr("operandSegmentSizes").and_then(attr::as_int_array);
    match segments.as_deref() {
        Some([inputs, ..]) => usize::try_from(*inputs).unwrap_or(0),
        _ if op.is("linalg.reduce") => op.num_operands() / 2,
        _ => op.num_operands().saturating_sub(1),
    }
}

/// True if a structured operation writes every element of that output without reading any.
pub(super) fn overwrites(op: Op<'_>, index: usize) -> bool {
    let maps = op.indexing_maps().and_then(affine::Map::list).unwrap_or_default();
    let covers = index >= first_output(op) && maps.get(index).is_some_and(is_permutation);
    let value = op.operand(index);
    let read = || match op.effects() {
        Some(effects) => effects
            .iter()
            .any(|e| e.kind == EffectKind::Read && e.value.is_none_or(|v| v == value)),
        None => true,
    };
    covers && !read()
}

/// True if the results are all of the dimensions, each once.
fn is_permutation(map: &affine::Map) -> bool {
    let mut dims = map.as_dims().unwrap_or_default();
    dims.sort_unstable();
    map.results.len() == map.num_dims && dims.into_iter().eq(0..map.num_dims)
}
