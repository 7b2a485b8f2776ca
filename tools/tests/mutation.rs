//! Programs that were made wrong on purpose: every one that can go wrong is refused by the proof and found by the simulator.
//!
//! Each kernel is compiled, and then spoiled in one place at a time: a wait is deleted, a wait is moved behind the next operation,
//! or a ring is used as if it had one version less. A mutant *can go wrong* when some order of completion leaves other bytes than
//! program order does, or when the simulator sees a race. Then `zpu-verify-sync` must not call it proven, and the simulator must
//! report it. (A ring that is too small may also make it another program, the same in every order; no wait mends that.) The
//! programs as they were compiled are proven and clean. `cargo xtask mutate` prints the table for all kernels, a test run
//! tries some of them.

#![forbid(unsafe_code)]

#[allow(dead_code)]
mod support;

use std::fmt;

use support::case::Buffer;
use support::graph::{self, GRAPHS};
use support::kernel;
use support::lower::{self, Setting};
use support::run;
use zpu_device::Device;
use zpu_ir::ty::MemRef;
use zpu_ir::{Builder, Module, Op, attr, edit, parse_text, pipeline};
use zpu_sim::{Checks, FindingKind, Options, Order, Output, Program, simulate};

/// Orders of completion in which a mutant is run.
const ORDERS: [Order; 6] = [
    Order::Eager,
    Order::Timed,
    Order::Lazy,
    Order::Adversarial,
    Order::Random(1),
    Order::Random(2),
];

/// A compiled program with its calls.
struct Subject {
    name: String,
    entry: String,
    device: Device,
    text: String,
    calls: Vec<Vec<Buffer>>,
}

/// One way of spoiling a program: what, and the how manieth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutation {
    DeleteWait(usize),
    MoveWait(usize),
    ShrinkRing(usize),
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeleteWait(index) => write!(f, "wait {index} deleted"),
            Self::MoveWait(index) => write!(f, "wait {index} moved behind the next operation"),
            Self::ShrinkRing(index) => write!(f, "ring {index} shrunk by one"),
        }
    }
}

fn is_wait(op: &Op<'_>) -> bool {
    matches!(op.name(), "zpu.dma_wait" | "zpu.compute_wait" | "zpu.id_wait")
}

/// Allocations that are used by slots: the outermost dimension is entered one index at a time.
fn rings<'c>(module: Op<'c>) -> Vec<(Op<'c>, i64)> {
    let versions = |op: Op<'c>| -> Option<i64> {
        let size = (*MemRef::of(op.result(0).ty())?.shape.first()?)?;
        let views: Vec<Op<'c>> = op.result(0).uses().iter().map(|each| each.op).collect();
        let is_slot = |view: &Op<'c>| {
            let first = |name: &str| {
                view.attr(name)
                    .and_then(attr::as_int_array)
                    .and_then(|list| list.first().copied())
            };
            let is_dynamic = first("static_offsets") == Some(zpu_ir::ty::dynamic_size());
            view.is("memref.subview") && first("static_sizes") == Some(1) && is_dynamic
        };
        (size > 1 && !views.is_empty() && views.iter().all(|view| view.is("memref.dealloc") || is_slot(view)))
            .then_some(size)
    };
    let allocations = module.find_all("memref.alloc").into_iter();
    allocations.filter_map(|op| Some((op, versions(op)?))).collect()
}

impl Mutation {
    /// All of a program.
    fn all(module: Op<'_>) -> Vec<Self> {
        let waits = module.walk().iter().filter(|op| is_wait(op)).count();
        let rings = rings(module).len();
        let waits = (0..waits).flat_map(|index| [Self::DeleteWait(index), Self::MoveWait(index)]);
        waits.chain((0..rings).map(Self::ShrinkRing)).collect()
    }

    /// Spoils the module; false if there is nothing to spoil here.
    fn apply(self, module: Op<'_>) -> bool {
        let wait = |index: usize| module.walk().into_iter().filter(is_wait).nth(index);
        match self {
            Self::DeleteWait(index) => wait(index).map(edit::erase).is_some(),
            Self::MoveWait(index) => wait(index).is_some_and(move_behind),
            Self::ShrinkRing(index) => rings(module)
                .get(index)
                .map(|(ring, size)| shrink(*ring, *size))
                .is_some(),
        }
    }
}

/// Moves a wait behind the next operation that is not one itself and does something.
fn move_behind(wait: Op<'_>) -> bool {
    let after = std::iter::successors(wait.next(), |op| op.next());
    let mut after = after.skip_while(|op| is_wait(op) || op.is_memory_effect_free());
    let Some(next) = after.next().and_then(|op| op.next()) else {
        return false;
    };
    edit::move_before(wait, next);
    true
}

/// Uses a ring as if it had one slot less.
fn shrink(ring: Op<'_>, size: i64) {
    let views: Vec<Op<'_>> = ring.result(0).uses().iter().map(|each| each.op).collect();
    for view in views.into_iter().filter(|op| op.is("memref.subview")) {
        let slot = view.operand(1);
        let turn = slot.defining_op().filter(|op| op.is("arith.remui"));
        let mut builder = Builder::before(view);
        let modulus = builder.index(size - 1);
        let slot = builder.binary("arith.remui", turn.map_or(slot, |op| op.operand(0)), modulus);
        edit::set_operand(view, 1, slot);
    }
}

/// What the simulator makes of a program.
struct Run {
    memory: Vec<Vec<u8>>,
    finding: Option<String>,
}

fn call(program: &Program, subject: &Subject, buffers: &[Buffer], order: Order) -> Run {
    let options = Options {
        checks: Checks {
            race: order == Order::Timed,
            capacity: false,
            init: false,
            ..Checks::ALL
        },
        bound: false,
        order,
        ..Options::default()
    };
    let arguments = buffers.iter().map(Buffer::to_simulator).collect();
    match simulate(program, &subject.device, &subject.entry, arguments, &options) {
        Ok(outcome) => {
            let wrong = |kind| matches!(kind, FindingKind::Race | FindingKind::Deadlock | FindingKind::Invalid);
            let finding = outcome.report.findings.iter().find(|finding| wrong(finding.kind));
            let memory = outcome.arguments.into_iter().filter_map(|output| match output {
                Output::Buffer { bytes, .. } => Some(bytes),
                Output::Scalar(..) | Output::Nothing => None,
            });
            Run {
                memory: memory.collect(),
                finding: finding.map(ToString::to_string),
            }
        }
        Err(error) => Run {
            memory: Vec::new(),
            finding: Some(error.to_string()),
        },
    }
}

/// What both checks say of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verdict {
    /// Some order of completion leaves other bytes than program order.
    changes_bytes: bool,
    /// The simulator reports something.
    seen: bool,
    /// The proof holds.
    proven: bool,
    /// The proof shows a race.
    refuted: bool,
}

fn judge(subject: &Subject, module: &Module<'_>) -> Result<Verdict, String> {
    let program = run::program(module, &subject.device, &subject.entry)?;
    let (mut changes_bytes, mut seen) = (false, false);
    for buffers in &subject.calls {
        let runs = ORDERS.map(|order| call(&program, subject, buffers, order));
        seen |= runs.iter().any(|run| run.finding.is_some());
        changes_bytes |= runs.iter().any(|run| run.memory != runs[0].memory);
    }
    let context = lower::context();
    let mut copy = parse_text(&context, &Op::of_module(module).to_string(), "mutant")?;
    let proof = pipeline::run(&context, &mut copy, "builtin.module(func.func(zpu-verify-sync))");
    Ok(Verdict {
        changes_bytes,
        seen,
        proven: proof.is_ok(),
        refuted: proof.is_err_and(|error| !error.contains("possible ")),
    })
}

/// The kernels, compiled.
fn subjects() -> Result<Vec<Subject>, String> {
    let mut all = Vec::new();
    let small = [
        kernel::vector_add(),
        kernel::rms_norm(),
        kernel::attention(),
        kernel::attention_blocks(),
        kernel::matmul(kernel::SCRIPTS[2]),
    ];
    let is_all = std::env::var("ZPU_MUTATION").is_ok_and(|value| value == "all");
    let some = |count: usize| if is_all { usize::MAX } else { count };
    for kernel in small.iter().filter_map(|list| list.first()).take(some(2)) {
        let calls = kernel
            .cases
            .iter()
            .filter(|case| [1, 3, 17].contains(&case.trips))
            .enumerate();
        let calls = calls.map(|(seed, case)| case.buffers(seed as u64)).collect();
        all.push(compile(kernel.label(), kernel, &kernel.text(), calls, "toy", 3)?);
    }
    for (turn, graph) in GRAPHS.iter().enumerate().take(some(1)) {
        let kernel = graph.kernel()?;
        let text = graph::with_trips(&kernel.text(), 6);
        let calls = kernel.cases.iter().map(|case| graph.buffers(case)).collect();
        let device = ["sunmmio-a4e", "planning-2dma", "planning-1dma"][turn % 3];
        all.push(compile(graph.name.to_owned(), &kernel, &text, calls, device, 2)?);
    }
    Ok(all)
}

fn compile(
    name: String,
    kernel: &kernel::Kernel,
    text: &str,
    calls: Vec<Vec<Buffer>>,
    device: &'static str,
    stages: u32,
) -> Result<Subject, String> {
    let setting = Setting {
        device,
        scheduler: "modulo",
        stages,
    };
    let context = lower::context();
    let mut module = parse_text(&context, &lower::front_end_text(kernel, text)?, kernel.name)?;
    for step in lower::steps(&context, setting)? {
        lower::step(&context, &mut module, &step)?;
        // As long as nothing is folded, each slot is computed, the first ones as well.
        if step.contains("zpu-inject-dma-barrier") {
            break;
        }
    }
    Ok(Subject {
        name,
        entry: kernel.entry.to_owned(),
        device: Device::load(device, &[]).map_err(|error| error.to_string())?,
        text: Op::of_module(&module).to_string(),
        calls,
    })
}

/// The counts of one program.
#[derive(Default)]
struct Score {
    mutants: usize,
    wrong: usize,
    refused: usize,
    refuted: usize,
    seen: usize,
    stricter: usize,
    problems: Vec<String>,
}

fn score(subject: &Subject) -> Result<Score, String> {
    let context = lower::context();
    let module = parse_text(&context, &subject.text, &subject.name)?;
    let mut score = Score::default();
    let good = judge(subject, &module)?;
    if good.changes_bytes || good.seen || !good.proven {
        score.problems.push(format!("{}: as compiled: {good:?}", subject.name));
    }
    for mutation in Mutation::all(Op::of_module(&module)) {
        let context = lower::context();
        let mutant = parse_text(&context, &subject.text, &subject.name)?;
        if !mutation.apply(Op::of_module(&mutant)) {
            continue;
        }
        let verdict = judge(subject, &mutant)?;
        score.mutants += 1;
        let wrong = verdict.changes_bytes || verdict.seen;
        score.wrong += usize::from(wrong);
        score.refused += usize::from(wrong && !verdict.proven);
        score.refuted += usize::from(wrong && verdict.refuted);
        score.seen += usize::from(wrong && verdict.seen);
        score.stricter += usize::from(!wrong && !verdict.proven);
        if wrong && (verdict.proven || !verdict.seen) {
            score
                .problems
                .push(format!("{}: {mutation}: {verdict:?}", subject.name));
            keep(&subject.name, mutation, &mutant);
        }
    }
    Ok(score)
}

/// Leaves a mutant that was not caught for whoever looks into it.
fn keep(name: &str, mutation: Mutation, mutant: &Module<'_>) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    let file = format!("{name} {mutation}").replace(|c: char| !c.is_alphanumeric(), "-");
    let _ = std::fs::create_dir_all(&folder);
    let _ = std::fs::write(folder.join(format!("{file}.mlir")), Op::of_module(mutant).to_string());
}

#[test]
fn every_mutant_that_can_go_wrong_is_refused_and_found() {
    let mut total = Score::default();
    println!(
        "{:<36}{:>8}{:>10}{:>9}{:>9}{:>7}{:>11}",
        "kernel", "mutants", "can fail", "refused", "refuted", "found", "only proof"
    );
    let subjects = subjects().unwrap_or_else(|error| panic!("{error}"));
    for subject in &subjects {
        let score = score(subject).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
        row(&subject.name, &score);
        total.mutants += score.mutants;
        total.wrong += score.wrong;
        total.refused += score.refused;
        total.refuted += score.refuted;
        total.seen += score.seen;
        total.stricter += score.stricter;
        total.problems.extend(score.problems);
    }
    row("all", &total);
    let share = |part: usize| 100.0 * part as f64 / total.wrong.max(1) as f64;
    println!(
        "score: {:.1} % by the proof, {:.1} % by the simulator",
        share(total.refused),
        share(total.seen)
    );
    assert!(total.problems.is_empty(), "{}", total.problems.join("\n"));
    assert!(total.wrong > 0, "no mutant can go wrong");
}

fn row(name: &str, score: &Score) {
    println!(
        "{name:<36}{:>8}{:>10}{:>9}{:>9}{:>7}{:>11}",
        score.mutants, score.wrong, score.refused, score.refuted, score.seen, score.stricter
    );
}
