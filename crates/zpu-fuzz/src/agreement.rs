//! Agreement of the proof of `zpu-verify-sync` with the simulator, on compiled programs and on spoilt ones.
//!
//! The expectations: a proven program leaves the same bytes in every order of completion, without a race or a deadlock;
//! a refuted one goes wrong in a call that can be shown; the simulator reports a program whose result depends on the
//! order. Neither warns of a compiled program that is not spoilt. A program that is neither proven nor refuted agrees
//! with everything.

use std::sync::Arc;

use zpu_device::Device;
use zpu_driver::Executable;
use zpu_ir::{Module, Op};
use zpu_sim::{Checks, FindingKind, Order};

use crate::mutation::Mutation;
use crate::observation::{difference, observation, observe, run, translated, wrong};
use crate::program::Program;
use crate::random::Random;
use crate::run::{Failure, Kind, Runner, fail, is_refusal, parsed, steps};
use crate::setting::Setting;

/// Spoilt programs made of one compiled program.
const MUTANTS: usize = 8;

/// Calls besides the program's own in which programs are run, as far as they make sense.
const CALLS: u64 = 3;

/// Calls tried in search of one in which a refuted program goes wrong.
const MORE_CALLS: u64 = 60;

/// The checks of the simulator.
const SYNCHRONISATION: Checks = Checks {
    capacity: false,
    init: false,
    ..Checks::ALL
};

/// Rows of buffers of any size in the calls that the proof gives as examples.
const MANY_ROWS: i64 = 4096;

const PASS: &str = "zpu-verify-sync";

/// The check of addresses.
const ADDRESSES: &str = "builtin.module(zpu-verify-addresses)";

/// The verdict of `zpu-verify-sync`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proof {
    /// No execution goes wrong.
    Proven,
    /// Neither could be shown.
    Unknown,
    /// Something can go wrong.
    Refuted,
}

/// The verdicts of both on one program.
#[derive(Clone, Debug)]
pub struct Opinion {
    /// The mutation of the program.
    pub mutation: String,
    /// The verdict of the proof.
    pub proof: Proof,
    /// True if some run went wrong.
    pub goes_wrong: bool,
    /// The disagreement, if there is one, with the module.
    pub disagreement: Option<(Failure, String)>,
}

impl Runner<'_> {
    /// Compiles a program, and asks proof and simulator about it and about spoilt forms of it; nothing if the machine
    /// cannot run it.
    ///
    /// # Errors
    ///
    /// If a pass fails.
    pub fn agree(&mut self, program: &Program, setting: &Setting, seed: u64) -> Result<Vec<Opinion>, Failure> {
        let mut random = Random::new(seed, 3);
        // Before the last clean-up each slot is computed, the first ones as well.
        let last = if random.chance(50) {
            "zpu-inject-dma-barrier"
        } else {
            PASS
        };
        let Some(text) = self.compiled(program, setting, last)? else {
            return Ok(Vec::new());
        };
        let compiled = Program {
            text,
            ..program.clone()
        };
        let module = self.session.parse(&compiled.text, "compiled");
        let module = module.map_err(|error| fail(Kind::Verify, PASS, error.to_string()))?;
        let mut mutations = vec![Mutation::None];
        let mut all = Mutation::all(Op::of_module(&module));
        while mutations.len() <= MUTANTS && !all.is_empty() {
            mutations.push(all.swap_remove(random.index(all.len())));
        }
        drop(module);
        let mut opinions = Vec::new();
        for mutation in mutations {
            opinions.extend(self.opinion(program, &compiled, setting, mutation)?);
        }
        Ok(opinions)
    }

    /// The disagreement about a compiled program as it is.
    pub fn disagreement(&mut self, program: &Program, setting: &Setting) -> Option<Failure> {
        let opinion = self.opinion(program, program, setting, Mutation::None).ok()??;
        opinion.disagreement.map(|(failure, _)| failure)
    }

    /// The text after that pass.
    fn compiled(&mut self, program: &Program, setting: &Setting, last: &str) -> Result<Option<String>, Failure> {
        let mut module = parsed(self.session, program)?;
        let Some(device) = self.device(setting, &program.text)? else {
            return Ok(None);
        };
        match observe(&module, &device, program) {
            Ok(_) => {}
            Err((Kind::Capacity, _)) => return Ok(None),
            Err((_, message)) => return Err(fail(Kind::Program, "parsing", message)),
        }
        for step in steps(self.session, setting)? {
            let pass = step.pass();
            if pass == PASS {
                break;
            }
            let compiled = self.session.compile_unverified(&mut module, step.as_str());
            match compiled.map_err(|error| error.to_string()) {
                Ok(_) => {}
                Err(error) if is_refusal(&error) => return Ok(None),
                Err(error) => return Err(fail(Kind::Error, pass, error)),
            }
            if pass == last {
                break;
            }
        }
        Ok(Some(Op::of_module(&module).to_string()))
    }

    /// The verdicts of both on a spoilt program; `None` if it cannot be spoilt like that. Calls make sense if `source`
    /// has a meaning in them.
    fn opinion(
        &mut self,
        source: &Program,
        compiled: &Program,
        setting: &Setting,
        mutation: Mutation,
    ) -> Result<Option<Opinion>, Failure> {
        let Some(device) = self.device(setting, &source.text)? else {
            return Ok(None);
        };
        let (source_module, mut module) = (parsed(self.session, source)?, parsed(self.session, compiled)?);
        if !mutation.apply(Op::of_module(&module), &device) {
            return Ok(None);
        }
        let (proof, messages) = self.proof(&mut module);
        let Ok(executable) = translated(&module, &device, compiled) else {
            return Ok(None);
        };
        // Reads of unwritten memory are no reason to skip an order.
        let makes_sense = |call: &Program| {
            translated(&source_module, &device, call)
                .and_then(|executable| run(&executable, call, Checks::NONE, Order::Eager))
                .is_ok_and(|outcome| outcome.report.findings.is_empty())
        };
        let mut trouble = watch(&executable, compiled, true);
        // Bytes that another buffer wrote die with that buffer, so what reads them may show in one order only.
        if matches!(mutation, Mutation::Memory(_)) && trouble.as_ref().is_none_or(|trouble| !trouble.found) {
            trouble = foreign(&executable, compiled, &self.bytes(compiled, &device)?).or(trouble);
        }
        let is_refuted = proof == Proof::Refuted;
        let tried = (1..=if is_refuted { MORE_CALLS } else { CALLS }).map(|number| other_call(compiled, number));
        let examples = examples(compiled, &messages);
        // In what has no meaning from the start, nothing is right or wrong.
        let is_about_faults = !examples.is_empty() && !examples.iter().any(&makes_sense);
        for (number, call) in examples.into_iter().chain(tried).enumerate() {
            if trouble.is_some() {
                break;
            }
            trouble = if makes_sense(&call) {
                watch(&executable, &call, number < CALLS as usize)
            } else if is_refuted {
                // An access that leaves its buffer later may come after a race.
                race(&executable, &call)
            } else {
                None
            };
        }
        let failure = match (&trouble, proof) {
            (Some(trouble), Proof::Proven) => Some((Kind::Unsound, format!("proven, but: {}", trouble.what))),
            (Some(trouble), _) if !trouble.found => {
                Some((Kind::Unseen, format!("not found by the simulator: {}", trouble.what)))
            }
            (None, Proof::Refuted) if !is_about_faults => {
                let error = messages.lines().find(|line| !line.contains("possible ")).unwrap_or("");
                Some((Kind::Unfounded, format!("refuted, but nothing goes wrong: {error}")))
            }
            _ if mutation == Mutation::None => {
                let calls = (1..=CALLS).map(|number| other_call(compiled, number));
                let mut calls = std::iter::once(compiled.clone()).chain(calls.filter(&makes_sense));
                let seen = || calls.find_map(|call| warning(&executable, &call));
                first_warning(&messages).or_else(seen).map(|what| (Kind::Warned, what))
            }
            _ => None,
        };
        let disagreement = failure.map(|(kind, message)| {
            let message = format!("{mutation}: {message}");
            (fail(kind, PASS, message), Op::of_module(&module).to_string())
        });
        Ok(Some(Opinion {
            mutation: mutation.to_string(),
            proof,
            goes_wrong: trouble.is_some(),
            disagreement,
        }))
    }

    /// The bytes that a compiled program leaves.
    fn bytes(&self, compiled: &Program, device: &Arc<Device>) -> Result<Vec<Vec<u8>>, Failure> {
        let module = parsed(self.session, compiled)?;
        let executable = translated(&module, device, compiled);
        let outcome = executable.and_then(|executable| run(&executable, compiled, Checks::NONE, Order::Timed));
        let outcome = outcome.map_err(|(kind, message)| fail(kind, PASS, message))?;
        Ok(observation(outcome).memory)
    }

    /// The verdict of the proof, and its messages.
    fn proof(&mut self, module: &mut Module<'_>) -> (Proof, String) {
        let mut run = |pipeline: &str| {
            let compiled = self.session.compile_unverified(module, pipeline);
            compiled.map_err(|error| error.to_string())
        };
        match run(&format!("builtin.module({PASS})")) {
            // That reads see their own bytes is a part of the proof. The check does not refute, it only doubts.
            Ok(messages) => match run(ADDRESSES) {
                Ok(_) => (Proof::Proven, messages),
                Err(messages) => (Proof::Unknown, messages),
            },
            Err(messages) if run(&format!("builtin.module({PASS}{{allow-unknown=true}})")).is_ok() => {
                (Proof::Unknown, messages)
            }
            Err(messages) => (Proof::Refuted, messages),
        }
    }
}

/// A failure of a program.
struct Trouble {
    what: String,
    /// True if the simulator reports it without being told what is right.
    found: bool,
}

/// A race or a deadlock by the times of the cost model.
fn race(executable: &Executable, call: &Program) -> Option<Trouble> {
    let outcome = run(executable, call, SYNCHRONISATION, Order::Timed).ok()?;
    let mut findings = outcome.report.findings.iter();
    let found = findings.find(|finding| matches!(finding.kind, FindingKind::Race | FindingKind::Deadlock))?;
    Some(Trouble {
        what: found.to_string(),
        found: true,
    })
}

/// Runs the program in several orders of completion; with `all`, in every one there is.
fn watch(executable: &Executable, call: &Program, all: bool) -> Option<Trouble> {
    let found = |what: String| Some(Trouble { what, found: true });
    let outcome = match run(executable, call, SYNCHRONISATION, Order::Timed) {
        Ok(outcome) => outcome,
        Err((_, what)) => return found(what),
    };
    let bad = |kind| matches!(kind, FindingKind::Race | FindingKind::Deadlock | FindingKind::Invalid);
    if let Some(finding) = outcome.report.findings.iter().find(|finding| bad(finding.kind)) {
        return found(finding.to_string());
    }
    let memory = observation(outcome).memory;
    let orders = [
        Order::Adversarial,
        Order::Eager,
        Order::Lazy,
        Order::Random(call.contents),
    ];
    for order in orders.into_iter().take(if all { 4 } else { 1 }) {
        let differs = match run(executable, call, Checks::NONE, order) {
            Ok(outcome) => difference(&memory, &observation(outcome).memory),
            Err((_, what)) => Some(what),
        };
        if let Some(what) = differs {
            let what = format!("order {order}: {what}");
            return Some(Trouble { what, found: false });
        }
    }
    None
}

/// A read of another buffer's bytes, or other bytes than those that the program leaves as it was compiled.
fn foreign(executable: &Executable, call: &Program, expected: &[Vec<u8>]) -> Option<Trouble> {
    let outcome = match run(executable, call, Checks::ALL, Order::Timed) {
        Ok(outcome) => outcome,
        Err((_, what)) => return Some(Trouble { what, found: true }),
    };
    if let Some((_, what)) = wrong(&outcome) {
        return Some(Trouble { what, found: true });
    }
    let what = difference(expected, &observation(outcome).memory)?;
    Some(Trouble { what, found: false })
}

/// The first warning of the proof.
fn first_warning(messages: &str) -> Option<String> {
    let mut lines = messages.lines();
    lines.find(|line| line.contains("warning: ")).map(str::to_owned)
}

/// The first warning of the simulator in one run.
fn warning(executable: &Executable, call: &Program) -> Option<String> {
    let outcome = run(executable, call, SYNCHRONISATION, Order::Timed).ok()?;
    outcome.report.warnings.first().map(ToString::to_string)
}

/// The calls that the proof gives as examples of what goes wrong.
fn examples(program: &Program, messages: &str) -> Vec<Program> {
    let mut calls = Vec::new();
    let parameters = program
        .text
        .split_once("@f(")
        .and_then(|(_, rest)| rest.split_once(") {"));
    let buffers = parameters.map_or(0, |(list, _)| list.matches(": memref<").count());
    // A function around it passes one buffer for all of them.
    let shift = if program.entry == "f" {
        0
    } else {
        buffers.saturating_sub(1)
    };
    for line in messages.lines().filter(|line| line.contains("for example when ")) {
        let mut call = program.clone();
        for part in line.split("argument ").skip(1) {
            let mut words = part.split(|letter: char| !letter.is_ascii_digit() && letter != '-');
            let mut numbers = words.by_ref().filter(|word| !word.is_empty());
            let position = numbers.next().and_then(|word| word.parse().ok());
            let value = numbers.next().and_then(|word| word.parse().ok());
            if let (Some(position), Some(value)) = (position, value)
                && let Some(scalar) = usize::checked_sub(position, shift).and_then(|at| call.scalars.get_mut(&at))
            {
                *scalar = value;
            }
        }
        for rows in call.sizes.values_mut().filter_map(|sizes| sizes.first_mut()) {
            *rows = MANY_ROWS;
        }
        calls.push(call);
    }
    calls
}

/// Another call: other numbers, or other contents.
fn other_call(program: &Program, number: u64) -> Program {
    let mut random = Random::new(program.contents, 100 + number);
    let mut call = program.clone();
    if program.scalars.is_empty() || random.chance(40) {
        call.contents = program.contents + 1000 * number;
    }
    for value in call.scalars.values_mut() {
        if random.chance(70) {
            // Near the value that the program was made for, or anywhere that may make sense.
            let near = [*value - 2, *value - 1, *value / 2, *value + 1, *value + 4, *value * 2];
            *value = if random.chance(40) {
                random.pick(&near)
            } else {
                random.range(0, (*value).clamp(0, 90) + 6)
            };
        }
    }
    call
}
