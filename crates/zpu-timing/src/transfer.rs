//! The part of a command that crosses links: how much of it is left, and when it is over at its present rate.
//!
//! Invariant: the rest is computed anew only when the rate changes. So readings of the clock make no difference, and
//! fractions are rounded as seldom as can be.

/// Less than this of a cycle is no cycle, but the rounding of shares.
const ROUNDING: f64 = 1e-6;

/// The least rate of a transfer, as a part of its rate alone, so that every transfer ends.
const LEAST_RATE: f64 = 1e-9;

/// A transfer at work.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Transfer {
    /// Cycles that were left at full rate when the present rate began.
    left: f64,
    /// The cycle of that state.
    since: u64,
    /// The part of its demand that it gets.
    rate: f64,
    /// The cycle at which it ends.
    until: u64,
}

impl Transfer {
    /// A transfer of so many cycles at full rate, which gets its first rate at once.
    pub(crate) fn new(cycles: u64, now: u64) -> Self {
        Self {
            left: cycles as f64,
            since: now,
            rate: 0.0,
            until: u64::MAX,
        }
    }

    /// The cycle at which it ends, unless its rate changes.
    pub(crate) fn until(&self) -> u64 {
        self.until
    }

    /// Cycles that are left at full rate.
    pub(crate) fn left(&self, now: u64) -> f64 {
        self.left - now.saturating_sub(self.since) as f64 * self.rate
    }

    /// Sets the part of its demand that it gets from now on. A share holds for whole cycles, so it is over at the end
    /// of one.
    pub(crate) fn set_rate(&mut self, rate: f64, now: u64) {
        let rate = rate.max(LEAST_RATE);
        if rate == self.rate {
            return;
        }
        self.left = self.left(now);
        self.since = now;
        self.rate = rate;
        let cycles = (self.left / rate - ROUNDING).ceil().max(1.0);
        self.until = now.saturating_add(cycles as u64);
    }
}
