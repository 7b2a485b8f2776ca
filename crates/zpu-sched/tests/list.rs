//! The fixed stage assignment, its rotation, and its repairs.

use zpu_sched::{Buffer, Note, OpId, Options, Problem, Scheduler, Use, solve};

/// Two loads and a product that accumulates.
fn gemm() -> Problem {
    let mut problem = Problem::cyclic("gemm");
    let dma = problem.add_resource("dma", 1);
    let tensor = problem.add_resource("tensor", 1);
    let a = problem.add_operation("load_a", 10, vec![Use::whole(dma, 10)]);
    let b = problem.add_operation("load_b", 10, vec![Use::whole(dma, 10)]);
    let mma = problem.add_operation("mma", 30, vec![Use::whole(tensor, 30)]);
    for load in [a, b] {
        problem.add_dependence(load, mma, 0);
        problem.add_buffer(Buffer::new(format!("buffer{}", load.0), vec![load], vec![mma]));
    }
    problem.add_dependence(mma, mma, 1);
    problem
}

fn loads(num_stages: u32) -> Options {
    Options {
        num_stages,
        loads: vec![OpId(0), OpId(1)],
        ..Options::default()
    }
}

#[test]
fn trailing_loads_move_to_the_front() {
    let outcome = solve(&gemm(), Scheduler::List, &loads(3)).unwrap();
    assert_eq!(outcome.plan.stage, [0, 0, 2]);
    assert_eq!(outcome.plan.order, [0, 1, 2]);
    assert_eq!(outcome.plan.versions, [3, 3]);
    assert_eq!((outcome.plan.ii, outcome.note), (30, None));
}

#[test]
fn one_stage_keeps_the_loads_behind() {
    let outcome = solve(&gemm(), Scheduler::List, &loads(1)).unwrap();
    assert_eq!(outcome.plan.stage, [0, 0, 1]);
    assert_eq!(outcome.plan.order, [1, 2, 0]);
    assert_eq!(outcome.plan.versions, [1, 1]);
}

#[test]
fn no_stages_mean_source_order() {
    let outcome = solve(&gemm(), Scheduler::List, &loads(0)).unwrap();
    assert_eq!(outcome.plan.stage, [0, 0, 0]);
    assert_eq!(outcome.plan.order, [0, 1, 2]);
}

#[test]
fn a_load_that_reads_the_result_of_the_iteration_before_stays() {
    let mut problem = gemm();
    problem.add_dependence(OpId(2), OpId(0), 1);
    let outcome = solve(&problem, Scheduler::List, &loads(3)).unwrap();
    assert_eq!(outcome.note, Some(Note::LoadsKept(vec![OpId(0)])));
    assert_eq!(outcome.plan.stage, [2, 0, 2]);
}

#[test]
fn nothing_to_overlap_is_said() {
    let mut problem = gemm();
    problem.add_dependence(OpId(2), OpId(0), 1);
    problem.add_dependence(OpId(2), OpId(1), 1);
    let outcome = solve(&problem, Scheduler::List, &loads(3)).unwrap();
    assert_eq!(outcome.note, Some(Note::FellBackToSerial));
    assert_eq!(outcome.plan.stage, [0, 0, 0]);
}

#[test]
fn a_space_that_is_too_small_keeps_loads_back() {
    let mut problem = gemm();
    let space = problem.add_space("sram", 400);
    problem
        .buffers
        .iter_mut()
        .for_each(|buffer| (buffer.bytes, buffer.space) = (100, Some(space)));
    let outcome = solve(&problem, Scheduler::List, &loads(3)).unwrap();
    assert_eq!(outcome.note, Some(Note::LoadsKept(vec![OpId(1)])));
    assert_eq!(outcome.plan.versions, [3, 1]);
}
