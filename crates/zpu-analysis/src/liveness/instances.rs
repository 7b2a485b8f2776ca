//! Names of command instances, as numbers: a set of them is a row of bits.

use fixedbitset::FixedBitSet;

use super::timeline::{Kind, StepId, Timeline};

/// A command instance: its step, and the iterations since.
pub(super) type Name = (StepId, u8);

/// Names as numbers, so that a set of them is a row of bits.
#[derive(Debug)]
pub(super) struct Names {
    /// Per step: the number of its youngest instance, if it can leave a command incomplete.
    first: Vec<Option<usize>>,
    /// By number.
    pub(super) names: Vec<Name>,
}

impl Names {
    pub(super) fn of(timeline: &Timeline<'_>, horizon: u8) -> Self {
        let mut names = Vec::new();
        let numbered = timeline.steps.iter().enumerate().map(|(number, step)| {
            let first = names.len();
            if !matches!(step.kind, Kind::Start(..) | Kind::Opaque) {
                return None;
            }
            names.extend((0..=horizon).map(|age| (StepId(number), age)));
            Some(first)
        });
        let first = numbered.collect();
        Self { first, names }
    }

    pub(super) fn number(&self, (step, age): Name) -> Option<usize> {
        self.first[step.0].map(|first| first + usize::from(age))
    }

    /// No names, with room for all.
    pub(super) fn none(&self) -> FixedBitSet {
        FixedBitSet::with_capacity(self.names.len())
    }

    pub(super) fn set(&self, names: impl Iterator<Item = Name>) -> FixedBitSet {
        let mut set = self.none();
        names
            .filter_map(|name| self.number(name))
            .for_each(|number| set.insert(number));
        set
    }
}
