//! Lives of on-chip buffers: where in a function the contents of each one may still be needed.
//!
//! A function is a timeline of steps in program order, a loop an interval of it (`timeline`). The *life* of a buffer
//! is the set of steps at which its bytes must not be given to another buffer. Step `p` is in it if
//!
//! - `p` accesses the buffer; or
//! - its contents are needed at `p`: some way from an earlier write leads to `p`, and some way from `p` leads to a read
//!   without a write between that certainly replaces all of them (`contents`); or
//! - a command that was issued before `p` and accesses the buffer may not be complete: no wait has shown it
//!   (`outstanding`).
//!
//! So a life begins with the issue of the first writing command and ends with the step after which its last reader is
//! known to be complete: in the synchronous form the command itself, in the asynchronous one the wait. A loop's steps
//! stand for all of its iterations; a buffer that an iteration writes as a whole before it reads it has a life of some
//! steps of the loop only, any other is alive during the whole loop.
//!
//! The slots of a ring have lives of their own, counted from the iteration: slot `(i + c) mod N` in iteration `i` is
//! slot number `c` at that step, and number `c - 1` in the next iteration (`slots`).
//!
//! Invariant: a life may be too long, never too short. What the analysis does not follow lives during the whole
//! function.

mod arc;
mod buffer;
mod clobber;
mod contents;
mod cover;
mod instances;
mod life;
mod outstanding;
mod overrun;
mod slots;
mod timeline;
mod touch;

pub use arc::{Arc, Circle};
pub use buffer::{Buffer, BufferId, Unplanned, handed_on};
pub use clobber::{Clobber, clobbered, window_of};
pub use life::{Life, Peak, Resident};
pub use overrun::{Overrun, overruns};
pub use timeline::StepId;

use zpu_device::Device;
use zpu_ir::Op;

use slots::Slots;
use timeline::Timeline;
use touch::Touches;

/// The lives of a function's on-chip buffers.
#[derive(Debug)]
pub struct Liveness<'c> {
    /// The buffers in program order.
    pub buffers: Vec<Buffer<'c>>,
    /// On-chip allocations that are none of them, each with the reason.
    pub unplanned: Vec<Unplanned<'c>>,
    timeline: Timeline<'c>,
    /// The slots of each buffer that are alive at each step.
    alive: Vec<Vec<Slots>>,
    /// The slots of each buffer that are alive where an iteration of each loop begins, by the loop's number.
    heads: Vec<Vec<Slots>>,
    /// The steps at which each buffer is accessed.
    accessed: Vec<Vec<StepId>>,
    /// The pairs of buffers that must not share bytes.
    meetings: Meetings,
}

/// The reason why two buffers must not share bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meeting {
    /// None: they may.
    Never,
    /// Both are rings of equally many slots, and no slot of one meets the slot of the same number of the other.
    OtherSlots,
    /// They are needed at the same time.
    Always,
}

/// The reasons for all pairs.
#[derive(Debug)]
struct Meetings {
    count: usize,
    pairs: Vec<Meeting>,
}

impl Meetings {
    fn none(count: usize) -> Self {
        Self {
            count,
            pairs: vec![Meeting::Never; count * count],
        }
    }

    fn add(&mut self, left: usize, right: usize, meeting: Meeting) {
        for at in [left * self.count + right, right * self.count + left] {
            self.pairs[at] = self.pairs[at].max(meeting);
        }
    }

    fn of(&self, left: usize, right: usize) -> Meeting {
        self.pairs[left * self.count + right]
    }
}

/// Finds the lives of the on-chip buffers of a function on a device.
pub fn liveness<'c>(function: Op<'c>, device: &Device) -> Liveness<'c> {
    let (mut buffers, unplanned) = buffer::buffers(function, device, |space| buffer::is_on_chip(space, device));
    let timeline = Timeline::of(function, device);
    let touches = Touches::of(&timeline, &mut buffers);
    let mut meetings = Meetings::none(buffers.len());
    let (mut alive, mut heads) = contents::needed(&timeline, &touches, &buffers);
    for step in timeline.ids() {
        meet_at(step, &alive[step.0], &timeline, &buffers, &mut meetings);
    }
    outstanding::add(&timeline, &touches, &buffers, (&mut alive, &mut heads), &mut meetings);
    let accessed = touches.steps_of_each(buffers.len());
    Liveness {
        buffers,
        unplanned,
        timeline,
        alive,
        heads,
        accessed,
        meetings,
    }
}

/// Adds the pairs of buffers of which both are needed at a step.
fn meet_at<'c>(
    step: StepId,
    alive: &[Slots],
    timeline: &Timeline<'c>,
    buffers: &[Buffer<'c>],
    meetings: &mut Meetings,
) {
    let here: Vec<usize> = (0..buffers.len()).filter(|at| !alive[*at].is_empty()).collect();
    for (at, left) in here.iter().enumerate() {
        for right in &here[at + 1..] {
            let meeting = slots::meeting(
                (&buffers[*left], alive[*left]),
                (&buffers[*right], alive[*right]),
                timeline.loops(step),
            );
            meetings.add(*left, *right, meeting);
        }
    }
}

impl<'c> Liveness<'c> {
    /// Finds whether two buffers of one memory may share bytes, and if not, why.
    ///
    /// More precise than lives as sets of steps: commands of one engine are complete in the order of issue, so a
    /// command may write bytes that an earlier one of its engine still reads.
    pub fn meeting(&self, left: BufferId, right: BufferId) -> Meeting {
        self.meetings.of(left.0, right.0)
    }

    /// Numbers of the buffers.
    pub fn ids(&self) -> impl Iterator<Item = BufferId> + use<> {
        (0..self.buffers.len()).map(BufferId)
    }

    /// A buffer by its number.
    pub fn buffer(&self, id: BufferId) -> &Buffer<'c> {
        &self.buffers[id.0]
    }

    /// The operation of a step.
    pub fn op(&self, step: StepId) -> Op<'c> {
        self.timeline.op(step)
    }

    /// Number of steps.
    pub fn num_steps(&self) -> usize {
        self.timeline.ids().count()
    }

    /// Names of the memories with buffers, in the order of the first one.
    pub fn spaces(&self) -> Vec<&'c str> {
        let mut spaces = Vec::new();
        for space in self.buffers.iter().map(|buffer| buffer.space) {
            if !spaces.contains(&space) {
                spaces.push(space);
            }
        }
        spaces
    }
}
