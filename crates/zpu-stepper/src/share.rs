//! The share of each transfer in the links in one cycle: max-min fairness by progressive filling (Bertsekas and
//! Gallager, Data Networks, 6.5.2). All rates grow alike; those that a full link or their own limit stops stay, the
//! others go on.
//!
//! Invariant: no link gives more than it has, and no transfer can get more except from one that has no more.

use std::cmp::Ordering;

use crate::error::StepError;
use crate::fraction::Fraction;

/// A transfer in its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Flow<'a> {
    /// Bytes per cycle that it takes if it is alone.
    pub(crate) alone: Fraction,
    /// The links that it crosses, each once.
    pub(crate) links: &'a [usize],
}

/// Bytes that each flow moves in a cycle. `links` are bytes per cycle.
pub(crate) fn shares(flows: &[Flow<'_>], links: &[Fraction]) -> Result<Vec<Fraction>, StepError> {
    let mut left = links.to_vec();
    let mut shares: Vec<Option<Fraction>> = vec![None; flows.len()];
    while shares.iter().any(Option::is_none) {
        // The most that each open flow could have if all open ones had as much.
        let mut most: Vec<Option<Fraction>> = vec![None; flows.len()];
        for (i, flow) in flows.iter().enumerate().filter(|(i, _)| shares[*i].is_none()) {
            let mut limit = flow.alone;
            for &link in flow.links {
                let sharing = |i: &usize| shares[*i].is_none() && flows[*i].links.contains(&link);
                let part = left[link].part((0..flows.len()).filter(sharing).count())?;
                limit = smaller(limit, part)?;
            }
            most[i] = Some(limit);
        }
        let mut level: Option<Fraction> = None;
        for limit in most.iter().flatten() {
            level = Some(level.map_or(Ok(*limit), |level| smaller(level, *limit))?);
        }
        let Some(level) = level else { break };
        for (i, flow) in flows.iter().enumerate() {
            let Some(limit) = most[i] else { continue };
            if limit.compare(level)? == Ordering::Equal {
                shares[i] = Some(level);
                for &link in flow.links {
                    left[link] = left[link].minus(level)?;
                }
            }
        }
    }
    Ok(shares.into_iter().flatten().collect())
}

fn smaller(a: Fraction, b: Fraction) -> Result<Fraction, StepError> {
    Ok(if a.compare(b)? == Ordering::Greater { b } else { a })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_cannot_use_its_part_leaves_it_to_the_others() {
        let rate = |rate| Fraction::decimal(rate).unwrap();
        let flow = |alone, links| Flow {
            alone: rate(alone),
            links,
        };
        // Link 0 has 10 for four flows, of which one takes 1 alone and one gets 0.5 of link 1: the others get 4.25
        // each.
        let flows = [
            flow(1.0, &[0][..]),
            flow(9.0, &[0]),
            flow(9.0, &[0, 1]),
            flow(9.0, &[0]),
        ];
        let shares = shares(&flows, &[rate(10.0), rate(0.5)]).unwrap();
        for (share, expected) in shares.iter().zip([1.0, 4.25, 0.5, 4.25]) {
            assert_eq!(share.compare(rate(expected)).unwrap(), Ordering::Equal);
        }
    }
}
