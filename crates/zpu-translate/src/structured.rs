//! Structured operations as kernels: indexing maps, iterators and the scalar code of the region. A memref that the
//! region loads from is a further operand of the kernel, after those of the operation.

use std::collections::HashMap;

use zpu_device::ElementType;
use zpu_ir::affine::Map;
use zpu_ir::{Block, Op, Value, attr, ty};
use zpu_sim::{AffineMap, Body, BodyOp, Compute, Kernel, KernelOperand, LoopKind};

use crate::affine::index_map;
use crate::scalar::{self, Sink};
use crate::{Result, types, unknown, unsupported};

/// A kernel and the values that it is bound to.
pub(crate) struct Bound<'c> {
    pub(crate) kernel: Kernel,
    /// One an operand of the kernel: those of the operation, then the memrefs that its body loads from.
    pub(crate) operands: Vec<Value<'c>>,
    /// Scalars from outside that its body takes.
    pub(crate) captures: Vec<Value<'c>>,
}

/// The kernel of a structured operation on memrefs.
pub(crate) fn kernel<'c>(op: Op<'c>) -> Result<Bound<'c>> {
    let maps = op.indexing_maps().and_then(Map::list).ok_or_else(|| unknown(op))?;
    let body = op.body().ok_or_else(|| unsupported(op, "without a body"))?;
    let terminator = body.terminator().ok_or_else(|| unsupported(op, "without a body"))?;
    let mut operands = op.operands();
    let first_output = operands
        .len()
        .checked_sub(terminator.num_operands())
        .filter(|_| maps.len() == operands.len())
        .ok_or_else(|| unsupported(op, "in this form"))?;
    let maps: Vec<AffineMap> = maps.iter().map(|map| index_map(op, map)).collect::<Result<_>>()?;
    let mut described = operands
        .iter()
        .zip(&maps)
        .enumerate()
        .map(|(i, (value, map))| operand(op, *value, map, i >= first_output))
        .collect::<Result<Vec<_>>>()?;
    let iterators = iterators(op, &maps, first_output);
    let tables = tables(op, body)?;
    let (body, captures) = scalar_code(op, body, terminator, &tables)?;
    for table in tables {
        described.push(KernelOperand {
            map: AffineMap::projection(iterators.len(), &[]),
            element: types::element(op, ty::element(table.ty()).unwrap_or(table.ty()))?,
            shaped: true,
            output: false,
            table: true,
        });
        operands.push(table);
    }
    let kernel = Kernel {
        name: op.name().to_owned(),
        iterators,
        operands: described,
        body,
        product: op.is_contraction(),
    };
    kernel
        .check()
        .map_err(|fault| unsupported(op, format!("in this form: {fault}")))?;
    Ok(Bound {
        kernel,
        operands,
        captures,
    })
}

/// The memrefs from outside that the body loads from, each once.
fn tables<'c>(op: Op<'c>, body: Block<'c>) -> Result<Vec<Value<'c>>> {
    let mut tables = Vec::new();
    for load in body.ops().filter(|inner| inner.is("memref.load")) {
        let table = load.operand(0);
        if table.is_defined_inside(op) {
            let message = format!("of a memref that is made in the body of {}", op.name());
            return Err(unsupported(load, message));
        }
        if !tables.contains(&table) {
            tables.push(table);
        }
    }
    Ok(tables)
}

fn operand(op: Op<'_>, value: Value<'_>, map: &AffineMap, output: bool) -> Result<KernelOperand> {
    let ty = value.ty();
    let shaped = ty::is_memref(ty);
    Ok(KernelOperand {
        map: map.clone(),
        element: types::element(op, ty::element(ty).filter(|_| shaped).unwrap_or(ty))?,
        shaped,
        output,
        table: false,
    })
}

/// The iterators as they are written; a named operation reduces over the loops that no output map uses.
fn iterators(op: Op<'_>, maps: &[AffineMap], first_output: usize) -> Vec<LoopKind> {
    let kind = |reduction: bool| {
        if reduction {
            LoopKind::Reduction
        } else {
            LoopKind::Parallel
        }
    };
    if let Some(kinds) = op.attr("iterator_types").and_then(attr::as_array) {
        return kinds
            .iter()
            .map(|named| kind(named.to_string().contains("reduction")))
            .collect();
    }
    let dims = maps.first().map_or(0, |map| map.dims);
    let stored = |dim: usize| maps[first_output..].iter().any(|map| map.mentions(dim));
    (0..dims).map(|dim| kind(!stored(dim))).collect()
}

/// Registers while a body is built; captures get theirs, after the operands', before any operation.
struct Code<'c> {
    /// The memrefs that the body loads from, and their operands.
    tables: HashMap<Value<'c>, usize>,
    first: usize,
    ops: Vec<BodyOp>,
    registers: HashMap<Value<'c>, usize>,
    /// Conditions of the branches around the operation at hand, and on which side of them it is.
    conditions: Vec<(usize, bool)>,
}

impl<'c> Code<'c> {
    fn push(&mut self, op: BodyOp) -> usize {
        self.ops.push(op);
        self.first + self.ops.len() - 1
    }

    /// The registers of values that are defined already.
    fn of(&self, op: Op<'c>) -> Result<Vec<usize>> {
        let register = |value: &Value<'c>| self.registers.get(value).copied().ok_or_else(|| unknown(op));
        op.operands().iter().map(register).collect()
    }

    /// An operation of the body of `structured`.
    fn op(&mut self, inner: Op<'c>, structured: Op<'c>) -> Result<()> {
        let results = match inner.name() {
            "linalg.index" => {
                let dim = crate::attribute(inner, "dim", attr::as_int)?;
                vec![self.push(BodyOp::Index(dim.max(0) as usize))]
            }
            "ub.poison" => {
                let _: ElementType = types::element(inner, inner.result(0).ty())?;
                vec![self.constant(0)]
            }
            "scf.if" => self.branch(inner, structured)?,
            "memref.load" if self.tables.contains_key(&inner.operand(0)) => vec![self.load(inner, structured)?],
            _ => {
                let operands = self.of(inner)?;
                scalar::emit(inner, &operands, self)?
                    .ok_or_else(|| unsupported(inner, format!("in the body of {}", structured.name())))?
            }
        };
        self.registers.extend(inner.results().into_iter().zip(results));
        Ok(())
    }

    /// An element of a table. Both sides of a branch are computed, and on the one that does not count an index may be
    /// out of bounds.
    fn load(&mut self, load: Op<'c>, structured: Op<'c>) -> Result<usize> {
        if !self.conditions.is_empty() {
            return Err(unsupported(
                load,
                format!("under a condition in the body of {}", structured.name()),
            ));
        }
        let indices = load.operands().split_off(1);
        let registers = indices.iter().map(|index| self.registers.get(index).copied());
        let registers: Option<Vec<usize>> = registers.collect();
        let registers = registers.ok_or_else(|| unknown(load))?;
        Ok(self.push(BodyOp::Load(self.tables[&load.operand(0)], registers)))
    }

    /// Both sides of a branch, and of each result the one that counts. No operation of a body does more than compute.
    fn branch(&mut self, branch: Op<'c>, structured: Op<'c>) -> Result<Vec<usize>> {
        let condition = self.of(branch)?[0];
        let mut sides = Vec::new();
        for (region, holds) in branch.regions().into_iter().zip([true, false]) {
            let Some(block) = region.first_block() else { continue };
            let terminator = block.terminator().ok_or_else(|| unknown(branch))?;
            self.conditions.push((condition, holds));
            for inner in block.ops().filter(|inner| *inner != terminator) {
                self.op(inner, structured)?;
            }
            self.conditions.pop();
            sides.push(self.of(terminator)?);
        }
        let [then, otherwise] = sides.as_slice() else {
            return Ok(Vec::new());
        };
        let pairs = then.iter().zip(otherwise);
        Ok(pairs
            .map(|(then, otherwise)| self.push(BodyOp::Compute(Compute::Select, vec![condition, *then, *otherwise])))
            .collect())
    }
}

impl Sink for Code<'_> {
    type R = usize;

    fn constant(&mut self, bits: u64) -> usize {
        self.push(BodyOp::Constant(bits))
    }

    fn compute(&mut self, compute: Compute, operands: &[usize]) -> usize {
        let operands = operands.to_vec();
        self.push(if compute.may_fail() && !self.conditions.is_empty() {
            BodyOp::DivideWhere(self.conditions.clone(), compute, operands)
        } else {
            BodyOp::Compute(compute, operands)
        })
    }
}

fn scalar_code<'c>(
    op: Op<'c>,
    body: Block<'c>,
    terminator: Op<'c>,
    tables: &[Value<'c>],
) -> Result<(Body, Vec<Value<'c>>)> {
    let ops: Vec<Op<'c>> = body.ops().filter(|inner| *inner != terminator).collect();
    let outside = |value: &Value<'c>| !value.is_defined_inside(op) && !tables.contains(value);
    let constant = |value: Value<'c>| value.defining_op().filter(|def| def.is("arith.constant"));
    let mut captures: Vec<Value<'c>> = Vec::new();
    let mut constants: Vec<Value<'c>> = Vec::new();
    let all = ops.iter().flat_map(|inner| inner.walk()).chain([terminator]);
    for value in all.flat_map(|inner| inner.operands()).filter(outside) {
        let list = if constant(value).is_some() {
            &mut constants
        } else {
            &mut captures
        };
        if !list.contains(&value) {
            list.push(value);
        }
    }
    let operands = op.num_operands() + tables.len();
    let mut code = Code {
        tables: tables.iter().copied().zip(op.num_operands()..).collect(),
        first: operands + captures.len(),
        ops: Vec::new(),
        registers: HashMap::new(),
        conditions: Vec::new(),
    };
    // If the body has no arguments for the outputs, the zip drops them, since they are last.
    let arguments = body.args().into_iter().enumerate();
    code.registers.extend(arguments.map(|(i, argument)| (argument, i)));
    let captured = captures.iter().enumerate();
    code.registers.extend(captured.map(|(i, value)| (*value, operands + i)));
    for inner in constants.into_iter().filter_map(constant).chain(ops) {
        code.op(inner, op)?;
    }
    let body = Body {
        captures: captures.len(),
        yields: code.of(terminator)?,
        ops: code.ops,
    };
    Ok((body, captures))
}
