//! Programs that were made wrong on purpose: every one that can go wrong is refused by the proof and found by the
//! simulator.
//!
//! Each kernel is compiled, with tokens and with barrier ids, and then spoiled in one place at a time: a wait is
//! deleted, moved after the next operation or to the end of its block, a ring is used as if it had one version less, a
//! barrier id is swapped for the next one. A mutant *can go wrong* when two orders of completion leave different bytes,
//! or when the simulator reports something. Then `zpu-verify-sync` must not call it proven, and the simulator must
//! report it. Of the others some are *another program*, the same in every order; no wait mends that, and comparing
//! bytes shows it. The rest leave the same bytes as the compiled program; that is shown by trying all orders if those
//! are few enough, otherwise by some of them and by the race check. The programs as they were compiled are clean.
//! `cargo xtask mutate` prints the table for all kernels, a test run tries some of them.

#![forbid(unsafe_code)]

#[allow(dead_code)]
mod support;

use std::fmt;
use std::time::{Duration, Instant};

use support::case::Buffer;
use support::kernel;
use support::parallel;
use support::run::Run;
use support::subject::{self, Lowering, ORDERS, Source, Subject, verify};
use support::text;
use zpu_device::Device;
use zpu_driver::{Error, Executable, Session};
use zpu_fuzz::{id_operand, is_wait, rings, shrink_ring};
use zpu_ir::{Builder, Module, Op, edit};
use zpu_sim::{Checks, Limits, Options, Order, SimError};

/// One mutation of a program, with the number of its place.
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

/// Operands that are barrier ids.
fn ids(module: Op<'_>) -> Vec<(Op<'_>, usize)> {
    let ops = module.walk().into_iter();
    ops.filter_map(|op| Some((op, id_operand(op)?))).collect()
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
                .map(|(ring, size)| shrink_ring(*ring, *size))
                .is_some(),
            Self::SwapId(index) => ids(module)
                .get(index)
                .is_some_and(|(op, operand)| swap_id(*op, *operand, device)),
        }
    }
}

/// Moves a wait after the next operation with effects that is no wait, or, with `to_end` and if that is another place,
/// to the end.
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

fn call(program: &Executable, buffers: &[Buffer], order: Order) -> Run {
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
    subject::call(program, buffers, &options)
}

/// Bytes that the calls leave, by call and argument.
type Memories = Vec<Vec<Vec<u8>>>;

/// The verdicts of both checks on one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verdict {
    /// Some order of completion leaves other bytes than another one.
    changes_bytes: bool,
    /// All orders leave the same bytes, and the compiled program leaves others.
    is_another: bool,
    /// The simulator reports something.
    seen: bool,
    /// The proof holds.
    proven: bool,
}

/// The verdict on a program, and the bytes that it leaves in program order; `expected` are those of the compiled one.
fn judge(subject: &Subject, module: &Module<'_>, expected: Option<&Memories>) -> Result<(Verdict, Memories), String> {
    let program = subject.program(module)?;
    let (mut changes_bytes, mut seen) = (false, false);
    let mut memories = Memories::new();
    for buffers in &subject.calls {
        let first = call(&program, buffers, ORDERS[0]);
        seen |= !first.findings.is_empty();
        // A mutant that the simulator reports goes wrong in any case, whether it changes bytes or not.
        if seen && expected.is_some() {
            break;
        }
        for order in ORDERS.into_iter().skip(1) {
            let run = call(&program, buffers, order);
            seen |= !run.findings.is_empty();
            changes_bytes |= run.memory != first.memory;
        }
        memories.push(first.memory);
    }
    let proven = verify(module, "").is_ok();
    let verdict = Verdict {
        changes_bytes,
        is_another: expected.is_some_and(|expected| *expected != memories),
        seen,
        proven,
    };
    Ok((verdict, memories))
}

/// True if all orders of completion of all calls were tried and have the same outcome.
fn is_the_same_in_all_orders(subject: &Subject, module: &Module<'_>) -> Result<bool, String> {
    let limits = Limits {
        contents: false,
        ..Limits::default()
    };
    let program = subject.program(module)?;
    for buffers in &subject.calls {
        let arguments = buffers.iter().map(Buffer::to_simulator).collect();
        match program.interleavings(arguments, &limits) {
            Ok(all) if all.order_matters => {
                return Err("some order can be told apart, and the race check reports nothing".to_owned());
            }
            Ok(all) if all.complete => {}
            Ok(_) | Err(Error::Simulate(SimError::TooManyCommands(_) | SimError::TooManyEvents(_))) => {
                return Ok(false);
            }
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(true)
}

/// The kernels, compiled with tokens and with barrier ids; `ZPU_MUTATION=NAME,...` takes those with that in their
/// names.
fn subjects() -> Result<Vec<Subject>, String> {
    let wanted = std::env::var("ZPU_MUTATION").ok();
    let is_wanted = |name: &str| {
        let mut names = wanted.as_deref().unwrap_or("all").split(',');
        names.any(|wanted| wanted == "all" || name.contains(wanted))
    };
    let some = |count: usize| if wanted.is_some() { usize::MAX } else { count };
    let small = [
        kernel::vector_add(),
        kernel::rms_norm(),
        kernel::attention(),
        kernel::attention_blocks(),
        kernel::matmul(kernel::SCRIPTS[2]),
    ];
    let small = small.iter().filter_map(|list| list.first()).take(some(2));
    let small = small.map(|kernel| (Source::of_kernel(kernel), "toy", 3, 2));
    let graphs = Source::graphs()?
        .into_iter()
        .take(some(1))
        .enumerate()
        .map(|(turn, source)| {
            let device = ["sunmmio-a4e", "planning-2dma", "planning-1dma"][turn % 3];
            (source, device, 2, some(1))
        });
    let mut all = Vec::new();
    for (source, device, stages, count) in small.chain(graphs) {
        for waits in ["", "ids=-1"].into_iter().take(count) {
            if !is_wanted(&source.label()) {
                continue;
            }
            all.push(source.compile(Lowering {
                device,
                stages,
                waits,
                raw: true,
            })?);
        }
    }
    Ok(all)
}

/// The counts of one program.
#[derive(Default)]
struct Score {
    mutants: usize,
    /// Can go wrong; of those: not proven, reported by the simulator.
    wrong: usize,
    refused: usize,
    seen: usize,
    /// Mutants that are the same in every order, and not the compiled program.
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
        self.seen += other.seen;
        self.another += other.another;
        self.harmless += other.harmless;
        self.shown += other.shown;
        self.stricter += other.stricter;
        self.problems.extend(other.problems);
    }
}

fn score(subject: &Subject) -> Result<Score, String> {
    let session = Session::new();
    let module = session.parse(&subject.text, &subject.name).map_err(text)?;
    let (good, expected) = judge(subject, &module, None)?;
    let mut score = Score::default();
    if good.changes_bytes || good.seen || !good.proven {
        score.problems.push(format!("{}: as compiled: {good:?}", subject.name));
        keep(&subject.name, "as compiled", &module);
    }
    let mutations = Mutation::all(Op::of_module(&module));
    for mutant in parallel::each(mutations.len(), |index| mutant(subject, mutations[index], &expected)) {
        score.add(mutant?);
    }
    Ok(score)
}

/// The score of one mutant; nothing if the program cannot be spoilt like that.
fn mutant(subject: &Subject, mutation: Mutation, expected: &Memories) -> Result<Score, String> {
    let mut score = Score::default();
    let session = Session::new();
    let mutant = session.parse(&subject.text, &subject.name).map_err(text)?;
    if !mutation.apply(Op::of_module(&mutant), &subject.device) {
        return Ok(score);
    }
    let (verdict, _) = judge(subject, &mutant, Some(expected))?;
    let wrong = verdict.changes_bytes || verdict.seen;
    score.mutants = 1;
    score.wrong = usize::from(wrong);
    score.refused = usize::from(wrong && !verdict.proven);
    score.seen = usize::from(wrong && verdict.seen);
    score.another = usize::from(!wrong && verdict.is_another);
    score.harmless = usize::from(!wrong && !verdict.is_another);
    score.stricter = usize::from(!wrong && !verdict.proven);
    let mut problem = (wrong && (verdict.proven || !verdict.seen)).then(|| format!("{verdict:?}"));
    if !wrong {
        match is_the_same_in_all_orders(subject, &mutant) {
            Ok(shown) => score.shown = usize::from(shown && !verdict.is_another),
            Err(error) => problem = Some(error),
        }
    }
    if let Some(problem) = problem {
        score.problems.push(format!("{}: {mutation}: {problem}", subject.name));
        keep(&subject.name, &mutation.to_string(), &mutant);
    }
    Ok(score)
}

/// Keeps a mutant that was not caught, to be examined.
fn keep(name: &str, mutation: &str, mutant: &Module<'_>) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    let file = format!("{name} {mutation}").replace(|c: char| !c.is_alphanumeric(), "-");
    let _ = std::fs::create_dir_all(&folder);
    let _ = std::fs::write(folder.join(format!("{file}.mlir")), Op::of_module(mutant).to_string());
}

const HEADER: [&str; 9] = [
    "mutants", "can fail", "refused", "found", "other", "harmless", "in all", "stricter", "seconds",
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
    let begin = Instant::now();
    for subject in &subjects {
        let begin = Instant::now();
        let score = score(subject).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
        row(&subject.name, &score, begin.elapsed());
        total.add(score);
    }
    row("all", &total, begin.elapsed());
    println!(
        "of {} mutants, {} can fail, {} are another program in every order, {} leave the same bytes: for {} of these \
         all orders \
         were looked at, for the rest some; the proof refuses {} of the last two kinds",
        total.mutants, total.wrong, total.another, total.harmless, total.shown, total.stricter
    );
    let share = |part: usize| 100.0 * part as f64 / total.wrong.max(1) as f64;
    println!(
        "mutation score: {:.1} % by the proof, {:.1} % by the simulator ({} of {} mutants can go wrong)",
        share(total.refused),
        share(total.seen),
        total.wrong,
        total.mutants
    );
    assert!(total.problems.is_empty(), "{}", total.problems.join("\n"));
    assert!(total.wrong > 0, "no mutant can go wrong");
}

fn row(name: &str, score: &Score, time: Duration) {
    let counts = [
        score.mutants,
        score.wrong,
        score.refused,
        score.seen,
        score.another,
        score.harmless,
        score.shown,
        score.stricter,
        usize::try_from(time.as_secs()).unwrap_or(usize::MAX),
    ];
    println!("{name:<44}{}", counts.map(|count| format!("{count:>9}")).concat());
}
