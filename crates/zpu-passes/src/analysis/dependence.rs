//! Which units of a loop body have to keep their order, and over how many iterations.

use super::access::Access;
use super::body::{Body, Unit};
use super::linear::{Linear, Symbol};
use super::region::Root;
use zpu_ir::Op;
use zpu_ir::scf::For;

/// `to` in iteration `k + distance` must come after `from` in iteration `k`, for every `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dependence {
    /// Earlier unit.
    pub(crate) from: usize,
    /// Later unit.
    pub(crate) to: usize,
    /// Iterations between them; the least for which the dependence holds.
    pub(crate) distance: u32,
    /// What makes it one.
    pub(crate) kind: Kind,
}

/// What makes two units dependent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Read after write.
    Raw,
    /// Write after read.
    War,
    /// Write after write.
    Waw,
    /// An SSA value.
    Value,
}

impl Kind {
    /// In words.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Raw => "read after write",
            Self::War => "write after read",
            Self::Waw => "write after write",
            Self::Value => "use of a value",
        }
    }
}

/// Distances are tried one by one up to this; beyond, only a proof for all of them counts.
const WINDOW: u32 = 64;

/// The smallest distance, at least `least`, at which `earlier` in iteration `k` and `later` in iteration `k + distance` may
/// touch the same memory; `None` if there is none.
pub(crate) fn conflict_distance<'c>(
    for_: For<'c>,
    earlier: &Access<'c>,
    later: &Access<'c>,
    least: u32,
) -> Option<u32> {
    if !(earlier.write || later.write) {
        return None;
    }
    // Each iteration has an allocation of its own.
    if let (Root::Allocation(left), Root::Allocation(right)) = (earlier.region.root, later.region.root)
        && left == right
        && left.is_defined_inside(for_.op)
    {
        return (least == 0 && earlier.conflicts(later)).then_some(0);
    }
    if !earlier.region.root.may_alias(later.region.root) {
        return None;
    }
    // What is the same place in every iteration meets at every distance, or at none.
    if !earlier.region.varies(for_.op) && !later.region.varies(for_.op) {
        return earlier.conflicts(later).then_some(least);
    }
    let here = Linear::symbol(Symbol::Iteration(for_.op));
    for distance in least..=least + WINDOW {
        let before = here.add_scaled(&Linear::constant(i64::from(distance)), -1);
        // Values that are made in the loop are other ones in another iteration.
        let moved = before.map(|before| earlier.at(for_.op, &before, i64::from(distance)));
        if moved.is_none_or(|moved| moved.conflicts(later)) {
            return Some(distance);
        }
    }
    if disjoint_for_ever(for_.op, earlier, later) {
        None
    } else {
        Some(least)
    }
}

/// Whether two accesses that were disjoint over the whole window stay so: some dimension moves apart monotonically, or
/// repeats within the window.
fn disjoint_for_ever<'c>(op: Op<'c>, earlier: &Access<'c>, later: &Access<'c>) -> bool {
    use super::linear::Index;
    if !earlier.region.may_overlap(&later.region) && earlier.region.root != later.region.root {
        return true;
    }
    if earlier.region.base != later.region.base {
        return true; // the roots never alias, or the window would have found an overlap
    }
    let (Some(left), Some(right)) = (&earlier.region.extents, &later.region.extents) else {
        return false;
    };
    left.iter()
        .zip(right)
        .any(|(left, right)| match (&left.offset, &right.offset) {
            // The gap between the two is constant plus growth * distance: once disjoint over 64 steps in which it moves, it
            // has passed the other or never meets it.
            (Index::Linear(a), Index::Linear(b)) => {
                let growth = a.growth(op);
                let gap = a.add_scaled(b, -1).and_then(|gap| gap.as_constant());
                let bound = |span: &Option<Linear<'c>>| span.as_ref().and_then(Linear::as_constant);
                let (Some(gap), Some(left), Some(right)) = (gap, bound(&left.span), bound(&right.span)) else {
                    return false;
                };
                if growth != b.growth(op) {
                    return false;
                }
                // After `distance` iterations, earlier - later = gap - growth * distance.
                let last = i128::from(gap) - i128::from(growth) * i128::from(WINDOW);
                match growth.signum() {
                    1 => last <= -i128::from(left),
                    -1 => last >= i128::from(right),
                    _ => gap <= -left || gap >= right,
                }
            }
            (Index::Modulo(a, n), Index::Modulo(b, m)) => {
                let constant = a.add_scaled(b, -1).and_then(|gap| gap.as_constant()).is_some();
                n == m && constant && *n <= i64::from(WINDOW) && a.growth(op) == b.growth(op) && {
                    // Periodic in the distance with a period that divides the modulus: it must be apart at every distance.
                    let gap = a.add_scaled(b, -1).and_then(|gap| gap.as_constant()).unwrap_or(0);
                    let growth = a.growth(op);
                    (0..*n).all(|distance| (gap - growth * distance).rem_euclid(*n) != 0)
                }
            }
            _ => false,
        })
}

/// The kind of a dependence by its two accesses.
fn kind_of(earlier: &Access<'_>, later: &Access<'_>) -> Kind {
    match (earlier.write, later.write) {
        (true, true) => Kind::Waw,
        (false, true) => Kind::War,
        _ => Kind::Raw,
    }
}

/// The dependence of `to` on `from` with the smallest distance, if there is one of at most `furthest`.
fn between<'c>(body: &Body<'c>, from: usize, to: usize, furthest: u32, skip: Skip<'_, 'c>) -> Option<Dependence> {
    let least = u32::from(from >= to);
    let mut best: Option<Dependence> = None;
    for earlier in &body.units[from].accesses {
        for later in &body.units[to].accesses {
            let Some(mut distance) = conflict_distance(body.for_, earlier, later, least) else {
                continue;
            };
            if let Some(again) = skip(earlier, later, distance) {
                distance = again;
            }
            if distance <= furthest && best.is_none_or(|best| distance < best.distance) {
                best = Some(Dependence {
                    from,
                    to,
                    distance,
                    kind: kind_of(earlier, later),
                });
            }
        }
    }
    best
}

/// Overrides the distance of a pair of accesses: what versions of a buffer do to it.
type Skip<'a, 'c> = &'a dyn Fn(&Access<'c>, &Access<'c>, u32) -> Option<u32>;

/// All dependences of a body up to a distance, one per ordered pair of units: the one with the smallest distance, which
/// implies those of the same pair that are further away.
pub(crate) fn dependences<'c>(body: &Body<'c>, furthest: u32) -> Vec<Dependence> {
    dependences_with(body, furthest, &|_, _, _| None)
}

/// As [`dependences`], with distances of single pairs of accesses overridden.
pub(crate) fn dependences_with<'c>(body: &Body<'c>, furthest: u32, skip: Skip<'_, 'c>) -> Vec<Dependence> {
    let mut all = Vec::new();
    for from in 0..body.units.len() {
        for to in 0..body.units.len() {
            if from == to && body.units[from].accesses.iter().all(|access| !access.write) {
                continue;
            }
            if may_share(&body.units[from], &body.units[to]) {
                all.extend(between(body, from, to, furthest, skip));
            }
        }
    }
    let values = body.value_dependences().into_iter();
    let near = values.filter(|(_, _, distance)| *distance <= furthest);
    all.extend(near.map(|(from, to, distance)| Dependence {
        from,
        to,
        distance,
        kind: Kind::Value,
    }));
    all
}

/// A quick look: whether any two accesses of the two units may be in one buffer.
fn may_share(left: &Unit<'_>, right: &Unit<'_>) -> bool {
    let roots = |unit: &Unit<'_>| unit.accesses.len();
    roots(left) > 0 && roots(right) > 0
}
