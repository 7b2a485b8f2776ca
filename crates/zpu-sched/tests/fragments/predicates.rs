//! Predicates and orders against tables and formulations that are written independently.

use std::collections::BTreeMap;

use zpu_sched::fragment::uniform::{Pipeline, Placement};
use zpu_sched::fragment::{
    Builtin, Fragment, Grid, MeshId, NodeId, NodeKind, Piece, Program, Request, Unit, must_happen_before,
};

use crate::numbers::{answer, by_name};

fn unit(piece: Piece, counter: u32, stage: u32) -> Unit {
    Unit {
        node: NodeId(0),
        piece,
        counter,
        stage: Some(stage),
    }
}

fn grid(meshes: u32, mesh: u32) -> Grid {
    Grid {
        meshes,
        microbatches: u32::MAX,
        mesh,
        number: mesh,
    }
}

const PIECES: [Piece; 3] = [Piece::Forward, Piece::Backward, Piece::Weight];

/// The rows of the table of predicates, by differences of counters; `None` is no demand on this pair of pieces.
fn demanded(schedule: Builtin, n: i64, s: i64, pieces: (Piece, Piece), i: i64, j: i64) -> bool {
    use Piece::{Backward as B, Forward as F, Weight as W};
    let r = n - s;
    let late = |lambda2: i64, of: i64| 2 * (n - of) - 1 + (n - of - 1) * lambda2;
    let h2 = |lambda2: i64| {
        let (a, c) = (late(lambda2, s), late(lambda2, n - 1 - s));
        match pieces {
            (F, B) => i < a || i == j + a - 1,
            (F, W) => i < a,
            (B, F) => j >= a && j - i == a,
            (B, W) => i - j == c - 1,
            (W, B) => j - i == c,
            _ => false,
        }
    };
    let is_forward = |piece| piece == F;
    let one = match (is_forward(pieces.0), is_forward(pieces.1)) {
        (true, false) => i - j == r - 1,
        (false, true) => j - i == r,
        _ => i < j,
    };
    let gpipe = match (is_forward(pieces.0), is_forward(pieces.1)) {
        (true, false) => true,
        (false, true) => false,
        _ => i < j,
    };
    match schedule {
        Builtin::OneForwardOneBackward => one,
        Builtin::GPipe => gpipe,
        Builtin::GPipeBut1F1BForLastMesh => {
            if s == n - 1 {
                one
            } else {
                gpipe
            }
        }
        Builtin::ZeroBubbleH1 => match pieces {
            (B, F) => j - i == r,
            (F, B) => i - j == r - 1,
            (W, F) => j - i == n,
            (B, W) => i - j == s,
            (W, B) => j - i == s + 1,
            _ => false,
        },
        Builtin::ZeroBubbleH2ZeroTxLatency => h2(0),
        Builtin::ZeroBubbleH2HalfTxLatency => h2(1),
        Builtin::ZeroBubbleH2FullTxLatency => h2(2),
        _ => false,
    }
}

#[test]
fn predicates_are_those_of_the_table_on_all_pairs() {
    let mut pairs = 0;
    for schedule in Builtin::ALL {
        let is_in_table = matches!(
            schedule,
            Builtin::OneForwardOneBackward | Builtin::GPipe | Builtin::GPipeBut1F1BForLastMesh | Builtin::ZeroBubbleH1
        ) || schedule.name().starts_with("ZeroBubbleH2");
        for n in (1..=8).filter(|_| is_in_table) {
            for s in 0..n {
                for (i, j) in (0..20).flat_map(|i| (0..20).map(move |j| (i, j))) {
                    for (first, second) in PIECES.into_iter().flat_map(|a| PIECES.map(|b| (a, b))) {
                        let found = must_happen_before(schedule, grid(n, s), &unit(first, i, 0), &unit(second, j, 0));
                        let expected = demanded(schedule, n.into(), s.into(), (first, second), i.into(), j.into());
                        assert_eq!(found, expected, "{schedule} {n} {s} {first:?}{i} {second:?}{j}");
                        pairs += 1;
                    }
                }
            }
        }
    }
    assert!(pairs > 900_000, "{pairs}");
}

/// Orders by nested loops, against the predicates on all pairs.
#[test]
fn circular_and_wrap_around_are_nested_loops() {
    for (n, chunks, m) in (1..=5).flat_map(|n| (1..=3).flat_map(move |v| [1, n, n + 2, 3 * n].map(|m| (n, v, m)))) {
        for s in 0..n {
            let stages: Vec<u32> = (0..chunks).map(|chunk| chunk * n + s).collect();
            let rounds = m.div_ceil(n);
            let of_round = |round: u32| round * n..((round + 1) * n).min(m);
            let mut forward = Vec::new();
            let mut backward = Vec::new();
            for round in 0..rounds {
                for &stage in &stages {
                    forward.extend(of_round(round).map(|i| unit(Piece::Forward, i, stage)));
                }
                for &stage in stages.iter().rev() {
                    backward.extend(of_round(round).map(|i| unit(Piece::Backward, i, stage)));
                }
            }
            let reversed = forward.iter().rev().map(|of| Unit {
                piece: Piece::Backward,
                ..*of
            });
            let reversed: Vec<Unit> = forward.iter().copied().chain(reversed).collect();
            let circular: Vec<Unit> = forward.iter().copied().chain(backward).collect();
            agree(Builtin::Circular, grid(n, s), &circular);
            agree(Builtin::CircularWithReversedBackward, grid(n, s), &reversed);
            let down = (0..=s.min(m - 1)).rev();
            let around: Vec<Unit> = down
                .chain((s + 1..m).rev())
                .map(|i| unit(Piece::Forward, i, 0))
                .collect();
            agree(Builtin::ParallelPipelinesWithWrapAround, grid(n, s), &around);
        }
    }
}

/// The predicate holds for just those pairs of which the first stands before the second.
fn agree(schedule: Builtin, grid: Grid, order: &[Unit]) {
    for (at, first) in order.iter().enumerate() {
        for (other, second) in order.iter().enumerate() {
            let found = must_happen_before(schedule, grid, first, second);
            assert_eq!(found, at < other, "{schedule} {grid:?} {first:?} {second:?}");
        }
    }
}

/// 1F1B is the order by (microbatch + t (n - s), -t).
#[test]
fn one_forward_one_backward_is_a_sort() {
    for n in 1..=8 {
        for m in 1..=16 {
            let answer = by_name(&Pipeline::new(n, m), Builtin::OneForwardOneBackward);
            for (s, row) in answer.schedule.order.iter().enumerate() {
                let mut sorted: Vec<(i64, i64, String)> = (0..i64::from(m))
                    .flat_map(|i| {
                        let later = i64::from(n) - s as i64;
                        [(i, 0, format!("F{s}.{i}")), (i + later, -1, format!("B{s}.{i}"))]
                    })
                    .collect();
                sorted.sort();
                let sorted: Vec<String> = sorted.into_iter().map(|(_, _, name)| name).collect();
                assert_eq!(names(&Pipeline::new(n, m).program(), row), sorted);
            }
            assert!(answer.forced.iter().all(|forced| *forced == Some(true)), "{n} x {m}");
        }
    }
}

fn names(program: &Program, row: &[NodeId]) -> Vec<String> {
    row.iter().map(|node| program.node(*node).name.to_string()).collect()
}

/// The order of every schedule has what its predicate demands of every pair, as far as its microbatches reach.
#[test]
fn orders_have_what_predicates_demand() {
    for schedule in Builtin::ALL.into_iter().filter(|schedule| schedule.is_predicate()) {
        for (n, m) in [(1, 3), (2, 5), (3, 7), (5, 10), (6, 14), (5, 3)] {
            let program = match schedule {
                Builtin::None => continue,
                Builtin::ParallelPipelinesWithWrapAround => wrap_around(n, m),
                Builtin::Circular | Builtin::CircularWithReversedBackward => {
                    Pipeline::new(n, m).chunked(2, Placement::Loop).program()
                }
                _ => Pipeline::new(n, m).split().program(),
            };
            let answer = answer(&program, &Request::Builtin(schedule));
            for (s, row) in answer.schedule.order.iter().enumerate() {
                let grid = Grid {
                    microbatches: m,
                    ..grid(n, s as u32)
                };
                let of = |node: &NodeId| Unit::of(*node, program.node(*node).fragment().unwrap()).unwrap();
                for (place, later) in row.iter().enumerate() {
                    for earlier in &row[..place] {
                        let is_opposite = must_happen_before(schedule, grid, &of(later), &of(earlier));
                        assert!(!is_opposite, "{schedule} {n} x {m}: {:?} {:?}", of(later), of(earlier));
                    }
                }
            }
        }
    }
}

fn wrap_around(n: u32, m: u32) -> Program {
    let mut program = Program::default();
    for k in 0..n {
        program.add_mesh(format!("mesh{k}"));
    }
    for (k, counter) in (0..n).flat_map(|k| (0..m).map(move |counter| (k, counter))) {
        let fragment = Fragment::new(MeshId(k), "f", 0, counter);
        program.add(format!("F{k}.{counter}"), NodeKind::Fragment(fragment), vec![], 1);
    }
    program
}

#[test]
fn wrap_around_begins_with_its_own_microbatch() {
    let program = wrap_around(4, 4);
    let answer = answer(&program, &Request::Builtin(Builtin::ParallelPipelinesWithWrapAround));
    let rows: Vec<String> = answer
        .schedule
        .order
        .iter()
        .map(|row| names(&program, row).join(" "))
        .collect();
    assert_eq!(rows[0], "F0.0 F0.3 F0.2 F0.1");
    assert_eq!(rows[1], "F1.1 F1.0 F1.3 F1.2");
    assert_eq!(rows[3], "F3.3 F3.2 F3.1 F3.0");
}

/// Which orders data and predicates force, as a model of Shardy's passes found.
#[test]
fn orders_are_forced_where_they_should_be() {
    for (n, m) in [(3, 7), (5, 10), (5, 3), (6, 14)] {
        for schedule in [
            Builtin::OneForwardOneBackward,
            Builtin::GPipe,
            Builtin::GPipeBut1F1BForLastMesh,
        ] {
            let answer = by_name(&Pipeline::new(n, m), schedule);
            assert!(
                answer.forced.iter().all(|forced| *forced == Some(true)),
                "{schedule} {n} x {m}"
            );
            assert!(answer.completed.is_empty());
        }
        for schedule in [Builtin::Circular, Builtin::CircularWithReversedBackward] {
            let answer = by_name(&Pipeline::new(n, m).chunked(2, Placement::Loop), schedule);
            assert!(
                answer.forced.iter().all(|forced| *forced == Some(true)),
                "{schedule} {n} x {m}"
            );
        }
        for schedule in [Builtin::ZeroBubbleH1, Builtin::ZeroBubbleH2ZeroTxLatency] {
            let answer = by_name(&Pipeline::new(n, m).split(), schedule);
            assert!(answer.forced.contains(&Some(false)), "{schedule} {n} x {m}");
            let remarks = answer
                .remarks
                .iter()
                .filter(|remark| remark.reason.name() == "order-completed");
            assert_eq!(
                remarks.count(),
                answer.forced.iter().filter(|forced| **forced == Some(false)).count()
            );
        }
    }
}

/// Forwards before the first backward of each mesh.
#[test]
fn warm_up_is_that_of_the_schedule() {
    let warm_up = |pipeline: &Pipeline, schedule| -> Vec<u32> {
        let program = pipeline.program();
        let answer = by_name(pipeline, schedule);
        let is_forward = |node: &&NodeId| program.node(**node).name.starts_with('F');
        let rows = answer.schedule.order.iter();
        rows.map(|row| row.iter().take_while(is_forward).count() as u32)
            .collect()
    };
    for (p, m) in [(2, 8), (4, 16), (5, 40), (8, 64), (6, 2)] {
        let split = Pipeline::new(p, m).split();
        let least = |of: &dyn Fn(u32) -> u32| -> Vec<u32> { (0..p).map(|d| of(d).min(m)).collect() };
        assert_eq!(
            warm_up(&Pipeline::new(p, m), Builtin::OneForwardOneBackward),
            least(&|d| p - d)
        );
        assert_eq!(warm_up(&Pipeline::new(p, m), Builtin::GPipe), least(&|_| m));
        assert_eq!(warm_up(&split, Builtin::ZeroBubbleH1), least(&|d| p - d));
        assert_eq!(
            warm_up(&split, Builtin::ZeroBubbleH2ZeroTxLatency),
            least(&|d| 2 * (p - d) - 1)
        );
        assert_eq!(
            warm_up(&split, Builtin::ZeroBubbleH2HalfTxLatency),
            least(&|d| 3 * (p - d) - 2)
        );
        assert_eq!(
            warm_up(&split, Builtin::ZeroBubbleH2FullTxLatency),
            least(&|d| 4 * (p - d) - 3)
        );
    }
}

/// Rows of small schedules, written by hand.
#[test]
fn small_schedules_are_as_they_are_drawn() {
    let rows = |pipeline: &Pipeline, schedule| -> BTreeMap<usize, String> {
        let program = pipeline.program();
        let answer = by_name(pipeline, schedule);
        let rows = answer.schedule.order.iter().enumerate();
        rows.map(|(mesh, row)| (mesh, names(&program, row).join(" "))).collect()
    };
    let two = Pipeline::new(2, 4).chunked(2, Placement::Loop);
    let interleaved = rows(&two, Builtin::Interleaved1F1B);
    assert_eq!(
        interleaved[&0],
        "F0.0 F0.1 F2.0 F2.1 F0.2 B2.0 F0.3 B2.1 F2.2 B0.0 F2.3 B0.1 B2.2 B2.3 B0.2 B0.3"
    );
    let circular = rows(&two, Builtin::Circular);
    assert_eq!(
        circular[&1],
        "F1.0 F1.1 F3.0 F3.1 F1.2 F1.3 F3.2 F3.3 B3.0 B3.1 B1.0 B1.1 B3.2 B3.3 B1.2 B1.3"
    );
    let reversed = rows(&two, Builtin::CircularWithReversedBackward);
    assert_eq!(
        reversed[&1],
        "F1.0 F1.1 F3.0 F3.1 F1.2 F1.3 F3.2 F3.3 B3.3 B3.2 B1.3 B1.2 B3.1 B3.0 B1.1 B1.0"
    );
    let breadth = rows(&Pipeline::new(2, 2).chunked(2, Placement::Loop), Builtin::BreadthFirst);
    assert_eq!(breadth[&0], "F0.0 F0.1 F2.0 F2.1 B2.0 B2.1 B0.0 B0.1");
    let v = rows(
        &Pipeline::new(2, 3).split().chunked(2, Placement::V),
        Builtin::ZeroBubbleV,
    );
    assert_eq!(
        v[&0],
        "F0.0 F0.1 F0.2 F3.0 B3.0 W3.0 F3.1 B3.1 W3.1 B0.0 W0.0 F3.2 B3.2 W3.2 B0.1 W0.1 B0.2 W0.2"
    );
    let h1 = rows(&Pipeline::new(3, 4).split(), Builtin::ZeroBubbleH1);
    assert_eq!(h1[&1], "F1.0 F1.1 B1.0 F1.2 B1.1 W1.0 F1.3 B1.2 W1.1 B1.3 W1.2 W1.3");
}
