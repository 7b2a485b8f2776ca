//! Tokens: which command each stands for, and how far a wait for it reaches.

use crate::common::{Affine, Cond, Kind, Name};
use crate::{
    FROM, LOAD, OWN, STORE, Verdict, branch, copy_over_ring, counted, i, n, program, read, start, verdict, write,
};

#[test]
fn a_ring_of_two_waits_for_the_store_of_two_iterations_ago() {
    assert_eq!(verdict(&copy_over_ring(2, 2)), Verdict::Proven);
}

#[test]
fn a_ring_of_one_waits_for_the_store_before() {
    assert_eq!(verdict(&copy_over_ring(1, 1)), Verdict::Proven);
}

#[test]
fn a_token_that_is_too_old_is_no_wait_for_a_slot() {
    // Statement 5 is the load: the null tokens are three.
    assert_eq!(verdict(&copy_over_ring(2, 3)), Verdict::Refuted(vec![6]));
}

#[test]
fn a_ring_of_five_and_tokens_over_five_iterations() {
    assert_eq!(verdict(&copy_over_ring(5, 5)), Verdict::Proven);
    assert_eq!(verdict(&copy_over_ring(4, 5)), Verdict::Refuted(vec![8]));
}

#[test]
fn a_wait_is_one_for_all_that_its_engine_was_given_before() {
    let two = |waited: Name| {
        program(vec![
            start(LOAD, 1, vec![write(OWN, Affine::constant(0))]),
            start(LOAD, 2, vec![write(OWN, Affine::constant(1))]),
            Kind::Wait(waited),
            Kind::Touch(read(OWN, Affine::constant(0))),
            Kind::Touch(read(OWN, Affine::constant(1))),
        ])
    };
    assert_eq!(verdict(&two(2)), Verdict::Proven);
    assert_eq!(verdict(&two(1)), Verdict::Refuted(vec![5]));
}

#[test]
fn a_synchronous_command_is_a_wait_for_its_engine_only() {
    let after = |engine: usize| {
        program(vec![
            start(LOAD, 1, vec![write(OWN, Affine::constant(0))]),
            Kind::Sync {
                engine,
                accesses: vec![write(OWN, Affine::constant(1))],
            },
            Kind::Touch(read(OWN, Affine::constant(0))),
        ])
    };
    assert_eq!(verdict(&after(LOAD)), Verdict::Proven);
    assert_eq!(verdict(&after(STORE)), Verdict::Refuted(vec![3]));
}

#[test]
fn a_null_token_orders_nothing() {
    let program = program(vec![
        start(LOAD, 1, vec![write(OWN, Affine::constant(0))]),
        Kind::Null(2, LOAD),
        Kind::Wait(2),
        Kind::Touch(read(OWN, Affine::constant(0))),
    ]);
    assert_eq!(verdict(&program), Verdict::Refuted(vec![4]));
}

#[test]
fn a_choice_of_tokens_is_a_wait_for_the_chosen_one() {
    let choice = |first: usize, second: usize| {
        program(vec![
            start(LOAD, 1, vec![write(OWN, Affine::constant(0))]),
            start(LOAD, 2, vec![write(OWN, Affine::constant(1))]),
            Kind::Select {
                result: 3,
                cond: Cond::Argument(0),
                yes: [1, 2][first],
                no: [1, 2][second],
            },
            Kind::Wait(3),
            Kind::Touch(write(OWN, Affine::constant(0))),
            Kind::Touch(write(OWN, Affine::constant(1))),
        ])
    };
    assert_eq!(verdict(&choice(1, 1)), Verdict::Proven);
    assert_eq!(verdict(&choice(0, 1)), Verdict::Refuted(vec![6]));
    assert_eq!(verdict(&choice(1, 0)), Verdict::Refuted(vec![6]));
}

#[test]
fn a_branch_that_yields_one_token_or_another() {
    let yields = |yes: Name, no: Name| {
        program(vec![
            start(LOAD, 1, vec![write(OWN, Affine::constant(0))]),
            start(LOAD, 2, vec![write(OWN, Affine::constant(1))]),
            branch(Cond::Argument(0), Vec::new(), Vec::new(), vec![(3, yes, no)]),
            Kind::Wait(3),
            Kind::Touch(write(OWN, Affine::constant(0))),
            Kind::Touch(write(OWN, Affine::constant(1))),
        ])
    };
    assert_eq!(verdict(&yields(2, 2)), Verdict::Proven);
    assert_eq!(verdict(&yields(1, 2)), Verdict::Refuted(vec![6]));
    assert_eq!(verdict(&yields(2, 1)), Verdict::Refuted(vec![6]));
}

#[test]
fn a_nest_carries_tokens_out_of_its_inner_loop() {
    // The outer loop 1 waits for what the inner loop 2 started last.
    let nest = |wait: bool| {
        let inner = counted(
            2,
            Affine::constant(3),
            vec![[20, 10, 22, 21]],
            vec![start(LOAD, 22, vec![read(FROM, i(2)), write(OWN, i(2))])],
        );
        let mut body = vec![Kind::Wait(10)];
        if !wait {
            body.clear();
        }
        body.push(Kind::Touch(read(OWN, Affine::constant(1))));
        body.push(inner);
        program(vec![
            Kind::Null(3, LOAD),
            counted(1, n(), vec![[10, 3, 21, 11]], body),
            Kind::Wait(11),
        ])
    };
    assert_eq!(verdict(&nest(true)), Verdict::Proven);
    assert_eq!(verdict(&nest(false)), Verdict::Refuted(vec![3]));
}
