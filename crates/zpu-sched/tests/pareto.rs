//! The curve of the interval against bytes: against a curve known by hand, against enumeration, and its properties.

#[path = "common/loops.rs"]
#[allow(unreachable_pub)]
mod loops;

use loops::{Numbers, random_loop};
use zpu_sched::{
    Buffer, Curve, Instance, Options, Plan, Problem, Schedule, Scheduler, StreamCosts, Use, check, pareto,
    pareto_of_plans, timed_solution, verify, verify_plan,
};

/// A load of 100 cycles, a product of 100, and a store of 100, each on an engine of its own.
fn chain(bytes: [u64; 2]) -> Problem {
    let mut problem = Problem::cyclic("chain");
    let space = problem.add_space("sram", 1000);
    let names = ["load", "product", "store"];
    let ops = names.map(|name| {
        let engine = problem.add_resource(name, 1);
        problem.add_operation(name, 100, vec![Use::whole(engine, 100)])
    });
    for (index, bytes) in bytes.into_iter().enumerate() {
        problem.add_dependence(ops[index], ops[index + 1], 0);
        let buffer = Buffer::new(format!("b{index}"), vec![ops[index]], vec![ops[index + 1]]);
        problem.add_buffer(buffer.with_bytes(bytes, space));
    }
    problem
}

fn front(curve: &Curve) -> Vec<(u64, u128)> {
    curve.points.iter().map(|point| (point.interval, point.bytes)).collect()
}

/// Each buffer lives for 200 cycles, so it has two versions below an interval of 200 and one from there on.
#[test]
fn a_chain_has_two_points() {
    let problem = chain([10, 30]);
    let curve = pareto(&Instance::new(problem), Scheduler::Exact, &Options::default()).unwrap();
    assert_eq!(front(&curve), [(100, 80), (200, 40)]);
    assert!(curve.points.iter().all(|point| point.proven && point.undecided == 0));
    assert_eq!((curve.knee, curve.lower_bound, curve.complete), (Some(1), 100, true));
    assert_eq!(curve.points[1].spaces, [40]);
}

/// With one buffer of 30 that lives for 200 cycles and one of 10 that lives for 300: 2 and 3 versions at 100, 2 and 2
/// from 150 on, 1 and 2 at 200, 1 and 1 at 300.
#[test]
fn the_knee_saves_most_for_each_per_cent() {
    let mut problem = chain([30, 0]);
    let ops: Vec<_> = problem.op_ids().collect();
    let space = problem.buffers[0].space.unwrap();
    problem.add_buffer(Buffer::new("long", vec![ops[0]], vec![ops[2]]).with_bytes(10, space));
    let curve = pareto(&Instance::new(problem), Scheduler::Exact, &Options::default()).unwrap();
    assert_eq!(front(&curve), [(100, 90), (150, 80), (200, 50), (300, 40)]);
    assert!(curve.points.iter().all(|point| point.proven && point.undecided == 0));
    assert_eq!(
        curve.knee,
        Some(2),
        "40 bytes for 100 % are more than 10 for 50 % and 50 for 200 %"
    );
}

/// The fewest bytes at `ii` of all starts before `horizon`, with one alternative each.
fn enumerate(problem: &Problem, ii: u64, horizon: u64) -> Option<u128> {
    let count = problem.operations.len();
    let mut start = vec![0; count];
    let mut fewest: Option<u128> = None;
    loop {
        let versions: Option<Vec<u32>> = problem
            .buffers
            .iter()
            .map(|buffer| {
                let pairs = buffer
                    .readers
                    .iter()
                    .flat_map(|r| buffer.writers.iter().map(move |w| (r, w)));
                let needed = pairs.map(|(reader, writer)| {
                    let end = start[reader.index()] + problem.operations[reader.index()].alternatives[0].latency;
                    end.saturating_sub(start[writer.index()]).div_ceil(ii)
                });
                let needed = needed.max().unwrap_or(1).max(1) as u32;
                (needed <= buffer.max_versions.unwrap_or(u32::MAX)).then_some(needed)
            })
            .collect();
        if let Some(versions) = versions {
            let each = problem.buffers.iter().zip(&versions);
            let bytes = each.map(|(b, &v)| u128::from(b.bytes) * u128::from(v)).sum();
            let schedule = Schedule {
                ii,
                start: start.clone(),
                chosen: vec![0; count],
                versions,
            };
            if fewest.is_none_or(|fewest| bytes < fewest) && verify(problem, &schedule).is_ok() {
                fewest = Some(bytes);
            }
        }
        let Some(digit) = start.iter().position(|&digit| digit + 1 < horizon) else {
            return fewest;
        };
        start[..digit].fill(0);
        start[digit] += 1;
    }
}

/// Four operations on two engines, one of two units, with a buffer for each dependence.
fn tiny(seed: u64) -> Problem {
    let mut numbers = Numbers::new(seed);
    let mut problem = Problem::cyclic(format!("tiny{seed}"));
    let engines = [problem.add_resource("e0", 1), problem.add_resource("e1", 2)];
    let space = problem.add_space("sram", 8 + numbers.below(20));
    let ops: Vec<_> = (0..4)
        .map(|index| {
            let latency = 1 + numbers.below(4);
            let mut uses = vec![Use::whole(
                engines[numbers.below(2) as usize],
                1 + numbers.below(latency),
            )];
            if numbers.below(3) == 0 {
                uses.push(Use {
                    offset: 2 + numbers.below(2),
                    ..Use::whole(engines[0], 1)
                });
            }
            problem.add_operation(format!("op{index}"), latency, uses)
        })
        .collect();
    for to in 1..4 {
        let from = ops[numbers.below(to as u64) as usize];
        problem.add_dependence(from, ops[to], 0);
        let buffer = Buffer::new(format!("b{to}"), vec![from], vec![ops[to]]);
        problem.add_buffer(buffer.with_bytes(1 + numbers.below(5), space).with_max_versions(3));
    }
    problem
}

#[test]
fn the_curve_is_that_of_enumeration() {
    let (mut several, mut instances) = (0, 0);
    for seed in (0..60).filter(|&seed| check(&tiny(seed)).is_ok()) {
        let problem = tiny(seed);
        let curve = pareto(&Instance::new(problem.clone()), Scheduler::Exact, &Options::default()).unwrap();
        let last = curve.points.last().unwrap().interval;
        let mut expected: Vec<(u64, u128)> = vec![];
        for ii in 1..=last {
            let fewest = enumerate(&problem, ii, 3 * ii.min(5) + 3);
            if let Some(bytes) = fewest.filter(|&bytes| expected.last().is_none_or(|&(_, fewer)| bytes < fewer)) {
                expected.push((ii, bytes));
            }
        }
        assert_eq!(front(&curve), expected, "seed {seed}");
        assert!(curve.complete && curve.points.iter().all(|point| point.proven && point.undecided == 0));
        instances += 1;
        several += u32::from(curve.points.len() > 2);
    }
    assert!(instances > 30 && several > 5, "{instances} {several}");
}

#[test]
fn points_are_schedules_and_none_is_dominated() {
    for seed in 0..40 {
        let mut problem = random_loop(seed, 6 + seed % 12);
        let mut numbers = Numbers::new(seed);
        for buffer in &mut problem.buffers {
            buffer.bytes = 1 + numbers.below(9);
        }
        if check(&problem).is_err() {
            continue;
        }
        let instance = Instance::new(problem.clone());
        let options = Options {
            effort: 50_000,
            ..Options::default()
        };
        for scheduler in [Scheduler::Greedy, Scheduler::Auto, Scheduler::Exact] {
            let curve = pareto(&instance, scheduler, &options).unwrap();
            let exact = timed_solution(&instance, scheduler, &options).unwrap();
            let first = &curve.points[0];
            assert_eq!(
                (first.interval, curve.lower_bound),
                (exact.schedule.ii, exact.lower_bound),
                "seed {seed}"
            );
            assert!(first.bytes <= exact.measure.bytes, "seed {seed}");
            for point in &curve.points {
                verify(&problem, &point.schedule).unwrap();
                assert_eq!(point.schedule.ii, point.interval);
                let each = problem.buffers.iter().zip(&point.schedule.versions);
                let bytes: u128 = each.map(|(b, &v)| u128::from(b.bytes) * u128::from(v)).sum();
                assert_eq!(bytes, point.bytes);
            }
            let front = front(&curve);
            assert!(
                front.is_sorted_by(|a, b| a.0 < b.0 && a.1 > b.1),
                "seed {seed}: {front:?}"
            );
            assert_eq!(curve.knee.is_some(), front.len() > 1);
        }
    }
}

#[test]
fn points_of_a_program_are_plans() {
    let stream = StreamCosts {
        wait: 1,
        back_edge: 1,
        trust_queues: false,
    };
    let options = Options {
        num_stages: 3,
        stream,
        trip: Some(20),
        ..Options::default()
    };
    for scheduler in [Scheduler::Auto, Scheduler::Exact] {
        let problem = chain([10, 30]);
        let curve = pareto_of_plans(&problem, scheduler, &options, None, 12).unwrap();
        let front = front(&curve);
        assert!(
            front.len() > 1 && front.is_sorted_by(|a, b| a.0 < b.0 && a.1 > b.1),
            "{front:?}"
        );
        assert!(curve.complete, "{front:?}");
        for point in &curve.points {
            assert!(point.schedule.versions.len() == 2 && point.interval >= curve.lower_bound);
        }
        // The versions of a point are enough for a plan.
        let mut limited = problem.clone();
        let versions = &curve.points[1].schedule.versions;
        for (buffer, &versions) in limited.buffers.iter_mut().zip(versions) {
            buffer.max_versions = Some(versions);
        }
        let plan: Plan = zpu_sched::solve(&limited, scheduler, &options).unwrap().plan;
        verify_plan(&limited, &plan).unwrap();
    }
}
