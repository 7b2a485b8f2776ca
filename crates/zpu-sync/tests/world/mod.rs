//! A world that is small enough to look at all of it: values of which all numbers are known, and three loops.

pub(crate) mod draw;
pub(crate) mod part;

use part::Part;
use zpu_sync::index::{Facts, Index, Linear, Names, Range, Symbol, Window};

/// The names of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// Arguments: with bounds that are known, with negative ones, and with none.
    Bounded,
    Signed,
    Unbounded,
    /// The step of [`Scope::Long`].
    Step,
    /// Made anew in each iteration of the outer, the inner, the long loop.
    OfOuter,
    OfInner,
    OfLong,
    /// An allocation of 4 rows of 8 bytes, and a view of it in elements of two bytes.
    Tile,
    Pairs,
    /// A view of the same in bytes, whose beginning is another one in each iteration of the outer loop.
    Window,
    /// An allocation of each iteration of the outer loop.
    Local,
    /// Allocations at addresses that share bytes; the second is made in each iteration of the outer loop.
    Near,
    Far,
    /// Arguments that overlap nothing, and some that may overlap each other.
    First,
    Second,
    Left,
    Right,
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scope {
    Outer,
    /// In the outer one.
    Inner,
    /// Beside the outer one, of any length and any step.
    Long,
}

pub(crate) const ROW: i64 = 8;
pub(crate) const ROWS: i64 = 4;

impl Names for World {
    type Value = Value;
    type Scope = Scope;
}

impl Facts for World {
    fn is_defined_inside(value: Value, scope: Scope) -> bool {
        match scope {
            Scope::Outer => matches!(
                value,
                Value::OfOuter | Value::OfInner | Value::Window | Value::Local | Value::Far
            ),
            Scope::Inner => value == Value::OfInner,
            Scope::Long => value == Value::OfLong,
        }
    }

    fn contains(scope: Scope, inner: Scope) -> bool {
        scope == inner || (scope, inner) == (Scope::Outer, Scope::Inner)
    }

    fn range(symbol: Symbol<Self>) -> Range {
        let variable = Variable::of(symbol);
        match (variable, symbol) {
            (_, Symbol::Travel(_)) => Range::not_negative(),
            (Variable::Unbounded, _) => Range::ALL,
            (Variable::Step, _) => Range::new(Some(1), None),
            (Variable::Long, _) => Range::not_negative(),
            _ => {
                let numbers = variable.numbers();
                Range::new(
                    numbers.first().copied().map(i128::from),
                    numbers.last().copied().map(i128::from),
                )
            }
        }
    }

    fn step(scope: Scope) -> Option<Index<Self>> {
        Some(match scope {
            Scope::Long => Index::Linear(Linear::symbol(Symbol::Value(Value::Step, 0))),
            _ => Index::constant(1),
        })
    }

    fn constant_trip_count(scope: Scope) -> Option<i64> {
        match scope {
            Scope::Outer => Some(Variable::Outer.numbers().len() as i64),
            Scope::Inner => Some(Variable::Inner.numbers().len() as i64),
            Scope::Long => None,
        }
    }

    fn shape(memref: Value) -> Vec<Option<i64>> {
        match memref {
            Value::Tile => vec![Some(ROWS), Some(ROW)],
            Value::Pairs => vec![Some(ROWS * ROW / 2)],
            Value::Window => vec![None],
            _ => vec![Some(ROWS * ROW)],
        }
    }

    fn is_remade(base: Value, scope: Scope) -> bool {
        scope == Scope::Outer && matches!(base, Value::Window | Value::Local | Value::Far)
    }

    fn is_all_of(base: Value, root: Value) -> bool {
        base == root
    }

    fn window(allocation: Value) -> Option<Window> {
        let at = |first| Window {
            first,
            bytes: ROWS * ROW,
        };
        match allocation {
            Value::Near => Some(at(0)),
            Value::Far => Some(at(20)),
            _ => None,
        }
    }

    fn are_in_different_spaces(_: Value, _: Value) -> bool {
        false
    }
}

/// A number that may be another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    Bounded,
    Signed,
    Unbounded,
    Step,
    OfOuter,
    OfInner,
    OfLong,
    Outer,
    Inner,
    Long,
}

impl Variable {
    pub(crate) const COUNT: usize = 10;

    /// The variable that a symbol depends on; a distance travelled also depends on the iteration.
    pub(crate) fn of(symbol: Symbol<World>) -> Self {
        match symbol {
            Symbol::Value(Value::Bounded, _) => Self::Bounded,
            Symbol::Value(Value::Signed, _) => Self::Signed,
            Symbol::Value(Value::Unbounded, _) => Self::Unbounded,
            Symbol::Value(Value::OfOuter, _) => Self::OfOuter,
            Symbol::Value(Value::OfInner, _) => Self::OfInner,
            Symbol::Value(Value::OfLong, _) => Self::OfLong,
            Symbol::Value(Value::Step, _) | Symbol::Travel(_) => Self::Step,
            Symbol::Iteration(Scope::Outer) => Self::Outer,
            Symbol::Iteration(Scope::Inner) => Self::Inner,
            Symbol::Iteration(Scope::Long) => Self::Long,
            Symbol::Value(value, _) => panic!("{value:?} is no number"),
        }
    }

    /// All that it can be; of what has no bounds, a few.
    pub(crate) fn numbers(self) -> &'static [i64] {
        match self {
            Self::Bounded => &[0, 1, 2, 3],
            Self::Signed => &[-2, -1, 0, 1],
            Self::Unbounded => &[-9, -1, 0, 2, 8],
            Self::Step => &[1, 2],
            Self::OfOuter => &[0, 1],
            Self::OfInner => &[-1, 0, 1],
            Self::OfLong => &[0, 3],
            Self::Outer => &[0, 1, 2, 3, 4, 5],
            Self::Inner => &[0, 1, 2],
            Self::Long => &[0, 1, 2, 3, 4, 5, 6, 7],
        }
    }

    /// Whether it is another one in another iteration of a loop.
    pub(crate) fn is_inside(self, scope: Scope) -> bool {
        match scope {
            Scope::Outer => matches!(self, Self::OfOuter | Self::OfInner | Self::Outer | Self::Inner),
            Scope::Inner => matches!(self, Self::OfInner | Self::Inner),
            Scope::Long => matches!(self, Self::OfLong | Self::Long),
        }
    }
}

impl Scope {
    pub(crate) fn count(self) -> Variable {
        match self {
            Self::Outer => Variable::Outer,
            Self::Inner => Variable::Inner,
            Self::Long => Variable::Long,
        }
    }
}

/// The values of all variables at one moment.
pub(crate) type Moment = [i64; Variable::COUNT];

/// Two moments: values of instance 0 are those of the first, and values of another instance those of the second.
pub(crate) type Moments = [Moment; 2];

pub(crate) fn number_of(symbol: Symbol<World>, moments: &Moments) -> i64 {
    match symbol {
        Symbol::Travel(_) => moments[0][Variable::Step as usize] * moments[0][Variable::Long as usize],
        Symbol::Value(_, instance) => moments[usize::from(instance != 0)][Variable::of(symbol) as usize],
        Symbol::Iteration(_) => moments[0][Variable::of(symbol) as usize],
    }
}

pub(crate) fn value_of(linear: &Linear<World>, moments: &Moments) -> i64 {
    let terms = linear.terms().iter();
    linear.offset()
        + terms
            .map(|(symbol, factor)| factor * number_of(*symbol, moments))
            .sum::<i64>()
}

pub(crate) fn value_of_index(index: &Index<World>, moments: &Moments) -> i64 {
    match index {
        Index::Linear(linear) => value_of(linear, moments),
        Index::Modulo(modulo) => {
            let mut remainder = value_of(&modulo.dividend, moments) % modulo.modulus;
            if remainder < 0 {
                remainder += modulo.modulus;
            }
            value_of(&modulo.rest, moments) + modulo.factor * remainder
        }
    }
}

/// The variables that expressions count in.
#[derive(Clone, Copy, Default)]
pub(crate) struct Used([bool; Variable::COUNT]);

impl Used {
    pub(crate) fn add(&mut self, variable: Variable) {
        self.0[variable as usize] = true;
    }

    pub(crate) fn linear(&mut self, linear: &Linear<World>) {
        for (symbol, _) in linear.terms() {
            self.add(Variable::of(*symbol));
            if matches!(symbol, Symbol::Travel(_)) {
                self.add(Variable::Long);
            }
        }
    }

    pub(crate) fn index(&mut self, index: &Index<World>) {
        match index {
            Index::Linear(linear) => self.linear(linear),
            Index::Modulo(modulo) => {
                self.linear(&modulo.rest);
                self.linear(&modulo.dividend);
            }
        }
    }

    pub(crate) fn part(&mut self, part: &Part) {
        for (offset, span) in &part.extents {
            self.index(offset);
            self.linear(span);
        }
        if part.base == Value::Window {
            self.add(Variable::OfOuter);
        }
    }
}

pub(crate) const VARIABLES: [Variable; Variable::COUNT] = [
    Variable::Bounded,
    Variable::Signed,
    Variable::Unbounded,
    Variable::Step,
    Variable::OfOuter,
    Variable::OfInner,
    Variable::OfLong,
    Variable::Outer,
    Variable::Inner,
    Variable::Long,
];

/// More moments than this are not looked at.
pub(crate) const MOST_MOMENTS: usize = 6_000;

/// All moments that differ in what is used, twice as much where the second moment may be another one; `None` where they
/// are too many.
pub(crate) fn moments(used: Used, apart: Option<(Scope, Used)>) -> Option<Vec<Moments>> {
    let first = VARIABLES.map(|variable| variable.numbers()[0]);
    let mut all = vec![[first; 2]];
    for variable in VARIABLES {
        let at = variable as usize;
        let second = apart.filter(|(scope, other)| variable.is_inside(*scope) && other.0[at]);
        let is_used = used.0[at] || second.is_none() && apart.is_some_and(|(_, other)| other.0[at]);
        let is_apart = apart.is_some_and(|(scope, _)| variable.is_inside(scope));
        if is_used {
            let each = all.iter().flat_map(|moments| {
                variable.numbers().iter().map(move |number| {
                    let mut moments = *moments;
                    moments[0][at] = *number;
                    if !is_apart {
                        moments[1][at] = *number;
                    }
                    moments
                })
            });
            all = each.collect();
        }
        if second.is_some() {
            let each = all.iter().flat_map(|moments| {
                variable.numbers().iter().map(move |number| {
                    let mut moments = *moments;
                    moments[1][at] = *number;
                    moments
                })
            });
            all = each.collect();
        }
        if all.len() > MOST_MOMENTS {
            return None;
        }
    }
    Some(all)
}

/// Whether two moments are of the same iteration, inner ones included, which distance 0 speaks of.
pub(crate) fn is_one_iteration(scope: Scope, now: &Moment, then: &Moment) -> bool {
    VARIABLES
        .iter()
        .all(|variable| !variable.is_inside(scope) || now[*variable as usize] == then[*variable as usize])
}
