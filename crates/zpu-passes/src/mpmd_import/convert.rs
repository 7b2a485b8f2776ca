//! The operations of a function, one by one.
//!
//! Invariant: each operation either becomes one of this dialect with the same operands, or is replaced by its operand,
//! or is an error.

use std::collections::{BTreeSet, HashMap};

use zpu_ir::edit::{ValueMap, clone_mapped};
use zpu_ir::{Attribute, Block, Builder, Failed, Op, Type, Value, annotation, attr, edit, error, fragment, ops, ty};

use super::costs::Costs;
use super::text::{self, Mesh};
use super::{DIALECT, left_out};

/// Attributes of operations that become something.
const UNDERSTOOD: [&str; 14] = [
    "mesh_name",
    "origin",
    "stage_id",
    "call_counter",
    "unroll_counter",
    "split_keep_transferred",
    "split_drop_transferred",
    "remat",
    "callee",
    "iterations",
    "in_shardings",
    "out_shardings",
    annotation::CYCLES,
    "operandSegmentSizes",
];

/// Attributes by name.
type Attributes<'c> = Vec<(&'static str, Attribute<'c>)>;

/// From operations of `mpmd` to operations of this dialect.
pub(super) struct Converter<'c, 'm> {
    meshes: &'m [Mesh],
    costs: Costs,
    /// The mesh that a value is on, as its type said.
    pub(super) home: HashMap<Value<'c>, String>,
    /// The mesh that the first operand of a transfer or an `unassign` was on, as its type said.
    source: HashMap<Op<'c>, String>,
    /// What types say beside mesh and tensor, of which there was a remark.
    parameters: BTreeSet<String>,
    /// Functions that only fragments call.
    called: BTreeSet<String>,
    pub(super) has_failed: bool,
}

impl<'c, 'm> Converter<'c, 'm> {
    pub(super) fn new(meshes: &'m [Mesh], costs: Costs) -> Self {
        Self {
            meshes,
            costs,
            home: HashMap::new(),
            source: HashMap::new(),
            parameters: BTreeSet::new(),
            called: BTreeSet::new(),
            has_failed: false,
        }
    }

    /// Converts a function in place.
    pub(super) fn function(&mut self, function: Op<'c>) {
        let Some(block) = function.only_block() else {
            self.fail(function, "has a topology, and not one block; fragments stand in one");
            return;
        };
        // Types are read before the first value changes its type.
        for op in function.walk() {
            self.read_meshes(op);
        }
        self.arguments(function, block);
        self.block(block);
        edit::update_function_type(function);
    }

    /// Notes where a transfer comes from, and holds the operands and results of a fragment to its mesh.
    fn read_meshes(&mut self, op: Op<'c>) {
        let is_transfer = op.is("mpmd.transfer") || op.is("mpmd.unassign");
        if is_transfer
            && op.num_operands() == 1
            && let Some(mesh) = self.mesh_of(op, op.operand(0).ty())
        {
            self.source.insert(op, mesh);
        }
        let own = op.attr("mesh_name").and_then(attr::as_str);
        let own = own.filter(|_| op.is("mpmd.fragment") || op.is("mpmd.fragment_call"));
        let own = own.map(|own| own.split_once('#').map_or(own, |(mesh, _)| mesh));
        // A mesh that is not known is an error of its own.
        let Some(own) = own.filter(|own| self.meshes.iter().any(|mesh| mesh.name == *own)) else {
            return;
        };
        for (what, values) in [("takes", op.operands()), ("returns", op.results())] {
            for value in values {
                let mesh = self.mesh_of(op, value.ty());
                if let Some(mesh) = mesh.filter(|mesh| *mesh != own) {
                    let message = format!("is on the mesh '{own}' and {what} a value on '{mesh}'; transfer it");
                    self.fail(op, &message);
                    return;
                }
            }
        }
    }

    /// Reports operations of the dialect in something without a topology. A function without a body gets new types.
    pub(super) fn no_fragments_in(&mut self, op: Op<'c>) {
        let function = op.attr("function_type").and_then(attr::as_type).and_then(ty::function);
        if let (Some((inputs, results)), None) = (function, op.body()) {
            let mut of = |types: Vec<Type<'c>>| -> Option<Vec<Type<'c>>> {
                let read = types.into_iter().map(|ty| self.tensor(op, ty));
                read.map(|read| read.map(|(tensor, _)| tensor)).collect()
            };
            if let (Some(inputs), Some(results)) = (of(inputs), of(results)) {
                let ty = ty::make_function(op.context(), &inputs, &results);
                op.set_attr("function_type", attr::type_attr(ty));
            }
            return;
        }
        let inside = op.walk().into_iter().find(|inner| dialect_of(*inner) == DIALECT);
        if let Some(inner) = inside {
            self.fail(
                inner,
                "is in a function without the attribute 'topology', so that its meshes are not known",
            );
        }
    }

    /// The functions that fragments called, unless something was wrong.
    pub(super) fn finish(self, module: Op<'c>) -> Result<BTreeSet<String>, Failed> {
        if self.has_failed {
            return Err(Failed);
        }
        if let Some(name) = self.costs.unused() {
            error(
                module,
                &format!("costs: there is no fragment without zpu.cycles for '{name}'"),
                &[],
            );
            return Err(Failed);
        }
        Ok(self.called)
    }

    pub(super) fn fail(&mut self, op: Op<'c>, message: &str) {
        error(op, message, &[]);
        self.has_failed = true;
    }

    /// The mesh of a type.
    pub(super) fn mesh_of(&mut self, op: Op<'c>, ty: Type<'c>) -> Option<String> {
        self.tensor(op, ty).and_then(|(_, mesh)| mesh)
    }

    /// What a type becomes, and its mesh. Nothing for a type that is not understood, which is an error.
    fn tensor(&mut self, op: Op<'c>, ty: Type<'c>) -> Option<(Type<'c>, Option<String>)> {
        let Some((dialect, written)) = ty::as_opaque(ty) else {
            return Some((ty, None));
        };
        if dialect != DIALECT {
            // A token, say, which orders fragments and holds nothing.
            self.name_parameter(op, format!("the contents of {ty}"));
            return Some((ty::none(op.context()), None));
        }
        let Some(read) = text::mesh_tensor(written) else {
            self.fail(op, &format!("the type {ty} is not understood"));
            return None;
        };
        // Older programs write the memory after the mesh, "m1#pinned_host".
        let (mesh, memory) = match read.mesh.split_once('#') {
            Some((mesh, memory)) => (mesh.to_owned(), Some(format!("#{memory}"))),
            None => (read.mesh, None),
        };
        if !self.knows(op, &mesh) {
            return None;
        }
        for parameter in read.rest.into_iter().map(str::to_owned).chain(memory) {
            self.name_parameter(op, parameter);
        }
        let Some(tensor) = ty::parse(op.context(), read.tensor) else {
            self.fail(op, &format!("the type {ty} is not understood"));
            return None;
        };
        Some((tensor, Some(mesh)))
    }

    /// Names what a type says beside mesh and tensor, once.
    fn name_parameter(&mut self, op: Op<'c>, parameter: String) {
        let message = format!("{parameter} of a type has no counterpart here; a tensor is as large as it is in all");
        if self.parameters.insert(parameter) {
            left_out(op, "type-parameter", &message);
        }
    }

    fn knows(&mut self, op: Op<'c>, mesh: &str) -> bool {
        let is_known = self.meshes.iter().any(|known| known.name == mesh);
        if !is_known {
            let names: Vec<String> = self.meshes.iter().map(|mesh| format!("'{}'", mesh.name)).collect();
            self.fail(
                op,
                &format!("names the unknown mesh '{mesh}'; the topology has {}", names.join(", ")),
            );
        }
        is_known
    }

    /// Gives the arguments of a block their new types.
    pub(super) fn arguments(&mut self, op: Op<'c>, block: Block<'c>) {
        for argument in block.args() {
            if let Some((tensor, _)) = self.tensor(op, argument.ty()) {
                edit::set_type(argument, tensor);
            }
        }
    }

    pub(super) fn block(&mut self, block: Block<'c>) {
        for op in block.ops().collect::<Vec<_>>() {
            match op.name() {
                "mpmd.fragment" => self.fragment(op),
                "mpmd.fragment_call" => self.fragment_call(op),
                "mpmd.transfer" => self.transfer(op),
                "mpmd.assign" | "mpmd.unassign" | "mpmd.broadcast" => self.identity(op),
                "mpmd.call" => self.call(op),
                "mpmd.for" => self.repeated(op),
                "mpmd.return" => {}
                _ if dialect_of(op) == DIALECT => self.fail(
                    op,
                    "has no counterpart here; let Shardy put it into a fragment before the program is printed",
                ),
                _ if !op.is_registered() => self.fail(
                    op,
                    "stands between fragments, and its dialect is not known here; let Shardy put it into a fragment \
                     before the program is printed",
                ),
                _ => {
                    let mut inside = op.walk().into_iter().skip(1);
                    if let Some(inner) = inside.find(|inner| dialect_of(*inner) == DIALECT) {
                        let message = format!("is in a `{}`; it may stand in a function or an mpmd.for", op.name());
                        self.fail(inner, &message);
                    }
                }
            }
        }
    }

    /// Names attributes of an operation that have no counterpart.
    pub(super) fn name_attributes(&mut self, op: Op<'c>) {
        let shardings = ["in_shardings", "out_shardings"];
        let shardings = shardings.into_iter().filter(|name| op.has_attr(name));
        let others = op.discardable_attrs().into_iter().map(|(name, _)| name);
        let others = others.filter(|name| !UNDERSTOOD.contains(name));
        let names: BTreeSet<&str> = shardings.chain(others).collect();
        if !names.is_empty() {
            let names: Vec<&str> = names.into_iter().collect();
            left_out(
                op,
                "attribute",
                &format!("has no counterpart here of {}", names.join(", ")),
            );
        }
    }

    /// A number among an operation's attributes, if it is one from 0 on.
    pub(super) fn number(&mut self, op: Op<'c>, name: &str) -> Option<i64> {
        let attribute = op.attr(name)?;
        let number = attr::as_int(attribute).filter(|number| *number >= 0);
        if number.is_none() {
            self.fail(op, &format!("{name} is {attribute}, must be a number from 0 on"));
        }
        number
    }

    /// The attributes of a fragment, and its origins.
    fn describe(&mut self, op: Op<'c>) -> Option<(Attributes<'c>, Vec<(String, i64)>)> {
        let context = op.context();
        let Some(mesh) = op.attr("mesh_name").and_then(attr::as_str) else {
            self.fail(op, "has no mesh_name, a string");
            return None;
        };
        // The mesh without the memory of older programs.
        let mesh = mesh.split_once('#').map_or(mesh, |(mesh, _)| mesh);
        if !self.knows(op, mesh) {
            return None;
        }
        let mut origins = Vec::new();
        let Some(written) = op.attr("origin").and_then(attr::as_array) else {
            self.fail(op, "has no origin, a list of #mpmd.user_origin");
            return None;
        };
        for entry in written {
            let opaque = attr::as_opaque(entry).filter(|(dialect, _)| *dialect == DIALECT);
            let Some(origin) = opaque.and_then(|(_, text)| text::origin(text)) else {
                self.fail(op, &format!("the origin {entry} is no #mpmd.user_origin"));
                return None;
            };
            if origin.0.is_empty() {
                self.fail(op, "has an origin without a name");
                return None;
            }
            origins.push(origin);
        }
        let list: Vec<_> = origins
            .iter()
            .map(|(name, count)| attr::origin(context, name, *count))
            .collect();
        let mut attrs = vec![
            (ops::Fragment::MESH, attr::symbol(context, mesh)),
            (ops::Fragment::ORIGINS, attr::array(context, &list)),
        ];
        for (name, new) in [
            ("stage_id", ops::Fragment::STAGE),
            ("call_counter", ops::Fragment::CALL_COUNTER),
            (annotation::CYCLES, annotation::CYCLES),
        ] {
            let number = self.number(op, name);
            attrs.extend(number.map(|number| (new, attr::int(context, number))));
        }
        let halves = [
            ("split_keep_transferred", fragment::KEEP_TRANSFERRED),
            ("split_drop_transferred", fragment::DROP_TRANSFERRED),
        ];
        let halves: Vec<i64> = halves
            .into_iter()
            .filter(|(name, _)| op.has_attr(name))
            .map(|(_, half)| half)
            .collect();
        match halves[..] {
            [] => {}
            [half] => attrs.push((ops::Fragment::SPLIT, attr::int_of(ty::integer(context, 32), half))),
            _ => self.fail(
                op,
                "is both halves of a split fragment: split_keep_transferred and split_drop_transferred",
            ),
        }
        if op.has_attr("remat") {
            attrs.push((ops::Fragment::REMAT, attr::unit(context)));
        }
        Some((attrs, origins))
    }

    /// The types of an operation's results.
    pub(super) fn result_types(&mut self, op: Op<'c>) -> Option<Vec<Type<'c>>> {
        let types = op.results().into_iter().map(|value| self.tensor(op, value.ty()));
        let types: Vec<_> = types.collect();
        types.into_iter().map(|read| read.map(|(tensor, _)| tensor)).collect()
    }

    /// The cost of a fragment that does not say it.
    fn cost(&mut self, op: Op<'c>, attrs: &mut Attributes<'c>, origins: &[(String, i64)]) {
        if op.has_attr(annotation::CYCLES) {
            return;
        }
        let split = match (
            op.has_attr("split_keep_transferred"),
            op.has_attr("split_drop_transferred"),
        ) {
            (true, _) => ".keep",
            (_, true) => ".drop",
            _ => "",
        };
        if let Some(cycles) = self.costs.of(origins, split) {
            let cycles = i64::try_from(cycles).unwrap_or(i64::MAX);
            attrs.push((annotation::CYCLES, attr::int(op.context(), cycles)));
        }
    }

    fn fragment(&mut self, op: Op<'c>) {
        self.name_attributes(op);
        let Some((mut attrs, origins)) = self.describe(op) else {
            return;
        };
        let Some(types) = self.result_types(op) else { return };
        let Some(body) = op.only_block() else {
            self.fail(op, "has not one block for a body");
            return;
        };
        let inputs = op.operands();
        let foreign = opaque_in(body).or_else(|| {
            let fits = body
                .args()
                .iter()
                .map(|value| value.ty())
                .eq(inputs.iter().map(|value| value.ty()));
            (!fits).then(|| "operands of other types than its body takes".to_owned())
        });
        self.cost(op, &mut attrs, &origins);
        let mut builder = Builder::before(op);
        let made = ops::Fragment::create(&mut builder, (&inputs, &[]), &types, &attrs, foreign.is_none());
        if let Some(foreign) = foreign {
            let cost = if made.op.has_attr(annotation::CYCLES) {
                ""
            } else {
                "; its cost is not known, see costs"
            };
            left_out(
                op,
                "opaque-body",
                &format!("has {foreign} in its body, which is left out{cost}"),
            );
        } else if let Some(block) = made.body() {
            let mut map = ValueMap::default();
            for (old, new) in body.args().into_iter().zip(block.args()) {
                map.set(old, new);
            }
            let inside = Builder::at_end(block, op);
            for inner in body.ops() {
                if inner.is("mpmd.return") {
                    let returned: Vec<Value<'c>> = inner.operands().into_iter().map(|value| map.get(value)).collect();
                    inside.like(inner).op(ops::Return::NAME, &returned, &[], &[]);
                } else {
                    clone_mapped(&mut inside.like(inner), inner, &mut map);
                }
            }
        }
        self.replace(op, made);
    }

    fn fragment_call(&mut self, op: Op<'c>) {
        self.name_attributes(op);
        let Some((mut attrs, origins)) = self.describe(op) else {
            return;
        };
        let Some(types) = self.result_types(op) else { return };
        let callee = op.attr("callee").and_then(attr::as_symbol).unwrap_or_default();
        self.called.insert(callee.to_owned());
        self.cost(op, &mut attrs, &origins);
        let mut builder = Builder::before(op);
        let made = ops::Fragment::create(&mut builder, (&op.operands(), &[]), &types, &attrs, false);
        left_out(op, "opaque-body", &format!("calls @{callee}, which is left out"));
        self.replace(op, made);
    }

    /// Puts a fragment in the place of another operation.
    fn replace(&mut self, op: Op<'c>, made: ops::Fragment<'c>) {
        for (old, new) in op.results().into_iter().zip(made.outputs()) {
            self.home.insert(new, made.mesh().to_owned());
            edit::replace_all_uses(old, new);
        }
        edit::erase(op);
    }

    fn transfer(&mut self, op: Op<'c>) {
        self.name_attributes(op);
        let (1, 1) = (op.num_operands(), op.num_results()) else {
            self.fail(op, "has not one operand and one result");
            return;
        };
        let to = self.mesh_of(op, op.result(0).ty());
        let (Some(from), Some(to)) = (self.source.get(&op).cloned(), to) else {
            // A mesh that is not known has been reported.
            if ty::is_tensor(op.operand(0).ty()) && !self.source.contains_key(&op) || ty::is_tensor(op.result(0).ty()) {
                self.fail(op, "has an operand or a result that is no !mpmd.mesh_tensor");
            }
            return;
        };
        if from == to {
            left_out(
                op,
                "same-mesh",
                &format!("stays on the mesh '{from}', where values need not be moved"),
            );
        }
        let value = self.moved(op, op.operand(0), Some(&from), &to);
        self.forward(op, value);
    }

    /// `assign`, `unassign` and `broadcast` compute nothing. The first one moves a value that a fragment on another
    /// mesh has made.
    fn identity(&mut self, op: Op<'c>) {
        let (1, 1) = (op.num_operands(), op.num_results()) else {
            self.fail(op, "has not one operand and one result");
            return;
        };
        let Some((_, to)) = self.tensor(op, op.result(0).ty()) else {
            return;
        };
        let operand = op.operand(0);
        let from = self.home.get(&operand).cloned();
        let value = match to {
            Some(to) => self.moved(op, operand, from.as_deref(), &to),
            None => operand,
        };
        self.forward(op, value);
    }

    /// A value on another mesh. What comes from outside of all fragments is on each of them.
    fn moved(&mut self, op: Op<'c>, value: Value<'c>, from: Option<&str>, to: &str) -> Value<'c> {
        let Some(from) = from.filter(|from| *from != to) else {
            return value;
        };
        let context = op.context();
        let attrs: Vec<(&str, Attribute<'c>)> = [
            (ops::Transfer::FROM, attr::symbol(context, from)),
            (ops::Transfer::TO, attr::symbol(context, to)),
        ]
        .into_iter()
        .chain(op.attr(annotation::CYCLES).map(|cycles| (annotation::CYCLES, cycles)))
        .collect();
        let moved = Builder::before(op).op(ops::Transfer::NAME, &[value], &[value.ty()], &attrs);
        self.home.insert(moved.result(0), to.to_owned());
        moved.result(0)
    }

    /// Has `value` stand for an operation's result.
    fn forward(&mut self, op: Op<'c>, value: Value<'c>) {
        let Some((ty, _)) = self.tensor(op, op.result(0).ty()) else {
            return;
        };
        // Otherwise its producer was not understood, which has been reported.
        if ty != value.ty() && ty::as_opaque(value.ty()).is_none() {
            let message = format!(
                "has a result {ty} of an operand {}; the tensor must be the same",
                value.ty()
            );
            self.fail(op, &message);
        }
        if ty != value.ty() {
            return;
        }
        edit::replace_all_uses(op.result(0), value);
        edit::erase(op);
    }
}

/// The first thing in a body that is not known here.
fn opaque_in(body: Block<'_>) -> Option<String> {
    let unknown = |value: &Value<'_>| ty::as_opaque(value.ty()).is_some();
    if let Some(value) = body.args().into_iter().find(unknown) {
        return Some(format!("a value of type {}", value.ty()));
    }
    for op in body.ops().flat_map(Op::walk) {
        if !op.is_registered() && !op.is("mpmd.return") {
            return Some(format!("`{}`", op.name()));
        }
        let arguments = op.regions().into_iter().flat_map(|region| region.blocks());
        let arguments = arguments.flat_map(|block| block.args());
        let mut values = op.results().into_iter().chain(arguments);
        if let Some(value) = values.find(unknown) {
            return Some(format!("a value of type {}", value.ty()));
        }
    }
    None
}

/// The dialect that an operation's name begins with.
fn dialect_of(op: Op<'_>) -> &str {
    op.name().split('.').next().unwrap_or_default()
}
