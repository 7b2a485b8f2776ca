//! The contents of memory that a run without values knows.
//!
//! Without values, commands change nothing, so what memory holds is known only where the caller gave it, a constant
//! says it, or the control stream stored a number that it knew, and no command was given these bytes to write since.
//! A load of anything else is a number that is not known. Arithmetic carries it on; what decides where the control
//! stream goes, or which bytes a view has, must be known.

use crate::footprint::Footprint;
use crate::intervals::IntervalMap;
use crate::memory::BufferId;

/// Bytes that are known, by place of a buffer.
#[derive(Debug, Default)]
pub(crate) struct Known {
    places: Vec<IntervalMap<()>>,
}

impl Known {
    /// These bytes are known from here on.
    pub(crate) fn learn(&mut self, buffer: BufferId, footprint: &Footprint) {
        let place = buffer.place();
        if self.places.len() <= place {
            self.places.resize_with(place + 1, IntervalMap::default);
        }
        for run in footprint.runs().iter() {
            self.places[place].set(*run, ());
        }
    }

    /// These bytes may be anything from here on.
    pub(crate) fn forget(&mut self, buffer: BufferId, footprint: &Footprint) {
        let known = self.places.get_mut(buffer.place()).filter(|known| !known.is_empty());
        if let Some(known) = known {
            footprint.runs().iter().for_each(|run| known.clear(*run));
        }
    }

    /// True if all of these bytes are known.
    pub(crate) fn has(&self, buffer: BufferId, footprint: &Footprint) -> bool {
        let known = self.places.get(buffer.place());
        known.is_some_and(|known| {
            let mut runs = footprint.intervals().into_iter();
            runs.all(|run| known.parts(run).all(|(_, value)| value.is_some()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_known_until_a_command_may_write_them() {
        let (mut known, buffer) = (Known::default(), BufferId(3));
        let run = Footprint::run;
        assert!(!known.has(buffer, &run(0, 4)));
        known.learn(buffer, &run(0, 8));
        known.learn(buffer, &run(8, 8));
        assert!(known.has(buffer, &run(4, 8)));
        known.forget(buffer, &run(6, 1));
        assert!(known.has(buffer, &run(0, 6)) && !known.has(buffer, &run(4, 4)));
        assert!(!known.has(BufferId(2), &run(0, 1)));
    }
}
