//! Affine maps: as scalar code for the control stream, and as index maps of kernels.

use zpu_device::ElementType;
use zpu_ir::affine::{Expr, Map};
use zpu_ir::{Op, attr};
use zpu_sim::{self as sim, AffineExpr, AffineMap, IntBinary, Reg, Size};

use crate::emitter::{Emitter, on_index};
use crate::scalar::Sink;
use crate::{Result, attribute, unsupported};

/// An index map of a structured operation.
pub(crate) fn index_map(op: Op<'_>, map: &Map) -> Result<AffineMap> {
    if map.num_symbols != 0 {
        return Err(unsupported(op, "with symbols in an indexing map"));
    }
    Ok(AffineMap {
        dims: map.num_dims,
        results: map.results.iter().map(index_expr).collect(),
    })
}

fn index_expr(expr: &Expr) -> AffineExpr {
    let boxed = |expr: &Expr| Box::new(index_expr(expr));
    match expr {
        Expr::Dim(dim) | Expr::Symbol(dim) => AffineExpr::Dim(*dim),
        Expr::Constant(value) => AffineExpr::Constant(*value),
        Expr::Add(a, b) => AffineExpr::Add(boxed(a), boxed(b)),
        Expr::Mul(a, b) => AffineExpr::Mul(boxed(a), boxed(b)),
        Expr::Mod(a, b) => AffineExpr::Mod(boxed(a), boxed(b)),
        Expr::FloorDiv(a, b) => AffineExpr::FloorDiv(boxed(a), boxed(b)),
        Expr::CeilDiv(a, b) => AffineExpr::CeilDiv(boxed(a), boxed(b)),
    }
}

impl<'c> Emitter<'_, 'c, '_> {
    /// An operation of the affine dialect; false if it is not known.
    pub(crate) fn affine(&mut self, op: Op<'c>) -> Result<bool> {
        match op.name() {
            "affine.apply" => {
                let map = attribute(op, "map", Map::of)?;
                let operands = self.regs(&op.operands());
                let values = self.results_of(&map, &operands);
                self.alias(op.result(0), values[0]);
            }
            "affine.min" | "affine.max" => {
                let map = attribute(op, "map", Map::of)?;
                let operands = self.regs(&op.operands());
                let value = self.extreme(op, &map, &operands, op.is("affine.max"))?;
                self.alias(op.result(0), value);
            }
            "affine.load" => {
                let (result, memref) = (self.reg(op.result(0)), self.reg(op.operand(0)));
                let indices = self.subscripts(op, 1)?;
                self.push(sim::Op::Load {
                    result,
                    memref,
                    indices,
                });
            }
            "affine.store" => {
                let (value, memref) = (self.reg(op.operand(0)), self.reg(op.operand(1)));
                let indices = self.subscripts(op, 2)?;
                self.push(sim::Op::Store { value, memref, indices });
            }
            "affine.for" => self.affine_for(op)?,
            "affine.parallel" => self.affine_parallel(op)?,
            "affine.prefetch" => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn subscripts(&mut self, op: Op<'c>, first: usize) -> Result<Vec<Reg>> {
        let map = attribute(op, "map", Map::of)?;
        let operands = self.regs(&op.operands()[first..]);
        Ok(self.results_of(&map, &operands))
    }

    fn results_of(&mut self, map: &Map, operands: &[Reg]) -> Vec<Reg> {
        map.results
            .iter()
            .map(|result| self.expr(result, map.num_dims, operands))
            .collect()
    }

    /// The least or greatest result of a map.
    fn extreme(&mut self, op: Op<'c>, map: &Map, operands: &[Reg], greatest: bool) -> Result<Reg> {
        let pick = on_index(if greatest { IntBinary::MaxS } else { IntBinary::MinS });
        let values = self.results_of(map, operands);
        let picked = values.into_iter().reduce(|a, b| self.compute(pick, &[a, b]));
        picked.ok_or_else(|| unsupported(op, "with an empty map"))
    }

    /// The value of an expression; symbols come after the dimensions.
    fn expr(&mut self, expr: &Expr, dims: usize, operands: &[Reg]) -> Reg {
        let (kind, a, b) = match expr {
            Expr::Dim(i) => return operands[*i],
            Expr::Symbol(i) => return operands[dims + i],
            Expr::Constant(value) => return self.index(*value),
            Expr::Add(a, b) => (IntBinary::Add, a, b),
            Expr::Mul(a, b) => (IntBinary::Mul, a, b),
            Expr::FloorDiv(a, b) | Expr::Mod(a, b) => (IntBinary::FloorDivS, a, b),
            Expr::CeilDiv(a, b) => (IntBinary::CeilDivS, a, b),
        };
        let (a, b) = (self.expr(a, dims, operands), self.expr(b, dims, operands));
        let value = self.compute(on_index(kind), &[a, b]);
        if !matches!(expr, Expr::Mod(..)) {
            return value;
        }
        // The remainder that goes with rounding down is never negative.
        let multiple = self.compute(on_index(IntBinary::Mul), &[value, b]);
        self.compute(on_index(IntBinary::Sub), &[a, multiple])
    }

    fn affine_for(&mut self, op: Op<'c>) -> Result<()> {
        let bounds = [
            attribute(op, "lowerBoundMap", Map::of)?,
            attribute(op, "upperBoundMap", Map::of)?,
        ];
        let step = attribute(op, "step", attr::as_int)?;
        let operands = self.regs(&op.operands());
        let inputs = |map: &Map| map.num_dims + map.num_symbols;
        let (lower, rest) = operands.split_at(inputs(&bounds[0]).min(operands.len()));
        let (upper, inits) = rest.split_at(inputs(&bounds[1]).min(rest.len()));
        let lower = self.extreme(op, &bounds[0], lower, true)?;
        let upper = self.extreme(op, &bounds[1], upper, false)?;
        let block = Self::only_block(op, 0)?;
        let arguments = self.regs(&block.args());
        let (induction, arguments) = arguments
            .split_first()
            .ok_or_else(|| unsupported(op, "without a variable"))?;
        let body = self.block(block)?;
        let results = self.results(op);
        self.push(sim::Op::For(Box::new(sim::For {
            induction: *induction,
            ty: ElementType::Index,
            unsigned: false,
            lower: Size::Register(lower),
            upper: Size::Register(upper),
            step: Size::Constant(step),
            inits: inits.to_vec(),
            arguments: arguments.to_vec(),
            body,
            results,
        })));
        Ok(())
    }

    /// Nested loops; the groups say how many results of the maps bound each of them.
    fn affine_parallel(&mut self, op: Op<'c>) -> Result<()> {
        if op.num_results() != 0 {
            return Err(unsupported(op, "with reductions"));
        }
        let steps = attribute(op, "steps", |steps| {
            attr::as_array(steps)?
                .into_iter()
                .map(attr::as_int)
                .collect::<Option<Vec<i64>>>()
        })?;
        let operands = self.regs(&op.operands());
        let lower_map = attribute(op, "lowerBoundsMap", Map::of)?;
        let upper_map = attribute(op, "upperBoundsMap", Map::of)?;
        let (lower, upper) = operands.split_at((lower_map.num_dims + lower_map.num_symbols).min(operands.len()));
        let lower = self.grouped(op, &lower_map, lower, "lowerBoundsGroups", true)?;
        let upper = self.grouped(op, &upper_map, upper, "upperBoundsGroups", false)?;
        let registers = |values: Vec<Reg>| values.into_iter().map(Size::Register).collect::<Vec<_>>();
        let steps: Vec<Size> = steps.into_iter().map(Size::Constant).collect();
        let block = Self::only_block(op, 0)?;
        let variables = self.regs(&block.args());
        let body = self.block(block)?;
        self.nest(
            &variables,
            [&registers(lower), &registers(upper), &steps],
            &[],
            &[],
            body,
        );
        Ok(())
    }

    fn grouped(&mut self, op: Op<'c>, map: &Map, operands: &[Reg], groups: &str, greatest: bool) -> Result<Vec<Reg>> {
        let groups = attribute(op, groups, attr::as_dense_bits)?;
        let dims = Self::only_block(op, 0)?.args().len();
        let mut next = map.results.iter();
        // A dense constant of equal numbers holds one.
        (0..dims)
            .map(|i| {
                let size = groups.get(i).or(groups.last()).copied().unwrap_or(1);
                let part = Map {
                    results: next.by_ref().take(size as usize).cloned().collect(),
                    ..map.clone()
                };
                self.extreme(op, &part, operands, greatest)
            })
            .collect()
    }

    /// Loops around a body that carries `inits` through all of them, outermost first; `bounds` are lower, upper, step,
    /// and `carried` the body's registers for the values. The values that come out are in the registers returned.
    pub(crate) fn nest(
        &mut self,
        variables: &[Reg],
        bounds: [&[Size]; 3],
        inits: &[Reg],
        carried: &[Reg],
        body: sim::Block,
    ) -> Vec<Reg> {
        let mut body = body;
        let mut arguments = carried.to_vec();
        for dim in (0..variables.len()).rev() {
            let outer: Vec<Reg> = inits.iter().map(|_| self.fresh()).collect();
            let results: Vec<Reg> = inits.iter().map(|_| self.fresh()).collect();
            let op = sim::Op::For(Box::new(sim::For {
                induction: variables[dim],
                ty: ElementType::Index,
                unsigned: false,
                lower: bounds[0][dim],
                upper: bounds[1][dim],
                step: bounds[2][dim],
                inits: if dim == 0 { inits.to_vec() } else { outer.clone() },
                arguments: std::mem::replace(&mut arguments, outer),
                body,
                results: results.clone(),
            }));
            body = sim::Block {
                statements: vec![self.statement(op)],
                yields: results,
            };
        }
        self.append(body.statements);
        body.yields
    }
}
