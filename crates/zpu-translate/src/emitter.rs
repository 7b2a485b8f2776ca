//! Builds the statements of one function.

use std::collections::HashMap;

use zpu_device::ElementType;
use zpu_ir::{Block, Op, Value};
use zpu_sim::{self as sim, Compute, LocationId, Parameter, Reg, Size, Statement};

use crate::module::Shared;
use crate::scalar::Sink;
use crate::{Result, types, unknown, unsupported};

/// Regions in regions, at most: the simulator walks them by recursion, in every call that is on the way.
const MAX_NESTING: usize = 256;

/// Statements of the function that is being translated.
pub(crate) struct Emitter<'t, 'c, 'd> {
    pub(crate) shared: &'t mut Shared<'c, 'd>,
    registers: HashMap<Value<'c>, Reg>,
    count: u32,
    statements: Vec<Statement>,
    at: LocationId,
    /// Regions around the operation at hand.
    depth: usize,
}

impl<'t, 'c, 'd> Emitter<'t, 'c, 'd> {
    pub(crate) fn new(shared: &'t mut Shared<'c, 'd>, at: LocationId) -> Self {
        Self {
            shared,
            registers: HashMap::new(),
            count: 0,
            statements: Vec::new(),
            at,
            depth: 0,
        }
    }

    /// The number of registers that the function needs.
    pub(crate) fn registers(&self) -> u32 {
        self.count
    }

    /// A fresh register.
    pub(crate) fn fresh(&mut self) -> Reg {
        self.count += 1;
        Reg(self.count - 1)
    }

    /// The register of a value.
    pub(crate) fn reg(&mut self, value: Value<'c>) -> Reg {
        if let Some(reg) = self.registers.get(&value) {
            return *reg;
        }
        let reg = self.fresh();
        self.registers.insert(value, reg);
        reg
    }

    /// The registers of values.
    pub(crate) fn regs(&mut self, values: &[Value<'c>]) -> Vec<Reg> {
        values.iter().map(|value| self.reg(*value)).collect()
    }

    /// The registers of an operation's results.
    pub(crate) fn results(&mut self, op: Op<'c>) -> Vec<Reg> {
        self.regs(&op.results())
    }

    /// Makes a value another name of a register.
    pub(crate) fn alias(&mut self, value: Value<'c>, reg: Reg) {
        self.registers.insert(value, reg);
    }

    /// A size that is known now, or a register.
    pub(crate) fn size(&mut self, value: Value<'c>) -> Size {
        match value.as_constant_int() {
            Some(constant) => Size::Constant(constant),
            None => Size::Register(self.reg(value)),
        }
    }

    /// A statement at the current place.
    pub(crate) fn statement(&self, op: sim::Op) -> Statement {
        Statement { location: self.at, op }
    }

    /// Appends a statement at the current place.
    pub(crate) fn push(&mut self, op: sim::Op) {
        let statement = self.statement(op);
        self.statements.push(statement);
    }

    /// Appends statements.
    pub(crate) fn append(&mut self, statements: Vec<Statement>) {
        self.statements.extend(statements);
    }

    /// Collects what `build` appends, and its result.
    pub(crate) fn nested<T>(&mut self, build: impl FnOnce(&mut Self) -> Result<T>) -> Result<(Vec<Statement>, T)> {
        let outside = std::mem::take(&mut self.statements);
        let at = self.at;
        let result = build(self);
        let inside = std::mem::replace(&mut self.statements, outside);
        self.at = at;
        Ok((inside, result?))
    }

    /// Sets the place of the statements appended from here on to that of an operation.
    pub(crate) fn stand_at(&mut self, op: Op<'c>) {
        self.at = self.shared.location(op);
    }

    /// The parameters of a function.
    pub(crate) fn parameters(&mut self, function: Op<'c>) -> Result<Vec<Parameter>> {
        let arguments = function.body().map(|body| body.args()).unwrap_or_default();
        arguments
            .into_iter()
            .map(|argument| {
                Ok(Parameter {
                    register: self.reg(argument),
                    ty: types::value(function, self.shared.device, argument.ty())?,
                })
            })
            .collect()
    }

    /// The only block of a region of an operation.
    pub(crate) fn only_block(op: Op<'c>, region: usize) -> Result<Block<'c>> {
        match op.regions().get(region).map(|region| region.blocks()).as_deref() {
            Some([block]) => Ok(*block),
            Some([]) | None => Err(unsupported(op, "without a body")),
            Some(_) => Err(unsupported(
                op,
                "with branches between blocks; --lift-cf-to-scf makes loops and conditions of them",
            )),
        }
    }

    /// A region as a block whose yields are the terminator's operands.
    pub(crate) fn region(&mut self, op: Op<'c>, region: usize) -> Result<sim::Block> {
        let block = Self::only_block(op, region)?;
        self.block(block)
    }

    /// A block; its yields are the terminator's operands.
    pub(crate) fn block(&mut self, block: Block<'c>) -> Result<sim::Block> {
        let (statements, yields) = self.nested(|emitter| emitter.inline(block))?;
        Ok(sim::Block { statements, yields })
    }

    /// Appends a block's operations; the registers of the terminator's operands.
    pub(crate) fn inline(&mut self, block: Block<'c>) -> Result<Vec<Reg>> {
        let terminator = block.terminator();
        self.depth += 1;
        for op in block.ops().filter(|op| Some(*op) != terminator) {
            if self.depth > MAX_NESTING {
                return Err(unsupported(op, format!("in more than {MAX_NESTING} nested regions")));
            }
            self.op(op)?;
        }
        self.depth -= 1;
        Ok(terminator.map(|op| self.regs(&op.operands())).unwrap_or_default())
    }

    /// Appends an operation.
    pub(crate) fn op(&mut self, op: Op<'c>) -> Result<()> {
        self.stand_at(op);
        let (dialect, _) = op.name().split_once('.').unwrap_or(("", ""));
        let done = match dialect {
            "arith" | "math" => self.scalar(op)?,
            "memref" => self.memref(op)?,
            "scf" | "func" | "cf" | "ub" => self.control(op)?,
            "affine" => self.affine(op)?,
            "zpu" => self.command(op)?,
            "linalg" => self.linalg(op)?,
            _ => false,
        };
        if done { Ok(()) } else { Err(unknown(op)) }
    }

    fn scalar(&mut self, op: Op<'c>) -> Result<bool> {
        if op.is("arith.select") && crate::scalar::is_scalar(op.operand(0)) {
            let [condition, if_true, if_false] = [0, 1, 2].map(|i| self.reg(op.operand(i)));
            let result = self.reg(op.result(0));
            self.push(sim::Op::Select {
                result,
                condition,
                if_true,
                if_false,
            });
            return Ok(true);
        }
        let operands = self.regs(&op.operands());
        let Some(values) = crate::scalar::emit(op, &operands, self)? else {
            return Ok(false);
        };
        for (result, reg) in op.results().into_iter().zip(values) {
            self.alias(result, reg);
        }
        Ok(true)
    }

    /// A register that holds an index constant.
    pub(crate) fn index(&mut self, value: i64) -> Reg {
        self.constant(value as u64)
    }
}

impl Sink for Emitter<'_, '_, '_> {
    type R = Reg;

    fn constant(&mut self, bits: u64) -> Reg {
        let result = self.fresh();
        self.push(sim::Op::Constant { result, bits });
        result
    }

    fn compute(&mut self, compute: Compute, operands: &[Reg]) -> Reg {
        let result = self.fresh();
        self.push(sim::Op::Compute {
            compute,
            result,
            operands: operands.to_vec(),
        });
        result
    }
}

/// The integer operations on `index` that addresses are made of.
pub(crate) fn on_index(op: sim::IntBinary) -> Compute {
    Compute::IntBinary(op, ElementType::Index)
}
