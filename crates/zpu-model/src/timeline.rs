//! The time of one resource: when it is taken, and where a further piece of work fits.
//!
//! A piece goes into the first gap that is long enough, so work that has to wait does not hold up what comes after it:
//! the order on a queue is the compiler's to choose. Gaps that are far in the past are forgotten.

use std::collections::VecDeque;

/// The most gaps that are kept; older ones are rarely reached by work of some iterations later. Transfers of sixteen
/// engines leave several gaps an iteration on their link: with 32 gaps, a product's cycles were 10 % too many.
const MOST_GAPS: usize = 96;

/// Cycles at which a resource is free.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    gaps: VecDeque<(f64, f64)>,
    free: f64,
    busy: f64,
}

impl Timeline {
    /// The first cycle, at `ready` or after it, from which `length` cycles are free.
    pub(crate) fn find(&self, ready: f64, length: f64) -> f64 {
        let fits = self.gaps.range(self.first_gap(ready)..).find_map(|(from, to)| {
            let start = from.max(ready);
            (start + length <= *to).then_some(start)
        });
        fits.unwrap_or_else(|| self.free.max(ready))
    }

    /// True if `length` cycles from `start` on are free.
    pub(crate) fn is_free(&self, start: f64, length: f64) -> bool {
        let gap = self.gaps.get(self.first_gap(start));
        start >= self.free || gap.is_some_and(|(from, to)| *from <= start && start + length <= *to)
    }

    /// Takes `length` cycles from `start` on, which [`Self::find`] gave.
    pub(crate) fn take(&mut self, start: f64, length: f64) {
        self.busy += length;
        if start >= self.free {
            if start > self.free {
                self.gaps.push_back((self.free, start));
            }
            self.free = start + length;
            self.forget();
            return;
        }
        let Some(at) = self
            .gaps
            .iter()
            .position(|(from, to)| *from <= start && start + length <= *to)
        else {
            return;
        };
        let (from, to) = self.gaps[at];
        self.gaps.remove(at);
        if start + length < to {
            self.gaps.insert(at, (start + length, to));
        }
        if from < start {
            self.gaps.insert(at, (from, start));
        }
        self.forget();
    }

    /// The cycle at which `length` free cycles have passed since `ready`, with pauses where the resource is taken.
    pub(crate) fn reach(&self, ready: f64, length: f64) -> f64 {
        let mut left = length;
        for (from, to) in self.gaps.range(self.first_gap(ready)..) {
            let start = from.max(ready);
            if start + left <= *to {
                return start + left;
            }
            left -= (to - start).max(0.0);
        }
        self.free.max(ready) + left
    }

    /// Takes the first `length` free cycles since `ready`, up to [`Self::reach`].
    pub(crate) fn take_with_pauses(&mut self, ready: f64, length: f64) {
        let mut left = length;
        let mut at = self.first_gap(ready);
        while left > 0.0
            && let Some((from, to)) = self.gaps.get(at).copied()
        {
            let start = from.max(ready);
            self.gaps.remove(at);
            if start + left < to {
                self.gaps.insert(at, (start + left, to));
            }
            if from < start {
                self.gaps.insert(at, (from, start));
                at += 1;
            }
            left -= to - start;
        }
        if left > 0.0 {
            self.busy += length - left;
            self.take(self.free.max(ready), left);
        } else {
            self.busy += length;
            self.forget();
        }
    }

    /// The first gap that does not end before `ready`: gaps are in the order of time, and do not touch.
    fn first_gap(&self, ready: f64) -> usize {
        self.gaps.partition_point(|(_, to)| *to < ready)
    }

    /// Cycles that were taken.
    pub(crate) fn busy(&self) -> f64 {
        self.busy
    }

    /// The end of the last piece.
    pub(crate) fn end(&self) -> f64 {
        self.free
    }

    /// Moves everything `by` cycles into the future.
    pub(crate) fn shift(&mut self, by: f64) {
        self.free += by;
        for (from, to) in &mut self.gaps {
            *from += by;
            *to += by;
        }
    }

    fn forget(&mut self) {
        if self.gaps.len() > MOST_GAPS {
            self.gaps.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Timeline;

    #[test]
    fn work_goes_into_the_first_gap_that_is_long_enough() {
        let mut timeline = Timeline::default();
        timeline.take(10.0, 5.0);
        timeline.take(30.0, 5.0);
        assert_eq!(timeline.find(0.0, 10.0), 0.0);
        assert_eq!(timeline.find(2.0, 10.0), 15.0);
        assert_eq!(timeline.find(2.0, 20.0), 35.0);
        timeline.take(15.0, 10.0);
        assert_eq!(timeline.find(0.0, 11.0), 35.0);
        assert_eq!(timeline.find(0.0, 5.0), 0.0);
        assert_eq!(timeline.find(11.0, 5.0), 25.0);
        assert_eq!(timeline.busy(), 20.0);
    }

    #[test]
    fn work_with_pauses_goes_around_what_is_taken() {
        let mut timeline = Timeline::default();
        timeline.take(10.0, 5.0);
        timeline.take(30.0, 5.0);
        assert_eq!(timeline.reach(4.0, 6.0), 10.0);
        assert_eq!(timeline.reach(4.0, 8.0), 17.0);
        assert_eq!(timeline.reach(4.0, 25.0), 39.0);
        assert_eq!(timeline.reach(50.0, 3.0), 53.0);
        timeline.take_with_pauses(4.0, 8.0);
        assert_eq!(timeline.find(0.0, 4.0), 0.0);
        assert_eq!(timeline.find(0.0, 5.0), 17.0);
        assert_eq!(timeline.reach(0.0, 5.0), 18.0);
        timeline.take_with_pauses(20.0, 12.0);
        assert_eq!(timeline.end(), 37.0);
        assert_eq!(timeline.busy(), 30.0);
    }
}
