//! Iterations side by side: what the model says of them, and what its bound leaves room for.

// A part of what the tests of formulas need is not used here.
#[allow(dead_code)]
mod support;

use support::{buffer, command, device, loop_of, part, way};
use zpu_model::{BufferId, CommandId, Depth, Expr, Nest, Operand, Step, Storage, ValueId, lower_bound, predict_best};

/// Outer iterations.
const OUTER: u64 = 8;

/// Inner iterations of each.
const INNER: u64 = 64;

/// Cycles of a load or store.
const LOAD: u64 = 40;

/// Cycles of a product.
const PRODUCT: u64 = 10;

fn outside(at: usize, offsets: &[usize]) -> Operand {
    Operand {
        storage: Storage::External(at),
        offsets: offsets.iter().map(|value| Expr::Value(ValueId(*value))).collect(),
    }
}

/// For each of 8 columns, 64 times: a tile of A that all columns need, a tile of B, their product; then C is stored.
/// One engine moves all tiles.
fn products() -> Nest {
    let mut nest = Nest {
        values: 2,
        externals: 3,
        side_by_side: true,
        buffers: vec![buffer(1), buffer(2), buffer(2)],
        commands: vec![
            command("a", vec![outside(0, &[1])], vec![part(1)]),
            command("b", vec![outside(1, &[0, 1])], vec![part(2)]),
            command("product", vec![part(0), part(1), part(2)], vec![part(0)]),
            command("store", vec![part(0)], vec![outside(2, &[0])]),
        ],
        body: vec![loop_of(
            0,
            OUTER as i64,
            vec![
                Step::Allocate(BufferId(0)),
                loop_of(
                    1,
                    INNER as i64,
                    vec![
                        Step::Allocate(BufferId(1)),
                        Step::Command(CommandId(0)),
                        Step::Allocate(BufferId(2)),
                        Step::Command(CommandId(1)),
                        Step::Command(CommandId(2)),
                    ],
                ),
                Step::Command(CommandId(3)),
            ],
        )],
        ..Nest::default()
    };
    price(&mut nest);
    nest
}

fn price(nest: &mut Nest) {
    nest.price(|CommandId(at), _| match at {
        2 => way(2, 0, PRODUCT),
        _ => way(0, 0, LOAD),
    })
    .unwrap();
}

fn cycles(nest: &Nest) -> u64 {
    predict_best(nest, &device(), Depth::Auto).unwrap().cycles
}

/// The loads of all tiles and the stores, with a tile of A for so many columns.
fn transfers(columns: u64) -> u64 {
    (OUTER / columns * INNER + OUTER * INNER + OUTER) * LOAD
}

#[test]
fn one_load_does_for_four_columns() {
    let nest = products();
    // The engine waits for the last products before it stores them.
    let end = 4 * PRODUCT;
    assert!(
        (transfers(4)..=transfers(4) + end).contains(&cycles(&nest)),
        "{}",
        cycles(&nest)
    );
    assert!(lower_bound(&nest, &device()).cycles <= transfers(4));
    assert!(lower_bound(&nest, &device()).cycles > transfers(5));
}

/// The number of columns decides how many can be side by side.
#[test]
fn what_would_be_left_over_is_not_side_by_side() {
    let mut nest = products();
    if let Step::Loop { upper, .. } = &mut nest.body[0] {
        *upper = Expr::Constant(7);
    }
    price(&mut nest);
    let whole = (7 * 2 * INNER + 7) * LOAD;
    assert!(cycles(&nest) >= whole);
    assert!(lower_bound(&nest, &device()).cycles >= whole);
}

#[test]
fn nothing_is_side_by_side_where_the_compiler_may_not() {
    let mut told = products();
    told.side_by_side = false;
    let mut unclear = products();
    unclear.overlapping = vec![(1, 2)];
    let mut one_place = products();
    one_place.commands[3].writes = vec![outside(2, &[])];
    for nest in [told, unclear] {
        assert!(cycles(&nest) >= transfers(1));
        assert!(lower_bound(&nest, &device()).cycles >= transfers(1));
    }
    // The bound does not ask what the iterations have in common.
    assert!(cycles(&one_place) >= transfers(1));
}

/// A tile that a column computes for itself is no one else's.
#[test]
fn what_depends_on_the_column_is_not_shared() {
    let mut nest = products();
    nest.commands[0].reads = vec![outside(0, &[0])];
    assert!(cycles(&nest) >= transfers(1));
    assert!(lower_bound(&nest, &device()).cycles >= transfers(1));
}

/// Side by side, the equal loads of one body are one as well.
#[test]
fn equal_loads_of_one_body_count_once() {
    let mut nest = products();
    nest.commands.push(command("a", vec![outside(0, &[1])], vec![part(3)]));
    nest.buffers.push(buffer(2));
    if let Step::Loop { body, .. } = &mut nest.body[0]
        && let Step::Loop { body, .. } = &mut body[1]
    {
        body.extend([Step::Allocate(BufferId(3)), Step::Command(CommandId(4))]);
    }
    price(&mut nest);
    let bound = lower_bound(&nest, &device()).cycles;
    assert!(bound <= transfers(4), "{bound}");
}

/// Tiles that each iteration loads anew may be allocated anywhere.
#[test]
fn where_a_tile_is_allocated_makes_no_difference() {
    let mut outside = products();
    if let Step::Loop { body, .. } = &mut outside.body[0]
        && let Step::Loop { body, .. } = &mut body[1]
    {
        body.retain(|step| !matches!(step, Step::Allocate(_)));
    }
    let tiles = [BufferId(1), BufferId(2)];
    outside.body.splice(0..0, tiles.map(Step::Allocate));
    for BufferId(tile) in tiles {
        outside.buffers[tile].depth = 0;
    }
    assert_eq!(cycles(&outside), cycles(&products()));
}

/// Two parts of a buffer are loaded, 40 cycles each, and 41 cycles of work read one of them: the other part may be
/// loaded beside it. Work that reads both waits for both.
#[test]
fn the_reader_of_a_part_waits_for_no_other_part() {
    let at = |offset: i64| Operand {
        offsets: vec![Expr::Constant(offset)],
        ..part(0)
    };
    let bound = |read: Operand| {
        let mut nest = Nest {
            buffers: vec![buffer(0)],
            commands: vec![
                command("load", Vec::new(), vec![at(0)]),
                command("load", Vec::new(), vec![at(8)]),
                command("use", vec![read], Vec::new()),
            ],
            body: vec![
                Step::Allocate(BufferId(0)),
                Step::Command(CommandId(0)),
                Step::Command(CommandId(1)),
                Step::Command(CommandId(2)),
            ],
            ..Nest::default()
        };
        let ways = |CommandId(at): CommandId, _: &[i64]| if at == 2 { way(2, 0, 41) } else { way(0, 0, 40) };
        nest.price(ways).unwrap();
        lower_bound(&nest, &device()).cycles
    };
    assert_eq!(bound(at(0)), 40 + 41);
    assert_eq!(bound(at(8)), 40 + 41);
    assert_eq!(bound(part(0)), 2 * 40 + 41);
}
