//! Values of kernels and copies against plain loops that know nothing of strips, packing or strides.

mod common;

use common::*;
use half::{bf16, f16};
use proptest::prelude::*;
use zpu_device::ElementType;
use zpu_sim::*;

/// Runs the operands through a kernel, each a box at `offset` of a larger buffer, and gives all buffers afterwards.
fn run(kernel: Kernel, operands: &[(ElementType, Vec<i64>, Vec<u64>)], offset: i64) -> Vec<Vec<u64>> {
    let mut b = Builder::new();
    let mut arguments = Vec::new();
    let mut registers = Vec::new();
    for (element, shape, values) in operands {
        let outer: Vec<i64> = shape.iter().map(|extent| extent + 2 * offset).collect();
        let buffer = b.buffer(*element, &outer);
        registers.push(b.subview(buffer, &vec![Size::Constant(offset); shape.len()], shape));
        let mut bytes = vec![0; outer.iter().product::<i64>() as usize * element_bytes(*element)];
        for (at, value) in places(shape, offset).zip(values) {
            let size = element_bytes(*element);
            write_element(&mut bytes[at * size..(at + 1) * size], *value);
        }
        arguments.push(Argument::Buffer { shape: outer, bytes });
    }
    let kernel = b.kernel(kernel);
    b.run(None, kernel, &registers);
    let outcome = simulate(&b.finish(), &device(false), "main", arguments, &Options::default()).unwrap();
    assert!(outcome.report.is_clean(), "{}", messages(&outcome.report));
    let read = |(output, (element, shape, _)): (&Output, &(ElementType, Vec<i64>, Vec<u64>))| {
        let Output::Buffer { bytes, .. } = output else {
            panic!("no buffer")
        };
        let size = element_bytes(*element);
        places(shape, offset)
            .map(|at| read_element(&bytes[at * size..(at + 1) * size]))
            .collect()
    };
    outcome.arguments.iter().zip(operands).map(read).collect()
}

/// Indices of a box of this shape within a buffer that is larger by `offset` on each side.
fn places(shape: &[i64], offset: i64) -> impl Iterator<Item = usize> + use<> {
    let shape = shape.to_vec();
    (0..shape.iter().product::<i64>()).map(move |mut index| {
        let (mut at, mut stride) = (0, 1);
        for extent in shape.iter().rev() {
            at += (index % extent + offset) * stride;
            stride *= extent + 2 * offset;
            index /= extent;
        }
        at as usize
    })
}

/// Small numbers whose sums are not exact in any of the float types.
fn number(seed: u64, index: usize, element: ElementType) -> u64 {
    let mixed = (seed.wrapping_add(index as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let value = mixed as f64 / f64::from(1 << 22) - 2.0;
    match element {
        ElementType::Int(8) => mixed & 0xff,
        ElementType::Int(32) => mixed & 0xffff_ffff,
        ElementType::Int(_) | ElementType::Index => mixed,
        float => from_f64(value, float),
    }
}

/// `c + a * b` with product and sum rounded to the accumulator's type.
fn multiply_add(c: u64, a: u64, b: u64, element: ElementType, accumulator: ElementType) -> u64 {
    match accumulator {
        ElementType::F32 => {
            let [a, b] = [a, b].map(|bits| to_f64(bits, element) as f32);
            u64::from((f32::from_bits(c as u32) + a * b).to_bits())
        }
        ElementType::F64 => {
            let [a, b] = [a, b].map(|bits| to_f64(bits, element));
            (f64::from_bits(c) + a * b).to_bits()
        }
        ElementType::F16 => {
            let [a, b, c] = [a, b, c].map(|bits| f16::from_bits(bits as u16));
            u64::from((c + a * b).to_bits())
        }
        ElementType::Bf16 => {
            let [a, b, c] = [a, b, c].map(|bits| bf16::from_bits(bits as u16));
            u64::from((c + a * b).to_bits())
        }
        _ => {
            let [a, b] = [a, b].map(|bits| {
                if element == ElementType::Int(8) {
                    i64::from(bits as i8)
                } else {
                    bits as i64
                }
            });
            u64::from((c as i64).wrapping_add(a.wrapping_mul(b)) as u32)
        }
    }
}

const TYPES: [(ElementType, ElementType); 8] = [
    (ElementType::F32, ElementType::F32),
    (ElementType::Bf16, ElementType::F32),
    (ElementType::F16, ElementType::F32),
    (ElementType::F64, ElementType::F64),
    (ElementType::F16, ElementType::F16),
    (ElementType::Bf16, ElementType::Bf16),
    (ElementType::Int(8), ElementType::Int(32)),
    (ElementType::Int(32), ElementType::Int(32)),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_matrix_product_is_that_of_the_plain_loops(
        types in prop::sample::select(&TYPES[..]),
        (m, n, k) in (1usize..9, 1usize..140, 1usize..12),
        transposed: bool,
        seed: u64,
        offset in 0i64..3,
    ) {
        let (element, accumulator) = types;
        let values = |seed, count: usize, ty| (0..count).map(|i| number(seed, i, ty)).collect::<Vec<u64>>();
        let (a, b) = (values(seed, m * k, element), values(!seed, k * n, element));
        let c = values(seed ^ 7, m * n, accumulator);
        let mut expected = c.clone();
        for i in 0..m {
            for j in 0..n {
                for p in 0..k {
                    let right = if transposed { b[j * k + p] } else { b[p * n + j] };
                    expected[i * n + j] = multiply_add(expected[i * n + j], a[i * k + p], right, element, accumulator);
                }
            }
        }
        let [rows, columns, depth] = [m, n, k].map(|extent| extent as i64);
        let operands = [
            (element, vec![rows, depth], a),
            (element, if transposed { vec![columns, depth] } else { vec![depth, columns] }, b),
            (accumulator, vec![rows, columns], c),
        ];
        let kernel = Kernel::matmul(element, accumulator, transposed);
        prop_assert_eq!(&run(kernel, &operands, offset)[2], &expected);
    }

    #[test]
    fn a_sum_over_any_loop_is_in_the_order_of_that_loop(
        (m, n) in (1usize..20, 1usize..300),
        rows: bool,
        element in prop::sample::select(vec![ElementType::F32, ElementType::Bf16, ElementType::F16]),
        seed: u64,
    ) {
        let x: Vec<u64> = (0..m * n).map(|i| number(seed, i, element)).collect();
        let mut expected = vec![0; if rows { m } else { n }];
        for i in 0..m {
            for j in 0..n {
                let sum = &mut expected[if rows { i } else { j }];
                *sum = multiply_add(*sum, x[i * n + j], from_f64(1.0, element), element, element);
            }
        }
        let kept = usize::from(!rows);
        let operand = |dims: &[usize], output| {
            KernelOperand { map: AffineMap::projection(2, dims), element, shaped: true, output, table: false }
        };
        let mut iterators = vec![LoopKind::Reduction; 2];
        iterators[kept] = LoopKind::Parallel;
        let kernel = Kernel {
            name: "sum".into(),
            iterators,
            operands: vec![operand(&[0, 1], false), operand(&[kept], true)],
            body: Body {
                captures: 0,
                ops: vec![BodyOp::Compute(Compute::FloatBinary(FloatBinary::Add, element), vec![1, 0])],
                yields: vec![2],
            },
            product: false,
        };
        let zeros = vec![0; expected.len()];
        let operands = [(element, vec![m as i64, n as i64], x), (element, vec![expected.len() as i64], zeros)];
        prop_assert_eq!(&run(kernel, &operands, 1)[1], &expected);
    }

    #[test]
    fn a_copy_between_strided_boxes_moves_each_element(
        shape in prop::collection::vec(1i64..6, 1..4),
        element in prop::sample::select(vec![
            ElementType::Int(8), ElementType::Bf16, ElementType::F32, ElementType::F64,
        ]),
        offsets in (0i64..3, 0i64..3),
        seed: u64,
    ) {
        let mut b = Builder::new();
        let mut boxes = Vec::new();
        let mut arguments = Vec::new();
        let count: i64 = shape.iter().product();
        let size = element_bytes(element);
        for offset in [offsets.0, offsets.1] {
            let outer: Vec<i64> = shape.iter().map(|extent| extent + 2 * offset).collect();
            let buffer = b.buffer(element, &outer);
            boxes.push(b.subview(buffer, &vec![Size::Constant(offset); shape.len()], &shape));
            let mut bytes = vec![0; outer.iter().product::<i64>() as usize * size];
            if boxes.len() == 1 {
                for (i, at) in places(&shape, offset).enumerate() {
                    write_element(&mut bytes[at * size..(at + 1) * size], number(seed, i, element));
                }
            }
            arguments.push(Argument::Buffer { shape: outer, bytes });
        }
        let order: Vec<usize> = (0..shape.len()).rev().collect();
        let turned: Vec<Reg> = boxes
            .iter()
            .map(|source| {
                let result = b.reg();
                b.push(Op::View { result, source: *source, view: ViewOp::Transpose { permutation: order.clone() } });
                result
            })
            .collect();
        b.copy(None, turned[0], turned[1]);
        let outcome = simulate(&b.finish(), &device(false), "main", arguments, &Options::default()).unwrap();
        prop_assert!(outcome.report.is_clean(), "{}", messages(&outcome.report));
        let Output::Buffer { bytes, .. } = &outcome.arguments[1] else { panic!("no buffer") };
        for (i, at) in places(&shape, offsets.1).enumerate() {
            prop_assert_eq!(read_element(&bytes[at * size..(at + 1) * size]), number(seed, i, element));
        }
        // Nothing else was touched.
        let nonzero = bytes.iter().filter(|byte| **byte != 0).count();
        prop_assert!(nonzero <= count as usize * size);
    }
}

#[test]
fn overlapping_operands_are_worked_on_in_order() {
    // x[i + 1] = x[i] + x[i], one after the other.
    let mut b = Builder::new();
    let x = b.buffer(F32, &[6]);
    let from = b.subview(x, &[Size::Constant(0)], &[5]);
    let to = b.subview(x, &[Size::Constant(1)], &[5]);
    let add = b.kernel(Kernel::elementwise(
        "add",
        1,
        F32,
        Compute::FloatBinary(FloatBinary::Add, F32),
    ));
    b.run(None, add, &[from, from, to]);
    let arguments = vec![floats(&[6], |i| if i == 0 { 1.0 } else { 0.0 })];
    let outcome = simulate(&b.finish(), &device(false), "main", arguments, &Options::default()).unwrap();
    assert_eq!(as_floats(&outcome.arguments[0]), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]);
}

/// `out[i] = sum over j of in[map(i, j)]` with the extents of a window operand for the loops.
fn window(index: AffineExpr) -> Kernel {
    let operand = |map, output| KernelOperand {
        map,
        element: F32,
        shaped: true,
        output,
        table: false,
    };
    let index = AffineMap {
        dims: 2,
        results: vec![index],
    };
    Kernel {
        name: "window".into(),
        iterators: vec![LoopKind::Parallel, LoopKind::Reduction],
        operands: vec![
            operand(index, false),
            operand(AffineMap::projection(2, &[1]), false),
            operand(AffineMap::projection(2, &[0]), true),
        ],
        body: Body {
            captures: 0,
            ops: vec![BodyOp::Compute(Compute::FloatBinary(FloatBinary::Add, F32), vec![2, 0])],
            yields: vec![3],
        },
        product: false,
    }
}

fn sum_windows(index: AffineExpr, input: i64) -> Outcome {
    let mut b = Builder::new();
    let (x, shape, out) = (b.buffer(F32, &[input]), b.buffer(F32, &[3]), b.buffer(F32, &[4]));
    let kernel = b.kernel(window(index));
    b.run(None, kernel, &[x, shape, out]);
    let arguments = vec![
        floats(&[input], |i| i as f32),
        floats(&[3], |_| 0.0),
        floats(&[4], |_| 0.0),
    ];
    simulate(&b.finish(), &device(false), "main", arguments, &Options::default()).unwrap()
}

#[test]
fn windows_and_other_maps_reach_the_elements_that_they_say() {
    let dim = |i| Box::new(AffineExpr::Dim(i));
    let sum = || AffineExpr::Add(dim(0), dim(1));
    let slide = sum_windows(sum(), 6);
    assert_eq!(as_floats(&slide.arguments[2]), [3.0, 6.0, 9.0, 12.0]);
    let wrap = sum_windows(AffineExpr::Mod(Box::new(sum()), Box::new(AffineExpr::Constant(4))), 4);
    assert_eq!(as_floats(&wrap.arguments[2]), [3.0, 6.0, 5.0, 4.0]);
    for (index, input) in [
        (sum(), 5),
        (AffineExpr::Mod(Box::new(sum()), Box::new(AffineExpr::Constant(4))), 3),
    ] {
        let outside = sum_windows(index, input).report;
        assert!(
            !outside.completed && outside.findings[0].message.contains("out of bounds"),
            "{outside:?}"
        );
    }
}
