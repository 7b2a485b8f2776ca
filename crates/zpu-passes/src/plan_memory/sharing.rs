//! Which buffers may share bytes.
//!
//! Invariant: of two buffers with addresses of the user only lives decide; no trial takes them apart.

use zpu_analysis::liveness::{BufferId, Liveness, Meeting};
use zpu_ir::{annotation, attr};

/// For each pair of a function's buffers, by number, whether the two may share bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sharing {
    count: usize,
    meetings: Vec<Meeting>,
    /// Per buffer: true if the user gave it an address.
    is_pinned: Vec<bool>,
    /// Pairs that have to lie in different banks.
    apart: Vec<(usize, usize)>,
}

/// The address that the user gave a buffer.
pub(super) fn pinned(lives: &Liveness<'_>, at: usize) -> Option<u64> {
    let address = lives.buffers[at].op()?.attr(annotation::ADDRESS)?;
    attr::as_int(address).and_then(|address| u64::try_from(address).ok())
}

/// The first two buffers that the user gave bytes in common, though they are needed at the same time.
pub(super) fn wrong_pins(lives: &Liveness<'_>) -> Option<(usize, usize)> {
    let count = lives.buffers.len();
    let mut pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
    pairs.find(|(one, other)| pins_meet(lives, *one, *other) && !may_lie(lives, *one, *other))
}

/// True if the user gave two buffers bytes in common.
fn pins_meet(lives: &Liveness<'_>, one: usize, other: usize) -> bool {
    let window = |at: usize| pinned(lives, at).map(|first| (first, first.saturating_add(lives.buffers[at].bytes)));
    lives.buffers[one].space == lives.buffers[other].space
        && window(one)
            .zip(window(other))
            .is_some_and(|(one, other)| one.0 < other.1 && other.0 < one.1)
}

/// True if lives allow what the user gave two buffers: slots of one number that do not meet need one address.
fn may_lie(lives: &Liveness<'_>, one: usize, other: usize) -> bool {
    match lives.meeting(BufferId(one), BufferId(other)) {
        Meeting::Never => true,
        Meeting::OtherSlots => pinned(lives, one) == pinned(lives, other),
        Meeting::Always => false,
    }
}

impl Sharing {
    /// By the lives of a function.
    pub(super) fn of(lives: &Liveness<'_>) -> Self {
        let count = lives.buffers.len();
        let pairs = (0..count).flat_map(|one| (0..count).map(move |other| (one, other)));
        let meeting = |(one, other)| {
            if pins_meet(lives, one, other) && may_lie(lives, one, other) {
                Meeting::Never
            } else {
                lives.meeting(BufferId(one), BufferId(other))
            }
        };
        Self {
            count,
            meetings: pairs.map(meeting).collect(),
            is_pinned: (0..count).map(|at| pinned(lives, at).is_some()).collect(),
            apart: Vec::new(),
        }
    }

    /// The same with pairs that have to lie in different banks.
    pub(super) fn in_banks(mut self, apart: Vec<(usize, usize)>) -> Self {
        for (one, other) in &apart {
            self.separate(*one, *other);
        }
        self.apart = apart;
        self
    }

    /// The buffers that have to lie in other banks than one of some buffers.
    pub(super) fn apart_from<'a>(&'a self, some: &'a [usize]) -> impl Iterator<Item = usize> + 'a {
        self.apart.iter().flat_map(|(one, other)| {
            let of = |at: &usize, partner: usize| some.contains(at).then_some(partner);
            of(one, *other).into_iter().chain(of(other, *one))
        })
    }

    /// No two but those with addresses of the user.
    pub(super) fn none(&self) -> Self {
        let mut all = self.clone();
        for one in 0..all.count {
            (0..all.count).for_each(|other| all.separate(one, other));
        }
        all
    }

    /// Those that may where slots of one number suffice.
    pub(super) fn relaxed(&self) -> Self {
        let each = self.meetings.iter().map(|meeting| match meeting {
            Meeting::OtherSlots => Meeting::Never,
            other => *other,
        });
        Self {
            meetings: each.collect(),
            ..self.clone()
        }
    }

    /// Those that may by both.
    pub(super) fn and(mut self, other: &Self) -> Self {
        for one in 0..self.count {
            for two in 0..self.count {
                if !self.is_users(one, two) {
                    let own = &mut self.meetings[one * self.count + two];
                    *own = (*own).max(other.meeting(one, two));
                }
            }
        }
        self
    }

    /// True if the user gave both buffers an address.
    pub(super) fn is_users(&self, one: usize, other: usize) -> bool {
        self.is_pinned[one] && self.is_pinned[other]
    }

    /// Number of buffers.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn meeting(&self, one: usize, other: usize) -> Meeting {
        self.meetings[one * self.count + other]
    }

    /// Takes two apart, but for those with addresses of the user.
    pub(super) fn separate(&mut self, one: usize, other: usize) {
        if self.is_users(one, other) {
            return;
        }
        for at in [one * self.count + other, other * self.count + one] {
            self.meetings[at] = Meeting::Always;
        }
    }
}
