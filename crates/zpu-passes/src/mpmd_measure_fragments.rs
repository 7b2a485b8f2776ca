//! `zpu-mpmd-measure-fragments`: compiles a copy of each fragment for its mesh, runs it without values, and notes its
//! cycles. The program itself is not compiled.

use std::collections::BTreeMap;

use zpu_ir::fragment::{Outlined, outlined};
use zpu_ir::options::MpmdMeasureFragmentsOptions;
use zpu_ir::pipeline::{self, Nested};
use zpu_ir::ty::{MemRef, Tensor, scalar};
use zpu_ir::{Failed, Module, Op, PassResult, Remark, RemarkKind, annotation, attr, device, edit, error, ops};
use zpu_sim::{PaceArgument, SimError, pace};

const PASS: &str = "zpu-mpmd-measure-fragments";
/// Name of the function that a body becomes.
const BODY: &str = "fragment";
/// Commands of a run before loops that repeat themselves are cut short.
const EXACT_COMMANDS: u64 = 1 << 14;
/// The most cycles of one fragment; schedules add up many of them.
const MOST_CYCLES: u64 = 1 << 40;

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &MpmdMeasureFragmentsOptions) -> PassResult {
    let pipelines = Nested::within(module);
    let read = pipeline::of_options(&options.pipeline).and_then(|text| pipelines.check(&text).map(|()| text));
    let pipeline = read.map_err(|reason| {
        let message = format!(
            "pipeline={{{}}} is no list of options of zpu-pipeline: {reason}",
            options.pipeline
        );
        error(module, &message, &[]);
        Failed
    })?;
    let mut measuring = Measuring {
        pipelines,
        pipeline,
        known: BTreeMap::new(),
    };
    let fragments = module.find_all(ops::Fragment::NAME).into_iter();
    for fragment in fragments.filter_map(ops::Fragment::of) {
        if fragment.op.has_attr(annotation::CYCLES) || fragment.device().is_none() {
            continue;
        }
        match measuring.cycles(fragment) {
            Ok(None) => {}
            Ok(Some(cycles)) => {
                let cycles = i64::try_from(cycles).unwrap_or(i64::MAX);
                fragment
                    .op
                    .set_attr(annotation::CYCLES, attr::int(module.context(), cycles));
            }
            Err(reason) => Remark::new(fragment.op, RemarkKind::Missed, PASS, "not-measured")
                .message(reason)
                .emit(),
        }
    }
    Ok(())
}

struct Measuring<'c> {
    pipelines: Nested<'c>,
    pipeline: String,
    /// Cycles by the text of a body: fragments of several microbatches are alike.
    known: BTreeMap<String, Result<u64, String>>,
}

impl<'c> Measuring<'c> {
    /// The cycles of a fragment; nothing without a body.
    fn cycles(&mut self, fragment: ops::Fragment<'c>) -> Result<Option<u64>, String> {
        let module = outlined(fragment, BODY).map_err(|problem| problem.to_string())?;
        let Some(Outlined { module, entry }) = module else {
            return Ok(None);
        };
        let arguments = arguments(fragment)?;
        let text = Op::of_module(&module).verified_text();
        if let Some(known) = self.known.get(&text) {
            return known.clone().map(Some);
        }
        let measured = self.measure(module, &entry, &arguments);
        self.known.insert(text, measured.clone());
        measured.map(Some)
    }

    fn measure(&mut self, mut module: Module<'c>, entry: &str, arguments: &[PaceArgument]) -> Result<u64, String> {
        let op = Op::of_module(&module);
        op.set_attr(edit::TRIAL, attr::unit(op.context()));
        self.pipelines.run(&mut module, &self.pipeline)?;
        let op = Op::of_module(&module);
        let device = device::read(op).map_err(|problem| problem.to_string())?;
        let program = zpu_translate::translate(op, &device, entry).map_err(|problem| problem.to_string())?;
        let endless =
            || "its run does not come to an end, or takes too long to be followed; give it zpu.cycles".to_owned();
        let pace = pace(&program, &device, entry, arguments, EXACT_COMMANDS).map_err(|problem| match problem {
            SimError::CycleLimit(..) => endless(),
            problem => problem.to_string(),
        })?;
        pace.map(|pace| pace.cycles)
            .filter(|cycles| *cycles <= MOST_CYCLES)
            .ok_or_else(endless)
    }
}

/// The arguments that the body is run with.
fn arguments(fragment: ops::Fragment<'_>) -> Result<Vec<PaceArgument>, String> {
    let argument = |(place, ty): (usize, zpu_ir::Type<'_>)| {
        if scalar(ty).is_some() {
            return Ok(PaceArgument::Scalar(0));
        }
        let memref = MemRef::of(ty).map(|memref| memref.shape);
        // The pipeline makes buffers of tensors, or fails.
        let shape = memref.or_else(|| Tensor::of(ty).map(|tensor| tensor.shape));
        let shape = shape.and_then(|shape| shape.into_iter().collect::<Option<Vec<i64>>>());
        shape.map(PaceArgument::Shape).ok_or_else(|| {
            format!("operand {place} is {ty}; only numbers, and memrefs and tensors of static sizes, are run")
        })
    };
    let types = fragment.inputs().into_iter().map(|input| input.ty());
    types.enumerate().map(argument).collect()
}
