//! Affine maps as operations of their own, one for each step, so that `zpu-sync` need not know maps.

use zpu_ir::Op;
use zpu_ir::affine::{Expr, Map};
use zpu_sync::problem::{self, Bounds, OpId, Operation, Type, ValueId};

use super::{Builder, number};

impl<'c> Builder<'c, '_> {
    /// The operation that computes the result of an affine operation, which itself is left out; `None` for any other
    /// operation.
    pub(super) fn affine(&mut self, op: Op<'c>) -> Option<OpId> {
        let join = match op.name() {
            "affine.apply" => "affine.same",
            "affine.min" => "affine.min",
            "affine.max" => "affine.max",
            _ => return None,
        };
        let map = Map::of(op.attr("map")?)?;
        let operands = self.all(op.operands());
        let results: Option<Vec<ValueId>> = map
            .results
            .iter()
            .map(|expr| self.expression(op, expr, &operands, map.num_dims))
            .collect();
        let mut results = results?.into_iter();
        let mut joined = results.next()?;
        let mut root = None;
        for result in results {
            let id = self.step(op, join, vec![joined, result], None);
            (joined, root) = (self.operations[id.at()].results[0], Some(id));
        }
        Some(root.unwrap_or_else(|| self.step(op, "affine.same", vec![joined], None)))
    }

    fn expression(&mut self, op: Op<'c>, expr: &Expr, operands: &[ValueId], dims: usize) -> Option<ValueId> {
        let (name, sides) = match expr {
            Expr::Dim(at) => return operands.get(*at).copied(),
            Expr::Symbol(at) => return operands.get(dims + *at).copied(),
            Expr::Constant(constant) => {
                let id = self.step(op, "affine.constant", Vec::new(), Some(*constant));
                return Some(self.operations[id.at()].results[0]);
            }
            Expr::Add(left, right) => ("affine.add", [left, right]),
            Expr::Mul(left, right) => ("affine.mul", [left, right]),
            Expr::Mod(left, right) => ("affine.mod", [left, right]),
            Expr::FloorDiv(left, right) => ("affine.floordiv", [left, right]),
            Expr::CeilDiv(left, right) => ("affine.ceildiv", [left, right]),
        };
        let mut of = Vec::with_capacity(2);
        for side in sides {
            of.push(self.expression(op, side, operands, dims)?);
        }
        let id = self.step(op, name, of, None);
        Some(self.operations[id.at()].results[0])
    }

    /// Adds one step at the place of the affine operation.
    fn step(&mut self, op: Op<'c>, name: &str, operands: Vec<ValueId>, constant: Option<i64>) -> OpId {
        let operation = Operation {
            name: name.to_owned(),
            operands,
            constant,
            block: self.block_around(op),
            ..Operation::default()
        };
        let id = self.push(operation, op);
        let result = ValueId(number(self.values.len()));
        self.values.push(problem::Value {
            def: problem::Def::Result(id, 0),
            ty: Type::Index,
            index: None,
            bounds: Bounds::default(),
            window: None,
        });
        self.operations[id.at()].results.push(result);
        id
    }
}
