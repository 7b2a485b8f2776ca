//! Which buffers may share bytes.

use zpu_analysis::liveness::{BufferId, Liveness, Meeting};

/// For each pair of a function's buffers, by number, whether the two may share bytes.
#[derive(Clone, Debug)]
pub(super) struct Sharing {
    count: usize,
    meetings: Vec<Meeting>,
}

impl Sharing {
    /// By the lives of a function.
    pub(super) fn of(lives: &Liveness<'_>) -> Self {
        let count = lives.buffers.len();
        let pairs = (0..count).flat_map(|one| (0..count).map(move |other| (one, other)));
        let meeting = |(one, other)| lives.meeting(BufferId(one), BufferId(other));
        Self {
            count,
            meetings: pairs.map(meeting).collect(),
        }
    }

    /// No two.
    pub(super) fn none(lives: &Liveness<'_>) -> Self {
        let count = lives.buffers.len();
        Self {
            count,
            meetings: vec![Meeting::Always; count * count],
        }
    }

    /// Those that may by both.
    pub(super) fn and(mut self, other: &Self) -> Self {
        for (own, other) in self.meetings.iter_mut().zip(&other.meetings) {
            *own = (*own).max(*other);
        }
        self
    }

    /// Number of buffers.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn meeting(&self, one: usize, other: usize) -> Meeting {
        self.meetings[one * self.count + other]
    }

    /// Takes two apart.
    pub(super) fn separate(&mut self, one: usize, other: usize) {
        for at in [one * self.count + other, other * self.count + one] {
            self.meetings[at] = Meeting::Always;
        }
    }
}
