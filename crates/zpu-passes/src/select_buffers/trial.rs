//! A function compiled on the side by all passes that follow, with buffers in place of tensors or without.

use std::collections::BTreeSet;

use zpu_device::Device;
use zpu_ir::buffer::as_buffer;
use zpu_ir::options::{SelectBuffersOptions, SelectPlanOptions};
use zpu_ir::pipeline::Nested;
use zpu_ir::ty::MemRef;
use zpu_ir::{Module, Op, annotation, attr};

use crate::measure::scenario::Scenario;
use crate::measure::{Measured, copy_of, find, functions, name_of, run};
use crate::pipeline::{BUFFERS, after_buffers};

/// A way to compile a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// With whole tensors.
    Whole,
    /// With buffers, and rings as large as they are if nobody says how large.
    Buffers,
    /// With buffers, and rings with so many slots more than are needed in turn.
    Slots(i64),
}

/// The buffers that a function gets.
pub(super) struct Made {
    /// Slots that the rings have beyond those that are needed in turn, the most of all; nothing if there is no ring.
    pub(super) slots: Option<i64>,
}

/// Compiles functions of one module.
pub(super) struct Trials<'c, 'd> {
    pipelines: Nested<'c>,
    module: Op<'c>,
    device: &'d Device,
    insertion: String,
    all: String,
    /// Functions that are not decided yet.
    pub(super) undecided: BTreeSet<String>,
}

impl<'c, 'd> Trials<'c, 'd> {
    pub(super) fn new(module: Op<'c>, device: &'d Device, options: &SelectBuffersOptions) -> Self {
        let lowering = SelectPlanOptions {
            scheduler: options.scheduler.clone(),
            num_stages: options.num_stages.clone(),
            time_limit: options.time_limit.clone(),
            form: options.form.clone(),
            mode: options.mode.clone(),
            ids: options.ids,
            plan_memory: false,
            reuse: 0,
        };
        Self {
            pipelines: Nested::within(module),
            module,
            device,
            insertion: "builtin.module(func.func(zpu-insert-buffers))".to_owned(),
            all: format!("builtin.module(func.func({BUFFERS}),{})", after_buffers(&lowering)),
            undecided: BTreeSet::new(),
        }
    }

    /// The buffers that a function gets; nothing if it stays as it is.
    pub(super) fn made(&mut self, function: Op<'c>) -> Option<Made> {
        let name = name_of(function);
        let before = function.verified_text();
        let mut rings = |form: Form| -> Option<(String, Vec<i64>)> {
            let mut module = copy_of(self.module, name);
            write(find(&module, name).ok()?, form);
            self.pipelines.run(&mut module, &self.insertion).ok()?;
            let after = find(&module, name).ok()?;
            let allocations = after.find_all("memref.alloc").into_iter();
            Some((after.verified_text(), allocations.filter_map(ring_size).collect()))
        };
        let (after, sizes) = rings(Form::Buffers)?;
        if after == before {
            return None;
        }
        let (least, next) = (rings(Form::Slots(0))?.1, rings(Form::Slots(1))?.1);
        let slots = sizes.iter().zip(least.iter().zip(&next)).map(|(size, (least, next))| {
            let slot = (next - least).max(1);
            (size - least) / slot
        });
        Some(Made { slots: slots.max() })
    }

    /// Compiles a copy of a function in a form and runs it in each scenario.
    pub(super) fn measure(&mut self, function: Op<'c>, form: Form, scenarios: &[Scenario]) -> Result<Measured, String> {
        let name = name_of(function);
        let mut module: Module<'_> = copy_of(self.module, name);
        for (other, op) in functions(Op::of_module(&module)) {
            if other == name {
                write(op, form);
            } else if self.undecided.contains(&other) {
                write(op, Form::Whole);
            }
        }
        self.pipelines.run(&mut module, &self.all)?;
        let program = zpu_translate::translate(Op::of_module(&module), self.device, name);
        let program = program.map_err(|error| error.to_string())?;
        Ok(run(&program, self.device, name, scenarios))
    }
}

/// Writes a form on a function, for `zpu-insert-buffers`.
fn write(function: Op<'_>, form: Form) {
    let context = function.context();
    match form {
        Form::Whole => function.set_attr(annotation::WHOLE_TENSORS, attr::unit(context)),
        Form::Buffers => {}
        Form::Slots(slots) => function.set_attr(annotation::RING_SLACK, attr::int(context, slots)),
    }
}

/// Elements of an allocation in place of a tensor, if it is a ring.
fn ring_size(op: Op<'_>) -> Option<i64> {
    let note = op.attr(annotation::BUFFER).and_then(as_buffer)?;
    let size = MemRef::of(op.result(0).ty())?.num_elements()?;
    note.advance.is_none().then_some(size)
}
