//! Reading a structured operation.

use zpu_ir::affine::Map;
use zpu_ir::{Op, attr, ty};

use super::{Access, Fixed, Form, Kind, Role, Spelling};

const MEMREF: Fixed = Fixed {
    reason: "memref",
    message: "the operation works on buffers; layouts are assigned to tensors, before bufferisation",
};
const SIZE: Fixed = Fixed {
    reason: "dynamic-size",
    message: "a tensor has a dynamic size or an unknown element type, so that bytes cannot be counted",
};
const RESULTS: Fixed = Fixed {
    reason: "several-results",
    message: "only operations with one result get another layout",
};
const MAPS: Fixed = Fixed {
    reason: "fixed-order",
    message: "the operation reads its operands in a fixed order",
};
const EFFECTS: Fixed = Fixed {
    reason: "effects",
    message: "the operation has effects, which stay in their order",
};

/// Products whose maps can be written down.
const PRODUCTS: [&str; 4] = [
    "linalg.matmul",
    "linalg.batch_matmul",
    "linalg.batch_reduce_matmul",
    "linalg.contract",
];

impl<'c> Form<'c> {
    /// The form of a structured operation.
    ///
    /// # Errors
    ///
    /// The reason why it keeps the order of its types.
    pub fn of(op: Op<'c>) -> Result<Self, Fixed> {
        let operands = op.operands();
        if operands.iter().any(|operand| ty::is_memref(operand.ty())) {
            return Err(MEMREF);
        }
        let maps = op.indexing_maps().and_then(Map::list).ok_or(MAPS)?;
        if op.num_results() != 1 {
            return Err(RESULTS);
        }
        let bytes = ty::Tensor::of(op.result(0).ty())
            .and_then(|tensor| tensor.bytes())
            .ok_or(SIZE)?;
        let body = op.body().ok_or(MAPS)?;
        if maps.len() != operands.len() || op.is("linalg.transpose") {
            return Err(MAPS);
        }
        // A body with effects sees in which order elements are visited.
        let is_pure = |inner: Op<'c>| inner.is("linalg.yield") || inner.is_memory_effect_free();
        if !body.ops().all(is_pure) {
            return Err(EFFECTS);
        }
        let output = operands.len() - 1;
        let num_loops = maps[output].num_dims;
        let mut accesses = Vec::new();
        for (operand, (value, map)) in operands.iter().zip(&maps).enumerate() {
            // A scalar is read by no loop.
            if !ty::is_tensor(value.ty()) {
                if !map.results.is_empty() {
                    return Err(MAPS);
                }
                continue;
            }
            let tensor = ty::Tensor::of(value.ty()).ok_or(SIZE)?;
            tensor.bytes().ok_or(SIZE)?;
            let loops = map.as_dims().filter(|loops| is_projection(loops)).ok_or(MAPS)?;
            if loops.len() != tensor.shape.len() || map.num_dims != num_loops {
                return Err(MAPS);
            }
            let role = match body.args().get(operand) {
                _ if operand != output => Role::Input,
                Some(argument) if !argument.is_unused() => Role::Accumulator,
                _ => Role::Destination,
            };
            accesses.push(Access {
                operand,
                value: *value,
                loops,
                role,
            });
        }
        let Some(written) = accesses.last().filter(|access| access.operand == output) else {
            return Err(MAPS);
        };
        let is_parallel = parallel(op, num_loops);
        let is_ordered: Vec<bool> = (0..num_loops)
            .map(|at| !is_parallel[at] || !written.loops.contains(&at))
            .collect();
        let spelling = spelling(op, &accesses, num_loops).ok_or(MAPS)?;
        let is_whole = |access: &Access<'c>| access.loops.len() == num_loops;
        let kind = if spelling != Spelling::Types && op.is_contraction() {
            Kind::Product
        } else if accesses.iter().all(is_whole) && !is_ordered.contains(&true) {
            Kind::Elementwise
        } else {
            Kind::Loops
        };
        if spelling == Spelling::Maps && kind != Kind::Product {
            return Err(MAPS);
        }
        Ok(Self {
            op,
            kind,
            spelling,
            is_ordered,
            accesses,
            bytes,
        })
    }
}

/// True if no dimension occurs twice.
fn is_projection(dims: &[usize]) -> bool {
    dims.iter().enumerate().all(|(at, dim)| !dims[..at].contains(dim))
}

/// Loops that are called parallel; a named operation does not write them down, and all that the output has are.
fn parallel(op: Op<'_>, num_loops: usize) -> Vec<bool> {
    match op.attr("iterator_types").and_then(attr::as_array) {
        Some(kinds) if kinds.len() == num_loops => {
            kinds.iter().map(|kind| kind.to_string().contains("parallel")).collect()
        }
        _ => vec![true; num_loops],
    }
}

fn spelling(op: Op<'_>, accesses: &[Access<'_>], num_loops: usize) -> Option<Spelling> {
    let is_identity = |access: &Access<'_>| access.loops.iter().copied().eq(0..num_loops);
    match op.name() {
        "linalg.generic" => Some(Spelling::Generic),
        "linalg.reduce" => Some(Spelling::Reduce),
        "linalg.broadcast" => Some(Spelling::Broadcast),
        name if PRODUCTS.contains(&name) => Some(Spelling::Maps),
        // Maps that are written down and say what is so anyway stay: identities of as many loops.
        _ if accesses.iter().all(is_identity) => Some(Spelling::Types),
        _ => None,
    }
}
