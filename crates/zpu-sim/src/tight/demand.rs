//! The different pieces of work of a run, each with what it would cost on every engine that could do it.
//!
//! Invariant: there are at most [`MOST`] of them for each set of engines, whatever the run does; what comes after
//! counts as less than it is.

use std::collections::HashMap;
use std::rc::Rc;

use zpu_device::{Device, EngineKind};

use crate::choices::{Choice, Choices};

/// Pieces of work that are told apart exactly; as many again are told apart by the leading bits of their costs.
const MOST: usize = 4096;

/// Parts of a cycle in which time on links is counted.
pub(super) const LINK_PARTS: u64 = 1 << 10;

/// The least cost of a command, on any engine that could do it.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    /// Place of its engines among the sets.
    pub(super) set: usize,
    pub(super) choices: Choices,
    /// Least start latency, least time on an engine, least sum of the two, in cycles.
    pub(super) latency: u64,
    pub(super) occupancy: u64,
    pub(super) time: u64,
    /// Each of the engines holds the control stream.
    pub(super) blocking: bool,
    /// The kind of the engines, as a number, if it is one kind.
    pub(super) kind: Option<usize>,
    /// Parts of a cycle that it takes each of these links at full bandwidth, on whichever engine.
    pub(super) links: Vec<(usize, u64)>,
}

/// An engine as the bound sees it.
#[derive(Clone, Copy, Debug)]
struct EngineFacts {
    kind: EngineKind,
    blocking: bool,
    depth: u64,
}

/// All different pieces of work so far.
#[derive(Debug)]
pub(super) struct Demands {
    engines: Vec<EngineFacts>,
    all: Vec<Demand>,
    /// Only looked up, never iterated, so that hashing decides nothing.
    numbers: HashMap<(Choices, Vec<(usize, u64)>), u32>,
    /// Different sets of engines, and which of them have none in common.
    sets: Vec<Vec<usize>>,
    apart: Vec<Vec<bool>>,
}

impl Demands {
    pub(super) fn new(device: &Device) -> Self {
        let facts = |engine: &zpu_device::Engine| EngineFacts {
            kind: engine.kind,
            blocking: engine.blocking,
            depth: engine.queue_depth.max(1),
        };
        Self {
            engines: device.engines.iter().map(facts).collect(),
            all: Vec::new(),
            numbers: HashMap::new(),
            sets: Vec::new(),
            apart: Vec::new(),
        }
    }

    /// The number of a piece of work; `links` are cycles at full bandwidth.
    pub(super) fn number(&mut self, choices: &Choices, links: &[(usize, f64)]) -> u32 {
        let parts = |(link, cycles): &(usize, f64)| (*link, (cycles * LINK_PARTS as f64) as u64);
        let exact = (Rc::clone(choices), links.iter().map(parts).collect::<Vec<_>>());
        if let Some(number) = self.numbers.get(&exact) {
            return *number;
        }
        let (choices, links) = match self.all.len() {
            0..MOST => exact,
            MOST.. if self.all.len() < 2 * MOST => rounded(&exact, leading_bits),
            _ => rounded(&exact, |_| 0),
        };
        if let Some(number) = self.numbers.get(&(Rc::clone(&choices), links.clone())) {
            return *number;
        }
        let number = self.all.len() as u32;
        let demand = self.demand(&choices, &links);
        self.all.push(demand);
        self.numbers.insert((choices, links), number);
        number
    }

    fn demand(&mut self, choices: &Choices, links: &[(usize, u64)]) -> Demand {
        let engines: Vec<usize> = choices.iter().map(|choice| choice.engine).collect();
        let least = |of: fn(&Choice) -> u64| choices.iter().map(of).min().unwrap_or(0);
        let kind = |engine: &usize| self.engines[*engine].kind as usize;
        let first = engines.first().map(kind);
        Demand {
            blocking: !engines.is_empty() && engines.iter().all(|engine| self.engines[*engine].blocking),
            kind: first.filter(|first| engines.iter().all(|engine| kind(engine) == *first)),
            set: self.set(engines),
            latency: least(|choice| choice.latency),
            occupancy: least(|choice| choice.occupancy),
            time: least(|choice| choice.latency.saturating_add(choice.occupancy)),
            choices: Rc::clone(choices),
            links: links.to_vec(),
        }
    }

    fn set(&mut self, engines: Vec<usize>) -> usize {
        let known = self.sets.iter().position(|set| *set == engines);
        known.unwrap_or_else(|| {
            let is_apart = |set: &Vec<usize>| !set.iter().any(|engine| engines.contains(engine));
            let mut row: Vec<bool> = self.sets.iter().map(is_apart).collect();
            for (other, apart) in self.apart.iter_mut().zip(&row) {
                other.push(*apart);
            }
            row.push(false);
            self.apart.push(row);
            self.sets.push(engines);
            self.sets.len() - 1
        })
    }

    pub(super) fn get(&self, number: u32) -> &Demand {
        &self.all[number as usize]
    }

    /// All pieces of work, by number.
    pub(super) fn all(&self) -> &[Demand] {
        &self.all
    }

    /// The sets of engines.
    pub(super) fn sets(&self) -> &[Vec<usize>] {
        &self.sets
    }

    /// True if no engine can do both.
    pub(super) fn are_apart(&self, one: u32, other: u32) -> bool {
        self.apart[self.get(one).set][self.get(other).set]
    }

    /// Places in the queue of an engine.
    pub(super) fn depth(&self, engine: usize) -> u64 {
        self.engines[engine].depth
    }
}

type Costs = (Choices, Vec<(usize, u64)>);

/// Costs that are each replaced by a lower one.
fn rounded((choices, links): &Costs, round: impl Fn(u64) -> u64) -> Costs {
    let choice = |choice: &Choice| Choice {
        latency: round(choice.latency),
        occupancy: round(choice.occupancy),
        shareable: 0,
        ..*choice
    };
    let links = links.iter().map(|(link, parts)| (*link, round(*parts)));
    (choices.iter().map(choice).collect(), links.collect())
}

/// A number with all but its three leading bits cleared.
fn leading_bits(number: u64) -> u64 {
    let low = 61u32.saturating_sub(number.leading_zeros());
    number >> low << low
}
