//! The verdict on a function: the proof, what executions show against it, and what was hardly meant.

use crate::certificate::Certificate;
use crate::finding::cause;
use crate::problem::view::Op;
use crate::problem::{OpId, Problem};
use crate::program::{Kind, Program, tracked};
use crate::report::{Message, note};
use crate::verify::interpreter::Interpreter;
use crate::verify::{closest_interpretation, recorded_interpretation};
use crate::witness::{lint, refute};

/// The verdict on a function.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Operations that are no error and were hardly meant.
    pub warnings: Vec<Message>,
    /// Properties that are not proven, in the order in which they were first seen.
    pub findings: Vec<Finding>,
    /// The first wait for a barrier id whose command could not be told.
    pub unnamed: Option<OpId>,
    /// The number of such waits.
    pub unnamed_waits: usize,
    /// The proof gave up before it was through.
    pub has_given_up: bool,
    /// Asynchronous commands.
    pub starts: usize,
    /// Waits and fences.
    pub waits: usize,
    /// Accesses that were compared with outstanding commands.
    pub comparisons: u64,
}

/// Something that stands against the proof.
#[derive(Clone, Debug)]
pub struct Finding {
    /// In words.
    pub message: Message,
    /// There is an execution in which it happens; otherwise there may be one.
    pub is_certain: bool,
    /// Why it is not certain, in a word that a program can match.
    pub reason: &'static str,
}

/// Looks at a function. `None` if its blocks branch to each other: these are not followed.
pub fn verify(problem: &Problem) -> Option<Verdict> {
    let program = Program::of(problem);
    program.entry?;
    Some(of_walk(&program, &mut closest_interpretation(&program)))
}

/// Looks at a function, and writes a certificate if it is proven; [`check`](crate::certificate::check) accepts it.
pub fn verify_and_certify(problem: &Problem) -> Option<(Verdict, Option<Certificate>)> {
    let program = Program::of(problem);
    program.entry?;
    let mut interpreter = recorded_interpretation(&program);
    let verdict = of_walk(&program, &mut interpreter);
    Some((verdict, interpreter.certificate()))
}

fn of_walk<'c>(program: &Program<'c>, interpreter: &mut Interpreter<'_, 'c>) -> Verdict {
    let mut warnings = lint::lints(program);
    warnings.append(&mut waits_for_nothing(program));
    if !interpreter.findings.list.is_empty() || interpreter.has_given_up() {
        refute::refute(program, &mut interpreter.findings);
    }
    let findings = cause::groups(program, &interpreter.findings).into_iter().map(|group| {
        let mut message = group.head.message(program);
        message.notes.append(&mut group.notes(program));
        Finding {
            message,
            is_certain: group.head.certain,
            reason: group.head.reason(),
        }
    });
    let count = |wanted: fn(&Kind<'_>) -> bool| program.items.iter().filter(|item| wanted(&item.kind)).count();
    Verdict {
        warnings,
        findings: findings.collect(),
        unnamed: interpreter
            .findings
            .unnamed
            .first()
            .map(|wait| program.items[*wait].op.id),
        unnamed_waits: interpreter.findings.unnamed.len(),
        has_given_up: interpreter.has_given_up(),
        starts: count(|kind| matches!(kind, Kind::Start(..))),
        waits: count(|kind| matches!(kind, Kind::Wait(_) | Kind::WaitId(_) | Kind::Fence(_))),
        comparisons: interpreter.steps,
    }
}

/// A token that no command was started with orders nothing, and shows that another one was meant.
fn waits_for_nothing(program: &Program<'_>) -> Vec<Message> {
    let waits = program.items.iter().filter_map(|item| match item.kind {
        Kind::Wait(token) => Some((item.op, tracked::only_null(token)?)),
        _ => None,
    });
    let message = |(wait, null): (Op<'_>, _)| Message {
        at: wait.id,
        text: "waits for a token that no command was started with; this orders nothing".to_owned(),
        notes: vec![note(null, "the token that stands for no command")],
    };
    waits.map(message).collect()
}
