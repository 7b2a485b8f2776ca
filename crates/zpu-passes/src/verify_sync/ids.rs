//! Barrier ids: which command an id means at some point of a program.
//!
//! Starting a command with an id makes the id mean that command until another one takes it. A wait for an id may be for any
//! command whose id may be the same, back to the latest one whose id certainly is; what all of those leave in flight, it leaves.

use super::program::{ItemId, Kind, Program};
use super::scene::{Iteration, Scene};
use super::state::{FlightId, Set, When};
use crate::analysis::linear::{Index, Linear, Symbol, index_of};
use crate::analysis::range;

/// A command that took an id.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Holder {
    /// The command.
    pub(super) flight: FlightId,
    /// Flights of its engine that a wait for it leaves.
    pub(super) leaves: Set,
    /// It was issued on every way here, before all that follow it in the list.
    pub(super) certain: bool,
}

/// Commands with ids, the latest last. Those that are not certain count as later than all that are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Holders {
    pub(super) list: Vec<Holder>,
}

/// Whether two ids are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sameness {
    /// For certain.
    Same,
    /// For certain not.
    Different,
    /// It is not known.
    Unknown,
}

impl Holders {
    /// A command takes an id; it is the latest.
    pub(super) fn take(&mut self, flight: FlightId) {
        self.list.retain(|holder| holder.flight != flight);
        let leaves = Set::default();
        let holder = Holder {
            flight,
            leaves,
            certain: true,
        };
        // What may have come before or not is now certainly older.
        self.list.push(holder);
    }

    /// Either of two lists.
    pub(super) fn join(&mut self, other: &Self) {
        let order = |list: &[Holder]| -> Vec<FlightId> { list.iter().map(|holder| holder.flight).collect() };
        let is_equal = order(&self.list) == order(&other.list);
        let mut joined = self.list.clone();
        for holder in &other.list {
            match joined.iter_mut().find(|known| known.flight == holder.flight) {
                Some(known) => {
                    known.leaves.add(&holder.leaves);
                    known.certain &= holder.certain;
                }
                None => joined.push(Holder {
                    certain: false,
                    ..holder.clone()
                }),
            }
        }
        if !is_equal {
            let both = order(&other.list);
            let shared: Vec<FlightId> = order(&self.list).into_iter().filter(|id| both.contains(id)).collect();
            let mine = order(&self.list);
            let theirs: Vec<FlightId> = both.into_iter().filter(|id| mine.contains(id)).collect();
            for holder in &mut joined {
                holder.certain &= shared == theirs && shared.contains(&holder.flight);
            }
            joined.sort_by_key(|holder| !holder.certain);
        }
        self.list = joined;
    }
}

/// The id of a command as it is seen from the present point; `None` when it has no meaning here.
pub(super) fn id_of<'c>(
    program: &Program<'c>,
    scene: &Scene<'c>,
    item: ItemId,
    when: &[(ItemId, When)],
) -> Option<Index<'c>> {
    let value = match &program.items[item].kind {
        Kind::Start(_, _, Some(id)) => *id,
        Kind::WaitId(id) => *id,
        _ => return None,
    };
    let mut index = index_of(value);
    for (loop_, when) in when.iter().rev() {
        let op = program.items[*loop_].op;
        let Kind::For(counted) = &program.items[*loop_].kind else {
            if *when != When::Ago(0) && index.depends_on(op) {
                return None;
            }
            continue;
        };
        let then = match (*when, scene.iteration(*loop_)) {
            (When::Ago(ago), Some(Iteration::At(now))) => Linear::constant(now - i64::from(ago)),
            (When::Ago(0), Some(Iteration::From(_))) => continue,
            (When::Ago(ago), Some(Iteration::From(_))) => {
                Linear::symbol(Symbol::Iteration(op)).add_scaled(&Linear::constant(ago.into()), -1)?
            }
            (When::Last(back), _) if counted.trips.is_some() => {
                counted.trips.as_ref()?.add_scaled(&Linear::constant(back.into()), -1)?
            }
            _ if index.depends_on(op) => return None,
            _ => continue,
        };
        let instance = if let When::Ago(ago) = when { i64::from(*ago) } else { 0 };
        index = index.at(op, &then, instance)?;
        if matches!(when, When::Last(_)) && index.depends_on(op) {
            return None;
        }
    }
    Some(index)
}

/// Compares two ids.
pub(super) fn compare<'c>(left: &Index<'c>, right: &Index<'c>) -> Sameness {
    let gap = left.add_scaled(right, -1).and_then(|gap| gap.as_constant());
    if let Some(gap) = gap {
        return if gap == 0 { Sameness::Same } else { Sameness::Different };
    }
    if let (Index::Modulo(a), Index::Modulo(b)) = (left, right)
        && a.rest == b.rest
        && (a.factor, a.modulus) == (b.factor, b.modulus)
        && let Some(turn) = a
            .dividend
            .add_scaled(&b.dividend, -1)
            .and_then(|turn| turn.as_constant())
    {
        return if turn.rem_euclid(a.modulus) == 0 {
            Sameness::Same
        } else {
            Sameness::Different
        };
    }
    let (a, b) = (range::of_index(left), range::of_index(right));
    let is_below = |most: Option<i128>, least: Option<i128>| most.zip(least).is_some_and(|(most, least)| most < least);
    if is_below(a.most, b.least) || is_below(b.most, a.least) {
        return Sameness::Different;
    }
    Sameness::Unknown
}
