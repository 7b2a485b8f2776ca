//! Budgets of searches: steps, which make a search repeatable, and a deadline.
//!
//! Invariant: the clock is only read if there is a deadline.

use std::time::Instant;

use pumpkin_core::termination::TerminationCondition;

/// The steps and the time that a search has left.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    /// Attempts of a heuristic, or decisions and conflicts of the constraint solver.
    pub(crate) steps: u64,
    /// The time at which the search stops, whatever steps are left.
    pub(crate) deadline: Option<Instant>,
}

impl Budget {
    /// True if nothing is left.
    pub(crate) fn spent(&self) -> bool {
        self.steps == 0 || self.late()
    }

    /// True if the deadline is over.
    pub(crate) fn late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Takes up to `steps` steps away.
    pub(crate) fn pay(&mut self, steps: u64) {
        self.steps = self.steps.saturating_sub(steps);
    }

    /// A part of at most `steps` steps, until the same deadline.
    pub(crate) fn take(&mut self, steps: u64) -> Budget {
        let steps = steps.min(self.steps);
        self.steps -= steps;
        Budget { steps, ..self.clone() }
    }

    /// Takes one `share`th of the steps, at least one, and of the time; the steps that a part leaves unused come back
    /// by [`Budget::give_back`].
    pub(crate) fn part(&mut self, share: u32) -> Budget {
        let steps = (self.steps / u64::from(share)).max(1).min(self.steps);
        self.steps -= steps;
        let deadline = self.deadline.map(|deadline| {
            let now = Instant::now();
            now + deadline.saturating_duration_since(now) / share
        });
        Budget { steps, deadline }
    }

    /// Takes everything but one `share`th of the steps and of the time, which stays for what comes after.
    pub(crate) fn all_but(&mut self, share: u32) -> Budget {
        let kept = self.steps / u64::from(share);
        let steps = self.steps - kept;
        self.steps = kept;
        let deadline = self.deadline.map(|deadline| {
            let left = deadline.saturating_duration_since(Instant::now());
            deadline.checked_sub(left / share).unwrap_or(deadline)
        });
        Budget { steps, deadline }
    }

    /// Puts back the unused steps of a part.
    pub(crate) fn give_back(&mut self, part: &Budget) {
        self.steps += part.steps;
    }
}

impl TerminationCondition for Budget {
    fn should_stop(&mut self) -> bool {
        if self.steps == 0 {
            return true;
        }
        self.steps -= 1;
        // Reading the clock costs more than a small step.
        self.steps.is_multiple_of(16) && self.late()
    }
}
