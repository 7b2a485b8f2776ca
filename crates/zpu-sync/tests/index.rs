//! The index algebra against enumeration: all values of all symbols, in all iterations.
//!
//! The world is small: a loop of six iterations with one of three in it, another one whose trip count and step nobody
//! knows, a few numbers, and buffers. Each question is put to the algebra once, and to the world for all numbers that
//! there are. "May" is always a right answer, so each test also counts how often the closer one is given.

#[path = "common/random.rs"]
mod random;
mod world;

use random::{Random, Share, for_seeds};
use world::draw::{Where, index, linear, sum};
use world::part::{Part, access};
use world::{
    Moments, ROW, ROWS, Scope, Used, Value, Variable, World, is_one_iteration, moments, number_of, value_of,
    value_of_index,
};
use zpu_sync::index::distance::conflict_distance;
use zpu_sync::index::range::{of_index, of_linear};
use zpu_sync::index::{Extent, Facts, Linear, Range, Symbol};

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
