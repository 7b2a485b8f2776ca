//! A device with all that the model has: DMA engines on two links, a tensor and a vector engine.

use std::collections::BTreeMap;

use zpu_device::{
    Control, Device, DmaCost, Engine, EngineCost, EngineKind, Link, Memory, NeverIssued, Operands, Route, Sync,
    TensorCost, VectorCost, WhenFull,
};

/// The varied properties of a DMA engine.
#[derive(Clone, Debug)]
pub struct Dma {
    pub latency: u64,
    pub gap: u64,
    pub per_row: u64,
    pub burst: u64,
    /// Bytes per cycle; 0 is no limit.
    pub rate: f64,
    /// Links 0 and 1.
    pub links: [bool; 2],
    /// Serves `sram` and `acc`, else `dram` and `sram`.
    pub inner: bool,
}

/// The varied properties of a machine.
#[derive(Clone, Debug)]
pub struct Machine {
    pub dmas: Vec<Dma>,
    pub links: [f64; 2],
    /// By engine; the last ones are the tensor and the vector engine.
    pub depth: Vec<u64>,
    pub blocking: Vec<bool>,
    pub when_full: Vec<WhenFull>,
    /// Start, wait, loop, barrier, scalar.
    pub control: [u64; 5],
    pub never_issued: NeverIssued,
    /// The vector engine moves data between `sram` and `acc`.
    pub mover: bool,
}

impl Machine {
    pub fn device(&self) -> Device {
        let mut engines: Vec<Engine> = Vec::new();
        let mut add = |name: &str, kind, cost, operands| {
            let i = engines.len();
            engines.push(Engine {
                name: name.into(),
                group: name.into(),
                kind,
                blocking: self.blocking[i % self.blocking.len()],
                queue_depth: self.depth[i % self.depth.len()],
                when_full: self.when_full[i % self.when_full.len()],
                separate_banks: false,
                operands,
                cost,
            });
        };
        for (i, dma) in self.dmas.iter().enumerate() {
            let links: Vec<String> = (0..2).filter(|l| dma.links[*l]).map(|l| format!("link{l}")).collect();
            let (near, far) = if dma.inner { ("acc", "sram") } else { ("sram", "dram") };
            let route = |from: &str, to: &str| Route {
                from: from.into(),
                to: to.into(),
                links: links.clone(),
            };
            let cost = DmaCost {
                routes: vec![route(near, far), route(far, near)],
                bytes_per_cycle: dma.rate,
                start_latency: dma.latency,
                gap: dma.gap,
                per_row: dma.per_row,
                burst_bytes: dma.burst,
                dims: 0,
            };
            let name = format!("dma{i}");
            add(&name, EngineKind::Dma, EngineCost::Dma(cost), Operands::default());
        }
        let tensor = TensorCost {
            tile: [2, 2, 2],
            cycles_per_tile: 1.0,
            min_k_tiles: 1,
            fill: 3,
            acc16: 0,
            acc32: 0,
            min: 0,
            zero_init: None,
            rate: BTreeMap::new(),
        };
        let vector = VectorCost {
            start: 2,
            per_cycle: 8.0,
            width_bits: 0,
            min: 1,
            weights: BTreeMap::new(),
        };
        let all = if self.mover {
            vec!["sram".into(), "acc".into()]
        } else {
            vec![]
        };
        let operands = Operands {
            all,
            ..Operands::default()
        };
        add(
            "tensor",
            EngineKind::Tensor,
            EngineCost::Tensor(tensor),
            Operands::default(),
        );
        add("vector", EngineKind::Vector, EngineCost::Vector(vector), operands);
        let [start_cycles, wait_cycles, loop_cycles, barrier_cycles, scalar_cycles] = self.control;
        let memory = |name: &str| Memory {
            name: name.into(),
            bytes: 1 << 20,
            align: 1,
            banks: 1,
        };
        Device {
            name: "random".into(),
            clock_ghz: 1.0,
            off_chip: "dram".into(),
            default_space: "sram".into(),
            control: Control {
                start_cycles,
                wait_cycles,
                loop_cycles,
                barrier_cycles,
                scalar_cycles,
            },
            memories: ["dram", "sram", "acc"].map(memory).into(),
            links: (0..2)
                .map(|i| Link {
                    name: format!("link{i}"),
                    bytes_per_cycle: self.links[i],
                })
                .collect(),
            engines,
            sync: Sync {
                ids: 4,
                barriers: 1,
                wait_on_never_issued: self.never_issued,
            },
        }
    }
}
