//! Problems at random.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use zpu_sched::memory::{Buffer, BufferId, Effort, Plan, Problem, Space, plan, verify};

/// The time of linear problems, and the period of circular ones.
pub(crate) const HORIZON: u64 = 40;

/// A configuration with the same problems each time; `PROPTEST_RNG_SEED` and `PROPTEST_CASES` change the seed and the
/// number.
pub(crate) fn config() -> ProptestConfig {
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(4);
    }
    config
}

/// The least plan that can be found.
pub(crate) fn best(problem: &Problem) -> Plan {
    planned(
        problem,
        &Effort {
            nodes: 300_000,
            ..Effort::thorough()
        },
    )
}

/// A verified plan.
pub(crate) fn planned(problem: &Problem, effort: &Effort) -> Plan {
    let plan = plan(problem, effort).unwrap_or_else(|error| panic!("{error}: {problem:?}"));
    assert_eq!(verify(problem, &plan), Ok(()), "{problem:?} {plan:?}");
    plan
}

/// A problem of one memory without limit, on a line, of buffers (bytes, from, length).
pub(crate) fn of(period: u64, buffers: &[(u64, u64, u64)]) -> Problem {
    let mut problem = Problem::circular("random", period);
    let space = problem.add_space(Space::new("sram"));
    for (place, &(bytes, from, length)) in buffers.iter().enumerate() {
        problem.add_buffer(Buffer::new(place.to_string(), space, bytes, from, length));
    }
    problem
}

/// Up to some number of buffers as (bytes, from, length), on a line of [`HORIZON`] or on a circle of it.
pub(crate) fn buffers(most: usize) -> impl Strategy<Value = Vec<(u64, u64, u64)>> {
    let one = (1u64..20, 0..HORIZON, 1u64..HORIZON * 6 / 10);
    prop::collection::vec(one, 1..most)
}

/// Problems with everything that a problem may have: several memories, alignments, pinned buffers far above all others,
/// rings, groups, several lives, banks.
pub(crate) fn anything(most: usize) -> impl Strategy<Value = Problem> {
    let one = (
        (0u32..2, 1u64..40, 0..HORIZON, 1u64..HORIZON * 3),
        (0u32..4, prop::bool::weighted(0.1), prop::option::weighted(0.2, 1u32..4)),
        (0u32..4, prop::option::weighted(0.2, 0usize..8), 1u64..5),
    );
    (any::<bool>(), prop::collection::vec(one, 0..most)).prop_map(|(is_circle, buffers)| {
        let period = if is_circle { HORIZON } else { 0 };
        let mut problem = Problem::circular("anything", period);
        let plain = problem.add_space(Space {
            align: 4,
            ..Space::new("plain")
        });
        let banked = problem.add_space(Space {
            bytes: Some(1 << 20),
            banks: 4,
            ..Space::new("banked")
        });
        let mut pins = 0;
        for (place, (what, fixed, more)) in buffers.iter().enumerate() {
            let &(space, bytes, from, length) = what;
            let &(align, is_pinned, versions) = fixed;
            let &(group, apart, gap) = more;
            let space = if space == 0 { plain } else { banked };
            let mut buffer = Buffer::new(place.to_string(), space, bytes, from, length);
            buffer.align = (align > 0).then(|| 1 << align);
            buffer.group = (group > 0).then(|| group.to_string());
            if is_circle {
                let least = length.div_ceil(HORIZON) as u32;
                buffer.versions = versions.map(|versions| versions.max(least));
            } else if gap > 2 {
                buffer.lives.push(zpu_sched::memory::Life {
                    from: from + length + gap,
                    length: gap,
                });
            }
            if is_pinned {
                // Room for the slots of a ring, and no collision with other pinned ones.
                buffer.offset = Some(256 + pins * 1024);
                pins += 1;
            }
            if space == banked && !is_pinned {
                let other = apart.filter(|&other| other < place);
                let other = other.filter(|&other| problem.buffers[other].space == banked);
                buffer.apart = other.map(|other| BufferId(other as u32)).into_iter().collect();
            }
            problem.add_buffer(buffer);
        }
        problem
    })
}
