//! A lower bound of the cycles that any legal reordering of the executed commands takes.
//!
//! Every command i has begin b, end e = b + occupancy and start latency L. Let E(i) be the engines that could do its work. A
//! legal program orders i after its true dependences p (what wrote the bytes it reads), and only the control stream can do so
//! between engines, by waiting before it issues i. Hence, with s the cycles of an issue:
//!
//! - `b_i >= s + L_i`;
//! - `b_i >= e_p + s + L_i` if E(i) and E(p) have no engine in common, else `b_i >= e_p`.
//!
//! The parts, of which the bound is the greatest:
//!
//! - *dataflow*: the greatest e that follows, buffers being unlimited (anti and output dependences can be renamed away);
//! - *engines S*, for every union S of sets E(i): least head + total occupancy of the commands with E(i) within S, divided by the
//!   number of engines in S and rounded up, + least tail, where a head is b and a tail is the longest chain after e;
//! - *link*: bytes over a link, divided by its bandwidth;
//! - *control*: all issue cycles and all time of commands that only blocking engines can do, + the least time of the last command.
//!
//! All are minima over E(i) where engines differ, so none depends on the choice that the program made.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::footprint::Footprint;
use crate::memory::BufferId;

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
    /// What limits.
    pub name: String,
    /// Cycles that it needs.
    pub cycles: u64,
}

/// What the bound has to know of a command: the least over all engines that could do it.
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

#[derive(Debug)]
struct Node {
    class: usize,
    latency: u64,
    occupancy: u64,
    blocking: bool,
    begin: u64,
    dependences: Vec<u32>,
}

/// The dataflow of a run, as it is executed.
#[derive(Debug)]
pub(crate) struct Dataflow {
    issue_cycles: u64,
    classes: Vec<Vec<usize>>,
    nodes: Vec<Node>,
    /// By buffer: start of a piece to its end and last writer.
    writers: Vec<BTreeMap<u64, (u64, u32)>>,
    links: Vec<f64>,
}

/// A node of the dataflow.
pub(crate) type NodeId = u32;

impl Dataflow {
    pub(crate) fn new(issue_cycles: u64, links: usize) -> Self {
        let links = vec![0.0; links];
        Self {
            issue_cycles,
            classes: Vec::new(),
            nodes: Vec::new(),
            writers: Vec::new(),
            links,
        }
    }

    /// Adds a command that reads these bytes, and comes after `after` besides.
    pub(crate) fn add<'a>(
        &mut self,
        demand: &Demand,
        reads: impl Iterator<Item = (BufferId, &'a Footprint)>,
        after: Option<NodeId>,
    ) -> NodeId {
        let class = self.class(&demand.engines);
        let mut dependences: Vec<u32> = after.into_iter().collect();
        for (buffer, footprint) in reads {
            self.writers_of(buffer, footprint, &mut dependences);
        }
        dependences.sort_unstable();
        dependences.dedup();
        let issued = self.issue_cycles.saturating_add(demand.latency);
        let begin = dependences.iter().fold(issued, |begin, p| {
            let before = &self.nodes[*p as usize];
            begin.max(before.begin.saturating_add(before.occupancy).saturating_add(self.gap(
                before.class,
                class,
                issued,
            )))
        });
        for (link, cycles) in &demand.links {
            self.links[*link] += cycles;
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(Node {
            class,
            latency: demand.latency,
            occupancy: demand.occupancy,
            blocking: demand.blocking,
            begin,
            dependences,
        });
        id
    }

    /// The bytes now come from a command, or with `None` from the control stream.
    pub(crate) fn write(&mut self, buffer: BufferId, footprint: &Footprint, writer: Option<NodeId>) {
        let index = buffer.0 as usize;
        if self.writers.len() <= index {
            if writer.is_none() {
                return;
            }
            self.writers.resize_with(index + 1, BTreeMap::new);
        }
        let map = &mut self.writers[index];
        let mut write = |(start, end): (u64, u64)| {
            // The common case: the same piece as the last time.
            if let (Some(writer), Some(piece)) = (writer, map.get_mut(&start))
                && piece.0 == end
            {
                piece.1 = writer;
                return;
            }
            cut(map, start, end);
            if let Some(writer) = writer {
                map.insert(start, (end, writer));
            }
        };
        if footprint.is_run() {
            write((footprint.start, footprint.end));
        } else {
            footprint.intervals().into_iter().for_each(write);
        }
    }

    /// Forgets a buffer that is gone.
    pub(crate) fn forget(&mut self, buffer: BufferId) {
        if let Some(map) = self.writers.get_mut(buffer.0 as usize) {
            map.clear();
        }
    }

    fn class(&mut self, engines: &[usize]) -> usize {
        self.classes
            .iter()
            .position(|class| class == engines)
            .unwrap_or_else(|| {
                self.classes.push(engines.to_vec());
                self.classes.len() - 1
            })
    }

    /// Cycles from the end of a command to the begin of one that depends on it.
    fn gap(&self, from: usize, to: usize, issued: u64) -> u64 {
        let apart = self.classes[from]
            .iter()
            .all(|engine| !self.classes[to].contains(engine));
        if apart { issued } else { 0 }
    }

    fn writers_of(&self, buffer: BufferId, footprint: &Footprint, found: &mut Vec<u32>) {
        let Some(map) = self.writers.get(buffer.0 as usize).filter(|map| !map.is_empty()) else {
            return;
        };
        let mut find = |(start, end): (u64, u64)| {
            let before = map.range(..start).next_back().filter(|(_, piece)| piece.0 > start);
            found.extend(
                before
                    .into_iter()
                    .chain(map.range(start..end))
                    .map(|(_, piece)| piece.1),
            );
        };
        if footprint.is_run() {
            find((footprint.start, footprint.end));
        } else {
            footprint.intervals().into_iter().for_each(find);
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
        let best = parts.iter().rev().max_by_key(|part| part.cycles).cloned();
        let (bound, limit) = best.map_or((0, String::new()), |part| (part.cycles, part.name));
        let share = if cycles == 0 { 1.0 } else { bound as f64 / cycles as f64 };
        BoundReport {
            cycles: bound,
            limit,
            share,
            parts,
        }
    }

    fn dataflow(&self) -> BoundPart {
        let end = self
            .nodes
            .iter()
            .map(|node| node.begin.saturating_add(node.occupancy))
            .max();
        BoundPart {
            name: "dataflow".into(),
            cycles: end.unwrap_or(0),
        }
    }

    fn control(&self) -> BoundPart {
        let issue = self.issue_cycles.saturating_mul(self.nodes.len() as u64);
        let time = |node: &Node| node.latency.saturating_add(node.occupancy);
        let held = self
            .nodes
            .iter()
            .filter(|node| node.blocking)
            .map(time)
            .fold(0u64, u64::saturating_add);
        let last = self
            .nodes
            .iter()
            .map(|node| if node.blocking { 0 } else { time(node) })
            .min()
            .unwrap_or(0);
        BoundPart {
            name: "control".into(),
            cycles: issue.saturating_add(held).saturating_add(last),
        }
    }

    /// The longest chain after the end of each command.
    fn tails(&self) -> Vec<u64> {
        let mut tails = vec![0u64; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            let issued = self.issue_cycles.saturating_add(node.latency);
            for p in &node.dependences {
                let gap = self.gap(self.nodes[*p as usize].class, node.class, issued);
                let tail = gap.saturating_add(node.occupancy).saturating_add(tails[i]);
                let before = &mut tails[*p as usize];
                *before = (*before).max(tail);
            }
        }
        tails
    }

    fn engines(&self, names: &[String]) -> Vec<BoundPart> {
        let tails = self.tails();
        // Least head, total occupancy, least tail of each class.
        let mut classes = vec![(u64::MAX, 0u64, u64::MAX); self.classes.len()];
        for (node, tail) in self.nodes.iter().zip(&tails) {
            let (head, total, least) = &mut classes[node.class];
            *head = (*head).min(node.begin);
            *total = total.saturating_add(node.occupancy);
            *least = (*least).min(*tail);
        }
        let mut parts = Vec::new();
        for set in self.unions() {
            let within = |class: &usize| self.classes[*class].iter().all(|engine| set.contains(engine));
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
        let mut sets: Vec<Vec<usize>> = self.classes.clone();
        let mut next = 0;
        while next < sets.len() && sets.len() < MOST {
            for class in &self.classes {
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

/// Removes `start..end` from the pieces, cutting those that stick out.
fn cut(map: &mut BTreeMap<u64, (u64, u32)>, start: u64, end: u64) {
    if let Some((&first, &(last, writer))) = map.range(..start).next_back()
        && last > start
    {
        map.insert(first, (start, writer));
        if last > end {
            map.insert(end, (last, writer));
        }
    }
    let inside: Vec<u64> = map.range(start..end).map(|(first, _)| *first).collect();
    for first in inside {
        if let Some((last, writer)) = map.remove(&first)
            && last > end
        {
            map.insert(end, (last, writer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUFFER: BufferId = BufferId(0);

    fn demand(engines: &[usize], latency: u64, occupancy: u64) -> Demand {
        Demand {
            engines: engines.to_vec(),
            latency,
            occupancy,
            blocking: false,
            links: vec![],
        }
    }

    fn part(report: &BoundReport, name: &str) -> u64 {
        report.parts.iter().find(|part| part.name == name).unwrap().cycles
    }

    #[test]
    fn a_chain_over_two_engines_pays_issue_and_latency_at_each_step() {
        let mut flow = Dataflow::new(1, 0);
        let bytes = Footprint::run(0, 8);
        let load = flow.add(&demand(&[0], 5, 10), std::iter::empty(), None);
        flow.write(BUFFER, &bytes, Some(load));
        flow.add(&demand(&[1], 2, 20), [(BUFFER, &bytes)].into_iter(), None);
        let report = flow.report(50, &["d".into(), "t".into()], &[]);
        assert_eq!(part(&report, "dataflow"), 1 + 5 + 10 + 1 + 2 + 20);
        assert_eq!(part(&report, "d"), 6 + 10 + 23);
        assert_eq!(report.cycles, 39);
    }

    #[test]
    fn work_that_two_engines_can_do_is_averaged() {
        let mut flow = Dataflow::new(0, 0);
        for engines in [&[0usize, 1][..], &[0, 1], &[1]] {
            flow.add(&demand(engines, 0, 10), std::iter::empty(), None);
        }
        let report = flow.report(20, &["a".into(), "b".into()], &[]);
        assert_eq!((part(&report, "a+b"), part(&report, "b")), (15, 10));
    }

    #[test]
    fn an_overwritten_writer_is_no_dependence() {
        let mut flow = Dataflow::new(0, 0);
        let first = flow.add(&demand(&[0], 0, 100), std::iter::empty(), None);
        flow.write(BUFFER, &Footprint::run(0, 16), Some(first));
        flow.write(BUFFER, &Footprint::run(4, 4), None);
        let mut found = Vec::new();
        flow.writers_of(BUFFER, &Footprint::run(4, 4), &mut found);
        assert!(found.is_empty());
        flow.writers_of(BUFFER, &Footprint::run(7, 4), &mut found);
        assert_eq!(found, [0]);
    }
}
