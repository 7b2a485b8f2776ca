//! Machines and programs for the tests: a device with all that the model has, and programs as trees of a few kinds of
//! statements.
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
use zpu_stepper::{CommandTimes, StepError};

/// How a run ended: the makespan and the engine, start and end of each command, or the kind of mistake.
#[derive(Debug, PartialEq)]
pub enum Spans {
    Fine(u64, Vec<Option<(usize, u64, u64)>>),
    Stuck,
    Invalid,
}

/// By the simulator.
pub fn by_events(program: &Program, device: &Device, arguments: Vec<zpu_sim::Argument>) -> Spans {
    let options = zpu_sim::Options {
        checks: Checks::NONE,
        bound: false,
        values: false,
        trace: true,
        order: Order::Eager,
        ..zpu_sim::Options::default()
    };
    let outcome = simulate(program, device, "main", arguments, &options).unwrap();
    if !outcome.report.completed {
        return match outcome.report.findings.last().unwrap().kind {
            FindingKind::Deadlock => Spans::Stuck,
            FindingKind::Invalid => Spans::Invalid,
            other => panic!("{other:?}"),
        };
    }
    let mut spans = Vec::new();
    for event in outcome.trace.iter().filter(|event| event.kind == TraceKind::Run) {
        let number = event.command.unwrap() as usize;
        spans.resize(spans.len().max(number + 1), None);
        spans[number] = Some((event.engine.unwrap(), event.begin, event.end));
    }
    Spans::Fine(outcome.report.cycles, spans)
}

/// By the stepper.
pub fn by_cycles(program: &Program, device: &Device, arguments: &[zpu_stepper::Argument], skip: bool) -> Spans {
    let options = zpu_stepper::Options {
        skip,
        ..zpu_stepper::Options::default()
    };
    match zpu_stepper::run(program, device, "main", arguments, &options) {
        Ok(run) => {
            let span = |times: &CommandTimes| Some((times.engine.index(), times.start?, times.end?));
            let mut spans: Vec<_> = run.commands.iter().map(span).collect();
            // The timeline says nothing of commands that were lost.
            while let Some(None) = spans.last() {
                spans.pop();
            }
            Spans::Fine(run.cycles, spans)
        }
        Err(StepError::Stuck(_)) => Spans::Stuck,
        Err(StepError::Invalid(..) | StepError::QueueFull { .. }) => Spans::Invalid,
        Err(error) => panic!("{error}"),
    }
}

pub const F32: ElementType = ElementType::F32;

/// What can be varied of a DMA engine.
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

/// What can be varied of a machine.
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

/// How a command is issued.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    Synchronous,
    /// Its token goes to the slot.
    Token(usize),
    /// With that barrier id.
    Id(i64),
    /// With the innermost loop's iteration modulo 3 as its barrier id.
    Ring,
}

/// A statement of a random program.
#[derive(Clone, Debug)]
pub enum Node {
    /// Work of an engine, by number modulo their count; `None` names none. `cycles` is `zpu.cycles`.
    Work {
        engine: Option<usize>,
        rows: i64,
        columns: i64,
        back: bool,
        form: Form,
        cycles: Option<u64>,
    },
    Wait(usize),
    WaitId(i64),
    WaitRing,
    /// Of the engines whose bits are set, by number; all for 0.
    Barrier(u32),
    Null(usize),
    Load,
    Store,
    /// From the first number, so many iterations, by a step; upper bound in a register.
    For(i64, i64, i64, Vec<Node>),
    /// A loop that carries the token of slot 0 into an argument, and waits for it there.
    Carry(i64, Vec<Node>),
    While(u64, Vec<Node>),
    /// By the parity of the iteration of the innermost loop.
    If(bool, Vec<Node>, Vec<Node>),
    /// By the iteration of the innermost loop.
    Switch(Vec<Node>, Vec<Node>),
    Call(Vec<Node>),
}

pub const SLOTS: u32 = 3;
const SIDE: i64 = 16;

/// Makes a program of nodes; its entry is `main`, of one 16 x 16 buffer.
pub struct Maker {
    program: Program,
    registers: u32,
    engines: Vec<EngineKind>,
    /// Whether it serves `sram` and `acc`.
    inner: Vec<bool>,
}

struct Scope {
    /// dram, sram, acc.
    buffers: [Reg; 3],
    slots: u32,
    iteration: Reg,
}

impl Maker {
    pub fn program(device: &Device, nodes: &[Node]) -> Program {
        let mut maker = Self {
            program: Program::default(),
            registers: 0,
            engines: device.engines.iter().map(|engine| engine.kind).collect(),
            inner: device
                .engines
                .iter()
                .map(|engine| engine.serves("sram", "acc"))
                .collect(),
        };
        maker.program.locations.push(Location::default());
        maker.program.kernels = vec![
            Kernel::matmul(F32, F32, false),
            Kernel::elementwise("add", 2, F32, Compute::FloatBinary(FloatBinary::Add, F32)),
        ];
        let id = maker.function("main", nodes);
        // Callees are made before their callers; the entry has its name.
        assert_eq!(maker.program.functions[id].name, "main");
        maker.program
    }

    fn function(&mut self, name: &str, nodes: &[Node]) -> usize {
        let outer = std::mem::take(&mut self.registers);
        let buffer = self.reg();
        let mut out = Vec::new();
        let mut local = |this: &mut Self, space| {
            let result = this.reg();
            let shape = vec![Size::Constant(SIDE); 2];
            push(
                &mut out,
                Op::Alloc {
                    result,
                    element: F32,
                    shape,
                    space: Some(SpaceId(space)),
                    stack: true,
                },
            );
            result
        };
        let buffers = [buffer, local(self, 1), local(self, 2)];
        let slots = self.registers;
        for _ in 0..SLOTS {
            let result = self.reg();
            push(&mut out, Op::NullToken { result });
        }
        let iteration = self.constant(&mut out, 0);
        let scope = Scope {
            buffers,
            slots,
            iteration,
        };
        self.nodes(&mut out, &scope, nodes);
        let ty = ValueType::MemRef(MemRefType {
            element: F32,
            shape: vec![Some(SIDE); 2],
            layout: None,
            space: None,
        });
        self.program.functions.push(Function {
            name: name.into(),
            is_private: name != "main",
            parameters: vec![Parameter { register: buffer, ty }],
            results: vec![],
            registers: self.registers,
            body: block(out, &[]),
            location: LocationId(0),
            return_location: LocationId(0),
        });
        self.registers = outer;
        self.program.functions.len() - 1
    }

    fn reg(&mut self) -> Reg {
        self.registers += 1;
        Reg(self.registers - 1)
    }

    fn constant(&mut self, out: &mut Vec<Statement>, value: i64) -> Reg {
        let result = self.reg();
        push(
            out,
            Op::Constant {
                result,
                bits: value as u64,
            },
        );
        result
    }

    fn compute(&mut self, out: &mut Vec<Statement>, compute: Compute, operands: &[Reg]) -> Reg {
        let result = self.reg();
        push(
            out,
            Op::Compute {
                compute,
                result,
                operands: operands.to_vec(),
            },
        );
        result
    }

    fn nodes(&mut self, out: &mut Vec<Statement>, scope: &Scope, nodes: &[Node]) {
        for node in nodes {
            self.node(out, scope, node);
        }
    }

    fn inner(&mut self, scope: &Scope, iteration: Option<Reg>, nodes: &[Node]) -> Vec<Statement> {
        let mut out = Vec::new();
        let scope = Scope {
            iteration: iteration.unwrap_or(scope.iteration),
            ..*scope
        };
        self.nodes(&mut out, &scope, nodes);
        out
    }

    fn modulo(&mut self, out: &mut Vec<Statement>, scope: &Scope, by: i64) -> Reg {
        let by = self.constant(out, by);
        let op = Compute::IntBinary(IntBinary::RemU, ElementType::Index);
        self.compute(out, op, &[scope.iteration, by])
    }

    fn node(&mut self, out: &mut Vec<Statement>, scope: &Scope, node: &Node) {
        match node {
            Node::Work {
                engine,
                rows,
                columns,
                back,
                form,
                cycles,
            } => self.work(out, scope, *engine, [*rows, *columns], *back, *form, *cycles),
            Node::Wait(slot) => push(
                out,
                Op::Wait {
                    token: Reg(scope.slots + *slot as u32),
                },
            ),
            Node::WaitId(id) => push(
                out,
                Op::WaitId {
                    id: Size::Constant(*id),
                },
            ),
            Node::WaitRing => {
                let id = Size::Register(self.modulo(out, scope, 3));
                push(out, Op::WaitId { id });
            }
            Node::Barrier(set) => {
                let named = (0..self.engines.len() as u32).filter(|i| set >> i & 1 == 1);
                let engines = (*set != 0).then(|| named.map(EngineId).collect());
                push(out, Op::Barrier { engines });
            }
            Node::Null(slot) => push(
                out,
                Op::NullToken {
                    result: Reg(scope.slots + *slot as u32),
                },
            ),
            Node::Load => {
                let zero = self.constant(out, 0);
                let result = self.reg();
                push(
                    out,
                    Op::Load {
                        result,
                        memref: scope.buffers[1],
                        indices: vec![zero; 2],
                    },
                );
            }
            Node::Store => {
                let zero = self.constant(out, 0);
                push(
                    out,
                    Op::Store {
                        value: zero,
                        memref: scope.buffers[1],
                        indices: vec![zero; 2],
                    },
                );
            }
            Node::For(lower, trips, step, body) => {
                let upper = self.constant(out, lower + trips * step);
                let induction = self.reg();
                let body = block(self.inner(scope, Some(induction), body), &[]);
                let (lower, upper, step) = (Size::Constant(*lower), Size::Register(upper), Size::Constant(*step));
                push(
                    out,
                    Op::For(Box::new(For {
                        induction,
                        ty: ElementType::Index,
                        unsigned: false,
                        lower,
                        upper,
                        step,
                        inits: vec![],
                        arguments: vec![],
                        body,
                        results: vec![],
                    })),
                );
            }
            Node::Carry(trips, body) => {
                let (induction, argument, result) = (self.reg(), self.reg(), self.reg());
                let slot = Reg(scope.slots);
                let mut statements = self.inner(scope, Some(induction), body);
                push(&mut statements, Op::Wait { token: argument });
                push(
                    out,
                    Op::For(Box::new(For {
                        induction,
                        ty: ElementType::Int(32),
                        unsigned: true,
                        lower: Size::Constant(0),
                        upper: Size::Constant(*trips),
                        step: Size::Constant(1),
                        inits: vec![slot],
                        arguments: vec![argument],
                        body: block(statements, &[slot]),
                        results: vec![result],
                    })),
                );
                push(out, Op::Wait { token: result });
            }
            Node::While(trips, body) => {
                let (zero, end) = (self.constant(out, 0), self.constant(out, *trips as i64));
                let (before, after, result) = (self.reg(), self.reg(), self.reg());
                let mut deciding = Vec::new();
                let less = Compute::IntCompare(IntPredicate::Ult, ElementType::Index);
                let condition = self.compute(&mut deciding, less, &[before, end]);
                let mut statements = self.inner(scope, Some(after), body);
                let one = self.constant(&mut statements, 1);
                let add = Compute::IntBinary(IntBinary::Add, ElementType::Index);
                let next = self.compute(&mut statements, add, &[after, one]);
                push(
                    out,
                    Op::While(Box::new(While {
                        inits: vec![zero],
                        before_arguments: vec![before],
                        before: block(deciding, &[before]),
                        condition,
                        after_arguments: vec![after],
                        after: block(statements, &[next]),
                        results: vec![result],
                    })),
                );
            }
            Node::If(odd, then, otherwise) => {
                let parity = self.modulo(out, scope, 2);
                let wanted = self.constant(out, i64::from(*odd));
                let equal = Compute::IntCompare(IntPredicate::Eq, ElementType::Index);
                let condition = self.compute(out, equal, &[parity, wanted]);
                let then = block(self.inner(scope, None, then), &[]);
                let otherwise = block(self.inner(scope, None, otherwise), &[]);
                push(
                    out,
                    Op::If {
                        condition,
                        then,
                        otherwise,
                        results: vec![],
                    },
                );
            }
            Node::Switch(one, default) => {
                let one = block(self.inner(scope, None, one), &[]);
                let default = block(self.inner(scope, None, default), &[]);
                push(
                    out,
                    Op::Switch {
                        value: scope.iteration,
                        cases: vec![(1, one)],
                        default,
                        results: vec![],
                    },
                );
            }
            Node::Call(body) => {
                let function = self.function("callee", body);
                push(
                    out,
                    Op::Call {
                        function: FunctionId(function as u32),
                        arguments: vec![scope.buffers[0]],
                        results: vec![],
                    },
                );
            }
        }
    }

    fn work(
        &mut self,
        out: &mut Vec<Statement>,
        scope: &Scope,
        engine: Option<usize>,
        shape: [i64; 2],
        back: bool,
        form: Form,
        cycles: Option<u64>,
    ) {
        let engine = engine.map(|engine| engine % self.engines.len());
        // The operands of a product have to fit: they are square.
        let square = engine.is_some_and(|engine| self.engines[engine] == EngineKind::Tensor);
        let mut view = |this: &mut Self, source: Reg| {
            let result = this.reg();
            let shape = if square { [shape[1]; 2] } else { shape };
            let sizes = shape.map(Size::Constant).to_vec();
            push(
                out,
                Op::View {
                    result,
                    source,
                    view: ViewOp::Subview {
                        offsets: vec![Size::Constant(0); 2],
                        sizes,
                        strides: vec![Size::Constant(1); 2],
                        keep: vec![true; 2],
                    },
                },
            );
            result
        };
        let [dram, sram, acc] = scope.buffers.map(|buffer| view(self, buffer));
        let inner = engine.is_some_and(|engine| self.inner[engine]);
        let copy = |source, target| {
            let (source, target) = if back { (target, source) } else { (source, target) };
            ActionKind::Copy { source, target }
        };
        let run = |kernel: u32| ActionKind::Run {
            kernel: KernelId(kernel),
            operands: vec![sram, sram, acc],
            captures: vec![],
        };
        let kind = match engine.map(|engine| self.engines[engine]) {
            Some(EngineKind::Dma) if inner => copy(sram, acc),
            Some(EngineKind::Dma) => copy(dram, sram),
            Some(EngineKind::Tensor) => run(0),
            Some(EngineKind::Vector) => run(1),
            None => match shape {
                [1, 1] => run(0),
                [1, _] => copy(sram, acc),
                [2, _] => copy(dram, sram),
                [3, _] => copy(dram, acc),
                _ => run(1),
            },
        };
        let completion = match form {
            Form::Synchronous => Completion::Synchronous,
            Form::Token(slot) => Completion::Asynchronous {
                token: Some(Reg(scope.slots + slot as u32)),
                id: None,
            },
            Form::Id(id) => Completion::Asynchronous {
                token: None,
                id: Some(Size::Constant(id)),
            },
            Form::Ring => Completion::Asynchronous {
                token: None,
                id: Some(Size::Register(self.modulo(out, scope, 3))),
            },
        };
        let completion = if engine.is_none() {
            Completion::Synchronous
        } else {
            completion
        };
        let actions = vec![Action {
            location: LocationId(0),
            cycles: None,
            kind,
        }];
        push(
            out,
            Op::Command(Box::new(Command {
                name: "work".into(),
                engine: engine.map(|engine| EngineId(engine as u32)),
                completion,
                actions,
                cycles,
            })),
        );
    }
}

fn push(out: &mut Vec<Statement>, op: Op) {
    let location = LocationId(0);
    out.push(Statement { location, op });
}

fn block(statements: Vec<Statement>, yields: &[Reg]) -> Block {
    Block {
        statements,
        yields: yields.to_vec(),
    }
}
