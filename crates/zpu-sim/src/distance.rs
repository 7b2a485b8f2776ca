//! The distance of a run from its tight bound, by cause.
//!
//! The bound is limited by a unit: a set of engines, a link, or the control stream. Each cycle in which that unit does
//! not work on a command is counted, by what the control stream does in it:
//!
//! - *fill and drain*: before the first command of an engine takes it, and after the last one; of the stream, after the
//!   last issue;
//! - *control stream*: it pays for an issue (to another unit), for the end of an iteration, or for its own access;
//! - *waits*: it pays for a wait or a barrier;
//! - *order*: a wait, a blocking or synchronous command, or a full queue holds it, so another order, other engines or a
//!   later wait could have kept the unit busy; also start latency that nothing covers, transfers that others stretch,
//!   engines of the set without a command, and work that another engine would do in less time;
//! - *memory*: the part of those holds by waits after which, until the next wait for the same engine, no command reads
//!   what the commands that are complete wrote: such a wait is there so that bytes can be used again. That part is
//!   taken of the whole run.
//!
//! The stream works while it issues, and as long as commands that can only block hold it.
//!
//! A set of m engines counts a cycle of one engine as 1/m. What the bound itself allows besides work (heads, tails and
//! waits) is taken off, first from fill and drain, then from waits, the control stream, order and memory. What no cause
//! has is *unproven*: there may be a better program, or a better bound. That is the rest of a cycle where the parts are
//! no whole cycles, and more where the bound is limited by a path or by a link, which are no units that something
//! keeps idle: then each cause counts at most what the stream or the engines of the link lost by it.
//!
//! Invariant: the parts add up to the cycles of the run less its bound, exactly.

use serde::{Deserialize, Serialize};

use zpu_timing::Completion;

use crate::usage::Usage;

/// The distance of a run from its tight bound. All numbers are cycles; the parts add up to `cycles`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DistanceReport {
    /// Cycles of the run less its tight bound.
    pub cycles: u64,
    /// Before the first command of the limiting unit and after its last one, beyond what the bound allows.
    pub fill_and_drain: u64,
    /// The stream pays for other issues, ends of iterations and its own accesses.
    pub control_stream: u64,
    /// The stream pays for waits.
    pub waits: u64,
    /// The stream is held, and not for memory; latency, sharing and engines that could be used better.
    pub order: u64,
    /// The stream is held by waits for bytes that are to be used again.
    pub memory: u64,
    /// The rest.
    pub unproven: u64,
}

/// What the control stream does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Activity {
    /// It issues a command, ends an iteration, or accesses memory.
    #[default]
    Control,
    /// It pays for a wait.
    Wait,
    /// A wait holds it.
    Stalled,
    /// A command or a full queue holds it.
    Held,
}

const ACTIVITIES: usize = 4;

/// Cycles of each activity.
type Cycles = [u64; ACTIVITIES];

fn less(one: Cycles, other: Cycles) -> Cycles {
    std::array::from_fn(|i| one[i].saturating_sub(other[i]))
}

/// The idle time of an engine.
#[derive(Clone, Copy, Debug, Default)]
struct Idle {
    /// Until its first command took it; `None` before that.
    fill: Option<u64>,
    /// Latency of the first command that nothing covered, a part of `fill`.
    first_latency: u64,
    /// Between commands.
    gaps: Cycles,
    /// The end of its last command, and activities until then.
    end: u64,
    at_end: Cycles,
}

/// A wait that held the stream, of which it is not known yet what it is for.
#[derive(Clone, Copy, Debug)]
struct Hold {
    /// Commands of the engine after this one are complete by the wait.
    after: u64,
    cycles: u64,
}

/// The idle time of a run so far.
#[derive(Debug)]
pub(crate) struct Losses {
    /// What the stream does, since when, and what it did before.
    doing: Activity,
    since: u64,
    before: Cycles,
    engines: Vec<Idle>,
    /// Issues so far in cycles; the end of the last one, and the activities until then.
    issues: u64,
    last_issue: u64,
    at_last_issue: Cycles,
    holds: Vec<Option<Hold>>,
    /// Cycles of waits for bytes that are read, and of all waits.
    for_data: u64,
    for_anything: u64,
}

/// The unit that limits a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// A path of dependences.
    Path,
    /// The control stream, of which blocking commands need that many cycles.
    Control(u64),
    /// A set of engines.
    Engines(Vec<usize>),
    /// A link that a set of engines crosses.
    Link(Vec<usize>),
}

impl Losses {
    pub(crate) fn new(engines: usize) -> Self {
        Self {
            doing: Activity::default(),
            since: 0,
            before: Cycles::default(),
            engines: vec![Idle::default(); engines],
            issues: 0,
            last_issue: 0,
            at_last_issue: Cycles::default(),
            holds: vec![None; engines],
            for_data: 0,
            for_anything: 0,
        }
    }

    /// The stream begins to do something else at `now`.
    pub(crate) fn begin(&mut self, activity: Activity, now: u64) {
        self.before = self.until(now);
        (self.doing, self.since) = (activity, now);
    }

    /// Cycles of each activity until a time that is not before the last change.
    fn until(&self, time: u64) -> Cycles {
        let mut cycles = self.before;
        cycles[self.doing as usize] += time.saturating_sub(self.since);
        cycles
    }

    /// A command was issued from `begin` to `end`.
    pub(crate) fn issued(&mut self, begin: u64, end: u64) {
        self.issues += end - begin;
        self.last_issue = end;
        self.at_last_issue = self.until(end);
    }

    /// A command enters the empty queue of an engine now.
    pub(crate) fn arrives(&mut self, engine: usize, now: u64) {
        let gap = less(self.until(now), self.engines[engine].at_end);
        let idle = &mut self.engines[engine];
        if idle.fill.is_some() {
            idle.gaps = std::array::from_fn(|i| idle.gaps[i] + gap[i]);
        }
    }

    /// A command is complete.
    pub(crate) fn completed<T>(&mut self, completion: &Completion<T>) {
        let at_end = self.until(completion.end);
        let idle = &mut self.engines[completion.engine];
        (idle.end, idle.at_end) = (completion.end, at_end);
        if idle.fill.is_none() {
            idle.fill = Some(completion.begin);
            idle.first_latency = completion.uncovered_latency();
        }
    }

    /// A wait for an engine held the stream, which knew the commands up to `after` to be complete before.
    pub(crate) fn held(&mut self, engine: usize, after: u64, cycles: u64) {
        self.for_anything += cycles;
        self.holds[engine] = (cycles > 0).then_some(Hold { after, cycles });
    }

    /// A command reads what a command of that engine wrote, the one of that number.
    pub(crate) fn reads(&mut self, engine: usize, sequence: u64) {
        if let Some(hold) = self.holds[engine].take_if(|hold| sequence > hold.after) {
            self.for_data += hold.cycles;
        }
    }

    /// The distance of a run of `cycles` from a bound.
    pub(crate) fn distance(&self, cycles: u64, bound: u64, limit: &Limit, usage: &[Usage]) -> DistanceReport {
        let distance = cycles.saturating_sub(bound);
        match limit {
            Limit::Control(held) => {
                let mut causes = self.of_stream(cycles);
                let needed = causes.order.min(*held);
                causes.order -= needed;
                self.of_causes(causes, bound.saturating_sub(self.issues + needed), 1, distance)
            }
            Limit::Engines(set) => {
                let count = set.len() as u64;
                let (mut causes, busy) = self.of_engines(set, cycles, usage);
                let bound = bound.saturating_mul(count);
                // Work beyond the bound itself is work that other engines do in less time.
                causes.order += busy.saturating_sub(bound);
                self.of_causes(causes, bound.saturating_sub(busy), count, distance)
            }
            Limit::Path => at_most(self.split(self.of_stream(cycles)), distance),
            Limit::Link(set) => {
                let (causes, _) = self.of_engines(set, cycles, usage);
                let count = (set.len() as u64).max(1);
                at_most(self.split(causes).map(|cause| cause / count), distance)
            }
        }
    }

    /// The idle time of the stream.
    fn of_stream(&self, cycles: u64) -> Causes {
        let [control, waits, stalled, held] = self.at_last_issue;
        Causes {
            fill_and_drain: cycles.saturating_sub(self.last_issue),
            control: control.saturating_sub(self.issues),
            waits,
            stalled,
            order: held,
        }
    }

    /// The idle time of engines, all added up, and the time that they were busy.
    fn of_engines(&self, set: &[usize], cycles: u64, usage: &[Usage]) -> (Causes, u64) {
        let mut causes = Causes::default();
        let mut busy = 0;
        for engine in set {
            let (idle, usage) = (&self.engines[*engine], &usage[*engine]);
            let Some(fill) = idle.fill else {
                causes.order += cycles;
                continue;
            };
            let [control, waits, stalled, held] = idle.gaps;
            let others = usage.sharing + usage.latency - idle.first_latency;
            let gaps: u64 = idle.gaps.iter().sum();
            debug_assert_eq!(fill + usage.busy + gaps + others, idle.end);
            causes.fill_and_drain += fill + cycles.saturating_sub(idle.end);
            causes.control += control;
            causes.waits += waits;
            causes.stalled += stalled;
            causes.order += held + others;
            busy += usage.busy;
        }
        (causes, busy)
    }

    /// Fill and drain, waits, control, order, memory.
    fn split(&self, causes: Causes) -> [u64; 5] {
        let memory = self.for_anything.saturating_sub(self.for_data);
        let part = u128::from(causes.stalled) * u128::from(memory) / u128::from(self.for_anything.max(1));
        let memory = u64::try_from(part).unwrap_or(causes.stalled);
        let order = causes.order + (causes.stalled - memory);
        [causes.fill_and_drain, causes.waits, causes.control, order, memory]
    }

    /// The causes less what the bound allows, in `units` of a cycle.
    fn of_causes(&self, causes: Causes, mut allowed: u64, units: u64, distance: u64) -> DistanceReport {
        let parts = self.split(causes).map(|part| {
            let here = part.min(allowed);
            allowed -= here;
            (part - here) / units.max(1)
        });
        at_most(parts, distance)
    }
}

/// Idle cycles by what the stream did.
#[derive(Clone, Copy, Debug, Default)]
struct Causes {
    fill_and_drain: u64,
    control: u64,
    waits: u64,
    stalled: u64,
    order: u64,
}

/// The parts as far as they are within the distance, and the rest.
fn at_most(parts: [u64; 5], distance: u64) -> DistanceReport {
    let mut left = distance;
    let [fill_and_drain, waits, control_stream, order, memory] = parts.map(|part| {
        let here = part.min(left);
        left -= here;
        here
    });
    DistanceReport {
        cycles: distance,
        fill_and_drain,
        control_stream,
        waits,
        order,
        memory,
        unproven: left,
    }
}
