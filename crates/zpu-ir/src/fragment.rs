//! Programs over several devices: groups of operands and results of `zpu.fragment`, its control dependences, and the
//! meshes of a topology.
//!
//! Invariant: operands and what `after` lists stay apart, as the verifier wants it: only the latter are `!zpu.done`.

use crate::device::{self, Unreadable};
use crate::{Attribute, Block, Builder, Module, Op, Type, Value, attr, edit, ops, ty};

/// The attribute of upstream's bufferisation by which the buffer of an argument is only read, if it is false.
const READ_ONLY: &str = "bufferization.writable";
/// The attribute that MLIR keeps the sizes of groups of operands in.
const SEGMENTS: &str = "operandSegmentSizes";

/// Values of [`ops::Fragment::split`].
pub const KEEP_TRANSFERRED: i64 = 0;
/// Values of [`ops::Fragment::split`].
pub const DROP_TRANSFERRED: i64 = 1;

impl<'c> ops::Fragment<'c> {
    /// The values that the body takes.
    pub fn inputs(self) -> Vec<Value<'c>> {
        let all = self.op.operands().into_iter();
        all.filter(|operand| !ty::is_done(operand.ty())).collect()
    }

    /// The completions that it waits for beside those of its operands.
    pub fn after(self) -> Vec<Value<'c>> {
        let all = self.op.operands().into_iter();
        all.filter(|operand| ty::is_done(operand.ty())).collect()
    }

    /// The values that the body returns.
    pub fn outputs(self) -> Vec<Value<'c>> {
        self.op.results().split_off(1)
    }

    /// Name and transpose count of each computation that it comes from.
    pub fn origin_names(self) -> Vec<(&'c str, i64)> {
        self.origins().into_iter().filter_map(attr::as_origin).collect()
    }

    /// The mesh that it runs on.
    pub fn mesh_op(self) -> Option<ops::Mesh<'c>> {
        let meshes = topology(self.op)?.meshes();
        meshes.into_iter().find(|mesh| mesh.sym_name() == self.mesh())
    }

    /// The device of its mesh.
    pub fn device(self) -> Option<ops::Device<'c>> {
        topology(self.op)?.device_of(self.mesh_op()?)
    }

    /// Sets operands and control dependences.
    pub fn set_operands(self, inputs: &[Value<'c>], after: &[Value<'c>]) {
        edit::set_operands(self.op, &[inputs, after].concat());
        self.op.set_attr(SEGMENTS, segments(self.op, inputs.len(), after.len()));
    }

    /// Makes one. It has a block for its body, with arguments of the types of the operands, or no body; the caller
    /// fills the block and ends it with a `zpu.return`.
    pub fn create(
        builder: &mut Builder<'c>,
        (inputs, after): (&[Value<'c>], &[Value<'c>]),
        outputs: &[Type<'c>],
        attrs: &[(&str, Attribute<'c>)],
        has_body: bool,
    ) -> Self {
        let context = builder.context();
        let counts = [inputs.len() as i32, after.len() as i32];
        let mut attrs = attrs.to_vec();
        attrs.push((SEGMENTS, attr::int32_array(context, &counts)));
        let results = [&[ty::done(context)], outputs].concat();
        let types: Vec<Type<'c>> = inputs.iter().map(|input| input.ty()).collect();
        let region = has_body.then_some(types.as_slice());
        let op = builder.op_with_body(Self::NAME, &[inputs, after].concat(), &results, &attrs, region);
        Self { op }
    }
}

/// A fragment's body as a program of its own.
pub struct Outlined<'c> {
    /// The body as a function, with the symbols of the module that it needs and the device of the fragment's mesh.
    pub module: Module<'c>,
    /// The name of the function.
    pub entry: String,
}

/// A module of its own with a fragment's body as a function. Nothing for a fragment without a body.
///
/// # Errors
///
/// A device that is not consistent.
pub fn outlined<'c>(fragment: ops::Fragment<'c>, name: &str) -> Result<Option<Outlined<'c>>, Unreadable<'c>> {
    if fragment.body().is_none() {
        return Ok(None);
    }
    let device = fragment.device().map(device::read_op).transpose()?;
    let symbols = symbols(fragment);
    let is_taken = |name: &str| {
        let mut names = symbols
            .iter()
            .filter_map(|op| op.attr("sym_name").and_then(attr::as_str));
        names.any(|taken| taken == name)
    };
    let mut entry = name.to_owned();
    while is_taken(&entry) {
        entry.push('_');
    }
    let module = Module::new(fragment.op.loc());
    let top = Op::of_module(&module);
    if let Some(block) = top.body() {
        for symbol in &symbols {
            Builder::at_end(block, fragment.op).clone_op(*symbol);
        }
    }
    let made = add_function(top, fragment, &entry);
    if let (Some(device), Some(block)) = (device, made) {
        device::build(top, block, &device);
    }
    Ok(Some(Outlined { module, entry }))
}

/// The functions, globals and other symbols of the module that a fragment's body needs, directly or through others, in
/// the order of the module.
pub fn symbols<'c>(fragment: ops::Fragment<'c>) -> Vec<Op<'c>> {
    let module = fragment.op.parents().find(|parent| parent.is("builtin.module"));
    let mut open: Vec<&str> = references(fragment.op);
    if open.is_empty() {
        return Vec::new();
    }
    let members: Vec<Op<'c>> = module.and_then(Op::body).into_iter().flat_map(Block::ops).collect();
    let mut needed: Vec<Op<'c>> = Vec::new();
    while let Some(name) = open.pop() {
        let is_named = |op: &&Op<'c>| op.attr("sym_name").and_then(attr::as_str) == Some(name);
        let Some(&found) = members.iter().find(is_named) else {
            continue;
        };
        if !needed.contains(&found) {
            needed.push(found);
            open.extend(references(found));
        }
    }
    members.into_iter().filter(|op| needed.contains(op)).collect()
}

/// The names that operations inside of `op` refer to. Those of our dialect name parts of a device.
fn references<'c>(op: Op<'c>) -> Vec<&'c str> {
    let inside = op.walk().into_iter().skip(1);
    let others = inside.filter(|op| !op.name().starts_with("zpu."));
    let attributes = others.flat_map(Op::attrs);
    attributes.flat_map(|(_, value)| attr::symbol_roots(value)).collect()
}

/// The first global that a fragment's body takes, directly or through calls, and that can be written: a fragment that
/// writes it is no function of its operands.
pub fn mutable_global<'c>(fragment: ops::Fragment<'c>) -> Option<Op<'c>> {
    let is_mutable = |op: &Op<'c>| op.is("memref.global") && !op.has_attr("constant");
    symbols(fragment).into_iter().find(is_mutable)
}

/// Adds a function with a copy of a fragment's body to a module; the block of the module.
fn add_function<'m>(module: Op<'m>, fragment: ops::Fragment<'m>, name: &str) -> Option<Block<'m>> {
    let (block, body) = (module.body()?, fragment.body()?);
    let types: Vec<Type<'m>> = body.args().into_iter().map(Value::ty).collect();
    let results: Vec<Type<'m>> = fragment.outputs().into_iter().map(Value::ty).collect();
    let context = module.context();
    let ty = ty::make_function(context, &types, &results);
    let mut attrs = vec![
        ("sym_name", attr::string(context, name)),
        ("function_type", attr::type_attr(ty)),
    ];
    if types.iter().any(|ty| ty::is_tensor(*ty)) {
        // Upstream's bufferisation writes the buffer of an argument otherwise, and others take that as well.
        let read_only = [(READ_ONLY, attr::int_of(ty::integer(context, 1), 0))];
        let of = |ty: &Type<'m>| attr::dictionary(context, if ty::is_tensor(*ty) { &read_only } else { &[] });
        let entries: Vec<Attribute<'m>> = types.iter().map(of).collect();
        attrs.push(("arg_attrs", attr::array(context, &entries)));
    }
    let mut builder = Builder::at_end(block, fragment.op);
    let function = builder.op_with_regions("func.func", &[], &[], &attrs, &[&types]);
    let entry = function.body()?;
    let mut map = edit::ValueMap::default();
    for (old, new) in body.args().into_iter().zip(entry.args()) {
        map.set(old, new);
    }
    let mut inside = Builder::at_end(entry, fragment.op);
    for op in body.ops() {
        if op.is(ops::Return::NAME) {
            let returned: Vec<Value<'m>> = op.operands().into_iter().map(|value| map.get(value)).collect();
            inside.like(op).op("func.return", &returned, &[], &[]);
        } else {
            edit::clone_mapped(&mut inside, op, &mut map);
        }
    }
    Some(block)
}

fn segments<'c>(op: Op<'c>, inputs: usize, after: usize) -> Attribute<'c> {
    attr::int32_array(op.context(), &[inputs as i32, after as i32])
}

impl<'c> ops::Transfer<'c> {
    /// The value that arrives.
    pub fn arrived(self) -> Value<'c> {
        self.op.result(0)
    }
}

/// The topology of the nearest module around `op` (`op` itself included) that has one.
pub fn topology(op: Op<'_>) -> Option<ops::Topology<'_>> {
    std::iter::once(op)
        .chain(op.parents())
        .filter(|parent| parent.is("builtin.module"))
        .find_map(|module| module.body()?.ops().find_map(ops::Topology::of))
}

impl<'c> ops::Topology<'c> {
    /// The meshes, in the order of the pipeline.
    pub fn meshes(self) -> Vec<ops::Mesh<'c>> {
        self.body().ops().filter_map(ops::Mesh::of).collect()
    }

    /// The links between meshes.
    pub fn links(self) -> Vec<ops::MeshLink<'c>> {
        self.body().ops().filter_map(ops::MeshLink::of).collect()
    }

    /// The device that a mesh names.
    pub fn device_of(self, mesh: ops::Mesh<'c>) -> Option<ops::Device<'c>> {
        let name = mesh.device()?;
        let mut devices = self.body().ops().filter_map(ops::Device::of);
        devices.find(|device| device.sym_name() == name)
    }
}
