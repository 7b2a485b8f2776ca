//! A small device, and parts of nests.

use zpu_device::Device;
use zpu_model::{Buffer, BufferId, Command, Expr, Operand, Step, Storage, ValueId, Way};

/// A device whose control stream takes no time, with two DMA engines and one that computes.
pub(crate) const DEVICE: &str = r#"
schema = 1
[device]
name = "free-control"
clock_ghz = 1
off_chip = "dram"
default_space = "sram"
[control]
start_cycles = 0
wait_cycles = 0
loop_cycles = 0
barrier_cycles = 0
scalar_cycles = 0
[[memory]]
name = "sram"
bytes = 1048576
align = 64
[[memory]]
name = "dram"
bytes = 1073741824
align = 64
[[engine]]
name = "odma"
kind = "dma"
count = 2
queue_depth = 10
bytes_per_cycle = inf
gap_cycles = 10
routes = [["dram", "sram"], ["sram", "dram"]]
[[engine]]
name = "vector"
kind = "vector"
queue_depth = 10
elems_per_cycle = inf
min_cycles = 10
operands = { all = "sram" }
[sync]
tokens = 10
barriers = 1
wait_on_never_issued = "error"
"#;

pub(crate) fn device() -> Device {
    Device::from_toml(DEVICE, "free-control.toml", &[]).unwrap()
}

pub(crate) fn part(buffer: usize) -> Operand {
    Operand {
        storage: Storage::Buffer(BufferId(buffer)),
        offsets: Vec::new(),
    }
}

pub(crate) fn command(name: &str, reads: Vec<Operand>, writes: Vec<Operand>) -> Command {
    Command {
        name: name.to_owned(),
        sizes: Vec::new(),
        flexible: false,
        prices: Default::default(),
        reads,
        writes,
    }
}

pub(crate) fn buffer(depth: usize) -> Buffer {
    Buffer {
        memory: 0,
        bytes: 64,
        depth,
        versions: None,
        stages: None,
        stored: false,
    }
}

pub(crate) fn loop_of(value: usize, count: i64, body: Vec<Step>) -> Step {
    Step::Loop {
        value: ValueId(value),
        lower: Expr::Constant(0),
        upper: Expr::Constant(count),
        step: Expr::Constant(1),
        body,
    }
}

pub(crate) fn way(engine: usize, latency: u64, occupancy: u64) -> Vec<Way> {
    vec![Way {
        engine,
        latency,
        occupancy,
        bytes: 0.0,
        links: Vec::new(),
    }]
}
