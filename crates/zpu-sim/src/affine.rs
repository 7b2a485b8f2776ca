//! Affine index maps: which element of an operand a point of an iteration space touches.

/// An affine expression over the dimensions of an iteration space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AffineExpr {
    /// The value of a dimension.
    Dim(usize),
    /// A number.
    Constant(i64),
    /// Sum.
    Add(Box<AffineExpr>, Box<AffineExpr>),
    /// Product; at least one side is constant in an affine map.
    Mul(Box<AffineExpr>, Box<AffineExpr>),
    /// Remainder, never negative.
    Mod(Box<AffineExpr>, Box<AffineExpr>),
    /// Quotient, rounded down.
    FloorDiv(Box<AffineExpr>, Box<AffineExpr>),
    /// Quotient, rounded up.
    CeilDiv(Box<AffineExpr>, Box<AffineExpr>),
}

impl AffineExpr {
    /// The value at a point; `None` for a division by zero or an overflow.
    pub fn eval(&self, dims: &[i64]) -> Option<i64> {
        match self {
            Self::Dim(dim) => dims.get(*dim).copied(),
            Self::Constant(value) => Some(*value),
            Self::Add(a, b) => a.eval(dims)?.checked_add(b.eval(dims)?),
            Self::Mul(a, b) => a.eval(dims)?.checked_mul(b.eval(dims)?),
            Self::Mod(a, b) => a.eval(dims)?.checked_rem_euclid(b.eval(dims)?),
            Self::FloorDiv(a, b) => floor_div(a.eval(dims)?, b.eval(dims)?),
            Self::CeilDiv(a, b) => floor_div(a.eval(dims)?.checked_neg()?, b.eval(dims)?)?.checked_neg(),
        }
    }

    fn mentions(&self, dim: usize) -> bool {
        match self {
            Self::Dim(found) => *found == dim,
            Self::Constant(_) => false,
            Self::Add(a, b) | Self::Mul(a, b) | Self::Mod(a, b) | Self::FloorDiv(a, b) | Self::CeilDiv(a, b) => {
                a.mentions(dim) || b.mentions(dim)
            }
        }
    }

    /// The expression as `constant + sum of coefficients * dims`, if it is linear over `dims` dimensions.
    pub fn linear(&self, dims: usize) -> Option<Linear> {
        let mut linear = Linear {
            coefficients: vec![0; dims],
            constant: 0,
        };
        match self {
            Self::Dim(dim) => *linear.coefficients.get_mut(*dim)? = 1,
            Self::Constant(value) => linear.constant = *value,
            Self::Add(a, b) => {
                let (a, b) = (a.linear(dims)?, b.linear(dims)?);
                for (sum, (a, b)) in linear
                    .coefficients
                    .iter_mut()
                    .zip(a.coefficients.iter().zip(&b.coefficients))
                {
                    *sum = a.checked_add(*b)?;
                }
                linear.constant = a.constant.checked_add(b.constant)?;
            }
            Self::Mul(a, b) => {
                let (a, b) = (a.linear(dims)?, b.linear(dims)?);
                let (factor, other) = match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => (factor, b),
                    (_, Some(factor)) => (factor, a),
                    _ => return None,
                };
                for (product, coefficient) in linear.coefficients.iter_mut().zip(&other.coefficients) {
                    *product = coefficient.checked_mul(factor)?;
                }
                linear.constant = other.constant.checked_mul(factor)?;
            }
            Self::Mod(..) | Self::FloorDiv(..) | Self::CeilDiv(..) => {
                linear.constant = self.eval(&[])?;
            }
        }
        Some(linear)
    }
}

fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) {
        quotient - 1
    } else {
        quotient
    })
}

/// `constant + sum of coefficients[i] * dim i`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// One a dimension of the iteration space.
    pub coefficients: Vec<i64>,
    /// The value at the origin.
    pub constant: i64,
}

impl Linear {
    /// The dimension that this is, if it is exactly one.
    pub fn as_dim(&self) -> Option<usize> {
        let mut used = self
            .coefficients
            .iter()
            .enumerate()
            .filter(|(_, coefficient)| **coefficient != 0);
        match (used.next(), used.next(), self.constant) {
            (Some((dim, 1)), None, 0) => Some(dim),
            _ => None,
        }
    }

    /// The number that this is, if no dimension takes part.
    pub fn as_constant(&self) -> Option<i64> {
        self.coefficients
            .iter()
            .all(|coefficient| *coefficient == 0)
            .then_some(self.constant)
    }

    /// Least and greatest value over `0..extents[i]` in every dimension; `None` on overflow. Extents are positive.
    pub fn range(&self, extents: &[i64]) -> Option<(i64, i64)> {
        let (mut low, mut high) = (self.constant, self.constant);
        for (coefficient, extent) in self.coefficients.iter().zip(extents) {
            let last = coefficient.checked_mul(extent.checked_sub(1)?)?;
            if last < 0 {
                low = low.checked_add(last)?;
            } else {
                high = high.checked_add(last)?;
            }
        }
        Some((low, high))
    }
}

/// A map from a point of an iteration space to the indices of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineMap {
    /// Dimensions of the iteration space.
    pub dims: usize,
    /// One a dimension of the operand.
    pub results: Vec<AffineExpr>,
}

impl AffineMap {
    /// The map whose results are these dimensions.
    pub fn projection(dims: usize, results: &[usize]) -> Self {
        Self {
            dims,
            results: results.iter().map(|dim| AffineExpr::Dim(*dim)).collect(),
        }
    }

    /// True if a result depends on a dimension, as it is written.
    pub fn mentions(&self, dim: usize) -> bool {
        self.results.iter().any(|result| result.mentions(dim))
    }

    /// Every result as a linear expression, if all are.
    pub fn linear(&self) -> Option<Vec<Linear>> {
        self.results.iter().map(|result| result.linear(self.dims)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(value: i64) -> Box<AffineExpr> {
        Box::new(AffineExpr::Constant(value))
    }

    #[test]
    fn division_rounds_as_its_name_says() {
        let dim = || Box::new(AffineExpr::Dim(0));
        assert_eq!(AffineExpr::FloorDiv(dim(), constant(2)).eval(&[-3]), Some(-2));
        assert_eq!(AffineExpr::CeilDiv(dim(), constant(2)).eval(&[-3]), Some(-1));
        assert_eq!(AffineExpr::CeilDiv(dim(), constant(2)).eval(&[3]), Some(2));
        assert_eq!(AffineExpr::Mod(dim(), constant(4)).eval(&[-3]), Some(1));
        assert_eq!(AffineExpr::Mod(dim(), constant(0)).eval(&[-3]), None);
        assert_eq!(AffineExpr::FloorDiv(dim(), constant(-1)).eval(&[i64::MIN]), None);
    }

    #[test]
    fn linear_form_collects_coefficients() {
        let two_d0 = AffineExpr::Mul(constant(2), Box::new(AffineExpr::Dim(0)));
        let expr = AffineExpr::Add(
            Box::new(two_d0),
            Box::new(AffineExpr::Add(Box::new(AffineExpr::Dim(1)), constant(3))),
        );
        let linear = expr.linear(2).unwrap();
        assert_eq!(
            (linear.coefficients.as_slice(), linear.constant),
            ([2, 1].as_slice(), 3)
        );
        assert_eq!(linear.range(&[4, 5]), Some((3, 13)));
        assert_eq!(linear.as_dim(), None);
        assert_eq!(
            AffineExpr::Mod(Box::new(AffineExpr::Dim(0)), constant(2)).linear(1),
            None
        );
    }
}
