//! Small programs whose values, cycles and findings can be followed by hand.

mod common;

use common::*;
use expect_test::{Expect, expect};
use zpu_device::{ElementType, NeverIssued, WhenFull};
use zpu_sim::*;

fn run(program: &Program, device: &zpu_device::Device, arguments: Vec<Argument>) -> Outcome {
    let outcome = simulate(program, device, "main", arguments, &Options::default()).unwrap();
    if outcome.report.completed {
        assert_adds_up(&outcome.report);
    }
    outcome
}

fn check_findings(outcome: &Outcome, expected: &Expect) {
    expected.assert_eq(&messages(&outcome.report));
}

/// Loads 16 bytes into one of the ring's versions after the other, computes on them in place for 9 cycles, and stores
/// the result.
fn pipeline(trips: i64, versions: usize, waits: bool) -> Program {
    let mut b = Builder::new();
    let (input, output) = (b.buffer(F32, &[trips * 4]), b.buffer(F32, &[trips * 4]));
    let double = b.kernel(Kernel::elementwise(
        "add",
        1,
        F32,
        Compute::FloatBinary(FloatBinary::Add, F32),
    ));
    let buffers: Vec<Reg> = (0..versions).map(|_| b.alloc(F32, &[4])).collect();
    let outputs: Vec<Reg> = (0..versions).map(|_| b.alloc(F32, &[4])).collect();
    let mut stores: Vec<Option<Reg>> = vec![None; versions];
    let mut loads = Vec::new();
    let load = |b: &mut Builder, trip: i64| {
        let tile = b.subview(input, &[Size::Constant(4 * trip)], &[4]);
        b.start_copy(LOAD, tile, buffers[trip as usize % versions])
    };
    for trip in 0..trips.min(versions as i64) {
        let token = load(&mut b, trip);
        loads.push(token);
    }
    for trip in 0..trips {
        let slot = trip as usize % versions;
        if waits {
            b.wait(loads[trip as usize]);
        }
        if let Some(store) = stores[slot] {
            b.wait(store);
        }
        let token = b.start(VECTOR, double, &[buffers[slot], buffers[slot], outputs[slot]]);
        b.wait(token);
        if trip + (versions as i64) < trips {
            let token = load(&mut b, trip + versions as i64);
            loads.push(token);
        }
        let tile = b.subview(output, &[Size::Constant(4 * trip)], &[4]);
        stores[slot] = Some(b.start_copy(STORE, outputs[slot], tile));
    }
    for store in stores.into_iter().flatten() {
        b.wait(store);
    }
    b.finish()
}

#[test]
fn overlapping_a_pipeline_takes_fewer_cycles_and_leaves_the_same_bytes() {
    let arguments = || vec![floats(&[32], |i| i as f32), floats(&[32], |_| 0.0)];
    let outcomes: Vec<Outcome> = (1..4)
        .map(|n| run(&pipeline(8, n, true), &device(false), arguments()))
        .collect();
    for outcome in &outcomes {
        assert!(outcome.report.is_clean(), "{}", messages(&outcome.report));
        let doubled: Vec<f32> = (0..32).map(|i| 2.0 * i as f32).collect();
        assert_eq!(as_floats(&outcome.arguments[1]), doubled);
    }
    let cycles: Vec<u64> = outcomes.iter().map(|outcome| outcome.report.cycles).collect();
    expect!["[330, 194, 179]"].assert_eq(&format!("{cycles:?}"));
    // Both DMA engines can do every transfer: 2 * 8 * 16 cycles of work on two engines, after the first issue and
    // latency.
    assert_eq!(
        outcomes.iter().map(|o| o.report.bound.cycles).collect::<Vec<_>>(),
        [139; 3]
    );
}

#[test]
fn a_missing_wait_is_a_race_whatever_the_timing() {
    let arguments = vec![floats(&[16], |i| i as f32), floats(&[16], |_| 0.0)];
    let outcome = run(&pipeline(4, 2, false), &device(false), arguments);
    let races: Vec<Finding> = outcome
        .report
        .findings
        .into_iter()
        .filter(|finding| finding.kind == FindingKind::Race)
        .take(1)
        .collect();
    let text: String = races.iter().map(|finding| format!("{finding}\n")).collect();
    expect![[r#"
        t.mlir:10:3: error: read-after-write race: `compute` on @vector reads bytes 0..16 of the buffer allocated at t.mlir:2:3 while `dma` on @load may still be in flight
        t.mlir:7:3: note: `dma` on @load writes them here, and nothing waits for it or for a later command on @load in between; wait before t.mlir:10:3
    "#]].assert_eq(&text);
    assert_eq!(races[0].race.as_ref().unwrap().hazard, "RAW");
}

#[test]
fn findings_of_one_cause_are_one_with_a_count() {
    let mut b = Builder::new();
    let input = b.buffer(F32, &[64]);
    let local = b.alloc(F32, &[8]);
    b.for_loop(64, 8, |b, i| {
        let tile = b.subview(input, &[Size::Register(i)], &[8]);
        b.start_copy(LOAD, tile, local);
        b.start_copy(STORE, local, tile);
    });
    b.push(Op::Barrier { engines: None });
    let outcome = run(&b.finish(), &device(false), vec![floats(&[64], |i| i as f32)]);
    check_findings(
        &outcome,
        &expect![[r#"
            t.mlir:6:3: error: read-after-write race: `dma` on @store (iteration 0) reads bytes 0..32 of the buffer allocated at t.mlir:2:3 while `dma` on @load (iteration 0) may still be in flight (8 times)
            t.mlir:5:3: note: `dma` on @load writes them here, and nothing waits for it or for a later command on @load in between; wait before t.mlir:6:3
            t.mlir:5:3: error: write-after-read race: `dma` on @load (iteration 8) writes bytes 0..32 of the buffer allocated at t.mlir:2:3 while `dma` on @store (iteration 0) may still be in flight (7 times)
            t.mlir:6:3: note: `dma` on @store reads them here, and nothing waits for it or for a later command on @store in between; wait before t.mlir:5:3
        "#]],
    );
}

#[test]
fn commands_in_flight_at_the_return_race_with_the_caller() {
    let mut b = Builder::new();
    let output = b.buffer(F32, &[4]);
    let local = b.alloc(F32, &[4]);
    let (zero, fill) = (b.constant(0), b.kernel(Kernel::fill(1, F32)));
    b.run(Some(VECTOR), fill, &[zero, local]);
    b.start_copy(STORE, local, output);
    let outcome = run(&b.finish(), &device(false), vec![floats(&[4], |_| 1.0)]);
    check_findings(
        &outcome,
        &expect![[r#"
        t.mlir:1:1: error: read-after-write race: `return` reads bytes 0..16 of argument 0 while `dma` on @store may still be in flight
        t.mlir:5:3: note: `dma` on @store writes them here, and nothing waits for it or for a later command on @store in between; wait before t.mlir:1:1
    "#]],
    );
    assert_eq!(as_floats(&outcome.arguments[0]), [0.0; 4]);
}

#[test]
fn a_front_ends_own_program_is_sequential() {
    let mut b = Builder::new();
    let (x, w, y) = (b.buffer(F32, &[2, 3]), b.buffer(F32, &[3, 2]), b.buffer(F32, &[2, 2]));
    let (local_x, local_w, local_y) = (b.alloc(F32, &[2, 3]), b.alloc(F32, &[3, 2]), b.alloc(F32, &[2, 2]));
    let matmul = b.kernel(Kernel::matmul(F32, F32, false));
    b.copy(None, x, local_x);
    b.copy(None, w, local_w);
    b.copy(None, y, local_y);
    b.run(None, matmul, &[local_x, local_w, local_y]);
    b.copy(None, local_y, y);
    let arguments = vec![
        floats(&[2, 3], |i| i as f32),
        floats(&[3, 2], |i| i as f32 - 2.0),
        floats(&[2, 2], |_| 1.0),
    ];
    let outcome = run(&b.finish(), &device(false), arguments);
    assert!(outcome.report.is_clean(), "{}", messages(&outcome.report));
    assert_eq!(as_floats(&outcome.arguments[2]), [5.0, 8.0, 5.0, 17.0]);
    // 24 + 24 + 16 + 16 bytes, 5 issues, 4 latencies, 5 + 12 cycles of the product.
    assert_eq!(outcome.report.cycles, 80 + 5 + 40 + 17);
    assert_eq!(outcome.report.control.stalled_blocking, outcome.report.cycles - 5);
    assert_eq!(outcome.report.bytes_moved(), 80);
}

#[test]
fn a_full_queue_stalls_drops_or_is_an_error() {
    let program = || {
        let mut b = Builder::new();
        let input = b.buffer(F32, &[8]);
        let tokens: Vec<Reg> = (0..8)
            .map(|i| {
                let local = b.alloc(F32, &[1]);
                let tile = b.subview(input, &[Size::Constant(i)], &[1]);
                b.start_copy(LOAD, tile, local)
            })
            .collect();
        tokens.into_iter().for_each(|token| b.wait(token));
        b.finish()
    };
    let with = |policy: WhenFull| {
        let mut device = device(false);
        device.engines[0].when_full = policy;
        run(&program(), &device, vec![floats(&[8], |i| i as f32)])
    };
    let stalled = with(WhenFull::Stall);
    assert!(stalled.report.is_clean() && stalled.report.control.stalled_queue > 0);
    check_findings(
        &with(WhenFull::Error),
        &expect![[r#"
        t.mlir:16:3: error: the queue of engine `load` is full: it holds 4 commands; wait for one of them before
    "#]],
    );
    check_findings(
        &with(WhenFull::Drop),
        &expect![[r#"
            t.mlir:30:3: error: deadlock: waits for `dma`, which was dropped by the full queue of @load
            t.mlir:16:3: note: issued here when 4 commands were in the queue; wait for one of them before
            t.mlir:4:3: note: `dma` on @load was in the queue, and nothing had waited for it
            t.mlir:7:3: note: `dma` on @load was in the queue, and nothing had waited for it
            t.mlir:10:3: note: `dma` on @load was in the queue, and nothing had waited for it
            t.mlir:13:3: note: `dma` on @load was in the queue, and nothing had waited for it
            t.mlir:16:3: note: the control stream waits for the command, the command for a place in the queue of @load, and only the control stream could issue it again
            t.mlir:19:3: error: `dma` was dropped: the queue of @load was full; wait for an earlier command before
            t.mlir:22:3: error: `dma` was dropped: the queue of @load was full; wait for an earlier command before
            t.mlir:25:3: error: `dma` was dropped: the queue of @load was full; wait for an earlier command before
        "#]],
    );
}

#[test]
fn a_barrier_id_that_nothing_was_issued_with_follows_the_device() {
    let mut b = Builder::new();
    b.push(Op::WaitId { id: Size::Constant(2) });
    let program = b.finish();
    let with = |policy: NeverIssued| {
        let mut device = device(false);
        device.sync.wait_on_never_issued = policy;
        run(&program, &device, vec![])
    };
    assert!(with(NeverIssued::Return).report.is_clean());
    check_findings(
        &with(NeverIssued::Error),
        &expect![[r#"
        t.mlir:2:3: error: waits for barrier id 2, and no command was issued with it; issue one with it before
    "#]],
    );
    check_findings(
        &with(NeverIssued::Hang),
        &expect![[r#"
            t.mlir:2:3: error: deadlock: waits for barrier id 2, and no command was issued with it; issue one with it before
            t.mlir:2:3: note: the control stream waits for the id, the id for a command, and only the control stream could issue one
            t.mlir:2:3: note: no command was issued with any id so far
        "#]],
    );
}

#[test]
fn barrier_ids_are_finite_and_not_reused_while_live() {
    let mut b = Builder::new();
    let input = b.buffer(F32, &[4]);
    let locals = [b.alloc(F32, &[4]), b.alloc(F32, &[4])];
    b.start_copy_id(LOAD, input, locals[0], 3);
    b.start_copy_id(STORE, input, locals[1], 3);
    b.push(Op::WaitId { id: Size::Constant(3) });
    b.start_copy_id(LOAD, input, locals[1], 3);
    b.push(Op::WaitId { id: Size::Constant(4) });
    let outcome = run(&b.finish(), &device(false), vec![floats(&[4], |i| i as f32)]);
    check_findings(
        &outcome,
        &expect![[r#"
            t.mlir:5:3: error: barrier id 3 is used again on another engine while it is live; wait for it before
            t.mlir:4:3: note: `dma` was issued with it here
            t.mlir:8:3: error: barrier id 4 does not exist, the device has 4: 0 to 3
        "#]],
    );
}

#[test]
fn memory_that_is_wrong_is_reported_and_not_touched() {
    let mut b = Builder::new();
    let (input, index) = (b.buffer(F32, &[4]), b.scalar(ElementType::Index));
    let local = b.alloc(F32, &[2000]);
    let tile = b.subview(local, &[Size::Constant(0)], &[4]);
    b.copy(Some(STORE), tile, input);
    let result = b.reg();
    b.push(Op::Load {
        result,
        memref: input,
        indices: vec![index],
    });
    let program = b.finish();
    let outcome = run(
        &program,
        &device(false),
        vec![floats(&[4], |_| 1.0), Argument::Scalar(4)],
    );
    check_findings(
        &outcome,
        &expect![[r#"
        t.mlir:2:3: error: needs 8000 bytes of sram at once, the device has 4096; use smaller tiles or fewer versions
        t.mlir:2:3: note: 8000 bytes of it are the buffer allocated at t.mlir:2:3
        t.mlir:4:3: error: reads byte 0 of the buffer allocated at t.mlir:2:3, which nothing has written
        t.mlir:5:3: error: index 4 is out of bounds: dimension 0 has extent 4
    "#]],
    );
    let none = Options {
        checks: Checks::NONE,
        ..Options::default()
    };
    let arguments = vec![floats(&[4], |_| 1.0), Argument::Scalar(3)];
    assert!(
        simulate(&program, &device(false), "main", arguments, &none)
            .unwrap()
            .report
            .is_clean()
    );
}

#[test]
fn a_loop_without_end_is_given_up() {
    let mut b = Builder::new();
    b.for_loop(i64::MAX, 1, |_, _| ());
    let program = b.finish();
    let mut free = device(false);
    free.control.loop_cycles = 0;
    let options = Options {
        max_cycles: 1000,
        ..Options::default()
    };
    for device in [free, device(false)] {
        let error = simulate(&program, &device, "main", vec![], &options).unwrap_err();
        assert!(matches!(error, SimError::CycleLimit(1000, _)), "{error}");
    }
}

#[test]
fn entries_and_arguments_that_do_not_fit_are_refused() {
    let mut b = Builder::new();
    b.buffer(F32, &[4]);
    let program = b.finish();
    let error = |entry: &str, arguments: Vec<Argument>| {
        simulate(&program, &device(false), entry, arguments, &Options::default())
            .unwrap_err()
            .to_string()
    };
    expect!["there is no function `f`; the module has `main`"].assert_eq(&error("f", vec![]));
    expect!["`main` takes 1 arguments, 0 were given"].assert_eq(&error("main", vec![]));
    expect!["argument 0: dimension 0 is 5 on one side and 4 on the other"]
        .assert_eq(&error("main", vec![floats(&[5], |_| 0.0)]));
    expect!["argument 0: is a buffer, a number was given"].assert_eq(&error("main", vec![Argument::Scalar(1)]));
}

#[test]
fn two_transfers_on_one_link_take_as_long_as_one_after_the_other() {
    let program = || {
        let mut b = Builder::new();
        let (x, y) = (b.buffer(F32, &[100]), b.buffer(F32, &[100]));
        let (local_x, local_y) = (b.alloc(F32, &[100]), b.alloc(F32, &[100]));
        let tokens = [b.start_copy(LOAD, x, local_x), b.start_copy(STORE, y, local_y)];
        tokens.into_iter().for_each(|token| b.wait(token));
        b.finish()
    };
    let arguments = || vec![floats(&[100], |_| 1.0), floats(&[100], |_| 1.0)];
    let alone = run(&program(), &device(false), arguments());
    assert_eq!(alone.report.cycles, 2 + 10 + 400);
    let shared = run(&program(), &device(true), arguments());
    assert_eq!(shared.report.cycles, 1 + 10 + 800);
    assert_eq!(
        (shared.report.bound.cycles, shared.report.bound.limit.as_str()),
        (800, "link port")
    );
}

#[test]
fn the_trace_ties_issue_run_and_wait_together() {
    let arguments = vec![floats(&[4], |i| i as f32), floats(&[4], |_| 0.0)];
    let options = Options {
        trace: true,
        ..Options::default()
    };
    let outcome = simulate(&pipeline(1, 1, true), &device(false), "main", arguments, &options).unwrap();
    let lines: Vec<String> = outcome
        .trace
        .iter()
        .map(|e| {
            format!(
                "{:?} {:?} {} {}..{} #{:?}",
                e.engine, e.kind, e.name, e.begin, e.end, e.command
            )
        })
        .collect();
    expect![[r#"
        None Issue dma 0..1 #Some(0)
        Some(0) Run dma 11..27 #Some(0)
        None Wait wait 1..27 #Some(0)
        None Issue compute 27..28 #Some(1)
        Some(3) Run compute 28..37 #Some(1)
        None Wait wait 28..37 #Some(1)
        None Issue dma 37..38 #Some(2)
        Some(1) Run dma 48..64 #Some(2)
        None Wait wait 38..64 #Some(2)"#]]
    .assert_eq(&lines.join("\n"));
    let names = ["load", "store", "tensor", "vector"].map(String::from);
    let json = serde_json::to_value(chrome_trace("small", &names, &outcome.trace, [])).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert_eq!((count("s"), count("f")), (6, 6));
}
