//! Closed formulas for pipelines of one and of two levels of memory: finite time, period, and the depth that pays.
//!
//! They are longest paths through the recurrence that goes step by step: engines work in order, a load may start when
//! its slot is free, a use when its load has arrived. The period of more than two levels is that of
//! [`crate::EventGraph::of_levels`]. The work that they are compared with is ALCOP (G. Huang et al., "ALCOP: Automatic
//! Load-Compute Pipelining in Deep Learning Compiler for AI-GPUs", MLSys 2023); none of its formulas is used here.
//!
//! Invariant: a result is exact. One whose numbers leave 64 bits is `None`, never rounded or wrapped.

use std::num::{NonZeroU32, NonZeroU64};

use crate::ratio::Ratio;

/// A loop of a load into one of several versions of a buffer, and a use that frees it. Times are in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OneLevel {
    /// From the start of a load until its data may be used, `L`.
    pub latency: u64,
    /// That a load takes its engine, `o`: the next one starts no earlier.
    pub occupancy: u64,
    /// That a use takes the compute engine, `u`.
    pub work: u64,
    /// Versions of the buffer, `N`: a load starts no earlier than the end of the use so many iterations before.
    pub versions: NonZeroU32,
}

impl OneLevel {
    /// Cycles from the start of the first load to the end of the last use of `n` iterations:
    ///
    /// ```text
    /// T(n) = max( L + u + (n - 1) g,  (J + 1)(L + u) + (n - 1 - J N) g )    g = max(o, u)    J = floor((n - 1) / N)
    /// ```
    ///
    /// and 0 for no iteration. A path that goes through `j` freed slots takes `(j + 1)(L + u) + (n - 1 - j N) g`, which
    /// is linear in `j`, so that the extremes of `j` are all that count.
    pub fn time(&self, iterations: u64) -> Option<u64> {
        let Some(last) = iterations.checked_sub(1) else {
            return Some(0);
        };
        let (slots, rest) = self.turns(last);
        Some(self.path(1, last)?.max(self.path(slots.checked_add(1)?, rest)?))
    }

    /// Cycles from the start of the first load to that of load `at`, counted from 0:
    ///
    /// ```text
    /// P(s) = max( s o,  max over j = 1..floor(s / N) of j (L + u) + (s - j N) max(o, u) )
    /// ```
    ///
    /// It is the longest path between any two loads that are `s` apart, in the middle of a run as well.
    pub fn load_start(&self, at: u64) -> Option<u64> {
        let engine = at.checked_mul(self.occupancy)?;
        match (self.turns(at), at.checked_sub(self.versions.get().into())) {
            ((slots, rest), Some(behind)) => Some(engine.max(self.path(1, behind)?).max(self.path(slots, rest)?)),
            _ => Some(engine),
        }
    }

    /// Cycles per iteration in the long run, the initiation interval `II(N) = max(o, u, (L + u) / N)`.
    pub fn period(&self) -> Option<Ratio> {
        let slots = Ratio::new(self.trip()?, self.versions.into());
        Some(slots.max(self.engines().into()))
    }

    /// The least versions with which the engines alone set the period, `ceil((L + u) / max(o, u))`, at least 1. More
    /// buy nothing in the long run. `None` also if neither engine takes any time and the latency does: then each
    /// version counts.
    pub fn depth(&self) -> Option<u64> {
        match (self.trip()?, self.engines()) {
            (0, _) => Some(1),
            (_, 0) => None,
            (trip, engines) => Some(trip.div_ceil(engines)),
        }
    }

    /// The busier engine's cycles per iteration, `max(o, u)`.
    fn engines(&self) -> u64 {
        self.occupancy.max(self.work)
    }

    /// Cycles that a slot is taken at least, `L + u`.
    fn trip(&self) -> Option<u64> {
        self.latency.checked_add(self.work)
    }

    /// The most times that a path may go through a freed slot while it advances by `steps`, and the steps left.
    fn turns(&self, steps: u64) -> (u64, u64) {
        let versions = u64::from(self.versions.get());
        (steps / versions, steps % versions)
    }

    fn path(&self, trips: u64, steps: u64) -> Option<u64> {
        let trips = trips.checked_mul(self.trip()?)?;
        trips.checked_add(steps.checked_mul(self.engines())?)
    }
}

/// Chunks that are loaded into one of several versions of a buffer, and cut into steps by an inner pipeline that does
/// not drain between chunks. A chunk's slot is free when the last inner load from it has arrived. Times are in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TwoLevels {
    /// From the start of a chunk's load until inner loads may read it, `L1`.
    pub latency: u64,
    /// That a chunk's load takes its engine, `o1`, which is not the engine of the inner loads.
    pub occupancy: u64,
    /// Versions of the chunk's buffer, `N1`.
    pub versions: NonZeroU32,
    /// Steps of a chunk, `n2`.
    pub steps: NonZeroU32,
    /// One step: `L2`, `o2`, `u` and `N2`.
    pub inner: OneLevel,
}

impl TwoLevels {
    /// Cycles per chunk in the long run:
    ///
    /// ```text
    /// II1 = max( o1,  n2 max(o2, u),  n2 (L2 + u) / N2,
    ///            max over r = 0..N2 - 1 of (L1 + L2 + P((r + 1) n2 - 1)) / (N1 + r) )
    /// ```
    ///
    /// with `P` of [`OneLevel::load_start`]. The last line is the cycles of dependences through a chunk's slot: a
    /// chunk's load, inner loads over `r + 1` chunks, and the load that gets the slot of the last of these chunks. A
    /// larger `r` adds nothing: such a cycle passes the same inner load or use of a chunk twice, so it is made of a
    /// shorter cycle and one of the inner level.
    ///
    /// Time is linear in `N2`.
    pub fn period(&self) -> Option<Ratio> {
        let steps = u64::from(self.steps.get());
        let engines = self.occupancy.max(steps.checked_mul(self.inner.engines())?);
        let inner_slots = Ratio::new(steps.checked_mul(self.inner.trip()?)?, self.inner.versions.into());
        let mut period = inner_slots.max(engines.into());
        for more in 0..u64::from(self.inner.versions.get()) {
            let last = (more + 1).checked_mul(steps)? - 1;
            let path = self.fill()?.checked_add(self.inner.load_start(last)?)?;
            let chunks = NonZeroU64::from(self.versions).checked_add(more)?;
            period = period.max(Ratio::new(path, chunks));
        }
        Some(period)
    }

    /// Cycles before the first use, `L1 + L2`.
    pub fn fill(&self) -> Option<u64> {
        self.latency.checked_add(self.inner.latency)
    }
}
