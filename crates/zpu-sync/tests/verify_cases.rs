//! Programs by hand, each with what is said of it, which its executions have to bear out.

#[allow(dead_code, reason = "random programs are another test's")]
mod common;

use common::machine::{Call, Fault, faults, trace};
use common::records::{problem_of, statement};
use common::{
    Access, Affine, Carried, Compare, Cond, Expr, For, If, Kind, Machine, Memory, Name, Program, Ring, Stmt, Var,
};
use zpu_sync::problem::text::{read_problem, write_problem};
use zpu_sync::verdict::verify;

const LOAD: usize = 0;
const STORE: usize = 1;
const COMPUTE: usize = 2;

/// The buffers of all programs here: the function's, and two of the caller.
const OWN: usize = 0;
const FROM: usize = 1;
const TO: usize = 2;

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Proven,
    /// With the faults that are certain, by statement.
    Refuted(Vec<u32>),
    Unknown,
}

fn program(body: Vec<Kind>) -> Program {
    let mut program = Program {
        machine: Machine::default(),
        is_private: false,
        buffers: vec![Memory::Allocation, Memory::NoAlias, Memory::NoAlias],
        numbers: 1,
        flags: 1,
        body: stmts(body),
    };
    program.renumber();
    program
}

fn stmts(kinds: Vec<Kind>) -> Vec<Stmt> {
    kinds.into_iter().map(|kind| Stmt { at: 0, kind }).collect()
}

/// The verdict, if what happens in executions with all small numbers agrees with it.
fn verdict(program: &Program) -> Verdict {
    let problem = read_problem(&write_problem(&problem_of(program))).unwrap_or_else(|error| panic!("{error}"));
    let verdict = verify(&problem).unwrap_or_else(|| panic!("a function has one block"));
    let happens: Vec<u32> = happening(program).into_iter().map(Fault::at).collect();
    let certain = verdict.findings.iter().filter(|finding| finding.is_certain);
    let mut certain: Vec<u32> = certain
        .filter_map(|finding| statement(&problem, finding.message.at))
        .collect();
    certain.sort_unstable();
    assert!(
        certain.iter().all(|at| happens.contains(at)),
        "{certain:?} of {happens:?}\n{program}"
    );
    match (verdict.findings.is_empty() && !verdict.has_given_up, certain.is_empty()) {
        (true, _) => {
            assert!(happens.is_empty(), "proven, and {happens:?}\n{program}");
            Verdict::Proven
        }
        (_, false) => Verdict::Refuted(certain),
        _ => Verdict::Unknown,
    }
}

/// All that goes wrong for small numbers.
fn happening(program: &Program) -> Vec<Fault> {
    let numbers = (-1..=9).chain([17, 24]);
    let calls = numbers.flat_map(|number| {
        [false, true].map(|flag| Call {
            numbers: vec![number],
            flags: vec![flag],
            aliased: false,
        })
    });
    let found = calls.flat_map(|call| trace(program, &call).map(|trace| faults(&trace)));
    let mut found: Vec<Fault> = found.flatten().collect();
    found.sort();
    found.dedup();
    found
}

fn n() -> Affine {
    Affine::var(Var::Argument(0))
}

fn i(loop_: Name) -> Affine {
    Affine::var(Var::Induction(loop_))
}

fn slot(dividend: Affine, modulus: i64) -> Expr {
    Expr {
        rest: Affine::default(),
        ring: Some(Ring {
            dividend,
            modulus,
            factor: 1,
        }),
    }
}

fn read(buffer: usize, offset: impl Into<Expr>) -> Access {
    Access {
        buffer,
        offset: offset.into(),
        span: 1,
        write: false,
    }
}

fn write(buffer: usize, offset: impl Into<Expr>) -> Access {
    Access {
        write: true,
        ..read(buffer, offset)
    }
}

fn start(engine: usize, token: Name, accesses: Vec<Access>) -> Kind {
    Kind::Start {
        engine,
        token,
        id: None,
        accesses,
    }
}

fn counted(name: Name, upper: Affine, carried: Vec<[Name; 4]>, body: Vec<Kind>) -> Kind {
    let carried = carried.into_iter().map(|[inside, first, next, result]| Carried {
        inside,
        first,
        next,
        result,
    });
    Kind::For(For {
        name,
        lower: 0,
        upper,
        step: 1,
        carried: carried.collect(),
        body: stmts(body),
    })
}

fn branch(cond: Cond, then: Vec<Kind>, otherwise: Vec<Kind>, results: Vec<(Name, Name, Name)>) -> Kind {
    Kind::If(If {
        cond,
        then: stmts(then),
        otherwise: stmts(otherwise),
        results,
    })
}

fn compare(left: Affine, compare: Compare, right: i64) -> Cond {
    Cond::Compare(compare, left, Affine::constant(right))
}

fn fence() -> Kind {
    Kind::Fence(vec![LOAD, STORE, COMPUTE])
}

/// Rows from one buffer to another over a ring, with the tokens of the stores carried over `behind` iterations.
fn copy_over_ring(slots: i64, behind: usize) -> Program {
    // The loop is 1, tokens inside begin with 10, null ones with 20, results with 30.
    let carried = (0..behind as Name).map(|at| [10 + at, 20 + at, if at == 0 { 3 } else { 9 + at }, 30 + at]);
    let nulls = (0..behind as Name).map(|at| Kind::Null(20 + at, STORE));
    let body = vec![
        Kind::Wait(9 + behind as Name),
        start(LOAD, 2, vec![read(FROM, i(1)), write(OWN, slot(i(1), slots))]),
        Kind::Wait(2),
        start(STORE, 3, vec![read(OWN, slot(i(1), slots)), write(TO, i(1))]),
    ];
    let loop_ = counted(1, n(), carried.collect(), body);
    program(nulls.chain([loop_, fence()]).collect())
}

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
    common::edit::each(&mut wrong.body, &mut |stmt| {
        if let Kind::Touch(access) = &mut stmt.kind {
            access.offset = slot(i(4).add(1), 2);
        }
    });
    assert_eq!(verdict(&wrong), Verdict::Refuted(vec![9]));
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
