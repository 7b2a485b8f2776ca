//! Dependences, rings and the room for versions: the constraints that are linear in the times.

use pumpkin_constraints::less_than_or_equals;
use pumpkin_core::variables::{DomainId, TransformableVariable};

use super::size::gcd;
use super::{Answer, Bytes, MOST, Model, Term};
use crate::MAX_DISTANCE;

impl Model<'_> {
    pub(super) fn after(
        &mut self,
        from: usize,
        to: usize,
        latency: Option<i64>,
        distance: i64,
        versions: Option<DomainId>,
    ) -> Result<(), Answer> {
        let own = i64::try_from(self.problem.operations[from].alternatives[0].latency).unwrap_or(MOST) / self.unit;
        let (constant, variable) = match (latency, self.latency[from]) {
            (Some(latency), _) => (latency.div_euclid(self.unit), None),
            (None, Some(variable)) => (0, Some(variable)),
            (None, None) => (own, None),
        };
        let slack = distance * self.ii - constant;
        if from == to && variable.is_none() && versions.is_none() {
            return if slack >= 0 { Ok(()) } else { Err(Answer::None) };
        }
        let mut terms: Vec<Term> = vec![];
        if from != to {
            terms.extend(self.time(from, 1));
            terms.extend(self.time(to, -1));
        }
        terms.extend(variable.map(|v| v.scaled(1)));
        terms.extend(versions.map(|v| v.scaled(-(self.ii as i32))));
        // Anything further is no restriction.
        let slack = slack.clamp(-4 * MOST, 4 * MOST);
        self.post_less(terms, slack)
    }

    pub(super) fn post_less(&mut self, terms: Vec<Term>, most: i64) -> Result<(), Answer> {
        if self.solver.is_inconsistent() {
            return Err(Answer::None);
        }
        self.solver
            .add_constraint(less_than_or_equals(terms, most as i32, self.tag))
            .post();
        Ok(())
    }

    pub(super) fn post_dependences(&mut self) -> Result<(), Answer> {
        for dependence in &self.problem.dependences {
            let (from, to) = (dependence.from.index(), dependence.to.index());
            self.after(from, to, dependence.latency, dependence.distance.into(), None)?;
        }
        Ok(())
    }

    pub(super) fn post_rings(&mut self) -> Result<(), Answer> {
        if self.ii == 0 {
            return Ok(());
        }
        for (index, buffer) in self.problem.buffers.iter().enumerate() {
            let versions = self.versions[index];
            let limit = match (versions, buffer.max_versions) {
                (Some(_), _) => 0,
                (None, Some(limit)) => i64::from(limit),
                (None, None) => continue,
            };
            for reader in &buffer.readers {
                for writer in &buffer.writers {
                    self.after(reader.index(), writer.index(), None, limit, versions)?;
                }
            }
        }
        self.post_spaces()?;
        if let Some(total) = self.total {
            let mut terms: Vec<Term> = self.versions.iter().flatten().map(|v| v.scaled(1)).collect();
            terms.push(total.scaled(-1));
            self.post_less(terms, 0)?;
        }
        self.post_bytes()
    }

    fn post_bytes(&mut self) -> Result<(), Answer> {
        let Some(Bytes { sum, unit }) = self.bytes else {
            return Ok(());
        };
        let each = self.versions.iter().zip(&self.problem.buffers);
        let mut terms: Vec<Term> = each
            .filter(|(_, buffer)| buffer.bytes > 0)
            .filter_map(|(versions, buffer)| versions.map(|v| v.scaled((buffer.bytes / unit) as i32)))
            .collect();
        terms.push(sum.scaled(-1));
        self.post_less(terms, 0)
    }

    fn post_spaces(&mut self) -> Result<(), Answer> {
        for (index, space) in self.problem.spaces.iter().enumerate() {
            let inside = self.problem.buffers.iter().enumerate();
            let inside: Vec<(usize, u64)> = inside
                .filter(|(_, b)| b.space.is_some_and(|s| s.index() == index) && b.bytes > 0)
                .map(|(buffer, b)| (buffer, b.bytes))
                .collect();
            let divisor = inside.iter().fold(0, |divisor, &(_, bytes)| gcd(divisor, bytes)).max(1);
            let most = space.bytes / divisor;
            let needed: u64 = inside
                .iter()
                .map(|(_, bytes)| bytes / divisor * u64::from(MAX_DISTANCE))
                .sum();
            let terms: Option<Vec<Term>> = inside
                .iter()
                .map(|&(buffer, bytes)| Some(self.versions[buffer]?.scaled((bytes / divisor) as i32)))
                .collect();
            let Some(terms) = terms.filter(|terms| !terms.is_empty() && most < needed) else {
                continue;
            };
            if needed > MOST as u64 * 4 {
                return Err(Answer::TooLarge);
            }
            self.post_less(terms, most as i64)?;
        }
        Ok(())
    }
}
