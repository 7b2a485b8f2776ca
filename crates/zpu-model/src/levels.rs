//! One and two fused levels of loads in closed form: what depth buys, without a pass over a nest.
//!
//! Engines are in order, the control stream is free, and a version is free again when its last reader is done. The
//! formulas were derived from the recurrence that goes from step to step, and the tests hold them against it and
//! against [`crate::EventGraph`]. The model of ALCOP (Huang et al., MLSys 2023) has the same symbols; its main loop
//! alone is `max(n u, n (L + u) / N)`.

use crate::ratio::Ratio;

/// A load, in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// From its issue until its data may be used.
    pub latency: u64,
    /// The time that it takes its engine, no more than the latency.
    pub occupancy: u64,
    /// Versions of the buffer that it fills, at least one.
    pub versions: u64,
}

/// A load and a use in each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneLevel {
    /// The load.
    pub load: Load,
    /// Cycles of a use.
    pub work: u64,
}

impl OneLevel {
    /// Cycles from one iteration to the next in the long run: `max(o, u, (L + u) / N)`.
    pub fn interval(&self) -> Ratio {
        let Load { latency, versions, .. } = self.load;
        Ratio::from(self.slower()).max(Ratio::new(latency + self.work, versions))
    }

    /// Cycles of so many iterations: `max(L + u + (n - 1) g, (J + 1)(L + u) + (n - 1 - J N) g)` with `g = max(o, u)`
    /// and `J = (n - 1) / N`.
    pub fn cycles(&self, iterations: u64) -> u64 {
        let Some(others) = iterations.checked_sub(1) else {
            return 0;
        };
        let (both, slower) = (self.load.latency + self.work, self.slower());
        let runs = others / self.load.versions;
        let by_engine = both + others * slower;
        by_engine.max((runs + 1) * both + (others - runs * self.load.versions) * slower)
    }

    /// The least number of versions with the shortest interval: `(L + u) / max(o, u)`, rounded up.
    pub fn depth(&self) -> u64 {
        (self.load.latency + self.work).div_ceil(self.slower().max(1)).max(1)
    }

    fn slower(&self) -> u64 {
        self.load.occupancy.max(self.work)
    }
}

/// A load of a chunk, and for each chunk some steps of a load from it and a use. The inner pipeline runs on over
/// chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoLevels {
    /// The load of a chunk; its version is free when the last load of a step from it is done.
    pub outer: Load,
    /// Steps of a chunk, at least one.
    pub steps: u64,
    /// The load of a step.
    pub inner: Load,
    /// Cycles of a use.
    pub work: u64,
}

impl TwoLevels {
    /// Cycles from one chunk to the next in the long run:
    ///
    /// ```text
    /// P(s) = max(s o2, max over j = 1 .. s / N2 of j (L2 + u) + (s - j N2) max(o2, u))
    /// max(o1, n2 max(o2, u), n2 (L2 + u) / N2, max over r = 0 .. 2 N2 of (L1 + L2 + P((r + 1) n2 - 1)) / (N1 + r))
    /// ```
    pub fn interval(&self) -> Ratio {
        let (outer, inner) = (self.outer, self.inner);
        let fill = self.fill();
        let with = |later: u64| {
            let before = self.before_step((later + 1) * self.steps - 1);
            Ratio::new(fill + before, outer.versions + later)
        };
        let rings = (0..=2 * inner.versions).map(with);
        let engines = Ratio::from(outer.occupancy.max(self.steps * inner.occupancy.max(self.work)));
        let ring = Ratio::new(self.steps * (inner.latency + self.work), inner.versions);
        rings.fold(engines.max(ring), Ratio::max)
    }

    /// Cycles before the first use: `L1 + L2`.
    pub fn fill(&self) -> u64 {
        self.outer.latency + self.inner.latency
    }

    /// From the load of a step to that of the one so many steps later, at the least: `P(s)`.
    fn before_step(&self, steps: u64) -> u64 {
        let inner = self.inner;
        let slower = inner.occupancy.max(self.work);
        let through = (1..=steps / inner.versions)
            .map(|turns| turns * (inner.latency + self.work) + (steps - turns * inner.versions) * slower);
        through.fold(steps * inner.occupancy, u64::max)
    }
}
