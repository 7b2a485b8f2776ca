//! The machine and the caller: memory at the return, blocking engines, queues and barrier ids.

use crate::common::{Affine, Kind, Name, Program};
use crate::{FROM, LOAD, OWN, STORE, Verdict, counted, fence, i, n, program, read, start, verdict, write};

#[test]
fn memory_of_the_caller_is_not_in_use_at_the_return() {
    let left = |buffer: usize| program(vec![start(LOAD, 1, vec![read(buffer, Affine::constant(0))])]);
    assert_eq!(verdict(&left(OWN)), Verdict::Proven);
    assert_eq!(verdict(&left(FROM)), Verdict::Refuted(vec![0]));
    let mut private = left(OWN);
    private.is_private = true;
    assert_eq!(verdict(&private), Verdict::Refuted(vec![0]));
}

#[test]
fn a_blocking_engine_is_its_own_wait() {
    let mut program = program(vec![
        start(LOAD, 1, vec![write(OWN, Affine::constant(0))]),
        Kind::Touch(read(OWN, Affine::constant(0))),
    ]);
    assert_eq!(verdict(&program), Verdict::Refuted(vec![2]));
    program.machine.blocking = Some(LOAD);
    assert_eq!(verdict(&program), Verdict::Proven);
}

#[test]
fn a_queue_of_two_that_stops_when_it_is_full() {
    let mut program = program(vec![
        counted(1, n(), Vec::new(), vec![start(LOAD, 2, vec![write(OWN, i(1))])]),
        fence(),
    ]);
    assert_eq!(verdict(&program), Verdict::Proven);
    program.machine.depth = Some(2);
    assert_eq!(verdict(&program), Verdict::Refuted(vec![2]));
}

#[test]
fn a_queue_of_two_holds_two() {
    let starts = |count: Name| {
        let starts = (1..=count).map(|token| start(LOAD, token, vec![write(OWN, Affine::constant(0))]));
        let mut program = program(starts.chain([fence()]).collect());
        program.machine.depth = Some(2);
        program
    };
    assert_eq!(verdict(&starts(2)), Verdict::Proven);
    assert_eq!(verdict(&starts(3)), Verdict::Refuted(vec![3]));
}

/// Two engines take ids in turn; whether the first is waited for in between.
fn ids(second: i64, wait: bool) -> Program {
    let with_id = |engine: usize, token: Name, id: Name, to: i64| Kind::Start {
        engine,
        token,
        id: Some(id),
        accesses: vec![write(OWN, Affine::constant(to))],
    };
    let mut body = vec![
        Kind::Number(1, Affine::constant(0).into()),
        Kind::Number(2, Affine::constant(second).into()),
        with_id(LOAD, 3, 1, 0),
    ];
    if wait {
        body.push(Kind::WaitId(1));
    }
    body.extend([with_id(STORE, 4, 2, 1), fence()]);
    program(body)
}

#[test]
fn an_id_is_not_taken_while_another_engine_has_it() {
    assert_eq!(verdict(&ids(1, false)), Verdict::Proven);
    assert_eq!(verdict(&ids(0, true)), Verdict::Proven);
    assert_eq!(verdict(&ids(0, false)), Verdict::Refuted(vec![4]));
}

#[test]
fn ids_that_do_not_exist_and_that_were_never_given() {
    assert_eq!(verdict(&ids(4, false)), Verdict::Refuted(vec![4]));
    let mut program = program(vec![Kind::Number(1, Affine::constant(2).into()), Kind::WaitId(1)]);
    assert_eq!(verdict(&program), Verdict::Refuted(vec![2]));
    program.machine.never_issued_returns = true;
    assert_eq!(verdict(&program), Verdict::Proven);
}
