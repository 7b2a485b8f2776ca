//! Problems with known answers, and the quality of the default.

use zpu_sched::memory::{Buffer, Cause, Effort, Life, Problem, Space, SpaceId, explain};

use super::common::{best, of, planned};

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn between(&mut self, least: u64, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        least + (z ^ (z >> 31)) % (most - least + 1)
    }
}

/// A rectangle of time and bytes, or a cylinder, is cut and the places are forgotten: the optimum is its height.
#[test]
fn cut_shapes_are_solved_to_their_height() {
    for is_circle in [false, true] {
        for seed in 0..12 {
            let mut random = Random(seed);
            let (horizon, height) = (200, 100);
            let mut pieces = vec![(0, horizon, 0, height)];
            while pieces.len() < 14 {
                let place = random.between(0, pieces.len() as u64 - 1) as usize;
                let (from, to, low, high) = pieces[place];
                if random.between(0, 1) == 0 && to - from > 1 {
                    let at = random.between(from + 1, to - 1);
                    pieces[place] = (from, at, low, high);
                    pieces.push((at, to, low, high));
                } else if high - low > 1 {
                    let at = random.between(low + 1, high - 1);
                    pieces[place] = (from, to, low, at);
                    pieces.push((from, to, at, high));
                }
            }
            let turn = if is_circle { random.between(0, horizon - 1) } else { 0 };
            let buffers: Vec<_> = pieces
                .iter()
                .map(|&(from, to, low, high)| (high - low, from + turn, to - from))
                .collect();
            let plan = best(&of(if is_circle { horizon } else { 0 }, &buffers));
            assert_eq!(plan.spaces[0].planned, height, "{is_circle} {seed}");
            assert!(plan.spaces[0].proven);
        }
    }
}

/// The default is within half a per cent of the optimum on average, and within 5 % at worst, without exact search as
/// with it.
#[test]
fn the_default_is_close_to_the_optimum() {
    for is_circle in [false, true] {
        let (mut sum, mut worst, mut count) = (0.0, 0f64, 0.0);
        let mut random = Random(7);
        for _ in 0..30 {
            let buffers: Vec<_> = (0..random.between(10, 20))
                .map(|_| (random.between(1, 40), random.between(0, 99), random.between(1, 60)))
                .collect();
            let problem = of(if is_circle { 100 } else { 0 }, &buffers);
            let exact = best(&problem).spaces[0];
            if !exact.proven {
                continue;
            }
            let ratio = planned(&problem, &Effort::default()).spaces[0].planned as f64 / exact.planned as f64;
            sum += ratio;
            count += 1.0;
            worst = worst.max(ratio);
        }
        assert!(count >= 27.0, "{count}");
        assert!(
            sum / count <= 1.005 && worst <= 1.05,
            "{is_circle}: {} {worst}",
            sum / count
        );
    }
}

/// Lives just below, at and above a multiple of the period.
#[test]
fn a_ring_has_as_many_slots_as_instances_are_alive() {
    for (length, slots) in [(9, 1), (10, 1), (11, 2), (20, 2), (21, 3), (29, 3), (30, 3), (31, 4)] {
        let plan = best(&of(10, &[(8, 3, length)]));
        assert_eq!(plan.offsets[0].len(), slots, "{length}");
        assert_eq!(plan.spaces[0].planned, slots as u64 * 8);
        assert_eq!(plan.spaces[0].load, slots as u64 * 8);
    }
}

/// Two rings whose lives within a slot do not meet lie on top of each other.
#[test]
fn rings_lie_on_top_of_each_other() {
    let plan = best(&of(10, &[(8, 0, 11), (8, 12, 7), (8, 11, 8)]));
    // Each of the shorter two has room in the idle time of a slot of the ring, but not both.
    assert_eq!(plan.spaces[0].planned, 24);
    let rings = best(&of(10, &[(8, 0, 11), (8, 11, 9), (4, 11, 9)]));
    assert!(rings.spaces[0].planned <= 24, "{rings:?}");
    let mut two = of(10, &[(8, 0, 11), (8, 11, 9)]);
    two.buffers[1].versions = Some(2);
    let plan = best(&two);
    assert_eq!(plan.offsets[0], plan.offsets[1]);
    assert_eq!((plan.spaces[0].planned, plan.spaces[0].rings), (16, 32));
}

/// A buffer of which three instances are alive has no room in a ring of two slots, whether or not it is one itself.
#[test]
fn rings_of_too_few_slots_take_nothing_in() {
    let mut problem = of(3, &[(1, 0, 1), (1, 0, 7)]);
    problem.buffers[0].versions = Some(2);
    for unroll in 1..8 {
        let effort = Effort {
            unroll,
            ..Effort::thorough()
        };
        assert_eq!(planned(&problem, &effort).spaces[0].planned, 5, "{unroll}");
    }
}

/// Three arcs that meet pairwise and have no common time.
#[test]
fn cliques_bound_circles() {
    let problem = of(9, &[(1, 0, 4), (1, 3, 4), (1, 6, 4)]);
    let one = best(&problem);
    assert_eq!(
        (one.spaces[0].load, one.spaces[0].lower_bound, one.spaces[0].planned),
        (2, 3, 3)
    );
    let two = planned(
        &problem,
        &Effort {
            unroll: 3,
            ..Effort::thorough()
        },
    );
    assert_eq!((two.unroll, two.spaces[0].planned, two.spaces[0].proven), (2, 2, true));
}

/// Between its lives, the bytes of a buffer are free.
#[test]
fn several_lives_leave_room() {
    let mut problem = of(0, &[(8, 0, 4), (8, 4, 4)]);
    problem.buffers[0].lives.push(Life { from: 8, length: 4 });
    assert_eq!(best(&problem).spaces[0].planned, 8);
}

/// Alignment and pinned buffers count in the bound.
#[test]
fn bounds_count_alignment_and_pins() {
    let mut aligned = of(0, &[(5, 0, 4), (5, 0, 4), (5, 0, 4)]);
    aligned.spaces[0].align = 8;
    let of_aligned = best(&aligned).spaces[0];
    assert_eq!(
        (of_aligned.load, of_aligned.lower_bound, of_aligned.planned),
        (15, 21, 21)
    );
    let mut pinned = of(0, &[(4, 0, 4), (8, 0, 4), (2, 0, 4)]);
    pinned.buffers[0].offset = Some(6);
    let of_pinned = best(&pinned).spaces[0];
    assert_eq!((of_pinned.load, of_pinned.lower_bound, of_pinned.planned), (14, 18, 18));
}

#[test]
fn what_does_not_fit_is_explained() {
    let loaded = of(0, &[(6, 0, 4), (6, 2, 6), (4, 0, 8), (1, 2, 2), (9, 8, 2)]);
    let why = explain(&loaded, SpaceId(0), 15);
    let names = |ids: &[zpu_sched::memory::BufferId]| ids.iter().map(|id| id.0).collect::<Vec<_>>();
    assert_eq!(
        (why.cause, why.load, why.at, why.irreducible),
        (Cause::Load, 17, 2, true)
    );
    assert_eq!(names(&why.subset), [0, 1, 2]);
    assert_eq!(why.alive.iter().map(|alive| alive.1).collect::<Vec<_>>(), [6, 6, 4, 1]);
    // Arcs that meet pairwise.
    let circle = of(9, &[(1, 0, 4), (1, 3, 4), (1, 6, 4), (1, 0, 1)]);
    let why = explain(&circle, SpaceId(0), 2);
    assert_eq!((why.load, why.cause, why.irreducible), (3, Cause::Load, true));
    let circle = of(9, &[(1, 0, 4), (1, 3, 4), (1, 6, 4), (1, 4, 1)]);
    let why = explain(&circle, SpaceId(0), 2);
    assert_eq!((why.load, why.cause, why.irreducible), (2, Cause::Fragmentation, true));
    assert_eq!(names(&why.subset), [0, 1, 2]);
    let fits = explain(&circle, SpaceId(0), 4);
    assert_eq!((fits.cause, fits.subset.len()), (Cause::Unknown, 0));
}

/// A memory of its own for each, and none for what there is not.
#[test]
fn spaces_are_planned_alone() {
    let mut problem = Problem::linear("two");
    let (a, b) = (problem.add_space(Space::new("a")), problem.add_space(Space::new("b")));
    problem.add_space(Space::new("c"));
    problem.add_buffer(Buffer::new("x", a, 8, 0, 4));
    problem.add_buffer(Buffer::new("y", b, 16, 0, 4));
    let plan = best(&problem);
    assert_eq!(
        plan.spaces.iter().map(|space| space.planned).collect::<Vec<_>>(),
        [8, 16, 0]
    );
    assert!(plan.spaces.iter().all(|space| space.proven));
    assert!(best(&Problem::default()).spaces.is_empty());
}
