//! A lower bound of the cycles that any legal reordering of the executed commands takes.
//!
//! Every command i has begin b, end e = b + occupancy and start latency L. Let E(i) be the engines that could do its
//! work. A legal program orders i after its true dependences p (what wrote the bytes it reads), and only the control
//! stream can do so between engines, by waiting before it issues i. Hence, with s the cycles of an issue:
//!
//! - `b_i >= s + L_i`;
//! - `b_i >= e_p + s + L_i` if E(i) and E(p) have no engine in common, else `b_i >= e_p`.
//!
//! The parts, of which the bound is the greatest:
//!
//! - *dataflow*: the greatest e that follows, buffers being unlimited (anti and output dependences can be renamed
//!   away);
//! - *engines S*, for every union S of sets E(i): least head + total occupancy of the commands with E(i) within S,
//!   divided by the number of engines in S and rounded up, + least tail, where a head is b and a tail is the longest
//!   chain after e;
//! - *link*: bytes over a link, divided by its bandwidth;
//! - *control*: all issue cycles and all time of commands that only blocking engines can do, + the least time of the
//!   last command.
//!
//! All are minima over E(i) where engines differ, so none depends on the choice that the program made.
//!
//! Memory does not grow with the run. Only tails look ahead; each counts the chains within the window of commands that
//! [`crate::window`] keeps, which is all of a run of up to 100,000 commands, and no more than the true tail of a longer
//! one.

use serde::{Deserialize, Serialize};
use zpu_device::Device;

use crate::command_cost::CommandCost;
use crate::footprint::Footprint;
use crate::intervals::IntervalMap;
use crate::memory::BufferId;
use crate::tight::{Tight, TightBound, Times};
use crate::window::{WEIGHT, Window};

/// A lower bound and where it comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundReport {
    /// The greatest part, in cycles.
    pub cycles: u64,
    /// Its name.
    pub limit: String,
    /// `cycles` over the simulated cycles; 1 when nothing can be better, and for a program that takes no time.
    pub share: f64,
    /// All parts.
    pub parts: Vec<BoundPart>,
}

/// A part of a lower bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundPart {
    /// The name of the limit.
    pub name: String,
    /// Cycles that it needs.
    pub cycles: u64,
}

impl BoundReport {
    /// The bound of these parts, of equally great ones the first, for a run that took `cycles`.
    pub(crate) fn of_parts(parts: Vec<BoundPart>, cycles: u64) -> Self {
        let best = parts.iter().rev().max_by_key(|part| part.cycles).cloned();
        let (bound, limit) = best.map_or((0, String::new()), |part| (part.cycles, part.name));
        let share = if cycles == 0 { 1.0 } else { bound as f64 / cycles as f64 };
        Self {
            cycles: bound,
            limit,
            share,
            parts,
        }
    }
}

/// The demand of a command: the least over all engines that could do it.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    /// Engines, ascending.
    pub(crate) engines: Vec<usize>,
    pub(crate) latency: u64,
    pub(crate) occupancy: u64,
    /// Each of the engines holds the control stream.
    pub(crate) blocking: bool,
    /// Cycles at its full bandwidth that it takes each of these links, on whichever engine.
    pub(crate) links: Vec<(usize, f64)>,
}

/// Engines that can do the same work, with the sums over the commands that they can do.
#[derive(Debug)]
struct Class {
    engines: Vec<usize>,
    /// Least begin, total occupancy.
    head: u64,
    total: u64,
    /// Least chain after those commands that left the window.
    tail: u64,
}

impl NodeId {
    /// The number of the command among all, from 0.
    pub(crate) fn number(self) -> u32 {
        u32::try_from(self.number).unwrap_or(u32::MAX)
    }
}

/// The engine of a command, and its number there.
pub(crate) type Place = (usize, u64);

/// A command as those see it that depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId {
    /// Number among all commands.
    number: u64,
    class: u32,
    /// Earliest end.
    end: u64,
    /// Its facts for the tight bound.
    times: Times,
    place: Place,
}

/// The dataflow of a run, as it is executed.
///
/// Its memory is bounded by the bytes of the live buffers and by the window: everything but the chains after a command
/// is summed up during the run.
#[derive(Debug)]
pub(crate) struct Dataflow {
    issue_cycles: u64,
    classes: Vec<Class>,
    /// By two classes: they have no engine in common.
    apart: Vec<Vec<bool>>,
    window: Window,
    commands: u64,
    /// The latest of the earliest ends.
    end: u64,
    /// Time of the commands that hold the stream, and the least time that a command may go on after its issue.
    held: u64,
    last: u64,
    /// By place of a buffer: the last writer of its bytes.
    writers: Vec<IntervalMap<NodeId>>,
    /// Buffers that nothing reads, which have no writers here.
    unread: Vec<BufferId>,
    links: Vec<f64>,
    tight: Tight,
    /// Commands that the next one depends on.
    found: Vec<NodeId>,
    /// Chains after the commands of the window, kept for its room.
    tails: Vec<u64>,
}

impl Dataflow {
    pub(crate) fn new(device: &Device) -> Self {
        Self::with_window(device, WEIGHT)
    }

    fn with_window(device: &Device, weight: usize) -> Self {
        Self {
            issue_cycles: device.control.start_cycles,
            classes: Vec::new(),
            apart: Vec::new(),
            window: Window::new(weight),
            commands: 0,
            end: 0,
            held: 0,
            last: u64::MAX,
            writers: Vec::new(),
            unread: Vec::new(),
            links: vec![0.0; device.links.len()],
            tight: Tight::new(device),
            found: Vec::new(),
            tails: Vec::new(),
        }
    }

    /// The next command reads these bytes.
    pub(crate) fn read(&mut self, buffer: BufferId, footprint: &Footprint) {
        let mut found = std::mem::take(&mut self.found);
        self.writers_of(buffer, footprint, &mut found);
        self.found = found;
    }

    /// Adds a command that reads what was said and comes after `after` besides; says the place of each command that it
    /// depends on.
    pub(crate) fn add(
        &mut self,
        cost: &CommandCost,
        place: Place,
        after: Option<NodeId>,
        mut read_from: impl FnMut(Place),
    ) -> NodeId {
        let demand = &cost.demand;
        let class = cost.class.get().unwrap_or_else(|| self.class(&demand.engines));
        cost.class.set(Some(class));
        let mut dependences = std::mem::take(&mut self.found);
        dependences.extend(after);
        dependences.sort_unstable_by_key(|node| node.number);
        dependences.dedup();
        dependences.iter().for_each(|node| read_from(node.place));
        let issued = self.issue_cycles.saturating_add(demand.latency);
        let begin = dependences.iter().fold(issued, |begin, before| {
            begin.max(before.end.saturating_add(self.gap(before.class, class as u32, issued)))
        });
        for (link, cycles) in &demand.links {
            self.links[*link] += cycles;
        }
        let end = begin.saturating_add(demand.occupancy);
        self.end = self.end.max(end);
        let time = demand.latency.saturating_add(demand.occupancy);
        if demand.blocking {
            self.held = self.held.saturating_add(time);
        }
        self.last = self.last.min(if demand.blocking { 0 } else { time });
        let known = &mut self.classes[class];
        known.head = known.head.min(begin);
        known.total = known.total.saturating_add(demand.occupancy);
        let numbers = dependences.iter().map(|node| node.number);
        let (times, before) = self.tight.add(cost, dependences.iter().map(|node| &node.times));
        self.window
            .push(class, demand.latency, demand.occupancy, before, numbers);
        dependences.clear();
        self.found = dependences;
        let number = self.commands;
        self.commands += 1;
        if self.window.is_full() {
            self.forget_oldest();
        }
        let class = class as u32;
        NodeId {
            number,
            class,
            end,
            times,
            place,
        }
    }

    /// Lets the oldest commands leave the window.
    fn forget_oldest(&mut self) {
        let surplus = self.window.surplus();
        let mut tails = std::mem::take(&mut self.tails);
        self.tails(&mut tails);
        for (node, tail) in self.window.nodes().iter().zip(&tails).take(surplus) {
            let least = &mut self.classes[node.class as usize].tail;
            *least = (*least).min(*tail);
        }
        self.tails = tails;
        self.tight.take_oldest(&self.window, surplus);
        self.window.forget(surplus);
    }

    /// Nothing ever reads this buffer, which is there until the end.
    pub(crate) fn mark_unread(&mut self, buffer: BufferId) {
        self.unread.push(buffer);
    }

    /// The bytes now come from a command, or with `None` from the control stream.
    pub(crate) fn write(&mut self, buffer: BufferId, footprint: &Footprint, writer: Option<NodeId>) {
        if self.unread.contains(&buffer) {
            return;
        }
        let index = buffer.place();
        if self.writers.len() <= index {
            if writer.is_none() {
                return;
            }
            self.writers.resize_with(index + 1, IntervalMap::default);
        }
        let map = &mut self.writers[index];
        for run in footprint.runs().iter() {
            match writer {
                Some(writer) => map.set(*run, writer),
                None => map.clear(*run),
            }
        }
    }

    /// Forgets a buffer that is gone.
    pub(crate) fn forget(&mut self, buffer: BufferId) {
        if let Some(map) = self.writers.get_mut(buffer.place()) {
            *map = IntervalMap::default();
        }
    }

    fn class(&mut self, engines: &[usize]) -> usize {
        let known = self.classes.iter().position(|class| class.engines == engines);
        known.unwrap_or_else(|| {
            let is_apart = |class: &Class| class.engines.iter().all(|engine| !engines.contains(engine));
            let mut row: Vec<bool> = self.classes.iter().map(is_apart).collect();
            for (other, apart) in self.apart.iter_mut().zip(&row) {
                other.push(*apart);
            }
            row.push(engines.is_empty());
            self.apart.push(row);
            self.classes.push(Class {
                engines: engines.to_vec(),
                head: u64::MAX,
                total: 0,
                tail: u64::MAX,
            });
            self.classes.len() - 1
        })
    }

    fn writers_of(&self, buffer: BufferId, footprint: &Footprint, found: &mut Vec<NodeId>) {
        let Some(map) = self.writers.get(buffer.place()).filter(|map| !map.is_empty()) else {
            return;
        };
        for run in footprint.runs().iter() {
            match map.one_value(*run) {
                Some(one) => found.push(*one),
                None => found.extend(map.values(*run)),
            }
        }
    }

    /// The bound for a run that took `cycles`; `engine_name` names engines.
    pub(crate) fn report(&self, cycles: u64, engine_names: &[String], link_names: &[String]) -> BoundReport {
        let mut parts = vec![self.dataflow(), self.control()];
        parts.extend(self.engines(engine_names));
        parts.extend(
            self.links
                .iter()
                .zip(link_names)
                .filter(|(cycles, _)| **cycles > 0.0)
                .map(|(cycles, name)| {
                    // The sum may be off by rounding, and a bound has to stay below.
                    BoundPart {
                        name: format!("link {name}"),
                        cycles: (cycles * (1.0 - 1e-12)).ceil() as u64,
                    }
                }),
        );
        BoundReport::of_parts(parts, cycles)
    }

    /// The tight bound for a run that took `cycles`.
    pub(crate) fn tight_report(&self, cycles: u64, engine_names: &[String], link_names: &[String]) -> TightBound {
        self.tight.report(&self.window, cycles, engine_names, link_names)
    }

    fn dataflow(&self) -> BoundPart {
        BoundPart {
            name: "dataflow".into(),
            cycles: self.end,
        }
    }

    fn control(&self) -> BoundPart {
        let issue = self.issue_cycles.saturating_mul(self.commands);
        let last = if self.commands == 0 { 0 } else { self.last };
        BoundPart {
            name: "control".into(),
            cycles: issue.saturating_add(self.held).saturating_add(last),
        }
    }

    /// Cycles from the end of a command to the begin of one that depends on it, by their classes.
    fn gap(&self, from: u32, to: u32, issued: u64) -> u64 {
        if self.apart[from as usize][to as usize] {
            issued
        } else {
            0
        }
    }

    /// The longest chain after the end of each command of the window.
    fn tails(&self, tails: &mut Vec<u64>) {
        self.window.tails(tails, |before, node| {
            let issued = self.issue_cycles.saturating_add(node.latency);
            self.gap(before.class, node.class, issued)
        });
    }

    fn engines(&self, names: &[String]) -> Vec<BoundPart> {
        // Least head, total occupancy, least tail of each class.
        let known = self.classes.iter().map(|class| (class.head, class.total, class.tail));
        let mut classes: Vec<(u64, u64, u64)> = known.collect();
        let mut tails = Vec::new();
        self.tails(&mut tails);
        for (node, tail) in self.window.nodes().iter().zip(tails) {
            let least = &mut classes[node.class as usize].2;
            *least = (*least).min(tail);
        }
        let mut parts = Vec::new();
        for set in self.unions() {
            let within = |class: &usize| self.classes[*class].engines.iter().all(|engine| set.contains(engine));
            let inside: Vec<usize> = (0..self.classes.len()).filter(within).collect();
            let head = inside.iter().map(|class| classes[*class].0).min().unwrap_or(0);
            let tail = inside.iter().map(|class| classes[*class].2).min().unwrap_or(0);
            let total = inside
                .iter()
                .fold(0u64, |total, class| total.saturating_add(classes[*class].1));
            let cycles = head
                .saturating_add(total.div_ceil(set.len().max(1) as u64))
                .saturating_add(tail);
            let names: Vec<&str> = set
                .iter()
                .filter_map(|engine| names.get(*engine))
                .map(String::as_str)
                .collect();
            parts.push(BoundPart {
                name: names.join("+"),
                cycles,
            });
        }
        parts
    }

    /// The sets of engines of all classes, and unions of them as long as they are few.
    fn unions(&self) -> Vec<Vec<usize>> {
        const MOST: usize = 64;
        let mut sets: Vec<Vec<usize>> = self.classes.iter().map(|class| class.engines.clone()).collect();
        let mut next = 0;
        while next < sets.len() && sets.len() < MOST {
            for Class { engines: class, .. } in &self.classes {
                // Sets that share no engine bound each other's work separately at least as well.
                if !class.iter().any(|engine| sets[next].contains(engine)) {
                    continue;
                }
                let mut union = sets[next].clone();
                union.extend(class);
                union.sort_unstable();
                union.dedup();
                if !sets.contains(&union) {
                    sets.push(union);
                }
            }
            next += 1;
        }
        sets
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use zpu_device::Cost;

    use super::*;
    use crate::choices::choices;

    const BUFFER: BufferId = BufferId(0);

    fn demand(engines: &[usize], latency: u64, occupancy: u64) -> CommandCost {
        let cost = Cost {
            latency,
            occupancy,
            shareable: 0,
        };
        let demand = Demand {
            engines: engines.to_vec(),
            latency,
            occupancy,
            blocking: false,
            links: vec![],
        };
        CommandCost {
            cost,
            flow: None,
            demand,
            choices: choices(engines[0], cost, engines.iter().map(|engine| (*engine, cost))),
            route: None,
            number: Cell::default(),
            class: Cell::default(),
            bytes: 0,
        }
    }

    /// Four engines; an issue takes so many cycles.
    fn device(issue: u64) -> Device {
        let mut device = Device::load("toy", &[]).unwrap();
        device.control.start_cycles = issue;
        device
    }

    /// Adds a command that reads these bytes.
    fn reading(flow: &mut Dataflow, bytes: &Footprint, cost: &CommandCost) -> NodeId {
        flow.read(BUFFER, bytes);
        flow.add(cost, (0, 0), None, drop)
    }

    fn part(report: &BoundReport, name: &str) -> u64 {
        report.parts.iter().find(|part| part.name == name).unwrap().cycles
    }

    #[test]
    fn a_chain_over_two_engines_pays_issue_and_latency_at_each_step() {
        let mut flow = Dataflow::new(&device(1));
        let bytes = Footprint::run(0, 8);
        let load = flow.add(&demand(&[0], 5, 10), (0, 0), None, drop);
        flow.write(BUFFER, &bytes, Some(load));
        reading(&mut flow, &bytes, &demand(&[1], 2, 20));
        let report = flow.report(50, &["d".into(), "t".into()], &[]);
        assert_eq!(part(&report, "dataflow"), 1 + 5 + 10 + 1 + 2 + 20);
        assert_eq!(part(&report, "d"), 6 + 10 + 23);
        assert_eq!(report.cycles, 39);
    }

    #[test]
    fn work_that_two_engines_can_do_is_averaged() {
        let mut flow = Dataflow::new(&device(0));
        for engines in [&[0usize, 1][..], &[0, 1], &[1]] {
            flow.add(&demand(engines, 0, 10), (0, 0), None, drop);
        }
        let report = flow.report(20, &["a".into(), "b".into()], &[]);
        assert_eq!((part(&report, "a+b"), part(&report, "b")), (15, 10));
    }

    #[test]
    fn an_overwritten_writer_is_no_dependence() {
        let mut flow = Dataflow::new(&device(0));
        let first = flow.add(&demand(&[0], 0, 100), (0, 0), None, drop);
        flow.write(BUFFER, &Footprint::run(0, 16), Some(first));
        flow.write(BUFFER, &Footprint::run(4, 4), None);
        let mut found = Vec::new();
        flow.writers_of(BUFFER, &Footprint::run(4, 4), &mut found);
        assert!(found.is_empty());
        flow.writers_of(BUFFER, &Footprint::run(7, 4), &mut found);
        assert_eq!(found, [first]);
    }

    /// Loads, computations and stores of many iterations, each of which takes longer than the one before; the report.
    fn chains(weight: usize, iterations: u64) -> ([BoundReport; 2], usize) {
        let mut flow = Dataflow::with_window(&device(1), weight);
        let part = |i: u64| Footprint::run(i % 4 * 8, 8);
        for i in 0..iterations {
            let load = flow.add(&demand(&[0], 5, 10), (0, 0), None, drop);
            flow.write(BUFFER, &part(i), Some(load));
            let work = reading(&mut flow, &part(i), &demand(&[1], 0, 20 + i));
            flow.write(BUFFER, &part(i), Some(work));
            reading(&mut flow, &part(i), &demand(&[2], 5, 10));
        }
        let names = ["d", "t", "s"].map(str::to_owned);
        let reports = [flow.report(1, &names, &[]), flow.tight_report(1, &names, &[]).report];
        (reports, flow.window.held())
    }

    #[test]
    fn a_long_run_has_a_bound_in_bounded_memory() {
        let (exact, all) = chains(usize::MAX, 200);
        let (bounded, held) = chains(40, 200);
        assert_eq!(all, 200 * 5);
        assert!(held <= 40, "{held}");
        // No iteration depends on an older one, so the window has the whole chain of all but its own first commands.
        for (exact, bounded) in exact.iter().zip(&bounded) {
            assert_eq!(exact.parts.len(), bounded.parts.len());
            for (exact, bounded) in exact.parts.iter().zip(&bounded.parts) {
                assert!(bounded.cycles <= exact.cycles, "{exact:?} {bounded:?}");
            }
            for name in ["dataflow", "control", "t", "s"] {
                assert_eq!(part(bounded, name), part(exact, name), "{name}");
            }
        }
        assert!(exact[1].cycles >= exact[0].cycles);
    }
}
