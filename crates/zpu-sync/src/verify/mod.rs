//! Shows of a function with asynchronous commands that its waits are enough, for every trip count and every way through
//! its branches, or says which one is missing.
//!
//! Only the control stream joins engines, and an engine completes its commands in order. So the stream's knowledge is
//! the set of commands that it has not waited for, and an access is ordered iff none of them that runs on another
//! engine touches the same bytes. [`program`] takes the function apart, with [`tracked`] for what waits name; [`state`]
//! and [`ids`] are that knowledge; [`interpreter`] carries it through the program, [`control`] through branches and
//! loops, with [`infeasible`]; [`check`] asks which accesses meet, with [`path_context`], [`facts`] and [`overlap`],
//! and [`lifetime`] which memory is still there; [`finding`] says what is missing, and [`cause`] what goes back to one
//! missing wait.
//!
//! What the walk finds nothing against is proven. What it finds is a suspicion: conditions on the way may exclude each
//! other. So [`refute`] executes the control stream for chosen arguments ([`witness`], [`numbers`], [`place`]), and
//! only what such an execution meets is *refuted*; the rest is *unknown*. [`lint`] does so for what is no error and
//! hardly meant, with [`must_waits`] for what holds on the ways that an execution does not take. The two share with
//! each other what an operation accesses; the walk also shares where regions meet.
//!
//! All work is bounded: a walk gives up after a stated number of steps, is repeated more coarsely, and then says so.

mod cause;
mod check;
mod control;
mod facts;
mod finding;
mod ids;
mod infeasible;
mod interpreter;
mod lifetime;
mod lint;
mod must_waits;
mod needs;
mod numbers;
mod overlap;
mod path_context;
mod place;
mod program;
mod redundant;
mod refute;
mod state;
mod subject;
mod tracked;
mod witness;

pub use needs::{Waits, needed_waits};
pub use redundant::{Patience, Redundant, finding_full_queues, is_shown_to_be_right, live_at_the_end, redundant_waits};

use crate::problem::{OpId, Problem};
use crate::report::{Message, note};
use interpreter::{Interpreter, Precision};
use program::{Kind, Program};

/// What the proof found out about a function.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// What is no error and hardly meant.
    pub warnings: Vec<Message>,
    /// What is not proven, in the order in which it was first seen.
    pub findings: Vec<Finding>,
    /// The first wait for a barrier id whose command could not be told.
    pub unnamed: Option<OpId>,
    /// The number of such waits.
    pub unnamed_waits: usize,
    /// Whether the proof gave up before it was through.
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
    let mut warnings = lint::lints(&program);
    warnings.append(&mut waits_for_nothing(&program));
    let mut interpreter = closest_interpretation(&program);
    if !interpreter.findings.list.is_empty() || interpreter.has_given_up() {
        refute::refute(&program, &mut interpreter.findings);
    }
    let findings = cause::groups(&program, &interpreter.findings).into_iter().map(|group| {
        let mut message = group.head.message(&program);
        message.notes.append(&mut group.notes(&program));
        Finding {
            message,
            is_certain: group.head.certain,
            reason: group.head.reason(),
        }
    });
    let count = |wanted: fn(&Kind<'_>) -> bool| program.items.iter().filter(|item| wanted(&item.kind)).count();
    Some(Verdict {
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
    })
}

/// The walk that finds least against a program.
fn closest_interpretation<'p, 'c>(program: &'p Program<'c>) -> Interpreter<'p, 'c> {
    if program.has_nests() {
        let interpreter = Interpreter::through(program, Precision::JOINED);
        if interpreter.findings.list.is_empty() && !interpreter.has_given_up() {
            return interpreter;
        }
    }
    let interpreter = Interpreter::through(program, Precision::DEFAULT);
    if interpreter.has_given_up() {
        return Interpreter::through(program, Precision::COARSE);
    }
    if interpreter.findings.list.is_empty() {
        return interpreter;
    }
    let mut closest = interpreter;
    for precision in [Precision::PATH_SENSITIVE, Precision::LAST_ITERATION] {
        let closer = Interpreter::through(program, precision);
        if closer.has_given_up() {
            return closest;
        }
        closest = closer;
        if closest.findings.list.is_empty() {
            return closest;
        }
    }
    // What it does not settle is said as the walk before has it.
    let further = Interpreter::through(program, Precision::FURTHER);
    if further.has_given_up() || !further.findings.list.is_empty() {
        return closest;
    }
    further
}

/// A token that no command was started with orders nothing, and shows that another one was meant.
fn waits_for_nothing(program: &Program<'_>) -> Vec<Message> {
    let waits = program.items.iter().filter_map(|item| match item.kind {
        Kind::Wait(token) => Some((item.op, tracked::only_null(token)?)),
        _ => None,
    });
    let message = |(wait, null): (crate::problem::view::Op<'_>, _)| Message {
        at: wait.id,
        text: "waits for a token that no command was started with; this orders nothing".to_owned(),
        notes: vec![note(null, "the token that stands for no command")],
    };
    waits.map(message).collect()
}
