//! Engines whose transfers share links: who gets how much bandwidth when, and so when each transfer is complete.
//!
//! An engine works on its commands in the order of their issue. A command has a part that nobody shares and then one in
//! which it wants bandwidth; transfers in that part share each link max-min fairly (Bertsekas and Gallager, "Data
//! Networks", 6.5.2): all get more together until one has what it wants or a link is full. Things happen at whole
//! cycles.
//!
//! Invariant: the time never goes beyond what is sure to be the past of the next command that arrives.

use std::collections::VecDeque;

/// Less than this of a cycle's work is none: rounding of shares.
const ROUNDING: f64 = 1e-6;

/// What a transfer wants of links.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Flow {
    /// Units of bandwidth that it can use.
    pub(super) demand: f64,
    /// The links that it crosses.
    pub(super) links: Vec<usize>,
}

/// A command in an engine's queue.
#[derive(Clone, Debug)]
pub(super) struct Queued {
    /// Which command of the plan.
    pub(super) op: usize,
    /// Where its start is noted.
    pub(super) place: usize,
    /// Number on its engine, from 1.
    pub(super) number: u64,
    /// When it takes the engine if that is free.
    pub(super) arrival: u64,
    /// Cycles that nobody shares.
    pub(super) alone: u64,
    /// Cycles after them in which it wants bandwidth, if it gets all that it wants.
    pub(super) shared: u64,
    /// Which flow.
    pub(super) flow: usize,
}

/// A command that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Done {
    pub(super) op: usize,
    pub(super) place: usize,
    pub(super) number: u64,
    /// When it was complete.
    pub(super) end: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Until then it needs no link.
    Alone(u64),
    /// Cycles left at full bandwidth, and the share of it that it has.
    Shared { left: f64, share: f64 },
}

#[derive(Clone, Debug, Default)]
struct Engine {
    queue: VecDeque<Queued>,
    /// What the first of the queue does.
    phase: Option<Phase>,
    /// End of the last complete command.
    free: u64,
    /// Commands that are complete.
    complete: u64,
}

/// The engines at work.
#[derive(Clone, Debug)]
pub(super) struct Timeline<'a> {
    flows: &'a [Flow],
    /// Bandwidth of each link.
    links: &'a [f64],
    engines: Vec<Engine>,
    now: u64,
}

impl<'a> Timeline<'a> {
    /// Idle engines.
    pub(super) fn new(engines: usize, flows: &'a [Flow], links: &'a [f64]) -> Timeline<'a> {
        Timeline {
            flows,
            links,
            engines: vec![Engine::default(); engines],
            now: 0,
        }
    }

    /// What happened so far lies before that.
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Commands of an engine that are not complete.
    pub(super) fn pending(&self, engine: usize) -> usize {
        self.engines[engine].queue.len()
    }

    /// Whether an engine's command is complete.
    pub(super) fn is_complete(&self, engine: usize, number: u64) -> bool {
        self.engines[engine].complete >= number
    }

    /// Adds a command, which arrives later than what happened so far.
    pub(super) fn push(&mut self, engine: usize, command: Queued) {
        let engine = &mut self.engines[engine];
        engine.queue.push_back(command);
        if engine.queue.len() == 1 {
            engine.start();
        }
    }

    /// Goes on to a time, through all events up to it.
    pub(super) fn advance(&mut self, to: u64, done: &mut Vec<Done>) {
        while let Some(time) = self.next().filter(|time| *time <= to) {
            self.events_at(time, done);
        }
        self.progress(to.max(self.now));
    }

    /// Goes on through the next event; false if there is none.
    pub(super) fn step(&mut self, done: &mut Vec<Done>) -> bool {
        let next = self.next();
        if let Some(time) = next {
            self.events_at(time, done);
        }
        next.is_some()
    }

    /// The time of the next event.
    fn next(&self) -> Option<u64> {
        let when = |engine: &Engine| {
            Some(match engine.phase? {
                Phase::Alone(until) => until.max(self.now),
                Phase::Shared { left, .. } if left <= 2.0 * ROUNDING => self.now,
                Phase::Shared { left, share } => self
                    .now
                    .saturating_add(((left / share - ROUNDING).ceil() as u64).max(1)),
            })
        };
        self.engines.iter().filter_map(when).min()
    }

    /// All events of one time: commands that begin to share a link, and those that are done.
    fn events_at(&mut self, time: u64, done: &mut Vec<Done>) {
        self.progress(time);
        for index in 0..self.engines.len() {
            while self.engines[index].is_due(time) {
                done.extend(self.engines[index].go_on(time));
            }
        }
        self.share();
    }

    /// Moves the clock, and what is left of the transfers.
    fn progress(&mut self, to: u64) {
        let elapsed = (to - self.now) as f64;
        self.now = to;
        for engine in &mut self.engines {
            if let Some(Phase::Shared { left, share }) = &mut engine.phase {
                *left -= elapsed * *share;
            }
        }
    }

    /// Gives each transfer its share of the links.
    fn share(&mut self) {
        let shares = |engine: &Engine| matches!(engine.phase, Some(Phase::Shared { .. }));
        let sharing: Vec<usize> = (0..self.engines.len()).filter(|&e| shares(&self.engines[e])).collect();
        let flow = |engine: &usize| self.engines[*engine].queue.front().map(|command| command.flow);
        let wanted: Vec<&Flow> = sharing.iter().filter_map(flow).map(|flow| &self.flows[flow]).collect();
        let rates = fair(&wanted, self.links);
        for ((engine, flow), rate) in sharing.into_iter().zip(wanted).zip(rates) {
            if let Some(Phase::Shared { share, .. }) = &mut self.engines[engine].phase {
                // A share never is nothing, so that everything ends.
                *share = (rate / flow.demand).max(1e-9);
            }
        }
    }

    /// Appends what the future depends on, relative to the clock.
    pub(super) fn state(&self, state: &mut Vec<u64>) {
        for engine in &self.engines {
            state.push(engine.queue.len() as u64);
            state.push(engine.free.saturating_sub(self.now));
            match engine.phase {
                None => {}
                Some(Phase::Alone(until)) => state.push(until.saturating_sub(self.now)),
                // Parts of a cycle that differ by rounding are the same.
                Some(Phase::Shared { left, .. }) => state.push((1 << 62) | (left.max(0.0) * 4096.0).round() as u64),
            }
            for command in &engine.queue {
                state.push(command.op as u64);
                state.push(command.arrival.saturating_sub(self.now));
            }
        }
    }
}

impl Engine {
    /// Puts the first command of the queue to work.
    fn start(&mut self) {
        let phase = |command: &Queued| Phase::Alone(command.arrival.max(self.free) + command.alone);
        self.phase = self.queue.front().map(phase);
    }

    fn is_due(&self, time: u64) -> bool {
        match self.phase {
            Some(Phase::Alone(until)) => until <= time,
            Some(Phase::Shared { left, .. }) => left <= 2.0 * ROUNDING,
            None => false,
        }
    }

    /// Leaves a phase that is over; the command, if that completes it.
    fn go_on(&mut self, time: u64) -> Option<Done> {
        let shared = self.queue.front()?.shared;
        if shared > 0 && matches!(self.phase, Some(Phase::Alone(_))) {
            self.phase = Some(Phase::Shared {
                left: shared as f64,
                share: 1.0,
            });
            return None;
        }
        let command = self.queue.pop_front()?;
        self.free = time;
        self.complete = command.number;
        self.start();
        Some(Done {
            op: command.op,
            place: command.place,
            number: command.number,
            end: time,
        })
    }
}

/// The max-min fair rates of flows.
fn fair(flows: &[&Flow], links: &[f64]) -> Vec<f64> {
    let mut rates: Vec<Option<f64>> = vec![None; flows.len()];
    let mut left = links.to_vec();
    loop {
        let is_open = |flow: usize| rates[flow].is_none();
        let crossing = |link: usize| {
            (0..flows.len())
                .filter(|&f| is_open(f) && flows[f].links.contains(&link))
                .count()
        };
        let share = |link: &usize| left[*link].max(0.0) / crossing(*link) as f64;
        // What each could have if everybody went on getting more like it.
        let most = |flow: usize| flows[flow].links.iter().map(share).fold(flows[flow].demand, f64::min);
        let most: Vec<(usize, f64)> = (0..flows.len()).filter(|&f| is_open(f)).map(|f| (f, most(f))).collect();
        let Some(level) = most.iter().map(|(_, most)| *most).reduce(f64::min) else {
            break;
        };
        for (flow, _) in most.into_iter().filter(|(_, most)| *most <= level) {
            rates[flow] = Some(level);
            flows[flow].links.iter().for_each(|&link| left[link] -= level);
        }
    }
    rates.into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(demand: f64, links: &[usize]) -> Flow {
        let links = links.to_vec();
        Flow { demand, links }
    }

    #[test]
    fn what_one_cannot_use_others_get() {
        let flows = [flow(2.0, &[0]), flow(100.0, &[0]), flow(100.0, &[0, 1]), flow(9.0, &[])];
        let flows: Vec<&Flow> = flows.iter().collect();
        assert_eq!(fair(&flows, &[12.0, 4.0]), [2.0, 6.0, 4.0, 9.0]);
    }

    /// Transfers of ten cycles, of which the first three need no link, on engines that together want twice what there
    /// is.
    #[test]
    fn transfers_that_overlap_take_longer() {
        let flows = [flow(8.0, &[0])];
        let mut timeline = Timeline::new(2, &flows, &[8.0]);
        for (op, engine, arrival, number) in [(0, 0, 0, 1), (1, 1, 2, 1), (2, 0, 0, 2)] {
            let command = Queued {
                op,
                place: op,
                number,
                arrival,
                alone: 3,
                shared: 7,
                flow: 0,
            };
            timeline.push(engine, command);
        }
        let mut done = vec![];
        while timeline.step(&mut done) {}
        let ends: Vec<(usize, u64)> = done.iter().map(|done| (done.op, done.end)).collect();
        // The first one has the link for 2 cycles and then half of it for 10. The second one has had half of it for 10
        // cycles by then, and its last 2 alone, while the third one, which starts behind the first one, needs no link.
        assert_eq!(ends, [(0, 15), (1, 17), (2, 25)]);
    }
}
