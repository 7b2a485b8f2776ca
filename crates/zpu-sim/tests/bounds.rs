//! The lower bound holds for every legal order of the same commands, not only for the one that was run.

mod common;

use common::*;
use proptest::prelude::*;
use zpu_device::{Device, EngineCost};
use zpu_sim::*;

/// Floats of every buffer.
const FLOATS: i64 = 8;

/// A command with a buffer of its own as its target.
#[derive(Clone, Debug)]
enum Work {
    /// Brings so many floats on chip.
    Load { floats: i64 },
    /// Adds the first floats of two earlier targets.
    Add { floats: i64, of: [usize; 2] },
    /// Brings the first floats of an earlier target off chip.
    Store { floats: i64, of: usize },
}

impl Work {
    /// The earlier commands whose targets it reads, among `count`.
    fn sources(&self) -> Vec<usize> {
        match self {
            Work::Load { .. } => vec![],
            Work::Add { of, .. } => of.to_vec(),
            Work::Store { of, .. } => vec![*of],
        }
    }
}

fn works() -> impl Strategy<Value = Vec<Work>> {
    let work = prop_oneof![
        (1..=FLOATS).prop_map(|floats| Work::Load { floats }),
        (1..=FLOATS, any::<[u16; 2]>()).prop_map(|(floats, of)| Work::Add {
            floats,
            of: of.map(usize::from)
        }),
        (1..=FLOATS, any::<u16>()).prop_map(|(floats, of)| Work::Store { floats, of: of.into() }),
    ];
    prop::collection::vec(work, 1..14).prop_map(|mut works| {
        works[0] = Work::Load { floats: FLOATS };
        for i in 1..works.len() {
            // Only targets on chip can be read again.
            let on_chip: Vec<usize> = (0..i).filter(|j| !matches!(works[*j], Work::Store { .. })).collect();
            match &mut works[i] {
                Work::Load { .. } => {}
                Work::Add { of, .. } => *of = of.map(|j| on_chip[j % on_chip.len()]),
                Work::Store { of, .. } => *of = on_chip[*of % on_chip.len()],
            }
        }
        works
    })
}

/// The choices of an order: the first among the ready commands, the DMA engine of a transfer, the eagerness of waits.
#[derive(Clone, Debug)]
struct Choice {
    priority: u8,
    second_engine: bool,
    wait_at_once: bool,
}

fn choices() -> impl Strategy<Value = Vec<Choice>> {
    let choice = (any::<u8>(), any::<bool>(), prop::bool::weighted(0.2));
    prop::collection::vec(
        choice.prop_map(|(priority, second_engine, wait_at_once)| Choice {
            priority,
            second_engine,
            wait_at_once,
        }),
        14,
    )
}

fn program(works: &[Work], choices: &[Choice]) -> Program {
    let mut b = Builder::new();
    let count = works.len() as i64;
    let (input, output) = (b.buffer(F32, &[count, FLOATS]), b.buffer(F32, &[count, FLOATS]));
    let add = b.kernel(Kernel::elementwise(
        "add",
        2,
        F32,
        Compute::FloatBinary(FloatBinary::Add, F32),
    ));
    let local: Vec<Reg> = works.iter().map(|_| b.alloc(F32, &[1, FLOATS])).collect();
    let mut issued: Vec<Option<(EngineId, Reg)>> = vec![None; works.len()];
    for _ in 0..works.len() {
        let ready = |i: &usize| issued[*i].is_none() && works[*i].sources().iter().all(|j| issued[*j].is_some());
        let next = (0..works.len())
            .filter(ready)
            .min_by_key(|i| (choices[*i].priority, *i))
            .unwrap();
        let engine = match works[next] {
            Work::Add { .. } => VECTOR,
            _ if choices[next].second_engine => STORE,
            _ => LOAD,
        };
        for source in works[next].sources() {
            if let Some((other, token)) = issued[source]
                && other != engine
            {
                b.wait(token);
            }
        }
        let row = [Size::Constant(next as i64), Size::Constant(0)];
        let zero = [Size::Constant(0); 2];
        let token = match &works[next] {
            Work::Load { floats } => {
                let (from, to) = (
                    b.subview(input, &row, &[1, *floats]),
                    b.subview(local[next], &zero, &[1, *floats]),
                );
                b.start_copy(engine, from, to)
            }
            Work::Add { floats, of } => {
                let parts = [local[of[0]], local[of[1]], local[next]].map(|x| b.subview(x, &zero, &[1, *floats]));
                b.start(engine, add, &parts)
            }
            Work::Store { floats, of } => {
                let (from, to) = (
                    b.subview(local[*of], &zero, &[1, *floats]),
                    b.subview(output, &row, &[1, *floats]),
                );
                b.start_copy(engine, from, to)
            }
        };
        if choices[next].wait_at_once {
            b.wait(token);
        }
        issued[next] = Some((engine, token));
    }
    b.push(Op::Barrier { engines: None });
    b.finish()
}

fn machine() -> impl Strategy<Value = Device> {
    let numbers = (0u64..12, 0u64..5, 1u32..4, 1u32..6, 1u64..4, 0u64..4);
    (numbers, any::<bool>(), prop::array::uniform4(prop::bool::weighted(0.2))).prop_map(
        |((latency, gap, rate, link, depth, start), shared, blocking)| {
            let mut device = device(shared);
            device.links[0].bytes_per_cycle = f64::from(link);
            device.control.start_cycles = start;
            for (engine, blocking) in device.engines.iter_mut().zip(blocking) {
                engine.queue_depth = depth;
                engine.blocking = blocking;
                if let EngineCost::Dma(dma) = &mut engine.cost {
                    dma.start_latency = latency;
                    // The engines differ, if only in this.
                    dma.gap = gap + u64::from(engine.name == "store");
                    dma.bytes_per_cycle = f64::from(rate);
                }
            }
            device
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_legal_order_is_faster_than_the_bound_of_any(
        works in works(),
        device in machine(),
        orders in (choices(), choices()),
    ) {
        let rows = works.len() as i64;
        let buffer = || floats(&[rows, FLOATS], |i| i as f32);
        let options = Options { checks: Checks { race: true, ..Checks::NONE }, ..Options::default() };
        let run = |choices: &[Choice]| {
            simulate(&program(&works, choices), &device, "main", vec![buffer(), buffer()], &options).unwrap()
        };
        let (one, other) = (run(&orders.0), run(&orders.1));
        prop_assert!(one.report.is_clean(), "{}", messages(&one.report));
        prop_assert_eq!(one.report.bound.cycles, other.report.bound.cycles);
        prop_assert!(one.report.bound.cycles <= one.report.cycles.min(other.report.cycles), "{:?}", one.report);
        assert_adds_up(&one.report);
    }
}
