//! Functions, constants and places of a module.

use std::collections::{BTreeMap, HashMap};

use zpu_device::Device;
use zpu_ir::{Op, Place, attr, ty};
use zpu_sim::{Function, FunctionId, Global, GlobalId, Kernel, KernelId, Location, LocationId, Program};

use crate::emitter::Emitter;
use crate::{Result, error, types, unsupported};

/// A function that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Symbol name.
    pub name: String,
    /// Visible from outside the module.
    pub public: bool,
}

/// The functions of a module that have a body, in order.
pub fn entries(module: Op<'_>) -> Vec<Entry> {
    let entry = |function: Op<'_>| Entry {
        name: name_of(function).to_owned(),
        public: !function.is_private(),
    };
    functions(module).map(entry).collect()
}

/// The function `entry` of a module and all functions that it calls, for `device`. The error is at the first operation
/// that has no meaning for the simulator, or says which functions there are.
pub fn translate(module: Op<'_>, device: &Device, entry: &str) -> Result<Program> {
    let mut shared = Shared::new(module, device);
    if shared.function(entry).is_none() {
        let known: Vec<String> = entries(module)
            .iter()
            .map(|entry| format!("`{}`", entry.name))
            .collect();
        let known = if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        };
        return Err(error(
            module,
            format!("there is no function `{entry}`; the module has {known}"),
        ));
    }
    let mut functions = Vec::new();
    while let Some(&function) = shared.wanted.get(functions.len()) {
        functions.push(function_body(&mut shared, function)?);
    }
    shared.program.functions = functions;
    Ok(shared.program)
}

/// The place of a location; the unknown one if it has none.
pub(crate) fn location(loc: zpu_ir::Location<'_>) -> Location {
    Place::of(loc).map_or_else(Location::default, |place| Location {
        file: place.file.to_owned(),
        line: place.line,
        column: place.column,
    })
}

fn functions<'c>(module: Op<'c>) -> impl Iterator<Item = Op<'c>> {
    let members: Vec<Op<'c>> = module.body().map(|body| body.ops().collect()).unwrap_or_default();
    members
        .into_iter()
        .filter(|op| op.is("func.func") && op.body().is_some())
}

fn name_of<'c>(op: Op<'c>) -> &'c str {
    op.attr("sym_name").and_then(attr::as_str).unwrap_or("")
}

/// State that the functions of a program share.
pub(crate) struct Shared<'c, 'd> {
    pub(crate) device: &'d Device,
    pub(crate) program: Program,
    module: Op<'c>,
    /// Functions by id.
    wanted: Vec<Op<'c>>,
    globals: BTreeMap<String, GlobalId>,
    locations: HashMap<Option<Place<'c>>, LocationId>,
    kernels: HashMap<Kernel, KernelId>,
}

impl<'c, 'd> Shared<'c, 'd> {
    fn new(module: Op<'c>, device: &'d Device) -> Self {
        Self {
            device,
            program: Program::default(),
            module,
            wanted: Vec::new(),
            globals: BTreeMap::new(),
            locations: HashMap::new(),
            kernels: HashMap::new(),
        }
    }

    /// The id of a function, which is translated later; `None` if the module has no such function with a body.
    pub(crate) fn function(&mut self, name: &str) -> Option<FunctionId> {
        let function = functions(self.module).find(|function| name_of(*function) == name)?;
        let index = self
            .wanted
            .iter()
            .position(|wanted| *wanted == function)
            .unwrap_or_else(|| {
                self.wanted.push(function);
                self.wanted.len() - 1
            });
        Some(FunctionId(index as u32))
    }

    pub(crate) fn location(&mut self, op: Op<'c>) -> LocationId {
        let locations = &mut self.program.locations;
        *self.locations.entry(Place::of(op.loc())).or_insert_with(|| {
            locations.push(location(op.loc()));
            LocationId(locations.len() as u32 - 1)
        })
    }

    /// The id of a kernel. Copies of a computation, as pipelines make them, are one kernel.
    pub(crate) fn kernel(&mut self, kernel: Kernel) -> KernelId {
        if let Some(id) = self.kernels.get(&kernel) {
            return *id;
        }
        let id = KernelId(self.program.kernels.len() as u32);
        self.program.kernels.push(kernel.clone());
        self.kernels.insert(kernel, id);
        id
    }

    /// The buffer of a `memref.global`, asked for by `op`.
    pub(crate) fn global(&mut self, op: Op<'c>, name: &str) -> Result<GlobalId> {
        if let Some(id) = self.globals.get(name) {
            return Ok(*id);
        }
        let mut members = self.module.body().into_iter().flat_map(|body| body.ops());
        let global = members
            .find(|member| member.is("memref.global") && name_of(*member) == name)
            .ok_or_else(|| unsupported(op, format!("of @{name}, which is not in the module")))?;
        let id = GlobalId(self.program.globals.len() as u32);
        let made = self.make_global(global, name)?;
        self.program.globals.push(made);
        self.globals.insert(name.to_owned(), id);
        Ok(id)
    }

    fn make_global(&mut self, global: Op<'c>, name: &str) -> Result<Global> {
        let ty = crate::attribute(global, "type", attr::as_type)?;
        let memref = types::memref(global, self.device, ty)?;
        let shape: Vec<i64> = memref
            .shape
            .iter()
            .map(|size| size.ok_or_else(|| unsupported(global, "of a dynamic size")))
            .collect::<Result<_>>()?;
        // `initial_value` is a unit attribute where the contents are not given.
        let initial = global.attr("initial_value").filter(|value| value.to_string() != "unit");
        let bytes = match initial {
            None => None,
            Some(value) => {
                let bits = attr::as_dense_bits(value)
                    .ok_or_else(|| unsupported(global, "whose value is not a dense constant of numbers"))?;
                let count: i64 = shape.iter().product();
                Some(contents(
                    &bits,
                    count.max(0) as usize,
                    zpu_sim::element_bytes(memref.element),
                ))
            }
        };
        Ok(Global {
            name: name.to_owned(),
            element: memref.element,
            shape,
            bytes,
            space: memref.space,
            location: self.location(global),
        })
    }
}

/// `count` elements of `size` bytes each; a single pattern fills all of them.
fn contents(bits: &[u64], count: usize, size: usize) -> Vec<u8> {
    let mut bytes = vec![0; count * size];
    for (element, bits) in bytes.chunks_exact_mut(size).zip(bits.iter().cycle()) {
        zpu_sim::write_element(element, *bits);
    }
    bytes
}

fn function_body<'c>(shared: &mut Shared<'c, '_>, function: Op<'c>) -> Result<Function> {
    let location = shared.location(function);
    let (_, results) = crate::attribute(function, "function_type", attr::as_type)
        .ok()
        .and_then(ty::function)
        .ok_or_else(|| unsupported(function, "without its type"))?;
    let results = results
        .into_iter()
        .map(|ty| types::value(function, shared.device, ty))
        .collect::<Result<_>>()?;
    let return_location = function
        .body()
        .and_then(|block| block.terminator())
        .map_or(location, |terminator| shared.location(terminator));
    let mut emitter = Emitter::new(shared, location);
    let parameters = emitter.parameters(function)?;
    let body = emitter.region(function, 0)?;
    Ok(Function {
        name: name_of(function).to_owned(),
        is_private: function.is_private(),
        parameters,
        results,
        registers: emitter.registers(),
        body,
        location,
        return_location,
    })
}
