//! The sentences of `docs/machine-model.md`, each on a program that is small enough to be counted by hand.
//!
//! The machine: `dma0` and `dma1` move four bytes, an f32, a cycle after a latency of 10, and cross `link0`, which
//! gives both of them six bytes; an addition of n elements takes 2 + n / 8 cycles. Start 2, wait 3, loop 1, barrier 5,
//! scalar 1.

mod common;

use common::*;
use zpu_device::{NeverIssued, WhenFull};
use zpu_stepper::{Argument, Options, StepError, run};

const VECTOR: usize = 3;

fn machine() -> Machine {
    let dma = Dma {
        latency: 10,
        gap: 0,
        per_row: 0,
        burst: 1,
        rate: 4.0,
        links: [true, false],
        inner: false,
    };
    Machine {
        dmas: vec![dma.clone(), dma],
        links: [6.0, 1.0],
        depth: vec![4],
        blocking: vec![false],
        when_full: vec![WhenFull::Stall],
        control: [2, 3, 1, 5, 1],
        never_issued: NeverIssued::Hang,
        mover: false,
    }
}

/// Moves or adds one row of so many f32.
fn work(engine: usize, floats: i64, form: Form) -> Node {
    Node::Work(Work {
        engine: Some(engine),
        rows: 1,
        columns: floats,
        back: false,
        form,
        cycles: None,
    })
}

fn token(engine: usize, floats: i64) -> Node {
    work(engine, floats, Form::Token(0))
}

type Spans = Vec<(u64, u64, u64)>;

/// Makespan, and issue, start and end of each command; in both forms of counting.
fn times(machine: &Machine, nodes: &[Node]) -> Result<(u64, Spans), StepError> {
    let device = machine.device();
    let program = Maker::program(&device, nodes);
    let run = |skip| {
        let options = Options {
            skip,
            max_cycles: 10_000,
            ..Options::default()
        };
        run(&program, &device, "main", &[Argument::Shape(vec![16, 16])], &options)
    };
    let result = run(false);
    assert_eq!(result, run(true));
    let span = |times: &zpu_stepper::CommandTimes| Some((times.issue, times.start?, times.end?));
    result.map(|run| (run.cycles, run.commands.iter().filter_map(span).collect()))
}

fn spans(machine: &Machine, nodes: &[Node]) -> (u64, Spans) {
    times(machine, nodes).unwrap()
}

#[test]
fn a_latency_is_hidden_by_the_transfer_before() {
    // max(q + latency, p): 2 + 10 is the first start, 4 + 10 < 28 the second one's.
    let found = spans(&machine(), &[token(0, 16), token(0, 8)]);
    assert_eq!(found, (36, vec![(2, 12, 28), (4, 28, 36)]));
}

#[test]
fn a_latency_is_seen_after_a_short_transfer() {
    // The first one ends at 13; the second one's latency runs to 14.
    let found = spans(&machine(), &[token(0, 1), token(0, 1)]);
    assert_eq!(found, (15, vec![(2, 12, 13), (4, 14, 15)]));
}

#[test]
fn a_wait_takes_its_cycles_while_the_command_runs() {
    // Work until 5, the wait is from 2 to max(2 + 3, 5); a second wait is paid until 8, a null token until 11.
    let waits = [token(VECTOR, 8), Node::Wait(0), Node::Wait(0), Node::Wait(1)];
    assert_eq!(spans(&machine(), &waits), (11, vec![(2, 2, 5)]));
    // Work until 6: the wait ends then, and the next command is issued at 8.
    let found = spans(&machine(), &[token(VECTOR, 16), Node::Wait(0), token(VECTOR, 8)]);
    assert_eq!(found, (11, vec![(2, 2, 6), (8, 8, 11)]));
}

#[test]
fn a_barrier_waits_for_all_that_it_names() {
    let both = [token(0, 16), token(VECTOR, 8)];
    let with = |set| [&both[..], &[Node::Barrier(set), token(VECTOR, 8)]].concat();
    // dma0 until 28, the vector engine until 7; the barrier is from 4 to 9 at least.
    assert_eq!(spans(&machine(), &with(0)).1[2], (30, 30, 33));
    assert_eq!(spans(&machine(), &with(1 << VECTOR)).1[2], (11, 11, 14));
}

#[test]
fn a_synchronous_command_and_a_blocking_engine_hold_the_stream() {
    let synchronous = [work(VECTOR, 16, Form::Synchronous), token(VECTOR, 8)];
    let expected = (11, vec![(2, 2, 6), (8, 8, 11)]);
    assert_eq!(spans(&machine(), &synchronous), expected);
    let machine = Machine {
        blocking: vec![true],
        ..machine()
    };
    assert_eq!(spans(&machine, &[token(VECTOR, 16), token(VECTOR, 8)]), expected);
}

#[test]
fn a_full_queue_stalls_or_drops_or_is_an_error() {
    let full = |when_full| Machine {
        depth: vec![1],
        when_full: vec![when_full],
        ..machine()
    };
    let two = [token(0, 1), token(0, 1)];
    // The start cycles are over at 4, the place is free at 13, and only then the latency begins.
    assert_eq!(
        spans(&full(WhenFull::Stall), &two),
        (24, vec![(2, 12, 13), (13, 23, 24)])
    );
    assert_eq!(spans(&full(WhenFull::Drop), &two), (13, vec![(2, 12, 13)]));
    let waits = [two.to_vec(), vec![Node::Wait(0)]].concat();
    assert_eq!(times(&full(WhenFull::Drop), &waits), Err(StepError::Stuck(13)));
    let error = times(&full(WhenFull::Error), &two);
    assert!(matches!(
        error,
        Err(StepError::QueueFull {
            command: 1,
            engine: 0,
            cycle: 4
        })
    ));
    // A synchronous command waits for its place whatever the policy is.
    let synchronous = [token(0, 1), work(0, 1, Form::Synchronous)];
    for policy in [WhenFull::Stall, WhenFull::Drop, WhenFull::Error] {
        assert_eq!(spans(&full(policy), &synchronous).0, 24);
    }
}

#[test]
fn a_link_is_shared_while_both_move_bytes() {
    // dma0 alone from 12 to 14 moves 8 of its 32 bytes, then both get 3 a cycle: 24 bytes more take until 22, and dma1
    // has 8 left of its 32, for 2 cycles alone.
    let found = spans(&machine(), &[token(0, 8), token(1, 8)]);
    assert_eq!(found, (24, vec![(2, 12, 22), (4, 14, 24)]));
}

#[test]
fn a_share_lasts_a_whole_cycle() {
    // From 14 on both get 3 a cycle. dma0 has 4 bytes left of 12 and ends at 16, of which cycle it needs a third; dma1
    // has moved 6 bytes of 16 then, and not 8: 10 more take until 19.
    let found = spans(&machine(), &[token(0, 3), token(1, 4)]);
    assert_eq!(found, (19, vec![(2, 12, 16), (4, 14, 19)]));
}

#[test]
fn each_iteration_pays_at_its_end() {
    let body = vec![token(VECTOR, 8), Node::Wait(0)];
    // Start 2, wait 3, loop 1; the last iteration pays too.
    let found = spans(&machine(), &[Node::For(0, 2, 1, body.clone())]);
    assert_eq!(found, (12, vec![(2, 2, 5), (8, 8, 11)]));
    assert_eq!(spans(&machine(), &[Node::While(2, body)]), found);
    assert_eq!(
        spans(&machine(), &[Node::Load, Node::Store, Node::For(0, 0, 1, vec![])]).0,
        2
    );
}

#[test]
fn an_id_is_of_the_last_command_that_was_started_with_it() {
    let id = |floats| work(VECTOR, floats, Form::Id(1));
    let found = spans(&machine(), &[id(8), id(16), Node::WaitId(1), token(VECTOR, 8)]);
    assert_eq!(found.1, [(2, 2, 5), (4, 5, 9), (11, 11, 14)]);
    assert_eq!(times(&machine(), &[Node::WaitId(2)]), Err(StepError::Stuck(3)));
    let returns = Machine {
        never_issued: NeverIssued::Return,
        ..machine()
    };
    assert_eq!(spans(&returns, &[Node::WaitId(2)]).0, 3);
    let error = Machine {
        never_issued: NeverIssued::Error,
        ..machine()
    };
    assert!(matches!(times(&error, &[Node::WaitId(2)]), Err(StepError::Invalid(..))));
}

#[test]
fn an_operation_that_carries_cycles_takes_them() {
    let carried = |engine| {
        Node::Work(Work {
            engine,
            rows: 3,
            columns: 4,
            back: false,
            form: Form::Token(0),
            cycles: Some(7),
        })
    };
    assert_eq!(spans(&machine(), &[carried(Some(0))]), (9, vec![(2, 2, 9)]));
}
