//! Usage of each engine, in cycles. Invariant: `busy`, `latency` and `sharing` are parts of the time in which the
//! engine had commands.

use zpu_timing::Completion;

/// The usage of an engine so far, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) commands: u64,
    pub(crate) busy: u64,
    /// Start latency that nothing covered.
    pub(crate) latency: u64,
    /// Stretching by others on the links.
    pub(crate) sharing: u64,
}

impl Usage {
    /// Counts a command that is complete.
    pub(crate) fn add<T>(&mut self, completion: &Completion<T>) {
        self.commands += 1;
        self.busy = self.busy.saturating_add(completion.command.occupancy());
        self.latency += completion.uncovered_latency();
        self.sharing += completion.stretch();
    }
}
