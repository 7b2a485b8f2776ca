//! `zpu-convert-to-dma`: turns copies and computations into commands on engines, in their synchronous form.
//!
//! Assumes buffers with memory spaces (`zpu-infer-memory-spaces`) and copies along routes (`zpu-legalize-data-path`).
//! Program order remains the meaning, so every operation is converted by itself.
//!
//! ```mlir
//! memref.copy %src, %a : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<asram>>
//! linalg.matmul ins(%a, %b : ...) outs(%c : ...)
//! // becomes
//! zpu.dma %src to %a on @odma0 : memref<8x8xf32, #zpu.space<dram>> to memref<8x8xf32, #zpu.space<asram>>
//! zpu.compute on @tensor {
//!   linalg.matmul ins(%a, %b : ...) outs(%c : ...)
//! }
//! ```
//!
//! Of several engines that could take an operation, it gets the one that would be done first with all commands that the
//! block has given it, by the device's costs; `zpu.engine` on an operation, an engine's name or kind, wins. A fill with
//! 0 of an accumulator that no vector engine reaches goes to a tensor engine with `zero_init`, and a convolution whose
//! operands are in memories that no tensor engine takes them from to a vector engine. An operation that no engine can
//! take stays as it is, with a remark: for instance a body that loads from memory by itself, or a copy whose route only
//! blocking engines serve, since the target cannot transfer asynchronously there. Later passes decide which commands
//! overlap.

use zpu_device::{Device, Engine, EngineKind, Role};
use zpu_ir::ops::{Computation, Compute, Dma};
use zpu_ir::options::ConvertToDmaOptions;
use zpu_ir::{
    Attribute, Block, Builder, Op, PassResult, Remark, RemarkKind, Type, annotation, attr, device, edit, ty, work,
};

use crate::engine_loads::Loads;
use zpu_analysis::engine_choice::{Kept, engines_for_compute, fitting_engines, space_of};
use zpu_analysis::overlap::may_overlap;

const PASS: &str = "zpu-convert-to-dma";

/// Runs the pass.
pub(crate) fn run(function: Op<'_>, _options: &ConvertToDmaOptions) -> PassResult {
    let candidates = collect(function);
    if candidates.is_empty() {
        return Ok(());
    }
    let device = device::of(function)?;
    let mut loads = Loads::default();
    let mut commands = Vec::new();
    for op in candidates {
        match decide(op, &device) {
            Ok(choice) => {
                let engine = loads.least(op.block(), op, &choice.engines, &device);
                commands.push((op, choice.form, engine));
            }
            Err(kept) => Remark::new(op, RemarkKind::Missed, PASS, kept.reason)
                .message(kept.message)
                .emit(),
        }
    }
    report(function, &commands);
    for (op, form, engine) in commands {
        match form {
            Form::Transfer => make_transfer(op, &engine),
            Form::CopyOnVector => make_copy_on_vector(op, &engine),
            Form::Compute => make_compute(op, &engine),
        }
    }
    Ok(())
}

/// The form that an operation is converted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A copy becomes a `zpu.dma`.
    Transfer,
    /// A `memref.copy` becomes a `linalg.copy` in a `zpu.compute`.
    CopyOnVector,
    /// A structured operation moves into a `zpu.compute`.
    Compute,
}

/// The form of an operation, and the engines that could take it; at least one.
struct Choice<'d> {
    form: Form,
    engines: Vec<&'d Engine>,
}

/// Copies and structured operations in program order, without those that are part of a command or of a structured
/// operation.
fn collect(function: Op<'_>) -> Vec<Op<'_>> {
    let holds_own = |op: Op<'_>| Computation::of(op).is_some() || op.indexing_maps().is_some();
    let all = function.walk().into_iter();
    all.filter(|op| op.is("memref.copy") || op.indexing_maps().is_some())
        .filter(|op| !op.parents().any(holds_own))
        .collect()
}

fn decide<'d>(op: Op<'_>, device: &'d Device) -> Result<Choice<'d>, Kept> {
    if op.operands().iter().all(|operand| !ty::is_memref(operand.ty())) || op.num_results() > 0 {
        return Err(Kept::new(
            "not-on-buffers",
            format!("{} works on tensors; bufferize first", op.name()),
        ));
    }
    if let Some(wanted) = op.attr(annotation::ENGINE).and_then(attr::as_str) {
        return decide_wanted(op, wanted, device);
    }
    if work::is_copy(op) {
        decide_copy(op, device)
    } else {
        let engines = engines_for_compute(op, device)?;
        Ok(Choice {
            form: Form::Compute,
            engines,
        })
    }
}

/// The user's own choice: the engine of that name, or any of the engines of that kind.
fn decide_wanted<'d>(op: Op<'_>, wanted: &str, device: &'d Device) -> Result<Choice<'d>, Kept> {
    let is_wanted = |engine: &Engine| engine.name == wanted || engine.kind.to_string() == wanted;
    let copy = work::is_copy(op);
    let vector = device.engines_of_kind(EngineKind::Vector).any(is_wanted);
    let mut choice = match copy {
        true if vector => copy_on_vector(op, device)?,
        true => decide_copy(op, device)?,
        false => Choice {
            form: Form::Compute,
            engines: engines_for_compute(op, device)?,
        },
    };
    let able = names(&choice.engines);
    choice.engines.retain(|engine| is_wanted(engine));
    if choice.engines.is_empty() {
        let message = format!(
            "zpu.engine wants '{wanted}', which cannot take it; {able} can; the device has {}",
            device.engine_names()
        );
        return Err(Kept::new("wanted-engine", message));
    }
    Ok(choice)
}

fn decide_copy<'d>(op: Op<'_>, device: &'d Device) -> Result<Choice<'d>, Kept> {
    let (from, to) = (space_of(op.operand(0), device)?, space_of(op.operand(1), device)?);
    let servers = device.engines_for_route(from, to);
    let mut asynchronous: Vec<&Engine> = servers.iter().copied().filter(|engine| !engine.blocking).collect();
    let dims = work::dims_of(op);
    if !asynchronous.is_empty() && !asynchronous.iter().any(|engine| engine.goes_through(dims)) {
        let message = format!(
            "it goes through {dims} strided dimensions, more than {} in one transfer; run zpu-legalize-data-path",
            names(&asynchronous)
        );
        return Err(Kept::new("too-many-dimensions", message));
    }
    asynchronous.retain(|engine| engine.goes_through(dims));
    if !asynchronous.is_empty() {
        return Ok(Choice {
            form: Form::Transfer,
            engines: asynchronous,
        });
    }
    if !servers.is_empty() {
        let message = format!(
            "every dma engine with a route from {from} to {to} is blocking ({}), so a transfer could not run beside \
             anything",
            names(&servers)
        );
        return Err(Kept::new("no-async-dma", message));
    }
    if from != to && !device.moves_directly(from, to) {
        let message = format!(
            "no dma engine has a route from {from} to {to}; run zpu-legalize-data-path; the device has {}",
            device.route_names()
        );
        return Err(Kept::new("no-route", message));
    }
    copy_on_vector(op, device)
}

/// A copy as work of a vector engine that works on both memories.
fn copy_on_vector<'d>(op: Op<'_>, device: &'d Device) -> Result<Choice<'d>, Kept> {
    if may_overlap(op) {
        let message = "source and target may overlap, and a vector engine would read elements that it wrote; run \
                       zpu-legalize-data-path";
        return Err(Kept::new("overlap", message.to_owned()));
    }
    let form = if op.is("memref.copy") {
        Form::CopyOnVector
    } else {
        Form::Compute
    };
    let roles = op.operands().into_iter().map(|operand| (Role::All, operand)).collect();
    let engines = fitting_engines(EngineKind::Vector, roles, device)?;
    Ok(Choice { form, engines })
}

fn report(function: Op<'_>, commands: &[(Op<'_>, Form, String)]) {
    if !commands.is_empty() {
        let transfers = commands.iter().filter(|(_, form, _)| *form == Form::Transfer).count();
        Remark::new(function, RemarkKind::Passed, PASS, "converted")
            .message("copies and computations became commands")
            .metric("transfers", transfers)
            .metric("computations", commands.len() - transfers)
            .emit();
    }
}

fn make_transfer(op: Op<'_>, engine: &str) {
    let mut attrs = vec![(Dma::ENGINE, attr::symbol(op.context(), engine))];
    attrs.extend(own_attrs(op));
    // The planner may choose among engines that serve the same route, but not if the user chose one.
    let wanted = op
        .attr(annotation::ENGINE)
        .filter(|wanted| attr::as_str(*wanted) == Some(engine));
    attrs.extend(wanted.map(|wanted| (annotation::ENGINE, wanted)));
    Dma::create(&mut Builder::before(op), op.operand(0), op.operand(1), &attrs);
    edit::erase(op);
}

fn make_copy_on_vector(op: Op<'_>, engine: &str) {
    let body = make_command(op, engine);
    let element: Vec<Type<'_>> = ty::element(op.operand(0).ty()).into_iter().collect();
    let arguments = [element.clone(), element].concat();
    let mut builder = Builder::at_end(body, op);
    let segments = [("operandSegmentSizes", attr::int32_array(op.context(), &[1, 1]))];
    let copy = builder.op_with_regions("linalg.copy", &op.operands(), &[], &segments, &[&arguments]);
    if let Some(inside) = copy.body() {
        Builder::at_end(inside, op).op("linalg.yield", &inside.args()[..1], &[], &[]);
    }
    edit::erase(op);
}

fn make_compute<'c>(op: Op<'c>, engine: &str) {
    let body = make_command(op, engine);
    for (name, _) in own_attrs(op) {
        op.remove_attr(name);
    }
    op.remove_attr(annotation::ENGINE);
    edit::move_to_end(op, body);
}

/// Makes an empty `zpu.compute` before `op`, with its location and its annotations.
fn make_command<'c>(op: Op<'c>, engine: &str) -> Block<'c> {
    let mut attrs = vec![(Compute::ENGINE, attr::symbol(op.context(), engine))];
    attrs.extend(own_attrs(op));
    Compute::create(&mut Builder::before(op), &attrs).body()
}

/// The discardable attributes of an operation that move to its command.
fn own_attrs<'c>(op: Op<'c>) -> Vec<(&'c str, Attribute<'c>)> {
    let attrs = op.discardable_attrs().into_iter();
    attrs
        .filter(|(name, _)| !name.starts_with("linalg.") && *name != annotation::ENGINE)
        .collect()
}

fn names(engines: &[&Engine]) -> String {
    let names: Vec<String> = engines.iter().map(|engine| format!("@{}", engine.name)).collect();
    names.join(", ")
}
