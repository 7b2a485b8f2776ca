//! Loops that repeat themselves: once the machine is in the state that it was in some iterations before, the iterations
//! up to the last ones are not run; their cycles are added. In a run that is long all the same, loops are run in part
//! ([`crate::sampling`]).
//!
//! Invariant: nothing is skipped unless only cycles are asked for. A skip takes for granted that iterations do the same
//! work; a loop whose iterations differ by their number (a triangular nest, a condition in the middle) may be counted
//! wrongly, so what comes out is an estimate, never a result.

use std::collections::VecDeque;
use std::hash::{Hash as _, Hasher as _};

use rustc_hash::FxHasher;
use zpu_timing::Remaining;

use crate::machine::Machine;
use crate::sampling::Samples;

/// Periods that are looked for, in iterations. With commands of several iterations in flight, as many iterations may
/// take turns.
const LONGEST_PERIOD: usize = 32;
/// Iterations that are remembered.
const REMEMBERED: usize = 2 * LONGEST_PERIOD;
/// Iterations that have to look like those of a period before, at least; a longer period has to come twice.
const WINDOW: usize = 24;
/// Iterations at the end of a loop that are always run: its last ones may differ.
pub(crate) const LAST: u64 = 4;
/// A skip is a multiple of so many iterations as well, so that positions in rings of 2, 3, 4 and 6 slots go on as they
/// were.
pub(crate) const STRIDE: u64 = 12;

/// The skipping of repeated iterations in a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repetition {
    /// Commands after which loops may be cut short; none: never.
    pub(crate) after: Option<u64>,
    /// Commands after which loops may be run in part.
    pub(crate) sampled_after: u64,
    /// Cycles that were not run.
    pub(crate) skipped: u64,
}

/// The latest iterations of one execution of a loop.
#[derive(Debug, Default)]
pub(crate) struct Pattern {
    /// Cycles of an iteration, and the state of the machine after it.
    iterations: VecDeque<(u64, u64)>,
    /// The cycle at which the latest one ended.
    end: Option<u64>,
    samples: Samples,
}

impl Pattern {
    fn push(&mut self, end: u64, state: u64) {
        if let Some(before) = self.end.replace(end) {
            if self.iterations.len() == REMEMBERED {
                self.iterations.pop_front();
            }
            self.iterations.push_back((end.saturating_sub(before), state));
        }
    }

    /// Forgets all iterations but for what is to be counted yet of those that were not run.
    fn forget(&mut self) {
        *self = Self {
            samples: std::mem::take(&mut self.samples),
            ..Self::default()
        };
    }

    /// Iterations that need not be run, of those that are left, and the cycles that they count. The rest is run and
    /// checked as if it came right after.
    fn left_out(&mut self, left: u64, is_sampled: bool) -> Option<(u64, u64)> {
        if let Some((stride, cycles)) = self.stride() {
            let strides = left.saturating_sub(LAST) / stride;
            if strides == 0 {
                return None;
            }
            // By now it is known how long the iterations after a gap take.
            *self = Self::default();
            return Some((strides * stride, cycles.saturating_mul(strides)));
        }
        let (strides, cycles) = is_sampled.then(|| self.samples.next_gap(left)).flatten()?;
        self.forget();
        Some((strides * STRIDE, cycles.saturating_mul(strides)))
    }

    /// A number of iterations after which the latest ones repeat themselves, and their cycles.
    fn stride(&self) -> Option<(u64, u64)> {
        let all = &self.iterations;
        let repeats = |period: &usize| {
            let first = all.len().checked_sub(WINDOW.max(2 * period));
            first.is_some_and(|first| (first + period..all.len()).all(|i| all[i] == all[i - period]))
        };
        let period = (1..=LONGEST_PERIOD).find(repeats)?;
        let latest = self.iterations.iter().rev().take(period);
        let cycles: u64 = latest.map(|(cycles, _)| cycles).sum();
        // The least multiple of both.
        let times = (1..).find(|times| (times * period as u64).is_multiple_of(STRIDE))?;
        Some((times * period as u64, times * cycles))
    }
}

impl Machine<'_> {
    /// Iterations of a loop that need not be run, of those that are left; called after each one.
    pub(crate) fn skipped_iterations(&mut self, pattern: &mut Pattern, left: i128) -> u64 {
        if self.repetition.after.is_none_or(|after| self.issued < after) {
            return 0;
        }
        let (now, state) = (self.now.saturating_add(self.repetition.skipped), self.timing_state());
        pattern.push(now, state);
        let is_sampled = self.issued >= self.repetition.sampled_after;
        if is_sampled {
            let low = pattern.samples.push(now, self.issued);
            self.repetition.skipped = self.repetition.skipped.saturating_add_signed(low);
            if low != 0 {
                pattern.forget();
            }
        }
        let left = u64::try_from(left).unwrap_or(0);
        if left < LAST + STRIDE {
            return 0;
        }
        let Some((iterations, cycles)) = pattern.left_out(left, is_sampled) else {
            return 0;
        };
        self.repetition.skipped = self.repetition.skipped.saturating_add(cycles);
        iterations
    }

    /// A hash of the engines' remaining work, relative to the present cycle.
    fn timing_state(&self) -> u64 {
        let mut hasher = FxHasher::default();
        let count = self.device.engines.len();
        for engine in 0..count {
            self.engines.pending(engine).hash(&mut hasher);
            match self.engines.remaining(engine, self.now) {
                None => {}
                Some(Remaining::Alone(cycles)) => cycles.hash(&mut hasher),
                // Less than a thousandth of a cycle is rounding.
                Some(Remaining::Shared(left)) => ((left * 1024.0) as u64).hash(&mut hasher),
            }
            for command in self.engines.commands(engine) {
                (command.latency, command.alone, command.shared).hash(&mut hasher);
                command.ready().saturating_sub(self.now).hash(&mut hasher);
            }
        }
        count.hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stride after so many iterations that take turns.
    fn stride(turns: u64, iterations: u64) -> Option<(u64, u64)> {
        let mut pattern = Pattern::default();
        let mut now = 0;
        for iteration in 0..=iterations {
            now += 100 + iteration % turns;
            pattern.push(now, iteration % turns);
        }
        pattern.stride()
    }

    #[test]
    fn what_is_skipped_is_no_part_of_a_group() {
        // Ten take turns, and more than a stride is left over.
        let (mut pattern, mut now, mut at, mut run) = (Pattern::default(), 0_u64, 0_u64, 0_u64);
        while at < 1_040 {
            now += 100 + at % 10;
            (at, run) = (at + 1, run + 1);
            pattern.push(now, at % 10);
            assert_eq!(pattern.samples.push(now, run), 0);
            if let Some((iterations, cycles)) = pattern.left_out(1_040 - at, run > 30) {
                at += iterations;
                now += cycles;
            }
        }
        assert!(run < 200, "{run} iterations");
        assert!(now.abs_diff(108_680) < 100, "{now} cycles");
    }

    #[test]
    fn iterations_that_take_turns_are_skipped_in_whole_turns() {
        assert_eq!(stride(1, 23), None);
        assert_eq!(stride(1, 24), Some((12, 1200)));
        assert_eq!(stride(2, 24), Some((12, 1206)));
        assert_eq!(stride(5, 24), Some((60, 6120)));
        assert_eq!(stride(32, 63), None);
        assert_eq!(stride(32, 64), Some((96, 96 * 100 + 3 * 496)));
        assert_eq!(stride(33, 1000), None);
    }
}
