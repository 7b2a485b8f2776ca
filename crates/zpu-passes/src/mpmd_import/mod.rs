//! `zpu-mpmd-import`: makes a program of fragments of one in Shardy's dialect `mpmd`.
//!
//! That dialect is not there: its operations are unregistered, its attributes and types are texts. Work is done on a
//! copy of the module, which takes the module's place at the end, so that an error leaves all as it was. All errors are
//! reported, not only the first one.

mod control;
mod convert;
mod costs;
mod text;

use std::collections::BTreeSet;

use zpu_ir::options::MpmdImportOptions;
use zpu_ir::{Builder, Failed, Op, PassResult, Remark, RemarkKind, attr, edit, error, fragment, note, ops};

use convert::Converter;
use costs::Costs;
use text::Mesh;

const PASS: &str = "zpu-mpmd-import";
/// The attribute of a function that holds the topology.
const TOPOLOGY: &str = "topology";
/// The dialect that is read.
const DIALECT: &str = "mpmd";
/// Prefixes of attributes that belong to the tools that the program comes from.
const FOREIGN: [&str; 5] = ["mpmd.", "sdy.", "mhlo.", "jax.", "stablehlo."];

/// Runs the pass.
pub(crate) fn run(module: Op<'_>, options: &MpmdImportOptions) -> PassResult {
    let costs = Costs::parse(&options.costs).map_err(|message| {
        error(module, &message, &[]);
        Failed
    })?;
    let copy = edit::trial_module(module);
    let made = Op::of_module(&copy);
    made.remove_attr(edit::TRIAL);
    import(made, costs)?;
    if !made.verify() {
        return Err(Failed);
    }
    replace(module, made);
    Ok(())
}

/// Puts the operations and attributes of another module into this one.
fn replace<'c>(module: Op<'c>, made: Op<'c>) {
    let (Some(block), Some(from)) = (module.body(), made.body()) else {
        return;
    };
    for op in block.ops().collect::<Vec<_>>() {
        edit::erase(op);
    }
    for op in from.ops().collect::<Vec<_>>() {
        edit::move_to_end(op, block);
    }
    for (name, _) in module.discardable_attrs() {
        if !made.has_attr(name) {
            module.remove_attr(name);
        }
    }
}

/// Does the work, in place.
fn import(module: Op<'_>, costs: Costs) -> PassResult {
    let Some(block) = module.body() else { return Ok(()) };
    let functions: Vec<Op<'_>> = block.ops().filter(|op| op.has_attr(TOPOLOGY)).collect();
    let meshes = topology(module, &functions)?;
    let mut converter = Converter::new(&meshes, costs);
    for function in &functions {
        converter.function(*function);
    }
    for op in block.ops() {
        if !functions.contains(&op) {
            converter.no_fragments_in(op);
        }
    }
    let called = converter.finish(module)?;
    for function in &functions {
        function.remove_attr(TOPOLOGY);
        forget_attributes(*function);
    }
    forget_attributes(module);
    for op in block.ops().collect::<Vec<_>>() {
        let is_body = op.is("func.func") && called.contains(op.function_name());
        if is_body {
            edit::erase(op);
        } else if !op.is_registered() {
            let message = format!("`{}` has no counterpart here and is left out", op.name());
            left_out(op, "operation", &message);
            edit::erase(op);
        }
    }
    build_topology(module, &meshes);
    Ok(())
}

/// The meshes of the topology that all functions agree on.
fn topology(module: Op<'_>, functions: &[Op<'_>]) -> Result<Vec<Mesh>, Failed> {
    let Some(first) = functions.first() else {
        let message =
            "has no function with the attribute 'topology', a #mpmd.topology, of which fragments could be made";
        error(module, message, &[]);
        return Err(Failed);
    };
    if let Some(other) = fragment::topology(module) {
        let message = "is a topology already; only a module without one is taken from Shardy";
        error(other.op, message, &[]);
        return Err(Failed);
    }
    let text = |function: Op<'_>| function.attr(TOPOLOGY).map(|topology| topology.to_string());
    if let Some(other) = functions.iter().find(|other| text(**other) != text(*first)) {
        let message = "has another topology than the first function with one; a module has one";
        error(*other, message, &[note(*first, "the first is here")]);
        return Err(Failed);
    }
    let written = first.attr(TOPOLOGY);
    let opaque = written
        .and_then(attr::as_opaque)
        .filter(|(dialect, _)| *dialect == DIALECT);
    let meshes = opaque.and_then(|(_, text)| text::topology(text)).unwrap_or_default();
    let mut names = BTreeSet::new();
    let twice = meshes.iter().find(|mesh| !names.insert(&*mesh.name));
    let problem = match (meshes.is_empty(), twice) {
        (false, None) => return Ok(meshes),
        (false, Some(mesh)) => format!("names the mesh '{}' twice", mesh.name),
        (true, _) => "is no #mpmd.topology with meshes, such as #mpmd.topology<<\"m1\" : <[\"x\"=2]>>>".to_owned(),
    };
    let written = written.map_or_else(String::new, |written| written.to_string());
    error(*first, &format!("the topology {written} {problem}"), &[]);
    Err(Failed)
}

/// Writes the topology at the beginning of the module.
fn build_topology(module: Op<'_>, meshes: &[Mesh]) {
    let Some(block) = module.body() else { return };
    let taken: Vec<&str> = block
        .ops()
        .filter_map(|op| op.attr("sym_name").and_then(attr::as_str))
        .collect();
    let mut name = TOPOLOGY.to_owned();
    while taken.contains(&&*name) {
        name.push('_');
    }
    let context = module.context();
    let mut builder = match block.ops().next() {
        Some(first) => Builder::before(first).like(module),
        None => Builder::at_end(block, module),
    };
    let attrs = [("sym_name", attr::string(context, &name))];
    let topology = builder.op_with_regions(ops::Topology::NAME, &[], &[], &attrs, &[&[]]);
    let Some(inside) = topology.body() else { return };
    let mut builder = Builder::at_end(inside, module);
    for mesh in meshes {
        let op = builder.op(
            ops::Mesh::NAME,
            &[],
            &[],
            &[("sym_name", attr::string(context, &mesh.name))],
        );
        let message = format!(
            "mesh '{}' has the axes {}; it is one place here, whose fragments take what is said of them",
            mesh.name, mesh.axes
        );
        left_out(op, "mesh-axes", &message);
    }
}

/// Removes attributes of the tools that the program comes from, those of arguments and results included.
fn forget_attributes(op: Op<'_>) {
    let is_foreign = |name: &str| FOREIGN.iter().any(|prefix| name.starts_with(prefix));
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (name, _) in op.discardable_attrs() {
        if is_foreign(name) {
            names.insert(name);
            op.remove_attr(name);
        }
    }
    for list in ["arg_attrs", "res_attrs"] {
        let Some(entries) = op.attr(list).and_then(attr::as_array) else {
            continue;
        };
        let mut kept = Vec::new();
        for entry in entries {
            let of_one = attr::as_dictionary(entry).unwrap_or_default();
            names.extend(of_one.iter().map(|(name, _)| *name).filter(|name| is_foreign(name)));
            let rest: Vec<_> = of_one.into_iter().filter(|(name, _)| !is_foreign(name)).collect();
            kept.push(attr::dictionary(op.context(), &rest));
        }
        op.set_attr(list, attr::array(op.context(), &kept));
    }
    if !names.is_empty() {
        let names: Vec<&str> = names.into_iter().collect();
        left_out(
            op,
            "attribute",
            &format!("has no counterpart here of {}", names.join(", ")),
        );
    }
}

/// Names what has no counterpart.
fn left_out(op: Op<'_>, name: &'static str, message: &str) {
    Remark::new(op, RemarkKind::Missed, PASS, name).message(message).emit();
}
