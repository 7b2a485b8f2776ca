//! The time of one resource: when it is taken, and where a further piece of work fits.
//!
//! A piece goes into the first gap that is long enough, so work that has to wait does not hold up what comes after it:
//! the order on a queue is the compiler's to choose. Gaps that are far in the past are forgotten.

use std::collections::VecDeque;

/// The most gaps that are kept; older ones are rarely reached by work of some iterations later.
const MOST_GAPS: usize = 32;

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
        let fits = self.gaps.iter().find_map(|(from, to)| {
            let start = from.max(ready);
            (start + length <= *to).then_some(start)
        });
        fits.unwrap_or_else(|| self.free.max(ready))
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
        for (from, to) in &self.gaps {
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
        let mut gaps = VecDeque::with_capacity(self.gaps.len() + 1);
        for (from, to) in self.gaps.drain(..) {
            let start = from.max(ready);
            if left <= 0.0 || start >= to {
                gaps.push_back((from, to));
                continue;
            }
            if from < start {
                gaps.push_back((from, start));
            }
            if start + left < to {
                gaps.push_back((start + left, to));
            }
            left -= to - start;
        }
        self.gaps = gaps;
        if left > 0.0 {
            self.busy += length - left;
            self.take(self.free.max(ready), left);
        } else {
            self.busy += length;
            self.forget();
        }
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
