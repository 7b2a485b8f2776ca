//! Scalar operations of `arith` and `math`, carried out on lanes of bit patterns.
//!
//! The control stream uses one lane, kernels use many; there is one definition of every operation.

use zpu_device::ElementType;

use crate::operation::{Cast, FloatBinary, FloatPredicate, FloatTest, FloatUnary, IntBinary, IntPredicate, IntUnary};
use crate::scalar::{Brain, Double, Float, Half, Single, element_bits, from_f64, is_float, mask, signed, to_f64};

/// An operation with its types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compute {
    /// Two floats to one.
    FloatBinary(FloatBinary, ElementType),
    /// One float to one.
    FloatUnary(FloatUnary, ElementType),
    /// `a * b + c`, rounded once (half-width types: computed in f32, then rounded).
    Fma(ElementType),
    /// Float raised to an integer power; the second type is the exponent's.
    FloatIntPower(ElementType, ElementType),
    /// Two floats to an i1.
    FloatCompare(FloatPredicate, ElementType),
    /// Float classification to an i1.
    FloatTest(FloatTest, ElementType),
    /// Two integers to one.
    IntBinary(IntBinary, ElementType),
    /// One integer to one.
    IntUnary(IntUnary, ElementType),
    /// Two integers to an i1.
    IntCompare(IntPredicate, ElementType),
    /// i1, a, b: a if the i1 is 1, else b.
    Select,
    /// From the first type to the second.
    Cast(Cast, ElementType, ElementType),
}

/// An operation that has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComputeError {
    /// A divisor of 0, or the quotient that does not fit.
    #[error("integer division {0} / {1} has no result")]
    Division(i64, i64),
}

impl Compute {
    /// The number of operands.
    pub fn arity(self) -> usize {
        match self {
            Self::FloatUnary(..) | Self::FloatTest(..) | Self::IntUnary(..) | Self::Cast(..) => 1,
            Self::Fma(_) | Self::Select => 3,
            _ => 2,
        }
    }

    /// True if there are operands for which it has no result: it divides integers.
    pub fn may_fail(self) -> bool {
        use IntBinary::{CeilDivS, CeilDivU, DivS, DivU, FloorDivS, RemS, RemU};
        let Self::IntBinary(op, _) = self else { return false };
        matches!(op, CeilDivS | CeilDivU | DivS | DivU | FloorDivS | RemS | RemU)
    }

    /// Carries it out lane by lane; `operands` has [`Self::arity`] slices at least as long as `out`, which has patterns
    /// of the operand types. Fails if any lane divides by zero.
    pub fn eval(self, operands: [&[u64]; 3], out: &mut [u64]) -> Result<(), ComputeError> {
        let [a, b, c] = operands;
        match self {
            Self::FloatBinary(op, ty) => match ty {
                ElementType::F16 => binary32::<Half>(op, a, b, out),
                ElementType::Bf16 => binary32::<Brain>(op, a, b, out),
                ElementType::F32 => binary32::<Single>(op, a, b, out),
                _ => binary64::<Double>(op, a, b, out),
            },
            Self::FloatUnary(op, ty) => match ty {
                ElementType::F16 => unary32::<Half>(op, a, out),
                ElementType::Bf16 => unary32::<Brain>(op, a, out),
                ElementType::F32 => unary32::<Single>(op, a, out),
                _ => unary64::<Double>(op, a, out),
            },
            Self::Fma(ty) => match ty {
                ElementType::F16 => ternary::<Half>(a, b, c, out, f32::mul_add),
                ElementType::Bf16 => ternary::<Brain>(a, b, c, out, f32::mul_add),
                ElementType::F32 => ternary::<Single>(a, b, c, out, f32::mul_add),
                _ => ternary::<Double>(a, b, c, out, f64::mul_add),
            },
            Self::FloatIntPower(ty, exponent) => lanes2(a, b, out, |x, n| {
                let power = signed(n, exponent).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
                match ty {
                    ElementType::F64 => f64::from_bits(x).powi(power).to_bits(),
                    ElementType::F16 => Half::store(Half::load(x).powi(power)),
                    ElementType::Bf16 => Brain::store(Brain::load(x).powi(power)),
                    _ => Single::store(Single::load(x).powi(power)),
                }
            }),
            Self::FloatCompare(predicate, ty) => {
                lanes2(a, b, out, |x, y| {
                    u64::from(compare_float(predicate, to_f64(x, ty), to_f64(y, ty)))
                });
            }
            Self::FloatTest(test, ty) => lanes1(a, out, |x| u64::from(test_float(test, x, ty))),
            Self::IntBinary(op, ty) => return int_binary(op, ty, a, b, out),
            Self::IntUnary(op, ty) => lanes1(a, out, |x| int_unary(op, ty, x)),
            Self::IntCompare(predicate, ty) => compare_ints(predicate, ty, a, b, out),
            Self::Select => {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = if a[i] & 1 != 0 { b[i] } else { c[i] };
                }
            }
            Self::Cast(cast, from, to) => lanes_cast(cast, from, to, a, out),
        }
        Ok(())
    }

    /// Carries it out on one set of operands.
    pub fn eval_one(self, operands: [u64; 3]) -> Result<u64, ComputeError> {
        let mut out = [0];
        self.eval([&operands[0..1], &operands[1..2], &operands[2..3]], &mut out)?;
        Ok(out[0])
    }
}

#[inline(always)]
fn lanes1(a: &[u64], out: &mut [u64], op: impl Fn(u64) -> u64) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = op(*a);
    }
}

#[inline(always)]
fn lanes2(a: &[u64], b: &[u64], out: &mut [u64], op: impl Fn(u64, u64) -> u64) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = op(*a, *b);
    }
}

#[inline(always)]
fn unary<F: Float>(a: &[u64], out: &mut [u64], op: impl Fn(F::Work) -> F::Work) {
    lanes1(a, out, |a| F::store(op(F::load(a))));
}

#[inline(always)]
fn binary<F: Float>(a: &[u64], b: &[u64], out: &mut [u64], op: impl Fn(F::Work, F::Work) -> F::Work) {
    lanes2(a, b, out, |a, b| F::store(op(F::load(a), F::load(b))));
}

fn ternary<F: Float>(
    a: &[u64],
    b: &[u64],
    c: &[u64],
    out: &mut [u64],
    op: impl Fn(F::Work, F::Work, F::Work) -> F::Work,
) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = F::store(op(F::load(a[i]), F::load(b[i]), F::load(c[i])));
    }
}

/// Bodies of float operations with f32 or f64 as the working type.
macro_rules! float_operations {
    ($work:ident, $binary:ident, $unary:ident, $erf:path) => {
        fn $binary<F: Float<Work = $work>>(op: FloatBinary, a: &[u64], b: &[u64], out: &mut [u64]) {
            match op {
                FloatBinary::Add => binary::<F>(a, b, out, |a, b| a + b),
                FloatBinary::Sub => binary::<F>(a, b, out, |a, b| a - b),
                FloatBinary::Mul => binary::<F>(a, b, out, |a, b| a * b),
                FloatBinary::Div => binary::<F>(a, b, out, |a, b| a / b),
                FloatBinary::Rem => binary::<F>(a, b, out, |a, b| a % b),
                FloatBinary::Maximum => binary::<F>(a, b, out, |a, b| {
                    if a.is_nan() || b.is_nan() {
                        $work::NAN
                    } else if a > b || (a == b && a.is_sign_positive()) {
                        a
                    } else {
                        b
                    }
                }),
                FloatBinary::Minimum => binary::<F>(a, b, out, |a, b| {
                    if a.is_nan() || b.is_nan() {
                        $work::NAN
                    } else if a < b || (a == b && a.is_sign_negative()) {
                        a
                    } else {
                        b
                    }
                }),
                FloatBinary::MaxNum => binary::<F>(a, b, out, $work::max),
                FloatBinary::MinNum => binary::<F>(a, b, out, $work::min),
                FloatBinary::Pow => binary::<F>(a, b, out, $work::powf),
                FloatBinary::Atan2 => binary::<F>(a, b, out, $work::atan2),
                FloatBinary::CopySign => binary::<F>(a, b, out, $work::copysign),
            }
        }

        fn $unary<F: Float<Work = $work>>(op: FloatUnary, a: &[u64], out: &mut [u64]) {
            match op {
                FloatUnary::Neg => unary::<F>(a, out, |a| -a),
                FloatUnary::Abs => unary::<F>(a, out, $work::abs),
                FloatUnary::Exp => unary::<F>(a, out, $work::exp),
                FloatUnary::Exp2 => unary::<F>(a, out, $work::exp2),
                FloatUnary::ExpM1 => unary::<F>(a, out, $work::exp_m1),
                FloatUnary::Log => unary::<F>(a, out, $work::ln),
                FloatUnary::Log2 => unary::<F>(a, out, $work::log2),
                FloatUnary::Log10 => unary::<F>(a, out, $work::log10),
                FloatUnary::Log1p => unary::<F>(a, out, $work::ln_1p),
                FloatUnary::Sqrt => unary::<F>(a, out, $work::sqrt),
                // Upstream expands it so, rounding the root to the element type first.
                FloatUnary::Rsqrt => unary::<F>(a, out, |a| 1.0 / F::load(F::store(a.sqrt()))),
                FloatUnary::Cbrt => unary::<F>(a, out, $work::cbrt),
                FloatUnary::Sin => unary::<F>(a, out, $work::sin),
                FloatUnary::Cos => unary::<F>(a, out, $work::cos),
                FloatUnary::Tan => unary::<F>(a, out, $work::tan),
                FloatUnary::Asin => unary::<F>(a, out, $work::asin),
                FloatUnary::Acos => unary::<F>(a, out, $work::acos),
                FloatUnary::Atan => unary::<F>(a, out, $work::atan),
                FloatUnary::Sinh => unary::<F>(a, out, $work::sinh),
                FloatUnary::Cosh => unary::<F>(a, out, $work::cosh),
                FloatUnary::Tanh => unary::<F>(a, out, $work::tanh),
                FloatUnary::Erf => unary::<F>(a, out, $erf),
                FloatUnary::Floor => unary::<F>(a, out, $work::floor),
                FloatUnary::Ceil => unary::<F>(a, out, $work::ceil),
                FloatUnary::Round => unary::<F>(a, out, $work::round),
                FloatUnary::RoundEven => unary::<F>(a, out, $work::round_ties_even),
                FloatUnary::Trunc => unary::<F>(a, out, $work::trunc),
            }
        }
    };
}

float_operations!(f32, binary32, unary32, libm::erff);
float_operations!(f64, binary64, unary64, libm::erf);

fn compare_float(predicate: FloatPredicate, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::Oeq => a == b,
        FloatPredicate::Ogt => a > b,
        FloatPredicate::Oge => a >= b,
        FloatPredicate::Olt => a < b,
        FloatPredicate::Ole => a <= b,
        FloatPredicate::One => !unordered && a != b,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Ueq => unordered || a == b,
        FloatPredicate::Ugt => unordered || a > b,
        FloatPredicate::Uge => unordered || a >= b,
        FloatPredicate::Ult => unordered || a < b,
        FloatPredicate::Ule => unordered || a <= b,
        FloatPredicate::Une => a != b,
        FloatPredicate::Uno => unordered,
        FloatPredicate::True => true,
    }
}

fn test_float(test: FloatTest, bits: u64, ty: ElementType) -> bool {
    let value = to_f64(bits, ty);
    match test {
        FloatTest::IsNan => value.is_nan(),
        FloatTest::IsInf => value.is_infinite(),
        FloatTest::IsFinite => value.is_finite(),
        FloatTest::IsNormal => match ty {
            ElementType::F16 => half::f16::from_bits(bits as u16).is_normal(),
            ElementType::Bf16 => half::bf16::from_bits(bits as u16).is_normal(),
            ElementType::F32 => f32::from_bits(bits as u32).is_normal(),
            _ => value.is_normal(),
        },
    }
}

fn int_binary(op: IntBinary, ty: ElementType, a: &[u64], b: &[u64], out: &mut [u64]) -> Result<(), ComputeError> {
    let mask = mask(ty);
    match op {
        IntBinary::Add => lanes2(a, b, out, |a, b| a.wrapping_add(b) & mask),
        IntBinary::Sub => lanes2(a, b, out, |a, b| a.wrapping_sub(b) & mask),
        IntBinary::Mul => lanes2(a, b, out, |a, b| a.wrapping_mul(b) & mask),
        IntBinary::And => lanes2(a, b, out, |a, b| a & b),
        IntBinary::Or => lanes2(a, b, out, |a, b| a | b),
        IntBinary::Xor => lanes2(a, b, out, |a, b| a ^ b),
        IntBinary::MaxU => lanes2(a, b, out, u64::max),
        IntBinary::MinU => lanes2(a, b, out, u64::min),
        IntBinary::MaxS => lanes2(a, b, out, |a, b| if signed(a, ty) >= signed(b, ty) { a } else { b }),
        IntBinary::MinS => lanes2(a, b, out, |a, b| if signed(a, ty) <= signed(b, ty) { a } else { b }),
        IntBinary::Shl => lanes2(a, b, out, |a, b| shift(b, |by| a.checked_shl(by)) & mask),
        IntBinary::ShrU => lanes2(a, b, out, |a, b| shift(b, |by| a.checked_shr(by))),
        IntBinary::ShrS => lanes2(a, b, out, |a, b| ((signed(a, ty) >> b.min(63)) as u64) & mask),
        IntBinary::Pow => lanes2(a, b, out, |a, b| int_power(signed(a, ty), signed(b, ty)) & mask),
        IntBinary::DivS
        | IntBinary::DivU
        | IntBinary::CeilDivS
        | IntBinary::CeilDivU
        | IntBinary::FloorDivS
        | IntBinary::RemS
        | IntBinary::RemU => {
            for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
                let (x, y) = (signed(*a, ty), signed(*b, ty));
                let overflow = matches!(op, IntBinary::DivS | IntBinary::CeilDivS | IntBinary::FloorDivS)
                    && y == -1
                    && x == i64::MIN >> (64 - element_bits(ty));
                if y == 0 || overflow {
                    return Err(ComputeError::Division(x, y));
                }
                *out = divide(op, *a, *b, x, y) & mask;
            }
        }
    }
    Ok(())
}

fn shift(by: u64, shifted: impl Fn(u32) -> Option<u64>) -> u64 {
    u32::try_from(by).ok().and_then(shifted).unwrap_or(0)
}

/// Quotients and remainders of a checked pair, unsigned as `a`, `b` and signed as `x`, `y`.
fn divide(op: IntBinary, a: u64, b: u64, x: i64, y: i64) -> u64 {
    let quotient = x.wrapping_div(y);
    let inexact = x.wrapping_rem(y) != 0;
    let signs_differ = (x < 0) != (y < 0);
    match op {
        IntBinary::DivU => a / b,
        IntBinary::CeilDivU => a.div_ceil(b),
        IntBinary::RemU => a % b,
        IntBinary::RemS => x.wrapping_rem(y) as u64,
        IntBinary::CeilDivS => (quotient + i64::from(inexact && !signs_differ)) as u64,
        IntBinary::FloorDivS => (quotient - i64::from(inexact && signs_differ)) as u64,
        _ => quotient as u64,
    }
}

fn int_power(base: i64, exponent: i64) -> u64 {
    match (base, u64::try_from(exponent)) {
        (_, Ok(mut exponent)) => {
            let (mut base, mut power) = (base, 1i64);
            while exponent > 0 {
                if exponent & 1 != 0 {
                    power = power.wrapping_mul(base);
                }
                base = base.wrapping_mul(base);
                exponent >>= 1;
            }
            power as u64
        }
        (1, Err(_)) => 1,
        (-1, Err(_)) => (if exponent % 2 == 0 { 1i64 } else { -1 }) as u64,
        (_, Err(_)) => 0,
    }
}

fn int_unary(op: IntUnary, ty: ElementType, a: u64) -> u64 {
    let bits = element_bits(ty);
    let result = match op {
        IntUnary::Abs => signed(a, ty).wrapping_abs() as u64,
        IntUnary::LeadingZeros => u64::from(a.leading_zeros() - (64 - bits)),
        IntUnary::TrailingZeros => u64::from(a.trailing_zeros().min(bits)),
        IntUnary::CountOnes => u64::from(a.count_ones()),
    };
    result & mask(ty)
}

fn compare_ints(predicate: IntPredicate, ty: ElementType, a: &[u64], b: &[u64], out: &mut [u64]) {
    let s = |x| signed(x, ty);
    match predicate {
        IntPredicate::Eq => lanes2(a, b, out, |a, b| u64::from(a == b)),
        IntPredicate::Ne => lanes2(a, b, out, |a, b| u64::from(a != b)),
        IntPredicate::Slt => lanes2(a, b, out, |a, b| u64::from(s(a) < s(b))),
        IntPredicate::Sle => lanes2(a, b, out, |a, b| u64::from(s(a) <= s(b))),
        IntPredicate::Sgt => lanes2(a, b, out, |a, b| u64::from(s(a) > s(b))),
        IntPredicate::Sge => lanes2(a, b, out, |a, b| u64::from(s(a) >= s(b))),
        IntPredicate::Ult => lanes2(a, b, out, |a, b| u64::from(a < b)),
        IntPredicate::Ule => lanes2(a, b, out, |a, b| u64::from(a <= b)),
        IntPredicate::Ugt => lanes2(a, b, out, |a, b| u64::from(a > b)),
        IntPredicate::Uge => lanes2(a, b, out, |a, b| u64::from(a >= b)),
    }
}

fn lanes_cast(cast: Cast, from: ElementType, to: ElementType, a: &[u64], out: &mut [u64]) {
    match (cast, from, to) {
        (Cast::Float, ElementType::Bf16, ElementType::F32) => lanes1(a, out, |a| a << 16),
        (Cast::Float, ElementType::F32, ElementType::Bf16) => lanes1(a, out, |a| Brain::store(Single::load(a))),
        (Cast::Float, ElementType::F16, ElementType::F32) => lanes1(a, out, |a| Single::store(Half::load(a))),
        (Cast::Float, ElementType::F32, ElementType::F16) => lanes1(a, out, |a| Half::store(Single::load(a))),
        (Cast::Bits, _, _) => out.copy_from_slice(&a[..out.len()]),
        _ => lanes1(a, out, |a| cast_one(cast, from, to, a)),
    }
}

fn cast_one(cast: Cast, from: ElementType, to: ElementType, a: u64) -> u64 {
    let single = element_bits(to) <= 32 && is_float(to);
    match cast {
        Cast::Float => from_f64(to_f64(a, from), to),
        // A 64-bit integer is rounded to the target once, not by way of f64; half-width types go by way of f32, as
        // upstream does.
        Cast::IntToFloat if single => from_f64(f64::from(signed(a, from) as f32), to),
        Cast::UnsignedToFloat if single => from_f64(f64::from(a as f32), to),
        Cast::IntToFloat => from_f64(signed(a, from) as f64, to),
        Cast::UnsignedToFloat => from_f64(a as f64, to),
        Cast::FloatToInt => {
            let bits = element_bits(to);
            let limit = i64::MAX >> (64 - bits);
            ((to_f64(a, from) as i64).clamp(-limit - 1, limit) as u64) & mask(to)
        }
        Cast::FloatToUnsigned => (to_f64(a, from) as u64).min(mask(to)),
        Cast::Int => (signed(a, from) as u64) & mask(to),
        Cast::Unsigned => a & mask(to),
        Cast::Bits => a,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(op: IntBinary, bits: u8, a: i64, b: i64) -> Result<i64, ComputeError> {
        let ty = ElementType::Int(bits);
        let result = Compute::IntBinary(op, ty).eval_one([a as u64 & mask(ty), b as u64 & mask(ty), 0])?;
        Ok(signed(result, ty))
    }

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(int(IntBinary::Add, 8, 127, 1), Ok(-128));
        assert_eq!(int(IntBinary::Mul, 4, 5, 5), Ok(-7));
        assert_eq!(int(IntBinary::Shl, 8, 1, 8), Ok(0));
        assert_eq!(int(IntBinary::ShrS, 8, -1, 100), Ok(-1));
        assert_eq!(int(IntBinary::FloorDivS, 32, -7, 2), Ok(-4));
        assert_eq!(int(IntBinary::CeilDivS, 32, -7, 2), Ok(-3));
        assert_eq!(int(IntBinary::Pow, 32, 3, 4), Ok(81));
    }

    #[test]
    fn division_without_a_result_is_an_error() {
        assert_eq!(int(IntBinary::DivS, 32, 1, 0), Err(ComputeError::Division(1, 0)));
        assert!(int(IntBinary::DivS, 8, -128, -1).is_err());
        assert!(int(IntBinary::DivS, 64, i64::MIN, -1).is_err());
        assert_eq!(int(IntBinary::RemS, 64, i64::MIN, -1), Ok(0));
        assert!(int(IntBinary::RemU, 64, 1, 0).is_err());
    }

    #[test]
    fn halves_are_rounded_after_each_operation() {
        let one = u64::from(half::bf16::from_f32(1.0).to_bits());
        let tiny = u64::from(half::bf16::from_f32(0.001).to_bits());
        let sum = Compute::FloatBinary(FloatBinary::Add, ElementType::Bf16).eval_one([one, tiny, 0]);
        assert_eq!(sum, Ok(one));
    }

    #[test]
    fn maximum_propagates_nan_and_maxnum_does_not() {
        let (nan, two) = (f32::NAN.to_bits().into(), u64::from(2f32.to_bits()));
        let maximum = Compute::FloatBinary(FloatBinary::Maximum, ElementType::F32)
            .eval_one([nan, two, 0])
            .unwrap();
        assert!(f32::from_bits(maximum as u32).is_nan());
        assert_eq!(
            Compute::FloatBinary(FloatBinary::MaxNum, ElementType::F32).eval_one([nan, two, 0]),
            Ok(two)
        );
    }

    #[test]
    fn casts_saturate() {
        let big = u64::from(1e10f32.to_bits());
        let to_int = Compute::Cast(Cast::FloatToInt, ElementType::F32, ElementType::Int(8)).eval_one([big, 0, 0]);
        assert_eq!(to_int, Ok(127));
        let byte = Compute::Cast(Cast::Int, ElementType::Int(8), ElementType::Int(32)).eval_one([0x80, 0, 0]);
        assert_eq!(byte, Ok(0xffff_ff80));
    }
}
