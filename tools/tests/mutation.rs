//! Programs that were made wrong on purpose: every one that can go wrong is refused by the proof and found by the simulator.
//!
//! Each kernel is compiled, with tokens and with barrier ids, and then spoiled in one place at a time: a wait is deleted, moved
//! behind the next operation or to the end of its block, a ring is used as if it had one version less, a barrier id is swapped
//! for the next one. A mutant *can go wrong* when some order of completion leaves other bytes than program order does, or when
//! the simulator reports something. Then `zpu-verify-sync` must not call it proven, and the simulator must report it. Of the others
//! some are *another program*, the same in every order; no wait mends that, and comparing bytes shows it. The rest leave what
//! the compiled program leaves; that is shown by looking at all orders where those are few enough, otherwise by some of them and
//! by the race check. The programs as they were compiled are clean. `cargo xtask mutate` prints the table for all kernels, a test
//! run tries some of them.

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
use zpu_sim::{Checks, FindingKind, Limits, Options, Order, Output, Program, SimError, interleavings, simulate};

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
    PostponeWait(usize),
    ShrinkRing(usize),
    SwapId(usize),
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeleteWait(index) => write!(f, "wait {index} deleted"),
            Self::MoveWait(index) => write!(f, "wait {index} moved behind the next operation"),
            Self::PostponeWait(index) => write!(f, "wait {index} moved to the end of its block"),
            Self::ShrinkRing(index) => write!(f, "ring {index} shrunk by one"),
            Self::SwapId(index) => write!(f, "barrier id {index} swapped"),
        }
    }
}

fn is_wait(op: &Op<'_>) -> bool {
    matches!(op.name(), "zpu.dma_wait" | "zpu.compute_wait" | "zpu.id_wait")
}

/// Operands that are barrier ids.
fn ids(module: Op<'_>) -> Vec<(Op<'_>, usize)> {
    let is_id = |op: &Op<'_>| match op.name() {
        "zpu.id_wait" => Some(0),
        // Between the operands of a transfer and nothing else; a computation takes its operands by capture.
        "zpu.dma_start" => (op.operands().len() > 2).then_some(2),
        "zpu.compute_start" => (op.num_operands() > 0).then_some(0),
        _ => None,
    };
    let ops = module.walk().into_iter();
    ops.filter_map(|op| Some((op, is_id(&op)?))).collect()
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
        let kinds = [Self::DeleteWait, Self::MoveWait, Self::PostponeWait];
        let waits = (0..waits).flat_map(|index| kinds.map(|kind| kind(index)));
        let rings = (0..rings(module).len()).map(Self::ShrinkRing);
        let ids = (0..ids(module).len()).map(Self::SwapId);
        waits.chain(rings).chain(ids).collect()
    }

    /// Spoils the module; false if there is nothing to spoil here.
    fn apply(self, module: Op<'_>, device: &Device) -> bool {
        let wait = |index: usize| module.walk().into_iter().filter(is_wait).nth(index);
        match self {
            Self::DeleteWait(index) => wait(index).map(edit::erase).is_some(),
            Self::MoveWait(index) => wait(index).is_some_and(|wait| move_behind(wait, false)),
            Self::PostponeWait(index) => wait(index).is_some_and(|wait| move_behind(wait, true)),
            Self::ShrinkRing(index) => rings(module)
                .get(index)
                .map(|(ring, size)| shrink(*ring, *size))
                .is_some(),
            Self::SwapId(index) => ids(module)
                .get(index)
                .is_some_and(|(op, operand)| swap_id(*op, *operand, device)),
        }
    }
}

/// Moves a wait behind the next operation that is not one itself and does something, or, if that is not the same, to the end.
fn move_behind(wait: Op<'_>, to_end: bool) -> bool {
    let does_something = |op: &Op<'_>| !is_wait(op) && !op.is_memory_effect_free();
    let after: Vec<Op<'_>> = std::iter::successors(wait.next(), |op| op.next()).collect();
    let Some(place) = after.iter().position(does_something) else {
        return false;
    };
    let Some((last, body)) = after.split_last() else {
        return false;
    };
    let further = body.iter().skip(place + 1).any(does_something);
    let next = if to_end {
        further.then_some(last)
    } else {
        after.get(place + 1)
    };
    next.map(|next| edit::move_before(wait, *next)).is_some()
}

/// Takes the next barrier id in place of one; the one after the last is the first.
fn swap_id(op: Op<'_>, operand: usize, device: &Device) -> bool {
    let Some(count) = i64::try_from(device.sync.ids).ok().filter(|count| *count > 1) else {
        return false;
    };
    let mut builder = Builder::before(op);
    let (one, count) = (builder.index(1), builder.index(count));
    let next = builder.binary("arith.addi", op.operand(operand), one);
    let next = builder.binary("arith.remui", next, count);
    edit::set_operand(op, operand, next);
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
    /// Program order leaves other bytes than the compiled program.
    is_another: bool,
    /// The simulator reports something.
    seen: bool,
    /// The proof holds.
    proven: bool,
    /// The proof shows that something is wrong.
    refuted: bool,
}

fn judge(subject: &Subject, module: &Module<'_>, expected: &mut Vec<Vec<Vec<u8>>>) -> Result<Verdict, String> {
    let program = run::program(module, &subject.device, &subject.entry)?;
    let (mut changes_bytes, mut is_another, mut seen) = (false, false, false);
    for (index, buffers) in subject.calls.iter().enumerate() {
        let runs = ORDERS.map(|order| call(&program, subject, buffers, order));
        seen |= runs.iter().any(|run| run.finding.is_some());
        changes_bytes |= runs.iter().any(|run| run.memory != runs[0].memory);
        match expected.get(index) {
            Some(expected) => is_another |= *expected != runs[0].memory,
            None => expected.push(runs[0].memory.clone()),
        }
    }
    let verify = |options: &str| {
        let context = lower::context();
        let mut copy = parse_text(&context, &Op::of_module(module).to_string(), "mutant")?;
        let pass = format!("builtin.module(func.func(zpu-verify-sync{options}))");
        pipeline::run(&context, &mut copy, &pass)
    };
    let proven = verify("").is_ok();
    Ok(Verdict {
        changes_bytes,
        is_another,
        seen,
        proven,
        refuted: !proven && verify("{allow-unknown}").is_err(),
    })
}

/// Whether all orders of completion of all calls were looked at, and nobody can tell them apart.
fn is_the_same_in_all_orders(subject: &Subject, module: &Module<'_>) -> Result<bool, String> {
    let limits = Limits {
        states: 1 << 15,
        ..Limits::default()
    };
    let program = run::program(module, &subject.device, &subject.entry)?;
    for buffers in &subject.calls {
        let arguments = buffers.iter().map(Buffer::to_simulator).collect();
        match interleavings(&program, &subject.device, &subject.entry, arguments, &limits) {
            Ok(all) if all.order_matters => {
                return Err("some order can be told apart, and the race check reports nothing".to_owned());
            }
            Ok(all) if all.complete => {}
            Ok(_) | Err(SimError::TooManyCommands(_)) => return Ok(false),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(true)
}

/// The kernels, compiled with tokens and with barrier ids.
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
    let both = ["", "ids=-1"];
    for kernel in small.iter().filter_map(|list| list.first()).take(some(2)) {
        let calls = kernel.cases.iter();
        let calls = calls.filter(|case| [1, 3, 17].contains(&case.trips)).enumerate();
        let calls: Vec<_> = calls.map(|(seed, case)| case.buffers(seed as u64)).collect();
        for waits in both {
            let text = kernel.text();
            all.push(compile(
                kernel.label(),
                kernel,
                &text,
                calls.clone(),
                ("toy", 3, waits),
            )?);
        }
    }
    for (turn, graph) in GRAPHS.iter().enumerate().take(some(1)) {
        let kernel = graph.kernel()?;
        let text = graph::with_trips(&kernel.text(), 6);
        let calls: Vec<_> = kernel.cases.iter().map(|case| graph.buffers(case)).collect();
        let device = ["sunmmio-a4e", "planning-2dma", "planning-1dma"][turn % 3];
        for waits in both.into_iter().take(some(1)) {
            let name = graph.name.to_owned();
            all.push(compile(name, &kernel, &text, calls.clone(), (device, 2, waits))?);
        }
    }
    Ok(all)
}

/// A kernel for a device, a number of stages and options of `zpu-inject-dma-barrier`.
fn compile(
    name: String,
    kernel: &kernel::Kernel,
    text: &str,
    calls: Vec<Vec<Buffer>>,
    (device, stages, waits): (&'static str, u32, &str),
) -> Result<Subject, String> {
    let setting = Setting {
        device,
        scheduler: "modulo",
        stages,
    };
    let context = lower::context();
    let mut module = parse_text(&context, &lower::front_end_text(kernel, text)?, kernel.name)?;
    for step in lower::steps(&context, setting)? {
        let (before, after) = step.split_once("zpu-inject-dma-barrier").unwrap_or((&step, ""));
        if after.is_empty() {
            lower::step(&context, &mut module, &step)?;
            continue;
        }
        let rest = after.split_once('}').map_or(after, |(_, rest)| rest);
        let step = format!("{before}zpu-inject-dma-barrier{{{waits}}}{rest}");
        lower::step(&context, &mut module, &step)?;
        // As long as nothing is folded, each slot is computed, the first ones as well.
        break;
    }
    Ok(Subject {
        name: if waits.is_empty() {
            name
        } else {
            format!("{name}, {waits}")
        },
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
    /// Can go wrong; of those: not proven, refuted, reported by the simulator.
    wrong: usize,
    refused: usize,
    refuted: usize,
    seen: usize,
    /// The same in every order, and not the compiled program.
    another: usize,
    /// Neither; of those: all orders were looked at, not proven.
    harmless: usize,
    shown: usize,
    stricter: usize,
    problems: Vec<String>,
}

impl Score {
    fn add(&mut self, other: Self) {
        self.mutants += other.mutants;
        self.wrong += other.wrong;
        self.refused += other.refused;
        self.refuted += other.refuted;
        self.seen += other.seen;
        self.another += other.another;
        self.harmless += other.harmless;
        self.shown += other.shown;
        self.stricter += other.stricter;
        self.problems.extend(other.problems);
    }
}

fn score(subject: &Subject) -> Result<Score, String> {
    let context = lower::context();
    let module = parse_text(&context, &subject.text, &subject.name)?;
    let mut score = Score::default();
    let mut expected = Vec::new();
    let good = judge(subject, &module, &mut expected)?;
    if good.changes_bytes || good.seen || !good.proven {
        score.problems.push(format!("{}: as compiled: {good:?}", subject.name));
        keep(&subject.name, "as compiled", &module);
    }
    for mutation in Mutation::all(Op::of_module(&module)) {
        let context = lower::context();
        let mutant = parse_text(&context, &subject.text, &subject.name)?;
        if !mutation.apply(Op::of_module(&mutant), &subject.device) {
            continue;
        }
        let verdict = judge(subject, &mutant, &mut expected)?;
        score.mutants += 1;
        let wrong = verdict.changes_bytes || verdict.seen;
        score.wrong += usize::from(wrong);
        score.refused += usize::from(wrong && !verdict.proven);
        score.refuted += usize::from(wrong && verdict.refuted);
        score.seen += usize::from(wrong && verdict.seen);
        score.another += usize::from(!wrong && verdict.is_another);
        score.harmless += usize::from(!wrong && !verdict.is_another);
        score.stricter += usize::from(!wrong && !verdict.proven);
        let mut problem = (wrong && (verdict.proven || !verdict.seen)).then(|| format!("{verdict:?}"));
        if !wrong {
            match is_the_same_in_all_orders(subject, &mutant) {
                Ok(shown) => score.shown += usize::from(shown && !verdict.is_another),
                Err(error) => problem = Some(error),
            }
        }
        if let Some(problem) = problem {
            score.problems.push(format!("{}: {mutation}: {problem}", subject.name));
            keep(&subject.name, &mutation.to_string(), &mutant);
        }
    }
    Ok(score)
}

/// Leaves a mutant that was not caught for whoever looks into it.
fn keep(name: &str, mutation: &str, mutant: &Module<'_>) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    let file = format!("{name} {mutation}").replace(|c: char| !c.is_alphanumeric(), "-");
    let _ = std::fs::create_dir_all(&folder);
    let _ = std::fs::write(folder.join(format!("{file}.mlir")), Op::of_module(mutant).to_string());
}

const HEADER: [&str; 9] = [
    "mutants", "can fail", "refused", "refuted", "found", "other", "harmless", "in all", "stricter",
];

#[test]
fn every_mutant_that_can_go_wrong_is_refused_and_found() {
    let mut total = Score::default();
    println!(
        "{:<44}{}",
        "kernel",
        HEADER.map(|name| format!("{name:>9}")).concat().trim_end()
    );
    let subjects = subjects().unwrap_or_else(|error| panic!("{error}"));
    for subject in &subjects {
        let score = score(subject).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
        row(&subject.name, &score);
        total.add(score);
    }
    row("all", &total);
    let share = |part: usize| 100.0 * part as f64 / total.wrong.max(1) as f64;
    println!(
        "score: {:.1} % by the proof, {:.1} % by the simulator",
        share(total.refused),
        share(total.seen)
    );
    println!(
        "of {} mutants, {} can fail, {} are another program in every order, {} leave the same bytes: for {} of these all orders \
         were looked at, for the rest some; the proof refuses {} of the last two kinds",
        total.mutants, total.wrong, total.another, total.harmless, total.shown, total.stricter
    );
    assert!(total.problems.is_empty(), "{}", total.problems.join("\n"));
    assert!(total.wrong > 0, "no mutant can go wrong");
}

fn row(name: &str, score: &Score) {
    let counts = [
        score.mutants,
        score.wrong,
        score.refused,
        score.refuted,
        score.seen,
        score.another,
        score.harmless,
        score.shown,
        score.stricter,
    ];
    println!("{name:<44}{}", counts.map(|count| format!("{count:>9}")).concat());
}
