//! Work and costs of operations.

use std::collections::BTreeMap;

use zpu_device::{Device, ElementType, EngineKind, VectorOp, Work};
use zpu_ir::work::{Piece, Shape, cost, of, of_with};
use zpu_ir::{Op, new_context, parse_text};

type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// Calls `then` with the last operation but the return of a function with these arguments and lines.
fn with_last(arguments: &str, lines: &str, then: impl FnOnce(Op<'_>)) -> Result {
    let context = new_context();
    let text = format!(
        "module {{
           zpu.device @d clock 1.0 off_chip @m default_space @n {{
             zpu.control start 1 wait 1 loop 1 barrier 1 scalar 1
             zpu.memory @m bytes 1024 align 64
             zpu.memory @n bytes 1024 align 64
             zpu.engine @q dma depth 1 when_full stall cost {{bytes_per_cycle = 8.0,
               gap = 10 : i64, start_latency = 100 : i64}}
             zpu.route @q from @m to @n
             zpu.engine @t tensor depth 1 when_full stall cost {{tile = [4, 4, 4],
               cycles_per_tile = 2.0, fill = 3 : i64}}
             zpu.engine @v vector depth 1 when_full stall cost {{start = 5 : i64, per_cycle = 2.0}}
             zpu.sync ids 0 barriers 0 never_issued hang
           }}
           func.func @f({arguments}) {{ {lines} return }} }}"
    );
    let module = parse_text(&context, &text, "input")?;
    let function = Op::of_module(&module).find_all("func.func")[0];
    let ops: Vec<Op<'_>> = function.body().ok_or("no body")?.ops().collect();
    then(ops[ops.len() - 2]);
    Ok(())
}

fn check(arguments: &str, lines: &str, expected: &[Work]) -> Result {
    let expected: Vec<Piece> = expected.iter().cloned().map(Piece::Work).collect();
    with_last(arguments, lines, |op| match of(op, EngineKind::Tensor) {
        Ok(pieces) => assert_eq!(pieces, expected),
        Err(error) => panic!("{error}"),
    })
}

fn vector(elements: u64, loads: u64, ops: &[(VectorOp, u64)]) -> Work {
    Work::Vector {
        elements,
        element: ElementType::F32,
        loads,
        stores: 1,
        ops: ops.iter().copied().collect(),
    }
}

fn product(batch: u64, m: u64, n: u64, k: u64) -> Work {
    Work::Matmul {
        batch,
        m,
        n,
        k,
        element: ElementType::Bf16,
        accumulator: ElementType::F32,
    }
}

#[test]
fn a_transfer_has_the_rows_of_its_more_fragmented_side() -> Result {
    let transfer = |rows, row_bytes| {
        [Work::Transfer {
            from: "m".into(),
            to: "n".into(),
            rows,
            row_bytes,
        }]
    };
    let strided =
        "%a: memref<8x16xf32, strided<[64, 1], offset: ?>, #zpu.space<m>>, %b: memref<8x16xf32, #zpu.space<n>>";
    let copy = |ty: &str| format!("memref.copy %a, %b : {ty} to memref<8x16xf32, #zpu.space<n>>");
    check(
        strided,
        &copy("memref<8x16xf32, strided<[64, 1], offset: ?>, #zpu.space<m>>"),
        &transfer(8, 64),
    )?;
    let whole = "%a: memref<8x16xf32, #zpu.space<m>>, %b: memref<8x16xf32, #zpu.space<n>>";
    check(whole, &copy("memref<8x16xf32, #zpu.space<m>>"), &transfer(1, 512))?;
    let dma = "zpu.dma %a to %b on @q : memref<8x16xf32, #zpu.space<m>> to memref<8x16xf32, #zpu.space<n>>";
    check(whole, dma, &transfer(1, 512))
}

#[test]
fn products_and_transposed_and_batched_and_generic_ones() -> Result {
    check(
        "%a: memref<8x32xbf16>, %b: memref<32x16xbf16>, %c: memref<8x16xf32>",
        "linalg.matmul ins(%a, %b : memref<8x32xbf16>, memref<32x16xbf16>) outs(%c : memref<8x16xf32>)",
        &[product(1, 8, 16, 32)],
    )?;
    check(
        "%a: memref<2x8x32xbf16>, %b: memref<2x32x16xbf16>, %c: memref<2x8x16xf32>",
        "linalg.batch_matmul ins(%a, %b : memref<2x8x32xbf16>, memref<2x32x16xbf16>) outs(%c : memref<2x8x16xf32>)",
        &[product(2, 8, 16, 32)],
    )?;
    check(
        "%a: memref<8x32xbf16>, %b: memref<16x32xbf16>, %c: memref<8x16xf32>",
        "linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
           affine_map<(m, n, k) -> (m, n)>], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]}
           ins(%a, %b : memref<8x32xbf16>, memref<16x32xbf16>) outs(%c : memref<8x16xf32>) {
           ^bb0(%x: bf16, %y: bf16, %z: f32):
             %p = arith.extf %x : bf16 to f32
             %q = arith.extf %y : bf16 to f32
             %r = arith.mulf %p, %q : f32
             %s = arith.addf %z, %r : f32
             linalg.yield %s : f32 }",
        &[product(1, 8, 16, 32)],
    )?;
    check(
        "%a: memref<8x32xbf16>, %b: memref<32xbf16>, %c: memref<8xf32>",
        "linalg.matvec ins(%a, %b : memref<8x32xbf16>, memref<32xbf16>) outs(%c : memref<8xf32>)",
        &[product(1, 8, 1, 32)],
    )
}

#[test]
fn a_convolution_is_the_product_of_its_im2col_view() -> Result {
    let arguments = |input: &str, filter: &str, out: &str| {
        format!("%a: memref<{input}xbf16>, %b: memref<{filter}xbf16>, %c: memref<{out}xf32>")
    };
    let line = |op: &str, input: &str, filter: &str, out: &str| {
        format!("linalg.{op} ins(%a, %b : memref<{input}xbf16>, memref<{filter}xbf16>) outs(%c : memref<{out}xf32>)")
    };
    let cases = [
        (
            "conv_2d_nhwc_hwcf",
            "2x10x10x4",
            "3x3x4x16",
            "2x8x8x16",
            (1, 2 * 8 * 8, 16, 3 * 3 * 4),
        ),
        (
            "conv_2d_nchw_fchw",
            "2x4x10x10",
            "16x4x3x3",
            "2x16x8x8",
            (1, 2 * 8 * 8, 16, 3 * 3 * 4),
        ),
        ("conv_1d_nwc_wcf", "1x10x4", "3x4x16", "1x8x16", (1, 8, 16, 3 * 4)),
        (
            "conv_2d_ngchw_gfchw",
            "1x2x4x10x10",
            "2x8x4x3x3",
            "1x2x8x8x8",
            (2, 8 * 8, 8, 3 * 3 * 4),
        ),
    ];
    for (op, input, filter, out, (batch, m, n, k)) in cases {
        let (arguments, line) = (arguments(input, filter, out), line(op, input, filter, out));
        check(&arguments, &line, &[product(batch, m, n, k)])?;
        with_last(&arguments, &line, |op| {
            let pieces = of(op, EngineKind::Vector).unwrap();
            assert!(
                matches!(pieces[..], [Piece::Work(Work::Vector { elements, .. })] if elements == batch * m * n * k)
            );
        })?;
    }
    let depth = ("1x10x10x4", "3x3x4", "1x8x8x4");
    let line = line("depthwise_conv_2d_nhwc_hwc", depth.0, depth.1, depth.2);
    with_last(&arguments(depth.0, depth.1, depth.2), &line, |op| {
        let pieces = of(op, EngineKind::Tensor).unwrap();
        assert!(matches!(pieces[..], [Piece::Work(Work::Vector { elements: 2304, .. })]));
    })
}

#[test]
fn what_a_body_loads_is_a_further_operand() -> Result {
    check(
        "%a: memref<8xindex>, %b: memref<64xf32>, %c: memref<8xf32>",
        "linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = \
         [\"parallel\"]}
           ins(%a : memref<8xindex>) outs(%c : memref<8xf32>) {
         ^bb0(%i: index, %old: f32):
           %x = memref.load %b[%i] : memref<64xf32>
           linalg.yield %x : f32
         }",
        &[Work::Vector {
            elements: 8,
            element: ElementType::Index,
            loads: 2,
            stores: 1,
            ops: BTreeMap::new(),
        }],
    )
}

#[test]
fn elementwise_work_counts_loads_and_operations() -> Result {
    let maps =
        "indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                iterator_types = [\"parallel\", \"parallel\"]";
    check(
        "%a: memref<4x8xf32>, %b: memref<4xf32>, %c: memref<4x8xf32>",
        &format!(
            "linalg.generic {{{maps}}} ins(%a, %b : memref<4x8xf32>, memref<4xf32>) outs(%c : memref<4x8xf32>) {{
               ^bb0(%x: f32, %y: f32, %z: f32):
                 %one = arith.constant 1.0 : f32
                 %d = arith.subf %x, %y : f32
                 %e = math.exp %d : f32
                 %f = arith.mulf %e, %one : f32
                 %g = arith.divf %f, %y : f32
                 linalg.yield %g : f32 }}"
        ),
        &[vector(
            32,
            2,
            &[
                (VectorOp::Arith, 1),
                (VectorOp::Mul, 1),
                (VectorOp::Div, 1),
                (VectorOp::Exp, 1),
            ],
        )],
    )?;
    check(
        "%v: f32, %c: memref<4x8xf32>",
        "linalg.fill ins(%v : f32) outs(%c : memref<4x8xf32>)",
        &[vector(32, 0, &[])],
    )?;
    check(
        "%a: memref<4x8xf32>, %c: memref<4x8xf32>",
        "linalg.add ins(%a, %a : memref<4x8xf32>, memref<4x8xf32>) outs(%c : memref<4x8xf32>)",
        &[vector(32, 2, &[(VectorOp::Arith, 1)])],
    )?;
    check(
        "%a: memref<4x8xf32>, %c: memref<8x4xf32>",
        "linalg.transpose ins(%a : memref<4x8xf32>) outs(%c : memref<8x4xf32>) permutation = [1, 0]",
        &[vector(32, 1, &[])],
    )
}

#[test]
fn a_reduction_keeps_its_accumulator() -> Result {
    let reduce = |op: &str| {
        format!("linalg.reduce {{ {op} }} ins(%a : memref<4x8xf32>) outs(%c : memref<4xf32>) dimensions = [1]")
    };
    let arguments = "%a: memref<4x8xf32>, %c: memref<4xf32>";
    check(
        arguments,
        &reduce("arith.addf"),
        &[vector(32, 1, &[(VectorOp::ReduceSum, 1)])],
    )?;
    check(
        arguments,
        &reduce("arith.maximumf"),
        &[vector(32, 1, &[(VectorOp::ReduceOther, 1)])],
    )
}

#[test]
fn given_cycles_win() -> Result {
    let arguments = "%v: f32, %c: memref<4x8xf32, #zpu.space<n>>";
    let fills = "linalg.fill {zpu.cycles = 7 : i64} ins(%v : f32) outs(%c : memref<4x8xf32, #zpu.space<n>>)
                 linalg.fill ins(%v : f32) outs(%c : memref<4x8xf32, #zpu.space<n>>)";
    with_last(arguments, &format!("zpu.compute on @v {{ {fills} }}"), |op| {
        let pieces = of(op, EngineKind::Tensor).map_err(|error| error.to_string());
        assert_eq!(pieces, Ok(vec![Piece::Cycles(7), Piece::Work(vector(32, 0, &[]))]));
        let device = zpu_ir::device::read(op).map_err(|error| error.to_string());
        assert_eq!(
            device.map(|device| cost(op, &device).map(|cost| cost.total()).ok()),
            Ok(Some(7 + 5 + 16))
        );
    })?;
    with_last(
        arguments,
        &format!("zpu.compute on @v attributes {{zpu.cycles = 9 : i64}} {{ {fills} }}"),
        |op| {
            assert_eq!(
                of(op, EngineKind::Tensor).map_err(|error| error.to_string()),
                Ok(vec![Piece::Cycles(9)])
            );
        },
    )
}

#[test]
fn costs_of_commands_and_of_what_is_none_yet() -> Result {
    let arguments = "%a: memref<8x16xf32, #zpu.space<m>>, %b: memref<8x16xf32, #zpu.space<n>>";
    let types = "memref<8x16xf32, #zpu.space<m>> to memref<8x16xf32, #zpu.space<n>>";
    let total = |op: Op<'_>| -> Option<u64> {
        let device: Device = zpu_ir::device::read(op).ok()?;
        cost(op, &device).ok().map(|cost| cost.total())
    };
    with_last(arguments, &format!("zpu.dma %a to %b on @q : {types}"), |op| {
        assert_eq!(total(op), Some(100 + 10 + 64));
    })?;
    with_last(arguments, &format!("memref.copy %a, %b : {types}"), |op| {
        assert_eq!(total(op), Some(100 + 10 + 64));
    })?;
    let same = "memref<8x16xf32, #zpu.space<n>> to memref<8x16xf32, #zpu.space<n>>";
    with_last(arguments, &format!("memref.copy %b, %b : {same}"), |op| {
        assert_eq!(total(op), Some(5 + 64));
    })?;
    with_last(
        arguments,
        "linalg.copy ins(%b : memref<8x16xf32, #zpu.space<n>>) outs(%b : memref<8x16xf32, #zpu.space<n>>)",
        |op| assert_eq!(total(op), Some(5 + 64)),
    )
}

#[test]
fn a_dynamic_size_is_named_or_given() -> Result {
    let arguments = "%a: memref<?x16xf32>, %c: memref<?x16xf32>";
    let copy = "linalg.exp ins(%a : memref<?x16xf32>) outs(%c : memref<?x16xf32>)";
    with_last(arguments, copy, |op| {
        let message = of(op, EngineKind::Tensor)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default();
        assert!(
            message.starts_with("size 0 of memref<?x16xf32> is dynamic"),
            "{message}"
        );
        let shape = Shape {
            sizes: vec![4, 16],
            strides: vec![Some(16), Some(1)],
        };
        let pieces = of_with(op, EngineKind::Tensor, &|_| Ok(shape.clone())).map_err(|error| error.to_string());
        let ops = BTreeMap::from([(VectorOp::Exp, 1)]);
        let element = ElementType::F32;
        assert_eq!(
            pieces,
            Ok(vec![Piece::Work(Work::Vector {
                elements: 64,
                element,
                loads: 1,
                stores: 1,
                ops
            })])
        );
    })
}
