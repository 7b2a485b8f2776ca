//! Random loops as deterministic functions of a seed, for the benches and the tests of quality.

use zpu_sched::{Alternative, Buffer, Dependence, OpId, Problem, ResourceId, Use};

/// A small generator of numbers (Knuth's MMIX).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// A loop of `operations` operations on 3 to 6 resources, some with two units, with recurrences, rings of up to three
/// versions, pipelined engines, and now and then a choice of engine or a deadline.
pub fn random_loop(seed: u64, operations: u64) -> Problem {
    let mut numbers = Numbers::new(seed);
    let mut problem = Problem::cyclic(format!("random{seed}"));
    let resources: Vec<ResourceId> = (0..3 + numbers.below(4))
        .map(|index| problem.add_resource(format!("r{index}"), 1 + u32::from(numbers.below(4) == 0)))
        .collect();
    for index in 0..operations {
        let resource = numbers.below(resources.len() as u64) as usize;
        let latency = 1 + numbers.below(40);
        // An engine is busy for the whole operation, or takes the next one earlier.
        let busy = if numbers.below(3) == 0 {
            1 + numbers.below(latency)
        } else {
            latency
        };
        let on = |resource: usize, latency: u64| Alternative {
            latency,
            uses: vec![Use::whole(resources[resource], busy)],
        };
        let mut alternatives = vec![on(resource, latency)];
        if numbers.below(16) == 0 {
            alternatives.push(on((resource + 1) % resources.len(), latency + numbers.below(3)));
        }
        problem.add_choice(format!("op{index}"), alternatives);
    }
    let op = |index: u64| OpId(index as u32);
    for to in 1..operations {
        for _ in 0..1 + numbers.below(2) {
            let from = to - 1 - numbers.below(to.min(8));
            problem.add_dependence(op(from), op(to), 0);
            if numbers.below(3) == 0 {
                let name = format!("buffer{}", problem.buffers.len());
                let buffer = Buffer::new(name, vec![op(from)], vec![op(to)]);
                problem.add_buffer(buffer.with_max_versions(1 + numbers.below(3) as u32));
            }
        }
    }
    for _ in 0..operations / 8 {
        let to = numbers.below(operations);
        let from = (to + numbers.below(6)).min(operations - 1);
        problem.add_dependence(op(from), op(to), 1 + numbers.below(3) as u32);
    }
    if numbers.below(4) == 0 {
        let from = numbers.below(operations - 1);
        problem.dependences.push(Dependence {
            from: op(from + 1),
            to: op(from),
            latency: Some(-(200 + numbers.below(200) as i64)),
            distance: 0,
        });
    }
    problem
}
