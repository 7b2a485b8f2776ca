//! A tensor that stays whole, but on the chip: for loops that go through it in different orders.
//!
//! The writer puts its parts where they belong and the reader takes its own from there, so that one of the two accesses
//! rows that do not follow each other. On chip such a row costs a DMA engine no trip to off-chip memory.

use zpu_analysis::access::accesses;
use zpu_analysis::body::Decline;
use zpu_analysis::region::Root;
use zpu_device::Device;
use zpu_ir::ty::{self, MemRef};
use zpu_ir::{Op, Remark, RemarkKind, Value, annotation, edit};

use super::layout::{self, Form};
use super::storage::only_accesses;
use super::{PASS, record};

/// A tensor that can move to the chip.
#[derive(Debug)]
pub(super) struct Resident<'c> {
    tensor: Value<'c>,
    /// The tensor and all views of it.
    values: Vec<Value<'c>>,
    /// Size of the tensor, in bytes.
    pub bytes: i64,
}

impl<'c> Resident<'c> {
    /// Decides about a tensor that is allocated off chip.
    pub(super) fn of(tensor: Value<'c>, most: i64) -> Result<Self, Decline<'c>> {
        let at = tensor.defining_op().expect("a tensor is allocated");
        let memref = MemRef::of(tensor.ty()).filter(MemRef::is_identity_layout);
        let Some(bytes) = memref.and_then(|memref| memref.bytes()) else {
            let message = "the sizes of the tensor are not constant, or its layout is not the identity";
            return Err(Decline::new("tensor-form", at, message));
        };
        if bytes > most {
            let message = format!("the tensor has {bytes} bytes, and buffers in place of tensors may take {most} more");
            return Err(Decline::new("whole-tensor", at, message));
        }
        let mut values = vec![tensor];
        let mut next = 0;
        while let Some(value) = values.get(next) {
            next += 1;
            for user in value.uses().into_iter().map(|used| used.op) {
                if user.is("memref.subview") {
                    values.push(user.result(0));
                } else if !only_accesses(user) {
                    let message = format!("{} does not only access the tensor", user.name());
                    return Err(Decline::new("view-of-view", user, message));
                }
            }
        }
        let (mut is_written, mut is_read) = (false, false);
        for user in values.iter().flat_map(|value| value.uses()).map(|used| used.op) {
            for access in accesses(user).unwrap_or_default() {
                if access.region.root == Root::Allocation(tensor) && !user.is("memref.dealloc") {
                    is_written |= access.write;
                    is_read |= !access.write;
                }
            }
        }
        if !is_written || !is_read {
            let message = "the tensor is not both written and read";
            return Err(Decline::new("no-access", at, message));
        }
        Ok(Self { tensor, values, bytes })
    }

    /// Moves the tensor.
    pub(super) fn apply(&self, space: &str) {
        let allocation: Op<'c> = self.tensor.defining_op().expect("a tensor is allocated");
        let rank = MemRef::of(self.tensor.ty()).map_or(0, |memref| memref.rank());
        let note = record::stands_for(self.tensor, &vec![0; rank], None);
        for value in &self.values {
            if let Some(memref) = MemRef::of(value.ty()) {
                edit::set_type(*value, memref.with_space(allocation.context(), space));
            }
        }
        allocation.set_attr(annotation::BUFFER, note);
    }
}

impl Resident<'_> {
    /// Gives a tensor that was moved the order of dimensions that its copies want, and says which.
    pub(super) fn lay_out(&self, device: &Device) {
        let Some(at) = self.tensor.defining_op() else { return };
        let (bytes, space) = (self.bytes, &device.default_space);
        let layout = layout::best(self.tensor, device);
        let form = layout.as_ref().map_or(Form::Rows, |layout| layout.form);
        let mut message = format!("the tensor of {bytes} bytes is in @{space} as a whole");
        if let Some(layout) = &layout {
            let (runs, dims) = (layout.runs, &layout.dims);
            message +=
                &format!(", {form}: its copies move {runs} runs of memory with dimensions in the order {dims:?}");
        }
        Remark::new(at, RemarkKind::Passed, PASS, "resident")
            .message(message)
            .metric("Form", form.to_string())
            .metric("Bytes", bytes)
            .metric("TensorBytes", bytes)
            .emit();
        if let Some(layout) = layout.filter(|layout| !layout.is_own()) {
            layout::turn(self.tensor, &layout.dims);
        }
    }
}

/// True for a type that names this memory.
pub(super) fn is_in(value: Value<'_>, space: &str) -> bool {
    ty::is_memref(value.ty()) && MemRef::of(value.ty()).is_some_and(|memref| memref.space() == Some(space))
}
