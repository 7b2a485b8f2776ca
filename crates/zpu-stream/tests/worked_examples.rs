//! The worked examples of `docs/access-orders.md` with their numbers.

mod common;

use common::compare::agree;
use zpu_stream::fork::{Consumer, ConsumerId, Fork};
use zpu_stream::order::Order;
use zpu_stream::verdict::Verdict::{self, *};
use zpu_stream::{Limits, analyze};

fn order(loops: &[i64], map: &str, token: &[i64]) -> Order {
    Order::new(loops.to_vec(), map.parse().expect("a map"), token.to_vec())
}

/// Verdict, capacity, span, number of blocks, shape of a block, moduli.
type Row<'a> = (Verdict, u128, u128, u128, &'a [i64], &'a [i64]);

fn check(tensor: &[i64], producer: Order, consumer: Order, (verdict, cap, span, epochs, block, modulo): Row<'_>) {
    let answer = agree(&Fork::pair(tensor.to_vec(), producer, consumer)).unwrap_or_else(|error| panic!("{error}"));
    let edge = &answer.edges[0];
    let sizes = edge.sizes.as_ref().expect("sizes");
    let found: Row<'_> = (
        edge.verdict,
        sizes.min_capacity,
        sizes.circular_span,
        sizes.epochs,
        &sizes.block_shape,
        &sizes.modulo_shape,
    );
    assert_eq!(found, (verdict, cap, span, epochs, block, modulo));
}

#[test]
fn strip_mined_rows_stream() {
    let consumer = order(&[3, 5, 2], "(a, b, c) -> (a, 2 * b + c)", &[1, 1]);
    check(
        &[3, 10],
        Order::rows(&[3, 10]),
        consumer,
        (Stream, 1, 1, 30, &[1, 1], &[1, 1]),
    );
}

#[test]
fn a_flat_loop_streams() {
    let consumer = order(&[30], "(d) -> (d floordiv 6, d mod 6)", &[1, 1]);
    check(
        &[5, 6],
        Order::rows(&[5, 6]),
        consumer,
        (Stream, 1, 1, 30, &[1, 1], &[1, 1]),
    );
}

#[test]
fn other_lanes_are_permuted() {
    let tiles = order(&[2, 3], "(i, j) -> (3 * i, 2 * j)", &[3, 2]);
    let consumer = tiles.clone().with_lanes(vec![1, 0]);
    check(&[6, 6], tiles, consumer, (LanePermute, 6, 6, 6, &[3, 2], &[3, 2]));
}

#[test]
fn an_element_read_three_times_in_a_row_is_held() {
    check(
        &[5],
        Order::rows(&[5]),
        order(&[5, 3], "(i, r) -> (i)", &[1]),
        (Hold, 1, 1, 5, &[1], &[1]),
    );
}

#[test]
fn vectors_of_another_width_are_repacked() {
    let (six, ten) = (
        order(&[5], "(i) -> (6 * i)", &[6]),
        order(&[3], "(i) -> (10 * i)", &[10]),
    );
    check(&[30], six, ten, (Repack, 14, 14, 1, &[30], &[14]));
    let (four, later) = (
        order(&[6], "(i) -> (4 * i)", &[4]),
        order(&[5], "(i) -> (4 * i + 1)", &[4]),
    );
    check(&[24], four, later, (Repack, 7, 7, 1, &[24], &[7]));
    let (six, pairs) = (
        order(&[2], "(i) -> (6 * i)", &[6]),
        order(&[2, 2, 3], "(i, r, j) -> (6 * i + 2 * j)", &[2]),
    );
    check(&[12], six, pairs, (Repack, 6, 6, 2, &[6], &[6]));
}

#[test]
fn two_passes_over_a_row_hold_it() {
    let consumer = order(&[3, 2, 5], "(i, r, j) -> (i, j)", &[1, 1]);
    check(
        &[3, 5],
        Order::rows(&[3, 5]),
        consumer,
        (Window, 5, 5, 3, &[1, 5], &[1, 5]),
    );
}

#[test]
fn windows_hold_rows() {
    let window = order(&[5, 8], "(i, j) -> (i, j)", &[3, 2]);
    check(
        &[7, 9],
        Order::rows(&[7, 9]),
        window,
        (Window, 20, 20, 1, &[7, 9], &[3, 9]),
    );
    let taps = order(&[14], "(i) -> (i)", &[3]).with_dilation(vec![3]);
    check(&[20], Order::rows(&[20]), taps, (Window, 7, 7, 1, &[20], &[7]));
    let taps = order(&[14, 3], "(i, k) -> (i + 3 * k)", &[1]);
    check(&[20], Order::rows(&[20]), taps, (Window, 6, 6, 1, &[20], &[6]));
    let bands = order(&[5], "(i) -> (2 * i - 1, 0)", &[4, 6]);
    check(
        &[10, 6],
        Order::rows(&[10, 6]),
        bands,
        (Window, 24, 24, 1, &[10, 6], &[4, 6]),
    );
}

#[test]
fn a_panel_read_twice_is_held() {
    let tiles = order(&[3, 3], "(i, j) -> (2 * i, 3 * j)", &[2, 3]);
    let twice = order(&[3, 2, 3], "(i, r, j) -> (2 * i, 3 * j)", &[2, 3]);
    check(&[6, 9], tiles, twice, (Window, 18, 18, 3, &[2, 9], &[2, 9]));
}

#[test]
fn blocks_are_reordered() {
    let blocks = order(&[2, 3], "(i, j) -> (3 * i, 3 * j)", &[3, 3]);
    check(
        &[6, 9],
        Order::rows(&[6, 9]),
        blocks,
        (ReorderBlock, 21, 21, 2, &[3, 9], &[3, 9]),
    );
    let turned = order(&[2, 5, 3], "(a, j, i) -> (a, i, j)", &[1, 1, 1]);
    check(
        &[2, 3, 5],
        Order::rows(&[2, 3, 5]),
        turned,
        (ReorderBlock, 9, 10, 2, &[1, 3, 5], &[1, 2, 5]),
    );
    let tiles = order(&[2, 2], "(i, j) -> (6 * i, 4 * j)", &[6, 4]);
    let rows = order(&[12], "(i) -> (i, 0)", &[1, 8]);
    check(&[12, 8], tiles, rows, (ReorderBlock, 48, 48, 2, &[6, 8], &[6, 8]));
    let (across, down) = (
        order(&[6, 2], "(i, j) -> (i, 3 * j)", &[1, 3]),
        order(&[2, 6], "(i, j) -> (3 * i, j)", &[3, 1]),
    );
    check(&[6, 6], across, down, (ReorderBlock, 15, 15, 2, &[3, 6], &[3, 6]));
}

#[test]
fn tensors_are_reordered() {
    let columns = order(&[7, 5], "(j, i) -> (i, j)", &[1, 1]);
    check(
        &[5, 7],
        Order::rows(&[5, 7]),
        columns,
        (ReorderFull, 25, 28, 1, &[5, 7], &[4, 7]),
    );
    let (rows, columns) = (
        order(&[5, 3], "(i, j) -> (2 * i, 2 * j)", &[2, 2]),
        order(&[3, 5], "(j, i) -> (2 * i, 2 * j)", &[2, 2]),
    );
    check(&[10, 6], rows, columns, (ReorderFull, 36, 48, 1, &[10, 6], &[10, 4]));
    let sums = order(&[4, 3, 5], "(k, i, j) -> (i, j)", &[1, 1]);
    let columns = order(&[5, 3], "(j, i) -> (i, j)", &[1, 1]);
    check(&[3, 5], sums, columns, (ReorderFull, 9, 10, 1, &[3, 5], &[2, 5]));
    let upward = order(&[4, 5], "(i, j) -> (3 - i, j)", &[1, 1]);
    check(
        &[4, 5],
        Order::rows(&[4, 5]),
        upward,
        (ReorderFull, 16, 20, 1, &[4, 5], &[4, 5]),
    );
}

#[test]
fn an_element_that_is_never_written_is_named() {
    let fork = Fork::pair(vec![6], order(&[5], "(i) -> (i)", &[1]), Order::rows(&[6]));
    let answer = agree(&fork).expect("agrees");
    assert_eq!(answer.edges[0].verdict, Incompatible);
    let reason = answer.edges[0].reason.as_ref().map(ToString::to_string);
    assert_eq!(reason.as_deref(), Some("reads element [5], which is never written"));
}

fn fork(tensor: &[i64], consumers: Vec<Consumer>) -> Fork {
    Fork {
        name: String::new(),
        tensor: tensor.to_vec(),
        producer: Order::rows(tensor),
        consumers,
    }
}

#[test]
fn one_buffer_serves_rows_and_columns() {
    let columns = || Consumer::new("columns", order(&[7, 5], "(j, i) -> (i, j)", &[1, 1]));
    let readers = vec![Consumer::new("rows", Order::rows(&[5, 7])), columns(), columns()];
    let answer = agree(&fork(&[5, 7], readers)).expect("agrees");
    let verdicts: Vec<Verdict> = answer.edges.iter().map(|edge| edge.verdict).collect();
    assert_eq!(verdicts, [Stream, ReorderFull, ReorderFull]);
    assert_eq!(answer.groups, [vec![ConsumerId(0)], vec![ConsumerId(1), ConsumerId(2)]]);
    let shared = answer.shared.expect("a buffer");
    assert_eq!(
        (shared.sizes.min_capacity, shared.separate, shared.is_smaller()),
        (25, 26, true)
    );
    assert_eq!(shared.verdict, ReorderFull);
}

#[test]
fn a_gate_makes_a_stream_hold_a_row() {
    let sum = Consumer::new("sum", order(&[3, 7], "(i, j) -> (i, j)", &[1, 1]));
    let scale = Consumer::new("scale", Order::rows(&[3, 7])).gated(ConsumerId(0), 1);
    let answer = agree(&fork(&[3, 7], vec![sum, scale])).expect("agrees");
    assert!(answer.edges.iter().all(|edge| edge.verdict == Stream));
    let held = |at: usize| answer.edges[at].sizes.as_ref().map(|sizes| sizes.min_capacity);
    assert_eq!((held(0), held(1)), (Some(1), Some(7)));
}

#[test]
fn a_window_and_its_skip_share_a_buffer() {
    let window = Consumer::new("window", order(&[4, 5], "(i, j) -> (i, j)", &[3, 3]));
    let skip = Consumer::new("skip", order(&[4, 5], "(i, j) -> (i + 1, j + 1)", &[1, 1])).gated(ConsumerId(0), 2);
    let answer = agree(&fork(&[6, 7], vec![window, skip])).expect("agrees");
    let held = |at: usize| answer.edges[at].sizes.as_ref().map(|sizes| sizes.min_capacity);
    let shared = answer
        .shared
        .as_ref()
        .map(|shared| (shared.sizes.min_capacity, shared.separate));
    assert_eq!((held(0), held(1), shared), (Some(17), Some(7), Some((17, 24))));
}

#[test]
fn whole_blocks_at_size() {
    let tiles = |n: i64| {
        let map = format!("(i, j) -> ({n} * i, {n} * j)");
        order(&[2048 / n, 2048 / n], &map, &[n, n])
    };
    let columns = order(&[32, 32], "(j, i) -> (64 * i, 64 * j)", &[64, 64]);
    let rows = order(&[2048], "(i) -> (i, 0)", &[1, 2048]);
    let across = order(&[2048, 64], "(i, j) -> (i, 32 * j)", &[1, 32]);
    let down = order(&[64, 2048], "(i, j) -> (32 * i, j)", &[32, 1]);
    // Elements of two bytes.
    const KIB: u128 = 1024 / 2;
    let cases = [
        (tiles(128), tiles(64), 512 * KIB, 272 * KIB),
        (rows.clone(), tiles(64), 256 * KIB, 256 * KIB),
        (tiles(64), rows, 256 * KIB, 256 * KIB),
        (across, down, 128 * KIB, 31 * 2048 + 32),
        (tiles(64), columns, 8192 * KIB, 7696 * KIB),
    ];
    for (producer, consumer, block, capacity) in cases {
        let fork = Fork::pair(vec![2048, 2048], producer, consumer);
        for use_formulas in [true, false] {
            let limits = Limits {
                use_formulas,
                ..Limits::default()
            };
            let answer = analyze(&fork, limits).expect("decided");
            let sizes = answer.edges[0].sizes.as_ref().expect("sizes");
            let volume: i64 = sizes.block_shape.iter().product();
            assert_eq!(
                (volume as u128, sizes.min_capacity, sizes.is_exact),
                (block, capacity, true)
            );
        }
    }
}
