//! Lowers the file's spelling to the model: counts expanded, clocks converted, one cost per kind of engine.

use toml::de::{DeTable, DeValue};

use super::{EngineTable, File, OperandsTable};
use crate::check::Problems;
use crate::cost::divide_up;
use crate::query::list;
use crate::{
    Device, DmaCost, Engine, EngineCost, EngineKind, Fault, Operands, Problem, Route, Sync, TensorCost, VectorCost,
};

/// Most engines that one `[[engine]]` may stand for.
const MOST_ENGINES: u64 = 1024;
/// Keys of every engine.
const COMMON: [&str; 9] = [
    "name",
    "kind",
    "count",
    "clock_ghz",
    "async",
    "queue_depth",
    "when_full",
    "separate_banks",
    "operands",
];
const DMA: [&str; 8] = [
    "routes",
    "links",
    "bytes_per_cycle",
    "start_latency_cycles",
    "gap_cycles",
    "per_row_cycles",
    "burst_bytes",
    "dims",
];
const TENSOR: [&str; 10] = [
    "block",
    "mac_per_cycle",
    "cycles_per_block",
    "min_k_blocks",
    "fill_cycles",
    "acc16_cycles",
    "acc32_cycles",
    "min_cycles",
    "zero_init_cycles",
    "dtype_rate",
];
const VECTOR: [&str; 5] = [
    "bits_per_cycle",
    "elems_per_cycle",
    "start_cycles",
    "min_cycles",
    "op_weights",
];

/// The device that the file describes. `root` is the same file as a tree, asked for which keys it gives.
pub(super) fn lower(file: File, root: &DeTable<'_>) -> Result<Device, Vec<Problem>> {
    let mut problems = Problems::default();
    keys_fit_kinds(root, &mut problems);
    let base = file.device.clock_ghz;
    problems.rate("device.clock_ghz", base);
    // Without a clock nothing below can be converted.
    problems.finish()?;
    let mut problems = Problems::default();
    let mut engines = Vec::new();
    for table in file.engine {
        let lowering = Lowering {
            path: format!("engine.{}", table.name),
            clock: Clock::new(table.clock_ghz, base),
        };
        lowering.engines(table, &mut engines, &mut problems);
    }
    problems.finish()?;
    Ok(Device {
        name: file.device.name,
        clock_ghz: base,
        off_chip: file.device.off_chip,
        default_space: file.device.default_space,
        control: file.control,
        memories: file.memory.into_iter().map(Into::into).collect(),
        links: file.link,
        engines,
        sync: Sync {
            ids: file.sync.tokens,
            barriers: file.sync.barriers,
            wait_on_never_issued: file.sync.wait_on_never_issued,
        },
    })
}

/// Each `[[engine]]` has keys of its own kind only; those of another kind would silently do nothing.
fn keys_fit_kinds(root: &DeTable<'_>, problems: &mut Problems) {
    let entries = root
        .get("engine")
        .and_then(|engines| engines.get_ref().as_array())
        .into_iter()
        .flat_map(|a| a.iter());
    for table in entries.filter_map(|entry| entry.get_ref().as_table()) {
        let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
        let (name, kind) = (text("name").unwrap_or_default(), text("kind").unwrap_or_default());
        let own: &[&str] = match kind {
            "dma" => &DMA,
            "tensor" => &TENSOR,
            _ => &VECTOR,
        };
        for key in table.keys().map(|key| key.get_ref().as_ref()) {
            if !COMMON.contains(&key) && !own.contains(&key) {
                let known = list(own.iter().copied());
                problems.add(
                    &format!("engine.{name}.{key}"),
                    Fault::NotForKind {
                        kind: kind.to_owned(),
                        known,
                    },
                );
            }
        }
        if let Some(DeValue::Table(links)) = table.get("links").map(toml::Spanned::get_ref) {
            unused_links(name, links, table, problems);
        }
    }
}

/// A key of `links` that is the end of no route would do nothing.
fn unused_links(name: &str, links: &DeTable<'_>, engine: &DeTable<'_>, problems: &mut Problems) {
    let mut ends = Vec::new();
    let routes = engine.get("routes").and_then(|routes| routes.get_ref().as_array());
    for route in routes.into_iter().flat_map(|routes| routes.iter()) {
        let pair = route.get_ref().as_array().into_iter().flat_map(|pair| pair.iter());
        for end in pair.filter_map(|end| end.get_ref().as_str()) {
            if !ends.contains(&end) {
                ends.push(end);
            }
        }
    }
    for space in links.keys().map(|key| key.get_ref().as_ref()) {
        if !ends.contains(&space) {
            let (name_of_space, hint) = (space.to_owned(), crate::error::hint(space, &ends));
            let fault = Fault::Unknown {
                what: "end of a route",
                name: name_of_space,
                hint,
            };
            problems.add(&format!("engine.{name}.links.{space}"), fault);
        }
    }
}

/// An engine's own clock, for numbers that are given in its cycles.
struct Clock {
    /// Base cycles per cycle of this clock is `base / own`.
    own: f64,
    base: f64,
}

impl Clock {
    fn new(own: Option<f64>, base: f64) -> Clock {
        Clock {
            own: own.unwrap_or(base),
            base,
        }
    }

    /// Base cycles that hold `cycles` of this clock.
    fn cycles(&self, cycles: u64) -> u64 {
        if self.own == self.base {
            cycles
        } else {
            divide_up(u128::from(cycles), self.base, self.own)
        }
    }

    /// A rate per base cycle, from the rate per cycle of this clock.
    fn per_cycle(&self, rate: f64) -> f64 {
        if self.own == self.base {
            rate
        } else {
            rate * self.own / self.base
        }
    }
}

/// One `[[engine]]` on its way into the model.
struct Lowering {
    path: String,
    clock: Clock,
}

impl Lowering {
    fn engines(&self, table: EngineTable, engines: &mut Vec<Engine>, problems: &mut Problems) {
        problems.count(&format!("{}.count", self.path), table.count, 1..=MOST_ENGINES);
        if let Some(own) = table.clock_ghz {
            problems.rate(&format!("{}.clock_ghz", self.path), own);
        }
        let cost = match table.kind {
            EngineKind::Dma => EngineCost::Dma(self.dma(&table, problems)),
            EngineKind::Tensor => EngineCost::Tensor(self.tensor(&table, problems)),
            EngineKind::Vector => EngineCost::Vector(self.vector(&table, problems)),
        };
        let engine = Engine {
            name: table.name.clone(),
            group: table.name,
            kind: table.kind,
            blocking: !table.asynchronous,
            separate_banks: table.separate_banks,
            queue_depth: table.queue_depth,
            when_full: table.when_full,
            operands: table.operands.into(),
            cost,
        };
        match table.count.min(MOST_ENGINES) {
            0 | 1 => engines.push(engine),
            count => {
                let numbered = |index| Engine {
                    name: format!("{}{index}", engine.group),
                    ..engine.clone()
                };
                engines.extend((0..count).map(numbered));
            }
        }
    }

    fn dma(&self, table: &EngineTable, problems: &mut Problems) -> DmaCost {
        let route = |(from, to): &(String, String)| {
            let mut links: Vec<String> = Vec::new();
            for link in [from, to].into_iter().filter_map(|space| table.links.get(space)) {
                if !links.contains(link) {
                    links.push(link.clone());
                }
            }
            Route {
                from: from.clone(),
                to: to.clone(),
                links,
            }
        };
        let dims = table.dims.unwrap_or(0);
        if table.dims == Some(0) {
            problems.count(&format!("{}.dims", self.path), dims, 1..=u64::from(u32::MAX));
        }
        DmaCost {
            routes: table.routes.iter().flatten().map(route).collect(),
            bytes_per_cycle: self.limit("bytes_per_cycle", table.bytes_per_cycle, problems),
            start_latency: self.clock.cycles(table.start_latency_cycles),
            gap: self.clock.cycles(table.gap_cycles),
            per_row: self.clock.cycles(table.per_row_cycles),
            burst_bytes: table.burst_bytes,
            dims,
        }
    }

    fn tensor(&self, table: &EngineTable, problems: &mut Problems) -> TensorCost {
        let tile = table.block.unwrap_or_else(|| {
            self.missing("has no `block`, the m, n, k that shapes are rounded up to", problems);
            [1; 3]
        });
        let cycles_per_block = match (table.mac_per_cycle, table.cycles_per_block) {
            (None, Some(cycles)) => cycles,
            (Some(mac), None) => {
                for extent in mac {
                    problems.count(&format!("{}.mac_per_cycle", self.path), extent, 1..=u64::from(u32::MAX));
                }
                tile.iter()
                    .zip(mac)
                    .map(|(&block, mac)| block.div_ceil(mac.max(1)) as f64)
                    .product()
            }
            _ => {
                self.missing(
                    "needs one of `mac_per_cycle` and `cycles_per_block`, and not both",
                    problems,
                );
                0.0
            }
        };
        TensorCost {
            tile,
            cycles_per_tile: cycles_per_block / self.clock.per_cycle(1.0),
            min_k_tiles: table.min_k_blocks,
            fill: self.clock.cycles(table.fill_cycles),
            acc16: self.clock.cycles(table.acc16_cycles),
            acc32: self.clock.cycles(table.acc32_cycles),
            min: self.clock.cycles(table.min_cycles.unwrap_or(0)),
            zero_init: table.zero_init_cycles.map(|cycles| self.clock.cycles(cycles)),
            rate: table.dtype_rate.clone(),
        }
    }

    fn vector(&self, table: &EngineTable, problems: &mut Problems) -> VectorCost {
        let (per_cycle, width_bits) = match (table.bits_per_cycle, table.elems_per_cycle) {
            (Some(bits), None) => {
                problems.count(&format!("{}.bits_per_cycle", self.path), bits, 1..=u64::from(u32::MAX));
                (self.clock.per_cycle(1.0), bits)
            }
            (None, Some(_)) => (self.limit("elems_per_cycle", table.elems_per_cycle, problems), 0),
            _ => {
                self.missing(
                    "needs one of `bits_per_cycle` and `elems_per_cycle`, and not both",
                    problems,
                );
                (0.0, 0)
            }
        };
        VectorCost {
            start: self.clock.cycles(table.start_cycles),
            min: self.clock.cycles(table.min_cycles.unwrap_or(1)),
            per_cycle,
            width_bits,
            weights: table.op_weights.clone(),
        }
    }

    /// A rate that may be `inf` for no limit, which the model writes as 0.
    fn limit(&self, key: &str, value: Option<f64>, problems: &mut Problems) -> f64 {
        let path = format!("{}.{key}", self.path);
        match value {
            None => {
                self.missing(&format!("has no `{key}`; give `inf` where it sets no limit"), problems);
                0.0
            }
            Some(f64::INFINITY) => 0.0,
            Some(value) if value > 0.0 => self.clock.per_cycle(value),
            Some(value) => {
                problems.range(&path, value, "above 0, or `inf` for no limit");
                0.0
            }
        }
    }

    fn missing(&self, message: &str, problems: &mut Problems) {
        problems.add(&self.path, Fault::Missing(message.to_owned()));
    }
}

impl From<OperandsTable> for Operands {
    fn from(table: OperandsTable) -> Self {
        Operands {
            a: table.a.into(),
            b: table.b.into(),
            c: table.c.into(),
            all: table.all.into(),
        }
    }
}
