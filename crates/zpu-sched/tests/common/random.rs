//! Random loop problems that pass the check.

use proptest::prelude::*;
use zpu_sched::{Alternative, Buffer, CONTROL, OpId, Options, Problem, ResourceId, Use};

/// A loop of up to `most` operations on a few engines, with recurrences, rings, some blocking operations and some with
/// a choice of engine.
pub fn problems(most: usize) -> impl Strategy<Value = Problem> {
    let operation = (0usize..4, 1u64..60, 0u8..8);
    (prop::collection::vec(operation, 1..=most), 0u64..3, any::<u64>()).prop_map(|(operations, issue, seed)| {
        let mut seed = seed;
        let mut random = move |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        let mut problem = Problem::cyclic("random");
        let engines: Vec<ResourceId> = (0..4).map(|i| problem.add_resource(format!("engine{i}"), 1)).collect();
        let control = problem.add_resource(CONTROL, 1);
        let blocking_engine = random(5) as usize;
        for (index, &(engine, cycles, kind)) in operations.iter().enumerate() {
            let on = |engine: usize| {
                let held = if engine == blocking_engine {
                    cycles
                } else {
                    issue.min(cycles - 1)
                };
                Alternative {
                    latency: cycles,
                    uses: vec![Use::whole(engines[engine], cycles), Use::whole(control, held)],
                }
            };
            let mut alternatives = vec![on(engine)];
            if kind == 0 {
                alternatives.push(on((engine + 1) % 4));
            }
            problem.add_choice(format!("op{index}"), alternatives);
        }
        let count = operations.len() as u64;
        for to in 1..count {
            for _ in 0..random(3) {
                problem.add_dependence(OpId(random(to) as u32), OpId(to as u32), 0);
            }
        }
        for _ in 0..random(count / 3 + 2) {
            let (from, to) = (OpId(random(count) as u32), OpId(random(count) as u32));
            problem.add_dependence(from, to, 1 + random(2) as u32);
        }
        for index in 0..random(count / 2 + 1) {
            let writer = random(count);
            let reader = OpId((writer + random(count - writer)) as u32);
            let writer = OpId(writer as u32);
            if writer != reader {
                problem.add_dependence(writer, reader, 0);
            }
            let mut buffer = Buffer::new(format!("buffer{index}"), vec![writer], vec![reader]);
            buffer.bytes = 1 + random(100);
            problem.add_buffer(buffer);
        }
        problem
    })
}

/// Options for them.
pub fn options() -> impl Strategy<Value = Options> {
    (0u32..4, prop::option::of(0u64..20), 0usize..4).prop_map(|(num_stages, trip, loads)| Options {
        num_stages,
        trip,
        loads: (0..loads as u32).map(OpId).collect(),
        ..Options::default()
    })
}
