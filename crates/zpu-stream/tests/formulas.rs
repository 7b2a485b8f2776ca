//! Each formula over a range of sizes, against the brute force; and that it is the formula that decides.

mod common;

use common::compare::agree;
use common::random::{Random, shape, window};
use zpu_stream::fork::Fork;
use zpu_stream::order::{Map, Order};
use zpu_stream::verdict::{Edge, Method, Sizes, Verdict};

fn order(loops: &[i64], map: &str, token: &[i64]) -> Order {
    Order::new(loops.to_vec(), map.parse().expect("a map"), token.to_vec())
}

fn decided(tensor: &[i64], producer: &Order, consumer: &Order) -> Edge {
    let fork = Fork::pair(tensor.to_vec(), producer.clone(), consumer.clone());
    let answer = agree(&fork).unwrap_or_else(|error| panic!("{error}"));
    answer.edges[0].clone()
}

fn by_formula(tensor: &[i64], producer: &Order, consumer: &Order) -> (Verdict, Sizes) {
    let edge = decided(tensor, producer, consumer);
    assert_eq!(edge.method, Method::Formula, "{tensor:?} {producer:?} {consumer:?}");
    (edge.verdict, edge.sizes.expect("sizes"))
}

#[test]
fn exchanges_of_rows_and_columns() {
    for x in 2..8 {
        for y in 2..8 {
            let columns = order(&[y, x], "(j, i) -> (i, j)", &[1, 1]);
            let (_, sizes) = by_formula(&[x, y], &Order::rows(&[x, y]), &columns);
            assert_eq!(sizes.min_capacity, ((x - 1) * (y - 1) + 1) as u128);
            assert_eq!(sizes.circular_span, ((x - 1) * y) as u128);
        }
    }
}

#[test]
fn exchanges_of_tiles() {
    for (x, y, a, b) in [(2, 2, 2, 1), (3, 2, 1, 2), (2, 4, 2, 3), (4, 3, 3, 2), (5, 2, 2, 2)] {
        let rows = order(&[x, y], &format!("(i, j) -> ({a} * i, {b} * j)"), &[a, b]);
        let columns = order(&[y, x], &format!("(j, i) -> ({a} * i, {b} * j)"), &[a, b]);
        by_formula(&[x * a, y * b], &rows, &columns);
        by_formula(&[x * a, y * b], &rows, &columns.with_lanes(vec![1, 0]));
    }
}

#[test]
fn gearboxes_of_any_widths() {
    for a in 1..9i64 {
        for b in 1..9i64 {
            let common = (1..=a).filter(|n| a % n == 0 && b % n == 0).max().unwrap_or(1);
            let length = a * b / common * 2;
            let vectors = |width: i64| order(&[length / width], &format!("(i) -> ({width} * i)"), &[width]);
            let (verdict, sizes) = by_formula(&[length], &vectors(a), &vectors(b));
            assert_eq!(sizes.min_capacity, (a + b - common) as u128, "{a} -> {b}");
            assert_eq!(verdict == Verdict::Stream, a == b);
        }
    }
}

#[test]
fn vectors_that_run_backward_are_no_gearbox() {
    for (a, b) in [(2, 3), (3, 2), (4, 6), (1, 3), (3, 3)] {
        let length = 12;
        let vectors = |width: i64, is_backward: bool| {
            let map = if is_backward {
                format!("(i) -> ({} - {width} * i)", length - width)
            } else {
                format!("(i) -> ({width} * i)")
            };
            order(&[length / width], &map, &[width])
        };
        for (producer, consumer) in [(true, false), (false, true), (true, true)] {
            decided(&[length], &vectors(a, producer), &vectors(b, consumer));
        }
    }
}

#[test]
fn gearboxes_beside_other_dimensions() {
    for (a, b, rest) in [(2, 3, 2), (4, 6, 2), (3, 2, 3), (6, 4, 1)] {
        let length = 12;
        let side = |width: i64, token: i64| {
            let map = format!("(k, i) -> (k, {width} * i, 0)");
            order(&[2, length / width], &map, &[1, width, token])
        };
        let (_, sizes) = by_formula(&[2, length, rest], &side(a, rest), &side(b, rest));
        assert_eq!(sizes.epochs % 2, 0);
        // Where the vector is not the slowest lane a token is released in pieces.
        let turned = |width: i64| side(width, rest).with_lanes(vec![2, 1, 0]);
        decided(&[2, length, rest], &turned(a), &turned(b));
    }
}

#[test]
fn windows_of_any_size() {
    for (height, width) in [(1, 6), (3, 4), (4, 3), (5, 5), (6, 2)] {
        for high in 1..=height {
            for wide in 1..=width {
                let window = order(
                    &[height - high + 1, width - wide + 1],
                    "(i, j) -> (i, j)",
                    &[high, wide],
                );
                let (_, sizes) = by_formula(&[height, width], &Order::rows(&[height, width]), &window);
                if high > 1 {
                    assert_eq!(sizes.min_capacity, ((high - 1) * width + wide) as u128);
                }
            }
        }
    }
}

#[test]
fn windows_in_three_dimensions_and_in_tiles() {
    let shape = [3, 4, 3];
    for high in 1..=3 {
        for wide in 1..=4 {
            for deep in 1..=3 {
                let loops = [4 - high, 5 - wide, 4 - deep];
                let window = order(&loops, "(k, i, j) -> (k, i, j)", &[high, wide, deep]);
                by_formula(&shape, &Order::rows(&shape), &window);
                // The same in tiles of two by one by three, with the dimensions written in another order.
                let tiles = order(&[4, 3], "(i, k) -> (2 * k, i, 0)", &[2, 1, 3]);
                let moved = order(&[5 - wide, 4 - high], "(i, k) -> (2 * k, i, 0)", &[2 * high, wide, 3]);
                by_formula(&[6, 4, 3], &tiles, &moved);
            }
        }
    }
}

/// The window with places as far as they go, or one more of them if it reaches over the border.
fn places(extent: i64, width: i64, step: i64, dilation: i64, halo: i64) -> i64 {
    (extent + 2 * halo - (width - 1) * dilation - 1) / step + 1
}

#[test]
fn windows_with_steps_dilation_and_halo() {
    let (mut by_formula, mut cases) = (0, 0);
    let rows = Order::rows(&[6, 7]);
    for (high, wide) in [(1, 3), (2, 1), (2, 2), (3, 2), (3, 3)] {
        for (down, right) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (2, 3)] {
            for (dilation, halo) in [(1, 0), (1, 1), (2, 0), (2, 1), (2, 2)] {
                let trips = [
                    places(6, high, down, dilation, halo),
                    places(7, wide, right, dilation, halo),
                ];
                if trips.iter().any(|&trip| trip < 1) {
                    continue;
                }
                let map = format!("(i, j) -> ({down} * i - {halo}, {right} * j - {halo})");
                let window = order(&trips, &map, &[high, wide]).with_dilation(vec![dilation, dilation]);
                let edge = decided(&[6, 7], &rows, &window);
                cases += 1;
                by_formula += usize::from(edge.method != Method::Sweep);
            }
        }
    }
    assert!(by_formula * 10 >= cases * 6, "{by_formula} of {cases}");
}

#[test]
fn convolutions_with_steps_in_channels_and_tiles() {
    for (width, step, channels) in [(3, 2, 2), (2, 1, 3), (3, 1, 2), (4, 2, 2)] {
        let shape = [2, 6, 6, channels];
        let trip = (6 - width) / step + 1;
        let map = format!("(b, i, j) -> (b, {step} * i, {step} * j, 0)");
        let window = order(&[2, trip, trip], &map, &[1, width, width, channels]);
        let edge = decided(&shape, &Order::rows(&shape), &window);
        assert_ne!(edge.method, Method::Sweep, "{width} {step} {channels}");
        let pixels = order(&[2, 6, 6], "(b, i, j) -> (b, i, j, 0)", &[1, 1, 1, channels]);
        let edge = decided(&shape, &pixels, &window);
        assert_ne!(edge.method, Method::Sweep, "{width} {step} {channels}");
    }
}

#[test]
fn rows_that_are_turned() {
    for (rows, n) in [(1, 5), (2, 6), (3, 4), (5, 7), (8, 3), (9, 2)] {
        for by in -2..5 {
            for from in 0..4 {
                let map = format!("(i, j) -> (i, ({by} * i + j + {from}) mod {n})");
                let edge = decided(&[rows, n], &Order::rows(&[rows, n]), &order(&[rows, n], &map, &[1, 1]));
                assert_eq!(edge.method, Method::Formula, "{rows} {n} {by} {from}");
                let most = (0..rows).map(|i| (by * i + from).rem_euclid(n)).max().unwrap_or(0);
                assert_eq!(edge.sizes.expect("sizes").min_capacity, most as u128 + 1);
                let map = format!("(k, i, j) -> (k, i, (j + {by} * i + {from} * k) mod {n})");
                let deep = order(&[2, rows, n], &map, &[1, 1, 1]);
                decided(&[2, rows, n], &Order::rows(&[2, rows, n]), &deep);
            }
        }
    }
}

#[test]
fn random_windows_over_rows() {
    let (mut by_formula, cases) = (0, 2000);
    for seed in 0..cases {
        let mut random = Random::new(seed);
        let tensor = shape(&mut random, 60);
        let window = window(&mut random, &tensor);
        let edge = decided(&tensor, &Order::rows(&tensor), &window);
        by_formula += u64::from(edge.method != Method::Sweep);
    }
    assert!(by_formula * 100 >= cases * 55, "{by_formula} of {cases}");
}

#[test]
fn a_large_window_with_steps_is_decided_by_its_tables() {
    let rows = Order::rows(&[2048, 2048]);
    let window = order(&[1024, 1024], "(i, j) -> (2 * i - 1, 2 * j - 1)", &[3, 3]);
    let fork = Fork::pair(vec![2048, 2048], rows, window);
    let answer = zpu_stream::analyze(&fork, zpu_stream::Limits::default()).expect("decided");
    let (edge, sizes) = (&answer.edges[0], answer.edges[0].sizes.as_ref().expect("sizes"));
    // The last two rows are read by one row of places alone, which is done with the later one's begin first.
    assert_eq!((edge.verdict, edge.method), (Verdict::ReorderFull, Method::Formula));
    let swept = zpu_stream::Limits {
        use_formulas: false,
        ..zpu_stream::Limits::default()
    };
    let swept = zpu_stream::analyze(&fork, swept).expect("decided");
    assert_eq!(swept.edges[0].verdict, edge.verdict);
    assert_eq!(Some(sizes), swept.edges[0].sizes.as_ref());
}

#[test]
fn chains_of_64_dimensions() {
    let shape = vec![4; 60];
    let rows = Order::rows(&shape);
    let mut turned = Order::rows(&shape);
    turned.map.results.swap(58, 59);
    let fork = Fork::pair(shape, rows, turned);
    let answer = zpu_stream::analyze(&fork, zpu_stream::Limits::default()).expect("decided");
    let sizes = answer.edges[0].sizes.as_ref().expect("sizes");
    assert_eq!((sizes.min_capacity, sizes.epochs, sizes.is_exact), (10, 1 << 116, true));
}

#[test]
fn flat_loops_and_strip_mining_are_digits() {
    let rows = Order::rows(&[6, 8]);
    for map in [
        "(d) -> (d floordiv 8, d mod 8)",
        "(d) -> ((d * 2) floordiv 16, (d * 3) mod 24 floordiv 3)",
        "(d) -> (d floordiv 4 floordiv 2, d mod 4 + d floordiv 4 mod 2 * 4)",
        "(d) -> ((d + 8) floordiv 8 - 1, d mod 8)",
    ] {
        let flat = order(&[48], map, &[1, 1]);
        let (verdict, _) = by_formula(&[6, 8], &rows, &flat);
        assert_eq!(verdict, Verdict::Stream, "{map}");
    }
}

#[test]
fn maps_print_as_they_are_read() {
    for text in [
        "(d0, d1) -> (d0 * 2 + d1 mod 3, (d0 + d1) floordiv 4, 7)",
        "() -> (0)",
        "(d0) -> (d0 + -3)",
    ] {
        let map: Map = text.parse().expect("a map");
        assert_eq!(map.to_string(), text);
        assert_eq!(map.to_string().parse::<Map>(), Ok(map));
    }
    let wrapped: Map = "affine_map<(a) -> (-a + 2 - 3 * (a - 1))>".parse().expect("a map");
    assert_eq!(wrapped.evaluate(&[4]), Some(vec![-11]));
    let rounded: Map = "(a) -> (a ceildiv 3, (-a) floordiv 3, (-a) mod 3)"
        .parse()
        .expect("a map");
    assert_eq!(rounded.evaluate(&[4]), Some(vec![2, -2, 2]));
}
