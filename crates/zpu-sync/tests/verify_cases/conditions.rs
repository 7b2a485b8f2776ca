//! Conditions, trip counts and the iterations in which they hold.

use zpu_sync::verdict::verify;

use crate::common::records::problem_of;
use crate::common::{Affine, Compare, Cond, Kind, Name, Program, edit};
use crate::{
    COMPUTE, FROM, LOAD, OWN, Verdict, branch, compare, counted, i, n, program, read, slot, start, verdict, write,
};

/// An iteration starts a command, and waits for it under a condition and then in any case.
#[test]
fn a_wait_counts_for_the_iteration_of_its_condition_only() {
    let used = branch(
        Cond::Argument(0),
        vec![Kind::Touch(read(OWN, Affine::constant(0)))],
        Vec::new(),
        Vec::new(),
    );
    let fence = || Kind::Fence(vec![LOAD]);
    let body = vec![
        start(LOAD, 2, vec![write(OWN, Affine::constant(0))]),
        branch(compare(i(1), Compare::Greater, 0), vec![used], Vec::new(), Vec::new()),
        branch(Cond::Argument(0), vec![fence()], Vec::new(), Vec::new()),
        fence(),
    ];
    let program = program(vec![counted(1, n(), Vec::new(), body)]);
    assert_eq!(verdict(&program), Verdict::Refuted(vec![5]));
}

#[test]
fn a_condition_holds_at_its_bound() {
    let inner = branch(
        compare(n(), Compare::Equal, 3),
        vec![Kind::Touch(read(OWN, Affine::constant(0)))],
        Vec::new(),
        Vec::new(),
    );
    let program = program(vec![
        start(LOAD, 1, vec![write(OWN, Affine::constant(0))]),
        branch(
            compare(n(), Compare::LessOrEqual, 3),
            vec![inner],
            Vec::new(),
            Vec::new(),
        ),
    ]);
    assert_eq!(verdict(&program), Verdict::Refuted(vec![4]));
}

/// A load under a condition, and one iteration later its use under the same one, which the loop has carried there; or
/// under another one, or too late.
fn used_one_iteration_later(carries: Cond, asks: Name) -> Program {
    let start = start(LOAD, 12, vec![write(OWN, Affine::constant(0))]);
    let never = Cond::Compare(Compare::Less, Affine::constant(1), Affine::constant(0));
    let body = vec![
        branch(Cond::Flag(asks), vec![Kind::Wait(10)], Vec::new(), Vec::new()),
        Kind::Touch(read(OWN, Affine::constant(0))),
        Kind::Flag(21, carries),
        Kind::Null(11, LOAD),
        branch(Cond::Argument(0), vec![start], Vec::new(), vec![(14, 12, 11)]),
    ];
    let carried = vec![[10, 1, 14, 15], [20, 2, 21, 22], [30, 2, 20, 32]];
    program(vec![
        Kind::Null(1, LOAD),
        Kind::Flag(2, never),
        counted(3, n(), carried, body),
    ])
}

#[test]
fn a_condition_that_a_loop_carries_is_that_of_the_iteration_before() {
    let same = || Cond::Argument(0);
    assert_eq!(verdict(&used_one_iteration_later(same(), 20)), Verdict::Proven);
    let opposite = Cond::Not(Box::new(same()));
    assert_eq!(
        verdict(&used_one_iteration_later(opposite, 20)),
        Verdict::Refuted(vec![6])
    );
    assert_eq!(
        verdict(&used_one_iteration_later(same(), 30)),
        Verdict::Refuted(vec![6])
    );
}

/// The token of the first iteration, which the loop carries to its end, is none of the second one's command.
#[test]
fn a_token_of_the_first_iteration() {
    let touched = |element: i64| {
        let body = vec![
            start(LOAD, 12, vec![write(OWN, i(3))]),
            Kind::Select {
                result: 13,
                cond: compare(i(3), Compare::Equal, 0),
                yes: 12,
                no: 11,
            },
        ];
        let touch = Kind::Touch(read(OWN, Affine::constant(element)));
        program(vec![
            Kind::Null(1, LOAD),
            counted(3, n(), vec![[11, 1, 13, 20]], body),
            Kind::Wait(20),
            branch(compare(n(), Compare::Greater, 10), vec![touch], Vec::new(), Vec::new()),
        ])
    };
    assert_eq!(verdict(&touched(1)), Verdict::Refuted(vec![7]));
    assert_ne!(verdict(&touched(0)), Verdict::Refuted(vec![7]));
}

#[test]
fn a_token_of_the_iteration_before_the_last() {
    // Elements are those of two iterations later, so that there are some where the loop does not run.
    let touched = |back: i64| {
        program(vec![
            Kind::Null(1, LOAD),
            Kind::Null(2, LOAD),
            counted(
                3,
                n(),
                vec![[10, 1, 12, 20], [11, 2, 10, 21]],
                vec![start(LOAD, 12, vec![write(OWN, i(3).add(2))])],
            ),
            Kind::Wait(21),
            branch(
                compare(n(), Compare::Greater, 1),
                vec![Kind::Touch(read(OWN, n().add(1 - back)))],
                Vec::new(),
                Vec::new(),
            ),
        ])
    };
    assert_eq!(verdict(&touched(1)), Verdict::Proven);
    assert_eq!(verdict(&touched(0)), Verdict::Refuted(vec![7]));
}

#[test]
fn a_branch_that_waits_on_one_side_only() {
    let waits = |otherwise: Vec<Kind>| {
        program(vec![
            start(LOAD, 1, vec![write(OWN, Affine::constant(0))]),
            branch(Cond::Argument(0), vec![Kind::Wait(1)], otherwise, Vec::new()),
            Kind::Touch(read(OWN, Affine::constant(0))),
        ])
    };
    assert_eq!(verdict(&waits(vec![Kind::Fence(vec![LOAD])])), Verdict::Proven);
    assert_eq!(verdict(&waits(Vec::new())), Verdict::Refuted(vec![4]));
}

#[test]
fn a_wait_under_the_condition_of_its_command() {
    let with = |wait: Cond| {
        program(vec![
            Kind::Null(1, LOAD),
            branch(
                compare(n(), Compare::Greater, 2),
                vec![start(LOAD, 2, vec![write(OWN, Affine::constant(0))])],
                Vec::new(),
                vec![(3, 2, 1)],
            ),
            branch(wait, vec![Kind::Wait(3)], Vec::new(), Vec::new()),
            Kind::Touch(read(OWN, Affine::constant(0))),
        ])
    };
    assert_eq!(verdict(&with(compare(n(), Compare::Greater, 2))), Verdict::Proven);
    // The same condition, written as its opposite.
    let not_less = Cond::Not(Box::new(compare(n(), Compare::LessOrEqual, 2)));
    assert_eq!(verdict(&with(not_less)), Verdict::Proven);
    assert_eq!(
        verdict(&with(compare(n(), Compare::Greater, 3))),
        Verdict::Refuted(vec![6])
    );
}

#[test]
fn the_last_iteration_prefetches_nothing() {
    let prefetch = |last: i64| {
        program(vec![
            Kind::Null(1, LOAD),
            branch(
                compare(n(), Compare::Greater, 0),
                vec![start(
                    LOAD,
                    2,
                    vec![read(FROM, Affine::constant(0)), write(OWN, Affine::constant(0))],
                )],
                Vec::new(),
                vec![(3, 2, 1)],
            ),
            counted(
                4,
                n(),
                vec![[10, 3, 13, 14]],
                vec![
                    Kind::Null(11, LOAD),
                    Kind::Wait(10),
                    branch(
                        Cond::Compare(Compare::Less, i(4).add(last), n()),
                        vec![start(
                            LOAD,
                            12,
                            vec![read(FROM, i(4).add(1)), write(OWN, slot(i(4).add(1), 2))],
                        )],
                        Vec::new(),
                        vec![(13, 12, 11)],
                    ),
                    Kind::Touch(read(OWN, slot(i(4), 2))),
                ],
            ),
            Kind::Fence(vec![LOAD]),
        ])
    };
    assert_eq!(verdict(&prefetch(1)), Verdict::Proven);
    // The slot that is loaded is the one that is read.
    let mut wrong = prefetch(1);
    edit::each(&mut wrong.body, &mut |stmt| {
        if let Kind::Touch(access) = &mut stmt.kind {
            access.offset = slot(i(4).add(1), 2);
        }
    });
    assert_eq!(verdict(&wrong), Verdict::Refuted(vec![9]));
}

#[test]
fn a_wait_in_a_loop_that_may_not_run_is_none() {
    let program = program(vec![
        start(LOAD, 1, vec![write(OWN, Affine::constant(0))]),
        counted(2, n(), Vec::new(), vec![Kind::Wait(1)]),
        Kind::Touch(read(OWN, Affine::constant(0))),
    ]);
    assert_eq!(verdict(&program), Verdict::Refuted(vec![4]));
}

/// A command under `n > 0`, and beside it a branch that is never taken, under `n > 3`, since `n < 2`.
fn beside_another_bound() -> Program {
    let inside = vec![
        start(COMPUTE, 1, vec![write(OWN, Affine::constant(0))]),
        branch(compare(n(), Compare::Greater, 3), Vec::new(), Vec::new(), Vec::new()),
        Kind::Touch(write(OWN, Affine::constant(0))),
    ];
    let below_two = branch(compare(n(), Compare::Less, 2), inside, Vec::new(), Vec::new());
    program(vec![branch(
        compare(n(), Compare::Greater, 0),
        vec![below_two],
        Vec::new(),
        Vec::new(),
    )])
}

#[test]
fn a_bound_is_not_another_bound() {
    assert_eq!(verdict(&beside_another_bound()), Verdict::Refuted(vec![5]));
}

/// Constants differ by their numbers, also where nobody has written their attributes.
#[test]
fn a_bound_is_not_another_bound_without_attributes() {
    let mut problem = problem_of(&beside_another_bound());
    problem.operations.iter_mut().for_each(|op| op.attributes.clear());
    let verdict = verify(&problem).unwrap_or_else(|| panic!("a function has one block"));
    assert!(verdict.findings.iter().any(|finding| finding.is_certain), "{verdict:?}");
}
