//! The names of scalar operations, as in `arith` and `math`; what they compute is in [`crate::compute`].

/// Float operations on two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as in arith and math")]
pub enum FloatBinary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    /// NaN if either is.
    Maximum,
    /// NaN if either is.
    Minimum,
    /// The other if one is NaN.
    MaxNum,
    /// The other if one is NaN.
    MinNum,
    Pow,
    Atan2,
    CopySign,
}

/// Float operations on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as in arith and math")]
pub enum FloatUnary {
    Neg,
    Abs,
    Exp,
    Exp2,
    ExpM1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sqrt,
    Rsqrt,
    Cbrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Erf,
    Floor,
    Ceil,
    Round,
    RoundEven,
    Trunc,
}

/// Float classifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as in math")]
pub enum FloatTest {
    IsNan,
    IsInf,
    IsFinite,
    IsNormal,
}

/// Float comparisons: ordered ones are false for NaN, unordered ones true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as in arith")]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    Uno,
    True,
}

/// Integer operations on two operands. They wrap; shifts by the width or more give 0 or the sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as in arith")]
pub enum IntBinary {
    Add,
    Sub,
    Mul,
    DivS,
    DivU,
    CeilDivS,
    CeilDivU,
    FloorDivS,
    RemS,
    RemU,
    And,
    Or,
    Xor,
    Shl,
    ShrS,
    ShrU,
    MaxS,
    MaxU,
    MinS,
    MinU,
    /// First to the power of the second, wrapping; 0 for a negative exponent except of 1 and -1.
    Pow,
}

/// Integer operations on one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as in math")]
pub enum IntUnary {
    Abs,
    LeadingZeros,
    TrailingZeros,
    CountOnes,
}

/// Integer comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "named as in arith")]
pub enum IntPredicate {
    Eq,
    Ne,
    Slt,
    Sle,
    Sgt,
    Sge,
    Ult,
    Ule,
    Ugt,
    Uge,
}

/// Conversions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cast {
    /// Float to float, rounded to nearest even.
    Float,
    /// Signed integer to float.
    IntToFloat,
    /// Unsigned integer to float.
    UnsignedToFloat,
    /// Float to signed integer, towards zero, saturating.
    FloatToInt,
    /// Float to unsigned integer, towards zero, saturating.
    FloatToUnsigned,
    /// Integer to integer: sign-extended or cut.
    Int,
    /// Integer to integer: zero-extended or cut.
    Unsigned,
    /// Same bits.
    Bits,
}
