//! Graphs of loop nests that pass tensors on, as one pipeline: the same bytes as before, nothing in between off chip,
//! and no more cycles than the nests one after the other take, each pipelined; and random programs of that kind.
//!
//! The size of a ring is found by compiling the whole program with each, which takes many minutes for all graphs. So
//! without `ZPU_DATAFLOW=all` the device with the largest plans gets one small graph only, and no random program, and
//! the large graphs are compiled for the smallest device;
//! `cargo xtask bench --of=dataflow` compares the bytes and cycles of all graphs on all devices.

#![forbid(unsafe_code)]

use std::path::Path;
use std::sync::Arc;

use zpu_device::Device;
use zpu_driver::{Comparison, Executable, Fill, Session, compare, translate};
use zpu_fuzz::{Shape, generate, rings, shrink_ring};
use zpu_ir::ty::MemRef;
use zpu_ir::{Module, Op, annotation, attr};
use zpu_sim::Options;

const GRAPHS: [&str; 4] = [
    "attention",
    "convolution_pooling",
    "layer_norm_residual",
    "transposed_product",
];

const DEVICES: [&str; 3] = ["toy", "sunmmio-a4e", "trainium2-core"];

/// The device with the largest plans.
const LARGE: &str = "trainium2-core";

/// True if everything is asked for.
fn is_all() -> bool {
    std::env::var("ZPU_DATAFLOW").is_ok_and(|value| value == "all")
}

/// The devices; the large one only where it is kept or everything is asked for.
fn devices(keeps_large: bool) -> impl Iterator<Item = &'static str> {
    let all = DEVICES.into_iter();
    all.filter(move |device| keeps_large || is_all() || *device != LARGE)
}

/// True for a graph that is compiled for a device in the short form of the tests.
fn is_short(entry: &str, device: &str) -> bool {
    let is_small = ["layer_norm_residual", "transposed_product"].contains(&entry);
    is_small || device == DEVICES[0]
}

/// A graph on a device, whose off-chip memory the tensors in between are in.
struct Graph {
    entry: &'static str,
    device: Arc<Device>,
    text: String,
}

impl Graph {
    fn of(entry: &'static str, device: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../test/kernels/dataflow/{entry}.mlir"));
        let text = std::fs::read_to_string(&path).expect("a graph of the repository");
        Self::from_text(entry, device, &text)
    }

    fn from_text(entry: &'static str, device: &str, text: &str) -> Self {
        let device = Device::load(device, &[]).expect("a built-in device");
        let text = text.replace("#zpu.space<dram>", &format!("#zpu.space<{}>", device.off_chip));
        Self {
            entry,
            device: Arc::new(device),
            text,
        }
    }

    fn module<'s>(&self, session: &'s Session, pipeline: &str) -> Module<'s> {
        let mut module = session.parse(&self.text, self.entry).expect("a graph is valid");
        let compiled = session.compile(&mut module, &format!("builtin.module({pipeline})"));
        compiled.unwrap_or_else(|error| panic!("{} on {}: {error}", self.entry, self.device.name));
        module
    }

    fn pipeline(&self, stages: u32, inserts_buffers: bool) -> String {
        let name = &self.device.name;
        format!("zpu-pipeline{{device={name} num-stages={stages} insert-buffers={inserts_buffers}}}")
    }

    fn executable(&self, module: &Module<'_>) -> Executable {
        translate(module, Arc::clone(&self.device), self.entry).expect("the simulator understands it")
    }

    fn compare(&self, session: &Session, after: &Module<'_>) -> Comparison {
        let source = session.parse(&self.text, self.entry).expect("a graph is valid");
        let before = self.executable(&source);
        let arguments = before.filled(Fill::Random(1)).expect("all sizes are constant");
        compare(&before, &self.executable(after), arguments, &Options::default()).expect("both programs run")
    }

    /// Bytes of off-chip buffers that the function itself allocates.
    fn bytes_between(&self, module: &Module<'_>) -> i64 {
        let allocations = Op::of_module(module).find_all("memref.alloc").into_iter();
        let types = allocations.filter_map(|op| MemRef::of(op.result(0).ty()));
        let off_chip = types.filter(|memref| memref.space() == Some(self.device.off_chip.as_str()));
        off_chip.filter_map(|memref| memref.bytes()).sum()
    }
}

#[test]
fn graphs_run_as_one_pipeline() {
    let session = Session::new();
    for entry in GRAPHS {
        let devices = devices(entry == "transposed_product");
        for device in devices.filter(|device| is_all() || is_short(entry, device)) {
            let graph = Graph::of(entry, device);
            let whole = graph.module(&session, &graph.pipeline(4, false));
            let fused = graph.module(&session, &graph.pipeline(4, true));
            assert!(graph.bytes_between(&whole) > 0, "{entry} on {device}");
            assert_eq!(graph.bytes_between(&fused), 0, "{entry} on {device}");
            let (whole, fused) = (graph.compare(&session, &whole), graph.compare(&session, &fused));
            for comparison in [&whole, &fused] {
                assert!(
                    comparison.is_equal(),
                    "{entry} on {device}: {:?}",
                    comparison.differences
                );
                let findings = &comparison.after.findings;
                assert!(findings.is_empty(), "{entry} on {device}: {findings:?}");
            }
            let (before, after) = (whole.after.cycles, fused.after.cycles);
            assert!(after <= before, "{entry} on {device}: {after} cycles, {before} apart");
        }
    }
}

/// The ring that holds as much as is needed, with one index less: the program is another one.
#[test]
fn a_ring_with_one_slot_less_gives_other_values() {
    let session = Session::new();
    let graph = Graph::of("convolution_pooling", "toy");
    let exact = "zpu-attach-device{device=toy},func.func(canonicalize,zpu-insert-buffers{ring-slack=0},canonicalize)";
    let module = graph.module(&session, exact);
    assert!(graph.compare(&session, &module).is_equal());
    let all = rings(Op::of_module(&module));
    let [(ring, size)] = all[..] else {
        panic!("one ring is expected, there are {}", all.len());
    };
    shrink_ring(ring, size);
    assert!(
        !graph.compare(&session, &module).is_equal(),
        "{size} slots are more than needed"
    );
    let mut module = module;
    let verified = session.compile(&mut module, "builtin.module(func.func(zpu-verify-streams))");
    let message = verified.expect_err("the slot is missing").to_string();
    assert!(message.contains("reads element"), "{message}");
}

/// The same once all waits are placed for the ring as it is: a race, or other values.
#[test]
fn waits_hold_for_the_ring_that_they_were_placed_for() {
    let session = Session::new();
    let graph = Graph::of("convolution_pooling", "toy");
    let module = graph.module(&session, &graph.pipeline(4, true));
    for (ring, size) in rings(Op::of_module(&module)) {
        shrink_ring(ring, size);
    }
    let comparison = graph.compare(&session, &module);
    assert!(!comparison.is_equal() || !comparison.after.findings.is_empty());
    let mut module = module;
    let verified = session.compile(&mut module, "builtin.module(zpu-verify-sync)");
    assert!(verified.is_err(), "the proof accepts a ring with a slot less");
}

/// Random programs of several loops, of which some would be slower with buffers.
#[test]
fn no_program_is_slower_for_buffers() {
    let session = Session::new();
    let mut kept = 0;
    for seed in [92, 193] {
        let program = generate(seed);
        assert!(
            program.shapes.contains(&Shape::Tensors),
            "seed {seed} is another program"
        );
        for device in devices(false) {
            let graph = Graph::from_text("tensors", device, &program.text);
            let whole = graph.module(&session, &graph.pipeline(4, false));
            let with = graph.module(&session, &graph.pipeline(4, true));
            let function = Op::of_module(&with).find_all("func.func")[0];
            kept += usize::from(function.has_attr(annotation::WHOLE_TENSORS));
            let (whole, with) = (graph.compare(&session, &whole), graph.compare(&session, &with));
            assert!(with.is_equal(), "seed {seed} on {device}: {:?}", with.differences);
            let (before, after) = (whole.after.cycles, with.after.cycles);
            assert!(
                after <= before,
                "seed {seed} on {device}: {after} cycles, {before} with whole tensors"
            );
        }
    }
    assert!(kept > 0, "no program keeps its tensors, so nothing is tested");
}

/// The ring that is found is large enough for full rate but for a thousandth, and a slot less is not.
#[test]
fn one_slot_less_takes_more_cycles() {
    let session = Session::new();
    for device in devices(false).filter(|device| *device != "toy") {
        let graph = Graph::of("convolution_pooling", device);
        let found = graph.module(&session, &graph.pipeline(4, true));
        let function = Op::of_module(&found).find_all("func.func")[0];
        let slots = function.attr(annotation::RING_SLACK).and_then(attr::as_int);
        let slots = slots.expect("a ring has a size");
        assert!(slots > 0, "on {device} the ring needs no slot more than in turn");
        let cycles = |slots: i64| {
            let mut module = session.parse(&graph.text, graph.entry).expect("a graph is valid");
            let function = Op::of_module(&module).find_all("func.func")[0];
            function.set_attr(annotation::RING_SLACK, attr::int(function.context(), slots));
            let pipeline = format!("builtin.module({})", graph.pipeline(4, true));
            session.compile(&mut module, &pipeline).expect("a graph is compiled");
            let comparison = graph.compare(&session, &module);
            assert!(comparison.is_equal(), "{slots} slots on {device}");
            comparison.after.cycles
        };
        let (enough, fewer, most) = (cycles(slots), cycles(slots - 1), cycles(16));
        assert!(
            enough <= most + most / 1000,
            "on {device} {slots} slots take {enough} cycles, 16 take {most}"
        );
        assert!(
            fewer > enough,
            "on {device} {slots} slots take {enough} cycles, one less {fewer}"
        );
    }
}
