//! The speed of the simulator: commands per second of a pipelined loop of small and of strided transfers, and
//! multiply-adds per second of matrix products. `cargo run --release -p zpu-sim --example speed`

#[allow(clippy::duplicate_mod)]
#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::*;
use zpu_device::ElementType;
use zpu_sim::*;

fn main() {
    let mut machine = device(true);
    machine.memories[1].bytes = 1 << 20;
    for (name, options) in [
        ("all checks", Options::default()),
        (
            "no checks, no bound",
            Options {
                checks: Checks::NONE,
                bound: false,
                ..Options::default()
            },
        ),
    ] {
        println!("{name}:");
        for (rows, columns) in [(1, 4), (64, 16)] {
            let (program, arguments) = pipeline(20_000, rows, columns);
            let start = Instant::now();
            let outcome = simulate(&program, &machine, "main", arguments, &options).expect("runs");
            let seconds = start.elapsed().as_secs_f64();
            assert!(outcome.report.is_clean(), "{}", messages(&outcome.report));
            let commands = outcome.report.commands;
            println!(
                "  tiles of {rows} x {columns}: {commands} commands, {:.0} commands/s, {:.0} ns each",
                commands as f64 / seconds,
                1e9 * seconds / commands as f64
            );
        }
    }
    for (element, accumulator) in [
        (F32, F32),
        (ElementType::Bf16, F32),
        (ElementType::F16, ElementType::F16),
        (ElementType::Int(8), ElementType::Int(32)),
    ] {
        let mut b = Builder::new();
        let size = 256;
        let operands = [element, element, accumulator].map(|ty| b.buffer(ty, &[size, size]));
        let kernel = b.kernel(Kernel::matmul(element, accumulator, false));
        b.run(None, kernel, &operands);
        let program = b.finish();
        let zeros = |ty| Argument::Buffer {
            shape: vec![size, size],
            bytes: vec![0; size as usize * size as usize * element_bytes(ty)],
        };
        let arguments = vec![zeros(element), zeros(element), zeros(accumulator)];
        let start = Instant::now();
        simulate(&program, &device(false), "main", arguments, &Options::default()).expect("runs");
        let rate = (size * size * size) as f64 / start.elapsed().as_secs_f64();
        println!(
            "matmul {} -> {}: {:.2} G multiply-adds/s",
            element_name(element),
            element_name(accumulator),
            rate / 1e9
        );
    }
    let mut b = Builder::new();
    let (x, y) = (b.buffer(F32, &[1024, 1024]), b.buffer(F32, &[1024, 1024]));
    for op in [FloatUnary::Neg, FloatUnary::Exp] {
        let kernel = b.kernel(Kernel::elementwise("unary", 2, F32, Compute::FloatUnary(op, F32)));
        b.run(None, kernel, &[x, y]);
    }
    let arguments = vec![
        floats(&[1024, 1024], |i| i as f32 * 1e-6),
        floats(&[1024, 1024], |_| 0.0),
    ];
    let start = Instant::now();
    simulate(&b.finish(), &device(false), "main", arguments, &Options::default()).expect("runs");
    println!(
        "elementwise f32: {:.2} ns an element",
        start.elapsed().as_secs_f64() * 1e9 / 2.0 / 1048576.0
    );
}

/// Loads, adds and stores tiles with three versions of every buffer, all trips the same statements in a loop.
fn pipeline(trips: i64, rows: i64, columns: i64) -> (Program, Vec<Argument>) {
    let mut b = Builder::new();
    let shape = [rows, columns * 8];
    let (input, output) = (b.buffer(F32, &shape), b.buffer(F32, &shape));
    let add = b.kernel(Kernel::elementwise(
        "add",
        2,
        F32,
        Compute::FloatBinary(FloatBinary::Add, F32),
    ));
    let tiles: Vec<(Reg, Reg)> = (0..3)
        .map(|_| (b.alloc(F32, &[rows, columns]), b.alloc(F32, &[rows, columns])))
        .collect();
    let part = |b: &mut Builder, of: Reg, slot: usize| {
        b.subview(
            of,
            &[Size::Constant(0), Size::Constant(slot as i64 * columns)],
            &[rows, columns],
        )
    };
    b.for_loop(trips, 3, |b, _| {
        let loads: Vec<Reg> = (0..3)
            .map(|slot| {
                let from = part(b, input, slot);
                b.start_copy(LOAD, from, tiles[slot].0)
            })
            .collect();
        let adds: Vec<Reg> = (0..3)
            .map(|slot| {
                b.wait(loads[slot]);
                b.start(VECTOR, add, &[tiles[slot].0, tiles[slot].0, tiles[slot].1])
            })
            .collect();
        for slot in 0..3 {
            b.wait(adds[slot]);
            let to = part(b, output, slot);
            b.start_copy(STORE, tiles[slot].1, to);
        }
        b.push(Op::Barrier { engines: None });
    });
    (b.finish(), vec![floats(&shape, |i| i as f32), floats(&shape, |_| 0.0)])
}
