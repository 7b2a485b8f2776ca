//! No program makes the simulator panic, however senseless: registers of the wrong kind, sizes of every size, buffers
//! that are gone, engines that do not exist.

mod common;

use common::*;
use proptest::prelude::*;
use zpu_device::ElementType;
use zpu_sim::*;

/// Registers of the function; every one may hold anything.
const REGISTERS: u32 = 10;

/// Mostly one of these, sometimes any register.
fn mostly(registers: &'static [u32]) -> impl Strategy<Value = Reg> {
    prop_oneof![
        40 => prop::sample::select(registers).prop_map(Reg),
        1 => (0..REGISTERS).prop_map(Reg),
    ]
}

fn memref() -> impl Strategy<Value = Reg> {
    mostly(&[0, 2, 3, 4])
}

fn scalar() -> impl Strategy<Value = Reg> {
    mostly(&[1, 5, 6])
}

fn token() -> impl Strategy<Value = Reg> {
    mostly(&[7, 8])
}

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![
        40 => 0i64..5,
        1 => Just(-1i64),
        1 => prop::sample::select(vec![i64::MIN, i64::MAX, 1 << 31, -(1 << 40), 1 << 62]),
    ]
}

fn size() -> impl Strategy<Value = Size> {
    prop_oneof![3 => number().prop_map(Size::Constant), 1 => scalar().prop_map(Size::Register)]
}

fn sizes() -> impl Strategy<Value = Vec<Size>> {
    prop::collection::vec(size(), 0..3)
}

fn element() -> impl Strategy<Value = ElementType> {
    let types = [
        ElementType::F32,
        ElementType::F16,
        ElementType::Int(1),
        ElementType::Int(64),
        ElementType::Index,
    ];
    prop::sample::select(types.to_vec())
}

fn compute() -> impl Strategy<Value = Compute> {
    let int = [
        IntBinary::Add,
        IntBinary::DivS,
        IntBinary::RemU,
        IntBinary::Shl,
        IntBinary::CeilDivS,
        IntBinary::Pow,
    ];
    prop_oneof![
        (prop::sample::select(int.to_vec()), element()).prop_map(|(op, ty)| Compute::IntBinary(op, ty)),
        element().prop_map(|ty| Compute::FloatBinary(FloatBinary::Mul, ty)),
        (element(), element()).prop_map(|(from, to)| Compute::Cast(Cast::FloatToInt, from, to)),
        element().prop_map(|ty| Compute::IntCompare(IntPredicate::Slt, ty)),
    ]
}

fn view() -> impl Strategy<Value = ViewOp> {
    let groups = || prop::collection::vec(prop::collection::vec(0usize..3, 0..3), 0..3);
    prop_oneof![
        (sizes(), sizes(), sizes(), prop::collection::vec(any::<bool>(), 0..3)).prop_map(
            |(offsets, sizes, strides, keep)| ViewOp::Subview {
                offsets,
                sizes,
                strides,
                keep
            }
        ),
        (size(), sizes()).prop_map(|(offset, sizes)| ViewOp::Reinterpret {
            offset,
            strides: sizes.clone(),
            sizes
        }),
        (size(), sizes(), sizes()).prop_map(|(offset, sizes, strides)| ViewOp::Reinterpret { offset, sizes, strides }),
        (size(), element(), sizes()).prop_map(|(shift, element, sizes)| ViewOp::Bytes { shift, element, sizes }),
        groups().prop_map(|groups| ViewOp::Collapse { groups }),
        (groups(), sizes()).prop_map(|(groups, sizes)| ViewOp::Expand { groups, sizes }),
        prop::collection::vec(0usize..3, 0..3).prop_map(|permutation| ViewOp::Transpose { permutation }),
    ]
}

fn command() -> impl Strategy<Value = Op> {
    let completion = prop_oneof![
        Just(Completion::Synchronous),
        (prop::option::of(token()), prop::option::of(size()))
            .prop_map(|(token, id)| Completion::Asynchronous { token, id }),
    ];
    let kind = prop_oneof![
        (memref(), memref()).prop_map(|(source, target)| ActionKind::Copy { source, target }),
        (0u32..4, prop::collection::vec(memref(), 1..4)).prop_map(|(kernel, operands)| ActionKind::Run {
            kernel: KernelId(kernel),
            operands,
            captures: vec![]
        }),
    ];
    let cycles = prop::option::weighted(0.1, any::<u64>());
    (
        prop::option::of(0u32..6),
        completion,
        prop::collection::vec((kind, cycles), 0..3),
    )
        .prop_map(|(engine, completion, actions)| {
            let action = |(kind, cycles)| Action {
                location: LocationId(0),
                cycles,
                kind,
            };
            let actions = actions.into_iter().map(action).collect();
            let engine = engine.map(EngineId);
            Op::Command(Box::new(Command {
                name: "any".into(),
                engine,
                completion,
                actions,
                cycles: None,
            }))
        })
}

fn address() -> impl Strategy<Value = Option<u64>> {
    prop_oneof![2 => Just(None), 2 => (0u64..200).prop_map(Some), 1 => Just(Some(u64::MAX))]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (scalar(), number()).prop_map(|(result, value)| Op::Constant { result, bits: value as u64 }),
        2 => (compute(), scalar(), scalar(), scalar())
            .prop_map(|(compute, result, a, b)| Op::Compute { compute, result, operands: vec![a, b] }),
        4 => (memref(), element(), sizes(), prop::option::of(0u32..2), address(), any::<bool>()).prop_map(
            |(result, element, shape, space, address, stack)| {
                let space = space.map(SpaceId);
                Op::Alloc { result, element, shape, space, address, stack }
            }
        ),
        1 => memref().prop_map(|memref| Op::Dealloc { memref }),
        4 => (memref(), memref(), view()).prop_map(|(result, source, view)| Op::View { result, source, view }),
        1 => (scalar(), memref(), size()).prop_map(|(result, memref, index)| Op::Dim { result, memref, index }),
        1 => (scalar(), memref(), prop::collection::vec(scalar(), 0..3))
            .prop_map(|(result, memref, indices)| Op::Load { result, memref, indices }),
        1 => (scalar(), memref(), prop::collection::vec(scalar(), 0..3))
            .prop_map(|(value, memref, indices)| Op::Store { value, memref, indices }),
        6 => command(),
        1 => token().prop_map(|token| Op::Wait { token }),
        1 => size().prop_map(|id| Op::WaitId { id }),
        1 => Just(Op::Barrier { engines: None }),
        1 => token().prop_map(|result| Op::NullToken { result }),
        1 => (memref(), scalar())
            .prop_map(|(a, b)| Op::Call { function: FunctionId(0), arguments: vec![a, b], results: vec![] }),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    prop::collection::vec(op(), 1..40).prop_map(|ops| {
        let mut b = Builder::new();
        b.buffer(F32, &[4, 4]);
        b.scalar(ElementType::Index);
        for _ in 2..REGISTERS {
            b.reg();
        }
        b.kernel(Kernel::matmul(F32, F32, false));
        b.kernel(Kernel::fill(2, F32));
        b.kernel(Kernel::elementwise(
            "neg",
            1,
            ElementType::F16,
            Compute::FloatUnary(FloatUnary::Neg, ElementType::F16),
        ));
        b.kernel(Kernel::matmul(ElementType::Int(1), ElementType::Int(64), true));
        for (i, shape) in [&[4, 4][..], &[8], &[2, 3]].into_iter().enumerate() {
            let shape = shape.iter().map(|extent| Size::Constant(*extent)).collect();
            let element = if i == 1 { ElementType::F16 } else { F32 };
            b.push(Op::Alloc {
                result: Reg(2 + i as u32),
                element,
                shape,
                space: None,
                address: None,
                stack: false,
            });
        }
        for (register, bits) in [(5, 3), (6, 0)] {
            b.push(Op::Constant {
                result: Reg(register),
                bits,
            });
        }
        for register in [7, 8] {
            b.push(Op::NullToken { result: Reg(register) });
        }
        ops.into_iter().for_each(|op| b.push(op));
        b.finish()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_program_ends_in_a_report_or_an_error(program in program()) {
        let arguments = vec![floats(&[4, 4], |i| i as f32), Argument::Scalar(2)];
        let options = Options { max_cycles: 100_000, max_host_bytes: 1 << 20, trace: true, ..Options::default() };
        if let Ok(outcome) = simulate(&program, &device(true), "main", arguments, &options) {
            prop_assert!(outcome.report.completed || !outcome.report.findings.is_empty());
            if outcome.report.completed {
                assert_adds_up(&outcome.report);
            }
        }
    }
}
