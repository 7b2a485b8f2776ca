//! A device and programs small enough to follow by hand.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test file uses a part of it"
)]

use std::collections::BTreeMap;

use zpu_device::{
    Control, Device, DmaCost, ElementType, Engine, EngineCost, EngineKind, Link, Memory, NeverIssued, Operands, Route,
    Sync, TensorCost, VectorCost, WhenFull,
};
use zpu_sim::*;

pub const F32: ElementType = ElementType::F32;
pub const DRAM: SpaceId = SpaceId(0);
pub const SRAM: SpaceId = SpaceId(1);
pub const LOAD: EngineId = EngineId(0);
pub const STORE: EngineId = EngineId(1);
pub const TENSOR: EngineId = EngineId(2);
pub const VECTOR: EngineId = EngineId(3);

/// dram and sram; two DMA engines that move a byte a cycle after a latency of 10 and share a link of a byte a cycle if
/// `shared`; a tensor and a vector engine. Issue, wait and back edge cost 1.
pub fn device(shared: bool) -> Device {
    let links = if shared { vec!["port".to_owned()] } else { vec![] };
    let dma = |name: &str| {
        let route = |from: &str, to: &str| Route {
            from: from.into(),
            to: to.into(),
            links: links.clone(),
        };
        Engine {
            name: name.into(),
            group: name.into(),
            kind: EngineKind::Dma,
            blocking: false,
            queue_depth: 4,
            when_full: WhenFull::Stall,
            separate_banks: false,
            operands: Operands::default(),
            cost: EngineCost::Dma(DmaCost {
                routes: vec![route("dram", "sram"), route("sram", "dram")],
                bytes_per_cycle: 1.0,
                start_latency: 10,
                gap: 0,
                per_row: 0,
                burst_bytes: 1,
                dims: 0,
            }),
        }
    };
    let compute = |name: &str, kind, cost| Engine {
        name: name.into(),
        group: name.into(),
        kind,
        cost,
        ..dma(name)
    };
    let tensor = TensorCost {
        tile: [1, 1, 1],
        cycles_per_tile: 1.0,
        min_k_tiles: 0,
        fill: 5,
        acc16: 0,
        acc32: 0,
        min: 0,
        zero_init: None,
        rate: BTreeMap::new(),
    };
    let vector: VectorCost = VectorCost {
        start: 5,
        per_cycle: 1.0,
        width_bits: 0,
        min: 1,
        weights: BTreeMap::new(),
    };
    Device {
        name: "small".into(),
        clock_ghz: 1.0,
        off_chip: "dram".into(),
        default_space: "sram".into(),
        control: Control {
            start_cycles: 1,
            wait_cycles: 1,
            loop_cycles: 1,
            barrier_cycles: 1,
            scalar_cycles: 1,
        },
        memories: vec![
            Memory {
                name: "dram".into(),
                bytes: 1 << 20,
                align: 1,
                banks: 1,
            },
            Memory {
                name: "sram".into(),
                bytes: 4096,
                align: 1,
                banks: 1,
            },
        ],
        links: vec![Link {
            name: "port".into(),
            bytes_per_cycle: 1.0,
        }],
        engines: vec![
            dma("load"),
            dma("store"),
            compute("tensor", EngineKind::Tensor, EngineCost::Tensor(tensor)),
            compute("vector", EngineKind::Vector, EngineCost::Vector(vector)),
        ],
        sync: Sync {
            ids: 4,
            barriers: 1,
            wait_on_never_issued: NeverIssued::Hang,
        },
    }
}

/// Builds the function `main`; each statement is on its own line of `t.mlir`.
pub struct Builder {
    program: Program,
    blocks: Vec<Block>,
    registers: u32,
    parameters: Vec<Parameter>,
}

impl Builder {
    pub fn new() -> Self {
        let mut program = Program::default();
        program.locations.push(Location {
            file: "t.mlir".into(),
            line: 1,
            column: 1,
        });
        Self {
            program,
            blocks: vec![Block::default()],
            registers: 0,
            parameters: vec![],
        }
    }

    pub fn reg(&mut self) -> Reg {
        self.registers += 1;
        Reg(self.registers - 1)
    }

    pub fn location(&mut self) -> LocationId {
        let line = self.program.locations.len() as u32 + 1;
        self.program.locations.push(Location {
            file: "t.mlir".into(),
            line,
            column: 3,
        });
        LocationId(line - 1)
    }

    pub fn push(&mut self, op: Op) {
        let location = self.location();
        self.blocks
            .last_mut()
            .unwrap()
            .statements
            .push(Statement { location, op });
    }

    pub fn buffer(&mut self, element: ElementType, shape: &[i64]) -> Reg {
        let register = self.reg();
        let shape = shape.iter().map(|extent| (*extent >= 0).then_some(*extent)).collect();
        let ty = ValueType::MemRef(MemRefType {
            element,
            shape,
            layout: None,
            space: None,
        });
        self.parameters.push(Parameter { register, ty });
        register
    }

    pub fn scalar(&mut self, element: ElementType) -> Reg {
        let register = self.reg();
        self.parameters.push(Parameter {
            register,
            ty: ValueType::Scalar(element),
        });
        register
    }

    pub fn alloc(&mut self, element: ElementType, shape: &[i64]) -> Reg {
        let result = self.reg();
        let shape = shape.iter().map(|extent| Size::Constant(*extent)).collect();
        self.push(Op::Alloc {
            result,
            element,
            shape,
            space: None,
            address: None,
            stack: false,
        });
        result
    }

    pub fn constant(&mut self, bits: u64) -> Reg {
        let result = self.reg();
        self.push(Op::Constant { result, bits });
        result
    }

    pub fn subview(&mut self, source: Reg, offsets: &[Size], sizes: &[i64]) -> Reg {
        let result = self.reg();
        let sizes = sizes.iter().map(|size| Size::Constant(*size)).collect();
        let strides = vec![Size::Constant(1); offsets.len()];
        let keep = vec![true; offsets.len()];
        self.push(Op::View {
            result,
            source,
            view: ViewOp::Subview {
                offsets: offsets.to_vec(),
                sizes,
                strides,
                keep,
            },
        });
        result
    }

    pub fn kernel(&mut self, kernel: Kernel) -> KernelId {
        self.program.kernels.push(kernel);
        KernelId(self.program.kernels.len() as u32 - 1)
    }

    fn command(&mut self, name: &str, engine: Option<EngineId>, completion: Completion, kind: ActionKind) {
        let location = self.location();
        let actions = vec![Action {
            location,
            cycles: None,
            kind,
        }];
        let command = Command {
            name: name.into(),
            engine,
            completion,
            actions,
            cycles: None,
        };
        self.blocks.last_mut().unwrap().statements.push(Statement {
            location,
            op: Op::Command(Box::new(command)),
        });
    }

    /// An asynchronous copy; its token.
    pub fn start_copy(&mut self, engine: EngineId, source: Reg, target: Reg) -> Reg {
        let token = self.reg();
        let completion = Completion::Asynchronous {
            token: Some(token),
            id: None,
        };
        self.command("dma", Some(engine), completion, ActionKind::Copy { source, target });
        token
    }

    pub fn start_copy_id(&mut self, engine: EngineId, source: Reg, target: Reg, id: i64) {
        let completion = Completion::Asynchronous {
            token: None,
            id: Some(Size::Constant(id)),
        };
        self.command("dma", Some(engine), completion, ActionKind::Copy { source, target });
    }

    pub fn copy(&mut self, engine: Option<EngineId>, source: Reg, target: Reg) {
        self.command(
            "copy",
            engine,
            Completion::Synchronous,
            ActionKind::Copy { source, target },
        );
    }

    pub fn start(&mut self, engine: EngineId, kernel: KernelId, operands: &[Reg]) -> Reg {
        let token = self.reg();
        let completion = Completion::Asynchronous {
            token: Some(token),
            id: None,
        };
        let operands = operands.to_vec();
        self.command(
            "compute",
            Some(engine),
            completion,
            ActionKind::Run {
                kernel,
                operands,
                captures: vec![],
            },
        );
        token
    }

    pub fn run(&mut self, engine: Option<EngineId>, kernel: KernelId, operands: &[Reg]) {
        let operands = operands.to_vec();
        self.command(
            "compute",
            engine,
            Completion::Synchronous,
            ActionKind::Run {
                kernel,
                operands,
                captures: vec![],
            },
        );
    }

    pub fn wait(&mut self, token: Reg) {
        self.push(Op::Wait { token });
    }

    /// `for iv = 0 to upper step step` around what `body` builds.
    pub fn for_loop(&mut self, upper: i64, step: i64, body: impl FnOnce(&mut Self, Reg)) {
        let induction = self.reg();
        let location = self.location();
        self.blocks.push(Block::default());
        body(self, induction);
        let body = self.blocks.pop().unwrap();
        let op = Op::For(Box::new(For {
            induction,
            ty: ElementType::Index,
            unsigned: false,
            lower: Size::Constant(0),
            upper: Size::Constant(upper),
            step: Size::Constant(step),
            inits: vec![],
            arguments: vec![],
            body,
            results: vec![],
        }));
        self.blocks
            .last_mut()
            .unwrap()
            .statements
            .push(Statement { location, op });
    }

    pub fn finish(mut self) -> Program {
        self.program.functions.push(Function {
            name: "main".into(),
            is_private: false,
            parameters: self.parameters,
            results: vec![],
            registers: self.registers,
            body: self.blocks.pop().unwrap(),
            location: LocationId(0),
            return_location: LocationId(0),
        });
        self.program
    }
}

pub fn floats(shape: &[i64], value: impl Fn(usize) -> f32) -> Argument {
    let count: i64 = shape.iter().product();
    let bytes = (0..count as usize).flat_map(|i| value(i).to_le_bytes()).collect();
    Argument::Buffer {
        shape: shape.to_vec(),
        bytes,
    }
}

pub fn as_floats(output: &Output) -> Vec<f32> {
    let Output::Buffer { bytes, .. } = output else {
        panic!("no buffer: {output:?}")
    };
    bytes
        .chunks_exact(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

pub fn messages(report: &Report) -> String {
    report.findings.iter().map(|finding| format!("{finding}\n")).collect()
}

/// Busy, stalled and idle of every unit add up to the makespan.
pub fn assert_adds_up(report: &Report) {
    for engine in &report.engines {
        assert_eq!(engine.busy + engine.stalled + engine.idle, report.cycles, "{engine:?}");
        assert_eq!(engine.stalled, engine.stalled_latency + engine.stalled_sharing);
    }
    let control = &report.control;
    assert_eq!(
        control.busy + control.stalled + control.idle,
        report.cycles,
        "{control:?}"
    );
    assert_eq!(
        control.busy,
        control.issue + control.waiting_cost + control.loops + control.scalars
    );
    let distance = &report.distance;
    let parts = [
        distance.fill_and_drain,
        distance.control_stream,
        distance.waits,
        distance.order,
        distance.memory,
        distance.unproven,
    ];
    assert_eq!(parts.iter().sum::<u64>(), distance.cycles, "{distance:?}");
    // A racy program may be faster than any that honours its dependences.
    if report.findings.iter().all(|finding| finding.kind != FindingKind::Race) {
        assert!(
            report.bound.cycles <= report.cycles,
            "{:?} > {}",
            report.bound,
            report.cycles
        );
        assert!(report.tight_bound.cycles <= report.cycles, "{:?}", report.tight_bound);
        if report.completed {
            assert_eq!(distance.cycles, report.cycles - report.tight_bound.cycles);
        }
    }
}
