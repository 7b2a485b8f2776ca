//! Dependences: the order that units of a loop body have to keep, with distances in iterations.
//!
//! Accesses are compared root by root: those to memory that is certainly different never meet, so that the cost grows
//! with the accesses to each buffer and not with the square of the units.

use std::collections::{BTreeSet, HashMap};

use zpu_ir::Value;
use zpu_ir::scf::For;

use crate::access::Access;
use crate::body::Body;
pub use crate::distance::{conflict_distance, endless_distance};
use crate::region::Root;

/// `to` in iteration `k + distance` must come after `from` in iteration `k`, for every `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// Earlier unit.
    pub from: usize,
    /// Later unit.
    pub to: usize,
    /// Iterations between them; the least for which the dependence holds.
    pub distance: u32,
    /// The reason for the order.
    pub kind: Kind,
}

/// The reason for a dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
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
    /// The kind of the dependence between two accesses.
    pub fn of(earlier: &Access<'_>, later: &Access<'_>) -> Self {
        match (earlier.write, later.write) {
            (true, true) => Self::Waw,
            (false, true) => Self::War,
            _ => Self::Raw,
        }
    }

    /// The kind in words, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Raw => "read after write",
            Self::War => "write after read",
            Self::Waw => "write after write",
            Self::Value => "use of a value",
        }
    }
}

/// Two accesses that have to keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// Earlier unit.
    pub from: usize,
    /// Later unit.
    pub to: usize,
    /// Position of the access in the earlier unit's list.
    pub earlier: usize,
    /// Position of the access in the later unit's list.
    pub later: usize,
    /// The smallest distance in iterations.
    pub distance: u32,
}

/// Accesses in one memory, by unit and position in the unit's list.
#[derive(Debug)]
struct Bucket<'c> {
    root: Root<'c>,
    reads: Vec<(usize, usize)>,
    writes: Vec<(usize, usize)>,
}

/// One bucket a root, in the order of first access.
fn buckets<'c>(units: &[&[Access<'c>]]) -> Vec<Bucket<'c>> {
    let mut all: Vec<Bucket<'c>> = Vec::new();
    let mut known: HashMap<Value<'c>, usize> = HashMap::new();
    for (unit, accesses) in units.iter().enumerate() {
        for (position, access) in accesses.iter().enumerate() {
            let root = access.region.root;
            let bucket = *known.entry(root.value()).or_insert_with(|| {
                // Two values may name one global.
                let same = matches!(root, Root::Global(_)).then(|| all.iter().position(|known| known.root == root));
                same.flatten().unwrap_or_else(|| {
                    all.push(Bucket {
                        root,
                        reads: Vec::new(),
                        writes: Vec::new(),
                    });
                    all.len() - 1
                })
            });
            let list = if access.write {
                &mut all[bucket].writes
            } else {
                &mut all[bucket].reads
            };
            list.push((unit, position));
        }
    }
    all
}

/// Calls `visit` for each ordered pair of buckets that may be the same memory, including each bucket with itself.
fn each_pair<'a, 'c>(all: &'a [Bucket<'c>], mut visit: impl FnMut(&'a Bucket<'c>, &'a Bucket<'c>)) {
    for (i, bucket) in all.iter().enumerate() {
        visit(bucket, bucket);
        if bucket.root.is_distinct() {
            continue;
        }
        for (k, other) in all.iter().enumerate() {
            // A pair of which neither is distinct comes up once from each side.
            if k != i && bucket.root.may_alias(other.root) {
                visit(bucket, other);
                if other.root.is_distinct() {
                    visit(other, bucket);
                }
            }
        }
    }
}

/// All pairs of accesses of which one writes and that may meet, in order of units and accesses.
pub fn conflicts<'c>(for_: For<'c>, units: &[&[Access<'c>]]) -> Vec<Conflict> {
    let mut found = Vec::new();
    let mut compare = |(from, earlier): (usize, usize), (to, later): (usize, usize)| {
        let least = u32::from(from >= to);
        let distance = conflict_distance(for_, &units[from][earlier], &units[to][later], least);
        found.extend(distance.map(|distance| Conflict {
            from,
            to,
            earlier,
            later,
            distance,
        }));
    };
    each_pair(&buckets(units), |left, right| {
        for write in &left.writes {
            for other in right.reads.iter().chain(&right.writes) {
                compare(*write, *other);
            }
        }
        for read in &left.reads {
            for write in &right.writes {
                compare(*read, *write);
            }
        }
    });
    found.sort_unstable();
    found
}

/// All pairs of units of straight-line code that have to keep their order, as (later, earlier). A unit of `None` may
/// access anything.
pub fn straight_line_conflicts(units: &[Option<&[Access<'_>]>]) -> BTreeSet<(usize, usize)> {
    let known: Vec<&[Access<'_>]> = units.iter().map(|unit| unit.unwrap_or_default()).collect();
    let mut pairs = BTreeSet::new();
    let mut compare = |(from, one): (usize, usize), (to, other): (usize, usize)| {
        if from < to && known[from][one].conflicts(&known[to][other]) {
            pairs.insert((to, from));
        }
    };
    each_pair(&buckets(&known), |left, right| {
        let all = |bucket: &Bucket<'_>| -> Vec<_> { bucket.reads.iter().chain(&bucket.writes).copied().collect() };
        for write in &left.writes {
            all(right).into_iter().for_each(|other| compare(*write, other));
        }
        for read in &left.reads {
            right.writes.iter().for_each(|write| compare(*read, *write));
        }
    });
    for (at, _) in units.iter().enumerate().filter(|(_, unit)| unit.is_none()) {
        pairs.extend((0..at).map(|earlier| (at, earlier)));
        pairs.extend((at + 1..units.len()).map(|later| (later, at)));
    }
    pairs
}

/// Overrides the distance of a pair of accesses, as versions of a buffer do; `None` keeps it.
type Skip<'a, 'c> = &'a dyn Fn(&Access<'c>, &Access<'c>, u32) -> Option<u32>;

/// All dependences of a body up to a distance, one per ordered pair of units: the one with the smallest distance, which
/// implies those of the same pair that are further away.
pub fn dependences<'c>(body: &Body<'c>, furthest: u32) -> Vec<Dependence> {
    dependences_with(body, furthest, &|_, _, _| None)
}

/// All [`dependences`], with distances of single pairs of accesses overridden by `skip`.
pub fn dependences_with<'c>(body: &Body<'c>, furthest: u32, skip: Skip<'_, 'c>) -> Vec<Dependence> {
    let units: Vec<&[Access<'c>]> = body.units.iter().map(|unit| unit.accesses.as_slice()).collect();
    let mut all: Vec<Dependence> = Vec::new();
    for conflict in conflicts(body.for_, &units) {
        let (earlier, later) = (
            &units[conflict.from][conflict.earlier],
            &units[conflict.to][conflict.later],
        );
        let distance = skip(earlier, later, conflict.distance).unwrap_or(conflict.distance);
        if distance > furthest {
            continue;
        }
        let found = Dependence {
            from: conflict.from,
            to: conflict.to,
            distance,
            kind: Kind::of(earlier, later),
        };
        match all
            .last_mut()
            .filter(|last| (last.from, last.to) == (found.from, found.to))
        {
            Some(last) if distance < last.distance => *last = found,
            Some(_) => {}
            None => all.push(found),
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
