//! All orders of completion of small random programs: the race check flags exactly those that depend on the order.

mod common;

use std::cell::Cell;

use common::*;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use zpu_device::{Device, Engine, WhenFull};
use zpu_sim::*;

/// A step of the control stream; ranges are of eight floats.
#[derive(Clone, Debug)]
enum What {
    /// Floats `from` and `to` of a buffer, by one of four engines.
    Start {
        engine: usize,
        from: i64,
        to: i64,
        floats: i64,
        id: Option<i64>,
    },
    /// Waits for an earlier start, by its number modulo their count.
    Wait(usize),
    WaitId(i64),
    /// Waits for all of two engines.
    Fence(usize),
    Load(u64),
    Store(u64),
    Free,
}

fn program_steps(ids: bool) -> impl Strategy<Value = Vec<What>> {
    let id = if ids {
        prop::option::weighted(0.5, 0i64..3).boxed()
    } else {
        Just(None).boxed()
    };
    let start = (0usize..4, 0i64..6, 0i64..6, 1i64..3, id);
    let start = start.prop_map(|(engine, from, to, floats, id)| What::Start {
        engine,
        from,
        to,
        floats,
        id,
    });
    let waits = if ids {
        prop_oneof![(0i64..3).prop_map(What::WaitId), (0usize..8).prop_map(What::Wait)].boxed()
    } else {
        (0usize..8).prop_map(What::Wait).boxed()
    };
    let step = prop_oneof![
        4 => start,
        7 => waits,
        1 => (0usize..4).prop_map(What::Fence),
        1 => (0u64..8).prop_map(What::Load),
        1 => (0u64..8).prop_map(What::Store),
        1 => Just(What::Free),
    ];
    prop::collection::vec(step, 1..18)
}

/// `fence`: everything is waited for before the return.
fn program(steps: &[What], fence: bool) -> Program {
    let mut b = Builder::new();
    let far = b.buffer(F32, &[8]);
    let near = b.alloc(F32, &[8]);
    let spare = b.alloc(F32, &[8]);
    let double = Compute::FloatBinary(FloatBinary::Add, F32);
    let double = b.kernel(Kernel::elementwise("double", 1, F32, double));
    b.copy(Some(LOAD), far, near);
    b.copy(Some(LOAD), far, spare);
    let mut tokens = Vec::new();
    let mut ids = Vec::new();
    let (mut commands, mut freed) = (0, false);
    for step in steps {
        match step {
            What::Start {
                engine,
                from,
                to,
                floats,
                id,
            } if commands < 10 => {
                commands += 1;
                ids.extend(*id);
                let [far_from, far_to] = [from, to].map(|at| b.subview(far, &[Size::Constant(*at)], &[*floats]));
                let [near_from, near_to] = [from, to].map(|at| b.subview(near, &[Size::Constant(*at)], &[*floats]));
                let source = if freed || from % 2 == 0 {
                    near_from
                } else {
                    b.subview(spare, &[Size::Constant(*from)], &[*floats])
                };
                match (engine, id) {
                    (0, Some(id)) => b.start_copy_id(LOAD, far_from, near_to, *id),
                    (0, None) => tokens.push(b.start_copy(LOAD, far_from, near_to)),
                    (1, Some(id)) => b.start_copy_id(STORE, source, far_to, *id),
                    (1, None) => tokens.push(b.start_copy(STORE, source, far_to)),
                    (2, _) => tokens.push(b.start(SECOND, double, &[near_from, near_from, near_to])),
                    _ => tokens.push(b.start(VECTOR, double, &[source, near_to, near_to])),
                }
            }
            What::Wait(which) if !tokens.is_empty() => b.wait(tokens[which % tokens.len()]),
            // One in ten may be for an id without a command.
            What::WaitId(id) if ids.contains(id) || commands == 5 => b.push(Op::WaitId {
                id: Size::Constant(*id),
            }),
            What::Fence(first) => b.push(Op::Barrier {
                engines: Some(
                    [*first, (*first + 1) % 4]
                        .map(|engine| EngineId(engine as u32))
                        .to_vec(),
                ),
            }),
            What::Load(index) => {
                let index = b.constant(*index);
                let result = b.reg();
                b.push(Op::Load {
                    result,
                    memref: near,
                    indices: vec![index],
                });
            }
            What::Store(index) => {
                let (index, value) = (b.constant(*index), b.constant(u64::from(9.5f32.to_bits())));
                b.push(Op::Store {
                    value,
                    memref: near,
                    indices: vec![index],
                });
            }
            What::Free if !freed => {
                freed = true;
                b.push(Op::Dealloc { memref: spare });
            }
            _ => {}
        }
    }
    if fence {
        b.push(Op::Barrier { engines: None });
    }
    b.finish()
}

fn arguments() -> Vec<Argument> {
    // No sum of these is another one of them.
    vec![floats(&[8], |i| 1.37f32.powi(i as i32 + 1))]
}

/// Two transfer engines and two vector engines.
fn device() -> Device {
    let mut device = common::device(false);
    let second = Engine {
        name: "second".into(),
        ..device.engines[VECTOR.index()].clone()
    };
    device.engines[SECOND.index()] = second;
    device
}

const SECOND: EngineId = TENSOR;

/// True if the simulator reports something in a run by the times of the cost model.
fn is_flagged(program: &Program, device: &Device) -> bool {
    let checks = Checks {
        race: true,
        deadlock: true,
        ..Checks::NONE
    };
    let options = Options {
        checks,
        ..Options::default()
    };
    let outcome = simulate(program, device, "main", arguments(), &options).unwrap();
    !outcome.report.is_clean()
}

/// The numbers of correct and wrong programs.
#[derive(Debug, Default)]
struct Tally {
    clean: Cell<u32>,
    /// Some command can tell two orders apart, or a command may be lost.
    wrong: Cell<u32>,
    /// Those of them that leave other bytes in some order.
    seen: Cell<u32>,
}

/// Draws so many programs, the same ones each time, and compares the simulator's verdict on one run with that over all
/// orders.
fn compare<S: Strategy>(cases: u32, programs: S, make: impl Fn(S::Value) -> (Program, Device)) -> Tally {
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let tally = Tally::default();
    let count = |cell: &Cell<u32>, yes: bool| cell.set(cell.get() + u32::from(yes));
    let result = runner.run(&programs, |what| {
        let (program, device) = make(what);
        let orders = interleavings(&program, &device, "main", arguments(), &Limits::default()).unwrap();
        let wrong = orders.order_matters || !orders.findings.is_empty();
        prop_assert!(orders.complete || wrong, "{} states", orders.states);
        prop_assert_eq!(is_flagged(&program, &device), wrong, "{:?}", orders);
        let no_contents = Limits {
            contents: false,
            ..Limits::default()
        };
        let who = interleavings(&program, &device, "main", arguments(), &no_contents).unwrap();
        prop_assert_eq!(who.order_matters, orders.order_matters, "{:?} {:?}", who, orders);
        prop_assert!(who.complete || wrong, "{} states", who.states);
        count(if wrong { &tally.wrong } else { &tally.clean }, true);
        count(&tally.seen, orders.difference.is_some());
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    println!("{tally:?}");
    assert!(
        tally.clean.get() > cases / 10 && tally.seen.get() > cases / 10,
        "{tally:?}"
    );
    tally
}

#[test]
fn a_program_is_flagged_if_and_only_if_the_order_matters() {
    let programs = (program_steps(false), any::<bool>());
    compare(500, programs, |(steps, fence)| (program(&steps, fence), device()));
}

#[test]
fn with_barrier_ids_as_well() {
    compare(500, program_steps(true), |steps| (program(&steps, true), device()));
}

#[test]
fn a_queue_that_may_be_full_is_flagged() {
    let programs = (program_steps(false), 1u64..4, any::<bool>());
    compare(300, programs, |(steps, depth, drops)| {
        let mut device = device();
        for engine in &mut device.engines {
            engine.queue_depth = depth;
            engine.when_full = if drops { WhenFull::Drop } else { WhenFull::Error };
        }
        (program(&steps, true), device)
    });
}

/// Two engines double the same numbers. Done one after the other this leaves the same in both orders; but both may read
/// before either writes.
#[test]
fn reads_and_writes_of_a_command_are_apart() {
    let mut b = Builder::new();
    let far = b.buffer(F32, &[8]);
    let near = b.alloc(F32, &[8]);
    let double = Compute::FloatBinary(FloatBinary::Add, F32);
    let double = b.kernel(Kernel::elementwise("double", 1, F32, double));
    b.copy(Some(LOAD), far, near);
    let tokens = [SECOND, VECTOR].map(|engine| b.start(engine, double, &[near, near, near]));
    tokens.into_iter().for_each(|token| b.wait(token));
    b.copy(Some(STORE), near, far);
    let program = b.finish();
    let orders = interleavings(&program, &device(), "main", arguments(), &Limits::default()).unwrap();
    let Some(Difference::Contents {
        first,
        other,
        other_order,
        ..
    }) = orders.difference
    else {
        panic!("{orders:?}");
    };
    assert_ne!(first, other);
    let text: Vec<String> = other_order.iter().map(Step::to_string).collect();
    assert_eq!(text.len(), 8, "{text:?}");
}

#[test]
fn what_is_too_much_is_said() {
    let mut b = Builder::new();
    let far = b.buffer(F32, &[8]);
    let near = b.alloc(F32, &[8]);
    b.for_loop(100, 1, |b, _| b.copy(Some(LOAD), far, near));
    let program = b.finish();
    let run = |limits| interleavings(&program, &device(), "main", arguments(), &limits);
    let few = Limits {
        commands: 99,
        ..Limits::default()
    };
    assert_eq!(run(few), Err(SimError::TooManyCommands(99)));
    let orders = run(Limits::default()).unwrap();
    assert!(
        orders.complete && !orders.order_matters && orders.states < 1000,
        "{orders:?}"
    );
    let few = Limits {
        states: 0,
        ..Limits::default()
    };
    assert!(!run(few).unwrap().complete);
}
