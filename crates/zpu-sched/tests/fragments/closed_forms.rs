//! Makespan, own bubble and peak of schedules equal their closed forms, within the conditions under which these hold.

use zpu_sched::fragment::uniform::{Pipeline, Placement};
use zpu_sched::fragment::{Answer, Builtin, Fragment, MeshId, NodeId, NodeKind, Program, Request, Schedule, replay};

use crate::numbers::{Numbers, answer, by_name, figures};

/// Random cases of each row.
const CASES: u64 = 60;

/// Forward, gradients of inputs, gradients of weights.
type Times = (u64, u64, u64);

/// A row of the table.
struct Row {
    schedule: Builtin,
    chunks: &'static [u32],
    placement: Placement,
    split: bool,
    /// Times and microbatches of a case: p, v.
    times: fn(&mut Numbers) -> Times,
    microbatches: fn(&mut Numbers, u64) -> u64,
    /// (p, m, v, times) to makespan and own bubble; times are those of a mesh's full share.
    figures: fn(u64, u64, u64, Times) -> (u64, u64),
    /// (p, m, v, mesh) to the peak in chunks.
    peak: fn(u64, u64, u64, u64) -> u64,
}

fn any_times(numbers: &mut Numbers) -> Times {
    (numbers.between(1, 20), numbers.between(1, 20), numbers.between(1, 20))
}

fn short_weights(numbers: &mut Numbers) -> Times {
    let forward = numbers.between(1, 20);
    (forward, numbers.between(1, 20), numbers.between(1, forward))
}

fn any_count(numbers: &mut Numbers, p: u64) -> u64 {
    numbers.between(1, 3 * p + 4)
}

fn at_least_2p(numbers: &mut Numbers, p: u64) -> u64 {
    numbers.between(2 * p - 1, 4 * p)
}

fn rows() -> Vec<Row> {
    let gpipe = Row {
        schedule: Builtin::GPipe,
        chunks: &[1],
        placement: Placement::Loop,
        split: false,
        times: any_times,
        microbatches: any_count,
        figures: |p, m, _, (f, b, w)| ((m + p - 1) * (f + b + w), (p - 1) * (f + b + w)),
        peak: |_, m, _, _| m,
    };
    vec![
        Row {
            schedule: Builtin::OneForwardOneBackward,
            peak: |p, m, _, d| m.min(p - d),
            ..gpipe
        },
        Row {
            schedule: Builtin::Circular,
            chunks: &[2, 3],
            microbatches: |numbers, p| p * numbers.between(1, 4),
            figures: |p, m, v, (f, b, w)| {
                let t = f + b + w;
                (m * t + (p - 1) * t / v, (p - 1) * t / v)
            },
            peak: |_, m, v, _| m * v,
            ..gpipe
        },
        Row {
            schedule: Builtin::BreadthFirst,
            chunks: &[2, 3],
            microbatches: |numbers, p| numbers.between(p, 4 * p),
            figures: |p, m, v, (f, b, w)| {
                let t = f + b + w;
                (m * t + (p - 1) * t / v, (p - 1) * t / v)
            },
            peak: |_, m, v, _| m * v,
            ..gpipe
        },
        Row {
            schedule: Builtin::Interleaved1F1B,
            chunks: &[2, 3],
            microbatches: |numbers, p| p * numbers.between(2, 4),
            figures: |p, m, v, (f, b, w)| {
                let t = f + b + w;
                (m * t + (p - 1) * t / v, (p - 1) * t / v)
            },
            peak: |p, _, v, d| (v + 1) * p - 1 - 2 * d,
            ..gpipe
        },
        Row {
            schedule: Builtin::ZeroBubbleH1,
            split: true,
            times: short_weights,
            microbatches: at_least_2p,
            figures: |p, m, _, (f, b, w)| {
                (
                    m * (f + b + w) + (p - 1) * (f + b.saturating_sub(w)),
                    (p - 1) * (f + b - w),
                )
            },
            peak: |p, _, _, _| p,
            ..gpipe
        },
        Row {
            schedule: Builtin::ZeroBubbleH2ZeroTxLatency,
            split: true,
            times: short_weights,
            microbatches: at_least_2p,
            figures: |p, m, _, (f, b, w)| {
                let makespan = m * (f + b + w) + (p - 1) * (f + b.saturating_sub(2 * w));
                (makespan, (p - 1) * (f + b).saturating_sub(2 * w))
            },
            peak: |p, _, _, _| 2 * p - 1,
            ..gpipe
        },
        Row {
            schedule: Builtin::ZeroBubbleV,
            chunks: &[2],
            placement: Placement::V,
            split: true,
            times: |numbers| {
                let b = numbers.between(1, 20);
                (2 * numbers.between(1, b), 2 * b, 2 * numbers.between(1, b))
            },
            microbatches: at_least_2p,
            figures: |p, m, _, (f, b, w)| {
                let (f, b, w) = (f / 2, b / 2, w / 2);
                let twice = 2 * b.saturating_sub(w);
                (
                    2 * m * (f + b + w) + (p - 1) * b.max(twice),
                    (p - 1) * (b - f).max(twice),
                )
            },
            peak: |p, _, _, _| 2 * p,
        },
        gpipe,
    ]
}

#[test]
fn schedules_have_the_figures_of_their_closed_forms() {
    let mut numbers = Numbers(1);
    for row in rows() {
        for case in 0..CASES {
            let p = 2 + case % 7;
            let v = u64::from(row.chunks[case as usize / 7 % row.chunks.len()]);
            let m = (row.microbatches)(&mut numbers, p);
            let (mut f, mut b, mut w) = (row.times)(&mut numbers);
            if v == 3 {
                // Chunks of whole cycles.
                (f, b, w) = (3 * f, 3 * b, 3 * w);
            } else if v == 2 && row.placement == Placement::Loop {
                (f, b, w) = (2 * f, 2 * b, 2 * w);
            }
            if row.schedule == Builtin::ZeroBubbleH1 && f + b < w {
                continue;
            }
            let mut pipeline = Pipeline::new(p as u32, m as u32)
                .timed(f / v, b / v, w / v)
                .chunked(v as u32, row.placement);
            pipeline.split = row.split;
            pipeline.transfers = [None, Some(0)][case as usize % 2];
            let answer = by_name(&pipeline, row.schedule);
            let (makespan, bubble, _) = figures(&answer);
            let label = format!("{}: p = {p}, m = {m}, v = {v}, times {:?}", row.schedule, (f, b, w));
            assert_eq!((makespan, bubble), (row.figures)(p, m, v, (f, b, w)), "{label}");
            for (d, mesh) in answer.timing.meshes.iter().enumerate() {
                let is_worst_only = row.schedule == Builtin::ZeroBubbleV;
                let peak = (row.peak)(p, m, v, d as u64);
                if !is_worst_only {
                    assert_eq!(mesh.peak, peak, "{label}, mesh {d}");
                }
            }
            let worst = answer.timing.meshes.iter().map(|mesh| mesh.peak).max();
            let most = (0..p).map(|d| (row.peak)(p, m, v, d)).max();
            assert_eq!(worst, most, "{label}");
        }
    }
}

#[test]
fn latency_has_its_closed_forms() {
    let mut numbers = Numbers(2);
    for case in 0..CASES {
        let p = 2 + case % 7;
        let m = numbers.between(1, 20);
        let (f, b, w) = any_times(&mut numbers);
        let lambda = numbers.between(0, 12);
        let pipeline = Pipeline::new(p as u32, m as u32).timed(f, b, w).latency(lambda);
        let answer = by_name(&pipeline, Builtin::GPipe);
        let makespan = (m + p - 1) * (f + b + w) + 2 * lambda * (p - 1);
        assert_eq!(answer.timing.makespan, makespan, "GPipe {pipeline:?}");
        // 1F1B takes T + 2 lambda (p - 1) / p for each further microbatch, p of them a whole number of cycles.
        let of = |rounds: u64| {
            let pipeline = Pipeline {
                microbatches: ((4 + rounds) * p) as u32,
                ..pipeline.clone()
            };
            by_name(&pipeline, Builtin::OneForwardOneBackward).timing.makespan
        };
        assert_eq!(
            of(1) - of(0),
            p * (f + b + w) + 2 * lambda * (p - 1),
            "1F1B {pipeline:?}"
        );
    }
    for p in 2..=8u64 {
        for lambda in 0..4 {
            let of = |rounds: u64| {
                let pipeline = Pipeline::new(p as u32, ((8 + rounds) * p) as u32)
                    .split()
                    .latency(lambda);
                by_name(&pipeline, Builtin::ZeroBubbleH1).timing.makespan
            };
            let waits = ((p - 1) * 2 * lambda).saturating_sub(p - 1);
            assert_eq!(of(2) - of(1), 3 * p + waits, "H1, p = {p}, lambda = {lambda}");
        }
    }
}

#[test]
fn five_meshes_and_ten_microbatches_are_the_reference() {
    let whole = Pipeline::new(5, 10);
    let halves = Pipeline::new(5, 10).timed(2, 2, 2).split();
    let two = Pipeline::new(5, 10).chunked(2, Placement::Loop);
    let v = Pipeline::new(5, 10).split().chunked(2, Placement::V);
    // With two chunks, a cycle is half of a fragment.
    let table = [
        (&whole, Builtin::GPipe, (42, 12, 10)),
        (&whole, Builtin::OneForwardOneBackward, (42, 12, 5)),
        (&two, Builtin::Interleaved1F1B, (72, 12, 14)),
        (&two, Builtin::BreadthFirst, (72, 12, 20)),
        (&halves, Builtin::ZeroBubbleH1, (68, 8, 5)),
        (&halves, Builtin::ZeroBubbleH2ZeroTxLatency, (68, 0, 9)),
        (&v, Builtin::ZeroBubbleV, (64, 0, 10)),
    ];
    for (pipeline, builtin, expected) in table {
        assert_eq!(figures(&by_name(pipeline, builtin)), expected, "{builtin}");
    }
    assert_eq!(figures(&paired(5, 10, [1, 1, 1])), (68, 8, 11), "DualPipeV");
}

#[test]
fn too_few_microbatches_do_not_make_h2_collapse() {
    for (p, m) in [(5, 8), (5, 9), (6, 4), (8, 3), (4, 1)] {
        let pipeline = Pipeline::new(p, m).split();
        let (one, _, _) = figures(&by_name(&pipeline, Builtin::OneForwardOneBackward));
        for (builtin, ahead) in [
            (Builtin::ZeroBubbleH2ZeroTxLatency, 2 * p - 1),
            (Builtin::ZeroBubbleH2HalfTxLatency, 3 * p - 2),
            (Builtin::ZeroBubbleH2FullTxLatency, 4 * p - 3),
        ] {
            let answer = by_name(&pipeline, builtin);
            assert!(
                answer.timing.makespan <= one,
                "{builtin} {p} x {m}: {}",
                answer.timing.makespan
            );
            let is_clamped = answer.remarks.iter().any(|remark| remark.reason.name() == "clamped");
            assert_eq!(is_clamped, m < ahead, "{builtin} {p} x {m}");
        }
    }
    // The predicates alone, on a chain of weight gradients, take 46 and 31.
    for (m, makespan) in [(8, 28), (9, 31)] {
        let answer = by_name(&Pipeline::new(5, m).split(), Builtin::ZeroBubbleH2ZeroTxLatency);
        assert_eq!(answer.timing.makespan, makespan);
    }
}

/// DualPipeV with each overlapped pair and each whole backward fragment as one, as PyTorch runs them: operands of all
/// are needed at its start, results of all are there at its end. They are found by counting, as the steps are
/// described.
fn paired(p: u32, m: u32, [f, b, w]: [u64; 3]) -> Answer {
    let pipeline = Pipeline::new(p, m).timed(f, b, w).split().chunked(2, Placement::V);
    let mut program = pipeline.program();
    let order = by_name(&pipeline, Builtin::DualPipeV).schedule.order;
    let mut rows = order.clone();
    for (d, row) in order.iter().enumerate() {
        let (p, d, m) = (p as usize, d, m as usize);
        let mut at = 2 * (p - d - 1) + 2 * (d + 1) + 3 * (p - d - 1);
        let mut groups = Vec::new();
        for step in 0..m - 2 * p + d + 1 {
            groups.push(if step > 0 || d < p - 1 { (at, 3) } else { (at + 1, 2) });
            groups.push((at + 3, 3));
            at += 6;
        }
        for _ in 0..p - d - 1 {
            groups.extend([(at, 2), (at + 2, 3)]);
            at += 5;
        }
        // Step 6: whole backward fragments as long as weight gradients are not put off.
        for _ in 0..(d + 1).div_ceil(2) + d.div_ceil(2) {
            groups.push((at, 2));
            at += 2;
        }
        for (at, length) in groups {
            merge(&mut program, &row[at..at + length]);
            rows[d].retain(|node| !row[at + 1..at + length].contains(node));
        }
    }
    // The halves that are gone take no time and stand after their pair.
    for (mesh, row) in order.iter().enumerate() {
        let gone = row
            .iter()
            .filter(|node| !rows[mesh].contains(node))
            .copied()
            .collect::<Vec<_>>();
        for node in gone {
            let place = row.iter().position(|other| *other == node).expect("it is there");
            let before = rows[mesh]
                .iter()
                .position(|other| *other == row[place - 1])
                .expect("it stays");
            rows[mesh].insert(before + 1, node);
        }
    }
    let schedule = Schedule {
        order: rows,
        ..Schedule::default()
    };
    let timing = replay(&program, &schedule).expect("pairs do not wait for each other");
    Answer {
        schedule,
        timing,
        ..by_name(&pipeline, Builtin::DualPipeV)
    }
}

/// Gives the first of some fragments the time and the operands of all; the others follow at once.
fn merge(program: &mut Program, nodes: &[NodeId]) {
    let first = nodes[0].index();
    for other in &nodes[1..] {
        program.nodes[first].cycles += std::mem::take(&mut program.nodes[other.index()].cycles);
        let deps = program.nodes[other.index()]
            .deps
            .iter()
            .filter(|dep| !nodes.contains(dep));
        let deps: Vec<NodeId> = deps.copied().collect();
        program.nodes[first].deps.extend(deps);
    }
}

#[test]
fn dual_pipe_with_pairs_has_its_closed_form() {
    let mut numbers = Numbers(4);
    for case in 0..CASES {
        let p = 2 + case % 7;
        let m = numbers.between(2 * p, 4 * p);
        let f = numbers.between(1, 20);
        let (b, w) = (f, numbers.between(1, f));
        let extra = (p - 1) * (f + 2 * b - w);
        let answer = paired(p as u32, m as u32, [f, b, w]);
        let label = format!("p = {p}, m = {m}, {:?}", (f, b, w));
        assert_eq!(
            figures(&answer),
            (2 * m * (f + b + w) + extra, extra, 2 * p + 1),
            "{label}"
        );
        let pipeline = Pipeline::new(p as u32, m as u32)
            .timed(f, b, w)
            .split()
            .chunked(2, Placement::V);
        let apart = by_name(&pipeline, Builtin::DualPipeV);
        assert!(apart.timing.makespan <= answer.timing.makespan, "{label}");
    }
    // Figures of the file `dualpipev_4rank_10mb.csv` of PyTorch.
    let answer = paired(4, 10, [1, 1, 1]);
    assert_eq!((answer.timing.makespan, figures(&answer).2), (66, 9));
}

#[test]
fn wrap_around_has_no_bubble() {
    for p in 2..=8 {
        // Each mesh has a pipeline of its own, so what a microbatch does on different meshes is independent.
        let mut program = Program::default();
        for k in 1..=p {
            program.add_mesh(format!("mesh{k}"));
        }
        for counter in 1..=p {
            for k in 0..p {
                let kind = NodeKind::Fragment(Fragment::new(MeshId(k), "f", 0, counter));
                program.add(format!("F{k}.{counter}"), kind, vec![], 7);
            }
        }
        let request = Request::Builtin(Builtin::ParallelPipelinesWithWrapAround);
        let answer = answer(&program, &request);
        assert_eq!((answer.timing.makespan, figures(&answer).1), (u64::from(p) * 7, 0));
    }
}
