//! List scheduling of a whole run: the stream issues next what a rule prefers among the first operations of an order
//! that it has not issued yet.
//!
//! An operation is issued before others of its order only if all of these still fit beside it. So the first one always
//! fits once everything before it is complete, and no schedule gets stuck for memory.
//!
//! Invariant: ties are broken by the place in the order.

use std::cmp::Reverse;

use super::RunSchedule;
use super::machine::{Flows, Machine, Offer};
use super::problem::RunProblem;

/// The preference among operations that could be issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The one that takes its engine first, then the one with the longest path after it.
    EarliestBegin,
    /// The one whose issue need not wait, then the one with the longest path after it.
    LongestPath,
    /// The one whose issue need not wait, then the first in the order.
    FirstReady,
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 3] = [Rule::EarliestBegin, Rule::LongestPath, Rule::FirstReady];
}

/// What stays the same for all schedules of a problem.
pub(super) struct Setting<'p> {
    pub(super) problem: &'p RunProblem,
    pub(super) flows: &'p Flows,
    pub(super) uses: &'p [Vec<u32>],
    /// By operation: cycles from its begin to the end of the run, at least.
    pub(super) tails: &'p [u64],
}

/// How operations are chosen.
#[derive(Clone, Copy)]
pub(super) struct Choice<'o> {
    pub(super) rule: Rule,
    /// Operations that are looked at, at most.
    pub(super) window: usize,
    /// The operations, each after those that it comes after.
    pub(super) order: &'o [u32],
    /// By operation: cycles by which it is taken to begin later than it does.
    pub(super) delays: Option<&'o [u64]>,
    /// Engines that hold the stream do only what no other engine can do: they would end it first, and the stream is
    /// late for all that comes after it.
    pub(super) spares_blocking: bool,
}

/// A schedule of a problem that [`RunProblem::check`] accepts, by a rule that looks `window` operations ahead, and its
/// cycles.
pub fn list_schedule(problem: &RunProblem, rule: Rule, window: usize) -> (RunSchedule, u64) {
    let flows = Flows::new(problem);
    let uses = super::machine::uses(problem);
    let tails = super::bound::tails(problem);
    let order: Vec<u32> = (0..problem.operations.len() as u32).collect();
    let setting = Setting {
        problem,
        flows: &flows,
        uses: &uses,
        tails: &tails,
    };
    let choice = Choice {
        rule,
        window,
        order: &order,
        delays: None,
        spares_blocking: false,
    };
    // In the order of the problem every operation fits in the end, which its check has shown.
    schedule(&setting, choice).unwrap_or_default()
}

/// A schedule and its cycles; `None` if an order other than the problem's does not fit in memory.
pub(super) fn schedule(setting: &Setting<'_>, choice: Choice<'_>) -> Option<(RunSchedule, u64)> {
    let Setting {
        problem,
        flows,
        uses,
        tails,
    } = *setting;
    let mut machine = Machine::new(problem, flows, uses);
    // The operations of the order from here on, without those that are issued, as a list of the next ones.
    let mut waiting: Vec<u32> = Vec::new();
    let mut rest = choice.order.iter().copied();
    let mut reserved = vec![0u64; problem.spaces.len()];
    loop {
        while waiting.len() < choice.window.max(1)
            && let Some(next) = rest.next()
        {
            waiting.push(next);
        }
        if waiting.is_empty() {
            return Some(machine.finish());
        }
        reserved.fill(0);
        let mut best: Option<(usize, Offer, Key)> = None;
        for (place, &operation) in waiting.iter().enumerate() {
            let operation = operation as usize;
            let after = &problem.operations[operation].after;
            if after.iter().all(|before| machine.issued[*before as usize].is_some())
                && machine.fits(operation, &reserved)
            {
                let offer = machine.offer(operation, choice.spares_blocking);
                let delay = choice.delays.map_or(0, |delays| delays[operation]);
                let key = key(choice.rule, &offer, machine.now, tails[operation], delay, place);
                if best.as_ref().is_none_or(|(.., least)| key < *least) {
                    best = Some((place, offer, key));
                }
            }
            for (space, bytes) in machine.needs(operation) {
                reserved[space] = reserved[space].saturating_add(bytes);
            }
        }
        match best {
            Some((place, offer, _)) => {
                machine.take(offer);
                waiting.remove(place);
            }
            // Memory is full: what is complete makes room.
            None if machine.wait_for_first() => {}
            None => return None,
        }
    }
}

/// Less is better.
type Key = (u64, Reverse<u64>, usize);

fn key(rule: Rule, offer: &Offer, now: u64, tail: u64, delay: u64, place: usize) -> Key {
    let stall = offer.issue - now;
    match rule {
        Rule::EarliestBegin => (offer.begin + delay, Reverse(tail), place),
        Rule::LongestPath => (stall + delay, Reverse(tail), place),
        Rule::FirstReady => (stall + delay, Reverse(0), place),
    }
}
