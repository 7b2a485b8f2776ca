//! Operations of `arith` and `math` on numbers, for the control stream and for the bodies of kernels alike.

use zpu_device::ElementType;
use zpu_ir::{Op, Value, attr, ty};
use zpu_sim::{
    Cast, Compute, FloatBinary, FloatPredicate, FloatTest, FloatUnary, IntBinary, IntPredicate, IntUnary, element_bits,
    from_f64, is_float,
};

use crate::{Result, attribute, types, unsupported};

/// Takes scalar code.
pub(crate) trait Sink {
    /// A register.
    type R: Copy;

    /// These bits.
    fn constant(&mut self, bits: u64) -> Self::R;

    /// An operation.
    fn compute(&mut self, compute: Compute, operands: &[Self::R]) -> Self::R;
}

/// True if it is a number.
pub(crate) fn is_scalar(value: Value<'_>) -> bool {
    ty::scalar(value.ty()).is_some()
}

/// The bits of a numeric attribute of a type.
pub(crate) fn bits(attribute: zpu_ir::Attribute<'_>, ty: ElementType) -> Option<u64> {
    if is_float(ty) {
        return attr::as_f64(attribute).map(|value| from_f64(value, ty));
    }
    let value = attr::as_int(attribute)?;
    Some(value as u64 & (u64::MAX >> (64 - element_bits(ty))))
}

/// Emits an operation on numbers; a register a result. `None` if it is none that is known.
pub(crate) fn emit<S: Sink>(op: Op<'_>, operands: &[S::R], sink: &mut S) -> Result<Option<Vec<S::R>>> {
    if op.is("arith.constant") {
        let ty = types::element(op, op.result(0).ty())?;
        let value = attribute(op, "value", |value| bits(value, ty))?;
        return Ok(Some(vec![sink.constant(value)]));
    }
    if op.num_operands() == 0 || op.num_results() == 0 {
        return Ok(None);
    }
    let name = op.name();
    let Some(last) = operands.len().checked_sub(1) else {
        return Ok(None);
    };
    let ty = types::element(op, op.operand(last.min(1)).ty())?;
    let to = types::element(op, op.result(0).ty())?;
    let one = |compute| Ok(Some((compute, operands.to_vec())));
    let simple: Result<Option<(Compute, Vec<S::R>)>> = match name {
        "arith.select" => one(Compute::Select),
        "arith.cmpi" => {
            let index = attribute(op, "predicate", attr::as_int)?;
            let predicate = INT_PREDICATES.get(index as usize);
            let predicate = predicate.ok_or_else(|| unsupported(op, format!("with predicate {index}")))?;
            one(Compute::IntCompare(*predicate, ty))
        }
        "arith.cmpf" => {
            let index = attribute(op, "predicate", attr::as_int)?;
            let predicate = FLOAT_PREDICATES.get(index as usize);
            let predicate = predicate.ok_or_else(|| unsupported(op, format!("with predicate {index}")))?;
            one(Compute::FloatCompare(*predicate, ty))
        }
        "arith.truncf" if !rounds_to_nearest(op) => Err(unsupported(op, "with another rounding than to nearest")),
        "math.fma" => one(Compute::Fma(ty)),
        "math.fpowi" => one(Compute::FloatIntPower(to, ty)),
        _ => Ok(float_binary(name)
            .map(|kind| Compute::FloatBinary(kind, ty))
            .or_else(|| float_unary(name).map(|kind| Compute::FloatUnary(kind, ty)))
            .or_else(|| float_test(name).map(|kind| Compute::FloatTest(kind, ty)))
            .or_else(|| int_binary(name).map(|kind| Compute::IntBinary(kind, ty)))
            .or_else(|| int_unary(name).map(|kind| Compute::IntUnary(kind, ty)))
            .or_else(|| cast(name).map(|kind| Compute::Cast(kind, ty, to)))
            .map(|compute| (compute, operands.to_vec()))),
    };
    if let Some((compute, operands)) = simple? {
        return Ok(Some(vec![sink.compute(compute, &operands)]));
    }
    several(op, operands, ty, sink)
}

/// Operations that take more than one of ours.
fn several<S: Sink>(op: Op<'_>, operands: &[S::R], ty: ElementType, sink: &mut S) -> Result<Option<Vec<S::R>>> {
    Ok(Some(match op.name() {
        "math.clampf" => {
            let low = sink.compute(
                Compute::FloatBinary(FloatBinary::Minimum, ty),
                &[operands[0], operands[2]],
            );
            vec![sink.compute(Compute::FloatBinary(FloatBinary::Maximum, ty), &[low, operands[1]])]
        }
        "math.sincos" => [FloatUnary::Sin, FloatUnary::Cos]
            .map(|kind| sink.compute(Compute::FloatUnary(kind, ty), operands))
            .to_vec(),
        "arith.addui_extended" => {
            let sum = sink.compute(Compute::IntBinary(IntBinary::Add, ty), operands);
            let carry = sink.compute(Compute::IntCompare(IntPredicate::Ult, ty), &[sum, operands[0]]);
            vec![sum, carry]
        }
        "arith.mulsi_extended" | "arith.mului_extended" => {
            let width = element_bits(ty);
            if width > 32 {
                return Err(unsupported(op, format!("of {width} bits; 32 are the most")));
            }
            let (extend, wide) = match op.name() {
                "arith.mulsi_extended" => (Cast::Int, ElementType::Int(64)),
                _ => (Cast::Unsigned, ElementType::Int(64)),
            };
            let factors = [0, 1].map(|i| sink.compute(Compute::Cast(extend, ty, wide), &[operands[i]]));
            let product = sink.compute(Compute::IntBinary(IntBinary::Mul, wide), &factors);
            let shift = sink.constant(u64::from(width));
            let upper = sink.compute(Compute::IntBinary(IntBinary::ShrU, wide), &[product, shift]);
            [product, upper]
                .map(|half| sink.compute(Compute::Cast(Cast::Int, wide, ty), &[half]))
                .to_vec()
        }
        _ => return Ok(None),
    }))
}

fn rounds_to_nearest(op: Op<'_>) -> bool {
    op.attr("roundingmode")
        .is_none_or(|mode| attr::as_int(mode) == Some(0) || mode.to_string().contains("to_nearest_even"))
}

/// In the order of their numbers.
const INT_PREDICATES: [IntPredicate; 10] = [
    IntPredicate::Eq,
    IntPredicate::Ne,
    IntPredicate::Slt,
    IntPredicate::Sle,
    IntPredicate::Sgt,
    IntPredicate::Sge,
    IntPredicate::Ult,
    IntPredicate::Ule,
    IntPredicate::Ugt,
    IntPredicate::Uge,
];

/// In the order of their numbers.
const FLOAT_PREDICATES: [FloatPredicate; 16] = [
    FloatPredicate::False,
    FloatPredicate::Oeq,
    FloatPredicate::Ogt,
    FloatPredicate::Oge,
    FloatPredicate::Olt,
    FloatPredicate::Ole,
    FloatPredicate::One,
    FloatPredicate::Ord,
    FloatPredicate::Ueq,
    FloatPredicate::Ugt,
    FloatPredicate::Uge,
    FloatPredicate::Ult,
    FloatPredicate::Ule,
    FloatPredicate::Une,
    FloatPredicate::Uno,
    FloatPredicate::True,
];

fn float_binary(name: &str) -> Option<FloatBinary> {
    Some(match name {
        "arith.addf" => FloatBinary::Add,
        "arith.subf" => FloatBinary::Sub,
        "arith.mulf" => FloatBinary::Mul,
        "arith.divf" => FloatBinary::Div,
        "arith.remf" => FloatBinary::Rem,
        "arith.maximumf" => FloatBinary::Maximum,
        "arith.minimumf" => FloatBinary::Minimum,
        "arith.maxnumf" => FloatBinary::MaxNum,
        "arith.minnumf" => FloatBinary::MinNum,
        "math.powf" => FloatBinary::Pow,
        "math.atan2" => FloatBinary::Atan2,
        "math.copysign" => FloatBinary::CopySign,
        _ => return None,
    })
}

fn float_unary(name: &str) -> Option<FloatUnary> {
    Some(match name {
        "arith.negf" => FloatUnary::Neg,
        "math.absf" => FloatUnary::Abs,
        "math.exp" => FloatUnary::Exp,
        "math.exp2" => FloatUnary::Exp2,
        "math.expm1" => FloatUnary::ExpM1,
        "math.log" => FloatUnary::Log,
        "math.log2" => FloatUnary::Log2,
        "math.log10" => FloatUnary::Log10,
        "math.log1p" => FloatUnary::Log1p,
        "math.sqrt" => FloatUnary::Sqrt,
        "math.rsqrt" => FloatUnary::Rsqrt,
        "math.cbrt" => FloatUnary::Cbrt,
        "math.sin" => FloatUnary::Sin,
        "math.cos" => FloatUnary::Cos,
        "math.tan" => FloatUnary::Tan,
        "math.asin" => FloatUnary::Asin,
        "math.acos" => FloatUnary::Acos,
        "math.atan" => FloatUnary::Atan,
        "math.sinh" => FloatUnary::Sinh,
        "math.cosh" => FloatUnary::Cosh,
        "math.tanh" => FloatUnary::Tanh,
        "math.erf" => FloatUnary::Erf,
        "math.floor" => FloatUnary::Floor,
        "math.ceil" => FloatUnary::Ceil,
        "math.round" => FloatUnary::Round,
        "math.roundeven" => FloatUnary::RoundEven,
        "math.trunc" => FloatUnary::Trunc,
        _ => return None,
    })
}

fn float_test(name: &str) -> Option<FloatTest> {
    Some(match name {
        "math.isnan" => FloatTest::IsNan,
        "math.isinf" => FloatTest::IsInf,
        "math.isfinite" => FloatTest::IsFinite,
        "math.isnormal" => FloatTest::IsNormal,
        _ => return None,
    })
}

fn int_binary(name: &str) -> Option<IntBinary> {
    Some(match name {
        "arith.addi" => IntBinary::Add,
        "arith.subi" => IntBinary::Sub,
        "arith.muli" => IntBinary::Mul,
        "arith.divsi" => IntBinary::DivS,
        "arith.divui" => IntBinary::DivU,
        "arith.ceildivsi" => IntBinary::CeilDivS,
        "arith.ceildivui" => IntBinary::CeilDivU,
        "arith.floordivsi" => IntBinary::FloorDivS,
        "arith.remsi" => IntBinary::RemS,
        "arith.remui" => IntBinary::RemU,
        "arith.andi" => IntBinary::And,
        "arith.ori" => IntBinary::Or,
        "arith.xori" => IntBinary::Xor,
        "arith.shli" => IntBinary::Shl,
        "arith.shrsi" => IntBinary::ShrS,
        "arith.shrui" => IntBinary::ShrU,
        "arith.maxsi" => IntBinary::MaxS,
        "arith.maxui" => IntBinary::MaxU,
        "arith.minsi" => IntBinary::MinS,
        "arith.minui" => IntBinary::MinU,
        "math.ipowi" => IntBinary::Pow,
        _ => return None,
    })
}

fn int_unary(name: &str) -> Option<IntUnary> {
    Some(match name {
        "math.absi" => IntUnary::Abs,
        "math.ctlz" => IntUnary::LeadingZeros,
        "math.cttz" => IntUnary::TrailingZeros,
        "math.ctpop" => IntUnary::CountOnes,
        _ => return None,
    })
}

fn cast(name: &str) -> Option<Cast> {
    Some(match name {
        "arith.extf" | "arith.truncf" => Cast::Float,
        "arith.sitofp" => Cast::IntToFloat,
        "arith.uitofp" => Cast::UnsignedToFloat,
        "arith.fptosi" => Cast::FloatToInt,
        "arith.fptoui" => Cast::FloatToUnsigned,
        "arith.extsi" | "arith.trunci" | "arith.index_cast" => Cast::Int,
        "arith.extui" | "arith.index_castui" => Cast::Unsigned,
        "arith.bitcast" => Cast::Bits,
        _ => return None,
    })
}
