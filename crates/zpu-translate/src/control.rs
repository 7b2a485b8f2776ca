//! Structured control flow and calls.

use zpu_device::ElementType;
use zpu_ir::{Block, Op, attr, scf, ty};
use zpu_sim::{self as sim, Reg, Size};

use crate::emitter::Emitter;
use crate::scalar::Sink;
use crate::{Result, attribute, types, unsupported};

impl<'c> Emitter<'_, 'c, '_> {
    /// An operation of scf, func, cf or ub; false if it is not known.
    pub(crate) fn control(&mut self, op: Op<'c>) -> Result<bool> {
        match op.name() {
            "scf.for" => self.scf_for(op)?,
            "scf.if" => self.scf_if(op)?,
            "scf.while" => self.scf_while(op)?,
            "scf.parallel" => self.scf_parallel(op)?,
            "scf.forall" => self.scf_forall(op)?,
            "scf.execute_region" => {
                let block = Self::only_block(op, 0)?;
                self.inlined(op, block)?;
            }
            "scf.index_switch" => self.index_switch(op)?,
            "func.call" => self.call(op)?,
            "cf.assert" => {
                let condition = self.reg(op.operand(0));
                let message = attribute(op, "msg", attr::as_str)?.to_owned();
                self.push(sim::Op::Assert { condition, message });
            }
            "ub.poison" => self.poison(op)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A block in place of the operation that holds it.
    pub(crate) fn inlined(&mut self, op: Op<'c>, block: Block<'c>) -> Result<()> {
        let values = self.inline(block)?;
        for (result, reg) in op.results().into_iter().zip(values) {
            self.alias(result, reg);
        }
        Ok(())
    }

    fn scf_for(&mut self, op: Op<'c>) -> Result<()> {
        Self::only_block(op, 0)?;
        let view = scf::For::of(op).ok_or_else(|| unsupported(op, "without a body"))?;
        let [lower, upper, step] = [view.lower(), view.upper(), view.step()].map(|bound| self.size(bound));
        let inits = self.regs(&view.inits());
        let (induction, arguments) = (self.reg(view.iv()), self.regs(&view.iter_args()));
        let ty = types::element(op, view.iv().ty())?;
        let body = self.block(view.body)?;
        let results = self.results(op);
        self.push(sim::Op::For(Box::new(sim::For {
            induction,
            ty,
            unsigned: view.is_unsigned(),
            lower,
            upper,
            step,
            inits,
            arguments,
            body,
            results,
        })));
        Ok(())
    }

    fn scf_if(&mut self, op: Op<'c>) -> Result<()> {
        let condition = self.reg(op.operand(0));
        let then = self.region(op, 0)?;
        let has_else = op.regions().get(1).is_some_and(|region| region.first_block().is_some());
        let otherwise = if has_else {
            self.region(op, 1)?
        } else {
            sim::Block::default()
        };
        let results = self.results(op);
        self.push(sim::Op::If {
            condition,
            then,
            otherwise,
            results,
        });
        Ok(())
    }

    fn scf_while(&mut self, op: Op<'c>) -> Result<()> {
        let (deciding, doing) = (Self::only_block(op, 0)?, Self::only_block(op, 1)?);
        let inits = self.regs(&op.operands());
        let (before_arguments, after_arguments) = (self.regs(&deciding.args()), self.regs(&doing.args()));
        let mut before = self.block(deciding)?;
        if before.yields.is_empty() {
            return Err(unsupported(op, "without a condition"));
        }
        let condition = before.yields.remove(0);
        let after = self.block(doing)?;
        let results = self.results(op);
        self.push(sim::Op::While(Box::new(sim::While {
            inits,
            before_arguments,
            before,
            condition,
            after_arguments,
            after,
            results,
        })));
        Ok(())
    }

    /// The iterations of a parallel loop one after the other, in order.
    fn scf_parallel(&mut self, op: Op<'c>) -> Result<()> {
        let block = Self::only_block(op, 0)?;
        let variables = self.regs(&block.args());
        let dims = variables.len();
        let operands = op.operands();
        if operands.len() < 3 * dims {
            return Err(unsupported(op, "without its bounds"));
        }
        let bounds: Vec<Size> = operands[..3 * dims].iter().map(|bound| self.size(*bound)).collect();
        let inits = self.regs(&operands[3 * dims..]);
        let carried: Vec<Reg> = inits.iter().map(|_| self.fresh()).collect();
        let (statements, yields) = self.nested(|emitter| {
            let values = emitter.inline(block)?;
            match block.terminator() {
                Some(reduce) if !values.is_empty() => emitter.reduce(reduce, &carried, &values),
                _ => Ok(Vec::new()),
            }
        })?;
        let (lower, rest) = bounds.split_at(dims);
        let (upper, step) = rest.split_at(dims);
        let body = sim::Block { statements, yields };
        let results = self.nest(&variables, [lower, upper, step], &inits, &carried, body);
        for (result, reg) in op.results().into_iter().zip(results) {
            self.alias(result, reg);
        }
        Ok(())
    }

    /// The reductions of an `scf.reduce`: what its regions make of the values so far and the new ones.
    fn reduce(&mut self, reduce: Op<'c>, carried: &[Reg], values: &[Reg]) -> Result<Vec<Reg>> {
        let mut reduced = Vec::new();
        for (i, (so_far, new)) in carried.iter().zip(values).enumerate() {
            let block = Self::only_block(reduce, i)?;
            for (argument, reg) in block.args().into_iter().zip([*so_far, *new]) {
                self.alias(argument, reg);
            }
            reduced.extend(self.inline(block)?);
        }
        Ok(reduced)
    }

    fn scf_forall(&mut self, op: Op<'c>) -> Result<()> {
        if op.num_results() != 0 {
            return Err(unsupported(op, "on tensors; bufferize the program first"));
        }
        let segments = attribute(op, "operandSegmentSizes", attr::as_int_array)?;
        let mut operands = op.operands().into_iter();
        let mut bounds = Vec::new();
        for (i, name) in ["staticLowerBound", "staticUpperBound", "staticStep"]
            .into_iter()
            .enumerate()
        {
            let count = segments.get(i).copied().unwrap_or(0).max(0) as usize;
            let dynamic: Vec<_> = operands.by_ref().take(count).collect();
            let fixed = attribute(op, name, attr::as_int_array)?;
            bounds.push(self.mixed(&fixed, &mut dynamic.into_iter()));
        }
        let block = Self::only_block(op, 0)?;
        let variables = self.regs(&block.args());
        let mut body = self.block(block)?;
        body.yields.clear();
        if bounds.iter().any(|bound| bound.len() != variables.len()) {
            return Err(unsupported(op, "without its bounds"));
        }
        self.nest(&variables, [&bounds[0], &bounds[1], &bounds[2]], &[], &[], body);
        Ok(())
    }

    fn index_switch(&mut self, op: Op<'c>) -> Result<()> {
        let value = self.reg(op.operand(0));
        let numbers = attribute(op, "cases", attr::as_int_array)?;
        let default = self.region(op, 0)?;
        let cases = numbers
            .into_iter()
            .enumerate()
            .map(|(i, number)| Ok((number, self.region(op, i + 1)?)))
            .collect::<Result<_>>()?;
        let results = self.results(op);
        self.push(sim::Op::Switch {
            value,
            cases,
            default,
            results,
        });
        Ok(())
    }

    fn call(&mut self, op: Op<'c>) -> Result<()> {
        let callee = attribute(op, "callee", attr::as_symbol)?;
        let function = self.shared.function(callee);
        let function = function.ok_or_else(|| unsupported(op, format!("of @{callee}, which has no body")))?;
        let (arguments, results) = (self.regs(&op.operands()), self.results(op));
        self.push(sim::Op::Call {
            function,
            arguments,
            results,
        });
        Ok(())
    }

    /// Any value will do: 0, a token that is complete, or an empty buffer.
    fn poison(&mut self, op: Op<'c>) -> Result<()> {
        let value = op.result(0);
        if ty::token_engine(value.ty()).is_some() {
            let result = self.reg(value);
            self.push(sim::Op::NullToken { result });
        } else if ty::is_memref(value.ty()) {
            let memref = types::memref(op, self.shared.device, value.ty())?;
            let result = self.reg(value);
            self.push(sim::Op::Alloc {
                result,
                element: memref.element,
                shape: vec![Size::Constant(0); memref.shape.len().max(1)],
                space: memref.space,
                address: None,
                stack: true,
            });
        } else {
            let _: ElementType = types::element(op, value.ty())?;
            let zero = self.constant(0);
            self.alias(value, zero);
        }
        Ok(())
    }
}
