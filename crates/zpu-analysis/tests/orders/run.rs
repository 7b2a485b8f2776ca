//! Executes a function of loops, index arithmetic, views and copies, and lists what touches one tensor.

use std::collections::HashMap;

use zpu_ir::affine::{Expr, Map};
use zpu_ir::scf::For;
use zpu_ir::{Block, Op, Value, attr, ty};

/// One access to one element of the tensor.
pub(crate) struct Touched<'c> {
    pub(crate) op: Op<'c>,
    pub(crate) write: bool,
    pub(crate) at: Vec<i64>,
}

/// All accesses to a tensor, in their sequence.
pub(crate) fn run<'c>(function: Op<'c>, tensor: Value<'c>) -> Vec<Touched<'c>> {
    let mut machine = Machine {
        tensor,
        values: HashMap::new(),
        trace: Vec::new(),
    };
    machine.block(function.body().expect("a body"));
    machine.trace
}

struct Machine<'c> {
    tensor: Value<'c>,
    /// Index values, of the current iteration.
    values: HashMap<Value<'c>, i64>,
    trace: Vec<Touched<'c>>,
}

impl<'c> Machine<'c> {
    fn block(&mut self, block: Block<'c>) {
        for op in block.ops() {
            self.op(op);
        }
    }

    fn value(&self, value: Value<'c>) -> i64 {
        value.as_constant_int().unwrap_or_else(|| self.values[&value])
    }

    fn op(&mut self, op: Op<'c>) {
        let binary = |machine: &Self| (machine.value(op.operand(0)), machine.value(op.operand(1)));
        let result = match op.name() {
            "scf.for" => {
                let for_ = For::of(op).expect("a loop");
                let (mut at, end, step) = (
                    self.value(for_.lower()),
                    self.value(for_.upper()),
                    self.value(for_.step()),
                );
                while at < end {
                    self.values.insert(for_.iv(), at);
                    self.block(for_.body);
                    at += step;
                }
                return;
            }
            "arith.addi" => binary(self).0 + binary(self).1,
            "arith.subi" => binary(self).0 - binary(self).1,
            "arith.divui" => binary(self).0 / binary(self).1,
            "arith.remui" => binary(self).0 % binary(self).1,
            "affine.apply" => {
                let map = op.attr("map").and_then(Map::of).expect("a map");
                let operands: Vec<i64> = op.operands().into_iter().map(|operand| self.value(operand)).collect();
                evaluate(&map.results[0], &operands)
            }
            "memref.load" => return self.element(op, 0, false),
            "memref.store" => return self.element(op, 1, true),
            "memref.copy" => {
                self.all(op, op.operand(0), false);
                return self.all(op, op.operand(1), true);
            }
            "linalg.fill" => return self.all(op, op.operand(1), true),
            _ => return,
        };
        self.values.insert(op.result(0), result);
    }

    fn element(&mut self, op: Op<'c>, memref: usize, write: bool) {
        let indices = op.operands().split_off(memref + 1);
        let at = indices.into_iter().map(|index| self.value(index)).collect();
        self.touch(op, op.operand(memref), at, write);
    }

    /// Every element, row by row.
    fn all(&mut self, op: Op<'c>, memref: Value<'c>, write: bool) {
        let shape = ty::static_shape(memref.ty()).expect("a static shape");
        for flat in 0..shape.iter().product::<i64>() {
            self.touch(op, memref, unflat(flat, &shape), write);
        }
    }

    fn touch(&mut self, op: Op<'c>, memref: Value<'c>, mut at: Vec<i64>, write: bool) {
        let mut memref = memref;
        while memref != self.tensor {
            let Some(view) = memref.defining_op().filter(|view| view.num_operands() > 0) else {
                return;
            };
            let source = ty::static_shape(view.operand(0).ty()).expect("a static shape");
            let shape = ty::static_shape(memref.ty()).expect("a static shape");
            at = match view.name() {
                "memref.subview" => {
                    let list = |name| view.attr(name).and_then(attr::as_int_array).expect("a list");
                    let mut dynamic = view.operands().into_iter().skip(1);
                    let offsets = list("static_offsets").into_iter().map(|offset| {
                        if offset == ty::dynamic_size() {
                            self.value(dynamic.next().expect("an offset"))
                        } else {
                            offset
                        }
                    });
                    let strides = list("static_strides");
                    offsets
                        .zip(strides)
                        .zip(at)
                        .map(|((offset, stride), at)| offset + stride * at)
                        .collect()
                }
                "memref.expand_shape" | "memref.collapse_shape" => unflat(flat(&at, &shape), &source),
                "memref.transpose" => {
                    let map = view.attr("permutation").and_then(Map::of).and_then(|map| map.as_dims());
                    let mut turned = at.clone();
                    for (own, theirs) in map.expect("a permutation").into_iter().enumerate() {
                        turned[theirs] = at[own];
                    }
                    turned
                }
                other => panic!("{other} is no view"),
            };
            memref = view.operand(0);
        }
        self.trace.push(Touched { op, write, at });
    }
}

fn flat(at: &[i64], shape: &[i64]) -> i64 {
    at.iter().zip(shape).fold(0, |flat, (at, extent)| flat * extent + at)
}

fn unflat(mut flat: i64, shape: &[i64]) -> Vec<i64> {
    let mut at: Vec<i64> = Vec::new();
    for extent in shape.iter().rev() {
        at.push(flat % extent);
        flat /= extent;
    }
    at.reverse();
    at
}

fn evaluate(expr: &Expr, operands: &[i64]) -> i64 {
    let part = |expr: &Expr| evaluate(expr, operands);
    match expr {
        Expr::Dim(at) => operands[*at],
        Expr::Symbol(at) => operands[*at],
        Expr::Constant(value) => *value,
        Expr::Add(left, right) => part(left) + part(right),
        Expr::Mul(left, right) => part(left) * part(right),
        Expr::Mod(left, right) => part(left).rem_euclid(part(right)),
        Expr::FloorDiv(left, right) => part(left).div_euclid(part(right)),
        Expr::CeilDiv(left, right) => -(-part(left)).div_euclid(part(right)),
    }
}
