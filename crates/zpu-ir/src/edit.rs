//! The only place where IR is erased, moved or replaced.
//!
//! Collect and decide first; then edit. After [`erase`], every reference to the operation, to operations inside it and
//! to its results is dead.

use std::collections::HashMap;

use melior::ir::r#type::TypeLike as _;
use zpu_sys as sys;

use crate::scf::For;
use crate::{Block, Builder, Module, Op, Type, Value, annotation, ty};

/// Erases an operation with everything inside it. Nothing may use its results any more.
///
/// # Panics
///
/// If a result is still used: that is a bug of the caller, and the uses would dangle.
pub fn erase(op: Op<'_>) {
    assert!(
        op.results().into_iter().all(Value::is_unused),
        "erasing {} whose results are used",
        op.name()
    );
    // SAFETY: the operation is alive and unused; destroying it also detaches it.
    unsafe {
        sys::mlirOperationRemoveFromParent(op.raw);
        sys::mlirOperationDestroy(op.raw);
    }
}

/// Unrolls an `scf.for` as upstream does: by a factor, with a loop of what is left over, or as a whole if there is
/// none. False, and nothing is changed, where that cannot be done. The loop, and everything in it, may be gone.
pub fn unroll(loop_: Op<'_>, factor: Option<std::num::NonZeroU64>) -> bool {
    if let Some(for_) = For::of(loop_).filter(|for_| factor.is_some() && may_end_before_it_begins(*for_)) {
        let max = if for_.is_unsigned() {
            "arith.maxui"
        } else {
            "arith.maxsi"
        };
        let upper = Builder::before(loop_).binary(max, for_.lower(), for_.upper());
        set_operand(loop_, 1, upper);
    }
    // SAFETY: the operation is alive, and the function asks whether it is a loop.
    unsafe { sys::zpuLoopUnroll(loop_.raw, factor.map_or(0, std::num::NonZeroU64::get)) }
}

/// True for a loop whose upper bound may be below the lower one. Upstream counts its iterations by a division of
/// unsigned numbers, so what is left over would be run, and a step of 1 alone divides the difference right. The first
/// loop under a test of its trip count is not run then.
fn may_end_before_it_begins(for_: For<'_>) -> bool {
    let is_tested = for_
        .op
        .parent()
        .is_some_and(|around| around.has_attr(annotation::BY_TRIP_COUNT));
    let is_size = for_.upper().defining_op().is_some_and(|op| op.is("memref.dim"));
    let from_zero = for_.lower().as_constant_int() == Some(0);
    let is_plain = for_.step().as_constant_int() == Some(1);
    let is_known = for_.constant_trip_count().is_some();
    !(is_known || is_tested || is_plain || is_size && from_zero)
}

/// Moves an operation before another.
pub fn move_before(op: Op<'_>, other: Op<'_>) {
    // SAFETY: both are alive and attached.
    unsafe { sys::mlirOperationMoveBefore(op.raw, other.raw) }
}

/// Moves an operation to the end of a block.
pub fn move_to_end<'c>(op: Op<'c>, block: Block<'c>) {
    // SAFETY: the operation is alive; it is detached before it gets its new owner.
    unsafe {
        sys::mlirOperationRemoveFromParent(op.raw);
        sys::mlirBlockAppendOwnedOperation(block.raw, op.raw);
    }
}

/// Replaces every use of a value.
pub fn replace_all_uses<'c>(of: Value<'c>, with: Value<'c>) {
    if of != with {
        // SAFETY: both are alive.
        unsafe { sys::mlirValueReplaceAllUsesOfWith(of.raw, with.raw) }
    }
}

/// The same for each of several values, in their order.
pub fn replace_all<'c>(of: &[Value<'c>], with: &[Value<'c>]) {
    of.iter().zip(with).for_each(|(of, with)| replace_all_uses(*of, *with));
}

/// Makes a loop anew with more carried values, which begin with `inits`; the caller adds as many to its yield. They are
/// the last of the new loop's arguments and results.
pub fn loop_with<'c>(for_: For<'c>, inits: &[Value<'c>]) -> Op<'c> {
    let old = for_.op;
    let types = inits.iter().map(|init| init.ty());
    let operands: Vec<Value<'c>> = old.operands().into_iter().chain(inits.iter().copied()).collect();
    let results: Vec<Type<'c>> = old.results().into_iter().map(Value::ty).chain(types.clone()).collect();
    let args: Vec<Type<'c>> = for_.body.args().into_iter().map(Value::ty).chain(types).collect();
    let new = Builder::before(old).op_with_regions("scf.for", &operands, &results, &old.attrs(), &[&args]);
    let body = new.body().expect("just made with a block");
    for op in for_.body.ops().collect::<Vec<_>>() {
        move_to_end(op, body);
    }
    replace_all(&for_.body.args(), &body.args());
    replace_all(&old.results(), &new.results());
    erase(old);
    new
}

/// Sets one operand.
pub fn set_operand<'c>(op: Op<'c>, index: usize, value: Value<'c>) {
    assert!(index < op.num_operands(), "operand {index} of {}", op.name());
    // SAFETY: the index was checked, both are alive.
    unsafe { sys::mlirOperationSetOperand(op.raw, index as isize, value.raw) }
}

/// Sets all operands. An operation with groups of operands also needs new sizes of these.
pub fn set_operands<'c>(op: Op<'c>, values: &[Value<'c>]) {
    let all: Vec<_> = values.iter().map(|value| value.raw).collect();
    // SAFETY: all are alive; the array is copied.
    unsafe { sys::mlirOperationSetOperands(op.raw, all.len() as isize, all.as_ptr()) }
}

/// Appends operands.
pub fn append_operands<'c>(op: Op<'c>, values: &[Value<'c>]) {
    set_operands(op, &[op.operands(), values.to_vec()].concat());
}

/// Sets the type of a value in place. The caller keeps users and, for a function's argument, the function type in step.
pub fn set_type<'c>(value: Value<'c>, ty: Type<'c>) {
    // SAFETY: both are alive.
    unsafe { sys::mlirValueSetType(value.raw, ty.to_raw()) }
}

/// Makes the function's type agree with the types of its entry block's arguments and of its returned values.
pub fn update_function_type(function: Op<'_>) {
    let Some(body) = function.body() else { return };
    let Some((_, results)) = function
        .attr("function_type")
        .and_then(crate::attr::as_type)
        .and_then(ty::function)
    else {
        return;
    };
    let inputs: Vec<_> = body.args().into_iter().map(Value::ty).collect();
    let ends = function.regions().into_iter().flat_map(|region| region.blocks());
    let mut ends = ends.filter_map(Block::terminator).filter(|end| end.is("func.return"));
    let results = match ends.next() {
        Some(end) => end.operands().into_iter().map(Value::ty).collect(),
        None => results,
    };
    let ty = ty::make_function(function.context(), &inputs, &results);
    function.set_attr("function_type", crate::attr::type_attr(ty));
}

/// A copy of an operation that stands in no block, to try things on. It goes with everything that refers to it when
/// this is dropped.
#[derive(Debug)]
pub struct Scratch<'c> {
    op: Op<'c>,
}

impl<'c> Scratch<'c> {
    /// A copy of an operation. What is inside may use nothing from outside of it.
    pub fn of(op: Op<'c>) -> Self {
        // SAFETY: the operation is alive; the clone has no other owner.
        let op = unsafe { Op::from_raw(sys::mlirOperationClone(op.raw)) };
        Self { op }
    }

    /// The copy.
    pub fn op(&self) -> Op<'c> {
        self.op
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // SAFETY: the copy was never put into a block, and is destroyed once.
        unsafe { sys::mlirOperationDestroy(self.op.raw) }
    }
}

/// The attribute of a module that is a copy to try passes on: remarks on it are dropped.
pub const TRIAL: &str = "zpu.trial";

/// A copy of a `builtin.module`, marked as a trial.
pub fn trial_module<'c>(module: Op<'c>) -> Module<'c> {
    assert!(module.is("builtin.module"), "{} is no module", module.name());
    // SAFETY: the module is alive; the clone has no other owner, and the wrapper destroys it once.
    let copy = unsafe { Module::from_raw(sys::mlirModuleFromOperation(sys::mlirOperationClone(module.raw))) };
    Op::of_module(&copy).set_attr(TRIAL, crate::attr::unit(module.context()));
    copy
}

/// Old values and what stands for them in a copy.
#[derive(Clone, Debug, Default)]
pub struct ValueMap<'c> {
    map: HashMap<Value<'c>, Value<'c>>,
}

impl<'c> ValueMap<'c> {
    /// Says that `new` stands for `old`.
    pub fn set(&mut self, old: Value<'c>, new: Value<'c>) {
        self.map.insert(old, new);
    }

    /// The replacement of `old`; `old` itself if there is none.
    pub fn get(&self, old: Value<'c>) -> Value<'c> {
        self.map.get(&old).copied().unwrap_or(old)
    }

    /// True if something was said about `old`.
    pub fn has(&self, old: Value<'c>) -> bool {
        self.map.contains_key(&old)
    }
}

/// Clones `op` at the builder's place with its operands, and those of everything inside, taken from `map`; records its
/// results in `map`.
pub fn clone_mapped<'c>(builder: &mut Builder<'c>, op: Op<'c>, map: &mut ValueMap<'c>) -> Op<'c> {
    let clone = builder.clone_op(op);
    for inner in clone.walk() {
        for (index, operand) in inner.operands().into_iter().enumerate() {
            let new = map.get(operand);
            if new != operand {
                set_operand(inner, index, new);
            }
        }
    }
    for (old, new) in op.results().into_iter().zip(clone.results()) {
        map.set(old, new);
    }
    clone
}
