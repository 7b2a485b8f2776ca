//! Costs of commands on the built-in devices: shapes and views of copies, kernels, operations that name no engine.
//!
//! Property: where the simulator has an end, so has the stepper, with the same times.

mod common;

use common::{F32, Spans, by_cycles, by_events};
use proptest::prelude::*;
use zpu_device::{Device, ElementType, builtin_names};
use zpu_sim::*;

/// A view of the buffer before it; numbers are taken modulo what is possible.
#[derive(Clone, Debug)]
enum Step {
    Subview(Vec<(i64, i64, bool)>),
    Transpose(usize),
    Collapse,
    Expand,
    Reinterpret,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Copy { back: bool },
    Softmax,
    Product,
    Kernel(u32),
}

#[derive(Clone, Debug)]
struct Piece {
    shape: Vec<i64>,
    views: Vec<Step>,
    kind: Kind,
    engine: Option<usize>,
    spaces: [usize; 2],
    element: ElementType,
    /// `zpu.cycles` of a second part; nothing for a command of one part.
    second: Option<u64>,
    synchronous: bool,
}

fn piece() -> impl Strategy<Value = Piece> {
    let view = prop_oneof![
        4 => prop::collection::vec((1_i64..9, 1_i64..3, any::<bool>()), 4).prop_map(Step::Subview),
        1 => (0_usize..4).prop_map(Step::Transpose),
        1 => Just(Step::Collapse),
        1 => Just(Step::Expand),
        1 => Just(Step::Reinterpret),
    ];
    let kind = prop_oneof![
        6 => any::<bool>().prop_map(|back| Kind::Copy { back }),
        1 => Just(Kind::Softmax),
        2 => Just(Kind::Product),
        3 => (0_u32..4).prop_map(Kind::Kernel),
    ];
    let element = prop::sample::select(vec![F32, ElementType::F16, ElementType::Int(8), ElementType::Int(1)]);
    (
        prop::collection::vec(1_i64..9, 0..4),
        prop::collection::vec(view, 0..3),
        kind,
        prop::option::of(0_usize..24),
        prop::array::uniform2(0_usize..8),
        element,
        prop::option::weighted(0.1, 0_u64..20),
        any::<bool>(),
    )
        .prop_map(
            |(shape, views, kind, engine, spaces, element, second, synchronous)| Piece {
                shape,
                views,
                kind,
                engine,
                spaces,
                element,
                second,
                synchronous,
            },
        )
}

/// Statements of one function, and the registers that are used.
struct Code {
    statements: Vec<Statement>,
    registers: u32,
}

impl Code {
    fn push(&mut self, op: Op) {
        let location = LocationId(0);
        self.statements.push(Statement { location, op });
    }

    fn reg(&mut self) -> Reg {
        self.registers += 1;
        Reg(self.registers - 1)
    }

    fn alloc(&mut self, element: ElementType, shape: &[i64], space: usize) -> Reg {
        let result = self.reg();
        let shape = constants(shape);
        let space = Some(SpaceId(space as u32));
        self.push(Op::Alloc {
            result,
            element,
            shape,
            space,
            address: None,
            stack: false,
        });
        result
    }

    fn view(&mut self, source: Reg, view: ViewOp) -> Reg {
        let result = self.reg();
        self.push(Op::View { result, source, view });
        result
    }

    /// The view, and its extents.
    fn step(&mut self, source: Reg, shape: &[i64], first: bool, step: &Step) -> (Reg, Vec<i64>) {
        let rank = shape.len();
        match step {
            Step::Subview(parts) => {
                let strides: Vec<i64> = parts.iter().take(rank).map(|part| part.1).collect();
                let sizes: Vec<i64> = (0..rank)
                    .map(|i| 1 + (parts[i].0 - 1) % (1 + (shape[i] - 1) / strides[i]))
                    .collect();
                let keep: Vec<bool> = (0..rank).map(|i| parts[i].2 || sizes[i] != 1).collect();
                let kept = (0..rank).filter(|i| keep[*i]).map(|i| sizes[i]).collect();
                let view = ViewOp::Subview {
                    offsets: constants(&vec![0; rank]),
                    sizes: constants(&sizes),
                    strides: constants(&strides),
                    keep,
                };
                (self.view(source, view), kept)
            }
            Step::Transpose(by) if rank > 0 => {
                let permutation: Vec<usize> = (0..rank).map(|i| (i + by) % rank).collect();
                let sizes = permutation.iter().map(|i| shape[*i]).collect();
                (self.view(source, ViewOp::Transpose { permutation }), sizes)
            }
            // Only contiguous dimensions can be collapsed.
            Step::Collapse if first && rank > 1 => {
                let groups = vec![vec![0, 1]].into_iter().chain((2..rank).map(|i| vec![i])).collect();
                let sizes = [&[shape[0] * shape[1]], &shape[2..]].concat();
                (self.view(source, ViewOp::Collapse { groups }), sizes)
            }
            Step::Expand if rank > 0 => {
                let half = if shape[0] % 2 == 0 { 2 } else { 1 };
                let sizes = [&[half, shape[0] / half], &shape[1..]].concat();
                let groups = vec![vec![0, 1]]
                    .into_iter()
                    .chain((1..rank).map(|i| vec![i + 1]))
                    .collect();
                let view = ViewOp::Expand {
                    groups,
                    sizes: constants(&sizes),
                };
                (self.view(source, view), sizes)
            }
            // Every second row of the first dimension.
            Step::Reinterpret if first && rank > 0 && shape[0] > 1 => {
                let rest: i64 = shape[1..].iter().product();
                let sizes = [&[shape[0] / 2], &shape[1..]].concat();
                let mut strides = vec![1; rank];
                for i in (1..rank).rev() {
                    strides[i - 1] = strides[i] * shape[i];
                }
                strides[0] = 2 * rest;
                let view = ViewOp::Reinterpret {
                    offset: Size::Constant(0),
                    sizes: constants(&sizes),
                    strides: constants(&strides),
                };
                (self.view(source, view), sizes)
            }
            _ => (source, shape.to_vec()),
        }
    }
}

fn constants(values: &[i64]) -> Vec<Size> {
    values.iter().map(|value| Size::Constant(*value)).collect()
}

/// Kernels over one or two operands of any rank, by number.
fn kernel(which: u32, rank: usize, element: ElementType) -> Kernel {
    let float = matches!(element, ElementType::F32 | ElementType::F16);
    let binary = |float_op, int_op| match float {
        true => Compute::FloatBinary(float_op, element),
        false => Compute::IntBinary(int_op, element),
    };
    match which {
        0 => Kernel::fill(rank, element),
        1 => Kernel::elementwise("add", rank, element, binary(FloatBinary::Add, IntBinary::Add)),
        2 if float => Kernel::elementwise("exp", rank, element, Compute::FloatUnary(FloatUnary::Exp, element)),
        2 => Kernel::elementwise("max", rank, element, binary(FloatBinary::Maximum, IntBinary::MaxS)),
        _ => {
            // The sum over the last dimension.
            let mut sum = Kernel::elementwise("sum", rank, element, binary(FloatBinary::Add, IntBinary::Add));
            sum.operands.remove(0);
            sum.body.ops = vec![BodyOp::Compute(binary(FloatBinary::Add, IntBinary::Add), vec![0, 1])];
            sum.body.yields = vec![2];
            if rank > 0 {
                sum.iterators[rank - 1] = LoopKind::Reduction;
                sum.operands[1].map = AffineMap::projection(rank, &(0..rank - 1).collect::<Vec<_>>());
            }
            sum
        }
    }
}

fn program(device: &Device, pieces: &[Piece]) -> Program {
    let mut program = Program::default();
    program.locations.push(Location::default());
    let mut code = Code {
        statements: Vec::new(),
        registers: 0,
    };
    for piece in pieces {
        let spaces = piece.spaces.map(|space| space % device.memories.len());
        let mut buffer = code.alloc(piece.element, &piece.shape, spaces[0]);
        let mut shape = piece.shape.clone();
        for (i, view) in piece.views.iter().enumerate() {
            (buffer, shape) = code.step(buffer, &shape, i == 0, view);
        }
        let run = |program: &mut Program, kernel: Kernel, operands: Vec<Reg>| {
            program.kernels.push(kernel);
            let kernel = KernelId(program.kernels.len() as u32 - 1);
            ActionKind::Run {
                kernel,
                operands,
                captures: vec![],
            }
        };
        let kind = match piece.kind {
            Kind::Copy { back } => {
                let other = code.alloc(piece.element, &shape, spaces[1]);
                let (source, target) = if back { (other, buffer) } else { (buffer, other) };
                ActionKind::Copy { source, target }
            }
            Kind::Softmax if !shape.is_empty() => {
                let target = code.alloc(piece.element, &shape, spaces[1]);
                let dimension = shape.len() - 1;
                ActionKind::Softmax {
                    source: buffer,
                    target,
                    dimension,
                }
            }
            Kind::Product => {
                let [m, n, k] = [0, 1, 2].map(|i| 3 * piece.shape.get(i).copied().unwrap_or(1));
                let a = code.alloc(piece.element, &[m, k], spaces[0]);
                let b = code.alloc(piece.element, &[k, n], spaces[1]);
                let c = code.alloc(F32, &[m, n], spaces[0]);
                let product = match piece.element {
                    ElementType::F16 | ElementType::F32 => Kernel::matmul(piece.element, F32, false),
                    _ => Kernel::matmul(F32, F32, false),
                };
                run(&mut program, product, vec![a, b, c])
            }
            Kind::Softmax | Kind::Kernel(0) => {
                let result = code.reg();
                code.push(Op::Constant { result, bits: 0 });
                run(
                    &mut program,
                    kernel(0, shape.len(), piece.element),
                    vec![result, buffer],
                )
            }
            Kind::Kernel(which) => {
                let kernel = kernel(which, shape.len(), piece.element);
                let count = kernel.operands.len();
                let mut operands = vec![buffer; count];
                if which == 3 {
                    let summed = &shape[..shape.len().saturating_sub(1)];
                    operands[1] = code.alloc(piece.element, summed, spaces[1]);
                }
                run(&mut program, kernel, operands)
            }
        };
        let action = |cycles| Action {
            location: LocationId(0),
            cycles,
            kind: kind.clone(),
        };
        let engine = piece
            .engine
            .map(|engine| EngineId((engine % device.engines.len()) as u32));
        let mut actions = vec![action(None)];
        if engine.is_some() {
            actions.extend(piece.second.map(|cycles| action(Some(cycles))));
        }
        let completion = match engine {
            Some(_) if !piece.synchronous => Completion::Asynchronous { token: None, id: None },
            _ => Completion::Synchronous,
        };
        code.push(Op::Command(Box::new(Command {
            name: "piece".into(),
            engine,
            completion,
            actions,
            cycles: None,
        })));
    }
    program.functions.push(Function {
        name: "main".into(),
        is_private: false,
        parameters: vec![],
        results: vec![],
        registers: code.registers,
        body: Block {
            statements: code.statements,
            yields: vec![],
        },
        location: LocationId(0),
        return_location: LocationId(0),
    });
    program
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn commands_cost_the_same(
        name in prop::sample::select(builtin_names().collect::<Vec<_>>()),
        pieces in prop::collection::vec(piece(), 1..6),
    ) {
        let device = Device::load(name, &[]).unwrap();
        let mut good = Vec::new();
        // Pieces that the machine cannot do are left out.
        for piece in pieces {
            good.push(piece);
            if !matches!(by_events(&program(&device, &good), &device, vec![]), Spans::Fine(..)) {
                good.pop();
            }
        }
        let program = program(&device, &good);
        let (plain, skipping) = [false, true].map(|skip| by_cycles(&program, &device, &[], skip)).into();
        prop_assert_eq!(&plain, &skipping);
        prop_assert_eq!(plain, by_events(&program, &device, vec![]));
    }
}
