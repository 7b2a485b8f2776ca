//! The reference kernels as scheduling problems on the two planning machines, and the reference figures.
//!
//! Costs: DMA `100 + ceil(bytes / 1024)`; tensor `21 + (8 or 7) + tiles + 70`; vector `ceil(elements * weight / 250)`.

#![allow(dead_code, unreachable_pub)]

use std::collections::BTreeMap;

use serde_json::Value;
use zpu_sched::{Buffer, OpId, Options, Problem, ResourceId, Use};

/// A planning machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// One DMA engine, everything asynchronous.
    OneDma,
    /// Two DMA engines by route, blocking tensor and vector engines.
    TwoDma,
}

/// Cycles that a reference planner needed for the whole loop: serial, default, greedy, found, bound, and the proven
/// minimal interval.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    pub serial: u64,
    pub default: u64,
    pub greedy: u64,
    pub found: u64,
    pub bound: u64,
    pub interval: u64,
}

/// A kernel's loop on a machine.
pub struct Kernel {
    pub name: String,
    pub problem: Problem,
    pub options: Options,
    pub trip: u64,
    pub reference: Reference,
}

/// All kernels on `machine`; issuing a command costs the control stream `issue` cycles.
pub fn kernels(machine: Machine, issue: u64) -> Vec<Kernel> {
    let text = include_str!("../data/kernels.json");
    let all: Vec<Value> = serde_json::from_str(text).expect("the kernels are JSON");
    all.iter().map(|kernel| read(kernel, machine, issue)).collect()
}

fn read(kernel: &Value, machine: Machine, issue: u64) -> Kernel {
    let name = kernel["name"].as_str().unwrap();
    let num_stages = kernel["num_stages"].as_u64().unwrap() as u32;
    let mut problem = Problem::cyclic(name);
    let engines = Engines::new(&mut problem, machine, issue);
    let scope: BTreeMap<&str, &Value> = kernel["buffers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| (b["name"].as_str().unwrap(), b))
        .collect();
    let mut loads = vec![];
    let mut accesses: BTreeMap<&str, Vec<(OpId, bool)>> = BTreeMap::new();
    for op in kernel["ops"].as_array().unwrap() {
        let (latency, uses) = engines.demand(op);
        let id = problem.add_operation(op["name"].as_str().unwrap(), latency, uses);
        if op["unit"] == "dma_load" && op["path"].as_str().is_some_and(|path| path.starts_with("global")) {
            loads.push(id);
        }
        for (field, writes) in [("reads", false), ("writes", true)] {
            for buffer in op[field].as_array().unwrap() {
                accesses.entry(buffer.as_str().unwrap()).or_default().push((id, writes));
            }
        }
    }
    for (buffer, accesses) in &accesses {
        let facts = scope.get(buffer).filter(|b| b["scope"] != "global");
        let Some(facts) = facts else { continue };
        add_buffer(&mut problem, facts, accesses);
    }
    let trip = kernel["loop_trip"].as_u64().unwrap();
    let options = Options {
        num_stages,
        loads,
        trip: Some(trip),
        ..Options::default()
    };
    Kernel {
        name: name.into(),
        problem,
        options,
        trip,
        reference: reference(name, machine),
    }
}

/// Dependences within the iteration follow source order; across iterations, a carried buffer is a dependence at
/// distance 1 between every two accesses that conflict, any other is a ring.
fn add_buffer(problem: &mut Problem, facts: &Value, accesses: &[(OpId, bool)]) {
    let carried = facts["loop_carried"] == true || accesses.iter().all(|&(_, writes)| !writes);
    for (index, &(to, to_writes)) in accesses.iter().enumerate() {
        for &(from, from_writes) in &accesses[..index] {
            if from != to && (from_writes || to_writes) {
                problem.add_dependence(from, to, 0);
            }
        }
        if carried {
            for &(from, from_writes) in accesses {
                if from_writes || to_writes {
                    problem.add_dependence(from, to, 1);
                }
            }
        }
    }
    if !carried {
        let pick = |writes: bool| accesses.iter().filter(|a| a.1 == writes).map(|a| a.0).collect();
        let mut buffer = Buffer::new(facts["name"].as_str().unwrap(), pick(true), pick(false));
        buffer.bytes = facts["bytes"].as_u64().unwrap();
        problem.add_buffer(buffer);
    }
}

struct Engines {
    machine: Machine,
    dma: [ResourceId; 2],
    tensor: ResourceId,
    vector: ResourceId,
    control: ResourceId,
    issue: u64,
}

impl Engines {
    fn new(problem: &mut Problem, machine: Machine, issue: u64) -> Engines {
        let dma0 = problem.add_resource("odma0", 1);
        let dma = match machine {
            Machine::OneDma => [dma0, dma0],
            Machine::TwoDma => [dma0, problem.add_resource("odma1", 1)],
        };
        let tensor = problem.add_resource("tensor", 1);
        let vector = problem.add_resource("vector", 1);
        let control = problem.add_resource(zpu_sched::CONTROL, 1);
        Engines {
            machine,
            dma,
            tensor,
            vector,
            control,
            issue,
        }
    }

    fn demand(&self, op: &Value) -> (u64, Vec<Use>) {
        let (engine, cycles, blocking) = match op["unit"].as_str().unwrap() {
            "tensor" => (self.tensor, tensor_cycles(op), self.machine == Machine::TwoDma),
            "vector" => (self.vector, vector_cycles(op), self.machine == Machine::TwoDma),
            _ => {
                // A broadcast along a column is twice as fast.
                let rate = if op["collective"] == "col" { 2048 } else { 1024 };
                (
                    self.dma[dma_unit(op)],
                    100 + op["bytes"].as_u64().unwrap().div_ceil(rate),
                    false,
                )
            }
        };
        let held = if blocking { cycles } else { self.issue };
        (cycles, vec![Use::whole(engine, cycles), Use::whole(self.control, held)])
    }
}

fn dma_unit(op: &Value) -> usize {
    match op["odma"].as_u64() {
        Some(unit) => unit as usize,
        None => usize::from(matches!(op["path"].as_str(), Some("rsram->asram" | "rsram->rsram"))),
    }
}

fn tensor_cycles(op: &Value) -> u64 {
    let size = |i: usize| op["mnk"][i].as_u64().unwrap();
    let (m, n, k) = (size(0), size(1), size(2));
    let accumulate = if matches!(op["acc_dtype"].as_str(), Some("bf16" | "f16")) {
        8
    } else {
        7
    };
    let least = if m <= 16 && n <= 32 { 1 } else { 4 };
    11 + 5 + 5 + accumulate + m.div_ceil(16) * n.div_ceil(32) * k.div_ceil(32).max(least) + 70
}

fn vector_cycles(op: &Value) -> u64 {
    let number = |field: &str| op[field].as_u64().unwrap();
    let weight = match op["kind"].as_str().unwrap() {
        "reduce_sum" => 4,
        "reduce_max" => 2,
        _ => {
            let reads = op["reads"].as_array().unwrap().len() as u64;
            let loads = if reads == 0 { 0 } else { 5 + reads - 1 };
            loads + 5 + number("arith_per_elem") + 3 * number("exp2_per_elem")
        }
    };
    (number("elems") * weight).div_ceil(250).max(1)
}

fn reference(name: &str, machine: Machine) -> Reference {
    let (one, two): ([u64; 6], [u64; 6]) = match name {
        "gemm_1024_b128x128x32" => (
            [17600, 14497, 10625, 10594, 10368, 324],
            [17600, 10854, 12016, 7643, 7232, 226],
        ),
        "flash_attn_gqa_prefill" => (
            [99584, 77673, 62580, 59153, 59008, 922],
            [99584, 78016, 78053, 78016, 77824, 1216],
        ),
        "flash_decoding_gqa" => (
            [164160, 133244, 112859, 112673, 112512, 1758],
            [164160, 133632, 133632, 133632, 133376, 2084],
        ),
        "gemm_persistent_mesh" => ([5232, 4590, 3657, 3650, 3424, 428], [5232, 4274, 4376, 2884, 2560, 320]),
        "gemm_splitk4_1024" => ([4400, 3758, 2825, 2818, 2592, 324], [4400, 2792, 3220, 2149, 1808, 226]),
        "dequant_gemm_fp4" => (
            [67392, 59655, 52593, 48722, 48256, 1508],
            [67392, 59880, 59613, 55689, 55488, 1734],
        ),
        "mamba2_chunk_scan" => (
            [6128, 4602, 3853, 3850, 3504, 876],
            [6128, 4572, 4669, 4148, 4024, 1006],
        ),
        "linear_attn_fwd" => (
            [16472, 11456, 8414, 7876, 7840, 980],
            [16472, 11271, 10691, 8923, 8632, 1079],
        ),
        "blocksparse_gemm" => (
            [17600, 14390, 10625, 10594, 10368, 324],
            [17600, 10856, 12556, 7645, 7232, 226],
        ),
        "vector_add_epilogue" => ([2084, 1887, 1476, 1385, 1296, 324], [2084, 1887, 1868, 1385, 1296, 324]),
        other => panic!("no reference figures for {other}"),
    };
    let [serial, default, greedy, found, bound, interval] = if machine == Machine::OneDma { one } else { two };
    Reference {
        serial,
        default,
        greedy,
        found,
        bound,
        interval,
    }
}
