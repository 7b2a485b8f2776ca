//! Gates: the event of another consumer that an event waits for.

/// The loops of a consumer and of the one that its gate is on, as they were written, and how many they share.
pub(crate) struct GateEvents<'a> {
    pub(crate) loops: &'a [i64],
    pub(crate) other_loops: &'a [i64],
    pub(crate) prefix: usize,
}

impl GateEvents<'_> {
    /// The last event of the other consumer that an event waits for; nothing if no event has the same indices.
    pub(crate) fn last_awaited(&self, event: u32) -> Option<u32> {
        let rest = |loops: &[i64]| loops[self.prefix..].iter().product::<i64>();
        let mut prefix = i64::from(event) / rest(self.loops);
        let (mut number, mut weight) = (0i64, 1i64);
        for (trip, other) in self.loops[..self.prefix]
            .iter()
            .zip(&self.other_loops[..self.prefix])
            .rev()
        {
            let index = prefix % trip;
            prefix /= trip;
            if index >= *other {
                return None;
            }
            number += index * weight;
            weight *= other;
        }
        u32::try_from((number + 1) * rest(self.other_loops) - 1).ok()
    }
}
