//! How much of a search's answer is proven.

use crate::candidate::Candidate;

/// What is known of the configurations that were not tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// Each has a bound that is no better than the best trial: the best of the space, for this compiler and simulator.
    Proven,
    /// Some may be better.
    Open {
        /// The least of their bounds; 0 if one has none.
        bound: u64,
        /// How many there are.
        count: usize,
    },
}

impl Certificate {
    /// The certificate of a best trial of `cycles`, with these configurations not tried.
    pub fn of<'a>(cycles: Option<u64>, untried: impl Iterator<Item = &'a Candidate>) -> Self {
        let may_be_better = untried.filter(|candidate| cycles.is_none_or(|cycles| candidate.bound() < cycles));
        let (mut bound, mut count) = (u64::MAX, 0);
        for candidate in may_be_better.filter(|candidate| candidate.ready().is_some()) {
            bound = bound.min(candidate.bound());
            count += 1;
        }
        if count == 0 {
            Self::Proven
        } else {
            Self::Open { bound, count }
        }
    }

    /// The cycles of the best trial over the least bound that is left; 1 if it is proven, `None` without a bound.
    pub fn gap(self, cycles: u64) -> Option<f64> {
        match self {
            Self::Proven => Some(1.0),
            Self::Open { bound: 0, .. } => None,
            Self::Open { bound, .. } => Some(cycles as f64 / bound as f64),
        }
    }
}
