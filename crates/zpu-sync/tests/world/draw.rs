//! Random expressions.

use super::{Scope, Value, World};
use crate::random::Random;
use zpu_sync::index::{Index, Linear, Symbol};

/// Symbols that mean something in some loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    Nest,
    Long,
}

impl Where {
    pub(crate) fn of(random: &mut Random) -> Self {
        if random.chance(75) { Self::Nest } else { Self::Long }
    }

    pub(crate) fn scopes(self) -> &'static [Scope] {
        match self {
            Self::Nest => &[Scope::Outer, Scope::Inner],
            Self::Long => &[Scope::Long],
        }
    }

    pub(crate) fn symbol(self, random: &mut Random) -> Symbol<World> {
        let value = |value| Symbol::Value(value, 0);
        let inside = match self {
            Self::Nest => [
                Symbol::Iteration(Scope::Outer),
                Symbol::Iteration(Scope::Outer),
                Symbol::Iteration(Scope::Outer),
                Symbol::Iteration(Scope::Inner),
                value(Value::OfOuter),
                value(Value::OfInner),
            ],
            Self::Long => [
                Symbol::Iteration(Scope::Long),
                Symbol::Iteration(Scope::Long),
                Symbol::Travel(Scope::Long),
                Symbol::Travel(Scope::Long),
                value(Value::OfLong),
                value(Value::Step),
            ],
        };
        let outside = [value(Value::Bounded), value(Value::Signed), value(Value::Unbounded)];
        let list: &[Symbol<World>] = if random.chance(70) { &inside } else { &outside };
        random.pick(list).unwrap_or(outside[0])
    }
}

pub(crate) fn sum(left: &Linear<World>, right: &Linear<World>, factor: i64) -> Linear<World> {
    left.add_scaled(right, factor)
        .unwrap_or_else(|| panic!("small numbers overflow"))
}

pub(crate) fn linear(random: &mut Random, place: Where, terms: usize) -> Linear<World> {
    let mut all = Linear::constant(random.number(-3, 9));
    for _ in 0..random.below(terms + 1) {
        let symbol = Linear::symbol(place.symbol(random));
        let factor = random.pick(&[1, 1, 1, 2, 3, 8, -1, -2]).unwrap_or(1);
        all = sum(&all, &symbol, factor);
    }
    all
}

pub(crate) fn index(random: &mut Random, place: Where) -> Index<World> {
    if random.chance(60) {
        return Index::Linear(linear(random, place, 2));
    }
    let remainder = Index::modulo(linear(random, place, 2), random.number(1, 5));
    let factor = random.pick(&[1, 1, 2, 2, 3, -1]).unwrap_or(1);
    let rest = if random.chance(70) {
        Linear::constant(random.number(0, 3))
    } else {
        linear(random, place, 1)
    };
    Index::Linear(rest).add_scaled(&remainder, factor).unwrap_or(remainder)
}
