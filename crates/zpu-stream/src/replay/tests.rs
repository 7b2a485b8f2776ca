use super::*;
use crate::order::{Expr, Map};
use crate::verdict::Verdict;

const LIMIT: u64 = 1 << 20;

/// An access in one dimension, at `factor` times the number of the iteration from `first` on.
fn listed(write: bool, shared: usize, trips: i64, (factor, first): (i64, i64), size: i64) -> Listed {
    let at = Expr::Sum(vec![
        Expr::Scaled(Box::new(Expr::Index(0)), factor),
        Expr::Constant(first),
    ]);
    let map = Map {
        inputs: 1,
        results: vec![at],
    };
    Listed {
        write,
        shared,
        order: Order::new(vec![trips], map, vec![size]),
    }
}

/// A row at a time is written two ahead of a window of three rows.
fn window() -> Vec<Touch> {
    let list = [
        listed(true, 0, 2, (1, 0), 1),
        listed(true, 0, 14, (1, 2), 1),
        listed(false, 1, 14, (1, 0), 3),
    ];
    meaning(&list, LIMIT).unwrap()
}

/// The accesses to a ring, each taken apart into single slots.
fn in_ring(touches: &[Touch], slots: i64) -> (Vec<Touch>, Vec<Touch>) {
    let apart = touches.iter().flat_map(|touch| {
        (0..touch.size[0]).map(|offset| Touch {
            from: vec![touch.from[0] + offset],
            size: vec![1],
            ..touch.clone()
        })
    });
    let meant: Vec<Touch> = apart.collect();
    let made = meant.iter().map(|touch| Touch {
        from: vec![touch.from[0] % slots],
        ..touch.clone()
    });
    let made = made.collect();
    (meant, made)
}

#[test]
fn a_list_runs_in_program_order() {
    let entries: Vec<(usize, i64)> = window().iter().map(|touch| (touch.entry, touch.from[0])).collect();
    assert_eq!(entries[..6], [(0, 0), (0, 1), (1, 2), (2, 0), (1, 3), (2, 1)]);
}

#[test]
fn a_window_needs_its_height() {
    let (meant, made) = in_ring(&window(), 3);
    assert_eq!(compare(&meant, &made, &[3], LIMIT), Ok(None));
    let (meant, made) = in_ring(&window(), 2);
    let difference = compare(&meant, &made, &[3], LIMIT).unwrap();
    let Some(Difference::Holds {
        slot, element, held, ..
    }) = difference
    else {
        panic!("{difference:?}");
    };
    assert_eq!((slot, element, held), (vec![0], vec![0], Some(vec![2])));
}

#[test]
fn a_slot_that_is_not_there_is_one_too_many() {
    let (meant, made) = in_ring(&window(), 3);
    let difference = compare(&meant, &made, &[2], LIMIT).unwrap();
    assert_eq!(difference, Some(Difference::Outside { at: 2, slot: vec![2] }));
}

#[test]
fn an_element_that_is_written_again_elsewhere_is_stale() {
    let touch = |write, from| Touch {
        entry: 0,
        write,
        from: vec![from],
        size: vec![1],
    };
    let meant = [touch(true, 5), touch(true, 5), touch(false, 5)];
    let made = [touch(true, 0), touch(true, 1), touch(false, 0)];
    let difference = compare(&meant, &made, &[2], LIMIT).unwrap();
    let held = Some(vec![5]);
    let (slot, element) = (vec![0], vec![5]);
    assert_eq!(
        difference,
        Some(Difference::Holds {
            at: 2,
            slot,
            element,
            held
        })
    );
}

#[test]
fn verdicts_of_programs() {
    let of = |list: &[Listed], is_block| verdict(&meaning(list, LIMIT).unwrap(), is_block, LIMIT).unwrap();
    let write = listed(true, 0, 6, (2, 0), 2);
    assert_eq!(
        of(&[write.clone(), listed(false, 1, 6, (2, 0), 2)], false),
        Verdict::Stream
    );
    let twice = [
        write.clone(),
        listed(false, 1, 6, (2, 0), 2),
        listed(false, 1, 6, (2, 0), 2),
    ];
    assert_eq!(of(&twice, false), Verdict::Hold);
    assert_eq!(
        of(&[write.clone(), listed(false, 0, 3, (4, 0), 4)], false),
        Verdict::Repack
    );
    assert_eq!(
        of(&[write.clone(), listed(false, 0, 4, (2, 0), 6)], false),
        Verdict::Window
    );
    let backwards = [write.clone(), listed(false, 0, 6, (-2, 10), 2)];
    assert_eq!(of(&backwards, false), Verdict::ReorderFull);
    assert_eq!(of(&backwards, true), Verdict::ReorderBlock);
    assert_eq!(
        of(&[write, listed(false, 0, 7, (2, 0), 2)], false),
        Verdict::Incompatible
    );
}

#[test]
fn what_a_producer_reads_of_its_own_is_no_edge() {
    let list = [
        listed(true, 0, 6, (1, 0), 1),
        listed(false, 1, 6, (1, 0), 1),
        listed(true, 1, 6, (1, 0), 1),
        listed(false, 1, 6, (1, 0), 1),
    ];
    assert_eq!(
        verdict(&meaning(&list, LIMIT).unwrap(), true, LIMIT),
        Ok(Verdict::Stream)
    );
}

#[test]
fn large_programs_are_declined() {
    let list = [listed(true, 0, 1 << 40, (1, 0), 1)];
    assert_eq!(meaning(&list, 100), Err(ReplayError::TooLarge(100)));
}

/// Random windows in rings of all sizes: right from some size on, and that size is what the distances of elements that
/// are needed at one time say, counted here from the definition.
#[test]
fn rings_are_right_from_the_size_on_that_is_needed() {
    let mut state = 7u64;
    let mut random = |n: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % n) as i64
    };
    for _ in 0..500 {
        let (step, reach, ahead) = (1 + random(3), 1 + random(5), random(3));
        let trips = 4 + random(6);
        let first = reach + ahead * step;
        let list = [
            listed(true, 0, first, (1, 0), 1),
            listed(false, 0, trips, (step, 0), reach),
            listed(true, 1, trips, (step, first), step),
        ];
        let touches = meaning(&list, LIMIT).unwrap();
        let right = |slots: i64| {
            let (meant, made) = in_ring(&touches, slots);
            compare(&meant, &made, &[slots], LIMIT).unwrap().is_none()
        };
        let (meant, _) = in_ring(&touches, 1);
        // An element lives from its write to its last read, and all writes in between must go elsewhere.
        let clash = |slots: i64| {
            (0..meant.len()).any(|read| {
                let element = meant[read].from[0];
                let write = (0..read)
                    .rev()
                    .find(|at| meant[*at].write && meant[*at].from[0] == element);
                !meant[read].write
                    && write.is_some_and(|write| {
                        let between = &meant[write + 1..read];
                        between
                            .iter()
                            .any(|other| other.write && (other.from[0] - element) % slots == 0)
                    })
            })
        };
        for slots in 1..=first + step + 2 {
            assert_eq!(right(slots), !clash(slots), "{list:?} in {slots}");
        }
    }
}

/// The sizes of a row-major order and another one, beside those of the sweep, whose definitions are the same.
#[test]
fn sizes_are_those_of_the_edge() {
    use crate::fork::Fork;
    use crate::{Limits, analyze};

    let shapes = [(vec![5, 7], "(d0, d1) -> (d1, d0)", vec![7, 5], vec![1, 1])];
    let tiles = [(vec![12, 8], "(d0, d1) -> (d0 * 6, d1 * 4)", vec![2, 2], vec![6, 4])];
    let windows = [(vec![7, 9], "(d0, d1) -> (d0, d1)", vec![5, 8], vec![3, 2])];
    for (shape, map, loops, token) in shapes.into_iter().chain(tiles).chain(windows) {
        let read = Order::new(loops, map.parse().unwrap(), token);
        let write = Order::rows(&shape);
        let list = [
            Listed {
                write: true,
                shared: 0,
                order: write.clone(),
            },
            Listed {
                write: false,
                shared: 0,
                order: read.clone(),
            },
        ];
        let found = needs(&meaning(&list, LIMIT).unwrap(), LIMIT).unwrap();
        let answer = analyze(&Fork::pair(shape.clone(), write, read), Limits::default()).unwrap();
        let sizes = answer.edges[0].sizes.clone().unwrap();
        assert_eq!(u128::from(found.fine), sizes.min_capacity, "{map}");
        assert_eq!(u128::from(found.ring), sizes.circular_span, "{map}");
        assert_eq!(found.block, shape, "{map}");
        assert_eq!(
            found.in_place.iter().product::<i64>(),
            sizes.modulo_shape.iter().product::<i64>(),
            "{map}"
        );
    }
}
