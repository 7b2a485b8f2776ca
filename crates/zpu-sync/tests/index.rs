//! The index algebra against enumeration: all values of all symbols, in all iterations.
//!
//! The world is small: a loop of six iterations with one of three in it, another one whose trip count and step nobody
//! knows, a few numbers, and buffers. Each question is put to the algebra once, and to the world for all numbers that
//! there are. "May" is always a right answer, so each test also counts how often the closer one is given, and asks for
//! a share that was measured before.

#[path = "common/random.rs"]
mod random;

use std::cell::Cell;

use random::{Random, for_seeds};
use zpu_sync::index::distance::conflict_distance;
use zpu_sync::index::range::{of_index, of_linear};
use zpu_sync::index::{Access, Extent, Facts, Index, Linear, Names, Range, Region, Root, Symbol};

/// The names of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct World;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Value {
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
    /// Arguments that overlap nothing, and some that may overlap each other.
    First,
    Second,
    Left,
    Right,
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Scope {
    Outer,
    /// In the outer one.
    Inner,
    /// Beside the outer one, of any length and any step.
    Long,
}

const ROW: i64 = 8;
const ROWS: i64 = 4;

impl Names for World {
    type Value = Value;
    type Scope = Scope;
}

impl Facts for World {
    fn is_defined_inside(value: Value, scope: Scope) -> bool {
        match scope {
            Scope::Outer => matches!(value, Value::OfOuter | Value::OfInner | Value::Window | Value::Local),
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
        scope == Scope::Outer && matches!(base, Value::Window | Value::Local)
    }

    fn is_all_of(base: Value, root: Value) -> bool {
        base == root
    }

    fn are_in_different_spaces(_: Value, _: Value) -> bool {
        false
    }
}

/// A number that may be another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
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
    const COUNT: usize = 10;

    /// What a symbol depends on; a distance travelled also depends on the iteration.
    fn of(symbol: Symbol<World>) -> Self {
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
    fn numbers(self) -> &'static [i64] {
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
    fn is_inside(self, scope: Scope) -> bool {
        match scope {
            Scope::Outer => matches!(self, Self::OfOuter | Self::OfInner | Self::Outer | Self::Inner),
            Scope::Inner => matches!(self, Self::OfInner | Self::Inner),
            Scope::Long => matches!(self, Self::OfLong | Self::Long),
        }
    }
}

impl Scope {
    fn count(self) -> Variable {
        match self {
            Self::Outer => Variable::Outer,
            Self::Inner => Variable::Inner,
            Self::Long => Variable::Long,
        }
    }
}

/// What all variables are at one moment.
type Moment = [i64; Variable::COUNT];

/// Two moments: values of instance 0 are those of the first, and values of another instance those of the second.
type Moments = [Moment; 2];

fn number_of(symbol: Symbol<World>, moments: &Moments) -> i64 {
    match symbol {
        Symbol::Travel(_) => moments[0][Variable::Step as usize] * moments[0][Variable::Long as usize],
        Symbol::Value(_, instance) => moments[usize::from(instance != 0)][Variable::of(symbol) as usize],
        Symbol::Iteration(_) => moments[0][Variable::of(symbol) as usize],
    }
}

fn value_of(linear: &Linear<World>, moments: &Moments) -> i64 {
    let terms = linear.terms().iter();
    linear.offset()
        + terms
            .map(|(symbol, factor)| factor * number_of(*symbol, moments))
            .sum::<i64>()
}

fn value_of_index(index: &Index<World>, moments: &Moments) -> i64 {
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
struct Used([bool; Variable::COUNT]);

impl Used {
    fn add(&mut self, variable: Variable) {
        self.0[variable as usize] = true;
    }

    fn linear(&mut self, linear: &Linear<World>) {
        for (symbol, _) in linear.terms() {
            self.add(Variable::of(*symbol));
            if matches!(symbol, Symbol::Travel(_)) {
                self.add(Variable::Long);
            }
        }
    }

    fn index(&mut self, index: &Index<World>) {
        match index {
            Index::Linear(linear) => self.linear(linear),
            Index::Modulo(modulo) => {
                self.linear(&modulo.rest);
                self.linear(&modulo.dividend);
            }
        }
    }

    fn part(&mut self, part: &Part) {
        for (offset, span) in &part.extents {
            self.index(offset);
            self.linear(span);
        }
        if part.base == Value::Window {
            self.add(Variable::OfOuter);
        }
    }
}

const VARIABLES: [Variable; Variable::COUNT] = [
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
const MOST_MOMENTS: usize = 6_000;

/// All moments that differ in what is used, twice as much where the second moment may be another one; `None` where they
/// are too many.
fn moments(used: Used, apart: Option<(Scope, Used)>) -> Option<Vec<Moments>> {
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

/// How often a close answer was given where there was one.
#[derive(Default)]
struct Share {
    close: Cell<u32>,
    all: Cell<u32>,
}

impl Share {
    fn count(&self, is_close: bool) {
        self.all.set(self.all.get() + 1);
        self.close.set(self.close.get() + u32::from(is_close));
    }

    /// Asks for a share in percent.
    fn is_at_least(&self, percent: u32, what: &str) {
        let (close, all) = (self.close.get(), self.all.get());
        println!("{what}: {close} of {all} ({}%)", 100 * close / all.max(1));
        assert!(all >= 20, "{what}: only {all} cases");
        assert!(
            100 * close >= percent * all,
            "{what}: {close} of {all}, expected {percent} %"
        );
    }
}

/// Symbols that mean something in some loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Where {
    Nest,
    Long,
}

impl Where {
    fn of(random: &mut Random) -> Self {
        if random.chance(75) { Self::Nest } else { Self::Long }
    }

    fn scopes(self) -> &'static [Scope] {
        match self {
            Self::Nest => &[Scope::Outer, Scope::Inner],
            Self::Long => &[Scope::Long],
        }
    }

    fn symbol(self, random: &mut Random) -> Symbol<World> {
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

fn sum(left: &Linear<World>, right: &Linear<World>, factor: i64) -> Linear<World> {
    left.add_scaled(right, factor)
        .unwrap_or_else(|| panic!("small numbers overflow"))
}

fn linear(random: &mut Random, place: Where, terms: usize) -> Linear<World> {
    let mut all = Linear::constant(random.number(-3, 9));
    for _ in 0..random.below(terms + 1) {
        let symbol = Linear::symbol(place.symbol(random));
        let factor = random.pick(&[1, 1, 1, 2, 3, 8, -1, -2]).unwrap_or(1);
        all = sum(&all, &symbol, factor);
    }
    all
}

fn index(random: &mut Random, place: Where) -> Index<World> {
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

#[test]
fn arithmetic_of_expressions_is_that_of_numbers() {
    let sums = Share::default();
    for_seeds(400, |seed| {
        let random = &mut Random::new(seed);
        let place = Where::of(random);
        let (left, right) = (linear(random, place, 3), linear(random, place, 3));
        let (factor, divisor) = (random.number(-3, 3), random.number(1, 3));
        let symbol = place.symbol(random);
        let whole = left.scale(divisor).unwrap_or_else(|| panic!("small numbers overflow"));
        let (first, second) = (index(random, place), index(random, place));
        let mut used = Used::default();
        for linear in [&left, &right, &Linear::symbol(symbol)] {
            used.linear(linear);
        }
        used.index(&first);
        used.index(&second);
        let Some(all) = moments(used, None) else { return };
        let total = first.add_scaled(&second, factor);
        // Two different remainders make no one expression.
        sums.count(total.is_some());
        let (rest, coefficient) = left.split(symbol);
        assert!(rest.terms().iter().all(|(other, _)| *other != symbol));
        for now in &all {
            let (a, b) = (value_of(&left, now), value_of(&right, now));
            assert_eq!(value_of(&sum(&left, &right, factor), now), a + factor * b);
            assert_eq!(
                left.scale(factor).map(|scaled| value_of(&scaled, now)),
                Some(factor * a)
            );
            assert_eq!(whole.divide(divisor).map(|part| value_of(&part, now)), Some(a));
            if let Some(part) = left.divide(divisor) {
                assert_eq!(value_of(&part, now) * divisor, a);
            }
            assert_eq!(value_of(&rest, now) + coefficient * number_of(symbol, now), a);
            if let Some(total) = &total {
                let expected = value_of_index(&first, now) + factor * value_of_index(&second, now);
                assert_eq!(
                    value_of_index(total, now),
                    expected,
                    "{first:?} + {factor} * {second:?}"
                );
            }
        }
    });
    sums.is_at_least(80, "sums of indices that are one expression");
}

#[test]
fn ranges_hold_every_value() {
    let tight = Share::default();
    for_seeds(600, |seed| {
        let random = &mut Random::new(seed);
        let place = Where::of(random);
        let (linear, index) = (linear(random, place, 3), index(random, place));
        let mut used = Used::default();
        used.linear(&linear);
        used.index(&index);
        let Some(all) = moments(used, None) else { return };
        let holds = |range: Range, value: i64| {
            let value = i128::from(value);
            range.least.is_none_or(|least| least <= value) && range.most.is_none_or(|most| value <= most)
        };
        for now in &all {
            assert!(holds(of_linear(&linear), value_of(&linear, now)), "{linear:?}");
            assert!(holds(of_index(&index), value_of_index(&index, now)), "{index:?}");
        }
        // Where nothing is correlated, and all is bounded, both ends are reached.
        let range = of_index(&index);
        if let (Some(least), Some(most)) = (range.least, range.most) {
            let values = || all.iter().map(|now| i128::from(value_of_index(&index, now)));
            tight.count(values().min() == Some(least) && values().max() == Some(most));
        }
    });
    tight.is_at_least(85, "ranges of which both ends are reached");
}

#[test]
fn an_index_in_another_iteration_is_its_value_there() {
    let known = Share::default();
    for_seeds(600, |seed| {
        let random = &mut Random::new(seed);
        let place = Where::of(random);
        let scope = random.pick(place.scopes()).unwrap_or(Scope::Outer);
        let index = index(random, place);
        let iteration = match random.below(4) {
            0 => Linear::constant(random.number(0, 4)),
            1 => sum(
                &Linear::symbol(Symbol::Value(Value::Bounded, 0)),
                &Linear::constant(-1),
                1,
            ),
            _ => sum(
                &Linear::symbol(Symbol::Iteration(scope)),
                &Linear::constant(random.number(-3, 1)),
                1,
            ),
        };
        let moved = index.at(scope, &iteration, 1);
        known.count(moved.is_some());
        let Some(moved) = moved else { return };
        let mut used = Used::default();
        used.index(&index);
        used.linear(&iteration);
        let Some(all) = moments(used, Some((scope, used))) else {
            return;
        };
        for now in &all {
            let then = &mut now[1].clone();
            then[scope.count() as usize] = value_of(&iteration, now);
            // An inner loop is where it is now.
            if scope == Scope::Outer {
                then[Variable::Inner as usize] = now[0][Variable::Inner as usize];
            }
            let expected = value_of_index(&index, &[*then; 2]);
            assert_eq!(
                value_of_index(&moved, &[now[0], *then]),
                expected,
                "{index:?} at {iteration:?}"
            );
        }
    });
    known.is_at_least(90, "indices that are known in another iteration");
}

/// Elements of a buffer, with nothing left out: where they are, in each dimension of the base.
#[derive(Clone, Debug)]
struct Part {
    root: Root<World>,
    base: Value,
    extents: Vec<(Index<World>, Linear<World>)>,
}

impl Part {
    fn random(random: &mut Random, place: Where) -> Self {
        let tile = Root::Allocation(Value::Tile);
        let nest = [
            (tile, Value::Tile),
            (tile, Value::Tile),
            (tile, Value::Tile),
            (tile, Value::Pairs),
            (tile, Value::Window),
            (Root::Allocation(Value::Local), Value::Local),
        ];
        let others = [
            (tile, Value::Tile),
            (tile, Value::Pairs),
            (Root::NoAliasArgument(Value::First), Value::First),
            (Root::NoAliasArgument(Value::Second), Value::Second),
            (Root::Argument(Value::Left), Value::Left),
            (Root::Argument(Value::Right), Value::Right),
        ];
        let list = if place == Where::Nest && random.chance(75) {
            &nest
        } else {
            &others
        };
        let (root, base) = random.pick(list).unwrap_or(nest[0]);
        let mut part = Self {
            root,
            base,
            extents: Vec::new(),
        };
        part.draw(random, place);
        part
    }

    fn draw(&mut self, random: &mut Random, place: Where) {
        let extent = |random: &mut Random| {
            let span = match random.below(8) {
                0 => sum(
                    &Linear::symbol(Symbol::Value(Value::Bounded, 0)),
                    &Linear::constant(1),
                    1,
                ),
                _ => Linear::constant(random.number(1, 3)),
            };
            (index(random, place), span)
        };
        self.extents = World::shape(self.base).iter().map(|_| extent(random)).collect();
        if random.chance(8) {
            // All of it.
            let all = World::shape(self.base).into_iter().map(|size| {
                let size = Linear::constant(size.unwrap_or(ROW));
                (Index::constant(0), size)
            });
            self.extents = all.collect();
        }
    }

    /// Another part, of the same buffer more often than not.
    fn beside(&self, random: &mut Random, place: Where) -> Self {
        if random.chance(25) {
            return Self::random(random, place);
        }
        let mut other = self.clone();
        if random.chance(30) {
            other.draw(random, place);
            return other;
        }
        // Not far away.
        for (offset, _) in &mut other.extents {
            let gap = Index::constant(random.number(-3, 3));
            *offset = offset.add_scaled(&gap, 1).unwrap_or(gap);
        }
        other
    }

    /// The region, as far as somebody knows it.
    fn region(&self, random: &mut Random) -> Region<World> {
        let known = random.chance(90);
        let extents = self.extents.iter().map(|(offset, span)| Extent {
            offset: offset.clone(),
            span: Some(span.clone()).filter(|_| random.chance(95)),
            exact: random.chance(85),
        });
        let extents = extents.collect();
        Region {
            root: self.root,
            base: self.base,
            extents: Some(extents).filter(|_| known),
            bytes: self.bytes().filter(|_| random.chance(80)),
        }
    }

    fn bytes(&self) -> Option<Extent<World>> {
        let (first, length) = match (self.base, self.extents.as_slice()) {
            (Value::Tile, [(row, rows), (column, columns)]) => (
                column.add_scaled(row, ROW)?,
                columns.add_scaled(rows, ROW)?.add_scaled(&Linear::constant(ROW), -1)?,
            ),
            (Value::Pairs, [(first, length)]) => (Index::constant(0).add_scaled(first, 2)?, length.scale(2)?),
            (Value::Window, [(first, length)]) => {
                let beginning = Index::Linear(Linear::symbol(Symbol::Value(Value::OfOuter, 0)));
                (first.add_scaled(&beginning, 4)?, length.clone())
            }
            (_, [(first, length)]) => (first.clone(), length.clone()),
            _ => return None,
        };
        Some(Extent {
            offset: first,
            span: Some(length),
            exact: false,
        })
    }

    /// The elements at a moment: in each dimension, from the first to the one after the last.
    fn elements(&self, now: &Moment) -> Vec<(i64, i64)> {
        let now = [*now; 2];
        let extents = self.extents.iter();
        extents
            .map(|(offset, span)| {
                let first = value_of_index(offset, &now);
                (first, first + value_of(span, &now))
            })
            .collect()
    }

    /// The bytes at a moment; of a tile those of each row.
    fn rows_of_bytes(&self, now: &Moment) -> Vec<(i64, i64)> {
        match (self.base, self.elements(now).as_slice()) {
            (Value::Tile, [rows, columns]) => (rows.0..rows.1)
                .map(|row| (ROW * row + columns.0, ROW * row + columns.1))
                .collect(),
            (Value::Pairs, [(from, to)]) => vec![(2 * from, 2 * to)],
            (Value::Window, [(from, to)]) => {
                let beginning = 4 * now[Variable::OfOuter as usize];
                vec![(beginning + from, beginning + to)]
            }
            (_, elements) => elements.to_vec(),
        }
    }

    /// Whether the two have something in common: in the coordinates of one base, or else in bytes. Two buffers that may
    /// overlap do, wherever somebody wants it.
    fn meets(&self, now: &Moment, other: &Self, then: &Moment, is_one_iteration: bool) -> bool {
        if self.root != other.root {
            let is_plain = |root: Root<World>| matches!(root, Root::Argument(_));
            return is_plain(self.root) && is_plain(other.root)
                || is_plain(self.root) && matches!(other.root, Root::NoAliasArgument(_))
                || is_plain(other.root) && matches!(self.root, Root::NoAliasArgument(_));
        }
        if self.base == other.base && self.base != Value::Window {
            return (is_one_iteration || self.base != Value::Local)
                && all_meet(&self.elements(now), &other.elements(then));
        }
        let others = other.rows_of_bytes(then);
        self.rows_of_bytes(now)
            .iter()
            .any(|own| others.iter().any(|other| meet(*own, *other)))
    }

    /// Whether all of it is in the memory.
    fn is_inside(&self, now: &Moment) -> bool {
        let sizes = World::shape(self.base);
        let fits = |((from, to), size): (&(i64, i64), &Option<i64>)| *from >= 0 && size.is_none_or(|size| *to <= size);
        let rows = self.rows_of_bytes(now);
        self.elements(now).iter().zip(&sizes).all(fits) && rows.iter().all(|row| row.0 >= 0 && row.1 <= ROWS * ROW)
    }
}

fn meet(left: (i64, i64), right: (i64, i64)) -> bool {
    left.0 < right.1 && right.0 < left.1
}

fn all_meet(left: &[(i64, i64)], right: &[(i64, i64)]) -> bool {
    left.iter().zip(right).all(|(left, right)| meet(*left, *right))
}

fn access(region: Region<World>, write: bool) -> Access<World> {
    Access {
        region,
        write,
        full: true,
        whole_of: None,
    }
}

#[test]
fn regions_of_one_iteration() {
    let (apart, certain, inside) = (Share::default(), Share::default(), Share::default());
    for_seeds(1500, |seed| {
        let random = &mut Random::new(seed);
        let place = Where::of(random);
        let left = Part::random(random, place);
        let right = left.beside(random, place);
        let (first, second) = (left.region(random), right.region(random));
        let mut used = Used::default();
        used.part(&left);
        used.part(&right);
        let Some(all) = moments(used, None) else { return };
        let meets = |now: &Moments| left.meets(&now[0], &right, &now[0], true);
        let may_overlap = first.may_overlap(&second);
        assert_eq!(may_overlap, second.may_overlap(&first));
        if !may_overlap {
            assert!(!all.iter().any(meets), "{first:?}\nand {second:?}");
        }
        if !all.iter().any(meets) {
            apart.count(!may_overlap);
        }
        let (write, read) = (access(first.clone(), true), access(second.clone(), false));
        assert!(write.conflicts(&read) == may_overlap && !read.conflicts(&read));
        let is_certain = write.meets_for_certain(&read);
        if is_certain {
            assert!(all.iter().all(meets), "{first:?}\nand {second:?}");
        }
        let is_same = left.root == right.root && left.base == right.base;
        if is_same && all.iter().all(meets) {
            certain.count(is_certain);
        }
        // What leaves its memory means nothing.
        let contains = |now: &Moments| {
            let (outer, inner) = (left.elements(&now[0]), right.elements(&now[0]));
            let holds = |(outer, inner): (&(i64, i64), &(i64, i64))| outer.0 <= inner.0 && inner.1 <= outer.1;
            outer.iter().zip(&inner).all(holds)
        };
        let sane: Vec<&Moments> = all
            .iter()
            .filter(|now| left.is_inside(&now[0]) && right.is_inside(&now[0]))
            .collect();
        if first.contains(&second) {
            let is_whole = |now: &Moments| left.base == Value::Tile && left.elements(&now[0]) == [(0, ROWS), (0, ROW)];
            let same_root = left.root == right.root;
            let holds =
                |now: &&Moments| same_root && (is_same && contains(now) || is_whole(now) || first.is_whole_root());
            assert!(sane.iter().all(holds), "{first:?}\nand {second:?}");
        }
        assert_eq!(write.covers(&read), first.contains(&second));
        if is_same && all.iter().all(contains) {
            inside.count(first.contains(&second));
        }
    });
    apart.is_at_least(70, "regions that are apart");
    certain.is_at_least(30, "regions that certainly meet");
    inside.is_at_least(35, "regions of which one certainly holds the other");
}

#[test]
fn a_region_after_a_loop_holds_those_of_all_iterations() {
    let close = Share::default();
    for_seeds(800, |seed| {
        let random = &mut Random::new(seed);
        let place = Where::of(random);
        let scope = random.pick(place.scopes()).unwrap_or(Scope::Outer);
        let part = Part::random(random, place);
        let region = part.region(random);
        let outside = access(region.clone(), true).outside(scope).region;
        assert_eq!(outside.root, region.root);
        let mut used = Used::default();
        used.part(&part);
        let Some(all) = moments(used, None) else { return };
        let (mut extents, bytes) = (outside.extents.as_ref(), outside.bytes.as_ref());
        if outside.base != part.base {
            assert!(outside.extents.is_none() && World::is_defined_inside(part.base, scope));
            extents = None;
        }
        let of_inside = |extent: &Extent<World>| extent.depends_on(scope);
        assert!(
            !extents.into_iter().flatten().chain(bytes).any(of_inside),
            "{outside:?}"
        );
        for now in all.iter().filter(|now| part.is_inside(&now[0])) {
            let holds = |extent: &Extent<World>, (from, to): (i64, i64)| {
                let first = value_of_index(&extent.offset, now);
                let last = extent.span.as_ref().map(|span| first + value_of(span, now));
                first <= from && last.is_none_or(|last| to <= last)
            };
            if let Some(extents) = extents {
                let mut each = extents.iter().zip(part.elements(&now[0]));
                assert!(
                    each.all(|(extent, elements)| holds(extent, elements)),
                    "{region:?}\nis {outside:?}"
                );
            }
            if let Some(extent) = bytes {
                let mut rows = part.rows_of_bytes(&now[0]).into_iter();
                assert!(rows.all(|row| holds(extent, row)), "{region:?}\nis {outside:?}");
            }
        }
        if region.extents.is_some() && outside.base == part.base {
            let is_known = |extent: &Extent<World>| {
                extent
                    .span
                    .as_ref()
                    .is_some_and(|span| span.as_constant().is_none_or(|span| span < ROWS * ROW))
            };
            close.count(outside.extents.iter().flatten().all(is_known));
        }
    });
    close.is_at_least(75, "regions after a loop that are less than all");
}

#[test]
fn a_region_in_another_iteration_is_the_one_there() {
    for_seeds(600, |seed| {
        let random = &mut Random::new(seed);
        let place = Where::of(random);
        let scope = random.pick(place.scopes()).unwrap_or(Scope::Outer);
        let part = Part::random(random, place);
        let region = part.region(random);
        let ago = random.number(1, 3);
        let iteration = sum(&Linear::symbol(Symbol::Iteration(scope)), &Linear::constant(-ago), 1);
        let moved = access(region.clone(), true).at(scope, &iteration, ago).region;
        let mut used = Used::default();
        used.part(&part);
        used.linear(&iteration);
        let Some(all) = moments(used, Some((scope, used))) else {
            return;
        };
        for now in &all {
            let mut then = now[1];
            then[scope.count() as usize] = now[0][scope.count() as usize] - ago;
            if scope == Scope::Outer {
                then[Variable::Inner as usize] = now[0][Variable::Inner as usize];
            }
            let both = [now[0], then];
            let are_equal = |moved: &Extent<World>, own: &Extent<World>| {
                let spans = moved.span.as_ref().zip(own.span.as_ref());
                value_of_index(&moved.offset, &both) == value_of_index(&own.offset, &[then; 2])
                    && spans.is_none_or(|(moved, own)| value_of(moved, &both) == value_of(own, &[then; 2]))
            };
            let pairs = moved.extents.iter().flatten().zip(region.extents.iter().flatten());
            let pairs = pairs.chain(moved.bytes.iter().zip(&region.bytes));
            for (moved, own) in pairs {
                assert!(are_equal(moved, own), "{own:?}\nis {moved:?}");
            }
        }
    });
}

#[test]
fn no_conflict_comes_before_the_distance_of_conflicts() {
    let (exact, never) = (Share::default(), Share::default());
    for_seeds(1500, |seed| {
        let random = &mut Random::new(seed);
        let place = Where::of(random);
        let scope = random.pick(place.scopes()).unwrap_or(Scope::Outer);
        let left = Part::random(random, place);
        let right = left.beside(random, place);
        let writes = random.pick(&[(true, false), (false, true), (true, true), (false, false)]);
        let (earlier_writes, later_writes) = writes.unwrap_or((true, true));
        let earlier = access(left.region(random), earlier_writes);
        let later = access(right.region(random), later_writes);
        let least = random.below(4) as u32;
        let answer = conflict_distance(scope, &earlier, &later, least);
        assert!(answer.is_none_or(|distance| distance >= least));
        let count = scope.count();
        let (mut now, mut then) = (Used::default(), Used::default());
        now.part(&right);
        now.add(count);
        then.part(&left);
        then.add(count);
        let Some(all) = moments(now, Some((scope, then))) else {
            return;
        };
        let last = count.numbers().len() as i64 - 1;
        let mut met: Option<u32> = None;
        for moments in &all {
            let [now, then] = moments;
            let distance = now[count as usize] - then[count as usize];
            if !(i64::from(least)..=last).contains(&distance) || !(earlier_writes || later_writes) {
                continue;
            }
            let distance = distance as u32;
            // What is made in an iteration is one thing in it.
            if distance == 0 && !is_one_iteration(scope, now, then) {
                continue;
            }
            if met.is_none_or(|met| distance < met)
                && left.meets(then, &right, now, distance == 0 || scope != Scope::Outer)
            {
                met = Some(distance);
            }
        }
        let is_right = match (answer, met) {
            (Some(answer), Some(met)) => answer <= met,
            (None, Some(_)) => false,
            _ => true,
        };
        assert!(
            is_right,
            "{scope:?} from {least}: {answer:?}, met at {met:?}\n{earlier:?}\n{later:?}"
        );
        match met {
            Some(met) => exact.count(answer == Some(met)),
            None => never.count(answer.is_none_or(|answer| i64::from(answer) > last)),
        }
    });
    exact.is_at_least(90, "distances at which there is a conflict");
    never.is_at_least(75, "accesses that never conflict");
}

/// Whether two moments are of the same iteration, inner ones included, which distance 0 speaks of.
fn is_one_iteration(scope: Scope, now: &Moment, then: &Moment) -> bool {
    VARIABLES
        .iter()
        .all(|variable| !variable.is_inside(scope) || now[*variable as usize] == then[*variable as usize])
}
