//! A reservation table that folds at an interval, kept as steps instead of cycles, so that its cost follows the number
//! of operations and not the length of time.
//!
//! Invariant: the level of a resource at a residue is the sum of the uses of the operations placed there.

use crate::steps::Steps;
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
    /// Units taken at each residue besides.
    level: Steps,
}

impl Reservations {
    /// An empty table that folds every `ii` cycles ([`UNFOLDED`]: never).
    pub(crate) fn new(problem: &Problem, ii: i64) -> Reservations {
        let row = |capacity: u32| Row {
            capacity: capacity.into(),
            always: 0,
            level: Steps::new(ii),
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
            // Each use moves the start on to where it fits, until all of them agree.
            let mut agreed = true;
            for used in uses.iter().filter(|u| u.cycles > 0) {
                let offset = used.offset as i64;
                let row = &mut self.rows[used.resource.index()];
                let begin = row.first_free(self.ii, used, start + offset, to.saturating_add(offset))?;
                agreed &= begin == start + offset;
                start = begin - offset;
            }
            if agreed {
                if self.fits_itself(uses, start) {
                    return Some(start);
                }
                start += 1;
            }
        }
        None
    }

    /// The last start in `from..=to` at which all uses fit.
    pub(crate) fn last_fit(&mut self, uses: &[Use], from: i64, to: i64) -> Option<i64> {
        let mut start = to;
        while start >= from {
            let mut agreed = true;
            for used in uses.iter().filter(|u| u.cycles > 0) {
                let offset = used.offset as i64;
                let row = &self.rows[used.resource.index()];
                let begin = row.last_free(self.ii, used, from.saturating_add(offset), start + offset)?;
                agreed &= begin == start + offset;
                start = begin - offset;
            }
            if agreed {
                if self.fits_itself(uses, start) {
                    return Some(start);
                }
                start -= 1;
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

    /// True if all uses fit when the operation starts at `start`.
    pub(crate) fn fits(&mut self, uses: &[Use], start: i64) -> bool {
        self.first_fit(uses, start, start).is_some()
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
            row.level.raise(first, end.min(self.ii), amount);
            row.level.raise(0, end - self.ii, amount);
        }
    }
}

impl Row {
    /// The first cycle in `from..=to` at which the use may begin.
    fn first_free(&mut self, ii: i64, used: &Use, from: i64, to: i64) -> Option<i64> {
        let (free, rest) = self.room(ii, used)?;
        if rest == 0 {
            return Some(from);
        }
        self.level.first_below(free, rest, from, to)
    }

    /// The last cycle in `from..=to` at which the use may begin.
    fn last_free(&self, ii: i64, used: &Use, from: i64, to: i64) -> Option<i64> {
        let (free, rest) = self.room(ii, used)?;
        if rest == 0 {
            return Some(to);
        }
        self.level.last_below(free, rest, from, to)
    }

    /// Units that may be taken besides where the use is met once more than everywhere, and for how many cycles that is.
    /// `None` if it never fits: a use that lasts longer than the interval meets every residue.
    fn room(&self, ii: i64, used: &Use) -> Option<(i64, i64)> {
        let cycles = used.cycles as i64;
        let room = self.capacity - self.always - i64::from(used.amount) * (cycles / ii);
        if cycles >= ii && self.level.is_above(room) {
            return None;
        }
        Some((room - i64::from(used.amount), cycles % ii))
    }

    fn within_capacity(&self) -> bool {
        !self.level.is_above(self.capacity - self.always)
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

    type Placed = Vec<(i64, Vec<Use>)>;

    /// Units taken at a residue, cycle by cycle.
    fn level(placed: &Placed, ii: i64, resource: usize, residue: i64) -> u64 {
        let uses = placed
            .iter()
            .flat_map(|(start, uses)| uses.iter().map(move |u| (start, u)));
        let met = uses.filter(|(_, u)| u.resource.index() == resource).map(|(start, u)| {
            let begin = start + u.offset as i64;
            let times = (begin..begin + u.cycles as i64).filter(|at| at.rem_euclid(ii) == residue);
            times.count() as u64 * u64::from(u.amount)
        });
        met.sum()
    }

    /// Zero to two uses of up to `most` cycles less one.
    fn random_uses(below: &mut impl FnMut(u64) -> u64, capacity: [u64; 2], most: u64) -> Vec<Use> {
        let count = below(3);
        let used = |_| {
            let which = below(2);
            Use {
                resource: crate::ResourceId(which as u32),
                amount: 1 + below(capacity[which as usize]) as u32,
                cycles: below(most),
                offset: below(5),
            }
        };
        (0..count).map(used).collect()
    }

    #[test]
    fn fits_are_those_of_counting_cycles() {
        let mut state = 1u64;
        let mut below = |limit: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        let (mut fitting, mut full) = (0, 0);
        for _ in 0..4000 {
            let mut problem = Problem::cyclic("random");
            let capacity = [1 + below(2), 1 + below(4)];
            for units in capacity {
                problem.add_resource("r", units as u32);
            }
            let ii = 1 + below(16) as i64;
            let mut table = Reservations::new(&problem, ii);
            let mut placed: Placed = vec![];
            for round in 0..4 {
                let uses = random_uses(&mut below, capacity, if round == 3 { 24 } else { 6 });
                let from = below(40) as i64 - 20;
                let to = from + below(2 * ii as u64) as i64;
                let fits = |start: i64| {
                    let mut with = placed.clone();
                    with.push((start, uses.clone()));
                    (0..2).all(|r| (0..ii).all(|residue| level(&with, ii, r, residue) <= capacity[r]))
                };
                let first = (from..=to).find(|&start| fits(start));
                assert_eq!(table.first_fit(&uses, from, to), first);
                assert_eq!(
                    table.last_fit(&uses, from, to),
                    (from..=to).rev().find(|&start| fits(start))
                );
                assert_eq!(table.fits(&uses, from), fits(from));
                match first {
                    Some(start) => {
                        fitting += 1;
                        table.place(&uses, start);
                        placed.push((start, uses));
                    }
                    None => full += 1,
                }
            }
        }
        assert!(fitting > 1000 && full > 1000, "{fitting} {full}");
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
