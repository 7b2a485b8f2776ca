//! Finding when the machine repeats: its states, as seen at the begin of kernel iterations.

use std::hash::Hasher as _;

use rustc_hash::{FxHashMap, FxHasher};

use super::run::Run;

/// The states that were seen so far, one after the other.
#[derive(Default)]
pub(super) struct Repeats {
    /// By hash of the state, the last one that has it. Never walked through, so its order does not matter.
    seen: FxHashMap<u64, usize>,
    past: Vec<Seen>,
    words: Vec<u64>,
}

/// A state, with the iteration and the clock that it is relative to.
struct Seen {
    kernel: u64,
    now: u64,
    /// The place of its first word. After the state come the times at which engines that are never waited for are free.
    begin: usize,
    /// The place of the first of those times.
    free: usize,
}

impl Repeats {
    /// The number of calls of [`Self::look`].
    pub(super) fn looks(&self) -> usize {
        self.past.len()
    }

    /// The period in iterations and in cycles of the stream, if the machine repeats from now on what it did before.
    pub(super) fn look(&mut self, run: &Run<'_>) -> Option<(u64, u64)> {
        let begin = self.words.len();
        run.state(&mut self.words);
        let free = self.words.len();
        self.words.extend(run.unobserved().map(|(_, free)| free));
        let mut hasher = FxHasher::default();
        self.words[begin..free].iter().for_each(|word| hasher.write_u64(*word));
        let index = self.past.len();
        self.past.push(Seen {
            kernel: run.kernel,
            now: run.now,
            begin,
            free,
        });
        let before = &self.past[self.seen.insert(hasher.finish(), index)?];
        if self.words[before.begin..before.free] != self.words[begin..free] {
            return None;
        }
        let (iterations, cycles) = (run.kernel - before.kernel, run.now - before.now);
        // An engine that is never waited for may lag more than before if it never paused: it will not pause later
        // either.
        let lag = |free: u64, clock: u64| free.saturating_sub(clock);
        let mut engines = run.unobserved().zip(&self.words[before.free..]);
        let settled = engines.all(|((work, free), &old)| {
            let never_paused = free - old == work * iterations;
            let (before, after) = (lag(old, before.now), lag(free, run.now));
            before == after || (never_paused && after > before)
        });
        settled.then_some((iterations, cycles))
    }
}
