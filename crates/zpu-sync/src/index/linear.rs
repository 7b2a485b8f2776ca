//! Linear expressions over symbols, possibly with a remainder in them: the algebra of index values.
//!
//! The induction variable of a loop with a constant step is `lower + step * k`, where the symbol `k` is the loop's
//! iteration number; so the same expression can be asked about at another iteration. Whatever is not linear becomes a
//! symbol of its own: equal to itself in the same iteration, and to nothing in another one if it is defined inside the
//! loop.
//!
//! [`range`](super::range) says between which bounds they are.

use serde::{Deserialize, Serialize};

use super::names::{Facts, Names};

/// A symbol that an expression counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(bound(
    serialize = "N::Value: Serialize, N::Scope: Serialize",
    deserialize = "N::Value: Deserialize<'de>, N::Scope: Deserialize<'de>"
))]
pub enum Symbol<N: Names> {
    /// A value that is not understood further. The number tells instances of different iterations apart; 0 is the
    /// current one.
    Value(N::Value, i64),
    /// The iteration number of a loop, from 0.
    Iteration(N::Scope),
    /// The product of step and iteration number of a loop whose step is not constant. Steps are above 0.
    Travel(N::Scope),
}

/// `constant + sum of coefficient * symbol`; symbols are distinct and coefficients not 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "N::Value: Serialize, N::Scope: Serialize",
    deserialize = "N::Value: Deserialize<'de>, N::Scope: Deserialize<'de>"
))]
pub struct Linear<N: Names> {
    constant: i64,
    terms: Vec<(Symbol<N>, i64)>,
}

impl<N: Names> Linear<N> {
    /// A constant.
    pub fn constant(constant: i64) -> Self {
        Self {
            constant,
            terms: Vec::new(),
        }
    }

    /// One symbol.
    pub fn symbol(symbol: Symbol<N>) -> Self {
        Self {
            constant: 0,
            terms: vec![(symbol, 1)],
        }
    }

    /// The part without symbols.
    pub fn offset(&self) -> i64 {
        self.constant
    }

    /// The symbols with their coefficients, in the order in which they came in.
    pub fn terms(&self) -> &[(Symbol<N>, i64)] {
        &self.terms
    }

    /// The constant, if there are no symbols.
    pub fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The value, if the expression is just that.
    pub fn as_value(&self) -> Option<N::Value> {
        match (self.constant, self.terms.as_slice()) {
            (0, [(Symbol::Value(value, _), 1)]) => Some(*value),
            _ => None,
        }
    }

    /// `self + factor * other`; `None` on overflow.
    pub fn add_scaled(&self, other: &Self, factor: i64) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        terms.extend_from_slice(&self.terms);
        let mut sum = Self {
            constant: self.constant.checked_add(other.constant.checked_mul(factor)?)?,
            terms,
        };
        for (symbol, coefficient) in &other.terms {
            sum.add_term(*symbol, coefficient.checked_mul(factor)?)?;
        }
        Some(sum)
    }

    fn add_term(&mut self, symbol: Symbol<N>, coefficient: i64) -> Option<()> {
        match self.terms.iter().position(|(known, _)| *known == symbol) {
            Some(i) => {
                self.terms[i].1 = self.terms[i].1.checked_add(coefficient)?;
                if self.terms[i].1 == 0 {
                    self.terms.remove(i);
                }
            }
            None if coefficient != 0 => self.terms.push((symbol, coefficient)),
            None => {}
        }
        Some(())
    }

    /// `factor * self`.
    pub fn scale(&self, factor: i64) -> Option<Self> {
        Self::constant(0).add_scaled(self, factor)
    }

    /// `self / divisor`, if that is exact in every term.
    pub fn divide(&self, divisor: i64) -> Option<Self> {
        if divisor <= 0 || self.constant % divisor != 0 || self.terms.iter().any(|(_, c)| c % divisor != 0) {
            return None;
        }
        let terms = self.terms.iter().map(|(symbol, c)| (*symbol, c / divisor)).collect();
        Some(Self {
            constant: self.constant / divisor,
            terms,
        })
    }

    /// Without one symbol, and that symbol's coefficient.
    pub fn split(&self, symbol: Symbol<N>) -> (Self, i64) {
        let mut rest = self.clone();
        match rest.terms.iter().position(|(known, _)| *known == symbol) {
            Some(i) => {
                let (_, coefficient) = rest.terms.remove(i);
                (rest, coefficient)
            }
            None => (rest, 0),
        }
    }

    /// The terms that `keep` keeps, with the constant.
    pub fn filtered(&self, keep: impl Fn(Symbol<N>) -> bool) -> Self {
        Self {
            constant: self.constant,
            terms: self.terms.iter().copied().filter(|(symbol, _)| keep(*symbol)).collect(),
        }
    }

    /// The expression over other names.
    pub fn renamed<M: Names>(&self, name: &Renaming<'_, N, M>) -> Linear<M> {
        Linear {
            constant: self.constant,
            terms: self
                .terms
                .iter()
                .map(|(symbol, c)| (symbol.renamed(name), *c))
                .collect(),
        }
    }
}

impl<N: Facts> Linear<N> {
    /// Replaces the iteration number of `op` by an expression.
    pub fn at(&self, op: N::Scope, iteration: &Self) -> Option<Self> {
        let is_of = |symbol: &Symbol<N>| *symbol == Symbol::Iteration(op) || *symbol == Symbol::Travel(op);
        if !self.terms.iter().any(|(symbol, _)| is_of(symbol)) {
            return Some(self.clone());
        }
        let (rest, coefficient) = self.split(Symbol::Iteration(op));
        let moved = rest.add_scaled(iteration, coefficient)?;
        let (rest, coefficient) = moved.split(Symbol::Travel(op));
        if coefficient == 0 {
            return Some(moved);
        }
        rest.add_scaled(&travel(op, iteration)?, coefficient)
    }

    /// The value in the iteration of `op` that `iteration` names, as in [`Index::at`].
    pub(super) fn moved(&self, op: N::Scope, iteration: &Self, instance: i64) -> Option<Self> {
        let mut moved = self.at(op, iteration)?;
        moved.mark(op, instance);
        Some(moved)
    }

    /// Marks every value that is defined inside `op` as belonging to instance `instance`.
    fn mark(&mut self, op: N::Scope, instance: i64) {
        for (symbol, _) in &mut self.terms {
            if let Symbol::Value(value, tag) = symbol
                && N::is_defined_inside(*value, op)
            {
                *tag += instance;
            }
        }
    }

    /// True if it counts in a value that is made inside `op`.
    pub fn depends_on(&self, op: N::Scope) -> bool {
        self.terms.iter().any(|(symbol, _)| symbol.is_made_inside(op))
    }
}

/// Other names for values and scopes.
pub type Renaming<'a, N, M> = (
    &'a dyn Fn(<N as Names>::Value) -> <M as Names>::Value,
    &'a dyn Fn(<N as Names>::Scope) -> <M as Names>::Scope,
);

impl<N: Names> Symbol<N> {
    /// The symbol over other names.
    pub fn renamed<M: Names>(self, (value, scope): &Renaming<'_, N, M>) -> Symbol<M> {
        match self {
            Self::Value(of, instance) => Symbol::Value(value(of), instance),
            Self::Iteration(of) => Symbol::Iteration(scope(of)),
            Self::Travel(of) => Symbol::Travel(scope(of)),
        }
    }
}

impl<N: Facts> Symbol<N> {
    /// True if it differs between executions of the body of `op`.
    pub fn is_made_inside(self, op: N::Scope) -> bool {
        match self {
            Symbol::Value(value, _) => N::is_defined_inside(value, op),
            Symbol::Iteration(inner) | Symbol::Travel(inner) => N::contains(op, inner),
        }
    }
}

/// `step * iteration` of a loop whose step is a value, if that is linear.
fn travel<N: Facts>(op: N::Scope, iteration: &Linear<N>) -> Option<Linear<N>> {
    let step = N::step(op)?;
    let (fixed, factor) = iteration.split(Symbol::Iteration(op));
    let own = Linear::symbol(Symbol::Travel(op)).scale(factor)?;
    own.add_scaled(step.as_linear()?, fixed.as_constant()?)
}

/// An index value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "N::Value: Serialize, N::Scope: Serialize",
    deserialize = "N::Value: Deserialize<'de>, N::Scope: Deserialize<'de>"
))]
pub enum Index<N: Names> {
    /// Linear.
    Linear(Linear<N>),
    /// With a remainder in it.
    Modulo(Box<Modulo<N>>),
}

/// `rest + factor * (dividend mod modulus)`, the remainder never negative.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "N::Value: Serialize, N::Scope: Serialize",
    deserialize = "N::Value: Deserialize<'de>, N::Scope: Deserialize<'de>"
))]
pub struct Modulo<N: Names> {
    /// The summand of the remainder.
    pub rest: Linear<N>,
    /// By what the remainder is multiplied; not 0.
    pub factor: i64,
    /// Of what it is the remainder.
    pub dividend: Linear<N>,
    /// By what was divided; above 0.
    pub modulus: i64,
}

impl<N: Names> Index<N> {
    /// A constant.
    pub fn constant(constant: i64) -> Self {
        Self::Linear(Linear::constant(constant))
    }

    /// The linear expression, if it is one.
    pub fn as_linear(&self) -> Option<&Linear<N>> {
        if let Self::Linear(linear) = self {
            Some(linear)
        } else {
            None
        }
    }

    /// The constant, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        self.as_linear().and_then(Linear::as_constant)
    }

    /// `dividend mod modulus`, for a modulus above 0.
    pub fn modulo(dividend: Linear<N>, modulus: i64) -> Self {
        match dividend.as_constant() {
            Some(constant) => Self::constant(constant.rem_euclid(modulus)),
            None => Self::Modulo(Box::new(Modulo {
                rest: Linear::constant(0),
                factor: 1,
                dividend,
                modulus,
            })),
        }
    }

    /// `self + factor * other`; `None` on overflow, and where two different remainders would be in the sum.
    pub fn add_scaled(&self, other: &Self, factor: i64) -> Option<Self> {
        match (self, other) {
            (Self::Linear(left), Self::Linear(right)) => left.add_scaled(right, factor).map(Self::Linear),
            (Self::Modulo(left), Self::Linear(right)) => {
                let rest = left.rest.add_scaled(right, factor)?;
                Some(Self::Modulo(Box::new(Modulo {
                    rest,
                    ..(**left).clone()
                })))
            }
            (Self::Linear(left), Self::Modulo(right)) => {
                let rest = left.add_scaled(&right.rest, factor)?;
                Some(Self::with_factor(right, rest, right.factor.checked_mul(factor)?))
            }
            (Self::Modulo(left), Self::Modulo(right)) => {
                let same = left.modulus == right.modulus && left.dividend == right.dividend;
                let rest = left.rest.add_scaled(&right.rest, factor)?;
                let both = left.factor.checked_add(right.factor.checked_mul(factor)?)?;
                same.then(|| Self::with_factor(left, rest, both))
            }
        }
    }

    fn with_factor(modulo: &Modulo<N>, rest: Linear<N>, factor: i64) -> Self {
        if factor == 0 {
            return Self::Linear(rest);
        }
        Self::Modulo(Box::new(Modulo {
            rest,
            factor,
            ..modulo.clone()
        }))
    }

    /// The index over other names.
    pub fn renamed<M: Names>(&self, name: &Renaming<'_, N, M>) -> Index<M> {
        match self {
            Self::Linear(linear) => Index::Linear(linear.renamed(name)),
            Self::Modulo(modulo) => Index::Modulo(Box::new(Modulo {
                rest: modulo.rest.renamed(name),
                factor: modulo.factor,
                dividend: modulo.dividend.renamed(name),
                modulus: modulo.modulus,
            })),
        }
    }
}

impl<N: Facts> Index<N> {
    /// The value in the iteration of `op` that `iteration` names; `instance` tells its values apart from those of other
    /// iterations (0 is the current one).
    pub fn at(&self, op: N::Scope, iteration: &Linear<N>, instance: i64) -> Option<Self> {
        let moved = |linear: &Linear<N>| linear.moved(op, iteration, instance);
        match self {
            Self::Linear(linear) => Some(Self::Linear(moved(linear)?)),
            Self::Modulo(modulo) => {
                let remainder = Self::modulo(moved(&modulo.dividend)?, modulo.modulus);
                Self::Linear(moved(&modulo.rest)?).add_scaled(&remainder, modulo.factor)
            }
        }
    }

    /// True if it counts in a value that is made inside `op`.
    pub fn depends_on(&self, op: N::Scope) -> bool {
        match self {
            Self::Linear(linear) => linear.depends_on(op),
            Self::Modulo(modulo) => modulo.rest.depends_on(op) || modulo.dividend.depends_on(op),
        }
    }
}
