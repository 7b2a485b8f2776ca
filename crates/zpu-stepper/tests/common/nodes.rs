//! Programs as trees of a few kinds of statements, and their form as [`Program`].

use zpu_device::{Device, ElementType, EngineKind};
use zpu_sim::*;

use super::F32;

/// The form of a command's issue.
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

/// Work of an engine.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// By number modulo their count; `None` names none.
    pub engine: Option<usize>,
    /// Extents of the moved or computed tile.
    pub rows: i64,
    pub columns: i64,
    /// A transfer to the outer memory.
    pub back: bool,
    pub form: Form,
    /// `zpu.cycles`.
    pub cycles: Option<u64>,
}

/// A statement of a random program.
#[derive(Clone, Debug)]
pub enum Node {
    Work(Work),
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
    /// True if it serves `sram` and `acc`.
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
                    address: None,
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
            Node::Work(work) => self.work(out, scope, *work),
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

    fn work(&mut self, out: &mut Vec<Statement>, scope: &Scope, work: Work) {
        let Work {
            engine,
            rows,
            columns,
            back,
            form,
            cycles,
        } = work;
        let shape = [rows, columns];
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
