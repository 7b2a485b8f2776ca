//! Programs by hand, each with what is said of it, which its executions have to bear out.

#[allow(dead_code, reason = "random programs are another test's")]
#[path = "../common/mod.rs"]
mod common;
mod conditions;
mod machine;
mod tokens;

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
