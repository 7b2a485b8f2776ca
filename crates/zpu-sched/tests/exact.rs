//! Schedules in time: proofs against enumeration, and what holds between the schedulers.

#[path = "common/loops.rs"]
#[allow(unreachable_pub)]
mod loops;

use expect_test::expect;
use loops::{Numbers, random_loop};
use zpu_sched::{
    Alternative, Buffer, Dependence, Goal, Instance, Kind, OpId, Options, Problem, ResourceId, Schedule, Scheduler,
    TimedSolution, TimedSolutionError, Use, check, timed_solution, verify,
};

/// Problems of up to four operations with everything in them: capacities, alternatives, offsets, uses longer than the
/// interval, rings, a space, deadlines, carried dependences.
fn tiny(seed: u64, kind: Kind) -> Problem {
    let mut numbers = Numbers::new(seed);
    let mut problem = Problem {
        kind,
        ..Problem::cyclic(format!("tiny{seed}"))
    };
    let resources: Vec<ResourceId> = (0..2)
        .map(|index| problem.add_resource(format!("r{index}"), 1 + numbers.below(3) as u32 / 2))
        .collect();
    let count = 2 + numbers.below(3);
    for index in 0..count {
        let alternatives = (0..1 + numbers.below(4) / 3).map(|_| Alternative {
            latency: numbers.below(4),
            uses: (0..1 + numbers.below(2))
                .map(|_| Use {
                    resource: resources[numbers.below(2) as usize],
                    amount: 1,
                    cycles: numbers.below(3),
                    offset: numbers.below(4) / 2,
                })
                .collect(),
        });
        problem.add_choice(format!("op{index}"), alternatives.collect());
    }
    let op = |index: u64| OpId(index as u32);
    for to in 1..count {
        if numbers.below(3) > 0 {
            let from = op(numbers.below(to));
            problem.add_dependence(from, op(to), 0);
            let mut buffer = Buffer::new(format!("b{to}"), vec![from], vec![op(to)]);
            buffer.max_versions = Some(1 + numbers.below(2) as u32);
            buffer.bytes = 1 + numbers.below(2);
            problem.add_buffer(buffer);
        }
    }
    if numbers.below(2) == 0 {
        problem.add_dependence(
            op(numbers.below(count)),
            op(numbers.below(count)),
            1 + numbers.below(2) as u32,
        );
    }
    if numbers.below(3) == 0 {
        problem.dependences.push(Dependence {
            from: op(numbers.below(count)),
            to: op(numbers.below(count)),
            latency: Some(-(numbers.below(3) as i64)),
            distance: 0,
        });
    }
    if numbers.below(2) == 0 {
        let bytes: u64 = problem.buffers.iter().map(|b| b.bytes).sum();
        let space = problem.add_space("space", bytes + numbers.below(2));
        problem.buffers.iter_mut().for_each(|b| b.space = Some(space));
    }
    problem
}

/// Counts `digits` up in the mixed base `bases`; `false` after the last.
fn count_up(digits: &mut [u64], bases: &[u64]) -> bool {
    for (digit, base) in digits.iter_mut().zip(bases) {
        *digit += 1;
        if *digit < *base {
            return true;
        }
        *digit = 0;
    }
    false
}

/// True if any times before `horizon`, alternatives and versions are a solution that `accept`s.
fn any_solution(problem: &Problem, ii: u64, horizon: u64, accept: impl Fn(&Schedule) -> bool) -> bool {
    let count = problem.operations.len();
    let alternatives = problem.operations.iter().map(|o| o.alternatives.len() as u64);
    let versions = problem.buffers.iter().map(|b| b.max_versions.map_or(3, u64::from));
    let bases: Vec<u64> = vec![horizon; count]
        .into_iter()
        .chain(alternatives)
        .chain(versions)
        .collect();
    let mut digits = vec![0; bases.len()];
    loop {
        let schedule = Schedule {
            ii,
            start: digits[..count].to_vec(),
            chosen: digits[count..2 * count].iter().map(|&d| d as u32).collect(),
            versions: digits[2 * count..].iter().map(|&d| d as u32 + 1).collect(),
        };
        if accept(&schedule) && verify(problem, &schedule).is_ok() {
            return true;
        }
        if !count_up(&mut digits, &bases) {
            return false;
        }
    }
}

#[test]
fn minimal_intervals_are_those_of_enumeration() {
    let (mut instances, mut above_the_bound) = (0, 0);
    for seed in 0..400 {
        let problem = tiny(seed, Kind::Cyclic);
        if check(&problem).is_err() {
            continue;
        }
        let exact = match timed_solution(&Instance::new(problem.clone()), Scheduler::Exact, &Options::default()) {
            Ok(exact) => exact,
            Err(error) => {
                assert!(matches!(error, TimedSolutionError::Competing { .. }), "seed {seed}");
                assert!(
                    (1..8).all(|ii| !any_solution(&problem, ii, 10, |_| true)),
                    "seed {seed}"
                );
                continue;
            }
        };
        instances += 1;
        above_the_bound += u32::from(exact.lower_bound > exact.bounds.interval());
        assert!(exact.proven, "seed {seed}");
        let below = exact.schedule.ii - 1;
        assert!(
            below == 0 || !any_solution(&problem, below, 3 * below + 4, |_| true),
            "seed {seed}: {below} is possible"
        );
    }
    assert!(instances > 200 && above_the_bound > 5, "{instances} {above_the_bound}");
}

/// Digits of an enumeration that ends in a moment.
const MOST_ENUMERATED: u64 = 3_000_000;

#[test]
fn proven_bytes_are_those_of_enumeration() {
    let (mut searched, mut several) = (0, 0);
    for seed in 0..300 {
        let mut problem = tiny(seed, Kind::Cyclic);
        for (index, buffer) in problem.buffers.iter_mut().enumerate() {
            buffer.max_versions = (seed % 2 == 0).then_some(3);
            buffer.bytes += 2 * index as u64;
        }
        // Where nothing says that a reader comes after its writer, it may read an earlier version.
        if seed % 3 == 0 {
            problem.dependences.clear();
        }
        for space in &mut problem.spaces {
            space.bytes = problem.buffers.iter().map(|b| b.bytes).sum::<u64>() + seed % 7;
        }
        if check(&problem).is_err() || problem.buffers.is_empty() {
            continue;
        }
        let Ok(found) = timed_solution(&Instance::new(problem.clone()), Scheduler::Exact, &Options::default()) else {
            continue;
        };
        assert!(found.proven && found.bytes_proven, "seed {seed}");
        let (ii, horizon) = (found.schedule.ii, 3 * found.schedule.ii + 2);
        several += u32::from(found.schedule.versions.iter().any(|&versions| versions > 1));
        let choices = problem.operations.iter().map(|o| horizon * o.alternatives.len() as u64);
        let versions = 3u64.pow(problem.buffers.len() as u32);
        if choices.product::<u64>() * versions > MOST_ENUMERATED {
            continue;
        }
        searched += 1;
        let bytes = |s: &Schedule| -> u128 {
            let each = problem.buffers.iter().zip(&s.versions);
            each.map(|(b, &versions)| u128::from(b.bytes) * u128::from(versions))
                .sum()
        };
        assert_eq!(bytes(&found.schedule), found.measure.bytes);
        let fewer = |s: &Schedule| bytes(s) < found.measure.bytes;
        assert!(
            !any_solution(&problem, ii, horizon, fewer),
            "seed {seed}: {:?}",
            found.schedule
        );
    }
    assert!(searched > 100 && several > 40, "{searched} {several}");
}

/// With the reader first, one version is read in an iteration and written after it; nothing bounds their number.
#[test]
fn a_reader_may_come_before_its_writer() {
    let mut problem = Problem::cyclic("reader first");
    let reader = problem.add_operation("reader", 2, vec![]);
    let writer = problem.add_operation("writer", 0, vec![]);
    let mut buffer = Buffer::new("buffer", vec![writer], vec![reader]);
    buffer.bytes = 24;
    problem.add_buffer(buffer);
    let found = timed_solution(&Instance::new(problem), Scheduler::Exact, &Options::default()).unwrap();
    assert_eq!(
        (found.schedule.ii, found.measure.bytes, found.bytes_proven),
        (1, 24, true)
    );
}

/// Loading late needs a version less; loading early makes the iteration shorter.
#[test]
fn bytes_come_before_the_length_unless_the_instance_wants_the_length_first() {
    let mut problem = Problem::cyclic("late");
    let [dma, tensor, vector] = ["dma", "tensor", "vector"].map(|name| problem.add_resource(name, 1));
    let load = problem.add_operation("load", 10, vec![Use::whole(dma, 10)]);
    let scale = problem.add_operation("scale", 20, vec![Use::whole(vector, 20)]);
    let other = problem.add_operation("other", 90, vec![Use::whole(tensor, 90)]);
    let product = problem.add_operation("product", 10, vec![Use::whole(tensor, 10)]);
    let store = problem.add_operation("store", 95, vec![Use::whole(dma, 90)]);
    for (from, to) in [(load, product), (scale, other), (other, product), (load, store)] {
        problem.add_dependence(from, to, 0);
    }
    let space = problem.add_space("sram", 1000);
    problem.add_buffer(Buffer::new("tile", vec![load], vec![product]).with_bytes(100, space));
    let solved = |objective: &[Goal]| {
        let instance = Instance {
            objective: objective.to_vec(),
            ..Instance::new(problem.clone())
        };
        let found = timed_solution(&instance, Scheduler::Exact, &Options::default()).unwrap();
        (found.measure.interval, found.measure.bytes, found.measure.length)
    };
    let by_bytes = solved(&Goal::DEFAULT);
    let by_length = solved(&[Goal::Interval, Goal::Length, Goal::Bytes]);
    assert_eq!(by_bytes, (100, 100, 125));
    assert_eq!(by_length, (100, 200, 120));
}

#[test]
fn minimal_makespans_are_those_of_enumeration() {
    let mut instances = 0;
    for seed in 0..400 {
        let problem = tiny(seed, Kind::Acyclic);
        if check(&problem).is_err() {
            continue;
        }
        let ends_before = |end: u64| {
            let problem = &problem;
            move |s: &Schedule| {
                let span = |op: usize| {
                    let way = &problem.operations[op].alternatives[s.chosen[op] as usize];
                    let uses = way.uses.iter().filter(|u| u.cycles > 0);
                    uses.map(|u| u.offset + u.cycles).fold(way.latency, u64::max)
                };
                s.versions.iter().all(|&v| v == 1)
                    && s.start.iter().enumerate().all(|(op, start)| start + span(op) < end)
            }
        };
        match timed_solution(&Instance::new(problem.clone()), Scheduler::Exact, &Options::default()) {
            Ok(exact) => {
                instances += 1;
                assert!(exact.proven, "seed {seed}");
                let horizon = exact.measure.length.max(1);
                assert!(
                    !any_solution(&problem, 1, horizon, ends_before(exact.measure.length)),
                    "seed {seed}: {}",
                    exact.measure.length
                );
            }
            Err(error) => {
                assert!(matches!(error, TimedSolutionError::Competing { .. }), "seed {seed}");
                assert!(!any_solution(&problem, 1, 12, ends_before(12)), "seed {seed}");
            }
        }
    }
    assert!(instances > 200, "{instances}");
}

#[test]
fn each_scheduler_is_never_worse_than_the_ones_before() {
    for seed in 0..60 {
        let problem = random_loop(seed, 6 + seed % 20);
        if check(&problem).is_err() {
            continue;
        }
        let options = Options {
            effort: 4_000,
            ..Options::default()
        };
        let found = Scheduler::ALL
            .map(|scheduler| timed_solution(&Instance::new(problem.clone()), scheduler, &options).unwrap());
        let bound = found.iter().map(|f| f.lower_bound).max().unwrap();
        for (index, outcome) in found.iter().enumerate() {
            verify(&problem, &outcome.schedule).unwrap();
            assert!(outcome.schedule.ii >= bound, "seed {seed}");
            assert_eq!(outcome.proven, outcome.schedule.ii == outcome.lower_bound);
            assert!(
                found[..index]
                    .iter()
                    .all(|before| before.schedule.ii >= outcome.schedule.ii),
                "seed {seed}"
            );
        }
    }
}

#[test]
fn more_iterations_in_flight_are_never_worse() {
    for seed in 0..40 {
        let problem = random_loop(seed, 6 + seed % 30);
        if check(&problem).is_err() {
            continue;
        }
        let interval = |iterations| {
            let options = Options {
                iterations: Some(iterations),
                ..Options::default()
            };
            timed_solution(&Instance::new(problem.clone()), Scheduler::Greedy, &options)
                .unwrap()
                .schedule
                .ii
        };
        let intervals: Vec<u64> = (1..6).map(interval).collect();
        assert!(intervals.is_sorted_by(|a, b| a >= b), "seed {seed}: {intervals:?}");
    }
}

#[test]
fn the_same_effort_gives_the_same_schedule() {
    for seed in 0..10 {
        let problem = random_loop(seed, 30);
        let options = Options {
            effort: 3_000,
            ..Options::default()
        };
        let once = timed_solution(&Instance::new(problem.clone()), Scheduler::Exact, &options);
        assert_eq!(
            once,
            timed_solution(&Instance::new(problem.clone()), Scheduler::Exact, &options)
        );
    }
}

/// The interval and what the objective compares after it.
fn rank(found: &TimedSolution) -> (u64, u128, u64) {
    (found.measure.interval, found.measure.bytes, found.measure.length)
}

#[test]
fn what_passes_the_check_is_solved_or_said_to_compete() {
    let (mut solved, mut refused) = (0, 0);
    for seed in 0..600 {
        let kind = if seed % 2 == 0 { Kind::Cyclic } else { Kind::Acyclic };
        let problem = tiny(seed, kind);
        if check(&problem).is_err() {
            continue;
        }
        let instance = Instance::new(problem);
        for scheduler in Scheduler::ALL {
            match timed_solution(&instance, scheduler, &Options::default()) {
                Ok(found) => {
                    verify(&instance.problem, &found.schedule).unwrap();
                    solved += 1;
                }
                Err(error @ TimedSolutionError::Competing { .. }) => {
                    assert!(error.is_infeasible());
                    refused += 1;
                }
                Err(TimedSolutionError::NotFound { operations, .. }) => {
                    assert!(!operations.is_empty(), "seed {seed}");
                    refused += 1;
                }
                Err(error) => panic!("seed {seed}: {error}"),
            }
        }
    }
    assert!(solved > 10 * refused && refused > 0, "{solved} {refused}");
}

#[test]
fn more_effort_is_never_worse_and_each_is_worth_something() {
    let efforts = [0, 1, 2, 4, 8, 20, 60, 200];
    let mut between = 0;
    for seed in 0..24 {
        let problem = random_loop(seed, 12 + seed % 40);
        if check(&problem).is_err() {
            continue;
        }
        let instance = Instance::new(problem);
        let run = |scheduler, effort| {
            let options = Options {
                effort,
                ..Options::default()
            };
            timed_solution(&instance, scheduler, &options).unwrap()
        };
        let simpler = [Scheduler::Serial, Scheduler::List, Scheduler::Greedy].map(|s| rank(&run(s, 0)));
        let modulo = efforts.map(|effort| rank(&run(Scheduler::Modulo, effort)));
        assert!(modulo.is_sorted_by(|a, b| a >= b), "seed {seed}: {modulo:?}");
        let (first, last) = (modulo[0].0, modulo[efforts.len() - 1].0);
        between += u32::from(modulo.iter().any(|m| first > m.0 && m.0 > last));
        for (effort, modulo) in efforts.into_iter().zip(modulo) {
            let auto = rank(&run(Scheduler::Auto, effort));
            assert!(auto <= modulo, "seed {seed} effort {effort}: {auto:?} {modulo:?}");
            assert!(simpler.iter().all(|simpler| auto.0 <= simpler.0), "seed {seed}");
        }
    }
    assert!(between > 0, "the search has no result but the first and the last");
}

#[test]
fn a_time_limit_that_runs_out_is_no_failure() {
    let problem = random_loop(1, 60);
    let options = Options {
        time_limit: Some(std::time::Duration::ZERO),
        ..Options::default()
    };
    for scheduler in Scheduler::ALL {
        let found = timed_solution(&Instance::new(problem.clone()), scheduler, &options).unwrap();
        assert!(found.lower_bound <= found.schedule.ii);
    }
}

/// Two operations that must start within a cycle of each other on one engine that each holds for two.
#[test]
fn deadlines_that_compete_are_named() {
    let mut problem = Problem::acyclic("deadlines");
    let engine = problem.add_resource("engine", 1);
    let a = problem.add_operation("a", 2, vec![Use::whole(engine, 2)]);
    let b = problem.add_operation("b", 2, vec![Use::whole(engine, 2)]);
    for (from, to) in [(a, b), (b, a)] {
        problem.dependences.push(Dependence {
            from,
            to,
            latency: Some(-1),
            distance: 0,
        });
    }
    // Deadlines that have no part in it.
    let c = problem.add_operation("c", 2, vec![Use::whole(engine, 2)]);
    let d = problem.add_operation("d", 1, vec![]);
    problem.add_dependence(c, d, 0);
    problem.dependences.push(Dependence {
        from: d,
        to: c,
        latency: Some(-7),
        distance: 0,
    });
    let instance = Instance::new(problem);
    let error = timed_solution(&instance, Scheduler::Exact, &Options::default()).unwrap_err();
    assert!(error.is_infeasible());
    expect![
        "there is no schedule: the deadlines among operations `a`, `b` compete for resources; relax a negative \
         latency, or what makes them start together"
    ]
    .assert_eq(&error.to_string());
    let error = timed_solution(&instance, Scheduler::List, &Options::default()).unwrap_err();
    assert!(!error.is_infeasible());
    expect![
        "`list` found no schedule of up to 7 cycles, the deadlines among operations `a`, `b`, `c`, `d` being in \
        its way; there may be one: try `auto`"
    ]
    .assert_eq(&error.to_string());
}
