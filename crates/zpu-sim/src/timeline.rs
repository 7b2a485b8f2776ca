//! When commands run: in-order queues, start latency that overlaps the previous command, links shared fluidly.
//!
//! Invariants: time is in whole cycles and never goes back; equal times are broken by the order of issue; for every
//! engine `busy + stalled` never exceeds the time that it had commands.

use std::collections::VecDeque;
use std::hash::{Hash as _, Hasher};
use std::rc::Rc;

use zpu_device::Cost;

use crate::sharing::{Flow, max_min_fair};

/// A command in an engine's queue.
#[derive(Clone, Debug)]
pub(crate) struct Queued {
    /// Number of the command among all that were issued.
    pub(crate) issue: u64,
    /// When it entered the queue.
    pub(crate) arrival: u64,
    /// What it costs.
    pub(crate) cost: Cost,
    /// What it takes of the links while its shareable part runs; `None` takes nothing.
    pub(crate) flow: Option<Rc<Flow>>,
}

/// A command that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) engine: usize,
    pub(crate) issue: u64,
    pub(crate) arrival: u64,
    /// When the engine began to work on it, after the start latency.
    pub(crate) begin: u64,
    pub(crate) end: u64,
}

/// What an engine did so far, in cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) commands: u64,
    pub(crate) busy: u64,
    /// Start latency that nothing covered.
    pub(crate) latency: u64,
    /// Stretching by others on the links.
    pub(crate) sharing: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Start latency, until then.
    Latency(u64),
    /// The part that nobody shares, until then.
    Alone(u64),
    /// The shared part: cycles left at full rate as of the last change, and the present rate.
    Shared { left: f64, rate: f64 },
}

#[derive(Debug, Default)]
struct Engine {
    queue: VecDeque<Queued>,
    /// Phase and begin of the command at the head.
    head: Option<(Phase, u64)>,
    last_end: u64,
    usage: Usage,
}

/// All engines.
#[derive(Debug)]
pub(crate) struct Timeline {
    engines: Vec<Engine>,
    links: Vec<f64>,
    now: u64,
    /// The earliest event, kept so that asking costs nothing.
    next: Option<u64>,
}

/// Rounding of fluid shares: less than this of a cycle left is none.
const ROUNDING: f64 = 1e-6;
/// A share never falls below this part of what a transfer would use alone, so that everything ends.
const LEAST_RATE: f64 = 1e-9;

impl Timeline {
    pub(crate) fn new(engines: usize, links: Vec<f64>) -> Self {
        Self {
            engines: (0..engines).map(|_| Engine::default()).collect(),
            links,
            now: 0,
            next: None,
        }
    }

    /// Commands issued to the engine and not complete.
    pub(crate) fn pending(&self, engine: usize) -> u64 {
        self.engines[engine].queue.len() as u64
    }

    pub(crate) fn usage(&self, engine: usize) -> Usage {
        self.engines[engine].usage
    }

    /// End of the engine's last complete command.
    pub(crate) fn last_end(&self, engine: usize) -> u64 {
        self.engines[engine].last_end
    }

    /// Hashes what the engines still have to do, with times counted from `now`.
    pub(crate) fn hash_from(&self, now: u64, hasher: &mut impl Hasher) {
        for engine in &self.engines {
            engine.queue.len().hash(hasher);
            if let Some((phase, _)) = engine.head {
                match phase {
                    Phase::Latency(until) | Phase::Alone(until) => until.saturating_sub(now).hash(hasher),
                    // Less than a thousandth of a cycle is rounding.
                    Phase::Shared { left, .. } => ((left * 1024.0) as u64).hash(hasher),
                }
            }
            for command in &engine.queue {
                let cost = &command.cost;
                (cost.latency, cost.occupancy, cost.shareable).hash(hasher);
                now.saturating_sub(command.arrival).min(cost.latency).hash(hasher);
            }
        }
    }

    /// When something happens next.
    pub(crate) fn next_event(&self) -> Option<u64> {
        self.next
    }

    /// Adds a command whose arrival is not before any time that was advanced to.
    pub(crate) fn push(&mut self, engine: usize, command: Queued) {
        let target = &mut self.engines[engine];
        target.queue.push_back(command);
        if target.head.is_none() {
            target.start_head();
            self.refresh();
        }
    }

    /// Lets everything happen up to a time, that included; completions in order of time, then of issue.
    pub(crate) fn advance(&mut self, to: u64, completions: &mut Vec<Completion>) {
        while let Some(time) = self.next.filter(|time| *time <= to) {
            self.step(time, completions);
        }
        self.progress(to.max(self.now));
    }

    /// Moves the clock, and the shared transfers with it.
    fn progress(&mut self, to: u64) {
        let elapsed = (to - self.now) as f64;
        self.now = to;
        if elapsed == 0.0 {
            return;
        }
        for engine in &mut self.engines {
            if let Some((Phase::Shared { left, rate }, _)) = &mut engine.head {
                *left -= elapsed * *rate;
            }
        }
    }

    /// Lets everything happen that happens at one time.
    fn step(&mut self, time: u64, completions: &mut Vec<Completion>) {
        self.progress(time);
        loop {
            let mut due: Vec<usize> = (0..self.engines.len()).filter(|e| self.engines[*e].due(time)).collect();
            if due.is_empty() {
                break;
            }
            due.sort_by_key(|engine| self.engines[*engine].queue.front().map(|command| command.issue));
            for engine in due {
                completions.extend(self.engines[engine].next_phase(engine, time));
            }
        }
        self.refresh();
    }

    /// Shares the links anew and finds the next event.
    fn refresh(&mut self) {
        let shared = |engine: &Engine| matches!(engine.head, Some((Phase::Shared { .. }, _)));
        let indices: Vec<usize> = (0..self.engines.len()).filter(|e| shared(&self.engines[*e])).collect();
        let flow = |e: &usize| self.engines[*e].queue.front().and_then(|command| command.flow.clone());
        let flows: Vec<Rc<Flow>> = indices.iter().filter_map(flow).collect();
        // Only what has a flow gets into the shared phase, so there is one flow for each index.
        let rates = max_min_fair(&flows, &self.links);
        for ((index, flow), share) in indices.iter().zip(&flows).zip(rates) {
            if let Some((Phase::Shared { rate, .. }, _)) = &mut self.engines[*index].head {
                *rate = (share / flow.demand).max(LEAST_RATE);
            }
        }
        self.next = self
            .engines
            .iter()
            .filter_map(|engine| engine.next_event(self.now))
            .min();
    }
}

impl Engine {
    /// Puts the first command of the queue to work.
    fn start_head(&mut self) {
        self.head = self.queue.front().map(|command| {
            let begin = command.arrival.saturating_add(command.cost.latency).max(self.last_end);
            (Phase::Latency(begin), begin)
        });
    }

    fn next_event(&self, now: u64) -> Option<u64> {
        match self.head?.0 {
            Phase::Latency(until) | Phase::Alone(until) => Some(until),
            Phase::Shared { left, .. } if left <= 2.0 * ROUNDING => Some(now),
            Phase::Shared { left, rate } => Some(now.saturating_add((left / rate - ROUNDING).ceil().max(1.0) as u64)),
        }
    }

    fn due(&self, time: u64) -> bool {
        match self.head {
            Some((Phase::Latency(until) | Phase::Alone(until), _)) => until <= time,
            Some((Phase::Shared { left, .. }, _)) => left <= 2.0 * ROUNDING,
            None => false,
        }
    }

    /// Leaves the phase that is over; the completion, if it was the last one.
    fn next_phase(&mut self, index: usize, time: u64) -> Option<Completion> {
        let (phase, begin) = self.head?;
        let command = self.queue.front()?;
        let shared = if command.flow.is_some() {
            command.cost.shareable.min(command.cost.occupancy)
        } else {
            0
        };
        let alone = command.cost.occupancy - shared;
        match phase {
            Phase::Latency(_) => {
                self.head = Some((Phase::Alone(begin.saturating_add(alone)), begin));
                return None;
            }
            Phase::Alone(_) if shared > 0 => {
                self.head = Some((
                    Phase::Shared {
                        left: shared as f64,
                        rate: 1.0,
                    },
                    begin,
                ));
                return None;
            }
            Phase::Alone(_) | Phase::Shared { .. } => {}
        }
        let command = self.queue.pop_front()?;
        let ready = command.arrival.max(self.last_end);
        self.usage.commands += 1;
        self.usage.busy = self.usage.busy.saturating_add(command.cost.occupancy);
        self.usage.latency += begin - ready;
        self.usage.sharing += (time - begin).saturating_sub(command.cost.occupancy);
        self.last_end = time;
        self.start_head();
        Some(Completion {
            engine: index,
            issue: command.issue,
            arrival: command.arrival,
            begin,
            end: time,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(issue: u64, arrival: u64, latency: u64, occupancy: u64, demand: Option<f64>) -> Queued {
        let links = vec![0];
        let flow = demand.map(|demand| Rc::new(Flow { demand, links }));
        let shareable = if flow.is_some() { occupancy } else { 0 };
        Queued {
            issue,
            arrival,
            cost: Cost {
                latency,
                occupancy,
                shareable,
            },
            flow,
        }
    }

    fn ends(commands: Vec<(usize, Queued)>, link: f64) -> Vec<(u64, u64)> {
        let mut timeline = Timeline::new(3, vec![link]);
        let mut completions = Vec::new();
        for (engine, command) in commands {
            timeline.advance(command.arrival, &mut completions);
            timeline.push(engine, command);
        }
        timeline.advance(u64::MAX, &mut completions);
        completions
            .iter()
            .map(|completion| (completion.issue, completion.end))
            .collect()
    }

    #[test]
    fn latency_overlaps_the_previous_command_of_the_engine() {
        let commands = (0..3).map(|i| (0, command(i, 0, 100, 10, None))).collect();
        assert_eq!(ends(commands, 1.0), [(0, 110), (1, 120), (2, 130)]);
    }

    #[test]
    fn two_transfers_share_a_link_and_the_second_half_is_alone() {
        // 10 cycles alone each; together at half speed. The first is done at 15, the second gets the link for the rest.
        let commands = vec![
            (0, command(0, 0, 0, 10, Some(8.0))),
            (1, command(1, 5, 0, 10, Some(8.0))),
        ];
        assert_eq!(ends(commands, 8.0), [(0, 15), (1, 20)]);
    }

    #[test]
    fn a_link_wide_enough_changes_nothing() {
        let commands = vec![
            (0, command(0, 0, 0, 10, Some(8.0))),
            (1, command(1, 0, 0, 10, Some(8.0))),
        ];
        assert_eq!(ends(commands, 16.0), [(0, 10), (1, 10)]);
    }

    #[test]
    fn equal_times_are_in_order_of_issue() {
        let commands = vec![
            (2, command(0, 0, 0, 5, None)),
            (0, command(1, 0, 0, 5, None)),
            (1, command(2, 0, 0, 0, None)),
        ];
        assert_eq!(ends(commands, 1.0), [(2, 0), (0, 5), (1, 5)]);
    }
}
