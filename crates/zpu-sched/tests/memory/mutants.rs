//! The verifier refuses plans that are wrong by little, and judges as an enumeration of instances does.

use proptest::prelude::*;
use zpu_sched::memory::{Effort, Plan, Problem, Violation, verify, verify_addresses};

use super::common::{HORIZON, anything, buffers, config, of, planned};

/// True if two instances of the first iterations share bytes while both live, by looking at every instance.
fn has_overlap(problem: &Problem, offsets: &[Vec<u64>]) -> bool {
    let turns = if problem.period == 0 { 1 } else { 24 };
    let mut instances = vec![];
    for (place, buffer) in problem.buffers.iter().enumerate() {
        for turn in 0..turns {
            let at = offsets[place][turn as usize % offsets[place].len()];
            for life in &buffer.lives {
                let from = life.from + turn * problem.period;
                instances.push((
                    buffer.space,
                    at,
                    at + buffer.bytes,
                    from,
                    from + life.length,
                    (place, turn),
                ));
            }
        }
    }
    instances.iter().enumerate().any(|(place, a)| {
        let others = instances[place + 1..].iter().filter(|b| a.0 == b.0 && a.5 != b.5);
        others
            .into_iter()
            .any(|b| a.1 < b.2 && b.1 < a.2 && a.3 < b.4 && b.3 < a.4)
    })
}

proptest! {
    #![proptest_config(config())]

    /// An address moved by one unit of alignment is refused exactly where it matters.
    #[test]
    fn moved_addresses_are_judged_as_by_enumeration(problem in anything(10), which: prop::sample::Index, up: bool) {
        prop_assume!(!problem.buffers.is_empty());
        let plan = planned(&problem, &Effort { nodes: 500, unroll: 2, ..Effort::default() });
        prop_assert!(!has_overlap(&problem, &plan.offsets));
        let mut offsets = plan.offsets;
        let place = which.index(offsets.len());
        let unit = problem.align(zpu_sched::memory::BufferId(place as u32));
        let slot = which.index(offsets[place].len());
        let old = offsets[place][slot];
        let Some(moved) = (if up { old.checked_add(unit) } else { old.checked_sub(unit) })
        else { return Ok(()) };
        offsets[place][slot] = moved;
        let verdict = verify_addresses(&problem, &offsets);
        if has_overlap(&problem, &offsets) {
            prop_assert!(verdict.is_err());
        }
        if matches!(verdict, Err(Violation::Overlap { .. })) {
            prop_assert!(has_overlap(&problem, &offsets));
        }
    }

    /// A plan that was made for a shorter life is refused exactly if the whole one is in the way.
    #[test]
    fn a_life_cut_short_is_found(buffers in buffers(12), which: prop::sample::Index, is_circle: bool) {
        let period = if is_circle { HORIZON } else { 0 };
        let mut cut = buffers.clone();
        let place = which.index(cut.len());
        cut[place].2 = cut[place].2.div_ceil(2);
        let plan = planned(&of(period, &cut), &Effort::default());
        let whole = of(period, &buffers);
        let verdict = verify_addresses(&whole, &plan.offsets);
        prop_assert_eq!(verdict.is_err(), has_overlap(&whole, &plan.offsets));
    }
}

/// Each rule of the verifier, broken alone.
#[test]
fn each_rule_is_checked() {
    let mut problem = of(0, &[(8, 0, 4), (8, 2, 4), (8, 6, 4)]);
    problem.spaces[0].align = 8;
    problem.spaces[0].bytes = Some(32);
    problem.buffers[2].offset = Some(8);
    let plan = planned(&problem, &Effort::default());
    let broken = |change: &dyn Fn(&mut Plan)| {
        let mut wrong = plan.clone();
        change(&mut wrong);
        verify(&problem, &wrong).expect_err("it is wrong").to_string()
    };
    let other = plan.offsets[1][0];
    assert_eq!(
        broken(&|plan| plan.offsets[0][0] = other),
        format!("buffers `0` at {other} and `1` at {other} share bytes while both live")
    );
    assert_eq!(
        broken(&|plan| plan.offsets[0][0] = 20),
        "buffer `0` has the address 20, which is no multiple of its alignment 8"
    );
    assert_eq!(
        broken(&|plan| plan.offsets[2][0] = 16),
        "buffer `2` has the address 16, which is not the pinned one of slot 0 after 8"
    );
    assert_eq!(
        broken(&|plan| plan.spaces[0].planned -= 1),
        "the plan of `sram` claims 15 bytes, its last buffer ends at 16"
    );
    assert_eq!(
        broken(&|plan| {
            plan.offsets[0][0] = 32;
            plan.spaces[0].planned = 40;
        }),
        "the plan of `sram` needs 40 bytes, it has 32"
    );
    assert_eq!(
        broken(&|plan| plan.offsets[0].push(64)),
        "the plan has not the form of the problem at buffer `0`: 2 addresses"
    );
    let mut banked = of(0, &[(8, 0, 4), (8, 4, 4)]);
    banked.spaces[0].bytes = Some(32);
    banked.spaces[0].banks = 2;
    banked.buffers[0].apart.push(zpu_sched::memory::BufferId(1));
    let plan = planned(&banked, &Effort::default());
    assert_eq!(plan.spaces[0].planned, 24);
    let verdict = verify_addresses(&banked, &[vec![0], vec![8]]).expect_err("it is wrong");
    assert_eq!(
        verdict.to_string(),
        "buffers `0` and `1` are to be apart, and both touch bank 0"
    );
}
