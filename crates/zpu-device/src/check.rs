//! Consistency of a device: every name known, every number in range. Everything else in the project relies on it.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::error::hint;
use crate::{Device, DmaCost, Engine, EngineCost, Fault, Problem, TensorCost, VectorCost, VectorOp};

/// Most banks of a memory.
const BANKS: u64 = 1 << 16;
/// Most cycles, queue entries, ids and the like.
const COUNTS: u64 = u32::MAX as u64;
/// Most bytes of a memory: sums of a few thousand of them stay within 63 bits, which IR attributes have.
const BYTES: u64 = 1 << 48;
/// Rates, clocks and weights that are not 0.
const RATES: RangeInclusive<f64> = 1e-9..=1e15;
/// Entries of [`VectorCost::weights`] besides those of [`VectorOp`].
const ACCESSES: [&str; 4] = ["first_load", "load", "store", "reduce_access"];
/// Element types that [`TensorCost::rate`] may name besides integers.
const ELEMENTS: [&str; 5] = ["f16", "bf16", "f32", "f64", "index"];

impl Device {
    /// Finds all inconsistencies, each with its key and the known names or limits. Loading a file includes this; call
    /// it for a device that came from elsewhere.
    pub fn check(&self) -> Result<(), Vec<Problem>> {
        let mut found = Problems::default();
        found.device(self);
        found.names(self);
        for memory in &self.memories {
            let path = format!("memory.{}", memory.name);
            found.count(&format!("{path}.bytes"), memory.bytes, 1..=BYTES);
            found.count(&format!("{path}.align"), memory.align, 1..=COUNTS);
            if memory.align != 0 && !memory.align.is_power_of_two() {
                found.range(&format!("{path}.align"), memory.align, "a power of two");
            }
            found.count(&format!("{path}.banks"), memory.banks, 1..=BANKS);
            if memory.banks != 0 && !memory.bytes.is_multiple_of(memory.banks) {
                found.range(
                    &format!("{path}.banks"),
                    memory.banks,
                    format!("a divisor of {} bytes", memory.bytes),
                );
            }
        }
        for link in &self.links {
            found.rate(&format!("link.{}.bytes_per_cycle", link.name), link.bytes_per_cycle);
        }
        for engine in &self.engines {
            found.engine(self, engine);
        }
        found.finish()
    }
}

/// The problems found so far. Engines of one group share their keys, so a problem is kept once.
#[derive(Default)]
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    pub(crate) fn add(&mut self, path: &str, fault: Fault) {
        let problem = Problem {
            path: path.to_owned(),
            fault,
        };
        if !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    pub(crate) fn range(&mut self, path: &str, value: impl std::fmt::Display, range: impl Into<String>) {
        self.add(
            path,
            Fault::OutOfRange {
                value: value.to_string(),
                range: range.into(),
            },
        );
    }

    pub(crate) fn count(&mut self, path: &str, value: u64, range: RangeInclusive<u64>) {
        if !range.contains(&value) {
            self.range(path, value, format!("from {} to {}", range.start(), range.end()));
        }
    }

    pub(crate) fn rate(&mut self, path: &str, value: f64) {
        if !RATES.contains(&value) {
            self.range(path, value, format!("from {:e} to {:e}", RATES.start(), RATES.end()));
        }
    }

    pub(crate) fn finish(self) -> Result<(), Vec<Problem>> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }

    /// A rate where 0 stands for no limit, or a weight.
    fn rate_or_zero(&mut self, path: &str, value: f64) {
        if value != 0.0 {
            self.rate(path, value);
        }
    }

    fn known(&mut self, path: &str, what: &'static str, name: &str, known: &[&str]) {
        if !known.contains(&name) {
            self.add(
                path,
                Fault::Unknown {
                    what,
                    name: name.to_owned(),
                    hint: hint(name, known),
                },
            );
        }
    }

    fn device(&mut self, device: &Device) {
        self.rate("device.clock_ghz", device.clock_ghz);
        if device.memories.is_empty() {
            self.add(
                "memory",
                Fault::Missing("is empty, a device needs at least one memory".to_owned()),
            );
        } else {
            let memories = memory_names(device);
            self.known("device.off_chip", "memory", &device.off_chip, &memories);
            self.known("device.default_space", "memory", &device.default_space, &memories);
        }
        let control = &device.control;
        self.count("control.start_cycles", control.start_cycles, 0..=COUNTS);
        self.count("control.wait_cycles", control.wait_cycles, 0..=COUNTS);
        self.count("control.loop_cycles", control.loop_cycles, 0..=COUNTS);
        self.count("control.barrier_cycles", control.barrier_cycles, 0..=COUNTS);
        self.count("control.scalar_cycles", control.scalar_cycles, 0..=COUNTS);
        self.count("sync.tokens", device.sync.ids, 0..=COUNTS);
        self.count("sync.barriers", device.sync.barriers, 0..=COUNTS);
    }

    fn names(&mut self, device: &Device) {
        if !is_name(&device.name, "_-.") {
            self.add(
                "device.name",
                Fault::BadName {
                    name: device.name.clone(),
                    more: "`_`, `-`, `.`",
                },
            );
        }
        let memories = device
            .memories
            .iter()
            .map(|memory| ("memory", &memory.name, &memory.name));
        let links = device.links.iter().map(|link| ("link", &link.name, &link.name));
        let engines = device
            .engines
            .iter()
            .map(|engine| ("engine", &engine.group, &engine.name));
        let mut seen = BTreeSet::new();
        for (what, group, name) in memories.chain(links).chain(engines) {
            let path = format!("{what}.{group}.name");
            if !is_name(name, "_") {
                self.add(
                    &path,
                    Fault::BadName {
                        name: name.clone(),
                        more: "`_`",
                    },
                );
            }
            if !seen.insert(name) {
                self.add(&path, Fault::Duplicate { name: name.clone() });
            }
        }
    }

    fn engine(&mut self, device: &Device, engine: &Engine) {
        let path = format!("engine.{}", engine.group);
        self.count(&format!("{path}.queue_depth"), engine.queue_depth, 1..=COUNTS);
        let operands = &engine.operands;
        for space in [&operands.a, &operands.b, &operands.c, &operands.all]
            .into_iter()
            .flatten()
        {
            self.known(&format!("{path}.operands"), "memory", space, &memory_names(device));
        }
        if engine.kind != engine.cost.kind() {
            let (kind, cost) = (engine.kind.to_string(), engine.cost.kind().to_string());
            self.add(&path, Fault::KindMismatch { kind, cost });
        }
        match &engine.cost {
            EngineCost::Dma(dma) => self.dma(device, &path, dma),
            EngineCost::Tensor(tensor) => self.tensor(&path, tensor),
            EngineCost::Vector(vector) => self.vector(&path, vector),
        }
    }

    fn dma(&mut self, device: &Device, path: &str, dma: &DmaCost) {
        self.rate_or_zero(&format!("{path}.bytes_per_cycle"), dma.bytes_per_cycle);
        self.count(&format!("{path}.start_latency_cycles"), dma.start_latency, 0..=COUNTS);
        self.count(&format!("{path}.gap_cycles"), dma.gap, 0..=COUNTS);
        self.count(&format!("{path}.per_row_cycles"), dma.per_row, 0..=COUNTS);
        self.count(&format!("{path}.burst_bytes"), dma.burst_bytes, 1..=COUNTS);
        self.count(&format!("{path}.dims"), dma.dims, 0..=COUNTS);
        let routes = format!("{path}.routes");
        if dma.routes.is_empty() {
            self.add(
                &routes,
                Fault::Missing("is empty, a dma engine needs at least one route".to_owned()),
            );
        }
        let links: Vec<&str> = device.links.iter().map(|link| link.name.as_str()).collect();
        for (index, route) in dma.routes.iter().enumerate() {
            self.known(&routes, "memory", &route.from, &memory_names(device));
            self.known(&routes, "memory", &route.to, &memory_names(device));
            for link in &route.links {
                self.known(&format!("{path}.links"), "link", link, &links);
            }
            if dma.routes[..index]
                .iter()
                .any(|other| other.from == route.from && other.to == route.to)
            {
                self.add(
                    &routes,
                    Fault::DuplicateRoute {
                        route: route.to_string(),
                    },
                );
            }
        }
    }

    fn tensor(&mut self, path: &str, cost: &TensorCost) {
        for extent in cost.tile {
            self.count(&format!("{path}.block"), extent, 1..=COUNTS);
        }
        self.rate_or_zero(&format!("{path}.cycles_per_block"), cost.cycles_per_tile);
        self.count(&format!("{path}.min_k_blocks"), cost.min_k_tiles, 0..=COUNTS);
        self.count(&format!("{path}.fill_cycles"), cost.fill, 0..=COUNTS);
        self.count(&format!("{path}.acc16_cycles"), cost.acc16, 0..=COUNTS);
        self.count(&format!("{path}.acc32_cycles"), cost.acc32, 0..=COUNTS);
        self.count(&format!("{path}.min_cycles"), cost.min, 0..=COUNTS);
        self.count(
            &format!("{path}.zero_init_cycles"),
            cost.zero_init.unwrap_or(0),
            0..=COUNTS,
        );
        for (element, rate) in &cost.rate {
            let integer = element
                .strip_prefix('i')
                .and_then(|bits| bits.parse().ok())
                .is_some_and(|b: u8| b <= 64);
            if !integer {
                self.known(&format!("{path}.dtype_rate"), "element type", element, &ELEMENTS);
            }
            self.rate(&format!("{path}.dtype_rate.{element}"), *rate);
        }
    }

    fn vector(&mut self, path: &str, cost: &VectorCost) {
        self.rate_or_zero(&format!("{path}.elems_per_cycle"), cost.per_cycle);
        self.count(&format!("{path}.bits_per_cycle"), cost.width_bits, 0..=COUNTS);
        self.count(&format!("{path}.start_cycles"), cost.start, 0..=COUNTS);
        self.count(&format!("{path}.min_cycles"), cost.min, 0..=COUNTS);
        let known: Vec<&str> = VectorOp::ALL.iter().map(|op| op.key()).chain(ACCESSES).collect();
        for (key, weight) in &cost.weights {
            self.known(&format!("{path}.op_weights"), "operation", key, &known);
            self.rate_or_zero(&format!("{path}.op_weights.{key}"), *weight);
        }
    }
}

fn memory_names(device: &Device) -> Vec<&str> {
    device.memories.iter().map(|memory| memory.name.as_str()).collect()
}

fn is_name(name: &str, more: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
}
