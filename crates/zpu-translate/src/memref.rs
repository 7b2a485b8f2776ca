//! Operations of the memref dialect but those that make views.

use zpu_ir::{Op, Value, annotation, attr, ty};
use zpu_sim::{self as sim, ActionKind, Compute, FloatBinary, IntBinary, Reg, Size};

use crate::emitter::Emitter;
use crate::scalar::Sink as _;
use crate::{Result, attribute, types, unsupported};

/// The combination of the number in memory with the operand of an atomic operation.
enum Atomic {
    Assign,
    Int(IntBinary),
    Float(FloatBinary),
}

/// In the order of their numbers.
const ATOMICS: [Atomic; 16] = [
    Atomic::Float(FloatBinary::Add),
    Atomic::Int(IntBinary::Add),
    Atomic::Int(IntBinary::And),
    Atomic::Assign,
    Atomic::Float(FloatBinary::Maximum),
    Atomic::Float(FloatBinary::MaxNum),
    Atomic::Int(IntBinary::MaxS),
    Atomic::Int(IntBinary::MaxU),
    Atomic::Float(FloatBinary::Minimum),
    Atomic::Float(FloatBinary::MinNum),
    Atomic::Int(IntBinary::MinS),
    Atomic::Int(IntBinary::MinU),
    Atomic::Float(FloatBinary::Mul),
    Atomic::Int(IntBinary::Mul),
    Atomic::Int(IntBinary::Or),
    Atomic::Int(IntBinary::Xor),
];

impl<'c> Emitter<'_, 'c, '_> {
    /// An operation of the memref dialect; false if it is not known.
    pub(crate) fn memref(&mut self, op: Op<'c>) -> Result<bool> {
        match op.name() {
            "memref.alloc" | "memref.alloca" => self.alloc(op)?,
            "memref.dealloc" => {
                let memref = self.reg(op.operand(0));
                self.push(sim::Op::Dealloc { memref });
            }
            "memref.load" => {
                let operands = self.regs(&op.operands());
                let (memref, indices) = (operands[0], operands[1..].to_vec());
                let result = self.reg(op.result(0));
                self.push(sim::Op::Load {
                    result,
                    memref,
                    indices,
                });
            }
            "memref.store" => {
                let operands = self.regs(&op.operands());
                let (value, memref, indices) = (operands[0], operands[1], operands[2..].to_vec());
                self.push(sim::Op::Store { value, memref, indices });
            }
            "memref.atomic_rmw" => self.atomic(op)?,
            "memref.copy" => {
                let (source, target) = (self.reg(op.operand(0)), self.reg(op.operand(1)));
                self.front_end(op, ActionKind::Copy { source, target });
            }
            "memref.dim" => {
                let (memref, index) = (self.reg(op.operand(0)), self.size(op.operand(1)));
                let result = self.reg(op.result(0));
                self.push(sim::Op::Dim { result, memref, index });
            }
            "memref.rank" => {
                let ty = op.operand(0).ty();
                let memref = ty::MemRef::of(ty).ok_or_else(|| unsupported(op, format!("on {ty}")))?;
                let rank = self.index(memref.rank() as i64);
                self.alias(op.result(0), rank);
            }
            "memref.get_global" => {
                let global = self.shared.global(op, attribute(op, "name", attr::as_symbol)?)?;
                let result = self.reg(op.result(0));
                self.push(sim::Op::Global { result, global });
            }
            "memref.extract_strided_metadata" => self.metadata(op),
            "memref.alloca_scope" => {
                let body = self.region(op, 0)?;
                let results = self.results(op);
                let name = format!("the end of {}", op.name());
                self.push(sim::Op::Scope { name, body, results });
            }
            "memref.prefetch" => {}
            // Their promises are not used; the value is the same.
            "memref.assume_alignment" | "memref.distinct_objects" | "memref.memory_space_cast" => {
                for (operand, result) in op.operands().into_iter().zip(op.results()) {
                    let reg = self.reg(operand);
                    self.alias(result, reg);
                }
            }
            _ => return self.view(op),
        }
        Ok(true)
    }

    /// One control stream is never interrupted: a load, a computation, a store. The result is the loaded value, as in
    /// upstream's lowering.
    fn atomic(&mut self, op: Op<'c>) -> Result<()> {
        let kind = attribute(op, "kind", attr::as_int)?;
        let operands = self.regs(&op.operands());
        let (value, memref, indices) = (operands[0], operands[1], operands[2..].to_vec());
        let old = self.reg(op.result(0));
        self.push(sim::Op::Load {
            result: old,
            memref,
            indices: indices.clone(),
        });
        let ty = types::element(op, op.operand(0).ty())?;
        let value = match ATOMICS.get(kind as usize) {
            Some(Atomic::Assign) => value,
            Some(Atomic::Int(binary)) => self.compute(Compute::IntBinary(*binary, ty), &[old, value]),
            Some(Atomic::Float(binary)) => self.compute(Compute::FloatBinary(*binary, ty), &[old, value]),
            None => return Err(unsupported(op, format!("of kind {kind}"))),
        };
        self.push(sim::Op::Store { value, memref, indices });
        Ok(())
    }

    fn alloc(&mut self, op: Op<'c>) -> Result<()> {
        let ty = op.result(0).ty();
        let memref = types::memref(op, self.shared.device, ty)?;
        if !types::is_dense(&memref) {
            return Err(unsupported(
                op,
                format!("of {ty}; allocate dense memory and make a view of it"),
            ));
        }
        let mut dynamic = op.operands().into_iter();
        let shape: Vec<Size> = memref
            .shape
            .iter()
            .map(|size| self.static_or(*size, &mut dynamic))
            .collect();
        let address = op.attr(annotation::ADDRESS).and_then(attr::as_int);
        let address = address.and_then(|address| u64::try_from(address).ok());
        let result = self.reg(op.result(0));
        self.push(sim::Op::Alloc {
            result,
            element: memref.element,
            shape,
            space: memref.space,
            address,
            stack: op.is("memref.alloca"),
        });
        Ok(())
    }

    fn metadata(&mut self, op: Op<'c>) {
        let memref = self.reg(op.operand(0));
        let registers = self.results(op);
        let rank = (registers.len() - 2) / 2;
        let sizes: Vec<Reg> = registers[2..2 + rank].to_vec();
        self.push(sim::Op::Metadata {
            memref,
            base: registers[0],
            offset: registers[1],
            sizes,
            strides: registers[2 + rank..].to_vec(),
        });
    }

    /// A static number, or the next of the dynamic ones.
    pub(crate) fn static_or(&mut self, fixed: Option<i64>, dynamic: &mut impl Iterator<Item = Value<'c>>) -> Size {
        match fixed {
            Some(number) => Size::Constant(number),
            None => dynamic.next().map_or(Size::Constant(0), |value| self.size(value)),
        }
    }

    /// The numbers of a `static_...` attribute, the dynamic ones among them from `dynamic`.
    pub(crate) fn mixed(&mut self, fixed: &[i64], dynamic: &mut impl Iterator<Item = Value<'c>>) -> Vec<Size> {
        fixed
            .iter()
            .map(|number| self.static_or((*number != ty::dynamic_size()).then_some(*number), dynamic))
            .collect()
    }
}
