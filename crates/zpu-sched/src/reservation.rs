//! Which resource is taken when: a reservation table that folds at an interval, kept as steps instead of cycles, so that
//! its cost follows the number of operations and not the length of time.
//!
//! Invariant: the level of a resource at a residue is the sum of what the operations placed there take.

use std::collections::BTreeMap;

use crate::{Problem, Use};

/// Far more than any time that occurs: a table with this interval never folds.
pub(crate) const UNFOLDED: i64 = 1 << 60;

/// The reservation table of all resources of a problem.
#[derive(Clone, Debug)]
pub(crate) struct Reservations {
    ii: i64,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    capacity: i64,
    /// Units taken at every residue by uses longer than the interval.
    always: i64,
    /// Units taken from this residue to the next key; the key 0 is always there.
    level: BTreeMap<i64, i64>,
}

impl Reservations {
    /// An empty table that folds every `ii` cycles ([`UNFOLDED`]: never).
    pub(crate) fn new(problem: &Problem, ii: i64) -> Reservations {
        let row = |capacity: u32| Row {
            capacity: capacity.into(),
            always: 0,
            level: BTreeMap::from([(0, 0)]),
        };
        Reservations {
            ii,
            rows: problem.resources.iter().map(|r| row(r.capacity)).collect(),
        }
    }

    /// The first start in `from..=to` at which all uses fit.
    pub(crate) fn first_fit(&mut self, uses: &[Use], from: i64, to: i64) -> Option<i64> {
        let mut start = from;
        while start <= to {
            match self.conflict(uses, start) {
                Some(conflict) => start = conflict.after,
                None if self.fits_itself(uses, start) => return Some(start),
                None => start += 1,
            }
        }
        None
    }

    /// The last start in `from..=to` at which all uses fit.
    pub(crate) fn last_fit(&mut self, uses: &[Use], from: i64, to: i64) -> Option<i64> {
        let mut start = to;
        while start >= from {
            match self.conflict(uses, start) {
                Some(conflict) => start = conflict.before,
                None if self.fits_itself(uses, start) => return Some(start),
                None => start -= 1,
            }
        }
        None
    }

    /// Takes the uses of an operation that starts at `start`.
    pub(crate) fn place(&mut self, uses: &[Use], start: i64) {
        self.add(uses, start, 1);
    }

    /// Gives back what [`Reservations::place`] took.
    pub(crate) fn remove(&mut self, uses: &[Use], start: i64) {
        self.add(uses, start, -1);
    }

    /// Whether all uses fit when the operation starts at `start`.
    pub(crate) fn fits(&mut self, uses: &[Use], start: i64) -> bool {
        self.conflict(uses, start).is_none() && self.fits_itself(uses, start)
    }

    fn conflict(&self, uses: &[Use], start: i64) -> Option<Conflict> {
        uses.iter().filter(|u| u.cycles > 0).find_map(|used| {
            let begin = start + used.offset as i64;
            let conflict = self.rows[used.resource.index()].conflict(self.ii, begin, used)?;
            Some(Conflict {
                before: start - conflict.before,
                after: start + conflict.after,
            })
        })
    }

    /// An operation that takes one resource several times may collide with itself once folded.
    fn fits_itself(&mut self, uses: &[Use], start: i64) -> bool {
        let repeats = |(index, used): (usize, &Use)| uses[..index].iter().any(|u| u.resource == used.resource);
        if !uses.iter().enumerate().any(repeats) {
            return true;
        }
        self.place(uses, start);
        let fits = uses.iter().all(|u| self.rows[u.resource.index()].within_capacity());
        self.remove(uses, start);
        fits
    }

    fn add(&mut self, uses: &[Use], start: i64, sign: i64) {
        for used in uses.iter().filter(|u| u.cycles > 0) {
            let row = &mut self.rows[used.resource.index()];
            let amount = sign * i64::from(used.amount);
            let cycles = used.cycles as i64;
            row.always += amount * (cycles / self.ii);
            let first = (start + used.offset as i64).rem_euclid(self.ii);
            let end = first + cycles % self.ii;
            row.raise(first, end.min(self.ii), amount);
            row.raise(0, end - self.ii, amount);
        }
    }
}

/// Where a use collides; starts strictly between the two collide as well.
#[derive(Debug)]
struct Conflict {
    /// The next start to try when going down.
    before: i64,
    /// The next start to try when going up.
    after: i64,
}

impl Row {
    /// The collision of a use that begins at cycle `begin`, as distances from that cycle.
    fn conflict(&self, ii: i64, begin: i64, used: &Use) -> Option<Conflict> {
        let cycles = used.cycles as i64;
        let room = self.capacity - self.always - i64::from(used.amount) * (cycles / ii);
        // A use that covers every residue at least once leaves no choice; the rest decides which residues are covered
        // once more.
        let rest = cycles % ii;
        let first = begin.rem_euclid(ii);
        if cycles >= ii && self.level.values().any(|&level| level > room) {
            return Some(Conflict { before: ii, after: ii });
        }
        let free = room - i64::from(used.amount);
        let mut found: Option<Conflict> = None;
        let segments = [(first, (first + rest).min(ii), 0), (0, first + rest - ii, ii)];
        for (from, to, wrapped) in segments {
            if from >= to {
                continue;
            }
            let start = self.level.range(..=from).next_back().map_or(0, |(&at, _)| at);
            for (&at, &level) in self.level.range(start..to) {
                if level <= free {
                    continue;
                }
                let next = self.level.range(at + 1..).next().map_or(ii, |(&next, _)| next);
                let after = next + wrapped - first;
                let before = first + rest - (at.max(from) + wrapped);
                match &mut found {
                    Some(conflict) => conflict.after = after,
                    None => {
                        found = Some(Conflict {
                            before: before.max(1),
                            after,
                        });
                    }
                }
            }
        }
        found
    }

    fn raise(&mut self, from: i64, to: i64, amount: i64) {
        if from >= to {
            return;
        }
        self.split(from);
        self.split(to);
        for (_, level) in self.level.range_mut(from..to) {
            *level += amount;
        }
        self.join(to);
        self.join(from);
    }

    fn split(&mut self, at: i64) {
        let level = self.level.range(..=at).next_back().map_or(0, |(_, &level)| level);
        self.level.entry(at).or_insert(level);
    }

    fn join(&mut self, at: i64) {
        let before = self.level.range(..at).next_back().map(|(_, &level)| level);
        if at != 0 && before.is_some() && before == self.level.get(&at).copied() {
            self.level.remove(&at);
        }
    }

    fn within_capacity(&self) -> bool {
        self.level.values().all(|level| level + self.always <= self.capacity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One resource of capacity 1 with uses at the given cycles, folded at 10.
    fn table(taken: &[(i64, u64)]) -> (Reservations, crate::ResourceId) {
        let mut problem = Problem::cyclic("table");
        let resource = problem.add_resource("r", 1);
        let mut table = Reservations::new(&problem, 10);
        for &(start, cycles) in taken {
            table.place(&[Use::whole(resource, cycles)], start);
        }
        (table, resource)
    }

    #[test]
    fn finds_gaps_upward_and_downward() {
        let (mut table, resource) = table(&[(2, 3), (8, 1)]);
        let three = [Use::whole(resource, 3)];
        assert_eq!(table.first_fit(&three, 0, 20), Some(5));
        assert_eq!(table.first_fit(&three, 6, 20), Some(9));
        assert_eq!(table.last_fit(&three, 0, 8), Some(5));
        assert_eq!(table.last_fit(&three, 0, 12), Some(9));
        assert_eq!(table.first_fit(&[Use::whole(resource, 4)], 0, 30), None);
    }

    #[test]
    fn removing_restores() {
        let (mut table, resource) = table(&[(2, 3)]);
        table.place(&[Use::whole(resource, 5)], 7);
        assert!(!table.fits(&[Use::whole(resource, 1)], 1));
        table.remove(&[Use::whole(resource, 5)], 7);
        assert!(table.fits(&[Use::whole(resource, 7)], 5));
    }

    #[test]
    fn long_uses_cover_every_residue() {
        let mut problem = Problem::cyclic("long");
        let resource = problem.add_resource("r", 3);
        let mut table = Reservations::new(&problem, 4);
        table.place(&[Use::whole(resource, 9)], 1);
        assert!(!table.fits(
            &[Use {
                amount: 2,
                ..Use::whole(resource, 1)
            }],
            5
        ));
        assert!(!table.fits(
            &[Use {
                amount: 1,
                ..Use::whole(resource, 1)
            }],
            5
        ));
        assert!(table.fits(
            &[Use {
                amount: 1,
                ..Use::whole(resource, 3)
            }],
            2
        ));
    }
}
