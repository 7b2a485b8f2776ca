//! The pass over a nest against closed formulas, and its bound against the pass.

use proptest::prelude::*;
mod support;

use support::{DEVICE, buffer, command, device, loop_of, part, way};
use zpu_device::Device;
use zpu_model::{Buffer, BufferId, CommandId, Depth, Nest, Step, Way, lower_bound, predict, versions};

/// `n` iterations of a load and a use.
fn one_level(n: i64, load: (u64, u64), work: u64, versions: u32) -> Nest {
    let mut nest = Nest {
        values: 1,
        buffers: vec![Buffer {
            versions: Some(versions),
            ..buffer(1)
        }],
        commands: vec![
            command("load", Vec::new(), vec![part(0)]),
            command("use", vec![part(0)], Vec::new()),
        ],
        body: vec![loop_of(
            0,
            n,
            vec![
                Step::Allocate(BufferId(0)),
                Step::Command(CommandId(0)),
                Step::Command(CommandId(1)),
            ],
        )],
        ..Nest::default()
    };
    nest.price(|CommandId(at), _| match at {
        0 => way(0, load.0, load.1),
        _ => way(2, 0, work),
    })
    .unwrap();
    nest
}

fn cycles(nest: &Nest) -> u64 {
    let device = device();
    let versions = versions(nest, &device, Depth::Stages(1));
    predict(nest, &device, &versions).unwrap().cycles
}

proptest! {
    /// Cycles of one level are `max(L + u + (n - 1) g, (J + 1)(L + u) + (n - 1 - J N) g)`, with `g = max(o, u)` and
    /// `J = (n - 1) / N`, where `L` is the time from the issue of a load to its end, `o` the time that it takes its
    /// engine, `u` that of a use, and `N` the number of versions.
    #[test]
    fn one_level_is_the_closed_formula(
        n in 1u64..200,
        latency in 0u64..60,
        o in 1u64..60,
        u in 1u64..60,
        versions in 1u32..7,
    ) {
        let nest = one_level(n as i64, (latency, o), u, versions);
        let (whole, g, many) = (latency + o, o.max(u), u64::from(versions));
        let runs = (n - 1) / many;
        let first = whole + u + (n - 1) * g;
        let second = (runs + 1) * (whole + u) + (n - 1 - runs * many) * g;
        prop_assert_eq!(cycles(&nest), first.max(second));
    }

    /// Whatever the depth, a prediction is no less than the bound.
    #[test]
    fn no_prediction_undercuts_the_bound(
        n in 1i64..60,
        latency in 0u64..60,
        o in 1u64..60,
        u in 1u64..60,
        versions in 1u32..7,
    ) {
        let nest = one_level(n, (latency, o), u, versions);
        prop_assert!(lower_bound(&nest, &device()).cycles <= cycles(&nest));
    }
}

/// 16 chunks of 4 steps, with 3 versions of a chunk and 2 of a step; a chunk takes 300 cycles, 200 of them on its
/// engine, a step 40 and 20, and a use 50. The inner pipeline does not drain between chunks: the first chunk, the first
/// step, and 64 uses.
#[test]
fn two_levels_run_as_one_pipeline() {
    let mut nest = Nest {
        values: 2,
        buffers: vec![
            Buffer {
                versions: Some(3),
                ..buffer(1)
            },
            Buffer {
                versions: Some(2),
                ..buffer(2)
            },
        ],
        commands: vec![
            command("chunk", Vec::new(), vec![part(0)]),
            command("step", vec![part(0)], vec![part(1)]),
            command("use", vec![part(1)], Vec::new()),
        ],
        body: vec![loop_of(
            0,
            16,
            vec![
                Step::Allocate(BufferId(0)),
                Step::Command(CommandId(0)),
                loop_of(
                    1,
                    4,
                    vec![
                        Step::Allocate(BufferId(1)),
                        Step::Command(CommandId(1)),
                        Step::Command(CommandId(2)),
                    ],
                ),
            ],
        )],
        ..Nest::default()
    };
    nest.price(|CommandId(at), _| match at {
        0 => way(0, 100, 200),
        1 => way(1, 20, 20),
        _ => way(2, 0, 50),
    })
    .unwrap();
    assert_eq!(cycles(&nest), 300 + 40 + 64 * 50);
}

/// A loop of many iterations is cut short, and takes as long as its formula says.
#[test]
fn long_loops_are_cut_short() {
    let n = 1_000_000;
    let nest = one_level(n, (30, 20), 25, 2);
    let (whole, work) = (50, 25);
    let runs = (n as u64 - 1) / 2;
    let expected = (runs + 1) * (whole + work) + (n as u64 - 1 - runs * 2) * 25;
    assert_eq!(cycles(&nest), expected);
}

/// The device with a link of 8 bytes a cycle between its memories.
fn device_with_link() -> Device {
    let link = "[[link]]\nname = \"port\"\nbytes_per_cycle = 8\n[[engine]]\nname = \"odma\"";
    let routes = "routes = [[\"dram\", \"sram\"], [\"sram\", \"dram\"]]";
    let text = DEVICE.replacen("[[engine]]\nname = \"odma\"", link, 1).replacen(
        routes,
        &format!("{routes}\nlinks = {{ dram = \"port\" }}"),
        1,
    );
    Device::from_toml(&text, "link.toml", &[]).unwrap()
}

/// Loads of 400 bytes on either of two engines, whose time is that of the link however deep the pipeline is: what waits
/// for the link does not hold its engine.
#[test]
fn a_link_is_shared_without_a_gap() {
    let device = device_with_link();
    for depth in [2, 8, 64] {
        let mut nest = one_level(200, (0, 0), 0, depth);
        nest.price(|CommandId(at), _| match at {
            0 => (0..2)
                .map(|engine| Way {
                    engine,
                    latency: 30,
                    occupancy: 20,
                    bytes: 400.0,
                    links: vec![0],
                })
                .collect(),
            _ => way(2, 0, 1),
        })
        .unwrap();
        let versions = versions(&nest, &device, Depth::Stages(1));
        let cycles = predict(&nest, &device, &versions).unwrap().cycles;
        // The first latency, 200 crossings of 50 cycles, and the last use; with two versions, uses between them.
        assert!(
            (30 + 200 * 50 + 1..=30 + 200 * 51 + 1).contains(&cycles),
            "{depth}: {cycles}"
        );
        assert!(lower_bound(&nest, &device).cycles <= cycles);
    }
}

/// A transfer beside a loop goes in as many pieces as pay, one of a loop stays whole.
#[test]
fn transfers_beside_loops_go_in_pieces() {
    let device = device();
    let mut nest = one_level(1, (0, 0), 0, 1);
    nest.commands.push(command("store", Vec::new(), vec![part(0)]));
    nest.body.push(Step::Command(CommandId(2)));
    nest.price(|CommandId(at), _| match at {
        1 => way(2, 0, 10),
        _ => (0..2).flat_map(|engine| way(engine, 0, 100)).collect(),
    })
    .unwrap();
    let versions = versions(&nest, &device, Depth::Stages(2));
    assert_eq!(versions.pieces, [1, 1, 2]);
    assert_eq!(predict(&nest, &device, &versions).unwrap().cycles, 100 + 10 + 50);
}
