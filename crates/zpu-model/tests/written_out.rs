//! Runs that are written out whole: what the model says of the order of their commands.

// A part of what the tests of formulas need is not used here.
#[allow(dead_code)]
mod support;

use support::{buffer, command, device, loop_of, part, way};
use zpu_device::Device;
use zpu_model::{BufferId, CommandId, Depth, Nest, Operand, Step, Storage, predict_best};

/// Cycles of a load.
const LOAD: u64 = 40;

/// Cycles of a product.
const PRODUCT: u64 = 100;

/// Iterations of each loop.
const TRIPS: i64 = 4;

/// A loop of loads that nobody waits for, and one of loads and the products of them. One engine does all loads.
fn two_loops(trips: i64) -> Nest {
    let outside = |at: usize| Operand {
        storage: Storage::External(at),
        offsets: Vec::new(),
    };
    let mut nest = Nest {
        values: 2,
        externals: 2,
        buffers: vec![buffer(1), buffer(1), buffer(0)],
        commands: vec![
            command("idle", vec![outside(0)], vec![part(0)]),
            command("load", vec![outside(1)], vec![part(1)]),
            command("product", vec![part(1), part(2)], vec![part(2)]),
        ],
        body: vec![
            loop_of(0, trips, vec![Step::Allocate(BufferId(0)), Step::Command(CommandId(0))]),
            loop_of(
                1,
                trips,
                vec![
                    Step::Allocate(BufferId(1)),
                    Step::Command(CommandId(1)),
                    Step::Command(CommandId(2)),
                ],
            ),
        ],
        ..Nest::default()
    };
    nest.price(|CommandId(at), _| match at {
        2 => way(2, 0, PRODUCT),
        _ => way(0, 0, LOAD),
    })
    .unwrap();
    nest
}

fn cycles(nest: &Nest, depth: Depth) -> u64 {
    predict_best(nest, &device(), depth).unwrap().cycles
}

/// The cycles with all loads in the order in which they are written.
fn in_order(trips: i64) -> u64 {
    let trips = trips.unsigned_abs();
    trips * LOAD + LOAD + trips * PRODUCT
}

#[test]
fn what_the_longest_chain_waits_for_comes_first() {
    let nest = two_loops(TRIPS);
    let products = TRIPS.unsigned_abs() * PRODUCT;
    assert_eq!(cycles(&nest, Depth::Auto), LOAD + products);
    assert_eq!(cycles(&nest, Depth::Stages(2)), LOAD + products);
}

/// A loop with a number of stages of its own stays, and so does a long run, or one without overlap.
#[test]
fn a_loop_that_stays_has_its_order() {
    let mut told = two_loops(TRIPS);
    told.buffers[1].stages = Some(3);
    assert_eq!(cycles(&told, Depth::Auto), in_order(TRIPS));
    assert!(cycles(&two_loops(TRIPS), Depth::Stages(1)) >= in_order(TRIPS));
    let long = 200;
    assert_eq!(cycles(&two_loops(long), Depth::Auto), in_order(long));
}

/// With room for one tile only, a load waits for the product before it.
#[test]
fn buffers_without_room_are_used_in_turn() {
    let mut nest = two_loops(TRIPS);
    let room = device().memories[0].bytes;
    nest.buffers[1].bytes = room - 64 * 8;
    let each = LOAD + PRODUCT;
    assert_eq!(cycles(&nest, Depth::Auto), TRIPS.unsigned_abs() * each);
}

/// Only transfers go in pieces: a computation beside loops stays whole, also where two engines could do it.
#[test]
fn a_computation_stays_whole() {
    let two = support::DEVICE.replace("kind = \"vector\"", "kind = \"vector\"\ncount = 2");
    let device = Device::from_toml(&two, "two-vectors.toml", &[]).unwrap();
    let mut nest = two_loops(TRIPS);
    let last = CommandId(nest.commands.len());
    nest.commands.push(command("sum", vec![part(2)], vec![part(2)]));
    nest.body.push(Step::Command(last));
    let long = 1_000;
    nest.price(|id, _| match id.0 {
        3 => [way(2, 0, long), way(3, 0, long)].concat(),
        2 => way(2, 0, PRODUCT),
        _ => way(0, 0, LOAD),
    })
    .unwrap();
    let prediction = predict_best(&nest, &device, Depth::Auto).unwrap();
    assert_eq!(prediction.cycles, LOAD + TRIPS.unsigned_abs() * PRODUCT + long);
}
