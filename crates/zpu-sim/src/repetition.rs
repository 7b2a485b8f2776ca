//! Loops that repeat themselves: once the machine is in the state that it was in some iterations before, the iterations
//! up to the last ones are not run; their cycles are added.
//!
//! Invariant: nothing is skipped unless only cycles are asked for. A skip takes for granted that iterations do the same
//! work; a loop whose iterations differ by their number (a triangular nest, a condition in the middle) may be counted
//! wrongly, so what comes out is an estimate, never a result.

use std::collections::VecDeque;
use std::hash::{Hash as _, Hasher as _};

use rustc_hash::FxHasher;
use zpu_timing::Remaining;

use crate::machine::Machine;

/// Iterations that have to look alike before any are skipped. Rings of up to four versions and their multiples repeat
/// within half of it.
const WINDOW: usize = 24;
/// Periods that are looked for, in iterations.
const LONGEST_PERIOD: usize = WINDOW / 2;
/// Iterations at the end of a loop that are always run: its last ones may differ.
const LAST: u64 = 4;
/// A skip is a multiple of so many iterations, so that positions in rings of 2, 3, 4 and 6 slots go on as they were.
const STRIDE: u64 = 12;

/// The skipping of repeated iterations in a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Repetition {
    /// Commands after which loops may be cut short; none: never.
    pub(crate) after: Option<u64>,
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
}

impl Pattern {
    fn push(&mut self, end: u64, state: u64) {
        if let Some(before) = self.end.replace(end) {
            if self.iterations.len() == WINDOW {
                self.iterations.pop_front();
            }
            self.iterations.push_back((end - before, state));
        }
    }

    /// The cycles of `STRIDE` iterations, if the window repeats itself.
    fn stride_cycles(&self) -> Option<u64> {
        if self.iterations.len() < WINDOW {
            return None;
        }
        let repeats = |period: &usize| (*period..WINDOW).all(|i| self.iterations[i] == self.iterations[i - period]);
        let divides = |period: &usize| STRIDE.is_multiple_of(*period as u64);
        (1..=LONGEST_PERIOD).filter(divides).find(repeats)?;
        let latest = self.iterations.iter().rev().take(STRIDE as usize);
        Some(latest.map(|(cycles, _)| cycles).sum())
    }
}

impl Machine<'_> {
    /// Iterations of a loop that need not be run, of those that are left; called after each one.
    pub(crate) fn skipped_iterations(&mut self, pattern: &mut Pattern, left: i128) -> u64 {
        if self.repetition.after.is_none_or(|after| self.issued < after) {
            return 0;
        }
        let state = self.timing_state();
        pattern.push(self.now + self.repetition.skipped, state);
        let left = u64::try_from(left).unwrap_or(0);
        let strides = left.saturating_sub(LAST) / STRIDE;
        if strides == 0 {
            return 0;
        }
        let Some(cycles) = pattern.stride_cycles() else {
            return 0;
        };
        self.repetition.skipped = self.repetition.skipped.saturating_add(cycles.saturating_mul(strides));
        // The rest is run and checked as if it came right after.
        *pattern = Pattern::default();
        strides * STRIDE
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
