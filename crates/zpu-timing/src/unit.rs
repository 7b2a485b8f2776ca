//! One unit after a queue: it works on one command at a time, in the order of their issue.

/// The unit of an engine. Invariant: it is free from some cycle on, and that cycle never goes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    free: u64,
}

impl Unit {
    /// The cycle at which the last command that took it is done with it.
    #[inline]
    pub fn free(&self) -> u64 {
        self.free
    }

    /// The cycle at which a command that is ready at `ready` takes the unit.
    #[inline]
    pub fn begin(&self, ready: u64) -> u64 {
        ready.max(self.free)
    }

    /// The unit is taken until then.
    #[inline]
    pub fn take(&mut self, end: u64) {
        self.free = self.free.max(end);
    }
}
