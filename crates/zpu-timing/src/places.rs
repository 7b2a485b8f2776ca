//! The places of a queue whose commands have known ends.

use std::collections::VecDeque;

/// The cycle at which each command in a queue is complete, the oldest first. A place is taken until then.
#[derive(Clone, Debug, Default)]
pub struct Places {
    ends: VecDeque<u64>,
}

impl Places {
    /// A command enters the queue, which is complete at `end`. Ends do not decrease, since a queue is in order.
    #[inline]
    pub fn take(&mut self, end: u64) {
        self.ends.push_back(end);
    }

    /// The cycle at which a queue of `depth` places has a free one, if it has none at `now`. Drops complete commands.
    #[inline]
    pub fn free_from(&mut self, depth: usize, now: u64) -> Option<u64> {
        // The newest command may have entered after `now`, when one before it was complete.
        while self.ends.len() > depth || self.ends.front().is_some_and(|end| *end <= now) {
            self.ends.pop_front();
        }
        self.ends.front().copied().filter(|_| self.ends.len() == depth)
    }

    /// The ends after `now`, the latest first.
    #[inline]
    pub fn taken(&self, now: u64) -> impl Iterator<Item = u64> {
        self.ends.iter().rev().copied().take_while(move |end| *end > now)
    }
}
