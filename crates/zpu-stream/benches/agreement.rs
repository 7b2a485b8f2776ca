//! Formulas and sweep against the brute force at size, what single edges cost, and layouts against all choices.
//! `cargo bench -p zpu-stream [-- PAIRS FORKS]`; 100,000 and 10,000 if nothing is said.

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::time::Instant;

use common::compare::agree;
use common::layouts::{exhaustive, graph};
use common::random::{Random, fork, hard_pair, pair};
use zpu_stream::fork::Fork;
use zpu_stream::layout::{assign, vote};
use zpu_stream::order::{Map, Order};
use zpu_stream::verdict::Method;
use zpu_stream::{Limits, analyze};

fn main() {
    let numbers: Vec<u64> = std::env::args().filter_map(|text| text.parse().ok()).collect();
    let pairs = numbers.first().copied().unwrap_or(100_000);
    let forks = numbers.get(1).copied().unwrap_or(10_000);
    println!("| random | cases | gated | incompatible | differences | by formula | blocks by formula | swept |");
    println!("|---|---|---|---|---|---|---|---|");
    compare("pairs of up to 60 elements", pairs, |seed| {
        pair(&mut Random::new(seed), 60)
    });
    compare("pairs, half of them windows and skewed walks", pairs, |seed| {
        hard_pair(&mut Random::new(seed), 60)
    });
    compare("forks of up to 40 elements", forks, |seed| {
        fork(&mut Random::new(seed), 40)
    });
    println!("\n| edge of 2048 x 2048 | verdict | min_capacity | moduli | formulas, ms | sweep, ms |");
    println!("|---|---|---|---|---|---|");
    for (name, fork) in large() {
        time(name, &fork);
    }
    chains();
    layouts(forks);
}

fn compare(name: &str, cases: u64, make: impl Fn(u64) -> Fork) {
    let mut differences = 0;
    let mut gated = 0;
    let mut incompatible = 0;
    let mut methods: BTreeMap<u8, u64> = BTreeMap::new();
    let mut edges = 0;
    for seed in 0..cases {
        let fork = make(seed);
        gated += u64::from(fork.consumers.iter().any(|consumer| consumer.gate.is_some()));
        match agree(&fork) {
            Ok(answer) => {
                for edge in &answer.edges {
                    edges += 1;
                    incompatible += u64::from(edge.sizes.is_none());
                    *methods.entry(edge.method as u8).or_default() += 1;
                }
            }
            Err(error) => {
                differences += 1;
                eprintln!("seed {seed}: {error}");
            }
        }
    }
    let share =
        |method: Method| 100.0 * methods.get(&(method as u8)).copied().unwrap_or(0) as f64 / f64::from(edges.max(1));
    println!(
        "| {name} | {cases} | {gated} | {incompatible} | {differences} | {:.1} % | {:.1} % | {:.1} % |",
        share(Method::Formula),
        share(Method::BlockSweep),
        share(Method::Sweep)
    );
}

/// Milliseconds of the least of some runs, and its result: those of the processor, so that a busy machine does not
/// change the numbers, or of the wall where they are too few for the system to count.
fn least<T>(run: impl Fn() -> T) -> (f64, T) {
    let processor = || {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        text.split_whitespace()
            .next()
            .and_then(|text| text.parse::<f64>().ok())
            .unwrap_or(0.0)
            / 1e6
    };
    let mut best = None;
    for _ in 0..5 {
        let (begin, counted) = (Instant::now(), processor());
        let result = run();
        let (wall, counted) = (begin.elapsed().as_secs_f64() * 1e3, processor() - counted);
        let milliseconds = if wall > 20.0 { counted } else { wall };
        if best.as_ref().is_none_or(|(least, _)| milliseconds < *least) {
            best = Some((milliseconds, result));
        }
    }
    best.expect("it ran")
}

fn order(loops: &[i64], map: &str, token: &[i64]) -> Order {
    Order::new(loops.to_vec(), map.parse().expect("a map"), token.to_vec())
}

fn tiles(n: i64) -> Order {
    order(&[2048 / n, 2048 / n], &format!("(i, j) -> ({n} * i, {n} * j)"), &[n, n])
}

fn large() -> Vec<(&'static str, Fork)> {
    let rows = order(&[2048], "(i) -> (i, 0)", &[1, 2048]);
    let single = Order::rows(&[2048, 2048]);
    let pair = |producer: &Order, consumer: Order| Fork::pair(vec![2048, 2048], producer.clone(), consumer);
    vec![
        ("128x128 tiles -> 64x64 tiles", pair(&tiles(128), tiles(64))),
        ("rows -> 64x64 tiles", pair(&rows, tiles(64))),
        ("64x64 tiles -> rows", pair(&tiles(64), rows.clone())),
        (
            "1x32 vectors -> 32x1 vectors",
            pair(
                &order(&[2048, 64], "(i, j) -> (i, 32 * j)", &[1, 32]),
                order(&[64, 2048], "(i, j) -> (32 * i, j)", &[32, 1]),
            ),
        ),
        (
            "64x64 tiles, row order -> column order",
            pair(&tiles(64), order(&[32, 32], "(j, i) -> (64 * i, 64 * j)", &[64, 64])),
        ),
        ("elements -> elements", pair(&single, single.clone())),
        (
            "elements, rows -> columns",
            pair(&single, order(&[2048, 2048], "(j, i) -> (i, j)", &[1, 1])),
        ),
        (
            "elements -> columns of 64x64 tiles",
            pair(
                &single,
                order(&[32, 32, 64, 64], "(a, b, j, i) -> (64 * a + i, 64 * b + j)", &[1, 1]),
            ),
        ),
        (
            "elements -> 64x64 tiles in columns, element by element",
            pair(
                &single,
                order(&[32, 32, 64, 64], "(b, a, i, j) -> (64 * a + i, 64 * b + j)", &[1, 1]),
            ),
        ),
        (
            "elements -> 3x3 window",
            pair(&single, order(&[2046, 2046], "(i, j) -> (i, j)", &[3, 3])),
        ),
        (
            "elements -> 3x3 window, two steps at a time, halo of 1",
            pair(
                &single,
                order(&[1024, 1024], "(i, j) -> (2 * i - 1, 2 * j - 1)", &[3, 3]),
            ),
        ),
        (
            "elements -> 3x3 window, 2 apart",
            pair(
                &single,
                order(&[2044, 2044], "(i, j) -> (i, j)", &[3, 3]).with_dilation(vec![2, 2]),
            ),
        ),
        (
            "elements -> rows, each turned by one more",
            pair(
                &single,
                order(&[2048, 2048], "(i, j) -> (i, (i + j) mod 2048)", &[1, 1]),
            ),
        ),
        (
            "elements, rows -> rows upward",
            pair(&single, order(&[2048, 2048], "(i, j) -> (2047 - i, j)", &[1, 1])),
        ),
    ]
}

fn time(name: &str, fork: &Fork) {
    let run = |use_formulas: bool| {
        let limits = Limits {
            use_formulas,
            accesses: 1 << 26,
            ..Limits::default()
        };
        let (milliseconds, answer) = least(|| analyze(fork, limits).expect("decided"));
        (milliseconds, answer.edges[0].clone())
    };
    let (formulas, edge) = run(true);
    let (sweep, again) = run(false);
    let sizes = edge.sizes.expect("sizes");
    assert_eq!(
        Some(&sizes.min_capacity),
        again.sizes.as_ref().map(|sizes| &sizes.min_capacity)
    );
    assert_eq!(edge.verdict, again.verdict);
    let mark = if edge.method == Method::Sweep {
        " (no formula)"
    } else {
        ""
    };
    println!(
        "| {name} | {} | {} | {:?} | {formulas:.2}{mark} | {sweep:.1} |",
        edge.verdict, sizes.min_capacity, sizes.modulo_shape
    );
}

/// Chains of 64 dimensions: the same order, and one with two dimensions exchanged.
fn chains() {
    println!("\n| chain of 64 dimensions of extent 3 | verdict | blocks | min_capacity | ms |");
    println!("|---|---|---|---|---|");
    let shape = vec![3; 64];
    let rows = Order::rows(&shape);
    let exchanged = |one: usize, other: usize| {
        let mut order = Order::rows(&shape);
        order.map.results.swap(one, other);
        order
    };
    let reversed = {
        let mut order = Order::rows(&shape);
        order.map.results.reverse();
        order
    };
    let flat = {
        let places: Vec<String> = (0..64).map(|at| format!("d{at}")).collect();
        let results: Vec<String> = (0..64).map(|at| format!("d{at} mod 3")).collect();
        let map: Map = format!("({}) -> ({})", places.join(", "), results.join(", "))
            .parse()
            .expect("a map");
        Order::new(shape.clone(), map, vec![1; 64])
    };
    let cases = [
        ("rows -> rows", rows.clone()),
        ("rows -> rows with remainders", flat),
        ("rows -> the last two exchanged", exchanged(62, 63)),
        ("rows -> the first and the last exchanged", exchanged(0, 63)),
        ("rows -> all reversed", reversed),
    ];
    for (name, consumer) in cases {
        let fork = Fork::pair(shape.clone(), rows.clone(), consumer);
        let (milliseconds, answer) = least(|| analyze(&fork, Limits::default()).expect("decided"));
        let sizes = answer.edges[0].sizes.as_ref().expect("sizes");
        let mark = if sizes.is_exact { "" } else { " at most" };
        println!(
            "| {name} | {} | {} | {}{mark} | {milliseconds:.3} |",
            answer.edges[0].verdict, sizes.epochs, sizes.min_capacity
        );
    }
}

/// Assignments against exhaustive search and the majority vote.
fn layouts(graphs: u64) {
    let (mut differences, mut worse, mut best_sum, mut vote_sum, mut milliseconds) = (0, 0, 0, 0, 0.0);
    for seed in 0..graphs {
        let problem = graph(&mut Random::new(seed), 8);
        let begin = Instant::now();
        let best = assign(&problem, 1 << 20).expect("a choice");
        milliseconds += begin.elapsed().as_secs_f64() * 1e3;
        let voted = vote(&problem).expect("a choice");
        differences += u64::from(best.cost != exhaustive(&problem) || !best.is_proven);
        worse += u64::from(voted.cost > best.cost);
        best_sum += best.cost;
        vote_sum += voted.cost;
    }
    println!("\n| graphs of up to 8 operations | differences | vote costs more | cost of the vote | ms each |");
    println!("|---|---|---|---|---|");
    println!(
        "| {graphs} | {differences} | {:.1} % | {:.2} times the least | {:.4} |",
        100.0 * worse as f64 / graphs.max(1) as f64,
        vote_sum as f64 / best_sum.max(1) as f64,
        milliseconds / graphs.max(1) as f64
    );
}
