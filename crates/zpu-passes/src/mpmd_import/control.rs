//! Calls and loops, which stay calls and loops.

use zpu_ir::{Builder, Op, Type, annotation, attr, edit, ty};

use super::convert::Converter;

impl<'c> Converter<'c, '_> {
    /// A call, with its microbatch.
    pub(super) fn call(&mut self, op: Op<'c>) {
        self.name_attributes(op);
        let Some(types) = self.result_types(op) else { return };
        let Some(callee) = op.attr("callee") else {
            self.fail(op, "has no callee");
            return;
        };
        let counter = self.number(op, "call_counter");
        let counter = counter.or_else(|| self.number(op, "unroll_counter"));
        let mut attrs = vec![("callee", callee)];
        attrs.extend(counter.map(|counter| (annotation::CALL_COUNTER, attr::int(op.context(), counter))));
        let made = Builder::before(op).op("func.call", &op.operands(), &types, &attrs);
        for (old, new) in op.results().into_iter().zip(made.results()) {
            if let Some(mesh) = self.mesh_of(op, old.ty()) {
                self.home.insert(new, mesh);
            }
            edit::replace_all_uses(old, new);
        }
        edit::erase(op);
    }

    /// A loop.
    pub(super) fn repeated(&mut self, op: Op<'c>) {
        self.name_attributes(op);
        let Some(types) = self.result_types(op) else { return };
        let (Some(iterations), Some(body)) = (self.number(op, "iterations"), op.only_block()) else {
            self.fail(op, "has no iterations, or not one block for a body");
            return;
        };
        let mut arguments = body.args();
        let index = arguments.pop();
        let (Some(index), true) = (index, arguments.len() == op.num_operands()) else {
            self.fail(
                op,
                "has a body that does not take its operands and the number of the iteration",
            );
            return;
        };
        if let Some(used) = index.uses().first() {
            self.fail(
                used.op,
                "uses the number of the iteration of an mpmd.for; let Shardy take the loop apart before the program is \
                 printed (mpmd-unroll-for-loops)",
            );
            return;
        }
        self.arguments(op, body);
        self.block(body);
        if self.has_failed {
            return;
        }
        let mut builder = Builder::before(op);
        let bounds = [0, iterations, 1].map(|number| builder.index(number));
        let operands = [&bounds, &op.operands()[..]].concat();
        let index = ty::index(op.context());
        let block_types: Vec<Type<'c>> = [index].into_iter().chain(types.iter().copied()).collect();
        let made = builder.op_with_regions("scf.for", &operands, &types, &[], &[&block_types]);
        let Some(inside) = made.body() else { return };
        for (old, new) in arguments.into_iter().zip(inside.args().into_iter().skip(1)) {
            edit::replace_all_uses(old, new);
        }
        for inner in body.ops().collect::<Vec<_>>() {
            if inner.is("mpmd.return") {
                Builder::at_end(inside, inner).op("scf.yield", &inner.operands(), &[], &[]);
                edit::erase(inner);
            } else {
                edit::move_to_end(inner, inside);
            }
        }
        for (old, new) in op.results().into_iter().zip(made.results()) {
            if let Some(mesh) = self.mesh_of(op, old.ty()) {
                self.home.insert(new, mesh);
            }
            edit::replace_all_uses(old, new);
        }
        edit::erase(op);
    }
}
