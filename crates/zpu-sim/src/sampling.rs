//! Loops that are run in part, in a run that is long though no loop of it repeats itself: a triangular nest, or a nest
//! of many short loops.
//!
//! Some iterations are run here and there. Those in a gap between two such groups count as the mean of both: that is
//! exact where iterations take longer and longer by the same number of cycles.
//!
//! Invariant: as in [`crate::repetition`], what comes out is an estimate, and nothing is skipped unless only cycles are
//! asked for.

use std::collections::VecDeque;

use crate::repetition::{LAST, STRIDE};

/// Gaps in a loop, at the most.
const GAPS: u64 = 4;
/// Iterations of a group at the least; a stride at the most, and about so many commands.
const FEWEST: u64 = 3;
const COMMANDS: u64 = 1024;

/// The latest iterations of one execution of a loop.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// The cycle and the commands issued at the end of each iteration since the latest gap.
    ends: VecDeque<(u64, u64)>,
    /// Gaps that there were.
    gaps: u64,
    /// The latest one, until it is known how long the iterations after it take.
    gap: Option<Gap>,
}

/// Iterations that were not run.
#[derive(Debug)]
struct Gap {
    strides: u64,
    /// Cycles that each stride was counted as: those before it.
    before: u64,
}

impl Samples {
    /// Enters an iteration; the cycles by which the latest gap was counted too low, as soon as that is known.
    pub(crate) fn push(&mut self, end: u64, issued: u64) -> i64 {
        if self.ends.len() > 2 * STRIDE as usize {
            self.ends.pop_front();
        }
        self.ends.push_back((end, issued));
        let Some(after) = self.gap.is_some().then(|| self.stride(1)).flatten() else {
            return 0;
        };
        let Some(Gap { strides, before }) = self.gap.take() else {
            return 0;
        };
        let difference = after.cast_signed().saturating_sub(before.cast_signed());
        let low = strides.cast_signed().saturating_mul(difference) / 2;
        self.ends
            .iter_mut()
            .for_each(|(end, _)| *end = end.saturating_add_signed(low));
        low
    }

    /// The next gap in a loop with so many iterations left: its strides, and the cycles that each of them counts.
    pub(crate) fn next_gap(&mut self, left: u64) -> Option<(u64, u64)> {
        if self.gap.is_some() {
            return None;
        }
        // Engines may be idle when the loop begins.
        let before = self.stride(if self.gaps == 0 { 2 } else { 1 })?;
        // Each gap is followed by a group that tells how long its iterations take.
        let strides = |gaps: u64| left.saturating_sub(LAST + gaps * self.group()) / STRIDE / gaps;
        let strides = (1..=GAPS.saturating_sub(self.gaps))
            .rev()
            .map(strides)
            .find(|strides| *strides > 0)?;
        let (end, issued) = *self.ends.back()?;
        *self = Self {
            ends: VecDeque::from([(end.saturating_add(strides.saturating_mul(before)), issued)]),
            gaps: self.gaps + 1,
            gap: Some(Gap { strides, before }),
        };
        Some((strides, before))
    }

    /// The cycles of a stride by the latest group of iterations; none if there were not so many groups.
    fn stride(&self, groups: u64) -> Option<u64> {
        let (iterations, group) = (self.ends.len().checked_sub(1)? as u64, self.group());
        if iterations < groups * group {
            return None;
        }
        let (begin, end) = (self.ends.get((iterations - group) as usize)?, self.ends.back()?);
        Some(end.0.saturating_sub(begin.0).saturating_mul(STRIDE) / group)
    }

    /// The number of iterations in a group.
    fn group(&self) -> u64 {
        let commands = self
            .ends
            .front()
            .zip(self.ends.back())
            .map_or(0, |(first, last)| last.1 - first.1);
        let each = commands / (self.ends.len() as u64).saturating_sub(1).max(1);
        COMMANDS.checked_div(each).unwrap_or(STRIDE).clamp(FEWEST, STRIDE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cycles that are counted for a loop whose iterations take so long, and the iterations that are run.
    fn counted(iterations: u64, commands: u64, cycles: impl Fn(u64) -> u64) -> (u64, u64) {
        let mut samples = Samples::default();
        let (mut now, mut at, mut run) = (0_u64, 0, 0);
        while at < iterations {
            now += cycles(at);
            at += 1;
            run += 1;
            now = now.saturating_add_signed(samples.push(now, run * commands));
            if let Some((strides, each)) = samples.next_gap(iterations - at) {
                at += strides * STRIDE;
                now += strides * each;
            }
        }
        (now, run)
    }

    #[test]
    fn iterations_that_take_longer_and_longer_are_counted_by_a_few_of_them() {
        let all = |iterations: u64, cycles: &dyn Fn(u64) -> u64| (0..iterations).map(cycles).sum::<u64>();
        let longer = |iteration: u64| 100 + 3 * iteration;
        let (cycles, run) = counted(1000, 10, longer);
        assert!(run < 100, "{run} iterations");
        let exact = all(1000, &longer);
        assert!(cycles.abs_diff(exact) * 100 < exact, "{cycles} and {exact}");
        let shorter = |iteration: u64| 4000 - 3 * iteration;
        let (cycles, run) = counted(1000, 1000, shorter);
        assert!(run < 50, "{run} iterations");
        let exact = all(1000, &shorter);
        assert!(cycles.abs_diff(exact) * 100 < exact, "{cycles} and {exact}");
    }

    #[test]
    fn equal_iterations_are_counted_exactly() {
        assert_eq!(counted(5000, 10, |_| 7).0, 35_000);
        assert_eq!(counted(16, 10, |_| 7), (112, 16));
        assert_eq!(counted(5000, 0, |_| 0).0, 0);
    }
}
