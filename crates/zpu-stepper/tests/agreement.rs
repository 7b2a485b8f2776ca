//! The events of `zpu-sim` and the single cycles of the stepper, on random programs on random machines.
//!
//! Property: the makespan and the start and end of every command are equal, and where one has no end, so has the other.

mod common;

use common::*;
use proptest::prelude::*;
use zpu_device::{NeverIssued, WhenFull};
use zpu_stepper::Argument;

/// The rates of DMA engines and links: whole ones, and decimals that have no exact binary form.
const RATES: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 7.0, 0.5, 2.4, 19.2];

fn dma() -> impl Strategy<Value = Dma> {
    let rate = prop_oneof![1 => Just(0.0), 8 => prop::sample::select(RATES.to_vec())];
    let burst = prop::sample::select(vec![1_u64, 16, 32]);
    let links = prop::array::uniform2(prop::bool::weighted(0.6));
    (
        0_u64..9,
        0_u64..4,
        0_u64..3,
        burst,
        rate,
        links,
        prop::bool::weighted(0.3),
    )
        .prop_map(|(latency, gap, per_row, burst, rate, links, inner)| Dma {
            latency,
            gap,
            per_row,
            burst,
            rate,
            links,
            inner,
        })
}

fn machine() -> impl Strategy<Value = Machine> {
    let when_full = prop_oneof![8 => Just(WhenFull::Stall), 1 => Just(WhenFull::Drop), 1 => Just(WhenFull::Error)];
    let never = prop::sample::select(vec![NeverIssued::Return, NeverIssued::Hang, NeverIssued::Error]);
    (
        prop::collection::vec(dma(), 1..5),
        prop::array::uniform2(prop::sample::select(RATES.to_vec())),
        prop::collection::vec(1_u64..4, 1..7),
        prop::collection::vec(prop::bool::weighted(0.15), 1..7),
        prop::collection::vec(when_full, 1..7),
        prop::array::uniform5(0_u64..4),
        never,
        any::<bool>(),
    )
        .prop_map(
            |(dmas, links, depth, blocking, when_full, control, never_issued, mover)| Machine {
                dmas,
                links,
                depth,
                blocking,
                when_full,
                control,
                never_issued,
                mover,
            },
        )
}

fn work() -> impl Strategy<Value = Node> {
    let form = prop_oneof![
        2 => Just(Form::Synchronous),
        8 => (0_usize..SLOTS as usize).prop_map(Form::Token),
        2 => (0_i64..3).prop_map(Form::Id),
        2 => Just(Form::Ring),
    ];
    let cycles = prop::option::weighted(0.1, 0_u64..12);
    let engine = prop_oneof![8 => (0_usize..6).prop_map(Some), 1 => Just(None)];
    (engine, 0_i64..5, 0_i64..17, any::<bool>(), form, cycles).prop_map(
        |(engine, rows, columns, back, form, cycles)| {
            Node::Work(Work {
                engine,
                rows,
                columns,
                back,
                form,
                cycles,
            })
        },
    )
}

fn node() -> impl Strategy<Value = Node> {
    let slot = || 0_usize..SLOTS as usize;
    let leaf = prop_oneof![
        12 => work(),
        4 => slot().prop_map(Node::Wait),
        1 => (0_i64..3).prop_map(Node::WaitId),
        1 => Just(Node::WaitRing),
        1 => prop_oneof![Just(0), 0_u32..64].prop_map(Node::Barrier),
        1 => slot().prop_map(Node::Null),
        1 => Just(Node::Load),
        1 => Just(Node::Store),
    ];
    leaf.prop_recursive(3, 40, 6, |inner| {
        let body = || prop::collection::vec(inner.clone(), 0..6);
        prop_oneof![
            4 => (0_i64..3, 0_i64..5, 1_i64..3, body())
                .prop_map(|(from, trips, step, body)| Node::For(from, trips, step, body)),
            2 => (0_i64..4, body()).prop_map(|(trips, body)| Node::Carry(trips, body)),
            1 => (0_u64..4, body()).prop_map(|(trips, body)| Node::While(trips, body)),
            2 => (any::<bool>(), body(), body()).prop_map(|(odd, then, otherwise)| Node::If(odd, then, otherwise)),
            1 => (body(), body()).prop_map(|(one, default)| Node::Switch(one, default)),
            1 => body().prop_map(Node::Call),
        ]
    })
}

fn compare(machine: &Machine, nodes: &[Node]) {
    let device = machine.device();
    let program = Maker::program(&device, nodes);
    let buffer = zpu_sim::Argument::Buffer {
        shape: vec![16, 16],
        bytes: vec![0; 1024],
    };
    let arguments = [Argument::Shape(vec![16, 16])];
    let plain = by_cycles(&program, &device, &arguments, false);
    assert_eq!(plain, by_cycles(&program, &device, &arguments, true));
    assert_eq!(plain, by_events(&program, &device, vec![buffer]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn events_and_single_cycles_agree(machine in machine(), nodes in prop::collection::vec(node(), 0..16)) {
        compare(&machine, &nodes);
    }
}

/// Transfers of several engines that cross links at once, at rates of all kinds.
fn crowd() -> impl Strategy<Value = (Machine, Vec<Node>)> {
    let rate = || {
        prop_oneof![
            prop::sample::select(RATES.to_vec()),
            (1_u32..400).prop_map(|tenths| f64::from(tenths) / 10.0),
            (0.01_f64..50.0)
        ]
    };
    let dma = (
        0_u64..9,
        0_u64..4,
        rate(),
        prop::array::uniform2(prop::bool::weighted(0.7)),
    )
        .prop_map(|(latency, gap, rate, links)| Dma {
            latency,
            gap,
            per_row: 0,
            burst: 1,
            rate,
            links,
            inner: false,
        });
    let machine = (prop::collection::vec(dma, 2..7), [rate(), rate()]).prop_map(|(dmas, links)| Machine {
        dmas,
        links,
        depth: vec![3],
        blocking: vec![false],
        when_full: vec![WhenFull::Stall],
        control: [1; 5],
        never_issued: NeverIssued::Error,
        mover: false,
    });
    let transfer = (0_usize..6, 1_i64..5, 1_i64..17).prop_map(|(engine, rows, columns)| {
        Node::Work(Work {
            engine: Some(engine),
            rows,
            columns,
            back: false,
            form: Form::Token(0),
            cycles: None,
        })
    });
    (machine, prop::collection::vec(transfer, 2..20))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn crowded_links_are_shared_alike((machine, nodes) in crowd()) {
        compare(&machine, &nodes);
    }
}
