//! Planned programs whose addresses were made wrong on purpose: every one that goes wrong is refused by a static check
//! and found by the simulator.
//!
//! Each kernel is compiled with addresses, with `reuse=0` and `reuse=1`, and spoiled in one place at a time: a buffer
//! is moved by one unit of alignment, two buffers get one address, among them those that meet only around the back edge
//! of a loop, a ring with an address has one version less, and a wait is deleted that only shared bytes need. A mutant
//! *goes wrong* if the simulator reports something in some call, or if some order of completion leaves other bytes than
//! the compiled program. Then `zpu-verify-addresses` or `zpu-verify-sync` must not accept it, and the simulator must
//! report it. A ring with a version less may be another program, which reads from the ring itself what another
//! iteration wrote, or nothing has written; no byte of another buffer is read, and no wait mends that. It has to be
//! refused as well, and the simulator or a comparison of bytes shows it. The programs as they were compiled are clean.
//! `cargo xtask mutate` prints the table for all kernels, a test run tries some of them.

#![forbid(unsafe_code)]

#[allow(dead_code)]
mod support;

use std::collections::BTreeMap;
use std::time::Instant;

use support::kernel;
use support::lower;
use support::parallel;
use support::run;
use support::subject::{self, ORDERS, Source, Subject, verify};
use support::text;
use zpu_driver::Session;
use zpu_fuzz::{MemoryMutation, is_wait};
use zpu_ir::{Module, Op, annotation, edit};
use zpu_sim::{Checks, Options, Order};

/// One mutation of a planned program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mutation {
    Addresses(MemoryMutation),
    /// Deletes a wait, by its number, that is needed for shared bytes only.
    DeleteWait(usize),
}

impl Mutation {
    fn class(self) -> String {
        match self {
            Self::Addresses(mutation) => mutation.to_string(),
            Self::DeleteWait(_) => "wait deleted".to_owned(),
        }
    }

    /// All of a program.
    fn all(module: Op<'_>) -> Vec<Self> {
        let waits = module.walk().iter().filter(|op| is_wait(op)).count();
        let addresses = MemoryMutation::all(module).into_iter().map(Self::Addresses);
        addresses.chain((0..waits).map(Self::DeleteWait)).collect()
    }

    /// Spoils the module; false if there is nothing to spoil here.
    fn apply(self, subject: &Subject, module: &Module<'_>) -> Result<bool, String> {
        let op = Op::of_module(module);
        match self {
            Self::Addresses(mutation) => Ok(mutation.apply(op, &subject.device)),
            Self::DeleteWait(index) => {
                let Some(wait) = op.walk().into_iter().filter(is_wait).nth(index) else {
                    return Ok(false);
                };
                edit::erase(wait);
                // A wait that is needed without addresses as well is for another test.
                let session = Session::new();
                let without = session.parse(&op.to_string(), &subject.name).map_err(text)?;
                for placed in Op::of_module(&without).walk() {
                    placed.remove_attr(annotation::ADDRESS);
                }
                Ok(verify(&without, "").is_ok() && verify(module, "").is_err())
            }
        }
    }
}

/// Bytes that the calls leave, by call and argument.
type Memories = Vec<Vec<Vec<u8>>>;

/// The verdicts of all checks on one program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Verdict {
    /// `zpu-verify-addresses` accepts it.
    addresses_hold: bool,
    /// `zpu-verify-sync` proves it.
    waits_hold: bool,
    /// The simulator reports something.
    seen: bool,
    /// It reports other things than reads of what nothing has written.
    is_foreign: bool,
    /// Some order leaves other bytes than the compiled program.
    differs: bool,
}

fn judge(subject: &Subject, module: &Module<'_>, expected: Option<&Memories>) -> Result<(Verdict, Memories), String> {
    let session = Session::new();
    let mut copy = session
        .parse(&Op::of_module(module).to_string(), &subject.name)
        .map_err(text)?;
    let mut verdict = Verdict {
        addresses_hold: session
            .compile(&mut copy, "builtin.module(zpu-verify-addresses)")
            .is_ok(),
        waits_hold: verify(module, "").is_ok(),
        ..Verdict::default()
    };
    let program = subject.program(module)?;
    let mut memories = Memories::new();
    for (at, buffers) in subject.calls.iter().enumerate() {
        for order in ORDERS {
            // Times of the other orders are none of a machine, so races are looked for in one of them.
            let checks = Checks {
                race: order == Order::Timed,
                ..Checks::ALL
            };
            let options = Options {
                checks,
                bound: false,
                order,
                ..Options::default()
            };
            let run = subject::call(&program, buffers, &options);
            verdict.seen |= !run.findings.is_empty();
            let is_own = |finding: &String| finding.contains("which nothing has written");
            verdict.is_foreign |= !run.findings.iter().all(is_own);
            if order == ORDERS[0] {
                memories.push(run.memory.clone());
            }
            let right = expected.map_or(&memories[at], |expected| &expected[at]);
            verdict.differs |= run.memory != *right;
            // What is reported goes wrong, whether it changes bytes or not.
            if verdict.is_foreign && expected.is_some() {
                return Ok((verdict, memories));
            }
        }
    }
    Ok((verdict, memories))
}

/// The counts of one class of mutants.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    mutants: usize,
    /// Go wrong; of those: refused by the check of addresses, by the proof of the waits, reported by the simulator.
    wrong: usize,
    by_addresses: usize,
    by_waits: usize,
    seen: usize,
    /// Leave other bytes, all of them of the ring itself.
    another: usize,
    /// Neither; of those: refused by a static check.
    harmless: usize,
    stricter: usize,
}

impl Score {
    fn add(&mut self, other: Self) {
        self.mutants += other.mutants;
        self.wrong += other.wrong;
        self.by_addresses += other.by_addresses;
        self.by_waits += other.by_waits;
        self.seen += other.seen;
        self.another += other.another;
        self.harmless += other.harmless;
        self.stricter += other.stricter;
    }

    fn row(&self, name: &str) {
        let counts = [
            self.mutants,
            self.wrong,
            self.by_addresses,
            self.by_waits,
            self.seen,
            self.another,
            self.harmless,
            self.stricter,
        ];
        println!("{name:<20}{}", counts.map(|count| format!("{count:>11}")).concat());
    }
}

/// The score of one mutant, and the problem with it, if there is one; nothing if the program cannot be spoilt so.
fn score(
    subject: &Subject,
    mutation: Mutation,
    expected: &Memories,
) -> Result<Option<(Score, Option<String>)>, String> {
    let session = Session::new();
    let mutant = session.parse(&subject.text, &subject.name).map_err(text)?;
    if !mutation.apply(subject, &mutant)? {
        return Ok(None);
    }
    let (verdict, _) = judge(subject, &mutant, Some(expected))?;
    let is_ring = matches!(mutation, Mutation::Addresses(MemoryMutation::DropVersion(_)));
    let another = is_ring && (verdict.differs || verdict.seen) && !verdict.is_foreign;
    let wrong = (verdict.seen || verdict.differs) && !another;
    let holds = verdict.addresses_hold && verdict.waits_hold;
    let count = usize::from;
    let score = Score {
        mutants: 1,
        wrong: count(wrong),
        by_addresses: count(wrong && !verdict.addresses_hold),
        by_waits: count(wrong && !verdict.waits_hold),
        seen: count(wrong && verdict.seen),
        another: count(another),
        harmless: count(!wrong && !another),
        stricter: count(!wrong && !another && !holds),
    };
    let is_missed = (wrong || another) && holds || wrong && !verdict.seen;
    let problem = is_missed.then(|| {
        keep(&subject.name, &format!("{mutation:?}"), &mutant);
        format!("{}: {mutation:?}: {verdict:?}", subject.name)
    });
    Ok(Some((score, problem)))
}

/// Keeps a mutant that was not caught, to be examined.
fn keep(name: &str, mutation: &str, mutant: &Module<'_>) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory-mutants");
    let file = format!("{name} {mutation}").replace(|c: char| !c.is_alphanumeric(), "-");
    let _ = std::fs::create_dir_all(&folder);
    let _ = std::fs::write(folder.join(format!("{file}.mlir")), Op::of_module(mutant).to_string());
}

/// A kernel, compiled with addresses.
fn planned(source: &Source, device: &'static str, stages: u32, reuse: u32) -> Result<Subject, String> {
    let session = Session::new();
    let front_end = lower::front_end_text(&source.kernel, &source.text)?;
    let mut module = session.parse(&front_end, source.kernel.name).map_err(text)?;
    let options = format!("device={device} scheduler=modulo num-stages={stages} compare-plans=false plan-memory=true");
    for step in lower::steps_with(&session, &options)? {
        let step = match step.pass() {
            "zpu-plan-memory" => step.with_option("reuse", &reuse.to_string()),
            _ => step,
        };
        lower::step(&session, &mut module, &step)?;
    }
    Ok(Subject {
        name: format!("{}, {device}, reuse={reuse}", source.label()),
        entry: source.kernel.entry.to_owned(),
        device: run::device(device)?,
        text: Op::of_module(&module).to_string(),
        calls: source.calls.clone(),
    })
}

/// The kernels; `ZPU_MUTATION=NAME,...` takes those with that in their names.
fn subjects() -> Result<Vec<Subject>, String> {
    let wanted = std::env::var("ZPU_MUTATION").ok();
    let is_wanted = |name: &str| {
        let mut names = wanted.as_deref().unwrap_or("all").split(',');
        names.any(|wanted| wanted == "all" || name.contains(wanted))
    };
    let small = [
        kernel::rms_norm(),
        kernel::attention(),
        kernel::vector_add(),
        kernel::attention_blocks(),
        kernel::matmul(kernel::SCRIPTS[2]),
    ];
    let count = if wanted.is_some() { small.len() } else { 1 };
    let small = small.iter().filter_map(|list| list.first()).take(count);
    let mut all: Vec<(Source, &'static str, u32)> = small.map(|kernel| (Source::of_kernel(kernel), "toy", 3)).collect();
    if wanted.is_some() {
        let devices = ["planning-1dma", "planning-2dma", "sunmmio-a4e"];
        for (at, source) in Source::graphs()?.into_iter().enumerate() {
            all.push((source, devices[at % devices.len()], 2));
        }
    }
    let mut subjects = Vec::new();
    for (source, device, stages) in all {
        if is_wanted(&source.label()) {
            for reuse in [0, 1] {
                subjects.push(planned(&source, device, stages, reuse)?);
            }
        }
    }
    Ok(subjects)
}

const HEADER: [&str; 8] = [
    "mutants",
    "wrong",
    "addresses",
    "waits",
    "simulator",
    "other",
    "harmless",
    "stricter",
];

#[test]
fn every_planned_program_that_goes_wrong_is_refused_and_found() {
    let begin = Instant::now();
    let subjects = subjects().unwrap_or_else(|error| panic!("{error}"));
    let (mut classes, mut total, mut problems) = (BTreeMap::<String, Score>::new(), Score::default(), Vec::new());
    for subject in &subjects {
        let start = Instant::now();
        let session = Session::new();
        let module = session
            .parse(&subject.text, &subject.name)
            .unwrap_or_else(|error| panic!("{}: {error}", subject.name));
        let (good, expected) =
            judge(subject, &module, None).unwrap_or_else(|error| panic!("{}: {error}", subject.name));
        if good.seen || good.differs || !good.addresses_hold || !good.waits_hold {
            problems.push(format!("{}: as compiled: {good:?}", subject.name));
            keep(&subject.name, "as compiled", &module);
            continue;
        }
        let mutations = Mutation::all(Op::of_module(&module));
        let answers = parallel::each(mutations.len(), |at| score(subject, mutations[at], &expected));
        let mut mutants = 0;
        for (mutation, answer) in mutations.iter().zip(answers) {
            let answer = answer.unwrap_or_else(|error| panic!("{}: {mutation:?}: {error}", subject.name));
            let Some((score, problem)) = answer else { continue };
            classes.entry(mutation.class()).or_default().add(score);
            total.add(score);
            problems.extend(problem);
            mutants += 1;
        }
        println!(
            "{:<60}{mutants:>6} mutants{:>8.1} s",
            subject.name,
            start.elapsed().as_secs_f64()
        );
    }
    println!("{:<20}{}", "class", HEADER.map(|name| format!("{name:>11}")).concat());
    for (class, score) in &classes {
        score.row(class);
    }
    total.row("all");
    println!("{:.0} s", begin.elapsed().as_secs_f64());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(total.wrong > 0, "no mutant goes wrong");
}
