//! Affine maps as plain data.

use melior::ir::attribute::AttributeLike as _;
use mlir_sys::{self as sys, MlirAffineExpr};

use crate::{Attribute, ContextRef};

/// An affine expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// Dimension, by position.
    Dim(usize),
    /// Symbol, by position.
    Symbol(usize),
    /// Constant.
    Constant(i64),
    /// Sum.
    Add(Box<Expr>, Box<Expr>),
    /// Product.
    Mul(Box<Expr>, Box<Expr>),
    /// Non-negative remainder.
    Mod(Box<Expr>, Box<Expr>),
    /// Quotient, rounded down.
    FloorDiv(Box<Expr>, Box<Expr>),
    /// Quotient, rounded up.
    CeilDiv(Box<Expr>, Box<Expr>),
}

/// An affine map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Number of dimensions.
    pub num_dims: usize,
    /// Number of symbols.
    pub num_symbols: usize,
    /// Results.
    pub results: Vec<Expr>,
}

impl Map {
    /// The map in an affine map attribute.
    pub fn of(attribute: Attribute<'_>) -> Option<Self> {
        // SAFETY: the kind is asked first; indices are below the counts.
        unsafe {
            let raw = attribute.to_raw();
            if !sys::mlirAttributeIsAAffineMap(raw) {
                return None;
            }
            let map = sys::mlirAffineMapAttrGetValue(raw);
            Some(Self {
                num_dims: sys::mlirAffineMapGetNumDims(map) as usize,
                num_symbols: sys::mlirAffineMapGetNumSymbols(map) as usize,
                results: (0..sys::mlirAffineMapGetNumResults(map))
                    .map(|i| expr(sys::mlirAffineMapGetResult(map, i)))
                    .collect(),
            })
        }
    }

    /// The maps in an array attribute of affine maps.
    pub fn list(attribute: Attribute<'_>) -> Option<Vec<Self>> {
        crate::attr::as_array(attribute)?.into_iter().map(Self::of).collect()
    }

    /// The dimension of each result, if every result is one plain dimension.
    pub fn as_dims(&self) -> Option<Vec<usize>> {
        self.results
            .iter()
            .map(|result| if let Expr::Dim(i) = result { Some(*i) } else { None })
            .collect()
    }

    /// True if a result depends on a dimension, as it is written.
    pub fn mentions(&self, dim: usize) -> bool {
        self.results.iter().any(|result| result.mentions(dim))
    }
}

/// The attribute of a map whose results are plain dimensions, of `num_dims` that it has.
pub fn projection<'c>(context: ContextRef<'c>, num_dims: usize, dims: &[usize]) -> Attribute<'c> {
    let context = context.to_raw();
    // SAFETY: the context is alive; the array is copied.
    unsafe {
        let mut results: Vec<_> = dims
            .iter()
            .map(|dim| sys::mlirAffineDimExprGet(context, *dim as isize))
            .collect();
        let count = results.len() as isize;
        let map = sys::mlirAffineMapGet(context, num_dims as isize, 0, count, results.as_mut_ptr());
        Attribute::from_raw(sys::mlirAffineMapAttrGet(map))
    }
}

impl Expr {
    fn mentions(&self, dim: usize) -> bool {
        match self {
            Expr::Dim(i) => *i == dim,
            Expr::Symbol(_) | Expr::Constant(_) => false,
            Expr::Add(a, b) | Expr::Mul(a, b) | Expr::Mod(a, b) | Expr::FloorDiv(a, b) | Expr::CeilDiv(a, b) => {
                a.mentions(dim) || b.mentions(dim)
            }
        }
    }
}

impl Map {
    /// The attribute of the map; MLIR simplifies its expressions.
    pub fn attribute<'c>(&self, context: ContextRef<'c>) -> Attribute<'c> {
        // SAFETY: the context is alive, the array lives during the call and is copied, and expressions are made of
        // the same context.
        unsafe {
            let context = context.to_raw();
            let mut results: Vec<MlirAffineExpr> = self.results.iter().map(|result| result.raw(context)).collect();
            Attribute::from_raw(sys::mlirAffineMapAttrGet(sys::mlirAffineMapGet(
                context,
                self.num_dims as isize,
                self.num_symbols as isize,
                results.len() as isize,
                results.as_mut_ptr(),
            )))
        }
    }
}

impl Expr {
    /// # Safety
    ///
    /// The context must be alive.
    unsafe fn raw(&self, context: sys::MlirContext) -> MlirAffineExpr {
        // SAFETY: the caller's promise, for all parts.
        unsafe {
            let part = |expr: &Expr| expr.raw(context);
            match self {
                Expr::Dim(i) => sys::mlirAffineDimExprGet(context, *i as isize),
                Expr::Symbol(i) => sys::mlirAffineSymbolExprGet(context, *i as isize),
                Expr::Constant(value) => sys::mlirAffineConstantExprGet(context, *value),
                Expr::Add(a, b) => sys::mlirAffineAddExprGet(part(a), part(b)),
                Expr::Mul(a, b) => sys::mlirAffineMulExprGet(part(a), part(b)),
                Expr::Mod(a, b) => sys::mlirAffineModExprGet(part(a), part(b)),
                Expr::FloorDiv(a, b) => sys::mlirAffineFloorDivExprGet(part(a), part(b)),
                Expr::CeilDiv(a, b) => sys::mlirAffineCeilDivExprGet(part(a), part(b)),
            }
        }
    }
}

/// # Safety
///
/// The expression must be alive and not null.
unsafe fn expr(raw: MlirAffineExpr) -> Expr {
    // SAFETY: the kind is asked before the parts, which are alive because the whole is.
    unsafe {
        if sys::mlirAffineExprIsADim(raw) {
            return Expr::Dim(sys::mlirAffineDimExprGetPosition(raw) as usize);
        }
        if sys::mlirAffineExprIsASymbol(raw) {
            return Expr::Symbol(sys::mlirAffineSymbolExprGetPosition(raw) as usize);
        }
        if sys::mlirAffineExprIsAConstant(raw) {
            return Expr::Constant(sys::mlirAffineConstantExprGetValue(raw));
        }
        let left = Box::new(expr(sys::mlirAffineBinaryOpExprGetLHS(raw)));
        let right = Box::new(expr(sys::mlirAffineBinaryOpExprGetRHS(raw)));
        if sys::mlirAffineExprIsAAdd(raw) {
            Expr::Add(left, right)
        } else if sys::mlirAffineExprIsAMul(raw) {
            Expr::Mul(left, right)
        } else if sys::mlirAffineExprIsAMod(raw) {
            Expr::Mod(left, right)
        } else if sys::mlirAffineExprIsAFloorDiv(raw) {
            Expr::FloorDiv(left, right)
        } else {
            Expr::CeilDiv(left, right)
        }
    }
}
