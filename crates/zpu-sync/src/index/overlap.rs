//! Meetings of two extents, in one iteration or over a distance of iterations.
//!
//! Two extents of one dimension are apart when the first ends before the second begins, or the other way round. Both
//! are inequalities between expressions; one holds for certain when the bounds of the difference say so. Over a
//! distance `d`, the earlier extent is that of iteration `k - d`, and the difference shrinks or grows steadily with
//! `d`: so the distances at which the two may meet are an interval. Slots of a ring (`x mod N`) meet periodically.

use super::linear::{Index, Linear, Modulo, Symbol};
use super::names::Facts;
use super::range::{self, Range};
use super::region::Extent;

/// True if two extents certainly have no index in common in one iteration.
pub(crate) fn disjoint<N: Facts>(left: &Extent<N>, right: &Extent<N>) -> bool {
    is_before(left, right) || is_before(right, left) || never_meet(left, right)
}

/// True if an index certainly is 0 or more.
pub(crate) fn is_never_negative<N: Facts>(index: &Index<N>) -> bool {
    range::of_index(index).is_not_negative()
}

/// True if `left` certainly ends before `right` begins.
fn is_before<N: Facts>(left: &Extent<N>, right: &Extent<N>) -> bool {
    let Some(span) = &left.span else { return false };
    let room = right
        .offset
        .add_scaled(&left.offset, -1)
        .and_then(|gap| gap.add_scaled(&Index::Linear(span.clone()), -1));
    match room {
        Some(room) => is_never_negative(&room),
        // Two remainders that have nothing to do with each other.
        None => {
            let (from, to) = (range::of_index(&left.offset), range::of_index(&right.offset));
            let end = from.plus(range::of_linear(span));
            end.most.zip(to.least).is_some_and(|(end, begin)| end <= begin)
        }
    }
}

fn never_meet<N: Facts>(left: &Extent<N>, right: &Extent<N>) -> bool {
    Slots::of(left, right, |linear| Some((linear.clone(), 0))).is_some_and(|slots| !slots.meet(0))
}

/// Distances, 1 or more, at which two extents may meet.
#[derive(Clone, Debug)]
pub(crate) struct Meetings {
    /// The first; none at all when it is greater than the last.
    pub(crate) first: i128,
    /// The last; `None` when there is none.
    pub(crate) last: Option<i128>,
    /// Besides, if they are slots of a ring.
    pub(crate) slots: Option<Slots>,
}

impl Meetings {
    /// Meetings of `earlier` in iteration `k - d` and `later` in iteration `k` of `op`, for some `k`.
    pub(crate) fn of<N: Facts>(op: N::Scope, earlier: &Extent<N>, later: &Extent<N>) -> Self {
        let mut all = Self {
            first: 1,
            last: None,
            slots: None,
        };
        // The earlier one must not end before the later begins, nor begin after its end.
        if let Some(span) = &earlier.span {
            all.restrict(Steady::of(op, earlier, later, Some(span), None).may_be_positive());
        }
        if let Some(span) = &later.span {
            all.restrict(Steady::of(op, earlier, later, None, Some(span)).may_be_negative());
        }
        all.slots = Slots::of(earlier, later, |linear| shifted(op, linear));
        all
    }

    fn restrict(&mut self, to: HalfLine) {
        match to {
            HalfLine::All => {}
            HalfLine::None => self.last = Some(0),
            HalfLine::From(first) => self.first = self.first.max(first),
            HalfLine::To(last) => self.last = Some(self.last.map_or(last, |known| known.min(last))),
        }
    }
}

/// Distances on one side of a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HalfLine {
    All,
    None,
    /// This one and greater ones.
    From(i128),
    /// This one and smaller ones.
    To(i128),
}

impl HalfLine {
    /// The distances at which `constant - growth * d > 0`.
    fn positive(constant: i128, growth: i128) -> Self {
        match growth.signum() {
            0 if constant > 0 => Self::All,
            0 => Self::None,
            1 => Self::To((constant - 1).div_euclid(growth)),
            _ => Self::From((-constant).div_euclid(-growth) + 1),
        }
    }

    /// A half line that holds both.
    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, line) | (line, Self::None) => line,
            (Self::From(left), Self::From(right)) => Self::From(left.min(right)),
            (Self::To(left), Self::To(right)) => Self::To(left.max(right)),
            _ => Self::All,
        }
    }
}

/// A difference that changes steadily with the distance: the beginning of the earlier extent less that of the later
/// one, plus the span of the earlier or less that of the later. It is
/// `range - growth * d + (steps - travel * d) * step`, where the step is 1 or more.
struct Steady {
    range: Range,
    growth: i128,
    steps: i128,
    travel: i128,
}

impl Steady {
    fn of<N: Facts>(
        op: N::Scope,
        earlier: &Extent<N>,
        later: &Extent<N>,
        plus: Option<&Linear<N>>,
        minus: Option<&Linear<N>>,
    ) -> Self {
        let unknown = Self {
            range: Range {
                least: None,
                most: None,
            },
            growth: 0,
            steps: 0,
            travel: 0,
        };
        let (from, from_range) = parts(&earlier.offset);
        let (to, to_range) = parts(&later.offset);
        let earlier_sum = plus.map_or(Some(from.clone()), |span| from.add_scaled(span, 1));
        let later_sum = minus.map_or(Some(to.clone()), |span| to.add_scaled(span, 1));
        let (Some(from), Some(to)) = (earlier_sum, later_sum) else {
            return unknown;
        };
        let (Some(mut sum), false) = (stable_difference(op, &from, &to), is_mixed(op, &from)) else {
            return unknown;
        };
        let travel = from.split(Symbol::Travel(op)).1;
        let mut steps = 0;
        if travel != 0
            && let Some(step) = N::step(op)
            && let Some(step) = step.as_linear().and_then(Linear::as_value)
        {
            (sum, steps) = sum.split(Symbol::Value(step, 0));
        }
        Self {
            range: made_inside(op, &from, &to)
                .fold(range::of_linear(&sum), Range::plus)
                .plus(from_range)
                .plus(to_range.scale(-1)),
            growth: from.split(Symbol::Iteration(op)).1.into(),
            steps: steps.into(),
            travel: travel.into(),
        }
    }

    /// The distances at which it may be above 0.
    fn may_be_positive(&self) -> HalfLine {
        match self.range.most {
            Some(most) => Self::positive(most, self.growth, self.steps, self.travel),
            None => HalfLine::All,
        }
    }

    /// The distances at which it may be below 0.
    fn may_be_negative(&self) -> HalfLine {
        match self.range.least {
            Some(least) => Self::positive(-least, -self.growth, -self.steps, -self.travel),
            None => HalfLine::All,
        }
    }

    fn positive(most: i128, growth: i128, steps: i128, travel: i128) -> HalfLine {
        if travel == 0 {
            // `steps` is 0 then.
            return HalfLine::positive(most, growth);
        }
        if growth != 0 {
            return HalfLine::All;
        }
        // Without bound where more steps are added than taken, else greatest for a step of 1.
        HalfLine::positive(steps, travel).or(HalfLine::positive(most + steps, travel))
    }
}

/// True if an expression counts both iterations and steps of a loop, which [`Steady`] does not follow.
fn is_mixed<N: Facts>(op: N::Scope, linear: &Linear<N>) -> bool {
    linear.split(Symbol::Iteration(op)).1 != 0 && linear.split(Symbol::Travel(op)).1 != 0
}

/// The linear part of an index, and the range of its remainder.
fn parts<N: Facts>(index: &Index<N>) -> (Linear<N>, Range) {
    match index {
        Index::Linear(linear) => (linear.clone(), Range::constant(0)),
        Index::Modulo(modulo) => {
            let last = Range {
                least: Some(0),
                most: Some(i128::from(modulo.modulus) - 1),
            };
            (modulo.rest.clone(), last.scale(modulo.factor))
        }
    }
}

/// True if a symbol has other values in other iterations, apart from the loop's own count.
fn is_instance<N: Facts>(op: N::Scope, symbol: Symbol<N>) -> bool {
    symbol.is_made_inside(op) && symbol != Symbol::Iteration(op) && symbol != Symbol::Travel(op)
}

/// The difference of what is the same in all iterations; the loop's own count is that of the later one.
fn stable_difference<N: Facts>(op: N::Scope, from: &Linear<N>, to: &Linear<N>) -> Option<Linear<N>> {
    let stable = |linear: &Linear<N>| linear.filtered(|symbol| !is_instance(op, symbol));
    stable(from).add_scaled(&stable(to), -1)
}

/// The ranges of what is made anew in each iteration.
fn made_inside<'a, N: Facts>(op: N::Scope, from: &'a Linear<N>, to: &'a Linear<N>) -> impl Iterator<Item = Range> + 'a {
    let ranges = move |linear: &'a Linear<N>, sign: i64| {
        let terms = linear
            .terms()
            .iter()
            .filter(move |(symbol, _)| is_instance(op, *symbol));
        terms.map(move |(symbol, coefficient)| N::range(*symbol).scale(*coefficient).scale(sign))
    };
    ranges(from, 1).chain(ranges(to, -1))
}

/// The value of `linear` `d` iterations earlier, as a pair: the first less `d` times the second. `None` if it is not
/// known.
fn shifted<N: Facts>(op: N::Scope, linear: &Linear<N>) -> Option<(Linear<N>, i64)> {
    let known = linear
        .terms()
        .iter()
        .all(|(symbol, _)| !is_instance(op, *symbol) && *symbol != Symbol::Travel(op));
    known.then(|| (linear.clone(), linear.split(Symbol::Iteration(op)).1))
}

/// Two extents in slots of one ring: `constant + factor * ((x mod N) - (y mod N))` lies between their beginnings, and
/// `x - y` is `gap - growth * d`, modulo `N`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    constant: i128,
    factor: i128,
    modulus: i128,
    gap: i128,
    growth: i128,
    /// Spans of the two.
    left: i128,
    right: i128,
}

impl Slots {
    /// `shift` says what the expressions of the left one become, and how they change with the distance.
    fn of<N: Facts>(
        left: &Extent<N>,
        right: &Extent<N>,
        shift: impl Fn(&Linear<N>) -> Option<(Linear<N>, i64)>,
    ) -> Option<Self> {
        let (Index::Modulo(a), Index::Modulo(b)) = (&left.offset, &right.offset) else {
            return None;
        };
        if a.factor != b.factor || a.modulus != b.modulus {
            return None;
        }
        let spans = (left.span.as_ref()?.as_constant()?, right.span.as_ref()?.as_constant()?);
        let (rest, moved) = shift(&a.rest)?;
        if moved != 0 {
            return None;
        }
        let (dividend, growth) = shift(&a.dividend)?;
        let constant = rest.add_scaled(&b.rest, -1)?.as_constant()?;
        let gap = gap(&dividend, b)?;
        Some(Self {
            constant: constant.into(),
            factor: a.factor.into(),
            modulus: a.modulus.into(),
            gap: gap.into(),
            growth: growth.into(),
            left: spans.0.into(),
            right: spans.1.into(),
        })
    }

    /// True if the two may have an index in common at a distance.
    pub(crate) fn meet(&self, distance: i128) -> bool {
        let ahead = (self.gap - self.growth * distance).rem_euclid(self.modulus);
        let overlap = |slots: i128| {
            let between = self.constant + self.factor * slots;
            -self.left < between && between < self.right
        };
        overlap(ahead) || ahead > 0 && overlap(ahead - self.modulus)
    }

    /// After how many more iterations it is the same again.
    pub(crate) fn period(&self) -> i128 {
        let (mut a, mut b) = (self.modulus, self.growth.rem_euclid(self.modulus));
        while b != 0 {
            (a, b) = (b, a % b);
        }
        self.modulus / a
    }
}

/// The difference of two dividends, if it is constant modulo the modulus.
fn gap<N: Facts>(left: &Linear<N>, right: &Modulo<N>) -> Option<i64> {
    let difference = left.add_scaled(&right.dividend, -1)?;
    let constant = difference.terms().iter().all(|(_, c)| c % right.modulus == 0);
    constant.then(|| difference.offset())
}
