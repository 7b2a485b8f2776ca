//! Structured operations as kernels: indexing maps, iterators and the scalar code of the region. A memref that the
//! region loads from is a further operand of the kernel, behind those of the operation.

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

/// As they are written; a named operation sums up over the loops that no output is walked by.
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

/// Registers while a body is built; captures get theirs, behind the operands', before any operation.
struct Code {
    first: usize,
    ops: Vec<BodyOp>,
}

impl Code {
    fn push(&mut self, op: BodyOp) -> usize {
        self.ops.push(op);
        self.first + self.ops.len() - 1
    }
}

impl Sink for Code {
    type R = usize;

    fn constant(&mut self, bits: u64) -> usize {
        self.push(BodyOp::Constant(bits))
    }

    fn compute(&mut self, compute: Compute, operands: &[usize]) -> usize {
        self.push(BodyOp::Compute(compute, operands.to_vec()))
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
    for value in ops
        .iter()
        .chain([&terminator])
        .flat_map(|inner| inner.operands())
        .filter(outside)
    {
        let list = if constant(value).is_some() {
            &mut constants
        } else {
            &mut captures
        };
        if !list.contains(&value) {
            list.push(value);
        }
    }
    let mut registers: HashMap<Value<'c>, usize> = HashMap::new();
    let operands = op.num_operands() + tables.len();
    // Where the body has no arguments for the outputs, they are the last ones that are left out.
    registers.extend(body.args().into_iter().enumerate().map(|(i, argument)| (argument, i)));
    registers.extend(captures.iter().enumerate().map(|(i, value)| (*value, operands + i)));
    let mut code = Code {
        first: operands + captures.len(),
        ops: Vec::new(),
    };
    let inside = ops.into_iter();
    for inner in constants.into_iter().filter_map(constant).chain(inside) {
        let results = match inner.name() {
            "linalg.index" => {
                let dim = crate::attribute(inner, "dim", attr::as_int)?;
                vec![code.push(BodyOp::Index(dim.max(0) as usize))]
            }
            "ub.poison" => {
                let _: ElementType = types::element(inner, inner.result(0).ty())?;
                vec![code.constant(0)]
            }
            name => {
                let table = Some(inner.operands()).filter(|_| name == "memref.load");
                let table = table.and_then(|all| tables.iter().position(|table| Some(table) == all.first()));
                let scalars = inner.operands().split_off(usize::from(table.is_some()));
                let operands: Vec<usize> = scalars
                    .iter()
                    .filter_map(|value| registers.get(value).copied())
                    .collect();
                if operands.len() != scalars.len() {
                    return Err(unknown(inner));
                }
                if let Some(table) = table {
                    let load = code.push(BodyOp::Load(op.num_operands() + table, operands));
                    registers.insert(inner.result(0), load);
                    continue;
                }
                scalar::emit(inner, &operands, &mut code)?
                    .ok_or_else(|| unsupported(inner, format!("in the body of {}", op.name())))?
            }
        };
        registers.extend(inner.results().into_iter().zip(results));
    }
    let yields: Vec<usize> = terminator
        .operands()
        .iter()
        .filter_map(|value| registers.get(value).copied())
        .collect();
    let body = Body {
        captures: captures.len(),
        ops: code.ops,
        yields,
    };
    Ok((body, captures))
}
