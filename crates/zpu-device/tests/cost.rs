//! Costs, against numbers worked out by hand and against properties.

use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use proptest::prelude::*;
use zpu_device::{Cost, Device, ElementType, VectorOp, Work, builtin_names};

fn load(name: &str) -> Device {
    Device::load(name, &[]).unwrap()
}

fn transfer(from: &str, to: &str, rows: u64, row_bytes: u64) -> Work {
    Work::Transfer {
        from: from.to_owned(),
        to: to.to_owned(),
        rows,
        row_bytes,
    }
}

fn matmul(m: u64, n: u64, k: u64, element: ElementType, accumulator: ElementType) -> Work {
    Work::Matmul {
        batch: 1,
        m,
        n,
        k,
        element,
        accumulator,
    }
}

fn vector(elements: u64, element: ElementType, loads: u64, stores: u64, ops: &[(VectorOp, u64)]) -> Work {
    Work::Vector {
        elements,
        element,
        loads,
        stores,
        ops: ops.iter().copied().collect(),
    }
}

fn cost(device: &Device, engine: &str, work: &Work) -> Cost {
    device.cost(device.engine(engine).unwrap(), work).unwrap()
}

fn cycles(device: &Device, engine: &str, work: &Work) -> u64 {
    cost(device, engine, work).total()
}

use ElementType::{Bf16, F32};
use VectorOp::{Arith, Exp, Mul, ReduceOther, ReduceSum};

#[test]
fn planning_transfers_are_100_plus_a_cycle_per_kib() {
    let device = load("planning-1dma");
    for (bytes, expected) in [(0, 100), (1, 101), (1024, 101), (1025, 102), (8192, 108), (16384, 116)] {
        assert_eq!(cycles(&device, "odma", &transfer("dram", "asram", 1, bytes)), expected);
    }
    // Rows do not matter on this machine.
    assert_eq!(cycles(&device, "odma", &transfer("rsram", "wsram", 128, 64)), 108);
    assert_eq!(
        cycles(&load("planning-2dma"), "odma1", &transfer("rsram", "asram", 128, 64)),
        108
    );
}

#[test]
fn planning_matrix_products() {
    let device = load("planning-1dma");
    // 11+5+5+7 + 8*4*max(1,4) + 70
    assert_eq!(cycles(&device, "tensor", &matmul(128, 128, 32, Bf16, F32)), 226);
    // 11+5+5+8 + 4*2*max(4,4) + 70
    assert_eq!(cycles(&device, "tensor", &matmul(64, 64, 128, Bf16, Bf16)), 131);
    // 98 + 1*1*max(1,1): one block pays for the k blocks it has.
    assert_eq!(cycles(&device, "tensor", &matmul(16, 32, 32, Bf16, F32)), 99);
    // 98 + 2*1*max(1,4)
    assert_eq!(cycles(&device, "tensor", &matmul(17, 32, 32, Bf16, F32)), 106);
}

#[test]
fn planning_vector_work() {
    let device = load("planning-1dma");
    let at = |work| cycles(&device, "vector", &work);
    // A copy: 5 + 5 per element.
    assert_eq!(at(vector(4096, Bf16, 1, 1, &[])), 164);
    // A fill: 5 per element, at least a cycle.
    assert_eq!(at(vector(64, Bf16, 0, 1, &[])), 2);
    assert_eq!(at(vector(1, Bf16, 0, 1, &[])), 1);
    // Two operands, subtraction, multiplication, exponential: 5 + 1 + 5 + 1 + 1 + 3.
    assert_eq!(at(vector(4096, Bf16, 2, 1, &[(Arith, 1), (Mul, 1), (Exp, 1)])), 263);
    // Reductions: 1 + 3 and 1 + 1, whatever is loaded and stored.
    assert_eq!(at(vector(4096, Bf16, 2, 1, &[(ReduceSum, 1)])), 66);
    assert_eq!(at(vector(4096, Bf16, 2, 1, &[(ReduceOther, 1)])), 33);
}

/// One iteration of gemm_1024_b128x128x32 in program order: the reference table's serial cycles divided by the trip
/// count.
#[test]
fn planning_serial_iteration_of_the_reference_table() {
    let device = load("planning-1dma");
    let load = |bytes| cycles(&device, "odma", &transfer("dram", "rsram", 1, bytes));
    assert_eq!(
        3 * load(8192) + cycles(&device, "tensor", &matmul(128, 128, 32, Bf16, F32)),
        17600 / 32
    );
}

#[test]
fn toy_costs_ten() {
    let device = load("toy");
    assert_eq!(cycles(&device, "odma1", &transfer("dram", "asram", 128, 1 << 20)), 10);
    assert_eq!(cycles(&device, "tensor", &matmul(128, 128, 4096, F32, F32)), 10);
    assert_eq!(cycles(&device, "vector", &vector(1 << 20, F32, 2, 1, &[(Exp, 9)])), 10);
}

#[test]
fn sunmmio_by_hand() {
    let device = load("sunmmio-a4e");
    // 64 rows of 100 B, each rounded up to 128 B: 16 + 64 + 64*128/128; 200 until the first byte.
    let strided = Cost {
        latency: 200,
        occupancy: 16 + 64 + 64,
        shareable: 64,
    };
    assert_eq!(cost(&device, "odma0", &transfer("dram", "asram", 64, 100)), strided);
    // 4*4*4 blocks of 2*1*2 cycles, and the fill; a quarter of the rate in f32.
    assert_eq!(cycles(&device, "tensor", &matmul(128, 128, 128, Bf16, F32)), 32 + 256);
    assert_eq!(cycles(&device, "tensor", &matmul(128, 128, 128, F32, F32)), 32 + 1024);
    // 4096 bf16 are 64 vectors of 1024 bits, an exponential is 8 each; f32 takes twice as many vectors.
    assert_eq!(
        cycles(&device, "tile", &vector(4096, Bf16, 1, 1, &[(Exp, 1)])),
        10 + 512
    );
    assert_eq!(
        cycles(&device, "tile", &vector(4096, F32, 1, 1, &[(Exp, 1)])),
        10 + 1024
    );
    // A copy passes over its elements once.
    assert_eq!(cycles(&device, "tile", &vector(4096, Bf16, 1, 1, &[])), 10 + 64);
}

#[test]
fn trainium_in_base_cycles() {
    let device = load("trainium2-core");
    // 32 KiB in 1416 ns by N3 and N4, which is 1699 cycles of 1.2 GHz; the model adds its gap of 27.
    assert_eq!(
        cost(&device, "dma0", &transfer("hbm", "sbuf", 1, 32768)).occupancy,
        27 + 1707
    );
    // The decimals of 19.2 count, not its binary rounding.
    assert_eq!(cost(&device, "dma0", &transfer("hbm", "sbuf", 1, 192)).shareable, 10);
    // 128x128x512 with the tensor clock at twice the base: (64 + 512 rows) / 2.
    assert_eq!(cycles(&device, "tensor", &matmul(512, 128, 128, Bf16, F32)), 32 + 256);
    // Fewer than 64 rows cost 64.
    assert_eq!(cycles(&device, "tensor", &matmul(8, 128, 128, Bf16, F32)), 32 + 32);
    // 60 cycles of 0.96 GHz are 75, and 256 elements per cycle are 204.8.
    assert_eq!(
        cycles(&device, "vector", &vector(2048, F32, 1, 1, &[(Arith, 1)])),
        75 + 10
    );
}

#[test]
fn a_lone_transfer_goes_no_faster_than_its_slowest_link() {
    let device = load("ascend-910b");
    assert_eq!(cost(&device, "mte2", &transfer("gm", "l1", 1, 3700)).shareable, 100);
    assert_eq!(cost(&device, "mte3", &transfer("ub", "l1", 1, 12800)).shareable, 100);
}

#[test]
fn a_batch_fills_once() {
    let device = load("planning-1dma");
    let batch = |batch| {
        let work = Work::Matmul {
            batch,
            m: 128,
            n: 128,
            k: 32,
            element: Bf16,
            accumulator: F32,
        };
        cycles(&device, "tensor", &work)
    };
    assert_eq!([batch(0), batch(1), batch(3)], [98, 98 + 128, 98 + 3 * 128]);
}

fn refused(engine: &str, work: &Work, expected: &Expect) {
    let device = load("planning-2dma");
    expected.assert_eq(
        &device
            .cost(device.engine(engine).unwrap(), work)
            .unwrap_err()
            .to_string(),
    );
}

#[test]
fn what_an_engine_cannot_do_is_refused() {
    refused(
        "odma1",
        &transfer("dram", "asram", 1, 1),
        &expect!["engine `odma1` has no route from `dram` to `asram`; it serves rsram->rsram, rsram->asram"],
    );
    refused(
        "vector",
        &matmul(1, 1, 1, F32, F32),
        &expect!["engine `vector` is a vector engine and cannot do a matrix product"],
    );
    refused(
        "tensor",
        &transfer("dram", "asram", 1, 1),
        &expect!["engine `tensor` is a tensor engine and cannot do a transfer"],
    );
}

fn element() -> impl Strategy<Value = ElementType> {
    prop_oneof![
        Just(ElementType::F16),
        Just(Bf16),
        Just(F32),
        Just(ElementType::F64),
        (1_u8..=64).prop_map(ElementType::Int),
        Just(ElementType::Index)
    ]
}

/// A size: mostly usable, now and then anything.
fn size() -> impl Strategy<Value = u64> {
    prop_oneof![4 => 0_u64..10_000, 1 => any::<u64>()]
}

fn work() -> impl Strategy<Value = Work> {
    let ops = proptest::collection::btree_map(proptest::sample::select(&VectorOp::ALL[..]), size(), 0..4);
    prop_oneof![
        (size(), size()).prop_map(|(rows, row_bytes)| transfer("dram", "rsram", rows, row_bytes)),
        ([size(), size(), size(), size()], element(), element()).prop_map(
            |([batch, m, n, k], element, accumulator)| {
                Work::Matmul {
                    batch,
                    m,
                    n,
                    k,
                    element,
                    accumulator,
                }
            }
        ),
        (size(), element(), size(), size(), ops).prop_map(|(elements, element, loads, stores, ops)| Work::Vector {
            elements,
            element,
            loads,
            stores,
            ops
        }),
    ]
}

/// The work with every size at least as large.
fn grown(work: &Work, by: u64) -> Work {
    let mut work = work.clone();
    match &mut work {
        Work::Transfer { rows, row_bytes, .. } => {
            *rows = rows.saturating_add(by);
            *row_bytes = row_bytes.saturating_add(by);
        }
        Work::Matmul { batch, m, n, k, .. } => {
            for size in [batch, m, n, k] {
                *size = size.saturating_add(by);
            }
        }
        Work::Vector { elements, loads, .. } => {
            *elements = elements.saturating_add(by);
            *loads = loads.saturating_add(by);
        }
    }
    work
}

proptest! {
    /// No work overflows or panics on any engine of any device, and its parts are consistent.
    #[test]
    fn every_cost_is_defined(work in work()) {
        for device in builtin_names().map(load) {
            for engine in &device.engines {
                if let Ok(cost) = device.cost(engine, &work) {
                    prop_assert!(cost.shareable <= cost.occupancy);
                    prop_assert!(cost.total() >= cost.occupancy.max(cost.latency));
                }
            }
        }
    }

    #[test]
    fn more_work_never_costs_less(work in work(), by in 0_u64..1000) {
        for device in builtin_names().map(load) {
            for engine in &device.engines {
                if let (Ok(less), Ok(more)) = (device.cost(engine, &work), device.cost(engine, &grown(&work, by))) {
                    prop_assert!(less.total() <= more.total(), "{} {less:?} {more:?}", engine.name);
                }
            }
        }
    }

    /// Splitting a transfer or vector work never makes it cheaper: fixed costs are paid twice, rounding only adds.
    #[test]
    fn splitting_never_pays(first in 1_u64..100_000, second in 1_u64..100_000) {
        let device = load("sunmmio-a4e");
        for (engine, work) in [
            ("odma0", (|n| transfer("dram", "rsram", 1, n)) as fn(u64) -> Work),
            ("tile", |n| vector(n, F32, 1, 1, &[(Mul, 1)])),
            ("tensor", |n| matmul(n, 64, 64, Bf16, F32)),
        ] {
            let whole = cycles(&device, engine, &work(first + second));
            prop_assert!(whole <= cycles(&device, engine, &work(first)) + cycles(&device, engine, &work(second)));
        }
    }

    /// The planning formulas, written once more in plain arithmetic.
    #[test]
    fn planning_formulas(m in 1_u64..2000, n in 1_u64..2000, k in 1_u64..2000, loads in 0_u64..4, exp in 0_u64..4) {
        let device = load("planning-1dma");
        let k_blocks = if m <= 16 && n <= 32 { k.div_ceil(32) } else { k.div_ceil(32).max(4) };
        let expected = 11 + 5 + 5 + 7 + m.div_ceil(16) * n.div_ceil(32) * k_blocks + 70;
        prop_assert_eq!(cycles(&device, "tensor", &matmul(m, n, k, Bf16, F32)), expected);
        let weight = [0, 5, 6, 7][loads as usize] + 5 + 3 * exp;
        let work = Work::Vector { elements: m * n, element: Bf16, loads, stores: 1, ops: BTreeMap::from([(Exp, exp)]) };
        prop_assert_eq!(cycles(&device, "vector", &work), (m * n * weight).div_ceil(250).max(1));
    }
}
