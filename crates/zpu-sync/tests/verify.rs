//! The verdict on random programs against all orders in which their commands may complete.
//!
//! A program is proven or not by `zpu-sync`, from records that were written as a text and read again; and it is
//! executed for many arguments, where each order of completion is tried. What is proven may go wrong in none of them,
//! and what is refuted has to, for the arguments that are named.

mod common;

use std::collections::{BTreeSet, HashSet};

use common::edit::{fenced, reduced, waits, without};
use common::generate;
use common::machine::{Call, Fault, explore, faults, leaves_in_flight, trace};
use common::random::{Share, for_seeds};
use common::records::{problem_of, statement};
use common::{At, ENGINES, Memory, Program};
use zpu_sync::problem::text::{read_problem, write_problem};
use zpu_sync::problem::{OpId, Problem};
use zpu_sync::redundant::redundant_waits;
use zpu_sync::verdict::{Finding, Verdict, verify};
use zpu_sync::witness::needed_waits;

/// The records of a program, as they are read from a text.
fn problem(program: &Program) -> Problem {
    let text = write_problem(&problem_of(program));
    let problem = read_problem(&text).unwrap_or_else(|error| panic!("{error}\n{program}"));
    assert_eq!(write_problem(&problem), text, "{program}");
    problem
}

fn verdict(problem: &Problem) -> Verdict {
    verify(problem).unwrap_or_else(|| panic!("a function has one block"))
}

fn is_proven(verdict: &Verdict) -> bool {
    verdict.findings.is_empty() && !verdict.has_given_up
}

/// Calls of a program with these numbers.
fn calls(program: &Program, numbers: &[i64]) -> Vec<Call> {
    let mut calls = vec![Call::default()];
    for _ in 0..program.numbers {
        let each = calls.iter().flat_map(|call| {
            numbers.iter().map(|number| {
                let mut call = call.clone();
                call.numbers.push(*number);
                call
            })
        });
        calls = each.collect();
    }
    for _ in 0..program.flags {
        let each = calls.iter().flat_map(|call| {
            [false, true].map(|flag| {
                let mut call = call.clone();
                call.flags.push(flag);
                call
            })
        });
        calls = each.collect();
    }
    let overlapping = program
        .buffers
        .iter()
        .filter(|memory| **memory == Memory::Argument)
        .count();
    if overlapping > 1 {
        let aliased = calls.iter().map(|call| Call {
            aliased: true,
            ..call.clone()
        });
        calls = aliased.chain(calls.clone()).collect();
    }
    calls
}

/// Calls that show most of what can go wrong, the smaller ones first.
fn small_calls(program: &Program) -> Vec<Call> {
    match program.numbers {
        0 | 1 => calls(program, &[0, 1, 2, 3, 4, 5, 6, -1]),
        _ => calls(program, &[0, 1, 2, 3, 5, -1]),
    }
}

/// Calls with numbers as witnesses are tried with.
fn large_calls(program: &Program) -> Vec<Call> {
    match program.numbers {
        0 | 1 => calls(program, &[2, 1, 0, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 18, 21, 24]),
        _ => calls(program, &[2, 1, 0, 3, 4, 5, 7, 8, 10, 12, 17, 24]),
    }
}

fn faults_of(program: &Program, call: &Call) -> BTreeSet<Fault> {
    trace(program, call).map_or_else(BTreeSet::new, |trace| faults(&trace))
}

/// Something that goes wrong, and for which call.
fn first_fault(program: &Program, calls: &[Call]) -> Option<(Call, Fault)> {
    calls
        .iter()
        .find_map(|call| Some((call.clone(), *faults_of(program, call).first()?)))
}

/// The call that the notes of a finding name: numbers of arguments that they do not name do not matter.
fn named_call(program: &Program, finding: &Finding) -> Option<Call> {
    let prefix = "it happens for example when ";
    let text = finding
        .message
        .notes
        .iter()
        .find_map(|note| note.text.strip_prefix(prefix))?;
    let buffers = program
        .buffers
        .iter()
        .filter(|memory| matches!(memory, Memory::NoAlias | Memory::Argument))
        .count();
    let mut call = Call {
        numbers: vec![0; program.numbers],
        flags: vec![false; program.flags],
        aliased: false,
    };
    for part in text.split(" and ") {
        let (position, number) = part.strip_prefix("argument ")?.split_once(" is ")?;
        let position = position.parse::<usize>().ok()?.checked_sub(buffers)?;
        let number: i64 = number.parse().ok()?;
        match position.checked_sub(program.numbers) {
            None => call.numbers[position] = number,
            Some(flag) => call.flags[flag] = number != 0,
        }
    }
    Some(call)
}

/// A fault for each statement that a finding says is certain.
fn certain_findings_happen(program: &Program, problem: &Problem, verdict: &Verdict) {
    for finding in verdict.findings.iter().filter(|finding| finding.is_certain) {
        let at = statement(problem, finding.message.at);
        let zeros = || Call {
            numbers: vec![0; program.numbers],
            flags: vec![false; program.flags],
            aliased: false,
        };
        let call = named_call(program, finding).unwrap_or_else(zeros);
        let found = faults_of(program, &call);
        assert!(
            found.iter().any(|fault| Some(fault.at()) == at),
            "certain, and does not happen for {call:?}: {found:?}\n{finding:#?}\n{program}"
        );
    }
}

/// The program with fences at which nothing goes wrong any more in the calls that are tried, if a few are enough.
fn repaired(program: &Program) -> Option<Program> {
    const MOST_FENCES: usize = 12;
    let calls = small_calls(program);
    let mut program = program.clone();
    for _ in 0..MOST_FENCES {
        let Some((call, fault)) = first_fault(&program, &calls) else {
            return Some(program);
        };
        let at = fault.at();
        let all: Vec<usize> = (0..ENGINES.len()).collect();
        let choices = all.iter().map(|engine| vec![*engine]).chain([all.clone()]);
        program = choices.map(|engines| fenced(&program, at, &engines)).find(|fenced| {
            // The statement has the next number now.
            let moved = if at == 0 { 0 } else { at + 1 };
            faults_of(fenced, &call).iter().all(|fault| fault.at() != moved)
        })?;
    }
    None
}

#[test]
fn every_order_of_completion_is_what_the_closed_form_says() {
    let explored = Share::default();
    for_seeds(60, |seed| {
        let program = generate::program(seed);
        for call in calls(&program, &[-1, 0, 1, 2, 3]) {
            let Some(trace) = trace(&program, &call) else { continue };
            // Long traces have too many orders.
            let found = if trace.events.len() > 40 { None } else { explore(&trace) };
            explored.count(found.is_some());
            if let Some(found) = found {
                assert_eq!(found, faults(&trace), "{call:?}\n{program}");
            }
        }
    });
    explored.is_at_least(70, "executions of which all orders are tried");
}

#[test]
fn verdicts_hold_in_all_executions() {
    let shares = verdicts_hold(50, generate::program);
    shares
        .proven
        .is_at_least(60, "proven of the programs in which nothing goes wrong");
    shares.repaired.is_at_least(50, "proven of those that were repaired");
    shares.refuted.is_at_least(80, "refuted of the others");
}

#[test]
fn verdicts_on_small_programs_hold_in_all_executions() {
    let shares = verdicts_hold(300, generate::small);
    shares
        .proven
        .is_at_least(60, "proven of the small programs in which nothing goes wrong");
    shares
        .repaired
        .is_at_least(50, "proven of small ones that were repaired");
    shares.refuted.is_at_least(80, "refuted of the other small ones");
}

/// How often a verdict was what one hopes for.
#[derive(Default)]
struct Shares {
    proven: Share,
    repaired: Share,
    refuted: Share,
}

/// Holds the verdicts on programs, and on what they are when they are repaired, against their executions.
fn verdicts_hold(cases: u32, program: fn(u64) -> Program) -> Shares {
    let shares = Shares::default();
    for_seeds(cases, |seed| {
        let program = program(seed);
        match check(&program) {
            Outcome::Right { is_proven } => shares.proven.count(is_proven),
            Outcome::Wrong { is_refuted } => {
                shares.refuted.count(is_refuted);
                if let Some(program) = repaired(&program)
                    && let Outcome::Right { is_proven } = check(&program)
                {
                    shares.repaired.count(is_proven);
                }
            }
        }
    });
    shares
}

enum Outcome {
    /// Nothing goes wrong in the calls that were tried.
    Right { is_proven: bool },
    /// Something does.
    Wrong { is_refuted: bool },
}

/// Holds the verdict on a program against its executions.
fn check(program: &Program) -> Outcome {
    let problem = problem(program);
    let verdict = verdict(&problem);
    let fault = first_fault(program, &small_calls(program));
    if is_proven(&verdict)
        && let Some((call, fault)) = &fault
    {
        let is_wrong = |program: &Program| {
            let is_proven = is_proven(&self::verdict(&self::problem(program)));
            is_proven && first_fault(program, &small_calls(program)).is_some()
        };
        panic!(
            "proven, and {fault:?} for {call:?}\n{program}\nof which this is enough:\n{}",
            reduced(program, &is_wrong)
        );
    }
    certain_findings_happen(program, &problem, &verdict);
    match fault {
        None => Outcome::Right {
            is_proven: is_proven(&verdict),
        },
        Some(_) => Outcome::Wrong {
            is_refuted: verdict.findings.iter().any(|finding| finding.is_certain),
        },
    }
}

#[test]
fn a_verdict_is_the_same_for_a_text() {
    for_seeds(8, |seed| {
        let program = generate::program(seed);
        let (written, read) = (problem_of(&program), problem(&program));
        assert_eq!(
            format!("{:?}", verdict(&written)),
            format!("{:?}", verdict(&read)),
            "{program}"
        );
    });
}

#[test]
fn needed_waits_are_needed_and_redundant_ones_are_not() {
    let (needed, redundant, kept) = (Share::default(), Share::default(), Share::default());
    for_seeds(60, |seed| {
        let program = if seed % 2 == 0 {
            generate::program(seed)
        } else {
            generate::small(seed)
        };
        let is_right = first_fault(&program, &small_calls(&program)).is_none();
        let Some(program) = Some(program.clone())
            .filter(|_| is_right)
            .or_else(|| repaired(&program))
        else {
            return;
        };
        let problem = problem(&program);
        let at = |op: &OpId| statement(&problem, *op).unwrap_or_else(|| panic!("a wait is a statement"));
        let found = needed_waits(&problem);
        let all: Vec<At> = found.all.iter().map(at).collect();
        assert_eq!(all, waits(&program), "{program}");
        for wait in &found.all {
            needed.count(found.needed.contains(wait));
        }
        for wait in found.needed.iter().map(at) {
            let spoiled = without(&program, &[wait]);
            let goes_wrong = |call: &Call| {
                let trace = trace(&spoiled, call);
                // A wait for what would be in flight at the end counts as needed, whosever the memory is.
                trace.is_none_or(|trace| !faults(&trace).is_empty() || leaves_in_flight(&trace))
            };
            assert!(
                large_calls(&program).iter().any(goes_wrong),
                "wait {wait} is not needed\n{program}"
            );
        }
        let may_go: HashSet<OpId> = found.all.iter().copied().collect();
        let gone = redundant_waits(&problem, &may_go);
        let gone: Vec<At> = gone.waits.iter().map(at).collect();
        for wait in &all {
            redundant.count(gone.contains(wait));
        }
        let shorter = without(&program, &gone);
        let fault = first_fault(&shorter, &small_calls(&shorter));
        assert!(fault.is_none(), "without {gone:?}: {fault:?}\n{program}");
        // Learned conflicts keep no wait that a proof by itself would let go.
        let shorter = self::problem(&shorter);
        for wait in needed_waits(&shorter).all {
            let alone = redundant_waits(&shorter, &HashSet::from([wait]));
            kept.count(alone.waits.is_empty());
        }
    });
    needed.is_at_least(40, "waits that are needed");
    kept.is_at_least(99, "waits that have to stay");
    redundant.is_at_least(5, "waits that are redundant");
}
