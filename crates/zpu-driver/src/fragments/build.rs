//! From a function with fragments to what runs.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use zpu_analysis::fragments::Fragments;
use zpu_ir::fragment::{Outlined, outlined, topology};
use zpu_ir::ops::{self, ZpuOp};
use zpu_ir::ty::{MemRef, Tensor, scalar};
use zpu_ir::{Module, Op, Type, Value, annotation, attr, device, pipeline};
use zpu_sched::fragment::Program;
use zpu_sim::{Output, element_mask};

use super::{FragmentProblem, symbol};
use crate::{Error, Executable, Session, translate};

/// Name of the function that a body becomes.
const BODY: &str = "fragment";

/// A value between fragments, by its number.
pub(super) type ValueId = usize;

/// The work of a node.
#[derive(Clone, Debug)]
pub(super) enum Work {
    /// A body on its device.
    Body(Arc<Executable>),
    /// A cost, and no values.
    Opaque,
    /// A copy.
    Transfer,
}

/// A fragment or a transfer, ready to run.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) work: Work,
    /// The cost that the program gives, which counts where no body is run.
    pub(super) given: Option<u64>,
    pub(super) inputs: Vec<ValueId>,
    pub(super) outputs: Vec<ValueId>,
    /// Bytes that a transfer moves, if its type tells.
    pub(super) bytes: u64,
    /// Bytes per cycle of the link of a transfer; none if it has no link.
    pub(super) rate: Option<f64>,
}

/// A function with fragments, made ready to run. It is owned data, apart from the module that it was made of.
#[derive(Clone, Debug)]
pub struct FragmentProgram {
    pub(super) entry: String,
    pub(super) program: Program,
    /// The name of each mesh's device.
    pub(super) devices: Vec<Option<String>>,
    pub(super) nodes: Vec<Node>,
    /// Values that are freed before the node of this number, in the order of the block.
    pub(super) frees: Vec<(usize, ValueId)>,
    /// A function without fragments that has the same parameters.
    pub(super) signature: Executable,
    /// The value of each parameter; nothing where an argument cannot hold it.
    pub(super) arguments: Vec<Option<ValueId>>,
    pub(super) constants: Vec<(ValueId, Output)>,
    pub(super) returned: Vec<ValueId>,
    pub(super) num_values: usize,
}

impl FragmentProgram {
    /// True if a function of the module is a program over several devices, or calls one.
    pub fn is_one(module: &Module<'_>, entry: &str) -> bool {
        let holds = |function: Op<'_>| !function.find_all(ops::Fragment::NAME).is_empty();
        let Some(function) = function_of(module, entry) else {
            return false;
        };
        let calls = function.find_all("func.call").into_iter();
        let mut callees = calls.filter_map(|call| call.attr("callee").and_then(attr::as_symbol));
        holds(function) || callees.any(|callee| function_of(module, callee).is_some_and(holds))
    }

    /// Makes a function of a module ready to run. `pipeline` holds the options of a `--zpu-pipeline` by which each
    /// fragment is compiled for the device of its mesh; without it, fragments run as they are.
    ///
    /// # Errors
    ///
    /// [`Error::Fragments`], and those of parsing, compiling and translating a fragment.
    pub fn new(
        session: &Session,
        module: &Module<'_>,
        entry: &str,
        pipeline: Option<&str>,
    ) -> Result<FragmentProgram, Error> {
        let unreadable = |messages: String| Error::Fragments(FragmentProblem::Unreadable(messages));
        let Some(function) = function_of(module, entry) else {
            return Err(unreadable(format!("the module has no function `{entry}`")));
        };
        let pipeline = pipeline.map(pipeline::of_options).transpose();
        let pipeline = pipeline.map_err(|reason| Error::Fragments(FragmentProblem::Options(reason)))?;
        let (read, messages) = zpu_ir::with_messages(session.context(), || Fragments::of(function));
        let Ok(Some(fragments)) = read else {
            return Err(unreadable(messages));
        };
        let mut builder = Builder {
            session,
            pipeline,
            ids: FxHashMap::default(),
            made: FxHashMap::default(),
        };
        let block = fragments.block;
        let parameters = block.args().into_iter().map(|value| {
            let id = builder.id(value);
            stand_in(value.ty()).map(|_| id)
        });
        let arguments = parameters.collect();
        let (mut nodes, mut frees) = (Vec::new(), Vec::new());
        let (mut returned, mut constants) = (Vec::new(), Vec::new());
        for op in block.ops() {
            match ZpuOp::of(op) {
                Some(ZpuOp::Fragment(fragment)) => nodes.push(builder.fragment(fragment, &fragments, nodes.len())?),
                Some(ZpuOp::Transfer(transfer)) => nodes.push(builder.transfer(transfer)),
                _ if op.is("func.return") => {
                    returned = op.operands().into_iter().map(|value| builder.id(value)).collect();
                }
                _ if constant(op).is_some() => {
                    let id = builder.id(op.result(0));
                    constants.extend(constant(op).map(|value| (id, value)));
                }
                _ if op.is("memref.dealloc") => frees.push((nodes.len(), builder.id(op.operand(0)))),
                _ => {
                    return Err(Error::Fragments(FragmentProblem::Between {
                        op: op.name().to_owned(),
                    }));
                }
            }
        }
        let num_values = builder.ids.len();
        let signature = builder.signature(function)?;
        let devices = topology(function).map_or_else(Vec::new, |topology| {
            let meshes = topology.meshes().into_iter();
            meshes.map(|mesh| mesh.device().map(str::to_owned)).collect()
        });
        Ok(FragmentProgram {
            entry: entry.to_owned(),
            program: fragments.program,
            devices,
            nodes,
            frees,
            signature,
            arguments,
            constants,
            returned,
            num_values,
        })
    }

    /// The function's name.
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// A program that has the parameters of this one and does nothing: what arguments are made for.
    pub fn signature(&self) -> &Executable {
        &self.signature
    }

    /// Fragments and transfers with the costs that the program gives.
    pub fn program(&self) -> &Program {
        &self.program
    }
}

/// A whole number that stands between fragments.
fn constant(op: Op<'_>) -> Option<Output> {
    let value = op.is("arith.constant").then(|| op.result(0))?;
    let (ty, number) = (scalar(value.ty())?, value.as_constant_int()?);
    Some(Output::Scalar(ty, number as u64 & element_mask(ty)))
}

fn function_of<'m>(module: &'m Module<'_>, entry: &str) -> Option<Op<'m>> {
    let functions = Op::of_module(module).find_all("func.func");
    functions.into_iter().find(|function| function.function_name() == entry)
}

struct Builder<'s, 'c> {
    session: &'s Session,
    /// The text of the pipeline.
    pipeline: Option<String>,
    ids: FxHashMap<Value<'c>, ValueId>,
    /// Executables by the text of their body: fragments of several microbatches are alike.
    made: FxHashMap<String, Arc<Executable>>,
}

impl<'c> Builder<'_, 'c> {
    fn id(&mut self, value: Value<'c>) -> ValueId {
        let next = self.ids.len();
        *self.ids.entry(value).or_insert(next)
    }

    fn ids(&mut self, values: Vec<Value<'c>>) -> Vec<ValueId> {
        values.into_iter().map(|value| self.id(value)).collect()
    }

    fn fragment(
        &mut self,
        fragment: ops::Fragment<'c>,
        fragments: &Fragments<'c>,
        number: usize,
    ) -> Result<Node, Error> {
        let given = fragment.op.has_attr(annotation::CYCLES);
        let node = &fragments.program.nodes[number];
        let work = match outlined(fragment, BODY).map_err(|error| Error::Device(error.to_string()))? {
            None => Work::Opaque,
            Some(_) if fragment.device().is_none() && given => Work::Opaque,
            Some(_) if fragment.device().is_none() => {
                return Err(Error::Fragments(FragmentProblem::NoDevice {
                    fragment: node.name.to_string(),
                    mesh: fragment.mesh().to_owned(),
                }));
            }
            Some(outlined) => Work::Body(self.executable(outlined)?),
        };
        Ok(Node {
            work,
            given: given.then_some(node.cycles),
            inputs: self.ids(fragment.inputs()),
            outputs: self.ids(fragment.outputs()),
            bytes: 0,
            rate: None,
        })
    }

    fn transfer(&mut self, transfer: ops::Transfer<'c>) -> Node {
        let ty = transfer.arrived().ty();
        let given = transfer.op.attr(annotation::CYCLES).and_then(attr::as_int);
        let links = topology(transfer.op).map_or_else(Vec::new, |topology| topology.links());
        let link = links
            .iter()
            .find(|link| (link.from(), link.to()) == (transfer.from(), transfer.to()));
        Node {
            work: Work::Transfer,
            rate: link.map(|link| link.bytes_per_cycle()),
            given: given.and_then(|cycles| u64::try_from(cycles).ok()),
            inputs: vec![self.id(transfer.source())],
            outputs: vec![self.id(transfer.arrived())],
            bytes: zpu_analysis::fragments::bytes_of(ty).unwrap_or(0),
        }
    }

    fn executable(&mut self, outlined: Outlined<'_>) -> Result<Arc<Executable>, Error> {
        let Outlined { mut module, entry } = outlined;
        let text = module.as_operation().to_string();
        if let Some(made) = self.made.get(&text) {
            return Ok(made.clone());
        }
        if let Some(pipeline) = &self.pipeline {
            self.session.compile(&mut module, pipeline)?;
        }
        let device = device::read(Op::of_module(&module)).map_err(|error| Error::Device(error.to_string()))?;
        let made = Arc::new(translate(&module, device, &entry)?);
        self.made.insert(text, made.clone());
        Ok(made)
    }

    /// A function with the same parameters, for making arguments. Any device will do: nothing runs. A tensor is a
    /// buffer of its size; what no buffer can hold is one byte that stands for it, and its value is not known.
    fn signature(&self, function: Op<'c>) -> Result<Executable, Error> {
        let body = function.body().map_or_else(Vec::new, |body| body.args());
        let types: Vec<String> = body
            .iter()
            .enumerate()
            .map(|(at, value)| {
                format!(
                    "%a{at}: {}",
                    stand_in(value.ty()).unwrap_or_else(|| "memref<1xi8>".to_owned())
                )
            })
            .collect();
        let entry = function.function_name();
        let text = format!("func.func {}({}) {{\n  return\n}}\n", symbol(entry), types.join(", "));
        let module = self.session.parse(&text, entry)?;
        let device = zpu_device::Device::load("toy", &[]).map_err(|error| Error::Device(error.to_string()))?;
        translate(&module, device, entry)
    }
}

/// The type of the argument that is made for a parameter; nothing if none can be made.
fn stand_in(ty: Type<'_>) -> Option<String> {
    let Some(tensor) = Tensor::of(ty) else {
        return (MemRef::of(ty).is_some() || scalar(ty).is_some()).then(|| ty.to_string());
    };
    scalar(tensor.element)?;
    Some(zpu_ir::ty::make(&tensor.shape, tensor.element, None, None).to_string())
}
