//! The cost of a command in a plan is its cost in the simulator: every command of every kernel with static shapes.
//!
//! The programs are in their synchronous form, where no two transfers share a link.

use std::path::Path;

use zpu_device::Device;
use zpu_ir::{Op, Place, work};
use zpu_sim::{Argument, Options, TraceKind, ValueType, element_bytes, simulate};

/// Kernel, upstream script that tiles it, and sizes of its dynamic dimensions.
type Case = (&'static str, Option<&'static str>, &'static [(usize, i64)]);

const KERNELS: [Case; 8] = [
    ("vector-add-f32", None, &[(0, 512)]),
    ("vector-add-bf16", None, &[(0, 512)]),
    ("rms-norm-f32", None, &[(0, 32)]),
    ("rms-norm-bf16", None, &[(0, 32)]),
    ("attention-f32", None, &[(0, 64)]),
    ("attention-bf16", None, &[(0, 128), (1, 128)]),
    ("attention-blocks-f32", None, &[(0, 32)]),
    ("matmul-static-f32", Some("matmul-two-level"), &[]),
];

/// Devices that every kernel fits.
const RUNS_ALL: [&str; 2] = ["toy", "sunmmio-a4e"];

#[test]
fn plan_and_simulator_agree_on_cycles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test/kernels");
    zpu_passes::install();
    for (name, script, sizes) in KERNELS {
        for device in zpu_device::builtin_names() {
            let context = zpu_ir::new_context();
            let file = folder.join(format!("{name}.mlir"));
            let mut module = zpu_ir::parse_file(&context, &file).unwrap();
            if let Some(script) = script {
                let script = folder.join(format!("{script}.transform.mlir"));
                let tile = format!(
                    "builtin.module(transform-preload-library{{transform-library-paths={}}},\
                     transform-interpreter,canonicalize)",
                    script.display()
                );
                zpu_ir::pipeline::run(&context, &mut module, &tile).unwrap();
            }
            let lower = format!(
                "builtin.module(zpu-attach-device{{device={device}}},zpu-infer-memory-spaces,\
                 func.func(zpu-legalize-data-path,zpu-convert-to-dma))"
            );
            if let Err(message) = zpu_ir::pipeline::run(&context, &mut module, &lower) {
                // Not every machine has a path between the engines of every kernel.
                assert!(
                    message.contains("no path of routes") && !RUNS_ALL.contains(&device),
                    "{message}"
                );
                continue;
            }
            // Printed and read again, each operation has a line of its own.
            let text = Op::of_module(&module).to_string();
            let module = zpu_ir::parse_text(&context, &text, name).unwrap();
            let compared = compare(Op::of_module(&module), sizes);
            assert!(
                compared >= 4 || !RUNS_ALL.contains(&device),
                "{name} on {device}: {compared} compared"
            );
        }
    }
}

/// A convolution over channels, one depth by depth, and a sum that begins with 0, as commands.
const CONVOLUTIONS: &str = "
func.func @f(%x: memref<1x10x10x8xf32>, %f: memref<3x3x8x16xf32>, %g: memref<3x3x8xf32>,
             %y: memref<1x8x8x16xf32>, %z: memref<1x8x8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = memref.alloc() : memref<1x8x8x16xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<1x8x8x16xf32>)
  linalg.conv_2d_nhwc_hwcf {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %f : memref<1x10x10x8xf32>, memref<3x3x8x16xf32>) outs(%sum : memref<1x8x8x16xf32>)
  memref.copy %sum, %y : memref<1x8x8x16xf32> to memref<1x8x8x16xf32>
  linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
    ins(%x, %g : memref<1x10x10x8xf32>, memref<3x3x8xf32>) outs(%z : memref<1x8x8x8xf32>)
  return
}";

#[test]
fn plan_and_simulator_agree_on_convolutions() {
    zpu_passes::install();
    for device in ["toy", "sunmmio-a4e", "ascend-910b"] {
        let context = zpu_ir::new_context();
        let mut module = zpu_ir::parse_text(&context, CONVOLUTIONS, "convolutions").unwrap();
        let lower = format!(
            "builtin.module(zpu-attach-device{{device={device}}},zpu-infer-memory-spaces,\
             func.func(zpu-legalize-data-path,zpu-convert-to-dma))"
        );
        zpu_ir::pipeline::run(&context, &mut module, &lower).unwrap();
        let text = Op::of_module(&module).to_string();
        let module = zpu_ir::parse_text(&context, &text, "convolutions").unwrap();
        let compared = compare(Op::of_module(&module), &[]);
        assert!(compared >= 6, "{device}: {compared} compared");
    }
}

/// Runs the only function and compares each command of known cost; how many kinds of commands there were.
fn compare(module: Op<'_>, sizes: &[(usize, i64)]) -> usize {
    let device = zpu_ir::device::read(module).unwrap();
    let entry = zpu_translate::entries(module).remove(0).name;
    let program = zpu_translate::translate(module, &device, &entry).unwrap_or_else(|error| panic!("{error}"));
    let arguments = program.functions[0]
        .parameters
        .iter()
        .map(|parameter| argument(&parameter.ty, sizes));
    let options = Options {
        trace: true,
        ..Options::default()
    };
    let outcome = simulate(&program, &device, &entry, arguments.collect(), &options).unwrap();
    assert!(outcome.report.is_clean(), "{:?}", outcome.report.findings);
    module
        .walk()
        .into_iter()
        .filter(|op| zpu_ir::ops::engine_of(*op).is_some())
        .filter(|op| check(*op, &device, &outcome.trace))
        .count()
}

/// True if the cost of the command is known and it ran.
fn check(op: Op<'_>, device: &Device, trace: &[zpu_sim::TraceEvent]) -> bool {
    let Ok(cost) = work::cost(op, device) else {
        return false;
    };
    let place = Place::of(op.loc()).unwrap();
    let place = format!("{}:{}:{}", place.file, place.line, place.column);
    let of_kind = |kind| trace.iter().filter(move |event| event.kind == kind);
    let mut ran = false;
    for run in of_kind(TraceKind::Run).filter(|event| event.location == place) {
        // Issuing leaves no trace on a machine where it takes no time.
        if let Some(issue) = of_kind(TraceKind::Issue).find(|event| event.command == run.command) {
            assert_eq!(run.end - issue.end, cost.total(), "{} at {place}: {op}", device.name);
        }
        assert_eq!(run.end - run.begin, cost.occupancy, "{} at {place}: {op}", device.name);
        ran = true;
    }
    ran
}

fn argument(ty: &ValueType, sizes: &[(usize, i64)]) -> Argument {
    let ValueType::MemRef(ty) = ty else {
        panic!("the kernels take buffers")
    };
    let dynamic = |dim| {
        sizes
            .iter()
            .find(|(known, _)| *known == dim)
            .map_or(1, |(_, size)| *size)
    };
    let shape: Vec<i64> = ty
        .shape
        .iter()
        .enumerate()
        .map(|(dim, size)| size.unwrap_or_else(|| dynamic(dim)))
        .collect();
    let bytes = vec![0; shape.iter().product::<i64>() as usize * element_bytes(ty.element)];
    Argument::Buffer { shape, bytes }
}
